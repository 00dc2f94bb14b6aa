//! Diagnostics for people: the source line with the place marked, the code, and advice. The same for machines as
//! JSON.
//!
//! Only the lines around a place are handed to the renderer, so a message about a huge file costs as little as
//! one about a small one. Spans are clipped to the text and to character boundaries: a wrong span gives a wrong
//! mark, never a panic.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet, normalize_untrusted_str};
use beeline_ir::diagnostic::{Diagnostic, Severity, SourceText};
use beeline_ir::origin::Span;
use serde_json::{Value, json};

/// How many diagnostics of one input are shown; the rest is only counted.
pub const MAX_SHOWN: usize = 50;

/// Lines of a place that are shown; a longer place is marked on its first lines only.
const MAX_LINES: usize = 6;

/// Bytes of a line before a place that are shown, and after it; farther out only the place is named.
const MAX_COLUMN: usize = 4000;

/// Renders diagnostics about a text, one after the other, each ending with a newline.
pub fn render(source: &SourceText, diagnostics: &[Diagnostic], colour: bool) -> String {
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
    let mut out = String::new();
    for diagnostic in diagnostics.iter().take(MAX_SHOWN) {
        out.push_str(&renderer.render(&[group(source, diagnostic)]));
        out.push_str("\n\n");
    }
    if let Some(more) = diagnostics.len().checked_sub(MAX_SHOWN).filter(|n| *n > 0) {
        out.push_str(&format!("{more} more not shown\n\n"));
    }
    out.pop();
    out
}

fn group<'a>(source: &'a SourceText, diagnostic: &'a Diagnostic) -> Group<'a> {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Unsupported => Level::ERROR.with_name("unsupported"),
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let title = level.primary_title(normalize_untrusted_str(&diagnostic.message)).id(diagnostic.code);
    let path = normalize_untrusted_str(&source.name);
    let excerpt = diagnostic.span.map(|span| Excerpt::around(&source.text, span));
    let mut group = match excerpt {
        // Nobody reads such a line, and rendering it takes its time.
        Some(excerpt) if excerpt.mark.start > MAX_COLUMN => {
            let column = 1 + excerpt.text[..excerpt.mark.start].chars().count();
            title.element(annotate_snippets::Origin::path(path).line(excerpt.line).char_column(column))
        }
        Some(excerpt) => {
            let snippet = Snippet::source(excerpt.text)
                .line_start(excerpt.line)
                .path(path)
                .annotation(AnnotationKind::Primary.span(excerpt.mark));
            title.element(snippet)
        }
        None => title.element(annotate_snippets::Origin::path(path)),
    };
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(normalize_untrusted_str(help)));
    }
    group
}

/// The lines that a span touches, and the span relative to them.
struct Excerpt<'a> {
    text: &'a str,
    line: usize,
    mark: std::ops::Range<usize>,
}

impl<'a> Excerpt<'a> {
    fn around(text: &'a str, span: Span) -> Self {
        let (start, end) = clip(text, span);
        let first = text[..start].rfind('\n').map_or(0, |i| i + 1);
        let last = text[first..]
            .match_indices('\n')
            .map(|(i, _)| first + i)
            .enumerate()
            .find(|(n, i)| *i >= end || n + 1 == MAX_LINES)
            .map_or(text.len(), |(_, i)| i);
        let line = 1 + text[..first].bytes().filter(|b| *b == b'\n').count();
        // Of a line that ends in CR LF the CR is no part, just as the LF.
        let shown = &text[first..last];
        let shown = shown.strip_suffix('\r').unwrap_or(shown);
        // The end of a very long line is left out.
        let shown = &shown[..floor(shown, (end - first).saturating_add(MAX_COLUMN))];
        let within = |at: usize| (at - first).min(shown.len());
        Self { text: shown, line, mark: within(start)..within(end) }
    }
}

fn clip(text: &str, span: Span) -> (usize, usize) {
    let start = floor(text, span.start as usize);
    (start, floor(text, span.end as usize).max(start))
}

fn floor(text: &str, mut at: usize) -> usize {
    at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Line and column of a place, both from 1; columns count characters.
pub fn line_and_column(text: &str, at: u32) -> (usize, usize) {
    let at = floor(text, at as usize);
    let first = text[..at].rfind('\n').map_or(0, |i| i + 1);
    let line = 1 + text[..first].bytes().filter(|b| *b == b'\n').count();
    (line, 1 + text[first..at].chars().count())
}

/// The diagnostics as data, capped like the rendered ones.
pub fn to_json(source: &SourceText, diagnostics: &[Diagnostic]) -> Value {
    diagnostics.iter().take(MAX_SHOWN).map(|d| one_to_json(source, d)).collect()
}

fn one_to_json(source: &SourceText, diagnostic: &Diagnostic) -> Value {
    let severity = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Unsupported => "unsupported",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    let place = diagnostic.span.map(|span| (line_and_column(&source.text, span.start), span));
    json!({
        "severity": severity,
        "code": diagnostic.code,
        "message": diagnostic.message,
        "file": source.name,
        "line": place.map(|((line, _), _)| line),
        "column": place.map(|((_, column), _)| column),
        "start": place.map(|(_, span)| span.start),
        "end": place.map(|(_, span)| span.end),
        "help": diagnostic.help,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> SourceText {
        SourceText { name: "m.beeline".into(), text: text.into() }
    }

    #[test]
    fn marks_the_place_and_gives_advice() {
        let source = source("network n\nvar x in 0..y\n");
        let diagnostic = Diagnostic::error("E0001", "`y` is not a number", Some(Span::new(22, 23)))
            .with_help("ranges are constants");
        let text = render(&source, &[diagnostic], false);
        assert!(text.starts_with("error[E0001]: `y` is not a number\n"), "{text}");
        assert!(text.contains("m.beeline:2:13"), "{text}");
        assert!(text.contains("2 | var x in 0..y"), "{text}");
        assert!(text.contains("^"), "{text}");
        assert!(text.contains("help: ranges are constants"), "{text}");
        assert!(!text.contains('\u{1b}'), "{text}");
    }

    #[test]
    fn of_a_very_long_line_only_a_part_is_shown() {
        let long = "é".repeat(100_000);
        let at =
            |n: usize| Diagnostic::error("E0001", "wrong", Some(Span::new(n, n + 2))).with_help("change it");
        let far = render(&source(&format!("x\n{long}")), &[at(2 + 2 * 50_000)], false);
        assert!(far.contains("m.beeline:2:50001") && far.contains("change it") && far.len() < 200, "{far}");
        let near = render(&source(&long), &[at(20)], false);
        assert!(near.contains("m.beeline:1:11") && near.contains("^") && near.len() < 20_000, "{near}");
    }

    #[test]
    fn every_span_over_hostile_text_renders() {
        let texts = ["", "\n", "é\r\nü\t\u{0}x", "\u{202e}abc\n\n\nd", "a\nb\nc\nd\ne\nf\ng\nh\ni"];
        for text in texts {
            for start in 0..14 {
                for end in [0, start, start + 1, start + 4, u32::MAX] {
                    let span = Span { start, end };
                    let diagnostic = Diagnostic::error("E0002", "bad\u{1b}[31m", Some(span));
                    let shown = render(&source(text), std::slice::from_ref(&diagnostic), false);
                    assert!(!shown.contains('\u{1b}'));
                    assert_eq!(to_json(&source(text), &[diagnostic]).as_array().map(Vec::len), Some(1));
                }
            }
        }
    }

    #[test]
    fn lines_may_end_in_cr_lf() {
        let source = source("network n\r\nvar x in\r\n0..y\r\n");
        for span in [Span::new(11, 14), Span::new(11, 24), Span::new(19, 20), Span::new(25, 26)] {
            let shown = render(&source, &[Diagnostic::error("E0005", "bad", Some(span))], false);
            assert!(!shown.contains('\u{240d}') && !shown.contains('\r'), "{shown}");
        }
    }

    #[test]
    fn at_most_fifty_are_shown() {
        let many = vec![Diagnostic::error("E0003", "again", None); 60];
        let text = render(&source(""), &many, false);
        assert_eq!(text.matches("error[E0003]").count(), 50);
        assert!(text.contains("10 more not shown"));
    }

    #[test]
    fn a_place_in_a_huge_file_is_found_by_line() {
        let mut text = "x\n".repeat(100_000);
        text.push_str("here");
        let at = text.len() as u32 - 4;
        assert_eq!(line_and_column(&text, at), (100_001, 1));
        let diagnostic = Diagnostic::error("E0004", "m", Some(Span { start: at, end: at + 4 }));
        assert!(render(&source(&text), &[diagnostic], false).contains("100001 | here"));
    }
}
