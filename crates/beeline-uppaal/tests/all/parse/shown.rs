//! Syntax trees as short texts, every operator in parentheses, so that tests can say how something was read.

use beeline_uppaal::ast::{
    BinaryOp, Decl, Declarator, Dim, Expr, ExprKind, Param, QueryKind, Stmt, StmtKind, TypeExpr, TypeKind,
    UnaryOp, VarDecl,
};
use beeline_uppaal::parse_query;

/// The list of items, separated.
pub fn join<T>(items: &[T], separator: &str, shown: impl Fn(&T) -> String) -> String {
    items.iter().map(shown).collect::<Vec<_>>().join(separator)
}

/// How the expression is read in a query.
pub fn read(text: &str) -> String {
    match parse_query(&format!("A[] {text}")).kind {
        QueryKind::Always(e) => expr(&e),
        other => format!("{other:?}"),
    }
}

/// An expression.
pub fn expr(e: &Expr) -> String {
    match &e.kind {
        ExprKind::Int(n) => n.to_string(),
        ExprKind::Bool(b) => b.to_string(),
        ExprKind::Double(text) => format!("double {text}"),
        ExprKind::Str(text) => format!("{text:?}"),
        ExprKind::Name(name) => name.clone(),
        ExprKind::Index(a, i) => format!("{}[{}]", expr(a), expr(i)),
        ExprKind::Field(s, f) => format!("{}.{}", expr(s), f.name),
        ExprKind::Call(f, args) => format!("{}({})", expr(f), join(args, ", ", expr)),
        ExprKind::Rate(x) => format!("{}'", expr(x)),
        ExprKind::Unary(op, a) => format!("({} {})", unary(*op), expr(a)),
        ExprKind::Binary(op, a, b) => format!("({} {} {})", expr(a), binary(*op), expr(b)),
        ExprKind::Conditional(c, a, b) => format!("({} ? {} : {})", expr(c), expr(a), expr(b)),
        ExprKind::Assign(op, a, b) => format!("({} {}= {})", expr(a), op.map_or("", binary), expr(b)),
        ExprKind::Step { place, up, prefix } => {
            let op = if *up { "++" } else { "--" };
            if *prefix { format!("({op}{})", expr(place)) } else { format!("({}{op})", expr(place)) }
        }
        ExprKind::Quantified(q, var, t, body) => format!("({q:?} {}:{} {})", var.name, ty(t), expr(body)),
        ExprKind::List(items) => {
            let item = |(field, value): &(Option<beeline_uppaal::ast::Ident>, Expr)| match field {
                Some(field) => format!("{}: {}", field.name, expr(value)),
                None => expr(value),
            };
            format!("{{{}}}", join(items, ", ", item))
        }
        ExprKind::Deadlock => "deadlock".into(),
    }
}

fn unary(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Not => "!",
        UnaryOp::Neg => "-",
        UnaryOp::Plus => "+",
        UnaryOp::BitNot => "~",
    }
}

fn binary(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Rem => "%",
        BinaryOp::Pow => "**",
        BinaryOp::BitAnd => "&",
        BinaryOp::BitOr => "|",
        BinaryOp::BitXor => "^",
        BinaryOp::Shl => "<<",
        BinaryOp::Shr => ">>",
        BinaryOp::Min => "<?",
        BinaryOp::Max => ">?",
        BinaryOp::Lt => "<",
        BinaryOp::Le => "<=",
        BinaryOp::Eq => "==",
        BinaryOp::Ne => "!=",
        BinaryOp::Ge => ">=",
        BinaryOp::Gt => ">",
        BinaryOp::And => "&&",
        BinaryOp::Or => "||",
        BinaryOp::Xor => "xor",
        BinaryOp::Imply => "imply",
    }
}

/// A type.
pub fn ty(t: &TypeExpr) -> String {
    let prefixes: String = t.prefixes.iter().map(|(p, _)| format!("{p:?} ").to_lowercase()).collect();
    let kind = match &t.kind {
        TypeKind::Int(None) => "int".into(),
        TypeKind::Int(Some(bounds)) => format!("int[{},{}]", expr(&bounds.0), expr(&bounds.1)),
        TypeKind::Scalar(n) => format!("scalar[{}]", expr(n)),
        TypeKind::Struct(fields) => format!("struct{{{}}}", join(fields, " ", vars)),
        TypeKind::Name(name) => name.clone(),
        other => format!("{other:?}").to_lowercase(),
    };
    prefixes + &kind
}

fn dims(dims: &[Dim]) -> String {
    join(dims, "", |dim| match dim {
        Dim::Expr(e) => format!("[{}]", expr(e)),
        Dim::Type(t) => format!("[{}]", ty(t)),
    })
}

fn vars(v: &VarDecl) -> String {
    let item = |d: &Declarator| {
        let init = d.init.as_ref().map_or(String::new(), |e| format!(" = {}", expr(e)));
        format!("{}{}{init}", d.name.name, dims(&d.dims))
    };
    format!("{} {};", ty(&v.ty), join(&v.items, ", ", item))
}

/// Parameters.
pub fn params(params: &[Param]) -> String {
    join(params, ", ", |p| {
        format!("{} {}{}{}", ty(&p.ty), if p.by_ref { "&" } else { "" }, p.name.name, dims(&p.dims))
    })
}

/// A declaration.
pub fn decl(d: &Decl) -> String {
    match d {
        Decl::Vars(v) => vars(v),
        Decl::Typedef(v) => format!("typedef {}", vars(v)),
        Decl::Function(f) => {
            let body = join(&f.body.decls, " ", decl) + &join(&f.body.stmts, " ", stmt);
            format!("{} {}({}) {{{body}}}", ty(&f.result), f.name.name, params(&f.params))
        }
        Decl::ChanPriority(groups, _) => {
            let element = |c: &beeline_uppaal::ast::ChanPriority| match c {
                beeline_uppaal::ast::ChanPriority::Default(_) => "default".into(),
                beeline_uppaal::ast::ChanPriority::Channel(e) => expr(e),
            };
            format!("priority {}", join(groups, " < ", |group| join(group, ", ", element)))
        }
        Decl::BeforeUpdate(updates, _) => format!("before {}", join(updates, ", ", expr)),
        Decl::AfterUpdate(updates, _) => format!("after {}", join(updates, ", ", expr)),
        Decl::Unsupported(what, _) => format!("unsupported {what}"),
    }
}

/// A statement.
pub fn stmt(s: &Stmt) -> String {
    match &s.kind {
        StmtKind::Empty => ";".into(),
        StmtKind::Expr(e) => format!("{};", expr(e)),
        StmtKind::Block(b) => format!("{{{}{}}}", join(&b.decls, " ", decl), join(&b.stmts, " ", stmt)),
        StmtKind::For { init, cond, step, body } => format!(
            "for({};{};{}) {}",
            join(init, ", ", expr),
            join(cond, ", ", expr),
            join(step, ", ", expr),
            stmt(body)
        ),
        StmtKind::ForEach { var, ty: t, body } => format!("for({}:{}) {}", var.name, ty(t), stmt(body)),
        StmtKind::While(c, body) => format!("while({}) {}", expr(c), stmt(body)),
        StmtKind::DoWhile(body, c) => format!("do {} while({});", stmt(body), expr(c)),
        StmtKind::If(c, a, b) => {
            let otherwise = b.as_ref().map_or(String::new(), |b| format!(" else {}", stmt(b)));
            format!("if({}) {}{otherwise}", expr(c), stmt(a))
        }
        StmtKind::Return(e) => format!("return {};", e.as_ref().map_or(String::new(), expr)),
        StmtKind::Assert(e) => format!("assert {};", expr(e)),
    }
}
