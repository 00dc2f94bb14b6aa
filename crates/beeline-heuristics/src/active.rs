//! Processes that can move: the fewer, the nearer a deadlock seems. What a process could do is asked of guards, buffers
//! and partners; clocks, committed locations, tokens and priorities do not count.
//!
//! Edelkamp, Lluch-Lafuente and Leue, "Directed explicit model checking with HSF-SPIN", SPIN 2001, who call it the number
//! of active processes. A step may stop any number of processes, so that nothing is promised.

use beeline_engine::heuristic::{Estimate, Heuristic, Properties};
use beeline_ir::ProcessId;
use beeline_ir::network::{Network, Role};
use beeline_program::{Machine, Program};

/// The heuristic.
#[derive(Debug)]
pub struct Active {
    program: Program,
    machine: Machine,
    system: Vec<ProcessId>,
}

impl Active {
    /// For a network.
    pub fn new(network: &Network) -> Self {
        let program = Program::compile(network);
        let machine = Machine::new(&program);
        let system = network.processes.enumerate().filter(|(_, process)| process.role == Role::System);
        Self { system: system.map(|(id, _)| id).collect(), program, machine }
    }

    /// How many processes can move.
    pub(crate) fn count(&mut self, slots: &[i64]) -> u32 {
        let Self { program, machine, system } = self;
        let state = &slots[..program.layout.slots.len()];
        let mut moves = |process: &&ProcessId| {
            let mut edges = program.outgoing(**process, state).iter();
            edges.any(|edge| machine.edge_enabled(program, **process, *edge, state) == Ok(true))
        };
        system.iter().filter(|process| moves(process)).count() as u32
    }
}

impl Heuristic for Active {
    fn properties(&self) -> Properties {
        Properties::NOTHING
    }
    fn estimate(&mut self, slots: &[i64]) -> Estimate {
        Estimate::Steps(self.count(slots))
    }
    // A guard may ask for a variable that no longer matters where the process stands.
    fn reads_dead_variables(&self) -> bool {
        false
    }
    fn work(&self) -> u64 {
        self.machine.total_work()
    }
}
