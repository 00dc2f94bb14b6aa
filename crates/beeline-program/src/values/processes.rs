//! Processes that come and go, where it may be open which of them exist.

use super::arithmetic;
use super::machine::{Frame, ValueMachine};
use super::set::ValueSet;
use crate::bytecode::{Reg, Source};
use crate::program::Program;
use beeline_ir::expr::Range;
use beeline_ir::network::Role;
use beeline_ir::{FamilyId, ProcessId};

/// Whether a process may exist, and whether it may not.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Existence {
    possible: bool,
    certain: bool,
}

impl ValueMachine {
    fn existence(&self, program: &Program, process: ProcessId) -> Existence {
        let layout = &program.layout;
        if !layout.mortal(process) {
            return Existence { possible: true, certain: true };
        }
        let (location, absent) = (&self.slots[layout.location[process]], layout.absent(process));
        Existence { possible: location.value() != Some(absent), certain: !location.contains(absent) }
    }

    /// How many processes may exist, observers not counted.
    pub(super) fn count(&self, program: &Program) -> ValueSet {
        let system = program.processes.ids().filter(|id| program.processes[*id].role == Role::System);
        let (mut least, mut most) = (0, 0);
        for existence in system.map(|id| self.existence(program, id)) {
            least += i64::from(existence.certain);
            most += i64::from(existence.possible);
        }
        ValueSet::range(Range::new(least, most))
    }

    pub(super) fn start(&mut self, frame: Frame<'_>, family: FamilyId, args: &[Source], dst: Reg) {
        let program = frame.program;
        let mut operands = std::mem::take(&mut self.operands);
        operands.clear();
        operands.extend(args.iter().map(|source| self.read(frame, *source)));
        let number = self.count(program);
        let (mut free, mut certainly) = (false, false);
        for &process in &program.families[family] {
            let existence = self.existence(program, process);
            if existence.certain {
                continue;
            }
            certainly = !existence.possible;
            let known = !free && certainly;
            free = true;
            self.reset(program, process, known);
            let compiled = &program.processes[process];
            for ((slot, range), arg) in compiled.params.iter().zip(&operands) {
                self.put_slot(*slot, arithmetic::wrapped(arg, *range), known);
            }
            let initial = ValueSet::singleton(compiled.initial.index() as i64);
            self.put_slot(program.layout.location[process], initial, known);
            if let Some(slot) = program.layout.pid[process] {
                self.put_slot(slot, number, known);
            }
            if certainly {
                break;
            }
        }
        self.operands = operands;
        self.survive(!certainly, free);
        self.write(frame, dst, number);
    }

    /// Ends a process, which must be the youngest.
    pub(super) fn exit(&mut self, program: &Program, process: ProcessId) {
        let Range { lo: least, hi: most } = self.count(program).hull();
        let Existence { possible, certain } = self.existence(program, process);
        let number = match program.layout.pid[process] {
            Some(slot) => Some(self.slots[slot].hull()),
            None => program.layout.static_pid[process].map(|number| Range::new(number, number)),
        };
        let may_succeed = possible && number.is_some_and(|n| n.lo < most && n.hi >= least - 1);
        let fits = number == Some(Range::new(least - 1, most - 1)) && least == most;
        self.survive(!(certain && fits), may_succeed);
        self.reset(program, process, true);
        let absent = ValueSet::singleton(program.layout.absent(process));
        self.put_slot(program.layout.location[process], absent, true);
        if let Some(slot) = program.layout.pid[process] {
            self.put_slot(slot, ValueSet::singleton(-1), true);
        }
    }

    /// Gives a process's variables their initial values.
    fn reset(&mut self, program: &Program, process: ProcessId, known: bool) {
        for (first, values) in &program.processes[process].own {
            for (slot, value) in (*first..).zip(values) {
                self.put_slot(slot, ValueSet::singleton(*value), known);
            }
            self.spend(values.len() as u64 / 8);
        }
    }
}
