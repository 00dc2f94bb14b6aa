//! Any bytes as a property of a fixed model, as `-p` takes it.
#![no_main]

use beeline_ir::Model;
use beeline_ir::text::{ReadOptions, print_property, read, read_property};
use libfuzzer_sys::fuzz_target;
use std::sync::OnceLock;

static MODEL: OnceLock<Model> = OnceLock::new();

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let model = MODEL.get_or_init(|| {
        let text = "network m var a[3] in 0..5 var b in 0..1 clock x, y chan c \
                    fn f(n in 0..3) -> 0..3 { return n; } \
                    process P { var k in 0..2 init s location s location t edge s -> t { send c } } \
                    process Q { init s location s edge s -> s { receive c } }";
        read(text, ReadOptions { file: "fuzz", record_places: false }).expect("the fixed model is right")
    });
    if let Ok(property) = read_property(model, text) {
        let again = read_property(model, &print_property(model, &property)).expect("what is printed can be read");
        assert_eq!(again.kind, property.kind);
    }
});
