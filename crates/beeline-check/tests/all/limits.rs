//! The kernel's own work: counted, limited, and never more memory than the limits allow.

use crate::common;

use beeline_check::{Kernel, NotAccepted, RelationKernel, check_certificate, replay_within};
use beeline_ir::certificate::{Cell, Certificate, Row};
use beeline_ir::limits::{CancelToken, Limits, StopReason};
use beeline_ir::property::Property;
use beeline_ir::trace::{NetworkRun, NetworkStep, Run, Time, Trace};
use beeline_ir::{Model, text};
use common::{model, network, property};

fn certificate(model: &Model, property: &Property, cells: Vec<Cell>) -> Certificate {
    let rows = vec![Row { level: 0, cells, zone: Vec::new() }];
    Certificate { model: model.hash(), property: text::print_property(model, property), length: None, rows }
}

fn cancelled() -> Limits {
    let cancel = CancelToken::default();
    cancel.cancel(StopReason::Interrupted);
    Limits { cancel, ..Limits::default() }
}

/// A row may say nothing of a slot with a million values: its parts are made one by one, against the budget, and those
/// that must be kept against the limit on memory.
#[test]
fn wide_slots_are_split_within_the_limits() {
    let wide = "network n var v in 0..1000000 var w in 0..1 var a[200] in 0..1
        process P { location l edge l -> l { guard v % 2 == 0 do { w := v % 2; } } }";
    let m = model(wide);
    let question = property(&m, "A[] w == 0");
    let mut cells = vec![Cell::Any; 203];
    cells[2] = Cell::Value(0);
    let good = certificate(&m, &question, cells);
    let check = |budget, limits: &Limits| check_certificate(&m, &question, &good, budget, limits);
    assert_eq!(check(Some(1000), &Limits::default()), Err(NotAccepted::BudgetExceeded));
    let limits = Limits { memory: Some(1 << 20), ..Limits::default() };
    assert_eq!(check(None, &limits), Err(NotAccepted::Stopped(StopReason::Memory)));
    assert_eq!(check(None, &cancelled()), Err(NotAccepted::Stopped(StopReason::Interrupted)));
}

/// Closing a zone takes the cube of the clocks, and so it counts.
#[test]
fn zones_of_many_clocks_count_more() {
    let steps = |clocks: usize| {
        let names: Vec<String> = (0..clocks).map(|i| format!("x{i}")).collect();
        let m = model(&format!(
            "network n clock {} process P {{ location l {{ invariant x0 <= 9 }} edge l -> l {{ when x0 >= 1 }} }}",
            names.join(", ")
        ));
        let question = property(&m, "A[] x0 <= 9");
        let good = certificate(&m, &question, vec![Cell::Value(0)]);
        check_certificate(&m, &question, &good, None, &Limits::default()).expect("closed").steps
    };
    assert!(steps(3) < 20 && steps(31) > 3 * 128, "{} {}", steps(3), steps(31));
}

/// A choice of values is tried one by one, and not at all where the value is known.
#[test]
fn wide_choices_are_not_listed() {
    let m = model("relation r state x in 0..4000000000 next x := {0..4000000000, 7, x..x + 3}");
    let Model::Relation(relation) = &m else { panic!("a relation") };
    let kernel = RelationKernel::new(relation);
    assert!(kernel.is_step(&[5], &[], &[3999999999]));
    assert_eq!(kernel.successors(&[5]), None);
    // Choices that overlap give each value once.
    let m = model("relation r state x in 0..9 next x := {3..5, 4, x, 2..4}");
    let Model::Relation(relation) = &m else { panic!("a relation") };
    let next = RelationKernel::new(relation).successors(&[4]).expect("few");
    assert_eq!(next.iter().map(|step| step.state[0]).collect::<Vec<_>>(), [2, 3, 4, 5]);
}

/// A process with many locations: a step looks at the edges that leave the one it is at. (Looking at all of them every
/// time would be ten billion looks here.)
#[test]
fn long_chains_replay() {
    let length = 100_000;
    let mut chain = String::from("network n process P { ");
    (0..=length).for_each(|i| chain += &format!("location l{i} "));
    (0..length).for_each(|i| chain += &format!("edge l{i} -> l{} {{ }} ", i + 1));
    let m = model(&(chain + "}"));
    let question = property(&m, &format!("E<> P.l{length}"));
    let kernel = Kernel::new(network(&m), None);
    let (mut state, observer_start) = kernel.initial().swap_remove(0);
    let mut run = NetworkRun { observer_start, steps: Vec::new(), last_delay: Time::from(0) };
    for _ in 0..length {
        let (label, firing) = kernel.labels(&state).swap_remove(0);
        run.steps.push(NetworkStep { delay: Time::from(0), label });
        let beeline_check::Firing::Successor { state: next, .. } = firing else { panic!("a chain") };
        state = next;
    }
    let printed = text::print_property(&m, &question);
    let trace = Trace { model: m.hash(), property: printed, run: Run::Network(run) };
    let replayed = replay_within(&m, &question, &trace, &Limits::default()).expect("a run");
    assert_eq!(replayed.length, length);
    // One that has been told to stop says so, instead of finding fault with the trace.
    let stopped = replay_within(&m, &question, &trace, &cancelled()).expect_err("stopped");
    assert_eq!(stopped.stopped, Some(StopReason::Interrupted));
}

/// A kernel that gives up in the middle of a question never takes the part it has seen for the whole.
#[test]
fn a_deadlock_that_nobody_has_looked_for_is_none() {
    let m = model("network n process P { location l edge l -> l { } }");
    let question = property(&m, "E<> deadlock");
    let run = NetworkRun { observer_start: None, steps: Vec::new(), last_delay: Time::from(0) };
    let printed = text::print_property(&m, &question);
    let trace = Trace { model: m.hash(), property: printed, run: Run::Network(run) };
    let error = replay_within(&m, &question, &trace, &Limits::default()).expect_err("no deadlock");
    assert_eq!((error.stopped, error.to_string().as_str()), (None, "the run does not end at the target"));
    let error = replay_within(&m, &question, &trace, &cancelled()).expect_err("stopped");
    assert_eq!(error.stopped, Some(StopReason::Interrupted));
}

/// Where steps are counted, rows from everywhere are looked at first; but each one is, in the end.
#[test]
fn all_of_many_rows_are_checked_within_a_budget() {
    let m = model(
        "network n var v in 0..9999 process P { location l edge l -> l { guard v < 5000 do { v := v + 1; } } }",
    );
    let question = property(&m, "A[] v <= 5000");
    let rows =
        (0..=5000).map(|v| Row { level: 0, cells: vec![Cell::Value(0), Cell::Value(v)], zone: Vec::new() });
    let good = Certificate { rows: rows.collect(), ..certificate(&m, &question, Vec::new()) };
    let check = |certificate: &Certificate, budget| {
        check_certificate(&m, &question, certificate, budget, &Limits::default())
    };
    let steps = check(&good, None).expect("closed").steps;
    let enough = steps + steps / 8;
    assert_eq!(check(&good, Some(enough)).expect("enough").steps, steps);
    assert_eq!(check(&good, Some(steps / 2)), Err(NotAccepted::BudgetExceeded));
    for missing in [1, 63, 64, 65, 2500, 5000] {
        let mut bad = good.clone();
        bad.rows.remove(missing);
        let reason = "a label leads out of the rows".to_string();
        let rejected = Err(NotAccepted::Rejected { row: Some(missing - 1), reason });
        assert_eq!(check(&bad, Some(enough)), rejected, "{missing}");
        // A third of what it takes is too little, which is noticed first, unless the row is among those looked at first.
        if missing % 64 != 1 {
            assert_eq!(check(&bad, Some(steps / 3)), Err(NotAccepted::BudgetExceeded), "{missing}");
        }
    }
}
