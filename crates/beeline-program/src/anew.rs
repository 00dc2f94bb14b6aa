//! Writing anew what edges, locations and functions consist of: with a constant in place of a variable, say, or with other
//! numbers for locals.

use beeline_ir::expr::{ChannelRef, ClockAtom, Expr};
use beeline_ir::network::{Edge, Location, Sync};
use beeline_ir::stmt::{Block, Pattern as Field, Place, Receive, Send, Stmt, Target};

/// What becomes of the parts.
pub trait Anew {
    /// An expression that stands by itself.
    fn expr(&mut self, e: &Expr) -> Expr;
    /// An expression that is stored.
    fn stored(&mut self, _: &Target, e: &Expr) -> Expr {
        self.expr(e)
    }
    /// A place, its index left aside.
    fn place(&mut self, place: &mut Place);
}

/// What is evaluated in the source state. Polls must not bind.
pub fn evaluation(edge: &mut Edge, anew: &mut dyn Anew) {
    edge.guard = anew.expr(&edge.guard);
    atoms(&mut edge.clock_guard, anew);
    match &mut edge.sync {
        Sync::Internal => {}
        Sync::Send(s) => send(s, anew),
        Sync::Receive(r) => required(r, anew),
    }
}

/// The invariant of a location.
pub fn invariant(location: &mut Location, anew: &mut dyn Anew) {
    location.condition = anew.expr(&location.condition);
    atoms(&mut location.invariant, anew);
}

fn atoms(atoms: &mut [ClockAtom], anew: &mut dyn Anew) {
    for atom in atoms {
        atom.when.iter_mut().for_each(|when| *when = anew.expr(when));
        atom.bound = anew.expr(&atom.bound);
    }
}

/// What happens when it is taken.
pub fn execution(edge: &mut Edge, anew: &mut dyn Anew) {
    if let Sync::Receive(receive) = &mut edge.sync {
        bound(receive, anew);
    }
    block(&mut edge.update, anew);
}

fn channel(channel: &mut ChannelRef, anew: &mut dyn Anew) {
    match channel {
        ChannelRef::Element(_, index) => index.iter_mut().for_each(|index| **index = anew.expr(index)),
        ChannelRef::Value(value) => **value = anew.expr(value),
    }
}

fn send(send: &mut Send, anew: &mut dyn Anew) {
    channel(&mut send.channel, anew);
    send.message.iter_mut().for_each(|field| *field = anew.expr(field));
}

fn required(receive: &mut Receive, anew: &mut dyn Anew) {
    channel(&mut receive.channel, anew);
    for field in &mut receive.pattern {
        if let Field::Match(value) = field {
            *value = anew.expr(value);
        }
    }
}

fn bound(receive: &mut Receive, anew: &mut dyn Anew) {
    for field in &mut receive.pattern {
        if let Field::Bind(target) = field {
            place(&mut target.place, anew);
        }
    }
}

fn place(place: &mut Place, anew: &mut dyn Anew) {
    anew.place(place);
    if let Place::Elem(_, index) | Place::LocalElem(_, index) = place {
        *index = anew.expr(index);
    }
}

/// Statements, with those inside of them.
pub fn block(statements: &mut Block, anew: &mut dyn Anew) {
    for statement in statements {
        match statement {
            Stmt::Assign(target, value) => {
                place(&mut target.place, anew);
                *value = anew.stored(target, value);
            }
            Stmt::ClockSet(_, value) | Stmt::Assert(value, _) | Stmt::Return(Some(value)) => {
                *value = anew.expr(value);
            }
            Stmt::If(condition, then, otherwise) => {
                *condition = anew.expr(condition);
                block(then, anew);
                block(otherwise, anew);
            }
            Stmt::While(condition, body) => {
                *condition = anew.expr(condition);
                block(body, anew);
            }
            Stmt::Call(_, arguments, target) | Stmt::Start(_, arguments, target) => {
                arguments.iter_mut().for_each(|argument| *argument = anew.expr(argument));
                target.iter_mut().for_each(|target| place(&mut target.place, anew));
            }
            Stmt::Send(s) => send(s, anew),
            Stmt::Receive(r) => {
                required(r, anew);
                bound(r, anew);
            }
            Stmt::ClockCopy(..) | Stmt::Exit | Stmt::Return(None) => {}
        }
    }
}
