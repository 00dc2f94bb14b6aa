//! Predicates from counterexamples: begin with locations alone; take a shortest way of the abstraction from the
//! initial state to the target, and regress the target along it exactly. If that leads back to the initial state, the
//! way is one of the part, and no more is to be learned from it. If not, the exact regions and what can be reached on
//! the same way have nothing in common: each comparison that bounds such a region is a candidate for an interpolant
//! between the two. Of these, as few are kept as still keep the way from being one of the abstraction.
//!
//! Clock predicates are entries of closed matrices, and so sums of bounds on a cycle that is negative where there is a
//! conflict; integer predicates bound the values that weakest preconditions allow.
//!
//! Clarke, Grumberg, Jha, Lu, Veith, "Counterexample-guided abstraction refinement", CAV 2000; for heuristics:
//! Hoffmann, Smaus, Rybalchenko, Kupferschmid, Podelski, MoChArt 2006, section 5, where ARMC does it, and where it is
//! proposed to stop when ways no longer become longer, and to get rid of all shortest ways at once.

use super::grounding::clock_predicate;
use super::predicates::{Literals, Predicate, Predicates};
use super::regression::{Abstraction, Reason};
use super::system::{Region, System};
use crate::factors::bits;
use beeline_ir::limits::StopReason;
use beeline_program::factored::Meter;
use beeline_zones::{Bound, Constraint, MAX_CONSTANT};

/// Ways of one length that are removed one after the other.
const MOST_WAYS: usize = 32;

/// How long to go on.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Patience {
    /// Refinements at most.
    pub(crate) iterations: usize,
    /// Whether to stop when the shortest way does not become longer, with the abstraction before.
    pub(crate) while_growing: bool,
    /// Whether a refinement removes all shortest ways, or one.
    pub(crate) all_ways: bool,
}

/// What was made.
#[derive(Debug)]
pub(super) struct Refined {
    pub(super) predicates: Predicates,
    pub(super) abstraction: Abstraction,
    pub(super) end: Ending,
    /// Refinements that were made.
    pub(super) rounds: usize,
}

/// Why it ended.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Ending {
    /// As many refinements were made as were asked for.
    Enough,
    /// A shortest way is one of the part.
    Feasible,
    /// There is no way.
    OutOfReach,
    /// The shortest way did not become longer.
    NotGrowing,
    /// What would remove it is not known, or there is no room for it.
    Stuck,
}

impl Ending {
    /// In words.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Enough => "as asked for",
            Self::Feasible => "until a shortest way was one of the part",
            Self::OutOfReach => "until there was no way",
            Self::NotGrowing => "as long as the shortest way grew",
            Self::Stuck => "until nothing more was found",
        }
    }
}

/// A way of the abstraction: its operators, and the goal that it leads to.
struct Way {
    operators: Vec<usize>,
    goal: usize,
}

/// What is to be learned from a way.
enum Lesson {
    Feasible,
    Nothing,
    Predicates(Vec<Predicate>),
}

/// Refines the abstraction of a system, beginning with its locations.
pub(super) fn refine(
    system: &System,
    patience: Patience,
    most: usize,
    meter: &Meter<'_>,
) -> Result<Refined, StopReason> {
    let mut found: Vec<Predicate> = Vec::new();
    let predicates = Predicates::new(system, std::iter::empty());
    let abstraction = Abstraction::new(system, &predicates, most, meter)?;
    let mut refined = Refined { predicates, abstraction, end: Ending::Enough, rounds: 0 };
    while refined.rounds < patience.iterations {
        let Some(length) = length(system, &refined.predicates, &refined.abstraction) else {
            let closed = refined.abstraction.closed;
            refined.end = if closed { Ending::OutOfReach } else { Ending::Stuck };
            break;
        };
        let mut finer: Option<(Predicates, Abstraction)> = None;
        let mut after = Some(length);
        let ways = if patience.all_ways { MOST_WAYS } else { 1 };
        for _ in 0..ways {
            let (predicates, abstraction) =
                finer.as_ref().map_or((&refined.predicates, &refined.abstraction), |(p, a)| (p, a));
            let Some(way) = way(system, predicates, abstraction) else { break };
            match learn(system, predicates, &way, meter)? {
                Lesson::Predicates(more) => found.extend(more),
                Lesson::Feasible | Lesson::Nothing if finer.is_some() => break,
                Lesson::Feasible => refined.end = Ending::Feasible,
                Lesson::Nothing => refined.end = Ending::Stuck,
            }
            if refined.end != Ending::Enough {
                return Ok(refined);
            }
            let predicates = Predicates::new(system, found.iter().cloned());
            let abstraction = Abstraction::new(system, &predicates, most, meter)?;
            after = self::length(system, &predicates, &abstraction);
            finer = Some((predicates, abstraction));
            if after != Some(length) {
                break;
            }
        }
        let Some((predicates, abstraction)) = finer else { break };
        if after.is_none() && !abstraction.closed {
            // It was cut off before it came as far: the one before knows more.
            refined.end = Ending::Stuck;
            break;
        }
        if patience.while_growing && after.is_some_and(|after| after <= length) {
            refined.end = Ending::NotGrowing;
            break;
        }
        (refined.predicates, refined.abstraction) = (predicates, abstraction);
        refined.rounds += 1;
    }
    Ok(refined)
}

/// The literals that the initial state may meet; time may pass.
fn at_start(system: &System, predicates: &Predicates) -> Literals {
    let (values, zone) = &system.initial;
    let by_fact = predicates.by_fact(system);
    let mut literals = vec![0; predicates.words()];
    for (factor, value) in values.iter().enumerate() {
        let its = &by_fact[system.range(factor).start + value];
        literals.iter_mut().zip(its).for_each(|(all, more)| *all |= more);
    }
    predicates.add_relations(system, values, &mut literals);
    predicates.add_clocks(&|left, right| Some(zone.get(left, right)), &mut literals);
    literals
}

fn length(system: &System, predicates: &Predicates, abstraction: &Abstraction) -> Option<u32> {
    let at = abstraction.nearest(&at_start(system, predicates))?;
    Some(abstraction.states[at].layer)
}

/// A shortest way from the initial state.
fn way(system: &System, predicates: &Predicates, abstraction: &Abstraction) -> Option<Way> {
    let mut at = abstraction.nearest(&at_start(system, predicates))?;
    let mut operators = Vec::new();
    loop {
        match abstraction.states[at].reason {
            Reason::Goal(goal) => return Some(Way { operators, goal }),
            Reason::Leads { operator, to } => {
                operators.push(operator);
                at = to;
            }
        }
    }
}

/// The states right before each label of a way, and the goal; from the last one backwards, as far as there are any.
fn regress(system: &System, way: &Way) -> Vec<Region> {
    let mut regions = vec![system.goals[way.goal].clone()];
    for operator in way.operators.iter().rev() {
        let after = regions.last().cloned().and_then(|region| system.waiting(region));
        let before = after.and_then(|after| system.before(&after, &system.operators[*operator].0));
        let Some(before) = before else { break };
        regions.push(before);
    }
    regions
}

/// Whether exact zones along a way stay within what matrices can hold.
fn representable(system: &System, way: &Way) -> bool {
    let of_places = system.places.iter().flatten().flatten().flat_map(|place| &place.invariant);
    let of_labels = system.operators.iter().flat_map(|(operator, _)| &operator.guard);
    let constants = of_places.chain(of_labels).filter_map(|c| c.bound.constant());
    let sets = system.operators.iter().flat_map(|(operator, _)| &operator.sets);
    let greatest = constants.chain(sets.filter_map(|(_, value)| *value)).map(i32::unsigned_abs).max();
    let points = (2 * way.operators.len() + system.clocks.len() + 4) as u64;
    u64::from(greatest.unwrap_or(0)) * points < u64::from(MAX_CONSTANT.unsigned_abs())
}

fn learn(
    system: &System,
    predicates: &Predicates,
    way: &Way,
    meter: &Meter<'_>,
) -> Result<Lesson, StopReason> {
    if !representable(system, way) {
        return Ok(Lesson::Nothing);
    }
    let regions = regress(system, way);
    let (values, zone) = &system.initial;
    if regions.len() > way.operators.len()
        && let Some(first) = regions.last()
    {
        let facts = values.iter().enumerate().map(|(factor, value)| system.range(factor).start + value);
        if { facts }.all(|fact| bits::has(&first.cube, fact)) && first.zone.intersects(zone) {
            return Ok(Lesson::Feasible);
        }
    }
    let mut candidates: Vec<Predicate> = Vec::new();
    for region in &regions {
        for candidate in bounds(system, region) {
            if !candidates.contains(&candidate) && !predicates.iter().any(|known| *known == candidate) {
                candidates.push(candidate);
            }
        }
        meter.work(candidates.len() as u64)?;
    }
    let removed = |kept: &[Predicate]| -> Result<bool, StopReason> {
        meter.work(((predicates.len() + kept.len()) * way.operators.len().max(1)) as u64)?;
        let all = Predicates::new(system, predicates.iter().chain(kept).cloned());
        Ok(!still_there(system, &all, way))
    };
    if candidates.is_empty() || !removed(&candidates)? {
        return Ok(Lesson::Nothing);
    }
    // First all clocks, then integers one by one, then what is left.
    for group in std::iter::once(None).chain((0..system.factors()).map(Some)) {
        let about = |predicate: &Predicate| match predicate {
            Predicate::Clock(_) => group.is_none(),
            Predicate::Values { factor, .. } => group == Some(*factor),
            Predicate::Relation { .. } => false,
        };
        let fewer: Vec<Predicate> = candidates.iter().filter(|one| !about(one)).cloned().collect();
        if fewer.len() < candidates.len() && removed(&fewer)? {
            candidates = fewer;
        }
    }
    let mut at = 0;
    while at < candidates.len() {
        let mut fewer = candidates.clone();
        fewer.remove(at);
        if removed(&fewer)? {
            candidates = fewer;
        } else {
            at += 1;
        }
    }
    Ok(Lesson::Predicates(candidates))
}

/// Whether the abstraction by these predicates has a way.
fn still_there(system: &System, predicates: &Predicates, way: &Way) -> bool {
    let mut literals = predicates.abstraction(system, &system.goals[way.goal]);
    for operator in way.operators.iter().rev() {
        let after = predicates.region(system, &literals).and_then(|region| system.waiting(region));
        let before = after.and_then(|after| system.before(&after, &system.operators[*operator].0));
        let Some(before) = before else { return false };
        literals = predicates.abstraction(system, &before);
    }
    let start = at_start(system, predicates);
    literals.iter().zip(&start).all(|(its, all)| its & !all == 0)
}

/// The comparisons that bound a region.
fn bounds(system: &System, region: &Region) -> Vec<Predicate> {
    let mut bounds = Vec::new();
    for factor in (0..system.factors()).filter(|factor| system.slots[*factor].is_some()) {
        let values = system.range(factor).len();
        let held: Vec<usize> = system.held(&region.cube, factor).collect();
        let (Some(first), Some(last)) = (held.first(), held.last()) else { continue };
        if system.is_location(factor) || held.len() == values {
            continue;
        }
        let mut add = |range: std::ops::Range<usize>| bounds.push(Predicate::within(factor, values, range));
        if held.len() == 1 {
            add(*first..first + 1);
            continue;
        }
        let holes = (0..values).filter(|value| !held.contains(value));
        if held.len() + 1 == values {
            holes.for_each(|hole| add(hole..hole + 1));
            continue;
        }
        if *first > 0 {
            add(*first..values);
        }
        if last + 1 < values {
            add(0..last + 1);
        }
        holes.filter(|hole| hole > first && hole < last).for_each(|hole| add(hole..hole + 1));
    }
    let rows = system.clocks.len() + 1;
    for (left, right) in (0..rows).flat_map(|left| (0..rows).map(move |right| (left, right))) {
        let bound = region.zone.get(left, right);
        let trivial = left == 0 && bound == Bound::ZERO_LE;
        if left != right && !bound.is_infinite() && !trivial {
            bounds.push(clock_predicate(Constraint::new(left, right, bound)));
        }
    }
    bounds
}
