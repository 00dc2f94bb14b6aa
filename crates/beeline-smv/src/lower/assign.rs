//! Assignments. `x := e` holds in the initial states and after every step. With processes, a step is one of the
//! process that an input chooses: it carries out that process's assignments, and whatever else some process assigns
//! keeps its value. Each variable is assigned once, but different processes may assign the same next value.

use beeline_ir::VarId;
use beeline_ir::diagnostic::Diagnostic;
use beeline_ir::expr::{BinaryOp, Expr};
use beeline_ir::origin::Span;
use beeline_ir::relation::{Assignment, Choice, RelationRole};

use super::build::{binary, cases};
use super::total::{self, Found};
use super::{Lower, Place, Res, Site};
use crate::ast::{self, Item, Moment};
use crate::hierarchy::{Entity, InstanceId, Shape};

/// The assignments to one variable.
#[derive(Default)]
struct Assigned<'a> {
    always: Option<(&'a ast::Expr, InstanceId)>,
    init: Option<(&'a ast::Expr, InstanceId)>,
    /// By process.
    next: Vec<(usize, &'a ast::Expr, InstanceId)>,
}

impl<'a> Lower<'a, '_> {
    /// All assignments, and whether they can be carried out one after the other.
    pub fn assignments(&mut self) {
        let mut all: Vec<Assigned<'a>> = Vec::new();
        all.resize_with(self.relation.vars.len(), Assigned::default);
        for (at, item) in self.items() {
            if let Item::Assign(moment, path, value) = item
                && let Err(wrong) = self.collect(*moment, path, value, at, &mut all)
            {
                self.messages.add(wrong);
            }
        }
        for (var, assigned) in self.relation.vars.ids().zip(&all).collect::<Vec<_>>() {
            self.assign(var, assigned);
        }
        let place = |var: VarId| {
            let of = &all[var.index()];
            let next = of.next.first().map(|(_, value, _)| value.span);
            of.always.or(of.init).map(|(value, _)| value.span).or(next)
        };
        if let Some(wrong) = super::order::circle(&self.relation, &place) {
            self.messages.add(wrong);
        }
    }

    /// The variable that an assignment is to.
    fn assigned_variable(&mut self, path: &'a ast::Expr, at: InstanceId) -> Res<VarId> {
        let mut indices = Vec::new();
        let mut base = path;
        while let ast::ExprKind::Index(inner, index) = &base.kind {
            indices.push((self.constant_int(index, at)?, index.span));
            base = inner;
        }
        let wrong = |message: &str| Err(Diagnostic::error("E0828", message, Some(path.span)));
        let mut shape = match self.hierarchy.resolve(base, at)? {
            Entity::Vars(shape) => shape,
            Entity::Unknown(name) => return Err(self.hierarchy.unknown(name, at, path.span)),
            Entity::Value(value, at) if !std::ptr::eq(value, base) && indices.is_empty() => {
                return self.assigned_variable(value, at);
            }
            _ => return wrong("only a variable is assigned"),
        };
        while let Some((index, span)) = indices.pop() {
            let Shape::Array(lo, elements) = shape else { return wrong("this is no array") };
            let at = index.checked_sub(lo).and_then(|at| usize::try_from(at).ok());
            shape = match at.and_then(|at| elements.into_iter().nth(at)) {
                Some(shape) => shape,
                None => return Err(Diagnostic::error("E0825", "the array has no such element", Some(span))),
            };
        }
        match shape {
            Shape::Scalar(var) => Ok(var),
            Shape::Array(..) => wrong("an array is assigned element by element"),
        }
    }

    fn collect(
        &mut self,
        moment: Moment,
        path: &'a ast::Expr,
        value: &'a ast::Expr,
        at: InstanceId,
        all: &mut [Assigned<'a>],
    ) -> Res<()> {
        let var = self.assigned_variable(path, at)?;
        let of = &self.relation.vars[var];
        let wrong = |message: String| Err(Diagnostic::error("E0828", message, Some(path.span)));
        match of.role {
            RelationRole::Input => return wrong(format!("the input `{}` is not assigned", of.name)),
            RelationRole::Frozen if moment != Moment::Init => {
                return wrong(format!("the frozen variable `{}` has an initial value only", of.name));
            }
            _ => {}
        }
        let process = self.hierarchy.instances[at].process;
        let entry = &mut all[var.index()];
        let taken = match moment {
            Moment::Always => entry.always.is_some() || entry.init.is_some() || !entry.next.is_empty(),
            Moment::Init => entry.always.is_some() || entry.init.is_some(),
            Moment::Next => entry.always.is_some() || entry.next.iter().any(|(p, ..)| *p == process),
        };
        if taken {
            let message = format!("`{}` is assigned twice", of.name);
            return Err(Diagnostic::error("E0819", message, Some(path.span)));
        }
        match moment {
            Moment::Always => entry.always = Some((value, at)),
            Moment::Init => entry.init = Some((value, at)),
            Moment::Next => entry.next.push((process, value, at)),
        }
        Ok(())
    }

    fn assign(&mut self, var: VarId, assigned: &Assigned<'a>) {
        if let Some((value, at)) = assigned.always {
            let (now, later) = (Site::new(at, Place::State), Site::new(at, Place::Step));
            if let Some(choice) = self.checked(var, value, now) {
                self.relation.init_assigns.push(Assignment { var, choice });
                if let Some(choice) = self.checked(var, value, Site { primed: true, ..later }) {
                    self.relation.next_assigns.push(Assignment { var, choice });
                }
            }
        }
        if let Some((value, at)) = assigned.init
            && let Some(choice) = self.checked(var, value, Site::new(at, Place::State))
        {
            self.relation.init_assigns.push(Assignment { var, choice });
        }
        let mut by_process = Vec::new();
        for (process, value, at) in &assigned.next {
            let Some(choice) = self.checked(var, value, Site::new(*at, Place::Step)) else { return };
            by_process.push((*process, choice));
        }
        let choice = match self.selector {
            _ if by_process.is_empty() => return,
            Some(selector) => {
                let running =
                    |process: usize| binary(BinaryOp::Eq, Expr::Var(selector), Expr::Const(process as i64));
                let branches = by_process.into_iter().map(|(process, choice)| (running(process), choice));
                cases(branches.collect(), Choice::One(Expr::Var(var)))
            }
            None => by_process.swap_remove(0).1,
        };
        self.relation.next_assigns.push(Assignment { var, choice });
    }

    /// A choice that has values of the variable's type in every state; `None` if something is wrong with it.
    fn checked(&mut self, var: VarId, value: &'a ast::Expr, site: Site) -> Option<Choice> {
        self.fallible = false;
        let ty = self.types[var.index()].clone();
        let lowered = self.choice(value, site, &ty).and_then(|choice| {
            let state_only = site.primed || site.place == Place::State;
            if state_only {
                self.reads_state_only(&choice, site, value.span)?
            }
            Ok(choice)
        });
        let choice = match lowered {
            Ok(choice) => choice,
            Err(wrong) => {
                self.messages.add(wrong);
                return None;
            }
        };
        if !self.fallible {
            return Some(choice);
        }
        let types = &self.types;
        match total::choice(&choice, ty.range(), &|var| types[var.index()].range(), &mut self.visits) {
            Found::Total => Some(total::pruned_choice(choice)),
            Found::Missing(why, with) => {
                let wrong = self.missing(why, &with, value.span, Some(var));
                self.messages.add(wrong);
                None
            }
            Found::Unknown => {
                self.unchecked = true;
                Some(choice)
            }
        }
    }

    /// `x := e` and `init(x) := e` read the state, and nothing else.
    fn reads_state_only(&self, choice: &Choice, site: Site, span: Span) -> Res<()> {
        let mut wrong = None;
        total::choice_reads(choice, &mut |var, next| {
            let of = &self.relation.vars[var];
            if of.role == RelationRole::Input {
                wrong = Some(format!("the input `{}` is not part of a state", of.name));
            } else if next && !site.primed {
                wrong = Some("`next` stands only in `TRANS` and `next` assignments".to_string());
            }
        });
        wrong.map_or(Ok(()), |message| Err(Diagnostic::error("E0818", message, Some(span))))
    }
}
