//! What is exchanged when processes are: the processes themselves, cells of variables, clocks, elements of channels,
//! functions, and values that are names.

use super::classes::Class;
use beeline_ir::{ChannelId, ClockId, FunctionId, ProcessId, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// A cell of a variable, or an element of a channel.
pub type Cell<I> = (I, usize);

/// What is exchanged for what; what is not in a map stays where it is.
#[derive(Clone, Debug, Default)]
pub struct Exchange {
    pub processes: BTreeMap<ProcessId, ProcessId>,
    pub cells: BTreeMap<Cell<VarId>, Cell<VarId>>,
    pub clocks: BTreeMap<ClockId, ClockId>,
    pub elements: BTreeMap<Cell<ChannelId>, Cell<ChannelId>>,
    pub functions: BTreeMap<FunctionId, FunctionId>,
    pub values: BTreeMap<Class, BTreeMap<i64, i64>>,
}

/// What something is exchanged for.
pub fn image<K: Copy + Ord>(map: &BTreeMap<K, K>, key: K) -> K {
    map.get(&key).copied().unwrap_or(key)
}

/// Whether a map only goes round among the things it is about.
pub fn is_permutation<K: Copy + Ord>(map: &BTreeMap<K, K>) -> bool {
    let images: BTreeSet<K> = map.values().copied().collect();
    images.len() == map.len() && images.iter().all(|image| map.contains_key(image))
}

/// Makes chains go round: what nothing is exchanged for becomes what is exchanged for nothing.
pub fn go_round(map: &mut BTreeMap<i64, i64>) {
    let images: BTreeSet<i64> = map.values().copied().collect();
    let starts: Vec<i64> = map.keys().copied().filter(|key| !images.contains(key)).collect();
    for start in starts {
        let mut end = start;
        // A chain has no more links than the map; where it is no chain, it will not be a permutation either.
        for _ in 0..map.len() {
            end = map.get(&end).copied().unwrap_or(end);
        }
        map.entry(end).or_insert(start);
    }
}

impl Exchange {
    /// The value that a value of a class is exchanged for.
    pub fn value(&self, class: Option<Class>, value: i64) -> i64 {
        let values = class.and_then(|class| self.values.get(&class));
        values.map_or(value, |values| image(values, value))
    }
}

/// Binds or compares; whether it fits.
pub fn meet<K: Copy + Ord>(map: &mut BTreeMap<K, K>, binding: bool, from: K, to: K) -> bool {
    if binding { *map.entry(from).or_insert(to) == to } else { image(map, from) == to }
}
