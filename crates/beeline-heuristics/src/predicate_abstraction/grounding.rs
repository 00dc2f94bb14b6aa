//! Makes a [`System`] of a projection: runs the factored view of it, and notes what labels and locations say about clocks.
//!
//! What is not known exactly becomes weaker: of a clock bound that is computed the most lenient value counts, a clock
//! that is set to something that depends may have had any value, receivers of a broadcast may or may not have set
//! their clocks; constraints with a condition, urgency of channels, priorities and the conditions of invariants count
//! nothing.

use super::predicates::Predicate;
use super::system::{Operator, Place, Region, System};
use crate::factors::{Atomic, Facts, Source, bits, live};
use beeline_abstraction::projection::Projection;
use beeline_ir::expr::{BinaryOp, ClockOp, Expr, Range};
use beeline_ir::layout::SlotKind;
use beeline_ir::limits::StopReason;
use beeline_ir::network::{ChannelKind, Network, Role, Var};
use beeline_ir::property::{Property, Target as Wanted};
use beeline_ir::stmt::{Place as Stored, Stmt, Store, Target};
use beeline_ir::visit::walk;
use beeline_ir::{ClockId, EdgeId, IdVec, ProcessId, VarId};
use beeline_program::clock_flow::ClockFlows;
use beeline_program::factored::{Cube, Factored, Formula, Meter};
use beeline_program::schema::EdgeRef;
use beeline_program::shortcut::Step;
use beeline_program::{Atom, CompiledEdge, CompiledSync, Predicate as Compiled, Program};
use beeline_zones::{Bound, Constraint, Dbm, max_constant};
use std::collections::{BTreeMap, BTreeSet};

/// Ways to meet the target, beyond which it may be anywhere.
const MOST_GOALS: usize = 1 << 10;

/// A projection that is being looked at.
pub(super) struct Grounding<'a> {
    pub(super) network: Network,
    property: &'a Property,
    pub(super) program: Program,
    committed: &'a BTreeSet<EdgeRef>,
    flows: ClockFlows,
    /// By clock, its row.
    rows: IdVec<ClockId, Option<usize>>,
    dim: usize,
    /// By edge, the clocks it sets, and to what if that is known.
    sets: BTreeMap<EdgeRef, BTreeMap<usize, Option<i32>>>,
}

/// A network with a variable that every edge sets which sets a clock: so labels that do nothing else are seen, too.
fn touching(network: &Network, flows: &ClockFlows) -> Network {
    let mut touched = network.clone();
    let touch: VarId = touched.vars.push(Var {
        name: "clocks set".into(),
        owner: None,
        range: Range::BOOL,
        len: None,
        init: vec![0],
        symbols: None,
        origin: None,
    });
    let target = Target { place: Stored::Var(touch), store: Store::Checked };
    for edge in touched.processes.iter_mut().flat_map(|process| process.edges.iter_mut()) {
        if flows.edge(edge).written().next().is_some() {
            edge.update.insert(0, Stmt::Assign(target.clone(), Expr::Const(1)));
        }
    }
    touched
}

impl<'a> Grounding<'a> {
    pub(super) fn new(projection: &'a Projection) -> Self {
        let flows = ClockFlows::of(&projection.network);
        let network = touching(&projection.network, &flows);
        let mut program = Program::compile(&network);
        let property = &projection.property;
        let goal = goal(&mut program, &network, property);
        let mut compared: BTreeSet<ClockId> = BTreeSet::new();
        let mut compare = |atom: &Atom| compared.extend([Some(atom.left), atom.right].into_iter().flatten());
        for process in &program.processes {
            process.locations.iter().flat_map(|location| &location.invariant).for_each(&mut compare);
            process.edges.iter().flat_map(|edge| &edge.clock_guard).for_each(&mut compare);
        }
        goal.iter().for_each(|(atom, _)| compare(atom));
        let mut rows: IdVec<ClockId, Option<usize>> = network.clocks.iter().map(|_| None).collect();
        compared.iter().zip(1..).for_each(|(clock, row)| rows[*clock] = Some(row));
        let committed = &projection.committed;
        let dim = compared.len() + 1;
        let mut made =
            Self { network, property, program, committed, flows, rows, dim, sets: BTreeMap::new() };
        made.sets = made.edges().map(|at| (at, made.sets_of(at))).collect();
        made
    }

    fn edges(&self) -> impl Iterator<Item = EdgeRef> + '_ {
        let processes = self.network.processes.enumerate();
        processes.flat_map(|(id, process)| process.edges.ids().map(move |edge: EdgeId| (id, edge)))
    }

    fn compiled(&self, (process, edge): EdgeRef) -> &CompiledEdge {
        &self.program.processes[process].edges[edge]
    }

    /// An atom as constraints: what it asks for at least.
    pub(super) fn constraints(&self, atom: &Atom) -> Vec<Constraint> {
        let most = i64::from(max_constant(self.dim));
        let row = |clock: ClockId| self.rows[clock];
        let (Some(left), Some(right)) = (row(atom.left), atom.right.map_or(Some(0), row)) else {
            return Vec::new();
        };
        let Range { lo, hi } = atom.interval;
        if atom.when.is_some() || lo > hi || lo < -most || hi > most {
            return Vec::new();
        }
        let (lo, hi) = (lo as i32, hi as i32);
        let (below, above) = (
            |bound: Bound| Constraint::new(left, right, bound),
            |bound: Bound| Constraint::new(right, left, bound),
        );
        match atom.op {
            ClockOp::Lt => vec![below(Bound::lt(hi))],
            ClockOp::Le => vec![below(Bound::le(hi))],
            ClockOp::Eq => vec![below(Bound::le(hi)), above(Bound::le(-lo))],
            ClockOp::Ge => vec![above(Bound::le(-lo))],
            ClockOp::Gt => vec![above(Bound::lt(-lo))],
        }
    }

    fn all_constraints(&self, atoms: &[Atom]) -> Vec<Constraint> {
        atoms.iter().flat_map(|atom| self.constraints(atom)).collect()
    }

    /// What an edge sets clocks to.
    fn sets_of(&self, at: EdgeRef) -> BTreeMap<usize, Option<i32>> {
        let flow = self.flows.edge(&self.network.processes[at.0].edges[at.1]);
        let written = flow.written().filter_map(|(clock, _)| self.rows[clock]);
        let mut sets: BTreeMap<usize, Option<i32>> = written.map(|row| (row, None)).collect();
        for step in self.compiled(at).steps.iter().flatten() {
            if let Step::Clock(clock, value) = step
                && let Some(row) = self.rows[*clock]
            {
                let value = i32::try_from(*value).ok().filter(|value| *value <= max_constant(self.dim));
                sets.insert(row, value);
            }
        }
        sets
    }

    /// What labels with these edges ask of clocks and do to them.
    fn clocks(&self, edges: &[EdgeRef]) -> Operator {
        let guard = edges.iter().flat_map(|at| self.all_constraints(&self.compiled(*at).clock_guard));
        let mut sets: BTreeMap<usize, Option<i32>> = BTreeMap::new();
        edges.iter().for_each(|at| sets.extend(&self.sets[at]));
        let leaves = |(process, edge): &EdgeRef| {
            let (source, its) = (self.compiled((*process, *edge)).source, &self.program.processes[*process]);
            // The observer moves along, whoever is at a committed location.
            its.locations[source].committed
                || its.role == Role::Observer
                || self.committed.contains(&(*process, *edge))
        };
        let mut committed = edges.iter().any(leaves);
        if let [at] = edges
            && let CompiledSync::Send { channel, .. } = &self.compiled(*at).sync
        {
            let broadcast = |kind| kind == ChannelKind::Broadcast;
            for other in self.edges().filter(|other| other.0 != at.0) {
                if let CompiledSync::Receive { channel: its, .. } = &self.compiled(other).sync
                    && channel.may_meet(*its, &self.program, broadcast)
                {
                    committed |= leaves(&other);
                    sets.extend(self.sets[&other].keys().map(|row| (*row, None)));
                }
            }
        }
        let mut guard: Vec<Constraint> = guard.collect();
        guard.sort_unstable();
        guard.dedup();
        Operator { parts: Vec::new(), leaves: Vec::new(), guard, sets: sets.into_iter().collect(), committed }
    }

    /// The system; `None` if the target may be anywhere.
    pub(super) fn system(
        &mut self,
        projection: &Projection,
        meter: &Meter<'_>,
    ) -> Result<Option<System>, StopReason> {
        let factored = Factored::new(&self.network, Some(self.property), meter)?;
        let initial = self.program.layout.initial(&self.network);
        let Some(goals) = goals(&factored) else { return Ok(None) };
        let atomic = Atomic::whole(&factored, &initial, meter)?;
        let facts = Facts::new(&atomic);
        // The slots of the projection go by other numbers where there is one more variable.
        let of_projection = beeline_ir::layout::Layout::of_network(&projection.network);
        let original = |kind: SlotKind| {
            let at = of_projection.slots.iter().position(|slot| slot.kind == kind)?;
            projection.slots[at]
        };
        let (mut slots, mut places) = (Vec::new(), Vec::new());
        // By automaton that is kept, its factor.
        let mut located: IdVec<ProcessId, Option<usize>> =
            self.program.processes.ids().map(|_| None).collect();
        for (source, _) in &atomic.factors {
            let Source::Slot(slot, least, _) = *source else {
                slots.push(None);
                places.push(None);
                continue;
            };
            let kind = self.program.layout.slots[slot].kind;
            let from = original(kind);
            slots.push(from.map(|from| (from, least)));
            places.push(match kind {
                SlotKind::Location(process) if from.is_some() && least == 0 => {
                    located[process] = Some(places.len());
                    Some(self.places(process))
                }
                _ => None,
            });
        }
        let operators = self.operators(&factored, &atomic, &slots, &located, meter)?;
        let clocks = self.rows.enumerate().filter_map(|(clock, row)| row.map(|_| clock)).collect();
        let mut now = Vec::new();
        if !facts.read(&initial, &mut now) {
            return Ok(None);
        }
        let values = now.iter().enumerate().map(|(factor, fact)| fact - facts.of(factor).start).collect();
        let initial = (values, Dbm::zero(self.dim));
        let mut system =
            System { atomic, facts, operators, places, slots, clocks, goals: Vec::new(), initial };
        system.initial.1 = self.initial_zone(&system);
        let asked = self.goal_constraints();
        for goal in &goals {
            system.goals.extend(self.region(&system, goal, &asked));
        }
        Ok(Some(system))
    }

    fn places(&self, process: ProcessId) -> Vec<Place> {
        let locations = self.program.processes[process].locations.iter();
        let place = |location: &beeline_program::CompiledLocation| Place {
            invariant: self.all_constraints(&location.invariant),
            still: location.urgent || location.committed,
            committed: location.committed,
        };
        locations.map(place).collect()
    }

    /// The initial zone and what time makes of it while the automata stay where they are. (Others may keep it from
    /// passing, but they move on.)
    fn initial_zone(&self, system: &System) -> Dbm {
        let mut zone = Dbm::zero(self.dim);
        let here = |factor: usize| {
            system.places[factor].as_ref().and_then(|places| places.get(system.initial.0[factor]))
        };
        if !(0..system.factors()).filter_map(here).any(|place| place.still) {
            zone.up();
            // An invariant that does not hold at the start is nothing that an estimate has to know of.
            let mut invariants = (0..system.factors()).filter_map(here).flat_map(|place| &place.invariant);
            if !invariants.all(|c| zone.constrain(c.left, c.right, c.bound)) {
                return Dbm::zero(self.dim);
            }
        }
        zone
    }

    /// What the target asks of clocks, if it is asked for in every state of it.
    fn goal_constraints(&mut self) -> Vec<Constraint> {
        let atoms = goal(&mut self.program, &self.network, self.property);
        let of = |(atom, positive): &(Atom, bool)| {
            if *positive {
                return self.constraints(atom);
            }
            // The interval of a constant is the constant, so the negation is as exact.
            match atom.op.negations() {
                [op] if atom.interval.lo == atom.interval.hi => {
                    self.constraints(&Atom { op: *op, ..atom.clone() })
                }
                _ => Vec::new(),
            }
        };
        atoms.iter().flat_map(of).collect()
    }

    fn region(&self, system: &System, goal: &Cube, asked: &[Constraint]) -> Option<Region> {
        let mut region = system.everything();
        for (factor, (source, _)) in system.atomic.factors.iter().enumerate() {
            let Source::Slot(slot, least, _) = *source else { continue };
            let Some(values) = goal.of(slot) else { continue };
            for (fact, value) in system.range(factor).zip(least..) {
                if !values.contains(&value) {
                    bits::take(&mut region.cube, fact);
                }
            }
            system.held(&region.cube, factor).next()?;
        }
        asked.iter().all(|c| region.zone.constrain(c.left, c.right, c.bound)).then_some(region)
    }

    fn operators(
        &self,
        factored: &Factored,
        atomic: &Atomic,
        slots: &[Option<(usize, i64)>],
        located: &IdVec<ProcessId, Option<usize>>,
        meter: &Meter<'_>,
    ) -> Result<Vec<(Operator, bool)>, StopReason> {
        let irrelevant: Vec<Vec<bool>> =
            atomic.factors.iter().map(|(_, factor)| factor.irrelevant()).collect();
        let mut known: BTreeMap<Operator, bool> = BTreeMap::new();
        for (label, costs) in live(&atomic.labels) {
            let Some(origin) = atomic.origins[label] else { continue };
            let part = |(factor, (_, its)): (usize, &(Source, crate::factors::Factor))| {
                let group = its.group_of[label];
                let counts = slots[factor].is_some() && !irrelevant[factor][group as usize];
                counts.then_some((factor, group))
            };
            let parts: Vec<(usize, u32)> = atomic.factors.iter().enumerate().filter_map(part).collect();
            let edges = &factored.label(origin).edges;
            meter.work((atomic.factors.len() + edges.len()) as u64)?;
            let leaves = |at: &(ProcessId, EdgeId)| Some((located[at.0]?, self.compiled(*at).source.index()));
            let mut leaves: Vec<(usize, usize)> = edges.iter().filter_map(leaves).collect();
            leaves.sort_unstable();
            let operator = Operator { parts, leaves, ..self.clocks(edges) };
            let affects = |(factor, group): &(usize, u32)| {
                let moves = &atomic.factors[*factor].1.groups[*group as usize];
                moves.iter().any(|(from, to)| from != to)
            };
            // What changes nothing leads nowhere.
            if operator.sets.is_empty() && !operator.parts.iter().any(affects) {
                continue;
            }
            *known.entry(operator).or_insert(costs) &= costs;
        }
        meter.allocate(known.len() * size_of::<(Operator, bool)>())?;
        Ok(known.into_iter().collect())
    }
}

/// The ways to meet the goal; `None` if it may be met anywhere, as far as can be told.
fn goals(factored: &Factored) -> Option<Vec<Cube>> {
    let asked = factored.goal.map(&mut |cond| {
        let cond = factored.cond(*cond);
        let values = cond.facts.iter().map(|fact| factored.domains.value(*fact)).collect();
        Formula::Holds(Cube(vec![(cond.slot, values)]))
    });
    asked.cubes(MOST_GOALS)
}

/// The clock atoms that hold, or do not, wherever the target is met; none if it might fail at run time.
fn goal(program: &mut Program, network: &Network, property: &Property) -> Vec<(Atom, bool)> {
    let mut atoms = Vec::new();
    let Wanted::State(target) = property.target() else { return atoms };
    let mut may_fail = false;
    walk(&target, &mut |part| {
        may_fail |= match part {
            Expr::Const(_) | Expr::Var(_) | Expr::At(..) | Expr::And(_) | Expr::Or(_) => false,
            Expr::Clock(atom) => !matches!(atom.bound, Expr::Const(_)) || atom.when.is_some(),
            Expr::Unary(op, _) => *op != beeline_ir::expr::UnaryOp::Not,
            Expr::Binary(op, ..) => !matches!(
                op,
                BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge
            ),
            _ => true,
        }
    });
    if may_fail || property.observer().is_some() {
        return atoms;
    }
    if let Ok(predicate) = program.compile_predicate(network, &property.frame, &target) {
        conjuncts(&predicate, true, &mut atoms);
    }
    atoms
}

fn conjuncts(predicate: &Compiled, positive: bool, atoms: &mut Vec<(Atom, bool)>) {
    match (predicate, positive) {
        (Compiled::Clock(atom), _) => atoms.push((atom.clone(), positive)),
        (Compiled::Not(inner), _) => conjuncts(inner, !positive, atoms),
        (Compiled::And(parts), true) | (Compiled::Or(parts), false) => {
            parts.iter().for_each(|part| conjuncts(part, positive, atoms));
        }
        _ => {}
    }
}

/// A clock constraint as a predicate; one and its negation are the same.
pub(super) fn clock_predicate(constraint: Constraint) -> Predicate {
    let turned = constraint.left < constraint.right;
    Predicate::Clock(if turned { constraint.negated() } else { constraint })
}
