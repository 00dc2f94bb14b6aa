//! Factors woven into random models: integers with a process that drives them and automata that go round, most of
//! them nearly safe, some of them driven by each other; and edges of the model that ask for their values.

use beeline_ir::expr::{BinaryOp, ClockAtom, ClockOp, Expr, Range};
use beeline_ir::network::{Channel, ChannelKind, Edge, Location, Network, Process, Role, Sync, Var};
use beeline_ir::property::PropertyKind;
use beeline_ir::stmt::{Local, Place, Receive, Send, Stmt, Store, Target};
use beeline_ir::{EdgeId, IdVec, LocalId, LocationId, ProcessId, VarId};
use beeline_testkit::random::Random;

/// Something to ask for.
#[derive(Copy, Clone)]
enum Thread {
    Integer(VarId),
    Automaton(ProcessId, usize),
}

pub fn weave(network: &mut Network, random: &mut Random) {
    let before = network.processes.len();
    let mut threads = Vec::new();
    for number in 0..1 + random.below(3) {
        let last = threads.last().copied();
        let thread = if random.chance(55) {
            integer(network, random, number, last)
        } else {
            automaton(network, random, number)
        };
        threads.push(thread);
    }
    for process in (0..before).map(ProcessId::new) {
        for edge in network.processes[process].edges.ids() {
            if random.chance(35)
                && network.processes[process].role == Role::System
                && let Some(thread) = random.pick(&threads)
            {
                ask(network, random, (process, edge), *thread);
            }
        }
    }
    for process in (0..before).map(ProcessId::new) {
        for location in network.processes[process].locations.ids() {
            if random.chance(3)
                && network.processes[process].role == Role::System
                && let Some(thread) = random.pick(&threads)
            {
                let wanted = condition(network, random, *thread).negated();
                network.processes[process].locations[location].condition = wanted;
            }
        }
    }
    if random.chance(40)
        && let Some(thread) = random.pick(&threads)
    {
        let mut wanted = condition(network, random, *thread);
        if random.chance(20)
            && let Some(other) = random.pick(&network.vars.ids().collect::<Vec<_>>())
            && network.vars[*other].len.is_none()
        {
            wanted = Expr::Or(vec![wanted, is(*other, 1)]);
        }
        match &mut network.properties[0].kind {
            PropertyKind::Exists(goal) => *goal = Expr::And(vec![goal.clone(), wanted]),
            PropertyKind::Always(goal) => *goal = Expr::Or(vec![wanted.negated(), goal.clone()]),
            _ => {}
        }
    }
}

fn location(name: &str, random: &mut Random) -> Location {
    Location {
        name: name.to_string(),
        frame: Vec::new(),
        condition: Expr::TRUE,
        invariant: Vec::new(),
        urgent: random.chance(4),
        committed: random.chance(4),
        atomic: false,
        origin: None,
    }
}

fn edge(source: usize, target: usize) -> Edge {
    Edge {
        source: LocationId::new(source),
        target: LocationId::new(target),
        frame: Vec::new(),
        selects: 0,
        guard: Expr::TRUE,
        clock_guard: Vec::new(),
        sync: Sync::Internal,
        update: Vec::new(),
        costs: true,
        origin: None,
    }
}

fn process(name: String, locations: Vec<Location>, edges: Vec<Edge>) -> Process {
    Process {
        name,
        role: Role::System,
        family: None,
        params: Vec::new(),
        priority: 0,
        locations: IdVec::from(locations),
        initial: LocationId::new(0),
        edges: IdVec::from(edges),
        origin: None,
    }
}

fn set(var: VarId, value: Expr) -> Vec<Stmt> {
    vec![Stmt::Assign(Target { place: Place::Var(var), store: Store::Checked }, value)]
}

/// A scalar that belongs to nobody.
fn global(network: &Network, random: &mut Random) -> Option<VarId> {
    let scalars = network.vars.enumerate().filter(|(_, v)| v.len.is_none() && v.owner.is_none());
    random.pick(&scalars.map(|(id, _)| id).collect::<Vec<_>>()).copied()
}

fn is(var: VarId, value: i64) -> Expr {
    Expr::Var(var).binary(BinaryOp::Eq, Expr::Const(value))
}

/// An integer and, in a process that stays or in another one that goes round, the edges that change it.
fn integer(network: &mut Network, random: &mut Random, number: usize, last: Option<Thread>) -> Thread {
    let hi = random.between(1, 3);
    let var = network.vars.push(Var {
        name: format!("woven{number}"),
        owner: None,
        range: Range::new(0, hi),
        len: None,
        init: vec![0],
        symbols: None,
        origin: None,
    });
    let mut edges = Vec::new();
    match random.below(6) {
        0 => {
            let next = Expr::Var(var).binary(BinaryOp::Add, Expr::Const(1));
            let next = next.binary(BinaryOp::Rem, Expr::Const(hi + 1));
            edges.push(Edge { update: set(var, next), ..edge(0, 0) });
        }
        1 => edges.push(Edge {
            frame: vec![Local { name: "i".to_string(), range: Range::new(0, hi), len: None }],
            selects: 1,
            update: set(var, Expr::Local(LocalId::new(0))),
            ..edge(0, 0)
        }),
        // There may be no way back, and not every value may be reached.
        kind => {
            for value in 0..=hi {
                let next = if kind == 2 { random.between(0, hi) } else { (value + 1) % (hi + 1) };
                if random.chance(92) {
                    let update = set(var, Expr::Const(next));
                    edges.push(Edge { guard: is(var, value), update, ..edge(0, 0) });
                }
            }
        }
    }
    for edge in &mut edges {
        if random.chance(20)
            && let Some(thread) = last
        {
            edge.guard = Expr::And(vec![edge.guard.clone(), condition(network, random, thread)]);
        }
        edge.costs = random.chance(95);
        if random.chance(5)
            && let Some(other) = global(network, random)
            && other != var
        {
            edge.update.extend(set(other, Expr::Const(network.vars[other].range.lo)));
        }
    }
    if random.chance(10)
        && let Some(other) = global(network, random)
        && other != var
        && network.vars[other].range.lo >= 0
        && network.vars[other].range.hi <= hi
    {
        edges.insert(0, Edge { update: set(var, Expr::Var(other)), ..edge(0, 0) });
    }
    // Copies of the one before: safe only once that is gone.
    if random.chance(25)
        && let Some(Thread::Integer(other)) = last
        && network.vars[other].range.hi <= hi
    {
        edges = vec![Edge { update: set(var, Expr::Var(other)), ..edge(0, 0) }];
    }
    match last {
        Some(Thread::Automaton(home, locations)) if random.chance(50) => {
            for mut edge in edges {
                let at = LocationId::new(random.below(locations));
                (edge.source, edge.target) = (at, at);
                network.processes[home].edges.push(edge);
            }
        }
        _ => {
            let here = location("here", random);
            network.processes.push(process(format!("Driver{number}"), vec![here], edges));
        }
    }
    Thread::Integer(var)
}

/// An automaton that goes round, and meets others while it stays.
fn automaton(network: &mut Network, random: &mut Random, number: usize) -> Thread {
    let count = 2 + random.below(2);
    let mut locations: Vec<Location> = (0..count).map(|l| location(&format!("l{l}"), random)).collect();
    let clocks: Vec<_> = network.clocks.ids().collect();
    for location in &mut locations[1..] {
        if random.chance(6)
            && let Some(clock) = random.pick(&clocks)
        {
            let bound = Expr::Const(random.between(1, 3));
            location.invariant =
                vec![ClockAtom { when: None, left: *clock, right: None, op: ClockOp::Le, bound }];
        }
    }
    let mut edges = Vec::new();
    for l in 0..count {
        if random.chance(95) {
            edges.push(edge(l, (l + 1) % count));
        }
    }
    let kinds = [(6, ChannelKind::Rendezvous), (3, ChannelKind::Broadcast)];
    let met = random.chance(60).then(|| {
        network.channels.push(Channel {
            name: format!("woven_channel{number}"),
            owner: None,
            len: None,
            kind: random.weighted(&kinds),
            fields: Vec::new(),
            symbols: Vec::new(),
            urgent: random.chance(10),
            priority: vec![0],
            origin: None,
        })
    });
    if let Some(channel) = met {
        let channel = || beeline_ir::expr::ChannelRef::Element(channel, None);
        let send = || Sync::Send(Send { channel: channel(), message: Vec::new(), sorted: false });
        let receive =
            || Sync::Receive(Receive { channel: channel(), pattern: Vec::new(), any: false, keep: false });
        let sends = random.chance(50);
        let at = random.below(count);
        edges.push(Edge { sync: if sends { send() } else { receive() }, ..edge(at, at) });
        // The other side: some internal edges without clock constraints (the channel may be urgent).
        for process in network.processes.iter_mut().filter(|p| p.role == Role::System) {
            for e in process.edges.iter_mut() {
                if e.sync == Sync::Internal && e.clock_guard.is_empty() && random.chance(30) {
                    e.sync = if sends { receive() } else { send() };
                }
            }
        }
    }
    let id = network.processes.push(process(format!("Round{number}"), locations, edges));
    Thread::Automaton(id, count)
}

/// A condition on the thread alone.
fn condition(network: &Network, random: &mut Random, thread: Thread) -> Expr {
    match thread {
        Thread::Integer(var) => {
            let value = Expr::Const(random.between(0, network.vars[var].range.hi));
            let op = random.weighted(&[(2, BinaryOp::Eq), (1, BinaryOp::Ne), (1, BinaryOp::Lt)]);
            Expr::Var(var).binary(op, value)
        }
        Thread::Automaton(process, count) => Expr::At(process, LocationId::new(random.below(count))),
    }
}

/// Makes an edge of the model depend on the thread.
fn ask(network: &mut Network, random: &mut Random, at: (ProcessId, EdgeId), thread: Thread) {
    let mut wanted = condition(network, random, thread);
    let Some(other) = random.pick(&network.vars.ids().collect::<Vec<_>>()).copied() else { return };
    let declared = &network.vars[other];
    let scalar = declared.len.is_none() && declared.owner.is_none_or(|owner| owner == at.0);
    let mut update = None;
    match thread {
        Thread::Integer(var) if scalar => {
            let range = network.vars[var].range;
            let fits = declared.range.lo <= range.lo && range.hi <= declared.range.hi;
            if fits && other != var && random.chance(35) {
                update = set(other, Expr::Var(var)).pop();
            } else if random.chance(25) {
                // Together with something else.
                wanted = Expr::Var(var).binary(BinaryOp::Le, Expr::Var(other));
            }
        }
        _ => {}
    }
    let edge = &mut network.processes[at.0].edges[at.1];
    if random.chance(10)
        && let Thread::Integer(var) = thread
        && let Some(atom) = edge.clock_guard.first_mut()
    {
        atom.bound = Expr::Var(var);
    }
    match update {
        Some(update) => edge.update.insert(0, update),
        None => edge.guard = Expr::And(vec![edge.guard.clone(), wanted]),
    }
}
