//! What is written for TChecker, word for word; what is refused; and, where `tck-reach` is installed, its
//! verdicts.

use std::process::Command;

use beeline_ir::Model;
use beeline_ir::network::Network;
use beeline_ir::text::{self, ReadOptions};
use beeline_uppaal::{WrittenTck, write_tck};

fn network(text: &str) -> Network {
    match text::read(text, ReadOptions { file: "test", record_places: false }) {
        Ok(Model::Network(network)) => network,
        Ok(Model::Relation(_)) => panic!("not a network"),
        Err(diagnostics) => panic!("{diagnostics:?}"),
    }
}

fn written(text: &str) -> WrittenTck {
    let network = network(text);
    write_tck(&network, network.properties.first()).expect("writable")
}

fn refusal(text: &str) -> String {
    let network = network(text);
    write_tck(&network, network.properties.first()).expect_err("refused").to_string()
}

const PAIR: &str = "network pair
    var n in 0..3
    chan c[2]
    process P { clock x init a location a { invariant x <= 5 } location b
      edge a -> b { select i in 0..1 guard i == n when x >= 2, n > 0 => x < 4 send c[i] do { n := 1; x := 0; } } }
    process Q { init a location a urgent location b committed location d
      edge a -> b { receive c[n] } edge b -> d { guard n == 1 || n > 2 } edge d -> a }
    property : A[] !(P.b && (Q.b || Q.d))";

#[test]
fn pairs_and_labels() {
    let written = written(PAIR);
    assert_eq!(written.labels, ["goal0", "goal1"]);
    assert_eq!(
        written.model,
        "\
# pair, written by Beeline.
# P.x is called P_x here.
# A state of interest bears all of labels=goal0:goal1
system:m_pair
event:tau
event:c_0_send
event:c_1_send
event:c_0_receive
event:c_1_receive
process:P
process:Q
int:1:0:3:0:n
clock:1:P_x
location:P:a{initial: : invariant: P_x <= 5}
location:P:b{labels: goal0}
location:Q:a{initial:}
location:Q:b{urgent: : labels: goal1}
location:Q:d{committed: : labels: goal1}
edge:P:a:b:c_0_send{provided: 0 == n && n <= 0 && P_x >= 2 : do: n = 1; P_x = 0}
edge:P:a:b:c_0_send{provided: 0 == n && n > 0 && P_x >= 2 && P_x < 4 : do: n = 1; P_x = 0}
edge:P:a:b:c_1_send{provided: 1 == n && n <= 0 && P_x >= 2 : do: n = 1; P_x = 0}
edge:P:a:b:c_1_send{provided: 1 == n && n > 0 && P_x >= 2 && P_x < 4 : do: n = 1; P_x = 0}
edge:Q:a:b:c_0_receive{provided: n == 0}
edge:Q:a:b:c_1_receive{provided: n == 1}
edge:Q:b:d:tau{provided: (if n == 1 then 1 else (if n > 2 then 1 else 0)) != 0}
edge:Q:d:a:tau{}
sync:P@c_0_send:Q@c_0_receive
sync:P@c_1_send:Q@c_1_receive
"
    );
}

const WATCHED: &str = "network watched
    var a[2] in 0..2 = {1, 2}
    clock y
    urgent chan u
    process P { init p committed location p location q { invariant a[0] == 1 => y <= 3 }
      edge p -> q { guard a[1] == 2 send u } }
    process Q { init p location p edge p -> p { receive u do { y := 0; } } }
    property : E<> P.q && y > 2";

#[test]
fn watchers_mirrors_starts_and_the_observer() {
    let written = written(WATCHED);
    assert_eq!(written.labels, ["goal0"]);
    assert_eq!(
        written.model,
        "\
# watched, written by Beeline.
# A state of interest bears all of labels=goal0
system:m_watched
event:u_send
event:u_receive
event:step
event:see
event:see_committed
event:look
event:go
process:P
process:Q
process:watcher
process:watcher_2
process:observer
int:2:0:2:1:a
int:1:0:1:0:at_P
clock:1:y
location:P:p{committed:}
location:P:q{}
location:P:start{initial: : urgent:}
edge:P:start:p:go{do: a[0] = 1; a[1] = 2}
location:Q:p{}
location:Q:start{initial: : urgent:}
edge:Q:start:p:go
edge:P:p:q:u_send{provided: a[1] == 2 : do: at_P = 1}
edge:Q:p:p:u_receive{do: y = 0}
location:watcher:off{invariant: (if at_P != 0 then 1 else (if a[1] != 2 then 1 else 0)) != 0}
location:watcher:on{urgent: : invariant: at_P == 0 && a[1] == 2}
edge:watcher:off:off:step
edge:watcher:off:on:step
edge:watcher:on:off:step
edge:watcher:on:on:step
location:watcher:start{initial: : urgent:}
edge:watcher:start:off:go
edge:watcher:start:on:go
location:watcher_2:off{invariant: (if at_P != 1 then 1 else (if a[0] != 1 then 1 else 0)) != 0}
location:watcher_2:on{invariant: at_P == 1 && a[0] == 1 && y <= 3}
edge:watcher_2:off:off:step
edge:watcher_2:off:on:step
edge:watcher_2:on:off:step
edge:watcher_2:on:on:step
location:watcher_2:start{initial: : urgent:}
edge:watcher_2:start:off:go
edge:watcher_2:start:on:go
location:observer:watch{}
location:observer:seen{labels: goal0}
edge:observer:watch:seen:see{provided: at_P == 1 && y > 2}
edge:observer:watch:seen:see_committed{provided: at_P == 1 && y > 2}
edge:P:p:p:look
location:observer:start{initial: : urgent:}
edge:observer:start:watch:go
sync:P@u_send:Q@u_receive:watcher@step:watcher_2@step
sync:observer@see_committed:P@look
sync:P@go:Q@go:watcher@go:watcher_2@go:observer@go
"
    );
}

/// Lines of the text that begin in a way.
fn lines<'t>(text: &'t str, start: &str) -> Vec<&'t str> {
    text.lines().filter(|line| line.starts_with(start)).collect()
}

const BROADCAST: &str = "network news
    var n in 0..3
    clock y
    broadcast chan c
    process P { init a location a committed location k edge a -> k { send c } edge k -> a { send c } }
    process Q { init a location a location b edge a -> b { receive c } }
    process R { init a location a committed location k
      edge a -> k { guard n > 0 when y == 2 receive c do { n := 0; } } edge k -> a { do { n := 1; } } }
    property : E<> R.k";

#[test]
fn guarded_receivers_join_or_stay() {
    let text = written(BROADCAST).model;
    assert_eq!(
        lines(&text, "edge:R"),
        [
            "edge:R:a:a:c_receive{provided: n <= 0}",
            "edge:R:a:a:c_receive{provided: n > 0 && y < 2}",
            "edge:R:a:a:c_receive{provided: n > 0 && y > 2}",
            "edge:R:a:a:c_receive_committed{provided: n <= 0}",
            "edge:R:a:a:c_receive_committed{provided: n > 0 && y < 2}",
            "edge:R:a:a:c_receive_committed{provided: n > 0 && y > 2}",
            "edge:R:k:k:c_receive_committed{}",
            "edge:R:a:k:c_receive{provided: n > 0 && y == 2 : do: n = 0}",
            "edge:R:a:k:c_receive_committed{provided: n > 0 && y == 2 : do: n = 0}",
            "edge:R:k:a:tau{do: n = 1}",
        ]
    );
    assert_eq!(
        lines(&text, "sync"),
        [
            "sync:P@c_send:Q@c_receive?:R@c_receive",
            "sync:P@c_send_committed:Q@c_receive?:R@c_receive_committed",
        ]
    );
    assert_eq!(lines(&text, "edge:P"), ["edge:P:a:k:c_send{}", "edge:P:k:a:c_send_committed{}"]);
}

const FUNCTIONS: &str = "network work
    var a[3] in 0..5 = {3, 1, 2}
    var n in 0..9
    fn first(v in 0..5) -> 0..3 {
      local i in 0..3;
      while i < 3 { if a[i] == v { return i; } i := i + 1; }
      return 3;
    }
    fn drain(k in 0..2) -> 0..5 {
      local total in 0..5;
      while a[k] > 0 { if n > 8 { return 5; } a[k] := a[k] - 1; total := total + 1; n := n + 1; }
      return total;
    }
    process P { init l location l location b location c
      edge l -> b { guard first(2) == 2 && sum(i in 0..2 : a[i]) == 6 do { n := call drain(0); } }
      edge b -> c { guard a[0] == 0 do { n := first(1) + n; } } }
    property : E<> P.c && n == 4";

#[test]
fn functions_become_expressions_or_statements() {
    let text = written(FUNCTIONS).model;
    let edges = lines(&text, "edge:P:");
    assert_eq!(
        edges[1],
        "edge:P:l:b:tau{provided: (if a[0] == 2 then 0 else (if a[1] == 2 then 1 else \
         (if a[2] == 2 then 2 else 3))) == 2 && ((a[0] + a[1]) + a[2]) == 6 : do: \
         local total; local drain_result; local drain_done; local value; local value_2; \
         local value_3; total = 0; drain_result = 0; drain_done = 0; \
         while fault == 0 && drain_done == 0 && a[0] > 0 do \
         if n > 8 then drain_result = 5; drain_done = 1 else nop end; if drain_done == 0 then \
         value = (a[0] - 1); if value >= 0 && value <= 5 then a[0] = value else fault = 1 end; \
         value_2 = (total + 1); if value_2 >= 0 && value_2 <= 5 then total = value_2 else fault = 1 end; \
         value_3 = (n + 1); if value_3 >= 0 && value_3 <= 9 then n = value_3 else fault = 1 end \
         else nop end end; if drain_done == 0 then drain_result = total; drain_done = 1 else nop end; \
         n = drain_result; at_P = 1}"
    );
    assert_eq!(
        edges[2],
        "edge:P:b:c:tau{provided: a[0] == 0 : do: local value; value = ((if a[0] == 1 then 0 else \
         (if a[1] == 1 then 1 else (if a[2] == 1 then 2 else 3))) + n); \
         if value >= 0 && value <= 9 then n = value else fault = 1 end; at_P = 2}"
    );
    assert!(lines(&text, "location:P:b")[0].ends_with("{invariant: fault == 0}"));
    assert!(!text.contains("not checked"));
}

#[test]
fn what_is_not_checked_is_said() {
    let text = written(
        "network m var v in 0..3 fn f(i in 0..3) -> 0..3 { return i + v; }
         process P { init a location a edge a -> a { guard f(1) == 2 } }",
    )
    .model;
    let note = "# Values within expressions of the function f are not checked against their ranges.";
    assert_eq!(lines(&text, "# V"), [note]);
}

#[test]
fn an_edge_that_never_finds_a_partner_is_left_out() {
    let text = written("network m chan c process P { init a location a edge a -> a { send c } }").model;
    assert_eq!(lines(&text, "edge"), [""; 0]);
}

#[test]
fn what_has_no_form_is_named() {
    let simple = |body: &str, property: &str| {
        refusal(&format!(
            "network m var v in 0..7 process P {{ init a location a edge a -> a {{ {body} }} }} {property}"
        ))
    };
    assert_eq!(simple("guard (v & 2) != 0", ""), "process P, edge 0 (a -> a): an operation on bits");
    assert_eq!(
        simple("select i in 0..900000", ""),
        "process P, edge 0 (a -> a): too large when quantifiers, selections and functions are unfolded"
    );
    assert_eq!(simple("", "property d : E<> deadlock"), "property d: the question for a deadlock");
    assert_eq!(
        simple("", "property : no-runtime-error"),
        "property without a name: a question that is not about states"
    );
    assert_eq!(
        refusal("network m chan c priority 1 process P { init a location a }"),
        "channel c: a priority"
    );
    assert_eq!(
        refusal(
            "network m var v in 0..3 broadcast chan c[2]
             process P { init a location a edge a -> a { receive c[v] } }"
        ),
        "process P, edge 0 (a -> a): a broadcast received over an index that may be outside its array"
    );
    assert_eq!(
        refusal(
            "network m var v in 0..3 fn f() -> 0..3 { local i in 0..3; while i < v { i := i + 1; } return i; }
             process P { init a location a edge a -> a { guard f() == 2 } }"
        ),
        "process P, edge 0 (a -> a): a loop of the function f whose length depends on the state, called in an \
         expression"
    );
}

/// Nested functions that double an expression at each level stay within the budget.
#[test]
fn an_explosion_is_refused() {
    let mut text = String::from("network m var v in 0..1\nfn f0(a in 0..1) -> 0..1 { return a + v; }\n");
    for i in 1..40 {
        let last = i - 1;
        text.push_str(&format!("fn f{i}(a in 0..1) -> 0..1 {{ return f{last}(a) + f{last}(a + 1); }}\n"));
    }
    text.push_str("process P { init a location a edge a -> a { guard f39(v) == 1 } }");
    assert!(refusal(&text).ends_with("too large when quantifiers, selections and functions are unfolded"));
}

#[test]
fn tchecker_agrees() {
    let models = [
        (PAIR, true),
        (WATCHED, true),
        (BROADCAST, false),
        (FUNCTIONS, true),
        // Time stands still while the urgent channel can fire.
        (
            "network m clock x urgent chan u
             process P { init a location a location b edge a -> b { send u } }
             process Q { init a location a edge a -> a { receive u } }
             property : E<> P.a && x > 0",
            false,
        ),
        // The observer sees a committed state.
        (
            "network m var v in 0..3
             process P { init a location a committed location b edge a -> b { do { v := 2; } }
               edge b -> a { do { v := 0; } } }
             property : E<> v == 2",
            true,
        ),
        // A guarded receiver that stays in a committed location does not let others move.
        (
            "network m var v in 0..3 broadcast chan c
             process P { init a location a location b edge a -> b { send c } }
             process Q { init a committed location a location b edge a -> b { guard v == 1 receive c } }
             property : E<> P.b",
            false,
        ),
        // Unless another receiver leaves one.
        (
            "network m var v in 0..3 broadcast chan c
             process P { init a location a location b edge a -> b { send c } }
             process Q { init a committed location a location b edge a -> b { guard v == 1 receive c } }
             process R { init a committed location a location b edge a -> b { guard v == 0 receive c } }
             property : E<> P.b && Q.a && R.b",
            true,
        ),
        // A conditional invariant holds only where its condition does.
        (
            "network m var v in 0..1 clock x
             process P { init a location a { invariant v == 0 => x <= 3 } location b
               edge a -> a { guard v == 0 do { v := 1; } } edge a -> b { when x > 5 } }
             property : E<> P.b",
            true,
        ),
        // A loop that fails at every turn ends.
        (
            "network m var v in 0..1 = 1
             process P { init a location a location b
               edge a -> b { do { while v == 1 { v := v + 1; } } } edge a -> b { guard v == 0 } }
             property : E<> P.b",
            false,
        ),
        // An out-of-range store disables the edge.
        (
            "network m var v in 0..1
             process P { init a location a location b edge a -> b { do { v := 2; } } }
             property : E<> P.b",
            false,
        ),
    ];
    for (number, (model, reachable)) in models.iter().enumerate() {
        let written = written(model);
        let file = std::env::temp_dir().join(format!("beeline-{}-{number}.tck", std::process::id()));
        std::fs::write(&file, &written.model).expect("a temporary file");
        let run = Command::new("tck-reach")
            .args(["-a", "reach", "-l", &written.labels.join(",")])
            .arg(&file)
            .output();
        std::fs::remove_file(&file).expect("it was there");
        let Ok(output) = run else {
            println!("skipped: tck-reach is not installed");
            return;
        };
        let answer = String::from_utf8_lossy(&output.stdout);
        assert!(answer.contains(&format!("REACHABLE {reachable}")), "{model}\n{answer}\n{output:?}");
    }
}
