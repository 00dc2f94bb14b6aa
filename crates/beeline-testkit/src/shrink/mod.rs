//! A greedy shrinker: tries smaller and smaller versions of a failing model and keeps each one that still fails.
//!
//! Edits come in kinds, coarse ones first; each kind has numbered places. An edit that gives an ill-formed model,
//! or one that no longer fails, is dropped. The result is a model on which no single edit of any kind still
//! fails, unless the number of attempts ran out first. Nothing here is random: the same failure shrinks to the
//! same model.

mod remove;
mod simplify;

use beeline_ir::Model;
use beeline_ir::diagnostic::Severity;
use beeline_ir::network::Network;

/// What became of an attempt to edit a model at a place.
enum Edited {
    /// The model is changed.
    Yes,
    /// There is nothing to do at this place.
    No,
    /// There is no such place, nor one further on.
    PastEnd,
}

/// Changes the model at the place of that number.
type Edit = fn(&mut Network, usize) -> Edited;

const EDITS: &[Edit] = &[
    remove::process,
    remove::edge,
    remove::location,
    remove::function,
    remove::channel,
    remove::clock,
    remove::var,
    simplify::statement,
    simplify::atom,
    simplify::flag,
    simplify::expression,
    simplify::range,
];

/// The smallest failing model found within so many attempts. `fails` must hold for `network` itself.
pub fn shrink(network: &Network, attempts: usize, mut fails: impl FnMut(&Network) -> bool) -> Network {
    let mut best = network.clone();
    let mut left = attempts;
    loop {
        let before = best.clone();
        for edit in EDITS {
            let mut place = 0;
            while left > 0 {
                let mut candidate = best.clone();
                match edit(&mut candidate, place) {
                    Edited::PastEnd => break,
                    Edited::No => {
                        place += 1;
                        continue;
                    }
                    Edited::Yes => {}
                }
                left -= 1;
                if candidate != best && usable(&candidate) && fails(&candidate) {
                    best = candidate; // the next item has moved to this place
                } else {
                    place += 1;
                }
            }
        }
        if best == before || left == 0 {
            return best;
        }
    }
}

fn usable(network: &Network) -> bool {
    let diagnostics = beeline_ir::wellformed::check(&Model::Network(network.clone()));
    diagnostics.iter().all(|d| !matches!(d.severity, Severity::Error | Severity::Unsupported))
}
