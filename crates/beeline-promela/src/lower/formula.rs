//! Formulas of linear temporal logic that are violated, if at all, after finitely many steps.
//!
//! The negation of such a formula is made of predicates, `&&`, `||`, `<>` and `U` alone once negations stand before
//! predicates (Sistla, "Safety, liveness and fairness in temporal logic", 1994). An observer keeps what has still to come
//! true: of every state it sees it takes what that state makes true, and hands on the rest (Gerth, Peled, Vardi and
//! Wolper, "Simple on-the-fly automatic verification of linear temporal logic", 1995). Where nothing is left, the formula is
//! violated. A model that has stopped stays in its state for ever, where whatever is to come true without `X` does so at
//! once or not at all.

use std::collections::{BTreeSet, HashMap};

use beeline_ir::diagnostic::Diagnostic;
use beeline_ir::expr::Expr;
use beeline_ir::origin::Span;
use beeline_ir::property::{Property, PropertyKind};

use super::claim::{Step, Watcher, decided, exclude};
use super::property::is_predicate;
use super::{Lower, Res, both};
use crate::ast::{self, ExprKind};

/// Most parts of a negated formula, most locations of its observer, and most steps from one of them.
const MAX_PARTS: usize = 1_000;
const MAX_LOCATIONS: usize = 1_000;
const MAX_STEPS: usize = 1_000;

/// Something that has to come true for the formula to be violated.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Wanted {
    /// A predicate holds.
    Holds(Expr),
    /// All of these.
    All(Vec<usize>),
    /// One of these.
    One(Vec<usize>),
    /// The first until the second does; `None` before it stands for whatever there is.
    Until(Option<usize>, usize),
}

/// A set of what has to come true, by numbers.
type Wishes = BTreeSet<usize>;

/// What a state may settle of some wishes: under a condition, all but those that are handed on.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Settled {
    conditions: Vec<Expr>,
    left: Wishes,
}

#[derive(Default)]
struct Negation {
    parts: Vec<Wanted>,
}

impl<'a> Lower<'a, '_> {
    /// The property that a formula about safety is, with an observer that joins the network.
    pub(super) fn safety(&mut self, formula: &'a ast::Formula, name: &str) -> Res<Property> {
        let span = formula.span;
        let mut negation = Negation::default();
        let whole = negation.add(self, &formula.formula, true)?;
        let mut wishes = vec![Wishes::from([whole])];
        let mut numbers = HashMap::from([(wishes[0].clone(), 0)]);
        let mut steps = Vec::new();
        let mut from = 0;
        while let Some(here) = wishes.get(from).cloned() {
            for Settled { conditions, left } in negation.settled(here).ok_or_else(|| too_large(span))? {
                let next = wishes.len();
                let to = (!left.is_empty()).then(|| *numbers.entry(left.clone()).or_insert(next));
                if to == Some(next) {
                    wishes.push(left);
                }
                let condition = conditions.into_iter().fold(Expr::TRUE, both);
                steps.push(Step { from, to, condition, span, numbers: Vec::new() });
            }
            from += 1;
            if wishes.len() > MAX_LOCATIONS {
                return Err(too_large(span));
            }
        }
        let locations = (0..wishes.len()).map(|i| format!("s{i}")).collect();
        let watcher = Watcher { name, span, native: Vec::new(), locations, steps };
        let (id, violated) = self.watcher(watcher);
        let kind = PropertyKind::NeverAt(id, vec![violated]);
        Ok(Property { name: None, text: None, frame: Vec::new(), kind, origin: None })
    }
}

impl Negation {
    fn part(&mut self, part: Wanted) -> usize {
        self.parts.iter().position(|known| *known == part).unwrap_or_else(|| {
            self.parts.push(part);
            self.parts.len() - 1
        })
    }

    /// Adds what has to come true for a formula to hold, or not to.
    fn add<'a>(&mut self, lower: &mut Lower<'a, '_>, formula: &'a ast::Expr, negated: bool) -> Res<usize> {
        if self.parts.len() > MAX_PARTS {
            return Err(too_large(formula.span));
        }
        if is_predicate(formula) {
            let predicate = lower.expr(formula, None)?;
            return Ok(self.part(Wanted::Holds(if negated { predicate.negated() } else { predicate })));
        }
        let part = match (&formula.kind, negated) {
            (ExprKind::Unary("!", inner), _) => return self.add(lower, inner, !negated),
            (ExprKind::Many("&&", all), false) | (ExprKind::Many("||", all), true) => {
                Wanted::All(all.iter().map(|one| self.add(lower, one, negated)).collect::<Res<_>>()?)
            }
            (ExprKind::Many("||", all), false) | (ExprKind::Many("&&", all), true) => {
                Wanted::One(all.iter().map(|one| self.add(lower, one, negated)).collect::<Res<_>>()?)
            }
            (ExprKind::Binary("->", a, b), _) => {
                let both = vec![self.add(lower, a, !negated)?, self.add(lower, b, negated)?];
                if negated { Wanted::All(both) } else { Wanted::One(both) }
            }
            (ExprKind::Temporal(operator, operands), _) => match (*operator, negated, &operands[..]) {
                ("<>", false, [p]) | ("[]", true, [p]) => Wanted::Until(None, self.add(lower, p, negated)?),
                ("U", false, [p, q]) | ("V", true, [p, q]) => {
                    Wanted::Until(Some(self.add(lower, p, negated)?), self.add(lower, q, negated)?)
                }
                // Neither of both, and up to then not the second.
                ("W", true, [p, q]) => {
                    let (not_p, not_q) = (self.add(lower, p, true)?, self.add(lower, q, true)?);
                    let neither = self.part(Wanted::All(vec![not_p, not_q]));
                    Wanted::Until(Some(not_q), neither)
                }
                _ => return Err(infinite(formula.span)),
            },
            _ => return Err(infinite(formula.span)),
        };
        Ok(self.part(part))
    }

    /// What a state may settle of some wishes, the ways that ask for more than another left out; `None` if there are too
    /// many.
    fn settled(&self, wishes: Wishes) -> Option<Vec<Settled>> {
        let mut found: Vec<Settled> = Vec::new();
        let first = Settled { conditions: Vec::new(), left: Wishes::new() };
        let mut open = vec![(first, wishes.into_iter().collect::<Vec<_>>())];
        let mut looked = 0;
        while let Some((mut way, mut wishes)) = open.pop() {
            looked += 1;
            if looked > MAX_STEPS {
                return None;
            }
            let Some(wish) = wishes.pop() else {
                if !found.iter().any(|other| other.asks_no_more_than(&way)) {
                    found.retain(|other| !way.asks_no_more_than(other));
                    found.push(way);
                }
                continue;
            };
            match &self.parts[wish] {
                Wanted::Holds(predicate) => {
                    let excluded = way.conditions.iter().any(|other| exclude(other, predicate));
                    if excluded || decided(predicate) == Some(false) {
                        continue;
                    }
                    if !way.conditions.contains(predicate) {
                        way.conditions.push(predicate.clone());
                    }
                    open.push((way, wishes));
                }
                Wanted::All(all) => {
                    wishes.extend(all);
                    open.push((way, wishes));
                }
                Wanted::One(all) => {
                    let with = |one: &usize| wishes.iter().copied().chain([*one]).collect();
                    open.extend(all.iter().map(|one| (way.clone(), with(one))));
                }
                Wanted::Until(before, end) => {
                    let now = wishes.iter().copied().chain([*end]).collect();
                    open.push((way.clone(), now));
                    way.left.insert(wish);
                    wishes.extend(before);
                    open.push((way, wishes));
                }
            }
        }
        Some(found)
    }
}

impl Settled {
    /// Whether its conditions and what it leaves are among those of the other.
    fn asks_no_more_than(&self, other: &Self) -> bool {
        self.left.is_subset(&other.left) && self.conditions.iter().all(|one| other.conditions.contains(one))
    }
}

fn infinite(span: Span) -> Diagnostic {
    let what = "this formula is about infinite runs: `<>` and `U` are supported under a negation only, `[]`, `W` and `V` \
                only without one, `X` and `<->` around them not at all";
    Diagnostic::unsupported("U0908", what, Some(span))
}

fn too_large(span: Span) -> Diagnostic {
    Diagnostic::unsupported("U0908", "this formula has too many ways to be violated", Some(span))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What each wish is, of `a U (b && c)` with `a`, `b` and `c` as the numbers 2, 3 and 4.
    #[test]
    fn wishes_are_settled_or_handed_on() {
        let mut negation = Negation::default();
        let holds = [2, 3, 4].map(|n| Expr::Alive(beeline_ir::ProcessId::new(n)));
        let [a, b, c] = holds.clone().map(|predicate| negation.part(Wanted::Holds(predicate)));
        let end = negation.part(Wanted::All(vec![b, c]));
        let until = negation.part(Wanted::Until(Some(a), end));
        let settled = negation.settled(Wishes::from([until])).unwrap();
        let [a, b, c] = holds;
        let waits = Settled { conditions: vec![a.clone()], left: Wishes::from([until]) };
        let ends = Settled { conditions: vec![c, b], left: Wishes::new() };
        assert!(settled.contains(&waits) && settled.contains(&ends) && settled.len() == 2, "{settled:?}");
        // Whoever wants `a` besides has it by waiting, and none of both without it.
        let not_a = negation.part(Wanted::Holds(a.negated()));
        let settled = negation.settled(Wishes::from([until, not_a])).unwrap();
        assert!(settled.len() == 1 && settled[0].left.is_empty(), "{settled:?}");
        assert!(ends.asks_no_more_than(&settled[0]) && !settled[0].asks_no_more_than(&ends));
    }
}
