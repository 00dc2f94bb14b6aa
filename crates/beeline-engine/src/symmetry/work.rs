//! How much work an evaluation takes at most.
//!
//! What takes too long fails ([`beeline_ir::work`] says what is counted), and how long it takes depends on what is looked
//! at first. Exchanges need not bother where that cannot happen; other evaluations are *long*.

use beeline_ir::expr::{ChannelRef, Expr, MAX_ITERATIONS};
use beeline_ir::layout::Layout;
use beeline_ir::network::{ChannelKind, Edge, Location, Network, Role, Sync};
use beeline_ir::property::{Property, Target};
use beeline_ir::stmt::{Block, Stmt};
use beeline_ir::{EdgeId, FunctionId, LocationId, ProcessId, visit, work};
use std::collections::{BTreeMap, BTreeSet};

/// What is evaluated at one go.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Evaluation {
    /// The invariant of a location.
    Invariant(ProcessId, LocationId),
    /// The guard of an edge, with its clock constraints and what it sends or requires.
    Guard(ProcessId, EdgeId),
    /// The update of an edge.
    Update(ProcessId, EdgeId),
    /// What is asked.
    Property,
    /// A part of evaluations that call it.
    Function(FunctionId),
}

/// Functions and edges evaluated inside of each other; what goes deeper may be long.
const MOST_LEVELS: usize = 8;

/// Evaluations that may take too long.
pub fn long_evaluations(network: &Network, property: &Property) -> BTreeSet<Evaluation> {
    let mut work = Work::new(network);
    let mut long = BTreeSet::new();
    let mut note = |work: &mut Work, evaluation: Evaluation, most: u64| {
        let called = std::mem::take(&mut work.called);
        if most > u64::from(MAX_ITERATIONS) / 2 {
            long.insert(evaluation);
            long.extend(called.into_iter().map(Evaluation::Function));
        }
    };
    for (process, of) in network.processes.enumerate() {
        for (id, location) in of.locations.enumerate() {
            let most = work.invariant(location);
            note(&mut work, Evaluation::Invariant(process, id), most);
        }
        for (id, edge) in of.edges.enumerate() {
            let most = work.guard(edge);
            note(&mut work, Evaluation::Guard(process, id), most);
            let most = work.update(edge);
            note(&mut work, Evaluation::Update(process, id), most);
        }
    }
    if let Target::State(target) = property.target() {
        let most = work.expr(&target);
        note(&mut work, Evaluation::Property, most);
    }
    // Functions call those before them.
    for (id, function) in network.functions.enumerate().rev() {
        if long.contains(&Evaluation::Function(id)) {
            work.called.clear();
            work.block(&function.body);
            long.extend(work.called.iter().map(|called| Evaluation::Function(*called)));
        }
    }
    long
}

/// What is evaluated inside of others.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Inner {
    Function(FunctionId),
    Guard(ProcessId, EdgeId),
}

/// Upper bounds of the units of work, `u64::MAX` if there is none.
struct Work<'n> {
    network: &'n Network,
    /// Of a search for partners.
    search: u64,
    /// Of a look into the largest buffer.
    buffer: u64,
    in_timeout: bool,
    level: usize,
    /// What is known, by whether it stands in a `timeout`; nothing while it is worked out.
    known: BTreeMap<(Inner, bool), Option<u64>>,
    /// Functions that were called, all those directly.
    called: BTreeSet<FunctionId>,
}

impl<'n> Work<'n> {
    fn new(network: &'n Network) -> Self {
        let layout = Layout::of_network(network);
        let cells = layout.queues.iter().flatten().map(work::of_queue).max().unwrap_or(0);
        Self {
            network,
            search: work::units(work::of_search(network)).into(),
            buffer: work::units(cells).into(),
            in_timeout: false,
            level: 0,
            known: BTreeMap::new(),
            called: BTreeSet::new(),
        }
    }

    fn sum<'e>(&mut self, parts: impl FnOnce(&mut dyn FnMut(&'e Expr))) -> u64 {
        let mut most = 0_u64;
        parts(&mut |expr| most = most.saturating_add(self.expr(expr)));
        most
    }

    fn invariant(&mut self, location: &Location) -> u64 {
        let condition = self.expr(&location.condition);
        condition.saturating_add(self.sum(|visit| visit::atom_parts(&location.invariant, &mut |e| visit(e))))
    }

    fn guard(&mut self, edge: &Edge) -> u64 {
        let guard = self.expr(&edge.guard);
        let clocks = self.sum(|visit| visit::atom_parts(&edge.clock_guard, &mut |e| visit(e)));
        let sync = self.sum(|visit| visit::sync_parts(&edge.sync, &mut |e| visit(e)));
        guard.saturating_add(clocks).saturating_add(sync).saturating_add(self.buffer)
    }

    fn update(&mut self, edge: &Edge) -> u64 {
        let sync = self.sum(|visit| visit::sync_parts(&edge.sync, &mut |e| visit(e)));
        self.block(&edge.update).saturating_add(sync).saturating_add(self.buffer)
    }

    fn block(&mut self, block: &Block) -> u64 {
        let mut most = 0_u64;
        visit::walk_block(block, &mut |statement, _| {
            let own = match statement {
                // Nobody knows how often.
                Stmt::While(..) => u64::MAX,
                Stmt::Call(function, ..) => self.function(*function),
                Stmt::Start(..) => self.search,
                Stmt::Send(_) | Stmt::Receive(_) => self.buffer,
                _ => 0,
            };
            most = most.saturating_add(own);
            most =
                most.saturating_add(self.sum(|visit| visit::statement_parts(statement, &mut |e| visit(e))));
        });
        most
    }

    fn expr(&mut self, expr: &Expr) -> u64 {
        let own = match expr {
            Expr::Quantified(_, _, range, body) => {
                let once = u64::from(work::units(work::of_expr(body))).saturating_add(self.expr(body));
                return once.saturating_mul(u64::try_from(range.size()).unwrap_or(u64::MAX));
            }
            Expr::Call(function, _) => self.function(*function),
            Expr::ProcessCount => self.search,
            Expr::Poll(_) => self.buffer,
            Expr::Enabled(process, edges) => {
                let each = edges.iter().map(|edge| self.could(*process, *edge));
                each.fold(0, u64::saturating_add).saturating_add(self.search)
            }
            Expr::Timeout if self.in_timeout => 0,
            Expr::Timeout => self.timeout(),
            _ => 0,
        };
        own.saturating_add(self.sum(|visit| visit::children(expr, &mut |e| visit(e))))
    }

    fn timeout(&mut self) -> u64 {
        self.in_timeout = true;
        let system = self.network.processes.enumerate().filter(|(_, process)| process.role == Role::System);
        let edges = system.flat_map(|(id, process)| process.edges.ids().map(move |edge| (id, edge)));
        let most = edges.map(|(id, edge)| self.could(id, edge)).fold(0, u64::saturating_add);
        self.in_timeout = false;
        most.saturating_add(self.search)
    }

    /// Whether an edge could be taken: with each combination of selected values, itself and all partners there might be.
    fn could(&mut self, process: ProcessId, edge: EdgeId) -> u64 {
        let network = self.network;
        let each = self.once(process, edge);
        let meets = |channel: &ChannelRef| match channel {
            ChannelRef::Element(id, _) => !matches!(network.channels[*id].kind, ChannelKind::Buffered { .. }),
            ChannelRef::Value(_) => true,
        };
        let partners = match &network.processes[process].edges[edge].sync {
            Sync::Send(send) if meets(&send.channel) => self.partners(),
            Sync::Receive(receive) if meets(&receive.channel) => self.partners(),
            _ => 0,
        };
        each.saturating_mul(partners.saturating_add(1))
    }

    /// All edges that might be a partner.
    fn partners(&mut self) -> u64 {
        let processes = self.network.processes.enumerate();
        let edges = { processes }.flat_map(|(id, process)| process.edges.enumerate().map(move |e| (id, e)));
        let partners = edges.filter(|(_, (_, edge))| edge.sync != Sync::Internal);
        let most = partners.map(|(id, (edge, _))| self.once(id, edge)).fold(0, u64::saturating_add);
        most.saturating_add(self.search)
    }

    /// The guard of an edge, with each combination of selected values.
    fn once(&mut self, process: ProcessId, id: EdgeId) -> u64 {
        let edge = &self.network.processes[process].edges[id];
        let sizes = edge.frame[..edge.selects].iter().map(|local| local.range.size());
        let combinations =
            sizes.fold(1_u64, |all, size| all.saturating_mul(u64::try_from(size).unwrap_or(u64::MAX)));
        let guard = self.inner(Inner::Guard(process, id), |work| work.guard(edge));
        let once = guard.saturating_add(work::units(work::of_edge(edge)).into());
        once.saturating_mul(combinations)
    }

    fn function(&mut self, id: FunctionId) -> u64 {
        let function = &self.network.functions[id];
        self.called.insert(id);
        let body = self.inner(Inner::Function(id), |work| work.block(&function.body));
        body.saturating_add(work::units(work::of_function(function)).into())
    }

    /// Works out something that others contain, once; what contains itself is without bound.
    fn inner(&mut self, inner: Inner, most: impl FnOnce(&mut Self) -> u64) -> u64 {
        let key = (inner, self.in_timeout);
        if let Some(known) = self.known.get(&key) {
            return known.unwrap_or(u64::MAX);
        }
        if self.level == MOST_LEVELS {
            return u64::MAX;
        }
        self.known.insert(key, None);
        self.level += 1;
        let most = most(self);
        self.level -= 1;
        self.known.insert(key, Some(most));
        most
    }
}
