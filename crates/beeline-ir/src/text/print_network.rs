//! Networks. Variables, clocks and channels of processes are declared in them where that keeps the order of the
//! table; where a table is in another order, all of it is declared outside, with the owners named: `var P.k in 0..3`.

use super::names::quote;
use super::parse_network::initial;
use super::print::{Implied, Printer};
use crate::id::{EnumId, Id, IdVec, ProcessId};
use crate::network::{
    Channel, ChannelKind, Clock, Edge, Location, Network, Process, Role, SymbolTable, Sync, Var,
};
use crate::stmt::Function;
use crate::visit;

/// Which tables are declared in the processes.
struct Nested {
    vars: bool,
    clocks: bool,
    channels: bool,
}

/// Whether the global ones come first, and then those of each process.
fn ordered(owners: impl Iterator<Item = Option<ProcessId>>) -> bool {
    owners.is_sorted()
}

/// What is declared with an owner: what belongs to it if the table is in order of owners, else everything with nobody.
fn owned<I: Id, T>(
    table: &IdVec<I, T>,
    nested: bool,
    owner: Option<ProcessId>,
    of: fn(&T) -> Option<ProcessId>,
) -> impl Iterator<Item = I> + use<I, T> {
    let items = table.iter().as_slice();
    let range = match (nested, owner) {
        (true, owner) => {
            let first = items.partition_point(|item| of(item) < owner);
            first..items.partition_point(|item| of(item) <= owner)
        }
        (false, None) => 0..items.len(),
        (false, Some(_)) => 0..0,
    };
    range.map(I::new)
}

impl<'s> Printer<'s> {
    /// Appends a whole network, properties excepted.
    pub fn whole_network(&mut self, network: &'s Network) {
        let nested = Nested {
            vars: ordered(network.vars.iter().map(|v| v.owner)),
            clocks: ordered(network.clocks.iter().map(|c| c.owner)),
            channels: ordered(network.channels.iter().map(|c| c.owner)),
        };
        self.put("network ");
        self.name(&network.name);
        self.sources(&network.sources);
        for table in &network.enums {
            self.line();
            self.symbol_table(table);
        }
        self.declarations(network, &nested, None);
        for function in &network.functions {
            self.line();
            self.function(function);
        }
        for family in &network.families {
            self.line();
            self.put("family ");
            self.name(&family.name);
        }
        for (id, process) in network.processes.enumerate() {
            self.line();
            self.process(network, &nested, id, process);
        }
    }

    /// Appends the files that origins refer to, if origins are wanted.
    pub fn sources(&mut self, sources: &[String]) {
        let sources = if self.origins { sources } else { &[] };
        for source in sources {
            self.line();
            self.put("source ");
            self.put(&quote(source, '"'));
        }
    }
    /// Appends an enum.
    pub fn symbol_table(&mut self, table: &SymbolTable) {
        self.put("enum ");
        self.name(&table.name);
        self.put(" { ");
        self.list(&table.symbols, |p, (value, name)| {
            p.putf(format_args!("{value} = "));
            p.name(name);
        });
        self.put(" }");
    }
    /// Appends the enum of a variable or field, if it has one.
    pub fn symbols(&mut self, symbols: Option<EnumId>) {
        let enums = match self.scope.model {
            crate::Model::Network(network) => &network.enums,
            crate::Model::Relation(relation) => &relation.enums,
        };
        if let Some(id) = symbols {
            self.put(" as ");
            self.entry(Some(enums), id, |t| &t.name);
        }
    }

    /// Appends the declarations that belong to a process, or to none.
    fn declarations(&mut self, network: &Network, nested: &Nested, owner: Option<ProcessId>) {
        let params = owner.and_then(|p| network.processes.get(p)).map_or(&[][..], |p| &p.params);
        let in_order = nested.vars && params.is_sorted();
        for id in owned(&network.vars, nested.vars, owner, |var| var.owner) {
            let var = &network.vars[id];
            self.line();
            self.put(if in_order && params.contains(&id) { "param " } else { "var " });
            self.var_declaration(var);
        }
        if !in_order && !params.is_empty() {
            self.line();
            self.put("params ");
            self.list(params, |p, var| p.var(*var));
        }
        for id in owned(&network.clocks, nested.clocks, owner, |clock| clock.owner) {
            self.line();
            self.put("clock ");
            self.clock_declaration(&network.clocks[id]);
        }
        for id in owned(&network.channels, nested.channels, owner, |channel| channel.owner) {
            self.line();
            self.channel_declaration(&network.channels[id]);
        }
    }
    fn declared_name(&mut self, owner: Option<ProcessId>, name: &str) {
        if let Some(owner) = owner.filter(|_| self.process.is_none()) {
            self.process_name(owner);
            self.put(".");
        }
        self.name(name);
    }
    fn var_declaration(&mut self, var: &Var) {
        self.declared_name(var.owner, &var.name);
        self.length(var.len);
        self.put(" in ");
        self.range(var.range);
        self.symbols(var.symbols);
        let elements = var.len.map_or(1, |n| n as usize);
        match same(&var.init, elements) {
            Some(value) if *value == initial(var.range) => {}
            Some(value) => self.putf(format_args!(" = {value}")),
            None => {
                self.put(" = {");
                self.list(&var.init, |p, value| p.putf(format_args!("{value}")));
                self.put("}");
            }
        }
        self.origin(var.origin.as_ref());
    }
    fn clock_declaration(&mut self, clock: &Clock) {
        self.declared_name(clock.owner, &clock.name);
        self.origin(clock.origin.as_ref());
    }
    fn channel_declaration(&mut self, channel: &Channel) {
        self.put(if channel.urgent { "urgent " } else { "" });
        self.put(match channel.kind {
            ChannelKind::Rendezvous => "chan ",
            ChannelKind::Broadcast => "broadcast chan ",
            ChannelKind::Buffered { .. } => "buffer ",
        });
        self.declared_name(channel.owner, &channel.name);
        self.length(channel.len);
        if let ChannelKind::Buffered { capacity } = channel.kind {
            self.putf(format_args!(" capacity {capacity}"));
        }
        if !channel.fields.is_empty() {
            self.put(" of (");
            let fields: Vec<_> = channel.fields.iter().zip(&channel.symbols).collect();
            self.list(&fields, |p, (range, symbols)| {
                p.range(**range);
                p.symbols(**symbols);
            });
            self.put(")");
        }
        match same(&channel.priority, channel.elements()) {
            Some(0) => {}
            Some(priority) => self.putf(format_args!(" priority {priority}")),
            None => {
                self.put(" priority {");
                self.list(&channel.priority, |p, priority| p.putf(format_args!("{priority}")));
                self.put("}");
            }
        }
        self.origin(channel.origin.as_ref());
    }

    fn function(&mut self, function: &'s Function) {
        self.frame = &function.frame;
        let params = function.params.min(function.frame.len());
        let (params, locals) = function.frame.split_at(params);
        self.put("fn ");
        self.name(&function.name);
        self.put("(");
        self.locals(params);
        self.put(")");
        if let Some(range) = function.result {
            self.put(" -> ");
            self.range(range);
        }
        self.origin(function.origin.as_ref());
        self.put(" {");
        self.indent += 1;
        if !locals.is_empty() {
            self.line();
            self.put("local ");
            self.locals(locals);
            self.put(";");
        }
        self.statements(&function.body);
        self.indent -= 1;
        self.line();
        self.put("}");
        self.frame = &[];
    }

    fn process(&mut self, network: &Network, nested: &Nested, id: ProcessId, process: &'s Process) {
        self.put(if process.role == Role::Observer { "observer process " } else { "process " });
        self.name(&process.name);
        if let Some(family) = process.family {
            self.put(" in ");
            self.family_name(family);
        }
        if process.priority != 0 {
            self.putf(format_args!(" priority {}", process.priority));
        }
        self.origin(process.origin.as_ref());
        self.put(" {");
        self.process = Some(id);
        self.indent += 1;
        self.declarations(network, nested, Some(id));
        self.line();
        self.put("init ");
        self.location_name(id, process.initial);
        for location in &process.locations {
            self.line();
            self.location(location);
        }
        for edge in &process.edges {
            self.line();
            self.edge(id, process.role, edge);
        }
        self.indent -= 1;
        self.process = None;
        self.line();
        self.put("}");
    }

    fn location(&mut self, location: &'s Location) {
        self.frame = &location.frame;
        self.put(if location.committed { "committed " } else { "" });
        self.put(if location.urgent { "urgent " } else { "" });
        self.put(if location.atomic { "atomic " } else { "" });
        self.put("location ");
        self.name(&location.name);
        self.origin(location.origin.as_ref());
        let implied = Implied::new(&location.frame, 0).expr(&location.condition);
        let locals = implied.atoms(&location.invariant).explicit();
        let mut parts = 0;
        let mut part = |p: &mut Self, word: &str| {
            p.put(if parts == 0 { " { " } else { "; " });
            p.put(word);
            parts += 1;
        };
        if !locals.is_empty() {
            part(self, "local ");
            self.locals(locals);
        }
        if !location.condition.is_true() {
            part(self, "condition ");
            self.expr(&location.condition);
        }
        if !location.invariant.is_empty() {
            part(self, "invariant ");
            self.list(&location.invariant, Self::atom);
        }
        if parts > 0 {
            self.put(" }");
        }
        self.frame = &[];
    }

    fn edge(&mut self, process: ProcessId, role: Role, edge: &'s Edge) {
        self.frame = &edge.frame;
        self.put("edge ");
        self.location_name(process, edge.source);
        self.put(" -> ");
        self.location_name(process, edge.target);
        self.origin(edge.origin.as_ref());
        let start = self.out.len();
        self.put(" {");
        self.indent += 1;
        let body = self.out.len();
        self.edge_items(edge);
        // The edges of an observer cost nothing anyway.
        if !edge.costs && role == Role::System {
            self.line();
            self.put("free");
        }
        self.indent -= 1;
        if self.out.len() == body {
            self.out.truncate(start);
        } else {
            self.line();
            self.put("}");
        }
        self.frame = &[];
    }
    fn edge_items(&mut self, edge: &'s Edge) {
        let selects = edge.selects.min(edge.frame.len());
        let mut implied = Implied::new(&edge.frame, selects).expr(&edge.guard).atoms(&edge.clock_guard);
        visit::sync_parts(&edge.sync, &mut |e| implied.look(e));
        if let Sync::Receive(receive) = &edge.sync {
            implied.receive(receive);
        }
        let locals = implied.block(&edge.update).explicit();
        if selects > 0 {
            self.line();
            self.put("select ");
            self.locals(&edge.frame[..selects]);
        }
        if !locals.is_empty() {
            self.line();
            self.put("local ");
            self.locals(locals);
        }
        if !edge.guard.is_true() {
            self.line();
            self.put("guard ");
            self.expr(&edge.guard);
        }
        if !edge.clock_guard.is_empty() {
            self.line();
            self.put("when ");
            self.list(&edge.clock_guard, Self::atom);
        }
        if edge.sync != Sync::Internal {
            self.line();
            self.sync(&edge.sync);
        }
        if !edge.update.is_empty() {
            self.line();
            self.put("do ");
            self.block(&edge.update);
        }
    }
    /// Appends a synchronisation.
    pub fn sync(&mut self, sync: &Sync) {
        match sync {
            Sync::Internal => {}
            Sync::Send(send) => self.send(send),
            Sync::Receive(receive) => self.receive(receive),
        }
    }
}

/// The value that all elements have, if there are as many as there should be.
fn same<T: PartialEq>(values: &[T], elements: usize) -> Option<&T> {
    let first = values.first()?;
    (values.len() == elements && values.iter().all(|v| v == first)).then_some(first)
}
