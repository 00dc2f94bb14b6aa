//! Symbolic pattern databases (Edelkamp, AIPS 2002; P4, Definition 3): a diagram for each distance from the targets, in the
//! system as seen by some of its variables.
//!
//! Hidden variables may have any value before and after every step, so a step of the system is one of the abstract
//! system, and distances there are lower bounds here. A database may be cut off after layer N: what is in none of its
//! layers is at least N + 1 steps away. Distances are consistent, cut off or not: a step takes off at most one.

use crate::bdd::{Bdd, Bit, Made};
use crate::invariants::Known;
use crate::system::System;
use crate::transition::{PartSet, Steps};
use beeline_ir::VarId;
use beeline_ir::relation::RelationRole;
use std::rc::Rc;

/// Nodes that what is known of all states may have together, as a database sees it.
const MOST_NODES: usize = 20_000;

/// Variables of states, each seen or hidden.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct View {
    pub seen: Vec<VarId>,
    /// Current bits, ascending.
    pub hidden: Vec<Bit>,
}

impl View {
    /// Some variables of states are seen.
    pub fn new(system: &System, sees: impl Fn(VarId) -> bool) -> Self {
        let (mut seen, mut hidden) = (Vec::new(), Vec::new());
        for (var, place) in system.encoding.places.iter().enumerate() {
            match place.role {
                RelationRole::Input => {}
                _ if sees(VarId::new(var)) => seen.push(VarId::new(var)),
                _ => hidden.extend(&place.current),
            }
        }
        hidden.sort_unstable();
        Self { seen, hidden }
    }
    /// What either of them sees.
    pub fn with(&self, other: &Self) -> Self {
        let mut seen: Vec<VarId> = self.seen.iter().chain(&other.seen).copied().collect();
        seen.sort_unstable();
        seen.dedup();
        let hidden = self.hidden.iter().filter(|bit| !other.sees(**bit));
        Self { seen, hidden: hidden.copied().collect() }
    }
    /// Whether a current bit is seen.
    pub fn sees(&self, current: Bit) -> bool {
        self.hidden.binary_search(&current).is_err()
    }
    /// The steps that may change what is seen.
    pub fn steps(&self, system: &System) -> PartSet {
        system.transition.changing(|bit| self.sees(bit)).0
    }
    /// All states that look like one of these.
    pub fn blur(&self, set: &Bdd, system: &System) -> Made<Bdd> {
        system.b.exists(set, &system.b.cube(&self.hidden)?)
    }
}

/// A database that is being made.
pub(crate) struct Database {
    steps: Steps,
    /// Those that do not count.
    free: Option<Steps>,
    space: Bdd,
    /// Of each layer: what one that counts leads from, and then what leads there by one more of no cost each.
    pub rings: Vec<Vec<Bdd>>,
    pub layers: Layers,
}

/// Layers around some targets.
#[derive(Clone)]
pub(crate) struct Layers {
    pub view: View,
    known: Rc<Known>,
    /// By distance; there is one at least.
    pub sets: Vec<Bdd>,
    /// What is in any of them.
    reached: Bdd,
    /// There are no further layers.
    pub complete: bool,
}

/// How far a set is from the targets, at least.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Distance {
    Steps(u32),
    /// Never there.
    Infinite,
}

impl Database {
    /// With the first layer, of targets that are not known to be out of reach.
    pub fn new(system: &System, view: View, targets: &Bdd, known: &Rc<Known>) -> Made<Self> {
        Self::counting(system, view, targets, known, &PartSet::default())
    }
    /// The same, where some of the steps do not count.
    pub fn counting(
        system: &System,
        view: View,
        targets: &Bdd,
        known: &Rc<Known>,
        free: &PartSet,
    ) -> Made<Self> {
        let b = &system.b;
        let (free, steps) = view.steps(system).divide(free);
        let seen = |steps: &PartSet| system.transition.hiding(steps, &view.hidden, &system.space_parts, b);
        let steps = seen(&steps)?;
        let mut free = if free.is_empty() { None } else { Some(seen(&free)?) };
        if let Some(at_no_cost) = &system.at_no_cost {
            let (changing, _) = at_no_cost.changing(|bit| view.sees(bit));
            let steps = at_no_cost.hiding(&changing, &view.hidden, &system.space_parts, b)?;
            free = Some(match free {
                Some(free) => free.or(steps),
                None => steps,
            });
        }
        let mut space = view.blur(&system.space, system)?;
        for known in &known.sets {
            let smaller = b.and(&space, &view.blur(known, system)?)?;
            if b.size(&smaller) <= MOST_NODES {
                space = smaller;
            }
        }
        let target = b.and(&view.blur(targets, system)?, &space)?;
        let (complete, known) = (b.is_no(&target), known.clone());
        let layers = Layers { view, known, sets: Vec::new(), reached: b.no(), complete };
        let mut database = Self { steps, free, space, rings: Vec::new(), layers };
        database.add(target, system)?;
        Ok(database)
    }
    /// Adds a layer, with what leads there by steps that do not count.
    fn add(&mut self, layer: Bdd, system: &System) -> Made<()> {
        let b = &system.b;
        let (mut all, mut reached) = (layer.clone(), b.or(&self.layers.reached, &layer)?);
        let mut rings = vec![layer];
        while let (Some(free), Some(last)) = (&self.free, rings.last()) {
            let before = b.and(&free.preimage(last, b)?, &self.space)?;
            let new = b.minus(&before, &reached)?;
            if b.is_no(&new) {
                break;
            }
            (all, reached) = (b.or(&all, &new)?, b.or(&reached, &new)?);
            rings.push(new);
        }
        self.rings.push(rings);
        self.layers.sets.push(all);
        self.layers.reached = reached;
        Ok(())
    }
    /// One more layer, if there is one.
    pub fn extend(&mut self, system: &System) -> Made<()> {
        let b = &system.b;
        let last = &self.layers.sets[self.layers.sets.len() - 1];
        let before = b.and(&self.steps.preimage(last, b)?, &self.space)?;
        let new = b.minus(&before, &self.layers.reached)?;
        b.tidy();
        if b.is_no(&new) {
            self.layers.complete = true;
            return Ok(());
        }
        self.add(new, system)
    }
    /// More layers, until one has initial states, or there are no more.
    pub fn reach(&mut self, system: &System) -> Made<()> {
        while !self.layers.complete
            && let Some(last) = self.layers.sets.last()
            && system.b.is_no(&system.b.and(&system.init, last)?)
        {
            self.extend(system)?;
        }
        Ok(())
    }
    /// All layers.
    pub fn fill(&mut self, system: &System) -> Made<()> {
        while !self.layers.complete {
            self.extend(system)?;
        }
        Ok(())
    }
}

impl Layers {
    /// Around the targets of all of these: the least distance counts.
    pub fn nearest(all: &[Layers], system: &System) -> Made<Option<Self>> {
        let b = &system.b;
        let Some((first, others)) = all.split_first() else { return Ok(None) };
        // Nothing is known of what is beyond the last layer of one that was cut off.
        let cut = all.iter().filter(|layers| !layers.complete).map(|layers| layers.sets.len()).min();
        let most = all.iter().map(|layers| layers.sets.len()).max().unwrap_or(0);
        let (mut sets, mut reached) = (Vec::new(), b.no());
        for distance in 0..cut.unwrap_or(most) {
            let there = all.iter().filter_map(|layers| layers.sets.get(distance));
            let set = there.into_iter().try_fold(b.no(), |set, layer| b.or(&set, layer))?;
            let set = b.minus(&set, &reached)?;
            reached = b.or(&reached, &set)?;
            sets.push(set);
            b.tidy();
        }
        let view = others.iter().fold(first.view.clone(), |view, other| view.with(&other.view));
        Ok(Some(Self { view, known: first.known.clone(), sets, reached, complete: cut.is_none() }))
    }
    /// Around what both have layers around, by the sum of distances. No step may change what both see.
    pub fn plus(&self, other: &Self, system: &System) -> Made<Self> {
        let b = &system.b;
        let (ones, others) = (self.classes(system)?, other.classes(system)?);
        let mut sets = vec![b.no(); ones.len() + others.len() - 1];
        for (near, one) in ones.iter().enumerate() {
            for (far, other) in others.iter().enumerate() {
                let set = &mut sets[near + far];
                *set = b.or(set, &b.and(one, other)?)?;
            }
            b.tidy();
        }
        let reached = sets.iter().try_fold(b.no(), |all, set| b.or(&all, set))?;
        // What is in no class of one of them never gets there.
        let (view, known) = (self.view.with(&other.view), self.known.clone());
        Ok(Self { view, known, sets, reached, complete: true })
    }
    /// The layers and, if they were cut off, all that is beyond.
    fn classes(&self, system: &System) -> Made<Vec<Bdd>> {
        let mut classes = self.sets.clone();
        if !self.complete {
            classes.push(system.b.minus(&system.space, &self.reached)?);
        }
        Ok(classes)
    }
    /// The distance of the initial states, at least.
    pub fn bound(&self, system: &System) -> Made<u32> {
        for (distance, layer) in (0..).zip(&self.sets) {
            if !system.b.is_no(&system.b.and(&system.init, layer)?) {
                return Ok(distance);
            }
        }
        Ok(if self.complete { u32::MAX } else { self.sets.len() as u32 })
    }
    /// The parts of a set at each distance, none of them less than `least`.
    pub fn split(&self, set: &Bdd, least: u32, system: &System) -> Made<Vec<(Distance, Bdd)>> {
        let b = &system.b;
        let (mut pieces, mut rest) = (Vec::new(), set.clone());
        // Layers are disjoint, so their order does not matter. Few are much further away than the least.
        for (distance, layer) in self.sets.iter().enumerate().skip(least as usize) {
            if b.is_no(&rest) {
                break;
            }
            let piece = b.and(&rest, layer)?;
            if !b.is_no(&piece) {
                rest = b.minus(&rest, layer)?;
                pieces.push((Distance::Steps(distance as u32), piece));
            }
        }
        if !b.is_no(&rest) {
            let beyond = Distance::Steps(self.sets.len() as u32);
            pieces.push((if self.complete { Distance::Infinite } else { beyond }, rest));
        }
        Ok(pieces)
    }
    /// Sets with levels that show, together with what was expanded before, that no run is shorter than this.
    pub fn levels(&self, length: u32, system: &System) -> Made<Vec<(u32, Bdd)>> {
        let layers = (0..).zip(&self.sets).skip(1);
        let levels = layers.map(|(distance, layer)| (length.saturating_sub(distance), layer.clone()));
        let mut levels: Vec<(u32, Bdd)> = levels.collect();
        let beyond = if self.complete { 0 } else { length.saturating_sub(self.sets.len() as u32) };
        levels.push((beyond, system.b.minus(&system.space, &self.reached)?));
        levels.retain(|(level, _)| *level < length);
        // What looks like a state of a layer may be none, and then may look like a target.
        let possible = |(level, set)| Ok((level, self.possible(system.b.and(&set, &system.space)?, system)?));
        levels.into_iter().map(possible).collect()
    }
    /// The states that never lead to a target, as far as is known here: a set that no step leaves.
    pub fn harmless(&self, system: &System) -> Made<Option<Bdd>> {
        if !self.complete {
            return Ok(None);
        }
        self.possible(system.b.minus(&system.space, &self.reached)?, system).map(Some)
    }
    /// Of a set, what is not known to be out of reach.
    fn possible(&self, set: Bdd, system: &System) -> Made<Bdd> {
        self.known.sets.iter().try_fold(set, |set, known| system.b.and(&set, known))
    }
}
