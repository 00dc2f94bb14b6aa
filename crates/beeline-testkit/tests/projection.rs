//! Projections lose no behaviour: on random models, with random patterns, whatever a network does its projection does, in
//! no more steps; and a projection that loses something is noticed.

use beeline_testkit::generate::Profile;
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

#[test]
fn resets_that_are_forgotten_are_noticed() {
    if !cfg!(debug_assertions) {
        return; // faults exist only in builds with debug assertions
    }
    let plan = Plan { fault: Some(Fault::ResetsOfRemovedDropped), ..plan(Profile::Timed, 100) };
    assert!(plan.first_trouble().is_some());
}
