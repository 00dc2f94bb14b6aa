//! Predicates from the text of a network: what guards and invariants compare, and the target. Conjunctions, disjunctions and
//! negations are taken apart, and select variables get all their values.

use super::grounding::{Grounding, clock_predicate};
use super::predicates::Predicate;
use super::system::System;
use crate::factors::Source;
use beeline_ir::expr::{Expr, Range, UnaryOp};
use beeline_ir::limits::StopReason;
use beeline_ir::property::{Property, Target};
use beeline_ir::stmt::Local;
use beeline_ir::visit::walk;
use beeline_program::edge::{first_selects, next_selects};
use beeline_program::factored::Meter;
use beeline_program::rewrite::rewrite;
use beeline_program::{Machine, Predicate as Compiled};
use beeline_zones::Constraint;
use std::collections::BTreeSet;

/// Values of all slots that a predicate reads, together.
const MOST_COMBINATIONS: usize = 4096;
/// Choices of select values of one edge.
const MOST_CHOICES: u128 = 64;
/// Predicates on integers, and on clocks.
const MOST_PREDICATES: usize = 512;

/// The predicates of a network.
pub(super) fn predicates(
    grounding: &mut Grounding<'_>,
    system: &System,
    property: &Property,
    meter: &Meter<'_>,
) -> Result<Vec<Predicate>, StopReason> {
    let mut pieces: Vec<(Vec<Local>, Expr)> = Vec::new();
    let network = &grounding.network;
    for process in &network.processes {
        for location in &process.locations {
            pieces.push((location.frame.clone(), location.condition.clone()));
        }
        for edge in &process.edges {
            let ranges: Vec<Range> = edge.frame.iter().take(edge.selects).map(|local| local.range).collect();
            let choices = ranges.iter().fold(1u128, |all, range| all.saturating_mul(range.size()));
            if edge.guard == Expr::Const(1) || choices > MOST_CHOICES {
                continue;
            }
            let mut selects = Vec::new();
            let mut more = first_selects(&ranges, &mut selects);
            while more {
                let given = &mut |part: &Expr| match part {
                    Expr::Local(local) => selects.get(local.index()).map(|value| Expr::Const(*value)),
                    _ => None,
                };
                pieces.push((edge.frame.clone(), rewrite(&edge.guard, given)));
                more = next_selects(&ranges, &mut selects);
            }
        }
    }
    if let Target::State(target) = property.target() {
        pieces.push((property.frame.clone(), target));
    }
    let mut leaves: Vec<(Vec<Local>, Expr)> = Vec::new();
    for (frame, piece) in pieces {
        take_apart(&frame, &piece, &mut leaves);
    }
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    for (frame, leaf) in leaves {
        if let Some(predicate) = tabulate(grounding, system, &frame, &leaf, meter)?
            && seen.len() < MOST_PREDICATES
            && seen.insert(predicate.clone())
        {
            found.push(predicate);
        }
    }
    let of_places = system.places.iter().flatten().flatten().flat_map(|place| &place.invariant);
    let of_labels = system.operators.iter().flat_map(|(operator, _)| &operator.guard);
    let mut clocks: Vec<Constraint> = of_places.chain(of_labels).copied().collect();
    for goal in &system.goals {
        clocks.extend(beeline_zones::minimal(&goal.zone));
    }
    let clocks: BTreeSet<Predicate> = clocks.into_iter().map(clock_predicate).collect();
    found.extend(clocks.into_iter().take(MOST_PREDICATES));
    Ok(found)
}

/// The pieces of a condition that are not made of other conditions.
fn take_apart(frame: &[Local], condition: &Expr, leaves: &mut Vec<(Vec<Local>, Expr)>) {
    match condition {
        Expr::Const(_) | Expr::Clock(_) | Expr::Deadlock => {}
        Expr::And(parts) | Expr::Or(parts) => parts.iter().for_each(|part| take_apart(frame, part, leaves)),
        Expr::Unary(UnaryOp::Not, inner) => take_apart(frame, inner, leaves),
        leaf => {
            let mut beyond = false;
            walk(leaf, &mut |part| {
                beyond |= matches!(part, Expr::Clock(_) | Expr::Deadlock | Expr::Enabled(..) | Expr::Timeout);
            });
            if !beyond {
                leaves.push((frame.to_vec(), leaf.clone()));
            }
        }
    }
}

/// A condition as a table over the factors that it reads; `None` if it reads something else, or too much, or says nothing.
fn tabulate(
    grounding: &mut Grounding<'_>,
    system: &System,
    frame: &[Local],
    condition: &Expr,
    meter: &Meter<'_>,
) -> Result<Option<Predicate>, StopReason> {
    let Grounding { program, network, .. } = grounding;
    let Ok(Compiled::Discrete(routine)) = program.compile_predicate(network, frame, condition) else {
        return Ok(None);
    };
    let mut factors = Vec::new();
    for slot in program.routines[routine].reads.iter() {
        let its = |(source, _): &(Source, _)| matches!(source, Source::Slot(its, ..) if *its == slot);
        let factor = system.atomic.factors.iter().position(its);
        match factor.filter(|factor| system.slots[*factor].is_some()) {
            Some(factor) => factors.push((slot, factor)),
            // A constant of the projection need not be one of the network, but has the same value everywhere.
            None => return Ok(None),
        }
    }
    let size =
        factors.iter().fold(1usize, |all, (_, factor)| all.saturating_mul(system.range(*factor).len()));
    if factors.is_empty() || size > MOST_COMBINATIONS {
        return Ok(None);
    }
    factors.sort_unstable_by_key(|(_, factor)| *factor);
    let mut machine = Machine::new(program);
    let mut state = program.layout.initial(network);
    let mut truth = Vec::with_capacity(size);
    for place in 0..size {
        let mut rest = place;
        for (slot, factor) in factors.iter().rev() {
            let values = system.range(*factor).len();
            let least = system.slots[*factor].map_or(0, |(_, least)| least);
            state[*slot] = least + (rest % values) as i64;
            rest /= values;
        }
        let answer = machine.eval(program, routine, &state, &[]);
        truth.push(answer.ok().map(|value| value != 0));
        meter.work(8)?;
    }
    if truth.iter().all(|one| *one == truth[0]) {
        return Ok(None);
    }
    Ok(Some(match &*factors {
        [(_, factor)] => Predicate::Values { factor: *factor, truth },
        _ => Predicate::Relation { factors: factors.iter().map(|(_, factor)| *factor).collect(), truth },
    }))
}
