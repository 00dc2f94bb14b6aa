//! Search by turns, each with ever more nodes: forward; by refinement of an abstraction; and, if asked for, by the
//! estimates that this has come to. What has a short proof or a small set of reachable states is found by the one, what
//! depends on few of the variables by the others.
//!
//! Forward search pauses between layers. But for a head start, the others have nodes in proportion to what it has used up,
//! four times as many while their lower bounds are far ahead of it, and half as many while they are behind. So where they
//! are of no help from the start, all of it takes one and a half times what forward search takes alone, and never more
//! than five times.

use crate::approximate::Approximation;
use crate::bdd::{Bdd, Made};
use crate::database::Layers;
use crate::guidance::{Guidance, MOST_TO_KNOW};
use crate::guided::Guided;
use crate::invariants::{self, Known};
use crate::nearest::{Answer, Nearest};
use crate::search::{End, Search};
use crate::system::System;
use crate::{Direction, Options};
use std::rc::Rc;
use std::time::Instant;

/// A layer of forward search that takes so many times the nodes of a turn is given up, for now.
const MOST_TURNS: u64 = 4;

/// A bound whose proof takes so many times the nodes there are for refinement is given up, for now.
const MOST_TO_REFINE: u64 = 2;

/// How turns are taken.
struct Plan {
    /// Nodes for the first turn.
    first: u64,
    /// The turn at which to find out what all states have in common: not before it is worth it.
    know: usize,
    /// Nodes for that.
    most_to_know: u64,
    /// Nodes for the others before forward search has made any.
    head_start: u64,
    /// Whether to search by estimates, too.
    guided: bool,
    /// Whether to search forward: others may do so already.
    forward: bool,
    /// Nodes for the databases of each part of the target.
    most: u64,
    until: Option<Instant>,
}

impl Plan {
    fn new(options: &Options) -> Self {
        match options.direction {
            Direction::Guided => Self {
                first: 100_000,
                know: 0,
                most_to_know: options.database_nodes.min(MOST_TO_KNOW),
                head_start: 100_000,
                guided: true,
                // Who has all nodes there are for databases has no use for anything else.
                forward: options.database_nodes < u64::MAX,
                most: options.database_nodes,
                until: options.database_time.and_then(|time| Instant::now().checked_add(time)),
            },
            _ => Self {
                first: 30_000,
                know: 4,
                most_to_know: MOST_TO_KNOW,
                head_start: 0,
                guided: false,
                forward: true,
                most: u64::MAX,
                until: None,
            },
        }
    }
}

/// Searches by turns; says which one has the answer.
pub(crate) fn search(system: &System, options: &Options, guidance: &mut Guidance) -> (Made<End>, Direction) {
    let mut turns = Turns {
        system,
        options,
        plan: Plan::new(options),
        forward: Search::new(system, false),
        known: Vec::new(),
        approximation: Some(invariants::begin(system)),
        nearest: None,
        refining: true,
        refined: 0,
        guided: None,
    };
    let end = turns.run(guidance);
    guidance.images += turns.forward.images;
    guidance.lower_bound = guidance.lower_bound.max(turns.forward.lower_bound());
    match end {
        Ok((end, direction)) => (Ok(end), direction),
        Err(reason) => (Err(reason), options.direction),
    }
}

struct Turns<'s> {
    system: &'s System,
    options: &'s Options,
    plan: Plan,
    forward: Search<'s>,
    /// What is known of all states, and the work of finding out more.
    known: Vec<Bdd>,
    approximation: Option<Approximation<'s>>,
    nearest: Option<Nearest<'s>>,
    /// There is more to refine, and room for it.
    refining: bool,
    /// Nodes made by refinement.
    refined: u64,
    /// The search by what refinement has come to, once that is over.
    guided: Option<Guided<'s>>,
}

impl<'s> Turns<'s> {
    fn run(&mut self, guidance: &mut Guidance) -> Made<(End, Direction)> {
        let b = &self.system.b;
        // What the others may make, and have made.
        let (mut turn, mut allowed, mut others) = (self.plan.first, self.plan.head_start, 0);
        let mut at = 0;
        loop {
            let nodes = if self.plan.forward { u64::saturating_sub(allowed, others) } else { turn };
            let before = b.made();
            if nodes > 0
                && let Some(end) = self.others(at, nodes, guidance)?
            {
                return Ok((end, Direction::Guided));
            }
            others += b.made() - before;
            // Alone, forward search needs no pause.
            let alone = !self.refining && !self.plan.guided;
            let pause = if alone { u64::MAX } else { turn };
            let before = b.made();
            if self.plan.forward
                && let Some(Some(end)) = b.within(pause.saturating_mul(MOST_TURNS), None, || {
                    self.forward.run_for(pause, Direction::Forward)
                })?
            {
                return Ok((end, Direction::Forward));
            }
            let (share, of) = self.share();
            allowed += (b.made() - before) / of * share;
            (at, turn) = (at + 1, turn.saturating_add(turn / 2));
        }
    }
    /// How many nodes the others may make for so many of forward search. Each has shown that no run is shorter than so many
    /// steps, and who is far behind will hardly be the one with the answer.
    fn share(&self) -> (u64, u64) {
        let layers = self.forward.lower_bound();
        match self.nearest.as_ref().map(Nearest::lower_bound) {
            None => (1, 1),
            Some(bound) if bound >= 2 * layers => (4, 1),
            Some(bound) if bound > layers => (2, 1),
            Some(_) => (1, 2),
        }
    }
    /// Refines, and searches by what has come of that, for so many nodes.
    fn others(&mut self, turn: usize, nodes: u64, guidance: &mut Guidance) -> Made<Option<End>> {
        let b = &self.system.b;
        let most = b.made().saturating_add(nodes);
        let left = || most.saturating_sub(b.made());
        if turn >= self.plan.know {
            self.know(nodes)?;
        }
        if self.refining
            && (turn < self.plan.know || self.approximation.is_none())
            && let Some(end) = self.refine(left(), guidance)?
        {
            return Ok(Some(end));
        }
        // Around several parts, layers are too many to be worth it as long as there is something else to do.
        let (plan, refining) = (&self.plan, self.refining);
        let ready = |nearest: &&Nearest<'_>| plan.guided && (!refining || nearest.parts() == 1);
        let Some(nearest) = self.nearest.as_ref().filter(ready) else { return Ok(None) };
        let guided = &mut self.guided;
        let end = b.within(left(), None, || {
            let guided = match guided {
                Some(guided) => guided,
                none => {
                    let databases: Vec<Layers> = nearest.together(false)?.into_iter().collect();
                    none.insert(Guided::new(self.system, databases))
                }
            };
            guidance.guided(guided)
        })?;
        let Some(end) = end else {
            // While databases change, it begins anew each time.
            self.guided = self.guided.take().filter(|_| !refining);
            return Ok(None);
        };
        guidance.report_widest(self.system, nearest)?;
        nearest.with_closed(end).map(Some)
    }
    /// Finds out what all states have in common, for so many nodes; after that, refinement begins anew.
    fn know(&mut self, nodes: u64) -> Made<()> {
        let Self { system, plan, approximation, .. } = self;
        let Some(work) = approximation else { return Ok(()) };
        let before = system.b.made();
        let done = system.b.within(nodes.min(plan.most_to_know), plan.until, || work.run())?;
        plan.most_to_know = plan.most_to_know.saturating_sub(system.b.made() - before);
        if done.is_some() || plan.most_to_know == 0 || plan.until.is_some_and(|until| Instant::now() >= until)
        {
            (self.known, self.nearest, self.approximation) = (work.sets(), None, None);
        }
        Ok(())
    }
    fn refine(&mut self, nodes: u64, guidance: &mut Guidance) -> Made<Option<End>> {
        let Self { system, plan, .. } = self;
        let b = &system.b;
        let before = b.made();
        // A part of the nodes is for the search that goes by a single database.
        let parts = self.nearest.as_ref().map_or(1, |nearest| nearest.parts() as u64);
        let nodes = if plan.guided && parts == 1 { nodes - nodes / 4 } else { nodes };
        let nodes = nodes.min(plan.most.saturating_mul(parts).saturating_sub(self.refined));
        let answer = b.within(nodes.saturating_mul(MOST_TO_REFINE), plan.until, || {
            let nearest = match &mut self.nearest {
                Some(nearest) => nearest,
                none => {
                    let known = Rc::new(Known::new(self.known.clone(), system)?);
                    none.insert(Nearest::new(system, &known)?)
                }
            };
            let before = nearest.images();
            let answer = nearest.run_for(nodes);
            guidance.images += nearest.images() - before;
            guidance.lower_bound = guidance.lower_bound.max(nearest.lower_bound());
            answer
        })?;
        let answer = answer.flatten();
        self.refined += b.made() - before;
        let Some(nearest) = &self.nearest else { return Ok(None) };
        self.refining = self.refined < plan.most.saturating_mul(nearest.parts() as u64)
            && plan.until.is_none_or(|until| Instant::now() < until)
            && !matches!(answer, Some(Answer::Open));
        let taken = answer.map(|answer| guidance.take(system, answer, nearest, self.options));
        taken.transpose().map(Option::flatten)
    }
}
