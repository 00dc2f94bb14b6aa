//! Expressions and statements as TChecker writes them. Formulas are conjunctions there; everything else that is
//! true or false becomes a number by `(if .. then 1 else 0)`, so no disjunction needs to be expanded.

use std::collections::BTreeMap;

use beeline_ir::ProcessId;
use beeline_ir::expr::{BinaryOp, ClockAtom, Expr, UnaryOp};
use beeline_ir::stmt::{Block, Place, Stmt};

use super::inline::Update;
use super::simplify::is_comparison;
use crate::write::expr::comparison;
use crate::write::{Names, Unwritable};

/// Puts expressions in words.
pub(super) struct TckWords<'n> {
    pub names: &'n Names,
    /// The variable that tells where a process is.
    pub mirrors: BTreeMap<ProcessId, String>,
    /// The variable that tells that a store failed.
    pub fault: String,
    /// Names of the locals of the statement being written.
    pub locals: Vec<String>,
    /// What messages call the place.
    pub place: String,
}

type Text = Result<String, Unwritable>;

impl TckWords<'_> {
    fn refuse<T>(&self, what: &str) -> Result<T, Unwritable> {
        Err(Unwritable::new(&self.place, what))
    }

    /// A number that TChecker can read: its sign is an operator.
    pub fn number(&self, n: i64) -> Text {
        match i32::try_from(n) {
            Ok(i32::MIN) | Err(_) => self.refuse("a number outside the 32-bit integers"),
            Ok(n) if n < 0 => Ok(format!("({n})")),
            Ok(n) => Ok(n.to_string()),
        }
    }

    /// A conjunction; `1` if it is always true.
    pub fn formula(&self, expr: &Expr) -> Text {
        let mut parts = Vec::new();
        self.conjuncts(expr, &mut parts)?;
        Ok(if parts.is_empty() { "1".into() } else { parts.join(" && ") })
    }

    fn conjuncts(&self, expr: &Expr, parts: &mut Vec<String>) -> Result<(), Unwritable> {
        match expr {
            Expr::Const(n) if *n != 0 => {}
            Expr::And(all) => all.iter().try_for_each(|e| self.conjuncts(e, parts))?,
            Expr::Binary(op, left, right) if is_comparison(*op) => {
                parts.push(format!("{} {} {}", self.term(left)?, self.symbol(*op)?, self.term(right)?));
            }
            Expr::At(..) => parts.push(self.at(expr, "==")?),
            Expr::Unary(UnaryOp::Not, operand) => match &**operand {
                at @ Expr::At(..) => parts.push(self.at(at, "!=")?),
                operand => parts.push(format!("{} == 0", self.term(operand)?)),
            },
            other => parts.push(format!("{} != 0", self.term(other)?)),
        }
        Ok(())
    }

    fn at(&self, expr: &Expr, relation: &str) -> Text {
        match expr {
            Expr::At(process, location) => match self.mirrors.get(process) {
                Some(mirror) => Ok(format!("{mirror} {relation} {}", location.index())),
                None => self.refuse("a test of a location within an update"),
            },
            _ => self.refuse("not a test of a location"),
        }
    }

    /// A number.
    pub fn term(&self, expr: &Expr) -> Text {
        Ok(match expr {
            Expr::Const(n) => self.number(*n)?,
            Expr::Var(var) => self.names.vars[*var].clone(),
            Expr::Elem(var, index) => format!("{}[{}]", self.names.vars[*var], self.term(index)?),
            Expr::Local(local) => self.locals[local.index()].clone(),
            Expr::LocalElem(local, index) => format!("{}[{}]", self.locals[local.index()], self.term(index)?),
            Expr::Binary(op, left, right) if !is_comparison(*op) => {
                format!("({} {} {})", self.term(left)?, self.symbol(*op)?, self.term(right)?)
            }
            Expr::If(condition, then, otherwise) => {
                let condition = self.formula(condition)?;
                format!("(if {condition} then {} else {})", self.term(then)?, self.term(otherwise)?)
            }
            Expr::Or(all) => {
                let mut text = String::new();
                for part in all {
                    text.push_str(&format!("(if {} then 1 else ", self.formula(part)?));
                }
                text.push('0');
                text.push_str(&")".repeat(all.len()));
                text
            }
            Expr::And(_) | Expr::Binary(..) | Expr::Unary(UnaryOp::Not, _) | Expr::At(..) => {
                format!("(if {} then 1 else 0)", self.formula(expr)?)
            }
            Expr::Clock(_) => return self.refuse("a clock constraint within arithmetic"),
            _ => return self.refuse("an expression without a form in TChecker"),
        })
    }

    /// A clock constraint without its condition.
    pub fn atom(&self, atom: &ClockAtom) -> Text {
        let left = &self.names.clocks[atom.left];
        let right = atom.right.map_or(String::new(), |right| format!(" - {}", self.names.clocks[right]));
        Ok(format!("{left}{right} {} {}", comparison(atom.op), self.term(&atom.bound)?))
    }

    /// A guard or invariant; empty if it is always true.
    pub fn constraint(&self, condition: &Expr, atoms: &[ClockAtom]) -> Text {
        let mut parts = Vec::new();
        self.conjuncts(condition, &mut parts)?;
        for atom in atoms {
            parts.push(self.atom(atom)?);
        }
        Ok(parts.join(" && "))
    }

    /// The statements of an update; empty if there are none.
    pub fn update(&mut self, update: &Update) -> Text {
        self.locals = self.names.locals(&update.locals);
        if let Some(fault) = update.fault {
            self.locals[fault.index()] = self.fault.clone();
        }
        let mut parts = Vec::new();
        for (local, name) in update.locals.iter().zip(&self.locals).filter(|(_, name)| **name != self.fault) {
            parts.push(local.len.map_or(format!("local {name}"), |n| format!("local {name}[{n}]")));
        }
        self.block(&update.block, &mut parts)?;
        Ok(parts.join("; "))
    }

    fn block(&self, block: &Block, parts: &mut Vec<String>) -> Result<(), Unwritable> {
        for statement in block {
            parts.push(match statement {
                Stmt::Assign(target, value) => {
                    let place = match &target.place {
                        Place::Var(var) => self.names.vars[*var].clone(),
                        Place::Elem(var, index) => {
                            format!("{}[{}]", self.names.vars[*var], self.term(index)?)
                        }
                        Place::Local(local) => self.locals[local.index()].clone(),
                        Place::LocalElem(local, index) => {
                            format!("{}[{}]", self.locals[local.index()], self.term(index)?)
                        }
                    };
                    format!("{place} = {}", self.term(value)?)
                }
                Stmt::ClockSet(clock, value) => {
                    format!("{} = {}", self.names.clocks[*clock], self.term(value)?)
                }
                Stmt::ClockCopy(clock, other) => {
                    format!("{} = {}", self.names.clocks[*clock], self.names.clocks[*other])
                }
                Stmt::If(condition, then, otherwise) => {
                    let condition = self.formula(condition)?;
                    let (then, otherwise) = (self.nested(then)?, self.nested(otherwise)?);
                    format!("if {condition} then {then} else {otherwise} end")
                }
                Stmt::While(condition, body) => {
                    format!("while {} do {} end", self.formula(condition)?, self.nested(body)?)
                }
                _ => return self.refuse("a statement without a form in TChecker"),
            });
        }
        Ok(())
    }

    fn nested(&self, block: &Block) -> Text {
        let mut parts = Vec::new();
        self.block(block, &mut parts)?;
        Ok(if parts.is_empty() { "nop".into() } else { parts.join("; ") })
    }

    fn symbol(&self, op: BinaryOp) -> Result<&'static str, Unwritable> {
        Ok(match op {
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Rem => "%",
            BinaryOp::Eq => "==",
            BinaryOp::Ne => "!=",
            BinaryOp::Lt => "<",
            BinaryOp::Le => "<=",
            BinaryOp::Gt => ">",
            BinaryOp::Ge => ">=",
            BinaryOp::BitAnd
            | BinaryOp::BitOr
            | BinaryOp::BitXor
            | BinaryOp::Shl
            | BinaryOp::Shr
            | BinaryOp::Min
            | BinaryOp::Max => return self.refuse("an operation on bits"),
        })
    }
}
