//! A part of a network, abstracted: which literals a state of the network may meet, and how far the nearest abstract
//! state is that they allow.

use super::predicates::{Literals, Predicates};
use super::refine::Ending;
use super::regression::Abstraction;
use super::system::System;
use beeline_engine::heuristic::{Estimate, ZoneView};
use beeline_zones::Bound;
use rustc_hash::FxHashMap;

/// Who asks about a state.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Asked {
    /// A search, which knows where time stands still.
    BySearch,
    /// Whoever wants to know what rows say: they are of all states that some literals allow, and time may pass in some
    /// of these.
    ByRows,
}

/// Answers that are remembered.
const MOST_REMEMBERED: usize = 1 << 18;

/// A part.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) system: System,
    pub(super) predicates: Predicates,
    pub(super) abstraction: Abstraction,
    /// In words, what was made of it.
    pub(super) words: String,
    /// How refinement ended.
    pub(super) end: Ending,
    /// Its automata.
    pub(super) automata: usize,
    /// Factors with predicates of their own: slot, least value, number of values, and the first fact.
    looked_at: Vec<(usize, i64, usize, usize)>,
    /// By fact, its literals, one after the other.
    by_fact: Vec<u64>,
    relations: bool,
    timed: bool,
    /// Automata with places where time stands still: slot, least value, and by value whether it does.
    still: Vec<(usize, i64, Vec<bool>)>,
    /// Answers by literals.
    remembered: FxHashMap<Literals, Option<u32>>,
    // The look-up that goes on.
    literals: Literals,
    values: Vec<usize>,
    rows: Vec<Option<usize>>,
}

impl Part {
    pub(super) fn new(
        system: System,
        predicates: Predicates,
        abstraction: Abstraction,
        words: String,
        end: Ending,
        automata: usize,
    ) -> Self {
        let by_fact = predicates.by_fact(&system);
        let asks = |factor: &usize| {
            let mut literals = system.range(*factor).flat_map(|fact| &by_fact[fact]);
            literals.any(|word| *word != 0)
        };
        let of = |factor: usize| {
            let (slot, least) = system.slots[factor]?;
            Some((slot, least, system.range(factor).len(), system.range(factor).start))
        };
        let still = (0..system.factors()).filter_map(|factor| {
            let ((slot, least), places) = (system.slots[factor]?, system.places[factor].as_ref()?);
            let still: Vec<bool> = places.iter().map(|place| place.still).collect();
            still.contains(&true).then_some((slot, least, still))
        });
        let still = still.collect();
        let looked_at = (0..system.factors()).filter(asks).filter_map(of).collect();
        Self {
            looked_at,
            by_fact: by_fact.concat(),
            relations: predicates.relates(),
            timed: predicates.timed(),
            still,
            remembered: FxHashMap::default(),
            literals: vec![0; predicates.words()],
            values: vec![0; system.factors()],
            rows: vec![None; system.clocks.len() + 1],
            system,
            predicates,
            abstraction,
            words,
            end,
            automata,
        }
    }

    /// Whether zones matter to it.
    pub(super) fn timed(&self) -> bool {
        self.timed
    }

    /// Gathers the literals that a state may meet; false if it is no state of the network, about which no search asks.
    fn meet(&mut self, slots: &[i64], zone: Option<&ZoneView<'_>>, asked: Asked) -> bool {
        let words = self.literals.len();
        self.literals.fill(0);
        for (slot, least, values, first) in &self.looked_at {
            let Some(at) = usize::try_from(slots[*slot].wrapping_sub(*least)).ok().filter(|at| at < values)
            else {
                return false;
            };
            let its = &self.by_fact[(first + at) * words..][..words];
            self.literals.iter_mut().zip(its).for_each(|(all, more)| *all |= more);
        }
        if self.relations {
            for (value, of) in self.values.iter_mut().zip(&self.system.slots) {
                let Some((slot, least)) = of else { continue };
                let Ok(at) = usize::try_from(slots[*slot].wrapping_sub(*least)) else { return false };
                *value = at;
            }
            self.predicates.add_relations(&self.system, &self.values, &mut self.literals);
        }
        if self.timed {
            self.rows.fill(None);
            self.rows[0] = Some(0);
            for (at, clock) in zone.iter().flat_map(|zone| zone.clocks.iter().enumerate()) {
                if let Ok(row) = self.system.clocks.binary_search(clock) {
                    self.rows[row + 1] = Some(at + 1);
                }
            }
            let mut still = self.still.iter().any(|(slot, least, still)| {
                let at = usize::try_from(slots[*slot] - least).ok();
                at.and_then(|at| still.get(at)).is_some_and(|still| *still)
            });
            still &= asked == Asked::BySearch;
            // The zone is as large as time makes it, but others may have kept time from passing: they move on, of which
            // this part sees nothing, and then it passes.
            let rows = &self.rows;
            let entry = |left: usize, right: usize| {
                let zone = zone?;
                let known = zone.matrix[rows[left]? * zone.dim() + rows[right]?];
                Some(if right == 0 && left != 0 && !still { Bound::INFINITY } else { known })
            };
            self.predicates.add_clocks(&entry, &mut self.literals);
        }
        true
    }

    /// The estimate for a state.
    pub(super) fn estimate(&mut self, slots: &[i64], zone: Option<&ZoneView<'_>>, asked: Asked) -> Estimate {
        if !self.meet(slots, zone, asked) {
            return Estimate::ZERO;
        }
        let found = match self.remembered.get(&self.literals) {
            Some(found) => *found,
            None => {
                let found = self.abstraction.trie.least(&self.literals, &mut 0);
                if self.remembered.len() < MOST_REMEMBERED {
                    self.remembered.insert(self.literals.clone(), found);
                }
                found
            }
        };
        match found {
            Some(steps) => Estimate::Steps(steps),
            None if self.abstraction.closed => Estimate::Infinite,
            None => Estimate::Steps(self.abstraction.layers),
        }
    }

    pub(super) fn bytes(&self) -> u64 {
        let remembered = self.remembered.len() * (size_of_val(&*self.literals) + 48);
        let bytes = self.abstraction.bytes() + self.predicates.bytes() + size_of_val(&*self.by_fact);
        (bytes + remembered) as u64
    }
}
