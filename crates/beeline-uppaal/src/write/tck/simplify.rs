//! Expressions without what TChecker lacks: quantifiers are unfolded, functions run symbolically, operators it
//! does not know rewritten, constants computed. What remains are constants, variables, array elements, location
//! tests, arithmetic, comparisons, junctions and conditionals. Unfolding can explode, so all of it is paid from
//! one budget.

use std::collections::BTreeSet;

use beeline_ir::expr::{BinaryOp, ClockAtom, Expr, Quantifier, Range, UnaryOp};
use beeline_ir::layout::Layout;
use beeline_ir::network::Network;
use beeline_ir::stmt::Local;
use beeline_ir::visit;
use beeline_ir::{FunctionId, LocalId};

use super::fold::{and, binary, equals, if_else, or};
use crate::write::Unwritable;

/// Work a translation may cost, counted in parts of expressions.
const BUDGET: u64 = 2_000_000;
/// Levels a translated expression may have.
const MAX_HEIGHT: usize = 600;

/// What a local stands for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Value {
    /// A scalar.
    Scalar(Expr),
    /// An array whose elements are known.
    Array(Vec<Expr>),
    /// An array of the text itself.
    Written(LocalId),
}

/// What the locals of a frame stand for.
pub(super) type Env = Vec<Value>;

pub(super) struct Simplifier<'n> {
    pub network: &'n Network,
    layout: Layout,
    budget: u64,
    depth: usize,
    /// What messages call the part being translated.
    pub place: String,
    /// Functions in whose expressions a value is no longer checked against its range.
    pub unchecked: BTreeSet<FunctionId>,
}

impl<'n> Simplifier<'n> {
    pub fn new(network: &'n Network) -> Self {
        let layout = Layout::of_network(network);
        let (place, unchecked) = (String::new(), BTreeSet::new());
        Self { network, layout, budget: BUDGET, depth: 0, place, unchecked }
    }

    pub fn refuse<T>(&self, what: impl Into<String>) -> Result<T, Unwritable> {
        Err(Unwritable::new(&self.place, what))
    }

    /// Pays for work.
    pub fn charge(&mut self, amount: usize) -> Result<(), Unwritable> {
        match self.budget.checked_sub(amount as u64) {
            Some(rest) => self.budget = rest,
            None => return self.refuse("too large when quantifiers, selections and functions are unfolded"),
        }
        Ok(())
    }

    /// The locals of a frame at their initial values.
    pub fn env(&mut self, frame: &[Local]) -> Result<Env, Unwritable> {
        let mut env = Vec::with_capacity(frame.len());
        for local in frame {
            let value = Expr::Const(local.range.start());
            env.push(match local.len {
                None => Value::Scalar(value),
                Some(n) => {
                    self.charge(n as usize)?;
                    Value::Array(vec![value; n as usize])
                }
            });
        }
        Ok(env)
    }

    /// A copy, paid for.
    pub fn copy(&mut self, expr: &Expr) -> Result<Expr, Unwritable> {
        let mut size = 0;
        visit::walk(expr, &mut |_| size += 1);
        self.charge(size)?;
        Ok(expr.clone())
    }

    /// Refuses an expression that is too deep to be handled further.
    pub fn checked(&mut self, expr: Expr) -> Result<Expr, Unwritable> {
        let height = visit::height(&expr);
        self.charge(height)?;
        if height > MAX_HEIGHT { self.refuse("nested too deeply when unfolded") } else { Ok(expr) }
    }

    /// The expression with locals replaced by what they stand for.
    pub fn expr(&mut self, expr: &Expr, env: &mut Env) -> Result<Expr, Unwritable> {
        self.charge(1)?;
        self.enter()?;
        let simple = self.unguarded(expr, env)?;
        self.leave();
        Ok(simple)
    }

    /// One level deeper; a translation that fails is given up, so only success needs to leave.
    pub fn enter(&mut self) -> Result<(), Unwritable> {
        self.depth += 1;
        if self.depth > MAX_HEIGHT { self.refuse("nested too deeply when unfolded") } else { Ok(()) }
    }
    pub fn leave(&mut self) {
        self.depth -= 1;
    }

    fn unguarded(&mut self, expr: &Expr, env: &mut Env) -> Result<Expr, Unwritable> {
        Ok(match expr {
            Expr::Const(_) | Expr::Var(_) => expr.clone(),
            Expr::At(process, _) if self.network.processes[*process].locations.len() == 1 => Expr::TRUE,
            Expr::At(..) => expr.clone(),
            Expr::Elem(var, index) => Expr::Elem(*var, Box::new(self.expr(index, env)?)),
            Expr::Local(local) => match &env[local.index()] {
                Value::Scalar(value) => {
                    let value = value.clone();
                    self.copy(&value)?
                }
                Value::Array(_) | Value::Written(_) => return self.refuse("an array as a value"),
            },
            Expr::LocalElem(local, index) => {
                let index = self.expr(index, env)?;
                self.element(*local, index, env)?
            }
            Expr::Unary(op, operand) => {
                let operand = self.expr(operand, env)?;
                match op {
                    UnaryOp::Not => super::fold::not(operand),
                    UnaryOp::Neg => binary(BinaryOp::Sub, Expr::Const(0), operand),
                    UnaryOp::BitNot => binary(BinaryOp::Sub, Expr::Const(-1), operand),
                }
            }
            Expr::Binary(op, left, right) => {
                let (left, right) = (self.expr(left, env)?, self.expr(right, env)?);
                self.binary(*op, left, right)?
            }
            Expr::And(all) => and(self.list(all, env)?),
            Expr::Or(all) => or(self.list(all, env)?),
            Expr::If(condition, then, otherwise) => match self.expr(condition, env)? {
                Expr::Const(0) => self.expr(otherwise, env)?,
                Expr::Const(_) => self.expr(then, env)?,
                condition => if_else(condition, self.expr(then, env)?, self.expr(otherwise, env)?),
            },
            Expr::Quantified(quantifier, local, range, body) => {
                self.quantified(*quantifier, *local, *range, body, env)?
            }
            Expr::Call(function, arguments) => {
                let arguments = self.list(arguments, env)?;
                self.call(*function, arguments)?
            }
            Expr::Clock(atom) => Expr::Clock(Box::new(self.atom(atom, env)?)),
            // Processes that start or end are refused as a whole, so these are known.
            Expr::Alive(_) => Expr::TRUE,
            Expr::Pid(process) => Expr::Const(self.layout.static_pid[*process].unwrap_or(-1)),
            Expr::ProcessCount => Expr::Const(self.layout.static_pid.iter().flatten().count() as i64),
            Expr::Deadlock => return self.refuse("the question for a deadlock"),
            Expr::Channel(_) | Expr::Length(_) | Expr::Capacity(_) | Expr::Poll(_) => {
                return self.refuse("a channel as a value, or a question about a queue");
            }
            Expr::Enabled(..) | Expr::Timeout => return self.refuse("a question about enabled edges"),
            Expr::Next(_) => return self.refuse("a next-state value"),
        })
    }

    pub fn list(&mut self, all: &[Expr], env: &mut Env) -> Result<Vec<Expr>, Unwritable> {
        all.iter().map(|e| self.expr(e, env)).collect()
    }

    /// A clock constraint; its condition is gone if it is always true.
    pub fn atom(&mut self, atom: &ClockAtom, env: &mut Env) -> Result<ClockAtom, Unwritable> {
        let when = match &atom.when {
            Some(when) => Some(self.expr(when, env)?).filter(|w| !matches!(w, Expr::Const(n) if *n != 0)),
            None => None,
        };
        Ok(ClockAtom { when, bound: self.expr(&atom.bound, env)?, ..atom.clone() })
    }

    fn binary(&mut self, op: BinaryOp, left: Expr, right: Expr) -> Result<Expr, Unwritable> {
        if let (Expr::Const(_), Expr::Const(_)) = (&left, &right) {
            return Ok(binary(op, left, right));
        }
        let boolean = self.fits(&left, Range::BOOL, &[]) && self.fits(&right, Range::BOOL, &[]);
        Ok(match (op, &right) {
            (BinaryOp::Min | BinaryOp::Max, _) => {
                let order = if op == BinaryOp::Min { BinaryOp::Le } else { BinaryOp::Ge };
                let first = binary(order, self.copy(&left)?, self.copy(&right)?);
                if_else(first, left, right)
            }
            (BinaryOp::BitAnd, _) if boolean => and(vec![left, right]),
            (BinaryOp::BitOr, _) if boolean => or(vec![left, right]),
            (BinaryOp::BitXor, _) if boolean => binary(BinaryOp::Ne, left, right),
            (BinaryOp::Shl, Expr::Const(n @ 0..=30)) => binary(BinaryOp::Mul, left, Expr::Const(1 << n)),
            (BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor | BinaryOp::Shl | BinaryOp::Shr, _) => {
                return self.refuse("an operation on bits");
            }
            _ => binary(op, left, right),
        })
    }

    fn quantified(
        &mut self,
        quantifier: Quantifier,
        local: LocalId,
        range: Range,
        body: &Expr,
        env: &mut Env,
    ) -> Result<Expr, Unwritable> {
        let mut parts = Vec::new();
        let outer = env[local.index()].clone();
        for value in range.values() {
            env[local.index()] = Value::Scalar(Expr::Const(value));
            parts.push(self.expr(body, env)?);
        }
        env[local.index()] = outer;
        Ok(match quantifier {
            Quantifier::Forall => and(parts),
            Quantifier::Exists => or(parts),
            Quantifier::Sum => {
                // In pairs, so that the sum is not as deep as it is long.
                while parts.len() > 1 {
                    let mut rest = parts.into_iter();
                    parts = Vec::new();
                    while let Some(left) = rest.next() {
                        parts.push(match rest.next() {
                            Some(right) => binary(BinaryOp::Add, left, right),
                            None => left,
                        });
                    }
                }
                parts.pop().unwrap_or(Expr::Const(0))
            }
        })
    }

    /// An element of a local array.
    fn element(&mut self, local: LocalId, index: Expr, env: &Env) -> Result<Expr, Unwritable> {
        match (&env[local.index()], &index) {
            (Value::Written(id), _) => Ok(Expr::LocalElem(*id, Box::new(index))),
            (Value::Array(values), Expr::Const(n)) => {
                match usize::try_from(*n).ok().and_then(|n| values.get(n)).cloned() {
                    Some(value) => self.copy(&value),
                    None => self.refuse("an index that is always outside its array"),
                }
            }
            (Value::Array(values), _) => {
                let mut chosen = Expr::Const(0);
                for (n, value) in values.iter().enumerate().rev() {
                    let here = equals(self.copy(&index)?, n as i64);
                    chosen = if_else(here, self.copy(value)?, chosen);
                }
                self.checked(chosen)
            }
            (Value::Scalar(_), _) => self.refuse("an index into a scalar"),
        }
    }

    /// Whether the value certainly lies in the range; `locals` are the ranges of the text's own locals.
    pub fn fits(&self, expr: &Expr, range: Range, locals: &[Local]) -> bool {
        self.interval(expr, locals).is_some_and(|inner| range.contains(inner.lo) && range.contains(inner.hi))
    }

    /// A range that holds the value, if a small one is known.
    fn interval(&self, expr: &Expr, locals: &[Local]) -> Option<Range> {
        Some(match expr {
            Expr::Const(n) => Range::new(*n, *n),
            Expr::Var(var) | Expr::Elem(var, _) => self.network.vars[*var].range,
            Expr::Local(local) | Expr::LocalElem(local, _) => locals.get(local.index())?.range,
            Expr::At(..) | Expr::And(_) | Expr::Or(_) | Expr::Unary(UnaryOp::Not, _) => Range::BOOL,
            Expr::Binary(op, ..) if is_comparison(*op) => Range::BOOL,
            Expr::Binary(op, left, right) => {
                arithmetic(*op, self.interval(left, locals)?, self.interval(right, locals)?)?
            }
            Expr::If(_, then, otherwise) => {
                self.interval(then, locals)?.hull(self.interval(otherwise, locals)?)
            }
            _ => return None,
        })
    }
}

/// The range of `left op right`, where its ends decide it.
fn arithmetic(op: BinaryOp, left: Range, right: Range) -> Option<Range> {
    let (lo, hi) = match op {
        BinaryOp::Add => (left.lo.checked_add(right.lo)?, left.hi.checked_add(right.hi)?),
        BinaryOp::Sub => (left.lo.checked_sub(right.hi)?, left.hi.checked_sub(right.lo)?),
        BinaryOp::Rem if left.lo >= 0 && right.lo > 0 => (0, left.hi.min(right.hi - 1)),
        BinaryOp::Div if right.lo > 0 => (left.lo.min(0) / right.lo, left.hi.max(0) / right.lo),
        _ => return None,
    };
    Some(Range::new(lo, hi))
}

/// Whether the operator compares.
pub(super) fn is_comparison(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge)
}
