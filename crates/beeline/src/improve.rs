//! A trace that is to be made shorter: one of our own, or a trail of Spin's. It is replayed first, so that all that is made
//! of it rests on a run of the model.

use crate::load::Loaded;
use crate::{load::Language, properties};
use beeline_check::replay_within;
use beeline_engine::Known;
use beeline_engine::walk::along;
use beeline_ir::layout::Label;
use beeline_ir::limits::Limits;
use beeline_ir::model::Model;
use beeline_ir::network::Network;
use beeline_ir::property::Property;
use beeline_ir::text::print_property;
use beeline_ir::trace::{NetworkRun, NetworkStep, Run, Time, Trace};
use beeline_promela::{Trail, TrailLine};
use beeline_report::trace_json::Document;

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
        let Model::Network(network) = model else {
            return Err("only traces of networks (UPPAAL, Promela) can be made shorter".to_string());
        };
        if text.trim_start().starts_with('{') {
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
    let advance = |position: usize, label: &Label, before: &[i64]| {
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
    let mut accepted = |route: &beeline_engine::heuristic::Route| {
        let still = Time::from(0);
        let steps = route.labels.iter().map(|label| NetworkStep { delay: still, label: label.clone() });
        let run =
            NetworkRun { observer_start: route.observer_start, steps: steps.collect(), last_delay: still };
        let trace =
            Trace { model: model.hash(), property: print_property(model, property), run: Run::Network(run) };
        found = Improving::of(model, property.clone(), trace, limits).ok();
        found.is_some()
    };
    let stopped = |reason: beeline_ir::limits::StopReason| reason.message().to_string();
    along(network, property, lines.len() * SILENT, limits, &advance, &mut accepted).map_err(stopped)?;
    Ok(found)
}
