//! Calls. A function of the source becomes a function of the IR for each way it is used: an argument that is
//! passed by reference is built into it, with the indices that vary as parameters. An argument that is a local
//! of the caller cannot be built in: such a call is expanded in place, and so is one that gives back a record
//! or an array.

use beeline_ir::FunctionId;
use beeline_ir::expr::{BinaryOp, Expr, Range};
use beeline_ir::origin::Span;
use beeline_ir::stmt::{Function, Stmt};

use super::body::{Body, Mode, Returns, target};
use super::expr::Value;
use super::fault::{Fault, Res, count};
use super::fold::{binary, neg, size};
use super::function::FunctionInfo;
use super::place::{Place, Storage};
use super::scope::Entity;
use super::stmt::{contains_return, ends_with_return};
use super::types::{Type, default_value};
use super::{HEAVY, Lower};
use crate::ast;

/// Cells of a record or array that are passed by value.
const MAX_COPIED: u64 = 4096;
/// Functions of UPPAAL 5 on floating-point numbers, and those that draw random ones.
const FLOATING: &[&str] = &[
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cbrt",
    "ceil",
    "copysign",
    "cos",
    "cosh",
    "erf",
    "erfc",
    "exp",
    "exp2",
    "expm1",
    "fabs",
    "fdim",
    "fint",
    "floor",
    "fma",
    "fmax",
    "fmin",
    "fmod",
    "hypot",
    "ilogb",
    "ldexp",
    "lgamma",
    "ln",
    "log",
    "log10",
    "log1p",
    "log2",
    "logb",
    "nextafter",
    "pow",
    "random",
    "random_arcsine",
    "random_beta",
    "random_gamma",
    "random_normal",
    "random_poisson",
    "random_tri",
    "random_weibull",
    "round",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
    "tgamma",
    "trunc",
];

/// How a parameter is used in one version of a function.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Binding {
    /// A number, by value.
    Scalar,
    /// The cells of a record or array, by value.
    Copy,
    /// A place built in, at a fixed offset or one that is passed.
    Place { storage: Storage, offset: Option<i64>, whole: bool },
}

/// An evaluated argument.
enum Argument {
    Scalar(Expr),
    Place(Place),
    /// A record or array by value, chosen by a condition.
    Choice(Value),
}

impl Argument {
    fn value(self) -> Value {
        match self {
            Self::Scalar(value) => Value::Scalar(value),
            Self::Place(place) => Value::Place(place),
            Self::Choice(value) => value,
        }
    }
}

impl Lower<'_> {
    /// A call; in queries also a process of a family, `Train(1)`.
    pub(super) fn call(
        &mut self,
        b: &mut Body,
        callee: &ast::Expr,
        arguments: &[ast::Expr],
        span: Span,
    ) -> Res<Value> {
        if let ast::ExprKind::Name(name) = &callee.kind
            && name == "abs"
            && self.find(b, name).is_none()
        {
            return self.absolute(b, arguments, span).map(Value::Scalar);
        }
        match self.callee(b, callee)? {
            Entity::Function(function) => self.call_function(b, function, arguments, span),
            Entity::Family(family) => self.family_member(b, family, arguments, span),
            other => {
                let message = format!("{} cannot be called", other.words());
                Err(Fault::error("E0532", message, callee.span))
            }
        }
    }
    /// `abs(e)`, which every model has.
    fn absolute(&mut self, b: &mut Body, arguments: &[ast::Expr], span: Span) -> Res<Expr> {
        let [argument] = arguments else {
            let message = format!("`abs` takes 1 argument, not {}", arguments.len());
            return Err(Fault::error("E0533", message, span));
        };
        let value = self.expr(b, argument)?;
        self.pay(HEAVY * size(&value), span)?;
        Ok(binary(BinaryOp::Max, value.clone(), neg(value)))
    }
    fn callee(&mut self, b: &mut Body, callee: &ast::Expr) -> Res<Entity> {
        match &callee.kind {
            ast::ExprKind::Name(name) => {
                if self.find(b, name).is_none() && FLOATING.contains(&name.as_str()) {
                    let message = format!("the function `{name}` on floating-point or random numbers");
                    return Err(Fault::unsupported("U0530", message, callee.span));
                }
                self.lookup(b, name, callee.span)
            }
            ast::ExprKind::Field(base, field) => match self.value(b, base)? {
                Value::Process(process) => match self.tables.member(process, &field.name) {
                    Some(Entity::Wrong) => Err(Fault::Told(field.span)),
                    Some(entity) => Ok(entity.clone()),
                    None => Err(self.unknown_member(process, field)),
                },
                _ => Err(Fault::error("E0532", "this has no functions", base.span)),
            },
            _ => Err(Fault::error("E0532", "only a function can be called", callee.span)),
        }
    }
    /// Whether a call can only be made by a statement.
    pub(super) fn call_needs_statements(
        &self,
        b: &Body,
        callee: &ast::Expr,
        arguments: &[ast::Expr],
    ) -> bool {
        let ast::ExprKind::Name(name) = &callee.kind else { return false };
        let Some(Entity::Function(function)) = self.find(b, name) else { return false };
        let info = &self.tables.functions[*function];
        let local = |a: &ast::Expr| self.root(b, a).is_none_or(|p| p.storage.is_local());
        info.has_effects()
            || info.result.is_aggregate()
            || info.params.iter().zip(arguments).any(|(p, a)| p.by_ref && local(a))
    }

    fn call_function(
        &mut self,
        b: &mut Body,
        function: usize,
        arguments: &[ast::Expr],
        span: Span,
    ) -> Res<Value> {
        let info = self.tables.functions[function].clone();
        if info.params.len() != arguments.len() {
            let (name, wanted, given) = (&info.name, info.params.len(), arguments.len());
            let message = format!("`{name}` takes {}, not {given}", count(wanted, "argument"));
            return Err(Fault::error("E0533", message, span));
        }
        let effects = info.has_effects();
        if effects && b.mode == Mode::Pure {
            let message =
                format!("`{}` changes variables, inside an expression that must have no effect", info.name);
            return Err(Fault::error("E0539", message, span).help("call it in an update"));
        }
        let evaluated = self.arguments(b, &info, arguments)?;
        let by_ref = info.params.iter().zip(&evaluated).filter(|(p, _)| p.by_ref);
        let local = |a: &Argument| matches!(a, Argument::Place(p) if p.storage.is_local());
        if info.result.is_aggregate() || by_ref.into_iter().any(|(_, a)| local(a)) {
            return self.inline(b, function, &info, evaluated, span);
        }
        let mut bindings = Vec::new();
        let mut values = Vec::new();
        for (i, argument) in evaluated.into_iter().enumerate() {
            match argument {
                Argument::Scalar(value) => {
                    bindings.push(Binding::Scalar);
                    values.push(self.fitted(b, &info.params[i].ty, value));
                }
                Argument::Choice(value) => {
                    self.pass_copy(b, &value, &info.params[i].ty, &mut values, span)?;
                    bindings.push(Binding::Copy);
                }
                Argument::Place(place) => {
                    // What nobody can change meanwhile need not be copied.
                    let still = info.keeps(i, &place.ty) && !place.storage.is_local();
                    if info.params[i].by_ref || still {
                        let offset = match place.index() {
                            Expr::Const(offset) => Some(offset),
                            other => {
                                values.push(other);
                                None
                            }
                        };
                        bindings.push(Binding::Place { storage: place.storage, offset, whole: place.whole });
                    } else {
                        let value = Value::Place(place);
                        self.pass_copy(b, &value, &info.params[i].ty, &mut values, span)?;
                        bindings.push(Binding::Copy);
                    }
                }
            }
        }
        let id = self.specialise(function, &info, bindings, span)?;
        Ok(match (&info.result, effects) {
            (Type::Void, _) => {
                // Also without effects: the call may fail.
                b.out.push(Stmt::Call(id, values, None));
                Value::Void
            }
            (ty, true) => {
                let result = b.fresh(&info.name, ty.range().unwrap_or(Range::BOOL), None);
                b.out.push(Stmt::Call(id, values, Some(target(beeline_ir::stmt::Place::Local(result)))));
                Value::Scalar(Expr::Local(result))
            }
            (_, false) => Value::Scalar(Expr::Call(id, values)),
        })
    }
    /// Passes the cells of a record or array.
    fn pass_copy(
        &mut self,
        b: &Body,
        value: &Value,
        to: &Type,
        values: &mut Vec<Expr>,
        span: Span,
    ) -> Res<()> {
        self.copied(to, span)?;
        values.extend(self.cell_values(b, value, to, span)?);
        Ok(())
    }
    fn copied(&mut self, ty: &Type, span: Span) -> Res<()> {
        if ty.cells() > MAX_COPIED {
            let message = format!("more than {MAX_COPIED} cells passed by value");
            return Err(Fault::unsupported("U0537", message, span).help("pass it by reference: `&`"));
        }
        self.pay(ty.cells(), span)
    }

    fn arguments(
        &mut self,
        b: &mut Body,
        info: &FunctionInfo,
        arguments: &[ast::Expr],
    ) -> Res<Vec<Argument>> {
        let mut evaluated = Vec::new();
        for (i, (param, argument)) in info.params.iter().zip(arguments).enumerate() {
            let late = arguments[i + 1..].iter().any(|a| self.needs_statements(b, a));
            let span = argument.span;
            if !param.by_ref && !param.ty.is_aggregate() {
                let value = self.expr(b, argument)?;
                evaluated.push(Argument::Scalar(if late { self.spill(b, value) } else { value }));
                continue;
            }
            let value = self.value(b, argument)?;
            let Some(given) = value.ty() else {
                let message = format!("`{}` needs a variable here", param.name);
                return Err(
                    Fault::error("E0540", message, span).help("pass a variable, an element or a field")
                );
            };
            if !given.fits(&param.ty) {
                let (name, given, wanted) = (&param.name, given.words(), param.ty.words());
                let message = format!("`{name}` is {wanted}, which {given} does not fit");
                return Err(Fault::error("E0540", message, span));
            }
            let written = param.by_ref && info.writes.params[i];
            if written && value.some_place(&|p| p.read_only || p.storage.is_const()) {
                let message = format!("`{}` is written, but this cannot be assigned to", param.name);
                return Err(Fault::error("E0537", message, span));
            }
            if param.by_ref && matches!(value, Value::Choice(_)) {
                if written || given.some(&|t| matches!(t, Type::Clock | Type::Chan { .. })) {
                    let message = "a choice that is passed by reference";
                    return Err(Fault::unsupported("U0537", message, span).help("call it once for each"));
                }
                if b.mode == Mode::Pure {
                    return Err(Fault::Statements(span));
                }
            }
            evaluated.push(match (value, param.by_ref) {
                (Value::Place(place), _) if !late => Argument::Place(place),
                (Value::Place(place), true) => Argument::Place(self.pin(b, place)),
                (value, false) if !late => Argument::Choice(value),
                (value, _) => Argument::Place(self.copy_to_local(b, &value, span)?),
            });
        }
        Ok(evaluated)
    }

    /// The version of a function for these bindings; made when it is needed first.
    pub(super) fn specialise(
        &mut self,
        function: usize,
        info: &FunctionInfo,
        bindings: Vec<Binding>,
        span: Span,
    ) -> Res<FunctionId> {
        let key = (function, bindings);
        if let Some(id) = self.tables.specialised.get(&key) {
            return Ok(*id);
        }
        let Some(source) = self.sources.get(function).copied().filter(|_| !self.frozen) else {
            let message = format!("a query calls `{}` in a way that the model itself does not", info.name);
            return Err(Fault::unsupported("U0540", message, span)
                .help("let the model call it, or write a function of numbers that calls it"));
        };
        self.enter(span)?;
        let made = self.version(info, source, &key.1, span);
        self.leave();
        let id = made?;
        self.tables.to_mut().specialised.insert(key, id);
        Ok(id)
    }
    fn version(
        &mut self,
        info: &FunctionInfo,
        source: &ast::Function,
        bindings: &[Binding],
        span: Span,
    ) -> Res<FunctionId> {
        let mut b = Body::new(info.view, info.process);
        b.mode = Mode::Statements;
        b.returns = Returns::Function(info.result.clone());
        let mut copies = Vec::new();
        for (param, binding) in info.params.iter().zip(bindings) {
            match binding {
                Binding::Scalar => {
                    b.bind(&param.name, param.ty.range().unwrap_or(Range::BOOL), false);
                }
                Binding::Place { storage, offset, whole } => {
                    let mut place = Place::root(storage.clone(), param.ty.clone());
                    place.whole = *whole;
                    place.offset = match offset {
                        Some(offset) => Expr::Const(*offset),
                        None => {
                            let range = Range::new(-1, super::MAX_CELLS as i64);
                            Expr::Local(b.fresh(&format!("{}.index", param.name), range, None))
                        }
                    };
                    b.names.push((param.name.clone(), Entity::Place(place)));
                }
                Binding::Copy => {
                    self.copied(&param.ty, span)?;
                    let shape = Place::root(
                        Storage::build(&param.ty, "", None, &mut |_, _, _| {
                            super::place::Cells::Clocks([].into())
                        }),
                        param.ty.clone(),
                    );
                    let cells: Vec<_> = shape
                        .cells()
                        .iter()
                        .enumerate()
                        .map(|(k, cell)| {
                            let range = cell.ty.range().unwrap_or(Range::BOOL);
                            b.fresh(&format!("{}[{k}]", param.name), range, None)
                        })
                        .collect();
                    copies.push((param, cells));
                }
            }
        }
        let params = b.frame.len();
        for (param, cells) in copies {
            let place = self.local(&mut b, &param.name, &param.ty);
            for (cell, value) in place.cells().iter().zip(cells) {
                let to = self.cell_target(&b, cell, span)?;
                b.out.push(Stmt::Assign(target(to), Expr::Local(value)));
            }
            b.names.push((param.name.clone(), Entity::Place(place)));
        }
        self.block(&mut b, &source.body)?;
        let name = self.function_name(&info.name);
        let function = Function {
            name,
            frame: b.frame,
            params,
            result: info.result.range(),
            body: b.out,
            origin: info.origin.clone(),
        };
        Ok(self.net.to_mut().functions.push(function))
    }

    /// Expands a call in place.
    fn inline(
        &mut self,
        b: &mut Body,
        function: usize,
        info: &FunctionInfo,
        arguments: Vec<Argument>,
        span: Span,
    ) -> Res<Value> {
        let source = match self.sources.get(function) {
            Some(source) if b.mode == Mode::Statements => *source,
            _ => return Err(Fault::Statements(span)),
        };
        let mut names = Vec::new();
        for (i, (param, argument)) in info.params.iter().zip(arguments).enumerate() {
            let place = match argument {
                Argument::Scalar(value) => {
                    let place = self.local(b, &param.name, &param.ty);
                    self.store(b, &place, value, span)?;
                    place
                }
                Argument::Place(place) if param.by_ref || info.keeps(i, &place.ty) => {
                    let mut place = self.pin(b, place);
                    place.ty = param.ty.clone();
                    place
                }
                argument => {
                    let copy = self.local(b, &param.name, &param.ty);
                    self.copy(b, &copy, &argument.value(), span)?;
                    copy
                }
            };
            names.push((param.name.clone(), Entity::Place(place)));
        }
        let result = match &info.result {
            Type::Void => None,
            ty => Some(self.local(b, &info.name, ty)),
        };
        let block = &source.body;
        let early = block.stmts.split_last().is_some_and(|(last, rest)| {
            rest.iter().any(contains_return) || !ends_with_return(block) && contains_return(last)
        });
        let done = early.then(|| b.fresh("done", Range::BOOL, None));
        if let Some(done) = done {
            b.set(done, Expr::FALSE);
        }
        if let Some(place) = result.as_ref().filter(|_| !ends_with_return(block)) {
            for cell in place.cells() {
                let to = self.cell_target(b, &cell, span)?;
                let value = cell.ty.range().map_or(0, default_value);
                b.out.push(Stmt::Assign(target(to), Expr::Const(value)));
            }
        }
        self.enter(span)?;
        let outer = b.take_context();
        b.names = names;
        b.view = info.view;
        b.process = info.process;
        b.repeats = true;
        b.returns = Returns::Inline { ty: info.result.clone(), result: result.clone(), done };
        let made = self.block(b, block);
        b.restore(outer);
        self.leave();
        made?;
        Ok(result.map_or(Value::Void, Value::Place))
    }

    /// A function of its own for an expression that takes statements; it gets the numbers of the frame.
    pub(super) fn wrap(&mut self, b: &mut Body, e: &ast::Expr) -> Res<Expr> {
        if self.frozen || b.frame.iter().any(|l| l.len.is_some()) {
            return Err(Fault::Statements(e.span));
        }
        let mut inner = b.clone();
        inner.mode = Mode::Statements;
        inner.returns = Returns::Nowhere;
        inner.bound.clear();
        inner.quantified.fill(false);
        let params = inner.frame.len();
        let value = self.expr(&mut inner, e)?;
        let range = super::fold::range_of(&value, &self.net, &inner.frame);
        inner.out.push(Stmt::Return(Some(value)));
        let base = match b.process {
            Some(process) => format!("{}.expression", self.tables.process_names[process.index()]),
            None => "#expression".to_string(),
        };
        let name = self.function_name(&base);
        let origin = Some(self.origin(e.span, Vec::new()));
        let function =
            Function { name, frame: inner.frame, params, result: Some(range), body: inner.out, origin };
        let id = self.net.to_mut().functions.push(function);
        // A quantified variable has no value outside of its quantifier, nor is it used there.
        let argument = |i: usize| {
            let local = beeline_ir::LocalId::new(i);
            if !b.quantified[i] || b.bound.contains(&local) {
                Expr::Local(local)
            } else {
                Expr::Const(default_value(b.frame[i].range))
            }
        };
        Ok(Expr::Call(id, (0..params).map(argument).collect()))
    }
    /// A name for a function of the IR that no other has.
    fn function_name(&mut self, base: &str) -> String {
        let count = self.function_names.entry(base.to_string()).or_insert(0);
        *count += 1;
        if *count == 1 { base.to_string() } else { format!("{base}#{count}") }
    }

    fn family_member(
        &mut self,
        b: &mut Body,
        family: usize,
        arguments: &[ast::Expr],
        span: Span,
    ) -> Res<Value> {
        let family = self.tables.families[family].clone();
        if arguments.len() != family.ranges.len() {
            let (wanted, given) = (family.ranges.len(), arguments.len());
            let message = format!("`{}` takes {}, not {given}", family.name, count(wanted, "value"));
            return Err(Fault::error("E0533", message, span));
        }
        let mut position = 0;
        for (argument, range) in arguments.iter().zip(&family.ranges) {
            let value = self.expr(b, argument)?;
            let value = self.static_value(b, &value, argument.span)?;
            if !range.contains(value) {
                let (name, lo, hi) = (&family.name, range.lo, range.hi);
                let message = format!("there is no process `{name}` for {value}: the values are {lo}..{hi}");
                return Err(Fault::error("E0544", message, argument.span));
            }
            position = position * range.size() as usize + (value - range.lo) as usize;
        }
        family
            .members
            .get(position)
            .map(|p| Value::Process(*p))
            .ok_or_else(|| self.unknown(&family.name, std::iter::empty(), span))
    }
}
