//! The mutation test of the harness: each deliberate mistake must be noticed within so many random models, and none must
//! be reported where there is none. A fuzzer that cannot find known bugs says nothing when it finds no unknown ones.

use beeline_testkit::generate::Profile;
use beeline_testkit::harness::Plan;
use beeline_zones::fault::Fault;

/// Within how many timed models each fault must be noticed: ten times what the slowest takes today.
const MODELS: u64 = 5_000;

#[test]
fn every_seeded_bug_is_noticed() {
    if !cfg!(debug_assertions) {
        return; // faults exist only in builds with debug assertions
    }
    let mut missed = Vec::new();
    // Searches know nothing of safe abstraction and projection: `safe` and `projection` notice those. Estimates of
    // infinity are hardly ever wrong in models as small as these: `causal_graph.rs` of the heuristics notices that one.
    // Look-ups by inclusion only lose something, and abstract transitions and regressions are seen by estimates alone:
    // `promises.rs` notices those. Few of these searches leave labels out: `reductions.rs` has more. Those of symmetry are below.
    // Messages hardly matter to timed models.
    let elsewhere = [
        Fault::SafeUnderCommitted,
        Fault::ResetsOfRemovedDropped,
        Fault::InfinityTrusted,
        Fault::LookUpByInclusion,
        Fault::SymmetryZoneKept,
        Fault::SymmetryValuesKept,
        Fault::SymmetryGoalIgnored,
        Fault::CartesianLoopForgotten,
        Fault::CartesianResetForgotten,
        Fault::FirstMessageForgotten,
        Fault::GuardReadsForgotten,
        Fault::GoalSeedForgotten,
        Fault::ResetsCommute,
        Fault::RegressionWithoutTime,
        Fault::SplitCountsTwice,
        Fault::AtomicPutsOff,
        Fault::StuckWithToken,
        Fault::EndsOnlyWait,
        Fault::IndexBeforeStep,
        Fault::OrderOfOperands,
    ];
    for &fault in Fault::ALL.iter().filter(|fault| !elsewhere.contains(fault)) {
        let plan = Plan { fault: Some(fault), ..Plan::new(Profile::Timed, MODELS) };
        match plan.first_trouble() {
            Some((seed, trouble)) => {
                println!("{:<40} noticed at seed {seed}: {:?}", fault.name(), trouble.kind)
            }
            None => missed.push(fault.name()),
        }
    }
    assert!(missed.is_empty(), "not noticed: {}", missed.join(", "));
}

#[test]
fn a_forgotten_message_is_noticed() {
    if !cfg!(debug_assertions) {
        return;
    }
    let fault = Some(Fault::FirstMessageForgotten);
    let plan = Plan { fault, ..Plan::new(Profile::Discrete, MODELS) };
    let (seed, trouble) = plan.first_trouble().expect("noticed");
    println!("{:<40} noticed at seed {seed}: {:?}", Fault::FirstMessageForgotten.name(), trouble.kind);
}

#[test]
fn without_a_fault_there_is_nothing_to_notice() {
    for profile in [Profile::Timed, Profile::Discrete] {
        let trouble = Plan::new(profile, 150).first_trouble();
        assert!(trouble.is_none(), "{trouble:?}");
    }
}

/// Mistakes of symmetry show where there is some.
#[test]
fn mistakes_of_symmetry_are_noticed() {
    if !cfg!(debug_assertions) {
        return;
    }
    for fault in [Fault::SymmetryZoneKept, Fault::SymmetryValuesKept, Fault::SymmetryGoalIgnored] {
        let plan = Plan { fault: Some(fault), clones: true, ..Plan::new(Profile::Timed, MODELS) };
        assert!(plan.first_trouble().is_some(), "{} is not noticed", fault.name());
    }
}

#[test]
fn without_a_mistake_symmetry_changes_nothing() {
    for profile in [Profile::Timed, Profile::Discrete] {
        let trouble = Plan { clones: true, ..Plan::new(profile, 100) }.first_trouble();
        assert!(trouble.is_none(), "{trouble:?}");
    }
}
