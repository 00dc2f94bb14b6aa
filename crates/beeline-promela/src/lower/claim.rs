//! Never claims: an observer that steps in the initial state and after every step of the model, in the states that others
//! can see. The claim is violated where it ends, and where an assertion inside of it does not hold.
//!
//! What an atomic sequence goes through is seen by nobody, so the observer stays where it is while the holder of the
//! token can go on. Claims are about safety here: `accept` labels have no meaning.
//!
//! An observer writes nothing. A claim with variables is an observer with a location for every place together with values
//! that they may have there. Where the model has stopped, a claim goes on by itself; whether it comes to its end that way is
//! known beforehand, as all its conditions are about the same state: there is one edge for each way of several steps.

use std::collections::HashMap;

use beeline_ir::diagnostic::Diagnostic;
use beeline_ir::expr::{BinaryOp, Expr, UnaryOp};
use beeline_ir::network::{Edge, Location, Process, Role, Sync};
use beeline_ir::origin::Span;
use beeline_ir::property::{Property, PropertyKind};
use beeline_ir::{IdVec, LocationId, ProcessId};

use super::declare::range;
use super::slots::stored;
use super::{Lower, Res, both};
use crate::ast::{self, Name, Proc, StmtKind};
use crate::graph::{Action, Graph};
use crate::preprocess::ignored;

/// Most steps that statements of one atomic sequence of a claim may be combined to, most locations of a claim, and most ways
/// to its end where the model has stopped.
const MAX_COMBINED: usize = 10_000;

/// Most steps that are looked at to find those ways.
const MAX_LOOKED: usize = 100_000;

/// Most values of a variable of a claim that may depend on the model.
const MAX_VALUES: i64 = 256;

/// A place of a claim, and the values of its variables.
type Stand = (usize, Vec<i64>);

/// A step of a claim: its condition, and where it leads to, or `None` for a violation.
struct Move {
    condition: Expr,
    to: Option<usize>,
    span: Span,
    /// The numbers of its elements.
    numbers: Vec<i64>,
}

/// A step of an observer: from a location, and where it leads to, or `None` for a violation.
pub(super) struct Step {
    pub from: usize,
    pub to: Option<usize>,
    pub condition: Expr,
    pub span: Span,
    /// The numbers of its elements in trails.
    pub numbers: Vec<i64>,
}

/// An observer to be: its name, where it stands in the file, its number in trails, and what it does.
pub(super) struct Watcher<'w> {
    pub name: &'w str,
    pub span: Span,
    pub native: Vec<i64>,
    pub locations: Vec<String>,
    pub steps: Vec<Step>,
}

/// The part of a step that is behind: its condition, and the numbers of its elements.
#[derive(Clone)]
struct Begun {
    condition: Expr,
    numbers: Vec<i64>,
}

/// What a statement of a claim may lead to: under a condition, new values, or `None` for a violation.
type Outcome = (Expr, Option<Vec<i64>>);

/// A claim that is being made into an observer.
struct Claim<'c, 'a> {
    proc: &'a Proc,
    graph: &'c Graph<'a>,
    /// Where it may stand; the first is where it starts.
    stands: Vec<Stand>,
    index: HashMap<Stand, usize>,
}

impl Claim<'_, '_> {
    fn stand(&mut self, stand: Stand) -> usize {
        let next = self.stands.len();
        let index = *self.index.entry(stand.clone()).or_insert(next);
        if index == next {
            self.stands.push(stand);
        }
        index
    }

    fn variable(&self, name: &Name) -> Option<usize> {
        self.proc.locals.iter().position(|decl| decl.name == *name)
    }
}

impl<'a> Lower<'a, '_> {
    /// Makes an observer and a property of every claim.
    pub(super) fn claims(&mut self) {
        for proc in &self.document.claims {
            if let Err(wrong) = self.claim(proc) {
                self.messages.add(wrong);
            }
        }
    }

    fn claim(&mut self, proc: &'a Proc) -> Res<()> {
        let Some(graph) = self.claim_graphs.remove(&proc.order) else { return Ok(()) };
        for place in &graph.places {
            if place.labels.iter().any(|l| l.starts_with("accept")) {
                let what = "an `accept` label (only what is reached is looked for, no cycles)";
                ignored(self.messages, what, proc.span);
            }
        }
        let mut claim = Claim { proc, graph: &graph, stands: Vec::new(), index: HashMap::new() };
        let first = self.first_values(proc)?;
        claim.stand((0, first));
        let mut moves: Vec<Vec<Move>> = Vec::new();
        while moves.len() < claim.stands.len() {
            let (place, values) = claim.stands[moves.len()].clone();
            let mut found = Vec::new();
            if !graph.places[place].end {
                let begun = Begun { condition: Expr::TRUE, numbers: Vec::new() };
                self.moves(&mut claim, (place, values), begun, 0, &mut found)?;
            }
            moves.push(found);
            if moves.len() > MAX_COMBINED {
                return Err(Diagnostic::error("E0930", "this claim is too large", Some(proc.span)));
            }
        }
        self.observer(&claim, &moves)
    }

    /// The initial values of the variables of a claim.
    fn first_values(&self, proc: &'a Proc) -> Res<Vec<i64>> {
        let mut values = Vec::new();
        for decl in &proc.locals {
            let plain = decl.len.is_none() && !matches!(decl.ty, ast::Type::Record(_) | ast::Type::Chan);
            let init = match &decl.init {
                None if plain => 0,
                Some(ast::Init::Value(value)) if plain => self.constant(value, None)?,
                _ => {
                    let message = "a claim has plain variables only, no arrays, records or channels";
                    return Err(Diagnostic::unsupported("U0910", message, Some(decl.span)));
                }
            };
            values.push(range(&decl.ty).wrap(init));
        }
        Ok(values)
    }

    fn observer(&mut self, claim: &Claim<'_, 'a>, moves: &[Vec<Move>]) -> Res<()> {
        let proc = claim.proc;
        let ended = |stand: usize| claim.graph.places[claim.stands[stand].0].end;
        let mut steps = Vec::new();
        for (from, found) in moves.iter().enumerate() {
            steps.extend(found.iter().map(|step| {
                let Move { condition, to, span, numbers } = step;
                Step { from, to: *to, condition: condition.clone(), span: *span, numbers: numbers.clone() }
            }));
            for Begun { condition, numbers } in ways(from, moves, &ended, proc.span)? {
                let condition = both(condition, self.stopped());
                steps.push(Step { from, to: None, condition, span: proc.span, numbers });
            }
        }
        let count = claim.stands.len();
        let named = |i: usize| if ended(i) { format!("-end-{i}") } else { format!("s{i}") };
        let (id, violated) = self.watcher(Watcher {
            name: &proc.name,
            span: proc.span,
            // Trails tell which of all process types and claims it is.
            native: vec![proc.order as i64],
            locations: (0..count).map(named).collect(),
            steps,
        });
        let bad = (0..count).filter(|i| ended(*i)).map(LocationId::new).chain([violated]).collect();
        self.network.properties.push(Property {
            name: Some(proc.name.to_string()),
            text: Some(format!("never claim `{}`", proc.name)),
            frame: Vec::new(),
            kind: PropertyKind::NeverAt(id, bad),
            origin: self.sources.origin(proc.span, Vec::new()),
        });
        Ok(())
    }

    /// Adds an observer, which sees what others can see and stays where it is in between; and its last location, that of a
    /// violation.
    pub(super) fn watcher(&mut self, watcher: Watcher<'_>) -> (ProcessId, LocationId) {
        let Watcher { name, span, native, locations, steps } = watcher;
        let visible = self.visible();
        let count = locations.len();
        let mut process = Process {
            name: self.unique(name),
            role: Role::Observer,
            family: None,
            params: Vec::new(),
            priority: 0,
            locations: locations.into_iter().chain(["violated".to_string()]).map(plain).collect(),
            initial: LocationId::new(0),
            edges: IdVec::new(),
            origin: self.sources.origin(span, native),
        };
        for Step { from, to, condition, span, numbers } in steps {
            let guard = both(visible.clone(), condition);
            process.edges.push(self.watch(from, to.unwrap_or(count), guard, span, numbers));
        }
        for location in 0..count {
            if !visible.is_true() {
                let guard = visible.clone().negated();
                process.edges.push(self.watch(location, location, guard, span, Vec::new()));
            }
            if !self.overflow.is_empty() {
                let guard = self.overflowed();
                process.edges.push(self.watch(location, count, guard, span, Vec::new()));
            }
        }
        (self.network.processes.push(process), LocationId::new(count))
    }

    /// The steps from where a claim stands, those through the inside of an atomic sequence combined to one.
    fn moves(
        &mut self,
        claim: &mut Claim<'_, 'a>,
        (place, values): Stand,
        begun: Begun,
        level: usize,
        found: &mut Vec<Move>,
    ) -> Res<()> {
        let graph = claim.graph;
        let steps = &graph.places[place].steps;
        let constants = values.iter().map(|value| Expr::Const(*value));
        self.watching = claim.proc.locals.iter().map(|decl| decl.name.clone()).zip(constants).collect();
        let outcomes: Res<Vec<Vec<Outcome>>> =
            steps.iter().map(|step| self.outcomes(claim, step.action, &values)).collect();
        self.watching.clear();
        let outcomes = outcomes?;
        for (i, step) in steps.iter().enumerate() {
            let mut before = begun.condition.clone();
            if step.is_else() {
                let Some(siblings) = graph.siblings(place, i) else { continue };
                for other in siblings {
                    before = both(before, executable(&outcomes[other]).negated());
                }
            }
            let mut numbers = begun.numbers.clone();
            numbers.extend(&step.numbers);
            for (condition, after) in &outcomes[i] {
                let condition = both(before.clone(), condition.clone());
                if found.len() > MAX_COMBINED || level > 50 {
                    return Err(Diagnostic::error("E0930", "this claim is too large", Some(step.span)));
                }
                let (span, numbers) = (step.span, numbers.clone());
                match (decided(&condition), after) {
                    (Some(false), _) => {}
                    (_, None) => found.push(Move { condition, to: None, span, numbers }),
                    (_, Some(values)) if graph.places[step.target].atomic => {
                        let begun = Begun { condition, numbers };
                        self.moves(claim, (step.target, values.clone()), begun, level + 1, found)?;
                    }
                    (_, Some(values)) => {
                        let to = Some(claim.stand((step.target, values.clone())));
                        found.push(Move { condition, to, span, numbers });
                    }
                }
            }
        }
        Ok(())
    }

    /// What a statement of a claim may lead to.
    fn outcomes(&mut self, claim: &Claim<'_, 'a>, action: Action<'a>, values: &[i64]) -> Res<Vec<Outcome>> {
        let stmt = match action {
            Action::Stmt(stmt) => stmt,
            Action::Goto => return Ok(vec![(Expr::TRUE, Some(values.to_vec()))]),
            Action::Exit => return Ok(Vec::new()),
        };
        Ok(match &stmt.kind {
            StmtKind::Expr(e) => vec![(self.expr(e, None)?, Some(values.to_vec()))],
            StmtKind::Else | StmtKind::Print => vec![(Expr::TRUE, Some(values.to_vec()))],
            StmtKind::Assert(e) => {
                let holds = self.expr(e, None)?;
                vec![(holds.clone().negated(), None), (holds, Some(values.to_vec()))]
            }
            StmtKind::Assign(to, value) => match claim.variable(&to.parts[0].0) {
                Some(var) => self.assigned(claim, var, value, values)?,
                None => {
                    let message = "a claim only watches: it does not change variables of the model";
                    return Err(Diagnostic::unsupported("U0910", message, Some(stmt.span)));
                }
            },
            _ => {
                let message = "a claim has conditions, assertions and assignments to its own variables, and nothing else";
                return Err(Diagnostic::unsupported("U0910", message, Some(stmt.span)));
            }
        })
    }

    /// An assignment to a variable of a claim: one outcome, or one for each value if that depends on the model.
    fn assigned(
        &mut self,
        claim: &Claim<'_, 'a>,
        var: usize,
        value: &'a ast::Expr,
        values: &[i64],
    ) -> Res<Vec<Outcome>> {
        let ty = &claim.proc.locals[var].ty;
        let kept = range(ty);
        let with = |value: i64| {
            let mut values = values.to_vec();
            values[var] = value;
            Some(values)
        };
        match self.expr(value, None)? {
            Expr::Const(value) => Ok(vec![(Expr::TRUE, with(kept.wrap(value)))]),
            _ if kept.lo != 0 || kept.hi >= MAX_VALUES => {
                let message =
                    "what depends on the model is kept by a claim in variables of at most 8 bits only";
                Err(Diagnostic::unsupported("U0910", message, Some(value.span)))
            }
            expr => {
                let is = |value| stored(expr.clone(), ty).binary(BinaryOp::Eq, Expr::Const(value));
                Ok((0..=kept.hi).map(|value| (is(value), with(value))).collect())
            }
        }
    }

    fn watch(&self, from: usize, to: usize, guard: Expr, span: Span, numbers: Vec<i64>) -> Edge {
        Edge {
            source: LocationId::new(from),
            target: LocationId::new(to),
            frame: Vec::new(),
            selects: 0,
            guard,
            clock_guard: Vec::new(),
            sync: Sync::Internal,
            update: Vec::new(),
            costs: false,
            origin: self.sources.origin(span, numbers),
        }
    }

    /// The condition that the model has stopped.
    fn stopped(&self) -> Expr {
        let edges = |id: ProcessId| self.network.processes[id].edges.ids().collect();
        let enabled = |index| Expr::Enabled(ProcessId::new(index), edges(ProcessId::new(index)));
        Expr::Or((0..self.instances.len()).map(enabled).collect()).negated()
    }

    /// The condition that a state can be seen: nobody is in the middle of an atomic sequence and can go on by itself.
    pub(super) fn visible(&self) -> Expr {
        let Some(holder) = self.holder else { return Expr::TRUE };
        let mut hidden = Vec::new();
        for index in 0..self.instances.len() {
            let id = ProcessId::new(index);
            let process = &self.network.processes[id];
            let inside = |edge: &Edge| process.locations[edge.source].atomic;
            let edges = process.edges.enumerate().filter(|(_, edge)| inside(edge));
            let goes_on = self.one_begins(id, edges.map(|(edge, made)| (edge, &made.sync)));
            if goes_on != Expr::FALSE {
                let holds = Expr::Var(holder).binary(BinaryOp::Eq, Expr::Const(index as i64 + 1));
                hidden.push(both(holds, goes_on));
            }
        }
        Expr::Or(hidden).negated()
    }
}

/// The ways of several steps from where a claim stands to its end or a violation, without circles.
fn ways(from: usize, moves: &[Vec<Move>], ended: &impl Fn(usize) -> bool, span: Span) -> Res<Vec<Begun>> {
    let mut found = Vec::new();
    let mut looked = 0;
    let mut open = vec![(vec![from], Begun { condition: Expr::TRUE, numbers: Vec::new() })];
    while let Some((path, begun)) = open.pop() {
        for step in path.last().map_or(&[][..], |last| &moves[*last]) {
            looked += 1;
            if exclude(&begun.condition, &step.condition) {
                continue;
            }
            let known = parts(&begun.condition);
            let new = parts(&step.condition).iter().filter(|part| !known.contains(part)).cloned().collect();
            let condition = both(begun.condition.clone(), Expr::And(new));
            let numbers = begun.numbers.iter().chain(&step.numbers).copied().collect();
            let begun = Begun { condition, numbers };
            match step.to {
                Some(to) if path.contains(&to) => {}
                Some(to) if !ended(to) => open.push((path.iter().copied().chain([to]).collect(), begun)),
                _ if path.len() > 1 => found.push(begun),
                _ => {}
            }
        }
        if found.len() > MAX_COMBINED || looked > MAX_LOOKED {
            let message = "this claim has too many ways to its end";
            return Err(Diagnostic::unsupported("U0910", message, Some(span)));
        }
    }
    Ok(found)
}

/// Whether two conditions exclude each other, as far as one sees.
pub(super) fn exclude(one: &Expr, other: &Expr) -> bool {
    let negation = |a: &Expr, b: &Expr| matches!(a, Expr::Unary(UnaryOp::Not, e) if **e == *b);
    let values = |a: &Expr, b: &Expr| match (a, b) {
        (Expr::Binary(BinaryOp::Eq, a, x), Expr::Binary(BinaryOp::Eq, b, y)) => {
            x != y && matches!((&**x, &**y), (Expr::Const(_), Expr::Const(_))) && a == b
        }
        _ => false,
    };
    let exclude = |a: &Expr, b: &Expr| values(a, b) || negation(a, b) || negation(b, a);
    parts(one).iter().any(|a| parts(other).iter().any(|b| exclude(a, b)))
}

/// The parts of a conjunction.
fn parts(condition: &Expr) -> &[Expr] {
    match condition {
        Expr::And(all) => all,
        one => std::slice::from_ref(one),
    }
}

/// When a statement with these outcomes can be executed.
fn executable(outcomes: &[Outcome]) -> Expr {
    match outcomes {
        [] => Expr::FALSE,
        [(condition, _)] => condition.clone(),
        // Whatever its outcome.
        _ => Expr::TRUE,
    }
}

/// The truth of a condition, if it does not depend on the model.
pub(super) fn decided(condition: &Expr) -> Option<bool> {
    match condition {
        Expr::Const(value) => Some(*value != 0),
        Expr::Unary(UnaryOp::Not, e) => decided(e).map(|truth| !truth),
        Expr::And(all) if all.iter().any(|e| decided(e) == Some(false)) => Some(false),
        Expr::And(all) => all.iter().all(|e| decided(e) == Some(true)).then_some(true),
        Expr::Or(all) if all.iter().any(|e| decided(e) == Some(true)) => Some(true),
        Expr::Or(all) => all.iter().all(|e| decided(e) == Some(false)).then_some(false),
        _ => None,
    }
}

fn plain(name: String) -> Location {
    Location {
        name,
        frame: Vec::new(),
        condition: Expr::TRUE,
        invariant: Vec::new(),
        urgent: false,
        committed: false,
        atomic: false,
        origin: None,
    }
}
