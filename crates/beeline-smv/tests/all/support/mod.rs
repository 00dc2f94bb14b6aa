//! Small models, explored by the kernel.
#![allow(dead_code)]

use beeline_check::RelationKernel;
use beeline_ir::property::{Property, PropertyKind};
use beeline_ir::relation::{Relation, RelationRole, RelationVar};

/// A model that must be readable.
pub fn read(text: &str) -> Relation {
    match beeline_smv::read(text, "test.smv") {
        Ok(reading) => reading.relation,
        Err(wrong) => panic!("{text}\n{wrong:#?}"),
    }
}

/// The body of `main`, as a model.
pub fn main(body: &str) -> Relation {
    read(&format!("MODULE main {body}"))
}

/// Codes of what is wrong, with the text at each place.
pub fn errors(text: &str) -> Vec<(&'static str, String)> {
    let wrong = match beeline_smv::read(text, "test.smv") {
        Ok(_) => Vec::new(),
        Err(wrong) => wrong,
    };
    let at = |span: beeline_ir::origin::Span| text[span.start as usize..span.end as usize].to_string();
    wrong.into_iter().map(|d| (d.code, d.span.map_or_else(String::new, at))).collect()
}

fn value(relation: &Relation, var: &RelationVar, value: i64) -> String {
    let table = var.symbols.map(|id| &relation.enums[id]);
    let symbol = table.and_then(|t| t.symbols.iter().find(|(v, _)| *v == value));
    symbol.map_or_else(|| value.to_string(), |(_, name)| name.clone())
}

/// A state as `x=1 b=TRUE`.
pub fn shown(relation: &Relation, state: &[i64]) -> String {
    let stored = relation.vars.iter().filter(|v| v.role != RelationRole::Input);
    let each = stored.zip(state).map(|(var, v)| format!("{}={}", var.name, value(relation, var, *v)));
    each.collect::<Vec<_>>().join(" ")
}

/// All initial states.
pub fn initial(relation: &Relation) -> Vec<String> {
    let states = RelationKernel::new(relation).initial().expect("few initial states");
    states.iter().map(|state| shown(relation, state)).collect()
}

/// The states after one written as [`shown`] does, which must be one of all combinations of values.
pub fn after(relation: &Relation, state: &str) -> Vec<String> {
    let stored: Vec<&RelationVar> = relation.vars.iter().filter(|v| v.role != RelationRole::Input).collect();
    let parts: Vec<&str> = state.split_whitespace().collect();
    assert_eq!(parts.len(), stored.len(), "{state}");
    let values: Vec<i64> = stored
        .iter()
        .zip(parts)
        .map(|(var, part)| {
            let fits = |v: &i64| format!("{}={}", var.name, value(relation, var, *v)) == part;
            var.range.values().find(fits).unwrap_or_else(|| panic!("{part}"))
        })
        .collect();
    let steps = RelationKernel::new(relation).successors(&values).expect("few successors");
    steps.iter().map(|step| shown(relation, &step.state)).collect()
}

/// The number of steps to the nearest target of a property; `None` if there is none.
pub fn distance(relation: &Relation, property: &Property) -> Option<usize> {
    let kernel = RelationKernel::new(relation);
    let mut layer = kernel.initial().expect("few initial states");
    let mut seen: std::collections::BTreeSet<Vec<i64>> = layer.iter().cloned().collect();
    for depth in 0.. {
        if layer.is_empty() {
            return None;
        }
        if layer.iter().any(|state| kernel.holds(property, state)) {
            return Some(depth);
        }
        let mut next = Vec::new();
        for state in &layer {
            for step in kernel.successors(state).expect("few successors") {
                if seen.insert(step.state.clone()) {
                    next.push(step.state);
                }
            }
        }
        layer = next;
    }
    None
}

/// The values that `y : ty`, assigned an expression of `x`, has for each value of `x`.
pub fn table(x: &str, y: &str, expr: &str) -> Vec<(i64, i64)> {
    let relation = main(&format!("VAR x : {x}; y : {y}; ASSIGN y := {expr};"));
    let states = RelationKernel::new(&relation).initial().expect("few initial states");
    states.into_iter().map(|state| (state[0], state[1])).collect()
}

/// Why a property is refused.
pub fn refusal(property: &Property) -> Option<(bool, &str)> {
    match &property.kind {
        PropertyKind::Refused(refusal) => Some((refusal.malformed, &refusal.reason)),
        _ => None,
    }
}
