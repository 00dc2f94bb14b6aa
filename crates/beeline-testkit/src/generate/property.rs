//! The question asked of a random model.

use super::Draft;
use super::behaviour::Place;
use super::expr::Scope;
use crate::feature::Feature;
use beeline_ir::expr::Expr;
use beeline_ir::network::Role;
use beeline_ir::property::{Property, PropertyKind};
use beeline_ir::{LocationId, ProcessId};

impl Draft<'_> {
    pub(super) fn ask(&mut self) {
        let mut scope = self.scope();
        let observer =
            self.network.processes.enumerate().find(|(_, p)| p.role == Role::Observer).map(|(id, _)| id);
        let kind = if let Some(observer) = observer.filter(|_| self.random.chance(70)) {
            let last = self.network.processes[observer].locations.len() - 1;
            PropertyKind::NeverAt(observer, vec![LocationId::new(last)])
        } else if self.uses(Feature::RuntimeError, 50) {
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
        let name = self.random.chance(30).then(|| "goal".to_string());
        self.network.properties.push(Property { name, text: None, frame: scope.frame, kind, origin: None });
    }

    /// A state worth reaching: some processes at the ends of their paths, and more.
    fn goal(&mut self, scope: &mut Scope) -> Expr {
        let mut parts = Vec::new();
        let system = self.network.processes.iter().filter(|p| p.role == Role::System).count();
        for process in (0..system).map(ProcessId::new) {
            let last = self.network.processes[process].locations.len() - 1;
            let percent = if process.index() == 0 { 85 } else { 45 };
            if self.random.chance(percent) {
                parts.push(Expr::At(process, LocationId::new(last)));
            }
        }
        if self.uses(Feature::Deadlock, 100) {
            parts.truncate(self.random.below(2));
            parts.push(Expr::Deadlock);
        }
        if !self.network.clocks.is_empty() && self.uses(Feature::ClockTarget, 90) {
            let atom = self.atom(scope, Place::Property, false);
            let atom = Expr::Clock(Box::new(atom));
            parts.push(if self.random.chance(20) { atom.negated() } else { atom });
        }
        if parts.is_empty() || self.random.chance(25) {
            parts.push(self.truth(scope, 2));
        }
        if self.buffered() && self.uses(Feature::QueueExpression, 30) {
            parts.push(self.truth(scope, 1));
        }
        match (parts.len(), parts.pop()) {
            (1, Some(only)) => only,
            (_, Some(last)) if self.random.chance(15) => {
                parts.push(last);
                Expr::Or(parts)
            }
            (_, last) => {
                parts.extend(last);
                Expr::And(parts)
            }
        }
    }
}
