//! Who holds the token, for formulas and claims: what its holder goes through is seen by nobody, and the network's own
//! token cannot be read. `_holder` is 0 or 1 + the position of the process. It is written by who takes the token and by
//! who had it; others need to write it only if somebody may have lost the token because it could not go on.

use beeline_ir::ProcessId;
use beeline_ir::expr::{ChannelRef, Expr, Range};
use beeline_ir::network::{ChannelKind, Sync};
use beeline_ir::stmt::{Place, Stmt, Store, Target};

use super::Lower;
use crate::ast::{self, ExprKind, StmtKind, walk_expr};
use crate::graph::{self, Action};

impl Lower<'_, '_> {
    /// Makes the variable, if there is a token.
    pub(super) fn holder_variable(&mut self) {
        let taken = |proto: &super::Proto<'_>| {
            !proto.processes.is_empty() && proto.graph.places.iter().any(|place| place.atomic)
        };
        if self.protos.iter().any(taken) || self.has_halves() {
            let range = Range::new(0, self.instances.len() as i64);
            self.holder = Some(self.special("_holder", range));
        }
        let waits = |proto: &super::Proto<'_>| {
            proto.graph.places.iter().any(|place| {
                place.atomic && (proto.proc.provided.is_some() || !place.steps.iter().any(always))
            })
        };
        let waiting: Vec<bool> = self.protos.iter().map(waits).collect();
        self.waiting = self.instances.iter().map(|instance| waiting[instance.proto]).collect();
    }

    /// Whether a receive may be a rendezvous.
    pub(super) fn pairs(&self, sync: &Sync) -> bool {
        match sync {
            Sync::Receive(receive) => match &receive.channel {
                ChannelRef::Element(channel, _) => {
                    self.network.channels[*channel].kind == ChannelKind::Rendezvous
                }
                _ => true,
            },
            _ => false,
        }
    }

    /// What a step of a process does to `_holder`, if anything; it comes from a place with the token or not, and goes
    /// to one.
    pub(super) fn token(&self, id: ProcessId, from: bool, to: bool, sync: &Sync) -> Option<Stmt> {
        let holder = self.holder?;
        let others = self.waiting.iter().enumerate().any(|(i, waits)| *waits && i != id.index());
        // The receiver writes last, and takes the token from a sender.
        if !(from || to || others || self.pairs(sync)) {
            return None;
        }
        let target = Target { place: Place::Var(holder), store: Store::Wrapping };
        let value = if to { id.index() as i64 + 1 } else { 0 };
        Some(Stmt::Assign(target, Expr::Const(value)))
    }
}

/// Whether a step can always be executed, and never fails, as far as one sees.
fn always(step: &graph::Step<'_>) -> bool {
    let stmt = match step.action {
        Action::Stmt(stmt) => stmt,
        Action::Goto => return true,
        Action::Exit => return false,
    };
    match &stmt.kind {
        StmtKind::Else | StmtKind::Print => true,
        StmtKind::Expr(e) => matches!(e.kind, ExprKind::Int(value) if value != 0),
        StmtKind::Assert(e) => plain(e),
        StmtKind::Assign(to, e) => to.parts.iter().all(|(_, index)| index.is_none()) && plain(e),
        _ => false,
    }
}

/// Whether an expression has a value, whatever the state.
fn plain(expr: &ast::Expr) -> bool {
    let mut plain = true;
    walk_expr(expr, &mut |e| {
        plain &= match &e.kind {
            ExprKind::Ref(found) => found.parts.iter().all(|(_, index)| index.is_none()),
            ExprKind::Binary(op, ..) => !["/", "%", "<<", ">>"].contains(op),
            ExprKind::Int(_) | ExprKind::Unary(..) | ExprKind::Many(..) | ExprKind::If(..) => true,
            _ => false,
        };
    });
    plain
}
