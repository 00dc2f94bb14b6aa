//! What is searched for, in TChecker's terms: a set of labels that the locations of a state must bear all
//! together.
//!
//! A target over locations alone becomes its conjunctive normal form: a label for each clause, on every location
//! of the clause. Any other target is watched by an observer process with an edge to a location that bears the
//! label. As no process but a committed one may move while one is committed, each process with committed
//! locations has a loop there that accompanies the observer; so the observer sees those states too.

use std::collections::BTreeSet;

use beeline_ir::expr::{ClockAtom, Expr, UnaryOp};
use beeline_ir::network::Network;
use beeline_ir::{LocationId, ProcessId};

use super::fold::not;
use super::instance::{Conjunction, combine};
use super::simplify::Simplifier;
use crate::write::Unwritable;

/// Locations of which a state must have one.
pub(super) type Clause = BTreeSet<(ProcessId, LocationId)>;

/// The target.
pub(super) enum Goal {
    /// All states count; nothing is searched for.
    Nothing,
    /// A label per clause.
    Labels(Vec<Clause>),
    /// Conjunctions of which one must hold.
    Observed(Vec<Conjunction>),
}

/// Clauses beyond which an observer is simpler.
const MAX_CLAUSES: usize = 64;

/// The goal of a search for states where the (simplified) predicate holds.
pub(super) fn goal(simplifier: &mut Simplifier<'_>, target: &Expr) -> Result<Goal, Unwritable> {
    if let Some(clauses) = clauses(simplifier.network, target, true)
        && !clauses.is_empty()
        && clauses.iter().all(|c| !c.is_empty())
    {
        return Ok(Goal::Labels(minimal(clauses)));
    }
    let cases = cases(simplifier, target, true)?;
    Ok(Goal::Observed(cases))
}

/// The clauses that do not follow from others.
fn minimal(clauses: Vec<Clause>) -> Vec<Clause> {
    let clauses: Vec<Clause> = clauses.into_iter().collect::<BTreeSet<_>>().into_iter().collect();
    let follows = |c: &Clause| clauses.iter().any(|other| other != c && other.is_subset(c));
    clauses.iter().filter(|c| !follows(c)).cloned().collect()
}

/// The clauses of a predicate over locations (or of its opposite); `None` if it is not one, or has too many.
fn clauses(network: &Network, expr: &Expr, positive: bool) -> Option<Vec<Clause>> {
    match expr {
        Expr::Const(n) => Some(if (*n != 0) == positive { Vec::new() } else { vec![Clause::new()] }),
        Expr::At(process, location) => {
            let all = network.processes[*process].locations.ids();
            Some(vec![all.filter(|l| (l == location) == positive).map(|l| (*process, l)).collect()])
        }
        Expr::Unary(UnaryOp::Not, operand) => clauses(network, operand, !positive),
        Expr::And(all) | Expr::Or(all) => {
            let parts: Option<Vec<_>> = all.iter().map(|e| clauses(network, e, positive)).collect();
            if matches!(expr, Expr::And(_)) == positive {
                let all = parts?.concat();
                return (all.len() <= MAX_CLAUSES).then_some(all);
            }
            let mut product = vec![Clause::new()];
            for part in parts? {
                if product.len() * part.len() > MAX_CLAUSES {
                    return None;
                }
                let joined = product.iter().flat_map(|a| part.iter().map(move |b| a | b));
                product = joined.collect::<BTreeSet<Clause>>().into_iter().collect();
            }
            Some(product)
        }
        _ => None,
    }
}

/// A predicate (or its opposite) as conjunctions of a condition and clock constraints.
fn cases(
    simplifier: &mut Simplifier<'_>,
    expr: &Expr,
    positive: bool,
) -> Result<Vec<Conjunction>, Unwritable> {
    let mut timed = false;
    beeline_ir::visit::walk(expr, &mut |e| timed |= matches!(e, Expr::Clock(_)));
    if !timed {
        let copy = simplifier.copy(expr)?;
        let condition = if positive { copy } else { not(copy) };
        return Ok(if condition == Expr::FALSE { Vec::new() } else { vec![(condition, Vec::new())] });
    }
    match expr {
        Expr::Unary(UnaryOp::Not, operand) => cases(simplifier, operand, !positive),
        Expr::And(all) | Expr::Or(all) => {
            let mut lists = Vec::new();
            for part in all {
                lists.push(cases(simplifier, part, positive)?);
            }
            if matches!(expr, Expr::And(_)) == positive {
                combine(simplifier, lists)
            } else {
                Ok(lists.concat())
            }
        }
        Expr::If(condition, then, otherwise) => {
            let (yes, no) = (cases(simplifier, condition, true)?, cases(simplifier, condition, false)?);
            let (then, otherwise) =
                (cases(simplifier, then, positive)?, cases(simplifier, otherwise, positive)?);
            let mut all = combine(simplifier, vec![yes, then])?;
            all.append(&mut combine(simplifier, vec![no, otherwise])?);
            Ok(all)
        }
        Expr::Clock(atom) => {
            let when = atom.when.clone().unwrap_or(Expr::TRUE);
            if positive {
                let mut all =
                    vec![(simplifier.copy(&when)?, vec![ClockAtom { when: None, ..(**atom).clone() }])];
                if when != Expr::TRUE {
                    all.push((not(when), Vec::new()));
                }
                return Ok(all);
            }
            let holds = |op| ClockAtom { when: None, op, ..(**atom).clone() };
            Ok(atom.op.negations().iter().map(|op| (when.clone(), vec![holds(*op)])).collect())
        }
        _ => simplifier.refuse("a clock constraint within arithmetic"),
    }
}
