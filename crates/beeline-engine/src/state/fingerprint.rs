//! A hash of a whole state, discrete part and zone, for storages that keep nothing else of it: 128 bits, all of them good.
//!
//! Each number is multiplied into two chains that are mixed with each other, as in the hash functions of the wyhash
//! family (Wang Yi 2019).

use beeline_zones::Bound;

/// What is kept of a state.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Fingerprint {
    /// What tells it from others.
    pub code: u64,
    /// A second, independent hash.
    pub other: u64,
}

const A: u64 = 0xA076_1D64_78BD_642F;
const B: u64 = 0xE703_7ED1_A0B4_28DB;

fn mix(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product >> u64::BITS) as u64 ^ product as u64
}

impl Fingerprint {
    /// That of a packed discrete part and the entries of a zone.
    pub fn of(words: &[u64], zone: &[Bound]) -> Self {
        let start = (B, A ^ (words.len() as u64) << 32 ^ zone.len() as u64);
        let bounds = zone.iter().map(|bound| i64::from(bound.raw()) as u64);
        let (a, b) = words.iter().copied().chain(bounds).fold(start, |(a, b), number| {
            (mix(a ^ number, A) ^ b.rotate_left(23), mix(b.wrapping_add(number) ^ A, B) ^ a.rotate_left(41))
        });
        Self { code: mix(a ^ A, b ^ B), other: mix(a.rotate_left(32) ^ B, b.wrapping_add(A)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn neighbours_have_other_fingerprints() {
        let bits = |print: Fingerprint| (print.code & 0xFFFF_FFFF, print.other >> 32);
        let (mut low, mut high, mut all) = (BTreeSet::new(), BTreeSet::new(), 0);
        for first in 0..40 {
            for second in 0..40 {
                let words = [[first, second], [first << 32, second << 40]];
                let prints = words.iter().map(|words| Fingerprint::of(words, &[]));
                let timed = Fingerprint::of(&[first], &[Bound::le(second as i32)]);
                for print in prints.chain([timed]).map(bits) {
                    low.insert(print.0);
                    high.insert(print.1);
                    all += 1;
                }
            }
        }
        // Two of the words are 0 twice; of 4,800 numbers of 32 bits, hardly any two are equal.
        assert!(low.len() >= all - 2 && high.len() >= all - 2, "{} {} of {all}", low.len(), high.len());
    }
}
