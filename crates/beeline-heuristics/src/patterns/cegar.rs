//! Counterexample-guided choice of a pattern: begin with what the target is about, without clocks, and try the shortest
//! ways of the projection in the network. Where they fail, add what the projection did not see there, and begin anew. If
//! one does not fail, it is a shortest trace; if the projection has none, the target is out of reach.
//!
//! Rovner, Sievers, Helmert, "Counterexample-guided abstraction refinement for pattern selection in optimal classical
//! planning", ICAPS 2019; there, for collections of patterns, and with a flaw drawn at random. Here the flaw is taken that
//! most of the places ask for where the ways end; what downward pattern refinement would keep comes first. Clocks are
//! elements of a pattern like others, added when asked for.

mod flaws;

use super::downward::{self, Reference};
use super::making::{Clocks, Frame, TIMES, board, database, no_pattern_fits, safe};
use super::{Board, Element};
use crate::pattern_database::{NoDatabase, PatternDatabase};
use crate::registry::{Making, NotMade};
use beeline_abstraction::projection::Pattern;
use beeline_engine::graph::follow::{Followed, Width, follow};
use beeline_ir::ClockId;
use beeline_program::factored::causal::CausalGraph;
use flaws::Flaws;
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

/// The database of the pattern that is left when nothing is asked for that fits. Databases made on the way have no more
/// than about [`TIMES`] as many entries in all as one may have.
pub fn refine(making: &Making<'_>, frame: Frame) -> Result<PatternDatabase, NotMade> {
    let mut board = board(making)?;
    let useful = downward::refine(&mut board, &safe(making), Reference::Current)?;
    let graph = CausalGraph::new(board.factored(), making.meter())?;
    let mut flaws = Flaws::new(&board, &graph, useful, frame.clocks != Clocks::None);
    let mut here = match database(making, &board.pattern(&start(&board), BTreeSet::new()), frame) {
        Ok(database) => database,
        Err(NoDatabase::TooLarge) => return Ok(no_pattern_fits()),
        Err(reason) => return Err(reason.into()),
    };
    // What does not fit does not fit later, either.
    let mut left_out: BTreeSet<Lack> = BTreeSet::new();
    let mut allowance = frame.most.saturating_mul(TIMES);
    loop {
        let ends = match follow(making.network, making.property, &mut here, WIDTH, making.limits())? {
            Followed::Target => {
                here.remark_on_pattern("a shortest trace was met while it was chosen");
                return Ok(here);
            }
            Followed::Nowhere => return Ok(here),
            Followed::DeadEnds(ends) => ends,
        };
        here = loop {
            let lack = flaws.worst(&mut here, &ends, &left_out, making.limits())?;
            let Some(lack) = lack.filter(|_| allowance > 0) else { return Ok(here) };
            let mut wider = here.pattern().clone();
            lack.add_to(&mut wider);
            match database(making, &wider, frame) {
                Ok(database) if lack.is_in(database.pattern()) => {
                    allowance = allowance.saturating_sub(database.entries().max(1));
                    break database;
                }
                // Where a clock cannot be digital, there is none.
                Ok(_) => {}
                Err(NoDatabase::TooLarge) => allowance = allowance.saturating_sub(frame.most),
                Err(reason) => return Err(reason.into()),
            }
            left_out.insert(lack);
        };
    }
}

/// What the target is about; if nothing could meet it, what it names should show that.
fn start(board: &Board<'_>) -> BTreeSet<Element> {
    let goal = board.goal();
    if goal.is_empty() { board.named_by_target() } else { goal }
}
