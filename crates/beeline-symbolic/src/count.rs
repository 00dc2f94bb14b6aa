//! Stops at as many states as may be stored.

use crate::bdd::{Bdd, Made};
use crate::system::System;
use beeline_ir::limits::StopReason;

/// Stops if a set has as many states as may be stored.
pub(crate) fn check(system: &System, set: &Bdd) -> Made<()> {
    let Some(most) = system.limits.states else { return Ok(()) };
    let bits: usize = system.encoding.stored().map(|place| place.current.len()).sum();
    if system.b.count(set, bits as u32) >= most as f64 { Err(StopReason::States) } else { Ok(()) }
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
