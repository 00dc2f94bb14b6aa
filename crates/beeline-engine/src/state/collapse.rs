//! Collapse: discrete parts as trees whose subtrees are stored once.
//!
//! Most of what changes from state to state is a combination of few parts. So a state is cut into pieces of a few words,
//! and each piece, and each pair of neighbours, pair of pairs and so on, gets a number the first time it is seen; what is
//! kept of a state is the pair at the root.
//!
//! Holzmann, State Compression in SPIN: Recursive Indexing and Compression Training Runs, SPIN 1997; as trees: Laarman,
//! van de Pol and Weber, Parallel Recursive State Compression for Free, SPIN 2011.

use super::interner::{DiscreteId, Interner};

/// Words of a piece, if a state has many.
const PIECE: usize = 4;
/// Words from which on they are many.
const MANY: usize = 8;

/// The pieces and pairs of all states.
#[derive(Debug)]
pub struct Collapse {
    /// Words of a state.
    words: usize,
    /// Words of a piece.
    piece: usize,
    /// Pieces of a state.
    pieces: usize,
    leaves: Interner,
    /// Two numbers of 32 bits each.
    pairs: Interner,
}

/// A state, as the numbers of its two halves.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Root([DiscreteId; 2]);

/// Where the second half of some pieces begins: the first one is complete.
fn middle(first: usize, end: usize) -> usize {
    first + (end - first).next_power_of_two() / 2
}

impl Collapse {
    /// A store for states of that many words; `None` if they are too short to gain anything.
    pub fn of(words: usize) -> Option<Self> {
        let piece = if words < MANY { 1 } else { PIECE };
        let (leaves, pairs) = (Interner::new(piece), Interner::new(1));
        (words > 1).then(|| Self { words, piece, pieces: words.div_ceil(piece), leaves, pairs })
    }

    /// Puts a state away.
    pub fn put(&mut self, state: &[u64]) -> Root {
        debug_assert_eq!(state.len(), self.words);
        let middle = middle(0, self.pieces);
        Root([self.put_part(state, 0, middle), self.put_part(state, middle, self.pieces)])
    }

    /// The number of the pieces from the first one on.
    fn put_part(&mut self, state: &[u64], first: usize, end: usize) -> DiscreteId {
        if end - first == 1 {
            let words = &state[first * self.piece..self.words.min(end * self.piece)];
            let mut last = [0; PIECE];
            last[..words.len()].copy_from_slice(words);
            let piece = &last[..self.piece];
            return self.leaves.intern(Interner::code(piece), piece).0;
        }
        let middle = middle(first, end);
        let (left, right) = (self.put_part(state, first, middle), self.put_part(state, middle, end));
        let pair = [(left.index() as u64) << u32::BITS | right.index() as u64];
        self.pairs.intern(Interner::code(&pair), &pair).0
    }

    /// Shows the pieces of a state, with the place of each, until the visitor has seen enough; whether it has seen all.
    #[inline]
    fn visit(&self, Root([left, right]): Root, visitor: &mut impl FnMut(usize, &[u64]) -> bool) -> bool {
        let middle = middle(0, self.pieces);
        self.visit_part(left, 0, middle, visitor) && self.visit_part(right, middle, self.pieces, visitor)
    }

    fn visit_part(
        &self,
        id: DiscreteId,
        first: usize,
        end: usize,
        visitor: &mut impl FnMut(usize, &[u64]) -> bool,
    ) -> bool {
        if end - first == 1 {
            let start = first * self.piece;
            return visitor(start, &self.leaves.get(id)[..self.piece.min(self.words - start)]);
        }
        let middle = middle(first, end);
        let pair = self.pairs.get(id)[0];
        let (left, right) =
            (DiscreteId::at((pair >> u32::BITS) as usize), DiscreteId::at(pair as u32 as usize));
        self.visit_part(left, first, middle, visitor) && self.visit_part(right, middle, end, visitor)
    }

    /// The words of a state; `out` is overwritten.
    pub fn get(&self, root: Root, out: &mut Vec<u64>) {
        out.clear();
        self.visit(root, &mut |_, piece| {
            out.extend(piece);
            true
        });
    }

    /// Whether these are the words of a state.
    pub fn is(&self, root: Root, state: &[u64]) -> bool {
        self.visit(root, &mut |start, piece| {
            piece.iter().zip(&state[start..]).fold(0, |differ, (a, b)| differ | (a ^ b)) == 0
        })
    }

    /// The hash of a state.
    pub fn code(&self, root: Root) -> u64 {
        let mut code = 0u64;
        self.visit(root, &mut |start, piece| {
            code = code.wrapping_add(Interner::code_from(start, piece));
            true
        });
        code
    }

    /// Bytes in use.
    pub fn bytes(&self) -> u64 {
        self.leaves.bytes() + self.pairs.bytes()
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
            let roots: Vec<Root> = (0..200).map(|number| collapse.put(&state(number))).collect();
            let mut found = Vec::new();
            for (number, root) in roots.iter().enumerate() {
                let expected = state(number);
                collapse.get(*root, &mut found);
                assert_eq!(found, expected);
                assert_eq!(collapse.code(*root), Interner::code(&expected));
                assert_eq!(collapse.put(&expected), *root, "equal states have one root");
                for (other, of_other) in roots.iter().enumerate() {
                    assert_eq!(collapse.is(*of_other, &expected), state(other) == expected);
                }
            }
        }
    }

    #[test]
    fn short_states_are_left_alone() {
        assert!(Collapse::of(1).is_none());
    }
}
