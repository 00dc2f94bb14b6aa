//! Queries: kinds, files of them, and those that cannot be read.

use crate::parse::shown::expr;
use beeline_uppaal::ast::{Query, QueryKind};
use beeline_uppaal::{parse_queries, parse_query};

fn kind(query: &Query) -> String {
    match &query.kind {
        QueryKind::Always(e) => format!("always {}", expr(e)),
        QueryKind::Possibly(e) => format!("possibly {}", expr(e)),
        QueryKind::Unsupported(name) => format!("unsupported {name}"),
        QueryKind::Malformed(message, _) => format!("malformed {message}"),
    }
}

#[test]
fn kinds() {
    for (text, expected) in [
        ("A[] p", "always p"),
        ("A[]not p", "always (! p)"),
        ("A[](p)", "always p"),
        ("A [ ] p imply q", "always (p imply q)"),
        ("E<> P.a and x >= 2", "possibly (P.a && (x >= 2))"),
        ("E<>(p)", "possibly p"),
        ("E<> forall (i : id_t) P(i).a", "possibly (Forall i:id_t P(i).a)"),
        ("A[] not deadlock", "always (! deadlock)"),
        ("A[] A[1] == E", "always (A[1] == E)"),
        ("A<> p", "unsupported A<>"),
        ("E[] p", "unsupported E[]"),
        ("p --> q", "unsupported p --> q"),
        ("A[1] == 2 --> q", "unsupported p --> q"),
        ("A[ p U q ]", "unsupported A[p U q]"),
        ("E[<=10; 20](max: x)", "unsupported E[...]"),
        ("sup{p}: x, y", "unsupported sup"),
        ("inf: x", "unsupported inf"),
        ("bounds{p}: x", "unsupported bounds"),
        ("Pr[<=10](<> p)", "unsupported Pr"),
        ("Pr[#<=10]([] p) >= 0.5", "unsupported Pr"),
        ("simulate [<=10] { x, y }", "unsupported simulate"),
        ("control: A[] p", "unsupported control:"),
        ("E<> control: A<> p", "unsupported control:"),
        ("{ x, y } control: A[] p", "unsupported control:"),
        ("minE(x)[<=10]: <> p", "unsupported minE"),
        ("strategy s = control: A<> p", "unsupported control:"),
        ("saveStrategy(\"a.json\", s)", "unsupported saveStrategy"),
        ("A[] p under s", "unsupported under (a strategy)"),
        ("A[] (p && A<> q)", "unsupported nested path quantifiers"),
        ("E<> E<> q", "unsupported nested path quantifiers"),
        ("p", "malformed expected `A[]` or `E<>` at the beginning of the query, found `p`"),
        ("A[] p q", "malformed expected nothing more after the query, found `q`"),
        ("A[]", "malformed expected an expression, found the end of the text"),
        ("", "malformed there is no query here"),
        ("E<> `", "malformed unexpected character '`'"),
        ("E<> x > 99999999999", "malformed this number does not fit into 32 bits"),
        ("E<> 2147483648 > x", "malformed this number does not fit into 32 bits"),
    ] {
        assert_eq!(kind(&parse_query(text)), expected, "{text}");
    }
}

#[test]
fn deadlock_is_a_name_elsewhere() {
    let text =
        "int deadlock; process P { state A; init A; trans A -> A { guard deadlock == 1; }; } system P;";
    assert!(beeline_uppaal::parse(text, beeline_uppaal::Format::Xta).is_ok());
}

#[test]
fn a_query_keeps_its_text_on_one_line() {
    let text = "  E<>   a /* why */ and\n\t(b or // c\n d)  ";
    let query = parse_query(text);
    assert_eq!(query.text, "E<> a and (b or d)");
    assert_eq!(&text[query.span.start as usize..query.span.end as usize], text.trim());
}

#[test]
fn a_file_has_one_query_on_each_line() {
    let text = "\u{feff}// made by hand\n\n/*\n first\n*/\nE<> a\n\n/* gone */\n//NO_QUERY\nA[] b // really\n\
                /* old */ /* c */ E<> c \\\n  and d\r\nE<> (\n/* e\n e */\n\nA<> e /* in\n between */\n";
    let queries = parse_queries(text);
    let found: Vec<_> = queries.iter().map(|q| (q.text.as_str(), q.comment.as_deref())).collect();
    assert_eq!(
        found,
        [
            ("E<> a", Some("first")),
            ("A[] b", None),
            ("E<> c and d", Some("c")),
            ("E<> (", None),
            ("A<> e", Some("e\n e")),
        ]
    );
    for query in &queries[..4] {
        let written = &text[query.span.start as usize..query.span.end as usize];
        assert_eq!(
            written.split_whitespace().collect::<String>().replace('\\', ""),
            query.text.replace(' ', "")
        );
    }
    assert!(matches!(queries[3].kind, QueryKind::Malformed(..)));
    assert_eq!(parse_queries("").len(), 0);
    assert_eq!(kind(&parse_queries("E<> a\n/* b").remove(1)), "malformed this comment does not end");
}
