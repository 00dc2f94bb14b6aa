//! From a way of choosing to a database that fits. Each way puts the elements in an order, the most useful ones first;
//! the pattern is as many of them as there is room for.

use super::downward::{Order, Reference, by_use, refine};
use super::{Board, Element, cone, hill_climbing, russian_doll};
use crate::additive::{Division, Sum};
use crate::pattern_database::{NoDatabase, PatternDatabase, Timing};
use crate::registry::{Making, NotMade};
use beeline_abstraction::projection::Pattern;
use beeline_abstraction::{Factor, SafeAbstraction};
use beeline_engine::heuristic::Heuristic;
use beeline_engine::walk::{Sample, Walks, walk};
use beeline_ir::ClockId;
use beeline_ir::limits::StopReason;
use beeline_program::factored::causal::CausalGraph;
use std::collections::BTreeSet;

/// Random walks that hill climbing takes its samples from, and where their random numbers come from.
const WALKS: usize = 200;
const SEED: u64 = 2007;
/// Labels of a walk at most.
const LONGEST: u32 = 1000;
/// Entries that are made in all where databases are made to compare them, for each that one may have.
pub(super) const TIMES: usize = 8;

/// Which clocks a pattern has.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Clocks {
    /// All.
    All,
    /// Those that its automata and the target compare with something.
    Own,
    /// The same, but digital.
    Digital,
    /// None.
    None,
}

/// What a database may be, and how large.
#[derive(Copy, Clone, Debug)]
pub struct Frame {
    /// Its clocks.
    pub clocks: Clocks,
    /// Its entries.
    pub most: usize,
}

impl Frame {
    /// What its clocks are.
    pub fn timing(self) -> Timing {
        if self.clocks == Clocks::Digital { Timing::Digital } else { Timing::Zones }
    }
}

impl From<NoDatabase> for NotMade {
    fn from(reason: NoDatabase) -> Self {
        match reason {
            NoDatabase::Refused(reason) => Self::Refused(reason),
            NoDatabase::Stopped(reason) => Self::Stopped(reason),
            NoDatabase::TooLarge => {
                Self::Refused("the pattern database has more entries than `size=` allows".to_string())
            }
        }
    }
}

/// The database of a pattern.
pub fn database(making: &Making<'_>, pattern: &Pattern, frame: Frame) -> Result<PatternDatabase, NoDatabase> {
    let means = making.means(frame.most);
    PatternDatabase::new(making.network, making.property, pattern, frame.timing(), &means)
}

/// By downward pattern refinement. If the pattern is too large, more is left out, each time what costs least.
pub fn downward(making: &Making<'_>, reference: Reference, frame: Frame) -> Result<PatternDatabase, NotMade> {
    let mut board = board(making)?;
    let kept = refine(&mut board, &safe(making), reference, Order::Largest)?;
    let make = |board: &Board<'_>, kept: &BTreeSet<Element>| {
        database(making, &board.pattern(kept, clocks(board, frame, kept, None)), frame)
    };
    match make(&board, &kept) {
        Err(NoDatabase::TooLarge) => {}
        other => return Ok(other?),
    }
    let order = by_use(&mut board, kept)?;
    // That all of them do not fit is known.
    let fewer = &order[..order.len().saturating_sub(1)];
    let best = as_many_as_fit(&board, fewer, fewer.len() / 2, frame, |kept| make(&board, kept))?;
    Ok(best.map_or_else(no_pattern_fits, |(_, database)| database))
}

/// The Russian doll. If the pattern is too large, what is farthest from the error is left out.
pub fn doll(making: &Making<'_>, frame: Frame) -> Result<PatternDatabase, NotMade> {
    let mut board = board(making)?;
    let (elements, asked) = russian_doll::doll(&mut board)?;
    let best = as_many_as_fit(&board, &elements, elements.len(), frame, |kept| {
        database(making, &board.pattern(kept, clocks(&board, frame, kept, Some(&asked))), frame)
    })?;
    Ok(best.map_or_else(no_pattern_fits, |(_, database)| database))
}

/// The cone of influence: layer by layer.
pub fn cone(making: &Making<'_>, frame: Frame) -> Result<PatternDatabase, NotMade> {
    let board = board(making)?;
    let graph = CausalGraph::new(board.factored(), making.meter())?;
    let goal = board.goal();
    let order = cone::layers(&board, &graph, &goal, &BTreeSet::new()).concat();
    let best = as_many_as_fit(&board, &order, goal.len(), frame, |kept| {
        database(making, &board.pattern(kept, clocks(&board, frame, kept, None)), frame)
    })?;
    Ok(best.map_or_else(no_pattern_fits, |(_, database)| database))
}

/// The sum of databases, for patterns that are given.
pub fn given_sum(making: &Making<'_>, patterns: &[Pattern], frame: Frame) -> Result<Sum, NotMade> {
    let mut division = Division::new(making);
    let mut databases = Vec::new();
    for pattern in patterns {
        databases.push(division.database(pattern, frame)?);
        division.take(pattern)?;
    }
    Ok(Sum::new(databases))
}

/// The sum of databases: for each element that the target is about, one of its cone of influence, as far as that has
/// nothing to do with the others. They share the size.
pub fn sum(making: &Making<'_>, frame: Frame) -> Result<Sum, NotMade> {
    let board = board(making)?;
    let graph = CausalGraph::new(board.factored(), making.meter())?;
    let mut division = Division::new(making);
    let mut used = board.goal();
    let share = Frame { most: frame.most / used.len().max(1), ..frame };
    let mut databases = Vec::new();
    for element in board.goal() {
        let order = cone::layers(&board, &graph, &BTreeSet::from([element]), &used).concat();
        let pattern = |kept: &BTreeSet<Element>| board.pattern(kept, clocks(&board, frame, kept, None));
        let best = as_many_as_fit(&board, &order, 1, share, |kept| division.database(&pattern(kept), share))?;
        if let Some((kept, database)) = best {
            division.take(&pattern(&kept))?;
            used.extend(kept);
            databases.push(database);
        }
    }
    if databases.is_empty() {
        databases.push(no_pattern_fits());
    }
    Ok(Sum::new(databases))
}

/// The database of as many elements as fit, of those in an order; so many are tried first. From a pattern that fits it
/// is not far to the next one: another element multiplies the entries by its values at most, clocks aside, so that all
/// goes in at once for which there is room anyway.
pub(crate) fn as_many_as_fit(
    board: &Board<'_>,
    order: &[Element],
    first: usize,
    frame: Frame,
    make: impl Fn(&BTreeSet<Element>) -> Result<PatternDatabase, NoDatabase>,
) -> Result<Option<(BTreeSet<Element>, PatternDatabase)>, NotMade> {
    let mut best = None;
    // Fewer than that fit; so many do not.
    let (mut least, mut too_many) = (0, order.len() + 1);
    let mut next = first;
    while least < too_many {
        next = next.clamp(least, too_many - 1);
        let kept: BTreeSet<Element> = order[..next].iter().copied().collect();
        match make(&kept) {
            Ok(database) => {
                let mut entries = database.entries() as u128;
                let room = order[next..].iter().take_while(|element| {
                    entries = entries.saturating_mul(board.values(**element));
                    entries <= frame.most as u128
                });
                (least, next) = (next + 1, next + room.count());
                best = Some((kept, database));
            }
            Err(NoDatabase::TooLarge) => (too_many, next) = (next, (least + next) / 2),
            Err(reason) => return Err(reason.into()),
        }
    }
    Ok(best)
}

/// By hill climbing.
pub fn climbing(making: &Making<'_>, frame: Frame) -> Result<PatternDatabase, NotMade> {
    let board = board(making)?;
    let graph = CausalGraph::new(board.factored(), making.meter())?;
    let make = |kept: &BTreeSet<Element>| {
        database(making, &board.pattern(kept, clocks(&board, frame, kept, None)), frame)
    };
    let kept = board.goal();
    let mut start = match make(&kept) {
        Ok(start) => start,
        Err(NoDatabase::TooLarge) => return Ok(no_pattern_fits()),
        Err(reason) => return Err(reason.into()),
    };
    let samples = samples(making, &mut start)?;
    // Where nothing happens or the target is out of reach, there is nothing to climb for.
    if samples.is_empty() {
        return Ok(start);
    }
    let limits = (frame.most, frame.most.saturating_mul(TIMES));
    Ok(hill_climbing::climb((&board, &graph), (kept, start), &samples, limits, make)?)
}

/// The ends of random walks, twice as long at most as the way to the target seems to be; none if it is out of reach.
pub(super) fn samples(making: &Making<'_>, heuristic: &mut dyn Heuristic) -> Result<Vec<Sample>, StopReason> {
    let walks = |count: usize, longest: u32| {
        walk(making.network, making.property, Walks { count, longest, seed: SEED }, making.limits())
    };
    let initial = walks(0, 0)?;
    let steps = initial.first().and_then(|at| heuristic.estimate_in(&at.slots, &at.zone.view()).steps());
    let Some(steps) = steps else { return Ok(Vec::new()) };
    walks(WALKS, steps.saturating_mul(2).clamp(1, LONGEST))
}

pub(crate) fn no_pattern_fits() -> PatternDatabase {
    PatternDatabase::nothing("no pattern has so few states as `size=` allows".to_string())
}

pub(crate) fn board<'n>(making: &Making<'n>) -> Result<Board<'n>, NotMade> {
    Ok(Board::new(making.network, making.property, making.factored()?, making.limits()))
}

pub(crate) fn clocks(
    board: &Board<'_>,
    frame: Frame,
    kept: &BTreeSet<Element>,
    asked: Option<&BTreeSet<ClockId>>,
) -> BTreeSet<ClockId> {
    match (frame.clocks, asked) {
        (Clocks::All, _) => board.all_clocks(),
        (Clocks::Own | Clocks::Digital, None) => board.clocks_of(kept),
        (Clocks::Own | Clocks::Digital, Some(asked)) => asked.clone(),
        (Clocks::None, _) => BTreeSet::new(),
    }
}

/// The elements that are safe, by cascade.
pub(super) fn safe(making: &Making<'_>) -> BTreeSet<Element> {
    let abstraction = SafeAbstraction::of(making.network, making.property);
    let factors = abstraction.iter().flat_map(|abstraction| &abstraction.removed);
    let element = |factor: &Factor| match *factor {
        Factor::Automaton(process) => Some(Element::Automaton(process)),
        // Of an array, all elements would have to be safe.
        Factor::Integer(var, _) => making.network.vars[var].len.is_none().then_some(Element::Integer(var)),
    };
    factors.filter_map(element).collect()
}
