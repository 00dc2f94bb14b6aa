//! Lower bounds that add up (disjoint pattern databases: Korf and Felner, Artificial Intelligence 2002). A part of a target
//! that is about several instances has a factor for each of them, and each factor an abstraction of its own. As long as
//! no step changes what two of these see, a step takes off one from the distance of one factor at most, so the sum of
//! the distances is a lower bound. "No two of n users" has a part for each pair, but only n factors.
//!
//! Refinement makes abstractions see more, and at some time the same. A part keeps the layers that its factors had before
//! then, so that there are layers that show its bound.

use crate::bdd::Made;
use crate::cone::Deciders;
use crate::database::Layers;
use crate::invariants::Known;
use crate::parts::Part;
use crate::refine::{Refined, Refinement};
use crate::system::System;
use crate::transition::PartSet;
use beeline_ir::VarId;
use std::rc::Rc;

/// Nodes that a factor may use up, whatever the part it is refined for has used up itself.
const FACTOR_NODES: u64 = 200_000;

/// The factors of all parts.
pub(crate) struct Factors<'s> {
    system: &'s System,
    all: Vec<Factor<'s>>,
}

struct Factor<'s> {
    part: Part,
    refinement: Refinement<'s>,
    /// The layers that tell most, and the steps that change what they see.
    told: Option<Rc<(Layers, PartSet)>>,
    /// Nodes made for it.
    used: u64,
    /// Its distance is known, or there is no more to see.
    done: bool,
}

/// What factors say of a part.
#[derive(Default)]
pub(crate) struct Estimate {
    /// The factors that are refined for it: none, if they do not add up any more.
    refined: Vec<usize>,
    /// Of each factor, or of one that is out of reach.
    told: Vec<Rc<(Layers, PartSet)>>,
    /// No run to the part is shorter; `u32::MAX` if there is none.
    pub bound: u32,
}

impl<'s> Factors<'s> {
    pub fn new(system: &'s System) -> Self {
        Self { system, all: Vec::new() }
    }
    /// What is known of a part in the beginning: nothing.
    pub fn estimate(&mut self, part: &Part, deciders: &Deciders, known: &Rc<Known>) -> Made<Estimate> {
        let mut refined = Vec::new();
        for factor in &part.factors {
            let place = self.all.iter().position(|other| other.part == *factor);
            refined.push(place.unwrap_or(self.all.len()));
            if place.is_none() {
                let depths = deciders.depths(&factor.asked);
                let refinement = Refinement::new(self.system, factor.clone(), depths, known)?;
                let (part, told, used, done) = (factor.clone(), None, 0, false);
                self.all.push(Factor { part, refinement, told, used, done });
            }
        }
        Ok(Estimate { refined, ..Estimate::default() })
    }
    /// Images and preimages made so far.
    pub fn images(&self) -> u64 {
        self.all.iter().map(|factor| factor.refinement.images).sum()
    }
    /// The factor that may tell more of a part which has used up so many nodes, the one that has cost least so far.
    pub fn promising(&self, estimate: &Estimate, used: u64) -> Option<usize> {
        let open = estimate.refined.iter().copied().filter(|at| !self.all[*at].done);
        let least = open.min_by_key(|at| self.all[*at].used)?;
        (self.all[least].used <= used.max(FACTOR_NODES)).then_some(least)
    }
    /// Refines a factor until it is known to be further away, or not.
    pub fn refine(&mut self, at: usize) -> Made<()> {
        let factor = &mut self.all[at];
        let before = self.system.b.made();
        let refined = factor.refinement.run(factor.refinement.lower_bound);
        factor.used += self.system.b.made() - before;
        factor.done = !matches!(refined?, Refined::Further);
        if let Some(layers) = factor.refinement.layers()? {
            let (steps, _) = self.system.transition.changing(|bit| layers.view.sees(bit));
            factor.told = Some(Rc::new((layers.clone(), steps)));
        }
        Ok(())
    }
    /// Takes over what a factor says now.
    pub fn update(&self, estimate: &mut Estimate, at: usize) -> Made<()> {
        if !estimate.refined.contains(&at) {
            return Ok(());
        }
        let told: Option<Vec<_>> = estimate.refined.iter().map(|at| self.all[*at].told.clone()).collect();
        let mut bound = 0_u32;
        for told in estimate.refined.iter().filter_map(|at| self.all[*at].told.as_ref()) {
            let distance = told.0.bound(self.system)?;
            if distance == u32::MAX {
                *estimate = Estimate { refined: Vec::new(), told: vec![told.clone()], bound: distance };
                return Ok(());
            }
            bound = bound.saturating_add(distance);
        }
        let Some(told) = told else { return Ok(()) };
        let mut pairs = (1..told.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
        if pairs.all(|(a, b)| told[a].1.is_disjoint(&told[b].1)) {
            (estimate.told, estimate.bound) = (told, bound);
        } else {
            estimate.refined.clear();
        }
        Ok(())
    }
}

impl Estimate {
    /// The layers that show the bound, if there is one.
    pub fn layers(&self, system: &System) -> Made<Option<Layers>> {
        match &self.told[..] {
            [] => Ok(None),
            [first, others @ ..] => {
                let first = first.0.clone();
                others.iter().try_fold(first, |sum, told| sum.plus(&told.0, system)).map(Some)
            }
        }
    }
    /// The variables that the factors see.
    pub fn seen(&self) -> impl Iterator<Item = VarId> {
        self.told.iter().flat_map(|told| told.0.view.seen.iter().copied())
    }
}
