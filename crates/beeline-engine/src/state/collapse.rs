//! Collapse: the discrete part of a state as the numbers of its pieces, each of which is stored once.
//!
//! Most of what changes from state to state is a combination of few pieces: what a process or a channel comes to. So a
//! state is cut into pieces of a few words, and each of them gets a number the first time it is seen.
//!
//! Holzmann, State Compression in SPIN: Recursive Indexing and Compression Training Runs, SPIN 1997.

use super::interner::{DiscreteId, Interner};

/// Words of a piece, if a state has many.
const PIECE: usize = 4;
/// Words from which on they are many.
const MANY: usize = 8;

/// The pieces of all states.
#[derive(Debug)]
pub struct Collapse {
    /// Words of a state.
    words: usize,
    /// Words of a piece; the last one of a state is filled up.
    piece: usize,
    pieces: Interner,
}

impl Collapse {
    /// A store for states of that many words; `None` if they are too short to gain anything.
    pub fn of(words: usize) -> Option<Self> {
        let piece = if words < MANY { 1 } else { PIECE };
        (words > 1).then(|| Self { words, piece, pieces: Interner::new(piece) })
    }

    /// Pieces of a state.
    pub fn pieces(&self) -> usize {
        self.words.div_ceil(self.piece)
    }

    /// Adds the numbers of the pieces of a state to `out`.
    pub fn put(&mut self, state: &[u64], out: &mut Vec<DiscreteId>) {
        debug_assert_eq!(state.len(), self.words);
        let Self { piece, pieces, .. } = self;
        out.extend(state.chunks(*piece).map(|words| {
            let mut full = [0; PIECE];
            full[..words.len()].copy_from_slice(words);
            let full = &full[..*piece];
            pieces.intern(Interner::code(full), full).0
        }));
    }

    /// The words of a state; `out` is overwritten.
    pub fn get(&self, state: &[DiscreteId], out: &mut Vec<u64>) {
        out.clear();
        state.iter().for_each(|piece| out.extend_from_slice(self.pieces.get(*piece)));
        out.truncate(self.words);
    }

    /// Whether these are the words of a state.
    #[inline]
    pub fn is(&self, state: &[DiscreteId], words: &[u64]) -> bool {
        // Pieces of a fixed size are compared without a call.
        let (full, rest) = if self.piece == PIECE { words.as_chunks::<PIECE>() } else { (&[][..], words) };
        let (pieces, ends) = state.split_at(full.len());
        let same = |(piece, words): (&DiscreteId, &[u64; PIECE])| {
            self.pieces.get(*piece).first_chunk().is_some_and(|known: &[u64; PIECE]| known == words)
        };
        let ends_alike = |(piece, words): (&DiscreteId, &[u64])| self.pieces.get(*piece).starts_with(words);
        pieces.iter().zip(full).all(same) && ends.iter().zip(rest.chunks(self.piece)).all(ends_alike)
    }

    /// Bytes in use.
    pub fn bytes(&self) -> u64 {
        self.pieces.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_read_back() {
        for words in 2..=40 {
            let mut collapse = Collapse::of(words).unwrap();
            // Few values for each word, so that pieces recur in other combinations.
            let state = |number: usize| -> Vec<u64> {
                (0..words).map(|word| (number * (word + 3) / 7 % 3) as u64 * (u64::MAX / 2)).collect()
            };
            let (mut all, mut found) = (Vec::new(), Vec::new());
            (0..200).for_each(|number| collapse.put(&state(number), &mut all));
            let kept: Vec<&[DiscreteId]> = all.chunks(collapse.pieces()).collect();
            assert_eq!(kept.len(), 200);
            for (number, one) in kept.iter().enumerate() {
                let expected = state(number);
                collapse.get(one, &mut found);
                assert_eq!(found, expected);
                for (other, of_other) in kept.iter().enumerate() {
                    assert_eq!(collapse.is(of_other, &expected), state(other) == expected);
                    assert_eq!(of_other == one, state(other) == expected, "equal states have equal pieces");
                }
            }
        }
    }

    #[test]
    fn short_states_are_left_alone() {
        assert!(Collapse::of(1).is_none());
    }
}
