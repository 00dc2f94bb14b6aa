//! What the labels of a path demand of the moments they happen at.
//!
//! A clock's value is the time since the event that set it last, plus what it was set to; so every clock atom at
//! an event is a difference constraint between events. "A receiver stays behind" and "nothing of higher priority
//! is enabled" are disjunctions: one alternative of each has to be chosen.

use super::times::{TimeConstraint, feasible, solve};
use crate::successors::candidate::{Candidate, Conjunction};
use beeline_ir::expr::ClockOp;
use beeline_ir::trace::Time;
use beeline_program::{ClockEffect, ConcreteAtom};

/// Since when a clock counts, and from what value.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Since {
    event: usize,
    value: i64,
}

/// The demands of a path, collected event by event.
#[derive(Clone, Debug)]
pub struct Demands {
    clocks: Vec<Since>,
    /// The current event; event 0 is the start.
    event: usize,
    constraints: Vec<TimeConstraint>,
    /// Of each of these, one alternative must hold.
    choices: Vec<Vec<Vec<TimeConstraint>>>,
}

impl Demands {
    /// At the start, with all clocks 0.
    pub fn new(clocks: usize) -> Self {
        let start = Since { event: 0, value: 0 };
        Self { clocks: vec![start; clocks], event: 0, constraints: Vec::new(), choices: Vec::new() }
    }

    /// The next event comes no earlier than the current one, and not later if time may not pass.
    pub fn advance(&mut self, may_delay: bool) {
        let (now, next) = (self.event, self.event + 1);
        self.constraints.push(TimeConstraint { later: now, earlier: next, bound: 0, strict: false });
        if !may_delay {
            self.constraints.push(TimeConstraint { later: next, earlier: now, bound: 0, strict: false });
        }
        self.event = next;
    }

    /// The clocks are set, now.
    pub fn apply(&mut self, effects: &[ClockEffect]) {
        for effect in effects {
            match *effect {
                ClockEffect::Set(clock, value) => {
                    self.clocks[clock.index()] = Since { event: self.event, value };
                }
                ClockEffect::Copy(clock, from) => self.clocks[clock.index()] = self.clocks[from.index()],
            }
        }
    }

    /// All atoms hold now.
    pub fn require(&mut self, atoms: &Conjunction) {
        for atom in atoms {
            let constraints = self.translate(atom);
            self.constraints.extend(constraints);
        }
    }

    /// The conjunction does not hold now.
    pub fn exclude(&mut self, atoms: &Conjunction) {
        let alternatives = self.alternatives(atoms);
        self.choices.push(alternatives);
    }

    /// The candidate is not enabled now.
    pub fn disable(&mut self, candidate: &Candidate) {
        let mut alternatives = self.alternatives(&candidate.required);
        // It is not enabled either where a receiver that it leaves behind would join.
        for conjunction in &candidate.excluded {
            alternatives.push(conjunction.iter().flat_map(|atom| self.translate(atom)).collect());
        }
        self.choices.push(alternatives);
    }

    /// One of the conjunctions holds now.
    pub fn require_one(&mut self, alternatives: &[Vec<ConcreteAtom>]) {
        let translate = |atoms: &Vec<ConcreteAtom>| atoms.iter().flat_map(|a| self.translate(a)).collect();
        let alternatives = alternatives.iter().map(translate).collect();
        self.choices.push(alternatives);
    }

    /// The ways in which a conjunction can fail to hold.
    fn alternatives(&self, atoms: &Conjunction) -> Vec<Vec<TimeConstraint>> {
        let mut alternatives = Vec::new();
        for atom in atoms {
            let negations: &[ClockOp] = match atom.op {
                ClockOp::Lt => &[ClockOp::Ge],
                ClockOp::Le => &[ClockOp::Gt],
                ClockOp::Eq => &[ClockOp::Lt, ClockOp::Gt],
                ClockOp::Ge => &[ClockOp::Lt],
                ClockOp::Gt => &[ClockOp::Le],
            };
            alternatives
                .extend(negations.iter().map(|op| self.translate(&ConcreteAtom { op: *op, ..*atom })));
        }
        alternatives
    }

    fn translate(&self, atom: &ConcreteAtom) -> Vec<TimeConstraint> {
        let x = self.clocks[atom.left.index()];
        // left - right = (t_now - t_x + v_x) - (t_now - t_y + v_y), and t_now - t_x + v_x without a right side.
        let (plus, minus, offset) = match atom.right {
            None => (self.event, x.event, x.value),
            Some(right) => {
                let y = self.clocks[right.index()];
                (y.event, x.event, x.value - y.value)
            }
        };
        let bound = atom.bound - offset;
        let upper = |strict| TimeConstraint { later: plus, earlier: minus, bound, strict };
        let lower = |strict| TimeConstraint { later: minus, earlier: plus, bound: -bound, strict };
        match atom.op {
            ClockOp::Lt => vec![upper(true)],
            ClockOp::Le => vec![upper(false)],
            ClockOp::Eq => vec![upper(false), lower(false)],
            ClockOp::Ge => vec![lower(false)],
            ClockOp::Gt => vec![lower(true)],
        }
    }

    /// Times of all events, or `None` if the demands contradict each other.
    pub fn times(&self) -> Option<Vec<Time>> {
        let events = self.event + 1;
        let mut constraints = self.constraints.clone();
        // Where there is only one alternative there is no choice; those come first.
        let (certain, choices): (Vec<_>, Vec<_>) = self.choices.iter().partition(|c| c.len() == 1);
        constraints.extend(certain.into_iter().flatten().flatten());
        // Depth first over the choices; `chosen` remembers the alternative and where its constraints start.
        let mut chosen: Vec<(usize, usize)> = Vec::new();
        let mut next = 0;
        while let Some(alternatives) = choices.get(chosen.len()) {
            let start = constraints.len();
            let fits = (next..alternatives.len()).find(|i| {
                constraints.truncate(start);
                constraints.extend_from_slice(&alternatives[*i]);
                feasible(events, &constraints)
            });
            if let Some(alternative) = fits {
                chosen.push((alternative, start));
                next = 0;
            } else {
                let (last, start) = chosen.pop()?;
                constraints.truncate(start);
                next = last + 1;
            }
        }
        solve(events, &constraints)
    }
}
