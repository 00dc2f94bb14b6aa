//! Invariant checking, layer by layer: forward from the initial states, backward from the targets, or from both sides,
//! the side with the smaller diagram first.
//!
//! Invariant: layer i of a side holds the states at distance exactly i, and no way from an initial state to a target is
//! shorter than both numbers of steps together. So when the last layers of both sides meet, a state they share lies on a
//! shortest way, and if one side has no further layer, there is none.

use crate::Direction;
use crate::bdd::{Bdd, Made};
use crate::system::System;
use crate::{count, trace};
use beeline_ir::limits::StopReason;
use beeline_ir::trace::RelationRun;

/// The layers of both sides.
pub(crate) struct Search<'s> {
    system: &'s System,
    forward: Side,
    backward: Side,
    /// Images and preimages made.
    pub images: u64,
}

struct Side {
    layers: Vec<Bdd>,
    reached: Bdd,
}

impl Side {
    fn new(start: &Bdd) -> Self {
        Self { layers: vec![start.clone()], reached: start.clone() }
    }
    fn last(&self) -> &Bdd {
        &self.layers[self.layers.len() - 1]
    }
}

/// How a search ends.
pub(crate) enum End {
    /// With a shortest run; and if there are any, sets with levels that show that none is shorter.
    Found(RelationRun, Option<Vec<(u32, Bdd)>>),
    /// The target is out of reach; here is a set that holds every reachable state, and nothing but what is harmless.
    Closed(Bdd),
}

impl<'s> Search<'s> {
    pub fn new(system: &'s System) -> Self {
        let (forward, backward) = (Side::new(&system.init), Side::new(&system.target));
        Self { system, forward, backward, images: 0 }
    }
    /// No run is shorter.
    pub fn lower_bound(&self) -> u32 {
        (self.forward.layers.len() + self.backward.layers.len() - 2) as u32
    }
    pub fn run(&mut self, direction: Direction) -> Made<End> {
        let System { b, init, target, space, .. } = self.system;
        if b.is_no(init) {
            return Ok(End::Closed(b.no()));
        }
        if b.is_no(target) && direction != Direction::Forward {
            return Ok(End::Closed(space.clone()));
        }
        loop {
            let meeting = b.and(self.forward.last(), self.backward.last())?;
            if !b.is_no(&meeting) {
                let levels = self.backward.layers.len() == 1;
                let layers = self.forward.layers[..self.forward.layers.len() - 1].iter().cloned();
                return Ok(End::Found(self.trace(&meeting)?, levels.then(|| (0..).zip(layers).collect())));
            }
            let forward = match direction {
                Direction::Auto | Direction::Forward | Direction::Guided => true,
                Direction::Backward => false,
                Direction::Bidirectional => b.size(self.forward.last()) <= b.size(self.backward.last()),
            };
            if !self.extend(forward)? {
                let reached = &self.forward.reached;
                if !b.is_no(&b.and(reached, &self.system.unclear)?) {
                    return Err(StopReason::PropertyFails);
                }
                return Ok(End::Closed(match forward {
                    true => reached.clone(),
                    false => b.minus(space, &self.backward.reached)?,
                }));
            }
        }
    }
    /// One more layer on a side; false if there is none.
    fn extend(&mut self, forward: bool) -> Made<bool> {
        let System { b, transition, space, .. } = self.system;
        let side = if forward { &mut self.forward } else { &mut self.backward };
        let image = match forward {
            true => transition.image(side.last(), b)?,
            false => b.and(&transition.preimage(side.last(), b)?, space)?,
        };
        self.images += 1;
        let new = b.minus(&image, &side.reached)?;
        b.tidy();
        if b.is_no(&new) {
            return Ok(false);
        }
        side.reached = b.or(&side.reached, &new)?;
        count::check(self.system, &side.reached)?;
        side.layers.push(new);
        Ok(true)
    }
    /// A run through a state at which the last layers meet: back through one side, on through the other, always by the
    /// least state.
    fn trace(&self, meeting: &Bdd) -> Made<RelationRun> {
        let System { b, transition, .. } = self.system;
        let mut states = vec![self.system.least(meeting)?];
        for layer in self.forward.layers.iter().rev().skip(1) {
            let before = transition.preimage(&b.literals(&states[states.len() - 1].current)?, b)?;
            states.push(self.system.least(&b.and(&before, layer)?)?);
        }
        states.reverse();
        for layer in self.backward.layers.iter().rev().skip(1) {
            let after = transition.image(&b.literals(&states[states.len() - 1].current)?, b)?;
            states.push(self.system.least(&b.and(&after, layer)?)?);
        }
        trace::run(self.system, &states)
    }
}
