//! Any bytes as UPPAAL queries: one by itself, and a file of them. Never a panic, and places inside of the text.
#![no_main]

use beeline_uppaal::ast::{Query, QueryKind};
use beeline_uppaal::{parse_queries, parse_query};
use libfuzzer_sys::fuzz_target;

fn check(text: &str, query: &Query) {
    let inside = |span: beeline_ir::origin::Span| text.get(span.start as usize..span.end as usize).is_some();
    assert!(inside(query.span), "a place in the text");
    if let QueryKind::Malformed(_, span) = &query.kind {
        assert!(inside(*span), "a place in the text");
    }
}

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let query = parse_query(text);
    check(text, &query);
    // What is read is read the same from its own text, blanks and comments aside.
    if !matches!(query.kind, QueryKind::Malformed(..)) {
        assert_eq!(parse_query(&query.text).text, query.text);
    }
    for query in parse_queries(text) {
        check(text, &query);
    }
});
