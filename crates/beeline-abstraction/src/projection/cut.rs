//! What is removed, and what depends on it.

use super::Pattern;
use beeline_ir::expr::{Expr, Range};
use beeline_ir::network::{ChannelKind, Network};
use beeline_ir::property::{Property, PropertyKind};
use beeline_ir::stmt::{Local, Pattern as Field, Receive};
use beeline_ir::visit::walk;
use beeline_ir::{FunctionId, IdVec, LocalId, ProcessId, VarId};
use beeline_program::held::held;
use beeline_program::intervals;
use beeline_program::rewrite::rewrite;
use std::collections::{BTreeMap, BTreeSet};

/// What a call of a projected function does.
#[derive(Clone, Debug, Default)]
pub(super) struct Summary {
    /// What is removed, of what its result depends on.
    pub result: Pattern,
    /// Whether it changes something kept.
    pub effects: bool,
    /// Which of its parameters matter.
    pub params: Vec<bool>,
}

/// A network cut into what is kept and what is removed; something is.
pub(super) struct Cut<'n> {
    pub network: &'n Network,
    /// What is kept, mapped variables among it.
    pub kept: Pattern,
    /// What is not, mapped variables among it.
    pub removed: Pattern,
    /// Failing assertions are what is looked for.
    pub asserts: bool,
    /// Functions, as far as they have been projected.
    pub functions: Vec<Summary>,
    /// Functions that certainly do not fail.
    pub unfailing: BTreeSet<FunctionId>,
    /// What variables may hold, if some are mapped.
    held: IdVec<VarId, Range>,
}

impl<'n> Cut<'n> {
    pub fn new(network: &'n Network, property: &Property, kept: &Pattern) -> Self {
        let mut cut = Self {
            network,
            kept: kept.unmapped(),
            removed: Pattern::all(network).without(kept),
            asserts: property.kind == PropertyKind::NoAssertionFailure,
            functions: Vec::new(),
            unfailing: BTreeSet::new(),
            held: if kept.maps.is_empty() { IdVec::new() } else { held(network) },
        };
        let functions = network.functions.enumerate();
        let fine =
            functions.filter(|(_, function)| !Scope::new(&cut, &function.frame).body_may_fail(function));
        let unfailing = fine.map(|(id, _)| id).collect();
        cut.unfailing = unfailing;
        cut
    }
    /// The values that a variable may hold where it is read.
    pub fn held(&self, var: VarId) -> Range {
        self.held.get(var).copied().unwrap_or(self.network.vars[var].range)
    }
    pub fn removes(&self, process: ProcessId) -> bool {
        !self.kept.automata.contains(&process)
    }
    /// Whether there are broadcasts, which a receiver that fails would block.
    pub fn broadcasts(&self) -> bool {
        self.network.channels.iter().any(|channel| channel.kind == ChannelKind::Broadcast)
    }
    pub fn function(&self, id: FunctionId) -> Option<&Summary> {
        self.functions.get(id.index())
    }
}

/// Where an expression stands.
#[derive(Clone)]
pub(super) struct Scope<'a> {
    pub cut: &'a Cut<'a>,
    pub frame: &'a [Local],
    /// Locals whose values depend on something removed, with that.
    pub tainted: BTreeMap<LocalId, Pattern>,
}

impl<'a> Scope<'a> {
    pub fn new(cut: &'a Cut<'a>, frame: &'a [Local]) -> Self {
        Self { cut, frame, tainted: BTreeMap::new() }
    }

    /// What is removed, of what the value of an expression depends on. Whether labels are enabled depends on
    /// everything.
    pub fn missing(&self, e: &Expr) -> Pattern {
        let Cut { kept, removed, .. } = self.cut;
        let mut missing = Pattern::default();
        walk(e, &mut |part| match part {
            Expr::Var(var) | Expr::Elem(var, _) if !kept.integers.contains(var) => {
                missing.integers.insert(*var);
            }
            Expr::Local(local) | Expr::LocalElem(local, _) => {
                self.tainted.get(local).into_iter().for_each(|taint| missing.add(taint));
            }
            Expr::At(process, _) if self.cut.removes(*process) => {
                missing.automata.insert(*process);
            }
            Expr::Call(function, _) => {
                self.cut.function(*function).into_iter().for_each(|callee| missing.add(&callee.result));
            }
            Expr::Clock(atom) => {
                let clocks = [Some(atom.left), atom.right].into_iter().flatten();
                missing.clocks.extend(clocks.filter(|clock| !kept.clocks.contains(clock)));
            }
            Expr::Enabled(..) | Expr::Timeout | Expr::Deadlock => missing.add(removed),
            _ => {}
        });
        missing
    }
    /// Whether an expression cannot stay as it is. Differences of clocks never do.
    pub fn loses(&self, e: &Expr) -> bool {
        let mut diagonal = false;
        walk(e, &mut |part| diagonal |= matches!(part, Expr::Clock(atom) if atom.right.is_some()));
        diagonal || !self.missing(e).is_empty()
    }
    /// Contains every value of an expression.
    pub fn hull(&self, e: &Expr) -> Range {
        intervals::of(self.cut.network, self.frame, e)
    }
    /// An expression that loses nothing. A poll binds nothing, but what it names to bind to may be removed.
    pub fn keep(&self, e: &Expr) -> Expr {
        rewrite(e, &mut |part| match part {
            Expr::Poll(receive) => {
                let pattern = receive.pattern.iter().map(|field| match field {
                    Field::Match(value) => Field::Match(self.keep(value)),
                    Field::Bind(_) | Field::Ignore => Field::Ignore,
                });
                let pattern = pattern.collect();
                Some(Expr::Poll(Box::new(Receive { pattern, ..receive.as_ref().clone() })))
            }
            _ => None,
        })
    }
}

/// The values in both ranges.
pub(super) fn meet(a: Range, b: Range) -> Range {
    Range::new(a.lo.max(b.lo), a.hi.min(b.hi))
}
