//! Any bytes as a model in text form: diagnostics or a model, never a panic; and a model reads back equal.
#![no_main]

use beeline_ir::text::{ReadOptions, print, read};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let exact = ReadOptions { file: "fuzz", record_places: false };
    if let Ok(model) = read(text, exact) {
        let again = read(&print(&model), ReadOptions { file: "fuzz", record_places: false });
        assert_eq!(again.as_ref(), Ok(&model), "a model reads back equal");
    }
});
