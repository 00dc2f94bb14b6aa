//! Processes that come and go: which exist, starting one, ending one.

use crate::edge::Effects;
use crate::program::Program;
use beeline_ir::expr::RuntimeError;
use beeline_ir::network::Role;
use beeline_ir::{FamilyId, ProcessId};

/// The number of a process that exists; `None` if it does not, or if it is an observer.
fn number(program: &Program, process: ProcessId, state: &[i64]) -> Option<i64> {
    program.location(process, state)?;
    match program.layout.pid[process] {
        Some(slot) => Some(state[slot]),
        None => program.layout.static_pid[process],
    }
}

impl Program {
    /// Whether a process exists and may end: those that were started after it have ended.
    pub fn is_youngest(&self, process: ProcessId, state: &[i64]) -> bool {
        number(self, process, state) == Some(count(self, state) - 1)
    }
}

/// How many processes exist, observers not counted.
pub(crate) fn count(program: &Program, state: &[i64]) -> i64 {
    let exists = |id: &ProcessId| {
        program.processes[*id].role == Role::System && program.location(*id, state).is_some()
    };
    program.processes.ids().filter(exists).count() as i64
}

/// Starts the first free slot of a family; its number.
pub(crate) fn start(
    program: &Program,
    family: FamilyId,
    args: &[i64],
    state: &mut [i64],
    effects: &mut Effects,
) -> Result<i64, RuntimeError> {
    let free = |id: &&ProcessId| program.location(**id, state).is_none();
    let process = *program.families[family].iter().find(free).ok_or(RuntimeError::NoFreeSlot)?;
    let number = count(program, state);
    reset(program, process, state, effects);
    let compiled = &program.processes[process];
    for ((slot, range), arg) in compiled.params.iter().zip(args) {
        effects.put(state, *slot, range.wrap(*arg));
    }
    effects.put(state, program.layout.location[process], compiled.initial.index() as i64);
    if let Some(slot) = program.layout.pid[process] {
        effects.put(state, slot, number);
    }
    Ok(number)
}

/// Ends a process, which must be the youngest.
pub(crate) fn exit(
    program: &Program,
    process: ProcessId,
    state: &mut [i64],
    effects: &mut Effects,
) -> Result<(), RuntimeError> {
    if !program.is_youngest(process, state) {
        return Err(RuntimeError::ExitOrder);
    }
    reset(program, process, state, effects);
    effects.put(state, program.layout.location[process], program.layout.absent(process));
    if let Some(slot) = program.layout.pid[process] {
        effects.put(state, slot, -1);
    }
    Ok(())
}

/// Gives a process's variables their initial values.
fn reset(program: &Program, process: ProcessId, state: &mut [i64], effects: &mut Effects) {
    for (first, values) in &program.processes[process].own {
        for (at, value) in values.iter().enumerate() {
            effects.put(state, first + at, *value);
        }
    }
}
