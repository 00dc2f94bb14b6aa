//! Models in which little happens: a few processes with a few steps each, most of which have nothing to do with one another,
//! and some that get in each other's way ([`super::tangles`]). For reductions, which leave out much of such models.

use super::Profile;
use super::tangles::{self, Strings, assign, conjoin};
use crate::random::Random;
use beeline_ir::expr::{BinaryOp, ChannelRef, ClockAtom, ClockOp, Expr, Range};
use beeline_ir::network::{
    Channel, ChannelKind, Clock, Edge, Family, Location, Network, Process, Role, Sync, Var,
};
use beeline_ir::property::{Property, PropertyKind};
use beeline_ir::stmt::{Place, Receive, Send, Stmt};
use beeline_ir::{ChannelId, ClockId, EdgeId, FamilyId, IdVec, LocationId, ProcessId, VarId};

/// Elements of the array that all is about, and of that of channels.
const CELLS: u32 = 3;
const WIRES: u32 = 2;

/// A model of a profile and a seed.
pub fn sparse(profile: Profile, random: &mut Random) -> Network {
    let network = Network { name: "sparse".to_string(), ..Network::default() };
    let mut draft = Sparse { network, random, profile };
    draft.declare();
    draft.pair();
    if draft.random.chance(40) {
        draft.pair();
    }
    draft.time();
    let strings = draft.strings();
    let most = 2 + draft.random.below(4);
    tangles::add(&mut draft.network, draft.random, &strings, most);
    draft.ask(&strings);
    draft.network
}

struct Sparse<'a> {
    network: Network,
    random: &'a mut Random,
    profile: Profile,
}

impl Sparse<'_> {
    fn declare(&mut self) {
        let discrete = self.profile == Profile::Discrete;
        for i in 0..2 + self.random.weighted(&[(20, 0), (60, 1), (20, 2)]) {
            self.process(format!("P{i}"), None);
        }
        if discrete && self.random.chance(40) {
            self.family();
        }
        let kinds = [ChannelKind::Rendezvous, ChannelKind::Broadcast];
        let kind = self.random.weighted(&[(50, kinds[0]), (50, kinds[1])]);
        let urgent = !discrete && self.random.chance(15);
        self.channel("wires", Some(WIRES), kind, Vec::new(), urgent);
        let kind = self.random.weighted(&[(60, kinds[0]), (40, kinds[1])]);
        self.channel("wire", None, kind, Vec::new(), false);
        if self.profile != Profile::Uppaal && self.random.chance(40) {
            let urgent = !discrete && self.random.chance(50);
            self.channel("queue", None, ChannelKind::Buffered { capacity: 1 }, vec![Range::BOOL], urgent);
        }
        if !discrete {
            for i in 0..1 + self.random.below(2) {
                self.network.clocks.push(Clock { name: format!("x{i}"), owner: None, origin: None });
            }
        }
    }

    fn channel(&mut self, name: &str, len: Option<u32>, kind: ChannelKind, fields: Vec<Range>, urgent: bool) {
        let (name, symbols) = (name.to_string(), vec![None; fields.len()]);
        let priority = vec![0; len.unwrap_or(1) as usize];
        let channel =
            Channel { name, owner: None, len, kind, fields, symbols, urgent, priority, origin: None };
        self.network.channels.push(channel);
    }

    /// A process that goes straight on, mostly.
    fn process(&mut self, name: String, family: Option<FamilyId>) -> ProcessId {
        let count = 2 + usize::from(self.random.chance(35));
        let location = |i| Location {
            name: format!("l{i}"),
            frame: Vec::new(),
            condition: Expr::TRUE,
            invariant: Vec::new(),
            urgent: false,
            committed: false,
            atomic: false,
            origin: None,
        };
        let mut edges = IdVec::new();
        let mut edge = |source, target, update| {
            edges.push(Edge {
                source: LocationId::new(source),
                target: LocationId::new(target),
                frame: Vec::new(),
                selects: 0,
                guard: Expr::TRUE,
                clock_guard: Vec::new(),
                sync: Sync::Internal,
                update,
                costs: true,
                origin: None,
            });
        };
        (1..count).for_each(|target| edge(target - 1, target, Vec::new()));
        if self.random.chance(25) {
            edge(self.random.below(count), self.random.below(count), Vec::new());
        }
        let ends = if family.is_some() { 50 } else { 10 };
        if self.profile == Profile::Discrete && self.random.chance(ends) {
            edge(count - 1, count - 1, vec![Stmt::Exit]);
        }
        let locations = (0..count).map(location).collect();
        let initial = LocationId::new(0);
        let (role, params) = (Role::System, Vec::new());
        self.network.processes.push(Process {
            name,
            role,
            family,
            params,
            priority: 0,
            locations,
            initial,
            edges,
            origin: None,
        })
    }

    /// Processes that others start.
    fn family(&mut self) {
        let family = FamilyId::new(0);
        let slots: Vec<ProcessId> =
            (0..1 + self.random.below(2)).map(|i| self.process(format!("F{i}"), Some(family))).collect();
        for slot in &slots {
            let param = self.var("arg", Some(*slot), Range::new(0, i64::from(CELLS) - 1), None);
            self.network.processes[*slot].params.push(param);
        }
        let starts = slots.len();
        self.network.families.push(Family { name: "F".to_string(), slots });
        for _ in 0..starts {
            let process = ProcessId::new(self.random.below(2));
            let edge = EdgeId::new(self.random.below(self.network.processes[process].edges.len()));
            let argument = Expr::Const(self.random.between(0, i64::from(CELLS) - 1));
            let start = Stmt::Start(family, vec![argument], None);
            self.network.processes[process].edges[edge].update.insert(0, start);
        }
    }

    fn var(&mut self, name: &str, owner: Option<ProcessId>, range: Range, len: Option<u32>) -> VarId {
        let init = vec![0; len.unwrap_or(1) as usize];
        let name = name.to_string();
        self.network.vars.push(Var { name, owner, range, len, init, symbols: None, origin: None })
    }

    fn strings(&mut self) -> Strings {
        let array = self.var("cells", None, Range::BOOL, Some(CELLS));
        // One index in three may be too large: then something fails.
        let top = i64::from(CELLS) - i64::from(!self.random.chance(33));
        let index = self.var("at", None, Range::new(0, top), None);
        let mut owned = Vec::new();
        for process in 0..self.network.processes.len() {
            let own = self.random.chance(40);
            let process = Some(ProcessId::new(process));
            owned.push(own.then(|| self.var("own", process, Range::new(0, top), None)));
        }
        Strings { array, index, owned, wires: ChannelId::new(0) }
    }

    /// An edge of a process that happens alone.
    fn alone(&mut self, process: ProcessId) -> Option<EdgeId> {
        let edges = self.network.processes[process].edges.enumerate();
        let free: Vec<EdgeId> =
            edges.filter(|(_, edge)| edge.sync == Sync::Internal).map(|(id, _)| id).collect();
        self.random.pick(&free).copied()
    }

    /// Two or three edges meet over a channel, or one passes the other a message.
    fn pair(&mut self) {
        let processes = self.network.processes.len();
        let channel = ChannelId::new(1 + self.random.below(self.network.channels.len() - 1));
        let fields = self.network.channels[channel].fields.len();
        let channel = ChannelRef::Element(channel, None);
        let value = Expr::Const(self.random.between(0, 1));
        let send = Send { channel: channel.clone(), message: vec![value; fields], sorted: false };
        let pattern = vec![beeline_ir::stmt::Pattern::Ignore; fields];
        let receive = Receive { channel, pattern, any: false, keep: false };
        let sender = ProcessId::new(self.random.below(processes));
        for i in 0..2 + self.random.below(2) {
            let process = if i == 0 { sender } else { ProcessId::new(self.random.below(processes)) };
            if i > 0 && process == sender {
                continue;
            }
            let Some(edge) = self.alone(process) else { continue };
            let sync = if i == 0 { Sync::Send(send.clone()) } else { Sync::Receive(receive.clone()) };
            self.network.processes[process].edges[edge].sync = sync;
        }
    }

    /// Some clock constraints and resets.
    fn time(&mut self) {
        let clocks: Vec<ClockId> = self.network.clocks.ids().collect();
        let processes = self.network.processes.len();
        for _ in 0..3 * clocks.len() {
            let process = ProcessId::new(self.random.below(processes));
            let process = &mut self.network.processes[process];
            let edge = EdgeId::new(self.random.below(process.edges.len()));
            let left = clocks[self.random.below(clocks.len())];
            let op = self.random.weighted(&[(60, ClockOp::Ge), (20, ClockOp::Le), (20, ClockOp::Gt)]);
            let bound = Expr::Const(self.random.between(1, 3));
            let atom = ClockAtom { when: None, left, right: None, op, bound };
            let edge = &mut process.edges[edge];
            match self.random.below(8) {
                0..=2 if edge.sync == Sync::Internal => edge.clock_guard.push(atom),
                3..=5 => edge.update.insert(0, Stmt::ClockSet(left, Expr::Const(0))),
                6 => {
                    let atom = ClockAtom { op: ClockOp::Le, ..atom };
                    process.locations[edge.source].invariant.push(atom);
                }
                7 => process.locations[edge.target].urgent = true,
                _ => {}
            }
        }
    }

    fn somewhere(&mut self) -> Expr {
        let process = ProcessId::new(self.random.below(self.network.processes.len()));
        let count = self.network.processes[process].locations.len();
        Expr::At(
            process,
            LocationId::new(if self.random.chance(70) { count - 1 } else { self.random.below(count) }),
        )
    }

    fn ask(&mut self, strings: &Strings) {
        let mut goal = self.somewhere();
        if self.random.chance(60) {
            let other = if self.random.chance(60) {
                self.somewhere()
            } else {
                let index = Expr::Const(self.random.between(0, i64::from(CELLS) - 1));
                let value = Expr::Const(self.random.between(0, 1));
                Expr::Elem(strings.array, Box::new(index)).binary(BinaryOp::Eq, value)
            };
            conjoin(&mut goal, other);
        }
        let kind = match self.random.below(10) {
            0 | 1 => PropertyKind::Always(Expr::Deadlock.negated()),
            2 => PropertyKind::NoRuntimeError,
            3 => {
                let process = ProcessId::new(self.random.below(self.network.processes.len()));
                let edges = &mut self.network.processes[process].edges;
                let edge = EdgeId::new(self.random.below(edges.len()));
                edges[edge].update.insert(0, Stmt::Assert(goal, None));
                PropertyKind::NoAssertionFailure
            }
            _ => PropertyKind::Exists(goal),
        };
        self.network.properties.push(Property {
            name: None,
            text: None,
            frame: Vec::new(),
            kind,
            origin: None,
        });
    }
}

/// Makes copies of a process ([`super::clones`]) look at each other, and somebody else look at all of them, in a way that
/// exchanging them seems not to change; sometimes what is looked at fails.
pub fn judge(network: &mut Network, random: &mut Random) {
    let names: Vec<String> = network.processes.iter().map(|process| process.name.clone()).collect();
    let Some(first) =
        names.iter().position(|name| names.iter().any(|n| n.starts_with(&format!("{name}copy"))))
    else {
        return;
    };
    let prefix = format!("{}copy", names[first]);
    let mut copies = vec![ProcessId::new(first)];
    copies.extend((0..names.len()).filter(|i| names[*i].starts_with(&prefix)).map(ProcessId::new));
    let array = network.vars.ids().find(|id| network.vars[*id].name == "cells");
    let index = network.vars.ids().find(|id| network.vars[*id].name == "at");
    let (Some(array), Some(index)) = (array, index) else { return };
    let count = network.processes[copies[0]].locations.len();
    if random.chance(60) {
        let place = LocationId::new(random.below(count));
        let edge = EdgeId::new(random.below(network.processes[copies[0]].edges.len()));
        let away = random.chance(70);
        for copy in &copies {
            for other in copies.iter().filter(|other| *other != copy) {
                let at = Expr::At(*other, place);
                let at = if away { at.negated() } else { at };
                conjoin(&mut network.processes[*copy].edges[edge].guard, at);
            }
        }
    }
    let judges: Vec<ProcessId> = network.processes.ids().filter(|id| !copies.contains(id)).collect();
    let Some(&judge) = random.pick(&judges) else { return };
    for edge in network.processes[judge].edges.ids() {
        if random.chance(60) {
            let guard = sight(random, &copies, count, (array, index));
            conjoin(&mut network.processes[judge].edges[edge].guard, guard);
        }
        if random.chance(30) {
            let hi = network.vars[index].range.hi;
            let update = &mut network.processes[judge].edges[edge].update;
            update.insert(0, assign(Place::Var(index), Expr::Const(random.between(0, hi))));
        }
    }
    if random.chance(25) {
        let goal = sight(random, &copies, count, (array, index));
        network.properties.truncate(1);
        if let Some(property) = network.properties.first_mut() {
            property.kind = PropertyKind::Exists(goal);
        }
    }
}

/// A condition about all copies, and perhaps a cell between.
fn sight(random: &mut Random, copies: &[ProcessId], count: usize, (array, index): (VarId, VarId)) -> Expr {
    let place = LocationId::new(random.below(count));
    let negated = random.chance(50);
    let see = |copy: &ProcessId| {
        let at = Expr::At(*copy, place);
        if negated { at.negated() } else { at }
    };
    let mut all: Vec<Expr> = copies.iter().map(see).collect();
    if random.chance(40) {
        let position = random.below(all.len() + 1);
        let index = if random.chance(70) { Expr::Var(index) } else { Expr::Const(random.between(0, 3)) };
        let cell = Expr::Elem(array, Box::new(index)).binary(BinaryOp::Eq, Expr::Const(0));
        all.insert(position, cell);
    }
    if random.chance(50) { Expr::And(all) } else { Expr::Or(all) }
}
