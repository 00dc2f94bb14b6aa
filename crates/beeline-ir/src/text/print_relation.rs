//! Relations.

use super::print::Printer;
use crate::expr::Expr;
use crate::relation::{Assignment, Choice, Relation, RelationRole};

impl<'s> Printer<'s> {
    /// Appends a whole relation, properties excepted.
    pub fn whole_relation(&mut self, relation: &'s Relation) {
        self.put("relation ");
        self.name(&relation.name);
        self.sources(&relation.sources);
        for table in &relation.enums {
            self.line();
            self.symbol_table(table);
        }
        for var in &relation.vars {
            self.line();
            self.put(match var.role {
                RelationRole::State => "state ",
                RelationRole::Input => "input ",
                RelationRole::Frozen => "frozen ",
            });
            self.name(&var.name);
            self.put(" in ");
            self.range(var.range);
            self.symbols(var.symbols);
            self.origin(var.origin.as_ref());
        }
        self.assignments("init ", &relation.init_assigns);
        self.assignments("next ", &relation.next_assigns);
        self.constraints("initially ", &relation.init);
        self.constraints("invariant ", &relation.invar);
        self.constraints("relation ", &relation.trans);
    }
    fn assignments(&mut self, word: &str, all: &[Assignment]) {
        for assignment in all {
            self.line();
            self.put(word);
            self.var(assignment.var);
            self.put(" := ");
            self.choice(&assignment.choice);
        }
    }
    fn constraints(&mut self, word: &str, all: &[Expr]) {
        for constraint in all {
            self.line();
            self.put(word);
            self.expr(constraint);
        }
    }
    fn choice(&mut self, choice: &Choice) {
        match choice {
            Choice::One(value) => self.expr(value),
            Choice::Between(lo, hi) => {
                self.expr(lo);
                self.put(" .. ");
                self.expr(hi);
            }
            Choice::Union(all) => {
                self.put("{");
                self.list(all, Self::choice);
                self.put("}");
            }
            Choice::If(condition, then, otherwise) => {
                self.put("if ");
                self.expr(condition);
                self.put(" then ");
                self.choice(then);
                self.put(" else ");
                self.choice(otherwise);
            }
        }
    }
}
