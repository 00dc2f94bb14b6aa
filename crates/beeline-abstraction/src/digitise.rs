//! Digitisation: clocks that count whole units of time. Where all clock constraints are closed (`<=`, `>=`, `==`), a
//! run can be rounded: there is one of the same labels in which everything happens at integer times (T. A. Henzinger,
//! Z. Manna, A. Pnueli, "What good are digital clocks?", ICALP 1992). So a clock becomes an integer variable, and the
//! passing of a unit of time an internal label that costs nothing.
//!
//! Strict constraints are relaxed to closed ones, and priorities and the urgency of channels are dropped: what is left
//! over-approximates the network, with distances that are never too large. A guard that keeps others back would have to
//! become stronger instead; networks with such clock guards are refused.
//!
//! - The finest unit worth having is the greatest common divisor of all constants. With a coarser one, bounds are
//!   rounded outwards: rounding keeps the order of moments, so what is at most a bound apart is then at most the next
//!   whole number of units apart.
//! - A clock stops counting one unit beyond the greatest constant it is compared with, its *cap*: all greater values
//!   are alike. If another clock may take its value, the constants of that one matter, too. In a given state fewer
//!   constants may be ahead, so that the cap is less there.
//! - An invariant is part of the condition of its location, so that a tick that breaks it has no successor.
//!
//! Reading order: here, which networks and units there are; `scale`, what becomes of a network; `horizon`, the caps.

mod horizon;
mod scale;

use beeline_ir::expr::{ChannelRef, ClockAtom, Expr, UnaryOp};
use beeline_ir::layout::Layout;
use beeline_ir::network::{ChannelKind, Edge, Network, Sync};
use beeline_ir::property::{Property, PropertyKind};
use beeline_ir::stmt::Stmt;
use beeline_ir::visit::{block_parts, edge_parts, walk, walk_block};
use beeline_ir::{ClockId, IdVec};
use beeline_program::Atom;
use horizon::Horizon;
use scale::Scale;
use std::collections::BTreeSet;

/// A network with digital clocks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Digital {
    /// It has all processes, variables, channels and edges of the original, under their ids; then a variable for each
    /// clock that is compared with something, and a process that lets time pass. There are no clocks.
    pub network: Network,
    /// The property, with a weaker target.
    pub property: Property,
    /// For each slot of a state: the slot of the original that has the same value there; `None` for those added.
    pub slots: Vec<Option<usize>>,
    /// The clocks that are compared with something, ascending.
    pub counters: Vec<Counter>,
    /// What a unit of a counter is worth.
    pub unit: i64,
    horizon: Horizon,
}

/// A clock as a variable.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Counter {
    /// The clock.
    pub clock: ClockId,
    /// The slot of its value.
    pub slot: usize,
}

impl Digital {
    /// The greatest value of a counter in a state, which stands for all from there on.
    pub fn cap(&self, state: &[i64], counter: usize) -> u16 {
        self.horizon.cap(state, counter)
    }

    /// Makes one state of those that differ only beyond the caps.
    pub fn forget(&self, state: &mut [i64]) {
        for at in 0..self.counters.len() {
            let cap = self.cap(state, at);
            let value = &mut state[self.counters[at].slot];
            *value = (*value).min(cap.into());
        }
    }
}

/// The clocks of a network that can be digitised.
#[derive(Debug)]
pub struct Clocks<'a> {
    network: &'a Network,
    property: &'a Property,
    /// By clock, the greatest constant that matters to it, if it is compared with something.
    greatest: IdVec<ClockId, Option<i64>>,
    /// Clocks that the property is about, and those whose values they may get.
    asked: BTreeSet<ClockId>,
    /// The greatest common divisor of all constants, and that of the values that clocks are set to (or 0).
    divisors: (i64, i64),
}

/// Whether nothing depends on how many processes there are and whether one can move, and no clock guard is negated.
fn fits(network: &Network, property: &Property) -> bool {
    let layout = Layout::of_network(network);
    // Whoever holds the token keeps others back while a label of its own is enabled.
    let tokens = layout.holder.is_some();
    if tokens || property.observer().is_some() || network.processes.ids().any(|id| layout.mortal(id)) {
        return false;
    }
    let mut counts = false;
    let mut visit = |e: &Expr| {
        walk(e, &mut |part| {
            counts |= matches!(part, Expr::ProcessCount | Expr::Timeout | Expr::Enabled(..) | Expr::Deadlock);
        });
    };
    for process in &network.processes {
        process.locations.iter().for_each(|location| visit(&location.condition));
        process.edges.iter().for_each(|edge| edge_parts(edge, &mut visit));
    }
    network.functions.iter().for_each(|function| block_parts(&function.body, &mut visit));
    if let PropertyKind::Always(p) | PropertyKind::Exists(p) = &property.kind {
        visit(p);
    }
    let broadcast = |id| network.channels[id].kind == ChannelKind::Broadcast;
    let stays_behind = |edge: &Edge| match &edge.sync {
        Sync::Receive(receive) if !edge.clock_guard.is_empty() => match &receive.channel {
            ChannelRef::Element(id, _) => broadcast(*id),
            ChannelRef::Value(_) => network.channels.ids().any(broadcast),
        },
        _ => false,
    };
    !counts && !network.processes.iter().flat_map(|process| &process.edges).any(stays_behind)
}

impl<'a> Clocks<'a> {
    /// The clocks of a network, a projection as a rule; `None` if they cannot be digitised.
    pub fn of(network: &'a Network, property: &'a Property) -> Option<Self> {
        if !fits(network, property) {
            return None;
        }
        let greatest = network.clocks.iter().map(|_| None).collect();
        let mut clocks = Self { network, property, greatest, asked: BTreeSet::new(), divisors: (0, 0) };
        for process in &network.processes {
            for location in &process.locations {
                clocks.compare(&location.invariant)?;
            }
            for edge in &process.edges {
                clocks.compare(&edge.clock_guard)?;
            }
        }
        if let PropertyKind::Always(p) | PropertyKind::Exists(p) = &property.kind {
            let mut atoms = Vec::new();
            walk(p, &mut |part| {
                if let Expr::Clock(atom) = part {
                    atoms.push(atom.as_ref().clone());
                }
            });
            clocks.compare(&atoms)?;
            clocks.asked = atoms.iter().map(|atom| atom.left).collect();
        }
        clocks.store()?;
        Some(clocks)
    }

    /// The units that may be had, the coarsest first, down to the finest that is worth it.
    pub fn units(&self) -> Vec<i64> {
        let (finest, set) = (self.divisors.0.max(1), self.divisors.1);
        let greatest = self.greatest.iter().flatten().copied().max().unwrap_or(0);
        let mut units = vec![finest];
        let mut unit = finest;
        while unit < greatest && set % (2 * unit) == 0 {
            unit *= 2;
            units.push(unit);
        }
        units.retain(|unit| greatest / unit < i64::from(u16::MAX) - 1);
        units.reverse();
        units
    }

    /// The network with counters in place of clocks, for one of the units.
    pub fn digital(&self, unit: i64) -> Option<Digital> {
        Scale { clocks: self, unit }.digital()
    }

    /// Takes note of the constants of constraints.
    fn compare(&mut self, atoms: &[ClockAtom]) -> Option<()> {
        for atom in atoms {
            let bound = self.constant(&atom.bound)?;
            if atom.right.is_some() || bound.abs() > Atom::LIMIT {
                return None;
            }
            self.divisors.0 = greatest_common_divisor(self.divisors.0, bound.abs());
            let greatest = &mut self.greatest[atom.left];
            *greatest = Some(greatest.unwrap_or(0).max(bound));
        }
        Some(())
    }

    /// Takes note of the values that clocks are set to, and of clocks that get the value of another.
    fn store(&mut self) -> Option<()> {
        let edges = self.network.processes.iter().flat_map(|process| &process.edges);
        let functions = self.network.functions.iter().map(|function| &function.body);
        let (mut values, mut copies) = (Vec::new(), Vec::new());
        for block in edges.map(|edge| &edge.update).chain(functions) {
            walk_block(block, &mut |statement, _| match statement {
                Stmt::ClockSet(_, value) => values.push(value),
                Stmt::ClockCopy(clock, other) => copies.push((*clock, *other)),
                _ => {}
            });
        }
        for value in values {
            let value = self.constant(value).filter(|value| (0..=Atom::LIMIT).contains(value))?;
            self.divisors.0 = greatest_common_divisor(self.divisors.0, value);
            self.divisors.1 = greatest_common_divisor(self.divisors.1, value);
        }
        // Every round but the last one raises a constant to that of another clock.
        while let Some((clock, other)) =
            copies.iter().copied().find(|(clock, other)| self.greatest[*clock] > self.greatest[*other])
        {
            self.greatest[other] = self.greatest[clock];
        }
        while let Some((_, other)) =
            copies.iter().find(|(clock, other)| self.asked.contains(clock) && !self.asked.contains(other))
        {
            self.asked.insert(*other);
        }
        Some(())
    }

    /// The value of an expression that is the same in all states.
    fn constant(&self, e: &Expr) -> Option<i64> {
        match e {
            Expr::Const(value) => Some(*value),
            Expr::Var(var) => {
                let range = self.network.vars[*var].range;
                (range.size() == 1).then_some(range.lo)
            }
            Expr::Unary(UnaryOp::Neg, inner) => self.constant(inner)?.checked_neg(),
            _ => None,
        }
    }
}

fn greatest_common_divisor(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}
