//! A small seeded source of choices. Everything random in the test kit comes from here, so that a seed is a full
//! description of a test.

use oorandom::Rand64;

/// A deterministic source of choices.
#[derive(Clone, Debug)]
pub struct Random(Rand64);

impl Random {
    /// The source of a seed. Neighbouring seeds give unrelated choices.
    pub fn new(seed: u64) -> Self {
        let scrambled = scramble(seed);
        Self(Rand64::new((u128::from(scramble(scrambled)) << 64) | u128::from(scrambled)))
    }
    /// A number below `bound`; 0 if the bound is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        if bound < 2 { 0 } else { self.0.rand_range(0..bound as u64) as usize }
    }
    /// A number from `low` to `high`, both included; `low` if they cross.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        let width = usize::try_from(high.saturating_sub(low)).unwrap_or(0);
        low + self.below(width + 1) as i64
    }
    /// True in so many of a hundred cases.
    pub fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < percent as usize
    }
    /// One of the items, all equally likely; `None` if there is none.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.below(items.len()))
    }
    /// One of the items, each as likely as its weight says. There must be an item with a weight above 0.
    pub fn weighted<T: Copy>(&mut self, items: &[(u32, T)]) -> T {
        let total: u32 = items.iter().map(|(weight, _)| weight).sum();
        let mut at = self.below(total as usize) as u32;
        for &(weight, item) in items {
            if at < weight {
                return item;
            }
            at -= weight;
        }
        items[items.len() - 1].1
    }
    /// Puts the items into a random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
}

/// The finaliser of SplitMix64: a bijection that spreads every bit.
fn scramble(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_fixes_all_choices_and_seeds_differ() {
        let draw = |seed| {
            let mut random = Random::new(seed);
            (0..20).map(|_| random.below(1000)).collect::<Vec<_>>()
        };
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
    }

    #[test]
    fn weights_are_respected_at_the_ends() {
        let mut random = Random::new(1);
        assert!((0..200).all(|_| random.weighted(&[(0, 'a'), (1, 'b'), (0, 'c')]) == 'b'));
        assert!((0..200).all(|_| !random.chance(0) && random.chance(100)));
        assert_eq!(random.between(3, 3), 3);
        assert_eq!(random.between(3, 1), 3);
    }
}
