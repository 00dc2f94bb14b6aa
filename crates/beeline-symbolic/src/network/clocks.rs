//! Digital clocks: counters of whole units of time. Where all clock constraints are closed, there is for every run one
//! with the same labels at integer times (T. A. Henzinger, Z. Manna, A. Pnueli, "What good are digital clocks?", ICALP
//! 1992), so nothing is lost. Closed they must be as they count: a guard that keeps others back is a guard negated, and
//! so is a constraint under a negation of the property.
//!
//! The unit is the greatest common divisor of all constants. A counter stops one unit beyond the greatest number that
//! its clock, or one that may get its value, is compared with.

use super::machine::least;
use crate::bdd::{Bdd, Bdds, Made};
use crate::number::Number;
use crate::translate::NotMade;
use beeline_ir::ClockId;
use beeline_ir::expr::{BinaryOp, ClockOp};
use beeline_ir::network::{ChannelKind, Network, Role};
use beeline_program::{Atom, Op, Operand, Predicate, Program, Source};

/// Units that a counter may count.
const MOST_UNITS: i64 = 1 << 16;

/// How clocks count.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Clocks {
    /// What a unit is worth.
    pub unit: i64,
    /// By clock: where it stops. 0 if it is compared with nothing.
    pub caps: Vec<i64>,
}

impl Clocks {
    /// The clocks of a network and of the target of a property, if they can be digital.
    pub fn of(network: &Network, program: &Program, target: &Predicate) -> Result<Self, NotMade> {
        let mut atoms: Vec<&Atom> = Vec::new();
        for process in program.processes.iter().filter(|process| process.role == Role::System) {
            atoms.extend(process.locations.iter().flat_map(|location| &location.invariant));
            atoms.extend(process.edges.iter().flat_map(|edge| &edge.clock_guard));
        }
        closed_atoms(&atoms)?;
        let asked = closed_target(target, true, &mut atoms)?;
        if !atoms.is_empty() {
            nothing_negated(network, program)?;
            if asked {
                return Err(NotMade::Unsupported("deadlocks of networks with clocks"));
            }
        }
        let (mut numbers, mut copies) = (Vec::new(), Vec::new());
        for op in program.routines.iter().flat_map(|routine| &routine.code) {
            match op {
                Op::ClockSet { src: Source::Const(value), .. } => numbers.push(*value),
                Op::ClockSet { .. } => numbers.push(1),
                Op::ClockCopy { clock, from } => copies.push((clock.index(), from.index())),
                _ => {}
            }
        }
        let mut greatest = vec![None; program.clocks];
        for atom in atoms {
            numbers.push(match atom.bound {
                Operand::Const(bound) => bound,
                Operand::Code(_) => 1,
            });
            let greatest = &mut greatest[atom.left.index()];
            *greatest = Some(atom.interval.hi.max(greatest.unwrap_or(0)));
        }
        // Every round but the last one raises a number to that of another clock.
        while let Some((clock, from)) = copies.iter().find(|(clock, from)| greatest[*clock] > greatest[*from])
        {
            greatest[*from] = greatest[*clock];
        }
        let unit = numbers.into_iter().fold(0, greatest_common_divisor).max(1);
        let caps: Vec<i64> = greatest.iter().map(|g| g.map_or(0, |greatest| greatest / unit + 1)).collect();
        if caps.iter().any(|cap| *cap > MOST_UNITS) {
            return Err(NotMade::Unsupported("clocks that count more than 65,536 units"));
        }
        Ok(Self { unit, caps })
    }
    /// Whether there is anything to count.
    pub fn count(&self) -> bool {
        self.caps.iter().any(|cap| *cap > 0)
    }
    /// Where a counter compares to a bound.
    pub fn compare(&self, counter: &Number, op: ClockOp, bound: &Number, b: &Bdds) -> Made<Bdd> {
        let time = counter.binary(BinaryOp::Mul, &Number::constant(self.unit, b), b)?;
        let op = match op {
            ClockOp::Lt => BinaryOp::Lt,
            ClockOp::Le => BinaryOp::Le,
            ClockOp::Eq => BinaryOp::Eq,
            ClockOp::Ge => BinaryOp::Ge,
            ClockOp::Gt => BinaryOp::Gt,
        };
        time.binary(op, bound, b)?.truth(b)
    }
    /// A time in units of a clock.
    pub fn units(&self, time: &Number, clock: ClockId, b: &Bdds) -> Made<Number> {
        self.capped(&time.binary(BinaryOp::Div, &Number::constant(self.unit, b), b)?, clock, b)
    }
    /// As far as a clock counts.
    pub fn capped(&self, units: &Number, clock: ClockId, b: &Bdds) -> Made<Number> {
        least(units, self.caps[clock.index()], b)
    }
}

fn greatest_common_divisor(a: i64, b: i64) -> i64 {
    if b == 0 { a.abs() } else { greatest_common_divisor(b, a % b) }
}

fn closed_atoms(atoms: &[&Atom]) -> Result<(), NotMade> {
    if atoms.iter().any(|atom| atom.right.is_some()) {
        return Err(NotMade::Unsupported("differences of clocks"));
    }
    if atoms.iter().any(|atom| matches!(atom.op, ClockOp::Lt | ClockOp::Gt)) {
        return Err(NotMade::Unsupported("strict clock constraints (digital clocks need closed ones)"));
    }
    Ok(())
}

/// Adds the clock constraints of a predicate, which must be closed as they count; whether it asks for deadlocks.
fn closed_target<'p>(
    predicate: &'p Predicate,
    positive: bool,
    atoms: &mut Vec<&'p Atom>,
) -> Result<bool, NotMade> {
    const OPEN: NotMade = NotMade::Unsupported(
        "properties whose targets have open clock constraints (digital clocks need closed ones)",
    );
    let mut deadlock = false;
    match predicate {
        Predicate::Const(_) | Predicate::Discrete(_) => {}
        Predicate::Deadlock => deadlock = true,
        Predicate::Clock(atom) => {
            if atom.right.is_some() {
                return Err(NotMade::Unsupported("differences of clocks"));
            }
            let closed = match atom.op {
                ClockOp::Le | ClockOp::Ge => positive,
                ClockOp::Eq => positive,
                ClockOp::Lt | ClockOp::Gt => !positive,
            };
            if !closed {
                return Err(OPEN);
            }
            atoms.push(atom);
        }
        Predicate::Not(inner) => deadlock = closed_target(inner, !positive, atoms)?,
        Predicate::And(parts) | Predicate::Or(parts) => {
            for part in parts {
                deadlock |= closed_target(part, positive, atoms)?;
            }
        }
        Predicate::If(parts) => {
            let before = atoms.len();
            deadlock |= closed_target(&parts[0], positive, atoms)?;
            // What decides counts both ways.
            if atoms.len() > before {
                return Err(OPEN);
            }
            deadlock |= closed_target(&parts[1], positive, atoms)?;
            deadlock |= closed_target(&parts[2], positive, atoms)?;
        }
        Predicate::Counted(_, inner) => deadlock = closed_target(inner, positive, atoms)?,
    }
    Ok(deadlock)
}

/// No label is kept from happening by clock constraints of another.
fn nothing_negated(network: &Network, program: &Program) -> Result<(), NotMade> {
    let guarded = |edge: &&beeline_program::CompiledEdge| !edge.clock_guard.is_empty();
    let edges = program.processes.iter().filter(|process| process.role == Role::System);
    let guarded: Vec<_> = edges.flat_map(|process| &process.edges).filter(guarded).collect();
    let channels = |edge: &beeline_program::CompiledEdge, ask: &dyn Fn(usize) -> bool| {
        let channel = edge.sync.channel();
        (0..program.elements.len()).any(|at| channel.is_some_and(|c| c.may_name(program, at)) && ask(at))
    };
    let broadcast = |at: usize| program.elements[at].kind == ChannelKind::Broadcast;
    if guarded.iter().any(|edge| edge.sync.receives() && channels(edge, &broadcast)) {
        return Err(NotMade::Unsupported("clock guards of broadcast receivers"));
    }
    if guarded.iter().any(|edge| channels(edge, &|at| program.elements[at].urgent)) {
        return Err(NotMade::Unsupported("clock guards over urgent channels"));
    }
    let priorities = network.channels.iter().any(|channel| channel.priority.iter().any(|p| *p != 0))
        || network.processes.iter().any(|process| process.priority != 0);
    if priorities && !guarded.is_empty() {
        return Err(NotMade::Unsupported("priorities with clock guards"));
    }
    if program.layout.holder.is_some() && !guarded.is_empty() {
        return Err(NotMade::Unsupported("atomic sequences with clock guards"));
    }
    Ok(())
}
