//! Variables that keep their initial values, as constants. In Promela, what tells processes apart is often a local variable
//! that is set from `_pid` where it is declared and never again: with its value in its place, `fork[left]` is known by name.
//!
//! Nothing else changes: states have the same slots, and evaluations take as much work. But such slots have one value, and
//! take no bits ([`narrow`]).

use crate::anew::{self, Anew};
use crate::rewrite::rewrite;
use beeline_ir::expr::{Expr, Range};
use beeline_ir::layout::Layout;
use beeline_ir::network::{Network, Sync, Var};
use beeline_ir::stmt::{Block, Pattern, Place, Receive, Stmt, Target};
use beeline_ir::visit::walk_block;
use beeline_ir::{IdVec, VarId};
use std::borrow::Cow;

/// The network with constants for variables that keep their initial values, and these variables.
pub fn folded(network: &Network) -> (Cow<'_, Network>, Vec<VarId>) {
    let kept = keep_their_values(network);
    let all: Vec<VarId> = kept.enumerate().filter(|(_, kept)| **kept).map(|(var, _)| var).collect();
    if all.is_empty() {
        return (Cow::Borrowed(network), all);
    }
    let mut folded = network.clone();
    let fold = &mut Fold { network, kept };
    for process in folded.processes.iter_mut() {
        process.locations.iter_mut().for_each(|location| anew::invariant(location, fold));
        for edge in process.edges.iter_mut() {
            anew::evaluation(edge, fold);
            anew::execution(edge, fold);
        }
    }
    folded.functions.iter_mut().for_each(|function| anew::block(&mut function.body, fold));
    (Cow::Owned(folded), all)
}

/// Gives the slots of such variables the range of their only value. Whoever packs or unpacks states has to do so.
pub fn narrow(network: &Network, layout: &mut Layout) {
    let kept = keep_their_values(network);
    for (var, _) in kept.enumerate().filter(|(_, kept)| **kept) {
        if let (Some(slot), Some(value)) = (layout.var[var], network.vars[var].init.first()) {
            layout.slots[slot].range = Range::new(*value, *value);
        }
    }
}

/// By variable, whether it is a scalar that nothing is ever stored into.
fn keep_their_values(network: &Network) -> IdVec<VarId, bool> {
    let layout = Layout::of_network(network);
    // What belongs to processes that come and go is set when they do.
    let mortal = |owner| layout.mortal(owner);
    let scalar = |var: &Var| var.len.is_none() && !var.owner.is_some_and(mortal);
    let mut kept: IdVec<VarId, bool> = network.vars.iter().map(scalar).collect();
    for edge in network.processes.iter().flat_map(|process| &process.edges) {
        if let Sync::Receive(receive) = &edge.sync {
            bound(receive, &mut kept);
        }
        stored(&edge.update, &mut kept);
    }
    network.functions.iter().for_each(|function| stored(&function.body, &mut kept));
    kept
}

fn target(target: &Target, kept: &mut IdVec<VarId, bool>) {
    if let Place::Var(var) | Place::Elem(var, _) = target.place {
        kept[var] = false;
    }
}

fn bound(receive: &Receive, kept: &mut IdVec<VarId, bool>) {
    for pattern in &receive.pattern {
        if let Pattern::Bind(place) = pattern {
            target(place, kept);
        }
    }
}

fn stored(block: &Block, kept: &mut IdVec<VarId, bool>) {
    walk_block(block, &mut |statement, _| match statement {
        Stmt::Assign(place, _) | Stmt::Call(_, _, Some(place)) | Stmt::Start(_, _, Some(place)) => {
            target(place, kept)
        }
        Stmt::Receive(receive) => bound(receive, kept),
        _ => {}
    });
}

struct Fold<'n> {
    network: &'n Network,
    kept: IdVec<VarId, bool>,
}

impl Anew for Fold<'_> {
    fn expr(&mut self, e: &Expr) -> Expr {
        rewrite(e, &mut |part| match part {
            Expr::Var(var) if self.kept[*var] => {
                self.network.vars[*var].init.first().copied().map(Expr::Const)
            }
            _ => None,
        })
    }
    fn place(&mut self, _: &mut Place) {}
}
