//! Formula-based heuristic h_f: how much of the target is still missing. Of a conjunction the sum counts, of a disjunction
//! the least; of a negation it is the other way round. What is true counts 0 and what is false 1, but a location counts as
//! many edges as its automaton is away from it, the length of a buffer by how many messages it is off, a message that
//! should be first in a buffer by those before it, and `deadlock` by the processes that can still move.
//!
//! Edelkamp, Lluch-Lafuente and Leue, "Directed explicit model checking with HSF-SPIN", SPIN 2001. One step may make
//! several parts of a conjunction true, so the sum is no lower bound. Where an assertion is to fail, its process has to
//! get there, and the assertion be false.

use crate::active::Active;
use crate::local_distance::{backward, costs};
use beeline_engine::heuristic::{Estimate, Heuristic, Properties};
use beeline_ir::ProcessId;
use beeline_ir::expr::{BinaryOp, Expr, Quantifier, UnaryOp};
use beeline_ir::network::{Edge, Network, Role};
use beeline_ir::property::{Property, Target};
use beeline_ir::stmt::{Local, Receive, Stmt};
use beeline_ir::visit::{walk, walk_block};
use beeline_program::rewrite::{rewrite, size};
use beeline_program::{Machine, Predicate, Program, RoutineId};

/// Nodes of the formula that unrolling quantifiers may make.
const NODES: usize = 1 << 16;

/// What is missing.
#[derive(Debug)]
enum Missing {
    /// Nothing, or nothing that is known of.
    Nothing,
    /// It can never be the case.
    Never,
    /// 1, unless that is true.
    Unless(RoutineId),
    /// As much as that number says.
    Number(RoutineId),
    /// The steps of an automaton from the location in that slot.
    Steps(usize, Vec<Option<u32>>),
    /// The processes that can move.
    Active,
    /// The sum.
    Sum(Vec<Missing>),
    /// The least.
    Least(Vec<Missing>),
}

/// The heuristic.
#[derive(Debug)]
pub struct FormulaDistance {
    program: Program,
    machine: Machine,
    active: Option<Active>,
    missing: Missing,
}

impl FormulaDistance {
    /// For a network and a property.
    pub fn new(network: &Network, property: &Property) -> Self {
        let mut program = Program::compile(network);
        let mut writer = Writer { network, program: &mut program, nodes: NODES, stuck: false };
        let missing = writer.target(property);
        let active = writer.stuck.then(|| Active::new(network));
        let machine = Machine::new(&program);
        Self { program, machine, active, missing }
    }
}

/// Writes a formula down as what is missing for it.
struct Writer<'a> {
    network: &'a Network,
    program: &'a mut Program,
    nodes: usize,
    /// Whether it asks about processes that can move.
    stuck: bool,
}

impl Writer<'_> {
    fn target(&mut self, property: &Property) -> Missing {
        match property.target() {
            Target::State(target) => self.formula(&property.frame, &target, true),
            Target::AssertionFailure => self.assertions(),
            Target::RuntimeError => Missing::Nothing,
        }
    }

    /// Some assertion fails.
    fn assertions(&mut self) -> Missing {
        let network = self.network;
        let mut all = Vec::new();
        for (id, process) in network.processes.enumerate() {
            for edge in process.edges.iter().filter(|edge| asserts(edge)) {
                let mut parts = vec![self.steps(id, vec![edge.source.index()])];
                // What comes first is evaluated in the state before; of others that is not known.
                if let Some(Stmt::Assert(condition, _)) = edge.update.first()
                    && !has_locals(condition)
                {
                    parts.push(self.formula(&edge.frame, condition, false));
                }
                all.push(Missing::Sum(parts));
            }
        }
        Missing::Least(all)
    }

    fn steps(&self, process: ProcessId, targets: Vec<usize>) -> Missing {
        // Edges of observers count, too: each takes a step of the system.
        let counts = |edge| {
            self.network.processes[process].role == Role::Observer || costs(self.program, process, edge)
        };
        let distances = backward(self.program, process, targets.into_iter(), counts);
        Missing::Steps(self.program.layout.location[process], distances)
    }

    /// What is missing for a formula to be true, or to be false.
    fn formula(&mut self, frame: &[Local], e: &Expr, wanted: bool) -> Missing {
        let mut all = |parts: &[Expr]| parts.iter().map(|part| self.formula(frame, part, wanted)).collect();
        match e {
            Expr::Const(value) if (*value != 0) == wanted => Missing::Nothing,
            Expr::Const(_) => Missing::Never,
            Expr::Unary(UnaryOp::Not, inner) => self.formula(frame, inner, !wanted),
            Expr::And(parts) if wanted => Missing::Sum(all(parts)),
            Expr::Or(parts) if !wanted => Missing::Sum(all(parts)),
            Expr::And(parts) | Expr::Or(parts) => Missing::Least(all(parts)),
            Expr::If(condition, first, second) => {
                let mut case = |holds: bool, then: &Expr| {
                    Missing::Sum(vec![
                        self.formula(frame, condition, holds),
                        self.formula(frame, then, wanted),
                    ])
                };
                Missing::Least(vec![case(true, first), case(false, second)])
            }
            Expr::Quantified(quantifier @ (Quantifier::Exists | Quantifier::Forall), local, range, body) => {
                let count = usize::try_from(range.size()).unwrap_or(usize::MAX);
                let nodes = self.nodes.checked_sub(size(body).saturating_mul(count));
                let Some(nodes) = nodes else { return self.truth(frame, e, wanted) };
                self.nodes = nodes;
                let instances = range.values().map(|value| {
                    let is_value =
                        &mut |part: &Expr| (*part == Expr::Local(*local)).then_some(Expr::Const(value));
                    self.formula(frame, &rewrite(body, is_value), wanted)
                });
                let instances = instances.collect();
                match (*quantifier == Quantifier::Forall) == wanted {
                    true => Missing::Sum(instances),
                    false => Missing::Least(instances),
                }
            }
            Expr::At(process, location) if wanted => self.steps(*process, vec![location.index()]),
            Expr::Deadlock if wanted => {
                self.stuck = true;
                Missing::Active
            }
            // A deadlock is soon over, and what clocks say is not known.
            Expr::Deadlock | Expr::Clock(_) => Missing::Nothing,
            Expr::Binary(BinaryOp::Eq, left, right) if wanted && (is_length(left) || is_length(right)) => {
                let (left, right) = ((**left).clone(), (**right).clone());
                let less = left.clone().binary(BinaryOp::Lt, right.clone());
                let up = right.clone().binary(BinaryOp::Sub, left.clone());
                let down = left.binary(BinaryOp::Sub, right);
                self.number(frame, &Expr::If(Box::new(less), Box::new(up), Box::new(down)))
            }
            Expr::Poll(receive) if wanted => self.message(frame, e, receive),
            _ => self.truth(frame, e, wanted),
        }
    }

    /// Messages that are in the way of one; where there is none such, that one besides.
    fn message(&mut self, frame: &[Local], poll: &Expr, receive: &Receive) -> Missing {
        let anywhere = Expr::Poll(Box::new(Receive { any: true, ..receive.clone() }));
        let length = || Expr::Length(receive.channel.clone());
        let more = length().binary(BinaryOp::Add, Expr::Const(1));
        let otherwise = Expr::If(Box::new(anywhere), Box::new(length()), Box::new(more));
        let number = Expr::If(Box::new(poll.clone()), Box::new(Expr::Const(0)), Box::new(otherwise));
        self.number(frame, &number)
    }

    fn truth(&mut self, frame: &[Local], e: &Expr, wanted: bool) -> Missing {
        let e = if wanted { e.clone() } else { e.clone().negated() };
        self.routine(frame, &e).map_or(Missing::Nothing, Missing::Unless)
    }

    fn number(&mut self, frame: &[Local], e: &Expr) -> Missing {
        self.routine(frame, e).map_or(Missing::Nothing, Missing::Number)
    }

    fn routine(&mut self, frame: &[Local], e: &Expr) -> Option<RoutineId> {
        match self.program.compile_predicate(self.network, frame, e) {
            Ok(Predicate::Discrete(routine)) => Some(routine),
            // With clocks in it, nothing is known.
            _ => None,
        }
    }
}

fn asserts(edge: &Edge) -> bool {
    let mut found = false;
    walk_block(&edge.update, &mut |statement, _| found |= matches!(statement, Stmt::Assert(..)));
    found
}

fn has_locals(e: &Expr) -> bool {
    let mut found = false;
    walk(e, &mut |part| found |= matches!(part, Expr::Local(_) | Expr::LocalElem(..)));
    found
}

fn is_length(e: &Expr) -> bool {
    matches!(e, Expr::Length(_))
}

/// Evaluates what is missing.
struct Reader<'a> {
    program: &'a Program,
    machine: &'a mut Machine,
    active: &'a mut Option<Active>,
    state: &'a [i64],
}

impl Reader<'_> {
    /// `None` for infinite.
    fn steps(&mut self, missing: &Missing) -> Option<u32> {
        match missing {
            Missing::Nothing => Some(0),
            Missing::Never => None,
            // Where it cannot be evaluated, it is not true.
            Missing::Unless(routine) => {
                let value = self.machine.eval(self.program, *routine, self.state, &[]);
                Some(u32::from(!value.is_ok_and(|value| value != 0)))
            }
            Missing::Number(routine) => {
                let value = self.machine.eval(self.program, *routine, self.state, &[]).unwrap_or(1);
                Some(u32::try_from(value.max(0)).unwrap_or(u32::MAX))
            }
            Missing::Steps(slot, distances) => {
                let at = usize::try_from(self.state[*slot]).ok()?;
                *distances.get(at)?
            }
            Missing::Active => {
                let state = self.state;
                Some(self.active.as_mut().map_or(0, |active| active.count(state)))
            }
            Missing::Sum(parts) => {
                parts.iter().try_fold(0u32, |sum, part| Some(sum.saturating_add(self.steps(part)?)))
            }
            Missing::Least(parts) => parts.iter().filter_map(|part| self.steps(part)).min(),
        }
    }
}

impl Heuristic for FormulaDistance {
    fn properties(&self) -> Properties {
        Properties::NOTHING
    }
    fn estimate(&mut self, slots: &[i64]) -> Estimate {
        let Self { program, machine, active, missing } = self;
        let state = &slots[..program.layout.slots.len()];
        let steps = Reader { program, machine, active, state }.steps(missing);
        steps.map_or(Estimate::Infinite, Estimate::Steps)
    }
    fn reads_dead_variables(&self) -> bool {
        true
    }
    fn work(&self) -> u64 {
        self.machine.total_work() + self.active.as_ref().map_or(0, Heuristic::work)
    }
}
