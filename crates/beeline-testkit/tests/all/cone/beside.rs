//! Processes put beside a random model. They read it at will, and meet each other; now and then they touch what
//! they must not touch if they are to be left out.

use beeline_ir::expr::{BinaryOp, ChannelRef, ClockAtom, ClockOp, Expr, Range};
use beeline_ir::network::{Channel, ChannelKind, Clock, Edge, Location, Network, Process, Role, Sync, Var};
use beeline_ir::property::PropertyKind;
use beeline_ir::stmt::{Place, Receive, Send, Stmt, Store, Target};
use beeline_ir::{ChannelId, ClockId, IdVec, LocationId, ProcessId, VarId};
use beeline_testkit::random::Random;

/// What the model has, and what is beside it.
struct Things {
    processes: Vec<(ProcessId, usize)>,
    vars: Vec<VarId>,
    clocks: Vec<ClockId>,
}

pub fn put(network: &mut Network, random: &mut Random) {
    let system = network.processes.enumerate().filter(|(_, p)| p.role == Role::System);
    let processes = system.map(|(id, p)| (id, p.locations.len())).collect();
    let scalar = |(_, var): &(VarId, &Var)| var.len.is_none() && var.owner.is_none();
    let vars = network.vars.enumerate().filter(scalar).map(|(id, _)| id).collect();
    let model = Things { processes, vars, clocks: network.clocks.ids().collect() };
    let beside = Things {
        processes: Vec::new(),
        vars: (0..1 + random.below(2)).map(|n| var(network, random, n)).collect(),
        clocks: (0..random.below(2)).map(|n| clock(network, n)).collect(),
    };
    let channel = random.chance(60).then(|| channel(network, random));
    for number in 0..1 + random.below(3) {
        let process = process(network, random, number, (&model, &beside), channel);
        network.processes.push(process);
    }
    touch(network, random, &model, &beside, channel);
}

fn var(network: &mut Network, random: &mut Random, number: usize) -> VarId {
    network.vars.push(Var {
        name: format!("beside{number}"),
        owner: None,
        range: Range::new(0, random.between(1, 3)),
        len: None,
        init: vec![0],
        symbols: None,
        origin: None,
    })
}

fn clock(network: &mut Network, number: usize) -> ClockId {
    network.clocks.push(Clock { name: format!("beside_clock{number}"), owner: None, origin: None })
}

fn channel(network: &mut Network, random: &mut Random) -> ChannelId {
    network.channels.push(Channel {
        name: "beside_channel".to_string(),
        owner: None,
        len: None,
        kind: random.weighted(&[(1, ChannelKind::Rendezvous), (1, ChannelKind::Broadcast)]),
        fields: Vec::new(),
        symbols: Vec::new(),
        urgent: random.chance(8),
        priority: vec![i32::from(random.chance(3))],
        origin: None,
    })
}

fn send(channel: ChannelId) -> Sync {
    Sync::Send(Send { channel: ChannelRef::Element(channel, None), message: Vec::new(), sorted: false })
}

fn receive(channel: ChannelId) -> Sync {
    let channel = ChannelRef::Element(channel, None);
    Sync::Receive(Receive { channel, pattern: Vec::new(), any: false, keep: false })
}

fn set(var: VarId, value: Expr) -> Stmt {
    Stmt::Assign(Target { place: Place::Var(var), store: Store::Checked }, value)
}

fn atom(random: &mut Random, left: ClockId, op: ClockOp) -> ClockAtom {
    ClockAtom { when: None, left, right: None, op, bound: Expr::Const(random.between(1, 3)) }
}

/// A condition on something of these.
fn condition(network: &Network, random: &mut Random, things: &Things) -> Expr {
    if let Some((process, locations)) = random.pick(&things.processes).copied()
        && random.chance(40)
    {
        return Expr::At(process, LocationId::new(random.below(locations)));
    }
    let Some(var) = random.pick(&things.vars).copied() else { return Expr::TRUE };
    let range = network.vars[var].range;
    let value = Expr::Const(random.between(range.lo, range.hi.min(range.lo + 3)));
    Expr::Var(var).binary(random.weighted(&[(2, BinaryOp::Eq), (1, BinaryOp::Ne)]), value)
}

fn process(
    network: &Network,
    random: &mut Random,
    number: usize,
    (model, beside): (&Things, &Things),
    channel: Option<ChannelId>,
) -> Process {
    let count = 1 + random.below(3);
    let clocks = [&model.clocks[..], &beside.clocks].concat();
    let location = |l: usize, random: &mut Random| Location {
        name: format!("l{l}"),
        frame: Vec::new(),
        condition: if random.chance(1) { condition(network, random, model) } else { Expr::TRUE },
        invariant: match random.pick(&clocks).copied() {
            Some(clock) if l > 0 && random.chance(3) => vec![atom(random, clock, ClockOp::Le)],
            _ => Vec::new(),
        },
        urgent: random.chance(2),
        committed: random.chance(2),
        atomic: false,
        origin: None,
    };
    let locations: Vec<Location> = (0..count).map(|l| location(l, random)).collect();
    let edges = (0..1 + random.below(3)).map(|_| edge(network, random, count, (model, beside), channel));
    Process {
        name: format!("Beside{number}"),
        role: Role::System,
        family: None,
        params: Vec::new(),
        priority: 0,
        edges: IdVec::from(edges.collect::<Vec<_>>()),
        locations: IdVec::from(locations),
        initial: LocationId::new(0),
        origin: None,
    }
}

fn edge(
    network: &Network,
    random: &mut Random,
    locations: usize,
    (model, beside): (&Things, &Things),
    channel: Option<ChannelId>,
) -> Edge {
    let guard = match random.below(4) {
        0 => condition(network, random, model),
        1 => condition(network, random, beside),
        _ => Expr::TRUE,
    };
    let sync = match channel {
        Some(channel) if random.chance(20) => send(channel),
        Some(channel) if random.chance(25) => receive(channel),
        _ => Sync::Internal,
    };
    let clocks = [&model.clocks[..], &beside.clocks].concat();
    let op = random.weighted(&[(1, ClockOp::Le), (1, ClockOp::Ge)]);
    let clock_guard = match random.pick(&clocks).copied() {
        Some(clock) if sync == Sync::Internal && random.chance(30) => vec![atom(random, clock, op)],
        _ => Vec::new(),
    };
    let mut update = Vec::new();
    if let Some(var) = random.pick(&beside.vars).copied()
        && random.chance(70)
    {
        // What does not fit is a run-time error.
        let next = match random.pick(&model.vars).copied() {
            Some(other) if random.chance(30) => Expr::Var(other),
            _ if random.chance(50) => Expr::Var(var).binary(BinaryOp::Add, Expr::Const(1)),
            _ => Expr::Const(random.between(0, 1)),
        };
        update.push(set(var, next));
    }
    if let Some(clock) = random.pick(&beside.clocks).copied()
        && random.chance(40)
    {
        update.push(Stmt::ClockSet(clock, Expr::Const(0)));
    }
    if let Some(clock) = random.pick(&model.clocks).copied()
        && random.chance(3)
    {
        update.push(Stmt::ClockSet(clock, Expr::Const(0)));
    }
    if let Some(var) = random.pick(&model.vars).copied()
        && random.chance(3)
    {
        update.push(set(var, Expr::Const(network.vars[var].range.lo)));
    }
    Edge {
        source: LocationId::new(random.below(locations)),
        target: LocationId::new(random.below(locations)),
        frame: Vec::new(),
        selects: 0,
        guard,
        clock_guard,
        sync,
        update,
        costs: random.chance(90),
        origin: None,
    }
}

/// Makes the model, or the property, depend on what is beside it.
fn touch(
    network: &mut Network,
    random: &mut Random,
    model: &Things,
    beside: &Things,
    channel: Option<ChannelId>,
) {
    for (process, _) in &model.processes {
        for edge in network.processes[*process].edges.ids() {
            let wanted = condition(network, random, beside);
            let edge = &mut network.processes[*process].edges[edge];
            if random.chance(3) {
                edge.guard = Expr::And(vec![edge.guard.clone(), wanted]);
            }
            if random.chance(3)
                && let Some(channel) = channel
                && edge.sync == Sync::Internal
                && edge.clock_guard.is_empty()
            {
                edge.sync = if random.chance(50) { send(channel) } else { receive(channel) };
            }
        }
    }
    for (process, locations) in &model.processes {
        if random.chance(3) {
            let location = LocationId::new(random.below(*locations));
            network.processes[*process].locations[location].condition = condition(network, random, beside);
        }
    }
    if random.chance(5) {
        let wanted = condition(network, random, beside);
        match &mut network.properties[0].kind {
            PropertyKind::Exists(goal) => *goal = Expr::And(vec![goal.clone(), wanted]),
            PropertyKind::Always(goal) => *goal = Expr::Or(vec![wanted.negated(), goal.clone()]),
            _ => {}
        }
    }
}
