//! What is asked: with a never claim or formulas, these and the assertions; otherwise the assertions and whether the
//! model stops only where it may, as Spin does.

use beeline_ir::diagnostic::{Diagnostic, Severity};
use beeline_ir::expr::Expr;
use beeline_ir::property::{Property, PropertyKind, Refusal};
use beeline_ir::{LocationId, ProcessId};

use super::{Lower, Res, both};
use crate::ast::{self, ExprKind, StmtKind, walk, walk_expr};

/// Names of properties that every model has.
pub(crate) const ASSERTIONS: &str = "assertions";
pub(crate) const END_STATES: &str = "valid-end-states";

impl<'a> Lower<'a, '_> {
    /// Adds the properties of the model, after its claims.
    pub(super) fn properties(&mut self) {
        let claims = std::mem::take(&mut self.network.properties);
        let asserts = self.document.procs.iter().any(|proc| {
            let mut found = false;
            walk(&proc.body, &mut |stmt| found |= matches!(stmt.kind, StmtKind::Assert(_)));
            found
        });
        let claimed = !claims.is_empty() || !self.document.formulas.is_empty();
        let first = self.document.claims.first().map(|proc| proc.span);
        let first = first.or_else(|| self.document.formulas.first().map(|formula| formula.span));
        if let Some(span) = first.filter(|_| self.reads("_nr_pr")) {
            self.warn("here `_nr_pr` counts the processes alone; Spin counts this as one of them, too", span);
        }
        if asserts || claimed {
            self.network.properties.push(assertions());
        }
        if !claimed {
            let valid = self.valid_end_states();
            self.network.properties.push(valid);
        }
        self.network.properties.extend(claims);
        for (i, formula) in self.document.formulas.iter().enumerate() {
            let name = formula.name.as_ref().map_or_else(|| format!("ltl_{i}"), ToString::to_string);
            let property = match self.formula(&formula.formula) {
                Err(wrong) if wrong.severity == Severity::Unsupported => self.safety(formula, &name),
                known => known,
            };
            let property = match property {
                Ok(property) => property,
                Err(wrong) if wrong.severity == Severity::Unsupported => refused(wrong.message, false),
                Err(wrong) => {
                    self.messages.add(wrong);
                    continue;
                }
            };
            let text = Some(format!("ltl {{ {} }}", self.sources.written(formula.formula.span)));
            let origin = self.sources.origin(formula.span, Vec::new());
            if self.network.properties.iter().any(|p| p.name.as_ref() == Some(&name)) {
                self.messages.error("E0922", format!("there are two formulas `{name}`"), formula.span);
            }
            self.network.properties.push(Property { name: Some(name), text, origin, ..property });
        }
    }

    /// No invalid end state: where nothing can happen, every process has ended, is at its end, or waits at an `end` label.
    pub(crate) fn valid_end_states(&self) -> Property {
        let mut all = Vec::new();
        for (index, instance) in self.instances.iter().enumerate() {
            let id = ProcessId::new(index);
            let places = &self.protos[instance.proto].graph.places;
            let valid = places
                .iter()
                .enumerate()
                .filter(|(_, place)| place.end || place.labels.iter().any(|label| label.starts_with("end")));
            let mut here = vec![Expr::Alive(id).negated()];
            here.extend(valid.map(|(i, _)| Expr::At(id, LocationId::new(i))));
            all.push(Expr::Or(here));
        }
        let holds = Expr::Or(vec![Expr::Deadlock.negated(), Expr::And(all)]);
        Property {
            name: Some(END_STATES.into()),
            text: Some("no invalid end states".into()),
            frame: Vec::new(),
            kind: PropertyKind::Always(holds),
            origin: None,
        }
    }

    /// The property of a formula: `[] p` in its forms, or a predicate, which is to hold always.
    pub(super) fn formula(&mut self, formula: &'a ast::Expr) -> Res<Property> {
        let mut invariants = Vec::new();
        if self.always(formula, false, &mut invariants).is_none() {
            let what = "this is asked of `[] p` with a predicate p only; other formulas have to stand in the model, \
                        as `ltl name { .. }`";
            return Err(Diagnostic::unsupported("U0908", what, Some(formula.span)));
        }
        let mut all = Vec::new();
        for (predicate, positive) in invariants {
            let predicate = self.expr(predicate, None)?;
            all.push(if positive { predicate } else { predicate.negated() });
        }
        let holds = if all.len() == 1 { all.pop().unwrap_or(Expr::TRUE) } else { Expr::And(all) };
        let holds = match self.visible() {
            Expr::Const(1) => holds,
            visible => Expr::Or(vec![visible.negated(), holds]),
        };
        let holds = match self.overflow.is_empty() {
            true => holds,
            false => both(self.overflowed().negated(), holds),
        };
        Ok(Property {
            name: None,
            text: None,
            frame: Vec::new(),
            kind: PropertyKind::Always(holds),
            origin: None,
        })
    }

    /// The predicates that must hold always (or never) for a formula to hold; `None` if it is of another kind.
    fn always(
        &self,
        formula: &'a ast::Expr,
        negated: bool,
        found: &mut Vec<(&'a ast::Expr, bool)>,
    ) -> Option<()> {
        match (&formula.kind, negated) {
            (ExprKind::Temporal("[]", operand), false) | (ExprKind::Temporal("<>", operand), true) => {
                let operand = operand.first()?;
                match is_predicate(operand) {
                    true => found.push((operand, !negated)),
                    // `[] [] p` and the like.
                    false => self.always(operand, negated, found)?,
                }
                Some(())
            }
            (ExprKind::Unary("!", operand), _) => self.always(operand, !negated, found),
            (ExprKind::Many("&&", all), false) | (ExprKind::Many("||", all), true) => {
                all.iter().try_for_each(|part| self.always(part, negated, found))
            }
            _ => None,
        }
    }
}

/// Whether a formula has no temporal operator.
pub(crate) fn is_predicate(formula: &ast::Expr) -> bool {
    let mut found = true;
    walk_expr(formula, &mut |e| found &= !matches!(e.kind, ExprKind::Temporal(..)));
    found
}

pub(crate) fn assertions() -> Property {
    Property {
        name: Some(ASSERTIONS.into()),
        text: Some("no assertion violated".into()),
        frame: Vec::new(),
        kind: PropertyKind::NoAssertionFailure,
        origin: None,
    }
}

fn refused(reason: String, malformed: bool) -> Property {
    let kind = PropertyKind::Refused(Refusal { malformed, reason });
    Property { name: None, text: None, frame: Vec::new(), kind, origin: None }
}
