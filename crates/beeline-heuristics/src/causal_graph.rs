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

mod moves;

use crate::registry::share;
use beeline_engine::heuristic::{Estimate, Heuristic, Properties};
use beeline_ir::id::Id;
use beeline_ir::layout::{Layout, SlotKind};
use beeline_ir::limits::{Limits, StopReason};
use beeline_program::factored::causal::CausalGraph;
use beeline_program::factored::{FactId, Factored, Formula, Meter};
use moves::{Ask, Moves};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Bytes of all tables that are kept.
const MOST_KEPT: usize = 1 << 28;

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

type Key = (FactId, Box<[i64]>);

/// The heuristic.
#[derive(Debug)]
pub struct CausalGraphHeuristic {
    factored: Arc<Factored>,
    moves: Arc<Moves>,
    /// Costs to the values of a factor, one table after the other.
    kept: Vec<Cost>,
    /// Where the table of a value and the values of the ancestors begins.
    known: FxHashMap<Key, u32>,
    /// Bytes of what is kept and known.
    bytes: usize,
    /// The same for the state at hand, by value, with the number of the evaluation.
    memo: Vec<(u64, u32)>,
    evaluation: u64,
    /// One evaluation may need many tables; when time is up, it makes no more of them.
    limits: Limits,
    stopped: bool,
}

impl CausalGraphHeuristic {
    /// For a factored view.
    pub fn new(layout: &Layout, factored: Arc<Factored>, meter: &Meter<'_>) -> Result<Self, StopReason> {
        let graph = CausalGraph::new(&factored, meter)?;
        let moves = Moves::new(&factored, &graph, &order(layout, &graph), meter)?;
        meter.allocate(factored.domains.facts() * size_of::<(u64, u32)>())?;
        Ok(Self {
            memo: vec![(0, 0); factored.domains.facts()],
            moves: Arc::new(moves),
            factored,
            kept: Vec::new(),
            known: FxHashMap::default(),
            bytes: 0,
            evaluation: 0,
            limits: meter.limits().clone(),
            stopped: false,
        })
    }

    /// The costs from a value of a factor to all others, in a state: the position of the first in what is kept.
    fn table(&mut self, slots: &[i64], from: FactId) -> u32 {
        let (evaluation, known) = self.memo[from.index()];
        if evaluation == self.evaluation {
            return known;
        }
        let factor = &self.moves.factors[self.factored.domains.slot(from)];
        let key: Key = (from, factor.ancestors.iter().map(|slot| slots[*slot as usize]).collect());
        let start = match self.known.get(&key) {
            Some(start) => *start,
            None => {
                let costs = self.dijkstra(slots, from);
                let start = self.kept.len() as u32;
                self.bytes += size_of_val(&*costs) + size_of_val(&*key.1) + size_of::<(Key, u32)>() + 8;
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

    fn dijkstra(&mut self, slots: &[i64], from: FactId) -> Vec<Cost> {
        let (factored, moves) = (Arc::clone(&self.factored), Arc::clone(&self.moves));
        let domains = &factored.domains;
        let slot = domains.slot(from);
        let first = domains.facts_of(slot).next().map_or(0, Id::index);
        let size = domains.size(slot);
        let factor = &moves.factors[slot];
        let width = factor.predecessors.len();
        let mut costs = vec![Cost::INFINITE; size];
        self.stopped |= self.limits.check(0, self.bytes as u64).is_err();
        if self.stopped {
            return costs;
        }
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
            for change in factor.leaving(at) {
                let mut total = costs[at].plus(Cost(u32::from(change.costs)));
                let open = || change.to.iter().map(|to| to.index() - first).filter(|to| !done[*to]);
                // What is no cheaper for any of them need not be paid for to the end.
                let Some(dearest) = open().map(|to| costs[to]).max() else { continue };
                next.copy_from_slice(&contexts[at * width..(at + 1) * width]);
                for Ask { predecessor, cond, after } in moves.asks(change) {
                    if total >= dearest {
                        break;
                    }
                    let predecessor = *predecessor as usize;
                    let facts = cond.map_or(&[][..], |cond| &factored.cond(cond).facts);
                    let (paid, value) = self.pay(slots, next[predecessor], facts);
                    total = total.plus(paid);
                    next[predecessor] = after.or(value);
                }
                for to in open() {
                    if total < costs[to] {
                        costs[to] = total;
                        contexts[to * width..(to + 1) * width].copy_from_slice(&next);
                    }
                }
            }
        }
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
        Properties::NOTHING
    }

    fn estimate(&mut self, slots: &[i64]) -> Estimate {
        self.evaluation += 1;
        if self.bytes > MOST_KEPT {
            self.kept.clear();
            self.known.clear();
            self.bytes = 0;
        }
        let factored = Arc::clone(&self.factored);
        match self.of(&factored.goal, slots) {
            // The search is about to end.
            _ if self.stopped => Estimate::ZERO,
            Cost::INFINITE => Estimate::Infinite,
            Cost(steps) => Estimate::Steps(steps),
        }
    }

    fn bytes(&self) -> u64 {
        let own = self.moves.bytes + (self.bytes + size_of_val(&*self.memo)) as u64;
        own + share(&self.factored)
    }
}
