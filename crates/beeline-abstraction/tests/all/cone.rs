//! One small model for each thing that puts a factor inside or outside of the cone of influence. Whatever is left
//! out, the answer and the shortest length must be those of the whole, the run found must replay and the proof, of
//! unreachability or of the length, must be accepted.

use beeline_abstraction::{Cone, Exact, Unfit};
use beeline_check::{check_certificate, replay};
use beeline_engine::{Options, explore};
use beeline_ir::Model;
use beeline_ir::limits::Limits;
use beeline_ir::network::Network;
use beeline_ir::outcome::{Finding, Outcome};
use beeline_ir::property::Property;
use beeline_ir::text::{ReadOptions, read};

/// Goes from a to b at the moment 2, and from there to c.
const P: &str = "clock x var n in 0..3
    process P { location a { invariant x <= 2 } location b location c
      edge a -> b { when x >= 2 } edge b -> c { guard n == 0 } }";

fn network(text: &str) -> Network {
    let model = read(&format!("network n {text}"), ReadOptions { file: "case", record_places: false });
    match model {
        Ok(Model::Network(network)) => network,
        other => panic!("{other:?}: {text}"),
    }
}

fn solve(network: &Network, property: &Property) -> Outcome {
    explore(network, property, &Options::default(), &mut |_| {}).expect("supported")
}

fn cone(network: &Network) -> Option<Cone> {
    Cone::of(network, &network.properties[0])
}

/// The names of the factors left out, and the length of the shortest run, if the target is reachable.
fn left_out(text: &str) -> (Vec<String>, Option<u32>) {
    let network = network(text);
    let (model, property) = (Model::Network(network.clone()), &network.properties[0]);
    let length = |outcome: &Outcome, cone: Option<&Cone>| match &outcome.finding {
        Finding::Reachable { trace, shortest } => {
            assert!(shortest, "{text}");
            let trace = cone.map_or_else(|| trace.clone(), |cone| cone.trace(trace).expect("its own"));
            Some(replay(&model, property, &trace).expect("a run").length)
        }
        Finding::Unreachable => None,
        Finding::Unknown(reason) => panic!("{reason:?}"),
    };
    let expected = length(&solve(&network, property), None);
    let Some(cone) = cone(&network) else { return (Vec::new(), expected) };
    let left = solve(&cone.network, property);
    assert_eq!(length(&left, Some(&cone)), expected, "{text}");
    let lifted = cone.lift(left.certificate.as_ref().expect("a proof")).expect("its own");
    assert_eq!(lifted.length, expected);
    check_certificate(&model, property, &lifted, None, &Limits::default()).expect("the kernel accepts it");
    (cone.removed.iter().map(|factor| factor.name(&network)).collect(), expected)
}

#[track_caller]
fn outside(text: &str, names: &[&str], length: Option<u32>) {
    assert_eq!(left_out(text), (names.iter().map(ToString::to_string).collect(), length), "{text}");
}

#[track_caller]
fn nothing_outside(text: &str) {
    let (names, _) = left_out(text);
    assert!(names.is_empty(), "{names:?}: {text}");
}

#[test]
fn what_only_watches() {
    let text = |goal: &str| {
        format!(
            "{P} clock y var o in 0..5
             process Q {{ location l location m
               edge l -> m {{ guard P.b when x >= 1, y <= 9 do {{ o := n + 1; y := 0; }} }}
               edge m -> l {{ guard o > 0 do {{ o := o + 1; }} free }} }}
             property : E<> {goal}"
        )
    };
    outside(&text("P.c"), &["Q", "o"], Some(2));
    outside(&text("P.a && x > 2"), &["Q", "o"], None);
    // What the target asks about is inside, and whatever that depends on.
    nothing_outside(&text("P.c && o == 1"));
    outside(&text("P.c && y == 1"), &[], Some(3));
}

#[test]
fn processes_that_only_meet_each_other() {
    for channel in ["chan", "broadcast chan"] {
        outside(
            &format!(
                "{P} {channel} c[2] of (0..3)
                 process Q {{ location l location m edge l -> m {{ send c[0](n) }} }}
                 process R {{ location l location m var got in 0..1 edge l -> m {{ receive c[0](got) }} }}
                 property : A[] !P.c"
            ),
            &["Q", "R", "R.got"],
            Some(2),
        );
    }
}

#[test]
fn locations_without_a_way_to_them_do_not_count() {
    outside(
        &format!(
            "{P} process Q {{ location l location m committed location never
               edge l -> m edge m -> l edge never -> l {{ do {{ n := 1; }} }} }}
             property : E<> P.a && x > 2 || n == 1"
        ),
        &["Q"],
        None,
    );
}

#[test]
fn a_clock_that_only_others_test() {
    outside(
        "clock x clock y
         process P { location a { invariant x <= 2 } location b edge a -> a { when x >= 2 do { x := 0; y := 0; } }
           edge a -> b { when x == 1 } }
         process Q { location l location m edge l -> m { when y >= 4 } edge m -> l { do { y := 0; } } }
         property : E<> P.b",
        &["Q"],
        Some(1),
    );
}

#[test]
fn not_what_changes_what_others_read() {
    let text = |update: &str| {
        format!(
            "{P} process Q {{ location l location m edge l -> m {{ do {{ {update} }} }} }} property : E<> P.c"
        )
    };
    nothing_outside(&text("n := 1;"));
    nothing_outside(&text("x := 0;"));
    // What a label of the cone changes is inside, even if nobody reads it.
    nothing_outside(
        "var o in 0..1
         process P { location a location b edge a -> b { do { o := 0; } } }
         process Q { location l edge l -> l { do { o := 1; } } }
         property : E<> P.b",
    );
}

#[test]
fn not_the_other_side_of_a_label() {
    let text = |channel: &str, theirs: &str, ours: &str| {
        format!(
            "{channel} process P {{ location a location b edge a -> b {{ {theirs} }} }}
             process Q {{ location l location m edge l -> m edge m -> l {{ {ours} }} }}
             property : E<> P.b"
        )
    };
    outside(&text("chan c", "", ""), &["Q"], Some(1));
    for channel in ["chan c", "broadcast chan c"] {
        nothing_outside(&text(channel, "send c", "receive c"));
        nothing_outside(&text(channel, "receive c", "send c"));
    }
}

/// A receiver that fails holds up broadcasts over all the channels of its array.
#[test]
fn not_a_receiver_that_may_fail() {
    nothing_outside(
        "broadcast chan c[2] var zero in 0..0
         process P { location a location b edge a -> b { send c[0] } }
         process Q { location l location m
           edge l -> m edge l -> l { receive c[1 / zero] } edge m -> m { receive c[1] } }
         property : E<> P.b",
    );
    nothing_outside(
        "broadcast chan c[2] var z in 0..1
         process P { location a location b edge a -> b { send c[0] } }
         process Q { location l location m
           edge l -> m { do { z := 1; } } edge l -> l { guard 1 / z == 1 receive c[1] } }
         property : E<> P.b",
    );
}

#[test]
fn not_where_it_has_a_say_in_time() {
    let text = |m: &str| {
        format!(
            "{P} clock y process Q {{ location l {m} edge l -> m edge m -> l }}
             property : E<> P.c"
        )
    };
    outside(&text("location m"), &["Q"], Some(2));
    nothing_outside(&text("urgent location m"));
    nothing_outside(&text("committed location m"));
    nothing_outside(&text("location m { invariant y <= 1 }"));
    nothing_outside(&text("location m { condition P.a }"));
    // Invariants of others, and the clocks of these.
    nothing_outside(
        "var o in 0..1
         process P { location a location b { condition o == 1 } edge a -> b }
         process Q { location l edge l -> l { do { o := 1; } } }
         property : E<> P.b",
    );
    nothing_outside(
        "clock x
         process P { location a { invariant x <= 1 } location b edge a -> b }
         process Q { location l location m edge l -> m { do { x := 0; } } }
         property : E<> P.b",
    );
}

#[test]
fn not_over_urgent_channels() {
    let text = |urgent: &str| {
        format!(
            "clock x {urgent} chan c
             process P {{ location a location b edge a -> b {{ when x >= 1 }} }}
             process Q {{ location l location m edge l -> m {{ send c }} }}
             process R {{ location l edge l -> l {{ receive c }} }}
             property : E<> P.b"
        )
    };
    outside(&text(""), &["Q"], Some(1));
    // Before time passes, Q has to go.
    outside(&text("urgent"), &[], Some(2));
}

#[test]
fn not_in_networks_where_everybody_may_have_a_say() {
    let beside = "process Q { location l location m edge l -> m edge m -> l }";
    outside(&format!("{P} {beside} property : E<> P.c"), &["Q"], Some(2));
    nothing_outside(&format!("{P} chan c priority 1 {beside} property : E<> P.c"));
    nothing_outside(&format!(
        "{P} process Q priority 1 {{ location l location m edge l -> m }} property : E<> P.c"
    ));
    nothing_outside(&format!(
        "{P} process Q {{ location l atomic location m edge l -> m edge m -> l }} property : E<> P.c"
    ));
    nothing_outside(&format!(
        "{P} {beside} process R {{ location l edge l -> l {{ guard !enabled(Q : #0) }} }} property : E<> P.c"
    ));
    nothing_outside(&format!("{P} {beside} property : E<> P.c || deadlock"));
    nothing_outside(&format!("{P} {beside} property : no-runtime-error"));
}

/// A proof would have to leave open what the kernel would have to go through, value by value.
#[test]
fn not_with_too_many_values() {
    let text = |most: i64| {
        format!(
            "{P} var o in 0..{most}
             process Q {{ location l edge l -> l {{ guard o < 9 do {{ o := o + 1; }} }} }}
             property : E<> P.c"
        )
    };
    outside(&text(4_095), &["o"], Some(2));
    nothing_outside(&text(4_096));
}

#[test]
fn what_is_not_about_the_cone_is_refused() {
    let network =
        network(&format!("{P} process Q {{ location l location m edge l -> m }} property : E<> P.c"));
    let cone = cone(&network).expect("Q");
    let whole = solve(&network, &network.properties[0]);
    let Finding::Reachable { trace, .. } = whole.finding else { panic!("reachable") };
    assert_eq!(cone.trace(&trace), Err(Unfit::Foreign));
    assert_eq!(cone.lift(&whole.certificate.expect("of its length")), Err(Unfit::Foreign));
}
