//! Processes that come and go, in all states at once.

use super::machine::{Machine, Values};
use crate::bdd::{Bdd, Made};
use crate::number::Number;
use beeline_ir::expr::BinaryOp;
use beeline_ir::network::Role;
use beeline_ir::{FamilyId, ProcessId};

/// Where a process exists.
pub(crate) fn exists(machine: &Machine<'_>, process: ProcessId, values: &Values) -> Made<Bdd> {
    let (b, layout) = (machine.b, &machine.program.layout);
    if !layout.mortal(process) {
        return Ok(b.yes());
    }
    let absent = Number::constant(layout.absent(process), b);
    b.not(&values.slots[layout.location[process]].equal(&absent, b)?)
}

/// How many processes exist, observers not counted.
pub(crate) fn count(machine: &Machine<'_>, values: &Values) -> Made<Number> {
    let b = machine.b;
    let mut count = Number::constant(0, b);
    for (process, compiled) in machine.program.processes.enumerate() {
        if compiled.role == Role::System {
            let one = Number::truth_value(exists(machine, process, values)?, b.yes(), b);
            count = count.binary(BinaryOp::Add, &one, b)?;
        }
    }
    Ok(count)
}

/// Starts the first free slot of a family, in some states; its number, and where there is a slot.
pub(crate) fn start(
    machine: &Machine<'_>,
    family: FamilyId,
    arguments: &[Number],
    values: &mut Values,
    there: &Bdd,
) -> Made<(Number, Bdd)> {
    let (b, program) = (machine.b, machine.program);
    let number = count(machine, values)?;
    let mut free = b.no();
    for process in &program.families[family] {
        let absent = b.minus(&b.not(&exists(machine, *process, values)?)?, &free)?;
        let here = b.and(there, &absent)?;
        free = b.or(&free, &absent)?;
        reset(machine, *process, values, &here)?;
        let compiled = &program.processes[*process];
        let mut store = |slot: usize, value: &Number| -> Made<()> {
            values.slots[slot] = Number::select(&here, value, &values.slots[slot], b)?;
            Ok(())
        };
        for ((slot, range), argument) in compiled.params.iter().zip(arguments) {
            store(*slot, &argument.wrapped(*range, b)?)?;
        }
        let initial = Number::constant(compiled.initial.index() as i64, b);
        store(program.layout.location[*process], &initial)?;
        if let Some(slot) = program.layout.pid[*process] {
            store(slot, &number)?;
        }
    }
    Ok((number, free))
}

/// Ends a process, in some states; where it is the youngest.
pub(crate) fn exit(machine: &Machine<'_>, process: ProcessId, values: &mut Values, there: &Bdd) -> Made<Bdd> {
    let (b, program) = (machine.b, machine.program);
    // In states that cannot be reached, numbers may have gaps. The kernel knows rows of them, so they count.
    let one = Number::constant(1, b);
    let next = number(machine, process, values)?.binary(BinaryOp::Add, &one, b)?;
    let youngest = next.equal(&count(machine, values)?, b)?;
    let here = b.and(there, &youngest)?;
    reset(machine, process, values, &here)?;
    let absent = Number::constant(program.layout.absent(process), b);
    let slot = program.layout.location[process];
    values.slots[slot] = Number::select(&here, &absent, &values.slots[slot], b)?;
    if let Some(slot) = program.layout.pid[process] {
        values.slots[slot] = Number::select(&here, &Number::constant(-1, b), &values.slots[slot], b)?;
    }
    Ok(youngest)
}

/// The number of a process; -1 where it does not exist, or if it is an observer.
fn number(machine: &Machine<'_>, process: ProcessId, values: &Values) -> Made<Number> {
    let (b, layout) = (machine.b, &machine.program.layout);
    let number = match (layout.pid[process], layout.static_pid[process]) {
        (Some(slot), _) => values.slots[slot].clone(),
        (None, Some(number)) => Number::constant(number, b),
        (None, None) => return Ok(Number::constant(-1, b)),
    };
    Number::select(&exists(machine, process, values)?, &number, &Number::constant(-1, b), b)
}

/// Gives a process's variables their initial values.
fn reset(machine: &Machine<'_>, process: ProcessId, values: &mut Values, there: &Bdd) -> Made<()> {
    let b = machine.b;
    for (first, initial) in &machine.program.processes[process].own {
        for (at, value) in initial.iter().enumerate() {
            let slot = &mut values.slots[first + at];
            *slot = Number::select(there, &Number::constant(*value, b), slot, b)?;
        }
    }
    Ok(())
}
