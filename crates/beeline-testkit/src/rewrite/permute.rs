//! The order of declarations is free, except where the semantics speaks of it: receivers of a broadcast update in the
//! order of processes, numbers of processes follow that order, and values of channels follow the order of channels.

use crate::random::Random;
use crate::walk::{self, Visitor};
use beeline_ir::expr::{ChannelRef, Expr};
use beeline_ir::network::{ChannelKind, Network, Sync};
use beeline_ir::property::PropertyKind;
use beeline_ir::stmt::{Block, Pattern, Stmt};
use beeline_ir::{ChannelId, ClockId, EdgeId, ProcessId, VarId};

/// Where each old position went.
struct Order(Vec<usize>);

impl Order {
    fn random(len: usize, random: &mut Random) -> Self {
        let mut order: Vec<usize> = (0..len).collect();
        random.shuffle(&mut order);
        Self(order)
    }
    /// The items in their new order.
    fn arrange<T>(&self, items: Vec<T>) -> Vec<T> {
        let mut placed: Vec<(usize, T)> = self.0.iter().copied().zip(items).collect();
        placed.sort_by_key(|(at, _)| *at);
        placed.into_iter().map(|(_, item)| item).collect()
    }
}

/// Permutes variables, clocks and, unless their values matter, channels.
pub fn declarations(network: &Network, random: &mut Random) -> Option<Network> {
    struct Renumber {
        vars: Order,
        clocks: Order,
        channels: Order,
    }
    impl Visitor for Renumber {
        fn var(&mut self, id: &mut VarId) {
            *id = VarId::new(self.vars.0[id.index()]);
        }
        fn clock(&mut self, id: &mut ClockId) {
            *id = ClockId::new(self.clocks.0[id.index()]);
        }
        fn channel(&mut self, id: &mut ChannelId) {
            *id = ChannelId::new(self.channels.0[id.index()]);
        }
    }
    let mut result = network.clone();
    let channels = if facts(network).channel_values { 0 } else { network.channels.len() };
    let mut order = Renumber {
        vars: Order::random(network.vars.len(), random),
        clocks: Order::random(network.clocks.len(), random),
        channels: Order::random(channels, random),
    };
    if channels == 0 {
        order.channels = Order((0..network.channels.len()).collect());
    }
    walk::network(&mut result, &mut order);
    result.vars = order.vars.arrange(result.vars.into_vec()).into();
    result.clocks = order.clocks.arrange(result.clocks.into_vec()).into();
    result.channels = order.channels.arrange(result.channels.into_vec()).into();
    (result != *network).then_some(result)
}

/// Permutes the edges of every process.
pub fn edges(network: &Network, random: &mut Random) -> Network {
    struct Renumber(Vec<Order>);
    impl Visitor for Renumber {
        fn edge(&mut self, process: ProcessId, id: &mut EdgeId) {
            *id = EdgeId::new(self.0[process.index()].0[id.index()]);
        }
    }
    let mut result = network.clone();
    let orders = network.processes.iter().map(|p| Order::random(p.edges.len(), random)).collect();
    let mut renumber = Renumber(orders);
    walk::network(&mut result, &mut renumber);
    for (process, order) in result.processes.iter_mut().zip(&renumber.0) {
        process.edges = order.arrange(std::mem::take(&mut process.edges).into_vec()).into();
    }
    result
}

/// Permutes the processes, where nothing depends on their order.
pub fn processes(network: &Network, random: &mut Random) -> Option<Network> {
    struct Renumber(Order);
    impl Visitor for Renumber {
        fn process(&mut self, id: &mut ProcessId) {
            *id = ProcessId::new(self.0.0[id.index()]);
        }
    }
    if facts(network).process_order {
        return None;
    }
    let mut result = network.clone();
    let mut renumber = Renumber(Order::random(network.processes.len(), random));
    walk::network(&mut result, &mut renumber);
    result.processes = renumber.0.arrange(result.processes.into_vec()).into();
    (result != *network).then_some(result)
}

/// What the meaning of a model depends on.
#[derive(Default)]
pub(super) struct Facts {
    /// Order of processes: numbers of processes, updates of broadcast receivers, and, where a failing label is
    /// what is looked for, which invariant is evaluated first.
    pub process_order: bool,
    /// Order of channels: their values are used.
    pub channel_values: bool,
    /// How many processes there are.
    pub process_count: bool,
}

impl Visitor for Facts {
    fn expr(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Pid(_) => self.process_order = true,
            Expr::ProcessCount => self.process_count = true,
            Expr::Channel(_) => self.channel_values = true,
            Expr::Length(c) | Expr::Capacity(c) => self.channel_values |= matches!(c, ChannelRef::Value(_)),
            Expr::Poll(r) => self.channel_values |= matches!(r.channel, ChannelRef::Value(_)),
            _ => {}
        }
    }
    fn block(&mut self, block: &mut Block) {
        for stmt in block {
            match stmt {
                Stmt::Send(s) => self.channel_values |= matches!(s.channel, ChannelRef::Value(_)),
                Stmt::Receive(r) => self.channel_values |= matches!(r.channel, ChannelRef::Value(_)),
                Stmt::Exit | Stmt::Start(..) => {
                    // Who is youngest, and the next number, depend on all processes.
                    self.process_order = true;
                    self.process_count = true;
                }
                _ => {}
            }
        }
    }
}

pub(super) fn facts(network: &Network) -> Facts {
    let mut facts = Facts::default();
    walk::network(&mut network.clone(), &mut facts);
    let broadcast = network.channels.iter().any(|c| c.kind == ChannelKind::Broadcast);
    for edge in network.processes.iter().flat_map(|p| p.edges.iter()) {
        match &edge.sync {
            Sync::Internal => {}
            Sync::Send(s) => facts.channel_values |= matches!(s.channel, ChannelRef::Value(_)),
            Sync::Receive(r) => {
                facts.channel_values |= matches!(r.channel, ChannelRef::Value(_));
                let writes =
                    !edge.update.is_empty() || r.pattern.iter().any(|p| matches!(p, Pattern::Bind(_)));
                facts.process_order |= broadcast && writes;
            }
        }
    }
    facts.process_order |= network.properties.iter().any(|p| p.kind == PropertyKind::NoRuntimeError);
    facts.process_order |= !network.families.is_empty();
    facts
}
