//! Never claims: an observer that steps in the initial state and after every step of the model, in the states that others
//! can see. The claim is violated where it ends, and where an assertion inside of it does not hold.
//!
//! What an atomic sequence goes through is seen by nobody, so the observer stays where it is while the holder of the
//! token can go on. Claims are about safety here: `accept` labels have no meaning.

use beeline_ir::diagnostic::Diagnostic;
use beeline_ir::expr::{BinaryOp, Expr};
use beeline_ir::network::{Edge, Location, Process, Role, Sync};
use beeline_ir::origin::Span;
use beeline_ir::property::{Property, PropertyKind};
use beeline_ir::{EdgeId, IdVec, LocationId, ProcessId};

use super::{Lower, Res, both};
use crate::ast::{Proc, Stmt, StmtKind};
use crate::graph::{Action, Graph};
use crate::preprocess::ignored;

/// Most steps that statements of one atomic sequence of a claim may be combined to.
const MAX_COMBINED: usize = 10_000;

/// A step of a claim: its condition, and the place it leads to, or `None` for a violation.
struct Move {
    condition: Expr,
    to: Option<usize>,
    span: Span,
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
        if let Some(decl) = proc.locals.first() {
            let message = "variables of a claim are not supported";
            return Err(Diagnostic::unsupported("U0910", message, Some(decl.span)));
        }
        let Some(graph) = self.claim_graphs.remove(&proc.order) else { return Ok(()) };
        for place in &graph.places {
            if place.labels.iter().any(|l| l.starts_with("accept")) {
                let what = "an `accept` label (only what is reached is looked for, no cycles)";
                ignored(self.messages, what, proc.span);
            }
        }
        let visible = self.visible();
        let name = self.unique(&proc.name);
        let mut process = Process {
            name,
            role: Role::Observer,
            family: None,
            params: Vec::new(),
            priority: 0,
            locations: IdVec::new(),
            initial: LocationId::new(0),
            edges: IdVec::new(),
            origin: self.sources.origin(proc.span, Vec::new()),
        };
        let count = graph.places.len();
        for (i, place) in graph.places.iter().enumerate() {
            let name = if place.end { "-end-".to_string() } else { format!("s{i}") };
            process.locations.push(plain(name));
        }
        process.locations.push(plain("violated".to_string()));
        let mut bad = vec![LocationId::new(count)];
        for (i, place) in graph.places.iter().enumerate() {
            if place.end {
                bad.push(LocationId::new(i));
            }
            if place.atomic {
                continue;
            }
            let mut moves = Vec::new();
            if !place.end {
                self.moves(&graph, i, Expr::TRUE, 0, &mut moves)?;
            }
            for Move { condition, to, span } in moves {
                let guard = both(visible.clone(), condition);
                process.edges.push(self.watch(i, to.unwrap_or(count), guard, span));
            }
            if !visible.is_true() {
                process.edges.push(self.watch(i, i, visible.clone().negated(), proc.span));
            }
        }
        if !self.overflow.is_empty() {
            for place in 0..count {
                let guard = self.overflowed();
                process.edges.push(self.watch(place, count, guard, proc.span));
            }
        }
        let id = self.network.processes.push(process);
        self.network.properties.push(Property {
            name: Some(proc.name.to_string()),
            text: Some(format!("never claim `{}`", proc.name)),
            frame: Vec::new(),
            kind: PropertyKind::NeverAt(id, bad),
            origin: self.sources.origin(proc.span, Vec::new()),
        });
        Ok(())
    }

    /// The steps from a place, those through the inside of an atomic sequence combined to one.
    fn moves(
        &mut self,
        graph: &Graph<'a>,
        place: usize,
        before: Expr,
        level: usize,
        found: &mut Vec<Move>,
    ) -> Res<()> {
        let mut conditions = Vec::new();
        for step in &graph.places[place].steps {
            conditions.push(match step.action {
                Action::Stmt(Stmt { kind: StmtKind::Expr(e), .. }) => self.expr(e, None)?,
                Action::Stmt(Stmt {
                    kind: StmtKind::Else | StmtKind::Print | StmtKind::Assert(_), ..
                })
                | Action::Goto => Expr::TRUE,
                Action::Stmt(stmt) => {
                    let message =
                        "a claim only watches: it has conditions and assertions, and no other statements";
                    return Err(Diagnostic::unsupported("U0910", message, Some(stmt.span)));
                }
                Action::Exit => Expr::FALSE,
            });
        }
        for (i, step) in graph.places[place].steps.iter().enumerate() {
            let mut condition = conditions[i].clone();
            if step.is_else() {
                match graph.siblings(place, i) {
                    Some(before) => {
                        for other in before {
                            condition = both(condition, conditions[other].clone().negated());
                        }
                    }
                    None => condition = Expr::FALSE,
                }
            }
            let condition = both(before.clone(), condition);
            let span = step.span;
            if found.len() > MAX_COMBINED || level > 50 {
                return Err(Diagnostic::error("E0930", "this claim is too large", Some(span)));
            }
            let mut holds = condition.clone();
            if let Action::Stmt(Stmt { kind: StmtKind::Assert(e), .. }) = step.action {
                let asserted = self.expr(e, None)?;
                let fails = both(condition.clone(), asserted.clone().negated());
                found.push(Move { condition: fails, to: None, span });
                holds = both(condition, asserted);
            }
            match graph.places[step.target].atomic {
                true => self.moves(graph, step.target, holds, level + 1, found)?,
                false => found.push(Move { condition: holds, to: Some(step.target), span }),
            }
        }
        Ok(())
    }

    fn watch(&self, from: usize, to: usize, guard: Expr, span: Span) -> Edge {
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
            origin: self.sources.origin(span, Vec::new()),
        }
    }

    /// The condition that a state can be seen: nobody is in the middle of an atomic sequence and can go on.
    pub(super) fn visible(&self) -> Expr {
        let Some(holder) = self.holder else { return Expr::TRUE };
        let mut hidden = Vec::new();
        for index in 0..self.instances.len() {
            let id = ProcessId::new(index);
            let inside = |edge: &Edge| self.network.processes[id].locations[edge.source].atomic;
            let edges: Vec<EdgeId> = self.network.processes[id]
                .edges
                .enumerate()
                .filter(|(_, edge)| inside(edge))
                .map(|(edge, _)| edge)
                .collect();
            if !edges.is_empty() {
                let holds = Expr::Var(holder).binary(BinaryOp::Eq, Expr::Const(index as i64 + 1));
                hidden.push(Expr::And(vec![holds, Expr::Enabled(id, edges)]));
            }
        }
        Expr::Or(hidden).negated()
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
