//! What labels and the passing of time do to clocks, as far as it is known from a Cartesian set: guards, resets, and the
//! invariants, urgency and commitment of locations where a set has no other one of the automaton. Whatever is not known
//! does not count. This is no more than what whoever checks rows knows of them.
//!
//! The passing of time is an operator of its own, which costs nothing. Labels that change clocks and nothing else have to
//! be operators, too; those that change neither are none.
//!
//! Zones: Bengtsson and Yi, "Timed automata: semantics, algorithms and tools", 2004.

use super::system::{System, each};
use crate::factors::Source;
use beeline_ir::expr::{ClockAtom, ClockOp, Expr};
use beeline_ir::layout::{Layout, SlotKind};
use beeline_ir::network::{Edge, Network, Role, Sync};
use beeline_ir::stmt::{Block, Stmt};
use beeline_ir::visit::walk_block;
use beeline_ir::{ClockId, ProcessId};
use beeline_program::factored::Label;
use beeline_zones::fault::{self, Fault};
use beeline_zones::{Bound, Constraint, Dbm};
use std::collections::{BTreeMap, BTreeSet};

/// Constants of constraints that count.
const MOST_CONSTANT: i64 = 1 << 20;
/// Clocks; where there are more, none counts.
const MOST_CLOCKS: usize = 24;
/// How far bounds may go in zones.
const MOST_BOUND: u64 = 1 << 26;

/// What an operator does to clocks.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Change {
    /// Nothing, at once: it belongs to another operator, or notices the goal. Some clocks may have any value afterwards.
    Aside(Vec<usize>),
    /// Time passes.
    Delay,
    /// What a label does.
    Label(Jump),
}

impl Change {
    /// Whether some clock may get another value at once.
    pub(super) fn sets_clocks(&self) -> bool {
        match self {
            Self::Aside(freed) => !freed.is_empty(),
            Self::Delay => false,
            Self::Label(jump) => !jump.resets.is_empty(),
        }
    }
}

/// What a label does to clocks.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Jump {
    guard: Vec<Constraint>,
    /// Clocks that get a value, or any.
    resets: Vec<(usize, Option<i32>)>,
    /// What holds where its automata arrive.
    arrival: Vec<Constraint>,
    /// Whether it may be taken although somebody is at a committed location.
    leaves_committed: bool,
}

/// What is known of a location.
#[derive(Clone, Debug, Default)]
struct Place {
    invariant: Vec<Constraint>,
    /// Time stands still.
    still: bool,
    committed: bool,
}

impl Place {
    fn says_nothing(&self) -> bool {
        self.invariant.is_empty() && !self.still && !self.committed
    }
}

/// What labels and the passing of time do to clocks.
#[derive(Debug)]
pub(super) struct Timing {
    dim: usize,
    /// By factor, for those that are locations, what is known of each.
    places: Vec<Option<Vec<Place>>>,
    /// Those of which something is.
    telling: Vec<usize>,
    pub(super) changes: Vec<Change>,
    /// The greatest constant.
    constant: i64,
}

impl Timing {
    /// For the factors of a network; `None` if there are no clocks, or too many.
    pub(super) fn new(network: &Network, sources: &[Source]) -> Option<Self> {
        let clocks = network.clocks.len();
        if clocks == 0 || clocks > MOST_CLOCKS {
            return None;
        }
        let layout = Layout::of_network(network);
        let places = sources.iter().map(|source| places(network, &layout, *source));
        let places: Vec<Option<Vec<Place>>> = places.collect();
        let tells = |at: &usize| places[*at].iter().flatten().any(|place| !place.says_nothing());
        let telling = (0..places.len()).filter(tells).collect();
        Some(Self { dim: clocks + 1, places, telling, changes: Vec::new(), constant: MOST_CONSTANT })
    }

    /// Whether an operator is the passing of time.
    pub(super) fn is_delay(&self, operator: u32) -> bool {
        self.changes[operator as usize] == Change::Delay
    }

    /// Rows of zones.
    pub(super) fn dim(&self) -> usize {
        self.dim
    }

    /// All clock values.
    pub(super) fn all(&self) -> Dbm {
        Dbm::universal(self.dim)
    }

    /// All clocks at 0.
    pub(super) fn zero(&self) -> Dbm {
        Dbm::zero(self.dim)
    }

    /// Notes the greatest constant that there is.
    pub(super) fn settle(&mut self) {
        let of_jump = |jump: &Jump| {
            let constraints = jump.guard.iter().chain(&jump.arrival);
            let resets = jump.resets.iter().filter_map(|(_, value)| *value).map(i64::from).max();
            constraints.map(size).max().max(resets)
        };
        let of = |change: &Change| if let Change::Label(jump) = change { of_jump(jump) } else { None };
        let places = self.places.iter().flatten().flatten().flat_map(|place| &place.invariant).map(size);
        self.constant = self.changes.iter().filter_map(of).chain(places).max().unwrap_or(0).max(1);
    }

    /// Whether bounds stay small enough on a way of so many operators.
    pub(super) fn bears(&self, operators: usize) -> bool {
        let points = (operators as u64 + 1).saturating_mul(self.dim as u64 + 1);
        points.saturating_mul(self.constant as u64) < MOST_BOUND
    }

    /// Whether a bound is small enough to be kept.
    pub(super) fn keeps(&self, bound: Bound) -> bool {
        bound.constant().is_some_and(|constant| u64::from(constant.unsigned_abs()) < MOST_BOUND / 8)
    }

    /// Whether a factor is of an automaton of whose locations something is known, and a set has only one of them.
    pub(super) fn knows(&self, system: &System, factor: usize, set: &[u64]) -> bool {
        self.place(system, factor, set).is_some_and(|place| !place.says_nothing())
    }

    fn place(&self, system: &System, factor: usize, set: &[u64]) -> Option<&Place> {
        let places = self.places[factor].as_ref()?;
        let part = &set[system.range(factor)];
        let mut states = each(part);
        let only = states.next()?;
        states.next().is_none().then(|| &places[only.index()])
    }

    /// The places that a set has the only location of, apart from factors that an operator changes.
    fn known<'a>(
        &'a self,
        system: &'a System,
        set: &'a [u64],
        except: Option<u32>,
    ) -> impl Iterator<Item = &'a Place> + 'a {
        let stays = move |factor: &&usize| except.is_none_or(|operator| !system.touches(operator, **factor));
        self.telling.iter().filter(stays).filter_map(move |factor| self.place(system, *factor, set))
    }

    /// What an operator makes of clock values in a set; false if nothing.
    pub(super) fn step(&self, system: &System, operator: u32, set: &[u64], zone: &mut Dbm) -> bool {
        let before = self.known(system, set, None);
        match &self.changes[operator as usize] {
            Change::Aside(freed) => {
                freed.iter().for_each(|clock| zone.free(*clock));
                true
            }
            Change::Delay => {
                let mut invariants = Vec::new();
                for place in before {
                    if place.still {
                        return false;
                    }
                    invariants.extend_from_slice(&place.invariant);
                }
                if !zone.constrain_all(&invariants) {
                    return false;
                }
                zone.up();
                zone.constrain_all(&invariants)
            }
            Change::Label(jump) => {
                for place in before {
                    if place.committed && !jump.leaves_committed || !zone.constrain_all(&place.invariant) {
                        return false;
                    }
                }
                if !zone.constrain_all(&jump.guard) {
                    return false;
                }
                for (clock, value) in &jump.resets {
                    match value {
                        _ if fault::active(Fault::CartesianResetForgotten) => {}
                        Some(value) => zone.reset(*clock, *value),
                        None => zone.free(*clock),
                    }
                }
                zone.constrain_all(&jump.arrival) && { self.known(system, set, Some(operator)) }
                    .all(|place| zone.constrain_all(&place.invariant))
            }
        }
    }

    /// The clock values in a set from which an operator leads to some others; false if there are none.
    pub(super) fn back(&self, system: &System, operator: u32, set: &[u64], zone: &mut Dbm) -> bool {
        match &self.changes[operator as usize] {
            Change::Aside(freed) => {
                freed.iter().for_each(|clock| zone.free(*clock));
                true
            }
            Change::Delay => {
                let mut invariants = Vec::new();
                for place in self.known(system, set, None) {
                    if place.still {
                        return false;
                    }
                    invariants.extend_from_slice(&place.invariant);
                }
                if !zone.constrain_all(&invariants) {
                    return false;
                }
                zone.down();
                zone.constrain_all(&invariants)
            }
            Change::Label(jump) => {
                let after = { self.known(system, set, Some(operator)) }
                    .all(|place| zone.constrain_all(&place.invariant));
                if !after || !zone.constrain_all(&jump.arrival) {
                    return false;
                }
                for (clock, value) in jump.resets.iter().rev() {
                    if let Some(value) = value {
                        let (above, below) = (Bound::le(*value), Bound::le(-*value));
                        if !zone.constrain(*clock, 0, above) || !zone.constrain(0, *clock, below) {
                            return false;
                        }
                    }
                    zone.free(*clock);
                }
                let allowed = |place: &Place| !place.committed || jump.leaves_committed;
                zone.constrain_all(&jump.guard) && { self.known(system, set, None) }
                    .all(|place| allowed(place) && zone.constrain_all(&place.invariant))
            }
        }
    }

    /// The factors of which something is known.
    pub(super) fn telling(&self) -> &[usize] {
        &self.telling
    }
}

/// What is known of the locations of an automaton, if a factor has them.
fn places(network: &Network, layout: &Layout, source: Source) -> Option<Vec<Place>> {
    let Source::Slot(slot, least, values) = source else { return None };
    let SlotKind::Location(process) = layout.slots[slot].kind else { return None };
    let automaton = &network.processes[process];
    if automaton.role != Role::System {
        return None;
    }
    let place = |value: i64| {
        let Some(location) = layout.location(process, value) else { return Place::default() };
        let location = &automaton.locations[location];
        Place {
            invariant: constraints(&location.invariant),
            still: location.urgent || location.committed,
            committed: location.committed,
        }
    };
    Some((least..).take(values).map(place).collect())
}

/// Those clock constraints whose bounds are known.
fn constraints(atoms: &[ClockAtom]) -> Vec<Constraint> {
    let mut all = Vec::new();
    for atom in atoms.iter().filter(|atom| atom.when.as_ref().is_none_or(Expr::is_true)) {
        let Expr::Const(bound) = atom.bound else { continue };
        if bound.abs() > MOST_CONSTANT {
            continue;
        }
        let (left, right, bound) = (row(atom.left), atom.right.map_or(0, row), bound as i32);
        let above = |bound| Constraint::new(left, right, bound);
        let below = |bound| Constraint::new(right, left, bound);
        match atom.op {
            ClockOp::Lt => all.push(above(Bound::lt(bound))),
            ClockOp::Le => all.push(above(Bound::le(bound))),
            ClockOp::Eq => all.extend([above(Bound::le(bound)), below(Bound::le(-bound))]),
            ClockOp::Ge => all.push(below(Bound::le(-bound))),
            ClockOp::Gt => all.push(below(Bound::lt(-bound))),
        }
    }
    all
}

/// The row of a clock in zones.
fn row(clock: ClockId) -> usize {
    clock.index() + 1
}

/// The constant of a constraint.
fn size(constraint: &Constraint) -> i64 {
    constraint.bound.constant().map_or(0, |constant| i64::from(constant).abs())
}

/// What labels of a network do to clocks.
#[derive(Debug)]
pub(super) struct Jumps<'a> {
    network: &'a Network,
    /// Clocks that receivers of broadcasts may set.
    by_receivers: BTreeSet<usize>,
    /// The factor of each automaton's location, if there is one.
    factor_of: BTreeMap<ProcessId, usize>,
}

impl<'a> Jumps<'a> {
    pub(super) fn new(network: &'a Network, sources: &[Source]) -> Self {
        let layout = Layout::of_network(network);
        let mut by_receivers = BTreeSet::new();
        for process in &network.processes {
            for edge in process.edges.iter().filter(|edge| matches!(edge.sync, Sync::Receive(_))) {
                by_receivers.extend(written(network, &edge.update));
            }
        }
        let factor = |(at, source): (usize, &Source)| match *source {
            Source::Slot(slot, ..) => match layout.slots[slot].kind {
                SlotKind::Location(process) => Some((process, at)),
                _ => None,
            },
            Source::Monitor => None,
        };
        Self { network, by_receivers, factor_of: sources.iter().enumerate().filter_map(factor).collect() }
    }

    /// What a label does to clocks.
    pub(super) fn of(&self, label: &Label) -> Change {
        let edges = || label.edges.iter().map(|(process, edge)| (*process, self.edge(*process, *edge)));
        if edges().any(|(process, _)| self.network.processes[process].role == Role::Observer) {
            let freed: BTreeSet<usize> =
                edges().flat_map(|(_, edge)| written(self.network, &edge.update)).collect();
            return Change::Aside(freed.into_iter().collect());
        }
        let mut resets: BTreeMap<usize, Option<i32>> = BTreeMap::new();
        let (mut guard, mut arrival) = (Vec::new(), Vec::new());
        // Others may join: nobody knows who.
        let open = label.edges.len() == 1 && edges().any(|(_, edge)| matches!(edge.sync, Sync::Send(_)));
        let mut leaves_committed = open;
        for (process, edge) in edges() {
            let automaton = &self.network.processes[process];
            guard.extend(constraints(&edge.clock_guard));
            leaves_committed |= automaton.locations[edge.source].committed;
            self.add_resets(&edge.update, &mut resets);
            let stays = edge.update.last() != Some(&Stmt::Exit);
            if stays && self.factor_of.contains_key(&process) {
                arrival.extend(constraints(&automaton.locations[edge.target].invariant));
            }
        }
        if open {
            resets.extend(self.by_receivers.iter().map(|clock| (*clock, None)));
        }
        let resets = resets.into_iter().collect();
        Change::Label(Jump { guard, resets, arrival, leaves_committed })
    }

    fn edge(&self, process: ProcessId, edge: beeline_ir::EdgeId) -> &'a Edge {
        &self.network.processes[process].edges[edge]
    }

    /// What an update does to clocks, after others.
    fn add_resets(&self, update: &Block, resets: &mut BTreeMap<usize, Option<i32>>) {
        for statement in update {
            match statement {
                Stmt::ClockSet(clock, Expr::Const(value)) if (0..=MOST_CONSTANT).contains(value) => {
                    resets.insert(row(*clock), Some(*value as i32));
                }
                _ => {
                    let all = written(self.network, &vec![statement.clone()]);
                    resets.extend(all.into_iter().map(|clock| (clock, None)));
                }
            }
        }
    }
}

/// The clocks that statements may write, those of functions included.
fn written(network: &Network, block: &Block) -> BTreeSet<usize> {
    let (mut found, mut open, mut seen) = (BTreeSet::new(), vec![block], BTreeSet::new());
    while let Some(block) = open.pop() {
        walk_block(block, &mut |statement, _| match statement {
            Stmt::ClockSet(clock, _) | Stmt::ClockCopy(clock, _) => _ = found.insert(row(*clock)),
            Stmt::Call(function, ..) if seen.insert(*function) => {
                open.push(&network.functions[*function].body)
            }
            _ => {}
        });
    }
    found
}
