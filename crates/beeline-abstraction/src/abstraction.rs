//! The cascade of removals, and the way back: runs of what is left become runs of the network, and proofs about it
//! proofs about the network. Removing one factor may make others independent; they are put back in reverse order.

use crate::factor::Factor;
use crate::graph::Graph;
use crate::remove::{Need, remove};
use crate::safe::{examine, independent, is_plain};
use crate::view::View;
use beeline_ir::certificate::{Cell, Certificate};
use beeline_ir::layout::{Label, Layout, Part};
use beeline_ir::network::Network;
use beeline_ir::property::Property;
use beeline_ir::trace::{NetworkRun, NetworkStep, Run, Time, Trace};
use beeline_ir::{Model, ModelHash, text, wellformed};
use beeline_program::SlotSet;
use beeline_program::schema::EdgeRef;
use std::collections::{BTreeMap, BTreeSet};

/// [Effort] that may be spent on looking networks through, all removals together.
///
/// [Effort]: View::effort
pub(crate) const EFFORT: usize = 1 << 26;

/// Steps that may be put into a run. Where removals build on one another, runs can grow exponentially in their
/// number.
const INSERTIONS: usize = 1 << 18;

/// A network without its safe factors, and how to put them back.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SafeAbstraction {
    /// The factors removed, in the order of removal.
    pub removed: Vec<Factor>,
    /// What is left: the same processes, edges and variables, with nothing that moves the removed factors.
    pub network: Network,
    /// The property without what it asks of them. Its target is reachable iff that of the original is.
    pub property: Property,
    removals: Vec<Removal>,
    /// Slots of the original that may change; all others are constants.
    changing: SlotSet,
    original: Identity,
    left: Identity,
}

/// What binds a trace or certificate to a network and a property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Identity {
    pub model: ModelHash,
    pub property: String,
}

/// A factor removed.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Removal {
    slot: usize,
    graph: Graph,
    needs: BTreeMap<EdgeRef, Need>,
    goal: BTreeSet<i64>,
}

/// A run of the original network.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Concretised {
    /// The run. Nothing is known about its length being the least.
    pub trace: Trace,
    /// How many of its steps were put in.
    pub inserted: usize,
}

/// Why something about what is left of the network cannot be made into something about the network.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Unfit {
    /// It is not about this abstraction.
    Foreign,
    /// More than 262,144 steps would have to be put in.
    TooLong,
}

impl std::fmt::Display for Unfit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Foreign => "it is not about this abstraction",
            Self::TooLong => "the run of the whole network is too long to be written down",
        })
    }
}

impl std::error::Error for Unfit {}

/// The factors that a safe abstraction removes, in the order of removal.
pub fn safe_factors(network: &Network, property: &Property) -> Vec<Factor> {
    SafeAbstraction::of(network, property).map_or_else(Vec::new, |abstraction| abstraction.removed)
}

/// The factors that could be removed first: those that are safe without any other being removed before.
pub fn safe_at_once(network: &Network, property: &Property) -> Vec<Factor> {
    let fits = is_plain(network) && View::effort(network) <= EFFORT;
    let Some(view) = fits.then(|| View::new(network, property)).flatten() else { return Vec::new() };
    let attempts = independent(&view);
    attempts.iter().filter_map(|(slot, own)| Some(attempt(&view, property, *slot, own)?.0)).collect()
}

impl SafeAbstraction {
    /// Removes safe factors until there are none; `None` if there are none to begin with. Takes a well-formed
    /// network and property.
    pub fn of(network: &Network, property: &Property) -> Option<Self> {
        if !is_plain(network) {
            return None;
        }
        let effort = View::effort(network);
        let mut budget = EFFORT.checked_sub(effort)?;
        let changing = View::new(network, property)?.changing;
        let (mut left, mut left_property) = (network.clone(), property.clone());
        let (mut removed, mut removals) = (Vec::new(), Vec::new());
        while let Some(rest) = budget.checked_sub(effort) {
            budget = rest;
            let Some((factor, removal, network, property)) = remove_one(&left, &left_property) else { break };
            (left, left_property) = (network, property);
            removed.push(factor);
            removals.push(removal);
        }
        left.properties = vec![left_property.clone()];
        let model = Model::Network(left);
        // Select variables and comparisons were added; there are bounds to how many of them there may be.
        if removed.is_empty() || !wellformed::check(&model).is_empty() {
            return None;
        }
        let left = Identity::of(&model, &left_property);
        let original = Identity::of(&Model::Network(network.clone()), property);
        let Model::Network(network) = model else { return None };
        Some(Self { removed, network, property: left_property, removals, changing, original, left })
    }

    /// The run of the original network that a run of what is left stands for: before each label, the removed
    /// factors go to values that allow it, and at the end to what the property asks of them. They go at the same
    /// instant as what they go for, so that no time passes between, and all the other labels happen when they did.
    pub fn concretise(&self, trace: &Trace) -> Result<Concretised, Unfit> {
        let Run::Network(run) = &trace.run else { return Err(Unfit::Foreign) };
        if !self.left.binds(trace.model, &trace.property) {
            return Err(Unfit::Foreign);
        }
        let mut concrete = run.clone();
        for removal in self.removals.iter().rev() {
            concrete = removal.put_back(concrete, run.steps.len() + INSERTIONS)?;
        }
        let inserted = concrete.steps.len() - run.steps.len();
        let Identity { model, property } = self.original.clone();
        Ok(Concretised { trace: Trace { model, property, run: Run::Network(concrete) }, inserted })
    }

    /// The certificate of the original network that one of what is left stands for: the removed factors may have
    /// any of their values, and constants, which guards that were left out may read, are what they always are.
    /// Lengths are lower bounds there as here, because putting back only makes runs longer.
    pub fn lift(&self, certificate: &Certificate) -> Result<Certificate, Unfit> {
        if !self.left.binds(certificate.model, &certificate.property) {
            return Err(Unfit::Foreign);
        }
        let layout = Layout::of_network(&self.network);
        let initial = layout.initial(&self.network);
        let mut lifted = certificate.clone();
        Identity { model: lifted.model, property: lifted.property } = self.original.clone();
        for row in &mut lifted.rows {
            let constant = |slot: &usize| !self.changing.contains(*slot);
            for slot in (0..initial.len()).filter(constant) {
                *row.cells.get_mut(slot).ok_or(Unfit::Foreign)? = Cell::Value(initial[slot]);
            }
        }
        for removal in &self.removals {
            let values: Vec<i64> = removal.graph.values().collect();
            let range = layout.slots[removal.slot].range;
            let any = values.len() as u128 == range.size();
            let cell = if any { Cell::Any } else { Cell::Set(values) };
            for row in &mut lifted.rows {
                *row.cells.get_mut(removal.slot).ok_or(Unfit::Foreign)? = cell.clone();
            }
        }
        Ok(lifted)
    }
}

impl Identity {
    pub fn of(model: &Model, property: &Property) -> Self {
        Self { model: model.hash(), property: text::print_property(model, property) }
    }
    /// Whether something that names this model and this property is about them.
    pub fn binds(&self, model: ModelHash, property: &str) -> bool {
        self.model == model && self.property == property
    }
}

/// Removes the first factor that can be removed.
fn remove_one(network: &Network, property: &Property) -> Option<(Factor, Removal, Network, Property)> {
    let view = View::new(network, property)?;
    independent(&view).iter().find_map(|(slot, own)| attempt(&view, property, *slot, own))
}

/// Removes the factor in the slot, if it is safe.
fn attempt(
    view: &View<'_>,
    property: &Property,
    slot: usize,
    own: &[EdgeRef],
) -> Option<(Factor, Removal, Network, Property)> {
    let safe = examine(view, slot, own)?;
    let (network, needs) = remove(view, &safe)?;
    let property = view.target.without(slot, property);
    // Whatever still reads the factor does so in a way that could not be taken apart.
    if View::new(&network, &property)?.mentions(slot) {
        return None;
    }
    let removal = Removal { slot, graph: safe.graph, needs, goal: safe.goal };
    Some((safe.factor, removal, network, property))
}

impl Removal {
    /// Puts the factor's own steps into a run, which then has at most so many (and a last way to the target).
    fn put_back(&self, run: NetworkRun, most: usize) -> Result<NetworkRun, Unfit> {
        let mut value = self.graph.initial;
        let mut steps = Vec::with_capacity(run.steps.len());
        for mut step in run.steps {
            for part in &mut step.label.parts {
                match self.needs.get(&(part.process, part.edge)) {
                    None => {}
                    Some(Need::OneOf(wanted)) => {
                        self.go(&mut value, |v| wanted.contains(&v), &mut step.delay, &mut steps)?;
                    }
                    Some(Need::LastSelect) => {
                        let wanted = part.selects.pop().ok_or(Unfit::Foreign)?;
                        self.go(&mut value, |v| v == wanted, &mut step.delay, &mut steps)?;
                    }
                }
            }
            steps.push(step);
            if steps.len() > most {
                return Err(Unfit::TooLong);
            }
        }
        let mut last_delay = run.last_delay;
        self.go(&mut value, |v| self.goal.contains(&v), &mut last_delay, &mut steps)?;
        Ok(NetworkRun { steps, last_delay, ..run })
    }

    /// Goes to a wanted value after a delay, of which nothing is left then.
    fn go(
        &self,
        value: &mut i64,
        wanted: impl Fn(i64) -> bool,
        delay: &mut Time,
        steps: &mut Vec<NetworkStep>,
    ) -> Result<(), Unfit> {
        let (path, end) = self.graph.path(*value, wanted).ok_or(Unfit::Foreign)?;
        for part in path {
            let label = Label { parts: vec![Part::clone(part)], observer: None };
            steps.push(NetworkStep { delay: std::mem::take(delay), label });
        }
        *value = end;
        Ok(())
    }
}
