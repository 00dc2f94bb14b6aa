//! Conditions without what is removed: one that is true wherever the original is (upper), or only where it is
//! (lower). An atom that depends on something removed is true, or false; what consists of atoms is put together
//! again, `!` changing sides.
//!
//! Where an evaluation fails matters, too.
//! - A *guard* that fails disables an edge: its upper approximation may fail only where the original fails or is
//!   false; a lower one, where it fails or is true. Conjunctions keep that of the upper ones of their parts, and
//!   disjunctions of the lower ones. Of an upper disjunction, no part may fail that has lost something: where
//!   the part is false in the original, another one may be true.
//! - Where a *goal* fails, nobody can say: an approximation never does, and is true (or false, a lower one) also
//!   where the original fails. So atoms that may fail are lost, too. Disjunctions keep that of the upper ones of
//!   their parts. Of an upper conjunction, nothing stays that follows on a part that may fail: it would not have
//!   been evaluated.

use super::cut::Scope;
use beeline_ir::expr::{Expr, Quantifier, UnaryOp};

/// On which side the approximation may be wrong.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Side {
    /// True wherever the original is.
    Upper,
    /// True only where the original is.
    Lower,
}

impl Side {
    fn other(self) -> Self {
        match self {
            Self::Upper => Self::Lower,
            Self::Lower => Self::Upper,
        }
    }
    /// The approximation of something of which nothing is known.
    fn unknown(self) -> Expr {
        match self {
            Self::Upper => Expr::TRUE,
            Self::Lower => Expr::FALSE,
        }
    }
}

/// What a failing evaluation means.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Failing {
    /// The same as false.
    Guard,
    /// That nobody can say.
    Goal,
}

/// An approximation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Approximation {
    pub expr: Expr,
    /// Whether it is not the original.
    pub lost: bool,
}

impl Approximation {
    fn unknown(side: Side) -> Self {
        Self { expr: side.unknown(), lost: true }
    }
}

impl Scope<'_> {
    /// Approximates a condition.
    pub fn approximate(&self, e: &Expr, side: Side, failing: Failing) -> Approximation {
        let fails = failing == Failing::Goal && self.may_fail(e);
        if !fails && !self.loses(e) {
            return Approximation { expr: self.keep(e), lost: false };
        }
        match e {
            Expr::Unary(UnaryOp::Not, inner) => {
                let inner = self.approximate(inner, side.other(), failing);
                let expr = match inner.expr {
                    Expr::Const(value) => Expr::Const(i64::from(value == 0)),
                    expr => expr.negated(),
                };
                Approximation { expr, ..inner }
            }
            Expr::And(parts) => self.junction(parts, side, failing, Side::Upper),
            Expr::Or(parts) => self.junction(parts, side, failing, Side::Lower),
            Expr::Quantified(quantifier, local, range, body) => {
                let narrow = match quantifier {
                    Quantifier::Forall => Side::Upper,
                    Quantifier::Exists => Side::Lower,
                    Quantifier::Sum => return Approximation::unknown(side),
                };
                let approximation = self.approximate(body, side, failing);
                let spoilt = match failing {
                    Failing::Guard => side != narrow && self.may_fail(&approximation.expr),
                    Failing::Goal => side == narrow && self.may_fail(body),
                };
                if spoilt || matches!(approximation.expr, Expr::Const(_)) {
                    return Approximation::unknown(side);
                }
                let expr = Expr::Quantified(*quantifier, *local, *range, Box::new(approximation.expr));
                // There may be too many values.
                if failing == Failing::Goal && self.may_fail(&expr) {
                    return Approximation::unknown(side);
                }
                Approximation { expr, lost: true }
            }
            Expr::If(condition, then, otherwise) => {
                let first = self.approximate(then, side, failing).expr;
                let second = self.approximate(otherwise, side, failing).expr;
                let spoilt = failing == Failing::Goal && self.may_fail(condition);
                if !spoilt && !self.loses(condition) {
                    let condition = Box::new(self.keep(condition));
                    return Approximation {
                        expr: Expr::If(condition, Box::new(first), Box::new(second)),
                        lost: true,
                    };
                }
                let spoilt = spoilt || self.may_fail(&first) || self.may_fail(&second);
                if spoilt || first == side.unknown() || second == side.unknown() {
                    return Approximation::unknown(side);
                }
                let both = vec![first, second];
                let expr = if side == Side::Upper { Expr::Or(both) } else { Expr::And(both) };
                Approximation { expr, lost: true }
            }
            _ => Approximation::unknown(side),
        }
    }

    /// A conjunction, or a disjunction, of which something is lost. `narrow`: the side on which an unknown part
    /// says nothing.
    fn junction(&self, parts: &[Expr], side: Side, failing: Failing, narrow: Side) -> Approximation {
        let mut kept = Vec::new();
        for part in parts {
            let approximation = self.approximate(part, side, failing);
            let unknown = approximation.expr == side.unknown();
            if side == narrow {
                if !unknown {
                    kept.push(approximation.expr);
                }
                if failing == Failing::Goal && self.may_fail(part) {
                    break;
                }
            } else {
                let spoilt =
                    approximation.lost && failing == Failing::Guard && self.may_fail(&approximation.expr);
                if unknown || spoilt {
                    return Approximation::unknown(side);
                }
                kept.push(approximation.expr);
            }
        }
        let expr = match (kept.len(), narrow) {
            (0, _) => side.unknown(),
            (1, _) => kept.remove(0),
            (_, Side::Upper) => Expr::And(kept),
            (_, Side::Lower) => Expr::Or(kept),
        };
        Approximation { expr, lost: true }
    }

    /// The conjuncts of a guard that certainly do not fail.
    pub fn unfailing(&self, guard: Expr) -> Expr {
        match guard {
            Expr::And(parts) => {
                let mut parts: Vec<Expr> = parts.into_iter().map(|part| self.unfailing(part)).collect();
                parts.retain(|part| !part.is_true());
                crate::target::conjunction(parts)
            }
            guard if self.may_fail(&guard) => Expr::TRUE,
            guard => guard,
        }
    }
}
