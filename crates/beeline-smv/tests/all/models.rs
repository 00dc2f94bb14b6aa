//! The public models: each is read, with as many variables and questions as it has. They are not part of the
//! repository; where they are missing, there is nothing to test.

use std::path::Path;

use beeline_ir::property::PropertyKind;
use beeline_ir::relation::{Relation, RelationRole};

/// File, state and frozen variables, specifications, and how many of these are questions about reachability.
const MODELS: [(&str, usize, usize, usize); 20] = [
    ("hwcbmc/AG1.smv", 1, 2, 2),
    ("hwcbmc/BDD4.smv", 1, 1, 1),
    ("hwcbmc/ivar1.smv", 0, 4, 0),
    ("hwcbmc/range_type1.smv", 2, 1, 1),
    ("hwcbmc/smv_ag1.smv", 1, 1, 1),
    ("nusmv/abp__abp4.smv", 12, 1, 0),
    ("nusmv/deadlock__gas-nq7.smv", 10, 1, 1),
    ("nusmv/example_cmu__counter.smv", 3, 2, 1),
    ("nusmv/example_cmu__dme1.smv", 54, 1, 1),
    ("nusmv/example_cmu__gigamax.smv", 23, 3, 1),
    ("nusmv/example_cmu__mutex.smv", 3, 3, 1),
    ("nusmv/example_cmu__mutex1.smv", 3, 5, 1),
    ("nusmv/example_cmu__semaphore.smv", 3, 1, 0),
    ("nusmv/example_cmu__syncarb5.smv", 15, 6, 1),
    ("nusmv/example_irst__dme4.smv", 108, 1, 1),
    ("nusmv/guidance__guidance.smv", 70, 26, 9),
    ("nusmv/pci__pci.smv", 40, 0, 0),
    ("nusmv/smv-dist__dme1-16.smv", 288, 1, 1),
    ("toy/maze.smv", 17, 1, 1),
    ("toy/river.smv", 3, 1, 1),
];

fn read(file: &Path) -> Relation {
    let text = std::fs::read_to_string(file).expect("a text");
    match beeline_smv::read(&text, &file.display().to_string()) {
        Ok(reading) => reading.relation,
        Err(wrong) => panic!("{}: {wrong:#?}", file.display()),
    }
}

#[test]
fn public_models_are_read() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/models/smv");
    if !root.is_dir() {
        println!("skipped: {} is not there", root.display());
        return;
    }
    for (file, variables, specifications, questions) in MODELS {
        let relation = read(&root.join(file));
        let stored = relation.vars.iter().filter(|v| v.role != RelationRole::Input).count();
        let refused = |p: &&beeline_ir::property::Property| matches!(p.kind, PropertyKind::Refused(_));
        let refused: Vec<_> = relation.properties.iter().filter(refused).collect();
        let all = relation.properties.len();
        assert_eq!((stored, all, all - refused.len()), (variables, specifications, questions), "{file}");
        for property in refused {
            let PropertyKind::Refused(refusal) = &property.kind else { continue };
            assert!(!refusal.malformed && !refusal.reason.is_empty(), "{file}: {}", refusal.reason);
        }
    }
}
