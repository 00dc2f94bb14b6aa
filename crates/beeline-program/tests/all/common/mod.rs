//! Networks from text, and one edge at a time.

#![allow(dead_code, reason = "every test file uses its own part of this")]

use beeline_ir::expr::RuntimeError;
use beeline_ir::network::Network;
use beeline_ir::text::{ReadOptions, read};
use beeline_ir::{EdgeId, Model, ProcessId};
use beeline_program::{Effects, Evaluated, FirePart, Machine, Program};

/// A network, its program, and a state to work on.
pub struct Bench {
    pub network: Network,
    pub program: Program,
    pub machine: Machine,
    pub state: Vec<i64>,
    pub effects: Effects,
}

pub fn network(text: &str) -> Network {
    match read(text, ReadOptions { file: "test", record_places: false }) {
        Ok(Model::Network(network)) => network,
        other => panic!("{other:?}\n{text}"),
    }
}

pub fn process(index: usize) -> ProcessId {
    ProcessId::new(index)
}
pub fn edge(index: usize) -> EdgeId {
    EdgeId::new(index)
}

impl Bench {
    pub fn new(text: &str) -> Self {
        Self::of(network(text))
    }
    pub fn of(network: Network) -> Self {
        let program = Program::compile(&network);
        let state = program.layout.initial(&network);
        let machine = Machine::new(&program);
        Self { network, program, machine, state, effects: Effects::default() }
    }

    /// One process, one self-loop with this body, and these declarations.
    pub fn edge(declarations: &str, body: &str) -> Self {
        Self::new(&format!(
            "network t\n{declarations}\nprocess P {{ init here\nlocation here\nedge here -> here {{ {body} }}\n}}"
        ))
    }

    pub fn evaluate(
        &mut self,
        p: usize,
        e: usize,
        selects: &[i64],
    ) -> Result<Option<Evaluated>, RuntimeError> {
        let mut out = Evaluated::default();
        let holds =
            self.machine.evaluate_edge(&self.program, process(p), edge(e), selects, &self.state, &mut out)?;
        Ok(holds.then_some(out))
    }

    /// Evaluates the edges (process, edge, selects) in the current state and fires them together.
    pub fn fire(&mut self, parts: &[(usize, usize, &[i64])]) -> Result<(), RuntimeError> {
        let mut evaluated = Vec::new();
        for (p, e, selects) in parts {
            evaluated.push(self.evaluate(*p, *e, selects)?.expect("the guard holds"));
        }
        let message = evaluated[0].message.clone();
        let parts: Vec<FirePart<'_>> = parts
            .iter()
            .zip(&evaluated)
            .enumerate()
            .map(|(index, ((p, e, selects), evaluated))| FirePart {
                process: process(*p),
                edge: edge(*e),
                selects,
                evaluated,
                message: (index > 0).then_some(message.as_slice()),
            })
            .collect();
        self.effects.clear();
        self.machine.fire(&self.program, &parts, &mut self.state, &mut self.effects)
    }

    pub fn slot(&self, name: &str) -> usize {
        let (id, _) = self
            .network
            .vars
            .enumerate()
            .find(|(id, _)| self.network.var_name(*id) == name)
            .unwrap_or_else(|| panic!("no variable {name}"));
        self.program.layout.var[id].expect("a stored variable")
    }
    pub fn get(&self, name: &str) -> i64 {
        self.state[self.slot(name)]
    }
    pub fn set(&mut self, name: &str, value: i64) {
        let slot = self.slot(name);
        self.state[slot] = value;
    }
    pub fn array(&self, name: &str, len: usize) -> &[i64] {
        &self.state[self.slot(name)..][..len]
    }
    /// The queue of a channel element: its messages.
    pub fn queue(&self, element: usize) -> Vec<Vec<i64>> {
        let queue = self.program.layout.queues[element].expect("a buffer");
        let length = self.state[queue.length] as usize;
        (0..length).map(|m| (0..queue.fields).map(|f| self.state[queue.cell(m, f)]).collect()).collect()
    }
}

/// The value of an expression over declarations, put into a variable of the widest range.
pub fn value(declarations: &str, e: &str) -> Result<i64, RuntimeError> {
    const WIDE: &str = "-9223372036854775808..9223372036854775807";
    let mut bench =
        Bench::edge(&format!("{declarations}\nvar result in {WIDE}"), &format!("do {{ result := {e}; }}"));
    bench.fire(&[(0, 0, &[])])?;
    Ok(bench.get("result"))
}

/// What is left of a variable after the statements.
pub fn after(declarations: &str, body: &str, variable: &str) -> Result<i64, RuntimeError> {
    let mut bench = Bench::edge(declarations, body);
    bench.fire(&[(0, 0, &[])])?;
    Ok(bench.get(variable))
}
