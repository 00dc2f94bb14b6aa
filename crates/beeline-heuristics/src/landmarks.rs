//! Landmarks by dominators: every run to the target brings each automaton and integer that it speaks of to where it should
//! be, and crosses all [`cuts`] of its graph on the way. What all labels of a cut ask of another automaton or integer has
//! to be the case at some time, too: this is a target of its own, with its own cuts, and so on.
//!
//! A step of a label crosses at most one cut on the way to each of these targets. So its cost is shared out among the
//! targets that have it in a cut, evenly, in parts of a step; each cut is worth what its cheapest label is, and the sum is a lower
//! bound. So is the number of cuts if each label counts for the first target alone that it can count for; the greater
//! of the two is taken. It is infinite where some target is out of reach of its graph.
//!
//! Which targets there are depends on the state, so the parts of one state are not those of the next: the estimate may fall
//! by more than a step costs.
//!
//! Karpas and Domshlak, "Cost-optimal planning with landmarks", IJCAI 2009; cuts and what they derive from: Richter and
//! Westphal, "The LAMA planner", Journal of Artificial Intelligence Research 39, 2010.

mod cuts;

use crate::factors::{Atomic, Facts, Operator, Start, Ways, bits};
use beeline_engine::heuristic::{Estimate, Heuristic, Properties};
use beeline_ir::limits::StopReason;
use beeline_program::factored::{Factored, Meter};
use cuts::Graph;
use rustc_hash::FxHashMap;

/// Parts of a step.
const PARTS: u32 = 5040;
/// Targets beyond which no more are derived.
const MOST_TARGETS: usize = 1 << 12;
/// Work beyond which no more are derived.
const MOST_WORK: u64 = 1 << 30;
/// Labels of all cuts, beyond which no more targets are derived.
const MOST_LABELS: usize = 1 << 24;
/// Ways to meet the goal that are told apart.
const MOST_GOALS: usize = 16;

/// States of a factor, one of which a run has to come to.
#[derive(Debug)]
struct Target {
    factor: usize,
    /// The cuts on the way, by state; `None` if there is no way.
    cuts: Vec<Option<Box<[u32]>>>,
}

/// Labels one of which a run has to take.
#[derive(Debug, Default)]
struct Cut {
    labels: Box<[u32]>,
    /// Targets that all of them have in common.
    derived: Vec<u32>,
}

/// The heuristic.
#[derive(Debug)]
pub struct Landmarks {
    facts: Facts,
    targets: Vec<Target>,
    cuts: Vec<Cut>,
    /// Targets of each way to meet the goal.
    goals: Vec<Vec<u32>>,
    mutexes: bool,
    scratch: Scratch,
}

/// For one estimate.
#[derive(Debug, Default)]
struct Scratch {
    state: Vec<usize>,
    seen: Vec<bool>,
    /// Targets with their cuts: which, and from which state.
    open: Vec<(u32, u32)>,
    /// By label, how many targets it counts for, and the one it was counted for last.
    shares: Vec<(u32, u32)>,
    /// By label, the target that has all of it.
    taken: Vec<Option<u32>>,
}

impl Landmarks {
    /// For a factored view and an initial state.
    pub fn new(factored: &Factored, start: Start<'_>, meter: &Meter<'_>) -> Result<Self, StopReason> {
        let before = meter.bytes();
        let made = match Atomic::new(factored, start, meter)? {
            Some(atomic) => Deriving::new(&atomic, meter)?.run(start.mutexes, meter)?,
            None => Self {
                facts: Facts::none(),
                targets: Vec::new(),
                cuts: Vec::new(),
                goals: vec![Vec::new()],
                mutexes: start.mutexes,
                scratch: Scratch::default(),
            },
        };
        meter.keep(before + made.bytes());
        Ok(made)
    }

    /// The estimate for one way to meet the goal, with the facts of a state at hand.
    fn value(&mut self, goal: usize) -> Estimate {
        let Self { facts, targets, cuts, goals, scratch, .. } = self;
        let Scratch { state, seen, open, shares, taken } = scratch;
        seen.fill(false);
        open.clear();
        let mut at = 0;
        let mut add = |target: u32, open: &mut Vec<(u32, u32)>| {
            if !std::mem::replace(&mut seen[target as usize], true) {
                let factor = targets[target as usize].factor;
                open.push((target, (state[factor] - facts.of(factor).start) as u32));
            }
        };
        goals[goal].iter().for_each(|target| add(*target, open));
        while let Some((target, from)) = open.get(at).copied() {
            at += 1;
            let Target { factor, cuts: of_state } = &targets[target as usize];
            let Some(crossed) = &of_state[from as usize] else { return Estimate::Infinite };
            for derived in crossed.iter().flat_map(|cut| &cuts[*cut as usize].derived) {
                // That the factor itself has to be where the cut begins is no news.
                if targets[*derived as usize].factor != *factor {
                    add(*derived, open);
                }
            }
        }
        shares.fill((0, u32::MAX));
        let crossed = |(target, from): (u32, u32)| {
            let crossed = targets[target as usize].cuts[from as usize].as_deref();
            crossed.unwrap_or_default().iter().map(|cut| &*cuts[*cut as usize].labels)
        };
        for (number, of) in open.iter().enumerate() {
            for label in crossed(*of).flatten() {
                let (targets, last) = &mut shares[*label as usize];
                if *last != number as u32 {
                    (*targets, *last) = (*targets + 1, number as u32);
                }
            }
        }
        let worth = |labels: &[u32]| {
            let most = labels.iter().map(|label| shares[*label as usize].0).max();
            most.map_or(0, |targets| u64::from(PARTS / targets))
        };
        let parts: u64 = open.iter().flat_map(|of| crossed(*of)).map(worth).sum();
        let shared = u32::try_from(parts.div_ceil(PARTS.into())).unwrap_or(u32::MAX);
        taken.fill(None);
        let mut whole = 0;
        for (number, of) in open.iter().enumerate() {
            let number = Some(number as u32);
            for labels in crossed(*of) {
                let mut owners = labels.iter().map(|label| taken[*label as usize]);
                if owners.all(|owner| owner.is_none() || owner == number) {
                    labels.iter().for_each(|label| taken[*label as usize] = number);
                    whole += 1;
                }
            }
        }
        Estimate::Steps(shared.max(whole))
    }
}

impl Heuristic for Landmarks {
    fn properties(&self) -> Properties {
        Properties { consistent: false, ..Properties::LOWER_BOUND }
    }

    fn estimate(&mut self, slots: &[i64]) -> Estimate {
        if !self.facts.read(slots, &mut self.scratch.state) {
            // No state of the network: no search asks.
            return Estimate::ZERO;
        }
        let goals = 0..self.goals.len();
        goals.map(|goal| self.value(goal)).min().unwrap_or(Estimate::Infinite)
    }

    fn reads_dead_variables(&self) -> bool {
        self.mutexes
    }

    fn remark(&self) -> Option<String> {
        Some(format!("{} targets, {} cuts", self.targets.len(), self.cuts.len()))
    }

    fn bytes(&self) -> u64 {
        let lists = self.targets.iter().flat_map(|target| &target.cuts);
        let lists = lists.map(|cuts| size_of_val(cuts) + cuts.as_deref().map_or(0, size_of_val));
        let cuts = self
            .cuts
            .iter()
            .map(|cut| size_of::<Cut>() + size_of_val(&*cut.labels) + size_of_val(&*cut.derived));
        lists.chain(cuts).sum::<usize>() as u64
    }
}

/// Targets that derive from each other, while they are found.
struct Deriving<'a> {
    atomic: &'a Atomic,
    facts: Facts,
    operators: Vec<Operator>,
    ways: Vec<Vec<Ways>>,
    /// By factor; none if it is too large.
    graphs: Vec<Option<Graph>>,
    /// By factor and group, the labels.
    labels: Vec<Vec<Vec<u32>>>,
    targets: Vec<Target>,
    /// What each of them asks for.
    asked: Vec<(usize, Vec<u64>)>,
    known: FxHashMap<(usize, Vec<u64>), u32>,
    cuts: Vec<Cut>,
    known_cuts: FxHashMap<Box<[u32]>, u32>,
    work: u64,
    /// Labels of all cuts.
    size: usize,
}

impl<'a> Deriving<'a> {
    fn new(atomic: &'a Atomic, meter: &Meter<'_>) -> Result<Self, StopReason> {
        let operators = atomic.operators();
        let mut labels: Vec<Vec<Vec<u32>>> =
            atomic.factors.iter().map(|(_, factor)| vec![Vec::new(); factor.groups.len()]).collect();
        for (at, operator) in operators.iter().enumerate() {
            meter.allocate(operator.bytes())?;
            for part in &operator.parts {
                labels[part.factor as usize][part.group as usize].push(at as u32);
            }
        }
        let mut graphs = Vec::new();
        for ((_, factor), labels) in atomic.factors.iter().zip(&labels) {
            let cost = |labels: &Vec<u32>| {
                let all = labels.iter().all(|label| operators[*label as usize].costs);
                (!labels.is_empty()).then_some(all)
            };
            let costs: Vec<Option<bool>> = labels.iter().map(cost).collect();
            let graph = Graph::new(factor, &costs);
            meter.work(graph.as_ref().map_or(1, Graph::work))?;
            graphs.push(graph);
        }
        Ok(Self {
            facts: Facts::new(atomic),
            ways: atomic.ways(),
            atomic,
            operators,
            graphs,
            labels,
            targets: Vec::new(),
            asked: Vec::new(),
            known: FxHashMap::default(),
            cuts: Vec::new(),
            known_cuts: FxHashMap::default(),
            work: 0,
            size: 0,
        })
    }

    fn run(mut self, mutexes: bool, meter: &Meter<'_>) -> Result<Landmarks, StopReason> {
        let goals = self.goals(meter)?;
        let mut next = 0;
        while next < self.targets.len() {
            self.cut(next, meter)?;
            next += 1;
        }
        let scratch = Scratch {
            seen: vec![false; self.targets.len()],
            shares: vec![(0, 0); self.operators.len()],
            taken: vec![None; self.operators.len()],
            ..Scratch::default()
        };
        let Self { facts, targets, cuts, .. } = self;
        Ok(Landmarks { facts, targets, cuts, goals, mutexes, scratch })
    }

    /// The targets of each way to meet the goal.
    fn goals(&mut self, meter: &Meter<'_>) -> Result<Vec<Vec<u32>>, StopReason> {
        let Some(monitor) = self.atomic.monitor() else {
            let mut targets = Vec::new();
            for (at, (_, factor)) in self.atomic.factors.iter().enumerate() {
                let mut set = vec![0; bits::words(factor.states())];
                (0..factor.states()).filter(|s| factor.goal[*s]).for_each(|s| bits::put(&mut set, s));
                targets.extend(self.target(at, set, meter)?);
            }
            return Ok(vec![targets]);
        };
        let ways = (0..self.operators.len() as u32).filter(|o| {
            let operator = &self.operators[*o as usize];
            operator.part(monitor as u32).is_some()
        });
        let ways: Vec<u32> = ways.collect();
        let each = if ways.len() > MOST_GOALS { vec![&*ways] } else { ways.chunks(1).collect() };
        each.into_iter().map(|ways| self.common(ways, Some(monitor), meter)).collect()
    }

    /// The target of some states of a factor, unless it is met anywhere or too much.
    fn target(&mut self, factor: usize, set: Vec<u64>, meter: &Meter<'_>) -> Result<Option<u32>, StopReason> {
        let states = self.atomic.factors[factor].1.states();
        let Some(graph) = &self.graphs[factor] else { return Ok(None) };
        if bits::each(&set).count() == states {
            return Ok(None);
        }
        let key = (factor, set);
        if let Some(known) = self.known.get(&key) {
            return Ok(Some(*known));
        }
        if self.targets.len() >= MOST_TARGETS || self.work > MOST_WORK || self.size > MOST_LABELS {
            return Ok(None);
        }
        self.work += graph.work();
        let id = self.targets.len() as u32;
        meter.allocate(
            size_of::<Target>() + 2 * size_of_val(&*key.1) + states * size_of::<Option<Box<[u32]>>>(),
        )?;
        self.targets.push(Target { factor, cuts: Vec::new() });
        self.asked.push(key.clone());
        self.known.insert(key, id);
        Ok(Some(id))
    }

    /// The targets that some labels have in common, but for those of a factor.
    fn common(
        &mut self,
        labels: &[u32],
        but: Option<usize>,
        meter: &Meter<'_>,
    ) -> Result<Vec<u32>, StopReason> {
        let Some(first) = labels.first() else { return Ok(Vec::new()) };
        let mut targets = Vec::new();
        for part in self.operators[*first as usize].parts.clone() {
            let factor = part.factor as usize;
            let mut set = vec![0; bits::words(self.atomic.factors[factor].1.states())];
            let mut restricted = Some(factor) != but;
            for label in labels {
                let part = self.operators[*label as usize].part(part.factor);
                let ways = part.map(|part| &self.ways[factor][part.group as usize]);
                let Some(ways) = ways.filter(|ways| ways.restricts && restricted) else {
                    restricted = false;
                    break;
                };
                ways.sources.iter().for_each(|state| bits::put(&mut set, state.index()));
                meter.work(1 + ways.sources.len() as u64)?;
                self.work += 1 + ways.sources.len() as u64;
            }
            if restricted {
                targets.extend(self.target(factor, set, meter)?);
            }
        }
        Ok(targets)
    }

    /// Finds the cuts on the way to a target.
    fn cut(&mut self, target: usize, meter: &Meter<'_>) -> Result<(), StopReason> {
        let (factor, set) = self.asked[target].clone();
        let Some(graph) = &self.graphs[factor] else { return Ok(()) };
        meter.work(graph.work())?;
        let asked: Vec<bool> =
            (0..self.atomic.factors[factor].1.states()).map(|state| bits::has(&set, state)).collect();
        let mut by_state = Vec::new();
        for cuts in graph.cuts(&asked) {
            let Some(cuts) = cuts else {
                by_state.push(None);
                continue;
            };
            let mut named = Vec::new();
            for groups in cuts {
                let labels = groups.iter().flat_map(|group| &self.labels[factor][*group as usize]);
                let mut labels: Vec<u32> = labels.copied().collect();
                labels.sort_unstable();
                named.push(self.intern(labels.into(), meter)?);
            }
            meter.allocate(size_of_val(&*named))?;
            by_state.push(Some(named.into()));
        }
        self.targets[target].cuts = by_state;
        Ok(())
    }

    fn intern(&mut self, labels: Box<[u32]>, meter: &Meter<'_>) -> Result<u32, StopReason> {
        if let Some(known) = self.known_cuts.get(&labels) {
            return Ok(*known);
        }
        meter.allocate(size_of::<Cut>() + 2 * size_of_val(&*labels))?;
        self.size += labels.len();
        let id = self.cuts.len() as u32;
        self.known_cuts.insert(labels.clone(), id);
        self.cuts.push(Cut::default());
        let derived = self.common(&labels, None, meter)?;
        self.cuts[id as usize] = Cut { labels, derived };
        Ok(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::factors::testing::{atomic, states};
    use beeline_ir::limits::Limits;

    #[test]
    fn cuts_of_random_factors_are_lower_bounds() {
        let limits = Limits::default();
        let meter = Meter::new(&limits);
        let (mut sum, mut infinite) = (0, 0);
        for seed in 0..300 {
            let atomic = atomic(seed);
            let deriving = Deriving::new(&atomic, &meter).expect("nobody stops it");
            let mut heuristic = deriving.run(false, &meter).expect("nobody stops it");
            for (slots, _, distance) in states(&atomic) {
                let h = heuristic.estimate(&slots).steps();
                let below = h.is_none_or(|h| distance.is_none_or(|distance| h <= distance));
                assert!(
                    below && (h.is_some() || distance.is_none()),
                    "{seed}: {h:?} {distance:?} at {slots:?}"
                );
                let alone = atomic
                    .factors
                    .iter()
                    .zip(&slots)
                    .map(|((_, factor), value)| factor.distances(&atomic.labels)[*value as usize]);
                sum += usize::from(h > alone.max().flatten());
                infinite += usize::from(h.is_none());
            }
        }
        assert!(sum > 100 && infinite > 100, "{sum} {infinite}");
    }
}
