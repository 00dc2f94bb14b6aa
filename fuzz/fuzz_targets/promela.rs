//! Any bytes as a Promela model: diagnostics or a model, never a panic, and places inside of the text.
#![no_main]

use beeline_promela::{ReadOptions, read};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let include = |name: &str| match name {
        "a" => Ok("#define N 2\nbyte included[N]\n".to_string()),
        _ => Err("there is no such file".to_string()),
    };
    let messages = match read(text, ReadOptions { file: "fuzz", include: &include, slots: 3 }) {
        Ok(reading) => {
            let _ = reading.symbols.formula("[] (x == 1 -> P[0]@L)");
            reading.notes
        }
        Err(errors) => errors,
    };
    for span in messages.iter().filter_map(|message| message.span) {
        assert!(text.get(span.start as usize..span.end as usize).is_some(), "a place in the text");
    }
});
