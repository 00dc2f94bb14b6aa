//! A variable of few values becomes part of the locations of one process: location `l` becomes `l` with value 0, `l`
//! with value 1, and so on. Discrete states correspond one to one.
//!
//! It applies where the variable is written only by top-level assignments of that process's own edges, from
//! values that are known in advance, and read by no other update: during an update locations have already
//! changed, so a read there would see the new value.

use crate::random::Random;
use crate::walk::{self, Visitor};
use beeline_ir::expr::{BinaryOp, Expr, Range};
use beeline_ir::network::{Edge, Network, Role, Sync};
use beeline_ir::stmt::{Block, Pattern, Place, Stmt, Store, Target};
use beeline_ir::{EdgeId, IdVec, LocationId, ProcessId, VarId};

/// Unfolds some variable into some process.
pub fn unfold(network: &Network, random: &mut Random) -> Option<Network> {
    let mut pairs = Vec::new();
    for (var, declared) in network.vars.enumerate() {
        if declared.len.is_none() && declared.range.size() <= 4 {
            let processes =
                network.processes.enumerate().filter(|(_, p)| p.role == Role::System && p.family.is_none());
            pairs.extend(processes.map(|(process, _)| (var, process)));
        }
    }
    random.shuffle(&mut pairs);
    pairs.into_iter().find_map(|(var, process)| Unfold::new(network, var, process)?.apply())
}

struct Unfold<'n> {
    network: &'n Network,
    var: VarId,
    process: ProcessId,
    range: Range,
}

impl<'n> Unfold<'n> {
    fn new(network: &'n Network, var: VarId, process: ProcessId) -> Option<Self> {
        let params = network.processes.iter().any(|p| p.params.contains(&var));
        let ends =
            |p: ProcessId| network.processes[p].edges.iter().any(|e| e.update.last() == Some(&Stmt::Exit));
        let mortal = |p: ProcessId| network.processes[p].family.is_some() || ends(p);
        let mortal = mortal(process) || network.vars[var].owner.is_some_and(mortal);
        let in_functions = network.functions.iter().any(|f| mentions_in_block(&f.body, var));
        let received = network.processes.iter().flat_map(|p| p.edges.iter()).any(|e| binds(&e.sync, var));
        let elsewhere = network
            .processes
            .enumerate()
            .filter(|(id, _)| *id != process)
            .any(|(_, p)| p.edges.iter().any(|e| mentions_in_block(&e.update, var)));
        let unsuited = params || mortal || in_functions || received || elsewhere;
        (!unsuited).then(|| Self { network, var, process, range: network.vars[var].range })
    }

    fn copies(&self) -> usize {
        (self.range.hi - self.range.lo + 1) as usize
    }
    fn location(&self, old: LocationId, value: i64) -> LocationId {
        LocationId::new(old.index() * self.copies() + (value - self.range.lo) as usize)
    }

    fn apply(&self) -> Option<Network> {
        let mut result = self.network.clone();
        let old = &self.network.processes[self.process];
        let mut locations = IdVec::new();
        for location in &old.locations {
            for value in self.range.values() {
                let mut copy = location.clone();
                copy.name = format!("{}_{}", location.name, value - self.range.lo);
                locations.push(copy);
            }
        }
        let mut edges = IdVec::new();
        for edge in &old.edges {
            for value in self.range.values() {
                edges.push(self.edge(edge, value)?);
            }
        }
        let process = &mut result.processes[self.process];
        process.initial = self.location(old.initial, self.network.vars[self.var].init[0]);
        process.locations = locations;
        process.edges = edges;
        walk::network(&mut result, &mut Outside(self));
        self.drop_var(&mut result);
        Some(result)
    }

    /// The edge as it is taken while the variable has the value.
    fn edge(&self, edge: &Edge, value: i64) -> Option<Edge> {
        let mut copy = edge.clone();
        let mut known = Known { var: self.var, value };
        walk::expr(&mut copy.guard, &mut known);
        for atom in &mut copy.clock_guard {
            if let Some(when) = &mut atom.when {
                walk::expr(when, &mut known);
            }
            walk::expr(&mut atom.bound, &mut known);
        }
        walk::sync(&mut copy.sync, &mut known); // bound before the update, so with the old value
        let mut update = Vec::new();
        for stmt in &edge.update {
            if let Stmt::Assign(Target { place: Place::Var(v), store }, e) = stmt
                && *v == self.var
            {
                let mut e = e.clone();
                walk::expr(&mut e, &mut known);
                let next = constant(&e)?;
                known.value = match store {
                    Store::Wrapping => self.range.wrap(next),
                    Store::Checked if self.range.contains(next) => next,
                    Store::Checked => return None, // the run-time error would be lost
                };
                continue;
            }
            let mut block = vec![stmt.clone()];
            if writes(&block, self.var) {
                return None;
            }
            walk::block(&mut block, &mut known);
            update.append(&mut block);
        }
        copy.update = update;
        copy.source = self.location(edge.source, value);
        copy.target = self.location(edge.target, known.value);
        Some(copy)
    }

    fn drop_var(&self, network: &mut Network) {
        struct Close(VarId);
        impl Visitor for Close {
            fn var(&mut self, id: &mut VarId) {
                if *id > self.0 {
                    *id = VarId::new(id.index() - 1);
                }
            }
        }
        walk::network(network, &mut Close(self.var));
        let mut vars = std::mem::take(&mut network.vars).into_vec();
        vars.remove(self.var.index());
        network.vars = vars.into();
    }
}

/// Replaces the variable by the value it has.
struct Known {
    var: VarId,
    value: i64,
}

impl Visitor for Known {
    fn expr(&mut self, expr: &mut Expr) {
        if *expr == Expr::Var(self.var) {
            *expr = Expr::Const(self.value);
        }
    }
}

/// Replaces what everything else sees of the process and the variable.
struct Outside<'u, 'n>(&'u Unfold<'n>);

impl Visitor for Outside<'_, '_> {
    fn expr(&mut self, expr: &mut Expr) {
        let unfold = self.0;
        match expr {
            Expr::At(process, location) if *process == unfold.process => {
                let at = |value| Expr::At(unfold.process, unfold.location(*location, value));
                *expr = Expr::Or(unfold.range.values().map(at).collect());
            }
            Expr::Enabled(process, edges) if *process == unfold.process => {
                let copies = unfold.copies();
                let all =
                    edges.iter().flat_map(|e| (0..copies).map(move |c| EdgeId::new(e.index() * copies + c)));
                *edges = all.collect();
            }
            Expr::Var(v) if *v == unfold.var => {
                let locations = || unfold.network.processes[unfold.process].locations.ids();
                let mut value = Expr::Const(unfold.range.lo);
                for v in unfold.range.values().skip(1) {
                    let here = locations().map(|l| Expr::At(unfold.process, unfold.location(l, v))).collect();
                    value = Expr::If(Box::new(Expr::Or(here)), Box::new(Expr::Const(v)), Box::new(value));
                }
                *expr = value;
            }
            _ => {}
        }
    }
}

fn constant(expr: &Expr) -> Option<i64> {
    match expr {
        Expr::Const(c) => Some(*c),
        Expr::Binary(op, a, b) => {
            let (a, b) = (constant(a)?, constant(b)?);
            match op {
                BinaryOp::Add => a.checked_add(b),
                BinaryOp::Sub => a.checked_sub(b),
                BinaryOp::Min => Some(a.min(b)),
                BinaryOp::Max => Some(a.max(b)),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Whether a receive binds to the variable, or to a place whose index mentions it.
fn binds(sync: &Sync, var: VarId) -> bool {
    let Sync::Receive(receive) = sync else { return false };
    receive.pattern.iter().any(|pattern| match pattern {
        Pattern::Bind(target) => mentions_in_block(&vec![Stmt::Assign(target.clone(), Expr::FALSE)], var),
        Pattern::Match(_) | Pattern::Ignore => false,
    })
}

fn mentions_in_block(block: &Block, var: VarId) -> bool {
    struct Mentions(VarId, bool);
    impl Visitor for Mentions {
        fn var(&mut self, id: &mut VarId) {
            self.1 |= *id == self.0;
        }
    }
    let mut mentions = Mentions(var, false);
    walk::block(&mut block.clone(), &mut mentions);
    mentions.1
}

fn writes(block: &Block, var: VarId) -> bool {
    struct Writes(VarId, bool);
    impl Visitor for Writes {
        fn target(&mut self, target: &mut Target) {
            self.1 |= target.place == Place::Var(self.0);
        }
    }
    let mut writes = Writes(var, false);
    walk::block(&mut block.clone(), &mut writes);
    writes.1
}
