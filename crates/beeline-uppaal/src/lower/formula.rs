//! Conditions that mix numbers and clocks. A guard becomes a disjunction of conjunctions: one edge for each. An
//! integer condition beside clocks does not split anything: `p || x < 5` is the constraint `x < 5` where `!p`.

use beeline_ir::ClockId;
use beeline_ir::expr::{ClockAtom, ClockOp, Expr};
use beeline_ir::origin::Span;

use super::fault::{Fault, Res};
use super::fold::{and, cond, may_fail, not, or, size};
use super::{HEAVY, Lower};

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
    fn only_when(mut self, condition: &Expr, lower: &mut Lower<'_>, span: Span) -> Res<Self> {
        let constraints = (self.atoms.len() + self.rates.len()) as u64;
        lower.pay(size(condition).saturating_mul(HEAVY * constraints), span)?;
        let whens =
            self.atoms.iter_mut().map(|a| &mut a.when).chain(self.rates.iter_mut().map(|r| &mut r.when));
        for when in whens {
            *when = Some(and([condition.clone()].into_iter().chain(when.take()).collect()));
        }
        Ok(self)
    }
    /// What a copy costs.
    fn size(&self) -> u64 {
        let constraints = self.atoms.iter().map(atom_size).chain(self.rates.iter().map(rate_size));
        constraints.fold(size(&self.pure), u64::saturating_add)
    }
}

fn atom_size(atom: &ClockAtom) -> u64 {
    HEAVY + size(&atom.bound) + atom.when.as_ref().map_or(0, size)
}

fn rate_size(rate: &Rate) -> u64 {
    HEAVY + size(&rate.rate) + rate.when.as_ref().map_or(0, size)
}

impl Formula {
    /// What a copy costs.
    pub(super) fn size(&self) -> u64 {
        match self {
            Self::Pure(e) => size(e),
            Self::Atom(atom) => atom_size(atom),
            Self::Rate(rate) => rate_size(rate),
            Self::Deadlock => 1,
            Self::Not(inner) => 1 + inner.size(),
            Self::And(all) | Self::Or(all) => all.iter().fold(1, |n, f| f.size().saturating_add(n)),
            Self::If(c, a, b) => size(c) + a.size() + b.size(),
        }
    }
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
    pub(super) fn alternatives(
        self,
        lower: &mut Lower<'_>,
        positive: bool,
        span: Span,
    ) -> Res<Vec<Conjunction>> {
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
            Self::Not(inner) => inner.alternatives(lower, !positive, span)?,
            Self::And(all) if positive => all_of(all, lower, positive, span)?,
            Self::Or(all) if !positive => all_of(all, lower, positive, span)?,
            Self::And(all) | Self::Or(all) => one_of(all, lower, positive, span)?,
            Self::If(c, a, b) => {
                let a = a.alternatives(lower, positive, span)?;
                let b = b.alternatives(lower, positive, span)?;
                choice(&c, a, b, lower, span)?
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

fn few(alternatives: usize, span: Span) -> Res<()> {
    if alternatives > MAX_ALTERNATIVES {
        let message =
            format!("a condition with more than {MAX_ALTERNATIVES} alternatives of clock constraints");
        return Err(Fault::unsupported("U0531", message, span).help("split the edge by hand"));
    }
    Ok(())
}

/// A conjunction in the making. Its parts without clocks are joined at the end.
#[derive(Clone, Default)]
struct Growing {
    pure: Vec<Expr>,
    atoms: Vec<ClockAtom>,
    rates: Vec<Rate>,
}

impl Growing {
    /// Adds one more part; says whether the whole can still be true, or at least fail.
    fn add(&mut self, part: Conjunction) -> bool {
        match part.pure {
            // Nothing after it is evaluated.
            _ if self.pure.last() == Some(&Expr::FALSE) => return true,
            Expr::FALSE if !self.pure.iter().any(may_fail) => return false,
            Expr::TRUE => {}
            pure => self.pure.push(pure),
        }
        self.atoms.extend(part.atoms);
        self.rates.extend(part.rates);
        true
    }
    fn size(&self) -> u64 {
        let constraints = self.atoms.iter().map(atom_size).chain(self.rates.iter().map(rate_size));
        self.pure.iter().map(size).chain(constraints).fold(0, u64::saturating_add)
    }
    fn finish(self) -> Conjunction {
        Conjunction { pure: and(self.pure), atoms: self.atoms, rates: self.rates }
    }
}

fn all_of(all: Vec<Formula>, lower: &mut Lower<'_>, positive: bool, span: Span) -> Res<Vec<Conjunction>> {
    let mut product = vec![Growing::default()];
    for part in all {
        let mut part = part.alternatives(lower, positive, span)?;
        let Some(last) = part.pop() else { continue };
        if let ([], [whole]) = (part.as_slice(), product.as_mut_slice()) {
            // By far the most common case, and there may be many parts: nothing is copied.
            if !whole.add(last) {
                product.clear();
            }
            continue;
        }
        part.push(last);
        let mut next = Vec::new();
        for left in &product {
            for right in &part {
                lower.pay(left.size().saturating_add(right.size()), span)?;
                let mut both = left.clone();
                if both.add(right.clone()) {
                    next.push(both);
                }
            }
        }
        few(next.len(), span)?;
        product = next;
    }
    let product: Vec<Conjunction> = product.into_iter().map(Growing::finish).collect();
    Ok(if product.is_empty() { vec![Conjunction::pure(Expr::FALSE)] } else { product })
}

fn one_of(all: Vec<Formula>, lower: &mut Lower<'_>, positive: bool, span: Span) -> Res<Vec<Conjunction>> {
    let mut pure = Vec::new();
    let mut timed = Vec::new();
    for part in all {
        for alternative in part.alternatives(lower, positive, span)? {
            if alternative.is_pure() {
                pure.push(alternative.pure);
            } else if alternative.pure != Expr::FALSE {
                timed.push(alternative);
            }
        }
        few(timed.len(), span)?;
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
            let mut only = only.only_when(&not(pure.clone()), lower, span)?;
            only.pure = or(vec![pure, only.pure]);
            Ok(vec![only])
        }
        last => {
            timed.extend(last);
            timed.push(Conjunction::pure(pure));
            few(timed.len(), span)?;
            Ok(timed)
        }
    }
}

fn choice(
    c: &Expr,
    mut a: Vec<Conjunction>,
    mut b: Vec<Conjunction>,
    lower: &mut Lower<'_>,
    span: Span,
) -> Res<Vec<Conjunction>> {
    if let ([_], [_]) = (a.as_slice(), b.as_slice())
        && let (Some(a), Some(b)) = (a.pop(), b.pop())
    {
        let mut a = a.only_when(c, lower, span)?;
        let b = b.only_when(&not(c.clone()), lower, span)?;
        a.pure = cond(c.clone(), a.pure, b.pure);
        a.atoms.extend(b.atoms);
        a.rates.extend(b.rates);
        return Ok(vec![a]);
    }
    lower.pay(size(c).saturating_mul((a.len() + b.len()) as u64), span)?;
    let restrict = |mut x: Conjunction, c: Expr| {
        x.pure = and(vec![c, x.pure]);
        x
    };
    let first = a.into_iter().map(|x| restrict(x, c.clone()));
    let all: Vec<Conjunction> = first.chain(b.into_iter().map(|x| restrict(x, not(c.clone())))).collect();
    few(all.len(), span)?;
    Ok(all)
}
