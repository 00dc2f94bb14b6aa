//! Which labels there are and which may fire, rule by rule.

use crate::common;

use common::{Run, model};

#[test]
fn internal_edges_and_selects() {
    let model = model(
        "network n var x in 0..9
         process P { init a location a location b
           edge a -> b { select i in 0..1 select j in 5..6 guard i != 1 || j == 5 do { x := i + j; } }
           edge b -> a { } }",
    );
    let mut run = Run::new(&model);
    assert_eq!(run.labels(), ["P#0[0, 5]", "P#0[0, 6]", "P#0[1, 5]"]);
    run.take("P#0[0, 6]");
    assert_eq!((run.var("x"), run.labels()), (6, vec!["P#1".to_string()]));
}

#[test]
fn pairs_need_the_same_element_and_a_matching_message() {
    let model = model(
        "network n var x in 0..9 var i in 0..2 = 1 chan c[3] of (0..3, 0..1)
         process P { init a location a location b edge a -> b { send c[i](6, 0) do { x := 1; } } }
         process Q { init a location a location b
           edge a -> b { receive c[1](x, =0) do { x := x + 3; } }
           edge a -> b { receive c[1](_, =1) }
           edge a -> b { receive c[2](_, _) } }",
    );
    let mut run = Run::new(&model);
    assert_eq!(run.labels(), ["P#0+Q#0"]);
    // 6 wraps to 2 in 0..3; it is bound after the sender's update, before the receiver's.
    run.take("P#0+Q#0");
    assert_eq!(run.var("x"), 5);
}

#[test]
fn a_process_is_not_its_own_partner() {
    let model = model(
        "network n chan c
         process P { init a location a location b edge a -> b { send c() } edge a -> b { receive c() } }",
    );
    assert!(Run::new(&model).labels().is_empty());
}

const BROADCAST: &str = "network n var x in 0..99 clock t broadcast chan c
     process P { init a location a location b edge a -> b { send c() do { x := 1; } } }
     process Q { init a location a location b
       edge a -> b { when t >= 1 receive c() do { x := x * 10 + 2; } }
       edge a -> b { when t >= 2 receive c() do { x := x * 10 + 3; } } }
     process R { init a location a location b edge a -> b { receive c() do { x := x * 10 % 90 + 4; } } }";

#[test]
fn a_broadcast_takes_exactly_one_enabled_receiver_of_each_process() {
    let model = model(BROADCAST);
    let mut run = Run::new(&model);
    assert_eq!(run.labels(), ["P#0+R#0"]);
    run.wait(1, 1);
    assert_eq!(run.labels(), ["P#0+Q#0+R#0"]);
    run.wait(3, 2);
    assert_eq!(run.labels(), ["P#0+Q#0+R#0", "P#0+Q#1+R#0"]);
    run.take("P#0+Q#1+R#0");
    assert_eq!(run.var("x"), 130 % 90 + 4);
}

#[test]
fn committed_locations_come_first_and_stop_time() {
    let model = model(
        "network n chan c
         process P { init a committed location a location b edge a -> b { receive c() } }
         process Q { init a location a location b edge a -> b { } edge a -> b { send c() } }",
    );
    let mut run = Run::new(&model);
    assert_eq!(run.labels(), ["Q#1+P#0"]);
    assert!(!run.may_wait(1, 1000));
    run.take("Q#1+P#0");
    assert!(run.may_wait(1, 1000));
}

#[test]
fn urgent_locations_stop_time_only() {
    let model = model(
        "network n
         process P { init a urgent location a location b edge a -> b { } }
         process Q { init a location a location b edge a -> b { } }",
    );
    let mut run = Run::new(&model);
    assert_eq!(run.labels(), ["P#0", "Q#0"]);
    assert!(!run.may_wait(1, 2));
    run.take("P#0");
    assert!(run.may_wait(1, 2));
}

#[test]
fn an_enabled_label_over_an_urgent_channel_stops_time_whatever_else_keeps_it_from_firing() {
    let text = "network n var g in 0..1 urgent chan c clock t
         process P { init a location a location b edge a -> b { guard g == 1 send c() } }
         process Q { init a location a location b edge a -> b { receive c() } }
         process S { init a location a location b edge a -> b { do { g := 1; } } }";
    let plain = model(text);
    let mut run = Run::new(&plain);
    assert!(run.may_wait(5, 1));
    run.take("S#0");
    assert!(!run.may_wait(1, 1));
    run.take("P#0+Q#0");
    assert!(run.may_wait(1, 1));
    let prioritised = model(&text.replace("process S {", "process S priority 1 {"));
    let mut run = Run::new(&prioritised);
    assert_eq!(run.labels(), ["S#0"]);
    run.take("S#0");
    assert!(!run.may_wait(1, 1));
}

#[test]
fn a_higher_priority_counts_only_at_clock_values_where_it_is_enabled() {
    let model = model(
        "network n clock t
         process P { init a location a location b edge a -> b { } }
         process Q priority 2 { init a location a location b edge a -> b { when t > 1, t < 3 } }",
    );
    let mut run = Run::new(&model);
    assert_eq!(run.labels(), ["P#0"]);
    run.wait(1, 1);
    assert_eq!(run.labels(), ["P#0"]);
    run.wait(1, 2);
    assert_eq!(run.labels(), ["Q#0"]);
    run.wait(3, 2);
    assert_eq!(run.labels(), ["P#0"]);
}

#[test]
fn the_priority_of_the_channel_goes_before_that_of_processes() {
    let model = model(
        "network n chan c[2] priority {1, 3}
         process P priority 9 { init a location a location b edge a -> b { } edge a -> b { send c[0]() } }
         process Q { init a location a location b edge a -> b { receive c[0]() } edge a -> b { receive c[1]() } }
         process R { init a location a location b edge a -> b { send c[1]() } }",
    );
    let mut run = Run::new(&model);
    assert_eq!(run.labels(), ["R#0+Q#1"]);
    run.take("R#0+Q#1");
    assert_eq!(run.labels(), ["P#0"]);
}

#[test]
fn priorities_do_not_look_at_what_firing_leads_to() {
    let model = model(
        "network n clock t
         process P { init a location a location b edge a -> b { } }
         process Q priority 2 { init a location a location b { condition 0 } edge a -> b { } }",
    );
    assert_eq!(Run::new(&model).labels(), ["Q#0-"]);
}

#[test]
fn the_holder_of_the_token_goes_first_and_a_blocked_one_lets_others_go() {
    let model = model(
        "network n var x in 0..3
         process P { init a location a atomic location b location c
           edge a -> b { } edge b -> c { guard x > 0 do { x := 0; } } }
         process Q { init a location a location b edge a -> b { do { x := 1; } } }",
    );
    let mut run = Run::new(&model);
    assert_eq!(run.labels(), ["P#0", "Q#0"]);
    run.take("P#0");
    // Blocked: the other goes, and the token is nobody's.
    assert_eq!(run.labels(), ["Q#0"]);
    assert!(!run.may_wait(1, 1));
    run.take("Q#0");
    assert_eq!(run.state.slots.last(), Some(&0));
    let mut run = Run::new(&model);
    run.take("Q#0").take("P#0");
    assert_eq!(run.labels(), ["P#1"]);
}

#[test]
fn only_the_holder_goes_while_it_can() {
    let model = model(
        "network n
         process P { init a location a atomic location b location c edge a -> b { } edge b -> c { } }
         process Q { init a location a location b edge a -> b { } }",
    );
    let mut run = Run::new(&model);
    run.take("P#0");
    assert_eq!(run.labels(), ["P#1"]);
    run.take("P#1");
    assert_eq!(run.labels(), ["Q#0"]);
}

#[test]
fn a_higher_priority_comes_before_the_token() {
    let model = model(
        "network n var x in 0..3
         process P { init a location a atomic location b location c edge a -> b { do { x := 1; } } edge b -> c { } }
         process Q priority 2 { init a location a location b edge a -> b { guard x == 1 } }
         process R { init a location a location b edge a -> b { } }",
    );
    let mut run = Run::new(&model);
    run.take("P#0");
    assert_eq!(run.labels(), ["Q#0"]);
    // The token is gone.
    run.take("Q#0");
    assert_eq!(run.labels(), ["P#1", "R#0"]);
}

#[test]
fn a_rendezvous_hands_the_token_to_the_receiver() {
    let model = model(
        "network n chan c
         process P { init a location a atomic location b location d edge a -> b { send c() } edge b -> d { } }
         process Q { init a location a atomic location b location d edge a -> b { receive c() } edge b -> d { } }",
    );
    let mut run = Run::new(&model);
    run.take("P#0+Q#0");
    assert_eq!(run.state.slots.last(), Some(&2));
    assert_eq!(run.labels(), ["Q#1"]);
}

#[test]
fn buffers_are_first_in_first_out_and_block() {
    let model = model(
        "network n var x in 0..9 buffer q capacity 2 of (0..3)
         process P { init a location a edge a -> a { select i in 1..3 send q(i) } }
         process Q { init a location a edge a -> a { receive q(x) } edge a -> a { receive any q(=3) }
           edge a -> a { receive keep q(x) do { x := x + 5; } } }",
    );
    let mut run = Run::new(&model);
    assert_eq!(run.labels(), ["P#0[1]", "P#0[2]", "P#0[3]"]);
    run.take("P#0[1]").take("P#0[3]");
    assert_eq!(run.labels(), ["Q#0", "Q#1", "Q#2"]);
    assert!(run.is("len(q) == 2 && cap(q) == 2 && poll(receive q(=1)) && !poll(receive q(=3))"));
    assert!(run.is("poll(receive any q(=3)) && !poll(receive any q(=2))"));
    run.take("Q#2");
    assert_eq!(run.var("x"), 6);
    assert!(run.is("len(q) == 2"));
    run.take("Q#1");
    assert!(run.is("len(q) == 1 && poll(receive q(=1))"));
    run.take("Q#0");
    assert_eq!((run.var("x"), run.labels().len()), (1, 3));
    assert_eq!(run.state.slots[run.state.slots.len() - 3..], [0, 0, 0]);
}

#[test]
fn sorted_sends_keep_the_order() {
    let model = model(
        "network n buffer q capacity 4 of (0..3, 0..3)
         process P { init a location a edge a -> a { select i in 1..3 select j in 0..1 sorted send q(i, j) } }",
    );
    let mut run = Run::new(&model);
    run.take("P#0[2, 1]").take("P#0[3, 0]").take("P#0[2, 0]").take("P#0[1, 1]");
    let slots = &run.state.slots;
    assert_eq!(slots[slots.len() - 9..], [4, 1, 1, 2, 0, 2, 1, 3, 0]);
}

#[test]
fn channels_are_values() {
    let model = model(
        "network n var k in 0..9 chan c of (0..9) buffer q capacity 1 of (0..9)
         process P { var m in 0..9 init a location a location b location d
           edge a -> b { send c(chan(q)) } edge b -> d { receive q(m) } }
         process Q { init a location a location b location d
           edge a -> b { receive c(k) } edge b -> d { send *k(7) } }",
    );
    let mut run = Run::new(&model);
    run.take("P#0+Q#0");
    assert_eq!(run.var("k"), 2);
    run.take("Q#1").take("P#1");
    assert_eq!(run.var("P.m"), 7);
}

const FAMILY: &str = "network n var last in -1..9 = -1 family f
     process M { init a location a edge a -> a { select i in 0..300 guard i == 3 || i == 300
                                     do { last := start f(i); } } }
     process F1 in f { param v in 0..7 var w in 0..7 = 5 init s location s location e
       edge s -> e { do { w := v; } } edge e -> e { do { exit; } } }
     process F2 in f { param v in 0..7 init s location s edge s -> s { do { exit; } } }";

#[test]
fn processes_start_and_end_in_reverse_order() {
    let model = model(FAMILY);
    let mut run = Run::new(&model);
    assert!(run.is("processes == 1 && pid(M) == 0 && !alive(F1) && pid(F1) == -1 && !F1.s"));
    run.take("M#0[3]");
    assert!(run.is("processes == 2 && pid(F1) == 1 && alive(F1) && F1.s"));
    assert_eq!((run.var("last"), run.var("F1.v"), run.var("F1.w")), (1, 3, 5));
    run.take("M#0[300]");
    assert_eq!((run.var("last"), run.var("F2.v")), (2, 300 % 8));
    assert_eq!(
        run.labels(),
        ["M#0[3]!no free instance slot", "M#0[300]!no free instance slot", "F1#0", "F2#0"]
    );
    run.take("F1#0");
    assert_eq!(run.var("F1.w"), 3);
    assert_eq!(run.labels()[2..], ["F1#1!process ends before a younger one", "F2#0"]);
    run.take("F2#0").take("F1#1");
    assert!(run.is("processes == 1 && !alive(F1)"));
    assert_eq!((run.var("F1.v"), run.var("F1.w"), run.var("F2.v")), (0, 5, 0));
}

#[test]
fn else_and_timeout() {
    let model = model(
        "network n var x in 0..3 buffer q capacity 1 of (0..1)
         process P { init a location a location b
           edge a -> b { guard x == 1 }
           edge a -> b { receive q(_) }
           edge a -> b { guard !enabled(P : #0, #1) do { x := 3; } }
           edge b -> b { guard timeout do { x := 2; } } }
         process Q { init a location a edge a -> a { guard x == 0 && len(q) == 0 send q(1) } }",
    );
    let mut run = Run::new(&model);
    assert_eq!(run.labels(), ["P#2", "Q#0"]);
    run.take("Q#0");
    assert_eq!(run.labels(), ["P#1"]);
    run.take("P#1");
    // Q can send again: no timeout.
    assert_eq!(run.labels(), ["Q#0"]);
    run.take("Q#0");
    assert_eq!(run.labels(), ["P#3"]);
    run.take("P#3");
    assert_eq!((run.var("x"), run.labels()), (2, vec!["P#3".to_string()]));
}

#[test]
fn enabled_looks_for_partners_and_takes_errors_as_false() {
    let model = model(
        "network n var z in 0..1 var w in 0..9 chan c broadcast chan d
         process P { init a location a location b
           edge a -> b { send c() } edge a -> b { send d() } edge a -> b { receive d() }
           edge a -> b { guard 1 / z == 1 } edge a -> a { do { w := enabled(P : #0) * 4 + enabled(P : #1) * 2
              + enabled(P : #2) + enabled(P : #3) * 8; } } }
         process Q { init a location a location b edge a -> b { receive c() } }",
    );
    let mut run = Run::new(&model);
    run.take("P#4");
    assert_eq!(run.var("w"), 6);
}

/// Looking for a partner once evaluated all edges of the others, those that ask the same question included.
#[test]
fn enabled_evaluates_possible_partners_only() {
    let asks = "edge a -> b { guard !enabled(P : #0) } ".repeat(20);
    let model = model(&format!(
        "network n chan c
         process P {{ init a location a location b edge a -> b {{ send c() }} }}
         process Q {{ init a location a location b {asks} }}"
    ));
    assert_eq!(Run::new(&model).labels().len(), 20);
}

#[test]
fn an_edge_that_fails_takes_part_in_no_label_and_is_one() {
    let model = model(
        "network n var z in 0..1 chan c
         process P { init a location a location b edge a -> b { send c() } edge a -> b { guard 1 / z == 1 } }
         process Q { init a location a location b edge a -> b { guard 1 % z == 0 receive c() } }",
    );
    assert_eq!(Run::new(&model).labels(), ["P#1!division by zero", "Q#0!division by zero"]);
}

#[test]
fn failing_labels_respect_committed_locations_but_neither_token_nor_priority() {
    let model = model(
        "network n var z in 0..1
         process P priority 3 { init a location a committed location b edge a -> b { } edge b -> a { guard 1 / z == 0 } }
         process Q { init a location a edge a -> a { guard 1 / z == 0 } }",
    );
    let mut run = Run::new(&model);
    assert_eq!(run.labels(), ["P#0", "Q#0!division by zero"]);
    run.take("P#0");
    assert_eq!(run.labels(), ["P#1!division by zero"]);
}

#[test]
fn a_failing_receiver_disables_the_broadcast_it_might_belong_to() {
    let model = model(
        "network n var z in 0..1 broadcast chan c[2] broadcast chan d
         process P { init a location a edge a -> a { send c[0]() } edge a -> a { send d() } }
         process Q { init a location a edge a -> a { receive c[3 / z]() } }",
    );
    let labels = Run::new(&model).labels();
    assert_eq!(labels, ["P#1", "Q#0!division by zero"]);
}

#[test]
fn invariants_keep_labels_from_firing_and_limit_delay() {
    let model = model(
        "network n clock t, u
         process P { init a location a { invariant t <= 3 } location b { invariant t < 2, u <= 5 }
           edge a -> b { } edge b -> a { when t > 1 do { t := 0; u := t; } } }",
    );
    let mut run = Run::new(&model);
    assert!(run.may_wait(3, 1) && !run.may_wait(301, 100));
    run.wait(2, 1);
    assert_eq!(run.labels(), ["P#0-"]);
    let mut run = Run::new(&model);
    run.take("P#0");
    assert!(run.may_wait(199, 100) && !run.may_wait(2, 1));
    run.wait(1, 1);
    assert!(run.labels().is_empty());
    run.wait(1, 3).take("P#1");
    assert_eq!((run.clock(0), run.clock(1)), (0.into(), 0.into()));
}

#[test]
fn no_behaviour_if_the_invariant_fails_at_the_start() {
    for invariant in ["invariant t > 0", "condition 0", "condition 1 / 0 == 0"] {
        let text = format!("network n clock t process P {{ init a location a {{ {invariant} }} }}");
        let model = model(&text);
        let kernel = beeline_check::Kernel::new(common::network(&model), None);
        assert!(kernel.initial().is_empty(), "{invariant}");
    }
}

#[test]
fn clocks_are_set_and_copied_in_order() {
    let model = model(
        "network n clock t, u
         process P { init a location a edge a -> a { do { u := 2; t := u; u := 7; } }
           edge a -> a { do { u := t; t := 1; } } }",
    );
    let mut run = Run::new(&model);
    run.wait(5, 3);
    run.take("P#1");
    assert_eq!((run.clock(0), run.clock(1)), (1.into(), beeline_ir::trace::Time::new(5, 3)));
    run.take("P#0");
    assert_eq!((run.clock(0), run.clock(1)), (2.into(), 7.into()));
}

#[test]
fn an_observer_steps_first_and_after_every_label() {
    let model = model(
        "network n var x in 0..3
         process P { init a location a edge a -> a { guard x < 3 do { x := x + 1; } } }
         observer process C { init s location s location t location bad
           edge s -> t { } edge s -> s { guard x == 0 } edge t -> bad { guard x == 2 } edge t -> t { guard x == 1 } }",
    );
    let network = common::network(&model);
    let observer = network.processes.ids().nth(1);
    let kernel = beeline_check::Kernel::new(network, observer);
    let starts = kernel.initial();
    let edges: Vec<_> = starts.iter().map(|(_, edge)| edge.map(beeline_ir::EdgeId::index)).collect();
    assert_eq!(edges, [Some(0), Some(1)]);
    let never = common::property(&model, "never C at {bad}");
    assert_eq!(never.observer(), observer);
    let mut run = Run { network, kernel, state: starts[0].0.clone() };
    assert_eq!(run.labels(), ["P#0/3"]);
    run.take("P#0/3");
    assert!(!run.kernel.holds(&never, &run.state));
    run.take("P#0/2");
    assert!(run.kernel.holds(&never, &run.state));
    assert_eq!(run.labels(), ["P#0-"]);
    // Inactive, it does not move, and does not count.
    let mut run = Run::new(&model);
    assert!(run.is("processes == 1"));
    assert_eq!(run.labels(), ["P#0"]);
    run.take("P#0");
    assert!(run.is("C.s"));
}

#[test]
fn deadlock_looks_at_all_later_moments() {
    let text = "network n clock t, u
         process P { init a location a { invariant t <= 4 } location b { invariant u > 3 } location c
           edge a -> b { when t > 2, t < 3 do { u := t; } } edge a -> c { when t == BOUND } }";
    for (bound, dead) in [("4", false), ("5", true)] {
        let model = model(&text.replace("BOUND", bound));
        let run = Run::new(&model);
        assert_eq!(run.is("deadlock"), dead, "{bound}");
    }
    let reset = model(&text.replace("BOUND", "5").replace("u > 3", "u > 2"));
    let mut run = Run::new(&reset);
    assert!(!run.is("deadlock"));
    run.wait(299, 100);
    assert!(!run.is("deadlock"));
    run.wait(1, 100);
    assert!(run.is("deadlock"));
    // Time stands still at an urgent location.
    let urgent = model(&text.replace("BOUND", "4").replace("init a location a", "init a urgent location a"));
    assert!(Run::new(&urgent).is("deadlock"));
}

#[test]
fn a_failing_label_leads_nowhere() {
    let model = model(
        "network n var z in 0..1
         process P { init a location a edge a -> a { guard 1 / z == 1 } edge a -> a { do { z := 2; } } }",
    );
    let run = Run::new(&model);
    assert!(run.is("deadlock"));
    assert_eq!(run.labels(), ["P#1!value out of range", "P#0!division by zero"]);
}

#[test]
fn clock_atoms_in_properties() {
    let model = model("network n clock t, u process P { init a location a edge a -> a { do { u := 0; } } }");
    let mut run = Run::new(&model);
    run.wait(5, 2).take("P#0").wait(1, 2);
    for yes in [
        "t == 3",
        "t - u > 2",
        "!(t - u <= 2)",
        "u < 1 && t >= 3",
        "(0 => t < 0)",
        "exists(i in 0..3 : t == i)",
    ] {
        assert!(run.is(yes), "{yes}");
    }
    for no in ["t < 3", "t - u == 2", "(1 => t < 0)", "t >= 1 / 0", "!(t >= 1 / 0)"] {
        assert!(!run.is(no), "{no}");
    }
}
