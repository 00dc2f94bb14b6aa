//! Models of fixed seeds, all comparisons. `beeline-fuzz` runs more.

use beeline_testkit::generate::Profile;
use beeline_testkit::harness::{Plan, run};
use beeline_zones::fault::Fault;

fn agrees(profile: Profile, models: u64) {
    let plan = Plan { threads: 2, shrink_attempts: 500, ..Plan::new(profile, models) };
    let report = run(&plan, &|_| {});
    let failures: Vec<String> = report.failures.iter().map(ToString::to_string).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    assert_eq!(report.models, models);
    assert!(report.skipped * 20 < report.models, "too many models are too large: {}", report.skipped);
    assert!(report.mean_length() > 2.5, "targets are too near: {:?}", report.lengths);
}

#[test]
fn timed_models_agree_with_the_oracle() {
    agrees(Profile::Timed, 300);
}

#[test]
fn discrete_models_agree_with_the_oracle() {
    agrees(Profile::Discrete, 300);
}

#[test]
fn printed_models_read_back_with_the_same_answers() {
    agrees(Profile::Uppaal, 700);
}

#[test]
fn a_report_does_not_depend_on_the_number_of_threads() {
    for fault in [None, Some(Fault::UrgentIgnored)] {
        let report = |threads| {
            let plan =
                Plan { threads, fault, failures: 3, shrink_attempts: 50, ..Plan::new(Profile::Timed, 200) };
            let report = run(&plan, &|_| {});
            let seeds: Vec<u64> = report.failures.iter().map(|f| f.seed).collect();
            (seeds, report.to_string())
        };
        assert_eq!(report(1), report(3));
    }
}
