//! What is no well-formed XML. The library names a token; a person wrote `<` or `&` in a label, or a file was cut
//! off, and is told so at the place where it happened.

use beeline_ir::diagnostic::Diagnostic;
use beeline_ir::origin::Span;
use roxmltree::Error;

use super::guard::Tag;
use super::shown;

/// The elements of models; what else looks like one is a `<` of somebody's label.
const ELEMENTS: [&str; 29] = [
    "branchpoint",
    "comment",
    "committed",
    "declaration",
    "details",
    "expect",
    "formula",
    "imports",
    "init",
    "instantiation",
    "label",
    "location",
    "lsc",
    "nail",
    "name",
    "nta",
    "option",
    "parameter",
    "plot",
    "project",
    "queries",
    "query",
    "resource",
    "result",
    "source",
    "system",
    "target",
    "template",
    "transition",
];

/// What the XML library does not accept, where it says, or where the cause is.
pub(super) fn malformed(text: &str, error: &Error) -> Diagnostic {
    let at = offset(text, error);
    let next = text[at..].chars().next();
    let place = Some(Span::new(at, at + next.map_or(0, char::len_utf8)));
    match error {
        Error::NodesLimitReached => {
            return Diagnostic::error("E0501", "the file has more than 1,000,000 elements", None);
        }
        Error::UnknownEntityReference(name, _) => {
            let message = format!("the entity `{}` is not known", shown(name));
            return Diagnostic::error("E0516", message, place).with_help(
                "only &lt; &gt; &amp; &quot; &apos; and character numbers such as &#233; are read",
            );
        }
        Error::MalformedEntityReference(_) if next == Some('&') => {
            return Diagnostic::error("E0515", "`&` has a meaning of its own in XML", place)
                .with_help("write `&amp;`, so `&amp;&amp;` for `&&`; or `and`");
        }
        Error::NoRootNode => {
            return Diagnostic::error("E0515", "this is no XML: there is no element in it", None)
                .with_help("a model in XML begins with `<nta>`");
        }
        _ => {}
    }
    // The element that should have ended here, or the `<` at which a name was expected.
    let cut = matches!(error, Error::UnclosedRootNode) || at == text.len();
    let before = if matches!(error, Error::UnexpectedCloseTag(..)) { at } else { after(text, at, cut) };
    let open = open_elements(&text[..before]);
    let innermost = open.last().copied();
    if let Some((start, name)) = innermost.filter(|(_, name)| !ELEMENTS.contains(name)) {
        let place = Some(Span::new(start, start + 1));
        let message = if name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            format!("`<{}` begins an element that no model has", shown(name))
        } else {
            "`<` begins an element in XML".to_string()
        };
        return Diagnostic::error("E0515", message, place).with_help("as less-than, `<` is written `&lt;`");
    }
    match (innermost, error) {
        (Some((start, name)), _) if cut => {
            let end = text.trim_end().len();
            let line = text[..start].matches('\n').count() + 1;
            let message = format!("the file ends here, but the `{name}` of line {line} is not closed");
            Diagnostic::error("E0515", message, Some(Span::new(end, end)))
                .with_help(format!("add `</{name}>`, or look for what was cut off"))
        }
        (Some((start, name)), Error::UnexpectedCloseTag(_, found, _))
            if open.iter().any(|(_, outer)| outer == found) =>
        {
            let place = Some(Span::new(start, start + 1 + name.len()));
            let message = format!("this `{name}` is not closed before `</{}>`", shown(found));
            Diagnostic::error("E0515", message, place).with_help(format!("add `</{name}>`"))
        }
        (Some((_, name)), Error::UnexpectedCloseTag(_, found, _)) => {
            let message = format!("`</{}>` closes no element", shown(found));
            Diagnostic::error("E0515", message, place).with_help(format!("did you mean `</{name}>`?"))
        }
        _ => {
            let message = error.to_string().replace(&format!(" at {}", error.pos()), "");
            Diagnostic::error("E0515", format!("this is no well-formed XML: {message}"), place)
                .with_help("open the file in UPPAAL and save it again")
        }
    }
}

/// The text up to an error that matters to it: all of it if it was cut off, else up to and including a `<`.
fn after(text: &str, at: usize, cut: bool) -> usize {
    if cut { text.len() } else { at + usize::from(text[at..].starts_with('<')) }
}

/// The place that an error names, in bytes.
fn offset(text: &str, error: &Error) -> usize {
    let position = error.pos();
    let row = usize::try_from(position.row).unwrap_or(1).saturating_sub(1);
    let column = usize::try_from(position.col).unwrap_or(1).saturating_sub(1);
    let line: usize = text.split_inclusive('\n').take(row).map(str::len).sum();
    line + text[line..].chars().take(column).map(char::len_utf8).sum::<usize>()
}

/// The elements that the text opens and does not close, outermost first: where each begins, and its name.
fn open_elements(text: &str) -> Vec<(usize, &str)> {
    let mut open: Vec<(usize, &str)> = Vec::new();
    let mut at = 0;
    while let Some(found) = text[at..].find('<') {
        at += found;
        let rest = &text[at..];
        let length = if rest.starts_with("<!--") {
            rest.find("-->")
        } else if rest.starts_with("<![CDATA[") {
            rest.find("]]>")
        } else if rest.starts_with("<?") || rest.starts_with("<!") {
            rest.find('>')
        } else {
            let tag = Tag::scan(rest);
            let body = rest[1..].trim_start_matches('/');
            let name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ':' | '-' | '.');
            let name = &body[..body.find(|c| !name(c)).unwrap_or(body.len())];
            if !rest.starts_with("</") {
                if !tag.empty {
                    open.push((at, name));
                }
            } else if open.last().is_some_and(|(_, last)| *last == name) {
                open.pop();
            }
            tag.length
        };
        match length {
            Some(length) => at += length.max(1),
            None => break,
        }
    }
    open
}
