//! Relations.

use super::parse::{Parsed, Parser};
use crate::relation::{Assignment, Choice, Relation, RelationRole, RelationVar};

/// Words that begin an item of a relation.
const ITEMS: [&str; 11] = [
    "source",
    "enum",
    "state",
    "input",
    "frozen",
    "init",
    "next",
    "initially",
    "invariant",
    "relation",
    "property",
];

impl<'a> Parser<'a> {
    /// After the word `relation`: the rest of the text.
    pub fn relation(&mut self) -> Relation {
        let mut relation = Relation::default();
        if let Ok(name) = self.name() {
            relation.name = name;
        }
        while !self.at_end() {
            while self.eat(";") {}
            if self.at_end() {
                break;
            }
            self.new_frame();
            self.item(&ITEMS, &mut |p, word| p.relation_item(word, &mut relation));
        }
        relation
    }

    fn relation_item(&mut self, word: &'a str, relation: &mut Relation) -> Parsed<()> {
        match word {
            "source" => {
                let name = self.text()?;
                relation.sources.push(name);
            }
            "enum" => {
                let table = self.symbol_table()?;
                relation.enums.push(table);
            }
            "state" => return self.relation_var(RelationRole::State, relation),
            "input" => return self.relation_var(RelationRole::Input, relation),
            "frozen" => return self.relation_var(RelationRole::Frozen, relation),
            "init" | "next" => {
                let var = self.var_name()?;
                self.expect(":=")?;
                let assignment = Assignment { var, choice: self.choice()? };
                let all =
                    if word == "init" { &mut relation.init_assigns } else { &mut relation.next_assigns };
                all.push(assignment);
            }
            "initially" => relation.init.push(self.expr()?),
            "invariant" => relation.invar.push(self.expr()?),
            "property" => {
                let property = self.property()?;
                relation.properties.push(property);
            }
            _ => relation.trans.push(self.expr()?),
        }
        Ok(())
    }

    fn relation_var(&mut self, role: RelationRole, relation: &mut Relation) -> Parsed<()> {
        let start = self.here();
        let name = self.name()?;
        self.expect_word("in")?;
        let range = self.range()?;
        let symbols = self.enum_after()?;
        let origin = self.origin(start)?;
        relation.vars.push(RelationVar { name, role, range, symbols, origin });
        Ok(())
    }

    /// `e`, `e .. e`, `{c, c}` or `if e then c else c`.
    fn choice(&mut self) -> Parsed<Choice> {
        self.nested(|p| {
            if p.sees("{") {
                return Ok(Choice::Union(p.list("{", "}", Self::choice)?));
            }
            if p.eat_word("if") {
                let condition = p.expr()?;
                p.expect_word("then")?;
                let then = p.choice()?;
                p.expect_word("else")?;
                let otherwise = p.choice()?;
                return Ok(Choice::If(condition, Box::new(then), Box::new(otherwise)));
            }
            let first = p.expr()?;
            if p.eat("..") { Ok(Choice::Between(first, p.expr()?)) } else { Ok(Choice::One(first)) }
        })
    }
}
