//! Expressions. Parentheses are written where precedence needs them, and elsewhere as the style has it; so the reader's
//! precedences are tested by the meaning of what it reads.

use super::Printer;
use super::template::HOLE;
use beeline_ir::expr::{BinaryOp, ClockAtom, ClockOp, Expr, Quantifier, UnaryOp};
use beeline_ir::{LocalId, ProcessId};

/// How tightly an operator binds; higher is tighter.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Level {
    /// `forall`, `exists`, `sum`: as far to the right as possible.
    Quantifier,
    Conditional,
    /// `||` and `imply`, one level, from the left.
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Equality,
    Relation,
    Extremum,
    Shift,
    Sum,
    Product,
    Unary,
    Primary,
}

impl Level {
    /// The next tighter one.
    fn above(self) -> Self {
        use Level as L;
        match self {
            L::Quantifier => L::Conditional,
            L::Conditional => L::Or,
            L::Or => L::And,
            L::And => L::BitOr,
            L::BitOr => L::BitXor,
            L::BitXor => L::BitAnd,
            L::BitAnd => L::Equality,
            L::Equality => L::Relation,
            L::Relation => L::Extremum,
            L::Extremum => L::Shift,
            L::Shift => L::Sum,
            L::Sum => L::Product,
            L::Product => L::Unary,
            L::Unary | L::Primary => L::Primary,
        }
    }
}

fn binary(op: BinaryOp) -> (&'static str, Level) {
    use BinaryOp as B;
    match op {
        B::Add => ("+", Level::Sum),
        B::Sub => ("-", Level::Sum),
        B::Mul => ("*", Level::Product),
        B::Div => ("/", Level::Product),
        B::Rem => ("%", Level::Product),
        B::BitAnd => ("&", Level::BitAnd),
        B::BitOr => ("|", Level::BitOr),
        B::BitXor => ("^", Level::BitXor),
        B::Shl => ("<<", Level::Shift),
        B::Shr => (">>", Level::Shift),
        B::Min => ("<?", Level::Extremum),
        B::Max => (">?", Level::Extremum),
        B::Eq => ("==", Level::Equality),
        B::Ne => ("!=", Level::Equality),
        B::Lt => ("<", Level::Relation),
        B::Le => ("<=", Level::Relation),
        B::Gt => (">", Level::Relation),
        B::Ge => (">=", Level::Relation),
    }
}

impl Printer<'_> {
    /// An expression where one of this level is wanted.
    pub(super) fn expr(&mut self, e: &Expr, wanted: Level) -> String {
        let (text, level) = self.unwrapped(e);
        let extra = level < Level::Unary && self.random.chance(self.style.parentheses);
        if level < wanted || extra { format!("({text})") } else { text }
    }

    /// A condition: 0 and 1 may be called by name.
    pub(super) fn truth(&mut self, e: &Expr, wanted: Level) -> String {
        match e {
            Expr::Const(c @ (0 | 1)) if self.random.chance(60) => ["false", "true"][*c as usize].to_string(),
            _ => self.expr(e, wanted),
        }
    }

    fn unwrapped(&mut self, e: &Expr) -> (String, Level) {
        if let Expr::And(all) | Expr::Or(all) = e
            && let Some((name, last, location)) = self.all_of_a_kind(all)
        {
            let word = if matches!(e, Expr::And(_)) { "forall" } else { "exists" };
            let ty = self.type_name(format!("int[0,{last}]"));
            return (format!("{word} (who : {ty}) {name}(who).{location}"), Level::Quantifier);
        }
        match e {
            Expr::Const(c) if *c < 0 => (c.to_string(), Level::Unary),
            Expr::Const(c) => (self.number(*c), Level::Primary),
            Expr::Var(v) => (self.names.var(*v).to_string(), Level::Primary),
            Expr::Elem(v, i) => {
                let i = self.expr(i, Level::Quantifier);
                (format!("{}[{i}]", self.names.var(*v)), Level::Primary)
            }
            Expr::Local(l) => (self.local(*l), Level::Primary),
            Expr::LocalElem(l, i) => {
                let i = self.expr(i, Level::Quantifier);
                (format!("{}[{i}]", self.local(*l)), Level::Primary)
            }
            Expr::At(p, l) => {
                let location = &self.network.processes[*p].locations[*l].name;
                (format!("{}.{location}", self.names.processes[p.index()]), Level::Primary)
            }
            Expr::Unary(UnaryOp::Not, a) => {
                let a = self.truth(a, Level::Unary);
                (if self.word() { format!("not {a}") } else { format!("!{a}") }, Level::Unary)
            }
            Expr::Unary(UnaryOp::Neg, a) => (format!("- {}", self.expr(a, Level::Unary)), Level::Unary),
            // There is no `~`.
            Expr::Unary(UnaryOp::BitNot, a) => (format!("- {} - 1", self.expr(a, Level::Unary)), Level::Sum),
            Expr::Binary(op, a, b) => self.binary(*op, a, b),
            Expr::And(all) => self.chain(all, "&&", "and", Level::And, "true"),
            Expr::Or(all) => match all.as_slice() {
                [Expr::Unary(UnaryOp::Not, a), b] if !self.style.old && self.random.chance(60) => {
                    let (a, b) = (self.truth(a, Level::Or), self.truth(b, Level::And));
                    (format!("{a} imply {b}"), Level::Or)
                }
                _ => self.chain(all, "||", "or", Level::Or, "false"),
            },
            Expr::If(c, a, b) => {
                let c = self.truth(c, Level::Or);
                let (a, b) = (self.expr(a, Level::Conditional), self.expr(b, Level::Conditional));
                (format!("{c} ? {a} : {b}"), Level::Conditional)
            }
            Expr::Quantified(quantifier, local, range, body) => {
                let word = match quantifier {
                    Quantifier::Forall => "forall",
                    Quantifier::Exists => "exists",
                    Quantifier::Sum => "sum",
                };
                let ty = self.type_name(format!("int[{},{}]", range.lo, range.hi));
                let name = self.local(*local);
                let body = self.expr(body, Level::Quantifier);
                (format!("{word} ({name} : {ty}) {body}"), Level::Quantifier)
            }
            Expr::Call(f, arguments) => {
                let arguments: Vec<String> =
                    arguments.iter().map(|a| self.expr(a, Level::Quantifier)).collect();
                (format!("{}({})", self.names.function(*f), arguments.join(", ")), Level::Primary)
            }
            Expr::Clock(atom) => self.atom(atom),
            Expr::Deadlock => ("deadlock".to_string(), Level::Primary),
            // Not in UPPAAL; `Style::draw` lets none of these through.
            Expr::Next(_)
            | Expr::Alive(_)
            | Expr::Pid(_)
            | Expr::ProcessCount
            | Expr::Channel(_)
            | Expr::Length(_)
            | Expr::Capacity(_)
            | Expr::Poll(_)
            | Expr::Enabled(..)
            | Expr::Timeout => ("unprintable".to_string(), Level::Primary),
        }
    }

    /// If these say that all processes made of one template are at a location: the template, the last number, the
    /// location.
    fn all_of_a_kind(&self, all: &[Expr]) -> Option<(String, usize, String)> {
        let [Expr::At(first, at), ..] = all else { return None };
        let (name, members) = self.automatic.iter().find(|(_, members)| members.contains(first))?;
        let same = |(e, member): (&Expr, &ProcessId)| *e == Expr::At(*member, *at);
        let same = all.len() == members.len() && all.iter().zip(members).all(same);
        let location = self.network.processes[*first].locations[*at].name.clone();
        same.then(|| (name.clone(), members.len() - 1, location))
    }

    pub(super) fn word(&mut self) -> bool {
        self.random.chance(self.style.words)
    }

    fn local(&self, id: LocalId) -> String {
        match id.index().checked_sub(HOLE) {
            Some(hole) => self.holes[hole].clone(),
            None => self.frame[id.index()].clone(),
        }
    }

    fn binary(&mut self, op: BinaryOp, a: &Expr, b: &Expr) -> (String, Level) {
        let (mut symbol, level) = binary(op);
        let wants_ints = matches!(op, BinaryOp::Min | BinaryOp::Max);
        if wants_ints && (self.style.old || self.random.chance(15)) && repeatable(a) && repeatable(b) {
            // Written out; both operands are evaluated twice, which nobody sees.
            let relation = if op == BinaryOp::Min { BinaryOp::Le } else { BinaryOp::Ge };
            let choice = a.clone().binary(relation, b.clone());
            let chosen = Expr::If(Box::new(choice), Box::new(a.clone()), Box::new(b.clone()));
            return self.unwrapped(&chosen);
        }
        if self.style.old && !self.in_query && self.random.chance(50) {
            symbol = match symbol {
                "<=" => "=<",
                ">=" => "=>",
                other => other,
            };
        }
        let (a, b) = (self.expr(a, level), self.expr(b, level.above()));
        (format!("{a} {symbol} {b}"), level)
    }

    fn chain(&mut self, all: &[Expr], symbol: &str, word: &str, level: Level, none: &str) -> (String, Level) {
        match all {
            [] => (none.to_string(), Level::Primary),
            [only @ (Expr::Clock(_) | Expr::Deadlock | Expr::At(..) | Expr::And(_) | Expr::Or(_))]
            | [only @ (Expr::Unary(UnaryOp::Not, _) | Expr::Quantified(..) | Expr::If(..))] => {
                self.unwrapped(only)
            }
            // Alone, an operand still counts as a truth value.
            [only] => (format!("({}) != 0", self.expr(only, Level::Quantifier)), Level::Equality),
            [first, rest @ ..] => {
                let mut text = self.truth(first, level);
                for e in rest {
                    let next = self.truth(e, level.above());
                    let symbol = if self.word() { word } else { symbol };
                    text = format!("{text} {symbol} {next}");
                }
                (text, level)
            }
        }
    }

    /// A clock constraint, with its condition.
    pub(super) fn atom(&mut self, atom: &ClockAtom) -> (String, Level) {
        let (text, level) = self.comparison(atom);
        let Some(when) = &atom.when else { return (text, level) };
        let inner = |wanted: Level| if level < wanted { format!("({text})") } else { text.clone() };
        match self.random.below(if self.style.old { 1 } else { 3 }) {
            0 => {
                let when = self.truth(when, Level::Unary);
                let (not, or) = if self.word() { ("not ", "or") } else { ("!", "||") };
                (format!("{not}{when} {or} {}", inner(Level::And)), Level::Or)
            }
            1 => (format!("{} imply {}", self.truth(when, Level::Or), inner(Level::And)), Level::Or),
            _ => {
                let when = self.truth(when, Level::Or);
                (format!("{when} ? {} : true", inner(Level::Conditional)), Level::Conditional)
            }
        }
    }

    fn comparison(&mut self, atom: &ClockAtom) -> (String, Level) {
        let (op, mirrored) = match atom.op {
            ClockOp::Lt => ("<", ">"),
            ClockOp::Le => ("<=", ">="),
            ClockOp::Eq => ("==", "=="),
            ClockOp::Ge => (">=", "<="),
            ClockOp::Gt => (">", "<"),
        };
        let level = if atom.op == ClockOp::Eq { Level::Equality } else { Level::Relation };
        let left = self.names.clock(atom.left).to_string();
        let bound = self.expr(&atom.bound, Level::Shift);
        let right = atom.right.map(|c| self.names.clock(c).to_string());
        let text = match right {
            Some(right) if atom.bound == Expr::Const(0) && self.random.chance(40) => {
                format!("{left} {op} {right}")
            }
            Some(right) if self.random.chance(25) => format!("{bound} {mirrored} {left} - {right}"),
            Some(right) => format!("{left} - {right} {op} {bound}"),
            None if self.random.chance(20) => format!("{bound} {mirrored} {left}"),
            None => format!("{left} {op} {bound}"),
        };
        (text, level)
    }
}

/// Whether writing the expression twice does not make the text much longer.
fn repeatable(e: &Expr) -> bool {
    match e {
        Expr::Const(_) | Expr::Var(_) | Expr::Local(_) => true,
        Expr::Elem(_, i) => repeatable(i),
        Expr::Binary(op, a, b) => {
            !matches!(op, BinaryOp::Min | BinaryOp::Max) && repeatable(a) && repeatable(b)
        }
        _ => false,
    }
}
