//! The causal graph heuristic h^CG: the cost of bringing each factor that the target speaks of to where it should be,
//! where every change pays for what it asks of other factors, recursively.
//!
//! Wehrle and Helmert, "The causal graph revisited for directed model checking", SAS 2009, after Helmert's "The Fast
//! Downward planning system", JAIR 26, 2006. `cost_p(l, ·)` is computed by Dijkstra's algorithm over the values of p, in
//! which every value reached carries a *context*: the values that the causal predecessors of p are assumed to have by
//! then. A change costs its label, plus for every predecessor the cost of getting from its value in the context to the
//! nearest one that allows the label; in the new context it has that value, or what the label makes of it. The printed
//! algorithm does not say what happens if a predecessor has no such value: then the change is impossible. Contexts are
//! replaced only by strictly cheaper ones, so infinity proves nothing.
//!
//! The graph must have no cycles: factors are put in an order, integers before automata, always next the one that loses
//! the least by ignoring those not yet in order; predecessors that come later are ignored. Tables are computed when they
//! are asked for and kept: `cost_p(l, ·)` depends on no more of the state than the ancestors of p.

use beeline_engine::heuristic::{Estimate, Heuristic, Properties};
use beeline_ir::id::Id;
use beeline_ir::layout::{Layout, SlotKind};
use beeline_program::factored::causal::CausalGraph;
use beeline_program::factored::{Action, FactId, Factored, Formula};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Numbers in all tables that are kept.
const MOST_KEPT: usize = 1 << 24;

/// A number of steps; the greatest stands for infinity.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Cost(u32);

impl Cost {
    const ZERO: Self = Self(0);
    const INFINITE: Self = Self(u32::MAX);

    fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

/// What a change asks of a predecessor, and does to it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct Ask {
    /// The position among the predecessors.
    predecessor: usize,
    /// The values that allow it; none if any does.
    facts: Vec<FactId>,
    /// The value afterwards, if it changes.
    after: Option<FactId>,
}

/// A change of a factor.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct Change {
    to: FactId,
    cost: bool,
    asks: Vec<Ask>,
}

/// A factor, with all that its costs depend on.
#[derive(Clone, Debug, Default)]
struct Factor {
    /// Slots that have a say, and come before it.
    predecessors: Vec<usize>,
    /// Those, theirs, and so on, ascending.
    ancestors: Vec<usize>,
    /// The changes from each of its values.
    changes: Vec<Vec<Change>>,
}

type Key = (FactId, Box<[i64]>);

/// The heuristic.
#[derive(Debug)]
pub struct CausalGraphHeuristic {
    factored: Arc<Factored>,
    factors: Vec<Factor>,
    /// Costs to the values of a factor, one table after the other.
    kept: Vec<Cost>,
    /// Where the table of a value and the values of the ancestors begins.
    known: FxHashMap<Key, u32>,
    /// The same for the state at hand, by value, with the number of the evaluation.
    memo: Vec<(u64, u32)>,
    evaluation: u64,
}

impl CausalGraphHeuristic {
    /// For a factored view.
    pub fn new(layout: &Layout, factored: Arc<Factored>) -> Self {
        let graph = CausalGraph::new(&factored);
        let order = order(layout, &graph);
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(at, slot)| place[*slot] = at);
        let mut factors = vec![Factor::default(); order.len()];
        for slot in &order {
            let earlier = graph.predecessors[*slot].iter().map(|(from, _)| *from);
            let predecessors: Vec<usize> = earlier.filter(|from| place[*from] < place[*slot]).collect();
            let mut ancestors = predecessors.clone();
            predecessors.iter().for_each(|from| ancestors.extend(&factors[*from].ancestors));
            ancestors.sort_unstable();
            ancestors.dedup();
            let changes = vec![Vec::new(); factored.domains.size(*slot)];
            factors[*slot] = Factor { predecessors, ancestors, changes };
        }
        for actions in factored.actions.chunk_by(|a, b| a.label == b.label) {
            for action in actions {
                note(&factored, &mut factors, action, actions);
            }
        }
        for changes in factors.iter_mut().flat_map(|factor| &mut factor.changes) {
            changes.sort_unstable();
            changes.dedup();
        }
        let memo = vec![(0, 0); factored.domains.facts()];
        Self { factored, factors, kept: Vec::new(), known: FxHashMap::default(), memo, evaluation: 0 }
    }

    /// The costs from a value of a factor to all others, in a state: the position of the first in what is kept.
    fn table(&mut self, slots: &[i64], from: FactId) -> u32 {
        let (evaluation, known) = self.memo[from.index()];
        if evaluation == self.evaluation {
            return known;
        }
        let slot = self.factored.domains.slot(from);
        let key: Key = (from, self.factors[slot].ancestors.iter().map(|slot| slots[*slot]).collect());
        let start = match self.known.get(&key) {
            Some(start) => *start,
            None => {
                let costs = self.dijkstra(slots, slot, from);
                let start = self.kept.len() as u32;
                self.kept.extend(costs);
                self.known.insert(key, start);
                start
            }
        };
        self.memo[from.index()] = (self.evaluation, start);
        start
    }

    /// The cost from a value of a factor to another.
    fn cost(&mut self, slots: &[i64], from: FactId, to: FactId) -> Cost {
        if from == to {
            return Cost::ZERO;
        }
        let start = self.table(slots, from) as usize;
        let domains = &self.factored.domains;
        let slot = domains.slot(from);
        let first = domains.facts_of(slot).next().map_or(0, Id::index);
        self.kept[start + to.index() - first]
    }

    fn dijkstra(&mut self, slots: &[i64], slot: usize, from: FactId) -> Vec<Cost> {
        let factored = Arc::clone(&self.factored);
        let domains = &factored.domains;
        let first = domains.facts_of(slot).next().map_or(0, Id::index);
        let size = domains.size(slot);
        // Taken out while the tables of others are computed; nobody asks for this factor again, for it comes later.
        let factor = std::mem::take(&mut self.factors[slot]);
        let width = factor.predecessors.len();
        let mut costs = vec![Cost::INFINITE; size];
        let mut done = vec![false; size];
        let mut contexts: Vec<Option<FactId>> = vec![None; size * width];
        let at = from.index() - first;
        costs[at] = Cost::ZERO;
        for (position, predecessor) in factor.predecessors.iter().enumerate() {
            contexts[at * width + position] = domains.fact(*predecessor, slots[*predecessor]);
        }
        let mut next = vec![None; width];
        while let Some(at) =
            (0..size).filter(|at| !done[*at] && costs[*at] < Cost::INFINITE).min_by_key(|at| costs[*at])
        {
            done[at] = true;
            for change in &factor.changes[at] {
                let to = change.to.index() - first;
                if done[to] {
                    continue;
                }
                let context = &contexts[at * width..(at + 1) * width];
                next.copy_from_slice(context);
                let mut total = costs[at].plus(Cost(u32::from(change.cost)));
                for ask in &change.asks {
                    if total >= costs[to] {
                        break;
                    }
                    let (paid, value) = self.pay(slots, next[ask.predecessor], &ask.facts);
                    total = total.plus(paid);
                    next[ask.predecessor] = ask.after.or(value);
                }
                if total < costs[to] {
                    costs[to] = total;
                    contexts[to * width..(to + 1) * width].copy_from_slice(&next);
                }
            }
        }
        self.factors[slot] = factor;
        costs
    }

    /// The cost of bringing a predecessor to the nearest of some values, and which one that is.
    fn pay(&mut self, slots: &[i64], from: Option<FactId>, to: &[FactId]) -> (Cost, Option<FactId>) {
        let Some(start) = from else { return (Cost::ZERO, None) };
        if to.is_empty() || to.contains(&start) {
            return (Cost::ZERO, from);
        }
        let mut nearest = (Cost::INFINITE, from);
        for fact in to {
            let cost = self.cost(slots, start, *fact);
            if cost < nearest.0 {
                nearest = (cost, Some(*fact));
            }
        }
        nearest
    }

    fn of(&mut self, formula: &Formula, slots: &[i64]) -> Cost {
        match formula {
            Formula::Holds(cond) => {
                let factored = Arc::clone(&self.factored);
                let asked = factored.cond(*cond);
                let from = factored.domains.fact(asked.slot, slots[asked.slot]);
                self.pay(slots, from, &asked.facts).0
            }
            Formula::All(parts) => {
                parts.iter().fold(Cost::ZERO, |total, part| total.plus(self.of(part, slots)))
            }
            Formula::Any(parts) => {
                parts.iter().map(|part| self.of(part, slots)).min().unwrap_or(Cost::INFINITE)
            }
        }
    }
}

/// Notes the changes that an action makes, among all actions of its label.
fn note(factored: &Factored, factors: &mut [Factor], action: &Action, all: &[Action]) {
    let domains = &factored.domains;
    // What the other effects of the label make of a slot, where this action's needs say enough.
    let implied = |other: &Action| {
        other.needs.iter().all(|cond| {
            let asked = factored.cond(*cond);
            let given = action.needs.iter().map(|c| factored.cond(*c)).find(|c| c.slot == asked.slot);
            given.is_some_and(|given| given.facts.iter().all(|fact| asked.facts.contains(fact)))
        })
    };
    let others: Vec<&Action> = all.iter().filter(|other| implied(other)).collect();
    let after = |slot: usize| {
        others.iter().find_map(|other| other.effects.iter().find(|fact| domains.slot(**fact) == slot))
    };
    for effect in &action.effects {
        let slot = domains.slot(*effect);
        let mut asks = Vec::new();
        let mut from: Option<&[FactId]> = None;
        for cond in &action.needs {
            let asked = factored.cond(*cond);
            if asked.slot == slot {
                from = Some(&asked.facts);
            }
        }
        for (position, predecessor) in factors[slot].predecessors.iter().enumerate() {
            let asked = action.needs.iter().map(|c| factored.cond(*c)).find(|c| c.slot == *predecessor);
            let after = after(*predecessor).copied();
            if asked.is_some() || after.is_some() {
                let facts = asked.map_or_else(Vec::new, |asked| asked.facts.to_vec());
                asks.push(Ask { predecessor: position, facts, after });
            }
        }
        let first = domains.facts_of(slot).next().map_or(0, Id::index);
        let change = Change { to: *effect, cost: factored.label(action.label).costs, asks };
        let every: Vec<FactId> = domains.facts_of(slot).collect();
        for from in from.unwrap_or(&every).iter().filter(|from| *from != effect) {
            factors[slot].changes[from.index() - first].push(change.clone());
        }
    }
}

/// The order of factors: integers first, and always next the one with the least weight of arcs from those not yet in
/// order.
fn order(layout: &Layout, graph: &CausalGraph) -> Vec<usize> {
    let automaton = |slot: usize| matches!(layout.slots[slot].kind, SlotKind::Location(_));
    let slots = graph.predecessors.len();
    let mut weight: Vec<u64> =
        graph.predecessors.iter().map(|from| from.iter().map(|(_, w)| u64::from(*w)).sum()).collect();
    let mut successors = vec![Vec::new(); slots];
    for (to, from) in graph.predecessors.iter().enumerate() {
        from.iter().for_each(|(from, w)| successors[*from].push((to, u64::from(*w))));
    }
    // For the integers, only arcs from integers count: automata all come later.
    for (to, from) in graph.predecessors.iter().enumerate().filter(|(to, _)| !automaton(*to)) {
        weight[to] -= from.iter().filter(|(f, _)| automaton(*f)).map(|(_, w)| u64::from(*w)).sum::<u64>();
    }
    let mut queue: std::collections::BTreeSet<(bool, u64, usize)> =
        (0..slots).map(|slot| (automaton(slot), weight[slot], slot)).collect();
    let mut order = Vec::new();
    while let Some((_, _, slot)) = queue.pop_first() {
        order.push(slot);
        for (to, w) in &successors[slot] {
            if queue.remove(&(automaton(*to), weight[*to], *to)) {
                weight[*to] -= w;
                queue.insert((automaton(*to), weight[*to], *to));
            }
        }
    }
    order
}

impl Heuristic for CausalGraphHeuristic {
    fn properties(&self) -> Properties {
        Properties {
            admissible: false,
            consistent: false,
            safe_infinity: false,
            zone_dependent: false,
            path_dependent: false,
        }
    }

    fn estimate(&mut self, slots: &[i64]) -> Estimate {
        self.evaluation += 1;
        if self.kept.len() > MOST_KEPT {
            self.kept.clear();
            self.known.clear();
        }
        let factored = Arc::clone(&self.factored);
        match self.of(&factored.goal, slots) {
            Cost::INFINITE => Estimate::Infinite,
            Cost(steps) => Estimate::Steps(steps),
        }
    }

    fn bytes(&self) -> u64 {
        let keys = self.known.len() * (size_of::<(Key, u32)>() + 64);
        (self.kept.capacity() * size_of::<Cost>() + keys) as u64
    }
}
