//! Constraints on clocks, with their bounds evaluated, and sets of clock values seen through them. What labels, rules
//! and firing have to say about clocks is said in constraints on the clocks of the *source* state; a set of clock
//! values needs only to know how to meet one. There are three: the moments of one concrete run ([`crate::line`]),
//! zones ([`crate::zone`]), and [`Anytime`], for questions that clocks have no part in.

use beeline_ir::ClockId;
use beeline_ir::expr::ClockOp;

use crate::fork::{Halt, Meter};

/// `left - right op bound`; a missing clock is the constant 0.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Constraint {
    pub left: Option<ClockId>,
    pub right: Option<ClockId>,
    pub op: ClockOp,
    pub bound: i64,
}

impl Constraint {
    /// The constraints of which one holds iff this one does not.
    pub fn negations(&self) -> Vec<Constraint> {
        self.op.negations().iter().map(|op| Constraint { op: *op, ..*self }).collect()
    }
}

/// A non-empty set of clock values.
pub(crate) trait ClockSet: Clone {
    /// Those that meet the constraint; `None` if there are none.
    fn meet(&self, constraint: &Constraint) -> Option<Self>;
    /// The steps of a check that meeting a constraint counts for.
    fn work(&self) -> u64 {
        1
    }
}

/// Clock values nobody asks about: every constraint may be met.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Anytime;

impl ClockSet for Anytime {
    fn meet(&self, _: &Constraint) -> Option<Self> {
        Some(Self)
    }
}

/// A set of clock values, and the constraints that cut it out of the set one began with.
#[derive(Clone, Debug)]
pub(crate) struct Cut<T> {
    pub set: T,
    pub constraints: Vec<Constraint>,
}

impl<T: ClockSet> Cut<T> {
    /// All of a set.
    pub fn all(set: T) -> Self {
        Self { set, constraints: Vec::new() }
    }
    /// What meets all the constraints.
    pub fn meet(&self, constraints: &[Constraint]) -> Option<Self> {
        let mut cut = self.clone();
        for constraint in constraints {
            cut.set = cut.set.meet(constraint)?;
            cut.constraints.push(*constraint);
        }
        Some(cut)
    }
    /// What does not meet all the constraints, in disjoint pieces.
    pub fn minus(&self, constraints: &[Constraint]) -> Vec<Self> {
        let mut pieces = Vec::new();
        let mut rest = self.clone();
        for constraint in constraints {
            pieces.extend(constraint.negations().iter().filter_map(|n| rest.meet(std::slice::from_ref(n))));
            match rest.meet(std::slice::from_ref(constraint)) {
                Some(next) => rest = next,
                None => return pieces,
            }
        }
        pieces
    }
    /// What is in one of the pieces and does not meet all the constraints.
    pub fn minus_all(
        pieces: Vec<Self>,
        constraints: &[Constraint],
        meter: &mut Meter,
    ) -> Result<Vec<Self>, Halt> {
        let mut rest = Vec::new();
        for piece in pieces {
            meter.meets(&piece.set, constraints.len())?;
            rest.extend(piece.minus(constraints));
        }
        Ok(rest)
    }
}

/// What a clock is worth after some statements.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Term {
    /// What this clock was worth in the source state.
    Source(ClockId),
    /// A number.
    Const(i64),
}

/// The worth of every clock, in terms of the source state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Terms(Vec<Term>);

/// A constraint on clocks after some statements, in terms of the source state.
pub(crate) enum Rewritten {
    /// It holds, or does not, whatever the clocks.
    Fixed(bool),
    /// It holds iff this one does in the source state.
    Constraint(Constraint),
}

impl Terms {
    /// Every clock is what it was.
    pub fn unchanged(clocks: usize) -> Self {
        Self((0..clocks).map(|c| Term::Source(ClockId::new(c))).collect())
    }
    /// `clock := value`
    pub fn set(&mut self, clock: ClockId, value: i64) {
        self.0[clock.index()] = Term::Const(value);
    }
    /// `clock := other`
    pub fn copy(&mut self, clock: ClockId, other: ClockId) {
        self.0[clock.index()] = self.0[other.index()];
    }
    /// The terms, in order of clocks.
    pub fn iter(&self) -> std::slice::Iter<'_, Term> {
        self.0.iter()
    }
    /// The constraint in terms of the source state. Bounds and constants are at most 2^31 in size.
    pub fn rewrite(&self, constraint: &Constraint) -> Rewritten {
        let term = |clock: Option<ClockId>| clock.map_or(Term::Const(0), |c| self.0[c.index()]);
        let (left, right, bound) = match (term(constraint.left), term(constraint.right)) {
            (Term::Source(x), Term::Source(y)) if x != y => (Some(x), Some(y), constraint.bound),
            (Term::Source(_), Term::Source(_)) => (None, None, constraint.bound),
            (Term::Source(x), Term::Const(c)) => (Some(x), None, constraint.bound + c),
            (Term::Const(c), Term::Source(y)) => (None, Some(y), constraint.bound - c),
            (Term::Const(c), Term::Const(d)) => (None, None, constraint.bound - c + d),
        };
        if left.is_none() && right.is_none() {
            return Rewritten::Fixed(constraint.op.holds(&0, &bound));
        }
        Rewritten::Constraint(Constraint { left, right, op: constraint.op, bound })
    }
}
