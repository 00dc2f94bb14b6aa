//! Replay: good traces are accepted, and every field that is tampered with is noticed. And what becomes of outcomes.

use crate::common;

use beeline_check::{Certify, Checked, Grade, InternalError, Kernel, Shortest, Verdict, replay};
use beeline_ir::certificate::{Cell, Certificate, Row};
use beeline_ir::limits::Limits;
use beeline_ir::limits::StopReason;
use beeline_ir::outcome::{Finding, Outcome, Stats};
use beeline_ir::property::Property;
use beeline_ir::trace::{NetworkRun, NetworkStep, RelationRun, RelationStep, Run, Time, Trace};
use beeline_ir::{EdgeId, Model, ProcessId, text};
use common::{model, network, property, words};

/// A trace that takes these labels after these delays.
fn trace(model: &Model, property: &Property, steps: &[(Time, &str)], last_delay: Time) -> Trace {
    let network = network(model);
    let kernel = Kernel::new(network, property.observer());
    let (mut state, observer_start) = kernel.initial().swap_remove(0);
    let mut run = NetworkRun { observer_start, steps: Vec::new(), last_delay };
    for (delay, wanted) in steps {
        state = kernel.delayed(&state, *delay);
        let mut labels = kernel.labels(&state).into_iter();
        let (label, firing) =
            labels.find(|(label, _)| words(network, label) == *wanted).expect("the label is there");
        run.steps.push(NetworkStep { delay: *delay, label });
        if let beeline_check::Firing::Successor { state: next, .. } = firing {
            state = next;
        }
    }
    let property = text::print_property(model, property);
    Trace { model: model.hash(), property, run: Run::Network(run) }
}

fn reason(model: &Model, property: &Property, trace: &Trace) -> String {
    match replay(model, property, trace) {
        Ok(replayed) => format!("ok {}", replayed.length),
        Err(error) => error.to_string(),
    }
}

const TIMED: &str = "network timed var x in 0..3 clock t chan c of (0..3)
     process P { init a location a { invariant t <= 2 } location b
       edge a -> a { select i in 0..1 when t >= 1 do { t := 0; x := i; } }
       edge a -> b { guard x == 1 when t > 1 send c(2) free } edge a -> a { do { x := 3; x := x + 1; } } }
     process Q { init a location a location b edge a -> b { receive c(x) free } }";

fn timed() -> (Model, Property, Trace) {
    let model = model(TIMED);
    let question = property(&model, "E<> P.b && x == 2 && t > 3");
    let steps = [(Time::new(3, 2), "P#0[0]"), (1.into(), "P#0[1]"), (Time::new(5, 3), "P#1+Q#0")];
    let trace = trace(&model, &question, &steps, Time::new(3, 2));
    (model, question, trace)
}

/// The kernel's check without limits of time.
fn check(
    model: &Model,
    property: &Property,
    outcome: Outcome,
    policy: Certify,
) -> Result<Checked<Outcome>, InternalError> {
    beeline_check::check(model, property, outcome, policy, &Limits::default())
}

#[test]
fn a_good_trace() {
    let (model, question, trace) = timed();
    let replayed = replay(&model, &question, &trace).unwrap();
    assert_eq!(replayed.length, 2);
    let after: Vec<usize> = replayed.states.iter().map(|passed| passed.after_steps).collect();
    assert_eq!(after, [0, 0, 1, 1, 2, 2, 3, 3]);
    assert_eq!(replayed.states[7].state.clocks, [Time::new(19, 6)]);
}

#[test]
fn every_field_counts() {
    let (model, question, good) = timed();
    let tampered = |change: &dyn Fn(&mut NetworkRun)| {
        let mut bad = good.clone();
        if let Run::Network(run) = &mut bad.run {
            change(run);
        }
        reason(&model, &question, &bad)
    };
    let nothing = "no such label may fire here";
    for (shown, expected) in [
        (tampered(&|run| run.steps[0].delay = Time::new(1, 2)), format!("step 1: {nothing}")),
        (tampered(&|run| run.steps[0].delay = 3.into()), "step 1: a delay of 3 is not allowed".into()),
        (tampered(&|run| run.steps[1].delay = (-1).into()), "step 2: the delay is no amount of time".into()),
        (
            tampered(&|run| run.steps[1].delay = Time::new_raw(1, 0)),
            "step 2: the delay is no amount of time".into(),
        ),
        (
            tampered(&|run| run.steps[1].delay = Time::new_raw(-1, -1)),
            "step 2: the delay is no amount of time".into(),
        ),
        (tampered(&|run| run.steps[1].delay = Time::new_raw(4, 4)), "ok 2".into()),
        (tampered(&|run| run.steps[2].delay = 1.into()), format!("step 3: {nothing}")),
        (tampered(&|run| run.last_delay = 1.into()), "the run does not end at the target".into()),
        (tampered(&|run| run.last_delay = (1 << 60).into()), "ok 2".into()),
        (
            tampered(&|run| run.last_delay = i64::MAX.into()),
            format!("a delay of {} is not allowed", i64::MAX),
        ),
        (tampered(&|run| run.observer_start = Some(EdgeId::new(0))), "there is no such initial state".into()),
        (tampered(&|run| run.steps[1].label.parts[0].selects = vec![0]), format!("step 3: {nothing}")),
        (tampered(&|run| run.steps[1].label.parts[0].selects = vec![2]), format!("step 2: {nothing}")),
        (tampered(&|run| run.steps[1].label.parts[0].selects.clear()), format!("step 2: {nothing}")),
        (tampered(&|run| run.steps[1].label.parts[0].edge = EdgeId::new(9)), format!("step 2: {nothing}")),
        (
            tampered(&|run| run.steps[1].label.parts[0].process = ProcessId::new(7)),
            format!("step 2: {nothing}"),
        ),
        (tampered(&|run| run.steps[1].label.parts.clear()), format!("step 2: {nothing}")),
        (tampered(&|run| run.steps[1].label.observer = Some(EdgeId::new(0))), format!("step 2: {nothing}")),
        (tampered(&|run| run.steps[2].label.parts.truncate(1)), format!("step 3: {nothing}")),
        (tampered(&|run| run.steps[2].label.parts.reverse()), format!("step 3: {nothing}")),
        (tampered(&|run| run.steps.truncate(2)), "the run does not end at the target".into()),
        (tampered(&|run| drop(run.steps.remove(1))), format!("step 2: {nothing}")),
    ] {
        assert_eq!(shown, expected);
    }
    let other = common::model(&TIMED.replace("t > 1", "t > 0"));
    let moved = Trace { model: other.hash(), ..good.clone() };
    assert_eq!(reason(&model, &question, &moved), "the trace belongs to another model");
    let renamed = Trace { property: "E<> P.b".into(), ..good.clone() };
    assert_eq!(reason(&model, &question, &renamed), "the trace is about another property");
    let relation = Run::Relation(RelationRun { initial: Vec::new(), steps: Vec::new() });
    assert_eq!(
        reason(&model, &question, &Trace { run: relation, ..good }),
        "the run is not of the model's kind"
    );
}

#[test]
fn failing_labels_end_a_trace() {
    let model = model(TIMED);
    let question = property(&model, "no-runtime-error");
    let good = trace(&model, &question, &[(1.into(), "P#0[0]"), (0.into(), "P#2")], 0.into());
    assert_eq!(reason(&model, &question, &good), "ok 2");
    let mut longer = good.clone();
    let Run::Network(run) = &mut longer.run else { panic!("a network's") };
    run.steps.push(run.steps[0].clone());
    assert_eq!(reason(&model, &question, &longer), "step 3: the run goes on after the label that fails");
    let mut later = good.clone();
    let Run::Network(run) = &mut later.run else { panic!("a network's") };
    run.last_delay = 1.into();
    assert_eq!(reason(&model, &question, &later), "the run goes on after the label that fails");
    let Run::Network(run) = &mut later.run else { panic!("a network's") };
    run.last_delay = Time::new_raw(1, 0);
    assert_eq!(reason(&model, &question, &later), "the delay is no amount of time");
    let mut shorter = good.clone();
    let Run::Network(run) = &mut shorter.run else { panic!("a network's") };
    run.steps.pop();
    assert_eq!(reason(&model, &question, &shorter), "the run does not end at the target");
    let state = property(&model, "E<> x == 0");
    let as_state = Trace { property: text::print_property(&model, &state), ..good };
    assert_eq!(reason(&model, &state, &as_state), "step 2: the label fails: value out of range");
}

#[test]
fn assertions_and_observers() {
    let asserts = model(
        "network n var x in 0..3 process P { init a location a edge a -> a { do { x := x + 1; assert x < 2; } } }",
    );
    let question = property(&asserts, "no-assertion-failure");
    let good = trace(&asserts, &question, &[(0.into(), "P#0"), (0.into(), "P#0")], 0.into());
    assert_eq!(reason(&asserts, &question, &good), "ok 2");
    let early = trace(&asserts, &question, &[(0.into(), "P#0")], 0.into());
    assert_eq!(reason(&asserts, &question, &early), "the run does not end at the target");
    let watched = model(
        "network n var x in 0..3 process P { init a location a edge a -> a { do { x := x + 1; } } }
         observer process C { init s location s location bad edge s -> s { } edge s -> bad { guard x == 1 } }",
    );
    let question = property(&watched, "never C at {bad}");
    let good = trace(&watched, &question, &[(0.into(), "P#0/1")], 0.into());
    assert_eq!(reason(&watched, &question, &good), "ok 1");
    let mut asleep = good.clone();
    let Run::Network(run) = &mut asleep.run else { panic!("a network's") };
    run.observer_start = None;
    assert_eq!(reason(&watched, &question, &asleep), "there is no such initial state");
}

#[test]
fn runs_of_relations() {
    let model = model("relation r state x in 0..3 input i in 0..1 next x := x + i * 2");
    let question = property(&model, "E<> x == 3");
    let step =
        |inputs: &[i64], state: &[i64]| RelationStep { inputs: inputs.to_vec(), state: state.to_vec() };
    let shown = |initial: &[i64], steps: Vec<RelationStep>| {
        let run = Run::Relation(RelationRun { initial: initial.to_vec(), steps });
        let property = text::print_property(&model, &question);
        reason(&model, &question, &Trace { model: model.hash(), property, run })
    };
    assert_eq!(shown(&[1], vec![step(&[0], &[1]), step(&[1], &[3])]), "ok 2");
    assert_eq!(shown(&[1], vec![step(&[0], &[3])]), "step 1: there is no such step");
    assert_eq!(shown(&[1], vec![step(&[2], &[3])]), "step 1: there is no such step");
    assert_eq!(shown(&[1], vec![step(&[], &[3])]), "step 1: there is no such step");
    assert_eq!(shown(&[1], vec![step(&[1], &[3, 3])]), "step 1: there is no such step");
    assert_eq!(shown(&[1], vec![step(&[1], &[5])]), "step 1: there is no such step");
    assert_eq!(shown(&[4], vec![]), "the run does not start in an initial state");
    assert_eq!(shown(&[], vec![]), "the run does not start in an initial state");
    assert_eq!(shown(&[2], vec![]), "the run does not end at the target");
}

const STEPS: &str =
    "network n var x in 0..3 process P { init a location a edge a -> a { guard x < 2 do { x := x + 1; } } }";

fn outcome(finding: Finding, lower_bound: u32, certificate: Option<Certificate>) -> Outcome {
    let no_certificate = certificate.is_none().then(|| "too lazy".to_string());
    Outcome {
        also: Vec::new(),
        finding,
        lower_bound,
        certificate,
        no_certificate,
        second_engine: None,
        vacuous: false,
        warning: None,
        remarks: Vec::new(),
        stats: Stats::default(),
    }
}

fn levels(model: &Model, question: &Property, length: Option<u32>, rows: &[(u32, i64)]) -> Certificate {
    let row = |(level, x): &(u32, i64)| Row {
        level: *level,
        cells: vec![Cell::Value(0), Cell::Value(*x)],
        zone: Vec::new(),
    };
    let property = text::print_property(model, question);
    Certificate { model: model.hash(), property, length, rows: rows.iter().map(row).collect() }
}

#[test]
fn reachable_outcomes() {
    let model = model(STEPS);
    let question = property(&model, "A[] x < 2");
    let two = trace(&model, &question, &[(0.into(), "P#0"), (0.into(), "P#0")], 0.into());
    let reachable = |shortest| Finding::Reachable { trace: two.clone(), shortest };
    let proof = levels(&model, &question, Some(2), &[(0, 0), (1, 1)]);
    let checked =
        check(&model, &question, outcome(reachable(true), 2, Some(proof.clone())), Certify::Auto).unwrap();
    assert_eq!((checked.verdict(), checked.grade()), (Verdict::Violated, Grade::Kernel));
    assert_eq!((checked.shortest(), checked.note()), (Some(Shortest::Certified), None));
    assert_eq!(checked.replayed().map(|r| r.length), Some(2));
    let unchecked =
        check(&model, &question, outcome(reachable(true), 2, Some(proof.clone())), Certify::Never).unwrap();
    assert_eq!((unchecked.shortest(), unchecked.grade()), (Some(Shortest::BySearch), Grade::None));
    assert!(unchecked.note().is_some());
    let any = check(&model, &question, outcome(reachable(false), 0, None), Certify::Always).unwrap();
    assert_eq!((any.shortest(), any.note()), (Some(Shortest::No), Some("too lazy")));
    // Contradictions.
    let short = trace(&model, &question, &[(0.into(), "P#0")], 0.into());
    let finding = Finding::Reachable { trace: short, shortest: true };
    assert!(check(&model, &question, outcome(finding, 1, None), Certify::Auto).is_err());
    assert!(check(&model, &question, outcome(reachable(true), 3, None), Certify::Auto).is_err());
    let wrong = levels(&model, &question, Some(2), &[(0, 0)]);
    assert!(check(&model, &question, outcome(reachable(true), 2, Some(wrong)), Certify::Auto).is_err());
    let other = levels(&model, &question, Some(1), &[(0, 0)]);
    assert!(check(&model, &question, outcome(reachable(true), 2, Some(other)), Certify::Auto).is_err());
}

#[test]
fn unreachable_and_unknown_outcomes() {
    let model = model(STEPS);
    let question = property(&model, "E<> x == 3");
    let proof = levels(&model, &question, None, &[(0, 0), (0, 1), (0, 2)]);
    let finding = || Finding::Unreachable;
    let checked =
        check(&model, &question, outcome(finding(), 0, Some(proof.clone())), Certify::Always).unwrap();
    assert_eq!(
        (checked.verdict(), checked.grade(), checked.shortest()),
        (Verdict::Violated, Grade::Kernel, None)
    );
    let always = property(&model, "A[] x < 3");
    let proof = levels(&model, &always, None, &[(0, 0), (0, 1), (0, 2)]);
    let checked = check(&model, &always, outcome(finding(), 0, Some(proof.clone())), Certify::Auto).unwrap();
    assert_eq!((checked.verdict(), checked.grade()), (Verdict::Holds, Grade::Kernel));
    let uncertified = check(&model, &always, outcome(finding(), 0, None), Certify::Auto).unwrap();
    assert_eq!((uncertified.grade(), uncertified.note()), (Grade::None, Some("too lazy")));
    let bad = Certificate { rows: proof.rows[..2].to_vec(), ..proof };
    assert!(check(&model, &always, outcome(finding(), 0, Some(bad)), Certify::Auto).is_err());
    let unknown = Finding::Unknown(StopReason::Time);
    let checked = check(&model, &always, outcome(unknown, 1, None), Certify::Auto).unwrap();
    assert_eq!((checked.verdict(), checked.grade()), (Verdict::Unknown, Grade::None));
}
