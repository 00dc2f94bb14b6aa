//! The estimate that the user writes: an expression over the variables and locations of the model, in the text form
//! (`beeline convert --to beeline` shows the names). As the user heuristics of HSF-SPIN (Edelkamp, Lluch-Lafuente and Leue,
//! SPIN 2001), it promises nothing. What is negative counts as 0, and where it cannot be evaluated it is infinite.

use beeline_engine::heuristic::{Estimate, Heuristic, Properties};
use beeline_ir::Model;
use beeline_ir::expr::{BinaryOp, Expr};
use beeline_ir::network::Network;
use beeline_ir::property::{Property, PropertyKind};
use beeline_ir::text;
use beeline_program::{Machine, Predicate, Program, RoutineId};

/// The heuristic.
#[derive(Debug)]
pub struct User {
    program: Program,
    machine: Machine,
    routine: RoutineId,
}

impl User {
    /// For an expression; says what is wrong with it.
    pub fn new(network: &Network, expression: &str) -> Result<Self, String> {
        if expression.trim().is_empty() {
            return Err("`user` needs an expression: `user:EXPR`, such as `user:10 - level`".to_string());
        }
        // As a question, the expression may use all that properties may.
        let question = format!("E<> ({expression})");
        let read = text::read_property(&Model::Network(network.clone()), &question).map_err(|found| {
            let what = found.first().map_or_else(String::new, |first| first.message.clone());
            format!("`user:{expression}`: {what}")
        })?;
        let Property { frame, kind: PropertyKind::Exists(expr), .. } = read else {
            return Err(format!("`user:{expression}` is no expression"));
        };
        let mut program = Program::compile(network);
        // Of a constant, not its truth is asked for.
        let expr = if let Expr::Const(_) = expr { Expr::Const(0).binary(BinaryOp::Add, expr) } else { expr };
        let compiled = program.compile_predicate(network, &frame, &expr);
        let Ok(Predicate::Discrete(routine)) = compiled else {
            return Err(format!(
                "`user:{expression}`: an expression over variables and locations is needed, without clocks and `deadlock`"
            ));
        };
        let machine = Machine::new(&program);
        Ok(Self { program, machine, routine })
    }
}

impl Heuristic for User {
    fn properties(&self) -> Properties {
        Properties::NOTHING
    }
    fn estimate(&mut self, slots: &[i64]) -> Estimate {
        let state = &slots[..self.program.layout.slots.len()];
        match self.machine.eval(&self.program, self.routine, state, &[]) {
            Ok(value) => Estimate::Steps(u32::try_from(value.max(0)).unwrap_or(u32::MAX)),
            Err(_) => Estimate::Infinite,
        }
    }
    fn reads_dead_variables(&self) -> bool {
        true
    }
    fn work(&self) -> u64 {
        self.machine.total_work()
    }
}
