//! Expressions and clock constraints as UPPAAL writes them. Parentheses are put where `imply`/`or` and other
//! surprises of the grammar could matter; `min` and `max` are `<?` and `>?`, `~e` is `-1 - e`.

use beeline_ir::expr::{BinaryOp, ChannelRef, ClockAtom, ClockOp, Expr, Quantifier, Range, UnaryOp};
use beeline_ir::layout::Layout;
use beeline_ir::network::Network;

use super::{Names, Unwritable};

const UNARY: u8 = 12;
const PRIMARY: u8 = 13;

/// How a binary operator is written, and how tightly it binds.
fn infix(op: BinaryOp) -> (&'static str, u8) {
    match op {
        BinaryOp::BitOr => ("|", 3),
        BinaryOp::BitXor => ("^", 4),
        BinaryOp::BitAnd => ("&", 5),
        BinaryOp::Eq => ("==", 6),
        BinaryOp::Ne => ("!=", 6),
        BinaryOp::Lt => ("<", 7),
        BinaryOp::Le => ("<=", 7),
        BinaryOp::Gt => (">", 7),
        BinaryOp::Ge => (">=", 7),
        BinaryOp::Min => ("<?", 8),
        BinaryOp::Max => (">?", 8),
        BinaryOp::Shl => ("<<", 9),
        BinaryOp::Shr => (">>", 9),
        BinaryOp::Add => ("+", 10),
        BinaryOp::Sub => ("-", 10),
        BinaryOp::Mul => ("*", 11),
        BinaryOp::Div => ("/", 11),
        BinaryOp::Rem => ("%", 11),
    }
}

/// How a clock comparison is written.
pub(crate) fn comparison(op: ClockOp) -> &'static str {
    match op {
        ClockOp::Lt => "<",
        ClockOp::Le => "<=",
        ClockOp::Eq => "==",
        ClockOp::Ge => ">=",
        ClockOp::Gt => ">",
    }
}

/// Where an expression stands.
pub(crate) struct Scope {
    /// Names of the locals of its frame.
    pub locals: Vec<String>,
    /// What messages call the place.
    pub place: String,
    /// Whether it is a query, where locations, clocks and `deadlock` may be asked for.
    pub query: bool,
}

impl Scope {
    /// The scope of a part of the model.
    pub fn model(locals: Vec<String>, place: String) -> Self {
        Self { locals, place, query: false }
    }
    pub fn refuse<T>(&self, what: &str) -> Result<T, Unwritable> {
        Err(Unwritable::new(&self.place, what))
    }
    /// A number; UPPAAL's have 32 bits.
    pub fn number(&self, n: i64) -> Result<String, Unwritable> {
        match i32::try_from(n) {
            Ok(n) => Ok(n.to_string()),
            Err(_) => self.refuse("a number outside the 32-bit integers"),
        }
    }
    /// A bounded integer type.
    pub fn int(&self, range: Range) -> Result<String, Unwritable> {
        Ok(format!("int[{},{}]", self.number(range.lo)?, self.number(range.hi)?))
    }
}

/// Puts expressions in words.
pub(crate) struct Words<'n> {
    pub network: &'n Network,
    pub names: &'n Names,
    layout: Layout,
}

type Text = Result<String, Unwritable>;

impl<'n> Words<'n> {
    pub fn new(network: &'n Network, names: &'n Names) -> Self {
        Self { network, names, layout: Layout::of_network(network) }
    }

    pub fn expr(&self, expr: &Expr, scope: &Scope) -> Text {
        self.operand(expr, 0, scope)
    }

    /// The expression, in parentheses if it binds less tightly than it must.
    pub fn operand(&self, expr: &Expr, least: u8, scope: &Scope) -> Text {
        let (text, level) = self.levelled(expr, scope)?;
        Ok(if level < least { format!("({text})") } else { text })
    }

    fn levelled(&self, expr: &Expr, scope: &Scope) -> Result<(String, u8), Unwritable> {
        let text = match expr {
            Expr::Const(n) => {
                return Ok((scope.number(*n)?, if *n < 0 { UNARY } else { PRIMARY }));
            }
            Expr::Var(var) => self.names.vars[*var].clone(),
            Expr::Elem(var, index) => format!("{}[{}]", self.names.vars[*var], self.expr(index, scope)?),
            Expr::Local(local) => scope.locals[local.index()].clone(),
            Expr::LocalElem(local, index) => {
                format!("{}[{}]", scope.locals[local.index()], self.expr(index, scope)?)
            }
            Expr::At(process, location) if scope.query => {
                format!("{}.{}", self.names.processes[*process], self.names.locations[*process][*location])
            }
            Expr::At(..) => return scope.refuse("a test of a location outside a query"),
            Expr::Unary(op, operand) => return self.unary(*op, operand, scope),
            Expr::Binary(op, left, right) => {
                let (symbol, level) = infix(*op);
                let left = self.operand(left, level, scope)?;
                let right = self.operand(right, level + 1, scope)?;
                return Ok((format!("{left} {symbol} {right}"), level));
            }
            Expr::And(all) => return self.junction(all, "&&", 2, scope),
            Expr::Or(all) => return self.junction(all, "||", 1, scope),
            Expr::If(condition, then, otherwise) => {
                let condition = self.operand(condition, 1, scope)?;
                let then = self.operand(then, 1, scope)?;
                let otherwise = self.operand(otherwise, 1, scope)?;
                return Ok((format!("{condition} ? {then} : {otherwise}"), 0));
            }
            Expr::Quantified(quantifier, local, range, body) => {
                let word = match quantifier {
                    Quantifier::Forall => "forall",
                    Quantifier::Exists => "exists",
                    Quantifier::Sum => "sum",
                };
                let name = &scope.locals[local.index()];
                let body = self.operand(body, 1, scope)?;
                format!("({word} ({name} : {}) {body})", scope.int(*range)?)
            }
            Expr::Call(function, arguments) => {
                format!("{}({})", self.names.functions[*function], self.list(arguments, scope)?)
            }
            Expr::Clock(atom) => return self.atom(atom, scope),
            Expr::Deadlock => "deadlock".into(),
            // Processes that start or end are refused as a whole, so these are known.
            Expr::Alive(_) => "1".into(),
            Expr::Pid(process) => scope.number(self.layout.static_pid[*process].unwrap_or(-1))?,
            Expr::ProcessCount => self.layout.static_pid.iter().flatten().count().to_string(),
            Expr::Channel(_) => return scope.refuse("a channel as a value"),
            Expr::Length(_) | Expr::Capacity(_) | Expr::Poll(_) => {
                return scope.refuse("a question about a queue");
            }
            Expr::Enabled(..) | Expr::Timeout => return scope.refuse("a question about enabled edges"),
            Expr::Next(_) => return scope.refuse("a next-state value"),
        };
        Ok((text, PRIMARY))
    }

    fn unary(&self, op: UnaryOp, operand: &Expr, scope: &Scope) -> Result<(String, u8), Unwritable> {
        Ok(match op {
            UnaryOp::Not => (format!("!{}", self.operand(operand, UNARY, scope)?), UNARY),
            // `--1` would be a decrement.
            UnaryOp::Neg => (format!("-{}", self.operand(operand, PRIMARY, scope)?), UNARY),
            UnaryOp::BitNot => (format!("-1 - {}", self.operand(operand, 11, scope)?), 10),
        })
    }

    fn junction(
        &self,
        all: &[Expr],
        symbol: &str,
        level: u8,
        scope: &Scope,
    ) -> Result<(String, u8), Unwritable> {
        match all {
            [] => Ok((if symbol == "&&" { "true" } else { "false" }.into(), PRIMARY)),
            // A junction is 0 or 1, its only operand may be any number.
            [one] => Ok((format!("{} != 0", self.operand(one, 7, scope)?), 6)),
            _ => {
                let parts: Result<Vec<_>, _> =
                    all.iter().map(|operand| self.operand(operand, level + 1, scope)).collect();
                Ok((parts?.join(&format!(" {symbol} ")), level))
            }
        }
    }

    /// A clock constraint; one with a condition is `!condition || constraint`.
    fn atom(&self, atom: &ClockAtom, scope: &Scope) -> Result<(String, u8), Unwritable> {
        let right = match atom.right {
            Some(right) => format!(" - {}", self.names.clocks[right]),
            None => String::new(),
        };
        let left = &self.names.clocks[atom.left];
        let bound = self.operand(&atom.bound, 8, scope)?;
        let text = format!("{left}{right} {} {bound}", comparison(atom.op));
        match &atom.when {
            Some(when) => Ok((format!("!{} || {text}", self.operand(when, UNARY, scope)?), 1)),
            None => Ok((text, 6)),
        }
    }

    /// Expressions with commas between them.
    pub fn list(&self, all: &[Expr], scope: &Scope) -> Text {
        let parts: Result<Vec<_>, _> = all.iter().map(|e| self.expr(e, scope)).collect();
        Ok(parts?.join(", "))
    }

    /// A guard or an invariant; nothing if it is always true.
    pub fn constraint(&self, condition: &Expr, atoms: &[ClockAtom], scope: &Scope) -> Text {
        let mut parts = Vec::new();
        if !condition.is_true() {
            parts.push(self.operand(condition, 2, scope)?);
        }
        for atom in atoms {
            let (text, level) = self.atom(atom, scope)?;
            parts.push(if level < 2 { format!("({text})") } else { text });
        }
        Ok(parts.join(" && "))
    }

    /// A channel without `!` or `?`.
    pub fn channel(&self, channel: &ChannelRef, scope: &Scope) -> Text {
        match channel {
            ChannelRef::Element(id, None) => Ok(self.names.channels[*id].clone()),
            ChannelRef::Element(id, Some(index)) => {
                Ok(format!("{}[{}]", self.names.channels[*id], self.expr(index, scope)?))
            }
            ChannelRef::Value(_) => scope.refuse("a channel as a value"),
        }
    }
}
