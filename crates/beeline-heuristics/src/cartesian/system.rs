//! The system that is abstracted: the atomic factors of a network, with what each label asks of single factors and does to
//! them, made for questions about sets of states. A *Cartesian set* has a set of states of each factor, in bits, each
//! factor from a word of its own on; since labels treat factors independently, what a label makes of such a set is such a
//! set again. Where clocks count, what labels do to them is in `timing`, by the same operators.

use super::timing::{Change, Jumps, Timing};
use crate::factors::{Atomic, Factor, Labels, Source, State, Transition, live};
use beeline_ir::limits::StopReason;
use beeline_ir::network::Network;
use beeline_program::factored::{Factored, Meter};
use std::collections::BTreeMap;
use std::ops::Range;

/// A label, or several that do the same.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Operator {
    pub(super) costs: bool,
    /// By factor, ascending, with a group of it; all others stay as they are.
    parts: Box<[(u32, u32)]>,
}

/// What a group of labels does in a factor.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Moves {
    sources: Box<[u64]>,
    targets: Box<[u64]>,
    /// Ascending; none if every source leads to every target.
    pairs: Box<[Transition]>,
}

impl Moves {
    fn new(transitions: Vec<Transition>, words: usize) -> Self {
        let (mut sources, mut targets) = (vec![0; words], vec![0; words]);
        for (from, to) in &transitions {
            put(&mut sources, from.index());
            put(&mut targets, to.index());
        }
        let all = size(&sources) * size(&targets) == transitions.len();
        let pairs = if all { Box::default() } else { transitions.into() };
        Self { sources: sources.into(), targets: targets.into(), pairs }
    }

    fn bytes(&self) -> usize {
        size_of::<Self>() + size_of_val(&*self.sources) * 2 + size_of_val(&*self.pairs)
    }
}

/// The system.
#[derive(Debug)]
pub(super) struct System {
    /// What each factor is made of.
    pub(super) sources: Vec<Source>,
    /// The first word of each factor, and how many there are in all.
    starts: Vec<usize>,
    pub(super) operators: Vec<Operator>,
    /// By factor and group.
    moves: Vec<Vec<Moves>>,
    /// What they do to clocks, if these count.
    pub(super) timing: Option<Timing>,
    /// The states of each factor that may be reached, whatever the others do: the *box*.
    pub(super) all: Vec<u64>,
    pub(super) initial: Vec<u64>,
    pub(super) goal: Vec<u64>,
    pub(super) bytes: usize,
}

impl System {
    /// For the factors of a network, as they are before anything is left out; with its clocks, if it is given.
    pub(super) fn new(
        atomic: Atomic,
        (factored, clocks): (&Factored, Option<&Network>),
        meter: &Meter<'_>,
    ) -> Result<Self, StopReason> {
        let Atomic { factors, mut labels, origins, .. } = atomic;
        let (sources, factors): (Vec<Source>, Vec<Factor>) = factors.into_iter().unzip();
        let reached = reached(&factors, &mut labels, meter)?;
        let mut starts = vec![0];
        for factor in &factors {
            starts.push(starts[starts.len() - 1] + factor.states().div_ceil(64));
        }
        let words = starts[factors.len()];
        let (mut all, mut initial, mut goal) = (vec![0; words], vec![0; words], vec![0; words]);
        for (at, factor) in factors.iter().enumerate() {
            let range = starts[at]..starts[at + 1];
            put(&mut initial[range.clone()], factor.initial.index());
            for state in (0..factor.states()).filter(|state| reached[at][*state]) {
                put(&mut all[range.clone()], state);
                if factor.goal[state] {
                    put(&mut goal[range.clone()], state);
                }
            }
        }
        let mut timing = clocks.and_then(|network| Timing::new(network, &sources));
        let jumps = clocks.filter(|_| timing.is_some()).map(|network| Jumps::new(network, &sources));
        let change = |label: usize| match (&jumps, origins[label]) {
            (Some(jumps), Some(label)) => jumps.of(factored.label(label)),
            _ => Change::Aside(Vec::new()),
        };
        let mut known = operators(&factors, &labels, change, meter)?;
        let moves = |(at, factor): (usize, &Factor)| -> Vec<Moves> {
            let inside = |(from, to): &&Transition| reached[at][from.index()] && reached[at][to.index()];
            let group = |group: &Vec<Transition>| group.iter().filter(inside).copied().collect();
            let words = starts[at + 1] - starts[at];
            factor.groups.iter().map(|of| Moves::new(group(of), words)).collect()
        };
        let mut moves: Vec<Vec<Moves>> = factors.iter().enumerate().map(moves).collect();
        if let (Some(jumps), Some(timing)) = (&jumps, &mut timing) {
            for label in &factored.labels {
                meter.work(1)?;
                let change = jumps.of(label);
                let Some(asked) = jumps.idle(label, &change) else { continue };
                let stay = |(factor, value): (usize, i64)| {
                    let Source::Slot(_, least, values) = sources[factor] else { return None };
                    let state = usize::try_from(value - least).ok().filter(|state| *state < values)?;
                    if !reached[factor][state] {
                        return None;
                    }
                    let words = starts[factor + 1] - starts[factor];
                    moves[factor].push(Moves::new(vec![(State::new(state), State::new(state))], words));
                    Some((factor as u32, moves[factor].len() as u32 - 1))
                };
                // Where one of them is never there, it is never taken.
                if let Some(parts) = asked.into_iter().map(stay).collect::<Option<Box<_>>>() {
                    *known.entry((parts, change)).or_insert(label.costs) &= label.costs;
                }
            }
            known.insert((Box::default(), Change::Delay), false);
            timing.changes = known.keys().map(|(_, change)| change.clone()).collect();
            timing.settle();
        }
        let operator = |((parts, _), costs)| Operator { costs, parts };
        let operators: Vec<Operator> = known.into_iter().map(operator).collect();
        let parts = |operator: &Operator| size_of::<Operator>() + size_of_val(&*operator.parts);
        let bytes = operators.iter().map(parts).sum::<usize>()
            + moves.iter().flatten().map(Moves::bytes).sum::<usize>();
        meter.allocate(bytes)?;
        Ok(Self { sources, starts, operators, moves, timing, all, initial, goal, bytes })
    }

    /// Number of factors.
    pub(super) fn factors(&self) -> usize {
        self.sources.len()
    }

    /// Words of a Cartesian set.
    pub(super) fn words(&self) -> usize {
        self.starts[self.factors()]
    }

    /// The words of a factor in a Cartesian set.
    #[inline]
    pub(super) fn range(&self, factor: usize) -> Range<usize> {
        self.starts[factor]..self.starts[factor + 1]
    }

    /// Whether a label has to do with a factor.
    pub(super) fn touches(&self, operator: u32, factor: usize) -> bool {
        self.part(operator, factor).is_some()
    }

    fn part(&self, operator: u32, factor: usize) -> Option<&Moves> {
        let parts = &self.operators[operator as usize].parts;
        let at = parts.binary_search_by_key(&(factor as u32), |(factor, _)| *factor).ok()?;
        Some(&self.moves[factor][parts[at].1 as usize])
    }

    /// Whether a label may lead from some states of a factor to others.
    #[inline]
    pub(super) fn leads(&self, operator: u32, factor: usize, from: &[u64], to: &[u64]) -> bool {
        match self.part(operator, factor) {
            None => meet(from, to),
            Some(moves) if moves.pairs.is_empty() => meet(&moves.sources, from) && meet(&moves.targets, to),
            Some(moves) => {
                meet(&moves.sources, from)
                    && meet(&moves.targets, to)
                    && moves.pairs.iter().any(|(a, b)| has(from, a.index()) && has(to, b.index()))
            }
        }
    }

    /// What a label may make of some states of a factor; true if there is anything.
    pub(super) fn image(&self, operator: u32, factor: usize, from: &[u64], into: &mut [u64]) -> bool {
        into.fill(0);
        match self.part(operator, factor) {
            None => into.copy_from_slice(from),
            Some(moves) if moves.pairs.is_empty() => {
                if meet(&moves.sources, from) {
                    into.copy_from_slice(&moves.targets);
                }
            }
            Some(moves) => {
                let pairs = moves.pairs.iter().filter(|(a, _)| has(from, a.index()));
                pairs.for_each(|(_, b)| put(into, b.index()));
            }
        }
        into.iter().any(|word| *word != 0)
    }

    /// Of some states of a factor, those that a label may lead from to some others.
    pub(super) fn origin(&self, operator: u32, factor: usize, from: &[u64], to: &[u64], into: &mut [u64]) {
        into.fill(0);
        match self.part(operator, factor) {
            None => into.copy_from_slice(to),
            Some(moves) if moves.pairs.is_empty() => {
                if meet(&moves.targets, to) {
                    into.copy_from_slice(&moves.sources);
                }
            }
            Some(moves) => {
                let pairs = moves.pairs.iter().filter(|(_, b)| has(to, b.index()));
                pairs.for_each(|(a, _)| put(into, a.index()));
            }
        }
        into.iter_mut().zip(from).for_each(|(word, from)| *word &= from);
    }
}

/// The states of each factor that may be reached, whatever the others do. Labels that lead from or to none of them go.
fn reached(factors: &[Factor], labels: &mut Labels, meter: &Meter<'_>) -> Result<Vec<Vec<bool>>, StopReason> {
    let mut reached: Vec<Vec<bool>> = factors.iter().map(|factor| vec![true; factor.states()]).collect();
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for (factor, known) in factors.iter().zip(&mut reached) {
            meter.work((factor.size() + labels.len()) as u64)?;
            let now = factor.reachable(labels);
            if now == *known {
                continue;
            }
            changed = true;
            *known = now;
            let inside = |(from, to): &Transition| known[from.index()] && known[to.index()];
            let taken: Vec<bool> = factor.groups.iter().map(|group| group.iter().any(inside)).collect();
            for (label, cost) in labels.iter_mut().enumerate() {
                if !taken[factor.group_of[label] as usize] {
                    *cost = None;
                }
            }
        }
    }
    Ok(reached)
}

/// What operators do to factors and to clocks, and whether they cost a step.
type Known = BTreeMap<(Box<[(u32, u32)]>, Change), bool>;

/// The labels that there are; those that do the same are one, which costs a step if all of them do.
fn operators(
    factors: &[Factor],
    labels: &Labels,
    change: impl Fn(usize) -> Change,
    meter: &Meter<'_>,
) -> Result<Known, StopReason> {
    let irrelevant: Vec<Vec<bool>> = factors.iter().map(Factor::irrelevant).collect();
    let mut known = Known::new();
    for (label, costs) in live(labels) {
        let part = |(at, factor): (usize, &Factor)| {
            let group = factor.group_of[label];
            (!irrelevant[at][group as usize]).then_some((at as u32, group))
        };
        meter.work(factors.len() as u64)?;
        let parts = factors.iter().enumerate().filter_map(part).collect();
        *known.entry((parts, change(label))).or_insert(costs) &= costs;
    }
    Ok(known)
}

#[inline]
pub(super) fn has(set: &[u64], at: usize) -> bool {
    set[at / 64] >> (at % 64) & 1 == 1
}

#[inline]
pub(super) fn put(set: &mut [u64], at: usize) {
    set[at / 64] |= 1 << (at % 64);
}

/// Whether two sets have something in common.
#[inline]
pub(super) fn meet(a: &[u64], b: &[u64]) -> bool {
    a.iter().zip(b).any(|(a, b)| a & b != 0)
}

/// How many are in a set.
pub(super) fn size(set: &[u64]) -> usize {
    set.iter().map(|word| word.count_ones() as usize).sum()
}

/// What is in a set, ascending.
pub(super) fn each(set: &[u64]) -> impl Iterator<Item = State> + '_ {
    (0..set.len() * 64).filter(|at| has(set, *at)).map(State::new)
}
