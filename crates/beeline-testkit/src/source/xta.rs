//! The textual form.

use super::{Document, EdgeText, TemplateText};
use crate::random::Random;

/// The whole file.
pub(super) fn layout(document: &Document, old: bool, random: &mut Random) -> String {
    let mut text = noise(&document.declarations, random);
    text.push('\n');
    for template in &document.templates {
        text += &noise(&process(template, old, random), random);
        text.push('\n');
    }
    text += &noise(&document.instances, random);
    text += &noise(&document.system, random);
    text
}

fn process(template: &TemplateText, old: bool, random: &mut Random) -> String {
    let mut text = format!("process {}({}) {{\n{}\n", template.name, template.params, template.declarations);
    let states: Vec<String> = template
        .locations
        .iter()
        .map(|l| {
            if l.invariant.is_empty() { l.name.clone() } else { format!("{} {{ {} }}", l.name, l.invariant) }
        })
        .collect();
    text += &format!("state {};\n", states.join(", "));
    let named = |keep: fn(&super::LocationText) -> bool| {
        let names: Vec<&str> =
            template.locations.iter().filter(|l| keep(l)).map(|l| l.name.as_str()).collect();
        names.join(", ")
    };
    for (word, names) in [("commit", named(|l| l.committed)), ("urgent", named(|l| l.urgent))] {
        if !names.is_empty() {
            text += &format!("{word} {names};\n");
        }
    }
    text += &format!("init {};\n", template.locations[template.initial].name);
    let mut edges = Vec::new();
    for (i, edge) in template.edges.iter().enumerate() {
        // An edge without source starts where the one before it does.
        let again = i > 0 && template.edges[i - 1].source == edge.source && random.chance(60);
        let source = if again { "" } else { template.locations[edge.source].name.as_str() };
        edges.push(format!("{source} -> {} {{ {} }}", template.locations[edge.target].name, labels(edge)));
    }
    if !edges.is_empty() {
        text += &format!("trans {};\n", edges.join(",\n"));
    }
    // The old syntax has no empty parameter list.
    let text = if old { text.replacen("()", "", 1) } else { text };
    text + "}\n"
}

fn labels(edge: &EdgeText) -> String {
    let all =
        [("select", &edge.select), ("guard", &edge.guard), ("sync", &edge.sync), ("assign", &edge.update)];
    let all = all.into_iter().filter(|(_, text)| !text.is_empty());
    all.map(|(word, text)| format!("{word} {text};")).collect::<Vec<_>>().join(" ")
}

/// The same tokens with other white space and comments between them.
pub(super) fn noise(text: &str, random: &mut Random) -> String {
    let mut result = String::new();
    for c in text.chars() {
        match (c, random.below(40)) {
            (' ', 0) => result += "\n\t",
            (' ', 1) => result += " /* <b> && \"it\" */ ",
            (' ', 2) => result += " // } */ { ;\n",
            (' ', 3) => result += "   ",
            _ => result.push(c),
        }
    }
    result
}
