//! The XML form: every state and input in full.

use beeline_ir::relation::Relation;
use beeline_ir::trace::RelationRun;

use super::{inputs, state};

/// A run.
pub fn nusmv_xml(relation: &Relation, run: &RelationRun) -> String {
    let mut out = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<counter-example type=\"0\" id=\"1\" desc=\"Counterexample\" >\n",
    );
    let states = [&run.initial].into_iter().chain(run.steps.iter().map(|step| &step.state));
    for (at, values) in states.enumerate() {
        out.push_str("\t<node>\n");
        put(&mut out, "state", at + 1, &state(relation, values));
        // The input that leads to the next state.
        if let Some(step) = run.steps.get(at) {
            put(&mut out, "input", at + 2, &inputs(relation, &step.inputs));
        }
        out.push_str("\t</node>\n");
    }
    out.push_str("\t<loops> </loops>\n</counter-example>\n");
    out
}

fn put(out: &mut String, element: &str, id: usize, values: &[(&str, String)]) {
    out.push_str(&format!("\t\t<{element} id=\"{id}\">\n"));
    for (name, value) in values {
        out.push_str(&format!("\t\t\t<value variable=\"{}\">{}</value>\n", escaped(name), escaped(value)));
    }
    out.push_str(&format!("\t\t</{element}>\n"));
}

/// Names of other languages may hold anything.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out
}
