//! Which properties are asked: the model's own, those of a file, one by its name or number, or one written on the
//! command line.

use crate::load::{Language, Loaded};
use beeline_ir::diagnostic::{Diagnostic, SourceText};
use beeline_ir::expr::Expr;
use beeline_ir::model::Model;
use beeline_ir::origin::Span;
use beeline_ir::property::{Property, PropertyKind};
use beeline_ir::text;

/// What is wrong with a text of properties.
#[derive(Clone, Debug)]
pub struct PropertyError {
    /// The text.
    pub source: SourceText,
    /// What is wrong with it; at least one.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a file of properties in the language of the model.
pub fn read_file(loaded: &Loaded, source: SourceText) -> Result<Vec<Property>, PropertyError> {
    match (&loaded.language, &loaded.model) {
        (Language::Uppaal(symbols), Model::Network(network)) => {
            let properties = symbols.queries(network, &source.text);
            if properties.is_empty() {
                let none = Diagnostic::error("C0020", "the file has no queries", None);
                return Err(PropertyError { source, diagnostics: vec![none] });
            }
            Ok(properties)
        }
        (Language::Smv(symbols), _) => match symbols.specifications(&source.text) {
            Ok(properties) if properties.is_empty() => {
                let none = Diagnostic::error("C0020", "the file has no specifications", None);
                Err(PropertyError { source, diagnostics: vec![none] })
            }
            Ok(properties) => Ok(properties),
            Err(diagnostics) => Err(PropertyError { source, diagnostics }),
        },
        (Language::Promela(symbols), model) => read_lines(source, &|line| {
            let known = defaults().into_iter().find(|p| p.name.as_deref() == Some(line.trim()));
            match known.map_or_else(|| symbols.formula(line), Ok) {
                // What is asked in the words of the network is understood, too.
                Err(wrong) => text::read_property(model, line).map_err(|_| wrong),
                found => found,
            }
        }),
        (_, model) => read_lines(source, &|line| text::read_property(model, line)),
    }
}

/// Properties one per line: `A[] p` or `property name "native text" : A[] p`. Empty lines and lines that start with `//`
/// do not count.
fn read_lines(
    source: SourceText,
    read: &dyn Fn(&str) -> Result<Property, Vec<Diagnostic>>,
) -> Result<Vec<Property>, PropertyError> {
    let mut properties = Vec::new();
    let mut diagnostics = Vec::new();
    let mut at = 0;
    for line in source.text.split_inclusive('\n') {
        let (head, body) = split_head(line);
        if !(body.trim().is_empty() || line.trim_start().starts_with("//")) {
            match read(body) {
                Ok(property) => {
                    let (name, text) = (head.name.or(property.name), head.native.or(property.text));
                    properties.push(Property { name, text, ..property });
                }
                Err(found) => {
                    let offset = at + line.len() - body.len();
                    diagnostics.extend(found.into_iter().map(|d| moved(d, offset)));
                }
            }
        }
        at += line.len();
    }
    if diagnostics.is_empty() && properties.is_empty() {
        diagnostics.push(Diagnostic::error("C0020", "the file has no properties", None));
    }
    if diagnostics.is_empty() { Ok(properties) } else { Err(PropertyError { source, diagnostics }) }
}

/// What stands before the colon of `property name "native text" : body`.
#[derive(Default)]
struct Head {
    name: Option<String>,
    native: Option<String>,
}

/// Splits a line at the colon after its head; without a head the line is the body.
fn split_head(line: &str) -> (Head, &str) {
    let none = (Head::default(), line);
    let Some(rest) = line.trim_start().strip_prefix("property") else { return none };
    if !rest.starts_with([' ', '\t', ':']) {
        return none;
    }
    let mut head = Head::default();
    let mut rest = rest.trim_start();
    if let Some((name, after)) = quoted(rest, '\'') {
        (head.name, rest) = (Some(name), after);
    } else {
        let end = rest.find(|c: char| c.is_whitespace() || c == ':' || c == '"').unwrap_or(rest.len());
        head.name = (end > 0).then(|| rest[..end].to_string());
        rest = rest[end..].trim_start();
    }
    if let Some((native, after)) = quoted(rest, '"') {
        (head.native, rest) = (Some(native), after);
    }
    rest.strip_prefix(':').map_or(none, |body| (head, body))
}

/// A text between quotes at the start of another, and what follows it. A backslash takes the next character as it is.
fn quoted(text: &str, quote: char) -> Option<(String, &str)> {
    let inner = text.strip_prefix(quote)?;
    let mut out = String::new();
    let mut chars = inner.char_indices();
    while let Some((i, c)) = chars.next() {
        match c {
            '\\' => out.push(chars.next()?.1),
            c if c == quote => return Some((out, inner[i + quote.len_utf8()..].trim_start())),
            c => out.push(c),
        }
    }
    None
}

fn moved(mut diagnostic: Diagnostic, offset: usize) -> Diagnostic {
    let offset = u32::try_from(offset).unwrap_or(u32::MAX);
    diagnostic.span = diagnostic
        .span
        .map(|s| Span { start: s.start.saturating_add(offset), end: s.end.saturating_add(offset) });
    diagnostic
}

/// Chooses one property: by name, by number from 1, or read as a property itself, in the language of the model.
/// What a model without properties is asked may be asked of every model.
pub fn choose(loaded: &Loaded, known: &[Property], wish: &str) -> Result<Property, PropertyError> {
    let named = |p: &&Property| p.name.as_deref() == Some(wish);
    if let Some(property) = known.iter().find(named) {
        return Ok(property.clone());
    }
    if let Some(property) = defaults().iter().find(named) {
        return Ok(property.clone());
    }
    let whole = Some(Span::new(0, wish.len()));
    if let Ok(number) = wish.parse::<usize>() {
        return number.checked_sub(1).and_then(|i| known.get(i)).cloned().ok_or_else(|| {
            let message = match known.len() {
                0 => format!("there is no property {number}: the model has none"),
                count => format!("there is no property {number}: they are numbered from 1 to {count}"),
            };
            in_property(wish, vec![Diagnostic::error("C0021", message, whole)])
        });
    }
    let question = match (&loaded.language, &loaded.model) {
        (Language::Uppaal(symbols), Model::Network(network)) => {
            symbols.query(network, wish).map_err(|diagnostics| in_property(wish, diagnostics))
        }
        (Language::Smv(symbols), _) => {
            symbols.specification(wish).map_err(|diagnostics| in_property(wish, diagnostics))
        }
        (Language::Promela(symbols), _) => {
            symbols.formula(wish).map_err(|diagnostics| in_property(wish, diagnostics))
        }
        _ => read(&loaded.model, wish),
    };
    question.map_err(|mut error| {
        if wish.chars().all(|c| c.is_alphanumeric() || "_-.".contains(c)) {
            let names: Vec<&str> = known.iter().filter_map(|p| p.name.as_deref()).collect();
            let help = match names.is_empty() {
                true => "the properties of this model have no names".to_string(),
                false => format!("there are: {}", names.join(", ")),
            };
            let message = format!("there is no property `{wish}`");
            error.diagnostics = vec![Diagnostic::error("C0022", message, whole).with_help(help)];
        }
        error
    })
}

/// Reads one property in the text form.
pub fn read(model: &Model, text: &str) -> Result<Property, PropertyError> {
    text::read_property(model, text).map_err(|diagnostics| in_property(text, diagnostics))
}

fn in_property(text: &str, diagnostics: Vec<Diagnostic>) -> PropertyError {
    PropertyError { source: SourceText { name: "<property>".into(), text: text.to_string() }, diagnostics }
}

/// What a network without properties is asked: is there a deadlock, is there a run-time error?
pub fn defaults() -> Vec<Property> {
    let property = |name: &str, kind| Property {
        name: Some(name.into()),
        text: None,
        frame: Vec::new(),
        kind,
        origin: None,
    };
    vec![
        property("no-deadlock", PropertyKind::Always(Expr::Deadlock.negated())),
        property("no-runtime-error", PropertyKind::NoRuntimeError),
    ]
}

/// A property as reports show it: as its source language writes it, else in the text form.
pub fn shown(model: &Model, property: &Property) -> String {
    property.text.clone().unwrap_or_else(|| text::print_property(model, property))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_split_at_the_right_colon() {
        let split = |line| {
            let (head, body) = split_head(line);
            (head.name, head.native, body)
        };
        let some = |text: &str| Some(text.to_string());
        assert_eq!(split("E<> a ? b : c"), (None, None, "E<> a ? b : c"));
        assert_eq!(split("property : E<> a"), (None, None, " E<> a"));
        assert_eq!(split("  property two: E<> a"), (some("two"), None, " E<> a"));
        assert_eq!(split("property 'a:\\'b' \"E<> \\\"x: y\" : p"), (some("a:'b"), some("E<> \"x: y"), " p"));
        assert_eq!(split("property_x == 1"), (None, None, "property_x == 1"));
        for odd in ["property", "property 'a", "property \"a", "property 'a\\", "property a b : c"] {
            assert_eq!(split(odd), (None, None, odd));
        }
    }
}
