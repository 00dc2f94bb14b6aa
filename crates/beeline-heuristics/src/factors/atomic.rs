//! The atomic factors of a network: one for each slot that the goal depends on, over labels that treat the slots
//! independently of each other. What a label of the network does to one slot may depend on others; so it is split by
//! their values into cells, each of them a label of its own, as far as a counted budget allows. In a cell that is not
//! split any further, a slot gets any of the values that it may get somewhere in it.
//!
//! A goal that is no conjunction is made one by a factor that notes that the goal was seen, and labels that cost nothing,
//! one for each way to meet it.
//!
//! Factored transition systems: Sievers, Wehrle and Helmert, "Generalized label reduction for merge-and-shrink
//! heuristics", AAAI 2014.

use super::factor::{Factor, Labels, State, Transition};
use beeline_ir::id::Id;
use beeline_ir::limits::StopReason;
use beeline_program::factored::causal::CausalGraph;
use beeline_program::factored::{Action, Cube, Domains, FactId, Factored, Formula, LabelId, Meter};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Ways to meet the goal, beyond which it may be met anywhere.
const MOST_GOALS: usize = 1 << 12;
/// Cells of one label.
const MOST_CELLS: usize = 1 << 8;
/// Labels beyond which no more are split.
const MOST_LABELS: usize = 1 << 16;

/// What a factor is made of.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Source {
    /// A slot, its least value and the number of its values.
    Slot(usize, i64, usize),
    /// Whether the goal has been seen.
    Monitor,
}

/// Where runs begin.
#[derive(Copy, Clone, Debug)]
pub struct Start<'a> {
    /// The initial values of slots.
    pub slots: &'a [i64],
    /// Whether to leave out what [mutexes](crate::mutexes) rule out.
    pub mutexes: bool,
}

/// Some values for some slots, ascending.
type Cell = BTreeMap<usize, Vec<FactId>>;

/// The atomic factors with what they are made of, and the labels.
#[derive(Debug)]
pub(crate) struct Atomic {
    pub(crate) factors: Vec<(Source, Factor)>,
    pub(crate) labels: Labels,
    /// The label of the network that each is a cell of; `None` for those that notice the goal.
    pub(crate) origins: Vec<Option<LabelId>>,
    /// Cells of labels that are not split any further although what happens to some slots depends on others.
    pub(crate) coarse: usize,
}

impl Atomic {
    /// Adds labels that leave all factors as they are.
    pub(crate) fn add_idle(&mut self, costs: &[bool]) {
        self.labels.extend(costs.iter().copied().map(Some));
        self.origins.resize(self.labels.len(), None);
        for (_, factor) in &mut self.factors {
            let stays = factor.irrelevant().iter().position(|irrelevant| *irrelevant).unwrap_or_else(|| {
                let states = (0..factor.states()).map(State::new);
                factor.groups.push(states.map(|state| (state, state)).collect());
                factor.groups.len() - 1
            });
            factor.group_of.resize(self.labels.len(), stays as u32);
        }
    }

    /// The factors of a network with an initial state; `None` if its goal may be anywhere.
    pub(crate) fn new(
        factored: &Factored,
        start: Start<'_>,
        meter: &Meter<'_>,
    ) -> Result<Option<Self>, StopReason> {
        let asked = factored.goal.map(&mut |cond| {
            let cond = factored.cond(*cond);
            let values = cond.facts.iter().map(|fact| factored.domains.value(*fact)).collect();
            Formula::Holds(Cube(vec![(cond.slot, values)]))
        });
        let Some(goals) = asked.cubes(MOST_GOALS) else { return Ok(None) };
        if goals.contains(&Cube::default()) {
            return Ok(None);
        }
        let graph = CausalGraph::new(factored, meter)?;
        let cone = graph.cone(factored.goal_slots().into_iter());
        let inside =
            |slot: &usize| cone[*slot] && factored.domains.tracks(*slot) && !factored.unsaid.contains(*slot);
        let slots: Vec<usize> = (0..factored.domains.slots()).filter(inside).collect();
        let mut building = Building::new(factored, slots, start.slots, goals.len() != 1);
        for actions in factored.actions.chunk_by(|a, b| a.label == b.label) {
            building.label(actions, meter)?;
        }
        match &*goals {
            [goal] => building.ask(goal),
            goals => goals.iter().for_each(|goal| building.notice(goal)),
        }
        let made = building.finish();
        Ok(Some(if start.mutexes { made.without_mutexes(meter)? } else { made }))
    }
}

impl Atomic {
    /// The factors of all slots that are tracked, whether the goal depends on them or not; it is left to others.
    pub(crate) fn whole(factored: &Factored, initial: &[i64], meter: &Meter<'_>) -> Result<Self, StopReason> {
        let inside = |slot: &usize| factored.domains.tracks(*slot) && !factored.unsaid.contains(*slot);
        let slots = (0..factored.domains.slots()).filter(inside).collect();
        let mut building = Building::new(factored, slots, initial, false);
        for actions in factored.actions.chunk_by(|a, b| a.label == b.label) {
            building.label(actions, meter)?;
        }
        Ok(building.finish())
    }
}

/// Factors that get one label after the other.
struct Building<'a> {
    factored: &'a Factored,
    /// The factor of each slot.
    factor_of: Vec<Option<usize>>,
    factors: Vec<(Source, Factor)>,
    /// The groups of each factor by their transitions; the first group changes nothing.
    known: Vec<FxHashMap<Vec<Transition>, u32>>,
    labels: Labels,
    origins: Vec<Option<LabelId>>,
    /// Cells that should have been split.
    coarse: usize,
}

impl<'a> Building<'a> {
    fn new(factored: &'a Factored, slots: Vec<usize>, initial: &[i64], monitor: bool) -> Self {
        let mut factor_of = vec![None; factored.domains.slots()];
        let mut factors = Vec::new();
        for slot in slots {
            let (size, Some(first)) = (factored.domains.size(slot), factored.domains.facts_of(slot).next())
            else {
                continue;
            };
            let Some(start) = factored.domains.fact(slot, initial[slot]) else { continue };
            factor_of[slot] = Some(factors.len());
            let source = Source::Slot(slot, factored.domains.value(first), size);
            factors.push((source, standing(State::new(start.index() - first.index()), vec![true; size])));
        }
        if monitor {
            factors.push((Source::Monitor, standing(State(0), vec![false, true])));
        }
        let known = factors.iter().map(|(_, factor)| FxHashMap::from_iter([(factor.groups[0].clone(), 0)]));
        let (known, labels, origins) = (known.collect(), Labels::new(), Vec::new());
        Self { factored, factor_of, known, factors, labels, origins, coarse: 0 }
    }

    fn state(&self, fact: FactId) -> State {
        let first = self.factored.domains.facts_of(self.factored.domains.slot(fact)).next();
        State::new(fact.index() - first.map_or(0, Id::index))
    }

    /// A label that changes only what is named.
    fn add(&mut self, costs: bool, origin: Option<LabelId>, changes: Vec<(usize, Vec<Transition>)>) {
        self.labels.push(Some(costs));
        self.origins.push(origin);
        for (factor, mut transitions) in changes {
            transitions.sort_unstable();
            let groups = &mut self.factors[factor].1.groups;
            let group = *self.known[factor].entry(transitions).or_insert_with_key(|transitions| {
                groups.push(transitions.clone());
                groups.len() as u32 - 1
            });
            let group_of = &mut self.factors[factor].1.group_of;
            group_of.resize(self.labels.len(), 0);
            group_of[self.labels.len() - 1] = group;
        }
    }

    /// The cells of a label, which has these actions.
    fn label(&mut self, actions: &[Action], meter: &Meter<'_>) -> Result<(), StopReason> {
        let factored = self.factored;
        let affects = |action: &&Action| {
            let mut slots = action.effects.iter().map(|fact| factored.domains.slot(*fact));
            slots.any(|slot| self.factor_of[slot].is_some())
        };
        let actions: Vec<&Action> = actions.iter().filter(affects).collect();
        let Some(first) = actions.first() else { return Ok(()) };
        let label = first.label;
        let mut open = vec![(Cell::new(), actions)];
        let mut cells = 1;
        while let Some((cell, mut actions)) = open.pop() {
            actions.retain(|action| self.meets(&cell, action));
            meter.work(1 + actions.iter().map(|action| self.weight(&cell, action)).sum::<u64>())?;
            if actions.is_empty() {
                continue;
            }
            let may_split = cells < MOST_CELLS && self.labels.len() < MOST_LABELS;
            let undecided = self.undecided(&cell, &actions);
            self.coarse += usize::from(undecided.is_some() && !may_split);
            match undecided.filter(|_| may_split) {
                Some((slot, values)) => {
                    let (inside, outside) = self.held(&cell, slot).partition(|fact| values.contains(fact));
                    for values in [inside, outside] {
                        let mut part = cell.clone();
                        part.insert(slot, values);
                        open.push((part, actions.clone()));
                    }
                    cells += 1;
                }
                None => self.cell(label, &cell, &actions, meter)?,
            }
        }
        Ok(())
    }

    /// The values of a slot in a cell.
    fn held<'c>(&self, cell: &'c Cell, slot: usize) -> impl Iterator<Item = FactId> + use<'c> {
        let all = cell.get(&slot).is_none().then(|| self.factored.domains.facts_of(slot));
        cell.get(&slot).into_iter().flatten().copied().chain(all.into_iter().flatten())
    }

    /// What it takes to tell whether the needs of an action are met in a cell.
    fn weight(&self, cell: &Cell, action: &Action) -> u64 {
        let size = |slot: usize| cell.get(&slot).map_or_else(|| self.factored.domains.size(slot), Vec::len);
        1 + self.needs(action).map(|(slot, _)| size(slot) as u64).sum::<u64>()
    }

    /// What an action asks of slots.
    fn needs<'f>(&self, action: &'f Action) -> impl Iterator<Item = (usize, &'a [FactId])> + use<'a, 'f> {
        let factored = self.factored;
        action.needs.iter().map(move |cond| {
            let cond = factored.cond(*cond);
            (cond.slot, &*cond.facts)
        })
    }

    /// Whether the needs of an action can be met in a cell.
    fn meets(&self, cell: &Cell, action: &Action) -> bool {
        self.needs(action).all(|(slot, facts)| match cell.get(&slot) {
            Some(held) => facts.iter().any(|fact| held.binary_search(fact).is_ok()),
            None => !facts.is_empty(),
        })
    }

    /// Whether all values of a slot in a cell are among some.
    fn within(&self, cell: &Cell, slot: usize, facts: &[FactId]) -> bool {
        let held = cell.get(&slot).map_or_else(|| self.factored.domains.size(slot), Vec::len);
        facts.len() >= held && self.held(cell, slot).all(|fact| facts.contains(&fact))
    }

    /// The first need of an action that some states of a cell meet and others do not, if the action affects other slots.
    fn undecided(&self, cell: &Cell, actions: &[&Action]) -> Option<(usize, &'a [FactId])> {
        actions.iter().find_map(|action| {
            let elsewhere =
                |slot: usize| action.effects.iter().any(|fact| self.factored.domains.slot(*fact) != slot);
            self.needs(action).find(|(slot, facts)| elsewhere(*slot) && !self.within(cell, *slot, facts))
        })
    }

    /// One label, for what the actions may do in a cell.
    fn cell(
        &mut self,
        origin: LabelId,
        cell: &Cell,
        actions: &[&Action],
        meter: &Meter<'_>,
    ) -> Result<(), StopReason> {
        let (domains, label) = (&self.factored.domains, self.factored.label(origin));
        let affected =
            actions.iter().flat_map(|action| action.effects.iter().map(|fact| domains.slot(*fact)));
        let mut slots: Vec<usize> = cell.keys().copied().chain(affected).collect();
        slots.sort_unstable();
        slots.dedup();
        let mut changes = Vec::new();
        let weights: Vec<u64> = actions.iter().map(|action| self.weight(cell, action)).collect();
        for slot in slots {
            let Some(factor) = self.factor_of[slot] else { continue };
            let mut transitions = Vec::new();
            for held in self.held(cell, slot) {
                let mut keeps = true;
                for (action, weight) in actions.iter().zip(&weights) {
                    let need = self.needs(action).find(|(asked, _)| *asked == slot);
                    let effects = on_slot(domains, &action.effects, slot);
                    if need.is_some_and(|(_, facts)| !facts.contains(&held)) {
                        continue;
                    }
                    let before = transitions.len();
                    transitions.extend(effects.iter().map(|fact| (self.state(held), self.state(*fact))));
                    let certain =
                        |(asked, facts): (usize, &[FactId])| asked == slot || self.within(cell, asked, facts);
                    keeps &= transitions.len() == before || !self.needs(action).all(certain);
                    // It takes some time to sort them, too.
                    meter.work(weight + 16 * (transitions.len() - before) as u64)?;
                }
                if keeps || label.loose.binary_search(&slot).is_ok() {
                    transitions.push((self.state(held), self.state(held)));
                }
            }
            transitions.sort_unstable();
            transitions.dedup();
            meter.allocate(size_of_val(&*transitions))?;
            changes.push((factor, transitions));
        }
        let moves = changes.iter().any(|(_, transitions)| transitions.iter().any(|(from, to)| from != to));
        if moves {
            meter.allocate(size_of::<u32>() * self.factors.len())?;
            self.add(label.costs, Some(origin), changes);
        }
        Ok(())
    }

    /// The only way to meet the goal.
    fn ask(&mut self, goal: &Cube) {
        for (slot, values) in &goal.0 {
            let Some(factor) = self.factor_of[*slot] else { continue };
            let (source, factor) = &mut self.factors[factor];
            if let Source::Slot(_, least, _) = source {
                let asked = |at: usize| values.contains(&(*least + at as i64));
                factor.goal = (0..factor.goal.len()).map(asked).collect();
            }
        }
    }

    /// A way to meet the goal, of several.
    fn notice(&mut self, goal: &Cube) {
        let mut changes = vec![(self.factors.len() - 1, vec![(State(0), State(1))])];
        for (slot, values) in &goal.0 {
            let Some(factor) = self.factor_of[*slot] else { continue };
            let facts = values.iter().filter_map(|value| self.factored.domains.fact(*slot, *value));
            changes.push((factor, facts.map(|fact| (self.state(fact), self.state(fact))).collect()));
        }
        self.add(false, None, changes);
    }

    fn finish(mut self) -> Atomic {
        for (_, factor) in &mut self.factors {
            factor.group_of.resize(self.labels.len(), 0);
        }
        let Self { factors, labels, origins, coarse, .. } = self;
        Atomic { factors, labels, origins, coarse }
    }
}

/// Those of some ascending facts that are about a slot; the facts of a slot follow those of the slots before it.
fn on_slot<'f>(domains: &Domains, facts: &'f [FactId], slot: usize) -> &'f [FactId] {
    let from = facts.partition_point(|fact| domains.slot(*fact) < slot);
    let to = facts.partition_point(|fact| domains.slot(*fact) <= slot);
    &facts[from..to]
}

/// A factor in which nothing happens yet.
fn standing(initial: State, goal: Vec<bool>) -> Factor {
    let same = (0..goal.len()).map(|state| (State::new(state), State::new(state))).collect();
    Factor { initial, goal, groups: vec![same], group_of: Vec::new() }
}
