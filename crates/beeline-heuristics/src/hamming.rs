//! Hamming distance to a state that is known to be bad: in how many places a state differs from it. For making a trace
//! shorter that leads there.
//!
//! Edelkamp, Lluch-Lafuente and Leue, "Directed explicit model checking with HSF-SPIN", SPIN 2001, count bits of the state
//! vector; here a location, a variable's cell, a field of a message each count once, so that how states are packed does
//! not matter. A step may change several of them, and another target may be nearer: nothing is promised.

use beeline_engine::heuristic::{Estimate, Heuristic, Properties};

/// The heuristic.
#[derive(Debug)]
pub struct Hamming {
    towards: Vec<i64>,
}

impl Hamming {
    /// Towards a state.
    pub fn new(towards: &[i64]) -> Self {
        Self { towards: towards.to_vec() }
    }
}

impl Heuristic for Hamming {
    fn properties(&self) -> Properties {
        Properties::NOTHING
    }
    fn estimate(&mut self, slots: &[i64]) -> Estimate {
        let differ = self.towards.iter().zip(slots).filter(|(there, here)| there != here);
        Estimate::Steps(differ.count() as u32)
    }
    fn reads_dead_variables(&self) -> bool {
        true
    }
}
