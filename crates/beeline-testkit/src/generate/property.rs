//! The question asked of a random model.

use super::behaviour::Place;
use super::expr::Scope;
use super::{Draft, Profile};
use crate::feature::Feature;
use beeline_ir::expr::{Expr, Quantifier};
use beeline_ir::network::Role;
use beeline_ir::property::{Property, PropertyKind};
use beeline_ir::{LocationId, ProcessId};

impl Draft<'_> {
    pub(super) fn ask(&mut self) {
        let mut scope = Scope { blind: false, ..self.scope() };
        let observer =
            self.network.processes.enumerate().find(|(_, p)| p.role == Role::Observer).map(|(id, _)| id);
        let kind = if let Some(observer) = observer.filter(|_| self.random.chance(70)) {
            let last = self.network.processes[observer].locations.len() - 1;
            PropertyKind::NeverAt(observer, vec![LocationId::new(last)])
        } else if self.shape.profile != Profile::Uppaal && self.uses(Feature::RuntimeError, 50) {
            PropertyKind::NoRuntimeError
        } else if self.uses(Feature::Assert, 70) {
            PropertyKind::NoAssertionFailure
        } else {
            let goal = self.goal(&mut scope);
            if self.random.chance(60) {
                PropertyKind::Exists(goal)
            } else if let Expr::Unary(_, _) = goal {
                PropertyKind::Always(goal)
            } else {
                PropertyKind::Always(goal.negated())
            }
        };
        let first = self.network.properties.is_empty();
        let name = (self.random.chance(30) && first).then(|| "goal".to_string());
        self.network.properties.push(Property { name, text: None, frame: scope.frame, kind, origin: None });
    }

    /// A state worth reaching: some processes at the ends of their paths, and more.
    fn goal(&mut self, scope: &mut Scope) -> Expr {
        let journey = self.random.chance(70);
        let mut parts = if journey { self.journey_goal() } else { self.path_goal() };
        if self.uses(Feature::Deadlock, 100) {
            parts.truncate(self.random.below(2));
            parts.push(Expr::Deadlock);
        }
        if !self.network.clocks.is_empty() && self.uses(Feature::ClockTarget, 90) {
            parts.push(self.clock_goal(scope));
        }
        if parts.is_empty() || self.random.chance(if journey { 10 } else { 25 }) {
            parts.push(self.truth(scope, 2));
        }
        if self.buffered() && self.uses(Feature::QueueExpression, 30) {
            parts.push(self.truth(scope, 1));
        }
        match (parts.len(), parts.pop()) {
            (1, Some(only)) => only,
            (_, Some(last)) if self.random.chance(if journey { 3 } else { 15 }) => {
                parts.push(last);
                Expr::Or(parts)
            }
            (_, last) => {
                parts.extend(last);
                Expr::And(parts)
            }
        }
    }

    /// Processes at the ends of their paths.
    fn path_goal(&mut self) -> Vec<Expr> {
        let mut parts = Vec::new();
        let system = self.network.processes.iter().filter(|p| p.role == Role::System).count();
        for process in (0..system).map(ProcessId::new) {
            let last = self.network.processes[process].locations.len() - 1;
            let percent = if process.index() == 0 { 85 } else { 45 };
            if self.random.chance(percent) {
                parts.push(Expr::At(process, LocationId::new(last)));
            }
        }
        parts
    }

    /// A condition on clocks.
    fn clock_goal(&mut self, scope: &mut Scope) -> Expr {
        let nested = self.uses(Feature::NestedClockTarget, 80);
        match self.random.below(4) {
            0 if nested && self.has(Feature::Quantifier) => {
                let (local, range) = self.quantified(scope);
                let body = self.inside(scope, local, |draft, scope| {
                    let mut parts = vec![draft.clock_literal(scope)];
                    if draft.random.chance(40) {
                        parts.push(draft.truth(scope, 0));
                    }
                    if draft.random.chance(50) { Expr::Or(parts) } else { Expr::And(parts) }
                });
                let quantifier = if self.random.chance(40) { Quantifier::Forall } else { Quantifier::Exists };
                Expr::Quantified(quantifier, local, range, Box::new(body))
            }
            1 if nested => Expr::If(
                Box::new(self.clock_literal(scope)),
                Box::new(self.truth(scope, 1)),
                Box::new(self.clock_literal(scope)),
            ),
            _ if nested => Expr::If(
                Box::new(self.truth(scope, 1)),
                Box::new(self.clock_literal(scope)),
                Box::new(if self.random.chance(50) {
                    self.clock_literal(scope)
                } else {
                    self.truth(scope, 0)
                }),
            ),
            _ => self.clock_literal(scope),
        }
    }

    fn clock_literal(&mut self, scope: &mut Scope) -> Expr {
        let atom = Expr::Clock(Box::new(self.atom(scope, Place::Property, false)));
        if self.random.chance(20) { atom.negated() } else { atom }
    }
}
