//! Processes that nobody can tell apart: exact copies of one process of a model, which take turns by variables that hold
//! their numbers, and questions that do not tell them apart, or do. For symmetry.

use crate::random::Random;
use crate::walk::{self, Visitor};
use beeline_ir::expr::{BinaryOp, Expr, Range};
use beeline_ir::network::{Clock, Network, Process, Role, Sync, Var};
use beeline_ir::property::{Property, PropertyKind};
use beeline_ir::stmt::{Place, Stmt, Store, Target};
use beeline_ir::{ClockId, LocationId, ProcessId, VarId};

/// Adds copies of some process, if there is one that can be copied; whether it did.
pub fn add(network: &mut Network, random: &mut Random) -> bool {
    let highest = network.processes.iter().map(|p| p.priority).max().unwrap_or(0);
    let fit = |process: &Process| {
        process.role == Role::System
            && process.family.is_none()
            && process.priority == highest
            && process.edges.iter().all(|edge| edge.update.last() != Some(&Stmt::Exit))
    };
    let fit: Vec<ProcessId> =
        network.processes.enumerate().filter(|(_, p)| fit(p)).map(|(id, _)| id).collect();
    let Some(&first) = random.pick(&fit) else { return false };
    let mut copies = vec![first];
    for _ in 0..1 + random.below(2) {
        copies.push(copy(network, first));
    }
    take_turns(network, random, &copies);
    if random.chance(60) {
        let kind = question(network, random, &copies);
        let asked = Property { name: None, text: None, frame: Vec::new(), kind, origin: None };
        network.properties.insert(0, asked);
        network.properties.truncate(1);
    }
    true
}

/// Refers to what belongs to the copy.
struct Own {
    vars: Vec<VarId>,
    clocks: Vec<ClockId>,
    from: ProcessId,
    to: ProcessId,
}

impl Visitor for Own {
    fn var(&mut self, id: &mut VarId) {
        *id = self.vars[id.index()];
    }
    fn clock(&mut self, id: &mut ClockId) {
        *id = self.clocks[id.index()];
    }
    fn process(&mut self, id: &mut ProcessId) {
        if *id == self.from {
            *id = self.to;
        }
    }
}

/// Adds a copy of a process, with its own variables and clocks.
fn copy(network: &mut Network, from: ProcessId) -> ProcessId {
    let to = ProcessId::new(network.processes.len());
    let mut vars: Vec<VarId> = network.vars.ids().collect();
    for id in network.vars.ids() {
        if network.vars[id].owner == Some(from) {
            let own = Var { owner: Some(to), ..network.vars[id].clone() };
            vars[id.index()] = network.vars.push(own);
        }
    }
    let mut clocks: Vec<ClockId> = network.clocks.ids().collect();
    for id in network.clocks.ids() {
        if network.clocks[id].owner == Some(from) {
            let own = Clock { owner: Some(to), ..network.clocks[id].clone() };
            clocks[id.index()] = network.clocks.push(own);
        }
    }
    let mut process = network.processes[from].clone();
    process.name = format!("{}copy{}", process.name, to.index());
    walk::process(&mut process, to, &mut Own { vars, clocks, from, to });
    network.processes.push(process);
    to
}

/// What an edge does with the number of its process.
#[derive(Copy, Clone)]
enum Turn {
    Nobody,
    Mine,
    NotMine,
    Take,
    Leave,
    Raise,
    Raised,
    OthersRaised,
}

/// The copies take turns, by a variable that holds the number of one of them, and an array of flags.
fn take_turns(network: &mut Network, random: &mut Random, copies: &[ProcessId]) {
    let count = copies.len() as i64;
    let var = |name: &str, range, len: Option<u32>| Var {
        name: name.to_string(),
        owner: None,
        range,
        len,
        init: vec![0; len.map_or(1, |len| len as usize)],
        symbols: None,
        origin: None,
    };
    let turn = network.vars.push(var("turn", Range::new(0, count), None));
    let flags = network.vars.push(var("flags", Range::BOOL, Some(count as u32 + 1)));
    for edge in network.processes[copies[0]].edges.ids() {
        if !random.chance(55) {
            continue;
        }
        let what = random.weighted(&[
            (2, Turn::Nobody),
            (2, Turn::Mine),
            (1, Turn::NotMine),
            (5, Turn::Take),
            (2, Turn::Leave),
            (2, Turn::Raise),
            (1, Turn::Raised),
            (1, Turn::OthersRaised),
        ]);
        for (number, process) in copies.iter().enumerate() {
            let number = Expr::Const(number as i64 + 1);
            let edge = &mut network.processes[*process].edges[edge];
            // Receivers of a broadcast are gone through in order.
            if matches!(edge.sync, Sync::Receive(_)) {
                continue;
            }
            let compared = |op, value| Expr::Var(turn).binary(op, value);
            let flag = |index: Expr| Expr::Elem(flags, Box::new(index));
            let condition = match what {
                Turn::Nobody => Some(compared(BinaryOp::Eq, Expr::Const(0))),
                Turn::Mine => Some(compared(BinaryOp::Eq, number.clone())),
                Turn::NotMine => Some(compared(BinaryOp::Ne, number.clone())),
                Turn::Raised => Some(flag(number.clone())),
                Turn::OthersRaised => Some(flag(Expr::Var(turn)).negated()),
                Turn::Take | Turn::Leave | Turn::Raise => None,
            };
            if let Some(condition) = condition {
                let guard = std::mem::replace(&mut edge.guard, Expr::TRUE);
                edge.guard = if guard.is_true() { condition } else { Expr::And(vec![guard, condition]) };
            }
            let assign = |place, value| Stmt::Assign(Target { place, store: Store::Checked }, value);
            let statement = match what {
                Turn::Take => Some(assign(Place::Var(turn), number)),
                Turn::Leave => Some(assign(Place::Var(turn), Expr::Const(0))),
                Turn::Raise => Some(assign(Place::Elem(flags, number), Expr::Const(1))),
                _ => None,
            };
            edge.update.splice(0..0, statement);
        }
    }
}

/// A question that does not tell the copies apart.
fn question(network: &Network, random: &mut Random, copies: &[ProcessId]) -> PropertyKind {
    let locations = network.processes[copies[0]].locations.len();
    let location = LocationId::new(if random.chance(50) { locations - 1 } else { random.below(locations) });
    let at = |process: &ProcessId| Expr::At(*process, location);
    let goal = match random.below(4) {
        0 => Expr::And(copies.iter().map(at).collect()),
        1 => Expr::Or(copies.iter().map(at).collect()),
        2 => {
            let turn = VarId::new(network.vars.len() - 2);
            let has = |(number, process): (usize, &ProcessId)| {
                let mine = Expr::Var(turn).binary(BinaryOp::Eq, Expr::Const(number as i64 + 1));
                Expr::And(vec![at(process), mine])
            };
            Expr::Or(copies.iter().enumerate().map(has).collect())
        }
        _ => {
            let pair = |i: usize, j: usize| Expr::And(vec![at(&copies[i]), at(&copies[j])]);
            let pairs = (0..copies.len()).flat_map(|i| (i + 1..copies.len()).map(move |j| (i, j)));
            Expr::Or(pairs.map(|(i, j)| pair(i, j)).collect())
        }
    };
    if random.chance(50) { PropertyKind::Exists(goal) } else { PropertyKind::Always(goal.negated()) }
}
