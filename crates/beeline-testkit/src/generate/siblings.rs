//! Processes that are alike: a second copy of a process that differs from the first in some constants, clocks
//! and variables. Where models are printed in a language with templates, the two can be made of one.

use super::Draft;
use crate::random::Random;
use crate::walk::{self, Visitor};
use beeline_ir::expr::{ClockAtom, Expr};
use beeline_ir::network::{Network, Process};
use beeline_ir::{ClockId, ProcessId, VarId};

impl Draft<'_> {
    /// Adds a sibling of some process, perhaps.
    pub(super) fn siblings(&mut self) {
        let count = self.network.processes.len();
        let large = count > 2 || (count == 2 && self.deep && self.random.chance(70));
        if large || self.random.chance(35) {
            return;
        }
        let (first, second) = (ProcessId::new(self.random.below(count)), ProcessId::new(count));
        let mut sibling = Sibling { network: &mut self.network, random: &mut self.random, first, second };
        let process = sibling.made();
        self.network.processes.push(process);
    }
}

struct Sibling<'a> {
    network: &'a mut Network,
    random: &'a mut Random,
    first: ProcessId,
    second: ProcessId,
}

impl Sibling<'_> {
    fn made(&mut self) -> Process {
        let mut process = self.network.processes[self.first].clone();
        process.name = format!("P{}", self.second.index());
        // Processes of higher priority come later.
        process.priority = self.network.processes.iter().map(|p| p.priority).max().unwrap_or(0);
        let mut others = Others { vars: self.vars(), clocks: self.clocks(), random: self.random };
        walk::process(&mut process, self.second, &mut others);
        process
    }

    /// Where each variable of the first process lies for the second: its own where it has its own.
    fn vars(&mut self) -> Vec<VarId> {
        let mut all: Vec<VarId> = self.network.vars.ids().collect();
        for id in self.network.vars.ids() {
            let var = &self.network.vars[id];
            if var.owner == Some(self.first) {
                let own = beeline_ir::network::Var { owner: Some(self.second), ..var.clone() };
                all[id.index()] = self.network.vars.push(own);
            } else if var.owner.is_none() && self.random.chance(30) {
                let alike = |v: &beeline_ir::network::Var| {
                    v.owner.is_none() && v.range == var.range && v.len == var.len
                };
                let alike: Vec<VarId> =
                    self.network.vars.enumerate().filter(|(_, v)| alike(v)).map(|(id, _)| id).collect();
                all[id.index()] = self.random.pick(&alike).copied().unwrap_or(id);
            }
        }
        all
    }
    fn clocks(&mut self) -> Vec<ClockId> {
        let mut all: Vec<ClockId> = self.network.clocks.ids().collect();
        let shared: Vec<ClockId> =
            self.network.clocks.enumerate().filter(|(_, c)| c.owner.is_none()).map(|(id, _)| id).collect();
        let swap = self.random.chance(50);
        for id in self.network.clocks.ids() {
            let clock = &self.network.clocks[id];
            if clock.owner == Some(self.first) {
                // One more clock would make the region graph much larger: a shared one will do.
                let own = self.network.clocks.len() < 2;
                all[id.index()] = if own || shared.is_empty() {
                    let own = beeline_ir::network::Clock { owner: Some(self.second), ..clock.clone() };
                    self.network.clocks.push(own)
                } else {
                    shared[0]
                };
            } else if let (true, Some(at)) = (swap, shared.iter().position(|c| *c == id)) {
                all[id.index()] = shared[shared.len() - 1 - at];
            }
        }
        all
    }
}

/// Refers to other things, and compares clocks with other constants.
struct Others<'a> {
    vars: Vec<VarId>,
    clocks: Vec<ClockId>,
    random: &'a mut Random,
}

impl Visitor for Others<'_> {
    fn var(&mut self, id: &mut VarId) {
        *id = self.vars[id.index()];
    }
    fn clock(&mut self, id: &mut ClockId) {
        *id = self.clocks[id.index()];
    }
    fn atom(&mut self, atom: &mut ClockAtom) {
        if let Expr::Const(c @ 1..) = atom.bound
            && self.random.chance(30)
        {
            atom.bound = Expr::Const(self.random.between(c - 1, c + 1).max(1));
        }
    }
}
