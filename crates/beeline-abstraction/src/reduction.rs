//! The network without what can never happen (see `possible`): edges that can neither be taken nor fail are switched
//! off, and a variable has no other range than that of the values it can get; one that is always the same takes no room
//! in a state.
//!
//! Nothing that is left can tell: in all states that have possible values, and labels lead only from such states to
//! such states, the labels, the failing labels and what they do are the same as before. So lengths are exact, runs are
//! runs of the original, and a proof becomes one of the original by leaving nothing but possible values in its rows.
//!
//! The kernel, which knows nothing of this, evaluates such an edge like any other, so it must know what the edge reads.
//! Where it would have to try many values, or to be certain that the edge is not enabled (there are priorities, or the
//! property asks about deadlock), the guard stays beside what makes it false, and with it all that is read; edges over
//! urgent channels stay as they are.
//!
//! A range may become narrower only if no store can tell. In an update that goes through, a variable may for a while
//! have a value that it never has between labels; and where one fails, its first error should stay its first error. So
//! all stores into the variable must be checked assignments or bindings, one at most in each update, outside of all
//! branches, loops and functions, and with nothing after it that may fail.

use crate::abstraction::Unfit;
use crate::passage::{Exact, Passage};
use crate::possible::{Chance, Possible};
use crate::safe::{is_lasting, is_plain};
use crate::view::{is_off, is_urgent, stop, switch_off};
use beeline_ir::VarId;
use beeline_ir::certificate::{Cell, Certificate};
use beeline_ir::expr::{Expr, Range};
use beeline_ir::layout::SlotKind;
use beeline_ir::network::{Edge, Network, Sync};
use beeline_ir::property::{Property, Target as PropertyTarget};
use beeline_ir::stmt::{Pattern, Place, Receive, Stmt, Store, Target};
use beeline_ir::trace::Trace;
use beeline_ir::visit::{walk, walk_block};
use beeline_program::schema::EdgeRef;
use beeline_program::{Program, SlotSet};
use std::collections::BTreeSet;

/// Combinations of values that the kernel may have to try on an edge that is gone.
const COMBINATIONS: u128 = 64;

/// A network without what can never happen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reduction {
    /// The edges that can never be taken.
    pub edges: Vec<EdgeRef>,
    /// The variables that have a narrower range now.
    pub narrowed: Vec<VarId>,
    /// What is left: the same processes, edges and variables; the edges have become impossible.
    pub network: Network,
    /// The slots that cannot have all the values they are declared with, and those they can have.
    possible: Vec<(usize, Vec<i64>)>,
    passage: Passage,
}

impl Reduction {
    /// Leaves out what can never happen; `None` if there is nothing, or it takes too long to find out. Takes a
    /// well-formed network and property.
    pub fn of(network: &Network, property: &Property) -> Option<Self> {
        if !is_lasting(network) {
            return None;
        }
        let program = Program::compile(network);
        let found = Possible::of(&program, &program.layout.initial(network))?;
        let mut left = network.clone();
        let mut edges = Vec::new();
        let plain = is_plain(network) && !asks_about_deadlock(property);
        for (at, _) in found.edges.iter().filter(|(_, chance)| !chance.goes && !chance.fails) {
            let edge = &mut left.processes[at.0].edges[at.1];
            let compiled = &program.processes[at.0].edges[at.1];
            let unseen = !found.locations[at.0][edge.source];
            if is_off(edge) || !unseen && is_urgent(network, &program, compiled) {
                continue;
            }
            if unseen || plain && found.combinations(&program, compiled) <= COMBINATIONS {
                stop(edge);
            } else {
                switch_off(edge);
            }
            edges.push(*at);
        }
        let unsteady = unsteady(network, &program, &found);
        let mut narrowed = Vec::new();
        for (id, var) in network.vars.enumerate().filter(|(id, _)| !unsteady.contains(id)) {
            let first = program.layout.var[id]?;
            let cells = &found.values.slots()[first..first + var.init.len()];
            let range = cells.iter().map(|cell| cell.hull()).reduce(Range::hull)?;
            if range.size() < var.range.size() {
                left.vars[id].range = range;
                narrowed.push(id);
            }
        }
        if edges.is_empty() && narrowed.is_empty() {
            return None;
        }
        let possible = possible(&program, &found);
        let passage = Passage::new(network, &left, property);
        Some(Self { edges, narrowed, network: left, possible, passage })
    }
}

impl Exact for Reduction {
    fn network(&self) -> &Network {
        &self.network
    }
    fn trace(&self, trace: &Trace) -> Result<Trace, Unfit> {
        self.passage.trace(trace)
    }
    /// What the rows say, of possible values.
    fn lift(&self, certificate: &Certificate) -> Result<Certificate, Unfit> {
        let mut lifted = self.passage.certificate(certificate)?;
        let slots = self.possible.last().map_or(0, |(slot, _)| slot + 1);
        if lifted.rows.iter().any(|row| row.cells.len() < slots) {
            return Err(Unfit::Foreign);
        }
        lifted.rows.retain_mut(|row| {
            self.possible.iter().all(|(slot, values)| {
                let kept = meet(&row.cells[*slot], values);
                kept.map(|cell| row.cells[*slot] = cell).is_some()
            })
        });
        Ok(lifted)
    }
}

fn asks_about_deadlock(property: &Property) -> bool {
    let mut asks = false;
    if let PropertyTarget::State(target) = property.target() {
        walk(&target, &mut |part| asks |= *part == Expr::Deadlock);
    }
    asks
}

/// What a cell says, of these values; `None` if that is nothing. The values are ascending.
fn meet(cell: &Cell, values: &[i64]) -> Option<Cell> {
    let possible = |value: &&i64| values.binary_search(value).is_ok();
    let kept: Vec<i64> = match cell {
        Cell::Value(value) => Some(value).into_iter().filter(possible).copied().collect(),
        Cell::Set(set) => set.iter().filter(possible).copied().collect(),
        Cell::Any => values.to_vec(),
    };
    match kept[..] {
        [] => None,
        [value] => Some(Cell::Value(value)),
        _ => Some(Cell::Set(kept)),
    }
}

/// The slots that cannot have all the values they are declared with, and those they can have.
fn possible(program: &Program, found: &Possible) -> Vec<(usize, Vec<i64>)> {
    let mut all = Vec::new();
    for (slot, layout) in program.layout.slots.iter().enumerate() {
        let values: Option<Vec<i64>> = match layout.kind {
            SlotKind::Location(process) => {
                let reached = found.locations[process].enumerate().filter(|(_, reached)| **reached);
                Some(reached.map(|(location, _)| location.index() as i64).collect())
            }
            _ => found.values.slots()[slot].iter().map(Iterator::collect),
        };
        all.extend(values.filter(|v| (v.len() as u128) < layout.range.size()).map(|values| (slot, values)));
    }
    all
}

/// The variables with a store that could tell that their range is narrower.
fn unsteady(network: &Network, program: &Program, found: &Possible) -> BTreeSet<VarId> {
    let mut unsteady = BTreeSet::new();
    for ((process, edge), chance) in found.edges.iter().filter(|(_, chance)| chance.goes) {
        let Some(update) = program.processes[*process].edges[*edge].update else { continue };
        let steady = steady(program, &network.processes[*process].edges[*edge], *chance);
        let written = variables(program, &program.routines[update].writes);
        unsteady.extend(written.filter(|var| !steady.contains(var)));
    }
    unsteady
}

/// The variables that an edge stores into once, in a way that a narrower range does not change.
fn steady(program: &Program, edge: &Edge, chance: Chance) -> BTreeSet<VarId> {
    let (mut steady, mut others) = (BTreeSet::new(), BTreeSet::new());
    walk_block(&edge.update, &mut |statement, level| match statement {
        Stmt::Assign(target, _) if level > 1 => others.extend(stored(target)),
        Stmt::Call(function, _, target) => {
            others.extend(target.iter().filter_map(stored));
            others.extend(variables(program, &program.routines[program.functions[*function]].writes));
        }
        _ => {}
    });
    let calm = |after: &[Stmt]| !chance.update_fails || after.iter().all(never_fails);
    let mut store = |target: &Target, calm: bool| {
        let fits = calm && target.store == Store::Checked;
        if let Some(var) = stored(target)
            && !(fits && steady.insert(var))
        {
            others.insert(var);
        }
    };
    if let Sync::Receive(Receive { pattern, .. }) = &edge.sync {
        let bound = pattern.iter().filter_map(|pattern| match pattern {
            Pattern::Bind(target) => Some(target),
            Pattern::Match(_) | Pattern::Ignore => None,
        });
        // A binding after it may fail as well as the update.
        let alone = bound.clone().count() == 1 || !chance.update_fails;
        bound.for_each(|target| store(target, alone && calm(&edge.update)));
    }
    for (at, statement) in edge.update.iter().enumerate() {
        if let Stmt::Assign(target, _) = statement {
            store(target, calm(&edge.update[at + 1..]));
        }
    }
    steady.difference(&others).copied().collect()
}

/// The variable that a target is or is part of.
fn stored(target: &Target) -> Option<VarId> {
    match target.place {
        Place::Var(var) | Place::Elem(var, _) => Some(var),
        Place::Local(_) | Place::LocalElem(..) => None,
    }
}

/// The variables in some slots.
fn variables<'p>(program: &'p Program, slots: &'p SlotSet) -> impl Iterator<Item = VarId> + 'p {
    slots.iter().filter_map(|slot| match program.layout.slots[slot].kind {
        SlotKind::Cell(var, _) => Some(var),
        _ => None,
    })
}

/// Whether a statement has no run-time error, whatever the state.
fn never_fails(statement: &Stmt) -> bool {
    match statement {
        Stmt::ClockCopy(..) => true,
        Stmt::ClockSet(_, Expr::Const(value)) => (0..=1 << 31).contains(value),
        _ => false,
    }
}
