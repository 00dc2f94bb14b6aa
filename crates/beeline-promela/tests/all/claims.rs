//! What formulas, claims and predicates see of a model, as in Spin 6.5.2.

use crate::support;

use beeline_ir::property::PropertyKind;
use beeline_ir::stmt::{Place, Stmt};
use support::{possible, reading, violation};

#[test]
fn formulas_about_all_states() {
    let text = |f: &str| format!("byte x; active proctype P() {{ x = 1; x = 2; x = 0 }} ltl p {{ {f} }}");
    assert_eq!(violation(&text("[] (x < 2)"), "p"), Some(2));
    assert_eq!(violation(&text("[] x < 3"), "p"), None);
    assert_eq!(violation(&text("!<> (x == 1)"), "p"), Some(1));
    assert_eq!(
        violation(&text("[] (x == 2 -> P@q) && always true").replace("x = 2", "x = 2; q: skip"), "p"),
        Some(3)
    );
    // What atomic sequences go through is seen by nobody.
    assert_eq!(
        violation("byte x; active proctype P() { atomic { x = 1; x = 0 } } ltl p { [] (x == 0) }", "p"),
        None
    );
    assert_eq!(
        violation(
            "byte x, y; active proctype P() { atomic { x = 1; y == 1; x = 0 } } ltl p { [] (x == 0) }",
            "p"
        ),
        Some(1)
    );
}

#[test]
fn formulas_that_finitely_many_steps_violate() {
    // x goes through 0, 1, 2, 0 and stays there.
    let text = |f: &str| format!("byte x; active proctype P() {{ x = 1; x = 2; x = 0 }} ltl p {{ {f} }}");
    let after = |f: &str| violation(&text(f), "p");
    // Now.
    assert_eq!(after("x == 0"), None);
    assert_eq!(after("x == 1"), Some(0));
    // Up to something, and for ever if that does not come.
    assert_eq!(after("x < 2 W x == 2"), None);
    assert_eq!(after("x == 0 W x == 2"), Some(1));
    assert_eq!(after("x < 3 W x == 7"), None);
    assert_eq!(after("x < 2 W x == 7"), Some(2));
    assert_eq!(after("x == 1 W x == 0"), None);
    assert_eq!(after("!(x == 2) W x == 1"), None);
    assert_eq!(after("!(x == 1) W x == 2"), Some(1));
    // The second up to and with the first.
    assert_eq!(after("x == 1 V x < 2"), None);
    assert_eq!(after("x == 2 V x < 2"), Some(2));
    assert_eq!(after("x == 7 V x < 3"), None);
    // Whenever one, then the other from there on.
    assert_eq!(after("[] (x == 2 -> [] x != 1)"), None);
    assert_eq!(after("[] (x == 1 -> [] x != 0)"), Some(3));
    assert_eq!(after("[] (x == 1 -> (x > 0 W x == 2))"), None);
    assert_eq!(after("[] (x == 1 -> (x == 1 W x == 0))"), Some(2));
    assert_eq!(after("[] (x == 0 -> (x == 0 W x == 1))"), None);
    assert_eq!(after("!(x == 0 U (x == 1 && (x > 0 U x == 2)))"), Some(2));
    assert_eq!(after("!<> (x == 2 && <> x == 1)"), None);
    assert_eq!(after("!<> (x == 2 && <> x == 0)"), Some(3));
    // One of both for ever; both; neither.
    assert_eq!(after("[] x < 2 || [] x != 1"), Some(2));
    assert_eq!(after("[] x < 2 || [] x < 3"), None);
    assert_eq!(after("(x == 0 W x == 1) && [] x < 2"), Some(2));
    // The model may go on for ever, or stop on the way.
    let text = |f: &str| {
        format!("byte x; active proctype P() {{ do :: x = 1 - x :: x == 1 -> break od }} ltl p {{ {f} }}")
    };
    assert_eq!(violation(&text("x == 0 W x == 1"), "p"), None);
    assert_eq!(violation(&text("[] (x == 1 -> (x == 1 W x == 2))"), "p"), Some(2));
    // What atomic sequences go through is seen by nobody.
    let atomic =
        |f: &str| format!("byte x; active proctype P() {{ atomic {{ x = 1; x = 2 }} }} ltl p {{ {f} }}");
    assert_eq!(violation(&atomic("x == 0 W x == 2"), "p"), None);
    assert_eq!(violation(&atomic("x == 0 W x == 1"), "p"), Some(2));
    // Not about safety.
    for formula in [
        "<> x == 1",
        "[] <> x == 0",
        "x == 0 U x == 1",
        "X x == 1",
        "[] (x == 1 -> <> x == 2)",
        "x == 0 <-> [] x < 2",
    ] {
        let reading = reading(&format!("byte x; active proctype P() {{ x = 1 }} ltl p {{ {formula} }}"));
        let property = reading.network.properties.iter().find(|p| p.name.as_deref() == Some("p")).unwrap();
        assert!(
            matches!(&property.kind, PropertyKind::Refused(refusal) if refusal.reason.contains("infinite runs")),
            "{formula}"
        );
    }
}

#[test]
fn claims_watch() {
    let text =
        |claim: &str| format!("byte x; active proctype P() {{ x = 1; x = 2; x = 3 }} never {{ {claim} }}");
    assert_eq!(violation(&text("do :: x == 2 -> break :: else od"), "never"), Some(2));
    assert_eq!(violation(&text("do :: x == 7 -> break :: else od"), "never"), None);
    assert_eq!(violation(&text("do :: assert(x < 3) od"), "never"), Some(3));
    assert_eq!(violation(&text("do :: atomic { x == 2 -> assert(false) } :: true od"), "never"), Some(2));
    // Where the model has stopped, it goes on by itself.
    assert_eq!(violation(&text("x == 0; x == 1; x == 2; x == 3; true; true; true"), "never"), Some(3));
    assert_eq!(violation(&text("x == 0; x == 1; x == 2; x == 3; true; x == 2"), "never"), None);
    assert_eq!(violation(&text("true; true; true; true; true; true; assert(x != 3)"), "never"), Some(3));
    // It cannot wait: where none of its conditions holds, the run does not count.
    assert_eq!(violation(&text("x == 0; x == 1; x == 3"), "never"), None);
    assert_eq!(violation(&text("x == 0; x == 1; x == 2"), "never"), Some(2));
    // What atomic sequences go through is seen by nobody.
    let hidden =
        "byte x; active proctype P() { atomic { x = 1; x = 0 } } never { do :: x == 1 -> break :: else od }";
    assert_eq!(violation(hidden, "never"), None);
}

#[test]
fn a_claim_is_no_process() {
    // How the reference manual waits for a child to end. Spin's verifier counts the claim, but not in `_pid`, so there the
    // parent waits for ever: a mistake of Spin's.
    let text = "byte x; proctype C() { skip } init { run C(); _nr_pr == _pid + 1; x = 1 }";
    let claimed = format!("{text} never {{ do :: x == 1 -> break :: else od }}");
    assert_eq!(violation(&claimed, "never"), Some(4));
    assert_eq!(reading(&claimed).notes.iter().filter(|note| note.message.contains("_nr_pr")).count(), 1);
    assert_eq!(reading(text).notes, []);
    assert_eq!(violation(&format!("{text} ltl p {{ [] (x == 0) }}"), "p"), Some(4));
}

#[test]
fn the_token_is_noted_where_it_matters() {
    let writers = |text: &str| {
        let network = reading(text).network;
        let holder = network.vars.enumerate().find(|(_, var)| var.name == "_holder").map(|(id, _)| id);
        let writes =
            |s: &Stmt| matches!(s, Stmt::Assign(to, _) if Some(&to.place) == holder.map(Place::Var).as_ref());
        let edges = network.processes.iter().flat_map(|process| process.edges.iter());
        edges.filter(|edge| edge.update.iter().any(writes)).count()
    };
    // Into the sequence, on, and out of it.
    assert_eq!(
        writers(
            "byte x; active proctype P() { atomic { x = 1; x = 2; x = 3 }; x = 4 } active proctype Q() { x = 5 }"
        ),
        3
    );
    // Who waits inside may lose it: the statement and the end of the other write it, too.
    assert_eq!(
        writers(
            "byte x; active proctype P() { atomic { x = 1; x == 5; x = 3 }; x = 4 } active proctype Q() { x = 5 }"
        ),
        5
    );
    assert_eq!(writers("byte x; active proctype P() { x = 4 }"), 0);
    // It is lost: `x == 1` is seen where the holder waits, though it could go on afterwards.
    let text = "byte x, y; active proctype P() { atomic { x = 1; y == 1; x = 2; x = 3 } } active proctype Q() { x == 1; y = 1 }";
    assert!(possible(text, "x == 1 && y == 1") && !possible(text, "x == 2"));
}

#[test]
fn claims_have_variables() {
    let text =
        |claim: &str| format!("byte x; active proctype P() {{ x = 1; x = 2; x = 3 }} never {{ {claim} }}");
    assert_eq!(violation(&text("byte n; do :: n < 2 -> n++ :: n == 2 -> break od"), "never"), Some(3));
    // The claim has more steps than the model, which ends.
    assert_eq!(violation(&text("byte n; do :: n < 3 -> n++ :: n == 3 -> break od"), "never"), Some(3));
    // What it has seen: a 1 and later a 3.
    let seen = "bool seen; do :: atomic { x == 1 -> seen = true } :: x == Y && seen -> break :: else od";
    assert_eq!(violation(&text(&seen.replace('Y', "3")), "never"), Some(3));
    assert_eq!(violation(&text(&seen.replace('Y', "0")), "never"), None);
    let text = |claim: &str| {
        format!("byte x; active proctype P() {{ x = 1; x = 1; x = 7; x = 7 }} never {{ {claim} }}")
    };
    // The value before, of three bits.
    let before =
        "unsigned old : 3; do :: atomic { x == old + D -> break } :: atomic { else -> old = x + 8 } od";
    assert_eq!(violation(&text(&before.replace('D', "1")), "never"), Some(1));
    assert_eq!(violation(&text(&before.replace('D', "6")), "never"), Some(3));
    assert_eq!(violation(&text(&before.replace('D', "5")), "never"), None);
    assert_eq!(violation(&text(&before.replace("x == old + D", "old == 1 && x == 7")), "never"), Some(3));
}

#[test]
fn predicates_see_remote_places_and_variables() {
    let text = "byte x; active [2] proctype P() { byte v; v = _pid + 1; CS: x++; skip } ";
    assert!(possible(text, "P[0]@CS && P[1]@CS"));
    assert!(possible(text, "P[1]:v == 2"));
    assert!(!possible(text, "P[0]:v == 2"));
    let symbols = reading(text).symbols;
    assert!(symbols.formula("P[2]@CS").is_err_and(|errors| errors[0].message.contains("never a process")));
    assert!(possible("proctype W(byte n) { L: skip } init { run W(3) }", "W[1]@L && W[1]:n == 3"));
}
