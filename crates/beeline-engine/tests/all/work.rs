//! Engine and kernel measure the work of an evaluation alike: for everything that can be evaluated there is a model
//! just within the limit, and the same with one iteration more. The engine searches, the kernel replays the trace or
//! checks the proof; where the two count differently the kernel contradicts.

use beeline_check::{Certify, Grade, Kernel, Verdict, check};
use beeline_engine::{Options, SearchKind, explore};
use beeline_ir::Model;
use beeline_ir::expr::MAX_ITERATIONS;
use beeline_ir::limits::{CancelToken, Limits, StopReason};
use beeline_ir::outcome::{Finding, Outcome};
use beeline_ir::text::{ReadOptions, read, read_property};

const MAX: i64 = MAX_ITERATIONS as i64;

/// A call of `spin(n)` is 1 + n units of work, and its value is 1.
const SPIN: &str = "fn spin(n in 0..2000000) -> 0..1 {
    local i in 0..2000000; while i < n { i := i + 1; } return 1; }";

fn model(text: &str) -> Model {
    read(text, ReadOptions { file: "test", record_places: false }).unwrap_or_else(|e| panic!("{e:?}\n{text}"))
}

/// What the engine claims about the property and the kernel confirms.
fn answer(text: &str, property: &str) -> (Verdict, Grade, Outcome) {
    let model = model(text);
    let property = read_property(&model, property).unwrap_or_else(|e| panic!("{e:?}\n{property}"));
    let Model::Network(network) = &model else { panic!("a network") };
    let answers = [SearchKind::Dfs, SearchKind::Bfs].map(|search| {
        let options = Options { search, ..Options::default() };
        let outcome = explore(network, &property, &options, &mut |_| {}).expect("supported");
        let checked = check(&model, &property, outcome, Certify::Always, &Limits::default());
        let checked = checked.unwrap_or_else(|e| panic!("{e}\n{text}"));
        (checked.verdict(), checked.grade(), checked.value().clone())
    });
    assert_eq!(answers[0].0, answers[1].0, "{text}");
    answers[1].clone()
}

/// With `@` replaced by `most` nothing fails at run time, and the proof is accepted; with one more something does.
fn edge_limit(text: &str, most: i64) {
    let text = format!("network n {SPIN} {text}");
    let within = answer(&text.replace('@', &most.to_string()), "no-runtime-error");
    assert_eq!((within.0, within.1), (Verdict::Holds, Grade::Kernel), "{text}");
    let beyond = answer(&text.replace('@', &(most + 1).to_string()), "no-runtime-error");
    assert_eq!((beyond.0, beyond.1), (Verdict::Violated, Grade::Kernel), "{text}");
    // For any other property a label was given up, so its absence proves nothing.
    let beyond = answer(&text.replace('@', &(most + 1).to_string()), "E<> 0");
    assert_eq!(beyond.2.finding, Finding::Unknown(StopReason::Diverges), "{text}");
}

#[test]
fn an_edge_counts_guard_message_and_clock_bounds_together() {
    edge_limit("process P { clock x location l edge l -> l { guard spin(@) } }", MAX - 1);
    edge_limit(
        "chan c of (0..1)
         process P { clock x location l
           edge l -> l { guard spin(100) when spin(30) => x >= spin(@) send c(spin(20)) } }
         process Q { location l edge l -> l { receive c(=spin(7)) } }",
        MAX - 4 - 150,
    );
    // Another edge, or another select value, is another evaluation.
    let (verdict, ..) = answer(
        &format!(
            "network n {SPIN} process P {{ location l
            edge l -> l {{ select i in 0..2 guard spin({}) }} edge l -> l {{ guard spin({}) }} }}",
            MAX - 1,
            MAX - 1
        ),
        "no-runtime-error",
    );
    assert_eq!(verdict, Verdict::Holds);
}

#[test]
fn an_update_counts_by_itself() {
    edge_limit(
        "var k in 0..1 process P { location l
           edge l -> l { guard spin(1000000) do { k := spin(70); call spin(@); } } }",
        MAX - 2 - 70,
    );
    edge_limit(
        "var a[2] in 0..1 chan c of (0..1)
         process P { location l edge l -> l { send c(1) do { a[0] := spin(1000000); } } }
         process Q { location l edge l -> l { receive c(a[spin(9)]) do { a[0] := spin(@); } } }",
        MAX - 2 - 9,
    );
}

#[test]
fn an_invariant_counts_condition_and_clock_bounds_together_per_process() {
    edge_limit(
        "process P { clock x location l
           location m { condition spin(500) invariant x <= 5 + spin(40), spin(2) => x <= spin(@) }
           edge l -> m { do { x := 0; } } }
         process Q { location m { condition spin(1000000) } }",
        MAX - 4 - 542,
    );
}

#[test]
fn what_is_asked_of_other_edges_belongs_to_the_evaluation_that_asks() {
    // Evaluating the other edge is one unit, and one more is for each of its select values.
    let other = "process Q { location l location m edge l -> l { select i in 0..1 guard spin(300) && 0 }
        edge l -> m { guard Q.m && spin(1000000) } edge l -> m { guard spin(700) && 0 } }";
    edge_limit(
        &format!(
            "process P {{ location l edge l -> l {{ guard !enabled(Q : #0, #1, #2) && spin(@) }} }} {other}"
        ),
        MAX - 1 - (2 * (1 + 301) + 1 + (1 + 701)),
    );
    // An error there is "not enabled"; what takes too long is too long for all.
    let failing = |n: i64| {
        let text = format!(
            "network n {SPIN}
            process P {{ location l edge l -> l {{ guard !enabled(Q : #0) && spin(5) }} }}
            process Q {{ location l location m edge l -> m {{ guard spin({n}) > 1 / (1 - spin(3)) }} }}"
        );
        answer(&text, "E<> 0").2.finding
    };
    assert_eq!(failing(MAX - 1 - (1 + 6 + 4)), Finding::Unreachable);
    assert_eq!(failing(MAX - (1 + 6 + 4)), Finding::Unknown(StopReason::Diverges));
    // Partners are looked for: a search, and each that names the channel, whatever its index.
    edge_limit(
        "chan c[2]
         process P { location l edge l -> l { guard !enabled(Q : #0) && spin(@) } }
         process Q { location l edge l -> l { guard spin(10) send c[0] } }
         process R { location l edge l -> l { guard spin(20) receive c[1] } }",
        MAX - 1 - (1 + 11 + 1 + 1 + 21),
    );
    // A time-out asks all edges, with every `timeout` in them false.
    edge_limit(
        "buffer q capacity 2 of (0..1)
         process P { location l edge l -> l { guard timeout && spin(@) } }
         process Q { location l edge l -> l { guard spin(10) receive q(=spin(4)) } }",
        MAX - 1 - (1 + 1 + 1 + 11 + 5 + 1),
    );
}

#[test]
fn large_bodies_frames_and_buffers_count_more() {
    // A frame of 6400 cells and a few parts: 101 units; and the one of the iteration.
    let calls = MAX / 102;
    edge_limit(
        "var k in 0..20000
         fn big() -> 0..1 { local t[6400] in 0..1; return 1; }
         process P { location l edge l -> l { do { k := 0; while k < @ { k := k + big(); } k := 0; } } }",
        calls,
    );
    // More than 64 parts in the body: two units.
    let sum = vec!["1"; 40].join(" + ");
    edge_limit(
        &format!("var k in 0..2000000
         process P {{ location l edge l -> l {{ do {{ k := 0; while k < @ {{ k := k + ({sum}) / 40; }} k := 0; }} }} }}"),
        MAX / 2,
    );
    // 640 cells of a buffer: 11 units for a look, and the one of the quantified value.
    edge_limit(
        "buffer q capacity 320 of (0..1, 0..1)
         process P { location l edge l -> l { guard !exists(i in 1..@ : poll(receive any q(=1, _))) } }",
        MAX / 12,
    );
    // Sending and receiving, too.
    edge_limit(
        "var k in 0..2000000 buffer q capacity 320 of (0..1, 0..1)
         process P { location l edge l -> l { do {
           k := 0; while k < @ { send q(1, 0); receive q(=1, _); k := k + 1; } k := 0; } } }",
        MAX / 23,
    );
}

/// With `@` replaced by `most` the predicate is true in the initial state; with one more nobody can say.
fn property_limit(property: &str, most: i64) {
    let text = format!("network n {SPIN} clock x process P {{ location l {{ invariant x <= 0 }} }}");
    let within = property.replace('@', &most.to_string());
    let (verdict, grade, _) = answer(&text, &format!("E<> {within}"));
    assert_eq!((verdict, grade), (Verdict::Holds, Grade::Kernel), "{within}");
    assert_eq!(answer(&text, &format!("A[] {within}")).1, Grade::Kernel, "{within}");
    let beyond = property.replace('@', &(most + 1).to_string());
    let outcome = answer(&text, &format!("E<> {beyond}")).2;
    assert_eq!(outcome.finding, Finding::Unknown(StopReason::PropertyFails), "{beyond}");
    let model = model(&text);
    let Model::Network(network) = &model else { panic!("a network") };
    let kernel = Kernel::new(network, None);
    let (state, _) = kernel.initial().swap_remove(0);
    let holds =
        |p: &str| kernel.holds(&read_property(&model, &format!("E<> {p}")).expect("a property"), &state);
    assert_eq!((holds(&within), holds(&beyond)), (true, false), "{property}");
}

#[test]
fn a_predicate_counts_all_its_pieces_together() {
    property_limit("spin(@)", MAX - 1);
    property_limit("spin(10) && x >= 0 && spin(20) && !(x > 5 + spin(30)) && spin(@)", MAX - 4 - 60);
    // Values of a quantifier over clocks count as they do elsewhere.
    property_limit("forall(i in 1..100 : x <= i) && spin(@)", MAX - 1 - 100);
    property_limit("exists(i in 1..50 : x <= i - 1 && i > 10 && spin(7)) && spin(@)", MAX - 1 - 11 - 8);
    property_limit(
        "forall(i in 0..1 : exists(j in 0..3 : x >= j - i && j >= i)) && spin(@)",
        MAX - 1 - 2 - 3,
    );
    // Whether a state is a deadlock is a question of its own.
    property_limit("deadlock && spin(@)", MAX - 1);
}

#[test]
fn the_work_of_a_predicate_depends_on_the_clocks() {
    // Below 1 both are called, which is too much; from 1 on only the second.
    let text = format!("network n {SPIN} clock x process P {{ location l }}");
    let n = MAX - 10;
    let predicate = format!("(x < 1 && !spin({n})) || spin({n})");
    let (verdict, _, outcome) = answer(&text, &format!("E<> {predicate}"));
    assert_eq!(verdict, Verdict::Holds);
    let Finding::Reachable { trace, .. } = outcome.finding else { panic!("reachable") };
    let beeline_ir::trace::Run::Network(run) = trace.run else { panic!("a network's") };
    assert_eq!(run.last_delay, beeline_ir::trace::Time::from(1));
    // Where it is false from 1 on, it is still unknown below.
    let (.., outcome) = answer(&text, &format!("E<> x < 1 && !spin({n}) && spin({n}) || x < 1 && spin({n})"));
    assert_eq!(outcome.finding, Finding::Unknown(StopReason::PropertyFails));
}

/// A run that has been told to stop gives no verdict, whatever there is still to check.
#[test]
fn a_replay_that_is_stopped_is_no_contradiction() {
    let model = model("network n process P { location l location m edge l -> m { } } property : E<> P.m");
    let Model::Network(network) = &model else { panic!("a network") };
    let property = &network.properties[0];
    let outcome = explore(network, property, &Options::default(), &mut |_| {}).expect("supported");
    let cancel = CancelToken::default();
    cancel.cancel(StopReason::Interrupted);
    let limits = Limits { cancel, ..Limits::default() };
    let checked = check(&model, property, outcome, Certify::Always, &limits).expect("no contradiction");
    assert_eq!(checked.verdict(), Verdict::Unknown);
    assert_eq!(checked.value().finding, Finding::Unknown(StopReason::Interrupted));
}

/// Receivers that cannot hear the broadcast in the zone at hand, or that cannot but hear it, leave nothing to choose.
#[test]
fn broadcasts_to_many_receivers_with_clocks_are_no_trouble() {
    let mut text =
        "network n broadcast chan c process S { location l location m edge l -> m { send c } }".to_string();
    for i in 0..40 {
        let when = if i % 2 == 0 { "x == 0" } else { "x >= 1" };
        text += &format!(
            " process R{i} {{ clock x location l {{ invariant x <= 0 }} location m
            edge l -> m {{ when {when} receive c }} }}"
        );
    }
    let (verdict, grade, _) = answer(&text, "E<> R0.m && R1.l && R38.m && R39.l");
    assert_eq!((verdict, grade), (Verdict::Holds, Grade::Kernel));
}
