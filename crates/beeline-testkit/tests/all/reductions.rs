//! Reductions keep verdicts, and all but ample sets lengths, on random models of all profiles; and the mistakes one would
//! make with partial-order reduction are noticed.

use beeline_testkit::generate::Profile;
use beeline_testkit::harness::{self, Plan, Subject};
use beeline_zones::fault::Fault;

fn plan(profile: Profile, seed: u64, models: u64) -> Plan {
    Plan { subject: Subject::Reductions, seed, ..Plan::new(profile, models) }
}

/// Models in which little happens but what gets in the way of something else.
fn sparse(profile: Profile, seed: u64, models: u64) -> Plan {
    Plan { sparse: true, ..plan(profile, seed, models) }
}

#[test]
fn nothing_that_gets_in_the_way_is_overlooked() {
    let mut reduced = 0;
    for profile in [Profile::Timed, Profile::Discrete, Profile::Uppaal] {
        for clones in [false, true] {
            let report = harness::run(&Plan { clones, ..sparse(profile, 1, 200) }, &|_| {});
            assert!(report.failures.is_empty(), "{}", report.failures[0]);
            reduced += report.reduced;
        }
    }
    assert!(reduced > 2_000, "little was left out: {reduced}");
}

#[test]
fn answers_do_not_depend_on_it() {
    let mut reduced = 0;
    for profile in [Profile::Timed, Profile::Discrete, Profile::Uppaal] {
        let report = harness::run(&plan(profile, 1, 150), &|_| {});
        assert!(report.failures.is_empty(), "{}", report.failures[0]);
        reduced += report.reduced;
    }
    let report = harness::run_promela(&plan(Profile::Discrete, 1, 30), &|_| {});
    assert!(report.failures.is_empty(), "{}", report.failures[0]);
    let report = harness::run_smv(&plan(Profile::Discrete, 1, 30), &|_| {});
    assert!(report.failures.is_empty(), "{}", report.failures[0]);
    assert!(reduced > 0, "nothing was left out anywhere");
    let clones = Plan { clones: true, ..plan(Profile::Discrete, 1, 100) };
    let report = harness::run(&clones, &|_| {});
    assert!(report.failures.is_empty(), "{}", report.failures[0]);
}

/// Whoever keeps others waiting was looked at alone, since they get along: a sequence that does not end, and one that is
/// begun again and again, put the others off for ever, and targets were called out of reach.
#[test]
fn nobody_waits_for_ever_for_an_atomic_sequence() {
    for seed in [930_008_299, 930_016_331, 930_025_115, 930_031_130] {
        let report = harness::run(&plan(Profile::Discrete, seed, 1), &|_| {});
        assert!(report.failures.is_empty(), "{}", report.failures[0]);
    }
}

/// A sequence that begins and then leads nowhere, where an invariant does not hold, keeps the token: all wait for ever. It was looked
/// at alone, and targets were called out of reach.
#[test]
fn nobody_is_looked_at_alone_who_may_be_stuck_with_the_token() {
    let report = harness::run(&stuck_with_the_token(), &|_| {});
    assert!(report.failures.is_empty(), "{}", report.failures[0]);
    assert_eq!(report.skipped, 0);
}

fn stuck_with_the_token() -> Plan {
    Plan { clones: true, ..plan(Profile::Discrete, 8_917_190, 1) }
}

/// A process that ends before a younger one fails. Ends were thought to wait for those of younger ones, which is as good if nobody asks,
/// and the failure was called out of reach.
#[test]
fn whoever_ends_too_soon_fails() {
    let report = harness::run(&plan(Profile::Discrete, 9_208_837, 1), &|_| {});
    assert!(report.failures.is_empty(), "{}", report.failures[0]);
    assert_eq!(report.skipped, 0);
}

/// A step of one process took the token from another that could not go on, and so let time pass: its order mattered, although
/// it has to do with no clock. A shortest run of 5 steps became one of 7.
#[test]
fn who_takes_the_token_away_lets_time_pass() {
    let report = harness::run(&plan(Profile::Timed, 51_262, 1), &|_| {});
    assert!(report.failures.is_empty(), "{}", report.failures[0]);
}

#[test]
fn its_seeded_bugs_are_noticed() {
    if !cfg!(debug_assertions) {
        return; // faults exist only in builds with debug assertions
    }
    let bugs = [
        (Fault::GuardReadsForgotten, plan(Profile::Discrete, 1, 200)),
        (Fault::GoalSeedForgotten, plan(Profile::Discrete, 1, 200)),
        (Fault::ResetsCommute, plan(Profile::Timed, 1750, 200)),
        (Fault::AtomicPutsOff, plan(Profile::Discrete, 930_016_331, 1)),
        (Fault::StuckWithToken, stuck_with_the_token()),
        (Fault::EndsOnlyWait, plan(Profile::Discrete, 9_208_837, 1)),
        (Fault::IndexBeforeStep, sparse(Profile::Discrete, 1_250, 50)),
        (Fault::OrderOfOperands, Plan { clones: true, ..sparse(Profile::Discrete, 5_000_050, 100) }),
    ];
    for (fault, plan) in bugs {
        let trouble = Plan { fault: Some(fault), ..plan }.first_trouble();
        assert!(trouble.is_some(), "{} is not noticed", fault.name());
    }
}
