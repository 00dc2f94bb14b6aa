//! Useless transitions (UT): a label is useless in a state if no shortest way to the target begins with it. That is so if
//! the target is no farther without the label than after it. The estimate takes the place of the distance: a label is
//! judged useless if the estimate for the state, with the label left out, is no greater than the estimate for the
//! successor. The search then puts off what useless labels lead to.
//!
//! Wehrle, Kupferschmid and Podelski, "Useless actions are useful", ICAPS 2008, and "Transition-based directed model
//! checking", TACAS 2009. If the relaxed trace of the state does without the label, leaving it out changes nothing, and
//! no second estimate is made.

use crate::monotonicity::{Measure, Monotonicity, covers};
use beeline_engine::heuristic::{Estimate, Heuristic, Layers, Properties, Step};
use beeline_ir::limits::StopReason;
use beeline_program::factored::{Factored, Meter};
use beeline_program::schema::EdgeRef;
use std::sync::Arc;

/// The heuristic: h^L or h^U, with an opinion on labels.
#[derive(Debug)]
pub struct Useless {
    base: Monotonicity,
    /// The state whose labels are being judged, and the edges of its relaxed trace.
    judged: Option<(Vec<i64>, Estimate)>,
    used: Vec<Box<[EdgeRef]>>,
}

impl Useless {
    /// For a factored view.
    pub fn new(factored: Arc<Factored>, measure: Measure, meter: &Meter<'_>) -> Result<Self, StopReason> {
        Ok(Self { base: Monotonicity::new(factored, measure, meter)?, judged: None, used: Vec::new() })
    }
}

impl Heuristic for Useless {
    fn properties(&self) -> Properties {
        self.base.properties()
    }
    fn estimate(&mut self, slots: &[i64]) -> Estimate {
        self.base.estimate(slots)
    }
    fn prefers(&self, label: &[EdgeRef]) -> bool {
        self.base.prefers(label)
    }
    fn judges_labels(&self) -> bool {
        true
    }
    fn useless(&mut self, step: &Step<'_>) -> bool {
        if self.judged.as_ref().is_none_or(|(slots, _)| slots != step.from) {
            let h = self.base.estimate(step.from);
            self.used.clear();
            if h != Estimate::Infinite {
                let labels = self.base.trace().labels.iter();
                self.used.extend(labels.map(|(label, _)| self.base.factored().label(*label).edges.clone()));
            }
            self.judged = Some((step.from.to_vec(), h));
        }
        let Some((_, h)) = self.judged else { return false };
        let without = if self.used.iter().any(|edges| covers(edges, step.label)) {
            let factored = Arc::clone(self.base.factored());
            self.base.estimate_without(step.from, |label| covers(&factored.label(label).edges, step.label))
        } else {
            h
        };
        without <= step.h_to
    }
    fn layers(&mut self, start: &[Option<i64>], most: u32) -> Option<Layers> {
        self.base.layers(start, most)
    }
    fn bytes(&self) -> u64 {
        self.base.bytes()
    }
}
