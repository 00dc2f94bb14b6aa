//! An engine that is wrong is caught by the kernel: no verdict, an internal error.

use beeline::{Failure, Settings, load, verify};
use beeline_ir::limits::Limits;
use beeline_zones::fault::{Fault, inject};
use std::path::Path;

#[test]
fn claims_of_a_wrong_engine_are_refused() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/fischer.beeline");
    let model = load(&path).unwrap().model;
    let mutex = &model.properties()[0];
    let run = || verify(&model, mutex, &Settings::default(), &Limits::default(), &mut |_| {});
    assert!(run().is_ok());
    for fault in [Fault::NoDelayAfterJump, Fault::InclusionReversed] {
        inject(Some(fault));
        let wrong = run();
        inject(None);
        match wrong {
            Err(Failure::Internal { claim, .. }) => assert!(claim.is_some(), "{}", fault.name()),
            Err(Failure::Unsupported(_) | Failure::Refused(_)) => panic!("{}: unsupported", fault.name()),
            Ok(_) => panic!("{}: not noticed", fault.name()),
        }
    }
}
