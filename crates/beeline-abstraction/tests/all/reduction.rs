//! One small model for each thing that makes an edge impossible or a range narrower, or forbids that. Whatever is left
//! out, the answer and the shortest length must be those of the whole, the run found must replay and the proof must be
//! accepted.

use beeline_abstraction::{Exact, Reduction, Unfit};
use beeline_check::{check_certificate, replay};
use beeline_engine::{Options, explore};
use beeline_ir::Model;
use beeline_ir::limits::Limits;
use beeline_ir::network::Network;
use beeline_ir::outcome::{Finding, Outcome};
use beeline_ir::text::{ReadOptions, read};

fn network(text: &str) -> Network {
    match read(&format!("network n {text}"), ReadOptions { file: "case", record_places: false }) {
        Ok(Model::Network(network)) => network,
        other => panic!("{other:?}: {text}"),
    }
}

fn solve(network: &Network) -> Outcome {
    explore(network, &network.properties[0], &Options::default(), &mut |_| {}).expect("supported")
}

/// How many edges go, and the variables that have a narrower range, with that range.
fn left_out(text: &str) -> (usize, Vec<String>) {
    let network = network(text);
    let (model, property) = (Model::Network(network.clone()), &network.properties[0]);
    let Some(reduction) = Reduction::of(&network, property) else { return (0, Vec::new()) };
    assert_eq!(beeline_ir::wellformed::check(&Model::Network(reduction.network.clone())), [], "{text}");
    let (whole, left) = (solve(&network), solve(&reduction.network));
    match (&whole.finding, &left.finding) {
        (Finding::Unreachable, Finding::Unreachable) => {}
        (Finding::Reachable { trace: expected, .. }, Finding::Reachable { trace, shortest: true }) => {
            let trace = reduction.trace(trace).expect("its own");
            let length = |trace| replay(&model, property, trace).expect("a run").length;
            assert_eq!(length(&trace), length(expected), "{text}");
        }
        other => panic!("{other:?}: {text}"),
    }
    assert_eq!(whole.warning.is_some(), left.warning.is_some(), "{text}");
    if let Some(certificate) = &left.certificate {
        let lifted = reduction.lift(certificate).expect("its own");
        check_certificate(&model, property, &lifted, None, &Limits::default()).expect("accepted");
    }
    let narrowed = reduction.narrowed.iter().map(|id| {
        let range = reduction.network.vars[*id].range;
        format!("{} {}..{}", network.var_name(*id), range.lo, range.hi)
    });
    (reduction.edges.len(), narrowed.collect())
}

#[track_caller]
fn goes(text: &str, edges: usize, narrowed: &[&str]) {
    assert_eq!(left_out(text), (edges, narrowed.iter().map(ToString::to_string).collect()), "{text}");
}

#[test]
fn flags_that_nobody_raises() {
    // The second edge is what would raise the flag of the third.
    let text = |start: i64| {
        format!(
            "var a in 0..3 = {start} var b in 0..3
             process P {{ location l location m location far
               edge l -> m edge m -> l {{ guard a == 2 do {{ b := 1; }} }} edge l -> far {{ guard b == 1 }} }}
             property : E<> P.far"
        )
    };
    goes(&text(0), 2, &["a 0..0", "b 0..0"]);
    goes(&text(2), 0, &["a 2..2", "b 0..1"]);
}

#[test]
fn locations_that_nothing_leads_to() {
    goes(
        "var n in 0..9
         process P { location l location m location island
           edge l -> m edge island -> m { do { n := 5; } } edge island -> l { guard 1 / n == 1 } }
         property : A[] n != 5",
        2,
        &["n 0..0"],
    );
}

#[test]
fn nobody_on_the_other_side() {
    let text = |kind: &str, other: &str| {
        format!(
            "{kind} c[2] process P {{ location l location m edge l -> m {{ send c[0] }} edge m -> l }}
             process Q {{ location l location m edge l -> m {{ receive c[{other}] }} }}
             property : A[] !Q.m"
        )
    };
    goes(&text("chan", "0"), 0, &[]);
    goes(&text("chan", "1"), 3, &[]);
    // Only the edge back, from where nobody comes, goes then.
    goes(&text("urgent chan", "1"), 1, &[]);
    // A broadcast needs nobody.
    goes(&text("broadcast chan", "0"), 0, &[]);
    goes(&text("broadcast chan", "1"), 1, &[]);
}

#[test]
fn a_process_does_not_meet_itself() {
    goes(
        "chan c process P { location l location m edge l -> m { send c } edge l -> m { receive c } }
         property : A[] !P.m",
        2,
        &[],
    );
}

#[test]
fn what_may_fail_stays() {
    let text = |guard: &str, property: &str| {
        format!(
            "var zero in 0..1 chan c
             process P {{ location l location m edge l -> m {{ {guard} }} }} property : {property}"
        )
    };
    for property in ["no-runtime-error", "A[] !P.m"] {
        goes(&text("guard 1 / zero == 1", property), 0, &["zero 0..0"]);
        goes(&text("guard zero == 1 && 1 / zero == 1", property), 1, &["zero 0..0"]);
    }
    // It waits for a partner that never comes, but evaluating its index fails.
    let text = "var zero in 0..0 chan c[2]
         process P { location l edge l -> l { send c[1 / zero] } } property : no-runtime-error";
    goes(text, 0, &[]);
}

#[test]
fn counters_go_as_far_as_their_guards() {
    let text = |guard: &str| {
        format!(
            "var n in -100..30000 clock x
             process P {{ location l location m
               edge l -> l {{ {guard} do {{ n := n + 1; }} }} edge l -> m {{ when x <= n guard n > 4 }} }}
             property : E<> P.m"
        )
    };
    goes(&text("guard n < 5"), 0, &["n 0..5"]);
    goes(&text("guard n < 3"), 1, &["n 0..3"]);
    goes(&text(""), 0, &[]);
}

/// Nothing of a receiver's guard is left when its turn comes: the sender has changed it.
#[test]
fn receivers_see_what_the_sender_did() {
    goes(
        "var n in 0..9 var m in 0..9 chan c
         process P { location l location k edge l -> k { send c do { n := 7; } } }
         process Q { location l location k edge l -> k { guard n == 0 receive c do { m := n; } } }
         property : A[] m != 7",
        0,
        &["n 0..7", "m 0..7"],
    );
}

#[test]
fn stores_that_could_tell() {
    let text = |update: &str| {
        format!(
            "var n in 0..9 var a[2] in 0..9 clock x
             fn through(v in 0..9) {{ n := v; n := 0; }}
             process P {{ location l edge l -> l {{ do {{ {update} }} }} }} property : A[] n == 0 && a[0] == 0"
        )
    };
    goes(&text("n := 0;"), 0, &["n 0..0", "a 0..0"]);
    goes(&text("n := a[1]; x := 0; a[1] := 0;"), 0, &["n 0..0", "a 0..0"]);
    // A value that it has for a while, and never between labels.
    goes(&text("n := 5; n := 0;"), 0, &["a 0..0"]);
    goes(&text("call through(5);"), 0, &["a 0..0"]);
    goes(&text("if n == 0 { n := 5; } n := 0;"), 0, &["a 0..0"]);
    // A store that wraps wraps by the range.
    goes(&text("wrap n := 10;"), 0, &["a 0..0"]);
    // What fails later must not fail earlier.
    goes(&text("n := 5; a[1] := 1 / a[0];"), 0, &["a 0..0"]);
    goes(&text("a[0] := 1 / a[1];"), 0, &["n 0..0", "a 0..0"]);
}

#[test]
fn networks_of_other_kinds_stay_as_they_are() {
    let text = |more: &str| {
        format!(
            "var n in 0..9 {more} process P {{ location l location m edge l -> m {{ guard n == 1 }} }}
             property : A[] !P.m"
        )
    };
    goes(&text(""), 1, &["n 0..0"]);
    goes(&text("chan c priority 1"), 1, &["n 0..0"]);
    goes(&text("buffer c capacity 1"), 0, &[]);
    goes(&text("process Q { location l atomic location m edge l -> m }"), 0, &[]);
    goes(&text("process Q { location l edge l -> l { guard !enabled(P : #0) } }"), 0, &[]);
}

/// The kernel must be certain that something can happen, so it must know what the edge reads that is gone.
#[test]
fn proofs_about_deadlock_know_what_is_read() {
    goes(
        "var flag in -1..9 broadcast chan c priority 1
         process P { location k location l { condition false }
           edge k -> l edge l -> k { do { flag := 1; } } }
         process Q { location k location l location m { condition false }
           edge k -> l edge l -> k edge k -> m { guard flag == 2 } }
         property : E<> deadlock",
        1,
        &["flag 0..1"],
    );
}

#[test]
fn what_is_about_another_network_is_refused() {
    let network = network("var n in 0..9 process P { location l location m edge l -> m } property : E<> P.m");
    let reduction = Reduction::of(&network, &network.properties[0]).expect("n is constant");
    let whole = solve(&network);
    let Finding::Reachable { trace, .. } = whole.finding else { panic!("reachable") };
    assert_eq!(reduction.trace(&trace), Err(Unfit::Foreign));
    assert_eq!(reduction.lift(&whole.certificate.expect("of its length")), Err(Unfit::Foreign));
}
