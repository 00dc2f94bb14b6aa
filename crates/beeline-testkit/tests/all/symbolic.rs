//! The symbolic engine against the explicit one and the oracle, and the explicit one on relations: a few hundred models of
//! fixed seeds, and those that went wrong once. `beeline-fuzz --symbolic` runs more.

use beeline_testkit::generate::{Profile, Shape};
use beeline_testkit::harness::symbolic::closed;
use beeline_testkit::harness::{Plan, Report, Subject, run, run_smv};

fn plan(profile: Profile, seed: u64, models: u64) -> Plan {
    let shape = closed(Shape::new(profile));
    let subject = Subject::Symbolic;
    Plan { shape, subject, seed, threads: 2, shrink_attempts: 300, ..Plan::new(profile, models) }
}

fn agrees(report: &Report, searches: u64, traces: u64, certificates: u64) {
    let failures: Vec<String> = report.failures.iter().map(ToString::to_string).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    let counts = (report.searches, report.traces, report.certificates);
    assert!(counts.0 >= searches && counts.1 >= traces && counts.2 >= certificates, "{counts:?}\n{report}");
}

#[test]
fn networks_without_clocks() {
    agrees(&run(&plan(Profile::Discrete, 1, 150), &|_| {}), 250, 80, 80);
}

#[test]
fn networks_with_closed_clock_constraints() {
    agrees(&run(&plan(Profile::Timed, 1, 150), &|_| {}), 200, 100, 0);
}

#[test]
fn relations_by_both_engines() {
    agrees(&run_smv(&plan(Profile::Discrete, 1, 100), &|_| {}), 1_500, 500, 500);
}

/// Rows that the kernel could not follow: variables of many values, priorities, invariants of several states at once,
/// processes that come and go, clocks that are compared with nothing.
#[test]
fn seeds_whose_certificates_were_rejected_once() {
    for seed in [9, 62, 143, 468, 633, 840, 934, 7_305_737] {
        agrees(&run(&plan(Profile::Discrete, seed, 1), &|_| {}), 1, 0, 0);
    }
    for seed in [142, 250, 298] {
        agrees(&run(&plan(Profile::Timed, seed, 1), &|_| {}), 1, 0, 0);
    }
}

/// Refinement went in circles where a free step that an abstraction allows is held up by a constraint on next states.
#[test]
fn seeds_on_which_guided_search_did_not_end() {
    for seed in [500_000_205, 500_000_208, 500_000_226] {
        agrees(&run(&plan(Profile::Discrete, seed, 1), &|_| {}), 1, 0, 0);
    }
}

/// A choice of one value between two bounds took the number of another choice.
#[test]
fn seeds_of_relations_that_went_wrong_once() {
    for seed in [100_524, 101_014] {
        agrees(&run_smv(&plan(Profile::Discrete, seed, 1), &|_| {}), 4, 0, 1);
    }
}
