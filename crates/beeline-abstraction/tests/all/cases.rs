//! One small model for each thing that makes a factor safe or not, and for mistakes once made. Whatever is
//! removed, the answer must be the one without removal, the run found must replay and the proof must be accepted.

use beeline_abstraction::{SafeAbstraction, Unfit};
use beeline_check::{check_certificate, replay};
use beeline_engine::{Options, explore};
use beeline_ir::Model;
use beeline_ir::limits::Limits;
use beeline_ir::network::Network;
use beeline_ir::outcome::{Finding, Outcome};
use beeline_ir::property::Property;
use beeline_ir::text::{ReadOptions, read};
use beeline_ir::trace::{Run, Time};

/// An integer that goes up and down at will.
const DRIVER: &str = "var f in 0..1
    process D { location here edge here -> here { guard f == 0 do { f := 1; } }
                              edge here -> here { guard f == 1 do { f := 0; } } }";

fn network(text: &str) -> Network {
    let model = read(&format!("network n {text}"), ReadOptions { file: "case", record_places: false });
    match model {
        Ok(Model::Network(network)) => network,
        other => panic!("{other:?}"),
    }
}

fn solve(network: &Network, property: &Property) -> Outcome {
    explore(network, property, &Options::default(), &mut |_| {}).expect("supported")
}

/// The names of the factors removed, and how many steps were put in, if the target is reachable.
fn removed(text: &str) -> (Vec<String>, Option<usize>) {
    let network = network(text);
    let (model, property) = (Model::Network(network.clone()), &network.properties[0]);
    let whole = solve(&network, property);
    let reachable = matches!(whole.finding, Finding::Reachable { .. });
    let Some(abstraction) = SafeAbstraction::of(&network, property) else {
        return (Vec::new(), reachable.then_some(0));
    };
    let names = abstraction.removed.iter().map(|factor| factor.name(&network)).collect();
    let left = solve(&abstraction.network, &abstraction.property);
    let lifted = abstraction.lift(left.certificate.as_ref().expect("a proof")).expect("its own");
    check_certificate(&model, property, &lifted, None, &Limits::default()).expect("the kernel accepts it");
    match left.finding {
        Finding::Reachable { trace, .. } => {
            assert!(reachable, "{text}");
            let concrete = abstraction.concretise(&trace).expect("its own");
            replay(&model, property, &concrete.trace).expect("a run");
            (names, Some(concrete.inserted))
        }
        Finding::Unreachable => {
            assert!(!reachable, "{text}");
            (names, None)
        }
        Finding::Unknown(reason) => panic!("{reason:?}"),
    }
}

fn safe(text: &str, names: &[&str], inserted: Option<usize>) {
    assert_eq!(removed(text), (names.iter().map(ToString::to_string).collect(), inserted), "{text}");
}

fn not_safe(text: &str) {
    let (names, _) = removed(text);
    assert!(names.is_empty(), "{names:?}: {text}");
}

#[test]
fn an_integer_that_guards_and_the_target_ask_for() {
    safe(
        &format!(
            "{DRIVER} process P {{ location a location b location c
               edge a -> b {{ guard f == 1 }} edge b -> c {{ guard f != 1 }} }}
             property : A[] !(P.c && f == 1)"
        ),
        &["f"],
        Some(3),
    );
}

#[test]
fn a_value_that_is_used_makes_one_label_for_each() {
    // Of 0..4 only the even values are reached.
    let text = |wanted: i64| {
        format!(
            "var f in 0..4 var y in 0..9
             process D {{ location here edge here -> here {{ do {{ f := (f + 4) % 6; }} }} }}
             process P {{ location a location b edge a -> b {{ select i in 0..1 do {{ y := 2 * f + i; }} }} }}
             property : E<> P.b && y == {wanted}"
        )
    };
    safe(&text(9), &["f"], Some(1));
    safe(&text(5), &["f"], Some(2));
    safe(&text(3), &["f"], None);
}

#[test]
fn an_element_of_an_array_if_indices_are_constants() {
    let text = |read: &str| {
        format!(
            "var a[2] in 0..1 var k in 0..1
             process D {{ location here edge here -> here {{ do {{ a[0] := 1 - a[0]; }} }} }}
             process P {{ location l location m edge l -> m {{ guard {read} == 1 do {{ k := 1; }} }} }}
             property : E<> P.m"
        )
    };
    safe(&text("a[0]"), &["a[0]"], Some(1));
    not_safe(&text("a[k]"));
}

#[test]
fn others_become_safe_in_turn() {
    // h copies g, g moves only where P is; P goes round.
    safe(
        "var g in 0..1 var h in 0..1
         process P { location l location m edge l -> m edge m -> l
           edge l -> l { do { g := 0; } } edge m -> m { do { g := 1; } } }
         process H { location here edge here -> here { do { h := g; } } }
         process Q { location a location b edge a -> b { guard h == 1 } }
         property : E<> Q.b && h == 0",
        &["P", "g", "h"],
        // To m, g := 1, h := g; the label; to l, g := 0, h := g.
        Some(6),
    );
}

#[test]
fn steps_are_put_in_at_the_moment_they_are_for() {
    let network = network(&format!(
        "clock x {DRIVER}
         process P {{ location a {{ invariant x <= 3 }} location b
           edge a -> b {{ guard f == 1 when x >= 3 do {{ x := 0; }} }} }}
         property : E<> P.b && x == 2 && f == 0"
    ));
    let property = &network.properties[0];
    let abstraction = SafeAbstraction::of(&network, property).expect("f");
    let Finding::Reachable { trace, .. } = solve(&abstraction.network, &abstraction.property).finding else {
        panic!("reachable")
    };
    let concrete = abstraction.concretise(&trace).expect("its own");
    let Run::Network(run) = &concrete.trace.run else { panic!("of a network") };
    let delays: Vec<Time> = run.steps.iter().map(|step| step.delay).collect();
    assert_eq!(delays, [3, 0, 2].map(Time::from_integer));
    assert_eq!(run.last_delay, Time::from_integer(0));
    replay(&Model::Network(network.clone()), property, &concrete.trace).expect("a run");
}

#[test]
fn what_is_not_about_the_abstraction_is_refused() {
    let network = network(&format!("{DRIVER} property : E<> f == 1"));
    let property = &network.properties[0];
    let abstraction = SafeAbstraction::of(&network, property).expect("f");
    let whole = solve(&network, property);
    let Finding::Reachable { trace, .. } = whole.finding else { panic!("reachable") };
    assert_eq!(abstraction.concretise(&trace), Err(Unfit::Foreign));
    assert_eq!(abstraction.lift(&whole.certificate.expect("of its length")), Err(Unfit::Foreign));
}

/// Factor n moves only while the one before is at 1 and all the ones before that are at 0, as in the Chinese rings: its
/// first move takes twice as many steps as that of the one before.
#[test]
fn runs_that_grow_without_bounds_are_given_up() {
    let rings = |count: usize| {
        let mut text: String = (0..count).map(|n| format!("var r{n} in 0..1\n")).collect();
        for n in 0..count {
            let guard = match n {
                0 => "1".to_string(),
                _ => format!("r{} == 1", n - 1),
            };
            let guard = (0..n.saturating_sub(1)).fold(guard, |guard, m| format!("{guard} && r{m} == 0"));
            text += &format!(
                "process R{n} {{ location l edge l -> l {{ guard {guard} do {{ r{n} := 1 - r{n}; }} }} }}\n"
            );
        }
        let last = count - 1;
        text + &format!(
            "process P {{ location a location b edge a -> b {{ guard r{last} == 1 }} }} property : E<> P.b"
        )
    };
    let (names, inserted) = removed(&rings(5));
    assert_eq!((names.len(), inserted), (5, Some(16)));
    let network = network(&rings(40));
    let abstraction = SafeAbstraction::of(&network, &network.properties[0]).expect("all are safe");
    assert_eq!(abstraction.removed.len(), 40);
    let Finding::Reachable { trace, .. } = solve(&abstraction.network, &abstraction.property).finding else {
        panic!("reachable")
    };
    assert_eq!(abstraction.concretise(&trace), Err(Unfit::TooLong));
}

#[test]
fn not_if_something_else_moves_with_it() {
    not_safe(
        "var f in 0..1 var g in 0..1
         process D { location here edge here -> here { do { f := 1 - f; g := f; } } }
         process P { location a location b edge a -> b { guard f == 0 && g == 1 } }
         property : E<> P.b",
    );
}

#[test]
fn not_without_a_way_back() {
    not_safe(
        "var f in 0..1
         process D { location here edge here -> here { do { f := 1; } } }
         process P { location a location b location c edge a -> b { guard f == 1 } edge b -> c { guard f == 0 } }
         property : E<> P.c",
    );
}

#[test]
fn not_if_it_has_to_move_while_somebody_is_committed() {
    not_safe(&format!(
        "{DRIVER} process P {{ location a committed location b location c
           edge a -> b {{ guard f == 0 }} edge b -> c {{ guard f == 1 }} }}
         property : E<> P.c"
    ));
    // Its partner leaves the committed location.
    not_safe(&format!(
        "chan go {DRIVER}
         process P {{ location a committed location b location c edge a -> b {{ guard f == 0 }} edge b -> c {{ send go }} }}
         process Q {{ location l location m edge l -> m {{ guard f == 1 receive go }} }}
         property : E<> P.c"
    ));
    let at_the_end = |goal: &str| {
        format!(
            "{DRIVER} process P {{ location a committed location b location c
               edge a -> b {{ guard f == 0 }} edge b -> c }}
             property : E<> {goal} && f == 1"
        )
    };
    not_safe(&at_the_end("P.b"));
    safe(&at_the_end("P.c"), &["f"], Some(1));
}

#[test]
fn not_if_others_notice_that_it_is_not_ready() {
    // Time must not pass while the urgent label is possible.
    not_safe(&format!(
        "clock x urgent chan c {DRIVER}
         process P {{ location a location b edge a -> b {{ guard f == 1 send c }} }}
         process Q {{ location l location m edge l -> l {{ receive c }} edge l -> m {{ when x >= 1 }} }}
         property : E<> Q.m && P.a"
    ));
    // The broadcast goes on without it.
    not_safe(&format!(
        "broadcast chan c {DRIVER}
         process P {{ location a location b edge a -> b {{ guard f == 1 receive c }} }}
         process Q {{ location l location m edge l -> m {{ send c }} }}
         property : E<> Q.m && P.a"
    ));
    // But its sender may ask.
    safe(
        &format!(
            "broadcast chan c {DRIVER}
             process P {{ location a location b edge a -> b {{ receive c }} }}
             process Q {{ location l location m edge l -> m {{ guard f == 1 send c }} }}
             property : E<> P.b"
        ),
        &["f"],
        Some(1),
    );
    not_safe(&format!(
        "chan c priority 1 {DRIVER}
         process P {{ location a location b edge a -> b {{ guard f == 1 send c }} edge a -> a }}
         process Q {{ location l edge l -> l {{ receive c }} }}
         property : E<> P.b"
    ));
    not_safe(&format!("{DRIVER} property : E<> deadlock || f == 1"));
}

#[test]
fn not_if_time_depends_on_it() {
    not_safe(&format!(
        "clock x {DRIVER}
         process P {{ location a {{ invariant x <= f }} location b edge a -> b {{ when x > 0 }} }}
         property : E<> P.b"
    ));
    not_safe(&format!(
        "clock x {DRIVER}
         process P {{ location a location b edge a -> b {{ when x <= f, x > 0 }} }}
         property : E<> P.b"
    ));
    not_safe(
        "clock x
         process P { location l location m { invariant x <= 1 } edge l -> m edge m -> l }
         process Q { location a location b edge a -> b { guard P.m when x > 1 } }
         property : E<> Q.b",
    );
    not_safe(
        "clock x
         process P { location l urgent location m edge l -> m edge m -> l }
         process Q { location a location b edge a -> b { guard P.l when x > 1 } }
         property : E<> Q.b",
    );
    not_safe(
        "clock x var f in 0..1
         process D { location here edge here -> here { when x >= 5 do { f := 1 - f; } } }
         process P { location a location b edge a -> b { guard f == 1 when x <= 4 } }
         property : E<> P.b",
    );
}

#[test]
fn not_if_two_parts_of_a_label_ask() {
    not_safe(&format!(
        "chan c {DRIVER}
         process P {{ location a location b edge a -> b {{ guard f == 0 send c }} }}
         process Q {{ location l location m edge l -> m {{ guard f == 1 receive c }} }}
         property : E<> P.b"
    ));
}

/// What edges that became impossible and guards that were left out read was forgotten: proofs said "any value" where
/// the kernel had to know.
#[test]
fn proofs_know_what_is_read_by_what_is_switched_off() {
    let wide = "var w in -1000000..1000000 = 5";
    safe(
        &format!(
            "{wide} {DRIVER} process P {{ location a location b edge a -> b {{ guard w != 0 && f < 0 }} }}
             property : E<> P.b"
        ),
        &["f"],
        None,
    );
    safe(
        &format!(
            "{wide} {DRIVER} process P {{ location a location b
               edge a -> b {{ guard w != 0 && f < 0 }} edge a -> a {{ do {{ w := 6; }} }} }}
             property : E<> P.b"
        ),
        &["f"],
        None,
    );
    safe(
        &format!(
            "{wide} {DRIVER} process P {{ location a location b edge a -> b {{ guard f == w }} }}
             property : E<> P.b"
        ),
        &["f"],
        None,
    );
    safe(
        &format!(
            "{wide} var f in 0..9
             process D {{ location here edge here -> here {{ guard w == 5 do {{ f := (f + w) % 10; }} }} }}
             process P {{ location a location b edge a -> b {{ guard f == 3 }} }}
             property : E<> P.b"
        ),
        &["f"],
        None,
    );
}
