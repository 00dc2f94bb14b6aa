//! Abstraction refined by counterexamples (Clarke, Grumberg, Jha, Lu and Veith, CAV 2000), to choose what a pattern
//! database sees: at first the variables of the property; as long as the shortest runs of the abstract system are none
//! of the system, also the variables whose absence lets them go on where they get stuck.
//!
//! If the abstract system has no run to a target, neither has the system. If one of its shortest runs is a run of the
//! system, it is a shortest one there: abstract distances are lower bounds.

use crate::bdd::{Bdd, Bit, Made};
use crate::database::{Database, Layers, View};
use crate::invariants::Known;
use crate::parts::Part;
use crate::system::{State, System};
use crate::trace::Path;
use crate::transition::PartSet;
use beeline_ir::VarId;
use beeline_ir::relation::RelationRole;
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// What refinement leads to.
pub(crate) enum Refined {
    /// The targets are out of reach: the layers around them are complete, without initial states.
    Closed,
    /// A shortest run.
    Found(Path),
    /// The targets are further away than was asked for.
    Further,
    /// Nothing: there is no more to see.
    Open,
}

enum Attempt {
    End(Refined),
    /// The shortest abstract runs are none of the system; these variables would tell.
    Spurious(Vec<VarId>),
}

/// A refinement for some of the targets, which can be taken up again when it was given up for want of allowance.
pub(crate) struct Refinement<'s> {
    system: &'s System,
    known: Rc<Known>,
    target: Bdd,
    /// Of these, what is not known to be out of reach.
    possible: Bdd,
    depths: Vec<Option<u32>>,
    view: View,
    /// Being filled.
    current: Option<Database>,
    /// The last one whose runs were found to be none of the system.
    best: Option<Database>,
    /// Images and preimages.
    pub images: u64,
    /// Databases made.
    pub rounds: u32,
    /// No run is shorter.
    pub lower_bound: u32,
}

impl<'s> Refinement<'s> {
    /// With the depths of all variables below the part.
    pub fn new(system: &'s System, part: Part, depths: Vec<Option<u32>>, known: &Rc<Known>) -> Made<Self> {
        let Part { target, asked, .. } = part;
        let view = View::new(system, |var| asked.contains(&var));
        let possible = system.b.and(&target, &known.together)?;
        let (known, current, best) = (known.clone(), None, None);
        let (images, rounds, lower_bound) = (0, 0, 0);
        Ok(Self { system, known, target, possible, depths, view, current, best, images, rounds, lower_bound })
    }
    /// Beginning with more variables to see, and a bound that is known already.
    pub fn seeing(mut self, more: &FxHashSet<VarId>, lower_bound: u32) -> Self {
        let asked: FxHashSet<VarId> = self.view.seen.iter().copied().collect();
        self.view = View::new(self.system, |var| asked.contains(&var) || more.contains(&var));
        self.lower_bound = lower_bound;
        self
    }
    /// A database of the same targets with another view, up to the initial states, where some steps do not count.
    pub fn counting(&self, view: View, free: &PartSet) -> Made<Layers> {
        let mut database = Database::counting(self.system, view, &self.possible, &self.known, free)?;
        database.reach(self.system)?;
        Ok(database.layers)
    }
    /// Whether the current database tells as much of the initial states as the one before. They are in the last of its
    /// layers, or these are complete, or cut off; cut off, those of a finer database may tell less.
    fn tells_most(&self) -> Made<bool> {
        let bound = |database: &Option<Database>| {
            database.as_ref().map(|database| database.layers.bound(self.system)).transpose()
        };
        Ok(bound(&self.current)? >= bound(&self.best)?)
    }
    /// The layers that tell most, if there are any.
    pub fn layers(&self) -> Made<Option<&Layers>> {
        let database = if self.tells_most()? { &self.current } else { &self.best };
        Ok(database.as_ref().map(|database| &database.layers))
    }
    /// The database that tells most, if there is any.
    pub fn into_database(self) -> Made<Option<Database>> {
        Ok(if self.tells_most()? { self.current } else { self.best })
    }
    /// Refines as far as the allowance goes, or until it is known that runs are longer than this.
    pub fn run(&mut self, bound: u32) -> Made<Refined> {
        loop {
            let mut database = match self.current.take() {
                Some(database) => database,
                None => {
                    let database =
                        Database::new(self.system, self.view.clone(), &self.possible, &self.known)?;
                    self.rounds += 1;
                    database
                }
            };
            let attempt = self.attempt(&mut database, bound);
            let database = self.current.insert(database);
            match attempt? {
                Attempt::End(end) => return Ok(end),
                Attempt::Spurious(more) => {
                    let seen = &database.layers.view.seen;
                    let seen: FxHashSet<VarId> = seen.iter().copied().chain(more).collect();
                    self.view = View::new(self.system, |var| seen.contains(&var));
                    self.best = self.current.take();
                }
            }
        }
    }
    /// Fills a database up to the initial states, and looks for a run of the system along its layers.
    fn attempt(&mut self, database: &mut Database, bound: u32) -> Made<Attempt> {
        let (system, target) = (self.system, &self.target);
        let System { b, transition, init, space, .. } = system;
        while let Some(last) = database.layers.sets.last()
            && b.is_no(&b.and(init, last)?)
        {
            if database.layers.complete {
                return Ok(Attempt::End(Refined::Closed));
            }
            self.lower_bound = self.lower_bound.max(database.layers.sets.len() as u32);
            if self.lower_bound > bound {
                return Ok(Attempt::End(Refined::Further));
            }
            database.extend(system)?;
            self.images += 1;
        }
        let Layers { sets, view, .. } = &database.layers;
        let Some((first, inner)) = sets.split_last() else {
            return Ok(Attempt::End(Refined::Open));
        };
        // No other steps lead to a lower layer; what they have nothing to do with stays as it is.
        let (steps, _) = transition.changing(|bit| view.sees(bit));
        let mut touched: FxHashSet<Bit> = transition.touched(&steps, b).into_iter().collect();
        touched.extend(b.support(target));
        touched.extend(b.support(first));
        let stored = system.encoding.stored().flat_map(|place| place.current.iter().copied());
        let idle = b.cube(&stored.filter(|bit| !touched.contains(bit)).collect::<Vec<Bit>>())?;
        let mut slices = vec![b.and(&b.exists(init, &idle)?, first)?];
        let mut more = Vec::new();
        for layer in inner.iter().rev() {
            let slice = &slices[slices.len() - 1];
            let mut next = b.and(&transition.image_by(&steps, slice, b)?, layer)?;
            self.images += 1;
            b.tidy();
            if b.is_no(&next) {
                let onward = b.and(&transition.preimage_by(&steps, layer, b)?, space)?;
                let telling = telling_apart(system, slice, &onward, view, &self.depths)?;
                if telling.is_empty() {
                    break;
                }
                // From here on as if they had the values it takes.
                let other = b.and(&forget(system, slice, &telling)?, &onward)?;
                next = b.and(&transition.image_by(&steps, &other, b)?, layer)?;
                more.extend(telling);
                self.images += 2;
            }
            slices.push(next);
        }
        let reached = &slices[slices.len() - 1];
        let hit = b.and(reached, target)?;
        if b.is_no(&hit) {
            more.extend(telling_apart(system, reached, target, view, &self.depths)?);
        } else if more.is_empty() {
            slices.pop();
            slices.push(hit);
            return Ok(Attempt::End(Refined::Found(self.run_through(slices, &steps)?)));
        }
        // None, if the abstract steps are coarser than need be: constraints on states that read inputs are left out there.
        Ok(if more.is_empty() { Attempt::End(Refined::Open) } else { Attempt::Spurious(more) })
    }
    /// A run with a state of each of these sets, of which each holds states that lead to all of the next, but for what the
    /// steps have nothing to do with.
    fn run_through(&self, mut slices: Vec<Bdd>, steps: &PartSet) -> Made<Path> {
        let System { b, transition, init, .. } = self.system;
        for at in (1..slices.len()).rev() {
            let before = transition.preimage_by(steps, &slices[at], b)?;
            slices[at - 1] = b.and(&slices[at - 1], &before)?;
        }
        let mut states: Vec<State> = Vec::new();
        for slice in &slices {
            let next = match states.last() {
                Some(state) => transition.image_by(steps, &b.literals(&state.current)?, b)?,
                None => init.clone(),
            };
            states.push(self.system.least(&b.and(&next, slice)?)?);
        }
        Ok(Path::through(states))
    }
}

/// The hidden variables, no more than necessary, that tell the states of one set from those of another. They have none in
/// common.
fn telling_apart(
    system: &System,
    stuck: &Bdd,
    onward: &Bdd,
    view: &View,
    depths: &[Option<u32>],
) -> Made<Vec<VarId>> {
    let b = &system.b;
    let seen: FxHashSet<VarId> = view.seen.iter().copied().collect();
    let places = system.encoding.places.iter().enumerate();
    let mut hidden: Vec<VarId> = places
        .filter(|(var, place)| place.role != RelationRole::Input && !seen.contains(&VarId::new(*var)))
        .map(|(var, _)| VarId::new(var))
        .collect();
    let (mut stuck, mut onward) = (stuck.clone(), onward.clone());
    // What only one of them depends on does not tell.
    for _ in 0..2 {
        let support = b.support(&onward);
        let depends = |var: &VarId| {
            system.encoding.places[var.index()].current.iter().any(|bit| support.binary_search(bit).is_ok())
        };
        let idle: Vec<VarId> = hidden.iter().filter(|var| !depends(var)).copied().collect();
        hidden.retain(depends);
        stuck = forget(system, &stuck, &idle)?;
        std::mem::swap(&mut stuck, &mut onward);
    }
    // The deepest are the first to go.
    hidden.sort_by_key(|var| std::cmp::Reverse((depths[var.index()].unwrap_or(u32::MAX), var.index())));
    let mut telling = Vec::new();
    for var in hidden {
        let fewer = [forget(system, &stuck, &[var])?, forget(system, &onward, &[var])?];
        if b.is_no(&b.and(&fewer[0], &fewer[1])?) {
            [stuck, onward] = fewer;
        } else {
            telling.push(var);
        }
    }
    Ok(telling)
}

/// A set without what it says of some variables.
fn forget(system: &System, set: &Bdd, vars: &[VarId]) -> Made<Bdd> {
    let bits = vars.iter().flat_map(|var| system.encoding.places[var.index()].current.iter().copied());
    system.b.exists(set, &system.b.cube(&bits.collect::<Vec<_>>())?)
}
