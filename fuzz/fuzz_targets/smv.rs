//! Any bytes as an SMV model: diagnostics or a model, never a panic, and places inside of the text.
#![no_main]

use beeline_smv::read;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let messages = match read(text, "fuzz") {
        Ok(reading) => reading.notes,
        Err(errors) => errors,
    };
    for span in messages.iter().filter_map(|message| message.span) {
        assert!(text.get(span.start as usize..span.end as usize).is_some(), "a place in the text");
    }
});
