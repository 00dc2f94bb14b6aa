//! How far variables are from a question: what it asks about is at depth 0, what decides the steps of a variable at depth
//! n, or is bound to it by a constraint, at depth n + 1 at most.

use crate::system::System;
use beeline_ir::VarId;
use beeline_ir::relation::RelationRole;

/// By variable, those that have a say in it.
pub(crate) struct Deciders {
    of: Vec<Vec<usize>>,
    is_input: Vec<bool>,
}

impl Deciders {
    pub fn new(system: &System) -> Self {
        let places = &system.encoding.places;
        let is_input: Vec<bool> = places.iter().map(|place| place.role == RelationRole::Input).collect();
        // Whose bit it is, and whether of the next state.
        let mut owners = vec![None; system.encoding.bits as usize];
        for (var, place) in places.iter().enumerate().filter(|(var, _)| !is_input[*var]) {
            for (current, next) in place.pairs() {
                owners[next as usize] = Some((var, true));
                owners[current as usize] = Some((var, false));
            }
        }
        let mut of: Vec<Vec<usize>> = vec![Vec::new(); places.len()];
        let steps = system.steps().flat_map(|steps| steps.supports(&system.b)).map(|bits| (bits, true));
        let space = system.space_parts.iter().map(|part| (system.b.support(part), false));
        for (bits, is_step) in steps.chain(space) {
            let owners: Vec<(usize, bool)> =
                bits.into_iter().filter_map(|bit| owners[bit as usize]).collect();
            for (var, _) in owners.iter().filter(|(_, next)| *next || !is_step) {
                of[*var].extend(owners.iter().map(|(var, _)| *var));
                of[*var].sort_unstable();
                of[*var].dedup();
            }
        }
        Self { of, is_input }
    }
    /// The depth of each variable when these are asked about; `None` if it has no say, or is an input.
    pub fn depths(&self, asked: &[VarId]) -> Vec<Option<u32>> {
        let mut depths = vec![None; self.of.len()];
        let mut layer: Vec<usize> = asked.iter().map(|var| var.index()).collect();
        let mut depth = 0;
        while !layer.is_empty() {
            layer.retain(|var| !self.is_input[*var] && depths[*var].is_none());
            for var in &layer {
                depths[*var] = Some(depth);
            }
            layer = layer.iter().flat_map(|var| self.of[*var].iter().copied()).collect();
            depth += 1;
        }
        depths
    }
}

/// The variables at most so deep.
pub(crate) fn within(depths: &[Option<u32>], depth: u32) -> impl Fn(VarId) -> bool {
    move |var| depths[var.index()].is_some_and(|at| at <= depth)
}
