//! How many states a set has: of all assignments to bits, the share that is in it, from the bottom of its diagram up. The
//! order of bits does not matter.

use crate::bdd::{Bdd, Made};
use crate::system::System;
use beeline_ir::limits::StopReason;
use rustc_hash::FxHashMap;

/// Bits beyond which shares are too small to be told from nothing.
const MOST_BITS: usize = 1_000;

/// Stops if a set has as many states as may be stored.
pub(crate) fn check(system: &System, set: &Bdd) -> Made<()> {
    let Some(most) = system.limits.states else { return Ok(()) };
    let bits: usize = system.encoding.stored().map(|place| place.current.len()).sum();
    let states = 2_f64.powi(bits.min(MOST_BITS) as i32) * share(system, set);
    if bits <= MOST_BITS && states >= most as f64 { Err(StopReason::States) } else { Ok(()) }
}

fn share(system: &System, set: &Bdd) -> f64 {
    let b = &system.b;
    let mut shares: FxHashMap<Bdd, f64> = FxHashMap::default();
    let mut work = vec![set.clone()];
    while let Some(f) = work.pop() {
        let known = |f: &Bdd| match b.children(f) {
            None => Some(if b.is_yes(f) { 1.0 } else { 0.0 }),
            Some(_) => shares.get(f).copied(),
        };
        let Some((then, otherwise)) = b.children(&f) else { continue };
        if let (Some(one), Some(other)) = (known(&then), known(&otherwise)) {
            shares.insert(f, (one + other) / 2.0);
        } else {
            work.extend([f, then, otherwise]);
        }
    }
    shares.get(set).copied().unwrap_or(if b.is_yes(set) { 1.0 } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order;
    use crate::transition::Partitioning;
    use beeline_ir::limits::Limits;

    #[test]
    fn states_are_counted() {
        let text = "MODULE main\nVAR x : 0..4; y : boolean; z : 1..3;\nIVAR i : boolean;\nINIT x <= 2 & (y -> x = 0)\n\
                    INVARSPEC x < 4 | y\n";
        let relation = beeline_smv::read(text, "count.smv").expect("a model").relation;
        let with = |states: u64| {
            let limits = Limits { states: Some(states), ..Limits::default() };
            let partitioning = Partitioning { cluster: 1_000, split: true };
            let order = order::force(&relation);
            System::new(&relation, &relation.properties[0], order, partitioning, &limits).expect("a system")
        };
        // y with x = 0, or not y with x up to 2; each with three values of z.
        let (enough, few) = (with(13), with(12));
        assert_eq!(check(&enough, &enough.init), Ok(()));
        assert_eq!(check(&few, &few.init), Err(StopReason::States));
        assert_eq!(check(&few, &few.target), Ok(()));
        assert_eq!(check(&few, &few.space), Err(StopReason::States));
    }
}
