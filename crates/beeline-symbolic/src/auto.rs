//! Search when nothing is said: forward, and by turns refinement of an abstraction, each with ever more nodes. What has a
//! short proof or a small set of reachable states is found by the one, what depends on few of the variables by the other,
//! and neither takes more than a few times what it would alone.

use crate::bdd::{Bdd, Made};
use crate::guidance::Guidance;
use crate::invariants::{self, Known};
use crate::nearest::{Answer, Nearest};
use crate::search::{End, Search};
use crate::system::System;
use crate::{Direction, Options};
use beeline_ir::relation::Relation;
use std::rc::Rc;

/// Nodes for the first turn of each.
const FIRST_TURN: u64 = 30_000;

/// Turns at which to find out what is known of all states: not before it is worth it, and again with more nodes.
const TURNS_TO_KNOW: [u64; 2] = [4 * FIRST_TURN, 64 * FIRST_TURN];

/// Searches by turns; says which one has the answer.
pub(crate) fn search(
    system: &System,
    relation: &Relation,
    options: &Options,
    guidance: &mut Guidance,
) -> (Made<End>, Direction) {
    let mut forward = Search::new(system, false);
    let mut refinement = Refiner { system, relation, known: Vec::new(), nearest: None };
    let by = by_turns(system, &mut forward, &mut refinement, guidance);
    let (end, direction) = match by {
        Ok(By::Forward(end)) => (Ok(end), Direction::Forward),
        Ok(By::Refinement(answer)) => match refinement.take(answer, guidance, options) {
            Ok(Some(end)) => (Ok(end), Direction::Guided),
            // There is nothing more to refine.
            Ok(None) => (forward.run(Direction::Forward), Direction::Forward),
            Err(reason) => (Err(reason), Direction::Auto),
        },
        Err(reason) => (Err(reason), Direction::Auto),
    };
    guidance.images += forward.images;
    guidance.lower_bound = guidance.lower_bound.max(forward.lower_bound());
    (end, direction)
}

/// Who has the answer.
enum By {
    Forward(End),
    Refinement(Answer),
}

fn by_turns(
    system: &System,
    forward: &mut Search<'_>,
    refinement: &mut Refiner<'_>,
    guidance: &mut Guidance,
) -> Made<By> {
    let b = &system.b;
    let mut turn = FIRST_TURN;
    loop {
        if let Some(end) = b.within(turn, None, || forward.run(Direction::Forward))? {
            return Ok(By::Forward(end));
        }
        if TURNS_TO_KNOW.contains(&turn) {
            refinement.know(turn)?;
        }
        if let Some(answer) = b.within(turn, None, || refinement.run(guidance))? {
            return Ok(By::Refinement(answer));
        }
        turn = turn.saturating_mul(2);
    }
}

/// Refinement, and what it knows of all states.
struct Refiner<'s> {
    system: &'s System,
    relation: &'s Relation,
    known: Vec<Bdd>,
    nearest: Option<Nearest<'s>>,
}

impl Refiner<'_> {
    /// Finds out more of all states; if there is more, refinement begins anew.
    fn know(&mut self, nodes: u64) -> Made<()> {
        let known = invariants::find(self.system, self.relation, nodes)?;
        if known != self.known {
            (self.known, self.nearest) = (known, None);
        }
        Ok(())
    }
    fn run(&mut self, guidance: &mut Guidance) -> Made<Answer> {
        let nearest = match &mut self.nearest {
            Some(nearest) => nearest,
            none => {
                let known = Rc::new(Known::new(self.known.clone(), self.system)?);
                none.insert(Nearest::new(self.system, self.relation, &known)?)
            }
        };
        let before = nearest.images();
        let answer = nearest.run();
        guidance.images += nearest.images() - before;
        guidance.lower_bound = guidance.lower_bound.max(nearest.lower_bound());
        answer
    }
    fn take(&self, answer: Answer, guidance: &mut Guidance, options: &Options) -> Made<Option<End>> {
        let Self { system, relation, nearest, .. } = self;
        let take = |nearest| guidance.take(system, relation, answer, nearest, options);
        nearest.as_ref().map_or(Ok(None), take)
    }
}
