//! The XML form.

use super::xta::noise;
use super::{Document, TemplateText};
use crate::random::Random;

/// The whole file.
pub(super) fn layout(document: &Document, random: &mut Random) -> String {
    let mut text = String::new();
    if random.chance(70) {
        text += "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n";
    }
    if random.chance(60) {
        text += "<!DOCTYPE nta PUBLIC '-//Uppaal Team//DTD Flat System 1.1//EN' 'http://example.invalid/flat.dtd'>\n";
    }
    text += "<nta>\n";
    text += &element("declaration", "", &document.declarations, random);
    for template in &document.templates {
        text += &self::template(template, random);
    }
    let system = if random.chance(30) {
        text += &element("instantiation", "", &document.instances, random);
        document.system.clone()
    } else {
        format!("{}{}", document.instances, document.system)
    };
    text += &element("system", "", &system, random);
    text += "<queries>\n";
    for query in &document.queries {
        text += "<query>\n";
        text += &element("formula", "", query, random);
        text += "<comment>Is it &lt;so&gt;?</comment>\n</query>\n";
    }
    text + "</queries>\n</nta>\n"
}

fn template(template: &TemplateText, random: &mut Random) -> String {
    let mut text = String::from("<template>\n");
    text += &format!("<name x=\"5\" y=\"5\">{}</name>\n", template.name);
    if !template.params.is_empty() {
        text += &element("parameter", "", &template.params, random);
    }
    if !template.declarations.is_empty() {
        text += &element("declaration", "", &template.declarations, random);
    }
    for (i, location) in template.locations.iter().enumerate() {
        text +=
            &format!("<location id=\"id{i}\" x=\"{}\" y=\"0\">\n<name>{}</name>\n", 100 * i, location.name);
        text += &label("invariant", &location.invariant, random);
        if location.urgent {
            text += "<urgent/>\n";
        }
        if location.committed {
            text += "<committed/>\n";
        }
        text += "</location>\n";
    }
    text += &format!("<init ref=\"id{}\"/>\n", template.initial);
    for edge in &template.edges {
        text += "<transition>\n";
        text += &format!("<source ref=\"id{}\"/>\n<target ref=\"id{}\"/>\n", edge.source, edge.target);
        text += &label("select", &edge.select, random);
        text += &label("guard", &edge.guard, random);
        text += &label("synchronisation", &edge.sync, random);
        text += &label("assignment", &edge.update, random);
        if random.chance(20) {
            text += "<!-- a corner --><nail x=\"1\" y=\"2\"/>\n";
        }
        text += "</transition>\n";
    }
    text + "</template>\n"
}

/// A label; sometimes an empty one where there is nothing to say.
fn label(kind: &str, content: &str, random: &mut Random) -> String {
    if content.is_empty() && !random.chance(10) {
        return String::new();
    }
    element("label", &format!(" kind=\"{kind}\" x=\"1\" y=\"1\""), content, random)
}

fn element(name: &str, attributes: &str, content: &str, random: &mut Random) -> String {
    let content = noise(content, random);
    let content = if random.chance(20) {
        format!("<![CDATA[{content}]]>")
    } else {
        content.chars().map(|c| escaped(c, random)).collect()
    };
    format!("<{name}{attributes}>{content}</{name}>\n")
}

fn escaped(c: char, random: &mut Random) -> String {
    let named = match c {
        '<' => "&lt;",
        '>' => "&gt;",
        '&' => "&amp;",
        '"' => "&quot;",
        '\'' => "&apos;",
        _ if random.below(300) > 0 => return c.to_string(),
        _ => "",
    };
    match random.below(6) {
        0 => format!("&#{};", c as u32),
        1 => format!("&#x{:X};", c as u32),
        _ if named.is_empty() => c.to_string(),
        _ => named.to_string(),
    }
}
