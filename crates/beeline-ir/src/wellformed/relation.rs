//! Relations.

use super::declarations::Namespace;
use super::{Checker, MAX_CELLS, Place, Site};
use crate::expr::Expr;
use crate::model::Model;
use crate::relation::{Assignment, Choice, Relation, RelationRole};

impl<'m> Checker<'m> {
    /// Checks a relation.
    pub(super) fn relation(&mut self, relation: &'m Relation) {
        let mut names = Namespace::default();
        for var in &relation.vars {
            let span = var.origin.as_ref().map(|o| o.span);
            let what = format!("variable `{}`", var.name);
            self.unique(&mut names, &var.name, span);
            self.origin(var.origin.as_ref());
            self.range(&what, var.range, span);
            if var.symbols.is_some_and(|id| relation.enums.get(id).is_none()) {
                self.error("E0315", format!("{what} has an enum that is not there"), span);
            }
        }
        for table in &relation.enums {
            self.unique(&mut names, &table.name, None);
            self.symbol_table(table);
        }
        if relation.vars.len() as u64 > MAX_CELLS {
            self.error("E0307", format!("a state has more than {MAX_CELLS} cells"), None);
        }
        self.assignments("initial", Place::State, &relation.init_assigns);
        self.assignments("next", Place::Step, &relation.next_assigns);
        let kinds = [("initial", Place::State, &relation.init), ("state", Place::State, &relation.invar)];
        for (kind, place, constraints) in kinds.into_iter().chain([("step", Place::Step, &relation.trans)]) {
            for (i, constraint) in constraints.iter().enumerate() {
                let site = Site::new(place, format!("{kind} constraint {}", i + 1), None, &[]);
                self.constraint(&site, constraint, 0);
            }
        }
    }

    fn assignments(&mut self, kind: &str, place: Place, assignments: &'m [Assignment]) {
        let Model::Relation(relation) = self.model else { return };
        let mut seen = vec![false; relation.vars.len()];
        for assignment in assignments {
            let Some(var) = relation.vars.get(assignment.var) else {
                self.error("E0315", format!("an {kind} assignment is to a variable that is not there"), None);
                continue;
            };
            let what = format!("{kind} assignment of `{}`", var.name);
            let site = Site::new(place, what, var.origin.as_ref(), &[]);
            if std::mem::replace(&mut seen[assignment.var.index()], true) {
                self.fault(&site, "E0334", "there are two of them");
            }
            match var.role {
                RelationRole::Input => self.fault(&site, "E0334", "an input is not assigned"),
                RelationRole::Frozen if place == Place::Step => {
                    self.fault(&site, "E0334", "a frozen variable keeps its value");
                }
                _ => {}
            }
            self.choice(&site, &assignment.choice);
        }
    }
    /// Checks a choice, without recursion; it counts as nesting like any other construct.
    fn choice(&mut self, site: &Site<'m>, choice: &'m Choice) {
        let mut open = vec![(choice, 1)];
        while let Some((choice, level)) = open.pop() {
            if !self.allowed(site, level) {
                return;
            }
            match choice {
                Choice::One(value) => self.constraint(site, value, level),
                Choice::Between(lo, hi) => {
                    self.constraint(site, lo, level);
                    self.constraint(site, hi, level);
                }
                Choice::Union(all) => open.extend(all.iter().map(|c| (c, level + 1))),
                Choice::If(condition, then, otherwise) => {
                    self.constraint(site, condition, level);
                    open.push((then, level + 1));
                    open.push((otherwise, level + 1));
                }
            }
        }
    }
    fn constraint(&mut self, site: &Site<'m>, expr: &'m Expr, above: usize) {
        if self.shallow(site, expr, above) {
            self.expr(site, expr);
        }
    }
}
