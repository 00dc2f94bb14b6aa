//! The model as a whole: declarations in their order, the system line, priorities, and what can be said only at
//! the end.

use std::collections::BTreeSet;

use beeline_ir::expr::{Expr, Range};
use beeline_ir::origin::Span;
use beeline_ir::stmt::Stmt;
use beeline_ir::{ClockId, visit};

use super::body::Body;
use super::expr::Value;
use super::fault::{Fault, Res, count};
use super::place::Cells;
use super::scope::{Entity, ScopeId};
use super::template::Argument;
use super::types::{Declared, Type};
use super::{Family, Lower, MAX_PROCESSES};
use crate::ast;

/// Numbers that every model of UPPAAL 5 can name.
const NUMBERS: &[(&str, i64)] = &[
    ("INT8_MIN", -128),
    ("INT8_MAX", 127),
    ("UINT8_MAX", 255),
    ("INT16_MIN", -32768),
    ("INT16_MAX", 32767),
    ("UINT16_MAX", 65535),
    ("INT32_MIN", -2_147_483_648),
    ("INT32_MAX", 2_147_483_647),
];
/// Its types.
const TYPES: &[(&str, Range)] = &[
    ("int8_t", Range::new(-128, 127)),
    ("uint8_t", Range::new(0, 255)),
    ("int16_t", Range::new(-32768, 32767)),
    ("uint16_t", Range::new(0, 65535)),
    ("int32_t", Range::new(-2_147_483_648, 2_147_483_647)),
];
/// Its floating-point constants.
const FLOATING: &[&str] = &[
    "FLT_MIN",
    "FLT_MAX",
    "FLT_EPSILON",
    "DBL_MIN",
    "DBL_MAX",
    "DBL_EPSILON",
    "M_PI",
    "M_PI_2",
    "M_PI_4",
    "M_E",
    "M_LOG2E",
    "M_LOG10E",
    "M_LN2",
    "M_LN10",
    "M_1_PI",
    "M_2_PI",
    "M_2_SQRTPI",
    "M_SQRT2",
    "M_SQRT1_2",
];

impl<'a> Lower<'a> {
    /// The whole document.
    pub(super) fn document(&mut self, document: &'a ast::Document) {
        let prelude = self.prelude();
        let outside = self.tables.scopes.view(prelude);
        let global = self.tables.to_mut().scopes.add(Some(outside));
        for item in &document.items {
            match item {
                ast::Item::Decl(decl) => self.declare(decl, global, None),
                ast::Item::Template(template) => {
                    let made = self.template(template, global);
                    self.declared(made, global, &template.name);
                }
                ast::Item::Instance(instance) => {
                    let made = self.instance(instance, global);
                    self.declared(made, global, &instance.name);
                }
            }
        }
        match &document.system {
            Some(system) => self.system(system, global),
            None => self.fault(Fault::Message(Box::new(
                beeline_ir::diagnostic::Diagnostic::error("E0544", "there is no `system` line", None)
                    .with_help("end the model with `system P1, P2;`"),
            ))),
        }
        for template in self.templates.clone() {
            if !template.used && self.errors.is_empty() {
                let message =
                    format!("no process is made of `{}`: it is not looked into", template.ast.name.name);
                self.note("W0535", message, template.ast.name.span);
            }
        }
        self.stopped_clocks();
        let evaluated = self.pay(0, document.system.as_ref().map_or(Span::new(0, 0), |s| s.span));
        self.report(evaluated);
    }

    fn prelude(&mut self) -> ScopeId {
        let scopes = &mut self.tables.to_mut().scopes;
        let prelude = scopes.add(None);
        for (name, value) in NUMBERS {
            scopes.define(prelude, name, Entity::Scalar(Expr::Const(*value)));
        }
        for (name, range) in TYPES {
            let ty = Declared { ty: Type::Int(*range), constant: false, meta: false };
            scopes.define(prelude, name, Entity::Type(ty));
        }
        for name in FLOATING {
            scopes.define(prelude, name, Entity::Ignored("a floating-point number"));
        }
        prelude
    }
    fn instance(&mut self, instance: &'a ast::Instance, scope: ScopeId) -> Res<()> {
        let view = self.tables.scopes.view(scope);
        let target = &instance.template;
        let wanted = match self.lookup(&Body::new(view, None), &target.name, target.span)? {
            Entity::Template(template) => self.templates[template].ast.params.len(),
            Entity::Instance(other) => self.instances[other].0.params.len(),
            other => {
                let message = format!("`{}` is {}, not a template", target.name, other.words());
                return Err(Fault::error("E0532", message, target.span));
            }
        };
        if wanted != instance.args.len() {
            let (name, given) = (&target.name, instance.args.len());
            let message = format!("`{name}` takes {}, not {given}", count(wanted, "argument"));
            return Err(Fault::error("E0533", message, instance.span));
        }
        self.instances.push((instance, view));
        self.define(scope, &instance.name, Entity::Instance(self.instances.len() - 1))
    }

    fn system(&mut self, system: &'a ast::System, global: ScopeId) {
        let view = self.tables.scopes.view(global);
        let root = self.tables.to_mut().scopes.add(Some(view));
        for (group, priority) in system.groups.iter().zip(0..) {
            for ident in group {
                let made = self.processes(ident, priority, global, root);
                self.report(made);
            }
        }
        if self.net.processes.is_empty() && self.errors.is_empty() {
            self.fault(Fault::error("E0544", "the system has no process", system.span));
        }
        let root = self.tables.scopes.view(root);
        self.tables.to_mut().root = Some(root);
    }
    /// The processes of one name of the system line.
    fn processes(&mut self, ident: &'a ast::Ident, priority: i32, global: ScopeId, root: ScopeId) -> Res<()> {
        let view = self.tables.scopes.view(global);
        let entity = self.lookup(&Body::new(view, None), &ident.name, ident.span)?;
        let (params, outside): (&'a [ast::Param], _) = match &entity {
            Entity::Template(index) => (&self.templates[*index].ast.params, self.templates[*index].view),
            Entity::Instance(index) => (&self.instances[*index].0.params, self.instances[*index].1),
            other => {
                let message =
                    format!("`{}` is {}, not a template or instantiation", ident.name, other.words());
                return Err(Fault::error("E0544", message, ident.span));
            }
        };
        if params.is_empty() {
            self.room(1, ident.span)?;
            let process = self.process(ident.name.clone(), &entity, Vec::new(), priority, ident)?;
            return self.define(root, ident, Entity::Process(process));
        }
        let mut ranges = Vec::new();
        for param in params {
            let range = self.type_of(&mut Body::new(outside, None), &param.ty)?.ty.range();
            match range.filter(|_| !param.by_ref && param.dims.is_empty()) {
                Some(range) => ranges.push(range),
                None => {
                    let message =
                        format!("the parameter `{}` of `{}` has no value", param.name.name, ident.name);
                    return Err(Fault::error("E0544", message, ident.span).help(
                        "instantiate it: only bounded integers and scalars run over all their values",
                    ));
                }
            }
        }
        let count = ranges.iter().map(|r| r.size()).fold(1, u128::saturating_mul);
        self.room(count, ident.span)?;
        let mut members = Vec::new();
        let mut values: Vec<i64> = ranges.iter().map(|r| r.lo).collect();
        for _ in 0..count {
            let written: Vec<String> = values.iter().map(i64::to_string).collect();
            let name = format!("{}({})", ident.name, written.join(","));
            let arguments = values.iter().map(|v| Argument::Value(*v)).collect();
            members.push(self.process(name, &entity, arguments, priority, ident)?);
            for (value, range) in values.iter_mut().zip(&ranges).rev() {
                *value += 1;
                if *value <= range.hi {
                    break;
                }
                *value = range.lo;
            }
        }
        let family = Family { name: ident.name.clone(), ranges, members };
        self.tables.to_mut().families.push(family);
        self.define(root, ident, Entity::Family(self.tables.families.len() - 1))
    }
    fn room(&mut self, more: u128, span: Span) -> Res<()> {
        if self.net.processes.len() as u128 + more <= MAX_PROCESSES as u128 {
            return Ok(());
        }
        let message = format!("more than {MAX_PROCESSES} processes");
        Err(Fault::error("E0546", message, span).help("free parameters run over all their values"))
    }

    /// Channel priorities: those below `default` are negative. Without `default` all that are listed are above it.
    pub(super) fn channel_priorities(
        &mut self,
        b: &mut Body,
        groups: &[Vec<ast::ChanPriority>],
        span: Span,
    ) -> Res<()> {
        if std::mem::replace(&mut self.priorities_given, true) {
            return Err(Fault::error("E0531", "channel priorities are given twice", span));
        }
        let default =
            groups.iter().position(|g| g.iter().any(|c| matches!(c, ast::ChanPriority::Default(_))));
        let base = default.map_or(-1, |d| d as i64);
        for (group, position) in groups.iter().zip(0_i64..) {
            for channel in group {
                let ast::ChanPriority::Channel(e) = channel else { continue };
                let place = match self.value(b, e)? {
                    Value::Place(place) if matches!(place.ty.element(), Type::Chan { .. }) => place,
                    _ => return Err(Fault::error("E0542", "only channels have a priority here", e.span)),
                };
                self.pay(place.ty.cells(), e.span)?;
                for cell in place.cells() {
                    let index = self.evaluate(&cell.index).ok().and_then(|k| usize::try_from(k).ok());
                    let Cells::Channel(id) = cell.cells else { continue };
                    let priority = i32::try_from(position - base).unwrap_or(i32::MAX);
                    match index.and_then(|k| self.net.to_mut().channels[id].priority.get_mut(k)) {
                        Some(slot) => *slot = priority,
                        None => return Err(Fault::error("E0534", "there is no such channel", e.span)),
                    }
                }
            }
        }
        Ok(())
    }

    /// Stop-watches are exact where nothing tests the clock; a query that does is refused on its own.
    fn stopped_clocks(&mut self) {
        let rates = std::mem::take(&mut self.rates);
        if rates.is_empty() {
            return;
        }
        let tested = self.tested_clocks();
        for rate in rates {
            if tested.contains(&rate.clock) {
                let name = self.net.clock_name(rate.clock);
                let message =
                    format!("the clock `{name}` does not run at rate 1 here, and the model tests it");
                self.fault(Fault::unsupported("U0533", message, rate.span).help(
                    "stop-watches are exact where they cannot matter: where the clock is never tested, or time \
                     stands still (the location is urgent or committed)",
                ));
            } else {
                self.tables.to_mut().stopped.insert(rate.clock);
            }
        }
    }
    fn tested_clocks(&self) -> BTreeSet<ClockId> {
        let mut tested = BTreeSet::new();
        let processes = &self.net.processes;
        let guards = processes.iter().flat_map(|p| &p.edges).flat_map(|e| &e.clock_guard);
        let invariants = processes.iter().flat_map(|p| &p.locations).flat_map(|l| &l.invariant);
        for atom in guards.chain(invariants) {
            tested.extend([Some(atom.left), atom.right].into_iter().flatten());
        }
        let updates = processes.iter().flat_map(|p| &p.edges).map(|e| &e.update);
        for block in updates.chain(self.net.functions.iter().map(|f| &f.body)) {
            visit::walk_block(block, &mut |statement, _| {
                if let Stmt::ClockCopy(to, from) = statement {
                    tested.extend([*to, *from]);
                }
            });
        }
        tested
    }
}
