//! Declarations outside of functions: variables, constants, clocks, channels, types and functions, of the whole
//! model or of a process.

use beeline_ir::expr::Expr;
use beeline_ir::network::{Channel, ChannelKind, Clock, Var};
use beeline_ir::origin::Span;
use beeline_ir::{ClockId, ProcessId};

use super::body::Body;
use super::call::Binding;
use super::constant::NoValue;
use super::fault::{Fault, Res, count};
use super::function::{FunctionInfo, Parameter, Writes, function_writes};
use super::place::{Cells, ConstId, Constant, Place, Storage};
use super::scope::{Entity, ScopeId};
use super::stmt::never_passes;
use super::types::{Declared, Type, default_value, too_large};
use super::{Lower, MAX_CELLS, MAX_CHANNELS, MAX_CLOCKS, named};
use crate::ast;

/// Which part of a record or array an item of a list is for.
pub(super) enum Part {
    Element(u32),
    Field(String),
}

impl<'a> Lower<'a> {
    /// Declares something in a scope; what is wrong with it is reported, and the rest goes on.
    pub(super) fn declare(&mut self, decl: &'a ast::Decl, scope: ScopeId, owner: Option<ProcessId>) {
        let mut b = Body::new(self.tables.scopes.view(scope), owner);
        match decl {
            ast::Decl::Vars(vars) => match self.type_of(&mut b, &vars.ty) {
                Ok(declared) => {
                    for item in &vars.items {
                        b.view = self.tables.scopes.view(scope);
                        let made = self.variable(&mut b, &declared, item, scope, owner);
                        self.declared(made, scope, &item.name);
                    }
                }
                Err(fault) => {
                    self.fault(fault);
                    vars.items.iter().for_each(|item| self.define_wrong(scope, &item.name));
                }
            },
            ast::Decl::Typedef(vars) => {
                for item in &vars.items {
                    let made = self.type_of(&mut b, &vars.ty).and_then(|declared| {
                        let ty = self.with_dims(&mut b, declared.ty.clone(), &item.dims, item.name.span)?;
                        self.define(scope, &item.name, Entity::Type(Declared { ty, ..declared }))
                    });
                    self.declared(made, scope, &item.name);
                }
            }
            ast::Decl::Function(function) if self.hook(function) => {}
            ast::Decl::Function(function) => {
                let made = self.function(&mut b, function, scope, owner);
                self.declared(made, scope, &function.name);
            }
            ast::Decl::ChanPriority(groups, span) => {
                let made = self.channel_priorities(&mut b, groups, *span);
                self.report(made);
            }
            ast::Decl::BeforeUpdate(_, span) | ast::Decl::AfterUpdate(_, span) => {
                let fault = Fault::unsupported("U0535", "`before_update` and `after_update`", *span);
                self.fault(fault.help("write the assignments at the edges"));
            }
            ast::Decl::Unsupported(what, span) => {
                self.fault(Fault::unsupported("U0536", format!("`{what}`"), *span));
            }
        }
    }

    /// Whether this is a function that UPPAAL itself calls. What such a function does when a run begins is part of
    /// the model; what it does at the end is not.
    fn hook(&mut self, function: &ast::Function) -> bool {
        let (name, span) = (&function.name.name, function.name.span);
        let idle = function.body.stmts.is_empty();
        match name.as_str() {
            "__ON_BEGIN__" | "__ON_CONSTRUCT__" if !idle => {
                let fault = Fault::unsupported("U0535", format!("`{name}`"), span);
                let help = "write initial values, or an edge out of a committed initial location";
                self.fault(fault.help(help));
            }
            "__ON_END__" | "__ON_DESTRUCT__" if !idle => {
                self.note("W0533", format!("`{name}` is ignored: it runs after the end of a run"), span);
            }
            "__ON_BEGIN__" | "__ON_CONSTRUCT__" | "__ON_END__" | "__ON_DESTRUCT__" => {}
            _ => return false,
        }
        true
    }
    /// Reports what is wrong with a declaration; its name is declared all the same, so that its uses say nothing.
    pub(super) fn declared(&mut self, made: Res<()>, scope: ScopeId, ident: &ast::Ident) {
        if made.is_err() {
            self.define_wrong(scope, ident);
        }
        self.report(made);
    }

    fn variable(
        &mut self,
        b: &mut Body,
        declared: &Declared,
        item: &ast::Declarator,
        scope: ScopeId,
        owner: Option<ProcessId>,
    ) -> Res<()> {
        let span = item.name.span;
        let ty = self.with_dims(b, declared.ty.clone(), &item.dims, span)?;
        if let Some(what) = ty.ignored() {
            let message = format!("`{}` is {what}: it is left out", item.name.name);
            self.note("W0534", message, span);
            return self.define(scope, &item.name, Entity::Ignored(what));
        }
        self.claim(&ty, span)?;
        self.pay(weight(&ty, item.name.name.len()), span)?;
        let entity = match ty.element() {
            Type::Void => return Err(Fault::error("E0532", "a variable cannot be `void`", span)),
            Type::Clock => {
                if let Some(init) = &item.init {
                    self.clock_initialiser(b, init)?;
                }
                Entity::Place(self.clocks(&ty, item, owner))
            }
            Type::Chan { broadcast, urgent } => {
                if item.init.is_some() {
                    return Err(Fault::error("E0543", "a channel has no initial value", span));
                }
                let (broadcast, urgent) = (*broadcast, *urgent);
                Entity::Place(self.channels(&ty, item, owner, broadcast, urgent))
            }
            _ if declared.constant => {
                if item.init.is_none() {
                    return Err(Fault::error("E0536", "a constant needs a value", span)
                        .help(format!("write `{} = ..`", item.name.name)));
                }
                let values = self.values(b, &ty, item.init.as_ref())?;
                self.constant_entity(&item.name, owner, &ty, values)
            }
            _ => {
                if declared.meta {
                    self.once("W0532", "`meta` variables are kept as ordinary ones", span);
                }
                let values = self.values(b, &ty, item.init.as_ref())?;
                Entity::Place(self.variables(&item.name, owner, &ty, values))
            }
        };
        self.define(scope, &item.name, entity)
    }
    /// Counts the cells of something before it is made.
    fn claim(&mut self, ty: &Type, span: Span) -> Res<()> {
        let (count, limit, what) = match ty.element() {
            Type::Clock => (&mut self.claimed.clocks, MAX_CLOCKS, "clocks"),
            Type::Chan { .. } => (&mut self.claimed.channels, MAX_CHANNELS, "channels"),
            _ => (&mut self.claimed.cells, MAX_CELLS, "cells of variables"),
        };
        *count = count.saturating_add(ty.cells());
        if *count > limit { Err(too_large(limit, what, span)) } else { Ok(()) }
    }
    fn clock_initialiser(&mut self, b: &mut Body, init: &ast::Expr) -> Res<()> {
        if let ast::ExprKind::List(parts) = &init.kind {
            return parts.iter().try_for_each(|(_, e)| self.clock_initialiser(b, e));
        }
        match self.constant(b, init)? {
            0 => Ok(()),
            _ => Err(Fault::unsupported("U0539", "a clock that does not start at 0", init.span)
                .help("set it on an edge out of a committed initial location")),
        }
    }
    fn clocks(&mut self, ty: &Type, item: &ast::Declarator, owner: Option<ProcessId>) -> Place {
        let origin = self.origin(item.name.span, Vec::new());
        let network = self.net.to_mut();
        let storage = Storage::build(ty, &item.name.name, None, &mut |name, _, len| {
            let mut clock =
                |name: String| network.clocks.push(Clock { name, owner, origin: Some(origin.clone()) });
            let all: Vec<ClockId> = match len {
                None => vec![clock(name.to_string())],
                Some(len) => (0..len).map(|k| clock(format!("{name}[{k}]"))).collect(),
            };
            Cells::Clocks(all.into())
        });
        Place::root(storage, ty.clone())
    }
    fn channels(
        &mut self,
        ty: &Type,
        item: &ast::Declarator,
        owner: Option<ProcessId>,
        broadcast: bool,
        urgent: bool,
    ) -> Place {
        let origin = self.origin(item.name.span, Vec::new());
        let network = self.net.to_mut();
        let storage = Storage::build(ty, &item.name.name, None, &mut |name, _, len| {
            Cells::Channel(network.channels.push(Channel {
                name: name.to_string(),
                owner,
                len,
                kind: if broadcast { ChannelKind::Broadcast } else { ChannelKind::Rendezvous },
                fields: Vec::new(),
                symbols: Vec::new(),
                urgent,
                priority: vec![0; len.unwrap_or(1) as usize],
                origin: Some(origin.clone()),
            }))
        });
        Place::root(storage, ty.clone())
    }
    /// Makes variables with these initial values, one list for each.
    pub(super) fn variables(
        &mut self,
        ident: &ast::Ident,
        owner: Option<ProcessId>,
        ty: &Type,
        values: Vec<Vec<i64>>,
    ) -> Place {
        let origin = self.origin(ident.span, Vec::new());
        let network = self.net.to_mut();
        let mut values = values.into_iter();
        let storage = Storage::build(ty, &ident.name, None, &mut |name, leaf, len| {
            Cells::Var(network.vars.push(Var {
                name: name.to_string(),
                owner,
                range: leaf.range().unwrap_or(super::types::INT),
                len,
                init: values.next().unwrap_or_default(),
                symbols: None,
                origin: Some(origin.clone()),
            }))
        });
        Place::root(storage, ty.clone())
    }
    /// A constant with these values.
    pub(super) fn constant_entity(
        &mut self,
        ident: &ast::Ident,
        owner: Option<ProcessId>,
        ty: &Type,
        values: Vec<Vec<i64>>,
    ) -> Entity {
        if !ty.is_aggregate() {
            return Entity::Scalar(Expr::Const(values.first().and_then(|v| v.first()).copied().unwrap_or(0)));
        }
        let origin = self.origin(ident.span, Vec::new());
        let constants = &mut self.tables.to_mut().constants;
        let mut values = values.into_iter();
        let storage = Storage::build(ty, &ident.name, None, &mut |name, leaf, _| {
            constants.push(Constant {
                name: name.to_string(),
                owner,
                values: values.next().unwrap_or_default().into(),
                range: leaf.range().unwrap_or(super::types::INT),
                var: None,
                origin: Some(origin.clone()),
            });
            Cells::Const(ConstId(constants.len() - 1))
        });
        Entity::Place(Place::root(storage, ty.clone()))
    }

    /// The cells of an initial value, one list for each variable that the type is taken apart into.
    pub(super) fn values(&mut self, b: &mut Body, ty: &Type, init: Option<&ast::Expr>) -> Res<Vec<Vec<i64>>> {
        match (ty, init) {
            (_, Some(ast::Expr { kind: ast::ExprKind::List(list), span })) => {
                let parts = self.list_parts(ty, list, *span)?;
                let mut all: Vec<Vec<i64>> = Vec::new();
                for (part, e) in parts {
                    match (part, ty) {
                        (Part::Element(_), Type::Array(inner, _)) => {
                            append(&mut all, self.values(b, inner, Some(e))?);
                        }
                        (Part::Field(name), Type::Struct(fields)) => {
                            let field = fields.iter().find(|(n, _)| *n == name);
                            if let Some((_, ty)) = field {
                                all.extend(self.values(b, ty, Some(e))?);
                            }
                        }
                        _ => {}
                    }
                }
                Ok(all)
            }
            (ty, Some(e)) if ty.is_aggregate() => {
                let value = self.value(b, e)?;
                if !value.ty().is_some_and(|given| given.fits(ty)) {
                    return Err(Fault::error("E0536", "a list in braces is needed here", e.span));
                }
                self.pay(ty.cells(), e.span)?;
                let mut flat = Vec::new();
                for value in self.cell_values(b, &value, ty, e.span)? {
                    flat.push(self.known(&value, e.span)?);
                }
                let mut cells = flat.into_iter();
                Ok(shape(ty, 1).into_iter().map(|n| cells.by_ref().take(n).collect()).collect())
            }
            (Type::Array(inner, dim), None) => {
                let one = self.values(b, inner, None)?;
                let times = dim.len as usize;
                Ok(one.into_iter().map(|v| v.repeat(times)).collect())
            }
            (Type::Struct(fields), None) => {
                let mut all = Vec::new();
                for (_, ty) in fields.iter() {
                    all.extend(self.values(b, ty, None)?);
                }
                Ok(all)
            }
            (ty, None) => Ok(vec![vec![ty.range().map_or(0, default_value)]]),
            (ty, Some(e)) => {
                let value = ty.store(self.constant(b, e)?);
                match ty.range() {
                    Some(range) if !range.contains(value) => {
                        let message = format!("{value} is outside of the range {}..{}", range.lo, range.hi);
                        Err(Fault::error("E0536", message, e.span))
                    }
                    _ => Ok(vec![vec![value]]),
                }
            }
        }
    }
    fn known(&self, value: &Expr, span: Span) -> Res<i64> {
        self.evaluate(value).map_err(|why| match why {
            NoValue::NotConstant => Fault::error("E0534", "this must be known before the system runs", span),
            NoValue::Fails(error) => {
                Fault::error("E0534", format!("this cannot be computed: {}", error.message()), span)
            }
        })
    }
    /// The items of a list, with what each is for, in the order of the type.
    pub(super) fn list_parts<'e>(
        &self,
        ty: &Type,
        list: &'e [(Option<ast::Ident>, ast::Expr)],
        span: Span,
    ) -> Res<Vec<(Part, &'e ast::Expr)>> {
        let wanted = match ty {
            Type::Array(_, dim) => dim.len as usize,
            Type::Struct(fields) => fields.len(),
            ty => return Err(Fault::error("E0532", format!("{} takes no list", ty.words()), span)),
        };
        if list.len() != wanted {
            let verb = if wanted == 1 { "is" } else { "are" };
            let message = format!("{} {verb} needed here, not {}", count(wanted, "value"), list.len());
            return Err(Fault::error("E0533", message, span));
        }
        let Type::Struct(fields) = ty else {
            return Ok(list.iter().zip(0..).map(|((_, e), k)| (Part::Element(k), e)).collect());
        };
        let mut parts: Vec<Option<&ast::Expr>> = vec![None; wanted];
        for (position, (name, e)) in list.iter().enumerate() {
            let at = match name {
                None => position,
                Some(name) => fields.iter().position(|(n, _)| *n == name.name).ok_or_else(|| {
                    self.unknown(&name.name, fields.iter().map(|(n, _)| n.as_str()), name.span)
                })?,
            };
            parts[at] = Some(e);
        }
        let named = fields.iter().zip(parts).filter_map(|((n, _), e)| Some((Part::Field(n.clone()), e?)));
        let parts: Vec<_> = named.collect();
        if parts.len() == wanted {
            Ok(parts)
        } else {
            Err(Fault::error("E0533", "a field is given twice, so another has no value", span))
        }
    }

    fn function(
        &mut self,
        b: &mut Body,
        function: &'a ast::Function,
        scope: ScopeId,
        owner: Option<ProcessId>,
    ) -> Res<()> {
        self.pay_named(&function.name.name, function.name.span)?;
        let result = self.type_of(b, &function.result)?.ty;
        let mut params = Vec::new();
        for param in &function.params {
            let declared = self.type_of(b, &param.ty)?;
            let ty = self.with_dims(b, declared.ty, &param.dims, param.name.span)?;
            let clocks = ty.some(&|t| matches!(t, Type::Clock | Type::Chan { .. }));
            if clocks && !param.by_ref || ty.some(&|t| *t == Type::Void) {
                let message =
                    format!("`{}`, {}, cannot be passed by value", param.name.name, ty.element().words());
                return Err(Fault::error("E0540", message, param.name.span).help("write `&` before the name"));
            }
            params.push(Parameter { name: param.name.name.clone(), ty, by_ref: param.by_ref });
        }
        if result != Type::Void && !function.body.stmts.iter().any(never_passes) {
            let name = &function.name.name;
            let message = format!("`{name}` can end without `return`: it gives its default value then");
            self.warn("W0537", message, function.name.span);
        }
        let ignored = params.iter().map(|p| &p.ty).chain([&result]).find_map(Type::ignored);
        if let Some(what) = ignored {
            self.note(
                "W0534",
                format!("`{}` computes with {what}: it is left out", function.name.name),
                function.name.span,
            );
            return self.define(scope, &function.name, Entity::Ignored(what));
        }
        let writes = function_writes(function, &|name| self.writes_of(b, name));
        let name = match owner {
            Some(process) => format!("{}.{}", self.tables.process_names[process.index()], function.name.name),
            None => function.name.name.clone(),
        };
        let plain = params.iter().all(|p| !p.by_ref && !p.ty.is_aggregate()) && !result.is_aggregate();
        let bindings = vec![Binding::Scalar; params.len()];
        let origin = Some(self.origin(function.name.span, Vec::new()));
        let info = FunctionInfo { name, params, result, view: b.view, process: owner, writes, origin };
        let index = self.tables.functions.len();
        self.tables.to_mut().functions.push(info.clone());
        self.sources.push(function);
        self.define(scope, &function.name, Entity::Function(index))?;
        if !plain {
            return Ok(());
        }
        // Made now, used or not, so that queries can call it whatever else is asked.
        match self.specialise(index, &info, bindings, function.name.span) {
            Err(Fault::Message(d)) if d.severity != beeline_ir::diagnostic::Severity::Error => Ok(()),
            Err(Fault::Message(d)) => Err(Fault::Message(d)),
            _ => Ok(()),
        }
    }
    /// What a function writes, by its name; parameters by value not counted.
    pub(super) fn writes_of(&self, b: &Body, name: &str) -> Option<Writes> {
        let Some(Entity::Function(function)) = self.find(b, name) else { return None };
        let info = &self.tables.functions[*function];
        let params = info.params.iter().zip(&info.writes.params).map(|(p, w)| p.by_ref && *w).collect();
        Some(Writes { state: info.writes.state, params })
    }
}

/// Appends the cells of one more element, variable by variable.
fn append(all: &mut Vec<Vec<i64>>, more: Vec<Vec<i64>>) {
    if all.is_empty() {
        *all = more;
    } else {
        all.iter_mut().zip(more).for_each(|(cells, more)| cells.extend(more));
    }
}

/// What the variables that a type is taken apart into cost, in steps; each has the names of its fields in its own.
fn weight(ty: &Type, name: usize) -> u64 {
    match ty {
        Type::Array(inner, _) => weight(inner, name),
        Type::Struct(fields) => fields.iter().map(|(f, t)| weight(t, name + 1 + f.len())).sum(),
        _ => named(name),
    }
}

/// Number of cells of each variable that a type is taken apart into.
fn shape(ty: &Type, count: usize) -> Vec<usize> {
    match ty {
        Type::Array(inner, dim) => shape(inner, count.saturating_mul(dim.len as usize)),
        Type::Struct(fields) => fields.iter().flat_map(|(_, t)| shape(t, count)).collect(),
        _ => vec![count],
    }
}
