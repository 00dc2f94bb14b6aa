//! The canonical heuristic: two projections are additive if no label with a cost changes both; the distances of those that
//! are so two by two add up, and the greatest of all such sums counts.
//!
//! Haslum, Botea, Helmert, Bonet and Koenig, "Domain-independent construction of pattern database heuristics for
//! cost-optimal planning", AAAI 2007; cliques: Bron and Kerbosch, Communications of the ACM 16(9), 1973.

use super::orders::{Distances, weighed};
use crate::factors::{Factor, Labels, live};
use beeline_ir::limits::StopReason;
use beeline_program::factored::Meter;
use std::rc::Rc;

/// Sums that count; what comes later is left out.
const MOST_CLIQUES: usize = 256;
/// Steps of the search for them.
const MOST_STEPS: usize = 1 << 16;

/// The distances of all sets of additive projections that are in no larger one.
pub(super) fn partitions(
    labels: &Labels,
    collection: &[&Factor],
    meter: &Meter<'_>,
) -> Result<Vec<Distances>, StopReason> {
    let (weighed, alone) = weighed(labels, collection, meter)?;
    let mut additive = vec![vec![true; weighed.len()]; weighed.len()];
    for (label, _) in live(labels).filter(|(_, costs)| *costs) {
        let changed: Vec<usize> = (0..weighed.len()).filter(|at| weighed[*at].changed_by(label)).collect();
        meter.work((weighed.len() + changed.len() * changed.len()) as u64)?;
        for one in &changed {
            changed.iter().for_each(|other| additive[*one][*other] = false);
        }
    }
    // What is 0 everywhere adds nothing.
    let counts = |at: &usize| alone[*at].distances.iter().any(|distance| *distance > 0);
    let mut search = Cliques { additive: &additive, found: Vec::new(), steps: 0 };
    search.grow(&mut Vec::new(), (0..weighed.len()).filter(counts).collect(), Vec::new());
    meter.work(search.steps as u64)?;
    let shared: Vec<Rc<[u32]>> = alone.into_iter().map(|alone| alone.distances.into()).collect();
    meter.allocate(shared.iter().map(|distances| size_of_val(&**distances)).sum())?;
    let named = |clique: &Vec<usize>| clique.iter().map(|at| (*at, Rc::clone(&shared[*at]))).collect();
    Ok(search.found.iter().map(named).collect())
}

struct Cliques<'a> {
    additive: &'a [Vec<bool>],
    found: Vec<Vec<usize>>,
    steps: usize,
}

impl Cliques<'_> {
    /// The cliques that some projections are in, with some of the open ones, and with none that were tried before.
    fn grow(&mut self, clique: &mut Vec<usize>, mut open: Vec<usize>, mut tried: Vec<usize>) {
        self.steps += 1;
        if open.is_empty() && tried.is_empty() && !clique.is_empty() {
            self.found.push(clique.clone());
        }
        while !open.is_empty() && self.found.len() < MOST_CLIQUES && self.steps < MOST_STEPS {
            let next = open.remove(0);
            let with = |others: &[usize]| -> Vec<usize> {
                others.iter().copied().filter(|other| self.additive[next][*other]).collect()
            };
            let (open_then, tried_then) = (with(&open), with(&tried));
            clique.push(next);
            self.grow(clique, open_then, tried_then);
            clique.pop();
            tried.push(next);
        }
    }
}
