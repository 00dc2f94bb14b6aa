//! Templates and their instances: parameters take their arguments, and each process gets variables, locations
//! and edges of its own.

use beeline_ir::expr::{ClockOp, Expr};
use beeline_ir::network::{Location, Process, Role};
use beeline_ir::{LocationId, ProcessId};

use super::body::Body;
use super::constant::NoValue;
use super::expr::Value;
use super::fault::{Fault, Res, count};
use super::function::{Writes, template_writes};
use super::scope::{Entity, ScopeId, View};
use super::types::Type;
use super::{HEAVY, Lower};
use crate::ast;

/// A template as declared.
#[derive(Clone, Debug)]
pub(super) struct Template<'a> {
    pub ast: &'a ast::Template,
    /// What it sees.
    pub view: View,
    /// Which parameters it assigns to.
    pub assigned: Vec<bool>,
    /// Whether some process is made of it.
    pub used: bool,
}

/// An argument: as written, or a value of a free parameter.
#[derive(Copy, Clone, Debug)]
pub(super) enum Argument<'a> {
    Expr(&'a ast::Expr),
    Value(i64),
}

impl<'a> Lower<'a> {
    /// Declares a template.
    pub(super) fn template(&mut self, ast: &'a ast::Template, scope: ScopeId) -> Res<()> {
        let view = self.tables.scopes.view(scope);
        let b = Body::new(view, None);
        let names: Vec<&str> = ast.params.iter().map(|p| p.name.name.as_str()).collect();
        let own = |name: &str| {
            ast.decls.iter().find_map(|decl| match decl {
                ast::Decl::Function(f) if f.name.name == name => {
                    Some(Writes { state: true, params: f.params.iter().map(|p| p.by_ref).collect() })
                }
                _ => None,
            })
        };
        let writes = template_writes(ast, &names, &|name| own(name).or_else(|| self.writes_of(&b, name)));
        self.templates.push(Template { ast, view, assigned: writes.params, used: false });
        self.define(scope, &ast.name, Entity::Template(self.templates.len() - 1))
    }

    /// Makes a process of a template or an instantiation of one.
    pub(super) fn process(
        &mut self,
        name: String,
        entity: &Entity,
        arguments: Vec<Argument<'a>>,
        priority: i32,
        ident: &ast::Ident,
    ) -> Res<ProcessId> {
        let id = ProcessId::new(self.net.processes.len());
        self.tables.to_mut().process_names.push(name.clone());
        self.pay_named(&name, ident.span)?;
        let (mut entity, mut arguments, mut from) = (entity.clone(), arguments, None);
        let mut inner = Vec::new();
        // Through the chain of partial instantiations, however long, to the template.
        let (index, scope) = loop {
            match entity {
                Entity::Instance(instance) => {
                    let (instance, view) = self.instances[instance];
                    let scope = self.tables.to_mut().scopes.add(Some(view));
                    self.bind(&instance.params, &arguments, from, scope, None, ident)?;
                    self.pay(HEAVY, ident.span)?;
                    inner.push(scope);
                    arguments = instance.args.iter().map(Argument::Expr).collect();
                    from = Some(self.tables.scopes.view(scope));
                    let target = &instance.template;
                    entity = self.lookup(&Body::new(view, None), &target.name, target.span)?;
                }
                Entity::Template(index) => {
                    let view = self.templates[index].view;
                    break (index, self.tables.to_mut().scopes.add(Some(view)));
                }
                other => {
                    let message = format!("`{}` is {}, not a template", ident.name, other.words());
                    return Err(Fault::error("E0544", message, ident.span));
                }
            }
        };
        self.tables.to_mut().process_scopes.push(scope);
        self.templates[index].used = true;
        let template = self.templates[index].ast;
        let assigned = self.templates[index].assigned.clone();
        self.bind(&template.params, &arguments, from, scope, Some((&assigned, id)), ident)?;
        // The arguments are values and places by now.
        inner.into_iter().for_each(|scope| self.tables.to_mut().scopes.clear(scope));
        for decl in &template.decls {
            self.declare(decl, scope, Some(id));
        }
        for (i, location) in template.locations.iter().enumerate() {
            self.pay_named(&location.name.name, location.name.span)?;
            let defined = self.define(scope, &location.name, Entity::Location(LocationId::new(i)));
            self.report(defined);
        }
        let view = self.tables.scopes.view(scope);
        let locations = template.locations.iter().map(|l| self.location(l, view, id)).collect();
        let edges = self.edges(template, view, id).into();
        let Some(initial) = template.init.filter(|i| *i < template.locations.len()) else {
            let message = format!("`{}` has no initial location", template.name.name);
            return Err(Fault::error("E0544", message, template.name.span));
        };
        let origin = Some(self.origin(template.name.span, vec![id.index() as i64]));
        Ok(self.net.to_mut().processes.push(Process {
            name,
            role: Role::System,
            family: None,
            params: Vec::new(),
            priority,
            locations,
            initial: LocationId::new(initial),
            edges,
            origin,
        }))
    }

    /// Gives parameters their arguments. Those of a template (`own`) that it assigns to become variables.
    fn bind(
        &mut self,
        params: &'a [ast::Param],
        arguments: &[Argument<'a>],
        from: Option<View>,
        scope: ScopeId,
        own: Option<(&[bool], ProcessId)>,
        ident: &ast::Ident,
    ) -> Res<()> {
        if params.len() != arguments.len() {
            let wanted = count(params.len(), "argument");
            let message = format!("`{}` takes {wanted}, not {}", ident.name, arguments.len());
            return Err(Fault::error("E0533", message, ident.span));
        }
        let owner = own.map(|(_, process)| process);
        for (i, (param, argument)) in params.iter().zip(arguments).enumerate() {
            self.pay(HEAVY, param.name.span)?;
            let mut b = Body::new(self.tables.scopes.view(scope), owner);
            let declared = self.type_of(&mut b, &param.ty)?;
            let ty = self.with_dims(&mut b, declared.ty, &param.dims, param.name.span)?;
            if let Some(what) = ty.ignored() {
                self.define(scope, &param.name, Entity::Ignored(what))?;
                continue;
            }
            let by_value = !param.by_ref;
            if by_value && ty.some(&|t| matches!(t, Type::Clock | Type::Chan { .. })) {
                let message =
                    format!("`{}`, {}, cannot be passed by value", param.name.name, ty.element().words());
                return Err(Fault::error("E0540", message, param.name.span).help("write `&` before the name"));
            }
            let variable = !declared.constant && own.is_some_and(|(assigned, _)| assigned[i]);
            let mut outside = Body::new(from.unwrap_or(b.view), None);
            let entity = match argument {
                Argument::Expr(e) if param.by_ref => self.reference(&mut outside, e, &ty, param)?,
                Argument::Expr(e) if ty.is_aggregate() => {
                    let values = self.values(&mut outside, &ty, Some(e))?;
                    self.parameter(&param.name, owner, &ty, values, variable)
                }
                Argument::Expr(e) => match self.argument(&mut outside, e, &ty)? {
                    Ok(value) => self.parameter(&param.name, owner, &ty, vec![vec![value]], variable),
                    Err(failing) => Entity::Scalar(failing),
                },
                Argument::Value(value) => {
                    self.parameter(&param.name, owner, &ty, vec![vec![*value]], variable)
                }
            };
            self.define(scope, &param.name, entity)?;
        }
        Ok(())
    }
    fn parameter(
        &mut self,
        ident: &ast::Ident,
        owner: Option<ProcessId>,
        ty: &Type,
        values: Vec<Vec<i64>>,
        variable: bool,
    ) -> Entity {
        if variable {
            Entity::Place(self.variables(ident, owner, ty, values))
        } else {
            self.constant_entity(ident, owner, ty, values)
        }
    }
    /// The value of an argument, or the expression that fails wherever the parameter is used.
    fn argument(&mut self, b: &mut Body, e: &ast::Expr, ty: &Type) -> Res<Result<i64, Expr>> {
        let lowered = self.leaf(b, e)?;
        match self.evaluate(&lowered) {
            Ok(value) => match (ty.store(value), ty.range()) {
                (value, Some(range)) if !range.contains(value) => {
                    let message = format!("{value} is outside of the range {}..{}", range.lo, range.hi);
                    Err(Fault::error("E0536", message, e.span))
                }
                (value, _) => Ok(Ok(value)),
            },
            Err(NoValue::NotConstant) => {
                Err(Fault::error("E0534", "this must be known before the system runs", e.span)
                    .help("a variable is passed by reference: `&` at the parameter"))
            }
            Err(NoValue::Fails(error)) => {
                let message = format!("for some process this argument fails: {}", error.message());
                self.warn("W0531", message, e.span);
                Ok(Err(lowered))
            }
        }
    }
    fn reference(&mut self, b: &mut Body, e: &ast::Expr, ty: &Type, param: &ast::Param) -> Res<Entity> {
        let mut place = match self.value(b, e)? {
            Value::Place(place) => place,
            // In the old syntax numbers, too, are handed over like this.
            Value::Scalar(value) if self.old_syntax && self.evaluate(&value).is_ok() => {
                return Ok(Entity::Scalar(value));
            }
            _ => {
                let message = format!("`{}` needs a variable, clock or channel", param.name.name);
                return Err(Fault::error("E0540", message, e.span).help("only those are passed by reference"));
            }
        };
        if !place.ty.fits(ty) {
            let (name, wanted, given) = (&param.name.name, ty.words(), place.ty.words());
            let message = format!("`{name}` is {wanted}, which {given} does not fit");
            return Err(Fault::error("E0540", message, e.span));
        }
        let index = self.evaluate(&place.index()).map_err(|_| {
            Fault::error("E0534", "which variable this is must be known before the system runs", e.span)
        })?;
        if !self.is_inside(&place, index) {
            return Err(Fault::error("E0534", "there is no element with this index", e.span));
        }
        place.offset = Expr::Const(index);
        place.inside.clear();
        place.ty = ty.clone();
        Ok(Entity::Place(place))
    }

    fn location(&mut self, location: &ast::Location, view: View, process: ProcessId) -> Location {
        let mut b = Body::new(view, Some(process));
        if let Some(rate) = &location.exponential_rate {
            self.once("W0533", "rates of exponential delays are ignored", rate.span);
        }
        let mut lowered = Location {
            name: location.name.name.clone(),
            frame: Vec::new(),
            condition: Expr::TRUE,
            invariant: Vec::new(),
            urgent: location.urgent,
            committed: location.committed,
            atomic: false,
            origin: Some(self.origin(location.name.span, Vec::new())),
        };
        if let Some(invariant) = &location.invariant {
            match self.invariant(&mut b, invariant, location) {
                Ok((condition, atoms)) => (lowered.condition, lowered.invariant) = (condition, atoms),
                Err(fault) => self.fault(fault),
            }
        }
        lowered.frame = b.frame;
        lowered
    }
    fn invariant(
        &mut self,
        b: &mut Body,
        e: &ast::Expr,
        location: &ast::Location,
    ) -> Res<(Expr, Vec<beeline_ir::expr::ClockAtom>)> {
        let mut alternatives = self.formula(b, e)?.alternatives(self, true, e.span)?;
        let (Some(only), true) = (alternatives.pop(), alternatives.is_empty()) else {
            return Err(Fault::unsupported(
                "U0531",
                "an invariant with alternatives of clock constraints",
                e.span,
            )
            .help("use several locations, or put the choice into an integer variable"));
        };
        if only.atoms.iter().any(|a| !matches!(a.op, ClockOp::Lt | ClockOp::Le)) {
            self.warn(
                "W0530",
                "an invariant with a lower bound: the location cannot be entered earlier",
                e.span,
            );
        }
        // Where time stands still anyway, rates say nothing.
        let still = location.urgent || location.committed;
        self.rates.extend(only.rates.into_iter().filter(|r| !still && r.rate != Expr::Const(1)));
        Ok((only.pure, only.atoms))
    }
}
