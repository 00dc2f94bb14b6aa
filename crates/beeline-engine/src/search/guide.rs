//! The heuristics of a search, asked together.

use crate::heuristic::{Estimate, Heuristic, Properties, Route, Step};
use crate::successors::space::State;
use crate::time::TimePart;
use beeline_program::schema::EdgeRef;
use beeline_zones::fault::{self, Fault};

/// What an infinite estimate counts for where it proves nothing: more than any other, and still no reason to
/// prune.
const FAR: u32 = 1 << 24;

/// Work of an evaluation that is little more than a look-up.
const LOOK_UP: u64 = 128;

/// An estimate as a number.
pub fn number(estimate: Estimate) -> u32 {
    estimate.steps().map_or(FAR, |steps| steps.min(FAR))
}

/// The greatest of several estimates; 0 if there is none.
pub fn greatest(estimates: &[Estimate]) -> u32 {
    estimates.iter().copied().max().map_or(0, number)
}

/// Which heuristics to ask.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Ask {
    /// Only the first one.
    First,
    /// All.
    All,
    /// All that say the same when they are asked again, for what they have to say about labels.
    Again,
}

/// The heuristics of a search. There may be none: a search without is blind.
#[derive(Debug)]
pub struct Guide<'h> {
    heuristics: &'h mut [Box<dyn Heuristic>],
    properties: Vec<Properties>,
    /// Evaluations so far.
    pub evaluated: u64,
}

impl<'h> Guide<'h> {
    /// A guide made of heuristics.
    pub fn new(heuristics: &'h mut [Box<dyn Heuristic>]) -> Self {
        let properties = heuristics.iter().map(|heuristic| heuristic.properties()).collect();
        Self { heuristics, properties, evaluated: 0 }
    }

    /// How many heuristics there are.
    pub fn len(&self) -> usize {
        self.heuristics.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.heuristics.is_empty()
    }

    /// Whether no estimate is ever too large.
    pub fn admissible(&self) -> bool {
        self.properties.iter().all(|properties| properties.admissible)
    }

    /// Whether some heuristic judges labels.
    pub fn judges_labels(&self) -> bool {
        self.heuristics.iter().any(|heuristic| heuristic.judges_labels())
    }

    /// Asks heuristics about a state. What they say comes to `estimates`, one for each heuristic, 0 for those not
    /// asked; false if the target is out of reach.
    pub fn evaluate<T: TimePart>(
        &mut self,
        time: &T,
        state: &State<T::Zone>,
        ask: Ask,
        estimates: &mut Vec<Estimate>,
    ) -> bool {
        estimates.clear();
        let zone = time.view(&state.zone);
        let mut alive = true;
        for (i, (heuristic, properties)) in self.heuristics.iter_mut().zip(&self.properties).enumerate() {
            let asked = match ask {
                Ask::First => i == 0,
                Ask::All => true,
                Ask::Again => !properties.path_dependent,
            };
            let estimate = if !asked || !alive {
                Estimate::ZERO
            } else if properties.zone_dependent {
                heuristic.estimate_in(&state.slots, &zone)
            } else {
                heuristic.estimate(&state.slots)
            };
            self.evaluated += u64::from(asked && alive);
            let safe = properties.safe_infinity || fault::active(Fault::InfinityTrusted);
            alive &= estimate != Estimate::Infinite || !safe;
            estimates.push(estimate);
        }
        alive
    }

    /// The number of steps that are certainly needed, given what the heuristics say.
    pub fn certain(&self, estimates: &[Estimate]) -> u32 {
        let of = |(estimate, properties): (&Estimate, &Properties)| {
            if properties.admissible { estimate.steps() } else { None }
        };
        estimates.iter().zip(&self.properties).filter_map(of).max().unwrap_or(0)
    }

    /// Whether the plan behind some estimate made last begins with the label.
    pub fn prefers(&self, label: &[EdgeRef]) -> bool {
        self.heuristics.iter().any(|heuristic| heuristic.prefers(label))
    }

    /// A run that some heuristic has met.
    pub fn route(&self) -> Option<&Route> {
        self.heuristics.iter().find_map(|heuristic| heuristic.route())
    }

    /// Whether some heuristic thinks the label of a step useless, and how far it is from the label before. The
    /// estimates of the step are filled in from those of the two states.
    pub fn judge(&mut self, step: Step<'_>, from: &[Estimate], to: &[Estimate]) -> (bool, u32) {
        let (mut useless, mut distance) = (false, 0);
        for (i, heuristic) in self.heuristics.iter_mut().enumerate() {
            if heuristic.judges_labels() {
                let step = Step { h_from: from[i], h_to: to[i], ..step };
                useless |= heuristic.useless(&step);
                distance = distance.max(heuristic.distance(&step));
            }
        }
        (useless, distance)
    }

    /// The heuristics.
    pub fn heuristics(&mut self) -> &mut [Box<dyn Heuristic>] {
        self.heuristics
    }

    /// Work that evaluations have been.
    pub fn work(&self) -> u64 {
        let longer: u64 = self.heuristics.iter().map(|heuristic| heuristic.work()).sum();
        self.evaluated * LOOK_UP + longer
    }

    /// Bytes in use.
    pub fn bytes(&self) -> u64 {
        self.heuristics.iter().map(|heuristic| heuristic.bytes()).sum()
    }
}
