//! Where a message belongs in the model as an editor shows it, which has no lines: "in template Sender, edge
//! success -> idle, guard".

use beeline_ir::diagnostic::Diagnostic;
use roxmltree::Node;

use super::{Tree, guard, options};

/// Most elements of a template among which the name of a location is looked for; locations come first.
const MAX_SIBLINGS: usize = 10_000;

/// Adds to each message that has a place what that place is called. A text that is no XML is left alone.
pub(crate) fn name_places(text: &str, diagnostics: &mut [Diagnostic]) {
    if diagnostics.iter().all(|d| d.span.is_none()) || guard::check(text).is_err() {
        return;
    }
    let Ok(tree) = Tree::parse_with_options(text, options()) else { return };
    let nodes: Vec<Node<'_, '_>> = tree.descendants().collect();
    for diagnostic in diagnostics {
        let Some(span) = diagnostic.span else { continue };
        let place = place(&nodes, span.start as usize);
        let said = |word: &String| {
            let name = word.strip_prefix("template ");
            name.is_some_and(|name| diagnostic.message.contains(&format!("template `{name}`")))
        };
        match place.as_slice() {
            [] => {}
            [only] if said(only) => {}
            words => diagnostic.message.push_str(&format!(" (in {})", words.join(", "))),
        }
    }
}

/// The names of the elements around a place, outermost first; the nodes are in the order of the file.
fn place(nodes: &[Node<'_, '_>], at: usize) -> Vec<String> {
    let next = nodes.partition_point(|node| node.range().start <= at);
    let Some(last) = next.checked_sub(1).and_then(|last| nodes.get(last)) else { return Vec::new() };
    // A place at the end of an element's text is before its closing tag, so inside.
    let around = last.ancestors().filter(|node| node.is_element() && node.range().contains(&at));
    let mut words: Vec<String> = around.filter_map(word).collect();
    words.reverse();
    words
}

/// What an element is called, if that helps to find it.
fn word(node: Node<'_, '_>) -> Option<String> {
    let name = child_text(node, "name");
    let inside = |name: &str| node.parent().is_some_and(|parent| parent.has_tag_name(name));
    Some(match node.tag_name().name() {
        "declaration" if inside("template") => "its declarations".to_string(),
        "declaration" => "the global declarations".to_string(),
        "instantiation" | "system" => "the system declarations".to_string(),
        "parameter" => "its parameters".to_string(),
        "template" => format!("template {}", name?),
        "location" => format!("location {}", name.or(node.attribute("id"))?),
        "transition" => format!("edge {} -> {}", end(node, "source"), end(node, "target")),
        "label" => node.attribute("kind")?.to_string(),
        "query" => "a query".to_string(),
        _ => return None,
    })
}

/// What an end of an edge is called.
fn end<'n>(edge: Node<'n, '_>, which: &str) -> &'n str {
    let id = edge.children().find(|n| n.has_tag_name(which)).and_then(|n| n.attribute("ref"));
    let mut siblings = edge.parent().into_iter().flat_map(|t| t.children()).take(MAX_SIBLINGS);
    let location = id.and_then(|id| siblings.find(|n| n.attribute("id") == Some(id)));
    location.and_then(|n| child_text(n, "name")).or(id).unwrap_or("?")
}

fn child_text<'n>(node: Node<'n, '_>, name: &str) -> Option<&'n str> {
    let text = node.children().find(|n| n.has_tag_name(name))?.text()?.trim();
    (!text.is_empty() && text.len() <= 60).then_some(text)
}
