//! Invariant checking, layer by layer: forward from the initial states, backward from the targets, or from both sides,
//! the side with the smaller diagram first.
//!
//! Invariant: layer i of a side holds the states at distance exactly i, and no way from an initial state to a target is
//! shorter than both numbers of steps together. So when the last layers of both sides meet, a state they share lies on a
//! shortest way, and if one side has no further layer, there is none.

use crate::Direction;
use crate::approximate;
use crate::bdd::{Bdd, Made};
use crate::system::{State, System};
use beeline_ir::limits::StopReason;
use beeline_ir::trace::{RelationRun, RelationStep};

/// The layers of both sides.
pub(crate) struct Search<'s> {
    system: &'s System,
    forward: Side,
    backward: Side,
    /// What backward search stays inside of: all reachable states are.
    space: Bdd,
    /// Whether lengths do not matter as long as no target is found.
    chaining: bool,
    /// Images and preimages made; when chaining, those of parts of the steps.
    pub images: u64,
}

struct Side {
    layers: Vec<Bdd>,
    reached: Bdd,
    /// Some set between the last layer and all that is reached: what it leads to is the next layer, or not new.
    frontier: Bdd,
}

impl Side {
    fn new(start: &Bdd) -> Self {
        Self { layers: vec![start.clone()], reached: start.clone(), frontier: start.clone() }
    }
    fn last(&self) -> &Bdd {
        &self.layers[self.layers.len() - 1]
    }
}

/// How a search ends.
pub(crate) enum End {
    /// With a shortest run.
    Found(RelationRun),
    /// The target is out of reach; here is a set that holds every reachable state, and nothing but what is harmless.
    Closed(Bdd),
}

impl<'s> Search<'s> {
    pub fn new(system: &'s System, chaining: bool) -> Self {
        let (forward, backward) = (Side::new(&system.init), Side::new(&system.target));
        Self { system, forward, backward, space: system.space.clone(), chaining, images: 0 }
    }
    /// No run is shorter.
    pub fn lower_bound(&self) -> u32 {
        (self.forward.layers.len() + self.backward.layers.len() - 2) as u32
    }
    /// The states at each distance from the initial ones, as far as they are known.
    pub fn layers(&self) -> &[Bdd] {
        &self.forward.layers
    }
    pub fn run(&mut self, direction: Direction) -> Made<End> {
        let System { b, init, target, .. } = self.system;
        // A shortest run, an inductive set: neither says where the property has a value. Only all reachable states do.
        let direction = if b.is_no(&self.system.unclear) { direction } else { Direction::Forward };
        if b.is_no(init) {
            return Ok(End::Closed(b.no()));
        }
        if direction == Direction::Backward {
            self.space = approximate::invariant(self.system)?;
            self.backward = Side::new(&b.and(target, &self.space)?);
        }
        if b.is_no(self.backward.last()) && direction != Direction::Forward {
            return Ok(End::Closed(self.space.clone()));
        }
        if self.chaining
            && direction == Direction::Forward
            && let Some(reached) = self.chained()?
        {
            return self.closed(reached);
        }
        loop {
            let meeting = b.and(self.forward.last(), self.backward.last())?;
            if !b.is_no(&meeting) {
                return Ok(End::Found(self.trace(&meeting)?));
            }
            let forward = match direction {
                Direction::Forward => true,
                Direction::Backward => false,
                Direction::Bidirectional => b.size(self.forward.last()) <= b.size(self.backward.last()),
            };
            if !self.extend(forward)? {
                return match forward {
                    true => self.closed(self.forward.reached.clone()),
                    false => Ok(End::Closed(b.minus(&self.space, &self.backward.reached)?)),
                };
            }
        }
    }
    /// These are all reachable states, and no targets.
    fn closed(&self, reached: Bdd) -> Made<End> {
        let b = &self.system.b;
        let clear = b.is_no(&b.and(&reached, &self.system.unclear)?);
        if clear { Ok(End::Closed(reached)) } else { Err(StopReason::PropertyFails) }
    }
    /// All reachable states, by chaining (Roig, Cortadella and Pastor, ATPN 1995): each part of the steps begins with all
    /// that those before it have reached. Distances are lost, so nothing is said if there is a target among them, or if
    /// there is one part only.
    fn chained(&mut self) -> Made<Option<Bdd>> {
        let System { b, transition, target, init, .. } = self.system;
        if transition.parts().len() == 1 {
            return Ok(None);
        }
        let mut reached = init.clone();
        loop {
            let before = reached.clone();
            for part in transition.parts() {
                reached = b.or(&reached, &part.image(&reached, b)?)?;
                self.images += 1;
            }
            if !b.is_no(&b.and(&reached, target)?) {
                return Ok(None);
            }
            if reached == before {
                return Ok(Some(reached));
            }
        }
    }
    /// One more layer on a side; false if there is none.
    fn extend(&mut self, forward: bool) -> Made<bool> {
        let System { b, transition, .. } = self.system;
        let side = if forward { &mut self.forward } else { &mut self.backward };
        let image = match forward {
            true => transition.image(&side.frontier, b)?,
            false => b.and(&transition.preimage(&side.frontier, b)?, &self.space)?,
        };
        self.images += 1;
        let new = b.minus(&image, &side.reached)?;
        b.tidy();
        if b.is_no(&new) {
            return Ok(false);
        }
        side.reached = b.or(&side.reached, &new)?;
        // Of all that is reached, much has been computed before; and it may have the simpler diagram.
        let all = b.size(&side.reached) < 2 * b.size(&new);
        side.frontier = if all { side.reached.clone() } else { new.clone() };
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
        let step = |pair: &[State]| -> Made<RelationStep> {
            let inputs = self.system.least_inputs(&pair[0], &pair[1])?;
            Ok(RelationStep { inputs, state: pair[1].values.clone() })
        };
        let steps = states.windows(2).map(step).collect::<Made<_>>()?;
        Ok(RelationRun { initial: states[0].values.clone(), steps })
    }
}
