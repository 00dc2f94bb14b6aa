//! A relation whose next states are assignments, as a network: one process whose edges are the steps, so that the
//! explicit engine with its searches and heuristics can go about it.
//!
//! - An input that decides which variables keep their values (the running process of an interleaving model) becomes
//!   several edges, one or more for each of its values; other inputs are select variables.
//! - What a variable may become is a matter of guards (an edge for each way through its conditions) and of select
//!   variables. All values are computed before any is stored.
//! - Constraints on steps are guards, those on all states the invariant of the location.
//! - Initial values that have to be chosen are, one after the other, on a way from location to location that costs
//!   nothing; constraints on initial states are conditions of those locations.
//!
//! Reading order: here, the relation and the way back; `draft`, the edges; `choices`, the values.

mod choices;
mod draft;
mod fold;

use crate::abstraction::Unfit;
use beeline_ir::certificate::{Cell, Certificate, Row};
use beeline_ir::diagnostic::Severity;
use beeline_ir::expr::Expr;
use beeline_ir::network::{Edge, Location, Network, Process, Role, Sync, Var};
use beeline_ir::outcome::{Finding, Outcome};
use beeline_ir::property::{Property, PropertyKind};
use beeline_ir::relation::{Choice, Relation, RelationRole};
use beeline_ir::stmt::{Place, Stmt, Target};
use beeline_ir::trace::{NetworkRun, RelationRun, RelationStep, Run, Trace};
use beeline_ir::visit::{walk, walk_block};
use beeline_ir::{EdgeId, IdVec, LocationId, Model, ProcessId, VarId};
use beeline_program::{Effects, Evaluated, FirePart, Machine, Program};
use draft::Drafter;
use std::collections::BTreeSet;

/// Edges that the steps for one value of the deciding input become at most.
const MOST_EDGES: usize = 64;

/// A relation as a network.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Functional {
    /// One process; its variables are the state and frozen variables of the relation, in order.
    pub network: Network,
    /// The same question, asked where the process has its initial values.
    pub property: Property,
    /// Where the steps of the relation leave from.
    main: LocationId,
    /// By edge, if it is a step: where each input has its value from, in order of declaration.
    inputs: IdVec<EdgeId, Option<Vec<Input>>>,
    /// What claims about the relation have to say.
    model: beeline_ir::ModelHash,
    question: String,
}

/// Where an input has its value from.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Input {
    /// It is always this one.
    Fixed(i64),
    /// A select variable.
    Select(usize),
}

/// Why a relation is no network.
pub type NotFunctional = &'static str;

impl Functional {
    /// The relation and a question about it, if its next states are assignments.
    pub fn of(relation: &Relation, property: &Property) -> Result<Self, NotFunctional> {
        Self::with_edges(relation, property, MOST_EDGES)
    }

    /// The same, where the steps for one value of the deciding input may become so many edges. Beyond that, they become
    /// one, with select variables.
    pub fn with_edges(
        relation: &Relation,
        property: &Property,
        most_edges: usize,
    ) -> Result<Self, NotFunctional> {
        let (PropertyKind::Always(p) | PropertyKind::Exists(p)) = &property.kind else {
            return Err("questions about failing steps");
        };
        if mentions_input(relation, p) {
            return Err("questions about inputs");
        }
        if relation.invar.iter().chain(&relation.init).any(|e| mentions_input(relation, e)) {
            return Err("INIT or INVAR constraints on inputs");
        }
        let mut left = Self {
            network: Network {
                name: relation.name.clone(),
                enums: relation.enums.clone(),
                ..Network::default()
            },
            property: Property {
                frame: property.frame.clone(),
                text: None,
                origin: None,
                ..property.clone()
            },
            main: LocationId::new(0),
            inputs: IdVec::new(),
            model: Model::Relation(relation.clone()).hash(),
            question: String::new(),
        };
        let drafter = Drafter::new(relation);
        let mut process = left.start(relation, &drafter)?;
        for (edge, inputs) in drafter.steps(left.main, most_edges)? {
            process.edges.push(edge);
            left.inputs.push(Some(inputs));
        }
        left.network.processes.push(process);
        let there = Expr::At(ProcessId::new(0), left.main);
        let (chosen, p) = (left.main.index() > 0, drafter.moved(p));
        left.property.kind = match &property.kind {
            PropertyKind::Always(_) if chosen => PropertyKind::Always(Expr::Or(vec![there.negated(), p])),
            PropertyKind::Always(_) => PropertyKind::Always(p),
            _ if chosen => PropertyKind::Exists(Expr::And(vec![there, p])),
            _ => PropertyKind::Exists(p),
        };
        left.network.properties = vec![left.property.clone()];
        let model = Model::Network(left.network.clone());
        if beeline_ir::wellformed::check(&model).iter().any(|d| d.severity == Severity::Error) {
            return Err("expressions that become too deep or too large");
        }
        let original = Model::Relation(relation.clone());
        (left.model, left.question) =
            (original.hash(), beeline_ir::text::print_property(&original, property));
        Ok(left)
    }

    /// The variables, and the process with the way to its initial values.
    fn start(&mut self, relation: &Relation, drafter: &Drafter<'_>) -> Result<Process, NotFunctional> {
        let mut open = Vec::new();
        let mut known = BTreeSet::new();
        for (id, var) in relation.vars.enumerate().filter(|(_, var)| var.role != RelationRole::Input) {
            let assigned = relation.init_assigns.iter().find(|assign| assign.var == id);
            let mut value = var.range.lo;
            match assigned.map(|assign| &assign.choice) {
                Some(Choice::One(Expr::Const(constant))) if var.range.contains(*constant) => {
                    value = *constant;
                    known.insert(id);
                }
                Some(choice) => open.push((id, choice.clone())),
                None => {
                    open.push((id, Choice::Between(Expr::Const(var.range.lo), Expr::Const(var.range.hi))))
                }
            }
            self.network.vars.push(Var {
                name: var.name.clone(),
                owner: None,
                range: var.range,
                len: None,
                init: vec![value],
                symbols: var.symbols,
                origin: None,
            });
        }
        let moved = |e: &Expr| drafter.moved(e);
        let mut process = Process {
            name: "Steps".to_string(),
            role: Role::System,
            family: None,
            params: Vec::new(),
            priority: 0,
            locations: IdVec::new(),
            initial: LocationId::new(0),
            edges: IdVec::new(),
            origin: None,
        };
        if !open.is_empty() || !relation.init.is_empty() {
            let mut constraints: Vec<&Expr> = relation.init.iter().chain(&relation.invar).collect();
            // Each constraint where all it is about is known.
            let mut conditions = |known: &BTreeSet<VarId>| {
                let (now, later) = constraints.iter().partition(|e| variables(e).is_subset(known));
                constraints = later;
                let now: Vec<&Expr> = now;
                now.into_iter().map(moved).collect::<Vec<Expr>>()
            };
            process.locations.push(location("initial", conditions(&known)));
            while !open.is_empty() {
                let ready = |(id, choice): &(VarId, Choice)| {
                    let mut needs = BTreeSet::new();
                    draft::expressions(choice, &mut |e| needs.extend(variables(e)));
                    !needs.contains(id) && needs.is_subset(&known)
                };
                let at = open.iter().position(ready).ok_or("initial values that depend on each other")?;
                let (var, choice) = open.remove(at);
                known.insert(var);
                let source = LocationId::new(process.locations.len() - 1);
                process.locations.push(location("initial", conditions(&known)));
                let target = LocationId::new(process.locations.len() - 1);
                for edge in drafter.choose(var, &choice, source, target)? {
                    process.edges.push(edge);
                    self.inputs.push(None);
                }
            }
            let source = LocationId::new(process.locations.len() - 1);
            self.main = LocationId::new(process.locations.len());
            process.edges.push(free_edge(source, self.main));
            self.inputs.push(None);
        }
        process.locations.push(location("main", relation.invar.iter().map(moved).collect()));
        for (at, location) in process.locations.iter_mut().enumerate().skip(1) {
            location.name = format!("{}{at}", location.name);
        }
        Ok(process)
    }

    /// Makes a claim about the network one about the relation.
    pub fn put_back(&self, outcome: &mut Outcome) -> Result<(), Unfit> {
        outcome.warning = None;
        if let Some(certificate) = &mut outcome.certificate {
            *certificate = self.lift(certificate);
        }
        if let Finding::Reachable { trace, .. } = &mut outcome.finding {
            let Run::Network(run) = &trace.run else { return Err(Unfit::Foreign) };
            *trace = self.trace(run).ok_or(Unfit::Foreign)?;
        }
        Ok(())
    }

    /// A run of the network, as a trace of the relation.
    pub fn trace(&self, run: &NetworkRun) -> Option<Trace> {
        let run = Run::Relation(self.run(run)?);
        Some(Trace { model: self.model, property: self.question.clone(), run })
    }

    /// The state of the network that is this state of the relation.
    pub fn state(&self, values: &[i64]) -> Vec<i64> {
        std::iter::once(self.main.index() as i64).chain(values.iter().copied()).collect()
    }

    /// Whether an edge leads along the states of a run, from the one of this number: as a step, or as a choice of initial
    /// values. Says the number of the state after it.
    pub fn along(&self, states: &[Vec<i64>], at: usize, edge: EdgeId, after: &[i64]) -> Option<usize> {
        if self.inputs.get(edge)?.is_some() {
            return (*states.get(at + 1)? == after[1..]).then_some(at + 1);
        }
        let mut fits = true;
        walk_block(&self.network.processes[ProcessId::new(0)].edges[edge].update, &mut |statement, _| {
            if let Stmt::Assign(Target { place: Place::Var(var), .. }, _) = statement {
                fits &= states[0].get(var.index()) == after.get(1 + var.index());
            }
        });
        fits.then_some(at)
    }

    /// The rows of the states with initial values.
    fn lift(&self, certificate: &Certificate) -> Certificate {
        let main = self.main.index() as i64;
        let there = |row: &&Row| match row.cells.first() {
            Some(Cell::Value(value)) => *value == main,
            Some(Cell::Set(values)) => values.contains(&main),
            Some(Cell::Any) | None => true,
        };
        let without = |row: &Row| Row { level: row.level, cells: row.cells[1..].to_vec(), zone: Vec::new() };
        Certificate {
            model: self.model,
            property: self.question.clone(),
            length: certificate.length,
            rows: certificate.rows.iter().filter(there).map(without).collect(),
        }
    }

    /// The run of the relation that a run of the network is.
    fn run(&self, run: &NetworkRun) -> Option<RelationRun> {
        let program = Program::compile(&self.network);
        let mut machine = Machine::new(&program);
        let mut state = program.layout.initial(&self.network);
        let mut found = RelationRun { initial: state[1..].to_vec(), steps: Vec::new() };
        for step in &run.steps {
            let [part] = &step.label.parts[..] else { return None };
            let (process, edge, selects) = (part.process, part.edge, &part.selects[..]);
            let evaluated = Evaluated::default();
            let fired = FirePart { process, edge, selects, evaluated: &evaluated, message: None };
            machine.fire(&program, &[fired], &mut state, &mut Effects::default()).ok()?;
            let values = state[1..].to_vec();
            match self.inputs.get(edge)? {
                None => found.initial = values,
                Some(inputs) => {
                    let value = |input: &Input| match input {
                        Input::Fixed(value) => Some(*value),
                        Input::Select(at) => part.selects.get(*at).copied(),
                    };
                    let inputs = inputs.iter().map(value).collect::<Option<_>>()?;
                    found.steps.push(RelationStep { inputs, state: values });
                }
            }
        }
        Some(found)
    }
}

fn location(name: &str, mut conditions: Vec<Expr>) -> Location {
    let condition = match conditions.len() {
        0 => Expr::TRUE,
        1 => conditions.remove(0),
        _ => Expr::And(conditions),
    };
    Location {
        name: name.to_string(),
        frame: Vec::new(),
        condition,
        invariant: Vec::new(),
        urgent: false,
        committed: false,
        atomic: false,
        origin: None,
    }
}

/// An edge that does nothing, for nothing.
fn free_edge(source: LocationId, target: LocationId) -> Edge {
    Edge {
        source,
        target,
        frame: Vec::new(),
        selects: 0,
        guard: Expr::TRUE,
        clock_guard: Vec::new(),
        sync: Sync::Internal,
        update: Vec::new(),
        costs: false,
        origin: None,
    }
}

/// The variables that an expression is about.
fn variables(e: &Expr) -> BTreeSet<VarId> {
    let mut vars = BTreeSet::new();
    walk(e, &mut |part| {
        if let Expr::Var(var) | Expr::Next(var) = part {
            vars.insert(*var);
        }
    });
    vars
}

fn mentions_input(relation: &Relation, e: &Expr) -> bool {
    variables(e).iter().any(|var| relation.vars[*var].role == RelationRole::Input)
}
