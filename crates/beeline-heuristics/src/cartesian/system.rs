//! The system that is abstracted: the atomic factors of a network, with what each label asks of single factors and does to
//! them, made for questions about sets of states. A *Cartesian set* has a set of states of each factor, in bits, each
//! factor from a word of its own on; since labels treat factors independently, what a label makes of such a set is such a
//! set again. Where clocks count, what labels do to them is in `timing`, by the same operators.

use super::guards::Guards;
use super::timing::{Change, Jumps, Timing};
use crate::factors::{Atomic, Factor, Labels, Source, State, Transition, live};
use beeline_ir::id::Id;
use beeline_ir::limits::StopReason;
use beeline_ir::network::Network;
use beeline_program::factored::{Factored, Label, LabelId, Meter};
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
        let mut groups = Groups::new(&factors, &sources, &reached, &starts);
        let mut timing = clocks.and_then(|network| Timing::new(network, &sources));
        let known = match clocks.zip(timing.as_mut()) {
            Some((network, timing)) => {
                let jumps = Jumps::new(network, &sources);
                let known = timed(&mut groups, &labels, &origins, (network, factored, &jumps), meter)?;
                timing.changes = known.keys().map(|(_, change)| change.clone()).collect();
                timing.settle();
                known
            }
            None => operators(&mut groups, &labels, |_| Some((Change::Aside(Vec::new()), None)), meter)?,
        };
        let moves = groups.moves;
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

/// What a label does to each factor that it has to do with: a group of it.
type Parts = BTreeMap<u32, u32>;
/// What operators do to factors and to clocks, and whether they cost a step.
type Known = BTreeMap<(Box<[(u32, u32)]>, Change), bool>;
/// What a label does to clocks, and what it asks of factors if that has to be said.
type Asking = (Change, Option<Vec<(usize, Vec<i64>)>>);

/// The groups of all factors, and more of them with fewer transitions.
struct Groups<'a> {
    factors: &'a [Factor],
    sources: &'a [Source],
    reached: &'a [Vec<bool>],
    starts: &'a [usize],
    moves: Vec<Vec<Moves>>,
    /// Groups that were made of others (or of none), for these values; `None` if nothing is left.
    made: BTreeMap<(u32, Option<u32>, Vec<i64>), Option<u32>>,
}

impl<'a> Groups<'a> {
    fn new(
        factors: &'a [Factor],
        sources: &'a [Source],
        reached: &'a [Vec<bool>],
        starts: &'a [usize],
    ) -> Self {
        let moves = vec![Vec::new(); factors.len()];
        let mut groups = Self { factors, sources, reached, starts, moves, made: BTreeMap::new() };
        for (at, factor) in factors.iter().enumerate() {
            for group in &factor.groups {
                groups.add(at, group.iter().copied());
            }
        }
        groups
    }

    /// A group with those of some transitions that may be taken.
    fn add(&mut self, factor: usize, transitions: impl Iterator<Item = Transition>) -> u32 {
        let reached = &self.reached[factor];
        let inside = |(from, to): &Transition| reached[from.index()] && reached[to.index()];
        let words = self.starts[factor + 1] - self.starts[factor];
        self.moves[factor].push(Moves::new(transitions.filter(inside).collect(), words));
        self.moves[factor].len() as u32 - 1
    }

    /// What is left of a label where factors have some values; `None` if nothing is.
    fn restricted(&mut self, mut parts: Parts, asked: &[(usize, Vec<i64>)]) -> Option<Parts> {
        for (factor, values) in asked {
            let Source::Slot(_, least, _) = self.sources[*factor] else { continue };
            let group = parts.get(&(*factor as u32)).copied();
            let key = (*factor as u32, group, values.clone());
            let made = match self.made.get(&key) {
                Some(made) => *made,
                None => {
                    let of = &self.factors[*factor];
                    let asked = |state: &State| values.contains(&(least + state.index() as i64));
                    let all = (0..of.states()).map(State::new).map(|state| (state, state));
                    let transitions: Vec<Transition> = match group {
                        Some(group) => of.groups[group as usize]
                            .iter()
                            .copied()
                            .filter(|(from, _)| asked(from))
                            .collect(),
                        None => all.filter(|(from, _)| asked(from)).collect(),
                    };
                    let made = self.add(*factor, transitions.into_iter());
                    let some = self.moves[*factor][made as usize].sources.iter().any(|word| *word != 0);
                    let made = some.then_some(made);
                    self.made.insert(key, made);
                    made
                }
            };
            parts.insert(*factor as u32, made?);
        }
        Some(parts)
    }
}

/// The labels that there are; those that do the same are one, which costs a step if all of them do.
fn operators(
    groups: &mut Groups<'_>,
    labels: &Labels,
    asking: impl Fn(usize) -> Option<Asking>,
    meter: &Meter<'_>,
) -> Result<Known, StopReason> {
    let factors = groups.factors;
    let irrelevant: Vec<Vec<bool>> = factors.iter().map(Factor::irrelevant).collect();
    let mut known = Known::new();
    for (label, costs) in live(labels) {
        let part = |(at, factor): (usize, &Factor)| {
            let group = factor.group_of[label];
            (!irrelevant[at][group as usize]).then_some((at as u32, group))
        };
        meter.work(factors.len() as u64)?;
        let parts: Parts = factors.iter().enumerate().filter_map(part).collect();
        let Some((change, asked)) = asking(label) else { continue };
        let Some(parts) = groups.restricted(parts, &asked.unwrap_or_default()) else { continue };
        *known.entry((parts.into_iter().collect(), change)).or_insert(costs) &= costs;
    }
    Ok(known)
}

/// The same where clocks count; with labels that change nothing but clocks, and with the passing of time.
fn timed(
    groups: &mut Groups<'_>,
    labels: &Labels,
    origins: &[Option<LabelId>],
    (network, factored, jumps): (&Network, &Factored, &Jumps<'_>),
    meter: &Meter<'_>,
) -> Result<Known, StopReason> {
    let setting = |label: &Label| jumps.of(label).sets_clocks();
    let edges = factored.labels.iter().filter(|label| setting(label)).flat_map(|label| label.edges.to_vec());
    let guards = Guards::new(network, factored, groups.sources, edges.collect(), meter)?;
    let asking = |label: &Label| {
        let change = jumps.of(label);
        let asked = if change.sets_clocks() { Some(guards.of(label)?) } else { None };
        Some((change, asked))
    };
    let of = |label: usize| match origins[label] {
        Some(label) => asking(factored.label(label)),
        None => Some((Change::Aside(Vec::new()), None)),
    };
    let mut known = operators(groups, labels, of, meter)?;
    for (id, label) in factored.labels.iter().enumerate() {
        meter.work(1)?;
        if !setting(label) || guards.moves(LabelId::new(id)) {
            continue;
        }
        let Some((change, Some(asked))) = asking(label) else { continue };
        if let Some(parts) = groups.restricted(Parts::new(), &asked) {
            *known.entry((parts.into_iter().collect(), change)).or_insert(label.costs) &= label.costs;
        }
    }
    known.insert((Box::default(), Change::Delay), false);
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
