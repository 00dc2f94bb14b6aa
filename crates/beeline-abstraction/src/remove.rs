//! The network without a safe factor. All ids stay: edges of the factor's own are switched off, and the factor
//! keeps its initial value. Every other edge keeps what it asks of the rest of the network, and what it asks of
//! the factor is written down as its [`Need`]:
//! - conjuncts of the guard that speak of the factor alone are left out;
//! - where its value is used in another way, it becomes a select variable: one label for each value;
//! - edges by which a removed automaton takes part in labels without moving start and end at its initial location.

use crate::factor::Factor;
use crate::safe::Safe;
use crate::substitute;
use crate::target::{Conjunct, conjunction, conjuncts};
use crate::view::{View, switch_off};
use beeline_ir::LocalId;
use beeline_ir::expr::{BinaryOp, Expr, Range};
use beeline_ir::network::{Edge, Network};
use beeline_ir::stmt::Local;
use beeline_ir::visit::walk;
use beeline_program::schema::EdgeRef;
use beeline_program::{Machine, Program};
use std::collections::{BTreeMap, BTreeSet};

/// Combinations of select values an edge may get.
const SELECTIONS: u128 = 1 << 12;

/// What a label with a certain part needs of a removed factor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Need {
    /// One of these values.
    OneOf(BTreeSet<i64>),
    /// The value that the last select variable of the part has; the original edge has no such variable.
    LastSelect,
}

/// The network without the factor, and what its edges need of it. `None` if some edge depends on it in a way that
/// cannot be taken apart.
pub(crate) fn remove(view: &View<'_>, safe: &Safe) -> Option<(Network, BTreeMap<EdgeRef, Need>)> {
    let mut network = view.network.clone();
    for (process, edge) in &safe.own {
        switch_off(&mut network.processes[*process].edges[*edge]);
    }
    let mut needs = BTreeMap::new();
    let mut scratch = None;
    for at in &safe.restricting {
        let process = &mut network.processes[at.0];
        let initial = process.initial;
        let edge = &mut process.edges[at.1];
        let need = if view.home(*at) == safe.slot {
            let source = edge.source.index() as i64;
            (edge.source, edge.target) = (initial, initial);
            Need::OneOf(BTreeSet::from([source]))
        } else if view.edges.get(at)?.other_reads.contains(safe.slot) {
            choose(view, safe, edge)?
        } else {
            let program = scratch.get_or_insert_with(|| view.program.clone());
            match leave_out(view, safe, edge, program) {
                Some(allowed) => Need::OneOf(allowed),
                None => choose(view, safe, edge)?,
            }
        };
        if matches!(&need, Need::OneOf(values) if !values.iter().any(|v| safe.graph.contains(*v))) {
            switch_off(edge);
        }
        needs.insert(*at, need);
    }
    Some((network, needs))
}

/// Leaves out the conjuncts of the guard that read the factor; the values at which they hold. `None`, and nothing
/// is changed, if one of them reads something else as well.
fn leave_out(view: &View<'_>, safe: &Safe, edge: &mut Edge, program: &mut Program) -> Option<BTreeSet<i64>> {
    let (mut kept, mut left_out) = (Vec::new(), Vec::new());
    for expr in conjuncts(&edge.guard, true) {
        let conjunct = Conjunct::compile(view.network, program, &edge.frame, expr)?;
        if conjunct.reads.contains(safe.slot) {
            let mut locals = false;
            walk(&conjunct.expr, &mut |e| locals |= matches!(e, Expr::Local(_) | Expr::LocalElem(..)));
            if locals || !view.only(&conjunct.reads, safe.slot) {
                return None;
            }
            left_out.push(conjunct);
        } else {
            kept.push(conjunct.expr);
        }
    }
    let mut machine = Machine::new(program);
    let mut state = view.initial.clone();
    let mut allows = |value: i64| {
        state[safe.slot] = value;
        left_out.iter().all(|conjunct| conjunct.holds(program, &mut machine, &state) == Some(true))
    };
    let allowed = safe.graph.values().filter(|value| allows(*value)).collect();
    edge.guard = conjunction(kept);
    Some(allowed)
}

/// Makes the factor's value a select variable of the edge.
fn choose(view: &View<'_>, safe: &Safe, edge: &mut Edge) -> Option<Need> {
    let (lo, hi) = (safe.graph.values().min()?, safe.graph.values().max()?);
    let range = Range::new(lo, hi);
    let selections = edge.frame.iter().fold(range.size(), |n, local| n.saturating_mul(local.range.size()));
    // Other locals would have to be numbered anew.
    if edge.frame.len() != edge.selects || selections > SELECTIONS {
        return None;
    }
    let chosen = LocalId::new(edge.selects);
    let is = |value: i64| Expr::Local(chosen).binary(BinaryOp::Eq, Expr::Const(value));
    let replace = &mut |e: &Expr| match (safe.factor, e) {
        (Factor::Automaton(process), Expr::At(p, location)) if *p == process => {
            Some(is(location.index() as i64))
        }
        (Factor::Integer(var, 0), Expr::Var(v)) if *v == var => Some(Expr::Local(chosen)),
        (Factor::Integer(var, cell), Expr::Elem(v, index)) if *v == var => {
            (**index == Expr::Const(cell as i64)).then_some(Expr::Local(chosen))
        }
        _ => None,
    };
    substitute::in_edge(edge, replace);
    if range.size() != safe.graph.values().len() as u128 {
        let possible = Expr::Or(safe.graph.values().map(is).collect());
        let guard = std::mem::replace(&mut edge.guard, Expr::TRUE);
        edge.guard = Expr::And(vec![possible, guard]);
    }
    let mut name = safe.factor.name(view.network);
    while edge.frame.iter().any(|local| local.name == name) {
        name.push('_');
    }
    edge.frame.push(Local { name, range, len: None });
    edge.selects += 1;
    Some(Need::LastSelect)
}
