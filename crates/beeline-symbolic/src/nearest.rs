//! The nearest of the parts of a target: each is approached by refinement of an abstraction of its own, and it is always the
//! turn of the part that may be nearest, by the lower bounds known so far. When that one has a run, none is shorter; when
//! all parts are out of reach, so is the target. Parts that are further away are never looked at more closely than that
//! takes.

use crate::bdd::Made;
use crate::cone::Deciders;
use crate::database::Layers;
use crate::invariants::Known;
use crate::parts;
use crate::refine::{Refined, Refinement};
use crate::search::End;
use crate::system::System;
use crate::trace::Path;
use beeline_ir::relation::Relation;
use std::rc::Rc;

/// Parts, and how far each of them is at least.
pub(crate) struct Nearest<'s> {
    system: &'s System,
    parts: Vec<Part<'s>>,
}

struct Part<'s> {
    refinement: Refinement<'s>,
    /// Nodes made for it.
    used: u64,
    /// It is out of reach.
    closed: bool,
}

/// What is known of the nearest part.
pub(crate) enum Answer {
    /// It has a shortest run, and this is its place.
    Found(Path, usize),
    /// All parts are out of reach.
    Closed,
    /// Refinement has come to an end without an answer.
    Open,
}

impl<'s> Nearest<'s> {
    pub fn new(system: &'s System, relation: &Relation, known: &Rc<Known>) -> Made<Self> {
        let deciders = Deciders::new(system);
        let mut parts = Vec::new();
        for part in parts::parts(system, relation, known)? {
            let depths = deciders.depths(&part.asked);
            let refinement = Refinement::new(system, part, depths, known)?;
            parts.push(Part { refinement, used: 0, closed: false });
        }
        Ok(Self { system, parts })
    }
    /// How many parts there are.
    pub fn parts(&self) -> usize {
        self.parts.len()
    }
    /// Images and preimages made so far.
    pub fn images(&self) -> u64 {
        self.parts.iter().map(|part| part.refinement.images).sum()
    }
    /// No run is shorter.
    pub fn lower_bound(&self) -> u32 {
        let open = self.parts.iter().filter(|part| !part.closed);
        open.map(|part| part.refinement.lower_bound).min().unwrap_or(0)
    }
    /// Refines as far as the allowance goes.
    pub fn run(&mut self) -> Made<Answer> {
        loop {
            let place = |at: &usize| (self.parts[*at].refinement.lower_bound, self.parts[*at].used);
            let mut open: Vec<usize> = (0..self.parts.len()).filter(|at| !self.parts[*at].closed).collect();
            open.sort_by_key(place);
            let Some(at) = open.first().copied() else { return Ok(Answer::Closed) };
            let next = open.get(1).map_or(u32::MAX, |next| self.parts[*next].refinement.lower_bound);
            let part = &mut self.parts[at];
            let before = self.system.b.made();
            let refined = part.refinement.run(next);
            part.used += self.system.b.made() - before;
            match refined? {
                Refined::Found(path) => return Ok(Answer::Found(path, at)),
                Refined::Closed => part.closed = true,
                Refined::Further => {}
                Refined::Open => return Ok(Answer::Open),
            }
        }
    }
    /// The layers around a part that tell most, and the number of databases that were made for them.
    pub fn layers(&self, at: usize) -> Made<Option<(&Layers, u32)>> {
        let refinement = &self.parts[at].refinement;
        Ok(refinement.layers()?.map(|layers| (layers, refinement.rounds)))
    }
    /// The part with the database that sees most.
    pub fn widest(&self) -> Made<Option<usize>> {
        let mut widest = (0, None);
        for at in 0..self.parts.len() {
            let seen = self.layers(at)?.map_or(0, |(layers, _)| layers.view.seen.len());
            if seen >= widest.0 {
                widest = (seen, Some(at));
            }
        }
        Ok(widest.1)
    }
    /// Layers around all parts, or those that may be in reach.
    pub fn together(&self, closed: bool) -> Made<Option<Layers>> {
        let parts = self.parts.iter().filter(|part| closed || !part.closed);
        let mut all = Vec::new();
        for part in parts {
            match part.refinement.layers()? {
                Some(layers) => all.push(layers),
                None => return Ok(None),
            }
        }
        Layers::nearest(&all, self.system)
    }
    /// An answer about all parts, from one about those that are not out of reach by what is known here.
    pub fn with_closed(&self, end: End) -> Made<End> {
        let End::Closed(mut set) = end else { return Ok(end) };
        for part in self.parts.iter().filter(|part| part.closed) {
            if let Some(layers) = part.refinement.layers()?
                && let Some(harmless) = layers.harmless(self.system)?
            {
                set = self.system.b.and(&set, &harmless)?;
            }
        }
        Ok(End::Closed(set))
    }
}
