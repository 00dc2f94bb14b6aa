//! A template in XML: its locations, which are known by their ids, and its edges.

use beeline_ir::diagnostic::Diagnostic;
use roxmltree::Node as Xml;

use super::element::{File, span};
use super::shown;
use crate::ast::{Edge, Ident, Location, Node, Template};
use crate::near::near;
use crate::parse::context::Context;
use crate::parse::edge::{Part, plain_edge};
use crate::parse::label;
use crate::parse::nodes::{Nodes, no_init, second_init};

/// Reads a template; one without a name is none.
pub(super) fn read(file: &File<'_>, node: Xml<'_, '_>, context: &mut Context) -> Option<Template> {
    let mut template = Template {
        name: Ident { name: String::new(), span: file.tag(node) },
        params: Vec::new(),
        decls: Vec::new(),
        locations: Vec::new(),
        branchpoints: Vec::new(),
        init: None,
        edges: Vec::new(),
        span: span(node.range()),
    };
    let (mut name, mut name_is_wrong) = (None, false);
    let mut nodes = Nodes::default();
    let (mut inits, mut transitions) = (Vec::new(), Vec::new());
    for node in file.children(node, context) {
        match node.tag_name().name() {
            "name" => {
                let before = context.error_count();
                let text = file.text(node, context);
                name = text.and_then(|text| label::name(&text, context, "the name of the template"));
                name_is_wrong = context.error_count() > before;
            }
            "parameter" => {
                let params = file.text(node, context).map(|text| label::params(&text, context));
                template.params.extend(params.unwrap_or_default());
            }
            "declaration" => {
                let decls = file.text(node, context).map(|text| label::declarations(&text, context));
                template.decls.extend(decls.unwrap_or_default());
            }
            "location" => {
                let at = Node::Location(template.locations.len());
                template.locations.extend(location(file, node, at, &mut nodes, context));
            }
            "branchpoint" => {
                let at = Node::Branchpoint(template.branchpoints.len());
                template.branchpoints.extend(id(file, node, at, &mut nodes, context));
            }
            "init" => inits.push(node),
            "transition" => transitions.push(node),
            _ => file.ignored(node, context),
        }
    }
    for (at, node) in inits.iter().enumerate() {
        if at == 0 {
            let id = file.attribute(*node, "ref", context);
            template.init = id.and_then(|id| nodes.location(&id, context));
        } else {
            context.error(second_init(file.tag(*node)));
        }
    }
    template.edges = transitions.into_iter().filter_map(|node| edge(file, node, &nodes, context)).collect();
    match name {
        Some(name) => template.name = name,
        None if name_is_wrong => return None,
        None => {
            context.error(Diagnostic::error("E0518", "this template has no name", Some(template.name.span)));
            return None;
        }
    }
    if inits.is_empty() {
        context.error(no_init(&template.name));
    }
    Some(template)
}

/// The id of a location or branchpoint, which is entered under it.
fn id(
    file: &File<'_>,
    node: Xml<'_, '_>,
    at: Node,
    nodes: &mut Nodes,
    context: &mut Context,
) -> Option<Ident> {
    let id = file.attribute(node, "id", context)?;
    if !nodes.add(&id.name, at) {
        let message = format!("the id `{}` is used twice in this template", shown(&id.name));
        context.error(Diagnostic::error("E0510", message, Some(id.span)));
    }
    Some(id)
}

fn location(
    file: &File<'_>,
    node: Xml<'_, '_>,
    at: Node,
    nodes: &mut Nodes,
    context: &mut Context,
) -> Option<Location> {
    let id = id(file, node, at, nodes, context)?;
    let name = Ident { name: format!("_{}", id.name), span: file.tag(node) };
    let mut location =
        Location { name, invariant: None, exponential_rate: None, urgent: false, committed: false };
    for node in file.children(node, context) {
        match node.tag_name().name() {
            "name" => {
                let text = file.text(node, context);
                let name = text.and_then(|text| label::name(&text, context, "the name of the location"));
                location.name = name.unwrap_or(location.name);
            }
            "urgent" => location.urgent = true,
            "committed" => location.committed = true,
            "label" => location_label(file, node, &mut location, context),
            _ => file.ignored(node, context),
        }
    }
    Some(location)
}

fn location_label(file: &File<'_>, node: Xml<'_, '_>, location: &mut Location, context: &mut Context) {
    let Some(kind) = file.attribute(node, "kind", context) else { return };
    let slot = match kind.name.as_str() {
        "invariant" => &mut location.invariant,
        "exponentialrate" => &mut location.exponential_rate,
        _ => return other_label(file, node, &kind, &["invariant", "exponentialrate"], context),
    };
    let Some(text) = file.text(node, context) else { return };
    let value = match kind.name.as_str() {
        "invariant" => label::invariant(&text, context),
        _ => label::rate(&text, context),
    };
    if value.is_some() && slot.is_some() {
        let message = format!("the {} of this location is given twice", kind.name);
        context.error(Diagnostic::error("E0510", message, Some(file.tag(node))));
    } else if value.is_some() {
        *slot = value;
    }
}

/// Kinds of labels that are no part of the model: remarks, and what is for UPPAAL's test generator.
const OTHER_LABELS: [&str; 4] = ["comments", "testcode", "testcodeEnter", "testcodeExit"];

/// A label that is no part of the model, or of no kind that there is: it would be missing in the model.
fn other_label(
    file: &File<'_>,
    node: Xml<'_, '_>,
    kind: &Ident,
    kinds: &[&'static str],
    context: &mut Context,
) {
    let empty = node.text().is_none_or(|text| text.trim().is_empty());
    if empty || kind.name == "comments" {
        return;
    }
    if OTHER_LABELS.contains(&kind.name.as_str()) {
        let message = format!("labels of the kind `{}` are ignored", shown(&kind.name));
        context.note("W0503", message, Some(file.tag(node)));
        return;
    }
    let short = |k: &&&str| kind.name.len() > 2 && k.starts_with(&kind.name);
    let meant = match kind.name.as_str() {
        "update" if kinds.contains(&"assignment") => Some("assignment"),
        name => near(name, kinds.iter().copied()).or_else(|| kinds.iter().find(short).copied()),
    };
    let message = format!("there is no kind of label `{}` here", shown(&kind.name));
    let help = match meant {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("the kinds are `{}`; remarks are of the kind `comments`", kinds.join("`, `")),
    };
    context.error(Diagnostic::error("E0520", message, Some(kind.span)).with_help(help));
}

fn edge(file: &File<'_>, node: Xml<'_, '_>, nodes: &Nodes, context: &mut Context) -> Option<Edge> {
    let (mut source, mut target) = (None, None);
    let mut edge = plain_edge(Node::Location(0), Node::Location(0), file.tag(node));
    edge.controllable = node.attribute("controllable") != Some("false");
    let mut first_label = None;
    for child in file.children(node, context) {
        match child.tag_name().name() {
            "source" => {
                source = file.attribute(child, "ref", context).and_then(|id| nodes.node(&id, context))
            }
            "target" => {
                target = file.attribute(child, "ref", context).and_then(|id| nodes.node(&id, context))
            }
            "label" => {
                let Some(kind) = file.attribute(child, "kind", context) else { continue };
                let Some(part) = Part::ALL.into_iter().find(|part| part.name() == kind.name) else {
                    other_label(file, child, &kind, &Part::ALL.map(Part::name), context);
                    continue;
                };
                if let Some(text) = file.text(child, context) {
                    label::edge_part(&text, context, part, &mut edge);
                    if !text.as_str().trim().is_empty() {
                        first_label.get_or_insert_with(|| span(file.trimmed_content(child)));
                    }
                }
            }
            // Where the edge bends on the screen.
            "nail" => {}
            _ => file.ignored(child, context),
        }
    }
    for (name, end) in [("source", source), ("target", target)] {
        if end.is_none() && !node.children().any(|child| child.has_tag_name(name)) {
            let message = format!("this transition has no `{name}`");
            context.error(Diagnostic::error("E0518", message, Some(edge.span)));
        }
    }
    (edge.source, edge.target) = (source?, target?);
    edge.span = first_label.unwrap_or(edge.span);
    Some(edge)
}
