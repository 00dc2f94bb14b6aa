//! What a network and a property need before a search: compilation, clock bounds, the differences to track, and
//! the check that everything is within what zones can express.

use crate::api::Options;
use crate::partial_order::{PartialOrder, Reduction};
use crate::search::Seen;
use crate::state::packing::Packer;
use crate::successors::differences::Differences;
use crate::successors::space::{Goal, Space};
use crate::successors::table::Table;
use crate::symmetry::Symmetry;
use crate::time::zones::Zones;
use crate::time::{TimePart, Untimed};
use beeline_ir::ClockId;
use beeline_ir::diagnostic::Diagnostic;
use beeline_ir::expr::{ClockOp, Range};
use beeline_ir::network::{ChannelKind, Network};
use beeline_ir::property::{Property, Target};
use beeline_ir::stmt::{Block, Local, Stmt};
use beeline_program::constants;
use beeline_program::liveness::{self, Liveness};
use beeline_program::schema::EdgeRef;
use beeline_program::{
    Atom, ClockBounds, CompiledSync, Predicate, Program, SlotSet, intervals, ranges, shortcut,
};
use beeline_zones::fault::{self, Fault};
use beeline_zones::max_constant;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Constants one diagonal constraint with a variable bound may stand for.
const MAX_DIAGONAL_CONSTANTS: u128 = 64;

/// Clocks of which zones can be made.
const MAX_TESTED_CLOCKS: usize = 512;

/// A state space, with or without clocks.
#[derive(Debug)]
pub enum Prepared {
    /// Without clocks.
    Untimed(Box<Space<Untimed>>),
    /// With zones.
    Timed(Box<Space<Zones>>),
}

/// Compiles a network for a property (or for plain exploration).
pub fn prepare(
    network: &Network,
    property: Option<&Property>,
    options: &Options,
) -> Result<Prepared, Vec<Diagnostic>> {
    prepare_with(network, property, options, &BTreeSet::new())
}

/// The same; these edges count as leaving a committed location, wherever they start.
pub fn prepare_with(
    network: &Network,
    property: Option<&Property>,
    options: &Options,
    committed: &BTreeSet<EdgeRef>,
) -> Result<Prepared, Vec<Diagnostic>> {
    let original = network;
    let (folded, constants) = constants::folded(network);
    let network = &*folded;
    let mut program = Program::compile(network);
    constants::narrow(network, &mut program.layout);
    let bits = || Packer::new(program.layout.slots.iter().map(|slot| slot.range)).bits();
    if options.narrow_beyond.is_some_and(|most| !options.symmetry && bits() > most) {
        ranges::narrow(network, &mut program);
    }
    let goal = property.map_or(Ok(Goal::Nothing), |property| goal_of(network, &mut program, property))?;
    let watched = watchable(network, property, options);
    let watched =
        watched.map(|property| goal_of(network, &mut program, property)).collect::<Result<Vec<_>, _>>()?;
    let observer = property.and_then(Property::observer);
    let urgent: Vec<bool> = network.channels.iter().map(|c| c.urgent).collect();
    let has_urgent_channels = urgent.contains(&true);
    let table = Table::new(network, &program, committed);
    let partial_order = match (options.partial_order, property) {
        (Reduction::Off, _) => Err("it is off"),
        (_, None) => Err("all states are asked for"),
        (kind, Some(property)) => {
            PartialOrder::new(network, &mut program, property, &goal, (kind, &options.limits)).map(Box::new)
        }
    };
    let liveness = property.filter(|_| options.dead_variables).and_then(|_| {
        let mut needed = SlotSet::default();
        // Heuristics read constants where the model does.
        constants.iter().filter_map(|var| program.layout.var[*var]).for_each(|slot| needed.insert(slot));
        for predicate in watched.iter().chain([&goal]).filter_map(Goal::predicate) {
            liveness::read_by(&program, predicate, &mut needed);
        }
        live_variables(&program, &needed, &program.layout.initial(network))
    });
    let first = program.layout.slots.len();
    let (time, differences) = (Untimed, Differences::new(first, [], &[]));
    let space = Space {
        program,
        table,
        time,
        liveness,
        differences,
        observer,
        goal,
        watched,
        symmetry: None,
        urgent,
        has_urgent_channels,
        partial_order,
    };
    // Where a limit is reached the search ends at once.
    let symmetry = |property| Symmetry::of(original, property, &options.limits).ok().flatten();
    let symmetry = property.filter(|_| options.symmetry).and_then(symmetry).map(Arc::new);
    if network.clocks.is_empty() {
        let space = Space { symmetry, ..space };
        return Ok(Prepared::Untimed(Box::new(space)));
    }
    let (program, goal) = (&space.program, &space.goal);
    let mut atoms = Vec::new();
    if let Goal::State(predicate, _) = goal {
        collect_atoms(predicate, &mut atoms);
    }
    let sets = ClockSets::of(network);
    let bounds = clock_bounds(network, program, &atoms);
    check_size(&bounds)?;
    check_constants(network, program, &atoms, &sets)?;
    let compared = bounds.diagonals.iter().flat_map(|d| d.bound.values().map(|c| (d.left, d.right, c)));
    let differences = Differences::new(first, compared, &sets.copies);
    let split = split_bounds(network, &differences, &sets);
    let negated = negates_guards(network, &space);
    let greatest = sets.greatest.max(greatest_constant(&bounds, &split));
    let time =
        Zones::new(program, &bounds, &split, options.extrapolation, negated, options.active_clocks, greatest);
    // Cells of differences would have to be exchanged, too.
    let symmetry = symmetry.filter(|_| differences.pairs().is_empty());
    let space = Space { symmetry, ..space.with_time(time, differences) };
    Ok(Prepared::Timed(Box::new(space)))
}

/// What a search for a property looks for.
fn goal_of(network: &Network, program: &mut Program, property: &Property) -> Result<Goal, Vec<Diagnostic>> {
    let target = match property.target() {
        Target::RuntimeError => return Ok(Goal::RuntimeError),
        Target::AssertionFailure => return Ok(Goal::Assertion),
        Target::State(target) => target,
    };
    let tests = shortcut::tests(network, &program.layout, &target).map(|(tests, _)| tests);
    let predicate = program.compile_predicate(network, &property.frame, &target).map_err(|_| {
        let message = "the property is too large once its quantifiers are unrolled over clock constraints";
        vec![Diagnostic::unsupported("U0501", message, place(property))]
    })?;
    let untimed = network.clocks.is_empty() && property.observer().is_none();
    Ok(match stuck(&predicate, true).filter(|_| untimed) {
        Some(rest) => Goal::Stuck { predicate, rest: Predicate::And(rest) },
        None => Goal::State(predicate, tests.unwrap_or_default().into()),
    })
}

/// Which of the properties that are to be watched for can be, beside this one: observers change what is explored, and
/// clock constraints how coarse zones may be.
pub(crate) fn watchable<'p>(
    network: &Network,
    property: Option<&Property>,
    options: &'p Options,
) -> impl Iterator<Item = &'p Property> {
    let observed = property.is_some_and(|property| property.observer().is_some());
    let untimed = network.clocks.is_empty();
    let fits = move |other: &&Property| {
        let by_label = || !matches!(other.target(), Target::State(_));
        !observed && other.observer().is_none() && (untimed || by_label())
    };
    options.watch.iter().filter(fits).take(Seen::MOST)
}

impl Space<Untimed> {
    /// The same with clocks.
    fn with_time<T: TimePart>(self, time: T, differences: Differences) -> Space<T> {
        let Self { program, mut table, liveness, observer, goal, watched, urgent, partial_order, .. } = self;
        table.note_timing(&program, &time);
        let has_urgent_channels = self.has_urgent_channels;
        Space {
            program,
            table,
            time,
            liveness,
            differences,
            observer,
            goal,
            watched,
            symmetry: None,
            urgent,
            has_urgent_channels,
            partial_order,
        }
    }
}

impl<T: TimePart> Space<T> {
    /// Ranges of an engine state: the layout's slots and the cells of differences.
    pub fn ranges(&self) -> impl Iterator<Item = Range> + '_ {
        self.program.layout.slots.iter().map(|s| s.range).chain(self.differences.ranges())
    }
}

fn place(property: &Property) -> Option<beeline_ir::origin::Span> {
    property.origin.as_ref().map(|o| o.span)
}

/// The clock atoms of a predicate. They are met and avoided, so each counts as a bound in both directions.
fn collect_atoms(predicate: &Predicate, out: &mut Vec<Atom>) {
    match predicate {
        Predicate::Const(_) | Predicate::Discrete(_) | Predicate::Deadlock => {}
        Predicate::Clock(atom) => out.push(Atom { op: ClockOp::Eq, ..atom.clone() }),
        Predicate::Not(inner) | Predicate::Counted(_, inner) => collect_atoms(inner, out),
        Predicate::And(parts) | Predicate::Or(parts) => parts.iter().for_each(|p| collect_atoms(p, out)),
        Predicate::If(parts) => parts.iter().for_each(|p| collect_atoms(p, out)),
    }
}

fn clock_bounds(network: &Network, program: &Program, atoms: &[Atom]) -> ClockBounds {
    if fault::active(Fault::InvariantsLeftOutOfBounds) {
        let mut stripped = network.clone();
        stripped.processes.iter_mut().flat_map(|p| p.locations.iter_mut()).for_each(|l| l.invariant.clear());
        return ClockBounds::compute(&stripped, &Program::compile(&stripped), atoms);
    }
    ClockBounds::compute(network, program, atoms)
}

fn live_variables(program: &Program, needed: &SlotSet, initial: &[i64]) -> Option<Liveness> {
    if fault::active(Fault::GuardsDoNotRead) {
        let mut stripped = program.clone();
        stripped.processes.iter_mut().flat_map(|p| p.edges.iter_mut()).for_each(|e| e.guard = None);
        return Liveness::compute(&stripped, needed, initial);
    }
    Liveness::compute(program, needed, initial)
}

/// Whether some guard is used the other way round: by priorities, by receivers that stay behind, by `deadlock`.
fn negates_guards(network: &Network, space: &Space<Untimed>) -> bool {
    let deadlock = matches!(&space.goal, Goal::State(predicate, _) if mentions_deadlock(predicate));
    let broadcasts = network.channels.iter().any(|c| c.kind == ChannelKind::Broadcast);
    let conditional_receiver = |e: &beeline_program::CompiledEdge| {
        matches!(e.sync, CompiledSync::Receive { .. }) && !e.clock_guard.is_empty()
    };
    let mut edges = space.program.processes.iter().flat_map(|p| p.edges.iter());
    deadlock || space.table.prioritised || (broadcasts && edges.any(conditional_receiver))
}

/// What a predicate (or else its negation) asks for besides `deadlock`, if it asks for that first.
fn stuck(predicate: &Predicate, holds: bool) -> Option<Vec<Predicate>> {
    match predicate {
        Predicate::Deadlock if holds => Some(Vec::new()),
        Predicate::Not(inner) => stuck(inner, !holds),
        Predicate::And(parts) if holds => {
            let mut rest = stuck(parts.first()?, true)?;
            rest.extend_from_slice(&parts[1..]);
            Some(rest)
        }
        Predicate::Or(parts) if !holds => {
            let mut rest = stuck(parts.first()?, false)?;
            rest.extend(parts[1..].iter().map(|part| Predicate::Not(Box::new(part.clone()))));
            Some(rest)
        }
        _ => None,
    }
}

fn mentions_deadlock(predicate: &Predicate) -> bool {
    match predicate {
        Predicate::Deadlock => true,
        Predicate::Const(_) | Predicate::Discrete(_) | Predicate::Clock(_) => false,
        Predicate::Not(inner) | Predicate::Counted(_, inner) => mentions_deadlock(inner),
        Predicate::And(parts) | Predicate::Or(parts) => parts.iter().any(mentions_deadlock),
        Predicate::If(parts) => parts.iter().any(mentions_deadlock),
    }
}

/// What clocks are set to, anywhere.
#[derive(Debug, Default)]
struct ClockSets {
    /// `(to, from)` of every copy.
    copies: Vec<(ClockId, ClockId)>,
    /// The greatest value a clock is set to.
    greatest: i64,
}

impl ClockSets {
    fn of(network: &Network) -> Self {
        let mut sets = Self::default();
        for function in &network.functions {
            sets.visit(network, &function.frame, &function.body);
        }
        for edge in network.processes.iter().flat_map(|p| p.edges.iter()) {
            sets.visit(network, &edge.frame, &edge.update);
        }
        sets
    }

    fn visit(&mut self, network: &Network, frame: &[Local], block: &Block) {
        for stmt in block {
            match stmt {
                Stmt::ClockSet(_, value) => {
                    self.greatest = self.greatest.max(intervals::of(network, frame, value).hi);
                }
                Stmt::ClockCopy(to, from) => self.copies.push((*to, *from)),
                Stmt::If(_, then, otherwise) => {
                    self.visit(network, frame, then);
                    self.visit(network, frame, otherwise);
                }
                Stmt::While(_, body) => self.visit(network, frame, body),
                _ => {}
            }
        }
    }
}

/// Constants each clock is compared with when an update of the other clock of a pair splits the zone.
fn split_bounds(network: &Network, differences: &Differences, sets: &ClockSets) -> Vec<Option<i64>> {
    let mut bounds = vec![None; network.clocks.len()];
    for pair in differences.pairs() {
        let (Some(least), Some(greatest)) = (pair.constants.first(), pair.constants.last()) else { continue };
        // x - y ~ c with y set to w compares x with w + c; with x set to v it compares y with v - c.
        let mut raise = |clock: ClockId, constant: i64| {
            let bound: &mut Option<i64> = &mut bounds[clock.index()];
            *bound = (*bound).max(Some(constant.max(0)));
        };
        raise(pair.x, sets.greatest + greatest);
        raise(pair.y, sets.greatest - least);
    }
    // `x := z` makes the old value of z what is compared.
    let mut changed = true;
    while changed {
        changed = false;
        for (to, from) in &sets.copies {
            if bounds[from.index()] < bounds[to.index()] {
                bounds[from.index()] = bounds[to.index()];
                changed = true;
            }
        }
    }
    bounds
}

/// The greatest constant that clocks are compared with.
fn greatest_constant(bounds: &ClockBounds, split: &[Option<i64>]) -> i64 {
    let everywhere = std::iter::once(&bounds.everywhere);
    let all = bounds.locations.iter().flat_map(|locations| locations.iter()).chain(everywhere);
    let constants = all.flat_map(|b| b.lower.iter().chain(&b.upper)).chain(split);
    constants.flatten().copied().max().unwrap_or(0)
}

/// Refuses zones that no machine could close in reasonable time.
fn check_size(bounds: &ClockBounds) -> Result<(), Vec<Diagnostic>> {
    let clocks = bounds.everywhere.lower.len();
    let everywhere = std::iter::once(&bounds.everywhere);
    let mut tested = vec![false; clocks];
    for bounds in bounds.locations.iter().flat_map(|locations| locations.iter()).chain(everywhere) {
        for (clock, tested) in tested.iter_mut().enumerate() {
            *tested |= bounds.lower[clock].max(bounds.upper[clock]).is_some();
        }
    }
    let tested = tested.iter().filter(|t| **t).count();
    if tested <= MAX_TESTED_CLOCKS && clocks <= usize::from(u16::MAX) {
        return Ok(());
    }
    let message = format!(
        "{tested} of {clocks} clocks are tested; zones of more than {MAX_TESTED_CLOCKS} are too large"
    );
    Err(vec![Diagnostic::unsupported("U0505", message, None)])
}

/// Refuses constants that zones of this many clocks cannot hold without overflow, and diagonals with too many
/// constants.
fn check_constants(
    network: &Network,
    program: &Program,
    extra: &[Atom],
    sets: &ClockSets,
) -> Result<(), Vec<Diagnostic>> {
    let limit = i64::from(max_constant(network.clocks.len() + 1));
    // Splitting adds up to one set value to a constant.
    let limit = limit / 2;
    let mut diagnostics = Vec::new();
    let mut visit = |atom: &Atom, origin: Option<beeline_ir::origin::Span>| {
        let Range { lo, hi } = atom.interval;
        if lo < -limit || hi > limit {
            let name = network.clock_name(atom.left);
            let message = format!("clock `{name}` is compared with a bound that may lie outside of ±{limit}");
            let help = "use a coarser unit of time, or give the variables of the bound smaller ranges";
            diagnostics.push(Diagnostic::unsupported("U0502", message, origin).with_help(help));
        } else if atom.right.is_some() && atom.interval.size() > MAX_DIAGONAL_CONSTANTS {
            let message = format!(
                "a difference of clocks is compared with more than {MAX_DIAGONAL_CONSTANTS} different constants"
            );
            diagnostics.push(Diagnostic::unsupported("U0503", message, origin));
        }
    };
    for (process, compiled) in program.processes.enumerate() {
        let source = &network.processes[process];
        for (id, location) in compiled.locations.enumerate() {
            let span = source.locations[id].origin.as_ref().map(|o| o.span);
            location.invariant.iter().for_each(|atom| visit(atom, span));
        }
        for (id, edge) in compiled.edges.enumerate() {
            let span = source.edges[id].origin.as_ref().map(|o| o.span);
            edge.clock_guard.iter().for_each(|atom| visit(atom, span));
        }
    }
    extra.iter().for_each(|atom| visit(atom, None));
    if sets.greatest > limit {
        let message = format!("a clock may be set to {}, more than {limit}", sets.greatest);
        diagnostics.push(Diagnostic::unsupported("U0504", message, None));
    }
    if diagnostics.is_empty() { Ok(()) } else { Err(diagnostics) }
}
