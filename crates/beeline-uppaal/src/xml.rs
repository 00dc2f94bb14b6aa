//! Models in XML. The library only finds the elements; the text of each is decoded here, so that every place in
//! it is a place in the file. What is not known is ignored with a note.

pub(crate) mod context;
mod element;
mod guard;
mod malformed;
mod template;

use beeline_ir::diagnostic::Diagnostic;
use roxmltree::{Document as Tree, Node, ParsingOptions};

use crate::ast::{Decl, Document, Item, Query};
use crate::parse::context::Context;
use crate::parse::cursor::Parser;
use crate::query;
use element::File;

/// Most elements, texts and comments of a file.
const MAX_NODES: u32 = 1_000_000;

/// Reads a model. Fails only if the text is no XML that can be read, or no model at all.
pub(crate) fn read(text: &str, document: &mut Document, context: &mut Context) -> Result<(), Diagnostic> {
    guard::check(text)?;
    let tree = Tree::parse_with_options(text, options()).map_err(|e| malformed::malformed(text, &e))?;
    let root = tree.root_element();
    let file = File::new(text);
    if !matches!(root.tag_name().name(), "nta" | "project") {
        let message = format!("expected the element `nta`, found `{}`", shown(root.tag_name().name()));
        let help = "this is XML, but no UPPAAL model";
        return Err(Diagnostic::error("E0518", message, Some(file.tag(root))).with_help(help));
    }
    for node in file.children(root, context) {
        match node.tag_name().name() {
            "declaration" | "instantiation" | "system" => {
                if let Some(text) = file.text(node, context) {
                    Parser::new(&text, context).items(document);
                }
            }
            "template" => {
                let template = template::read(&file, node, context);
                document.items.extend(template.map(Item::Template));
            }
            "imports" => {
                if file.text(node, context).is_some_and(|text| !text.as_str().trim().is_empty()) {
                    document.items.push(Item::Decl(Decl::Unsupported("imports", file.tag(node))));
                }
            }
            "lsc" => {
                let what = "lsc (a live sequence chart)";
                document.items.push(Item::Decl(Decl::Unsupported(what, file.tag(node))));
            }
            "queries" => queries(&file, node, document, context),
            _ => file.ignored(node, context),
        }
    }
    Ok(())
}

fn options<'t>() -> ParsingOptions<'t> {
    ParsingOptions { allow_dtd: true, nodes_limit: MAX_NODES, ..ParsingOptions::default() }
}

fn queries(file: &File<'_>, node: Node<'_, '_>, document: &mut Document, context: &mut Context) {
    for node in file.children(node, context) {
        match node.tag_name().name() {
            "query" => document.queries.extend(query(file, node, context)),
            // How UPPAAL would search; the answer does not depend on it.
            "option" => {}
            _ => file.ignored(node, context),
        }
    }
}

fn query(file: &File<'_>, node: Node<'_, '_>, context: &mut Context) -> Option<Query> {
    let (mut query, mut comment, mut expected, mut result) = (None, None, None, None);
    for node in file.children(node, context) {
        match node.tag_name().name() {
            "formula" => {
                let text = file.text(node, context);
                query = text.and_then(|text| query::of_text(&text, &mut context.tokens_left));
            }
            "comment" => {
                comment = file.text(node, context).map(|text| text.as_str().trim().to_string());
            }
            "expect" => expected = outcome(node).or(expected),
            "result" => result = outcome(node).or(result),
            "option" => {}
            _ => file.ignored(node, context),
        }
    }
    let comment = comment.filter(|comment| !comment.is_empty());
    query.map(|query| Query { comment, recorded: result.or(expected), ..query })
}

/// The verdict that an `expect` or `result` records.
fn outcome(node: Node<'_, '_>) -> Option<bool> {
    match node.attribute("outcome") {
        Some("success") => Some(true),
        Some("failure") => Some(false),
        _ => None,
    }
}

/// A name, cut if it is very long.
fn shown(name: &str) -> String {
    name.chars().take(40).collect()
}
