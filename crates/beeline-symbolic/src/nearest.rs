//! The nearest of the parts of a target: it is always the turn of the part that may be nearest, by the lower bounds known so
//! far. First those of its factors are made better, which other parts have, too; then it is approached by refinement of
//! an abstraction of its own, which sees at least what those of its factors do. When it has a run, none is shorter; when
//! all parts are out of reach, so is the target. Parts that are further away are never looked at more closely than that
//! takes.

use crate::bdd::Made;
use crate::cone::Deciders;
use crate::database::Layers;
use crate::factors::{Estimate, Factors};
use crate::invariants::Known;
use crate::parts;
use crate::refine::{Refined, Refinement};
use crate::search::End;
use crate::system::System;
use crate::trace::Path;
use std::rc::Rc;

/// Parts, and how far each of them is at least.
pub(crate) struct Nearest<'s> {
    system: &'s System,
    known: Rc<Known>,
    deciders: Deciders,
    factors: Factors<'s>,
    parts: Vec<Part<'s>>,
}

struct Part<'s> {
    wanted: parts::Part,
    /// By its factors.
    estimate: Estimate,
    /// By itself, if that was tried.
    refinement: Option<Refinement<'s>>,
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

impl Part<'_> {
    /// No run to it is shorter.
    fn bound(&self) -> u32 {
        let own = self.refinement.as_ref().map_or(0, |refinement| refinement.lower_bound);
        self.estimate.bound.max(own)
    }
    /// The layers around it that tell most.
    fn layers(&self, system: &System) -> Made<Option<Layers>> {
        let own = self.refinement.as_ref().map(|refinement| refinement.layers()).transpose()?.flatten();
        match own {
            Some(own) if own.bound(system)? >= self.estimate.bound => Ok(Some(own.clone())),
            _ => self.estimate.layers(system),
        }
    }
}

impl<'s> Nearest<'s> {
    pub fn new(system: &'s System, known: &Rc<Known>) -> Made<Self> {
        let (deciders, mut factors) = (Deciders::new(system), Factors::new(system));
        let mut parts = Vec::new();
        for wanted in parts::parts(system, known)? {
            let estimate = factors.estimate(&wanted, &deciders, known)?;
            parts.push(Part { wanted, estimate, refinement: None, used: 0, closed: false });
        }
        Ok(Self { system, known: known.clone(), deciders, factors, parts })
    }
    /// How many parts there are.
    pub fn parts(&self) -> usize {
        self.parts.len()
    }
    /// Images and preimages made so far.
    pub fn images(&self) -> u64 {
        let own = self.parts.iter().filter_map(|part| part.refinement.as_ref());
        self.factors.images() + own.map(|refinement| refinement.images).sum::<u64>()
    }
    /// No run is shorter.
    pub fn lower_bound(&self) -> u32 {
        let open = self.parts.iter().filter(|part| !part.closed);
        open.map(Part::bound).min().unwrap_or(0)
    }
    /// Refines as far as the allowance goes, with a pause where a bound has become better and so many nodes were made.
    pub fn run_for(&mut self, nodes: u64) -> Made<Option<Answer>> {
        let pause = self.system.b.made().saturating_add(nodes);
        while self.system.b.made() < pause {
            let promising = |part: &Part<'_>| self.factors.promising(&part.estimate, part.used);
            let open = (0..self.parts.len()).filter(|at| !self.parts[*at].closed);
            let mut open: Vec<(u32, bool, u64, usize)> = open
                .map(|at| {
                    let part = &self.parts[at];
                    (part.bound(), promising(part).is_none(), part.used, at)
                })
                .collect();
            open.sort_unstable();
            let Some((.., at)) = open.first().copied() else { return Ok(Some(Answer::Closed)) };
            if self.parts[at].estimate.is_stale() {
                let part = &mut self.parts[at];
                self.factors.refresh(&mut part.estimate)?;
                part.closed = part.estimate.bound == u32::MAX;
                continue;
            }
            if let Some(factor) = promising(&self.parts[at]) {
                self.factors.refine(factor)?;
                self.parts.iter_mut().for_each(|part| part.estimate.note(factor));
                continue;
            }
            let next = open.get(1).map_or(u32::MAX, |(bound, ..)| *bound);
            let before = self.system.b.made();
            let refined = self.refine(at, next);
            let part = &mut self.parts[at];
            part.used += self.system.b.made() - before;
            match refined? {
                Refined::Found(path) => return Ok(Some(Answer::Found(path, at))),
                Refined::Closed => part.closed = true,
                Refined::Further => {}
                Refined::Open => return Ok(Some(Answer::Open)),
            }
        }
        Ok(None)
    }
    /// Refines the abstraction of a part itself, until it is known to be further away than this.
    fn refine(&mut self, at: usize, bound: u32) -> Made<Refined> {
        let Part { wanted, estimate, refinement, .. } = &mut self.parts[at];
        let refinement = match refinement {
            Some(refinement) => refinement,
            none => {
                let depths = self.deciders.depths(&wanted.asked);
                let own = Refinement::new(self.system, wanted.clone(), depths, &self.known)?;
                none.insert(own.seeing(&estimate.seen().collect(), estimate.bound))
            }
        };
        refinement.run(bound)
    }
    /// The layers around a part that tell most, and the number of databases that were made for them.
    pub fn layers(&self, at: usize) -> Made<Option<(Layers, u32)>> {
        let part = &self.parts[at];
        let rounds = part.refinement.as_ref().map_or(0, |refinement| refinement.rounds);
        Ok(part.layers(self.system)?.map(|layers| (layers, rounds)))
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
            match part.layers(self.system)? {
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
            if let Some(layers) = part.layers(self.system)?
                && let Some(harmless) = layers.harmless(self.system)?
            {
                set = self.system.b.and(&set, &harmless)?;
            }
        }
        Ok(End::Closed(set))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bdd::Bdd;
    use crate::database::Distance;
    use crate::guided::Guided;
    use crate::invariants;
    use crate::order;
    use crate::transition::Partitioning;
    use beeline_ir::limits::Limits;
    use beeline_testkit::generate::circuit::circuit;
    use beeline_testkit::random::Random;

    /// Every target is at distance 0, a step takes off one at most, and none leads from where there is no way to a way.
    fn is_consistent(layers: &Layers, system: &System, all: &Bdd) -> Made<bool> {
        let b = &system.b;
        let targets = layers.split(&b.and(all, &system.target)?, 0, system)?;
        let mut right = targets.iter().all(|(distance, _)| *distance == Distance::Steps(0));
        for (distance, piece) in layers.split(all, 0, system)? {
            let image = b.and(&system.transition.image(&piece, b)?, all)?;
            for (next, _) in layers.split(&image, 0, system)? {
                right &= match (distance, next) {
                    (Distance::Infinite, next) => next == Distance::Infinite,
                    (Distance::Steps(_), Distance::Infinite) => true,
                    (Distance::Steps(steps), Distance::Steps(next)) => steps <= next + 1,
                };
            }
        }
        Ok(right)
    }

    /// What A* shows about the parts that may be in reach is a proof together with what is known of the others.
    fn is_proof(nearest: &Nearest<'_>, system: &System) -> Made<bool> {
        let b = &system.b;
        let databases: Vec<Layers> = nearest.together(false)?.into_iter().collect();
        let mut guided = Guided::new(system, databases);
        guided.start()?;
        let End::Closed(set) = nearest.with_closed(guided.run()?)? else { return Ok(true) };
        let outside = b.or(&system.init, &system.transition.image(&set, b)?)?;
        let outside = b.minus(&outside, &set)?;
        Ok(b.is_no(&outside) && b.is_no(&b.and(&set, &system.target)?))
    }

    /// Wherever the work is interrupted, the layers around all parts are consistent and show the lower bound. Half made
    /// databases, of a part or of its factors, tell less than finished ones before them: once the bound was one of
    /// these, and the layers were the others'.
    #[test]
    fn layers_show_the_bound_whenever_the_work_is_interrupted() -> Made<()> {
        let (mut interrupted, mut summed, mut proofs) = (0, 0, 0);
        for seed in 0..150 {
            let text = circuit(Random::new(seed));
            let relation = beeline_smv::read(&text, "circuit.smv").expect("a circuit").relation;
            for property in &relation.properties {
                let partitioning = Partitioning { cluster: 1_000, split: true };
                let order = order::force(&relation);
                let system = System::new(&relation, property, order, partitioning, &Limits::default());
                let system = system.expect("a system");
                // Without that, more parts are out of reach.
                let nodes = if seed % 2 == 0 { 100_000 } else { 0 };
                let known = Rc::new(Known::new(invariants::find(&system, nodes)?, &system)?);
                let all =
                    known.sets.iter().try_fold(system.space.clone(), |all, set| system.b.and(&all, set))?;
                let mut nearest = Nearest::new(&system, &known)?;
                // Allowances are looked at every so often, and do with what was computed before.
                for nodes in (0..).map(|turn| 5 * (turn + seed)) {
                    let answer = system.b.within(nodes, None, || nearest.run_for(u64::MAX))?.flatten();
                    if let Some(layers) = nearest.together(true)? {
                        assert!(is_consistent(&layers, &system, &all)?, "seed {seed}, {:?}", property.text);
                        let (shown, said) = (layers.bound(&system)?, nearest.lower_bound());
                        assert!(shown >= said, "seed {seed}, {:?}: {shown}, not {said}", property.text);
                        summed += usize::from(nearest.parts.iter().any(|part| part.estimate.bound > 1));
                    }
                    if matches!(answer, Some(Answer::Closed)) && nearest.parts.len() > 1 {
                        // As if that were not known of the last part.
                        nearest.parts.last_mut().expect("a part").closed = false;
                        assert!(is_proof(&nearest, &system)?, "seed {seed}, {:?}", property.text);
                        proofs += 1;
                    }
                    if answer.is_some() {
                        break;
                    }
                    interrupted += 1;
                }
            }
        }
        assert!(interrupted > 100 && summed > 200 && proofs > 2, "{interrupted}, {summed}, {proofs}");
        Ok(())
    }
}
