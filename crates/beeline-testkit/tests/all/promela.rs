//! Random Promela models of fixed seeds: every search, certificates and the symbolic engine against the kernel.

use beeline_testkit::generate::Profile;
use beeline_testkit::harness::{Plan, run_promela};

#[test]
fn searches_agree_on_random_promela_models() {
    let plan = Plan { budget: 150, ..Plan::new(Profile::Discrete, 40) };
    let report = run_promela(&plan, &|_| {});
    let failures: Vec<String> = report.failures.iter().map(ToString::to_string).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(report.models == 40 && report.skipped < 20, "{report}");
}
