//! A genetic algorithm: a population of walks from the initial state, each given by its choices of successors. The walks
//! that come nearest to the target, by the estimates of the heuristics, have offspring: the choices of one up to somewhere,
//! then those of another, with a change now and then.
//!
//! Godefroid and Khurshid, "Exploring very large state spaces using genetic algorithms", TACAS 2002; HSF-SPIN has one among
//! its searches. It stores no more than its population, and it is incomplete: where it gives up, nothing is proved.

use super::guide::{Ask, Guide, greatest};
use super::plan::Report;
use super::{End, Hit, Notes, Proves, Searched};
use crate::api::Progress;
use crate::heuristic::Estimate;
use crate::passed::{Keeping, Key, Passed};
use crate::state::packing::Packer;
use crate::successors::expand::Scratch;
use crate::successors::space::{Goal, Observed, Space, State};
use crate::time::TimePart;
use beeline_ir::layout::Label;
use beeline_ir::limits::{Limits, StopReason};
use beeline_ir::outcome::Stats;
use beeline_program::Machine;
use oorandom::Rand64;

/// Walks of a generation.
const POPULATION: usize = 60;
/// Of these, the best stay as they are.
const ELITE: usize = 4;
/// Walks from which the best one becomes a parent.
const CONTEST: usize = 3;
/// One choice in so many changes.
const MUTATION: u64 = 24;
/// Choices of a walk at first, and at most.
const CHOICES: (usize, usize) = (64, 1024);
/// Generations without progress after which walks become twice as long.
const PATIENCE: u32 = 12;

/// How to breed.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Breed {
    /// Generations after which it gives up.
    pub generations: u64,
    /// Where random numbers come from.
    pub seed: u64,
}

/// Runs the search to its end.
pub fn run<T: TimePart>(
    space: &Space<T>,
    initial: &[i64],
    keeping: Keeping,
    breed: Breed,
    guide: &mut Guide<'_>,
    limits: &Limits,
    report: &mut Report<'_>,
) -> Searched {
    let mut breeding = Breeding {
        space,
        guide,
        limits,
        machine: Machine::new(&space.program),
        scratch: space.scratch(initial),
        random: Rand64::new(u128::from(breed.seed)),
        estimates: Vec::new(),
        notes: Notes::default(),
        stats: report.before,
    };
    let evaluated = breeding.guide.evaluated;
    let end = breeding.go_on(initial, breed.generations, report);
    let Breeding { guide, mut notes, mut stats, .. } = breeding;
    stats.evaluated += guide.evaluated - evaluated;
    let mut passed = Passed::new(Packer::new(space.ranges()), keeping);
    let end = match end {
        Ok(Some(found)) => End::Found(found.store(space, &mut passed, &mut notes)),
        Ok(None) => End::Stopped(StopReason::Incomplete),
        Err(reason) => End::Stopped(reason),
    };
    stats.stored = passed.len();
    let (lower_bound, proves, marks) = (0, Proves::Reachability, true);
    Searched { end, passed, notes, lower_bound, proves, marks, stats }
}

/// A walk by its choices, and how near it comes.
#[derive(Clone, Debug)]
struct Individual {
    choices: Vec<u32>,
    nearest: u32,
}

/// A walk that leads to the target.
struct FoundWalk<Z> {
    start: Observed<State<Z>>,
    /// Whether each step costs, and where it leads.
    steps: Vec<(bool, State<Z>)>,
    /// The label at the end that is the target, if it is one.
    label: Option<Label>,
}

impl<Z> FoundWalk<Z> {
    fn store<T: TimePart<Zone = Z>>(self, space: &Space<T>, passed: &mut Passed, notes: &mut Notes) -> Hit {
        let mut key = Key::default();
        let (start, edge) = self.start;
        let mut node = passed.insert(&space.time, &start, 0, None, &mut key);
        notes.roots.extend(node.map(|node| (node, edge)));
        let mut g = 0;
        for (costs, state) in &self.steps {
            g += u32::from(*costs);
            node = passed.insert(&space.time, state, g, node, &mut key).or(node);
        }
        let node = node.expect("the first state is stored in an empty list");
        self.label.map_or(Hit::Node(node), |label| Hit::Label(node, label))
    }
}

/// What a walk came to.
enum Walked<Z> {
    Target(FoundWalk<Z>),
    Nearest(u32),
}

struct Breeding<'a, 'h, T: TimePart> {
    space: &'a Space<T>,
    guide: &'a mut Guide<'h>,
    limits: &'a Limits,
    machine: Machine,
    scratch: Scratch<T::Zone>,
    random: Rand64,
    estimates: Vec<Estimate>,
    notes: Notes,
    stats: Stats,
}

impl<T: TimePart> Breeding<'_, '_, T> {
    /// A walk to the target, or none if it gives up.
    fn go_on(
        &mut self,
        initial: &[i64],
        generations: u64,
        report: &mut Report<'_>,
    ) -> Result<Option<FoundWalk<T::Zone>>, StopReason> {
        let Self { space, machine, notes, limits, .. } = self;
        let starts = space.initial(machine, initial.to_vec(), &mut notes.property_fails, limits)?;
        if starts.is_empty() {
            return Ok(None);
        }
        let mut length = CHOICES.0;
        let mut people: Vec<Individual> = Vec::new();
        let (mut best, mut idle) = (u32::MAX, 0);
        for _ in 0..generations {
            let next: Vec<Vec<u32>> = self.offspring(&people, length);
            people.truncate(ELITE);
            for choices in next {
                match self.walk(&starts, &choices)? {
                    Walked::Target(found) => return Ok(Some(found)),
                    Walked::Nearest(nearest) => people.push(Individual { choices, nearest }),
                }
            }
            people.sort_by_key(|individual| individual.nearest);
            let nearest = people.first().map_or(u32::MAX, |individual| individual.nearest);
            idle = if nearest < best { 0 } else { idle + 1 };
            best = best.min(nearest);
            if idle >= PATIENCE {
                (length, idle) = ((2 * length).min(CHOICES.1), 0);
            }
            (report.progress)(&Progress {
                expanded: self.stats.expanded,
                stored: people.len() as u64,
                open: 0,
                lower_bound: 0,
                bytes: (people.len() * length * size_of::<u32>()) as u64,
                generated: self.stats.generated,
            });
        }
        Ok(None)
    }

    /// The choices of the next generation, without those that stay.
    fn offspring(&mut self, people: &[Individual], length: usize) -> Vec<Vec<u32>> {
        let stay = people.len().min(ELITE);
        let mut next = Vec::new();
        for _ in stay..POPULATION {
            let mut choices: Vec<u32> = match (self.parent(people), self.parent(people)) {
                (Some(first), Some(second)) => {
                    let cut = self.random.rand_range(0..first.choices.len() as u64) as usize;
                    let rest = second.choices.iter().skip(cut);
                    first.choices[..cut].iter().chain(rest).copied().collect()
                }
                _ => Vec::new(),
            };
            for choice in &mut choices {
                if self.random.rand_range(0..MUTATION) == 0 {
                    *choice = self.random.rand_u64() as u32;
                }
            }
            choices.resize_with(length, || self.random.rand_u64() as u32);
            next.push(choices);
        }
        next
    }

    /// The best of a few.
    fn parent<'p>(&mut self, people: &'p [Individual]) -> Option<&'p Individual> {
        if people.is_empty() {
            return None;
        }
        let drawn = (0..CONTEST).map(|_| self.random.rand_range(0..people.len() as u64) as usize);
        // They are sorted.
        drawn.min().map(|number| &people[number])
    }

    fn walk(
        &mut self,
        starts: &[Observed<State<T::Zone>>],
        choices: &[u32],
    ) -> Result<Walked<T::Zone>, StopReason> {
        let mut nearest = u32::MAX;
        let first = choices.first().map_or(0, |choice| *choice as usize % starts.len());
        let start = &starts[first];
        let mut steps: Vec<(bool, State<T::Zone>)> = Vec::new();
        let found = |steps: Vec<(bool, State<T::Zone>)>, label| {
            Ok(Walked::Target(FoundWalk { start: start.clone(), steps, label }))
        };
        for choice in choices {
            let Self { space, guide, limits, machine, scratch, estimates, notes, stats, .. } = self;
            let state = steps.last().map_or(&start.0, |(_, state)| state);
            limits.check(0, 0)?;
            if !guide.evaluate(&space.time, state, Ask::All, estimates) {
                stats.dead_ends += 1;
                return Ok(Walked::Nearest(nearest));
            }
            nearest = nearest.min(greatest(estimates));
            stats.expanded += 1;
            let stuck = matches!(space.goal, Goal::Stuck { .. });
            if !stuck && space.goal.is_met(space, machine, state, limits, &mut notes.property_fails)? {
                return found(steps, None);
            }
            let mut successors = Vec::new();
            let mut failing = None;
            let left = space.expand(machine, scratch, state, limits, &mut |successor| {
                let label = successor.label;
                if successor.assertion_failed && matches!(space.goal, Goal::Assertion) {
                    failing.get_or_insert_with(|| label.label());
                } else {
                    successors.push((label.costs(), successor.state.clone()));
                }
            })?;
            stats.generated += successors.len() as u64;
            limits.spend_on(successors.len() as u64, 0)?;
            notes.property_fails |= left.observer_fails;
            for fails in left.failing {
                match space.goal {
                    Goal::RuntimeError => _ = failing.get_or_insert(fails.label),
                    _ => notes.fails(fails.label, fails.error),
                }
            }
            if failing.is_some() {
                return found(steps, failing);
            }
            if successors.is_empty() {
                if space.goal.is_met_if_stuck(space, machine, state, limits, &mut notes.property_fails)? {
                    return found(steps, None);
                }
                break;
            }
            let chosen = *choice as usize % successors.len();
            let (costs, next) = successors.swap_remove(chosen);
            // Where the walk has been before, it goes on from there.
            let covers = |state: &State<T::Zone>| {
                let (larger, smaller) = (space.time.entries(&state.zone), space.time.entries(&next.zone));
                state.slots == next.slots && T::includes(larger, smaller)
            };
            if covers(&start.0) {
                steps.clear();
            } else if let Some(before) = steps.iter().position(|(_, state)| covers(state)) {
                steps.truncate(before + 1);
            } else {
                steps.push((costs, next));
            }
        }
        Ok(Walked::Nearest(nearest))
    }
}
