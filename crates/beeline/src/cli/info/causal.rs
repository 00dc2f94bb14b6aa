//! `info --dot`: the causal graph (Wehrle and Helmert, SAS 2009), which h^CG and the safe abstraction look at.

use crate::cli::{Exit, Output, Stop};
use beeline::properties;
use beeline_abstraction::Factor;
use beeline_ir::layout::Layout;
use beeline_ir::limits::{Limits, StopReason};
use beeline_ir::model::Model;
use beeline_ir::network::Network;
use beeline_ir::property::Property;
use beeline_program::factored::causal::CausalGraph;
use beeline_program::factored::{Factored, Meter};
use beeline_report::dot;
use beeline_report::view::plain;
use std::collections::BTreeSet;

/// Layouts of graphs with more nodes take long; they are printed all the same, for programs and other layouts.
const LARGE: usize = 500;
/// Names that are listed before the rest is only counted.
const MOST_NAMES: usize = 10;

/// Prints the graph of the first property; what it asks about is marked.
pub fn draw(model: &Model, listed: &[Property], output: &mut Output) -> Result<(), Stop> {
    let Model::Network(network) = model else {
        let message = "a relation has no causal graph in this version; --dot-automata draws its variables";
        return Err(Stop::Message(Exit::Unsupported, message.into()));
    };
    let property = listed.first();
    let limits = Limits::default();
    let meter = Meter::new(&limits);
    let stopped = |reason: StopReason| Stop::Message(Exit::Unknown, reason.message().into());
    let factored = Factored::new(network, property, &meter).map_err(stopped)?;
    let graph = CausalGraph::new(&factored, &meter).map_err(stopped)?;
    let asked: BTreeSet<usize> = factored.goal_slots().into_iter().collect();
    let (factors, arcs) = drawing(network, &graph, &asked);
    output.err(&remarks(network, &factored, factors.len()));
    let caption = property.map(|property| plain(&properties::shown(model, property)));
    output.out(&dot::causal_graph(&network.name, &caption.unwrap_or_default(), &factors, &arcs));
    Ok(())
}

/// The factors that have arcs or are asked about, and the arcs.
fn drawing(
    network: &Network,
    graph: &CausalGraph,
    asked: &BTreeSet<usize>,
) -> (Vec<dot::Factor>, Vec<(usize, usize, u32)>) {
    let layout = Layout::of_network(network);
    let ends = graph.predecessors.iter().enumerate();
    let ends = ends.flat_map(|(to, arcs)| arcs.iter().flat_map(move |(from, _)| [*from, to]));
    let drawn: BTreeSet<usize> = ends.chain(asked.iter().copied()).collect();
    let mut place = vec![None; layout.slots.len()];
    let mut factors = Vec::new();
    for slot in drawn {
        let Some(factor) = Factor::of(&layout.slots[slot]) else { continue };
        place[slot] = Some(factors.len());
        factors.push(dot::Factor {
            name: plain(&factor.name(network)),
            automaton: matches!(factor, Factor::Automaton(_)),
            asked: asked.contains(&slot),
        });
    }
    let mut arcs = Vec::new();
    for (to, before) in graph.predecessors.iter().enumerate() {
        let arc = |(from, labels): &(usize, u32)| Some((place[*from]?, place[to]?, *labels));
        arcs.extend(before.iter().filter_map(arc));
    }
    (factors, arcs)
}

/// What is worth knowing about the graph.
fn remarks(network: &Network, factored: &Factored, nodes: usize) -> String {
    let mut remarks = String::new();
    let layout = Layout::of_network(network);
    let slots = layout.slots.iter().enumerate();
    let left_out = slots.filter(|(slot, s)| !factored.domains.tracks(*slot) && s.range.size() > 1);
    let left_out: Vec<String> =
        left_out.filter_map(|(_, slot)| Some(plain(&Factor::of(slot)?.name(network)))).collect();
    if !left_out.is_empty() {
        let named = left_out[..left_out.len().min(MOST_NAMES)].join(", ");
        let more = left_out.len().saturating_sub(MOST_NAMES);
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        remarks.push_str(&format!("note: not in the graph, for their many values: {named}{more}\n"));
    }
    if factored.labels.is_empty() {
        remarks.push_str("note: no arcs, for there are no labels, or too many\n");
    }
    if nodes > LARGE {
        remarks.push_str(&format!("note: {nodes} nodes; `sfdp` draws large graphs sooner than `dot`\n"));
    }
    remarks
}
