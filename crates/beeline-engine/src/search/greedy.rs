//! Greedy best-first search: the least estimate first, whatever it took to get there. (Doran and Michie,
//! "Experiments with the graph traverser program", 1966.)
//!
//! - Several heuristics take turns, each with a queue of its own (Röger and Helmert, "The more, the merrier:
//!   combining heuristic estimators for satisficing planning", 2010), or the greatest estimate counts.
//! - States reached by preferred labels wait in second queues, too, which have many turns ahead whenever an
//!   estimate falls below all before (Richter and Helmert, "Preferred operators and deferred evaluation in
//!   satisficing planning", 2009).
//! - A useless label is set back by the depth it leads to (Wehrle, Kupferschmid and Podelski, "Transition-based
//!   directed model checking", 2009), and labels that have to do with the one before come before all others
//!   (Wehrle and Kupferschmid, "Context-enhanced directed model checking", 2010).

use super::buckets::Buckets;
use super::guide::{greatest, number};
use super::{Batch, Entry, OpenList};
use crate::heuristic::Estimate;
use oorandom::Rand64;

/// Turns that the queues of preferred labels have ahead after progress.
const BOOST: i64 = 1000;

/// How to choose.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Style {
    /// Heuristics take turns.
    pub alternation: bool,
    /// There are queues for preferred labels.
    pub preferred: bool,
    /// The seed by which ties are broken; without it, the newest comes first.
    pub random_ties: Option<u64>,
}

#[derive(Debug)]
struct Queue {
    /// Whose estimates count; without one, the greatest does.
    heuristic: Option<usize>,
    only_preferred: bool,
    /// The one with the fewest is next.
    turns: i64,
    nodes: Buckets,
}

/// Nodes by their estimates.
#[derive(Debug)]
pub struct ByEstimate {
    queues: Vec<Queue>,
    /// The least estimates seen, one for each heuristic.
    least: Vec<Estimate>,
    random: Option<Rand64>,
}

impl ByEstimate {
    /// An empty list for so many heuristics.
    pub fn new(heuristics: usize, style: Style) -> Self {
        let each = style.alternation && heuristics > 1;
        let whose: Vec<Option<usize>> = if each { (0..heuristics).map(Some).collect() } else { vec![None] };
        let queue = |heuristic: &Option<usize>, only_preferred| Queue {
            heuristic: *heuristic,
            only_preferred,
            turns: 0,
            nodes: Buckets::default(),
        };
        let plain = whose.iter().map(|heuristic| queue(heuristic, false));
        let preferred = whose.iter().filter(|_| style.preferred).map(|heuristic| queue(heuristic, true));
        let random = style.random_ties.map(|seed| Rand64::new(u128::from(seed)));
        Self { queues: plain.chain(preferred).collect(), least: vec![Estimate::Infinite; heuristics], random }
    }
}

impl OpenList for ByEstimate {
    fn push(&mut self, successors: &Batch) {
        for (waiting, estimates) in successors.iter() {
            let tie = self.random.as_mut().map_or(0, |random| random.rand_i64());
            for queue in self.queues.iter_mut().filter(|queue| waiting.preferred || !queue.only_preferred) {
                let h = queue.heuristic.map_or_else(|| greatest(estimates), |i| number(estimates[i]));
                let depth = if waiting.useless { waiting.g } else { 0 };
                queue.nodes.push((waiting.distance, h.saturating_add(depth)), tie, waiting.entry);
            }
        }
    }
    fn pop(&mut self) -> Option<Entry> {
        let queue =
            self.queues.iter_mut().filter(|queue| !queue.nodes.is_empty()).min_by_key(|queue| queue.turns)?;
        queue.turns += 1;
        queue.nodes.pop().map(|(_, entry)| entry)
    }
    fn waiting(&self) -> usize {
        self.queues.iter().map(|queue| queue.nodes.len()).sum()
    }
    fn bytes(&self) -> u64 {
        self.queues.iter().map(|queue| queue.nodes.bytes()).sum()
    }
    fn evaluated(&mut self, estimates: &[Estimate]) {
        let mut progress = false;
        for (least, estimate) in self.least.iter_mut().zip(estimates) {
            progress |= *estimate < *least;
            *least = (*least).min(*estimate);
        }
        if progress {
            self.queues.iter_mut().filter(|q| q.only_preferred).for_each(|q| q.turns -= BOOST);
        }
    }
}
