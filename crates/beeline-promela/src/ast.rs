//! The syntax tree of a model. Inline calls are expanded, `for` and `select` are written out, and every local variable has
//! a name that is its own within its process type.

use std::sync::Arc;

use beeline_ir::origin::Span;

/// A name.
pub type Name = Arc<str>;

/// A model.
#[derive(Clone, Default, Debug)]
pub struct Document {
    /// Global variables and channels, in order.
    pub globals: Vec<Decl>,
    /// Record types.
    pub typedefs: Vec<Typedef>,
    /// Symbols of `mtype`s, by set: later declarations of a set continue it.
    pub mtypes: Vec<Mtype>,
    /// Process types, `init` among them, in order.
    pub procs: Vec<Proc>,
    /// Never claims.
    pub claims: Vec<Proc>,
    /// Formulas.
    pub formulas: Vec<Formula>,
}

/// One declaration `mtype = { a, b }`.
#[derive(Clone, Debug)]
pub struct Mtype {
    /// The set, if it has a name.
    pub set: Option<Name>,
    /// Symbols as written.
    pub symbols: Vec<(Name, Span)>,
}

/// A record type.
#[derive(Clone, Debug)]
pub struct Typedef {
    /// Its name.
    pub name: Name,
    /// Its fields.
    pub fields: Vec<Decl>,
    /// Where it stands.
    pub span: Span,
}

/// The type of a variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Type {
    /// `bit` or `bool`
    Bit,
    /// `byte`
    Byte,
    /// `short`
    Short,
    /// `int`
    Int,
    /// `unsigned x : n`
    Unsigned(u32),
    /// `mtype`, or `mtype:set`
    Mtype(Option<Name>),
    /// `pid`
    Pid,
    /// `chan`
    Chan,
    /// A record.
    Record(Name),
}

/// A declared variable.
#[derive(Clone, Debug)]
pub struct Decl {
    /// Its name, which is its own.
    pub name: Name,
    /// Its name as written.
    pub written: Name,
    /// Its type.
    pub ty: Type,
    /// Number of elements.
    pub len: Option<Expr>,
    /// Initial value.
    pub init: Option<Init>,
    /// Where it stands.
    pub span: Span,
}

/// An initial value.
#[derive(Clone, Debug)]
pub enum Init {
    /// `= e`
    Value(Expr),
    /// `= { e, e }`
    List(Vec<Expr>),
    /// `= [n] of { t, t }`
    Channel {
        /// Its capacity.
        capacity: Expr,
        /// Types of the fields.
        fields: Vec<(Type, Span)>,
    },
}

/// A process type, `init` or a never claim.
#[derive(Clone, Debug)]
pub struct Proc {
    /// Its name; `init` for the initial process.
    pub name: Name,
    /// How many exist from the start.
    pub active: Option<Expr>,
    /// Its parameters, the first of its variables.
    pub params: usize,
    /// All its variables.
    pub locals: Vec<Decl>,
    /// `priority n`
    pub priority: Option<Expr>,
    /// `provided (e)`
    pub provided: Option<Expr>,
    /// What it does.
    pub body: Seq,
    /// Its head.
    pub span: Span,
    /// The bracket that ends it.
    pub end: Span,
    /// Its position among process types and claims.
    pub order: usize,
}

/// A formula of linear temporal logic.
#[derive(Clone, Debug)]
pub struct Formula {
    /// Its name.
    pub name: Option<Name>,
    /// The formula.
    pub formula: Expr,
    /// Where it stands.
    pub span: Span,
}

/// Statements, one after another.
pub type Seq = Vec<Stmt>;

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// Its labels.
    pub labels: Vec<(Name, Span)>,
    /// What it is.
    pub kind: StmtKind,
    /// Where it stands.
    pub span: Span,
}

/// What a statement is.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// A condition that is waited for.
    Expr(Expr),
    /// `else`
    Else,
    /// `x = e`; the right side may be a `run`.
    Assign(Ref, Expr),
    /// `assert(e)`
    Assert(Expr),
    /// `printf(..)` and the like: a step without effect.
    Print,
    /// `goto l`
    Goto(Name),
    /// `break`
    Break,
    /// `if .. fi`
    If(Vec<Seq>),
    /// `do .. od`
    Do(Vec<Seq>),
    /// `atomic { .. }`
    Atomic(Seq),
    /// `d_step { .. }`
    DStep(Seq),
    /// `{ .. }`
    Block(Seq),
    /// `main unless escape`
    Unless(Box<Stmt>, Box<Stmt>),
    /// `c!e, e`
    Send(Send),
    /// `c?x, y`
    Receive(Receive),
}

/// A send.
#[derive(Clone, Debug)]
pub struct Send {
    /// Over which channel.
    pub channel: Ref,
    /// The message.
    pub args: Vec<Expr>,
    /// `!!`
    pub sorted: bool,
}

/// A receive.
#[derive(Clone, Debug)]
pub struct Receive {
    /// From which channel.
    pub channel: Ref,
    /// What is received.
    pub args: Vec<Arg>,
    /// `??`
    pub any: bool,
    /// `<..>`
    pub keep: bool,
}

/// What becomes of a received field.
#[derive(Clone, Debug)]
pub enum Arg {
    /// A variable or symbol.
    Ref(Ref),
    /// `eval(e)` or a constant.
    Match(Expr),
    /// `_`
    Ignore,
}

/// `a[i].b[j]`
#[derive(Clone, Debug)]
pub struct Ref {
    /// Names with their indices.
    pub parts: Vec<(Name, Option<Expr>)>,
    /// Where it stands.
    pub span: Span,
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
}

/// What an expression is.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A number.
    Int(i64),
    /// A variable, symbol or predefined variable.
    Ref(Ref),
    /// `!e`, `-e`, `~e`
    Unary(&'static str, Box<Expr>),
    /// `a op b`
    Binary(&'static str, Box<Expr>, Box<Expr>),
    /// `a && b && ..` or `a || b || ..`
    Many(&'static str, Vec<Expr>),
    /// `(c -> a : b)`
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `run P(..)`
    Run(Run),
    /// `len(c)`, `empty(c)`, `full(c)`, `nempty(c)`, `nfull(c)`
    Probe(&'static str, Ref),
    /// `c?[..]`
    Poll(Box<Receive>),
    /// `timeout`
    Timeout,
    /// `enabled(e)`, `pc_value(e)`, `get_priority(e)`: about the process of a number.
    About(&'static str, Box<Expr>),
    /// `P[e]@l`
    RemoteLabel(Name, Option<Box<Expr>>, Name),
    /// `P[e]:x`
    RemoteVar(Name, Option<Box<Expr>>, Ref),
    /// `[] p`, `<> p`, `X p`, `p U q`, `p W q`, `p V q`: temporal operators, with their operands.
    Temporal(&'static str, Vec<Expr>),
    /// Something legal that is not handled, by name.
    Unsupported(&'static str),
}

/// `run P(..)`
#[derive(Clone, Debug)]
pub struct Run {
    /// Which process type.
    pub proc: Name,
    /// Its arguments.
    pub args: Vec<Expr>,
    /// `priority n`
    pub priority: Option<Box<Expr>>,
}

impl Expr {
    /// A number at a place.
    pub fn int(value: i64, span: Span) -> Self {
        Self { kind: ExprKind::Int(value), span }
    }
    /// `left op right`
    pub fn binary(op: &'static str, left: Expr, right: Expr) -> Self {
        let span = left.span.to(right.span);
        Self { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), span }
    }
}

/// Calls a function with every statement of a sequence, those inside of others after them.
pub fn walk<'a>(seq: &'a [Stmt], visit: &mut impl FnMut(&'a Stmt)) {
    // Without recursion: the nesting of blocks is limited, but that of the stack is another matter.
    let mut open: Vec<&'a Stmt> = seq.iter().rev().collect();
    while let Some(stmt) = open.pop() {
        visit(stmt);
        match &stmt.kind {
            StmtKind::If(options) | StmtKind::Do(options) => {
                options.iter().rev().for_each(|o| open.extend(o.iter().rev()));
            }
            StmtKind::Atomic(seq) | StmtKind::DStep(seq) | StmtKind::Block(seq) => {
                open.extend(seq.iter().rev())
            }
            StmtKind::Unless(main, escape) => open.extend([&**escape, &**main]),
            _ => {}
        }
    }
}

/// The same, and statements may be changed, those inside of others before them.
pub fn walk_mut(seq: &mut [Stmt], change: &mut impl FnMut(&mut Stmt)) {
    for stmt in seq {
        match &mut stmt.kind {
            StmtKind::If(options) | StmtKind::Do(options) => {
                options.iter_mut().for_each(|option| walk_mut(option, change));
            }
            StmtKind::Atomic(seq) | StmtKind::DStep(seq) | StmtKind::Block(seq) => walk_mut(seq, change),
            StmtKind::Unless(main, escape) => {
                walk_mut(std::slice::from_mut(main), change);
                walk_mut(std::slice::from_mut(escape), change);
            }
            _ => {}
        }
        change(stmt);
    }
}

/// Calls a function with an expression and all that is inside of it.
pub fn walk_expr<'a>(expr: &'a Expr, visit: &mut impl FnMut(&'a Expr)) {
    let mut open = vec![expr];
    let indices = |found: &'a Ref, open: &mut Vec<&'a Expr>| {
        open.extend(found.parts.iter().filter_map(|(_, index)| index.as_ref()));
    };
    while let Some(expr) = open.pop() {
        visit(expr);
        match &expr.kind {
            ExprKind::Int(_) | ExprKind::Timeout | ExprKind::Unsupported(_) => {}
            ExprKind::Ref(found) | ExprKind::Probe(_, found) => indices(found, &mut open),
            ExprKind::Unary(_, e) | ExprKind::About(_, e) => open.push(e),
            ExprKind::Binary(_, a, b) => open.extend([&**a, &**b]),
            ExprKind::Many(_, all) | ExprKind::Temporal(_, all) => open.extend(all),
            ExprKind::If(a, b, c) => open.extend([&**a, &**b, &**c]),
            ExprKind::Run(run) => open.extend(&run.args),
            ExprKind::Poll(receive) => {
                indices(&receive.channel, &mut open);
                open.extend(receive.args.iter().filter_map(|arg| match arg {
                    Arg::Match(e) => Some(e),
                    _ => None,
                }));
            }
            ExprKind::RemoteLabel(_, index, _) => open.extend(index.as_deref()),
            ExprKind::RemoteVar(_, index, var) => {
                open.extend(index.as_deref());
                indices(var, &mut open);
            }
        }
    }
}
