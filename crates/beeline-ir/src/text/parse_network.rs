//! The declarations of a network outside of its processes' behaviour.

use super::lex::Token;
use super::names::Entity;
use super::parse::{Parsed, Parser};
use crate::expr::Range;
use crate::id::{EnumId, FamilyId, IdVec, LocationId, ProcessId};
use crate::network::{Channel, ChannelKind, Clock, Family, Network, Process, Role, SymbolTable, Var};
use crate::stmt::{Function, Local};

/// Words that begin an item of a network.
const ITEMS: [&str; 14] = [
    "source",
    "enum",
    "var",
    "clock",
    "chan",
    "buffer",
    "urgent",
    "broadcast",
    "fn",
    "process",
    "observer",
    "family",
    "property",
    "network",
];

impl<'a> Parser<'a> {
    /// After the word `network`: the rest of the text.
    pub fn network(&mut self) -> Network {
        let mut network = Network::default();
        if let Ok(name) = self.name() {
            network.name = name;
        }
        while !self.at_end() {
            while self.eat(";") {}
            if self.at_end() {
                break;
            }
            self.item(&ITEMS, &mut |p, word| p.network_item(word, &mut network));
        }
        let slots = network.processes.enumerate().filter_map(|(id, p)| Some((p.family?, id)));
        for (family, slot) in slots.collect::<Vec<_>>() {
            if family.index() < network.families.len() {
                network.families[family].slots.push(slot);
            }
        }
        network
    }

    fn network_item(&mut self, word: &'a str, network: &mut Network) -> Parsed<()> {
        match word {
            "source" => {
                let name = self.text()?;
                network.sources.push(name);
            }
            "enum" => {
                let table = self.symbol_table()?;
                network.enums.push(table);
            }
            "fn" => {
                let function = self.function()?;
                network.functions.push(function);
            }
            "process" => return self.process(Role::System, network),
            "observer" => {
                self.expect_word("process")?;
                return self.process(Role::Observer, network);
            }
            "family" => {
                let name = self.name()?;
                network.families.push(Family { name, slots: Vec::new() });
            }
            "property" => {
                let property = self.property()?;
                network.properties.push(property);
            }
            "network" => {
                return Err(self.error("E0115", "the network has been named already", self.here()));
            }
            _ => return self.declaration(word, network),
        }
        Ok(())
    }

    /// After `var`, `clock`, `chan`, ...: the rest of a declaration.
    pub fn declaration(&mut self, word: &'a str, network: &mut Network) -> Parsed<()> {
        match word {
            "var" | "param" => {
                let var = self.var()?;
                let id = network.vars.push(var);
                if let (true, Some(process)) = (word == "param", self.process) {
                    network.processes[process].params.push(id);
                }
            }
            "clock" => loop {
                let start = self.here();
                let (owner, name) = self.declared_name()?;
                let origin = self.origin(start)?;
                network.clocks.push(Clock { name, owner, origin });
                if !self.eat(",") {
                    break;
                }
            },
            _ => {
                let mut urgent = word == "urgent";
                let mut broadcast = word == "broadcast";
                let mut buffer = word == "buffer";
                if urgent || broadcast {
                    urgent |= self.eat_word("urgent");
                    broadcast |= self.eat_word("broadcast");
                    buffer = !broadcast && self.eat_word("buffer");
                    if !buffer {
                        self.expect_word("chan")?;
                    }
                }
                let channel = self.channel_declaration(urgent, broadcast, buffer)?;
                network.channels.push(channel);
            }
        }
        Ok(())
    }

    /// A name that is declared, of the process being read, or of the one it names: `P.k`.
    fn declared_name(&mut self) -> Parsed<(Option<ProcessId>, String)> {
        if self.process.is_none() && matches!(self.peek_second(), Token::Symbol(".")) {
            let owner = self.process_name()?;
            self.expect(".")?;
            return Ok((Some(owner), self.name()?));
        }
        Ok((self.process, self.name()?))
    }

    fn var(&mut self) -> Parsed<Var> {
        let start = self.here();
        let (owner, name) = self.declared_name()?;
        let len = self.length()?;
        self.expect_word("in")?;
        let range = self.range()?;
        let symbols = self.enum_after()?;
        let span = self.since(start);
        let init = if !self.eat("=") {
            self.filled(initial(range), len, span)
        } else if self.sees("{") {
            self.list("{", "}", Self::number)?
        } else {
            let value = self.number()?;
            self.filled(value, len, span)
        };
        let origin = self.origin(start)?;
        Ok(Var { name, owner, range, len, init, symbols, origin })
    }

    fn channel_declaration(&mut self, urgent: bool, broadcast: bool, buffer: bool) -> Parsed<Channel> {
        let start = self.here();
        let (owner, name) = self.declared_name()?;
        let len = self.length()?;
        let kind = if buffer {
            self.expect_word("capacity")?;
            ChannelKind::Buffered { capacity: self.small("capacity")? }
        } else if broadcast {
            ChannelKind::Broadcast
        } else {
            ChannelKind::Rendezvous
        };
        let fields = if self.eat_word("of") { self.list("(", ")", Self::field)? } else { Vec::new() };
        let (fields, symbols) = fields.into_iter().unzip();
        let span = self.since(start);
        let priority = if !self.eat_word("priority") {
            self.filled(0, len, span)
        } else if self.sees("{") {
            self.list("{", "}", |p| p.small("priority"))?
        } else {
            let priority = self.small("priority")?;
            self.filled(priority, len, span)
        };
        let origin = self.origin(start)?;
        Ok(Channel { name, owner, len, kind, fields, symbols, urgent, priority, origin })
    }

    /// The range of a field, and the names of its values.
    fn field(&mut self) -> Parsed<(Range, Option<EnumId>)> {
        Ok((self.range()?, self.enum_after()?))
    }

    /// `as` and the name of an enum, if that is what follows.
    pub fn enum_after(&mut self) -> Parsed<Option<EnumId>> {
        if self.eat_word("as") { self.enum_name().map(Some) } else { Ok(None) }
    }

    /// A text in double quotes.
    pub fn text(&mut self) -> Parsed<String> {
        let Token::Text(text) = self.peek() else { return Err(self.unexpected("a text in double quotes")) };
        self.advance();
        Ok(text.to_string())
    }

    /// After `enum`: its name and its symbols.
    pub fn symbol_table(&mut self) -> Parsed<SymbolTable> {
        let name = self.name()?;
        let symbols = self.list("{", "}", |p| {
            let value = p.number()?;
            p.expect("=")?;
            Ok((value, p.name()?))
        })?;
        Ok(SymbolTable { name, symbols })
    }
    /// The name of an enum. Anything else is reported and read as the first.
    pub fn enum_name(&mut self) -> Parsed<EnumId> {
        let start = self.here();
        let name = self.name()?;
        if let Some(Entity::Enum(id)) = self.names.global(&name) {
            return Ok(id);
        }
        let names = self.names;
        let enums = names.space(None).filter(|n| matches!(names.global(n), Some(Entity::Enum(_))));
        self.unknown("enum", &name, enums, self.since(start));
        Ok(EnumId::new(0))
    }

    fn function(&mut self) -> Parsed<Function> {
        let start = self.here();
        self.new_frame();
        let name = self.name()?;
        self.list("(", ")", |p| {
            let name = p.name()?;
            p.expect_word("in")?;
            let range = p.range()?;
            p.frame.push(Local { name, range, len: None });
            Ok(())
        })?;
        let params = self.frame.len();
        let result = if self.eat("->") { Some(self.range()?) } else { None };
        let origin = self.origin(start)?;
        self.expect("{")?;
        while self.eat_word("local") {
            self.locals()?;
            while self.eat(";") {}
        }
        let body = self.rest_of_block()?;
        Ok(Function { name, frame: self.new_frame(), params, result, body, origin })
    }

    /// After `process`: the rest of it.
    fn process(&mut self, role: Role, network: &mut Network) -> Parsed<()> {
        let start = self.here();
        let name = self.name()?;
        let family: Option<FamilyId> = if self.eat_word("in") { Some(self.family_name()?) } else { None };
        let priority = if self.eat_word("priority") { self.small("priority")? } else { 0 };
        let origin = self.origin(start)?;
        let id = network.processes.push(Process {
            name,
            role,
            family,
            params: Vec::new(),
            priority,
            locations: IdVec::new(),
            initial: LocationId::new(0),
            edges: IdVec::new(),
            origin,
        });
        self.process = Some(id);
        let result = self.process_body(id, network);
        self.process = None;
        self.new_frame();
        result
    }
}

/// The value a variable starts with unless told otherwise: 0, or the least one if 0 is outside.
pub(super) fn initial(range: Range) -> i64 {
    if range.contains(0) { 0 } else { range.lo }
}
