//! The ends of edges: locations and branchpoints by the names (in XTA) or ids (in XML) that edges give them.

use std::collections::BTreeMap;

use beeline_ir::diagnostic::Diagnostic;
use beeline_ir::origin::Span;

use super::context::Context;
use crate::ast::{Ident, Node};
use crate::near::near;

/// The locations and branchpoints of one template.
#[derive(Default)]
pub(crate) struct Nodes {
    by_name: BTreeMap<String, Node>,
}

impl Nodes {
    /// Adds one; `false` if the name is taken.
    pub fn add(&mut self, name: &str, node: Node) -> bool {
        let free = !self.by_name.contains_key(name);
        if free {
            self.by_name.insert(name.to_string(), node);
        }
        free
    }

    /// What the name stands for; an unknown one is reported.
    pub fn node(&self, name: &Ident, context: &mut Context) -> Option<Node> {
        let node = self.by_name.get(&name.name).copied();
        if node.is_none() {
            let message = format!("there is no location `{}` in this template", name.name);
            let mut diagnostic = Diagnostic::error("E0509", message, Some(name.span));
            if context.shows_errors() {
                let near = near(&name.name, self.by_name.keys().map(String::as_str));
                diagnostic.help = near.map(|near| format!("did you mean `{near}`?"));
            }
            context.error(diagnostic);
        }
        node
    }

    /// The index of a location; anything else is reported.
    pub fn location(&self, name: &Ident, context: &mut Context) -> Option<usize> {
        match self.node(name, context)? {
            Node::Location(at) => Some(at),
            Node::Branchpoint(_) => {
                let message = format!("`{}` is a branchpoint; a location is needed here", name.name);
                context.error(Diagnostic::error("E0509", message, Some(name.span)));
                None
            }
        }
    }
}

/// A template without initial location.
pub(crate) fn no_init(template: &Ident) -> Diagnostic {
    let message = format!("the template `{}` has no initial location", template.name);
    let help = "add `init A;` (in XML `<init ref=\"...\"/>`)";
    Diagnostic::error("E0511", message, Some(template.span)).with_help(help)
}

/// A template with two.
pub(crate) fn second_init(span: Span) -> Diagnostic {
    Diagnostic::error("E0510", "the initial location is given twice", Some(span))
}
