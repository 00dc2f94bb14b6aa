//! From the syntax tree to a network. Every process that exists from the start is a process; for each process type that
//! is started with `run` there is a family of slots, as many as can exist at once where that is known, else as many
//! as the caller allows. In that case nothing may depend on their number: where there is no slot left, the process that
//! needs one goes to a place that violates every property and stops the model. A run that leads there says
//! that there are too few slots, and nothing else.

mod arithmetic;
mod channel;
mod choice;
mod claim;
mod constant;
mod declare;
mod dstep;
mod expr;
mod formula;
mod jumps;
mod process;
mod property;
mod remote;
mod rendezvous;
mod slots;
mod token;

use std::collections::{BTreeMap, HashMap, HashSet};

use beeline_ir::diagnostic::Diagnostic;
use beeline_ir::expr::{ChannelRef, Expr};
use beeline_ir::network::{Channel, ChannelKind, Family, Network};
use beeline_ir::origin::Span;
use beeline_ir::property::Property;
use beeline_ir::{ChannelId, EnumId, FamilyId, LocationId, ProcessId, VarId};

use crate::Length;
use crate::ast::{Document, Name, Proc, Typedef};
use crate::elements::{Elements, Numbers};
use crate::graph::Graph;
use crate::messages::Messages;
use crate::preprocess::Sources;
use declare::Variable;
pub(crate) use process::OVERFLOW;
pub(crate) use property::{assertions, is_predicate};

/// What a rule gives, or why not.
pub(crate) type Res<T> = Result<T, Diagnostic>;

/// Most processes that may exist at once, as in Spin.
pub const MAX_PROCESSES: usize = 255;

/// Most channels, array elements counted.
const MAX_CHANNELS: usize = 4095;

/// Most cells of variables and queues.
const MAX_CELLS: u64 = 1 << 20;

/// Parts of expressions that may be made of one file.
const MAX_PARTS: usize = 4_000_000;

/// A process type with its processes.
struct Proto<'a> {
    proc: &'a Proc,
    graph: Graph<'a>,
    /// All its processes: first those from the start, then the slots.
    processes: Vec<ProcessId>,
    /// The slots that `run` fills, for each priority that it gives.
    families: BTreeMap<i32, FamilyId>,
    /// Variables beyond the parameters whose initial values are given by who starts a slot.
    late: Vec<usize>,
}

/// One process.
#[derive(Clone, Debug)]
struct Instance {
    proto: usize,
    /// Its number, if it exists from the start.
    pid: Option<i64>,
    symbols: HashMap<Name, Variable>,
}

pub(crate) struct Lower<'a, 'm> {
    document: &'a Document,
    sources: &'a Sources,
    messages: &'m mut Messages,
    pub(crate) network: Network,
    mtypes: HashMap<Name, i64>,
    mtype_tables: BTreeMap<Option<Name>, EnumId>,
    records: HashMap<Name, &'a Typedef>,
    globals: HashMap<Name, Variable>,
    protos: Vec<Proto<'a>>,
    instances: Vec<Instance>,
    channels: channel::Flows,
    /// Control flow of claims, by their order in the text.
    claim_graphs: HashMap<usize, Graph<'a>>,
    /// Names of the network that are taken.
    names: HashSet<String>,
    /// `_last`, if it is read.
    last: Option<VarId>,
    /// `_holder`, if there is a token.
    holder: Option<VarId>,
    /// The processes that may be unable to go on while they hold it.
    waiting: Vec<bool>,
    /// A channel without messages: receiving from it fails a step that blocks where it must not.
    blocked: Option<ChannelId>,
    cells: u64,
    parts: usize,
    /// Slots of a family whose size is not known.
    slots: usize,
    /// What counts as a step.
    length: Length,
    /// Where Spin has not finished a rendezvous, in the process that is being made.
    halves: Vec<rendezvous::Half>,
    /// While the initial value of a process being started is read: its type, and what its variables are.
    substitution: Option<(usize, HashMap<Name, Expr>)>,
    /// While an expression is read that a process is started in: its number.
    started_number: Option<Expr>,
    /// While a claim is read: the values of its variables.
    watching: HashMap<Name, Expr>,
    /// Process types with such families.
    open: HashSet<usize>,
    /// Where a process stands that should have started another and found no slot.
    overflow: Vec<(ProcessId, LocationId)>,
}

/// The network that a document describes.
pub(crate) fn lower<'a, 'm>(
    document: &'a Document,
    sources: &'a Sources,
    name: &str,
    slots: usize,
    length: Length,
    messages: &'m mut Messages,
) -> Lower<'a, 'm> {
    let network = Network { name: name.to_string(), sources: sources.names(), ..Network::default() };
    let mut lower = Lower {
        document,
        sources,
        messages,
        network,
        mtypes: HashMap::new(),
        mtype_tables: BTreeMap::new(),
        records: HashMap::new(),
        globals: HashMap::new(),
        protos: Vec::new(),
        instances: Vec::new(),
        channels: channel::Flows::default(),
        claim_graphs: HashMap::new(),
        names: HashSet::new(),
        last: None,
        holder: None,
        waiting: Vec::new(),
        blocked: None,
        cells: 0,
        parts: 0,
        slots,
        length,
        halves: Vec::new(),
        substitution: None,
        started_number: None,
        watching: HashMap::new(),
        open: HashSet::new(),
        overflow: Vec::new(),
    };
    lower.run();
    lower
}

impl<'a> Lower<'a, '_> {
    fn run(&mut self) {
        self.symbols();
        self.records();
        self.channels = channel::Flows::new(self.document);
        self.global_variables();
        let declared = self.messages.errors.is_empty();
        self.process_types();
        let before = self.messages.errors.len();
        self.make_processes();
        if self.messages.errors.len() == before && self.instances.iter().all(|i| i.pid.is_none()) {
            self.nobody_starts();
        }
        // Without its variables and processes, the rest is full of unknown names.
        if !declared || self.protos.is_empty() || self.messages.errors.len() > before {
            return;
        }
        self.special_variables();
        for process in 0..self.instances.len() {
            self.process(ProcessId::new(process));
        }
        if self.messages.errors.is_empty() {
            self.claims();
            self.properties();
        }
    }

    /// A name for something of the network that nothing else has.
    fn unique(&mut self, wish: &str) -> String {
        let mut name = wish.to_string();
        let mut number = 1;
        while !self.names.insert(name.clone()) {
            number += 1;
            name = format!("{wish}'{number}");
        }
        name
    }

    /// Numbers of symbols: each list counts down, and begins where those before it ended.
    fn symbols(&mut self) {
        let mut sets: BTreeMap<Option<Name>, Vec<(i64, String)>> = BTreeMap::new();
        for list in &self.document.mtypes {
            let set = sets.entry(list.set.clone()).or_default();
            let count = set.len() + list.symbols.len();
            if count > 255 {
                let place = list.symbols.last().map_or(Span::default(), |(_, span)| *span);
                self.messages.error("E0923", "a set has at most 255 symbols", place);
                return;
            }
            for (i, (name, span)) in list.symbols.iter().enumerate() {
                let value = (count - i) as i64;
                if self.mtypes.insert(name.clone(), value).is_some() {
                    self.messages.error("E0922", format!("the symbol `{name}` is declared twice"), *span);
                }
                set.push((value, name.to_string()));
            }
        }
        for (set, mut symbols) in sets {
            symbols.sort();
            let name = self.unique(set.as_deref().unwrap_or("mtype"));
            let table = beeline_ir::network::SymbolTable { name, symbols };
            self.mtype_tables.insert(set, self.network.enums.push(table));
        }
    }

    fn records(&mut self) {
        for typedef in &self.document.typedefs {
            if self.records.insert(typedef.name.clone(), typedef).is_some() {
                self.messages.error(
                    "E0922",
                    format!("the type `{}` is declared twice", typedef.name),
                    typedef.span,
                );
            }
        }
    }

    fn process_types(&mut self) {
        let mut seen = HashSet::new();
        for proc in &self.document.procs {
            if !seen.insert(proc.name.clone()) {
                self.messages.error(
                    "E0922",
                    format!("the process type `{}` is declared twice", proc.name),
                    proc.span,
                );
            }
        }
        self.control_flow();
        if self.document.procs.is_empty() {
            self.messages.add(Diagnostic::error("E0924", "the model has no process", None));
        }
    }

    /// Without a process that exists from the start, every property would hold, and nothing would have been looked at.
    fn nobody_starts(&mut self) {
        let Some(proc) = self.document.procs.first() else { return };
        let message = "no process exists at the start: nothing is `active`, and there is no `init`";
        self.messages.error("E0924", message, proc.span);
    }

    /// The control flow of all process types and claims, in the order of the text: elements are numbered through.
    fn control_flow(&mut self) {
        let document = self.document;
        let claims = document.claims.iter().map(|proc| (proc, true));
        let mut all: Vec<(&'a Proc, bool)> =
            document.procs.iter().map(|proc| (proc, false)).chain(claims).collect();
        all.sort_by_key(|(proc, _)| proc.order);
        let mut numbers = Numbers::default();
        let mut elements: Vec<Elements<'a>> = Vec::new();
        for (proc, claim) in &all {
            elements.push(Elements::new(proc, *claim, &mut numbers, self.messages));
        }
        numbers.formulas(&document.formulas);
        for ((proc, claim), mut elements) in all.into_iter().zip(elements) {
            elements.finish(&proc.name, &numbers);
            let graph = Graph::new(&elements, self.length == Length::Spin, self.messages);
            match claim {
                true => drop(self.claim_graphs.insert(proc.order, graph)),
                false => {
                    let proto = Proto {
                        proc,
                        graph,
                        processes: Vec::new(),
                        families: BTreeMap::new(),
                        late: Vec::new(),
                    };
                    self.protos.push(proto);
                }
            }
        }
    }

    fn proto(&self, name: &str) -> Option<usize> {
        self.protos.iter().position(|p| &*p.proc.name == name)
    }

    /// Variables that the network needs beside those of the model.
    fn special_variables(&mut self) {
        if self.reads("_last") {
            let range = beeline_ir::expr::Range::new(0, 255);
            let last = self.special("_last", range);
            // The model reads it, so it is shown.
            self.network.vars[last].origin = self.sources.origin(Span::default(), Vec::new());
            self.last = Some(last);
        }
        self.holder_variable();
    }

    fn special(&mut self, name: &str, range: beeline_ir::expr::Range) -> VarId {
        let name = self.unique(name);
        self.network.vars.push(beeline_ir::network::Var {
            name,
            owner: None,
            range,
            len: None,
            init: vec![0],
            symbols: None,
            origin: None,
        })
    }

    /// The channel that nothing is ever sent to.
    fn blocked_channel(&mut self) -> ChannelRef {
        let id = match self.blocked {
            Some(id) => id,
            None => {
                let name = self.unique("_blocked");
                let channel = Channel {
                    name,
                    owner: None,
                    len: None,
                    kind: ChannelKind::Buffered { capacity: 1 },
                    fields: Vec::new(),
                    symbols: Vec::new(),
                    urgent: false,
                    priority: vec![0],
                    origin: None,
                };
                *self.blocked.insert(self.network.channels.push(channel))
            }
        };
        ChannelRef::Element(id, None)
    }

    /// The condition that some process found no slot.
    fn overflowed(&self) -> Expr {
        Expr::Or(self.overflow.iter().map(|(process, location)| Expr::At(*process, *location)).collect())
    }

    /// Counts what is made.
    fn spend(&mut self, parts: usize, span: Span) -> Res<()> {
        self.parts = self.parts.saturating_add(parts);
        if self.parts <= MAX_PARTS {
            return Ok(());
        }
        let message = "the model is too large once its processes are written out";
        Err(Diagnostic::error("E0930", message, Some(span)))
    }

    /// Makes a family without slots yet, for processes of a type that are started with a priority.
    fn family(&mut self, proto: usize, priority: i32) -> FamilyId {
        let wish = self.protos[proto].proc.name.to_string();
        let name = self.unique(&wish);
        let family = self.network.families.push(Family { name, slots: Vec::new() });
        self.protos[proto].families.insert(priority, family);
        family
    }

    /// The property of a formula about the model, or that of a state where a predicate holds.
    pub(crate) fn asked(&mut self, formula: &'a crate::ast::Expr, exists: bool) -> Res<Property> {
        let mut absent = Ok(());
        crate::ast::walk_expr(formula, &mut |e| {
            if let (Ok(()), Some(warning)) = (&absent, self.absent(e)) {
                absent = Err(Diagnostic::error("E0920", warning, Some(e.span)));
            }
        });
        absent?;
        if !exists {
            return self.formula(formula);
        }
        let mut holds = both(self.visible(), self.expr(formula, None)?);
        if !self.overflow.is_empty() {
            holds = Expr::Or(vec![holds, self.overflowed()]);
        }
        let kind = beeline_ir::property::PropertyKind::Exists(holds);
        Ok(Property { name: None, text: None, frame: Vec::new(), kind, origin: None })
    }
}

/// `a && b`, without what is always true.
fn both(a: Expr, b: Expr) -> Expr {
    match (a, b) {
        (Expr::Const(1), other) | (other, Expr::Const(1)) => other,
        (Expr::And(mut all), Expr::And(more)) => {
            all.extend(more);
            Expr::And(all)
        }
        (Expr::And(mut all), other) => {
            all.push(other);
            Expr::And(all)
        }
        (other, Expr::And(all)) => Expr::And(std::iter::once(other).chain(all).collect()),
        (a, b) => Expr::And(vec![a, b]),
    }
}
