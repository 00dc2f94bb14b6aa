//! Statements, places, messages and patterns.

use super::lex::Token;
use super::names::Entity;
use super::parse::{Parsed, Parser};
use super::parse_names::Meaning;
use crate::expr::Expr;
use crate::id::{FamilyId, VarId};
use crate::stmt::{Block, Pattern, Place, Receive, Send, Stmt, Store, Target};

impl<'a> Parser<'a> {
    /// `{ statements }`
    pub fn block(&mut self) -> Parsed<Block> {
        self.expect("{")?;
        self.rest_of_block()
    }
    /// Statements up to the closing brace; after an error it goes on behind the next semicolon.
    pub fn rest_of_block(&mut self) -> Parsed<Block> {
        self.nested(|p| {
            let mut block = Vec::new();
            loop {
                while p.eat(";") {}
                if p.eat("}") {
                    return Ok(block);
                }
                if p.at_end() {
                    return Err(p.unexpected("`}`"));
                }
                match p.statement() {
                    Ok(statement) => block.push(statement),
                    Err(_) => p.recover(|t| *t == Token::Symbol(";")),
                }
            }
        })
    }

    fn statement(&mut self) -> Parsed<Stmt> {
        let start = self.here();
        let word = match self.peek() {
            Token::Word(word) => *word,
            _ => "",
        };
        let statement = match word {
            "if" => {
                self.advance();
                return self.conditional();
            }
            "while" => {
                self.advance();
                return Ok(Stmt::While(self.expr()?, self.block()?));
            }
            "call" | "start" => {
                self.advance();
                self.call_or_start(word, None)?
            }
            "send" | "sorted" => {
                self.advance();
                Stmt::Send(self.send(word)?)
            }
            "receive" => {
                self.advance();
                Stmt::Receive(self.receive()?)
            }
            "assert" => {
                self.advance();
                let condition = self.expr()?;
                Stmt::Assert(condition, self.origin(start)?)
            }
            "exit" => {
                self.advance();
                Stmt::Exit
            }
            "return" => {
                self.advance();
                let nothing = self.sees(";") || self.sees("}");
                Stmt::Return(if nothing { None } else { Some(self.expr()?) })
            }
            _ => self.assignment()?,
        };
        self.end_of_statement()?;
        Ok(statement)
    }
    fn end_of_statement(&mut self) -> Parsed<()> {
        if self.sees("}") { Ok(()) } else { self.expect(";") }
    }
    fn conditional(&mut self) -> Parsed<Stmt> {
        let condition = self.expr()?;
        let then = self.block()?;
        let otherwise = if !self.eat_word("else") {
            Vec::new()
        } else if self.eat_word("if") {
            vec![self.nested(Self::conditional)?]
        } else {
            self.block()?
        };
        Ok(Stmt::If(condition, then, otherwise))
    }
    fn assignment(&mut self) -> Parsed<Stmt> {
        let store = if self.eat_word("wrap") { Store::Wrapping } else { Store::Checked };
        let (meaning, span) = self.reference()?;
        if let Meaning::Entity(Entity::Clock(clock)) = meaning {
            if store == Store::Wrapping {
                self.error("E0203", "a clock does not wrap", span);
            }
            self.expect(":=")?;
            let value = self.term()?;
            return Ok(match Self::as_clock(&value) {
                Some(other) => Stmt::ClockCopy(clock, other),
                None => Stmt::ClockSet(clock, self.integer(value)),
            });
        }
        let place = self.place_of(meaning, span)?;
        let target = Target { place, store };
        self.expect(":=")?;
        match self.peek() {
            Token::Word(word @ ("call" | "start")) => {
                self.advance();
                self.call_or_start(word, Some(target))
            }
            _ => Ok(Stmt::Assign(target, self.expr()?)),
        }
    }
    fn call_or_start(&mut self, word: &str, target: Option<Target>) -> Parsed<Stmt> {
        if word == "call" {
            let (function, _) = self.function_name()?;
            return Ok(Stmt::Call(function, self.expressions()?, target));
        }
        let family = self.family_name()?;
        Ok(Stmt::Start(family, self.expressions()?, target))
    }
    /// The name of a family. Anything else is reported and read as the first.
    pub fn family_name(&mut self) -> Parsed<FamilyId> {
        let start = self.here();
        let name = self.name()?;
        let span = self.since(start);
        match self.names.global(&name) {
            Some(Entity::Family(family)) => return Ok(family),
            Some(other) => self.wrong_kind("a family", Meaning::Entity(other), span),
            None => {
                let names = self.names;
                let families =
                    names.space(None).filter(|n| matches!(names.global(n), Some(Entity::Family(_))));
                self.unknown("family", &name, families, span);
            }
        }
        Ok(FamilyId::new(0))
    }

    /// A place that can be assigned.
    fn place(&mut self) -> Parsed<Place> {
        let (meaning, span) = self.reference()?;
        self.place_of(meaning, span)
    }
    fn place_of(&mut self, meaning: Meaning, span: crate::origin::Span) -> Parsed<Place> {
        let index = if self.sees("[") {
            let index = self.index()?;
            Some(self.integer(index))
        } else {
            None
        };
        Ok(match (meaning, index) {
            (Meaning::Local(local), None) => Place::Local(local),
            (Meaning::Local(local), Some(index)) => Place::LocalElem(local, index),
            (Meaning::Entity(Entity::Var(var)), None) => Place::Var(var),
            (Meaning::Entity(Entity::Var(var)), Some(index)) => Place::Elem(var, index),
            (other, _) => {
                self.wrong_kind("a variable", other, span);
                Place::Var(VarId::new(0))
            }
        })
    }
    /// The value of a place, as an expression.
    pub fn place_value(&mut self) -> Parsed<Expr> {
        Ok(match self.place()? {
            Place::Var(var) => Expr::Var(var),
            Place::Elem(var, index) => Expr::Elem(var, Box::new(index)),
            Place::Local(local) => Expr::Local(local),
            Place::LocalElem(local, index) => Expr::LocalElem(local, Box::new(index)),
        })
    }

    /// After `send` or `sorted`: the rest of a send.
    pub fn send(&mut self, word: &str) -> Parsed<Send> {
        let sorted = word == "sorted";
        if sorted {
            self.expect_word("send")?;
        }
        let channel = self.channel()?;
        let message = if self.sees("(") { self.expressions()? } else { Vec::new() };
        Ok(Send { channel, message, sorted })
    }
    /// After `receive`: the rest of a receive.
    pub fn receive(&mut self) -> Parsed<Receive> {
        let any = self.eat_word("any");
        let keep = self.eat_word("keep");
        let channel = self.channel()?;
        let pattern = if self.sees("(") { self.list("(", ")", Self::pattern)? } else { Vec::new() };
        Ok(Receive { channel, pattern, any, keep })
    }
    fn pattern(&mut self) -> Parsed<Pattern> {
        if self.eat("=") {
            return Ok(Pattern::Match(self.expr()?));
        }
        if self.eat_word("_") {
            return Ok(Pattern::Ignore);
        }
        let store = if self.eat_word("wrap") { Store::Wrapping } else { Store::Checked };
        Ok(Pattern::Bind(Target { place: self.place()?, store }))
    }
}
