//! Abstraction refined by counterexamples (Clarke, Grumberg, Jha, Lu and Veith, CAV 2000), to choose what a pattern
//! database sees: at first the variables of the property; as long as the shortest runs of the abstract system are none
//! of the system, also the variables whose absence lets them go on where they get stuck.
//!
//! If the abstract system has no run to a target, neither has the system. If one of its shortest runs is a run of the
//! system, it is a shortest one there: abstract distances are lower bounds.

use crate::bdd::{Bdd, Made};
use crate::cone;
use crate::database::{Database, View};
use crate::system::{State, System};
use crate::trace::Path;
use beeline_ir::VarId;
use beeline_ir::relation::RelationRole;
use rustc_hash::FxHashSet;

/// What refinement leads to.
pub(crate) enum Refined {
    /// A set that no step leaves, with the initial states, without targets.
    Closed(Bdd),
    /// A shortest run.
    Found(Path),
    /// Nothing, within the allowance.
    Open,
}

enum Attempt {
    End(Refined),
    /// The shortest abstract runs are none of the system; these variables would tell.
    Spurious(Vec<VarId>),
}

/// A refinement, which can be taken up again when it was given up for want of allowance.
pub(crate) struct Refinement<'s> {
    system: &'s System,
    known: Vec<Bdd>,
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
    /// With sets that are known to hold all reachable states.
    pub fn new(system: &'s System, known: Vec<Bdd>) -> Self {
        let depths = cone::depths(system);
        let view = View::new(system, cone::within(&depths, 0));
        let (current, best) = (None, None);
        Self { system, known, depths, view, current, best, images: 0, rounds: 0, lower_bound: 0 }
    }
    /// From now on, with sets that are known to hold all reachable states.
    pub fn know(&mut self, known: Vec<Bdd>) {
        (self.known, self.current) = (known, None);
    }
    /// The last database whose runs are none of the system.
    pub fn best(&mut self) -> Option<&mut Database> {
        self.best.as_mut()
    }
    /// The database that knows most, if there is any: its last layer meets the initial states, or it is complete, or cut
    /// off. Cut off, a finer one may know less.
    pub fn into_database(self) -> Option<Database> {
        let known =
            |database: &Option<Database>| database.as_ref().map_or(0, |database| database.layers.len());
        if known(&self.current) > known(&self.best) { self.current } else { self.best }
    }
    /// Refines as far as the allowance goes.
    pub fn run(&mut self) -> Made<Refined> {
        loop {
            let mut database = match self.current.take() {
                Some(database) => database,
                None => {
                    self.rounds += 1;
                    Database::new(self.system, self.view.clone(), &self.known)?
                }
            };
            let attempt = self.attempt(&mut database);
            let database = self.current.insert(database);
            match attempt? {
                Attempt::End(end) => return Ok(end),
                Attempt::Spurious(more) => {
                    let seen: FxHashSet<VarId> = database.view.seen.iter().copied().chain(more).collect();
                    self.view = View::new(self.system, |var| seen.contains(&var));
                    self.best = self.current.take();
                }
            }
        }
    }
    /// Fills a database up to the initial states, and looks for a run of the system along its layers.
    fn attempt(&mut self, database: &mut Database) -> Made<Attempt> {
        let system = self.system;
        let System { b, transition, init, target, space, .. } = system;
        while b.is_no(&b.and(init, &database.layers[database.layers.len() - 1])?) {
            if database.complete {
                let closed = database.harmless(system)?.map_or(Refined::Open, Refined::Closed);
                return Ok(Attempt::End(closed));
            }
            self.lower_bound = self.lower_bound.max(database.layers.len() as u32);
            database.extend(system)?;
            self.images += 1;
        }
        let Some((first, inner)) = database.layers.split_last() else {
            return Ok(Attempt::End(Refined::Open));
        };
        let mut slices = vec![b.and(init, first)?];
        // No other steps lead to a lower layer.
        let (steps, _) = transition.changing(|bit| database.view.sees(bit));
        for layer in inner.iter().rev() {
            let stuck = &slices[slices.len() - 1];
            let slice = b.and(&transition.image_by(&steps, stuck, b)?, layer)?;
            self.images += 1;
            b.tidy();
            if b.is_no(&slice) {
                let onward = b.and(&transition.preimage_by(&steps, layer, b)?, space)?;
                self.images += 1;
                return telling_apart(system, stuck, &onward, &database.view, &self.depths);
            }
            slices.push(slice);
        }
        let reached = &slices[slices.len() - 1];
        let hit = b.and(reached, target)?;
        if b.is_no(&hit) {
            return telling_apart(system, reached, target, &database.view, &self.depths);
        }
        slices.pop();
        slices.push(hit);
        Ok(Attempt::End(Refined::Found(run_through(system, &slices)?)))
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
) -> Made<Attempt> {
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
    // None, if the abstract steps are coarser than need be: constraints on states that read inputs are left out there.
    Ok(if telling.is_empty() { Attempt::End(Refined::Open) } else { Attempt::Spurious(telling) })
}

/// A set without what it says of some variables.
fn forget(system: &System, set: &Bdd, vars: &[VarId]) -> Made<Bdd> {
    let bits = vars.iter().flat_map(|var| system.encoding.places[var.index()].current.iter().copied());
    system.b.exists(set, &system.b.cube(&bits.collect::<Vec<_>>())?)
}

/// A run with a state of each of these sets, of which each holds states that lead to all of the next.
fn run_through(system: &System, slices: &[Bdd]) -> Made<Path> {
    let System { b, transition, .. } = system;
    let mut states: Vec<State> = Vec::new();
    for slice in slices.iter().rev() {
        let from = match states.last() {
            Some(state) => b.and(&transition.preimage(&b.literals(&state.current)?, b)?, slice)?,
            None => slice.clone(),
        };
        states.push(system.least(&from)?);
    }
    states.reverse();
    Ok(Path::through(states))
}
