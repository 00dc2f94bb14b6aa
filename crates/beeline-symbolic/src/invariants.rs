//! What is known of all reachable states, from a look at small groups of variables (approximate traversal, machine by
//! machine: Cho, Hachtel, Macii, Plessier and Somenzi, IEEE TCAD 1996).
//!
//! A group is what two neighbouring instances consist of. Its reachable states are computed with everything else free,
//! but for what is known of the groups it overlaps; this is repeated while more becomes known. Each set holds what the
//! system can reach, and all of them together hold what their states lead to: what was known when a set was computed is
//! known at the end, or more is. So it does not matter when the work is given up.
//!
//! Abstractions begin where errors are, not where a system begins, and without this most of what they see is impossible.

use crate::bdd::{Bdd, Made};
use crate::database::View;
use crate::system::System;
use beeline_ir::VarId;
use beeline_ir::limits::StopReason;
use beeline_ir::relation::{Relation, RelationRole};
use std::collections::{BTreeMap, BTreeSet};

/// Nodes that all that is known may have together.
const MOST_NODES: usize = 20_000;

/// Sets that hold all reachable states, and together hold what their states lead to.
pub(crate) struct Known {
    pub sets: Vec<Bdd>,
    /// What is in all of them, or of as many as have a diagram that is not too large.
    pub together: Bdd,
}

impl Known {
    pub fn new(sets: Vec<Bdd>, system: &System) -> Made<Self> {
        let b = &system.b;
        let mut together = b.yes();
        for set in &sets {
            let smaller = b.and(&together, set)?;
            if b.size(&smaller) <= MOST_NODES {
                together = smaller;
            }
        }
        Ok(Self { sets, together })
    }
}

/// Bits of a group at most.
const MOST_BITS: usize = 24;

/// Rounds over all groups at most.
const ROUNDS: usize = 16;

struct Group {
    vars: BTreeSet<usize>,
    view: View,
    known: Option<Bdd>,
    /// Something more is known around it.
    due: bool,
}

/// What is known of all reachable states, as far as the allowance goes.
pub(crate) fn find(system: &System, relation: &Relation) -> Made<Vec<Bdd>> {
    let mut groups = groups(system, relation);
    for _ in 0..ROUNDS {
        for at in 0..groups.len() {
            if !std::mem::take(&mut groups[at].due) {
                continue;
            }
            let reachable = match reachable(system, &groups, at) {
                Err(StopReason::Work) => return Ok(known(groups)),
                reachable => reachable?,
            };
            if groups[at].known.as_ref() != Some(&reachable) {
                groups[at].known = Some(reachable);
                let vars = groups[at].vars.clone();
                for (other, group) in groups.iter_mut().enumerate() {
                    group.due |= other != at && !group.vars.is_disjoint(&vars);
                }
            }
        }
    }
    Ok(known(groups))
}

fn known(groups: Vec<Group>) -> Vec<Bdd> {
    groups.into_iter().filter_map(|group| group.known).collect()
}

/// What a group can reach, with what is known of those it overlaps.
fn reachable(system: &System, groups: &[Group], at: usize) -> Made<Bdd> {
    let b = &system.b;
    let group = &groups[at];
    let around = groups.iter().filter(|other| !other.vars.is_disjoint(&group.vars));
    let around: Vec<Bdd> = around.filter_map(|other| other.known.clone()).collect();
    let steps = group.view.steps(system);
    let steps = system.transition.hiding_forward(&steps, &group.view.hidden, &around, b)?;
    let mut reached = group.view.blur(&system.init, system)?;
    let mut last = reached.clone();
    while !b.is_no(&last) {
        last = b.minus(&steps.image(&last, b)?, &reached)?;
        reached = b.or(&reached, &last)?;
    }
    b.tidy();
    Ok(reached)
}

/// The instance that a variable belongs to.
pub(crate) fn instance(variable: &str) -> &str {
    variable.rfind('.').map_or("", |dot| &variable[..dot])
}

/// Pairs of instances of which one has a say in the other, and what is in no pair.
fn groups(system: &System, relation: &Relation) -> Vec<Group> {
    let places = &system.encoding.places;
    let mut instances: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    let mut home = vec![""; places.len()];
    for (id, var) in relation.vars.enumerate().filter(|(_, var)| var.role != RelationRole::Input) {
        home[id.index()] = instance(&var.name);
        instances.entry(home[id.index()]).or_default().insert(id.index());
    }
    let mut owners = vec![None; system.encoding.bits as usize];
    for (var, place) in places.iter().enumerate().filter(|(_, place)| place.role != RelationRole::Input) {
        for bit in place.current.iter().chain(&place.next) {
            owners[*bit as usize] = Some(home[var]);
        }
    }
    let mut pairs: BTreeSet<(&str, &str)> = BTreeSet::new();
    for bits in system.transition.supports(&system.b) {
        let homes: BTreeSet<&str> = bits.into_iter().filter_map(|bit| owners[bit as usize]).collect();
        pairs.extend(homes.iter().flat_map(|a| homes.iter().filter(move |b| a < b).map(move |b| (*a, *b))));
    }
    let paired: BTreeSet<&str> = pairs.iter().flat_map(|(a, b)| [*a, *b]).collect();
    let alone = instances.keys().filter(|name| !paired.contains(*name)).map(|name| (*name, *name));
    let mut groups = Vec::new();
    for (a, b) in pairs.iter().copied().chain(alone) {
        let vars: BTreeSet<usize> = instances[a].union(&instances[b]).copied().collect();
        let bits: usize = vars.iter().map(|var| places[*var].current.len()).sum();
        if bits <= MOST_BITS {
            let view = View::new(system, |var: VarId| vars.contains(&var.index()));
            groups.push(Group { vars, view, known: None, due: true });
        }
    }
    groups
}
