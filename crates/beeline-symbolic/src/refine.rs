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
        let (system, target) = (self.system, &self.target.clone());
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
        let Database { layers: Layers { sets, view, .. }, rings, .. } = &*database;
        let Some(first) = sets.last() else { return Ok(Attempt::End(Refined::Open)) };
        // No other steps that count lead to a lower layer; what they have nothing to do with stays as it is.
        let (steps, _) = transition.changing(|bit| view.sees(bit));
        let mut entry = b.and(&self.start(&steps, first)?, first)?;
        let (mut slices, mut more) = (Vec::new(), Vec::new());
        for at in (0..sets.len()).rev() {
            let mut slice = self.among(entry, &sets[at])?;
            let inner = at.checked_sub(1).map(|inner| &sets[inner]);
            entry = loop {
                let next = match inner {
                    Some(inner) => {
                        self.images += 1;
                        b.and(&transition.image_by(&steps, &slice, b)?, inner)?
                    }
                    None => b.and(&slice, target)?,
                };
                b.tidy();
                if !b.is_no(&next) {
                    break next;
                }
                // Stuck, in the innermost ring that it gets to.
                let (place, here) = b.meeting(&rings[at], &slice)?.unwrap_or((0, slice.clone()));
                let free = system.at_no_cost.as_ref().filter(|_| place > 0);
                let onward = match (free, inner) {
                    (Some(free), _) => b.and(&free.preimage(&rings[at][place - 1], b)?, space)?,
                    (None, Some(inner)) => b.and(&transition.preimage_by(&steps, inner, b)?, space)?,
                    (None, None) => target.clone(),
                };
                self.images += 2;
                let telling = telling_apart(system, &here, &onward, view, &self.depths)?;
                if telling.is_empty() {
                    // The abstract steps are coarser than need be: constraints on states that read inputs, or on the
                    // next states of networks, are left out there.
                    more.extend(telling_apart(system, &here, target, view, &self.depths)?);
                    let open = Attempt::End(Refined::Open);
                    return Ok(if more.is_empty() { open } else { Attempt::Spurious(more) });
                }
                // From here on as if they had the values it takes.
                let other = b.and(&forget(system, &here, &telling)?, &onward)?;
                more.extend(telling);
                match (free, inner) {
                    (Some(free), _) => {
                        let inside = b.and(&free.image(&other, b)?, &sets[at])?;
                        let wider = self.among(b.or(&slice, &inside)?, &sets[at])?;
                        if wider == slice {
                            // Where it shall go on, constraints on next states that the abstract steps leave out hold it up.
                            return Ok(Attempt::Spurious(more));
                        }
                        slice = wider;
                    }
                    (None, Some(inner)) => break b.and(&transition.image_by(&steps, &other, b)?, inner)?,
                    (None, None) => break other,
                }
            };
            slices.push(slice);
        }
        if !more.is_empty() {
            return Ok(Attempt::Spurious(more));
        }
        Ok(Attempt::End(Refined::Found(self.run_through(&slices, entry, &steps)?)))
    }
    /// The initial states, without what these steps have nothing to do with.
    fn start(&self, steps: &PartSet, first: &Bdd) -> Made<Bdd> {
        let System { b, transition, init, .. } = self.system;
        if transition.is_bounded() {
            // Everything has to do with the invariants of a network.
            return Ok(init.clone());
        }
        let mut touched: FxHashSet<Bit> = transition.touched(steps, b).into_iter().collect();
        touched.extend(b.support(&self.target));
        touched.extend(b.support(first));
        let stored = self.system.encoding.stored().flat_map(|place| place.current.iter().copied());
        b.exists(init, &b.cube(&stored.filter(|bit| !touched.contains(bit)).collect::<Vec<Bit>>())?)
    }
    /// With all that steps of no cost lead to within a layer.
    fn among(&mut self, entry: Bdd, layer: &Bdd) -> Made<Bdd> {
        let System { b, at_no_cost, .. } = self.system;
        let (mut all, mut last) = (entry.clone(), entry);
        while let Some(free) = at_no_cost.as_ref().filter(|_| !b.is_no(&last)) {
            last = b.minus(&b.and(&free.image(&last, b)?, layer)?, &all)?;
            all = b.or(&all, &last)?;
            self.images += 1;
        }
        Ok(all)
    }
    /// A run through these sets, each closed under steps of no cost, to some states of the last: each state of a set is led
    /// to by one of the set before, but for what the steps have nothing to do with.
    fn run_through(&self, slices: &[Bdd], hit: Bdd, steps: &PartSet) -> Made<Path> {
        let System { b, transition, at_no_cost, init, .. } = self.system;
        // What leads on, backward from there; of each set, first what leads to the next at once.
        let (mut ways, mut exit) = (Vec::new(), hit);
        for (at, slice) in slices.iter().enumerate().rev() {
            let mut rings = vec![b.and(&exit, slice)?];
            exit = rings[0].clone();
            while let (Some(free), Some(last)) = (at_no_cost, rings.last()) {
                let before = b.minus(&b.and(&free.preimage(last, b)?, slice)?, &exit)?;
                if b.is_no(&before) {
                    break;
                }
                exit = b.or(&exit, &before)?;
                rings.push(before);
            }
            ways.push(rings);
            if at > 0 {
                exit = transition.preimage_by(steps, &exit, b)?;
            }
        }
        let mut path = Path { states: Vec::new(), costs: Vec::new() };
        for rings in ways.iter().rev() {
            let mut from = match path.states.last() {
                Some(State { current, .. }) => {
                    path.costs.push(true);
                    transition.image_by(steps, &b.literals(current)?, b)?
                }
                None => init.clone(),
            };
            // From the innermost ring there is a way into, ring by ring.
            let Some((mut place, mut here)) = b.meeting(rings, &from)? else { break };
            loop {
                let state = self.system.least(&here)?;
                if let Some(free) = at_no_cost.as_ref().filter(|_| place > 0) {
                    from = free.image(&b.literals(&state.current)?, b)?;
                }
                path.states.push(state);
                if place == 0 {
                    break;
                }
                place -= 1;
                here = b.and(&from, &rings[place])?;
                path.costs.push(false);
            }
        }
        Ok(path)
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
