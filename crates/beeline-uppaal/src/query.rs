//! Queries: from `.q` files, from XML and from XTA. Only `A[] p` and `E<> p` are read to the end; of the others
//! the kind is named. A query that cannot be read is a value like any other, and the rest still run.

use std::ops::Range;

use beeline_ir::diagnostic::Diagnostic;
use beeline_ir::origin::Span;

use crate::ast::{Query, QueryKind};
use crate::lex::{Lexeme, Token, lex};
use crate::parse::context::{Context, MAX_TOKENS, Syntax};
use crate::parse::cursor::{Parse, Parser};
use crate::source::{Text, too_long};

/// Most queries read of a file.
const MAX_QUERIES: usize = 10_000;

/// Words that begin queries of other kinds.
const OTHER_KINDS: [&str; 21] = [
    "Pr",
    "Pmax",
    "acontrol",
    "bounds",
    "consistency",
    "control",
    "control_t",
    "imitate",
    "implementation",
    "inf",
    "loadStrategy",
    "maxE",
    "maxPr",
    "minE",
    "minPr",
    "refinement",
    "saveStrategy",
    "scenario",
    "simulate",
    "strategy",
    "sup",
];

/// One query; it may have several lines.
pub fn parse_query(text: &str) -> Query {
    let everything = Span::new(0, text.len());
    match too_long(text) {
        Some(diagnostic) => malformed(diagnostic, everything),
        None => of_text(&Text::verbatim(text, 0..text.len()), &mut { MAX_TOKENS })
            .unwrap_or_else(|| malformed(no_query(everything), everything)),
    }
}

/// The queries of a `.q` file: one on each line.
pub fn parse_queries(text: &str) -> Vec<Query> {
    if let Some(diagnostic) = too_long(text) {
        return vec![malformed(diagnostic, Span::new(0, 0))];
    }
    let mut queries = Vec::new();
    let mut tokens_left = MAX_TOKENS;
    for (range, comment) in pieces(text) {
        let span = Span::new(range.start, range.end);
        if queries.len() == MAX_QUERIES {
            let message = "more than 10,000 queries: the rest is left out";
            queries.push(malformed(Diagnostic::error("E0501", message, Some(span)), span));
            break;
        }
        let query = of_text(&Text::verbatim(text, range), &mut tokens_left);
        queries.extend(query.map(|query| Query { comment, ..query }));
    }
    queries
}

/// The lines of a `.q` file that hold more than blanks and comments, each with the last comment block before it. A
/// backslash at the end joins a line to the next one.
fn pieces(text: &str) -> Vec<(Range<usize>, Option<String>)> {
    let mut pieces = Vec::new();
    let (mut start, mut at, mut blank, mut comment) = (0, 0, true, None);
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let closed = rest.strip_prefix("/*").and_then(|body| Some(&body[..body.find("*/")?]));
        if let Some(body) = closed {
            if blank {
                comment = Some(body.trim().to_string()).filter(|c| !c.is_empty());
            }
            at += body.len() + 4;
        } else if rest.starts_with("/*") {
            // It never ends: the lexer says so.
            blank = false;
            at = text.len();
        } else if let Some(body) = rest.strip_prefix("//") {
            // What UPPAAL writes for a query that is only a comment.
            if blank && body.trim_start().starts_with("NO_QUERY") {
                comment = None;
            }
            at += rest.find('\n').unwrap_or(rest.len());
        } else if rest.starts_with("\\\n") || rest.starts_with("\\\r\n") {
            at += rest.find('\n').map_or(1, |n| n + 1);
        } else if c == '\n' {
            if !blank {
                pieces.push((start..at, comment.take()));
            }
            at += 1;
            (start, blank) = (at, true);
        } else {
            blank &= c.is_whitespace() || c == '\u{feff}';
            at += c.len_utf8();
        }
    }
    if !blank {
        pieces.push((start..at, comment));
    }
    pieces
}

/// The query that is the whole of a text, if there is any; all queries of a file share their tokens.
pub(crate) fn of_text(text: &Text<'_>, tokens_left: &mut usize) -> Option<Query> {
    let mut context = Context::new(Syntax::Query);
    context.tokens_left = *tokens_left;
    let lexemes = lex(text, &mut context);
    *tokens_left = context.tokens_left;
    match context.finish() {
        Ok(_) => of_lexemes(lexemes),
        Err(errors) => {
            let query = malformed(errors.into_iter().next()?, text.span(0..text.as_str().len()));
            Some(Query { text: written(&lexemes), ..query })
        }
    }
}

/// The query that is made of all these tokens, the last of which is [`Token::End`].
pub(crate) fn of_lexemes(lexemes: Vec<Lexeme<'_>>) -> Option<Query> {
    let text = written(&lexemes);
    let mut context = Context::new(Syntax::Query);
    let mut parser = Parser::of_lexemes(lexemes, &mut context);
    let span = parser.lexemes().first()?.span.to(parser.lexemes().last()?.span);
    let kind = kind(&mut parser).unwrap_or_else(|diagnostic| malformed(diagnostic, span).kind);
    Some(Query { kind, text, span, comment: None, recorded: None })
}

/// The text of the tokens, with one blank wherever there were some, or a comment.
fn written(lexemes: &[Lexeme<'_>]) -> String {
    let mut text = String::new();
    let mut end = None;
    for lexeme in lexemes.iter().filter(|lexeme| lexeme.token != Token::End) {
        if end.is_some_and(|end| end < lexeme.span.start) {
            text.push(' ');
        }
        text.push_str(lexeme.text);
        end = Some(lexeme.span.end);
    }
    text
}

fn kind(parser: &mut Parser<'_, '_>) -> Parse<QueryKind> {
    if let Some(name) = unsupported(parser.lexemes()) {
        return Ok(QueryKind::Unsupported(name.to_string()));
    }
    let Some(path) = path(parser.lexemes()) else {
        return Err(parser.unexpected("`A[]` or `E<>` at the beginning of the query"));
    };
    for _ in 0..3 {
        parser.bump();
    }
    let state = parser.expr()?;
    parser.expect_end("the query")?;
    Ok(if path == "A[]" { QueryKind::Always(state) } else { QueryKind::Possibly(state) })
}

/// The path quantifier that the tokens begin with.
fn path(lexemes: &[Lexeme<'_>]) -> Option<&'static str> {
    let [a, b, c, ..] = lexemes else { return None };
    match (a.text, b.text, c.text) {
        ("A", "[", "]") => Some("A[]"),
        ("E", "<", ">") => Some("E<>"),
        ("E", "[", "]") => Some("E[]"),
        ("A", "<", ">") => Some("A<>"),
        _ => None,
    }
}

/// The kind of a query that is no `A[] p` and no `E<> p`, if it can be told.
fn unsupported<'t>(lexemes: &[Lexeme<'t>]) -> Option<&'t str> {
    let text = |at: usize| lexemes.get(at).map_or("", |lexeme| lexeme.text);
    let leads_to = |pair: &[Lexeme<'_>]| {
        pair[0].text == "--" && pair[1].text == ">" && pair[0].span.end == pair[1].span.start
    };
    if lexemes.windows(2).any(leads_to) {
        return Some("p --> q");
    }
    if lexemes.windows(2).any(|pair| pair[0].text == "control" && pair[1].text == ":") {
        return Some("control:");
    }
    if lexemes.len() > 2 && text(lexemes.len() - 2) == "under" {
        return Some("under (a strategy)");
    }
    match (text(0), text(1), path(lexemes)) {
        (_, _, Some(path @ ("A<>" | "E[]"))) => return Some(path),
        ("A", "[", None) => return Some("A[p U q]"),
        ("E", "[", None) => return Some("E[...]"),
        (word, ..) if OTHER_KINDS.contains(&word) => return Some(word),
        _ => {}
    }
    (1..lexemes.len()).any(|at| path(&lexemes[at..]).is_some()).then_some("nested path quantifiers")
}

fn no_query(span: Span) -> Diagnostic {
    Diagnostic::error("E0505", "there is no query here", Some(span))
}

/// A query that cannot be read, with the message at its own place or at that of the whole query.
fn malformed(diagnostic: Diagnostic, span: Span) -> Query {
    let place = diagnostic.span.unwrap_or(span);
    let message = match diagnostic.help {
        Some(help) => format!("{} ({help})", diagnostic.message),
        None => diagnostic.message,
    };
    Query {
        kind: QueryKind::Malformed(message, place),
        text: String::new(),
        span,
        comment: None,
        recorded: None,
    }
}
