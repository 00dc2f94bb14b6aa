//! The body of a process: its own declarations, locations and edges.

use super::lex::Token;
use super::parse::{Parsed, Parser};
use crate::expr::Expr;
use crate::id::ProcessId;
use crate::network::{Edge, Location, Network, Role, Sync};

/// Words that begin an item of a process.
const ITEMS: [&str; 13] = [
    "param",
    "params",
    "var",
    "clock",
    "chan",
    "buffer",
    "urgent",
    "broadcast",
    "init",
    "location",
    "committed",
    "atomic",
    "edge",
];

impl<'a> Parser<'a> {
    /// `{ items }`
    pub fn process_body(&mut self, id: ProcessId, network: &mut Network) -> Parsed<()> {
        let mut seen = Vec::new();
        self.items(&ITEMS, |p, word| match word {
            "params" => loop {
                let var = p.var_name()?;
                network.processes[id].params.push(var);
                if !p.eat(",") {
                    return Ok(());
                }
            },
            "init" => {
                p.once("init", &mut seen)?;
                network.processes[id].initial = p.location_name(id)?;
                Ok(())
            }
            "edge" => {
                let mut edge = p.edge(id)?;
                edge.costs &= network.processes[id].role == Role::System;
                network.processes[id].edges.push(edge);
                Ok(())
            }
            "location" | "committed" | "atomic" => {
                let location = p.location(word)?;
                network.processes[id].locations.push(location);
                Ok(())
            }
            "urgent" if p.at_location() => {
                let location = p.location(word)?;
                network.processes[id].locations.push(location);
                Ok(())
            }
            _ => p.declaration(word, network),
        })
    }
    /// Checks that this item has not been given before.
    fn once(&mut self, word: &'a str, seen: &mut Vec<&'a str>) -> Parsed<()> {
        if seen.contains(&word) {
            return Err(self.error("E0116", format!("`{word}` is given twice"), self.here()));
        }
        seen.push(word);
        Ok(())
    }
    /// Whether what comes after `urgent` makes it a location, not a channel.
    fn at_location(&self) -> bool {
        matches!(self.peek(), Token::Word("location" | "committed" | "atomic" | "urgent"))
    }

    /// After the first of the words `urgent`, `committed`, `atomic`, `location`: the rest.
    fn location(&mut self, mut word: &'a str) -> Parsed<Location> {
        let (mut urgent, mut committed, mut atomic) = (false, false, false);
        while word != "location" {
            match word {
                "urgent" => urgent = true,
                "committed" => committed = true,
                _ => atomic = true,
            }
            word = match self.peek() {
                Token::Word(next @ ("urgent" | "committed" | "atomic" | "location")) => next,
                _ => return Err(self.unexpected("`location`")),
            };
            self.advance();
        }
        let start = self.here();
        self.new_frame();
        let name = self.name()?;
        let origin = self.origin(start)?;
        let mut location = Location {
            name,
            frame: Vec::new(),
            condition: Expr::TRUE,
            invariant: Vec::new(),
            urgent,
            committed,
            atomic,
            origin,
        };
        if self.sees("{") {
            let mut seen = Vec::new();
            self.items(&["local", "condition", "invariant"], |p, word| {
                if word == "local" {
                    return p.locals();
                }
                p.once(word, &mut seen)?;
                match word {
                    "condition" => location.condition = p.expr()?,
                    _ => location.invariant = p.clock_atoms()?,
                }
                Ok(())
            })?;
        }
        location.frame = self.new_frame();
        Ok(location)
    }

    /// After `edge`: the rest.
    fn edge(&mut self, process: ProcessId) -> Parsed<Edge> {
        let start = self.here();
        self.new_frame();
        let source = self.location_name(process)?;
        self.expect("->")?;
        let target = self.location_name(process)?;
        let origin = self.origin(start)?;
        let mut edge = Edge {
            source,
            target,
            frame: Vec::new(),
            selects: 0,
            guard: Expr::TRUE,
            clock_guard: Vec::new(),
            sync: Sync::Internal,
            update: Vec::new(),
            costs: true,
            origin,
        };
        if self.sees("{") {
            let words = ["select", "local", "guard", "when", "send", "sorted", "receive", "do", "free"];
            let mut seen = Vec::new();
            self.items(&words, |p, word| {
                if !matches!(word, "select" | "local") {
                    // However it synchronises, it does so once.
                    let sync = matches!(word, "send" | "sorted" | "receive");
                    p.once(if sync { "send or receive" } else { word }, &mut seen)?;
                }
                p.edge_item(word, &mut edge)
            })?;
        }
        edge.frame = self.new_frame();
        Ok(edge)
    }
    fn edge_item(&mut self, word: &'a str, edge: &mut Edge) -> Parsed<()> {
        match word {
            "select" => {
                if edge.selects != self.frame.len() {
                    return Err(self.error("E0116", "`select` comes before everything else", self.here()));
                }
                self.locals()?;
                edge.selects = self.frame.len();
            }
            "local" => self.locals()?,
            "guard" => edge.guard = self.expr()?,
            "when" => edge.clock_guard = self.clock_atoms()?,
            "do" => edge.update = self.block()?,
            "free" => edge.costs = false,
            "receive" => edge.sync = Sync::Receive(self.receive()?),
            _ => edge.sync = Sync::Send(self.send(word)?),
        }
        Ok(())
    }
}
