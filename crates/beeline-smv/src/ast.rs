//! What a file says, before any name is looked up.

use beeline_ir::origin::Span;

/// A name and its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ident {
    /// The name.
    pub name: String,
    /// Where it stands.
    pub span: Span,
}

/// A file: its modules, in order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Document {
    /// The modules.
    pub modules: Vec<Module>,
}

/// `MODULE name(parameters) ...`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Module {
    /// Its name.
    pub name: Ident,
    /// Formal parameters.
    pub parameters: Vec<Ident>,
    /// Everything declared in it, in order.
    pub items: Vec<Item>,
}

/// Which kind of variable.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Role {
    /// `VAR`
    State,
    /// `IVAR`
    Input,
    /// `FROZENVAR`
    Frozen,
}

/// Which kind of constraint.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Constraint {
    /// `INIT`
    Init,
    /// `INVAR`
    Invar,
    /// `TRANS`
    Trans,
}

/// What an assignment is about.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Moment {
    /// `x := e`
    Always,
    /// `init(x) := e`
    Init,
    /// `next(x) := e`
    Next,
}

/// One declaration of a module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Item {
    /// A variable, or an instance of a module.
    Var(Role, Ident, TypeExpr),
    /// `path := body`, a macro.
    Define(Expr, Expr),
    /// Symbols that no enumeration has.
    Constants(Vec<Ident>),
    /// An assignment to a path.
    Assign(Moment, Expr, Expr),
    /// A constraint.
    Constraint(Constraint, Expr),
    /// `FAIRNESS`, `JUSTICE` or `COMPASSION`.
    Fairness(Vec<Expr>),
    /// `ISA module`: everything of that module, here.
    Isa(Ident),
    /// A specification.
    Spec(Spec),
}

/// The kinds of specifications.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum SpecKind {
    /// `INVARSPEC`
    Invariant,
    /// `SPEC` and `CTLSPEC`
    Ctl,
    /// `LTLSPEC`
    Ltl,
    /// `PSLSPEC`, which is not read.
    Psl,
    /// `COMPUTE`, which is not read.
    Compute,
}

/// A specification.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spec {
    /// Its kind.
    pub kind: SpecKind,
    /// Its `NAME`.
    pub name: Option<Ident>,
    /// What is specified; or, if that is not read, nothing.
    pub formula: Option<Expr>,
    /// The instance after `IN`.
    pub inside: Option<Expr>,
    /// As written, with single blanks.
    pub text: String,
    /// All of it.
    pub span: Span,
}

/// A type as written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TypeExpr {
    /// What it is.
    pub kind: TypeKind,
    /// Where it stands.
    pub span: Span,
}

/// The kinds of types.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TypeKind {
    /// `boolean`
    Boolean,
    /// `{a, b, 3}`
    Enum(Vec<Expr>),
    /// `lo..hi`
    Range(Box<Expr>, Box<Expr>),
    /// `[un]signed word[width]`; signed or not.
    Word(bool, Box<Expr>),
    /// `array lo..hi of element`
    Array(Box<Expr>, Box<Expr>, Box<TypeExpr>),
    /// An instance of a module with actual parameters; a process or not.
    Instance(bool, Ident, Vec<Expr>),
    /// A type that is not supported, called this.
    Unsupported(&'static str),
}

/// An expression or formula.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
    /// Levels of nesting.
    pub height: usize,
}

impl Expr {
    /// An expression as high as its parts make it.
    pub fn new(kind: ExprKind, span: Span) -> Self {
        let mut height = 0;
        kind.children(&mut |child| height = height.max(child.height));
        Self { kind, span, height: height + 1 }
    }
}

impl ExprKind {
    /// Visits the parts, in order.
    pub fn children<'e>(&'e self, visit: &mut dyn FnMut(&'e Expr)) {
        match self {
            Self::Bool(_) | Self::Int(_) | Self::Word(_) | Self::Name(_) | Self::SelfInstance => {}
            Self::Dot(a, _) | Self::Unary(_, a) | Self::Next(a) => visit(a),
            Self::Index(a, b) | Self::Binary(_, a, b) | Self::Range(a, b) => {
                [a, b].into_iter().for_each(|e| visit(e))
            }
            Self::Bits(a, b, c) | Self::If(a, b, c) => [a, b, c].into_iter().for_each(|e| visit(e)),
            Self::Case(branches) => branches.iter().flat_map(|(c, e)| [c, e]).for_each(visit),
            Self::And(all)
            | Self::Or(all)
            | Self::Set(all)
            | Self::Call(_, all)
            | Self::Array(all)
            | Self::Temporal(_, all) => all.iter().for_each(visit),
        }
    }
}

/// A word as written.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct WordLiteral {
    /// Whether it is signed.
    pub signed: bool,
    /// Its bits.
    pub width: u32,
    /// The value of the bits, without sign.
    pub bits: u64,
}

/// The kinds of expressions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExprKind {
    /// `TRUE`, `FALSE`
    Bool(bool),
    /// A number.
    Int(i64),
    /// Such as `0ud8_255`.
    Word(WordLiteral),
    /// A name: of a variable, definition, parameter, instance or symbol.
    Name(String),
    /// `self`
    SelfInstance,
    /// `a.b`
    Dot(Box<Expr>, String),
    /// `a[i]`
    Index(Box<Expr>, Box<Expr>),
    /// `w[high : low]`
    Bits(Box<Expr>, Box<Expr>, Box<Expr>),
    /// One operand.
    Unary(UnaryOp, Box<Expr>),
    /// Two operands.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `a & b & ...`
    And(Vec<Expr>),
    /// `a | b | ...`
    Or(Vec<Expr>),
    /// `c ? a : b`
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `case c : e; ... esac`
    Case(Vec<(Expr, Expr)>),
    /// `{a, b}`
    Set(Vec<Expr>),
    /// `lo..hi`
    Range(Box<Expr>, Box<Expr>),
    /// `next(e)`
    Next(Box<Expr>),
    /// A built-in function.
    Call(Function, Vec<Expr>),
    /// `[a, b]`, the body of a definition.
    Array(Vec<Expr>),
    /// A temporal operator, as written, and its operands.
    Temporal(&'static str, Vec<Expr>),
}

/// Operators of one operand.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum UnaryOp {
    /// `!`
    Not,
    /// `-`
    Neg,
}

/// Operators of two operands.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum BinaryOp {
    /// `->`
    Implies,
    /// `<->`
    Iff,
    /// `xor`
    Xor,
    /// `xnor`
    Xnor,
    /// `=`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `in`
    In,
    /// `union`
    Union,
    /// `<<`
    Shl,
    /// `>>`
    Shr,
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `mod`
    Mod,
    /// `::`
    Concat,
}

/// Built-in functions.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Function {
    /// How many of these are true.
    Count,
    /// Absolute value.
    Abs,
    /// The lesser.
    Min,
    /// The greater.
    Max,
    /// A word of one bit, or an integer, as truth value.
    Bool,
    /// A truth value as a word of one bit.
    Word1,
    /// A word, or truth value, as integer.
    ToInt,
    /// The bits of a word, signed.
    Signed,
    /// The bits of a word, unsigned.
    Unsigned,
    /// More bits, by so many.
    Extend,
    /// So many bits.
    Resize,
    /// The bits a word has.
    SizeOf,
    /// A constant and a width.
    UnsignedConst,
    /// A constant and a width.
    SignedConst,
}
