//! Packs a vector of slots into 64-bit words, each slot in as many bits as its range needs. A slot never
//! straddles two words, so reading one is a shift and a mask.

use beeline_ir::expr::Range;

/// Where one slot lies in its word.
#[derive(Copy, Clone, Debug)]
struct Field {
    slot: usize,
    shift: u32,
    bits: u32,
    lo: i64,
}

/// Where each slot lies in a packed state.
#[derive(Clone, Debug)]
pub struct Packer {
    /// The fields of each word.
    words: Vec<Vec<Field>>,
    /// A state in which every slot has its least value: those that have no other are in no field.
    least: Vec<i64>,
}

impl Packer {
    /// A packing for slots of these ranges.
    pub fn new(ranges: impl IntoIterator<Item = Range>) -> Self {
        let (mut words, mut least) = (vec![Vec::new()], Vec::new());
        let mut used = 0;
        for (slot, range) in ranges.into_iter().enumerate() {
            least.push(range.lo);
            // 0 bits for a constant, 64 for the full range of i64.
            let bits = u128::BITS - range.size().saturating_sub(1).leading_zeros();
            if bits == 0 {
                continue;
            }
            if used + bits > u64::BITS {
                words.push(Vec::new());
                used = 0;
            }
            let field = Field { slot, shift: used, bits, lo: range.lo };
            words.last_mut().expect("there is a first word").push(field);
            used += bits;
        }
        Self { words, least }
    }

    /// Words of a packed state.
    pub fn words(&self) -> usize {
        self.words.len()
    }

    /// Bits in use.
    pub fn bits(&self) -> u32 {
        self.words.iter().flatten().map(|field| field.bits).sum()
    }

    /// Packs; `out` is overwritten.
    pub fn pack(&self, slots: &[i64], out: &mut Vec<u64>) {
        debug_assert_eq!(slots.len(), self.least.len());
        out.clear();
        out.extend(self.words.iter().map(|fields| {
            fields.iter().fold(0, |word, field| {
                let raw = slots[field.slot].wrapping_sub(field.lo) as u64;
                debug_assert!(field.bits == 64 || raw >> field.bits == 0, "a slot left its range");
                word | raw << field.shift
            })
        }));
    }

    /// Unpacks; `out` is overwritten.
    pub fn unpack(&self, words: &[u64], out: &mut Vec<i64>) {
        out.clone_from(&self.least);
        for (fields, word) in self.words.iter().zip(words) {
            for field in fields {
                let raw = (word >> field.shift) & (u64::MAX >> (u64::BITS - field.bits));
                out[field.slot] = field.lo.wrapping_add(raw as i64);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packing_reads_back() {
        let ranges = [
            Range::new(0, 1),
            Range::new(5, 5),
            Range::new(-3, 3),
            Range::new(i64::MIN, i64::MAX),
            Range::new(0, (1 << 40) - 1),
            Range::new(-1, 1 << 30),
        ];
        let packer = Packer::new(ranges);
        let samples = [
            vec![0, 5, -3, i64::MIN, 0, -1],
            vec![1, 5, 3, i64::MAX, (1 << 40) - 1, 1 << 30],
            vec![1, 5, 0, -1, 12345, 0],
        ];
        let (mut words, mut back) = (Vec::new(), Vec::new());
        for slots in samples {
            packer.pack(&slots, &mut words);
            assert_eq!(words.len(), packer.words());
            packer.unpack(&words, &mut back);
            assert_eq!(back, slots);
        }
    }

    #[test]
    fn constants_need_no_bits() {
        assert_eq!(Packer::new([Range::new(7, 7), Range::new(0, 3)]).bits(), 2);
    }
}
