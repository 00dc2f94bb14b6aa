//! The interval an integer expression's value lies in, judged by declared ranges alone. The generator uses it to keep
//! stores and indices inside their ranges, the oracle to find the greatest constant a clock is compared with. It
//! is written apart from the analysis of `beeline-program`, which it helps to test.

use beeline_ir::expr::{BinaryOp, Expr, Quantifier, Range, UnaryOp};
use beeline_ir::network::Network;
use beeline_ir::stmt::Local;

/// Bounds of the expression, wherever it has a value. Sound; `None` when nothing useful is known.
pub fn of(network: &Network, frame: &[Local], expr: &Expr) -> Option<Range> {
    let sub = |e: &Expr| of(network, frame, e);
    let local = |id: beeline_ir::LocalId| frame.get(id.index()).map(|l| l.range);
    match expr {
        Expr::Const(c) => Some(Range::new(*c, *c)),
        Expr::Var(v) | Expr::Elem(v, _) => Some(network.vars[*v].range),
        Expr::Local(l) | Expr::LocalElem(l, _) => local(*l),
        Expr::At(..)
        | Expr::Alive(_)
        | Expr::And(_)
        | Expr::Or(_)
        | Expr::Poll(_)
        | Expr::Enabled(..)
        | Expr::Timeout
        | Expr::Unary(UnaryOp::Not, _)
        | Expr::Quantified(Quantifier::Forall | Quantifier::Exists, ..) => Some(Range::BOOL),
        Expr::Pid(_) => Some(Range::new(-1, network.processes.len() as i64 - 1)),
        Expr::ProcessCount => Some(Range::new(0, network.processes.len() as i64)),
        Expr::Channel(_) => {
            Some(Range::new(0, network.channels.iter().map(|c| c.elements() as i64).sum::<i64>()))
        }
        Expr::Unary(UnaryOp::Neg, e) => {
            let r = sub(e)?;
            Some(Range::new(r.hi.checked_neg()?, r.lo.checked_neg()?))
        }
        Expr::Binary(op, a, b) => binary(*op, sub(a), sub(b)),
        Expr::If(_, a, b) => hull(sub(a)?, sub(b)?),
        Expr::Quantified(Quantifier::Sum, _, range, body) => {
            let (body, count) = (sub(body)?, i64::try_from(range.size()).ok()?);
            Some(Range::new(
                body.lo.checked_mul(count)?.min(body.lo),
                body.hi.checked_mul(count)?.max(body.hi),
            ))
        }
        Expr::Call(f, _) => network.functions[*f].result,
        Expr::Unary(UnaryOp::BitNot, _)
        | Expr::Next(_)
        | Expr::Length(_)
        | Expr::Capacity(_)
        | Expr::Clock(_)
        | Expr::Deadlock => None,
    }
}

fn hull(a: Range, b: Range) -> Option<Range> {
    Some(Range::new(a.lo.min(b.lo), a.hi.max(b.hi)))
}

fn binary(op: BinaryOp, a: Option<Range>, b: Option<Range>) -> Option<Range> {
    use BinaryOp as B;
    if matches!(op, B::Eq | B::Ne | B::Lt | B::Le | B::Gt | B::Ge) {
        return Some(Range::BOOL);
    }
    if matches!(op, B::Min | B::Max) {
        // One known side is enough for half an answer.
        let any = Range::new(i64::MIN, i64::MAX);
        let (a, b) = (a.unwrap_or(any), b.unwrap_or(any));
        return Some(match op {
            B::Min => Range::new(a.lo.min(b.lo), a.hi.min(b.hi)),
            _ => Range::new(a.lo.max(b.lo), a.hi.max(b.hi)),
        });
    }
    let (a, b) = (a?, b?);
    match op {
        B::Add => Some(Range::new(a.lo.checked_add(b.lo)?, a.hi.checked_add(b.hi)?)),
        B::Sub => Some(Range::new(a.lo.checked_sub(b.hi)?, a.hi.checked_sub(b.lo)?)),
        B::Mul => {
            let products = [
                a.lo.checked_mul(b.lo)?,
                a.lo.checked_mul(b.hi)?,
                a.hi.checked_mul(b.lo)?,
                a.hi.checked_mul(b.hi)?,
            ];
            Some(Range::new(*products.iter().min()?, *products.iter().max()?))
        }
        B::BitAnd if a.lo >= 0 && b.lo >= 0 => Some(Range::new(0, a.hi.min(b.hi))),
        B::Rem if a.lo >= 0 && b.lo > 0 => Some(Range::new(0, a.hi.min(b.hi - 1))),
        B::Div if a.lo >= 0 && b.lo >= 0 => Some(Range::new(0, a.hi)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clamping_bounds_what_is_unknown() {
        let network = Network::default();
        let unknown = Expr::Unary(UnaryOp::BitNot, Box::new(Expr::Const(7)));
        assert_eq!(of(&network, &[], &unknown), None);
        let clamped = unknown.binary(BinaryOp::Max, Expr::Const(-1)).binary(BinaryOp::Min, Expr::Const(4));
        assert_eq!(of(&network, &[], &clamped), Some(Range::new(-1, 4)));
    }
}
