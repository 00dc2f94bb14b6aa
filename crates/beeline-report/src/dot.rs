//! Graphs for Graphviz: a trace as a chain of states, a network as one cluster per process, or as its causal graph.

use crate::story::{Moment, Story};
use crate::words::Words;
use beeline_ir::ProcessId;
use beeline_ir::model::Model;
use beeline_ir::network::{Process, Role};
use std::fmt::Write;

/// A trace: one node per state, one arrow per step. A node lists what changed since the one before it.
pub fn trace(story: &Story<'_>) -> String {
    let mut out =
        String::from("digraph trace {\n  rankdir=TB;\n  node [shape=box, fontname=\"monospace\"];\n");
    let view = &story.view;
    let start: Vec<String> =
        view.items().iter().map(|i| format!("{} = {}", i.name, view.value(i, &story.start.slots))).collect();
    node(&mut out, 0, &story.start, &start, story);
    let mut before = &story.start;
    for (i, step) in story.steps.iter().enumerate() {
        let target = i + 1;
        let label = format!("{target}. after {}\n{}", step.delay, step.label());
        let _ = writeln!(out, "  s{i} -> s{target} [label={}];", quoted(&label));
        match &step.after {
            Some(after) => {
                node(&mut out, target, after, &story.changes(before, after), story);
                before = after;
            }
            None => {
                let failure = step.failure.as_deref().unwrap_or("fails");
                let _ = writeln!(out, "  s{target} [label={}, shape=octagon];", quoted(failure));
            }
        }
    }
    if let Some(end) = &story.end {
        let (last, target) = (story.steps.len(), story.steps.len() + 1);
        let label = quoted(&format!("wait {}", story.last_delay));
        let _ = writeln!(out, "  s{last} -> s{target} [label={label}];");
        node(&mut out, target, end, &[], story);
    }
    out.push_str("}\n");
    out
}

fn node(out: &mut String, id: usize, moment: &Moment, lines: &[String], story: &Story<'_>) {
    let clocks = story.clocks.iter().zip(&moment.clocks).map(|(name, value)| format!("{name} = {value}"));
    let head = std::iter::once(format!("{id} at {}", moment.time));
    let text: Vec<String> = head.chain(lines.iter().cloned()).chain(clocks).collect();
    let _ = writeln!(out, "  s{id} [label={}];", quoted(&text.join("\n")));
}

/// The automata of a network, or the variables of a relation.
pub fn model(model: &Model) -> String {
    let mut out = format!("digraph {} {{\n  node [fontname=\"monospace\"];\n", quoted(model.name()));
    match model {
        Model::Network(network) => {
            let words = Words::new(model);
            for (id, process) in network.processes.enumerate() {
                automaton(&mut out, id, process, words.as_ref());
            }
        }
        Model::Relation(relation) => {
            for (i, var) in relation.vars.iter().enumerate() {
                let text = format!("{} in {}..{}", var.name, var.range.lo, var.range.hi);
                let _ = writeln!(out, "  v{i} [shape=box, label={}];", quoted(&text));
            }
        }
    }
    out.push_str("}\n");
    out
}

fn automaton(out: &mut String, id: ProcessId, process: &Process, words: Option<&Words<'_>>) {
    let index = id.index();
    let _ = writeln!(out, "  subgraph cluster_{index} {{");
    let role = if process.role == Role::Observer { "observer " } else { "" };
    let _ = writeln!(out, "    label={};", quoted(&format!("{role}{}", process.name)));
    for (at, location) in process.locations.enumerate() {
        let flags =
            [(location.committed, "committed"), (location.urgent, "urgent"), (location.atomic, "atomic")];
        let flags = flags.iter().filter(|(on, _)| *on).map(|(_, word)| (*word).to_string());
        let invariant = words.and_then(|w| w.invariant(id, location));
        let lines = std::iter::once(location.name.clone()).chain(flags).chain(invariant);
        let text = quoted(&lines.collect::<Vec<_>>().join("\n"));
        let shape = if at == process.initial { "doublecircle" } else { "circle" };
        let _ = writeln!(out, "    p{index}_{} [shape={shape}, label={text}];", at.index());
    }
    for (number, edge) in process.edges.enumerate() {
        let details = words.map_or_else(Vec::new, |w| w.details(id, number));
        let text = quoted(&details.join("\n"));
        let (from, to) = (edge.source.index(), edge.target.index());
        let _ = writeln!(out, "    p{index}_{from} -> p{index}_{to} [label={text}];");
    }
    out.push_str("  }\n");
}

/// A node of a causal graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Factor {
    /// Its name.
    pub name: String,
    /// Whether it is an automaton, and not an integer.
    pub automaton: bool,
    /// Whether the target is about it.
    pub asked: bool,
}

/// Graphs with more arcs than this are drawn without numbers.
const MOST_NUMBERED: usize = 100;

/// A causal graph. Arcs go from one factor to another, given by their places, with the number of labels behind them.
pub fn causal_graph(name: &str, caption: &str, factors: &[Factor], arcs: &[(usize, usize, u32)]) -> String {
    let mut out = format!("digraph {} {{\n  node [fontname=\"monospace\"];\n", quoted(name));
    let _ = writeln!(out, "  label={};", quoted(caption));
    for (at, factor) in factors.iter().enumerate() {
        let shape = if factor.automaton { "box" } else { "ellipse" };
        let style = if factor.asked { ", style=bold, peripheries=2" } else { "" };
        let _ = writeln!(out, "  f{at} [shape={shape}{style}, label={}];", quoted(&factor.name));
    }
    for (from, to, labels) in arcs {
        let number = if arcs.len() <= MOST_NUMBERED { format!(" [label={labels}]") } else { String::new() };
        let _ = writeln!(out, "  f{from} -> f{to}{number};");
    }
    out.push_str("}\n");
    out
}

/// A DOT string: quotes and backslashes escaped, line breaks as `\n`, other control characters dropped.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
