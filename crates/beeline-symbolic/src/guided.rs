//! Guided invariant checking, GuidedInvarCheck of P4 (Qian and Nymeyer, TACAS 2004) with its mistakes repaired: A\* on sets
//! of states, split by the layers of symbolic pattern databases.
//!
//! The open list has a diagram for each pair of steps so far and steps still to go, at least; the pair with the least sum
//! comes first, of these the one with fewest to go. What was expanded before is taken out when its turn comes. It need
//! not be expanded again: estimates of a database are consistent, and so is the greatest of several, so the first time
//! is by fewest steps. States from which a database knows no way to the targets are dropped.
//!
//! Steps that cost nothing lead to places of the same number of steps so far, at once. Others that change nothing the
//! databases see do not change the estimate either: they lead from a sum to the next. So they are put off until it is the
//! turn of that sum, which may never come (as in partial expansion A\* of Yoshizumi, Miura and Ishida, AAAI 2000).

use crate::bdd::{Bdd, Made};
use crate::count;
use crate::database::{Distance, Layers};
use crate::search::End;
use crate::system::System;
use crate::trace::Path;
use crate::transition::PartSet;
use std::collections::BTreeMap;

/// A guided search.
pub(crate) struct Guided<'s> {
    system: &'s System,
    databases: Vec<Layers>,
    /// By steps in all and steps to go, at least.
    open: BTreeMap<(u32, u32), Bucket>,
    /// Steps that change what some database sees, and the others.
    telling: PartSet,
    idle: PartSet,
    closed: Bdd,
    /// What was expanded, by steps so far: the slices for the way back.
    slices: Vec<Vec<Bdd>>,
    /// Images made.
    pub images: u64,
    /// Whether states were dropped.
    pub dropped: bool,
    lower_bound: u32,
}

/// What is open at a place.
struct Bucket {
    states: Bdd,
    /// States, expanded before, whose idle steps lead here.
    before: Bdd,
}

impl<'s> Guided<'s> {
    pub fn new(system: &'s System, databases: Vec<Layers>) -> Self {
        let (open, slices, closed) = (BTreeMap::new(), Vec::new(), system.b.no());
        let sees = |bit| databases.iter().any(|database| database.view.sees(bit));
        // Without any, all steps are to be taken at once.
        let (telling, idle) = system.transition.changing(|bit| databases.is_empty() || sees(bit));
        let (images, dropped, lower_bound) = (0, false, 0);
        Self { system, databases, open, telling, idle, closed, slices, images, dropped, lower_bound }
    }
    /// No run is shorter.
    pub fn lower_bound(&self) -> u32 {
        self.lower_bound
    }
    /// The greatest estimate that holds for all initial states; `None` if it is infinite.
    pub fn start(&mut self) -> Made<Option<u32>> {
        self.queue(&self.system.init.clone(), 0, 0)?;
        let first = self.open.first_key_value().map(|((f, _), _)| *f);
        self.lower_bound = first.unwrap_or(0);
        Ok(first)
    }
    /// Searches on from where it was stopped: what is open stays open until it was expanded.
    pub fn run(&mut self) -> Made<End> {
        let System { b, transition, at_no_cost, target, unclear, .. } = self.system;
        debug_assert!(b.is_no(unclear), "then all reachable states have to be visited");
        while let Some((&(f, h), Bucket { states, before })) = self.open.first_key_value() {
            self.lower_bound = f;
            let g = f - h;
            let mut set = states.clone();
            if !b.is_no(before) {
                set = b.or(&set, &transition.image_by(&self.idle, before, b)?)?;
                self.images += 1;
            }
            let set = b.minus(&set, &self.closed)?;
            if b.is_no(&set) {
                self.open.remove(&(f, h));
                continue;
            }
            let found = b.and(&set, target)?;
            if !b.is_no(&found) {
                let run = self.way_to(&found, g as usize)?;
                return Ok(End::Found(run, Some(self.levels(g)?)));
            }
            let closed = b.or(&self.closed, &set)?;
            count::check(self.system, &closed)?;
            let image = transition.image_by(&self.telling, &set, b)?;
            self.images += 1;
            self.queue(&b.minus(&image, &closed)?, g + 1, h.saturating_sub(1))?;
            if let Some(free) = at_no_cost {
                let image = free.image(&set, b)?;
                self.images += 1;
                self.queue(&b.minus(&image, &closed)?, g, h)?;
            }
            if !self.idle.is_empty() {
                let bucket = self.bucket((f + 1, h));
                bucket.before = b.or(&bucket.before, &set)?;
            }
            // It is done. Steps of no cost may have led to the same place.
            self.bucket((f, h)).before = b.no();
            self.closed = closed;
            self.slices.resize_with(self.slices.len().max(g as usize + 1), Vec::new);
            self.slices[g as usize].push(set);
            b.tidy();
        }
        Ok(End::Closed(self.everything()?))
    }
    /// What is open there.
    fn bucket(&mut self, place: (u32, u32)) -> &mut Bucket {
        let no = &self.system.b;
        self.open.entry(place).or_insert_with(|| Bucket { states: no.no(), before: no.no() })
    }
    /// Splits a set by all databases, and puts the parts into the open list.
    fn queue(&mut self, set: &Bdd, g: u32, least: u32) -> Made<()> {
        let b = &self.system.b;
        // Of one database alone it is known that a step takes off at most one.
        let least = if self.databases.len() == 1 { least } else { 0 };
        let mut pieces = BTreeMap::from([(0, set.clone())]);
        for database in &self.databases {
            let mut split = BTreeMap::new();
            for (h, piece) in &pieces {
                for (distance, part) in database.split(piece, least, self.system)? {
                    let Distance::Steps(steps) = distance else {
                        self.dropped = true;
                        continue;
                    };
                    add(&mut split, steps.max(*h), part, self.system)?;
                }
            }
            pieces = split;
        }
        for (h, piece) in pieces {
            if !b.is_no(&piece) {
                let bucket = self.bucket((g.saturating_add(h), h));
                bucket.states = b.or(&bucket.states, &piece)?;
            }
        }
        Ok(())
    }
    /// A set that holds every reachable state, no target, and what its states lead to: what was expanded, and what the
    /// databases say is harmless.
    fn everything(&self) -> Made<Bdd> {
        let mut all = self.closed.clone();
        if self.dropped {
            for database in &self.databases {
                if let Some(harmless) = database.harmless(self.system)? {
                    all = self.system.b.or(&all, &harmless)?;
                }
            }
        }
        Ok(all)
    }
    /// What shows that no run is shorter than this: each expanded set at the level of its steps, and around the targets
    /// whatever is in a layer of a database at the level from which the steps of that layer remain.
    fn levels(&self, length: u32) -> Made<Vec<(u32, Bdd)>> {
        let slices = (0..).zip(&self.slices).take_while(|(level, _)| *level < length);
        let mut levels: Vec<(u32, Bdd)> =
            slices.flat_map(|(level, sets)| sets.iter().map(move |set| (level, set.clone()))).collect();
        for database in &self.databases {
            levels.extend(database.levels(length, self.system)?);
        }
        Ok(levels)
    }
    /// A run to the least of these states, which are so many steps away. Each state comes from one of those with a step
    /// less, or by a step of no cost from one that was expanded before it.
    fn way_to(&self, found: &Bdd, steps: usize) -> Made<Path> {
        let System { b, transition, at_no_cost, init, .. } = self.system;
        let mut path = Path { states: vec![self.system.least(found)?], costs: Vec::new() };
        let (mut g, mut place) = (steps, self.slices.get(steps).map_or(0, Vec::len));
        loop {
            let here = b.literals(&path.states[path.states.len() - 1].current)?;
            let from = match g.checked_sub(1) {
                Some(less) => b.meeting(&self.slices[less], &transition.preimage(&here, b)?)?,
                None if b.is_no(&b.minus(&here, init)?) => break,
                None => None,
            };
            let counts = from.is_some();
            let from = match (from, at_no_cost) {
                (None, Some(free)) => {
                    let expanded = self.slices.get(g).map_or(&[][..], |slices| &slices[..place]);
                    b.meeting(expanded, &free.preimage(&here, b)?)?
                }
                (from, _) => from,
            };
            let Some((at, from)) = from else { break };
            (g, place) = (g - usize::from(counts), at);
            path.states.push(self.system.least(&from)?);
            path.costs.push(counts);
        }
        path.states.reverse();
        path.costs.reverse();
        Ok(path)
    }
}

/// Puts a set to what is there already.
fn add<K: Ord>(sets: &mut BTreeMap<K, Bdd>, key: K, set: Bdd, system: &System) -> Made<()> {
    let whole = match sets.get(&key) {
        Some(there) => system.b.or(there, &set)?,
        None => set,
    };
    sets.insert(key, whole);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Direction;
    use crate::database::{Database, View};
    use crate::invariants::Known;
    use crate::order;
    use crate::search::Search;
    use crate::transition::Partitioning;
    use beeline_ir::limits::Limits;
    use beeline_testkit::generate::circuit::circuit;
    use beeline_testkit::random::Random;
    use std::rc::Rc;

    /// 0 - 1 - 2 - 3, and 3 is the error.
    const CHAIN: &str =
        "MODULE main\nVAR x : 0..3;\nASSIGN init(x) := 0; next(x) := min(x + 1, 3);\nINVARSPEC x < 3\n";

    fn chain() -> System {
        let relation = beeline_smv::read(CHAIN, "chain.smv").expect("a model").relation;
        let partitioning = Partitioning { cluster: 1_000, split: true };
        let order = order::force(&relation);
        System::new(&relation, &relation.properties[0], order, partitioning, &Limits::default())
            .expect("a system")
    }

    /// A database that sees everything, or nothing.
    fn database(system: &System, sees: bool) -> Made<Database> {
        let known = Rc::new(Known::new(Vec::new(), system)?);
        Database::new(system, View::new(system, |_| sees), &system.target, &known)
    }

    /// QueueImage as P4 prints it: the loop ends before layer 0 is looked at, and what is queued as infinite is the last
    /// intersection, not what is left. The sets queued, and whether an error was found.
    fn as_printed(system: &System, database: &Layers) -> Made<bool> {
        let System { b, transition, init, target, .. } = system;
        let mut queue = vec![(0_u32, 0_u32, init.clone())];
        let mut closed = b.no();
        while let Some(at) = (0..queue.len()).min_by_key(|at| queue[*at].0.saturating_add(queue[*at].1)) {
            let (g, _, set) = queue.remove(at);
            if !b.is_no(&b.and(&set, target)?) {
                return Ok(true);
            }
            closed = b.or(&closed, &set)?;
            let mut image = b.minus(&transition.image(&set, b)?, &closed)?;
            let mut part = b.no();
            let mut n = database.sets.len() - 1;
            while n > 0 && !b.is_no(&image) {
                part = b.and(&database.sets[n], &image)?;
                if !b.is_no(&part) {
                    queue.push((g + 1, n as u32, part.clone()));
                    image = b.minus(&image, &part)?;
                }
                n -= 1;
            }
            if n == 0 && !b.is_no(&part) {
                queue.push((g + 1, u32::MAX, part));
            }
        }
        Ok(false)
    }

    #[test]
    fn the_error_at_the_end_of_the_chain_is_found() -> Made<()> {
        let system = chain();
        let mut database = database(&system, true)?;
        database.fill(&system)?;
        let layers = database.layers;
        assert_eq!((layers.sets.len(), layers.complete), (4, true));
        assert!(!as_printed(&system, &layers)?, "the algorithm as printed misses it");
        let mut guided = Guided::new(&system, vec![layers]);
        assert_eq!(guided.start()?, Some(3));
        let End::Found(path, _) = guided.run()? else { panic!("not found") };
        assert_eq!((path.length(), guided.images, guided.lower_bound()), (3, 3, 3));
        Ok(())
    }

    /// An initial state may be an error, and what is beyond the last layer of a database that was cut off is not lost.
    #[test]
    fn cut_off_databases_and_initial_errors() -> Made<()> {
        let mut system = chain();
        for layers in 1..4 {
            let mut database = database(&system, true)?;
            while database.layers.sets.len() < layers {
                database.extend(&system)?;
            }
            let mut guided = Guided::new(&system, vec![database.layers]);
            assert_eq!(guided.start()?, Some(layers.min(3) as u32));
            let End::Found(path, _) = guided.run()? else { panic!("not found") };
            assert_eq!(path.length(), 3);
        }
        system.init = system.target.clone();
        let mut guided = Guided::new(&system, vec![database(&system, false)?.layers]);
        assert_eq!(guided.start()?, Some(0));
        let End::Found(path, _) = guided.run()? else { panic!("not found") };
        assert_eq!(path.length(), 0);
        Ok(())
    }

    /// Wherever it is interrupted, it goes on: what was expanded is not lost, and what was not is expanded later.
    #[test]
    fn an_interrupted_search_goes_on() -> Made<()> {
        let (mut interrupted, mut found) = (0, 0);
        for seed in 0..60 {
            let text = circuit(Random::new(seed));
            let relation = beeline_smv::read(&text, "circuit.smv").expect("a circuit").relation;
            for property in &relation.properties {
                let (partitioning, order) =
                    (Partitioning { cluster: 1_000, split: true }, order::force(&relation));
                let system = System::new(&relation, property, order, partitioning, &Limits::default());
                let system = system.expect("a system");
                let b = &system.b;
                let known = Rc::new(Known::new(Vec::new(), &system)?);
                let view = View::new(&system, |var| (var.index() as u64 + seed).is_multiple_of(3));
                let mut database = Database::new(&system, view, &system.target, &known)?;
                database.fill(&system)?;
                let mut guided = Guided::new(&system, vec![database.layers]);
                guided.start()?;
                let end = (0..).find_map(|turn| {
                    let end = b.within(5 * (turn + seed), None, || guided.run()).transpose();
                    interrupted += usize::from(end.is_none());
                    end
                });
                let length = |end: End| match end {
                    End::Found(path, _) => Some(path.length()),
                    End::Closed(_) => None,
                };
                let end = length(end.expect("an end")?);
                let forward = length(Search::new(&system, false).run(Direction::Forward)?);
                assert_eq!(end, forward, "seed {seed}, {:?}", property.text);
                found += usize::from(end.is_some());
            }
        }
        assert!(interrupted > 20 && found > 20, "{interrupted}, {found}");
        Ok(())
    }
}
