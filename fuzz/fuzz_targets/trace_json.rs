//! Any bytes as a JSON trace of a fixed model: refused or read, and the kernel never panics on what is read.
#![no_main]

use beeline_ir::Model;
use beeline_ir::text::{ReadOptions, read, read_property};
use libfuzzer_sys::fuzz_target;
use std::sync::OnceLock;

static MODEL: OnceLock<Model> = OnceLock::new();

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let model = MODEL.get_or_init(|| {
        let text = include_str!("../../models/fischer-bug.beeline");
        read(text, ReadOptions { file: "fuzz", record_places: false }).expect("the fixed model is right")
    });
    // The hash is public and would stop every mutation; a hostile file would carry the right one.
    let text = text.replace("HASH", &model.hash().to_string());
    if let Ok(trace) = beeline_report::trace_json::read(model, &text)
        && let Ok(property) = read_property(model, &trace.property)
    {
        let _ = beeline_check::replay(model, &property, &trace);
    }
});
