//! How far variables are from a property: what it asks about is at depth 0, what decides the steps of a variable at depth
//! n, or is bound to it by a constraint, at depth n + 1 at most.

use crate::system::System;
use beeline_ir::VarId;
use beeline_ir::relation::RelationRole;

/// The depth of each variable; `None` if it has no say, or is an input.
pub(crate) fn depths(system: &System) -> Vec<Option<u32>> {
    let places = &system.encoding.places;
    // Whose bit it is, and whether of the next state.
    let mut owners = vec![None; system.encoding.bits as usize];
    for (var, place) in places.iter().enumerate().filter(|(_, place)| place.role != RelationRole::Input) {
        for (current, next) in place.pairs() {
            owners[next as usize] = Some((var, true));
            owners[current as usize] = Some((var, false));
        }
    }
    let mut deciders: Vec<Vec<usize>> = vec![Vec::new(); places.len()];
    let mut decide = |decided: &[usize], by: &[usize]| {
        for var in decided {
            deciders[*var].extend_from_slice(by);
            deciders[*var].sort_unstable();
            deciders[*var].dedup();
        }
    };
    let steps = system.transition.supports(&system.b).map(|bits| (bits, true));
    let space = system.space_parts.iter().map(|part| (system.b.support(part), false));
    for (bits, is_step) in steps.chain(space) {
        let owners: Vec<(usize, bool)> = bits.into_iter().filter_map(|bit| owners[bit as usize]).collect();
        let all: Vec<usize> = owners.iter().map(|(var, _)| *var).collect();
        let changed: Vec<usize> =
            owners.iter().filter(|(_, next)| *next || !is_step).map(|(var, _)| *var).collect();
        decide(&changed, &all);
    }
    let mut depths = vec![None; places.len()];
    let mut layer: Vec<usize> = system.asked.iter().map(|var| var.index()).collect();
    let mut depth = 0;
    while !layer.is_empty() {
        layer.retain(|var| places[*var].role != RelationRole::Input && depths[*var].is_none());
        for var in &layer {
            depths[*var] = Some(depth);
        }
        layer = layer.iter().flat_map(|var| deciders[*var].iter().copied()).collect();
        depth += 1;
    }
    depths
}

/// The variables at most so deep.
pub(crate) fn within(depths: &[Option<u32>], depth: u32) -> impl Fn(VarId) -> bool {
    move |var| depths[var.index()].is_some_and(|at| at <= depth)
}
