//! The syntax tree of a UPPAAL model, the same for XML, XTA and the old syntax. Names are not resolved yet; every
//! place is a span of the *file*, also inside an XML label whose text contains entities.

use beeline_ir::origin::Span;

/// A model file.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Document {
    /// Declarations, templates and instantiations, in the order of the file: each sees only what comes before it.
    pub items: Vec<Item>,
    /// The `system` line.
    pub system: Option<System>,
    /// Queries that the file itself holds.
    pub queries: Vec<Query>,
    /// Whether the file is in the syntax of UPPAAL 3.x: `const N 5`, and every parameter that is not `const` is
    /// passed by reference.
    pub old_syntax: bool,
}

/// One thing at the top level.
#[derive(Clone, PartialEq, Debug)]
pub enum Item {
    /// A declaration.
    Decl(Decl),
    /// A template (`process` in XTA).
    Template(Template),
    /// `name(params) = template(args);`
    Instance(Instance),
}

/// A name and where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ident {
    /// The name.
    pub name: String,
    /// Where.
    pub span: Span,
}

/// A declaration.
#[derive(Clone, PartialEq, Debug)]
pub enum Decl {
    /// `type a, b[3] = {...};`
    Vars(VarDecl),
    /// `typedef type a, b[3];`
    Typedef(VarDecl),
    /// A function.
    Function(Function),
    /// `chan priority a, b[0] < default < c;` from lowest to highest.
    ChanPriority(Vec<Vec<ChanPriority>>, Span),
    /// `before_update { ... }`
    BeforeUpdate(Vec<Expr>, Span),
    /// `after_update { ... }`
    AfterUpdate(Vec<Expr>, Span),
    /// Something this reader knows and cannot handle (`import`, `dynamic`, ...), by name.
    Unsupported(&'static str, Span),
}

/// A channel of a priority list.
#[derive(Clone, PartialEq, Debug)]
pub enum ChanPriority {
    /// `default`: all others, and internal edges.
    Default(Span),
    /// A channel, an array of channels or an element.
    Channel(Expr),
}

/// Several names of one type.
#[derive(Clone, PartialEq, Debug)]
pub struct VarDecl {
    /// The type before the names.
    pub ty: TypeExpr,
    /// The names.
    pub items: Vec<Declarator>,
}

/// One declared name.
#[derive(Clone, PartialEq, Debug)]
pub struct Declarator {
    /// The name.
    pub name: Ident,
    /// Array dimensions, outermost first.
    pub dims: Vec<Dim>,
    /// Its initialiser.
    pub init: Option<Expr>,
}

/// An array dimension.
#[derive(Clone, PartialEq, Debug)]
pub enum Dim {
    /// A size, or the name of a type: `[N]`, `[id_t]`.
    Expr(Expr),
    /// A type written out: `[int[1,3]]`.
    Type(TypeExpr),
}

/// A type as written.
#[derive(Clone, PartialEq, Debug)]
pub struct TypeExpr {
    /// `const`, `meta`, `urgent`, `broadcast`, `hybrid`, in the order written.
    pub prefixes: Vec<(Prefix, Span)>,
    /// The type itself.
    pub kind: TypeKind,
    /// Where, prefixes included.
    pub span: Span,
}

/// A word before a type.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Prefix {
    /// `const`
    Const,
    /// `meta`
    Meta,
    /// `urgent`
    Urgent,
    /// `broadcast`
    Broadcast,
    /// `hybrid`
    Hybrid,
}

/// The kinds of types.
#[derive(Clone, PartialEq, Debug)]
pub enum TypeKind {
    /// `int`, or `int[lo,hi]`.
    Int(Option<Box<(Expr, Expr)>>),
    /// `bool`
    Bool,
    /// `clock`
    Clock,
    /// `chan`
    Chan,
    /// `void`
    Void,
    /// `double`
    Double,
    /// `string`
    String,
    /// `scalar[n]`
    Scalar(Box<Expr>),
    /// `struct { ... }`
    Struct(Vec<VarDecl>),
    /// The name of a type.
    Name(String),
}

/// A function.
#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    /// Type of its result.
    pub result: TypeExpr,
    /// Its name.
    pub name: Ident,
    /// Its parameters.
    pub params: Vec<Param>,
    /// What it does.
    pub body: Block,
}

/// A parameter of a function, template or partial instantiation.
#[derive(Clone, PartialEq, Debug)]
pub struct Param {
    /// Its type.
    pub ty: TypeExpr,
    /// Whether it is passed by reference: `&`, or by the rule of the old syntax.
    pub by_ref: bool,
    /// Its name.
    pub name: Ident,
    /// Array dimensions.
    pub dims: Vec<Dim>,
}

/// `{ declarations statements }`
#[derive(Clone, PartialEq, Debug)]
pub struct Block {
    /// Local declarations (variables and types).
    pub decls: Vec<Decl>,
    /// Statements.
    pub stmts: Vec<Stmt>,
}

/// A statement.
#[derive(Clone, PartialEq, Debug)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// Where.
    pub span: Span,
}

/// The kinds of statements.
#[derive(Clone, PartialEq, Debug)]
pub enum StmtKind {
    /// `;`
    Empty,
    /// `e;`
    Expr(Expr),
    /// `{ ... }`
    Block(Block),
    /// `for (init; cond; step) body`; comma lists are kept as several expressions.
    For {
        /// Before the loop.
        init: Vec<Expr>,
        /// As long as the last one is true; empty means forever.
        cond: Vec<Expr>,
        /// After each round.
        step: Vec<Expr>,
        /// The loop's body.
        body: Box<Stmt>,
    },
    /// `for (i : T) body`
    ForEach {
        /// The variable.
        var: Ident,
        /// Its type.
        ty: TypeExpr,
        /// The loop's body.
        body: Box<Stmt>,
    },
    /// `while (cond) body`
    While(Expr, Box<Stmt>),
    /// `do body while (cond);`
    DoWhile(Box<Stmt>, Expr),
    /// `if (cond) then else otherwise`
    If(Expr, Box<Stmt>, Option<Box<Stmt>>),
    /// `return e;`
    Return(Option<Expr>),
    /// `assert e;`
    Assert(Expr),
}

/// A template.
#[derive(Clone, PartialEq, Debug)]
pub struct Template {
    /// Its name.
    pub name: Ident,
    /// Its parameters.
    pub params: Vec<Param>,
    /// Its declarations.
    pub decls: Vec<Decl>,
    /// Its locations.
    pub locations: Vec<Location>,
    /// Its branchpoints (names; the XML ids).
    pub branchpoints: Vec<Ident>,
    /// Index of the initial location.
    pub init: Option<usize>,
    /// Its edges, in the order of the file.
    pub edges: Vec<Edge>,
    /// The whole template.
    pub span: Span,
}

/// A location. An unnamed one of an XML file with id `id3` is called `_id3`.
#[derive(Clone, PartialEq, Debug)]
pub struct Location {
    /// Its name.
    pub name: Ident,
    /// Its invariant; a comma-separated list of the old syntax is a conjunction.
    pub invariant: Option<Expr>,
    /// Rate of an exponential delay; matters to statistical checking only.
    pub exponential_rate: Option<Expr>,
    /// Urgent.
    pub urgent: bool,
    /// Committed.
    pub committed: bool,
}

/// One end of an edge.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Node {
    /// Index of a location.
    Location(usize),
    /// Index of a branchpoint.
    Branchpoint(usize),
}

/// An edge.
#[derive(Clone, PartialEq, Debug)]
pub struct Edge {
    /// From.
    pub source: Node,
    /// To.
    pub target: Node,
    /// `select i : T, ...`
    pub selects: Vec<(Ident, TypeExpr)>,
    /// Its guard; a comma-separated list of the old syntax is a conjunction.
    pub guard: Option<Expr>,
    /// Its synchronisation.
    pub sync: Option<Sync>,
    /// Its update, expression by expression.
    pub update: Vec<Expr>,
    /// Weight of a branch; matters to statistical checking only.
    pub probability: Option<Expr>,
    /// `false` for `-u->` and `controllable="false"`; matters to games only.
    pub controllable: bool,
    /// The whole edge (in XML: its first label, or its `<transition>` tag).
    pub span: Span,
}

/// `c!` or `c?`
#[derive(Clone, PartialEq, Debug)]
pub struct Sync {
    /// The channel.
    pub channel: Expr,
    /// Whether it sends (`!`).
    pub send: bool,
    /// Where.
    pub span: Span,
}

/// `name(params) = template(args);`
#[derive(Clone, PartialEq, Debug)]
pub struct Instance {
    /// Its name.
    pub name: Ident,
    /// Parameters left free.
    pub params: Vec<Param>,
    /// What it instantiates: a template or another instance.
    pub template: Ident,
    /// The arguments.
    pub args: Vec<Expr>,
    /// The whole instantiation.
    pub span: Span,
}

/// The `system` line: groups of rising priority (`,` keeps the priority, `<` raises it).
#[derive(Clone, PartialEq, Debug)]
pub struct System {
    /// The processes: templates or instances.
    pub groups: Vec<Vec<Ident>>,
    /// Where.
    pub span: Span,
}

/// An expression.
#[derive(Clone, PartialEq, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where.
    pub span: Span,
}

/// The kinds of expressions.
#[derive(Clone, PartialEq, Debug)]
pub enum ExprKind {
    /// A number.
    Int(i64),
    /// `true`, `false`
    Bool(bool),
    /// A floating-point number, as written.
    Double(String),
    /// A string, without quotes.
    Str(String),
    /// A name.
    Name(String),
    /// `a[i]`
    Index(Box<Expr>, Box<Expr>),
    /// `s.f`, `P.x`, `P.location`
    Field(Box<Expr>, Ident),
    /// `f(a, b)`; in queries also `Train(1)`
    Call(Box<Expr>, Vec<Expr>),
    /// `x'`
    Rate(Box<Expr>),
    /// One operand.
    Unary(UnaryOp, Box<Expr>),
    /// Two operands.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `cond ? a : b`
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `place = value`, or `place op= value`
    Assign(Option<BinaryOp>, Box<Expr>, Box<Expr>),
    /// `++x`, `x++`, `--x`, `x--`
    Step {
        /// What is stepped.
        place: Box<Expr>,
        /// Up or down.
        up: bool,
        /// Whether the value is that after the step.
        prefix: bool,
    },
    /// `forall (i : T) e` and its kin
    Quantified(Quantifier, Ident, Box<TypeExpr>, Box<Expr>),
    /// `{ a, b }`, `{ x: 1, y: 2 }`; only as an initialiser
    List(Vec<(Option<Ident>, Expr)>),
    /// `deadlock`; only in queries
    Deadlock,
}

/// Operators of one operand.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum UnaryOp {
    /// `!`, `not`
    Not,
    /// `-`
    Neg,
    /// `+`
    Plus,
    /// `~` (not in the language; kept for its diagnostic)
    BitNot,
}

/// Operators of two operands.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum BinaryOp {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Rem,
    /// `**`
    Pow,
    /// `&`
    BitAnd,
    /// `|`
    BitOr,
    /// `^`
    BitXor,
    /// `<<`
    Shl,
    /// `>>`
    Shr,
    /// `<?`
    Min,
    /// `>?`
    Max,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `>=`
    Ge,
    /// `>`
    Gt,
    /// `&&`, `and`
    And,
    /// `||`, `or`
    Or,
    /// `xor`
    Xor,
    /// `imply`
    Imply,
}

/// Quantifiers.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Quantifier {
    /// `forall`
    Forall,
    /// `exists`
    Exists,
    /// `sum`
    Sum,
}

/// A query.
#[derive(Clone, PartialEq, Debug)]
pub struct Query {
    /// What it asks.
    pub kind: QueryKind,
    /// Its text, white space reduced to single spaces, comments dropped.
    pub text: String,
    /// Where it stands.
    pub span: Span,
    /// Its comment in the file.
    pub comment: Option<String>,
    /// The verdict the file records (`<result outcome="success|failure">`, else `<expect>`): does it hold?
    pub recorded: Option<bool>,
}

/// What a query asks.
#[derive(Clone, PartialEq, Debug)]
pub enum QueryKind {
    /// `A[] p`
    Always(Expr),
    /// `E<> p`
    Possibly(Expr),
    /// A kind of question Beeline does not answer, by name: `A<>`, `p --> q`, `sup`, `Pr`, ...
    Unsupported(String),
    /// Text that is no query: the message and its place. The others still run.
    Malformed(String, Span),
}
