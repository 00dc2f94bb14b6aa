//! Choosing patterns: which automata, integers and clocks a pattern database looks at.
//!
//! Reading order: [`Board`] (what all of them look at), [`downward`], [`russian_doll`], [`cone`], [`hill_climbing`],
//! [`cegar`] with [`best`], [`given`], [`making`].

pub mod best;
pub mod cegar;
pub mod cone;
pub mod downward;
pub mod given;
pub mod hill_climbing;
pub mod making;
pub mod russian_doll;

use crate::monotonicity::RelaxedTrace;
use beeline_abstraction::projection::Pattern;
use beeline_ir::expr::{ClockAtom, Expr};
use beeline_ir::layout::Layout;
use beeline_ir::limits::{Limits, StopReason};
use beeline_ir::network::{Network, Role};
use beeline_ir::property::{Property, Target};
use beeline_ir::visit::walk;
use beeline_ir::{ClockId, ProcessId, VarId};
use beeline_program::factored::relaxation::Relaxation;
use beeline_program::factored::{FactId, Factored, Formula};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Something that a pattern has or has not.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Element {
    /// Where an automaton is.
    Automaton(ProcessId),
    /// The value of an integer variable, or the values of an array.
    Integer(VarId),
}

/// The elements of a network, and estimates of what patterns of them are worth.
#[derive(Debug)]
pub struct Board<'n> {
    network: &'n Network,
    property: &'n Property,
    limits: &'n Limits,
    factored: Arc<Factored>,
    layout: Layout,
    initial: Vec<i64>,
    relaxation: Relaxation,
    trace: RelaxedTrace,
    /// What there is to choose from.
    pub elements: Vec<Element>,
    /// Automata and integers that never change: they are part of every pattern.
    constant: Vec<Element>,
}

impl<'n> Board<'n> {
    /// The board of a network.
    pub fn new(
        network: &'n Network,
        property: &'n Property,
        factored: Arc<Factored>,
        limits: &'n Limits,
    ) -> Self {
        let layout = Layout::of_network(network);
        let automata = network.processes.enumerate().map(|(id, _)| Element::Automaton(id));
        let all = automata.chain(network.vars.enumerate().map(|(id, _)| Element::Integer(id)));
        let (relaxation, trace) = (Relaxation::new(&factored), RelaxedTrace::new(&factored));
        let mut board = Self {
            network,
            property,
            limits,
            initial: layout.initial(network),
            layout,
            relaxation,
            trace,
            factored,
            elements: Vec::new(),
            constant: Vec::new(),
        };
        (board.elements, board.constant) = all.partition(|element| board.changes(*element));
        board
    }

    /// The slots of an element.
    pub fn slots(&self, element: Element) -> std::ops::Range<usize> {
        match element {
            Element::Automaton(process) => {
                let slot = self.layout.location[process];
                slot..slot + 1
            }
            Element::Integer(var) => {
                let first = self.layout.var[var].unwrap_or(0);
                first..first + self.layout.var[var].map_or(0, |_| self.network.vars[var].init.len())
            }
        }
    }

    /// The element that a slot belongs to.
    pub fn element(&self, slot: usize) -> Option<Element> {
        self.elements.iter().copied().find(|element| self.slots(*element).contains(&slot))
    }

    fn changes(&self, element: Element) -> bool {
        let domains = &self.factored.domains;
        self.slots(element).any(|slot| !domains.tracks(slot) || domains.size(slot) > 1)
    }

    /// Combinations of values of an element.
    pub fn values(&self, element: Element) -> u128 {
        let domains = &self.factored.domains;
        let of = |slot: usize| match domains.tracks(slot) {
            true => domains.size(slot) as u128,
            false => self.layout.slots[slot].range.size(),
        };
        self.slots(element).fold(1, |product: u128, slot| product.saturating_mul(of(slot)))
    }

    /// h^U of the initial state when only these elements are looked at, and its relaxed trace; `None` if the target is
    /// out of reach. Where the value of an element is not looked at, it may be any at any time.
    pub fn relaxed(&mut self, kept: &BTreeSet<Element>) -> Result<Option<u32>, StopReason> {
        let mut seen = vec![false; self.layout.slots.len()];
        for element in kept.iter().chain(&self.constant) {
            seen[self.slots(*element)].fill(true);
        }
        let Self { factored, relaxation, trace, initial, .. } = self;
        let domains = &factored.domains;
        let facts = (0..domains.slots()).flat_map(|slot| {
            let here = domains.fact(slot, initial[slot]).filter(|_| seen[slot]);
            domains.facts_of(slot).filter(move |fact: &FactId| here.is_none_or(|here| here == *fact))
        });
        let before = relaxation.work();
        let reached = relaxation.explore(factored, facts, &factored.goal, |_| false);
        self.limits.check(0, 0)?;
        self.limits.spend(relaxation.work() - before)?;
        Ok(reached.map(|_| {
            trace.extract(factored, relaxation, &factored.goal);
            trace.steps(factored)
        }))
    }

    /// The relaxed trace behind the value found last.
    pub fn trace(&self) -> &RelaxedTrace {
        &self.trace
    }

    /// The factored view.
    pub fn factored(&self) -> &Factored {
        &self.factored
    }

    /// The elements that the target is about.
    pub fn goal(&self) -> BTreeSet<Element> {
        let mut slots = Vec::new();
        self.goal_slots(&self.factored.goal, &mut slots);
        slots.into_iter().filter_map(|slot| self.element(slot)).collect()
    }

    /// The elements that the target names, whether or not that can be the case.
    pub fn named_by_target(&self) -> BTreeSet<Element> {
        let mut named = BTreeSet::new();
        if let Target::State(target) = self.property.target() {
            walk(&target, &mut |part| match part {
                Expr::At(process, _) => _ = named.insert(Element::Automaton(*process)),
                Expr::Var(var) | Expr::Elem(var, _) => _ = named.insert(Element::Integer(*var)),
                _ => {}
            });
        }
        named.into_iter().filter(|element| self.elements.contains(element)).collect()
    }

    fn goal_slots(&self, formula: &Formula, slots: &mut Vec<usize>) {
        match formula {
            Formula::Holds(cond) => slots.push(self.factored.cond(*cond).slot),
            Formula::All(parts) | Formula::Any(parts) => {
                parts.iter().for_each(|part| self.goal_slots(part, slots));
            }
        }
    }

    /// The clocks that the kept automata, and the property, compare with something.
    pub fn clocks_of(&self, kept: &BTreeSet<Element>) -> BTreeSet<ClockId> {
        let mut clocks = BTreeSet::new();
        let mut add = |atoms: &[ClockAtom]| {
            clocks.extend(atoms.iter().flat_map(|atom| std::iter::once(atom.left).chain(atom.right)));
        };
        for element in kept {
            let Element::Automaton(process) = element else { continue };
            let process = &self.network.processes[*process];
            process.locations.iter().for_each(|location| add(&location.invariant));
            process.edges.iter().for_each(|edge| add(&edge.clock_guard));
        }
        if let Target::State(target) = self.property.target() {
            walk(&target, &mut |part| {
                if let Expr::Clock(atom) = part {
                    add(std::slice::from_ref(atom));
                }
            });
        }
        clocks
    }

    /// All clocks.
    pub fn all_clocks(&self) -> BTreeSet<ClockId> {
        self.network.clocks.ids().collect()
    }

    /// The pattern of some elements, and of all that never changes, with some clocks.
    pub fn pattern(&self, kept: &BTreeSet<Element>, clocks: BTreeSet<ClockId>) -> Pattern {
        let mut pattern = Pattern { clocks, ..Pattern::default() };
        for element in kept.iter().chain(&self.constant) {
            match element {
                Element::Automaton(process) => _ = pattern.automata.insert(*process),
                Element::Integer(var) => _ = pattern.integers.insert(*var),
            }
        }
        let observers =
            self.network.processes.enumerate().filter(|(_, process)| process.role == Role::Observer);
        pattern.automata.extend(observers.map(|(id, _)| id));
        pattern
    }

    /// The name of an element.
    pub fn name(&self, element: Element) -> String {
        match element {
            Element::Automaton(process) => self.network.processes[process].name.clone(),
            Element::Integer(var) => self.network.var_name(var),
        }
    }
}
