//! From a way of choosing to a database that fits: where the projection has too many states, the pattern is made smaller
//! and tried again.

use super::downward::{Reference, refine};
use super::{Board, Element, cone, hill_climbing, russian_doll};
use crate::additive::{Division, Sum};
use crate::pattern_database::{NoDatabase, PatternDatabase, Timing};
use crate::registry::{Making, NotMade};
use beeline_abstraction::projection::Pattern;
use beeline_abstraction::{Factor, SafeAbstraction};
use beeline_engine::heuristic::Heuristic;
use beeline_engine::walk::{Walks, walk};
use beeline_ir::ClockId;
use beeline_program::factored::causal::CausalGraph;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// Random walks that hill climbing takes its samples from, and where their random numbers come from.
const WALKS: usize = 200;
const SEED: u64 = 2007;
/// Labels of a walk at most.
const LONGEST: u32 = 1000;
/// Entries that hill climbing makes in all, for each that a database may have.
const TIMES: usize = 8;

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

/// By downward pattern refinement. If the pattern is too large, the element with the most values is left out, whatever
/// that costs.
pub fn downward(making: &Making<'_>, reference: Reference, frame: Frame) -> Result<PatternDatabase, NotMade> {
    let mut board = board(making)?;
    let safe = safe(making);
    let mut kept = refine(&mut board, &safe, reference);
    shrink_to_fit(making, &board, frame, |board| {
        let clocks = clocks(board, frame, &kept, None);
        let pattern = board.pattern(&kept, clocks);
        let goal = board.goal();
        // What the target is about goes last.
        let largest =
            kept.iter().max_by_key(|e| (!goal.contains(e), board.values(**e), Reverse(**e))).copied();
        (pattern, largest.is_some_and(|largest| kept.remove(&largest)))
    })
}

/// The Russian doll. If the pattern is too large, what is farthest from the error is left out.
pub fn doll(making: &Making<'_>, frame: Frame) -> Result<PatternDatabase, NotMade> {
    let mut board = board(making)?;
    let (mut elements, asked) = russian_doll::doll(&mut board);
    shrink_to_fit(making, &board, frame, |board| {
        let kept: BTreeSet<Element> = elements.iter().copied().collect();
        let pattern = board.pattern(&kept, clocks(board, frame, &kept, Some(&asked)));
        (pattern, elements.pop().is_some())
    })
}

/// The cone of influence: as many whole layers as fit, then as many elements of the next one.
pub fn cone(making: &Making<'_>, frame: Frame) -> Result<PatternDatabase, NotMade> {
    let board = board(making)?;
    let graph = CausalGraph::new(board.factored(), making.meter())?;
    let layers = cone::layers(&board, &graph, &board.goal(), &BTreeSet::new());
    let best = grow(&layers, |kept| {
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
        let layers = cone::layers(&board, &graph, &BTreeSet::from([element]), &used);
        let pattern = |kept: &BTreeSet<Element>| board.pattern(kept, clocks(&board, frame, kept, None));
        let best = grow(&layers, |kept| division.database(&pattern(kept), share))?;
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

/// The largest of growing patterns that has a database: as many whole layers as fit, then as many elements of the next
/// one.
fn grow(
    layers: &[Vec<Element>],
    make: impl Fn(&BTreeSet<Element>) -> Result<PatternDatabase, NoDatabase>,
) -> Result<Option<(BTreeSet<Element>, PatternDatabase)>, NotMade> {
    let mut best = None;
    for depth in 1..=layers.len() {
        let kept = cone::up_to(layers, depth, 0);
        match make(&kept) {
            Ok(database) => best = Some((kept, database)),
            Err(NoDatabase::TooLarge) => {
                let (mut low, mut high) = (0, layers[depth - 1].len());
                // Some elements of the layer: between as many as fit and as many as do not.
                while high - low > 1 {
                    let middle = (low + high) / 2;
                    let kept = cone::up_to(layers, depth - 1, middle);
                    match make(&kept) {
                        Ok(database) => (low, best) = (middle, Some((kept, database))),
                        Err(NoDatabase::TooLarge) => high = middle,
                        Err(reason) => return Err(reason.into()),
                    }
                }
                break;
            }
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
    let walks = |count: usize, longest: u32| {
        walk(making.network, making.property, Walks { count, longest, seed: SEED }, making.limits())
    };
    let initial = walks(0, 0)?;
    let steps = initial.first().and_then(|at| start.estimate_in(&at.slots, &at.zone.view()).steps());
    // Where nothing happens or the target is out of reach, there is nothing to climb for.
    let Some(steps) = steps else { return Ok(start) };
    let samples = walks(WALKS, steps.saturating_mul(2).clamp(1, LONGEST))?;
    let limits = (frame.most, frame.most.saturating_mul(TIMES));
    Ok(hill_climbing::climb((&board, &graph), (kept, start), &samples, limits, make)?)
}

fn no_pattern_fits() -> PatternDatabase {
    PatternDatabase::nothing("no pattern has so few states as `size=` allows".to_string())
}

fn board<'n>(making: &Making<'n>) -> Result<Board<'n>, NotMade> {
    Ok(Board::new(making.network, making.property, making.factored()?))
}

/// Makes the database of the first pattern that fits; `next` gives one, and whether there will be a smaller one.
fn shrink_to_fit(
    making: &Making<'_>,
    board: &Board<'_>,
    frame: Frame,
    mut next: impl FnMut(&Board<'_>) -> (Pattern, bool),
) -> Result<PatternDatabase, NotMade> {
    loop {
        let (pattern, more) = next(board);
        match database(making, &pattern, frame) {
            Err(NoDatabase::TooLarge) if more => {}
            Err(NoDatabase::TooLarge) => return Ok(no_pattern_fits()),
            other => return other.map_err(NotMade::from),
        }
    }
}

fn clocks(
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
fn safe(making: &Making<'_>) -> BTreeSet<Element> {
    let abstraction = SafeAbstraction::of(making.network, making.property);
    let factors = abstraction.iter().flat_map(|abstraction| &abstraction.removed);
    let element = |factor: &Factor| match *factor {
        Factor::Automaton(process) => Some(Element::Automaton(process)),
        // Of an array, all elements would have to be safe.
        Factor::Integer(var, _) => making.network.vars[var].len.is_none().then_some(Element::Integer(var)),
    };
    factors.filter_map(element).collect()
}
