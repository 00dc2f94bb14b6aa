//! Answers as JSON, under the names that users' scripts rely on.

use crate::answer::{Answer, Database, TraceAnswer, grade_word, shortest_word, verdict_word};
use crate::trace_json;
use beeline_ir::model::Model;
use beeline_ir::outcome::Stats;
use serde_json::{Value, json};

/// One answer: an element of `"results"`.
pub fn answer(model: &Model, answer: &Answer<'_>) -> Value {
    json!({
        "property": answer.property,
        "name": answer.name,
        "verdict": verdict_word(answer.verdict),
        "reachable": answer.reachable,
        "reason": answer.reason,
        "trace": answer.trace.as_ref().map(|t| trace_answer(model, t)),
        "certificate": grade_word(answer.certificate),
        "certificate_note": answer.certificate_note,
        "lower_bound": answer.lower_bound,
        "warnings": answer.warnings,
        "config": {
            "mode": answer.config.mode,
            "search": answer.config.search,
            "heuristic": answer.config.heuristics,
            "engine": answer.config.engine,
            "partial_order": answer.config.partial_order,
            "extrapolation": answer.config.extrapolation,
            "symmetry": answer.config.symmetry,
            "storage": answer.config.storage,
            "seed": answer.config.seed,
            "h_initial": answer.config.h_initial,
            "auto": answer.config.auto,
            "remarks": answer.config.remarks,
            "reduced": answer.config.reduced.as_ref().map(|(edges, narrowed)| {
                json!({ "edges": edges, "narrowed": narrowed })
            }),
            "tables": answer.config.tables.iter().map(|(entries, layers)| {
                json!({ "entries": entries, "layers": layers })
            }).collect::<Vec<Value>>(),
            "databases": answer.config.databases.iter().map(database).collect::<Vec<Value>>(),
            "outside_cone": answer.config.outside,
            "safe_abstraction": answer.config.removed.as_ref().map(|(factors, inserted)| {
                json!({ "removed": factors, "inserted": inserted })
            }),
        },
        "stats": stats(&answer.stats),
    })
}

fn database(database: &Database) -> Value {
    json!({
        "variables": database.variables,
        "of": database.of,
        "layers": database.layers,
        "nodes": database.nodes,
        "complete": database.complete,
        "refinements": database.refinements,
        "parts": database.parts,
    })
}

/// A trace with what is known of it. `beeline replay` reads it back.
pub fn trace_answer(model: &Model, answer: &TraceAnswer<'_>) -> Value {
    let mut object = trace_json::write(model, &answer.trace, &answer.story.labels());
    object.insert("length".into(), answer.story.length.into());
    object.insert("shortest".into(), shortest_word(answer.shortest).into());
    object.insert("replayed".into(), true.into());
    if let Some((_, depth)) = &answer.trail {
        object.insert("spin_depth".into(), (*depth).into());
    }
    let failure = answer.story.steps.last().and_then(|step| step.failure.clone());
    object.insert("failure".into(), failure.into());
    Value::Object(object)
}

fn stats(stats: &Stats) -> Value {
    json!({
        "expanded": stats.expanded,
        "generated": stats.generated,
        "evaluated": stats.evaluated,
        "stored": stats.stored,
        "reopened": stats.reopened,
        "subsumed": stats.subsumed,
        "dead_ends": stats.dead_ends,
        "left_out": stats.left_out,
        "total_nodes": stats.total_nodes,
        "preprocess_seconds": stats.preprocess_seconds,
        "search_seconds": stats.search_seconds,
        "check_seconds": stats.check_seconds,
        "total_seconds": stats.total_seconds,
        "peak_bytes": stats.peak_bytes,
        "coverage": stats.coverage.map(|coverage| json!({
            "storage": coverage.storage(),
            "states": coverage.states,
            "hash_factor": coverage.hash_factor(),
            "expected_omissions": coverage.expected_omissions,
        })),
    })
}
