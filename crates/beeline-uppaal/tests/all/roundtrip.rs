//! What is written as XTA is read back as the same network: writing it once more gives the same text.

use beeline_ir::Model;
use beeline_ir::text::{self, ReadOptions};
use beeline_uppaal::{Format, Written, read, write_xta};

/// Names that changed are legal the second time, so comments are not compared.
fn code(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.starts_with("//")).collect()
}

fn again(written: &Written) -> Written {
    let reading = read(&written.model, "written.xta", Format::Xta)
        .unwrap_or_else(|diagnostics| panic!("{diagnostics:#?}\n{}", written.model));
    write_xta(&reading.network).expect("writable")
}

#[test]
fn our_own_models() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models");
    let mut models = 0;
    for entry in std::fs::read_dir(folder).expect("the models").flatten() {
        let source = std::fs::read_to_string(entry.path()).unwrap_or_default();
        let options = ReadOptions { file: "model", record_places: false };
        let Ok(Model::Network(network)) = text::read(&source, options) else { continue };
        let Ok(written) = write_xta(&network) else { continue };
        assert_eq!(code(&again(&written).model), code(&written.model), "{}", entry.path().display());
        models += 1;
    }
    assert!(models >= 3, "only {models} of the models have a form in UPPAAL");
}
