//! Lower bounds that add up (disjoint pattern databases: Korf and Felner, Artificial Intelligence 2002). A part of a target
//! that is about several instances has a factor for each of them, and each factor an abstraction of its own. If each
//! step counts for one of the factors at most, a step takes off one from the sum of the distances at most, and the sum is a
//! lower bound. "No two of n users" has a part for each pair, but only n factors.
//!
//! A step that changes what two abstractions see counts for the factor that is further away; for the other one, there is
//! a database where it costs nothing (cost partitioning: Katz and Domshlak, ICAPS 2008). A part keeps the layers that have
//! shown its bound.

use crate::bdd::Made;
use crate::cone::Deciders;
use crate::database::{Layers, View};
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
    /// The layers that tell most, once there are some.
    told: Option<Told>,
    /// Nodes made for it.
    used: u64,
    /// Its distance is known, or there is no more to see.
    done: bool,
}

/// What a factor says.
#[derive(Clone)]
struct Told {
    layers: Rc<Layers>,
    /// The distance of the initial states, at least.
    bound: u32,
    /// The steps that change what is seen.
    steps: PartSet,
}

/// What factors say of a part.
#[derive(Default)]
pub(crate) struct Estimate {
    factors: Vec<usize>,
    /// Layers whose distances add up.
    told: Vec<Rc<Layers>>,
    /// No run to the part is shorter; `u32::MAX` if there is none.
    pub bound: u32,
    /// Some factor says more than it did.
    stale: bool,
}

impl<'s> Factors<'s> {
    pub fn new(system: &'s System) -> Self {
        Self { system, all: Vec::new() }
    }
    /// What is known of a part in the beginning: nothing.
    pub fn estimate(&mut self, part: &Part, deciders: &Deciders, known: &Rc<Known>) -> Made<Estimate> {
        let (mut factors, mut taken) = (Vec::new(), PartSet::default());
        for factor in &part.factors {
            let steps = View::new(self.system, |var| factor.asked.contains(&var)).steps(self.system);
            if !steps.divide(&taken).0.is_empty() {
                // All move at once: nothing will add up.
                return Ok(Estimate::default());
            }
            taken.add(&steps);
            let place = self.all.iter().position(|other| other.part == *factor);
            factors.push(place.unwrap_or(self.all.len()));
            if place.is_none() {
                let depths = deciders.depths(&factor.asked);
                let refinement = Refinement::new(self.system, factor.clone(), depths, known)?;
                let (part, told, used, done) = (factor.clone(), None, 0, false);
                self.all.push(Factor { part, refinement, told, used, done });
            }
        }
        Ok(Estimate { factors, ..Estimate::default() })
    }
    /// Images and preimages made so far.
    pub fn images(&self) -> u64 {
        self.all.iter().map(|factor| factor.refinement.images).sum()
    }
    /// The factor that may tell more of a part which has used up so many nodes, the one that has cost least so far.
    pub fn promising(&self, estimate: &Estimate, used: u64) -> Option<usize> {
        let open = estimate.factors.iter().copied().filter(|at| !self.all[*at].done);
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
            let (bound, steps) = (layers.bound(self.system)?, layers.view.steps(self.system));
            factor.told = Some(Told { layers: Rc::new(layers.clone()), bound, steps });
        }
        Ok(())
    }
    /// Takes over what factors say now.
    pub fn refresh(&self, estimate: &mut Estimate) -> Made<()> {
        let told = estimate.factors.iter().map(|at| Some((&self.all[*at], self.all[*at].told.as_ref()?)));
        let mut told: Vec<(&Factor<'_>, &Told)> = told.flatten().collect();
        told.sort_by_key(|(_, told)| std::cmp::Reverse(told.bound));
        let (mut bound, mut layers, mut taken) = (0_u32, Vec::new(), PartSet::default());
        for (factor, told) in told {
            let (shared, own) = told.steps.divide(&taken);
            let mut of_factor = told.layers.clone();
            if !shared.is_empty() {
                of_factor = Rc::new(factor.refinement.counting(told.layers.view.clone(), &taken)?);
            }
            let distance = of_factor.bound(self.system)?;
            if distance == u32::MAX {
                *estimate = Estimate { told: vec![of_factor], bound: u32::MAX, ..Estimate::default() };
                return Ok(());
            }
            bound = bound.saturating_add(distance);
            layers.push(of_factor);
            taken.add(&own);
        }
        estimate.stale = false;
        if bound >= estimate.bound {
            (estimate.told, estimate.bound) = (layers, bound);
        }
        Ok(())
    }
}

impl Estimate {
    /// Notes that a factor may say more than it did.
    pub fn note(&mut self, factor: usize) {
        self.stale |= self.factors.contains(&factor);
    }
    pub fn is_stale(&self) -> bool {
        self.stale
    }
    /// The layers that show the bound, if there is one.
    pub fn layers(&self, system: &System) -> Made<Option<Layers>> {
        match &self.told[..] {
            [] => Ok(None),
            [first, others @ ..] => {
                let first = Layers::clone(first);
                others.iter().try_fold(first, |sum, other| sum.plus(other, system)).map(Some)
            }
        }
    }
    /// The variables that the factors see.
    pub fn seen(&self) -> impl Iterator<Item = VarId> {
        self.told.iter().flat_map(|layers| layers.view.seen.iter().copied())
    }
}
