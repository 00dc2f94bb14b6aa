//! Edges put into a random model that can hardly ever be taken, and variables that hardly ever change: flags that other
//! such edges set, or that some edge of the model sets after all; locations without a way to them; channels with
//! nobody on the other side; counters that go no further than their guards let them.

use beeline_ir::expr::{BinaryOp, ChannelRef, ClockAtom, ClockOp, Expr, Range};
use beeline_ir::network::{Channel, ChannelKind, Edge, Location, Network, Role, Sync, Var};
use beeline_ir::stmt::{Place, Receive, Send, Stmt, Store, Target};
use beeline_ir::{ChannelId, LocationId, ProcessId, VarId};
use beeline_testkit::random::Random;

/// What is put in.
struct Never {
    /// Each is 0 unless some edge sets it.
    flags: Vec<VarId>,
    counter: VarId,
    channel: ChannelId,
}

pub fn put(network: &mut Network, random: &mut Random) {
    let system: Vec<ProcessId> =
        network.processes.enumerate().filter(|(_, p)| p.role == Role::System).map(|(id, _)| id).collect();
    let mut var = |name: String, range| {
        let symbols = None;
        network.vars.push(Var { name, owner: None, range, len: None, init: vec![0], symbols, origin: None })
    };
    let flags = (0..2).map(|n| var(format!("flag{n}"), Range::new(-1, 3))).collect();
    let counter = var("counter".to_string(), Range::new(-100, 30_000));
    let channel = network.channels.push(Channel {
        name: "silence".to_string(),
        owner: None,
        len: None,
        kind: random.weighted(&[(1, ChannelKind::Rendezvous), (1, ChannelKind::Broadcast)]),
        fields: Vec::new(),
        symbols: Vec::new(),
        urgent: random.chance(20),
        priority: vec![i32::from(random.chance(10))],
        origin: None,
    });
    let never = Never { flags, counter, channel };
    for _ in 0..2 + random.below(4) {
        let Some(&process) = random.pick(&system) else { return };
        if random.chance(25) {
            network.processes[process].locations.push(island(random));
        }
        let edge = edge(network, random, process, &never);
        network.processes[process].edges.push(edge);
    }
    // Now and then it happens after all.
    for _ in 0..random.below(3) {
        let Some(&process) = random.pick(&system) else { return };
        let flag = never.flags[random.below(2)];
        let edges = &mut network.processes[process].edges;
        let at = random.below(edges.len());
        if let Some(edge) = edges.iter_mut().nth(at)
            && edge.update.last() != Some(&Stmt::Exit)
        {
            edge.update.push(set(flag, Expr::Const(random.between(0, 1))));
        }
    }
}

/// A location that nothing leads to, unless an edge put in later does.
fn island(random: &mut Random) -> Location {
    Location {
        name: format!("island{}", random.below(1_000_000)),
        frame: Vec::new(),
        condition: Expr::TRUE,
        invariant: Vec::new(),
        urgent: random.chance(20),
        committed: random.chance(20),
        atomic: false,
        origin: None,
    }
}

fn set(var: VarId, value: Expr) -> Stmt {
    Stmt::Assign(Target { place: Place::Var(var), store: Store::Checked }, value)
}

fn edge(network: &Network, random: &mut Random, process: ProcessId, never: &Never) -> Edge {
    let locations = network.processes[process].locations.len();
    let flag = never.flags[random.below(2)];
    let is = |var: VarId, op: BinaryOp, value: i64| Expr::Var(var).binary(op, Expr::Const(value));
    let count = set(never.counter, Expr::Var(never.counter).binary(BinaryOp::Add, Expr::Const(1)));
    let channel = ChannelRef::Element(never.channel, None);
    let sync = match random.below(6) {
        0 => Sync::Send(Send { channel, message: Vec::new(), sorted: false }),
        1 => Sync::Receive(Receive { channel, pattern: Vec::new(), any: false, keep: false }),
        _ => Sync::Internal,
    };
    let guard = match random.below(6) {
        0 => Expr::TRUE,
        1 => is(never.counter, BinaryOp::Lt, random.between(0, 3)),
        2 => is(never.counter, BinaryOp::Gt, random.between(1, 4)),
        // Fails for as long as the flag is down.
        3 if random.chance(30) => {
            let ratio = Expr::Const(1).binary(BinaryOp::Div, Expr::Var(flag));
            ratio.binary(BinaryOp::Eq, Expr::Const(1))
        }
        _ => is(flag, BinaryOp::Eq, random.between(1, 2)),
    };
    let update = match random.below(5) {
        0 => vec![set(flag, Expr::Const(random.between(0, 2)))],
        1 => vec![set(never.flags[1], Expr::Var(never.flags[0]))],
        // For a while, a value that it never has between labels.
        2 => vec![set(flag, Expr::Const(3)), set(flag, Expr::Const(0))],
        3 => vec![count],
        _ => Vec::new(),
    };
    let clock_guard = match network.clocks.ids().next() {
        Some(left) if sync == Sync::Internal && random.chance(30) => {
            let bound = Expr::Var(never.counter);
            vec![ClockAtom { when: None, left, right: None, op: ClockOp::Ge, bound }]
        }
        _ => Vec::new(),
    };
    Edge {
        source: LocationId::new(random.below(locations)),
        target: LocationId::new(random.below(locations)),
        frame: Vec::new(),
        selects: 0,
        guard,
        clock_guard,
        sync,
        update,
        costs: random.chance(80),
        origin: None,
    }
}
