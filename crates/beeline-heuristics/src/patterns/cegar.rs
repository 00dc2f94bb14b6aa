//! Counterexample-guided choice of a pattern: begin with a pattern, and try the shortest ways of the projection in the
//! network. Where they fail, add what the projection did not see there, and begin anew. If one does not fail, it is a
//! shortest trace, and a search may take it; if the projection has none, the target is out of reach.
//!
//! Rovner, Sievers, Helmert, "Counterexample-guided abstraction refinement for pattern selection in optimal classical
//! planning", ICAPS 2019; there, for collections of patterns, and with a flaw drawn at random. Here the flaw is taken that
//! most of the places ask for where the ways end, and clocks are elements of a pattern like others.
//!
//! The first pattern is what downward pattern refinement leaves (Kupferschmid and Wehrle, "Abstractions and pattern
//! databases", TACAS 2011), if need be without what seems to matter least; or what the target is about, without clocks. From
//! above, few patterns have to be tried; from below, patterns are smaller.

mod flaws;

use super::best::Best;
use super::downward::{self, Order, Reference};
use super::making::{Clocks, Frame, TIMES, board, database, no_pattern_fits, safe, samples};
use super::{Board, Element};
use crate::pattern_database::{NoDatabase, PatternDatabase};
use crate::registry::{Making, NotMade};
use beeline_abstraction::projection::Pattern;
use beeline_engine::graph::follow::{Followed, Width, follow};
use beeline_ir::ClockId;
use beeline_program::factored::causal::CausalGraph;
use flaws::Flaws;
use oorandom::Rand64;
use std::collections::BTreeSet;

/// States that follow a shortest way of the projection, by the steps that are left, and how many of those where the ways
/// end are asked for the reason.
const WIDTH: Width = Width { layer: 1000, shown: 64 };

/// Something that a pattern lacks.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Lack {
    /// An automaton or an integer.
    Element(Element),
    /// A clock.
    Clock(ClockId),
}

impl Lack {
    /// How many values it has, of which clocks are thought to have one.
    fn values(self, board: &Board<'_>) -> u128 {
        match self {
            Self::Element(element) => board.values(element),
            Self::Clock(_) => 1,
        }
    }

    fn is_in(self, pattern: &Pattern) -> bool {
        match self {
            Self::Element(Element::Automaton(process)) => pattern.automata.contains(&process),
            Self::Element(Element::Integer(var)) => pattern.integers.contains(&var),
            Self::Clock(clock) => pattern.clocks.contains(&clock),
        }
    }

    fn add_to(self, pattern: &mut Pattern) {
        _ = match self {
            Self::Element(Element::Automaton(process)) => pattern.automata.insert(process),
            Self::Element(Element::Integer(var)) => pattern.integers.insert(var),
            Self::Clock(clock) => pattern.clocks.insert(clock),
        }
    }
}

/// Where to begin.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Start {
    /// With what downward pattern refinement leaves.
    Downward,
    /// With what the target is about.
    Target,
}

/// How many patterns there may be.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Collection {
    /// One.
    Single,
    /// More, if one is not enough.
    Multiple,
}

/// Patterns of a collection that are tried besides the first, where their random numbers come from, the share of the size
/// that each may have, and one of how many elements is left out of each.
const OTHERS: usize = 16;
const SEED: u64 = 2019;
const SHARE: usize = 16;
const ONE_OF: u64 = 4;

/// Patterns that are too large before one is begun with that is small.
const TOO_LARGE: usize = 3;

/// The databases of patterns that are left when nothing is asked for that fits.
pub fn refine(
    making: &Making<'_>,
    frame: Frame,
    start: Start,
    collection: Collection,
) -> Result<Best, NotMade> {
    let mut board = board(making)?;
    let useful = downward::refine(&mut board, &safe(making), Reference::Current, Order::Integers)?;
    let first = match start {
        Start::Downward => as_much_as_fits(making, &mut board, &useful, frame)?,
        Start::Target => None,
    };
    let graph = CausalGraph::new(board.factored(), making.meter())?;
    let flaws = Flaws::new(&board, &graph, useful, frame.clocks != Clocks::None);
    let mut refinement = Refinement { making, frame, board: &board, flaws };
    let first = match first {
        Some(first) => Some(first),
        None => refinement.database(&target(&board))?,
    };
    let Some(first) = first else { return Ok(Best::new(no_pattern_fits())) };
    let (first, answered) = refinement.refine(first, BTreeSet::new())?;
    let mut best = Best::new(first);
    if collection == Collection::Multiple && !answered {
        refinement.add_others(&mut best)?;
    }
    Ok(best)
}

/// The database of what downward pattern refinement leaves, and of its own clocks: of all of it, or without what is
/// least useful.
fn as_much_as_fits(
    making: &Making<'_>,
    board: &mut Board<'_>,
    useful: &BTreeSet<Element>,
    frame: Frame,
) -> Result<Option<PatternDatabase>, NotMade> {
    let mut order: Option<Vec<Element>> = None;
    for attempt in 0..TOO_LARGE {
        let kept: BTreeSet<Element> = match attempt {
            0 => useful.clone(),
            _ => {
                let order = match &mut order {
                    Some(order) => order,
                    none => none.insert(downward::by_use(board, useful.clone())?),
                };
                // One is left out, then two more, then four.
                let Some(left) = order.len().checked_sub((1 << attempt) - 1) else { break };
                order[..left].iter().copied().collect()
            }
        };
        let clocks = if frame.clocks == Clocks::None { BTreeSet::new() } else { board.clocks_of(&kept) };
        match database(making, &board.pattern(&kept, clocks), frame) {
            Err(NoDatabase::TooLarge) => {}
            other => return Ok(Some(other?)),
        }
    }
    Ok(None)
}

/// What the target is about; if nothing could meet it, what it names should show that.
fn target(board: &Board<'_>) -> BTreeSet<Element> {
    let goal = board.goal();
    if goal.is_empty() { board.named_by_target() } else { goal }
}

/// Refines patterns.
struct Refinement<'a, 'n> {
    making: &'a Making<'n>,
    frame: Frame,
    board: &'a Board<'n>,
    flaws: Flaws<'a>,
}

impl Refinement<'_, '_> {
    /// The database of some elements without clocks, if it is not too large.
    fn database(&self, kept: &BTreeSet<Element>) -> Result<Option<PatternDatabase>, NotMade> {
        match database(self.making, &self.board.pattern(kept, BTreeSet::new()), self.frame) {
            Ok(database) => Ok(Some(database)),
            Err(NoDatabase::TooLarge) => Ok(None),
            Err(reason) => Err(reason.into()),
        }
    }

    /// Adds to the pattern of a database what it lacks, as long as there is room for it, some things aside; true if there
    /// is nothing left to search for. Databases made on the way have no more than about [`TIMES`] as many entries in all
    /// as one may have.
    fn refine(
        &mut self,
        mut here: PatternDatabase,
        mut left_out: BTreeSet<Lack>,
    ) -> Result<(PatternDatabase, bool), NotMade> {
        let Self { making, frame, board, flaws } = self;
        let mut allowance = frame.most.saturating_mul(TIMES);
        loop {
            let ends = match follow(making.network, making.property, &mut here, WIDTH, making.limits())? {
                Followed::Target(route) => {
                    here.keep(route);
                    return Ok((here, true));
                }
                Followed::Nowhere => {
                    here.remark_on_pattern("the target is out of its reach");
                    return Ok((here, true));
                }
                Followed::NoStart => return Ok((here, true)),
                Followed::DeadEnds(ends) => ends,
            };
            here = loop {
                let lack = flaws.worst(&mut here, &ends, &left_out, making.limits())?;
                let Some(lack) = lack.filter(|_| allowance > 0) else { return Ok((here, false)) };
                // What does not fit does not fit later, either.
                left_out.insert(lack);
                // An element multiplies the entries by its values at most, zones aside.
                let entries = lack.values(board).saturating_mul(here.entries() as u128);
                if entries > frame.most as u128 {
                    continue;
                }
                let mut wider = here.pattern().clone();
                lack.add_to(&mut wider);
                match database(making, &wider, *frame) {
                    Ok(database) if lack.is_in(database.pattern()) => {
                        allowance = allowance.saturating_sub(database.entries().max(1));
                        break database;
                    }
                    // Where a clock cannot be digital, there is none.
                    Ok(_) => {}
                    Err(NoDatabase::TooLarge) => allowance = allowance.saturating_sub(frame.most),
                    Err(reason) => return Err(reason.into()),
                }
            };
        }
    }

    /// Adds smaller databases of patterns that begin with one element of the target each, with some elements left out by
    /// chance, so that they differ; of those, what raises the estimate of some sample state. (As the collections of
    /// patterns in the paper, where all of this depends on time.)
    fn add_others(mut self, best: &mut Best) -> Result<(), NotMade> {
        self.frame.most /= SHARE;
        let samples = samples(self.making, best)?;
        let mut random = Rand64::new(u128::from(SEED));
        let goal: Vec<Element> = target(self.board).into_iter().collect();
        for begin in goal.iter().copied().cycle().take(if goal.is_empty() { 0 } else { OTHERS }) {
            let others = self.board.elements.iter().copied().filter(|element| *element != begin);
            let left_out = others.filter(|_| random.rand_range(0..ONE_OF) == 0).map(Lack::Element).collect();
            let Some(first) = self.database(&BTreeSet::from([begin]))? else { continue };
            let (database, answered) = self.refine(first, left_out)?;
            best.add(database, &samples);
            if answered {
                break;
            }
        }
        Ok(())
    }
}
