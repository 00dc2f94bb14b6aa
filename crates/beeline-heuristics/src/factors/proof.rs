//! Proofs by projections: rows of states that no way to the goal leads through, or none that is short enough. They are
//! made when they are asked for, from the atomic factors as they were before anything was left out, for whoever checks
//! rows knows of no other reason than the rows themselves.
//!
//! 1. Of each factor only the states count that can be reached, whatever the others do. That is the *box*; nothing leads
//!    out of it, and all rows are inside.
//! 2. A state of a factor that does not lead to the goal makes a row by itself. Labels that lead to or from nothing but
//!    such states are gone for all: where one of them is taken, the state before or after is in such a row. This goes on
//!    until nothing changes.
//! 3. The product of some factors grows one by one. In each product, what can be reached in it and does not lead to the
//!    goal makes rows, and labels go in the same way, but for this product alone: another one does not say which of
//!    its states can be reached. In the last product each state makes a row for its distance.
//!
//! A projection is too coarse where labels would have to go for the sake of another one; there is no proof then.

mod writing;

#[cfg(test)]
mod tests;

use super::atomic::{Atomic, Source, Start};
use super::factor::{Factor, Labels, State};
use super::product::{product, product_size};
use beeline_engine::heuristic::Estimate;
use beeline_ir::certificate::{Cell, Row};
use beeline_ir::limits::{Limits, StopReason};
use beeline_program::factored::{Factored, Meter};
use std::cell::OnceCell;
use std::collections::BTreeSet;

/// Transitions of one product.
const MOST_TRANSITIONS: usize = 1 << 21;
/// Transitions of all products.
const MOST_IN_ALL: usize = 1 << 23;
/// States of a product before any is left out.
const MOST_STATES: usize = 1 << 22;
/// Groups of labels, over all factors, that are kept for a proof.
const MOST_KEPT: usize = 1 << 24;
/// Values of a slot that is not tracked: whoever checks a proof may have to try all of them.
const MOST_UNKNOWN: u128 = 1 << 8;

/// What a proof can be made of.
#[derive(Debug)]
pub(crate) struct Grounds {
    factors: Vec<(Source, Factor)>,
    labels: Labels,
    /// What each slot may be, as far as labels are known.
    cells: Vec<Cell>,
    /// Factors whose products are of interest.
    patterns: Vec<Vec<usize>>,
    limits: Limits,
    proof: OnceCell<Option<Proof>>,
}

impl Grounds {
    /// For the factors of a network; `None` if whoever checks the proof would have to try too many values.
    pub(crate) fn new(
        factored: &Factored,
        start: Start<'_>,
        atomic: &Atomic,
        meter: &Meter<'_>,
    ) -> Option<Self> {
        let kept = atomic.labels.len().saturating_mul(atomic.factors.len());
        // Whoever checks rows knows nothing of mutexes.
        if start.mutexes || factored.domains.left_out() > MOST_UNKNOWN || kept > MOST_KEPT {
            return None;
        }
        let cell = |slot: usize| match factored.domains.whole(slot) || !factored.domains.tracks(slot) {
            true => Some(Cell::Any),
            false => cell(factored.domains.values(slot).collect()),
        };
        Some(Self {
            factors: atomic.factors.clone(),
            labels: atomic.labels.clone(),
            cells: (0..factored.domains.slots()).map(cell).collect::<Option<_>>()?,
            patterns: Vec::new(),
            // The work it was given is for making estimates, not for proofs.
            limits: Limits { work: None, ..meter.limits().clone() },
            proof: OnceCell::new(),
        })
    }

    /// For factors whose slots may be anything.
    #[cfg(test)]
    fn of(atomic: &Atomic) -> Self {
        Self {
            factors: atomic.factors.clone(),
            labels: atomic.labels.clone(),
            cells: vec![Cell::Any; atomic.factors.len()],
            patterns: Vec::new(),
            limits: Limits::default(),
            proof: OnceCell::new(),
        }
    }

    /// The same for products of these factors, and at last for that of all of them: one product may be hopeless only for
    /// what another one says of labels.
    pub(crate) fn about(self, mut patterns: Vec<Vec<usize>>) -> Self {
        let mut seen = BTreeSet::new();
        let all: Vec<usize> = patterns.iter().flatten().copied().filter(|at| seen.insert(*at)).collect();
        patterns.retain(|pattern| !pattern.is_empty());
        if patterns.len() > 1 {
            patterns.push(all);
        }
        Self { patterns, ..self }
    }

    pub(crate) fn bytes(&self) -> usize {
        let of = |factor: &Factor| {
            let groups = factor.groups.iter().map(|group| size_of_val(&**group)).sum::<usize>();
            groups + size_of_val(&*factor.group_of)
        };
        let factors: usize = self.factors.iter().map(|(_, factor)| of(factor)).sum();
        factors + self.proof.get().and_then(Option::as_ref).map_or(0, Proof::bytes)
    }

    fn proof(&self) -> Option<&Proof> {
        let made = self.proof.get_or_init(|| Proof::new(self, &Meter::new(&self.limits)).ok());
        made.as_ref()
    }

    /// Rows for all that is known to be dead, and for all that is known to be far if a length is given.
    pub(crate) fn rows(&self, length: Option<u32>, most: usize) -> Option<Vec<Row>> {
        self.proof()?.rows(length, most)
    }

    /// What the rows say of a state.
    pub(crate) fn estimate(&self, slots: &[i64]) -> Estimate {
        self.proof().map_or(Estimate::ZERO, |proof| proof.estimate(slots))
    }
}

/// A set of values as a cell; `None` if it is empty.
fn cell(values: Vec<i64>) -> Option<Cell> {
    match *values {
        [] => None,
        [value] => Some(Cell::Value(value)),
        _ => Some(Cell::Set(values)),
    }
}

/// What became of a state.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Fate {
    /// It cannot be reached.
    Unreached,
    /// It does not lead to the goal.
    Dead,
    /// It is this one.
    Lives(State),
}

/// An atomic factor without what is not in the box, and without what is dead.
#[derive(Debug)]
struct Atom {
    source: Source,
    factor: Factor,
    /// What became of each value.
    fates: Vec<Fate>,
}

impl Atom {
    /// Leaves out states; false if the initial one is among them.
    fn leave_out(&mut self, stays: &[bool], becomes: Fate, labels: &mut Labels) -> bool {
        let mut next = 0;
        let number = |stays: &bool| {
            next += usize::from(*stays);
            stays.then(|| State::new(next - 1))
        };
        let map: Vec<Option<State>> = stays.iter().map(number).collect();
        for fate in &mut self.fates {
            if let Fate::Lives(state) = *fate {
                *fate = map[state.index()].map_or(becomes, Fate::Lives);
            }
        }
        let left = self.factor.mapped(&map, labels);
        let begins = left.is_some();
        left.into_iter().for_each(|factor| self.factor = factor);
        begins
    }

    /// What became of its value in a state of the network.
    fn fate(&self, slots: &[i64]) -> Fate {
        let at = match self.source {
            Source::Slot(slot, least, _) => usize::try_from(slots[slot].wrapping_sub(least)).ok(),
            // Whether the goal has been seen: in states of the network it has not.
            Source::Monitor => Some(0),
        };
        at.and_then(|at| self.fates.get(at).copied()).unwrap_or(Fate::Unreached)
    }

    /// The values with some fate.
    fn values(&self, of: impl Fn(Fate) -> bool) -> Vec<i64> {
        let Source::Slot(_, least, _) = self.source else { return Vec::new() };
        (least..).zip(&self.fates).filter(|(_, fate)| of(**fate)).map(|(value, _)| value).collect()
    }

    /// The value of each state that lives. Those of the monitor are whether the goal has been seen.
    fn living(&self) -> Vec<i64> {
        let least = if let Source::Slot(_, least, _) = self.source { least } else { 0 };
        let lives = |(_, fate): &(i64, &Fate)| matches!(fate, Fate::Lives(_));
        (least..).zip(&self.fates).filter(lives).map(|(value, _)| value).collect()
    }
}

/// A product that has grown by one atomic factor.
#[derive(Debug)]
struct Stage {
    atom: usize,
    /// States of that factor.
    width: usize,
    /// What became of each state of the product.
    fates: Vec<Fate>,
}

/// The product of some factors, as it grew.
#[derive(Debug)]
struct Projection {
    stages: Vec<Stage>,
    /// The distances of what lives in the last one.
    distances: Vec<u32>,
}

/// A proof.
#[derive(Debug)]
struct Proof {
    atoms: Vec<Atom>,
    /// The box.
    cells: Vec<Cell>,
    projections: Vec<Projection>,
}

impl Proof {
    fn new(grounds: &Grounds, meter: &Meter<'_>) -> Result<Self, StopReason> {
        let mut labels = grounds.labels.clone();
        let atom = |(source, factor): &(Source, Factor)| {
            let fates = (0..factor.states()).map(|state| Fate::Lives(State::new(state))).collect();
            Atom { source: *source, factor: factor.clone(), fates }
        };
        let mut atoms: Vec<Atom> = grounds.factors.iter().map(atom).collect();
        let reached = |factor: &Factor, labels: &Labels| factor.reachable(labels);
        leave_out(&mut atoms, &mut labels, reached, Fate::Unreached, meter)?;
        let mut cells = grounds.cells.clone();
        for atom in &atoms {
            if let (Source::Slot(slot, ..), true) = (atom.source, atom.fates.contains(&Fate::Unreached))
                && let Some(held) = cell(atom.values(|fate| fate != Fate::Unreached))
            {
                cells[slot] = held;
            }
        }
        let alive = |factor: &Factor, labels: &Labels| {
            factor.distances(labels).iter().map(Option::is_some).collect::<Vec<bool>>()
        };
        let begins = leave_out(&mut atoms, &mut labels, alive, Fate::Dead, meter)?;
        let mut proof = Self { atoms, cells, projections: Vec::new() };
        let mut left = MOST_IN_ALL;
        for pattern in grounds.patterns.iter().filter(|_| begins) {
            let mut rest = &**pattern;
            while let (Some(_), 1..) = (rest.first(), left) {
                rest = proof.project(rest, &labels, &mut left, meter)?;
            }
        }
        Ok(proof)
    }

    /// The product of the first of some factors, as many as there can be; and those that are left over.
    fn project<'p>(
        &mut self,
        pattern: &'p [usize],
        labels: &Labels,
        left: &mut usize,
        meter: &Meter<'_>,
    ) -> Result<&'p [usize], StopReason> {
        let mut labels = labels.clone();
        let mut made: Option<Factor> = None;
        let mut projection = Projection { stages: Vec::new(), distances: Vec::new() };
        for (taken, at) in pattern.iter().enumerate() {
            let other = &self.atoms[*at].factor;
            let next = match &made {
                None => other.clone(),
                Some(factor) => {
                    let size = product_size(factor, other, &labels);
                    let states = factor.states().saturating_mul(other.states());
                    if size > MOST_TRANSITIONS.min(*left) || states > MOST_STATES {
                        self.projections.push(projection);
                        return Ok(&pattern[taken..]);
                    }
                    *left -= size;
                    product(factor, other, &mut labels, meter)?
                }
            };
            *left = left.saturating_sub(1);
            meter.allocate(next.states() * (size_of::<Fate>() + size_of::<u32>()))?;
            meter.work(2 * next.size() as u64)?;
            let (reached, distances) = (next.reachable(&labels), next.distances(&labels));
            let mut living = Vec::new();
            let fate = |(reached, distance): (&bool, &Option<u32>)| match (reached, distance) {
                (false, _) => Fate::Unreached,
                (true, None) => Fate::Dead,
                (true, Some(distance)) => {
                    living.push(*distance);
                    Fate::Lives(State::new(living.len() - 1))
                }
            };
            let fates: Vec<Fate> = reached.iter().zip(&distances).map(fate).collect();
            let lives = |fate: &Fate| if let Fate::Lives(state) = fate { Some(*state) } else { None };
            let map: Vec<Option<State>> = fates.iter().map(lives).collect();
            projection.stages.push(Stage { atom: *at, width: other.states(), fates });
            projection.distances = living;
            made = next.mapped(&map, &mut labels);
            if made.is_none() {
                // The initial state is dead: what can be reached from it is all that there is.
                *left = 0;
                break;
            }
        }
        self.projections.push(projection);
        Ok(&[])
    }

    fn bytes(&self) -> usize {
        let stages = self.projections.iter().flat_map(|projection| &projection.stages);
        let distances = self.projections.iter().map(|projection| size_of_val(&*projection.distances));
        stages.map(|stage| size_of_val(&*stage.fates)).sum::<usize>() + distances.sum::<usize>()
    }

    fn estimate(&self, slots: &[i64]) -> Estimate {
        let fates: Vec<Fate> = self.atoms.iter().map(|atom| atom.fate(slots)).collect();
        if fates.contains(&Fate::Unreached) {
            return Estimate::ZERO;
        }
        if fates.contains(&Fate::Dead) {
            return Estimate::Infinite;
        }
        let of = |projection: &Projection| {
            let mut now = State(0);
            for stage in &projection.stages {
                let Fate::Lives(own) = fates[stage.atom] else { return Estimate::ZERO };
                match stage.fates[now.index() * stage.width + own.index()] {
                    Fate::Unreached => return Estimate::ZERO,
                    Fate::Dead => return Estimate::Infinite,
                    Fate::Lives(state) => now = state,
                }
            }
            projection.distances.get(now.index()).map_or(Estimate::ZERO, |steps| Estimate::Steps(*steps))
        };
        self.projections.iter().map(of).max().unwrap_or(Estimate::ZERO)
    }
}

/// Leaves out the states of factors that do not count, with the labels that belong to none but them, until nothing
/// changes; false if an initial state is among them.
fn leave_out(
    atoms: &mut [Atom],
    labels: &mut Labels,
    counts: impl Fn(&Factor, &Labels) -> Vec<bool>,
    becomes: Fate,
    meter: &Meter<'_>,
) -> Result<bool, StopReason> {
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for atom in &mut *atoms {
            meter.work((atom.factor.size() + labels.len()) as u64)?;
            let stays = counts(&atom.factor, labels);
            if stays.contains(&false) {
                changed = true;
                if !atom.leave_out(&stays, becomes, labels) {
                    return Ok(false);
                }
            }
        }
    }
    Ok(true)
}
