//! Which projections are made: one for each part of the goal, that grows by what is in the way of its shortest way, as far
//! as the size allows; one for the whole goal; and some more by chance, which leave out some of the factors and take
//! another of those that are in the way.
//!
//! Rovner, Sievers and Helmert, "Counterexample-guided abstraction refinement for pattern selection in optimal classical
//! planning", ICAPS 2019.

use super::abstraction::{Abstraction, Atoms, NotGrown};
use super::flaws::flaws;
use beeline_ir::limits::StopReason;
use beeline_program::factored::Meter;
use oorandom::Rand32;
use std::collections::BTreeSet;

/// Transitions of all projections, as a multiple of what one may have.
const IN_ALL: usize = 4;
/// Projections by chance.
const BY_CHANCE: usize = 16;
/// One in so many factors is left out there.
const LEFT_OUT: u32 = 6;

/// Why there is no collection.
pub(super) enum NoCollection {
    /// In the projection to these factors nothing leads to the goal.
    Hopeless(Vec<usize>),
    Stopped(StopReason),
}

impl From<StopReason> for NoCollection {
    fn from(reason: StopReason) -> Self {
        Self::Stopped(reason)
    }
}

/// Projections whose products have so many transitions at most.
pub(super) fn collection(
    atoms: &mut Atoms,
    most: usize,
    meter: &Meter<'_>,
) -> Result<Vec<Abstraction>, NoCollection> {
    let goals: Vec<usize> =
        (0..atoms.factors.len()).filter(|at| atoms.factors[*at].goal.contains(&false)).collect();
    let mut rand = Rand32::new(1);
    let nobody = vec![false; atoms.factors.len()];
    let mut known: BTreeSet<Vec<usize>> = BTreeSet::new();
    let mut collection: Vec<Abstraction> = Vec::new();
    let mut size = 0;
    let by_chance = if goals.is_empty() { 0 } else { BY_CHANCE };
    for round in 0..goals.len() + 1 + by_chance {
        let Some(start) = goals.get(round).or(goals.first()) else { break };
        let grown = if round <= goals.len() {
            grow(atoms, *start, (nobody.clone(), round == goals.len()), most, &mut |_| 0, meter)?
        } else {
            let ignored = nobody.iter().map(|_| rand.rand_range(0..LEFT_OUT) == 0).collect();
            let start = goals[rand.rand_range(0..goals.len() as u32) as usize];
            let all = rand.rand_range(0..2) == 0;
            let mut choose = |number: usize| rand.rand_range(0..number as u32) as usize;
            grow(atoms, start, (ignored, all), most, &mut choose, meter)?
        };
        let mut pattern = grown.pattern.clone();
        pattern.sort_unstable();
        if known.insert(pattern) {
            size += grown.factor.size();
            collection.push(grown);
        }
        if size > IN_ALL * most {
            break;
        }
    }
    Ok(collection)
}

/// A projection that begins with one factor and grows until nothing is in the way.
fn grow(
    atoms: &mut Atoms,
    start: usize,
    (mut ignored, goals): (Vec<bool>, bool),
    most: usize,
    choose: &mut dyn FnMut(usize) -> usize,
    meter: &Meter<'_>,
) -> Result<Abstraction, NoCollection> {
    let mut abstraction = Abstraction::atomic(atoms, start);
    loop {
        let flaws = flaws(atoms, &abstraction, (&ignored, goals), meter)?;
        if flaws.is_empty() {
            return Ok(abstraction);
        }
        let flaw = flaws[choose(flaws.len())];
        match abstraction.grown(atoms, flaw, most, meter) {
            Ok(grown) => abstraction = grown,
            Err(NotGrown::TooLarge) => ignored[flaw] = true,
            Err(NotGrown::Hopeless) => {
                let pattern = abstraction.pattern.iter().copied().chain([flaw]).collect();
                return Err(NoCollection::Hopeless(pattern));
            }
            Err(NotGrown::Stopped(reason)) => return Err(NoCollection::Stopped(reason)),
        }
    }
}
