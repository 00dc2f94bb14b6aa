//! Perimeter: the states around the target, layer by layer backwards, as far as a number of steps and a number of sets
//! allow. A layer is a list of cubes: a set of values for each location and integer. Labels of [atomic factors] treat the
//! factors independently of each other, so what leads into a cube by a label is a cube. The estimate is the number of the
//! first layer with a cube that holds the state; outside, that of the first layer that is not there; infinite if there are
//! no more.
//!
//! Manzini, "BIDA*: an improved perimeter search algorithm", Artificial Intelligence 75, 1995; sets of states as partial
//! assignments, backwards: Torralba, Linares Lopez and Borrajo, "Symbolic perimeter abstraction heuristics for cost-optimal
//! planning", Artificial Intelligence 259, 2018.
//!
//! The layers are those of the factors without clocks: the estimate is the distance there, or the least one beyond the
//! layers. So it is a lower bound, and falls by no more than a step costs.
//!
//! [atomic factors]: crate::factors

mod cubes;

use crate::factors::{Atomic, Facts, Start, bits};
use crate::mutexes::Mutexes;
use beeline_engine::heuristic::{Estimate, Heuristic, Properties};
use beeline_ir::limits::StopReason;
use beeline_program::factored::{Factored, Meter};
use cubes::{Backward, Most};

/// The heuristic.
#[derive(Debug)]
pub struct Perimeter {
    facts: Facts,
    /// Factors that some cube asks something of.
    asked: Vec<usize>,
    /// By fact, the cubes that hold it, one bit each.
    holding: Vec<u64>,
    /// All cubes.
    every: Vec<u64>,
    /// By cube, its layer; ascending.
    layer_of: Vec<u32>,
    /// How many layers there are.
    layers: u32,
    /// Whether nothing leads into them from outside.
    closed: bool,
    mutexes: bool,
    state: Vec<usize>,
}

impl Perimeter {
    /// For a factored view and an initial state: so many layers around the target, of so many cubes in all.
    pub fn new(
        factored: &Factored,
        start: Start<'_>,
        (depth, size): (u32, usize),
        meter: &Meter<'_>,
    ) -> Result<Self, StopReason> {
        let before = meter.bytes();
        let made = match Atomic::new(factored, Start { mutexes: false, ..start }, meter)? {
            Some(atomic) => Self::around(atomic, start.mutexes, Most { depth, cubes: size }, meter)?,
            None => Self::of(Backward::default(), Facts::none(), meter)?,
        };
        meter.keep(before + made.bytes());
        Ok(made)
    }

    fn around(mut atomic: Atomic, mutexes: bool, most: Most, meter: &Meter<'_>) -> Result<Self, StopReason> {
        let known = mutexes.then(|| Mutexes::of(&atomic, meter)).transpose()?;
        if let Some(known) = &known {
            known.prune(&mut atomic, meter)?;
        }
        let backward = Backward::run(&atomic, known.as_ref(), most, meter)?;
        Ok(Self { mutexes, ..Self::of(backward, Facts::new(&atomic), meter)? })
    }

    /// Turns cubes round: who holds a fact?
    fn of(backward: Backward, facts: Facts, meter: &Meter<'_>) -> Result<Self, StopReason> {
        let cubes = backward.layer_of.len();
        let words = bits::words(cubes);
        meter.allocate(facts.len() * words * size_of::<u64>())?;
        let mut holding = vec![0; facts.len() * words];
        let mut every = vec![0; words];
        for (at, cube) in backward.each().enumerate() {
            bits::put(&mut every, at);
            for fact in bits::each(cube) {
                bits::put(&mut holding[fact * words..][..words], at);
            }
            meter.work(facts.len() as u64)?;
        }
        let all = |factor: usize| {
            let mut rows = facts.of(factor).map(|fact| &holding[fact * words..][..words]);
            rows.all(|row| *row == *every)
        };
        let asked = (0..facts.factors()).filter(|factor| !all(*factor)).collect();
        let Backward { layer_of, layers, closed, .. } = backward;
        Ok(Self { facts, asked, holding, every, layer_of, layers, closed, mutexes: false, state: Vec::new() })
    }
}

impl Heuristic for Perimeter {
    fn properties(&self) -> Properties {
        Properties::LOWER_BOUND
    }

    fn estimate(&mut self, slots: &[i64]) -> Estimate {
        let Self { facts, asked, holding, every, state, .. } = self;
        if !facts.read(slots, state) {
            // No state of the network: no search asks.
            return Estimate::ZERO;
        }
        let words = every.len();
        for (word, all) in every.iter().enumerate() {
            let hold = asked.iter().fold(*all, |hold, factor| hold & holding[state[*factor] * words + word]);
            if hold != 0 {
                return Estimate::Steps(self.layer_of[word * 64 + hold.trailing_zeros() as usize]);
            }
        }
        if self.closed { Estimate::Infinite } else { Estimate::Steps(self.layers) }
    }

    fn reads_dead_variables(&self) -> bool {
        self.mutexes
    }

    fn remark(&self) -> Option<String> {
        let (layers, cubes) = (self.layers, self.layer_of.len());
        let closed = if self.closed { ", nothing beyond" } else { "" };
        Some(format!("{layers} layers around the target, {cubes} sets of states{closed}"))
    }

    fn bytes(&self) -> u64 {
        (size_of_val(&*self.holding) + size_of_val(&*self.every) + size_of_val(&*self.layer_of)) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::factors::testing::{atomic, states};
    use beeline_ir::limits::Limits;

    /// Without limits it is the distance; with a depth, up to it; without mutex pairs, where states can be reached.
    #[test]
    fn layers_around_the_goal_of_random_factors_are_distances() {
        let limits = Limits::default();
        let meter = Meter::new(&limits);
        let mut farther = 0;
        for seed in 0..300 {
            let around = |mutexes: bool, depth: u32, cubes: usize| {
                Perimeter::around(atomic(seed), mutexes, Most { depth, cubes }, &meter)
                    .expect("nobody stops it")
            };
            let mut all = around(false, 1000, 1000);
            let (mut near, mut few, mut pruned) =
                (around(false, 1, 1000), around(false, 1000, 4), around(true, 1000, 1000));
            for (slots, reached, distance) in states(&atomic(seed)) {
                assert_eq!(all.estimate(&slots).steps(), distance, "{seed} at {slots:?}");
                let h = near.estimate(&slots).steps();
                assert!(h == distance || h == Some(2) && distance.is_none_or(|distance| distance > 2));
                assert!(few.estimate(&slots) <= all.estimate(&slots), "{seed} at {slots:?}");
                assert!(!reached || pruned.estimate(&slots) == all.estimate(&slots), "{seed} at {slots:?}");
                farther += usize::from(distance.is_some_and(|distance| distance > 2));
            }
        }
        assert!(farther > 100, "{farther}");
    }
}
