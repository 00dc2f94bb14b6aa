//! What is looked at before a text is given to the XML library: document types with declarations of their own,
//! which are never read, and shapes on which the library would take very long (it compares attributes and
//! namespaces one by one). No model has any of these.

use beeline_ir::diagnostic::Diagnostic;
use beeline_ir::origin::Span;

/// Most attributes of an element.
const MAX_ATTRIBUTES: usize = 64;

/// Most elements inside one another.
const MAX_NESTING: usize = 64;

/// Most declarations of name spaces.
const MAX_NAMESPACES: usize = 64;

/// Most elements and attributes of a file.
const MAX_PARTS: usize = 1_000_000;

/// Refuses texts that should not be parsed. What is no XML at all is left to the parser.
pub(super) fn check(text: &str) -> Result<(), Diagnostic> {
    let (mut at, mut nesting, mut namespaces, mut parts) = (0, 0_usize, 0, 0);
    while let Some(offset) = text[at..].find('<') {
        at += offset;
        let rest = &text[at..];
        let length = if rest.starts_with("<!--") {
            rest.find("-->")
        } else if rest.starts_with("<![CDATA[") {
            rest.find("]]>")
        } else if rest.starts_with("<?") {
            rest.find("?>")
        } else {
            let tag = Tag::scan(rest);
            let shown = rest.floor_char_boundary(tag.length.unwrap_or(rest.len()).min(200));
            let place = Span::new(at, at + shown);
            if rest.starts_with("<!") {
                if tag.bracket {
                    let message = "a document type with declarations of its own is not read";
                    return Err(Diagnostic::error("E0516", message, Some(place))
                        .with_help("remove the part in brackets from `<!DOCTYPE ...>`"));
                }
            } else if rest.starts_with("</") {
                nesting = nesting.saturating_sub(1);
            } else {
                nesting += usize::from(!tag.empty);
                namespaces += tag.namespaces;
                parts += 1 + tag.attributes;
            }
            if parts > MAX_PARTS {
                let message = "the file has more than 1,000,000 elements and attributes";
                return Err(Diagnostic::error("E0501", message, Some(place)));
            }
            let shape = [
                (nesting > MAX_NESTING, "elements nested more than 64 levels deep"),
                (tag.attributes > MAX_ATTRIBUTES, "an element with more than 64 attributes"),
                (namespaces > MAX_NAMESPACES, "more than 64 declarations of name spaces"),
            ];
            if let Some((_, message)) = shape.into_iter().find(|(wrong, _)| *wrong) {
                return Err(Diagnostic::error("E0517", message, Some(place)));
            }
            tag.length
        };
        match length {
            Some(length) => at += length.max(1),
            None => return Ok(()),
        }
    }
    Ok(())
}

/// What a tag looks like from outside.
pub(super) struct Tag {
    /// Up to its `>`, which is not counted; `None` if it does not end.
    pub length: Option<usize>,
    attributes: usize,
    namespaces: usize,
    /// Whether it is `<.../>`.
    pub empty: bool,
    /// Whether there is a `[` outside of quotes; scanning stops there.
    bracket: bool,
}

impl Tag {
    /// The tag that the text begins with.
    pub fn scan(text: &str) -> Self {
        let mut tag = Self { length: None, attributes: 0, namespaces: 0, empty: false, bracket: false };
        let mut quote = None;
        let bytes = text.as_bytes();
        for (at, byte) in bytes.iter().enumerate() {
            match (quote, byte) {
                (Some(mark), byte) if mark == byte => quote = None,
                (Some(_), _) => {}
                (None, b'"' | b'\'') => quote = Some(byte),
                (None, b'=') => tag.attributes += 1,
                (None, b'x') => tag.namespaces += usize::from(text[at..].starts_with("xmlns")),
                (None, b'[') => {
                    tag.bracket = true;
                    return tag;
                }
                (None, b'>') => {
                    tag.length = Some(at);
                    tag.empty = bytes[at - 1] == b'/';
                    return tag;
                }
                _ => {}
            }
        }
        tag
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> Option<&'static str> {
        check(text).err().map(|diagnostic| diagnostic.code)
    }

    #[test]
    fn ordinary_documents_pass() {
        let text = "<?xml version='1.0'?><!DOCTYPE nta PUBLIC '-//[x]//' \"y\"><nta><a b='>'/>\
                    <!-- [ <x> --><label><![CDATA[ a[0] < 3 ]]></label></nta>";
        assert_eq!(code(text), None);
        assert_eq!(code(&"<a/>".repeat(1000)), None);
        assert_eq!(code(&"<a></a>".repeat(1000)), None);
        for broken in ["", "<", "<a", "<!", "<!--", "<a b='", "</", "<?", ">", "<>"] {
            assert_eq!(code(broken), None, "{broken}");
        }
    }

    #[test]
    fn hostile_documents_do_not() {
        assert_eq!(code("<!DOCTYPE a [ <!ENTITY b 'c'> ]><a>&b;</a>"), Some("E0516"));
        // Places end between characters.
        let text = format!("<!DOCTYPE a [{}]><a/>", "\u{1e7}".repeat(200));
        for start in [text.clone(), text.replacen('a', "ab", 1)] {
            let place = check(&start).unwrap_err().span.unwrap();
            assert!(start.get(place.start as usize..place.end as usize).is_some(), "{place:?}");
        }
        assert_eq!(code(&"<a>".repeat(100_000)), Some("E0517"));
        let attributes: String = (0..100_000).map(|i| format!("b{i}='' ")).collect();
        assert_eq!(code(&format!("<a {attributes}/>")), Some("E0517"));
        let spaces: String = (0..100_000).map(|i| format!("<a xmlns:b{i}=''/>")).collect();
        assert_eq!(code(&spaces), Some("E0517"));
        assert_eq!(code(&"<a b='' c=''/>".repeat(400_000)), Some("E0501"));
    }
}
