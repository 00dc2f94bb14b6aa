//! Traces as NuSMV writes them: its text (`text`; `read` reads it), and its XML (`xml`), which NuSMV reads again with
//! `read_trace`.
//! Frozen variables come first. The input of a step stands before the state it leads to, and has its number.

mod read;
mod text;
mod xml;

use beeline_ir::relation::{Relation, RelationRole, RelationVar};

use crate::lower::{SIGNED, UNSIGNED};
use crate::types::word_text;
pub use read::{States, read_nusmv_traces};
pub use text::nusmv_trace;
pub use xml::nusmv_xml;

/// Names and values of the state and frozen variables of a state.
fn state<'r>(relation: &'r Relation, values: &[i64]) -> Vec<(&'r str, String)> {
    let stored = || relation.vars.iter().filter(|v| v.role != RelationRole::Input).zip(values);
    let of = |frozen: bool| stored().filter(move |(var, _)| (var.role == RelationRole::Frozen) == frozen);
    of(true).chain(of(false)).map(|(var, value)| (var.name.as_str(), shown(relation, var, *value))).collect()
}

/// Names and values of the inputs of a step.
fn inputs<'r>(relation: &'r Relation, values: &[i64]) -> Vec<(&'r str, String)> {
    let inputs = relation.vars.iter().filter(|v| v.role == RelationRole::Input).zip(values);
    inputs.map(|(var, value)| (var.name.as_str(), shown(relation, var, *value))).collect()
}

/// A value as the language writes it.
fn shown(relation: &Relation, var: &RelationVar, value: i64) -> String {
    let table = var.symbols.and_then(|id| relation.enums.get(id));
    let symbol = table.and_then(|table| table.symbols.iter().find(|(number, _)| *number == value));
    if let Some((_, name)) = symbol {
        return name.clone();
    }
    match var.origin.as_ref().map(|origin| origin.native.as_slice()) {
        Some([kind @ (SIGNED | UNSIGNED), width]) => {
            word_text(*kind == SIGNED, u32::try_from(*width).unwrap_or(0), value)
        }
        _ => value.to_string(),
    }
}
