//! The text form: the first state in full, then what changes.

use beeline_ir::property::{Property, PropertyKind};
use beeline_ir::relation::Relation;
use beeline_ir::trace::RelationRun;

use super::{inputs, state};

/// A run that leads to a property's target; without the property, nothing is said of what it shows.
pub fn nusmv_trace(relation: &Relation, property: Option<&Property>, run: &RelationRun) -> String {
    let mut out = property.map_or_else(String::new, claim);
    let mut put =
        |kind: &str, number: usize, values: &[(&str, String)], before: Option<&[(&str, String)]>| {
            out.push_str(&format!("  -> {kind}: 1.{number} <-\n"));
            for (i, (name, value)) in values.iter().enumerate() {
                if before.is_none_or(|before| before[i].1 != *value) {
                    out.push_str(&format!("    {name} = {value}\n"));
                }
            }
        };
    let mut before = state(relation, &run.initial);
    let mut inputs_before: Option<Vec<(&str, String)>> = None;
    put("State", 1, &before, None);
    for (number, step) in (2..).zip(&run.steps) {
        let chosen = inputs(relation, &step.inputs);
        if !chosen.is_empty() {
            put("Input", number, &chosen, inputs_before.as_deref());
        }
        let after = state(relation, &step.state);
        put("State", number, &after, Some(&before));
        (before, inputs_before) = (after, Some(chosen));
    }
    out
}

/// What the run shows, as NuSMV says it.
fn claim(property: &Property) -> String {
    let text = property.text.as_deref().unwrap_or("property");
    let keywords = [("INVARSPEC ", "invariant"), ("LTLSPEC ", "specification"), ("SPEC ", "specification")];
    let named = keywords.into_iter().find_map(|(keyword, noun)| Some((noun, text.strip_prefix(keyword)?)));
    let (noun, formula) = named.unwrap_or(("specification", text));
    let (holds, kind) = match property.kind {
        PropertyKind::Exists(_) => ("true", "Witness"),
        _ => ("false", "Counterexample"),
    };
    format!(
        "-- {noun} {formula}  is {holds}\n-- as demonstrated by the following execution sequence\n\
         Trace Description: {kind}\nTrace Type: {kind}\n"
    )
}
