//! Writing an edge anew with other numbers for its locals, and with more of them.

use beeline_ir::LocalId;
use beeline_ir::expr::Expr;
use beeline_ir::network::Edge;
use beeline_ir::stmt::{Local, Place};
use beeline_program::anew::{Anew, evaluation, execution};
use beeline_program::rewrite::rewrite;

/// Numbers locals anew.
struct Renumber<'a>(&'a mut dyn FnMut(LocalId) -> LocalId);

impl Anew for Renumber<'_> {
    fn expr(&mut self, e: &Expr) -> Expr {
        rewrite(e, &mut |part| match part {
            Expr::Local(local) => Some(Expr::Local((self.0)(*local))),
            Expr::LocalElem(local, index) => {
                let local = (self.0)(*local);
                Some(Expr::LocalElem(local, Box::new(self.expr(index))))
            }
            Expr::Quantified(quantifier, local, range, body) => {
                let local = (self.0)(*local);
                Some(Expr::Quantified(*quantifier, local, *range, Box::new(self.expr(body))))
            }
            _ => None,
        })
    }
    fn place(&mut self, place: &mut Place) {
        if let Place::Local(local) | Place::LocalElem(local, _) = place {
            *local = (self.0)(*local);
        }
    }
}

/// Numbers the locals of an edge anew; its frame is left to the caller.
pub(super) fn renumber(edge: &mut Edge, to: &mut dyn FnMut(LocalId) -> LocalId) {
    let anew = &mut Renumber(to);
    evaluation(edge, anew);
    execution(edge, anew);
}

/// Gives an edge one more select variable, after those that are there.
pub(super) fn add_select(edge: &mut Edge, mut local: Local) -> LocalId {
    let at = edge.selects;
    renumber(edge, &mut |local| if local.index() < at { local } else { LocalId::new(local.index() + 1) });
    local.name = unused(&edge.frame, local.name);
    edge.frame.insert(at, local);
    edge.selects += 1;
    LocalId::new(at)
}

/// Adds a local to a frame.
pub(super) fn add_local(frame: &mut Vec<Local>, mut local: Local) -> LocalId {
    local.name = unused(frame, local.name);
    frame.push(local);
    LocalId::new(frame.len() - 1)
}

/// A name like this one that no local has.
pub(super) fn unused(frame: &[Local], mut name: String) -> String {
    while frame.iter().any(|local| local.name == name) {
        name.push('_');
    }
    name
}
