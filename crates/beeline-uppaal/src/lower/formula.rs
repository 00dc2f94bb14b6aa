//! Conditions that mix numbers and clocks. A guard becomes a disjunction of conjunctions: one edge for each. An
//! integer condition beside clocks does not split anything: `p || x < 5` is the constraint `x < 5` where `!p`.

use beeline_ir::ClockId;
use beeline_ir::expr::{ClockAtom, ClockOp, Expr};
use beeline_ir::origin::Span;

use super::fault::{Fault, Res};
use super::fold::{and, cond, not, or};

/// Alternatives that one condition may be split into.
const MAX_ALTERNATIVES: usize = 64;

/// `clock' == rate`
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Rate {
    pub clock: ClockId,
    pub when: Option<Expr>,
    pub rate: Expr,
    pub span: Span,
}

/// A condition.
#[derive(Clone, Debug)]
pub(super) enum Formula {
    Pure(Expr),
    Atom(ClockAtom),
    Rate(Rate),
    Deadlock,
    Not(Box<Formula>),
    And(Vec<Formula>),
    Or(Vec<Formula>),
    If(Expr, Box<Formula>, Box<Formula>),
}

/// A conjunction: the part without clocks, and the clock constraints.
#[derive(Clone, Debug)]
pub(super) struct Conjunction {
    pub pure: Expr,
    pub atoms: Vec<ClockAtom>,
    pub rates: Vec<Rate>,
}

impl Conjunction {
    fn pure(pure: Expr) -> Self {
        Self { pure, atoms: Vec::new(), rates: Vec::new() }
    }
    fn is_pure(&self) -> bool {
        self.atoms.is_empty() && self.rates.is_empty()
    }
    /// The clock constraints matter only where the condition holds.
    fn only_when(mut self, condition: &Expr) -> Self {
        let whens =
            self.atoms.iter_mut().map(|a| &mut a.when).chain(self.rates.iter_mut().map(|r| &mut r.when));
        for when in whens {
            *when = Some(and([condition.clone()].into_iter().chain(when.take()).collect()));
        }
        self
    }
}

impl Formula {
    /// The condition as an expression of a property.
    pub(super) fn property(self) -> Res<Expr> {
        Ok(match self {
            Self::Pure(e) => e,
            Self::Atom(atom) => Expr::Clock(Box::new(atom)),
            Self::Rate(rate) => return Err(rate_misplaced(rate.span)),
            Self::Deadlock => Expr::Deadlock,
            Self::Not(inner) => not(inner.property()?),
            Self::And(all) => and(all.into_iter().map(|f| f.property()).collect::<Res<_>>()?),
            Self::Or(all) => or(all.into_iter().map(|f| f.property()).collect::<Res<_>>()?),
            Self::If(c, a, b) => cond(c, a.property()?, b.property()?),
        })
    }

    /// The condition (or its negation) as alternatives.
    pub(super) fn alternatives(self, positive: bool, span: Span) -> Res<Vec<Conjunction>> {
        Ok(match self {
            Self::Pure(e) => vec![Conjunction::pure(if positive { e } else { not(e) })],
            Self::Atom(atom) if positive => {
                vec![Conjunction { pure: Expr::TRUE, atoms: vec![atom], rates: Vec::new() }]
            }
            Self::Atom(atom) => opposites(atom.op)
                .iter()
                .map(|op| Conjunction {
                    pure: atom.when.clone().unwrap_or(Expr::TRUE),
                    atoms: vec![ClockAtom { when: None, op: *op, ..atom.clone() }],
                    rates: Vec::new(),
                })
                .collect(),
            Self::Rate(rate) if positive => {
                vec![Conjunction { pure: Expr::TRUE, atoms: Vec::new(), rates: vec![rate] }]
            }
            Self::Rate(rate) => return Err(rate_misplaced(rate.span)),
            Self::Deadlock => return Err(Fault::error("E0543", "`deadlock` stands only in queries", span)),
            Self::Not(inner) => inner.alternatives(!positive, span)?,
            Self::And(all) if positive => all_of(all, positive, span)?,
            Self::Or(all) if !positive => all_of(all, positive, span)?,
            Self::And(all) | Self::Or(all) => one_of(all, positive, span)?,
            Self::If(c, a, b) => {
                let (a, b) = (a.alternatives(positive, span)?, b.alternatives(positive, span)?);
                choice(&c, a, b)
            }
        })
    }
}

fn rate_misplaced(span: Span) -> Fault {
    Fault::error("E0543", "the rate of a clock stands only in the conjunction of an invariant", span)
}

fn opposites(op: ClockOp) -> &'static [ClockOp] {
    match op {
        ClockOp::Lt => &[ClockOp::Ge],
        ClockOp::Le => &[ClockOp::Gt],
        ClockOp::Eq => &[ClockOp::Lt, ClockOp::Gt],
        ClockOp::Ge => &[ClockOp::Lt],
        ClockOp::Gt => &[ClockOp::Le],
    }
}

fn few(alternatives: Vec<Conjunction>, span: Span) -> Res<Vec<Conjunction>> {
    if alternatives.len() > MAX_ALTERNATIVES {
        let message =
            format!("a condition with more than {MAX_ALTERNATIVES} alternatives of clock constraints");
        return Err(Fault::unsupported("U0531", message, span).help("split the edge by hand"));
    }
    Ok(alternatives)
}

fn all_of(all: Vec<Formula>, positive: bool, span: Span) -> Res<Vec<Conjunction>> {
    let mut product = vec![Conjunction::pure(Expr::TRUE)];
    for part in all {
        let part = part.alternatives(positive, span)?;
        let mut next = Vec::new();
        for left in &product {
            for right in &part {
                let pure = and(vec![left.pure.clone(), right.pure.clone()]);
                if pure == Expr::FALSE {
                    continue;
                }
                let mut both = left.clone();
                both.pure = pure;
                both.atoms.extend(right.atoms.iter().cloned());
                both.rates.extend(right.rates.iter().cloned());
                next.push(both);
            }
        }
        product = few(next, span)?;
    }
    Ok(if product.is_empty() { vec![Conjunction::pure(Expr::FALSE)] } else { product })
}

fn one_of(all: Vec<Formula>, positive: bool, span: Span) -> Res<Vec<Conjunction>> {
    let mut pure = Vec::new();
    let mut timed = Vec::new();
    for part in all {
        for alternative in part.alternatives(positive, span)? {
            if alternative.is_pure() {
                pure.push(alternative.pure);
            } else if alternative.pure != Expr::FALSE {
                timed.push(alternative);
            }
        }
        few(timed.clone(), span)?;
    }
    let pure = or(pure);
    if pure == Expr::TRUE || timed.is_empty() {
        return Ok(vec![Conjunction::pure(pure)]);
    }
    if pure == Expr::FALSE {
        return Ok(timed);
    }
    match timed.pop() {
        Some(only) if timed.is_empty() => {
            let mut only = only.only_when(&not(pure.clone()));
            only.pure = or(vec![pure, only.pure]);
            Ok(vec![only])
        }
        last => {
            timed.extend(last);
            timed.push(Conjunction::pure(pure));
            few(timed, span)
        }
    }
}

fn choice(c: &Expr, mut a: Vec<Conjunction>, mut b: Vec<Conjunction>) -> Vec<Conjunction> {
    if let ([_], [_]) = (a.as_slice(), b.as_slice())
        && let (Some(a), Some(b)) = (a.pop(), b.pop())
    {
        let (mut a, b) = (a.only_when(c), b.only_when(&not(c.clone())));
        a.pure = cond(c.clone(), a.pure, b.pure);
        a.atoms.extend(b.atoms);
        a.rates.extend(b.rates);
        return vec![a];
    }
    let restrict = |mut x: Conjunction, c: Expr| {
        x.pure = and(vec![c, x.pure]);
        x
    };
    let first = a.into_iter().map(|x| restrict(x, c.clone()));
    first.chain(b.into_iter().map(|x| restrict(x, not(c.clone())))).collect()
}
