//! Packs a vector of slots into 64-bit words, each slot in as many bits as its range needs. A slot never
//! straddles two words, so reading one is a shift and a mask.

use super::interner::Interner;
use beeline_ir::expr::Range;

/// Slots that are compared in one go.
const BLOCK: usize = 16;

/// Where one slot lies in its word. A slot that has only one value has no bits.
#[derive(Copy, Clone, Debug)]
struct Field {
    shift: u32,
    mask: u64,
    lo: i64,
}

impl Field {
    /// Its value in a word.
    #[inline]
    fn value(&self, packed: u64) -> i64 {
        self.lo.wrapping_add((packed >> self.shift & self.mask) as i64)
    }
}

/// One word: the slots from where the last one ended up to `end`.
#[derive(Copy, Clone, Debug)]
struct Word {
    end: usize,
    /// What the least values of its slots come to.
    least: u64,
}

/// Where each slot lies in a packed state.
#[derive(Clone, Debug)]
pub struct Packer {
    words: Vec<Word>,
    /// By slot.
    fields: Vec<Field>,
    /// By slot, its word.
    word_of: Vec<u32>,
    /// By word and bit, the slot that the bit belongs to.
    slot_of: Vec<u32>,
    /// The shifts alone. A word is the sum of its slots, shifted, less what the least values come to: sums may wrap, but
    /// the fields of what comes out do not overlap.
    shifts: Vec<u32>,
}

impl Packer {
    /// A packing for slots of these ranges.
    pub fn new(ranges: impl IntoIterator<Item = Range>) -> Self {
        let (mut words, mut fields, mut word_of) = (Vec::new(), Vec::new(), Vec::new());
        let (mut used, mut least) = (0, 0u64);
        for (slot, range) in ranges.into_iter().enumerate() {
            // 0 bits for a constant, 64 for the full range of i64.
            let bits = u128::BITS - range.size().saturating_sub(1).leading_zeros();
            if used + bits > u64::BITS {
                words.push(Word { end: slot, least });
                (used, least) = (0, 0);
            }
            let (shift, mask) = if bits == 0 { (0, 0) } else { (used, u64::MAX >> (u64::BITS - bits)) };
            fields.push(Field { shift, mask, lo: range.lo });
            word_of.push(words.len() as u32);
            least = least.wrapping_add((range.lo as u64) << shift);
            used += bits;
        }
        words.push(Word { end: fields.len(), least });
        let shifts = fields.iter().map(|field: &Field| field.shift).collect();
        let mut slot_of = vec![0; words.len() * u64::BITS as usize];
        for (slot, Field { shift, mask, .. }) in fields.iter().enumerate() {
            let first = word_of[slot] as usize * u64::BITS as usize + *shift as usize;
            slot_of[first..][..mask.count_ones() as usize].fill(slot as u32);
        }
        Self { words, fields, word_of, slot_of, shifts }
    }

    /// Slots of a state.
    pub fn slots(&self) -> usize {
        self.fields.len()
    }

    /// Words of a packed state.
    pub fn words(&self) -> usize {
        self.words.len()
    }

    /// Bits in use.
    pub fn bits(&self) -> u32 {
        self.fields.iter().map(|field| field.mask.count_ones()).sum()
    }

    /// Packs; `out` is overwritten.
    pub fn pack(&self, slots: &[i64], out: &mut Vec<u64>) {
        debug_assert!(self.fits(slots), "a slot left its range");
        out.clear();
        let mut start = 0;
        out.extend(self.words.iter().map(|word| {
            let slots = slots[start..word.end].iter().zip(&self.shifts[start..word.end]);
            start = word.end;
            let sum =
                |sum: u64, (slot, shift): (&i64, &u32)| sum.wrapping_add((*slot as u64).wrapping_shl(*shift));
            slots.fold(0, sum).wrapping_sub(word.least)
        }));
    }

    /// Packs what differs in some slots at most from something that has been packed; the hash, from the hash of that.
    #[inline]
    pub fn pack_changed(
        &self,
        (packed, code): (&[u64], u64),
        slots: &[i64],
        changed: &[u32],
        out: &mut Vec<u64>,
    ) -> u64 {
        debug_assert!(self.fits(slots), "a slot left its range");
        out.clear();
        out.extend_from_slice(packed);
        let mut code = code;
        for slot in changed {
            let slot = *slot as usize;
            let Field { shift, mask, lo } = self.fields[slot];
            let place = self.word_of[slot] as usize;
            let before = out[place];
            let after = before & !(mask << shift) | (slots[slot].wrapping_sub(lo) as u64) << shift;
            if after != before {
                let of = |word: u64| Interner::code_from(place, &[word]);
                code = code.wrapping_sub(of(before)).wrapping_add(of(after));
                out[place] = after;
            }
        }
        code
    }

    /// Packs what is much like something that has been packed: only what differs is put in place.
    pub fn pack_like(&self, (before, packed): (&[i64], &[u64]), slots: &[i64], out: &mut Vec<u64>) {
        debug_assert!(self.fits(slots), "a slot left its range");
        out.clear();
        out.extend_from_slice(packed);
        let ((blocks, rest), (now, rest_now)) = (before.as_chunks::<BLOCK>(), slots.as_chunks::<BLOCK>());
        for (at, block) in blocks.iter().enumerate() {
            if *block != now[at] {
                self.patch(at * BLOCK, block, &now[at], out);
            }
        }
        self.patch(blocks.len() * BLOCK, rest, rest_now, out);
    }

    /// Puts what differs in place, of some slots from the first one on.
    fn patch(&self, first: usize, before: &[i64], now: &[i64], out: &mut [u64]) {
        for (at, value) in before.iter().enumerate() {
            if *value != now[at] {
                let more = (now[at].wrapping_sub(*value) as u64).wrapping_shl(self.shifts[first + at]);
                let word = &mut out[self.word_of[first + at] as usize];
                *word = word.wrapping_add(more);
            }
        }
    }

    fn fits(&self, slots: &[i64]) -> bool {
        let within = |(field, slot): (&Field, &i64)| slot.wrapping_sub(field.lo) as u64 <= field.mask;
        slots.len() == self.fields.len() && self.fields.iter().zip(slots).all(within)
    }

    /// Unpacks; `out` is overwritten.
    pub fn unpack(&self, words: &[u64], out: &mut Vec<i64>) {
        out.clear();
        let mut start = 0;
        for (word, packed) in self.words.iter().zip(words) {
            out.extend(self.fields[start..word.end].iter().map(|field| field.value(*packed)));
            start = word.end;
        }
    }

    /// Unpacks into what something else has been unpacked into: only what differs is put in place.
    pub fn unpack_over(&self, before: &[u64], words: &[u64], out: &mut [i64]) {
        for (place, (before, packed)) in before.iter().zip(words).enumerate() {
            let mut differ = packed ^ before;
            while differ != 0 {
                let bit = place * u64::BITS as usize + differ.trailing_zeros() as usize;
                let slot = self.slot_of[bit] as usize;
                let field = &self.fields[slot];
                out[slot] = field.value(*packed);
                differ &= !(field.mask << field.shift);
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
        for slots in &samples {
            packer.pack(slots, &mut words);
            assert_eq!(words.len(), packer.words());
            packer.unpack(&words, &mut back);
            assert_eq!(back, *slots);
            for other in &samples {
                let (mut over, mut packed) = (slots.clone(), Vec::new());
                packer.pack(other, &mut packed);
                packer.unpack_over(&words, &packed, &mut over);
                assert_eq!(over, *other);
                let mut like = Vec::new();
                packer.pack_like((slots, &words), other, &mut like);
                packer.unpack(&like, &mut back);
                assert_eq!(back, *other);
            }
        }
    }

    #[test]
    fn many_slots_are_packed_like_others() {
        // More than a block, and several words.
        let ranges: Vec<Range> = (0..50).map(|slot| Range::new(-slot, slot * slot)).collect();
        let packer = Packer::new(ranges.iter().copied());
        let first: Vec<i64> = ranges.iter().map(|range| range.lo).collect();
        let (mut packed, mut expected, mut found) = (Vec::new(), Vec::new(), Vec::new());
        packer.pack(&first, &mut packed);
        for changed in 0..50 {
            let mut slots = first.clone();
            slots[changed] = ranges[changed].hi;
            slots[49] = changed as i64;
            packer.pack(&slots, &mut expected);
            packer.pack_like((&first, &packed), &slots, &mut found);
            assert_eq!(found, expected, "slot {changed}");
        }
    }

    #[test]
    fn constants_need_no_bits() {
        assert_eq!(Packer::new([Range::new(7, 7), Range::new(0, 3)]).bits(), 2);
    }
}
