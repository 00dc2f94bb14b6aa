//! Cubes: conjunctions of "this slot has one of these values". What the bytecode says about several slots is written
//! down as a union of cubes, by trying all combinations.

use super::Domains;
use beeline_ir::limits::StopReason;

/// Units of work of all evaluations, beyond which nothing more is tried.
pub(super) const MOST_WORK: u64 = 1 << 26;

/// One of these values for each of these slots; slots and values ascending.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Cube(pub Vec<(usize, Vec<i64>)>);

impl Cube {
    /// A slot has a value.
    pub fn value(slot: usize, value: i64) -> Self {
        Self(vec![(slot, vec![value])])
    }

    /// Both; `None` if that cannot be.
    pub fn and(&self, other: &Cube) -> Option<Cube> {
        let mut parts = self.0.clone();
        for (slot, values) in &other.0 {
            match parts.binary_search_by_key(slot, |(slot, _)| *slot) {
                Ok(at) => {
                    parts[at].1.retain(|value| values.binary_search(value).is_ok());
                    if parts[at].1.is_empty() {
                        return None;
                    }
                }
                Err(at) => parts.insert(at, (*slot, values.clone())),
            }
        }
        Some(Cube(parts))
    }

    /// About how many bytes it takes.
    pub fn bytes(&self) -> usize {
        let of = |(_, values): &(usize, Vec<i64>)| size_of::<(usize, Vec<i64>)>() + size_of_val(&**values);
        self.0.iter().map(of).sum::<usize>() + size_of::<Self>()
    }

    /// What it says of a slot.
    pub fn of(&self, slot: usize) -> Option<&[i64]> {
        let at = self.0.binary_search_by_key(&slot, |(slot, _)| *slot).ok()?;
        Some(&self.0[at].1)
    }
}

/// Slots and the values to try for each.
#[derive(Clone, Debug)]
pub struct Grid {
    slots: Vec<(usize, Vec<i64>)>,
}

impl Grid {
    /// All combinations of the values of some slots, as far as a cube allows them; `None` if a slot is not tracked or
    /// there are more than so many.
    pub fn new(
        domains: &Domains,
        slots: impl Iterator<Item = usize>,
        within: &Cube,
        most: u128,
    ) -> Option<Self> {
        let mut grid = Self { slots: Vec::new() };
        let mut combinations = 1u128;
        for slot in slots {
            if !domains.tracks(slot) {
                return None;
            }
            let size = within.of(slot).map_or(domains.count(slot), <[i64]>::len);
            combinations = combinations.saturating_mul(size as u128);
            if combinations > most {
                return None;
            }
            let values = match within.of(slot) {
                Some(values) => values.to_vec(),
                None => domains.values(slot).collect(),
            };
            grid.slots.push((slot, values));
        }
        Some(grid)
    }

    /// All combinations of these values of these slots.
    pub fn of(slots: Vec<(usize, Vec<i64>)>) -> Self {
        Self { slots }
    }

    /// Tries all combinations, in order: sets the slots of a state and asks, until it is time to stop.
    pub fn each<R>(
        &self,
        state: &mut [i64],
        mut ask: impl FnMut(&mut [i64]) -> Result<R, StopReason>,
    ) -> Result<Vec<R>, StopReason> {
        let mut answers = Vec::new();
        if self.slots.iter().any(|(_, values)| values.is_empty()) {
            return Ok(answers);
        }
        let mut at = vec![0; self.slots.len()];
        loop {
            for ((slot, values), at) in self.slots.iter().zip(&at) {
                state[*slot] = values[*at];
            }
            answers.push(ask(state)?);
            let mut more = false;
            for ((_, values), at) in self.slots.iter().zip(&mut at).rev() {
                *at += 1;
                more = *at < values.len();
                if more {
                    break;
                }
                *at = 0;
            }
            if !more {
                return Ok(answers);
            }
        }
    }

    /// The combinations for which an answer is of interest, as few cubes. `answers` is what [`Grid::each`] gave.
    pub fn cubes<R>(&self, answers: &[R], wanted: &dyn Fn(&R) -> bool) -> Vec<Cube> {
        cubes(&self.slots, answers, wanted)
    }
}

/// Splits on the first slot; values that leave the same for the others go together.
fn cubes<R>(slots: &[(usize, Vec<i64>)], answers: &[R], wanted: &dyn Fn(&R) -> bool) -> Vec<Cube> {
    let Some(((slot, values), rest)) = slots.split_first() else {
        return if wanted(&answers[0]) { vec![Cube::default()] } else { Vec::new() };
    };
    let mut groups: Vec<(Vec<Cube>, Vec<i64>)> = Vec::new();
    for (value, answers) in values.iter().zip(answers.chunks(answers.len() / values.len())) {
        let left = cubes(rest, answers, wanted);
        match groups.iter_mut().find(|(other, _)| *other == left) {
            _ if left.is_empty() => {}
            Some((_, values)) => values.push(*value),
            None => groups.push((left, vec![*value])),
        }
    }
    let mut all = Vec::new();
    for (left, group) in groups {
        for mut cube in left {
            if group.len() < values.len() {
                cube.0.insert(0, (*slot, group.clone()));
            }
            all.push(cube);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid() -> Grid {
        Grid { slots: vec![(1, vec![0, 1, 2]), (3, vec![5, 6]), (4, vec![0, 1])] }
    }

    #[test]
    fn cubes_hold_exactly_the_combinations_asked_for() {
        // All 2^12 predicates on the 12 combinations.
        for set in 0u32..1 << 12 {
            let mut index = 0;
            let mut states = Vec::new();
            let answers = grid().each(&mut [0; 6], |state| {
                states.push(state.to_vec());
                index += 1;
                Ok(set >> (index - 1) & 1 == 1)
            });
            let answers = answers.expect("nobody stops it");
            let cubes = grid().cubes(&answers, &|holds| *holds);
            for (state, holds) in states.iter().zip(&answers) {
                let inside = |cube: &Cube| cube.0.iter().all(|(slot, values)| values.contains(&state[*slot]));
                let number = cubes.iter().filter(|cube| inside(cube)).count();
                assert_eq!(number, usize::from(*holds), "{cubes:?} at {state:?}");
            }
        }
    }

    #[test]
    fn cubes_meet() {
        let a = Cube(vec![(1, vec![0, 1]), (3, vec![5])]);
        let b = Cube(vec![(0, vec![9]), (1, vec![1, 2])]);
        assert_eq!(a.and(&b), Some(Cube(vec![(0, vec![9]), (1, vec![1]), (3, vec![5])])));
        assert_eq!(a.and(&Cube::value(3, 6)), None);
    }
}
