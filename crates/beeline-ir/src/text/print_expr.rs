//! Expressions, clock constraints and channels, with as few parentheses as their precedence allows.

use super::print::Printer;
use crate::expr::{BinaryOp, ChannelRef, ClockAtom, ClockOp, Expr, Quantifier, UnaryOp};

/// How tightly an operand of a prefix operator binds.
const UNARY: u8 = 11;
/// How tightly names, numbers and everything in parentheses bind.
const PRIMARY: u8 = 12;

/// How a binary operator is written, and how tightly it binds; `None` for `min` and `max`.
fn infix(op: BinaryOp) -> Option<(&'static str, u8)> {
    Some(match op {
        BinaryOp::BitOr => (" | ", 3),
        BinaryOp::BitXor => (" ^ ", 4),
        BinaryOp::BitAnd => (" & ", 5),
        BinaryOp::Eq => (" == ", 6),
        BinaryOp::Ne => (" != ", 6),
        BinaryOp::Lt => (" < ", 7),
        BinaryOp::Le => (" <= ", 7),
        BinaryOp::Gt => (" > ", 7),
        BinaryOp::Ge => (" >= ", 7),
        BinaryOp::Shl => (" << ", 8),
        BinaryOp::Shr => (" >> ", 8),
        BinaryOp::Add => (" + ", 9),
        BinaryOp::Sub => (" - ", 9),
        BinaryOp::Mul => (" * ", 10),
        BinaryOp::Div => (" / ", 10),
        BinaryOp::Rem => (" % ", 10),
        BinaryOp::Min | BinaryOp::Max => return None,
    })
}

fn comparison(op: ClockOp) -> (&'static str, u8) {
    match op {
        ClockOp::Lt => (" < ", 7),
        ClockOp::Le => (" <= ", 7),
        ClockOp::Eq => (" == ", 6),
        ClockOp::Ge => (" >= ", 7),
        ClockOp::Gt => (" > ", 7),
    }
}

fn level(expr: &Expr) -> u8 {
    match expr {
        Expr::If(..) => 0,
        Expr::Or(all) if all.len() > 1 => 1,
        Expr::And(all) if all.len() > 1 => 2,
        Expr::Binary(op, ..) => infix(*op).map_or(PRIMARY, |(_, level)| level),
        Expr::Clock(atom) if atom.when.is_none() => comparison(atom.op).1,
        Expr::Unary(..) => UNARY,
        Expr::Const(n) if *n < 0 => UNARY,
        _ => PRIMARY,
    }
}

impl Printer<'_> {
    /// Appends an expression.
    pub fn expr(&mut self, expr: &Expr) {
        self.operand(expr, 0);
    }
    /// Appends an expression, in parentheses if it binds less tightly than it must.
    pub fn operand(&mut self, expr: &Expr, least: u8) {
        if level(expr) < least {
            self.put("(");
            self.bare(expr);
            self.put(")");
        } else {
            self.bare(expr);
        }
    }
    fn bare(&mut self, expr: &Expr) {
        match expr {
            Expr::Const(n) => self.putf(format_args!("{n}")),
            Expr::Var(var) => self.var(*var),
            Expr::Elem(var, index) => {
                self.var(*var);
                self.index(index);
            }
            Expr::Local(local) => self.local(*local),
            Expr::LocalElem(local, index) => {
                self.local(*local);
                self.index(index);
            }
            Expr::Next(var) => {
                self.put("next(");
                self.var(*var);
                self.put(")");
            }
            Expr::At(process, location) => {
                self.process_name(*process);
                self.put(".");
                self.location_name(*process, *location);
            }
            Expr::Alive(process) => self.about_process("alive", *process),
            Expr::Pid(process) => self.about_process("pid", *process),
            Expr::ProcessCount => self.put("processes"),
            Expr::Unary(op, operand) => self.unary(*op, operand),
            Expr::Binary(op, left, right) => self.binary(*op, left, right),
            Expr::And(all) => self.junction(all, "and", " && ", 2),
            Expr::Or(all) => self.junction(all, "or", " || ", 1),
            Expr::If(condition, then, otherwise) => {
                self.operand(condition, 1);
                self.put(" ? ");
                self.expr(then);
                self.put(" : ");
                self.expr(otherwise);
            }
            Expr::Quantified(quantifier, local, range, body) => {
                self.put(match quantifier {
                    Quantifier::Forall => "forall(",
                    Quantifier::Exists => "exists(",
                    Quantifier::Sum => "sum(",
                });
                self.local(*local);
                self.put(" in ");
                self.range(*range);
                self.put(" : ");
                self.expr(body);
                self.put(")");
            }
            Expr::Call(function, arguments) => {
                self.function_name(*function);
                self.arguments(arguments);
            }
            Expr::Channel(channel) => self.about_channel("chan", channel),
            Expr::Length(channel) => self.about_channel("len", channel),
            Expr::Capacity(channel) => self.about_channel("cap", channel),
            Expr::Poll(receive) => {
                self.put("poll(");
                self.receive(receive);
                self.put(")");
            }
            Expr::Enabled(process, edges) => {
                self.put("enabled(");
                self.process_name(*process);
                self.put(" : ");
                self.list(edges, |p, edge| p.putf(format_args!("#{}", edge.index())));
                self.put(")");
            }
            Expr::Timeout => self.put("timeout"),
            Expr::Clock(atom) if atom.when.is_some() => {
                self.put("(");
                self.atom(atom);
                self.put(")");
            }
            Expr::Clock(atom) => self.atom(atom),
            Expr::Deadlock => self.put("deadlock"),
        }
    }

    fn unary(&mut self, op: UnaryOp, operand: &Expr) {
        self.put(match op {
            UnaryOp::Not => "!",
            UnaryOp::Neg => "-",
            UnaryOp::BitNot => "~",
        });
        // `-5` is a number, `-(5)` an operation.
        let number = op == UnaryOp::Neg && matches!(operand, Expr::Const(n) if *n >= 0);
        self.operand(operand, if number { PRIMARY + 1 } else { UNARY });
    }
    fn binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr) {
        if let Some((symbol, level)) = infix(op) {
            self.operand(left, level);
            self.put(symbol);
            self.operand(right, level + 1);
        } else {
            self.put(if op == BinaryOp::Min { "min(" } else { "max(" });
            self.list([left, right], Self::expr);
            self.put(")");
        }
    }
    fn junction(&mut self, all: &[Expr], word: &str, symbol: &str, level: u8) {
        if all.len() < 2 {
            self.put(word);
            self.arguments(all);
            return;
        }
        for (i, operand) in all.iter().enumerate() {
            if i > 0 {
                self.put(symbol);
            }
            self.operand(operand, level + 1);
        }
    }
    /// Appends `[index]`.
    pub fn index(&mut self, index: &Expr) {
        self.put("[");
        self.expr(index);
        self.put("]");
    }
    /// Appends expressions in parentheses.
    pub fn arguments(&mut self, arguments: &[Expr]) {
        self.put("(");
        self.list(arguments, Self::expr);
        self.put(")");
    }
    fn about_process(&mut self, word: &str, process: crate::id::ProcessId) {
        self.put(word);
        self.put("(");
        self.process_name(process);
        self.put(")");
    }
    fn about_channel(&mut self, word: &str, channel: &ChannelRef) {
        self.put(word);
        self.put("(");
        self.channel(channel);
        self.put(")");
    }
    /// Appends a channel.
    pub fn channel(&mut self, channel: &ChannelRef) {
        match channel {
            ChannelRef::Element(id, index) => {
                self.channel_name(*id);
                if let Some(index) = index {
                    self.index(index);
                }
            }
            ChannelRef::Value(value) => {
                self.put("*");
                let place =
                    matches!(**value, Expr::Var(_) | Expr::Elem(..) | Expr::Local(_) | Expr::LocalElem(..));
                self.operand(value, if place { 0 } else { PRIMARY + 1 });
            }
        }
    }
    /// Appends a clock constraint.
    pub fn atom(&mut self, atom: &ClockAtom) {
        if let Some(when) = &atom.when {
            self.expr(when);
            self.put(" => ");
        }
        self.clock(atom.left);
        if let Some(right) = atom.right {
            self.put(" - ");
            self.clock(right);
        }
        let (symbol, level) = comparison(atom.op);
        self.put(symbol);
        self.operand(&atom.bound, level + 1);
    }
}
