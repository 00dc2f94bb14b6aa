//! The models shown in the manual can be read.

use beeline_ir::text::{ReadOptions, read};

#[test]
fn models_in_the_manual_can_be_read() {
    let manual = include_str!("../../../../docs/semantics.md");
    let blocks = manual.split("```").skip(1).step_by(2).map(str::trim_start);
    let models: Vec<&str> =
        blocks.filter(|b| b.starts_with("network") || b.starts_with("relation")).collect();
    assert_eq!(models.len(), 2);
    for model in models {
        let result = read(model, ReadOptions { file: "semantics.md", record_places: true });
        assert!(result.is_ok(), "{result:?}\n{model}");
    }
}
