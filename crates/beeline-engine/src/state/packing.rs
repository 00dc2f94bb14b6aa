//! Packs a vector of slots into 64-bit words, each slot in as many bits as its range needs. A slot never
//! straddles two words, so reading one is a shift and a mask.

use beeline_ir::expr::Range;

#[derive(Copy, Clone, Debug)]
struct Field {
    word: usize,
    shift: u32,
    bits: u32,
    lo: i64,
}

/// Where each slot lies in a packed state.
#[derive(Clone, Debug)]
pub struct Packer {
    fields: Vec<Field>,
    words: usize,
}

impl Packer {
    /// A packing for slots of these ranges.
    pub fn new(ranges: impl IntoIterator<Item = Range>) -> Self {
        let mut fields = Vec::new();
        let (mut word, mut used) = (0, 0);
        for range in ranges {
            // 0 bits for a constant, 64 for the full range of i64.
            let bits = u128::BITS - range.size().saturating_sub(1).leading_zeros();
            if used + bits > u64::BITS {
                word += 1;
                used = 0;
            }
            fields.push(Field { word, shift: used, bits, lo: range.lo });
            used += bits;
        }
        Self { fields, words: word + 1 }
    }

    /// Words of a packed state.
    pub fn words(&self) -> usize {
        self.words
    }

    /// Bits in use.
    pub fn bits(&self) -> u32 {
        self.fields.iter().map(|f| f.bits).sum()
    }

    /// Packs; `out` is overwritten.
    pub fn pack(&self, slots: &[i64], out: &mut Vec<u64>) {
        debug_assert_eq!(slots.len(), self.fields.len());
        out.clear();
        out.resize(self.words, 0);
        for (field, value) in self.fields.iter().zip(slots) {
            if field.bits == 0 {
                debug_assert_eq!(*value, field.lo, "a constant slot changed");
                continue;
            }
            let raw = value.wrapping_sub(field.lo) as u64;
            debug_assert!(field.bits == 64 || raw >> field.bits == 0, "a slot left its range");
            out[field.word] |= raw << field.shift;
        }
    }

    /// Unpacks; `out` is overwritten.
    pub fn unpack(&self, words: &[u64], out: &mut Vec<i64>) {
        out.clear();
        out.extend(self.fields.iter().map(|field| {
            if field.bits == 0 {
                return field.lo;
            }
            let raw = (words[field.word] >> field.shift) & (u64::MAX >> (64 - field.bits));
            field.lo.wrapping_add(raw as i64)
        }));
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
