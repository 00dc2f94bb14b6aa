//! Sets of channel elements, as bits: nearly always one word.

/// A set of channel elements.
#[derive(Clone, Default, Debug)]
pub struct Elements(Vec<u64>);

impl Elements {
    /// Takes up another set.
    #[inline]
    pub fn add(&mut self, others: &Elements) {
        if self.0.len() < others.0.len() {
            self.0.resize(others.0.len(), 0);
        }
        self.0.iter_mut().zip(&others.0).for_each(|(mine, theirs)| *mine |= theirs);
    }
    /// Whether the element is in it.
    #[inline]
    pub fn contains(&self, element: usize) -> bool {
        self.0.get(element / 64).is_some_and(|word| word >> (element % 64) & 1 == 1)
    }
    /// Whether some element is in both.
    #[inline]
    pub fn meets(&self, others: &Elements) -> bool {
        self.0.iter().zip(&others.0).any(|(mine, theirs)| mine & theirs != 0)
    }
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
    /// Empties it.
    #[inline]
    pub fn clear(&mut self) {
        self.0.fill(0);
    }
}

impl FromIterator<usize> for Elements {
    fn from_iter<I: IntoIterator<Item = usize>>(elements: I) -> Self {
        let mut words = Vec::new();
        for element in elements {
            if words.len() <= element / 64 {
                words.resize(element / 64 + 1, 0);
            }
            words[element / 64] |= 1 << (element % 64);
        }
        Self(words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_different_lengths_add_up() {
        let (few, many) = ([1, 3].into_iter().collect::<Elements>(), [0, 64, 200].into_iter().collect());
        let mut all = Elements::default();
        assert!(all.is_empty());
        for set in [&few, &many, &few] {
            all.add(set);
        }
        let found: Vec<usize> = (0..300).filter(|element| all.contains(*element)).collect();
        assert_eq!(found, [0, 1, 3, 64, 200]);
        let other = [2, 200].into_iter().collect();
        assert!(all.meets(&few) && all.meets(&other) && !few.meets(&other) && !other.meets(&few));
        all.clear();
        assert!(!(0..300).any(|element| all.contains(element)));
    }
}
