//! Sifting (Rudell, ICCAD 1993) in groups: each group of bits, those with the most nodes first, goes through all places,
//! the nearer end first, and stays at the best. Groups stay together, as a current and a next bit must (Panda and Somenzi,
//! ICCAD 1995). A way is given up where the diagrams have grown by a fifth. The work is counted, so that the same order
//! comes out everywhere.

use super::swap::Moving;
use super::{Bit, Store};
use beeline_ir::limits::StopReason;

/// Nodes looked at that each node there is pays for.
const WORK: u64 = 100;

/// Steps of an operation are worth so many nodes looked at.
const NODES_PER_STEP: u64 = 2;

/// When to sift.
#[derive(Default)]
pub(super) struct Sifting {
    /// Nodes beyond which it is time; never, if there is no number.
    at: Option<usize>,
    /// Whether it is time.
    pub due: bool,
    /// Bits that stay together; others go alone.
    groups: Vec<Vec<Bit>>,
    /// How many times it was done.
    pub times: u64,
}

/// A way is given up where there are more nodes than at the start, by this much.
fn too_many(now: usize, start: usize) -> bool {
    now > start + start / 5
}

impl Store {
    /// From now on, sifts when more nodes than that are alive, and each time it has, when there are twice as many as were
    /// left. The bits of a group are neighbours.
    pub fn sift_automatically(&mut self, at: usize, groups: Vec<Vec<Bit>>) {
        let due = self.node_count() > at;
        self.sifting = Sifting { at: Some(at), due, groups, times: self.sifting.times };
    }
    /// How many times bits were reordered.
    #[cfg(test)]
    pub fn sifted(&self) -> u64 {
        self.sifting.times
    }
    /// After a collection: whether so much is left that the order may be to blame.
    pub(super) fn wants_reordering(&self) -> bool {
        self.sifting.at.is_some_and(|at| self.node_count() > at)
    }
    /// Sifts, and says when to do so again.
    pub(super) fn reorder_now(&mut self) -> Result<(), StopReason> {
        let groups = std::mem::take(&mut self.sifting.groups);
        let sifted = self.sift(&groups);
        self.sifting.groups = groups;
        self.sifting.due = false;
        self.sifting.at = self.sifting.at.map(|at| at.max(2 * self.node_count()));
        sifted
    }
    /// Sifts once, between two operations.
    pub fn sift(&mut self, groups: &[Vec<Bit>]) -> Result<(), StopReason> {
        self.sifting.times += 1;
        let mut blocks = Blocks::new(self, groups);
        let by_size = blocks.by_size(self);
        let mut moving = Moving::new(self);
        let budget = WORK * moving.store.node_count() as u64;
        let mut result = Ok(());
        for first in by_size {
            let before = moving.work;
            let place = blocks.place_of(moving.store.level_of_bit(first) as usize);
            let moved = blocks.sift(place, &mut moving);
            result = moving.store.spend((moving.work - before) / NODES_PER_STEP);
            if result.is_err() || !moved || moving.work > budget {
                break;
            }
        }
        // There is no garbage; but free nodes come in order again.
        self.collect();
        result
    }
}

/// Groups of neighbouring levels, uppermost first: how many levels each has.
struct Blocks(Vec<usize>);

impl Blocks {
    fn new(store: &Store, groups: &[Vec<Bit>]) -> Self {
        let mut group_of = vec![None; store.order.len()];
        for (number, group) in groups.iter().enumerate() {
            group.iter().for_each(|bit| group_of[*bit as usize] = Some(number));
        }
        let same = |a: &Bit, b: &Bit| {
            group_of[*a as usize].is_some() && group_of[*a as usize] == group_of[*b as usize]
        };
        Self(store.order.chunk_by(same).map(<[Bit]>::len).collect())
    }
    /// The first bits of all groups, those with the most nodes first.
    fn by_size(&self, store: &Store) -> Vec<Bit> {
        let mut level = 0;
        let mut found: Vec<(usize, Bit)> = Vec::new();
        for size in &self.0 {
            let bits = &store.order[level..level + size];
            found.push((bits.iter().map(|bit| store.tables[*bit as usize].count).sum(), bits[0]));
            level += size;
        }
        found.sort_by_key(|(nodes, _)| std::cmp::Reverse(*nodes));
        found.into_iter().filter(|(nodes, _)| *nodes > 0).map(|(_, bit)| bit).collect()
    }
    /// The group that begins at a level.
    fn place_of(&self, level: usize) -> usize {
        let mut at = 0;
        self.0
            .iter()
            .take_while(|size| {
                let before = at < level;
                at += **size;
                before
            })
            .count()
    }
    /// Exchanges a group with the one below; false if there is no room.
    fn swap(&mut self, place: usize, moving: &mut Moving<'_>) -> bool {
        let start: usize = self.0[..place].iter().sum();
        let (upper, lower) = (self.0[place], self.0[place + 1]);
        for done in 0..lower {
            for level in (start + done..start + done + upper).rev() {
                if !moving.swap(level) {
                    // The groups are torn apart, which may be slow and is not wrong.
                    return false;
                }
            }
        }
        self.0.swap(place, place + 1);
        true
    }
    /// Brings a group to its best place; false if there is no room.
    fn sift(&mut self, place: usize, moving: &mut Moving<'_>) -> bool {
        let last = self.0.len() - 1;
        let start = moving.store.node_count();
        let (mut at, mut best) = (place, (start, place));
        let down_first = last - place < place;
        for down in [down_first, !down_first] {
            while if down { at < last } else { at > 0 } {
                if !self.swap(if down { at } else { at - 1 }, moving) {
                    return false;
                }
                at = if down { at + 1 } else { at - 1 };
                let now = moving.store.node_count();
                // The place nearest to where it was, of equal ones.
                let better = (now, at.abs_diff(place)) < (best.0, best.1.abs_diff(place));
                if better {
                    best = (now, at);
                }
                let away = if down { at > place } else { at < place };
                if away && too_many(now, start) {
                    break;
                }
            }
        }
        while at != best.1 {
            let down = at < best.1;
            if !self.swap(if down { at } else { at - 1 }, moving) {
                return false;
            }
            at = if down { at + 1 } else { at - 1 };
        }
        true
    }
}
