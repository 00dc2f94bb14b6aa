//! Functions as declared, and what they can change. The analysis is by names alone: which of its parameters a
//! function writes, and whether it writes anything beyond its own variables.

use beeline_ir::ProcessId;
use beeline_ir::origin::Origin;

use super::scope::View;
use super::types::Type;
use crate::ast;

/// A parameter.
#[derive(Clone, Debug)]
pub(super) struct Parameter {
    pub name: String,
    pub ty: Type,
    pub by_ref: bool,
}

/// A function as declared.
#[derive(Clone, Debug)]
pub(super) struct FunctionInfo {
    pub name: String,
    pub params: Vec<Parameter>,
    pub result: Type,
    /// What its body sees.
    pub view: View,
    pub process: Option<ProcessId>,
    pub writes: Writes,
    pub origin: Option<Origin>,
}

impl FunctionInfo {
    /// Whether a call changes something besides the function's own variables.
    pub(super) fn has_effects(&self) -> bool {
        self.writes.state
            || self.params.iter().zip(&self.writes.params).any(|(p, written)| p.by_ref && *written)
    }
    /// Whether a call sees an argument by value of this type just as it is, so that it need not be copied.
    pub(super) fn keeps(&self, parameter: usize, given: &Type) -> bool {
        let written = self.has_effects() || self.writes.params[parameter];
        !written && !self.params[parameter].ty.converts(given)
    }
}

/// What code can change.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Writes {
    /// Something that is neither local nor a parameter.
    pub state: bool,
    /// Each parameter.
    pub params: Vec<bool>,
}

/// Says of a function, by its name, what it writes; parameters that it takes by value count as not written.
pub(super) type Callees<'c> = dyn Fn(&str) -> Option<Writes> + 'c;

/// What the body of a function writes.
pub(super) fn function_writes(function: &ast::Function, callees: &Callees<'_>) -> Writes {
    let names: Vec<&str> = function.params.iter().map(|p| p.name.name.as_str()).collect();
    let mut analysis = Analysis::new(&names, callees);
    analysis.block(&function.body);
    analysis.writes
}

/// Which of these names the updates and functions of a template write.
pub(super) fn template_writes(template: &ast::Template, names: &[&str], callees: &Callees<'_>) -> Writes {
    let mut analysis = Analysis::new(names, callees);
    for decl in &template.decls {
        if let ast::Decl::Function(function) = decl {
            let mark = analysis.names.len();
            analysis.names.extend(function.params.iter().map(|p| (p.name.name.as_str(), None)));
            analysis.block(&function.body);
            analysis.names.truncate(mark);
        }
    }
    for edge in &template.edges {
        let mark = analysis.names.len();
        analysis.names.extend(edge.selects.iter().map(|(ident, _)| (ident.name.as_str(), None)));
        edge.update.iter().for_each(|e| analysis.expr(e));
        analysis.names.truncate(mark);
    }
    analysis.writes
}

struct Analysis<'a, 'c> {
    /// Known names: the number of a parameter, or a local.
    names: Vec<(&'a str, Option<usize>)>,
    writes: Writes,
    callees: &'c Callees<'c>,
}

impl<'a, 'c> Analysis<'a, 'c> {
    fn new(names: &[&'a str], callees: &'c Callees<'c>) -> Self {
        let writes = Writes { state: false, params: vec![false; names.len()] };
        Self { names: names.iter().enumerate().map(|(i, n)| (*n, Some(i))).collect(), writes, callees }
    }
    fn block(&mut self, block: &'a ast::Block) {
        let mark = self.names.len();
        for decl in &block.decls {
            if let ast::Decl::Vars(vars) = decl {
                for item in &vars.items {
                    item.init.iter().for_each(|e| self.expr(e));
                    self.names.push((&item.name.name, None));
                }
            }
        }
        block.stmts.iter().for_each(|s| self.stmt(s));
        self.names.truncate(mark);
    }
    fn stmt(&mut self, stmt: &'a ast::Stmt) {
        use ast::StmtKind as S;
        match &stmt.kind {
            S::Empty | S::Return(None) => {}
            S::Expr(e) | S::Return(Some(e)) => self.expr(e),
            S::Assert(e) => {
                self.writes.state = true;
                self.expr(e);
            }
            S::Block(block) => self.block(block),
            S::For { init, cond, step, body } => {
                init.iter().chain(cond).chain(step).for_each(|e| self.expr(e));
                self.stmt(body);
            }
            S::ForEach { var, body, .. } => {
                self.names.push((&var.name, None));
                self.stmt(body);
                self.names.pop();
            }
            S::While(e, body) | S::DoWhile(body, e) => {
                self.expr(e);
                self.stmt(body);
            }
            S::If(e, then, otherwise) => {
                self.expr(e);
                self.stmt(then);
                otherwise.iter().for_each(|s| self.stmt(s));
            }
        }
    }
    fn expr(&mut self, e: &ast::Expr) {
        use ast::ExprKind as K;
        match &e.kind {
            K::Assign(_, place, value) => {
                self.written(place);
                self.expr(place);
                self.expr(value);
            }
            K::Step { place, .. } => {
                self.written(place);
                self.expr(place);
            }
            K::Call(callee, arguments) => {
                if let K::Name(name) = &callee.kind
                    && let Some(writes) = (self.callees)(name)
                {
                    self.writes.state |= writes.state;
                    let written = arguments.iter().zip(writes.params).filter(|(_, w)| *w);
                    written.for_each(|(argument, _)| self.written(argument));
                }
                arguments.iter().for_each(|a| self.expr(a));
            }
            K::Binary(_, left, right) => {
                self.expr(right);
                let mut rest = left;
                // The left side may be a long chain.
                while let K::Binary(_, left, right) = &rest.kind {
                    self.expr(right);
                    rest = left;
                }
                self.expr(rest);
            }
            K::Index(x, y) => {
                self.expr(x);
                self.expr(y);
            }
            K::Field(x, _) | K::Rate(x) | K::Unary(_, x) | K::Quantified(_, _, _, x) => self.expr(x),
            K::Conditional(x, y, z) => [x, y, z].into_iter().for_each(|e| self.expr(e)),
            K::List(all) => all.iter().for_each(|(_, e)| self.expr(e)),
            K::Int(_) | K::Bool(_) | K::Double(_) | K::Str(_) | K::Name(_) | K::Deadlock => {}
        }
    }
    fn written(&mut self, place: &ast::Expr) {
        use ast::ExprKind as K;
        match &place.kind {
            K::Name(name) => match self.names.iter().rev().find(|(n, _)| n == name) {
                Some((_, Some(parameter))) => self.writes.params[*parameter] = true,
                Some((_, None)) => {}
                None => self.writes.state = true,
            },
            K::Index(base, _) | K::Field(base, _) | K::Assign(_, base, _) | K::Step { place: base, .. } => {
                self.written(base);
            }
            K::Conditional(_, x, y) => {
                self.written(x);
                self.written(y);
            }
            _ => self.writes.state = true,
        }
    }
}
