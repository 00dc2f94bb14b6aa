//! What may be done where a rendezvous is waited for: Spin's verifier lets the sender alone begin one, so that a receive
//! is never executable by itself. All expected answers are those of Spin 6.5.2.

use super::support::{errors, possible, reading, violation};

const ASSERT: &str = "assertions";
const Z: &str = "chan z = [0] of {byte}; chan w = [0] of {byte}; byte x; ";

fn fails(text: &str) {
    assert!(violation(&format!("{Z}{text}"), ASSERT).is_some(), "{text}");
}

fn holds(text: &str) {
    assert_eq!(violation(&format!("{Z}{text}"), ASSERT), None, "{text}");
}

#[test]
fn a_ready_sender_makes_no_escape_executable() {
    // The receive was taken for executable as soon as a sender was ready, and pre-empted everything.
    let sender = "active proctype Q() { z!1 }";
    fails(&format!(
        "active proctype P() {{ byte y; {{ x = 1; x = 2; assert(false) }} unless {{ z?y }} }} {sender}"
    ));
    // Once it has begun, the rest is gone.
    holds(&format!(
        "active proctype P() {{ byte y; {{ x = 1; x = 2; x == 3; assert(false) }} unless {{ z?y }} }} {sender}"
    ));
    // By way of a variable that may be any channel, and as the beginning of a `d_step`.
    fails(&format!(
        "chan b = [1] of {{byte}}; chan c; active proctype P() {{ byte y; c = z; {{ x = 1; assert(false) }} unless {{ c?y }} }} {sender}"
    ));
    holds(
        "chan b = [1] of {byte}; chan c; active proctype P() { byte y; c = b; b!1; { x = 1; assert(false) } unless { c?y } }",
    );
    fails(&format!(
        "active proctype P() {{ byte y; {{ x = 1; assert(false) }} unless {{ d_step {{ z?y; x = 3 }} }} }} {sender}"
    ));
    // A send does begin a rendezvous.
    holds(
        "active proctype P() { { x == 1; assert(false) } unless { z!1 } } active proctype Q() { z?_; x = 1 }",
    );
    fails(
        "active proctype P() { { x = 1; assert(false) } unless { z!1 } } active proctype Q() { x == 1; z?_ }",
    );
}

#[test]
fn an_escape_from_a_rendezvous_is_one_from_the_same_channel() {
    let senders = "active proctype Q() { z!1 } active proctype R() { w!1 }";
    // While a message is offered, nothing is looked at but receives: this was read as `z` having to wait for `w`.
    fails(&format!(
        "active proctype P() {{ byte y; {{ z?y -> x = 1 }} unless {{ w?y -> x = 2 }}; assert(x == 2) }} {senders}"
    ));
    fails(
        "active proctype P() { byte y; { z!1 -> x = 1 } unless { w?y -> x = 2 }; assert(x == 2) }
         active proctype Q() { byte y; z?y } active proctype R() { w!1 }",
    );
    fails(
        "active proctype P() { { z?x } unless { x == 2 } } active proctype Q() { x = 2; z!1; assert(x == 2) }",
    );
    fails("active proctype P() { { z?x } unless { true; skip } } active proctype Q() { z!1; assert(false) }");
    fails(
        "active proctype P() { { z?x } unless { d_step { true; skip } } } active proctype Q() { z!1; assert(false) }",
    );
    // A send is looked at by itself, and can be pre-empted.
    holds(
        "active proctype P() { { z!1 } unless { x == 1 -> skip } } active proctype Q() { byte y; x = 1; z?y; assert(false) }",
    );
    // The same message goes to the escape, if that fits.
    let one = |escape: &str| {
        format!(
            "active proctype P() {{ {{ z?x; assert(false) }} unless {{ {escape}; skip }} }} active proctype Q() {{ z!1 }}"
        )
    };
    holds(&one("z?x"));
    holds(&one("z?1"));
    fails(&one("z?2"));
    fails(&one("w?1"));
    let array = |escape: u8| {
        format!(
            "chan a[2] = [0] of {{byte}}; active proctype P() {{ {{ a[x]?_; assert(false) }} unless {{ a[{escape}]?_; skip }} }}
             active proctype Q() {{ a[0]!1 }}"
        )
    };
    holds(&array(0));
    fails(&array(1));
    // By way of variables: the same channel, or another one.
    let chosen = |which: char| {
        format!(
            "chan b = [1] of {{byte}}; chan c; active proctype P() {{ c = {which}; {{ z?_; assert(false) }} unless {{ c?_; skip }} }}
             active proctype Q() {{ z!1 }}"
        )
    };
    holds(&chosen('z'));
    fails(&chosen('w'));
    // This was refused: what P can do depended on what the other P can do, and so on in a circle.
    fails("active [2] proctype P() { byte y; { z!1; assert(false) } unless { z?y } }");
}

#[test]
fn an_escape_that_takes_some_messages_needs_one_at_a_time() {
    // With 1 and 2 offered at once, the escape seemed to keep the 1 from being received, too. That cannot be told apart.
    let found = |escape: &str, senders: &str| {
        let text = format!("{Z}active proctype P() {{ {{ z?x }} unless {{ {escape} }} }} {senders}");
        errors(&text).into_iter().map(|(code, _)| code).collect::<Vec<_>>()
    };
    let two = "active proctype Q() { z!1 } active proctype R() { z!2 }";
    assert_eq!(found("z?2", two), ["U0909"]);
    assert_eq!(found("z?2", "active proctype Q() { if :: z!1 :: z!2 fi }"), ["U0909"]);
    let fine: [&str; 0] = [];
    assert_eq!(found("z?x", two), fine);
    assert_eq!(found("w?2", two), fine);
    assert_eq!(found("z?2", "active proctype Q() { z!1; z!2 } active proctype R() { w!2 }"), fine);
}

#[test]
fn an_else_beside_a_rendezvous_that_is_received() {
    // The `else` had to wait until no sender was ready.
    let sender = "active proctype Q() { z!1 }";
    let beside = |receive: &str| {
        format!(
            "active proctype P() {{ byte y; if :: {receive} -> x = 1 :: else -> assert(false) fi }} {sender}"
        )
    };
    fails(&beside("z?y"));
    fails(&beside("atomic { z?y; x = 2 }"));
    fails(&beside("d_step { z?y; x = 2 }"));
    fails(&format!(
        "active proctype P() {{ byte y; do :: z?y -> x = 1 :: else -> assert(false) od }} {sender}"
    ));
    fails(&format!(
        "active proctype P() {{ byte y; atomic {{ x = 2; if :: z?y -> x = 1 :: else -> assert(false) fi }} }} {sender}"
    ));
    fails(&format!(
        "proctype P(chan c) {{ byte y; if :: c?y -> x = 1 :: else -> assert(false) fi }} active proctype S() {{ run P(z) }} {sender}"
    ));
    // The rendezvous may happen all the same.
    let both =
        format!("{Z}active proctype P() {{ byte y; if :: z?y -> x = 1 :: else -> x = 2 fi }} {sender}");
    assert!(possible(&both, "x == 1") && possible(&both, "x == 2"));
    // Beside a send it is about who listens.
    let send = |wait: &str| {
        format!(
            "active proctype P() {{ if :: z!1 -> x = 1 :: else -> assert(false) fi }} active proctype Q() {{ {wait} z?_ }}"
        )
    };
    holds(&send(""));
    fails(&send("x == 7;"));
}

#[test]
fn who_waits_for_a_rendezvous_in_an_atomic_sequence_is_seen() {
    // Claims and formulas did not see these states where a sender was ready: nothing else can happen there, but the
    // sender's step is one that the receiver has to wait for.
    let text = |formula: &str| {
        format!(
            "{Z}active proctype P() {{ byte y; atomic {{ x = 1; z?y; x = 0 }} }} active proctype Q() {{ z!1 }} {formula}"
        )
    };
    assert_eq!(violation(&text("ltl p { [] (x == 0) }"), "p"), Some(1));
    assert_eq!(violation(&text("never { do :: x == 1 -> break :: else od }"), "never"), Some(1));
    assert!(possible(&text(""), "x == 1"));
    // By way of a variable.
    let any = text("ltl p { [] (x == 0) }").replace("byte y;", "byte y; chan c = z; c = z;");
    assert_eq!(violation(&any.replace("z?y", "c?y"), "p"), Some(2));
    // The other end of it goes on.
    let sends = format!(
        "{Z}active proctype P() {{ atomic {{ x = 1; z!1; x = 0 }} }} active proctype Q() {{ byte y; z?y }} ltl p {{ [] (x == 0) }}"
    );
    let sends = violation(&sends, "p");
    assert_eq!(sends, Some(2));
    assert_eq!(errors(&text("ltl p { [] (x == 0) }")), []);
}

#[test]
fn there_is_nothing_to_sort_or_to_search() {
    // These were a fault of ours (E0990).
    let text = |send: &str, receive: &str| {
        format!("active proctype A() {{ z{send}3 }} active proctype B() {{ z{receive}x; assert(x != 3) }}")
    };
    fails(&text("!!", "?"));
    fails(&text("!", "??"));
    fails("active proctype A() { z!3 } active proctype B() { z??3; assert(false) }");
    holds("active proctype A() { z!3 } active proctype B() { z??2; assert(false) }");
    for keeps in ["z?<x>", "z??<x>"] {
        let found = errors(&format!("{Z}active proctype A() {{ z!3 }} active proctype B() {{ {keeps} }}"));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].0 == "E0921" && found[0].1.contains("rendezvous"), "{found:?}");
    }
}

#[test]
fn a_channel_without_buffer_is_neither_full_nor_polled() {
    // It was always full.
    holds("active proctype A() { x = full(z); assert(x == 0); x = nfull(z); assert(x == 1 && empty(z)) }");
    holds(
        "chan b = [1] of {byte}; chan c; active proctype A() { c = z; x = full(c); assert(x == 0 && nfull(c)); c = b;
           assert(nfull(c)); c!1; assert(full(c)); x = nfull(c); assert(x == 0) }",
    );
    let polled = format!("{Z}active proctype A() {{ z!3 }} active proctype B() {{ z?[x] }}");
    let notes = reading(&polled).notes;
    assert!(notes.len() == 1 && notes[0].message.contains("never true of a rendezvous"), "{notes:?}");
}
