//! Invariant checking, layer by layer: forward from the initial states, backward from the targets, or from both sides,
//! the side with the smaller diagram first.
//!
//! Invariant: layer i of a side holds the states at distance exactly i, and no way from an initial state to a target is
//! shorter than both numbers of steps together. So when the last layers of both sides meet, a state they share lies on a
//! shortest way, and if one side has no further layer, there is none.
//!
//! Steps that cost nothing stay in their layer: it is closed under them, ring by ring, so that ways through it are known.

use crate::Direction;
use crate::approximate;
use crate::bdd::{Bdd, Bdds, Made};
use crate::count;
use crate::system::System;
use crate::trace::Path;
use beeline_ir::limits::StopReason;

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
    /// Of each layer: what the one before leads to, and then what is first reached by one more step of no cost each.
    rings: Vec<Vec<Bdd>>,
    reached: Bdd,
    /// Some set between the last layer and all that is reached: what it leads to is the next layer, or not new.
    frontier: Bdd,
}

impl Side {
    /// Without any layer.
    fn new(b: &Bdds) -> Self {
        Self { layers: Vec::new(), rings: Vec::new(), reached: b.no(), frontier: b.no() }
    }
    /// With one layer, whatever leads to it.
    fn start(&mut self, layer: &Bdd) {
        self.layers.push(layer.clone());
        self.rings.push(vec![layer.clone()]);
        (self.reached, self.frontier) = (layer.clone(), layer.clone());
    }
    fn last(&self) -> &Bdd {
        &self.layers[self.layers.len() - 1]
    }
    fn ring(&self, layer: usize, state: &Bdd, b: &Bdds) -> Made<usize> {
        Ok(b.meeting(&self.rings[layer], state)?.map_or(0, |(at, _)| at))
    }
}

/// How a search ends.
pub(crate) enum End {
    /// With a shortest way; and if there are any, sets with levels that show that none is shorter.
    Found(Path, Option<Vec<(u32, Bdd)>>),
    /// The target is out of reach; here is a set that holds every reachable state, and nothing but what is harmless.
    Closed(Bdd),
}

impl<'s> Search<'s> {
    pub fn new(system: &'s System, chaining: bool) -> Self {
        let (forward, backward) = (Side::new(&system.b), Side::new(&system.b));
        Self { system, forward, backward, space: system.space.clone(), chaining, images: 0 }
    }
    /// No run is shorter.
    pub fn lower_bound(&self) -> u32 {
        (self.forward.layers.len() + self.backward.layers.len()).saturating_sub(2) as u32
    }
    /// Searches on from where it was stopped. Auto and guided search are others' business: here they are forward.
    pub fn run(&mut self, direction: Direction) -> Made<End> {
        loop {
            if let Some(end) = self.run_for(u64::MAX, direction)? {
                return Ok(end);
            }
        }
    }
    /// The same, with a pause after the layer at which so many nodes were made.
    pub fn run_for(&mut self, nodes: u64, direction: Direction) -> Made<Option<End>> {
        let System { b, init, target, .. } = self.system;
        let direction = match direction {
            Direction::Auto | Direction::Guided => Direction::Forward,
            other => other,
        };
        let pause = b.made().saturating_add(nodes);
        if b.is_no(init) {
            return Ok(Some(End::Closed(b.no())));
        }
        if self.backward.layers.is_empty() {
            if direction == Direction::Backward {
                self.space = approximate::invariant(self.system)?;
            }
            let target = b.and(target, &self.space)?;
            if b.is_no(&target) && direction != Direction::Forward {
                return Ok(Some(End::Closed(self.space.clone())));
            }
            match direction {
                // Nobody looks back from there.
                Direction::Forward => self.backward.start(&target),
                _ => self.add_layer(false, target)?,
            }
        }
        if self.forward.layers.is_empty() {
            if self.chaining
                && direction == Direction::Forward
                && let Some(reached) = self.chained()?
            {
                return self.closed(reached).map(Some);
            }
            self.add_layer(true, init.clone())?;
        }
        loop {
            let meeting = b.and(self.forward.last(), self.backward.last())?;
            if !b.is_no(&meeting) {
                let levels = self.backward.layers.len() == 1;
                let layers = self.forward.layers[..self.forward.layers.len() - 1].iter().cloned();
                let levels = levels.then(|| (0..).zip(layers).collect());
                return Ok(Some(End::Found(self.path(&meeting)?, levels)));
            }
            if b.made() >= pause {
                return Ok(None);
            }
            let forward = match direction {
                Direction::Backward => false,
                Direction::Bidirectional => b.size(self.forward.last()) <= b.size(self.backward.last()),
                _ => true,
            };
            if !self.extend(forward)? {
                let end = match forward {
                    true => self.closed(self.forward.reached.clone())?,
                    false => End::Closed(b.minus(&self.space, &self.backward.reached)?),
                };
                return Ok(Some(end));
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
        let System { b, target, init, .. } = self.system;
        let steps = || self.system.steps();
        if steps().map(|steps| steps.parts().len()).sum::<usize>() == 1 {
            return Ok(None);
        }
        let mut reached = init.clone();
        loop {
            let before = reached.clone();
            for steps in steps() {
                for part in steps.parts() {
                    let image = steps.inside(&part.image(&reached, b)?, b)?;
                    reached = b.or(&reached, &image)?;
                    self.images += 1;
                }
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
        self.add_layer(forward, new)?;
        Ok(true)
    }
    /// Adds a layer to a side, closed under steps of no cost.
    fn add_layer(&mut self, forward: bool, entry: Bdd) -> Made<()> {
        let System { b, at_no_cost, .. } = self.system;
        let side = if forward { &mut self.forward } else { &mut self.backward };
        let (mut layer, mut reached) = (entry.clone(), b.or(&side.reached, &entry)?);
        let mut rings = vec![entry];
        while let (Some(free), Some(last)) = (at_no_cost, rings.last()) {
            let image = match forward {
                true => free.image(last, b)?,
                false => b.and(&free.preimage(last, b)?, &self.space)?,
            };
            self.images += 1;
            let new = b.minus(&image, &reached)?;
            b.tidy();
            if b.is_no(&new) {
                break;
            }
            (layer, reached) = (b.or(&layer, &new)?, b.or(&reached, &new)?);
            rings.push(new);
        }
        count::check(self.system, &reached)?;
        // Of all that is reached, much has been computed before; and it may have the simpler diagram.
        let all = b.size(&reached) < 2 * b.size(&layer);
        side.frontier = if all { reached.clone() } else { layer.clone() };
        side.layers.push(layer);
        side.rings.push(rings);
        side.reached = reached;
        Ok(())
    }
    /// A way through a state at which the last layers meet: back through one side, on through the other, always by the
    /// least state.
    fn path(&self, meeting: &Bdd) -> Made<Path> {
        let state = self.system.least(meeting)?;
        let mut path = Path { states: vec![state], costs: Vec::new() };
        self.follow(&self.forward, true, &mut path)?;
        path.states.reverse();
        path.costs.reverse();
        self.follow(&self.backward, false, &mut path)?;
        Ok(path)
    }
    /// Goes on through the layers of a side to where they begin.
    fn follow(&self, side: &Side, forward: bool, path: &mut Path) -> Made<()> {
        let System { b, transition, at_no_cost, .. } = self.system;
        let mut layer = side.layers.len() - 1;
        loop {
            let here = b.literals(&path.states[path.states.len() - 1].current)?;
            let ring = side.ring(layer, &here, b)?;
            let (by, among, costs) = match (ring, at_no_cost) {
                (1.., Some(free)) => (free, &side.rings[layer][ring - 1], false),
                _ if layer == 0 => return Ok(()),
                _ => (transition, &side.layers[layer - 1], true),
            };
            let reached = if forward { by.preimage(&here, b)? } else { by.image(&here, b)? };
            path.states.push(self.system.least(&b.and(&reached, among)?)?);
            path.costs.push(costs);
            layer -= usize::from(costs);
        }
    }
}
