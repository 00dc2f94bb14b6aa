//! The monotonicity abstraction: slots collect values and never lose one. Layer 0 is a state; an action whose needs
//! are met in a layer adds its effects to the next one, or to the same one if its label costs nothing.
//!
//! Kupferschmid, Hoffmann, Dierks and Behrmann, "Adapting an AI planning heuristic for directed model checking", SPIN
//! 2006. Instead of sweeping over all actions, every action counts the needs that are not yet met (Hoffmann and Nebel,
//! "The FF planning system", JAIR 14, 2001).

use super::{ActionId, CondId, FactId, Factored, Formula, LabelId};
use beeline_ir::id::Id;
use std::num::NonZeroU32;

/// The number of a layer.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Layer(NonZeroU32);

impl Layer {
    fn new(number: u32) -> Self {
        Self(NonZeroU32::MIN.saturating_add(number))
    }
    /// The number.
    pub fn number(self) -> u32 {
        self.0.get() - 1
    }
}

/// Layers of one state. Used again and again: what is in it is from the last exploration.
#[derive(Clone, Debug)]
pub struct Relaxation {
    /// The first layer with a fact.
    facts: Vec<Option<Layer>>,
    /// The action that added it first.
    achievers: Vec<Option<ActionId>>,
    /// The fact that met a condition first.
    met_by: Vec<Option<FactId>>,
    /// Needs of each action that are not met yet.
    open: Vec<u32>,
    /// The same before any fact.
    needs: Vec<u32>,
    /// Actions that need nothing.
    free: Vec<ActionId>,
    now: Vec<FactId>,
    next: Vec<FactId>,
    /// Facts, conditions, actions and effects gone through, in all explorations.
    work: u64,
}

impl Relaxation {
    /// Room for a factored view.
    pub fn new(factored: &Factored) -> Self {
        let needs: Vec<u32> = factored.actions.iter().map(|action| action.needs.len() as u32).collect();
        let free = (0..needs.len()).filter(|action| needs[*action] == 0).map(ActionId::new).collect();
        Self {
            facts: vec![None; factored.domains.facts()],
            achievers: vec![None; factored.domains.facts()],
            met_by: vec![None; factored.conds.len()],
            open: needs.clone(),
            needs,
            free,
            now: Vec::new(),
            next: Vec::new(),
            work: 0,
        }
    }

    /// Work that all explorations so far have been, about in operations.
    pub fn work(&self) -> u64 {
        self.work
    }

    /// About how many bytes it takes.
    pub fn bytes(&self) -> usize {
        let facts = size_of_val(&*self.facts) + size_of_val(&*self.achievers);
        let queues = 2 * self.facts.len() * size_of::<FactId>();
        facts + queues + size_of_val(&*self.met_by) + 2 * size_of_val(&*self.needs) + size_of_val(&*self.free)
    }

    /// Explores from what holds at the start until the goal holds, and returns the number of that layer; `None` if
    /// it never does, and then the last layer is closed. Labels that are left out do nothing.
    pub fn explore(
        &mut self,
        factored: &Factored,
        start: impl Iterator<Item = FactId>,
        goal: &Formula,
        left_out: impl Fn(LabelId) -> bool,
    ) -> Option<u32> {
        self.facts.fill(None);
        self.achievers.fill(None);
        self.met_by.fill(None);
        self.open.copy_from_slice(&self.needs);
        self.now.clear();
        self.next.clear();
        // Filling takes less than going through.
        self.work += ((2 * self.facts.len() + self.met_by.len() + self.needs.len()) / 8) as u64;
        for fact in start {
            self.facts[fact.index()] = Some(Layer::new(0));
            self.now.push(fact);
        }
        let mut layer = 0;
        for at in 0..self.free.len() {
            self.act(factored, self.free[at], layer, &left_out);
        }
        loop {
            let mut at = 0;
            while let Some(fact) = self.now.get(at).copied() {
                at += 1;
                self.arrive(factored, fact, layer, &left_out);
            }
            if self.layer_of(goal).is_some() {
                return Some(layer);
            }
            std::mem::swap(&mut self.now, &mut self.next);
            self.next.clear();
            if self.now.is_empty() {
                return None;
            }
            layer += 1;
        }
    }

    fn arrive(&mut self, factored: &Factored, fact: FactId, layer: u32, left_out: &impl Fn(LabelId) -> bool) {
        for cond in factored.conds_of.get(fact) {
            if self.met_by[cond.index()].is_some() {
                continue;
            }
            self.met_by[cond.index()] = Some(fact);
            self.work += 4 + 4 * factored.actions_of.get(*cond).len() as u64;
            for action in factored.actions_of.get(*cond) {
                self.open[action.index()] -= 1;
                if self.open[action.index()] == 0 {
                    self.act(factored, *action, layer, left_out);
                }
            }
        }
    }

    fn act(
        &mut self,
        factored: &Factored,
        action: ActionId,
        layer: u32,
        left_out: &impl Fn(LabelId) -> bool,
    ) {
        let acting = factored.action(action);
        if left_out(acting.label) {
            return;
        }
        let costs = factored.label(acting.label).costs;
        self.work += 4 + 4 * acting.effects.len() as u64;
        for effect in &acting.effects {
            let first = &mut self.facts[effect.index()];
            let arrival = Layer::new(layer + u32::from(costs));
            // A label that costs nothing may come earlier to what one that costs has already announced.
            if first.is_some_and(|first| first <= arrival) {
                continue;
            }
            *first = Some(arrival);
            self.achievers[effect.index()] = Some(action);
            if costs { self.next.push(*effect) } else { self.now.push(*effect) }
        }
    }

    /// The first layer with a fact; `None` if it was not reached.
    #[inline]
    pub fn layer(&self, fact: FactId) -> Option<Layer> {
        self.facts[fact.index()]
    }

    /// The fact that met a condition first.
    #[inline]
    pub fn met_by(&self, cond: CondId) -> Option<FactId> {
        self.met_by[cond.index()]
    }

    /// The action that added a fact first; `None` for those of the state itself.
    #[inline]
    pub fn achiever(&self, fact: FactId) -> Option<ActionId> {
        self.achievers[fact.index()]
    }

    /// The first layer in which a condition is met.
    #[inline]
    fn layer_of_cond(&self, cond: CondId) -> Option<Layer> {
        self.met_by(cond).and_then(|fact| self.layer(fact))
    }

    /// The first layer in which a formula holds, among those explored.
    pub fn layer_of(&self, formula: &Formula) -> Option<Layer> {
        match formula {
            Formula::Holds(cond) => self.layer_of_cond(*cond),
            Formula::All(parts) => {
                parts.iter().try_fold(Layer::new(0), |most, part| Some(most.max(self.layer_of(part)?)))
            }
            Formula::Any(parts) => parts.iter().filter_map(|part| self.layer_of(part)).min(),
        }
    }
}
