//! A piece of source text as the lexer sees it, with the way back to the file. The text of an XML element is
//! decoded first (entities, CDATA, comments); every place in the decoded text still knows the bytes of the file
//! it came from.

use std::borrow::Cow;
use std::num::NonZeroU8;
use std::ops::Range;

use beeline_ir::diagnostic::Diagnostic;
use beeline_ir::origin::Span;

/// Longest file that is read, in bytes.
pub(crate) const MAX_TEXT: usize = 16 << 20;

/// Longest entity that is read: `&#x0010FFFF;` with some leading zeros.
const MAX_ENTITY: usize = 32;

/// Whether the text is too long to be read.
pub(crate) fn too_long(text: &str) -> Option<Diagnostic> {
    (text.len() > MAX_TEXT).then(|| Diagnostic::error("E0501", "the text is longer than 16 MiB", None))
}

/// Decoded text.
pub(crate) struct Text<'a> {
    text: Cow<'a, str>,
    /// In the order of the text, without gaps. Empty only if the text is empty.
    pieces: Vec<Piece>,
    /// The end of the raw text in the file.
    end: usize,
}

/// A part of the decoded text that is either copied from the file byte by byte, or one character written as an
/// entity. A label may consist of nothing but entities, so this is kept small.
#[derive(Copy, Clone)]
struct Piece {
    at: u32,
    file: u32,
    /// Length in the file of an entity; a copied piece is as long as it is in the text.
    entity: Option<NonZeroU8>,
}

impl Piece {
    /// Texts are no longer than [`MAX_TEXT`], and entities than [`MAX_ENTITY`].
    fn new(at: usize, file: usize, entity: usize) -> Self {
        let short = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let entity = NonZeroU8::new(u8::try_from(entity).unwrap_or(u8::MAX));
        Self { at: short(at), file: short(file), entity }
    }
}

impl<'a> Text<'a> {
    /// A part of a file as it stands.
    pub fn verbatim(file: &'a str, range: Range<usize>) -> Self {
        let pieces = vec![Piece::new(0, range.start, 0)];
        Self { end: range.end, text: Cow::Borrowed(file.get(range).unwrap_or_default()), pieces }
    }

    /// The character data in that part of an XML file, which is known to be well-formed.
    pub fn decode(file: &'a str, range: Range<usize>) -> Result<Self, Diagnostic> {
        let raw = file.get(range.clone()).unwrap_or_default();
        if !raw.contains(['&', '<']) {
            return Ok(Self::verbatim(file, range));
        }
        let mut text = String::with_capacity(raw.len());
        let mut pieces = Vec::new();
        let mut at = 0;
        while let Some(c) = raw[at..].chars().next() {
            let rest = &raw[at..];
            let file = range.start + at;
            let mut copy = |from: usize, length: usize| {
                if length > 0 {
                    pieces.push(Piece::new(text.len(), file + from, 0));
                    text.push_str(&rest[from..from + length]);
                }
            };
            if c == '&' {
                let (c, length) = entity(rest).ok_or_else(|| unknown_entity(rest, file))?;
                pieces.push(Piece::new(text.len(), file, length));
                text.push(c);
                at += length;
            } else if let Some(data) = rest.strip_prefix("<![CDATA[") {
                let length = data.find("]]>").unwrap_or(data.len());
                copy(9, length);
                at += (9 + length + 3).min(rest.len());
            } else if rest.starts_with("<!--") {
                at += rest.find("-->").map_or(rest.len(), |n| n + 3);
            } else if rest.starts_with("<?") {
                at += rest.find("?>").map_or(rest.len(), |n| n + 2);
            } else if c == '<' {
                let length = rest.find('>').map_or(rest.len(), |n| n + 1);
                let place = Some(Span::new(file, file + length));
                let help = "a `<` in a label is written `&lt;`";
                return Err(Diagnostic::error("E0519", "text is expected here, not an element", place)
                    .with_help(help));
            } else {
                let length = rest.find(['&', '<']).unwrap_or(rest.len());
                copy(0, length);
                at += length;
            }
        }
        Ok(Self { text: Cow::Owned(text), pieces, end: range.end })
    }

    /// The decoded text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The bytes of the file that a range of the decoded text came from.
    pub fn span(&self, range: Range<usize>) -> Span {
        if range.start >= self.text.len() {
            return Span::new(self.end, self.end);
        }
        let start = self.locate(range.start).0;
        let end = if range.is_empty() { start } else { self.locate(range.end - 1).1 };
        Span::new(start, end)
    }

    /// Where the byte at that place of a non-empty text begins and ends in the file.
    fn locate(&self, at: usize) -> (usize, usize) {
        let next = self.pieces.partition_point(|piece| piece.at as usize <= at);
        let piece = self.pieces[next - 1];
        let file = piece.file as usize;
        match piece.entity {
            Some(length) => (file, file + usize::from(length.get())),
            None => (file + at - piece.at as usize, file + at - piece.at as usize + 1),
        }
    }
}

/// The character that the entity at the beginning of the text stands for, and the entity's length.
fn entity(text: &str) -> Option<(char, usize)> {
    let end = text.bytes().take(MAX_ENTITY).position(|b| b == b';')?;
    let name = &text[1..end];
    let c = match name {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "quot" => '"',
        "apos" => '\'',
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix('x') {
                Some(hex) => u32::from_str_radix(hex, 16),
                None => number.parse(),
            };
            char::from_u32(code.ok()?)?
        }
    };
    Some((c, end + 1))
}

fn unknown_entity(text: &str, at: usize) -> Diagnostic {
    let length = text.find(';').map_or(1, |n| n + 1);
    Diagnostic::error("E0516", "an entity that is not known", Some(Span::new(at, at + length)))
        .with_help("only &lt; &gt; &amp; &quot; &apos; and character numbers such as &#233; are read")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(file: &str) -> Text<'_> {
        Text::decode(file, 0..file.len()).unwrap()
    }

    #[test]
    fn every_decoded_byte_knows_its_place() {
        let file = "a &lt;= <!-- < --><![CDATA[b&<c]]>&#x44;\u{e9}&amp;";
        let text = decoded(file);
        assert_eq!(text.as_str(), "a <= b&<cD\u{e9}&");
        let part = |wanted: &str| {
            let at = text.as_str().rfind(wanted).unwrap();
            let span = text.span(at..at + wanted.len());
            &file[span.start as usize..span.end as usize]
        };
        assert_eq!(part("a"), "a");
        assert_eq!(part("<="), "&lt;=");
        assert_eq!(part("b&<c"), "b&<c");
        assert_eq!(part("cD"), "c]]>&#x44;");
        assert_eq!(part("D"), "&#x44;");
        assert_eq!(part("\u{e9}"), "\u{e9}");
        assert_eq!(part("&"), "&amp;");
        let end = text.as_str().len();
        assert_eq!(text.span(end..end), Span::new(file.len(), file.len()));
    }

    #[test]
    fn other_entities_and_elements_are_refused() {
        for (file, code) in [("&foo;", "E0516"), ("a<b/>", "E0519"), ("&#xD800;", "E0516"), ("&", "E0516")] {
            assert_eq!(Text::decode(file, 0..file.len()).err().map(|d| d.code), Some(code), "{file}");
        }
    }

    #[test]
    fn empty_text_has_a_place() {
        let text = Text::verbatim("abc", 1..1);
        assert_eq!((text.as_str(), text.span(0..0)), ("", Span::new(1, 1)));
        let text = decoded("<!---->");
        assert_eq!((text.as_str(), text.span(0..0)), ("", Span::new(7, 7)));
    }
}
