//! The value-set interpreter against the concrete one, on the routines of random models: whatever the concrete
//! machine yields in a state of the set is among the answers, and on single states the answers are the concrete
//! ones.

mod blocks;

use beeline_ir::expr::{Range, RuntimeError};
use beeline_ir::network::Network;
use beeline_ir::property::PropertyKind;
use beeline_ir::{EdgeId, ProcessId};
use beeline_program::values::{ValueMachine, ValueSet, Values};
use beeline_program::{
    CompiledSync, Effects, Evaluated, FirePart, Machine, Op, Operand, Predicate, Program, RoutineId,
};
use beeline_testkit::generate::{Profile, Shape, generate};
use beeline_testkit::random::Random;

/// A model with both machines.
struct Bench {
    program: Program,
    /// Routines without effect, with the ranges of their inputs.
    expressions: Vec<(RoutineId, Vec<Range>)>,
    machine: Machine,
    values: ValueMachine,
    what: String,
}

/// What was compared, so that a test cannot pass by comparing nothing.
#[derive(Default, Debug)]
struct Tally {
    /// Runs compared.
    runs: usize,
    /// Sets of more than one state in which an expression is the same everywhere, or a slot written stays
    /// inside.
    decided: usize,
    /// Sets of more than one state with answers of more than one value.
    open: usize,
    /// Concrete runs that failed.
    failed: usize,
    /// Calls that gave up.
    exhausted: usize,
}

impl Bench {
    fn new(network: Network, what: String, budget: u64) -> Self {
        let mut program = Program::compile(&network);
        let mut expressions = Vec::new();
        for process in &program.processes {
            for location in &process.locations {
                expressions.extend(location.condition.map(|routine| (routine, Vec::new())));
                let codes = location.invariant.iter().flat_map(|atom| [atom.when, code(atom.bound)]);
                expressions.extend(codes.flatten().map(|routine| (routine, Vec::new())));
            }
            for edge in &process.edges {
                let atoms = edge.clock_guard.iter().flat_map(|atom| [atom.when, code(atom.bound)]);
                let all = [edge.guard, sync(&edge.sync)].into_iter().chain(atoms).flatten();
                expressions.extend(all.map(|routine| (routine, edge.selects.clone())));
            }
        }
        for routine in properties(&network, &mut program) {
            expressions.push((routine, Vec::new()));
        }
        let machine = Machine::new(&program);
        let values = ValueMachine::with_budget(&program, budget);
        Self { program, expressions, machine, values, what }
    }

    /// Whether the interpreter says of itself that this is coarse.
    fn coarse(&self, routine: RoutineId) -> bool {
        self.program.routines[routine].code.iter().any(|op| match op {
            Op::Enabled { .. } | Op::Timeout { .. } => true,
            Op::Send { sorted, .. } => *sorted,
            Op::Call { routine, .. } => self.coarse(*routine),
            _ => false,
        })
    }

    fn ranges(&self) -> Vec<Range> {
        self.program.layout.slots.iter().map(|slot| slot.range).collect()
    }

    fn expression(&mut self, index: usize, random: &mut Random, single: bool, tally: &mut Tally) {
        let (routine, ranges) = self.expressions[index].clone();
        let mut values = Values::everything(&self.program.layout);
        values.slots_mut().copy_from_slice(&sets(&self.ranges(), random, single));
        let inputs = sets(&ranges, random, single);
        let found = self.values.eval(&self.program, routine, &values, &inputs);
        let what = format!("{}: {:?}\non {values:?} {inputs:?}", self.what, self.program.routines[routine]);
        tally.exhausted += usize::from(self.values.gave_up());
        tally.decided += usize::from(!single && found.values.value().is_some() && !found.may_fail);
        tally.open += usize::from(!single && found.values.value().is_none());
        for _ in 0..if single { 1 } else { 4 } {
            let (state, selects) = (member(values.slots(), random), member(&inputs, random));
            tally.runs += 1;
            match self.machine.eval(&self.program, routine, &state, &selects) {
                Ok(value) => {
                    assert!(
                        found.values.contains(value),
                        "{value} at {state:?} {selects:?}, {found:?}, {what}"
                    );
                    if single && !self.coarse(routine) {
                        assert_eq!((found.values.value(), found.may_fail), (Some(value), false), "{what}");
                    }
                }
                Err(error) => {
                    tally.failed += 1;
                    assert!(found.may_fail, "{error:?} at {state:?} {selects:?}, {found:?}, {what}");
                    if single && !self.coarse(routine) {
                        assert!(found.values.is_empty(), "{error:?}, {found:?}, {what}");
                    }
                }
            }
        }
    }

    /// Runs the update of an edge both ways.
    fn update(
        &mut self,
        (process, edge): (ProcessId, EdgeId),
        random: &mut Random,
        single: bool,
        tally: &mut Tally,
    ) {
        let compiled = self.program.processes[process].edges[edge].clone();
        let Some(routine) = compiled.update else { return };
        let mut values = Values::everything(&self.program.layout);
        values.slots_mut().copy_from_slice(&sets(&self.ranges(), random, single));
        // The edge has been taken already.
        values.slots_mut()[self.program.layout.location[process]] =
            ValueSet::singleton(compiled.target.index() as i64);
        let inputs = sets(&compiled.selects, random, single);
        let fields = match &compiled.sync {
            CompiledSync::Receive { required, .. } => vec![Range::new(-1, 3); required.len()],
            _ => Vec::new(),
        };
        let message = sets(&fields, random, single);
        let before = values.clone();
        let found = self.values.apply(&self.program, routine, &mut values, &inputs, &message);
        let what = format!(
            "{}: {:?}\non {before:?} {inputs:?} {message:?}\nto {values:?} {found:?}",
            self.what, self.program.routines[routine]
        );
        tally.exhausted += usize::from(self.values.gave_up());
        let small = |slot: usize| values.slots()[slot].value().is_some();
        tally.decided += usize::from(
            !single && found.may_succeed && self.program.routines[routine].writes.iter().all(small),
        );
        tally.open += usize::from(!single && found.may_succeed && found.may_fail);
        let exact = single && !self.coarse(routine);
        for _ in 0..if single { 1 } else { 4 } {
            let mut state = member(before.slots(), random);
            let (selects, taken) = (member(&inputs, random), member(&message, random));
            let evaluated = Evaluated::default();
            let part =
                FirePart { process, edge, selects: &selects, evaluated: &evaluated, message: Some(&taken) };
            let mut effects = Effects::default();
            let holder = self.program.layout.holder.map(|slot| (slot, state[slot]));
            let at = format!("at {state:?} {selects:?} {taken:?}, {what}");
            let fired: Result<(), RuntimeError> =
                self.machine.fire(&self.program, &[part], &mut state, &mut effects);
            // The token is passed after the update.
            holder.into_iter().for_each(|(slot, value)| state[slot] = value);
            tally.runs += 1;
            match fired {
                Ok(()) => {
                    assert!(found.may_succeed && values.contains(&state), "{state:?} {at}");
                    assert!(found.may_violate || !effects.assertion_failed, "{at}");
                    if exact {
                        assert_eq!(values, Values::of_state(&state), "{at}");
                        assert_eq!(
                            (found.may_fail, found.may_violate),
                            (false, effects.assertion_failed),
                            "{at}"
                        );
                    }
                }
                Err(error) => {
                    tally.failed += 1;
                    assert!(found.may_fail, "{error:?} {at}");
                    assert!(!exact || !found.may_succeed, "{error:?} {at}");
                }
            }
        }
    }

    fn all(&mut self, random: &mut Random, single: bool, tally: &mut Tally) {
        for index in 0..self.expressions.len() {
            self.expression(index, random, single, tally);
        }
        let processes = self.program.processes.enumerate();
        let edges: Vec<_> = processes.flat_map(|(p, c)| c.edges.ids().map(move |e| (p, e))).collect();
        for edge in edges {
            self.update(edge, random, single, tally);
        }
    }
}

fn code(bound: Operand) -> Option<RoutineId> {
    match bound {
        Operand::Const(_) => None,
        Operand::Code(routine) => Some(routine),
    }
}

fn sync(sync: &CompiledSync) -> Option<RoutineId> {
    match sync {
        CompiledSync::Internal => None,
        CompiledSync::Send { routine, .. } | CompiledSync::Receive { routine, .. } => *routine,
    }
}

/// The discrete pieces of the properties.
fn properties(network: &Network, program: &mut Program) -> Vec<RoutineId> {
    let mut found = Vec::new();
    for property in &network.properties {
        let (PropertyKind::Always(e) | PropertyKind::Exists(e)) = &property.kind else { continue };
        let Ok(predicate) = program.compile_predicate(network, &property.frame, e) else { continue };
        let mut open = vec![predicate];
        while let Some(next) = open.pop() {
            match next {
                Predicate::Discrete(routine) => found.push(routine),
                Predicate::Not(inner) | Predicate::Counted(_, inner) => open.push(*inner),
                Predicate::And(parts) | Predicate::Or(parts) => open.extend(parts),
                Predicate::If(parts) => open.extend(*parts),
                Predicate::Const(_) | Predicate::Clock(_) | Predicate::Deadlock => {}
            }
        }
    }
    found
}

/// A value of a range, often at one of its ends.
fn pick(range: Range, random: &mut Random) -> i64 {
    match random.below(4) {
        0 => range.lo,
        1 => range.hi,
        _ => random.between(range.lo, range.hi.min(range.lo.saturating_add(1 << 40))),
    }
}

/// A set of values of each range: one, some, a part of it or all; always one if a single one is asked for.
fn sets(ranges: &[Range], random: &mut Random, single: bool) -> Vec<ValueSet> {
    let share = random.below(8) as u32 * 12;
    let set = |range: &Range| {
        let one = pick(*range, random);
        if single || random.chance(share) {
            return ValueSet::singleton(one);
        }
        match random.below(3) {
            0 => (0..1 + random.below(4)).map(|_| pick(*range, random)).collect(),
            1 => {
                let other = pick(*range, random);
                ValueSet::range(Range::new(one.min(other), one.max(other)))
            }
            _ => ValueSet::range(*range),
        }
    };
    ranges.iter().map(set).collect()
}

/// One value of each set.
fn member(sets: &[ValueSet], random: &mut Random) -> Vec<i64> {
    let value = |set: &ValueSet| match set.iter() {
        Some(values) => *random.pick(&values.collect::<Vec<_>>()).expect("sets are not empty"),
        None => pick(set.hull(), random),
    };
    sets.iter().map(value).collect()
}

/// Where models come from.
#[derive(Copy, Clone, Debug)]
enum Models {
    Of(Profile),
    Blocks,
}

const ALL: [Models; 4] =
    [Models::Of(Profile::Timed), Models::Of(Profile::Discrete), Models::Of(Profile::Uppaal), Models::Blocks];

fn compare(models: Models, seeds: std::ops::Range<u64>, rounds: usize, single: bool, budget: u64) -> Tally {
    let mut tally = Tally::default();
    for seed in seeds {
        let network = match models {
            Models::Of(profile) => generate(&Shape::new(profile), seed),
            Models::Blocks => blocks::network(seed),
        };
        let mut bench = Bench::new(network, format!("{models:?} {seed}"), budget);
        let mut random = Random::new(seed);
        for _ in 0..rounds {
            bench.all(&mut random, single, &mut tally);
        }
    }
    tally
}

#[test]
fn whatever_a_run_yields_is_among_the_answers() {
    for models in ALL {
        let (seeds, rounds) = if matches!(models, Models::Blocks) { (1000, 8) } else { (300, 4) };
        let tally = compare(models, 0..seeds, rounds, false, ValueMachine::BUDGET);
        let some = tally.runs > 20_000 && tally.decided > 200 && tally.open > 200 && tally.failed > 200;
        assert!(some && tally.exhausted * 20 < tally.runs, "{models:?} {tally:?}");
    }
}

#[test]
fn on_single_states_the_answers_are_the_concrete_ones() {
    for models in ALL {
        let (seeds, rounds) = if matches!(models, Models::Blocks) { (1000, 16) } else { (300, 10) };
        let tally = compare(models, 0..seeds, rounds, true, ValueMachine::BUDGET);
        assert!(tally.runs > 20_000 && tally.failed > 100 && tally.exhausted == 0, "{models:?} {tally:?}");
    }
}

#[test]
fn a_machine_that_gives_up_still_covers_every_run() {
    for budget in [0, 3, 10, 40] {
        for models in [Models::Of(Profile::Discrete), Models::Blocks] {
            let tally = compare(models, 0..60, 4, false, budget);
            assert!(tally.runs > 1_000 && tally.exhausted > 20, "{models:?} {budget} {tally:?}");
        }
    }
}
