//! Partial-order reduction: of labels that do not interfere, one order is as good as another, and looking at one is
//! enough.
//!
//! *Stubborn* sets begin with whoever can bring the goal about: every run to it needs one of them, so the set keeps a
//! shortest run of every state ([`closure`] says why). For a deadlock they may begin with anybody who can move: as
//! long as nobody of the set moves, it can.
//!
//! *Ample* sets begin anywhere. They may put off what matters, so they keep verdicts, not lengths, and only if nothing
//! is put off for ever: a search has to see to it that some label of the set leads to a state that is still to be
//! expanded, and look at all labels otherwise (Bošnački, Leue and Lluch Lafuente, "Partial-order reduction for general
//! state exploring algorithms", STTT 2009). And no label of the set may have a say in whether a state is a goal. A
//! sequence that keeps others waiting is one label to that rule, whose end is not seen when it begins: only one that
//! ends, and never begins again, may be in such a set.
//!
//! In a state where somebody is at a committed location or holds the token, nothing is left out.

mod access;
mod closure;
mod context;
mod footprint;
mod futures;
mod resources;

pub use closure::{Here, Working};

use crate::successors::space::{Goal, Space};
use crate::time::TimePart;
use beeline_ir::expr::{Expr, UnaryOp};
use beeline_ir::limits::Limits;
use beeline_ir::network::{Network, Role};
use beeline_ir::outcome::Stats;
use beeline_ir::property::{Property, Target};
use beeline_ir::{EdgeId, IdVec, ProcessId};
use beeline_program::{Machine, Predicate, Program, RoutineId, liveness};
use beeline_zones::fault::{self, Fault};
use footprint::{Footprints, may_fail};
use futures::{Block, Futures};
use resources::{Bits, Resources};

/// Which labels may be left out.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Reduction {
    /// None.
    #[default]
    Off,
    /// Strong stubborn sets that keep shortest lengths.
    Stubborn,
    /// Ample sets that keep verdicts.
    Ample,
}

/// The reduction of a network for a property.
#[derive(Clone, Debug)]
pub struct PartialOrder {
    kind: Reduction,
    resources: Resources,
    footprints: std::sync::Arc<Footprints>,
    futures: IdVec<ProcessId, Futures>,
    /// What follows an edge, by its number.
    blocks: Vec<Option<Block>>,
    /// The number of the first edge of each process, and of all edges.
    first_edge: IdVec<ProcessId, usize>,
    edges: usize,
    /// The family of each process.
    family: IdVec<ProcessId, Option<usize>>,
    goal: Sought,
    /// What decides whether a state is a goal, if a state is what is looked for.
    visible: Option<Bits>,
}

/// What is looked for.
#[derive(Clone, Debug)]
enum Sought {
    /// A state in which all of these hold.
    State(Vec<Conjunct>),
    /// A deadlock, in which something may have to hold besides.
    Stuck,
    /// A label with one of these marks.
    Label(Bits),
}

/// A condition that every goal meets.
#[derive(Clone, Debug)]
struct Conjunct {
    /// Its truth.
    routine: RoutineId,
    /// What that depends on.
    reads: Bits,
}

/// Why nothing can be left out.
pub type WhyNot = &'static str;

/// Bytes for all sets beyond which it is not worth the memory.
const BUDGET: u64 = 1 << 28;

/// How much memory what edges and processes may touch takes.
fn bytes(program: &Program, resources: &Resources) -> u64 {
    let words = |items: usize| items.div_ceil(64) as u64;
    let sizes = program.processes.iter().map(|process| {
        let (edges, places) = (process.edges.len(), process.locations.len() as u64 + 1);
        5 * edges as u64 * words(resources.len()) + places * (2 * words(resources.len()) + words(edges))
    });
    8 * sizes.sum::<u64>()
}

/// Whether there is time to go on.
fn go_on(limits: &Limits) -> Result<(), WhyNot> {
    limits.check(0, 0).map_err(|_| "a limit was reached before it was made")
}

impl PartialOrder {
    /// The reduction of a network for a property, or why there is none. Code is added to the program.
    pub fn new(
        network: &Network,
        program: &mut Program,
        property: &Property,
        goal: &Goal,
        (kind, limits): (Reduction, &Limits),
    ) -> Result<Self, WhyNot> {
        if property.observer().is_some() {
            return Err("a claim watches every step");
        }
        let system = program.processes.iter().filter(|process| process.role == Role::System);
        if system.clone().count() < 2 {
            return Err("there is one process only");
        }
        let mut priorities = system.map(|process| process.priority);
        let first = priorities.next();
        if priorities.any(|priority| Some(priority) != first)
            || program.elements.iter().any(|element| element.priority != 0)
        {
            return Err("labels have priorities");
        }
        if program.clocks > 0 && program.layout.holder.is_some() {
            return Err("whoever takes the token away lets time pass");
        }
        let resources = Resources::new(program);
        let (goal, reads) = sought(network, program, &resources, property, goal)?;
        let bytes = bytes(program, &resources);
        if bytes > limits.memory.map_or(BUDGET, |memory| BUDGET.min(memory / 4)) {
            return Err("the network is too large");
        }
        let of_labels = matches!(goal, Sought::Label(_));
        let footprints = footprint::of(network, program, &resources, (&reads, of_labels), limits)?;
        let futures = futures::of(network, program, &resources, &footprints, limits)?;
        let (mut first_edge, mut edges, mut blocks) = (IdVec::new(), 0, Vec::new());
        for (process, compiled) in program.processes.enumerate() {
            first_edge.push(edges);
            edges += compiled.edges.len();
            let block = |edge: EdgeId| futures::block(program, &resources, &footprints, (process, edge));
            blocks.extend(compiled.edges.ids().map(block));
        }
        let family = network.processes.iter().map(|process| process.family.map(|family| family.index()));
        let (family, footprints) = (family.collect(), std::sync::Arc::new(footprints));
        let visible = matches!(goal, Sought::State(_)).then_some(reads);
        Ok(Self { kind, resources, footprints, futures, blocks, first_edge, edges, family, goal, visible })
    }

    /// Whether some label that is looked at has to lead to a state that is still to be expanded; otherwise the others have
    /// to be looked at, too.
    pub fn must_progress(&self) -> bool {
        self.kind == Reduction::Ample && !matches!(self.goal, Sought::Stuck)
    }

    /// Whether some label that is looked at has to lead anywhere; otherwise the others have to be looked at, too.
    pub fn must_lead_somewhere(&self) -> bool {
        matches!(self.goal, Sought::Stuck)
    }

    /// Chooses the processes whose labels are looked at in a state; false if those are all.
    pub fn choose(&self, here: Here<'_>, machine: &mut Machine, working: &mut Working) -> bool {
        let Here { program, slots, enabled } = here;
        let all = enabled.allowed.len() as u32;
        let holder = program.layout.holder.map_or(0, |slot| slots[slot]);
        let committed = |process: ProcessId| {
            program
                .location(process, slots)
                .is_some_and(|l| program.processes[process].locations[l].committed)
        };
        // Whoever holds the token goes first if it can go at all.
        let holds = |i: usize| enabled.instances[i].process.index() as i64 + 1 == holder;
        if all < 2
            || holder != 0 && enabled.allowed.iter().any(|candidate| holds(candidate.parts[0]))
            || program.processes.ids().any(committed)
        {
            return false;
        }
        self.look_around(here, working);
        let mut best = all;
        let seeded =
            |working: &mut Working, best: &mut u32, seed: &mut dyn FnMut(&Self, &mut Working), unseen| {
                if *best == 0 {
                    return;
                }
                self.begin(working);
                seed(self, working);
                if matches!(self.goal, Sought::Stuck) {
                    self.add_exclusive(here, working);
                }
                if self.close(here, working, *best - 1, unseen) {
                    *best = working.choose();
                }
            };
        let anybody = self.kind == Reduction::Ample
            || matches!(self.goal, Sought::Stuck)
            || fault::active(Fault::GoalSeedForgotten);
        if anybody {
            let unseen = self.visible.as_ref().filter(|_| self.kind == Reduction::Ample);
            for process in program.processes.ids() {
                if best > 1 && working.initiates(process) {
                    seeded(working, &mut best, &mut |this, w| this.add(here, w, process), unseen);
                }
            }
        }
        match &self.goal {
            Sought::State(conjuncts) if self.kind == Reduction::Stubborn => {
                for Conjunct { routine, reads } in conjuncts {
                    if machine.eval(program, *routine, slots, &[]) == Ok(0) {
                        seeded(working, &mut best, &mut |this, w| this.add_writers(here, w, reads), None);
                    }
                }
            }
            Sought::Label(marks) if self.kind == Reduction::Stubborn => {
                seeded(working, &mut best, &mut |this, w| this.add_readers(here, w, marks), None);
            }
            _ => {}
        }
        best < all
    }
}

/// States after which it shows whether leaving labels out is worth it, and the share of labels, of a hundred, that has to
/// be left out by then.
const TRIAL: u64 = 1000;
const LEAST_PERCENT: u64 = 20;
/// Where it was not, it is tried again once there are so many times as many states: how a model begins says little about
/// how it goes on.
const AGAIN: u64 = 4;

/// Whether a search leaves labels out: only as long as it is worth it.
#[derive(Copy, Clone, Debug)]
pub struct Trial {
    /// It does.
    pub on: bool,
    /// Once so many states are expanded, that is decided anew.
    until: Option<u64>,
    /// Labels made and left out when it was tried last.
    before: (u64, u64),
    /// After how many states it has shown not to be worth it.
    pub off_after: Option<u64>,
}

impl Trial {
    /// At the start of a search.
    pub fn new<T: TimePart>(space: &Space<T>) -> Self {
        let on = space.partial_order.is_ok();
        Self { on, until: on.then_some(TRIAL), before: (0, 0), off_after: None }
    }
    /// Counts what has been done so far.
    pub fn go_on(&mut self, stats: &Stats) {
        let Stats { expanded, generated, left_out, .. } = *stats;
        if self.until.is_none_or(|until| expanded < until) {
            return;
        }
        if !self.on {
            let (until, before) = (Some(expanded + TRIAL), (generated, left_out));
            *self = Self { on: true, until, before, off_after: None };
            return;
        }
        self.until = None;
        let (generated, left_out) = (generated - self.before.0, left_out - self.before.1);
        if left_out * 100 < LEAST_PERCENT * (left_out + generated) {
            (self.on, self.until, self.off_after) = (false, Some(AGAIN * expanded), Some(expanded));
        }
    }
}

/// What a search looks for, and which resources decide about that.
fn sought(
    network: &Network,
    program: &mut Program,
    resources: &Resources,
    property: &Property,
    goal: &Goal,
) -> Result<(Sought, Bits), WhyNot> {
    let mut mark = Bits::none(resources);
    let predicate = match goal {
        Goal::Nothing => return Err("all states are asked for"),
        Goal::Assertion => {
            mark.add(resources.asserts());
            return Ok((Sought::Label(mark), Bits::none(resources)));
        }
        Goal::RuntimeError => {
            let conditional = |process: &beeline_program::CompiledProcess| {
                process
                    .locations
                    .iter()
                    .any(|location| location.condition.is_some() || !location.invariant.is_empty())
            };
            if program.processes.iter().any(conditional) {
                return Err("invariants may fail, too");
            }
            mark.add(resources.fails());
            return Ok((Sought::Label(mark), Bits::none(resources)));
        }
        Goal::State(predicate, _) | Goal::Stuck { predicate, .. } => predicate,
    };
    let stuck = matches!(goal, Goal::Stuck { .. });
    if !stuck && mentions_deadlock(predicate) {
        return Err("whether there is a deadlock depends on more");
    }
    let mut visible = read_by(program, resources, predicate);
    if timed(predicate) {
        visible.add(resources.time());
    }
    if stuck {
        return Ok((Sought::Stuck, visible));
    }
    let Target::State(target) = property.target() else { return Err("it is no state that is looked for") };
    let mut conjuncts = Vec::new();
    let mut parts = Vec::new();
    split(&target, true, &mut parts);
    let whole = parts.iter().any(|(part, _)| fails(network, program, property, part));
    for (part, holds) in parts {
        let part = if holds { part.clone() } else { part.clone().negated() };
        let Ok(part) = program.compile_predicate(network, &property.frame, &part) else { continue };
        if let Predicate::Discrete(routine) = part {
            let reads = if whole { visible.clone() } else { read_by(program, resources, &part) };
            conjuncts.push(Conjunct { routine, reads });
        }
    }
    Ok((Sought::State(conjuncts), visible))
}

/// The conjuncts of an expression that is to be true or false.
fn split<'e>(e: &'e Expr, holds: bool, parts: &mut Vec<(&'e Expr, bool)>) {
    match e {
        Expr::And(all) if holds => all.iter().for_each(|part| split(part, true, parts)),
        Expr::Or(all) if !holds => all.iter().for_each(|part| split(part, false, parts)),
        Expr::Unary(UnaryOp::Not, inner) => split(inner, !holds, parts),
        _ => parts.push((e, holds)),
    }
}

/// Whether the evaluation of a part of the property may fail. Then what comes before it matters, too.
fn fails(network: &Network, program: &mut Program, property: &Property, part: &Expr) -> bool {
    let Ok(predicate) = program.compile_predicate(network, &property.frame, part) else { return true };
    match predicate {
        Predicate::Discrete(routine) => program.routines[routine].code.iter().any(may_fail),
        Predicate::Const(_) | Predicate::Deadlock => false,
        _ => true,
    }
}

fn read_by(program: &Program, resources: &Resources, predicate: &Predicate) -> Bits {
    let mut slots = beeline_program::SlotSet::default();
    liveness::read_by(program, predicate, &mut slots);
    let mut bits = Bits::none(resources);
    slots.iter().for_each(|slot| resources.look_at(&program.layout, slot, &mut bits));
    bits
}

fn any(predicate: &Predicate, is: fn(&Predicate) -> bool) -> bool {
    is(predicate)
        || match predicate {
            Predicate::Const(_) | Predicate::Discrete(_) | Predicate::Clock(_) | Predicate::Deadlock => false,
            Predicate::Not(inner) | Predicate::Counted(_, inner) => any(inner, is),
            Predicate::And(parts) | Predicate::Or(parts) => parts.iter().any(|part| any(part, is)),
            Predicate::If(parts) => parts.iter().any(|part| any(part, is)),
        }
}

fn mentions_deadlock(predicate: &Predicate) -> bool {
    any(predicate, |part| matches!(part, Predicate::Deadlock))
}

fn timed(predicate: &Predicate) -> bool {
    any(predicate, |part| matches!(part, Predicate::Clock(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trial_ends_where_little_is_left_out_and_is_made_again() {
        let mut trial = Trial { on: true, until: Some(TRIAL), before: (0, 0), off_after: None };
        let mut after = |expanded, generated, left_out| {
            trial.go_on(&Stats { expanded, generated, left_out, ..Stats::default() });
            (trial.on, trial.off_after)
        };
        assert_eq!(after(998, 100, 0), (true, None));
        assert_eq!(after(1200, 81, 19), (false, Some(1200)));
        assert_eq!(after(4799, 1081, 19), (false, Some(1200)));
        assert_eq!(after(4800, 1081, 19), (true, None));
        assert_eq!(after(5799, 1081, 19), (true, None));
        assert_eq!(after(5800, 1162, 38), (false, Some(5800)));
        assert_eq!(after(23_200, 5000, 38), (true, None));
        assert_eq!(after(24_200, 5080, 58), (true, None));
        assert_eq!(after(1_000_000, 1_000_000, 58), (true, None));
    }

    #[test]
    fn conjuncts_are_found_through_negations() {
        let atom = |value| Expr::Const(value);
        let target = Expr::Or(vec![atom(1), Expr::And(vec![atom(2), atom(3)]), atom(4).negated()]).negated();
        let mut parts = Vec::new();
        split(&target, true, &mut parts);
        let (second, third) = (Expr::And(vec![atom(2), atom(3)]), atom(4));
        assert_eq!(parts, [(&atom(1), false), (&second, false), (&third, true)]);
    }
}
