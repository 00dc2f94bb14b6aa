//! Search when nothing is said: forward, and by turns refinement of an abstraction, each with ever more nodes. What has a
//! short proof or a small set of reachable states is found by the one, what depends on few of the variables by the other,
//! and neither takes more than a few times what it would alone.

use crate::Direction;
use crate::bdd::{Allowance, Made};
use crate::guidance::Guidance;
use crate::invariants;
use crate::refine::{Refined, Refinement};
use crate::search::{End, Search};
use crate::system::System;
use beeline_ir::limits::StopReason;
use beeline_ir::relation::Relation;

/// Nodes for the first turn of each.
const FIRST_TURN: u64 = 30_000;

/// Turns at which to find out what is known of all states: not before it is worth it, and again with more nodes.
const TURNS_TO_KNOW: [u64; 2] = [4 * FIRST_TURN, 64 * FIRST_TURN];

/// Searches by turns; says which one has the answer.
pub(crate) fn search(
    system: &System,
    relation: &Relation,
    guidance: &mut Guidance,
) -> (Made<End>, Direction) {
    let mut forward = Search::new(system, false);
    let mut refinement = Refinement::new(system, Vec::new());
    let end = by_turns(system, relation, &mut forward, &mut refinement);
    system.b.allow(Allowance::default());
    guidance.images = forward.images + refinement.images;
    guidance.lower_bound = forward.lower_bound().max(refinement.lower_bound);
    match end {
        Ok(Answer::Forward(end)) => (Ok(end), Direction::Forward),
        Ok(Answer::Refined(refined)) => {
            (guidance.take(system, relation, refined, refinement), Direction::Guided)
        }
        Err(reason) => (Err(reason), Direction::Auto),
    }
}

enum Answer {
    Forward(End),
    Refined(Refined),
}

fn by_turns(
    system: &System,
    relation: &Relation,
    forward: &mut Search<'_>,
    refinement: &mut Refinement<'_>,
) -> Made<Answer> {
    let b = &system.b;
    let mut turn = FIRST_TURN;
    loop {
        let allow = || b.allow(Allowance { nodes: Some(b.made().saturating_add(turn)), until: None });
        allow();
        match forward.run(Direction::Forward) {
            Err(StopReason::Work) => {}
            end => return end.map(Answer::Forward),
        }
        allow();
        if TURNS_TO_KNOW.contains(&turn) {
            refinement.know(invariants::find(system, relation)?);
            allow();
        }
        match refinement.run() {
            Err(StopReason::Work) => {}
            // There is nothing more to try.
            Ok(Refined::Open) => {
                b.allow(Allowance::default());
                return forward.run(Direction::Forward).map(Answer::Forward);
            }
            refined => return refined.map(Answer::Refined),
        }
        turn = turn.saturating_mul(2);
    }
}
