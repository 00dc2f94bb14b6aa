//! Candidates: labels enabled by everything but the clocks, with the clock constraints that decide the rest.
//!
//! Where a candidate may fire is a difference of zones: its required atoms, less the guards of broadcast receivers
//! that stay behind, less the places where a label of higher priority is enabled.

use super::labels::Enabled;
use super::table::{LabelTiming, Timing};
use crate::time::TimePart;
use beeline_ir::layout::{Label, Part};
use beeline_ir::{EdgeId, ProcessId};
use beeline_program::{ConcreteAtom, Evaluated};

/// Atoms that must all hold.
pub type Conjunction = [ConcreteAtom];

/// An edge with its select values, evaluated in the current state; its diagonal atoms are already decided.
#[derive(Clone, Debug)]
pub struct EdgeInstance {
    /// Whose edge.
    pub process: ProcessId,
    /// Which edge.
    pub edge: EdgeId,
    /// Values of its select variables.
    pub selects: Vec<i64>,
    /// What its evaluation gave.
    pub evaluated: Evaluated,
    /// It leaves a committed location.
    pub committed: bool,
    /// It receives.
    pub receives: bool,
    /// Taking it counts as a step.
    pub costs: bool,
    /// What it does to clocks, if that is the same in all states.
    pub timing: Option<Timing>,
    /// It is known to be enabled without a partner: it is internal, or its buffer has room or the right message.
    pub ready: bool,
}

impl Default for EdgeInstance {
    fn default() -> Self {
        let (process, edge) = (ProcessId::new(0), EdgeId::new(0));
        let (selects, evaluated) = (Vec::new(), Evaluated::default());
        let (committed, receives, costs) = (false, false, true);
        Self { process, edge, selects, evaluated, committed, receives, costs, timing: None, ready: false }
    }
}

impl EdgeInstance {
    /// Becomes equal to another, without giving up its memory.
    pub fn copy_from(&mut self, other: &Self) {
        let Self { process, edge, selects, evaluated, committed, receives, costs, timing, ready } = other;
        (self.process, self.edge, self.committed) = (*process, *edge, *committed);
        (self.receives, self.costs, self.timing, self.ready) = (*receives, *costs, *timing, *ready);
        self.selects.clear();
        self.evaluated.clear();
        self.evaluated.element = evaluated.element;
        // Nearly all of these are empty, and copying nothing is a call, too.
        if !selects.is_empty() {
            self.selects.extend_from_slice(selects);
        }
        if !evaluated.message.is_empty() {
            self.evaluated.message.extend_from_slice(&evaluated.message);
        }
        if !evaluated.patterns.is_empty() {
            self.evaluated.patterns.extend_from_slice(&evaluated.patterns);
        }
        if !evaluated.atoms.is_empty() {
            self.evaluated.atoms.extend_from_slice(&evaluated.atoms);
        }
    }
    /// This edge as a part of a label.
    pub fn part(&self) -> Part {
        Part { process: self.process, edge: self.edge, selects: self.selects.clone() }
    }
}

/// The order of labels: the channel's priority, then the greatest priority of its processes, then whether the holder of
/// the token initiates it.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub struct Priority {
    /// Of the channel, 0 without one.
    pub channel: i32,
    /// The greatest of its processes.
    pub process: i32,
    /// Initiated by the process that holds the exclusivity token.
    pub by_holder: bool,
}

/// A label enabled by everything but the clocks.
#[derive(Clone, Debug, Default)]
pub struct Candidate {
    /// Its edges, as positions in the list of instances: initiator, then receivers in order of processes.
    pub parts: Vec<usize>,
    /// Clock constraints of all its edges.
    pub required: Vec<ConcreteAtom>,
    /// Guards of receivers that stay behind: none of these conjunctions may hold.
    pub excluded: Vec<Vec<ConcreteAtom>>,
    /// Its priority.
    pub priority: Priority,
    /// Whether it counts as a step.
    pub costs: bool,
    /// What it does to clocks, if that is the same in all states.
    pub timing: Option<LabelTiming>,
}

impl Candidate {
    /// The label this candidate stands for, without an observer's step.
    pub fn label(&self, instances: &[EdgeInstance]) -> Label {
        Label { parts: self.parts.iter().map(|i| instances[*i].part()).collect(), observer: None }
    }

    /// Where in the zone its own constraints hold, whatever the other labels.
    pub fn enabled_in<T: TimePart>(&self, time: &T, zone: &T::Zone) -> Vec<T::Zone> {
        let mut start = zone.clone();
        if !time.constrain(&mut start, &self.required) {
            return Vec::new();
        }
        let mut pieces = vec![start];
        for conjunction in &self.excluded {
            pieces = pieces.iter().flat_map(|piece| time.exclude(piece, conjunction)).collect();
        }
        pieces
    }

    /// Where in the zone it may fire, given everything that is enabled in this state.
    pub fn fires_in<T: TimePart>(&self, time: &T, zone: &T::Zone, enabled: &Enabled) -> Vec<T::Zone> {
        let mut pieces = self.enabled_in(time, zone);
        if !enabled.prioritised {
            return pieces;
        }
        for other in enabled.allowed.iter().filter(|other| other.priority > self.priority) {
            if pieces.is_empty() {
                break;
            }
            for forbidden in other.enabled_in(time, zone) {
                pieces = subtract_from(time, &pieces, &forbidden);
            }
        }
        pieces
    }
}

/// Removes a set from each piece.
pub fn subtract_from<T: TimePart>(time: &T, pieces: &[T::Zone], forbidden: &T::Zone) -> Vec<T::Zone> {
    pieces.iter().flat_map(|piece| time.subtract(piece, forbidden)).collect()
}
