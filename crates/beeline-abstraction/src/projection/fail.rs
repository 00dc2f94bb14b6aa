//! Whether an evaluation may fail at run time: "no" is certain, "yes" is not.

use super::cut::Scope;
use beeline_ir::expr::{BinaryOp, ChannelRef, ClockAtom, Expr, Range, UnaryOp};
use beeline_ir::stmt::{Function, Pattern as Field, Place, Stmt, Store, Target};
use beeline_ir::visit::{channel_parts, children, statement_parts, walk, walk_block};
use beeline_ir::work;
use beeline_program::Atom;

/// Parts of expressions that are certainly not too much to evaluate, each as often as quantifiers say.
const WORK: u128 = 1 << 13;

/// Parts of a function that is not too much to call, as often as that.
const PARTS: usize = 256;

impl Scope<'_> {
    /// Whether the evaluation of an expression may fail.
    pub fn may_fail(&self, e: &Expr) -> bool {
        let work = WORK / (work::of_expr(e) as u128).max(1);
        work == 0 || self.fails(e, work)
    }

    /// `work`: so many times it may be evaluated.
    fn fails(&self, e: &Expr, work: u128) -> bool {
        let own = match e {
            Expr::Elem(var, index) => self.outside(index, self.cut.network.vars[*var].len),
            Expr::LocalElem(local, index) => self.outside(index, self.frame[local.index()].len),
            Expr::Unary(UnaryOp::Neg, _) => self.overflows(e),
            Expr::Binary(op, left, right) => match op {
                BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => self.overflows(e),
                BinaryOp::Div | BinaryOp::Rem => {
                    self.hull(right).contains(0) || self.hull(left).contains(i64::MIN)
                }
                BinaryOp::Shl | BinaryOp::Shr => {
                    let by = self.hull(right);
                    by.lo < 0 || by.hi > 63 || self.overflows(e)
                }
                _ => false,
            },
            Expr::Quantified(_, _, range, body) => {
                let size = range.size().max(1);
                return size > work || self.overflows(e) || self.fails(body, work / size);
            }
            Expr::Channel(channel) | Expr::Length(channel) | Expr::Capacity(channel) => {
                self.channel_may_fail(channel)
            }
            Expr::Poll(receive) => {
                let odd = |field: &Field| matches!(field, Field::Bind(_));
                self.channel_may_fail(&receive.channel) || receive.pattern.iter().any(odd)
            }
            Expr::Clock(atom) => self.atom_may_fail(atom),
            Expr::Call(function, arguments) => {
                let parameters = self.cut.network.functions[*function].frame.iter();
                !self.cut.unfailing.contains(function)
                    || arguments.iter().zip(parameters).any(|(e, parameter)| self.leaves(e, parameter.range))
            }
            Expr::Enabled(..) | Expr::Timeout | Expr::Next(_) => true,
            _ => false,
        };
        let mut fails = own;
        children(e, &mut |child| fails = fails || self.fails(child, work));
        fails
    }
    /// Whether it may fail to name a channel.
    pub fn channel_may_fail(&self, channel: &ChannelRef) -> bool {
        let own = match channel {
            ChannelRef::Element(_, None) => false,
            ChannelRef::Element(id, Some(index)) => self.outside(index, self.cut.network.channels[*id].len),
            ChannelRef::Value(_) => true,
        };
        let mut fails = own;
        channel_parts(channel, &mut |e| fails = fails || self.may_fail(e));
        fails
    }
    /// Whether a clock constraint may fail.
    pub fn atom_may_fail(&self, atom: &ClockAtom) -> bool {
        atom.when.as_ref().is_some_and(|when| self.may_fail(when)) || self.bound_may_fail(&atom.bound)
    }
    /// Whether the bound of a clock constraint may fail.
    pub fn bound_may_fail(&self, bound: &Expr) -> bool {
        let Range { lo, hi } = self.hull(bound);
        lo < -Atom::LIMIT || hi > Atom::LIMIT || self.may_fail(bound)
    }

    /// Whether calls of a function may fail, apart from their arguments. `self` is its scope.
    pub fn body_may_fail(&self, function: &Function) -> bool {
        let mut fails = work::of_function(function) > PARTS;
        walk_block(&function.body, &mut |statement, _| {
            statement_parts(statement, &mut |e| {
                fails |= self.may_fail(e);
                walk(e, &mut |part| fails |= matches!(part, Expr::Quantified(..) | Expr::Call(..)));
            });
            fails |= match statement {
                Stmt::Assign(Target { place, store }, value) => match place {
                    Place::Local(local) => {
                        *store == Store::Checked && self.leaves(value, self.frame[local.index()].range)
                    }
                    Place::LocalElem(..) | Place::Var(_) | Place::Elem(..) => true,
                },
                Stmt::Return(Some(value)) => function.result.is_none_or(|range| self.leaves(value, range)),
                Stmt::If(..) | Stmt::Return(None) => false,
                _ => true,
            };
        });
        fails
    }

    /// Whether a value may be outside of a range.
    fn leaves(&self, e: &Expr, range: Range) -> bool {
        let Range { lo, hi } = self.hull(e);
        lo < range.lo || hi > range.hi
    }
    /// Whether an index may be outside of its array.
    fn outside(&self, index: &Expr, len: Option<u32>) -> bool {
        let Range { lo, hi } = self.hull(index);
        lo < 0 || hi >= len.map_or(1, i64::from)
    }
    /// Hulls saturate at the ends of the integers.
    fn overflows(&self, e: &Expr) -> bool {
        let Range { lo, hi } = self.hull(e);
        lo == i64::MIN || hi == i64::MAX
    }
}
