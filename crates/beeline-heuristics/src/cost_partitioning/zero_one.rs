//! Zero-one cost partitioning: in some order, each projection gets all of the cost of the labels that change something in
//! it and have not been given away yet.
//!
//! Edelkamp, "Automated creation of pattern database search heuristics", MoChArt 2006.

use super::saturated::{Costs, Weighed, full};
use crate::factors::{Labels, live};
use beeline_ir::limits::StopReason;
use beeline_program::factored::Meter;

/// The distances by one order.
pub(super) fn share(
    labels: &Labels,
    weighed: &[Weighed],
    order: &[usize],
    meter: &Meter<'_>,
) -> Result<Vec<Vec<u32>>, StopReason> {
    let mut left = full(labels);
    let mut shares: Vec<Vec<u32>> = weighed.iter().map(|_| Vec::new()).collect();
    for at in order {
        let weighed = &weighed[*at];
        meter.work((2 * weighed.size() + labels.len()) as u64)?;
        let mut own: Costs = vec![0; labels.len()];
        for (label, _) in live(labels).filter(|(label, _)| weighed.changed_by(*label)) {
            own[label] = std::mem::take(&mut left[label]);
        }
        shares[*at] = weighed.saturate(labels, &own, None).distances;
    }
    Ok(shares)
}
