//! A trace that is to be made shorter: one of our own, a trail of Spin's, or what NuSMV has printed. It is replayed first,
//! so that all that is made of it rests on a run of the model.

use crate::load::Loaded;
use crate::{load::Language, properties};
use beeline_abstraction::Functional;
use beeline_check::replay_within;
use beeline_engine::Known;
use beeline_engine::heuristic::Route;
use beeline_engine::walk::along;
use beeline_ir::layout::Label;
use beeline_ir::limits::{Limits, StopReason};
use beeline_ir::model::Model;
use beeline_ir::network::Network;
use beeline_ir::property::Property;
use beeline_ir::relation::Relation;
use beeline_ir::text::print_property;
use beeline_ir::trace::{NetworkRun, NetworkStep, Run, Time, Trace};
use beeline_promela::{Trail, TrailLine};
use beeline_report::trace_json::Document;
use beeline_smv::{States, read_nusmv_traces};

/// Labels without a line that may follow each other in a trail.
const SILENT: usize = 64;

/// A trace that is known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Improving {
    /// What it shows.
    pub property: Property,
    /// The run, and its length.
    pub known: Known,
    /// The last state that it passes.
    pub end: Vec<i64>,
}

impl Improving {
    /// Reads a trace of a model; of a trail, the property is one of those that are asked. Says what is wrong with it.
    pub fn read(loaded: &Loaded, asked: &[Property], text: &str, limits: &Limits) -> Result<Self, String> {
        let model = &loaded.model;
        let network = match model {
            Model::Network(network) => network,
            Model::Relation(relation) => return Self::of_relation(model, relation, asked, text, limits),
        };
        if text.trim_start().starts_with('{') {
            let (property, trace) = document(model, asked, text)?;
            return Self::of(model, property, trace, limits)
                .map_err(|error| format!("it is no trace: {error}"));
        }
        if !matches!(loaded.language, Language::Promela(_)) {
            return Err("it is no trace that `--trace json` has written".to_string());
        }
        let lines = lines(text)?;
        // Where Spin runs a claim, it is process 0.
        let beside = lines.iter().filter(|line| line.process > 0);
        let beside: Vec<TrailLine> =
            beside.map(|line| TrailLine { process: line.process - 1, ..*line }).collect();
        for lines in [&lines, &beside] {
            for property in asked {
                if let Some(found) = along_trail(model, network, property, lines, limits)? {
                    return Ok(found);
                }
            }
        }
        Err("no run of the model follows the trail to the target of a property".to_string())
    }

    /// The same of a relation whose next states are assignments: what is known is a run of the network that it becomes.
    fn of_relation(
        model: &Model,
        relation: &Relation,
        asked: &[Property],
        text: &str,
        limits: &Limits,
    ) -> Result<Self, String> {
        if text.trim_start().starts_with('{') {
            let (property, trace) = document(model, asked, text)?;
            replay_within(model, &property, &trace, limits)
                .map_err(|error| format!("it is no trace: {error}"))?;
            let Run::Relation(run) = trace.run else {
                return Err("it is of another kind of model".to_string());
            };
            let states: States =
                std::iter::once(run.initial).chain(run.steps.into_iter().map(|s| s.state)).collect();
            let found = along_states(model, relation, &property, &states, states.len() - 1, limits)?;
            return found
                .ok_or_else(|| "no run of the network that the model becomes follows it".to_string());
        }
        let traces = read_nusmv_traces(relation, text)
            .map_err(|what| format!("it is neither a trace in JSON nor what NuSMV has printed: {what}"))?;
        // What shows that a formula of LTL fails goes on after the target, round a loop.
        for states in &traces {
            for end in [states.len() - 1, 0] {
                for property in asked {
                    if let Some(found) = along_states(model, relation, property, states, end, limits)? {
                        return Ok(found);
                    }
                }
            }
        }
        Err("no run of the model follows these states to the target of a property".to_string())
    }

    fn of(model: &Model, property: Property, trace: Trace, limits: &Limits) -> Result<Self, String> {
        let replayed = replay_within(model, &property, &trace, limits).map_err(|error| error.to_string())?;
        let Run::Network(run) = trace.run else { return Err("it is of another kind of model".to_string()) };
        let Some(last) = replayed.states.last() else { return Err("it passes no state".to_string()) };
        let known = Known { steps: replayed.length, run };
        Ok(Self { property, known, end: last.state.slots.clone() })
    }

    /// The trace, as one of a network that has the same labels.
    pub fn trace(&self, network: &Network, property: &Property) -> Trace {
        let model = Model::Network(network.clone());
        let run = Run::Network(self.known.run.clone());
        Trace { property: print_property(&model, property), model: model.hash(), run }
    }
}

/// The property and the run of a trace in JSON.
fn document(model: &Model, asked: &[Property], text: &str) -> Result<(Property, Trace), String> {
    let document = Document::read(text)?;
    if document.model != model.hash() {
        return Err("the trace belongs to another model".to_string());
    }
    let written = document.property.clone();
    let trace = document.trace(model)?;
    let known = asked.iter().find(|property| print_property(model, property) == written).cloned();
    let property = known.map_or_else(
        || properties::read(model, &written).map_err(|_| format!("`{written}` is no property")),
        Ok,
    )?;
    Ok((property, trace))
}

/// The run through states of a relation, if it leads to the target of a property at the state of number `end`, or after it.
fn along_states(
    model: &Model,
    relation: &Relation,
    property: &Property,
    states: &States,
    end: usize,
    limits: &Limits,
) -> Result<Option<Improving>, String> {
    let functional = Functional::of(relation, property)
        .map_err(|what| format!("traces of relations that are networks can be made shorter, not {what}"))?;
    let advance = |at: usize, label: &Label, _: &[i64], after: &[i64]| {
        label.parts.first().and_then(|part| functional.along(states, at, part.edge, after))
    };
    let mut found = None;
    let mut accepted = |route: &Route| {
        let run = still(route);
        let trace = functional.trace(&run);
        let replayed = trace.and_then(|trace| replay_within(model, property, &trace, limits).ok());
        found = replayed.and_then(|replayed| {
            let end = functional.state(&replayed.states.last()?.state.slots);
            let known = Known { steps: replayed.length, run };
            Some(Improving { property: property.clone(), known, end })
        });
        found.is_some()
    };
    let stopped = |reason: StopReason| reason.message().to_string();
    let (network, question) = (&functional.network, &functional.property);
    along(network, question, end, limits, &advance, &mut accepted).map_err(stopped)?;
    Ok(found)
}

/// A run without delays.
fn still(route: &Route) -> NetworkRun {
    let still = Time::from(0);
    let steps = route.labels.iter().map(|label| NetworkStep { delay: still, label: label.clone() });
    NetworkRun { observer_start: route.observer_start, steps: steps.collect(), last_delay: still }
}

/// The lines of a trail, without those that are no steps.
fn lines(text: &str) -> Result<Vec<TrailLine>, String> {
    let mut lines = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let mut numbers = line.split(':').map(|number| number.trim().parse::<i64>().ok());
        let fields = (numbers.next().flatten(), numbers.next().flatten(), numbers.next().flatten());
        let (Some(step), Some(process), Some(element)) = fields else {
            return Err(format!(
                "line {} is neither of a trail (`step:process:element`) nor of a trace in JSON",
                number + 1
            ));
        };
        if step >= 0 && process >= 0 {
            lines.push(TrailLine { process, element });
        }
    }
    Ok(lines)
}

/// The run of a trail, if it leads to the target of a property.
fn along_trail(
    model: &Model,
    network: &Network,
    property: &Property,
    lines: &[TrailLine],
    limits: &Limits,
) -> Result<Option<Improving>, String> {
    // A position is a line, and how many labels without one have come after it.
    let advance = |position: usize, label: &Label, before: &[i64], _: &[i64]| {
        let (at, silent) = (position / SILENT, position % SILENT);
        let told = Trail::new(network, std::iter::once((label, before)), false, None).lines;
        let rest = &lines[at..];
        // What fails comes last, and its jumps are not told.
        let fits = rest.starts_with(&told) || (!rest.is_empty() && told.starts_with(rest));
        let next = at + told.len().min(rest.len());
        match fits {
            false => None,
            true if told.is_empty() => (silent + 1 < SILENT).then_some(position + 1),
            true => Some(next * SILENT),
        }
    };
    let mut found = None;
    let mut accepted = |route: &Route| {
        let run = Run::Network(still(route));
        let trace = Trace { model: model.hash(), property: print_property(model, property), run };
        found = Improving::of(model, property.clone(), trace, limits).ok();
        found.is_some()
    };
    let stopped = |reason: StopReason| reason.message().to_string();
    along(network, property, lines.len() * SILENT, limits, &advance, &mut accepted).map_err(stopped)?;
    Ok(found)
}
