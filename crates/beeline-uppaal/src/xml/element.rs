//! Elements of an XML file and the places of their parts. The library's ranges of text nodes are not exact where
//! CDATA and comments meet, so the content of an element is found from its tags.

use std::ops::Range;

use beeline_ir::diagnostic::Diagnostic;
use beeline_ir::origin::Span;
use roxmltree::{Attribute, Node};

use super::guard::Tag;
use super::shown;
use crate::ast::Ident;
use crate::lex::MAX_NAME;
use crate::parse::context::Context;
use crate::source::Text;

/// The file that the elements are in.
pub(super) struct File<'x> {
    text: &'x str,
}

/// A range as a place.
pub(super) fn span(range: Range<usize>) -> Span {
    Span::new(range.start, range.end)
}

impl<'x> File<'x> {
    /// A file with that text.
    pub fn new(text: &'x str) -> Self {
        Self { text }
    }

    /// The range of an element's first tag.
    fn tag_range(&self, node: Node<'_, '_>) -> Range<usize> {
        let range = node.range();
        let tag = Tag::scan(&self.text[range.clone()]).length;
        range.start..tag.map_or(range.end, |length| range.start + length + 1)
    }

    /// The place of an element's first tag.
    pub fn tag(&self, node: Node<'_, '_>) -> Span {
        span(self.tag_range(node))
    }

    /// The range between an element's tags.
    pub fn content(&self, node: Node<'_, '_>) -> Range<usize> {
        let tag = self.tag_range(node);
        let inside = tag.end..node.range().end;
        let end = self.text.get(inside).and_then(|rest| rest.rfind("</"));
        tag.end..end.map_or(tag.end, |length| tag.end + length)
    }

    /// The range between an element's tags without the blanks at its ends.
    pub fn trimmed_content(&self, node: Node<'_, '_>) -> Range<usize> {
        let content = self.content(node);
        let raw = &self.text[content.clone()];
        let start = content.start + raw.len() - raw.trim_start().len();
        start..start + raw.trim().len()
    }

    /// The text of an element; what cannot be text is reported.
    pub fn text(&self, node: Node<'_, '_>, context: &mut Context) -> Option<Text<'x>> {
        Text::decode(self.text, self.content(node)).map_err(|diagnostic| context.error(diagnostic)).ok()
    }

    /// The elements inside an element; text beside them is noted.
    pub fn children<'a, 'd>(&self, node: Node<'a, 'd>, context: &mut Context) -> Vec<Node<'a, 'd>> {
        let blank = |node: Node<'_, '_>| node.text().is_none_or(|text| text.trim().is_empty());
        if let Some(text) = node.children().find(|child| child.is_text() && !blank(*child)) {
            let message = format!("text directly inside of `{}` is ignored", shown(node.tag_name().name()));
            context.note("W0503", message, Some(span(text.range())));
        }
        node.children().filter(Node::is_element).collect()
    }

    /// Notes an element that says nothing to us.
    pub fn ignored(&self, node: Node<'_, '_>, context: &mut Context) {
        let message = format!("the element `{}` is not known, and is ignored", shown(node.tag_name().name()));
        context.note("W0503", message, Some(self.tag(node)));
    }

    /// An attribute that must be there, with its place.
    pub fn attribute(&self, node: Node<'_, '_>, name: &str, context: &mut Context) -> Option<Ident> {
        let found = node.attributes().find(|attribute| attribute.name() == name);
        if found.is_none() {
            let message = format!("this `{}` has no attribute `{name}`", shown(node.tag_name().name()));
            context.error(Diagnostic::error("E0518", message, Some(self.tag(node))));
        }
        let attribute: Attribute<'_, '_> = found?;
        let place = span(attribute.range_value());
        if attribute.value().len() > MAX_NAME {
            let message = format!("this {name} is longer than 1,000 characters");
            context.error(Diagnostic::error("E0501", message, Some(place)));
            return None;
        }
        Some(Ident { name: attribute.value().to_string(), span: place })
    }
}
