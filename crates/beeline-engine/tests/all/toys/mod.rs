//! Toy heuristics with known properties, for small models: distances by brute force, and a relaxation that comes
//! with proofs.

pub mod graph;
pub mod relaxed;

use beeline_engine::heuristic::{Estimate, Heuristic, Properties, ZoneView};
use graph::Graph;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

/// All that holds of a lower bound that looks at the discrete part only.
pub const ADMISSIBLE: Properties = Properties { consistent: false, ..Properties::LOWER_BOUND };

/// What to make of the true distance.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    /// 0.
    Blind,
    /// It.
    Perfect,
    /// Half of it.
    Half,
    /// The least of all zones of the same discrete state: admissible, not consistent.
    Discrete,
    /// Something between 0 and that, at random.
    Random,
    /// Too much, and infinity where it means nothing.
    Wrong,
}

pub const KINDS: [Kind; 6] =
    [Kind::Blind, Kind::Perfect, Kind::Half, Kind::Discrete, Kind::Random, Kind::Wrong];

/// A heuristic that knows the whole graph.
#[derive(Clone, Debug)]
pub struct Oracle {
    pub kind: Kind,
    pub seed: u64,
    pub graph: Rc<Graph>,
}

impl Oracle {
    /// A number that depends on the state and the seed alone.
    fn noise(&self, slots: &[i64]) -> u32 {
        let mut hasher = DefaultHasher::new();
        (slots, self.seed).hash(&mut hasher);
        (hasher.finish() >> 32) as u32
    }
}

impl Heuristic for Oracle {
    fn properties(&self) -> Properties {
        let exact = matches!(self.kind, Kind::Perfect | Kind::Half);
        Properties {
            admissible: self.kind != Kind::Wrong,
            consistent: exact || self.kind == Kind::Blind,
            safe_infinity: self.kind != Kind::Wrong,
            zone_dependent: exact,
            path_dependent: false,
        }
    }
    fn estimate(&mut self, slots: &[i64]) -> Estimate {
        let least = self.graph.least(slots);
        match (self.kind, least) {
            (Kind::Blind, _) => Estimate::ZERO,
            (Kind::Discrete | Kind::Random, None) => Estimate::Infinite,
            (Kind::Random, Some(d)) => Estimate::Steps(self.noise(slots) % (d + 1)),
            (Kind::Wrong, _) if self.noise(slots).is_multiple_of(5) => Estimate::Infinite,
            (Kind::Wrong, _) => Estimate::Steps(self.noise(slots) % 50),
            (_, Some(d)) => Estimate::Steps(d),
            (_, None) => Estimate::Infinite,
        }
    }
    fn estimate_in(&mut self, slots: &[i64], zone: &ZoneView<'_>) -> Estimate {
        match self.graph.distance(slots, &zone.constraints()) {
            Some(d) if self.kind == Kind::Half => Estimate::Steps(d / 2),
            Some(d) => Estimate::Steps(d),
            None => Estimate::Infinite,
        }
    }
}
