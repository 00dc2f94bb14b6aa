//! Projections lose no behaviour: on random models, with random patterns, whatever a network does its projection
//! does, in no more steps; and a projection that loses something is noticed.

use beeline_abstraction::{Classes, Pattern, Projection};
use beeline_testkit::feature::Feature;
use beeline_testkit::generate::{Profile, Shape, generate};
use beeline_testkit::harness::{Plan, Subject};
use beeline_zones::fault::Fault;

fn plan(profile: Profile, models: u64) -> Plan {
    Plan { subject: Subject::Projections, ..Plan::new(profile, models) }
}

#[test]
fn projections_lose_no_behaviour() {
    for profile in [Profile::Timed, Profile::Discrete, Profile::Uppaal] {
        let trouble = plan(profile, 300).first_trouble();
        assert!(trouble.is_none(), "{profile:?}: {trouble:?}");
    }
}

/// Much of what holds others back, of what fails, and of messages.
#[test]
fn projections_lose_no_behaviour_that_others_hold_back() {
    use Feature as F;
    let often = [
        F::Committed,
        F::Broadcast,
        F::RuntimeError,
        F::Array,
        F::AnyReceive,
        F::Match,
        F::Message,
        F::Buffered,
    ];
    for profile in [Profile::Timed, Profile::Discrete] {
        let shape = often.iter().fold(Shape::new(profile), |shape, feature| shape.with(*feature, 70));
        let urgent = if profile == Profile::Timed { 30 } else { 0 };
        let shape = shape.with(F::Urgent, urgent).with(F::UrgentChannel, urgent);
        let trouble = Plan { shape, ..plan(profile, 300) }.first_trouble();
        assert!(trouble.is_none(), "{profile:?}: {trouble:?}");
    }
}

/// The comparisons are about something: most patterns are kept as they are.
#[test]
fn most_patterns_are_closed() {
    let shape = Shape::new(Profile::Timed);
    let (mut automata, mut maps) = (0, 0);
    for seed in 0..200 {
        let mut network = generate(&shape, seed);
        network.properties[0].kind = beeline_ir::property::PropertyKind::NoAssertionFailure;
        let project = |pattern: &Pattern| {
            Projection::of(&network, &network.properties[0], pattern)
                .expect("a question that can be asked")
                .pattern
        };
        let alone = Pattern { automata: network.processes.ids().take(1).collect(), ..Pattern::default() };
        automata += usize::from(project(&alone) == alone);
        let mut mapped = Pattern { integers: Default::default(), ..Pattern::all(&network) };
        let halves = network.vars.enumerate().filter(|(_, var)| var.len.is_none());
        let halves = halves.filter_map(|(id, var)| Some((id, Classes::new(var.range, |v| v % 2 == 0)?)));
        mapped.maps.extend(halves);
        maps += usize::from(!project(&mapped).maps.is_empty());
    }
    println!("{automata} automata alone, {maps} with mapped variables");
    assert!(automata >= 100 && maps >= 100, "{automata} automata alone, {maps} with mapped variables");
}

#[test]
fn resets_that_are_forgotten_are_noticed() {
    if !cfg!(debug_assertions) {
        return; // faults exist only in builds with debug assertions
    }
    let plan = Plan { fault: Some(Fault::ResetsOfRemovedDropped), ..plan(Profile::Timed, 100) };
    assert!(plan.first_trouble().is_some());
}
