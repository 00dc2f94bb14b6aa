//! The monotonicity abstraction's h^L and h^U. From a state on, every slot collects values and never loses one, layer by
//! layer ([`beeline_program::factored::relaxation`]). h^L is the number of the first layer in which the target holds: a
//! lower bound, for every true step is a step there. h^U is the number of labels in a relaxed trace taken out of the
//! layers: it sees that several things have to be done, but may count too much.
//!
//! Kupferschmid, Hoffmann, Dierks and Behrmann, "Adapting an AI planning heuristic for directed model checking", SPIN 2006.

use crate::registry::share;
use beeline_engine::heuristic::{Estimate, Heuristic, Layers, Properties};
use beeline_ir::id::Id;
use beeline_ir::limits::StopReason;
use beeline_program::factored::relaxation::Relaxation;
use beeline_program::factored::{CondId, FactId, Factored, Formula, LabelId, Meter};
use beeline_program::schema::EdgeRef;
use std::sync::Arc;

/// A relaxed trace, taken out of the layers from the target backwards.
#[derive(Clone, Debug)]
pub struct RelaxedTrace {
    /// Its labels, each with the layer it is used in; a label used in several layers is in it several times.
    pub labels: Vec<(LabelId, u32)>,
    /// The edges of those it begins with.
    pub first: Vec<Box<[EdgeRef]>>,
    marked: Vec<bool>,
    open: Vec<FactId>,
}

impl RelaxedTrace {
    /// Room for a factored view.
    pub fn new(factored: &Factored) -> Self {
        let (labels, first, open) = (Vec::new(), Vec::new(), Vec::new());
        Self { labels, first, marked: vec![false; factored.domains.facts()], open }
    }

    /// Takes the trace out of layers in which the goal holds.
    pub fn extract(&mut self, factored: &Factored, relaxation: &Relaxation, goal: &Formula) {
        self.labels.clear();
        self.first.clear();
        self.marked.fill(false);
        self.mark_goal(relaxation, goal);
        while let Some(fact) = self.open.pop() {
            let (Some(action), Some(layer)) = (relaxation.achiever(fact), relaxation.layer(fact)) else {
                continue;
            };
            let acting = factored.action(action);
            let costs = factored.label(acting.label).costs;
            self.labels.push((acting.label, layer.number() - u32::from(costs)));
            for cond in &acting.needs {
                self.mark(relaxation, *cond);
            }
        }
        self.labels.sort_unstable();
        self.labels.dedup();
        for (label, layer) in &self.labels {
            if *layer == 0 {
                self.first.push(factored.label(*label).edges.clone());
            }
        }
    }

    fn mark(&mut self, relaxation: &Relaxation, cond: CondId) {
        if let Some(fact) = relaxation.met_by(cond)
            && !std::mem::replace(&mut self.marked[fact.index()], true)
        {
            self.open.push(fact);
        }
    }

    fn mark_goal(&mut self, relaxation: &Relaxation, goal: &Formula) {
        match goal {
            Formula::Holds(cond) => self.mark(relaxation, *cond),
            Formula::All(parts) => parts.iter().for_each(|part| self.mark_goal(relaxation, part)),
            Formula::Any(parts) => {
                let reached = parts.iter().filter_map(|part| Some((relaxation.layer_of(part)?, part)));
                if let Some((_, part)) = reached.min_by_key(|(layer, _)| *layer) {
                    self.mark_goal(relaxation, part);
                }
            }
        }
    }

    /// Number of labels that count as a step.
    pub fn steps(&self, factored: &Factored) -> u32 {
        self.labels.iter().filter(|(label, _)| factored.label(*label).costs).count() as u32
    }

    /// Whether a label with these edges is in it.
    pub fn uses(&self, factored: &Factored, edges: &[EdgeRef]) -> bool {
        self.labels.iter().any(|(label, _)| covers(&factored.label(*label).edges, edges))
    }
}

/// Whether the edges of a label are those; of a broadcast, only the sender's is known.
pub fn covers(known: &[EdgeRef], edges: &[EdgeRef]) -> bool {
    edges.starts_with(known)
}

/// What the layers come to.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Measure {
    /// The number of layers: h^L.
    Layers,
    /// The number of labels of a relaxed trace: h^U.
    Trace,
}

/// The heuristic.
#[derive(Debug)]
pub struct Monotonicity {
    factored: Arc<Factored>,
    measure: Measure,
    relaxation: Relaxation,
    trace: RelaxedTrace,
}

impl Monotonicity {
    /// For a factored view.
    pub fn new(factored: Arc<Factored>, measure: Measure, meter: &Meter<'_>) -> Result<Self, StopReason> {
        let relaxation = Relaxation::new(&factored);
        meter.allocate(relaxation.bytes())?;
        let trace = RelaxedTrace::new(&factored);
        Ok(Self { factored, measure, relaxation, trace })
    }

    /// The factored view.
    pub fn factored(&self) -> &Arc<Factored> {
        &self.factored
    }

    /// The estimate with some labels left out; afterwards [`Monotonicity::trace`] is its relaxed trace.
    pub fn estimate_without(&mut self, slots: &[i64], left_out: impl Fn(LabelId) -> bool) -> Estimate {
        let Self { factored, measure, relaxation, trace } = self;
        let Some(layers) =
            relaxation.explore(factored, factored.domains.facts_in(slots), &factored.goal, left_out)
        else {
            return Estimate::Infinite;
        };
        trace.extract(factored, relaxation, &factored.goal);
        Estimate::Steps(match measure {
            Measure::Layers => layers,
            Measure::Trace => trace.steps(factored),
        })
    }

    /// The relaxed trace of the last finite estimate.
    pub fn trace(&self) -> &RelaxedTrace {
        &self.trace
    }
}

impl Heuristic for Monotonicity {
    fn properties(&self) -> Properties {
        match self.measure {
            Measure::Layers => Properties::LOWER_BOUND,
            Measure::Trace => Properties::SAFE,
        }
    }

    fn estimate(&mut self, slots: &[i64]) -> Estimate {
        self.estimate_without(slots, |_| false)
    }

    fn prefers(&self, label: &[EdgeRef]) -> bool {
        self.trace.first.iter().any(|edges| covers(edges, label))
    }

    fn layers(&mut self, start: &[Option<i64>], most: u32) -> Option<Layers> {
        layers(&self.factored, &mut self.relaxation, start, most)
    }

    fn bytes(&self) -> u64 {
        (self.relaxation.bytes() + size_of_val(&*self.trace.marked)) as u64 + share(&self.factored)
    }

    fn work(&self) -> u64 {
        self.relaxation.work()
    }
}

/// The layers of a state as sets of values, for a proof that the target is far, or out of reach.
pub fn layers(
    factored: &Factored,
    relaxation: &mut Relaxation,
    start: &[Option<i64>],
    most: u32,
) -> Option<Layers> {
    // Of a slot that is not tracked any value is possible: more than whoever checks the proof can be asked to try.
    let unknown = |slot: usize| start[slot].is_none() && !factored.domains.whole(slot);
    if factored.domains.leaves_out() || (0..factored.domains.slots()).any(unknown) {
        return None;
    }
    let facts = (0..factored.domains.slots()).flat_map(|slot| {
        let all = factored.domains.facts_of(slot);
        all.filter(move |fact| start[slot].is_none_or(|value| factored.domains.value(*fact) == value))
    });
    let reached = relaxation.explore(factored, facts, &factored.goal, |_| false);
    let last = (0..factored.domains.facts()).filter_map(|fact| relaxation.layer(FactId::new(fact))).max();
    let deepest = last.map_or(0, |layer| layer.number());
    // The layer in which the goal holds is no part of the proof.
    let number = match reached {
        Some(layer) if layer < most => return None,
        Some(layer) => layer,
        None => deepest + 1,
    };
    let number = number.min(most);
    let set = |layer: u32| -> Vec<Option<Vec<i64>>> {
        let values = |slot: usize| {
            if !factored.domains.tracks(slot) {
                return None;
            }
            let held = factored
                .domains
                .facts_of(slot)
                .filter(|fact| relaxation.layer(*fact).is_some_and(|first| first.number() <= layer));
            let held: Vec<i64> = held.map(|fact| factored.domains.value(fact)).collect();
            let any = factored.domains.whole(slot) && held.len() == factored.domains.size(slot);
            (!any).then_some(held)
        };
        (0..factored.domains.slots()).map(values).collect()
    };
    let closed = reached.is_none() && number > deepest;
    Some(Layers { sets: (0..number).map(set).collect(), closed })
}
