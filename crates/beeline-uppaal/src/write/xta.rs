//! A network as a flat XTA model, with its properties as UPPAAL queries. Everything that belongs to a process is
//! declared globally under a name that begins with the process's. A line of comment records each name that
//! changed.
//!
//! What UPPAAL has no form for is refused: queues and messages, the exclusivity token, processes that start or
//! end, observers, wrapping stores, questions about enabled edges, location tests outside queries, numbers
//! beyond 32 bits, and process priorities against the order in which processes receive broadcasts.

use std::collections::BTreeMap;

use beeline_ir::expr::ChannelRef;
use beeline_ir::network::{ChannelKind, Edge, Network, Process, Role, Sync};
use beeline_ir::property::{Property, PropertyKind};
use beeline_ir::stmt::Stmt;
use beeline_ir::{EdgeId, ProcessId};

use super::{Names, Scope, Unwritable, Words, stmt};

/// A model and its queries.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Written {
    /// The text of a `.xta` file.
    pub model: String,
    /// The text of a `.q` file, a query per line; what is no query in UPPAAL is a comment.
    pub queries: String,
}

/// Keywords of models and queries up to UPPAAL 5, its built-in functions among them, and the types it declares by
/// itself. Letters such as `A` and words such as `sup` have a meaning of their own in queries, but may be names.
const RESERVED: &str = "\
    IO Pmax Pr X abs acos acosh after_update and asin asinh assert assign atan atan2 atanh before_update bool \
    branchpoint break broadcast case cbrt ceil chan clock commit const continue control control_t copysign cos \
    cosh deadlock default do double dynamic else enum erf erfc exists exit exp exp2 expm1 fabs false fdim fint \
    floor fma fmax fmin fmod for forall foreach fpclassify gantt guard hybrid hypot if ilogb imitate import \
    imply init int int16_t int32_t int8_t isfinite isinf isnan isnormal isunordered ldexp lgamma ln \
    loadStrategy location log log10 log1p log2 logb maxE maxPr meta minE minPr nextafter not numOf or pow \
    priority probability process progress query random random_arcsine random_beta random_gamma random_normal \
    random_poisson random_tri random_weibull return round sat saveStrategy scalar select signbit simulate sin \
    sinh spawn sqrt state strategy string struct sum switch sync system tan tanh tgamma trans true trunc \
    typedef uint16_t uint8_t under urgent void while xor";

/// Writes a network for UPPAAL.
pub fn write_xta(network: &Network) -> Result<Written, Unwritable> {
    let mut names = Names::legal(network, RESERVED);
    refuse_foreign(network)?;
    let mut helpers: BTreeMap<(ProcessId, EdgeId), String> = BTreeMap::new();
    for (process, edge) in helper_edges(network) {
        let wanted = format!("{}_edge{}", names.processes[process], edge.index());
        helpers.insert((process, edge), names.fresh(&wanted));
    }
    let mut writer = Writer { words: Words::new(network, &names), out: String::new() };
    writer.heading();
    writer.declarations()?;
    writer.functions()?;
    for ((process, edge), name) in &helpers {
        writer.helper(*process, *edge, name)?;
    }
    for (id, process) in network.processes.enumerate() {
        writer.process(id, process, &helpers)?;
    }
    writer.system()?;
    let queries = writer.queries()?;
    Ok(Written { model: writer.out, queries })
}

/// How messages call an edge.
pub(crate) fn edge_place(network: &Network, process: ProcessId, edge: EdgeId) -> String {
    let process = &network.processes[process];
    let Edge { source, target, .. } = &process.edges[edge];
    let (from, to) = (&process.locations[*source].name, &process.locations[*target].name);
    format!("process {}, edge {} ({from} -> {to})", process.name, edge.index())
}

/// Refuses what neither UPPAAL nor TChecker knows: it can be seen from the declarations alone.
pub(crate) fn refuse_foreign(network: &Network) -> Result<(), Unwritable> {
    for (id, channel) in network.channels.enumerate() {
        let place = || format!("channel {}", network.channel_name(id));
        if matches!(channel.kind, ChannelKind::Buffered { .. }) {
            return Err(Unwritable::new(place(), "a channel with a buffer"));
        }
        if !channel.fields.is_empty() {
            return Err(Unwritable::new(place(), "a channel that carries messages"));
        }
    }
    for process in &network.processes {
        let place = format!("process {}", process.name);
        if process.role == Role::Observer {
            return Err(Unwritable::new(place, "an observer"));
        }
        if process.family.is_some() || process.edges.iter().any(|e| e.update.last() == Some(&Stmt::Exit)) {
            return Err(Unwritable::new(place, "processes that start or end"));
        }
        if let Some(location) = process.locations.iter().find(|l| l.atomic) {
            let place = format!("{place}, location {}", location.name);
            return Err(Unwritable::new(place, "the exclusivity token of an atomic location"));
        }
    }
    Ok(())
}

/// The edges whose update is no list of expressions over their select variables.
fn helper_edges(network: &Network) -> impl Iterator<Item = (ProcessId, EdgeId)> {
    network.processes.enumerate().flat_map(|(p, process)| {
        let needs = |edge: &Edge| {
            let complex = |s: &Stmt| matches!(s, Stmt::If(..) | Stmt::While(..) | Stmt::Assert(..));
            edge.update.iter().any(complex)
                || stmt::used_locals(&edge.update).last().is_some_and(|l| l.index() >= edge.selects)
        };
        process.edges.enumerate().filter(move |(_, e)| needs(e)).map(move |(e, _)| (p, e))
    })
}

struct Writer<'n> {
    words: Words<'n>,
    out: String,
}

impl<'n> Writer<'n> {
    fn network(&self) -> &'n Network {
        self.words.network
    }
    fn names(&self) -> &'n Names {
        self.words.names
    }
    fn line(&mut self, line: &str) {
        self.out.push_str(line);
        self.out.push('\n');
    }

    fn heading(&mut self) {
        let name = self.network().name.replace(['\n', '\r'], " ");
        self.line(&format!("// {name}, written by Beeline."));
        for (old, new) in &self.names().changed {
            self.line(&format!("// {} is called {new} here.", old.replace(['\n', '\r'], " ")));
        }
        for (p, process) in self.network().processes.enumerate() {
            for (e, _) in process.edges.enumerate().filter(|(_, edge)| !edge.costs) {
                let place = edge_place(self.network(), p, e).replace(['\n', '\r'], " ");
                self.line(&format!("// A step of its own here, none in Beeline: {place}."));
            }
        }
    }

    fn declarations(&mut self) -> Result<(), Unwritable> {
        for (id, var) in self.network().vars.enumerate() {
            let scope = Scope::model(Vec::new(), format!("variable {}", self.network().var_name(id)));
            let values: Result<Vec<_>, _> = var.init.iter().map(|v| scope.number(*v)).collect();
            let (ty, name, values) = (scope.int(var.range)?, &self.names().vars[id], values?.join(", "));
            match var.len {
                None => self.line(&format!("{ty} {name} = {values};")),
                Some(n) => self.line(&format!("{ty} {name}[{n}] = {{ {values} }};")),
            }
        }
        for name in &self.names().clocks {
            self.line(&format!("clock {name};"));
        }
        for (id, channel) in self.network().channels.enumerate() {
            let urgent = if channel.urgent { "urgent " } else { "" };
            let broadcast = if channel.kind == ChannelKind::Broadcast { "broadcast " } else { "" };
            let len = channel.len.map_or(String::new(), |n| format!("[{n}]"));
            let name = &self.names().channels[id];
            self.line(&format!("{urgent}{broadcast}chan {name}{len};"));
        }
        self.channel_priorities();
        Ok(())
    }

    fn channel_priorities(&mut self) {
        let mut groups: BTreeMap<i32, Vec<String>> = BTreeMap::from([(0, vec!["default".into()])]);
        for (id, channel) in self.network().channels.enumerate() {
            let name = &self.names().channels[id];
            for (index, priority) in channel.priority.iter().enumerate().filter(|(_, p)| **p != 0) {
                let element = channel.len.map_or(name.clone(), |_| format!("{name}[{index}]"));
                groups.entry(*priority).or_default().push(element);
            }
        }
        if groups.len() > 1 {
            let groups: Vec<String> = groups.values().map(|g| g.join(", ")).collect();
            self.line(&format!("chan priority {};", groups.join(" < ")));
        }
    }

    fn functions(&mut self) -> Result<(), Unwritable> {
        for (id, function) in self.network().functions.enumerate() {
            let locals = self.names().locals(&function.frame);
            let scope = Scope::model(locals, format!("function {}", function.name));
            let result = function.result.map_or(Ok("void".into()), |range| scope.int(range))?;
            let parameters = self.words.parameters(&function.frame, function.params, &scope)?;
            let mut text = format!("{result} {}({parameters}) {{\n", self.names().functions[id]);
            self.words.declare_locals(&function.frame, function.params, &function.body, &scope, &mut text)?;
            self.words.block(&function.body, 1, &scope, &mut text)?;
            if let (Some(range), false) =
                (function.result, matches!(function.body.last(), Some(Stmt::Return(_))))
            {
                text.push_str(&format!("    return {};\n", scope.number(range.start())?));
            }
            self.line(&format!("{text}}}"));
        }
        Ok(())
    }

    fn edge_scope(&self, process: ProcessId, edge: EdgeId) -> Scope {
        let frame = &self.network().processes[process].edges[edge].frame;
        Scope::model(self.names().locals(frame), edge_place(self.network(), process, edge))
    }

    /// The function that an edge's update calls, with the select variables as its parameters.
    fn helper(&mut self, process: ProcessId, id: EdgeId, name: &str) -> Result<(), Unwritable> {
        let edge = &self.network().processes[process].edges[id];
        let scope = self.edge_scope(process, id);
        let parameters = self.words.parameters(&edge.frame, edge.selects, &scope)?;
        let mut text = format!("void {name}({parameters}) {{\n");
        self.words.declare_locals(&edge.frame, edge.selects, &edge.update, &scope, &mut text)?;
        self.words.block(&edge.update, 1, &scope, &mut text)?;
        self.line(&format!("{text}}}"));
        Ok(())
    }

    fn process(
        &mut self,
        id: ProcessId,
        process: &Process,
        helpers: &BTreeMap<(ProcessId, EdgeId), String>,
    ) -> Result<(), Unwritable> {
        let names = &self.names().locations[id];
        self.line(&format!("process {}() {{", self.names().processes[id]));
        let mut states = Vec::new();
        for (l, location) in process.locations.enumerate() {
            let place = format!("process {}, location {}", process.name, location.name);
            let scope = Scope::model(self.names().locals(&location.frame), place);
            let invariant = self.words.constraint(&location.condition, &location.invariant, &scope)?;
            let name = &names[l];
            states.push(if invariant.is_empty() {
                name.clone()
            } else {
                format!("{name} {{ {invariant} }}")
            });
        }
        self.line(&format!("state {};", states.join(", ")));
        for (word, flagged) in [
            ("commit", process.locations.enumerate().filter(|(_, l)| l.committed).collect::<Vec<_>>()),
            ("urgent", process.locations.enumerate().filter(|(_, l)| l.urgent && !l.committed).collect()),
        ] {
            let flagged: Vec<&str> = flagged.iter().map(|(l, _)| names[*l].as_str()).collect();
            if !flagged.is_empty() {
                self.line(&format!("{word} {};", flagged.join(", ")));
            }
        }
        self.line(&format!("init {};", names[process.initial]));
        let edges: Result<Vec<String>, Unwritable> =
            process.edges.ids().map(|e| self.edge(id, e, helpers.get(&(id, e)))).collect();
        let edges = edges?;
        if !edges.is_empty() {
            self.line(&format!("trans\n    {};", edges.join(",\n    ")));
        }
        self.line("}");
        Ok(())
    }

    fn edge(&self, process: ProcessId, id: EdgeId, helper: Option<&String>) -> Result<String, Unwritable> {
        let edge = &self.network().processes[process].edges[id];
        let scope = self.edge_scope(process, id);
        let names = &self.names().locations[process];
        let mut text = format!("{} -> {} {{", names[edge.source], names[edge.target]);
        let selects: Result<Vec<String>, Unwritable> = edge.frame[..edge.selects]
            .iter()
            .zip(&scope.locals)
            .map(|(local, name)| Ok(format!("{name} : {}", scope.int(local.range)?)))
            .collect();
        let selects = selects?;
        if !selects.is_empty() {
            text.push_str(&format!(" select {};", selects.join(", ")));
        }
        if let Some(free) = stmt::used_in(&edge.guard, &edge.clock_guard).last()
            && free.index() >= edge.selects
        {
            return scope.refuse("a guard over a local that is neither selected nor quantified");
        }
        let guard = self.words.constraint(&edge.guard, &edge.clock_guard, &scope)?;
        if !guard.is_empty() {
            text.push_str(&format!(" guard {guard};"));
        }
        let sync: Option<(&ChannelRef, char)> = match &edge.sync {
            Sync::Internal => None,
            Sync::Send(send) => Some((&send.channel, '!')),
            Sync::Receive(receive) => Some((&receive.channel, '?')),
        };
        if let Some((channel, mark)) = sync {
            text.push_str(&format!(" sync {}{mark};", self.words.channel(channel, &scope)?));
        }
        let update = match helper {
            Some(name) => format!("{name}({})", scope.locals[..edge.selects].join(", ")),
            None => {
                let parts: Result<Vec<_>, _> =
                    edge.update.iter().map(|s| self.words.simple(s, "=", &scope)).collect();
                parts?.into_iter().flatten().collect::<Vec<_>>().join(", ")
            }
        };
        if !update.is_empty() {
            text.push_str(&format!(" assign {update};"));
        }
        text.push_str(" }");
        Ok(text)
    }

    /// The `system` line. It gives both the priorities and the order in which processes receive a broadcast.
    fn system(&mut self) -> Result<(), Unwritable> {
        let mut order: Vec<ProcessId> = self.network().processes.ids().collect();
        order.sort_by_key(|p| self.network().processes[*p].priority);
        let moved = order.iter().enumerate().find(|(i, p)| *i != p.index());
        let broadcasts = self.network().channels.iter().any(|c| c.kind == ChannelKind::Broadcast);
        if let (Some((_, process)), true) = (moved, broadcasts) {
            let place = format!("process {}", self.network().processes[*process].name);
            return Err(Unwritable::new(
                place,
                "a priority against the order in which broadcasts are received",
            ));
        }
        let mut line = String::from("system ");
        for (i, process) in order.iter().enumerate() {
            if i > 0 {
                let rises = self.network().processes[order[i - 1]].priority
                    < self.network().processes[*process].priority;
                line.push_str(if rises { " < " } else { ", " });
            }
            line.push_str(&self.names().processes[*process]);
        }
        line.push(';');
        self.line(&line);
        Ok(())
    }

    fn queries(&self) -> Result<String, Unwritable> {
        let lines: Result<Vec<_>, _> = self.network().properties.iter().map(|p| self.query(p)).collect();
        Ok(lines?.concat())
    }

    fn query(&self, property: &Property) -> Result<String, Unwritable> {
        let name = property.name.as_deref().unwrap_or("without a name").replace(['\n', '\r'], " ");
        let place = format!("property {name}");
        let scope = Scope { locals: self.names().locals(&property.frame), place, query: true };
        Ok(match &property.kind {
            PropertyKind::Always(p) => format!("A[] {}\n", self.words.expr(p, &scope)?),
            PropertyKind::Exists(p) => format!("E<> {}\n", self.words.expr(p, &scope)?),
            PropertyKind::Refused(refusal) => {
                let text = property.text.as_deref().unwrap_or(&name).replace(['\n', '\r'], " ");
                let why = if refusal.malformed { "not understood" } else { "not supported" };
                format!("// {why} by Beeline: {text}\n")
            }
            _ => {
                format!("// No query of UPPAAL asks for this: property {name}\n")
            }
        })
    }
}
