//! Digitisation: clocks that count whole units of time. Where all clock constraints are closed (`<=`, `>=`, `==`), a
//! run can be rounded: there is one of the same labels in which everything happens at integer times (T. A. Henzinger,
//! Z. Manna, A. Pnueli, "What good are digital clocks?", ICALP 1992). So a clock becomes an integer variable, and the
//! passing of a unit of time an internal label that costs nothing.
//!
//! Strict constraints are relaxed to closed ones, and priorities and the urgency of channels are dropped: what is left
//! over-approximates the network, with distances that are never too large. A condition that is negated would have to
//! become stronger instead; networks that negate clock guards are refused.
//!
//! - The unit is the greatest common divisor of all constants.
//! - A clock stops counting one unit beyond the greatest constant it is compared with, its *cap*: all greater values
//!   are alike. If another clock may take its value, the constants of that one matter, too.
//! - An invariant is part of the condition of its location, so that a tick that breaks it has no successor.

use crate::target::conjunction;
use beeline_ir::expr::{BinaryOp, ChannelRef, ClockAtom, ClockOp, Expr, Quantifier, Range, UnaryOp};
use beeline_ir::layout::{Layout, SlotKind};
use beeline_ir::network::{ChannelKind, Edge, Location, Network, Process, Role, Sync, Var};
use beeline_ir::property::{Property, PropertyKind};
use beeline_ir::stmt::{Block, Place, Stmt, Store, Target};
use beeline_ir::visit::{block_parts, edge_parts, walk, walk_block};
use beeline_ir::{ClockId, IdVec, LocationId, VarId};
use beeline_program::Atom;
use std::collections::HashMap;

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
}

/// A clock as a variable.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Counter {
    /// The clock.
    pub clock: ClockId,
    /// The slot of its value.
    pub slot: usize,
    /// Its greatest value, which stands for all from there on.
    pub cap: u16,
}

/// Digitises the clocks of a network, a projection as a rule; `None` if that is not possible.
pub fn digitise(network: &Network, property: &Property) -> Option<Digital> {
    if !fits(network, property) {
        return None;
    }
    let scale = Scale::new(network, property)?;
    let mut left = network.clone();
    for (name, cap) in scale.vars() {
        let taken = |name: &str| left.vars.iter().any(|var| var.owner.is_none() && var.name == name);
        let (name, range) = (unused(name, taken), Range::new(0, cap));
        let (init, symbols, origin) = (vec![0], None, None);
        left.vars.push(Var { name, owner: None, range, len: None, init, symbols, origin });
    }
    for process in left.processes.iter_mut() {
        process.priority = 0;
        for location in process.locations.iter_mut() {
            let invariant = std::mem::take(&mut location.invariant);
            location.condition = scale.with(&location.condition, &invariant)?;
        }
        for edge in process.edges.iter_mut() {
            let guard = std::mem::take(&mut edge.clock_guard);
            edge.guard = scale.with(&edge.guard, &guard)?;
            edge.update = scale.block(&edge.update)?;
        }
    }
    for function in left.functions.iter_mut() {
        function.body = scale.block(&function.body)?;
    }
    for channel in left.channels.iter_mut() {
        channel.priority.fill(0);
        channel.urgent = false;
    }
    let time = scale.time(network);
    left.processes.push(time);
    left.clocks = IdVec::new();
    let property = scale.property(property)?;
    left.properties = vec![property.clone()];

    let layout = Layout::of_network(&left);
    let before = Layout::of_network(network).slots.into_iter().enumerate();
    let before: HashMap<SlotKind, usize> = before.map(|(at, slot)| (slot.kind, at)).collect();
    let slots = layout.slots.iter().map(|slot| before.get(&slot.kind).copied()).collect();
    let counters = network.clocks.ids().filter_map(|clock| {
        let (var, cap) = scale.counter(clock)?;
        Some(Counter { clock, slot: layout.var[var]?, cap: u16::try_from(cap).ok()? })
    });
    Some(Digital { slots, counters: counters.collect(), unit: scale.unit, network: left, property })
}

/// Whether nothing depends on how many processes there are and whether one can move, and no clock guard is negated.
fn fits(network: &Network, property: &Property) -> bool {
    let layout = Layout::of_network(network);
    if property.observer().is_some() || network.processes.ids().any(|id| layout.mortal(id)) {
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

/// A name like this one that is not taken.
fn unused(mut name: String, taken: impl Fn(&str) -> bool) -> String {
    while taken(&name) {
        name.push('_');
    }
    name
}

/// On which side an approximation may be wrong.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Side {
    /// True wherever the original is.
    Upper,
    /// True only where the original is.
    Lower,
}

/// What clocks become.
struct Scale<'a> {
    network: &'a Network,
    unit: i64,
    /// By clock, its cap in units, if it is compared with something.
    caps: IdVec<ClockId, Option<i64>>,
}

impl<'a> Scale<'a> {
    fn new(network: &'a Network, property: &Property) -> Option<Self> {
        let caps = network.clocks.iter().map(|_| None).collect();
        let mut scale = Self { network, unit: 0, caps };
        for process in &network.processes {
            for location in &process.locations {
                scale.compare(&location.invariant)?;
            }
            for edge in &process.edges {
                scale.compare(&edge.clock_guard)?;
            }
        }
        if let PropertyKind::Always(p) | PropertyKind::Exists(p) = &property.kind {
            let mut atoms = Vec::new();
            walk(p, &mut |part| {
                if let Expr::Clock(atom) = part {
                    atoms.push(atom.as_ref().clone());
                }
            });
            scale.compare(&atoms)?;
        }
        scale.store()?;
        scale.unit = scale.unit.max(1);
        for cap in scale.caps.iter_mut().flatten() {
            *cap = *cap / scale.unit + 1;
        }
        scale.caps.iter().flatten().all(|cap| *cap <= i64::from(u16::MAX)).then_some(scale)
    }

    /// Takes note of the constants of constraints.
    fn compare(&mut self, atoms: &[ClockAtom]) -> Option<()> {
        for atom in atoms {
            let bound = self.constant(&atom.bound)?;
            if atom.right.is_some() || bound.abs() > Atom::LIMIT {
                return None;
            }
            self.unit = greatest_common_divisor(self.unit, bound.abs());
            let cap = &mut self.caps[atom.left];
            *cap = Some(cap.unwrap_or(0).max(bound));
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
            self.unit = greatest_common_divisor(self.unit, value);
        }
        // Every round but the last one raises a cap to that of another clock.
        while let Some((clock, other)) =
            copies.iter().copied().find(|(clock, other)| self.caps[*clock] > self.caps[*other])
        {
            self.caps[other] = self.caps[clock];
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

    /// The variable of a clock, and its cap.
    fn counter(&self, clock: ClockId) -> Option<(VarId, i64)> {
        let cap = self.caps[clock]?;
        let before = self.caps.iter().take(clock.index()).flatten().count();
        Some((VarId::new(self.network.vars.len() + before), cap))
    }

    /// Names and caps of the variables to be added, in the order of clocks.
    fn vars(&self) -> impl Iterator<Item = (String, i64)> {
        let clocks = self.network.clocks.iter().zip(&self.caps);
        clocks.filter_map(|(clock, cap)| Some((clock.name.clone(), (*cap)?)))
    }

    /// A clock constraint as a condition.
    fn atom(&self, atom: &ClockAtom, side: Side) -> Option<Expr> {
        let (var, _) = self.counter(atom.left)?;
        let bound = Expr::Const(self.constant(&atom.bound)? / self.unit);
        let compare = |op: BinaryOp| Expr::Var(var).binary(op, bound);
        let holds = match (atom.op, side) {
            (ClockOp::Lt | ClockOp::Le, Side::Upper) => compare(BinaryOp::Le),
            (ClockOp::Gt | ClockOp::Ge, Side::Upper) => compare(BinaryOp::Ge),
            (ClockOp::Eq, Side::Upper) => compare(BinaryOp::Eq),
            (ClockOp::Lt | ClockOp::Le, Side::Lower) => compare(BinaryOp::Lt),
            (ClockOp::Gt | ClockOp::Ge, Side::Lower) => compare(BinaryOp::Gt),
            (ClockOp::Eq, Side::Lower) => Expr::FALSE,
        };
        Some(match &atom.when {
            None => holds,
            Some(when) => Expr::Or(vec![when.clone().negated(), holds]),
        })
    }

    /// A condition with clock constraints that all have to hold.
    fn with(&self, condition: &Expr, atoms: &[ClockAtom]) -> Option<Expr> {
        let mut parts = Vec::new();
        parts.extend((!condition.is_true()).then(|| condition.clone()));
        for atom in atoms {
            parts.push(self.atom(atom, Side::Upper)?);
        }
        Some(conjunction(parts))
    }

    /// Statements. What is done to clocks that are never compared does not matter.
    fn block(&self, block: &Block) -> Option<Block> {
        let mut out = Vec::with_capacity(block.len());
        for statement in block {
            out.extend(match statement {
                Stmt::ClockSet(clock, value) => {
                    let value = self.constant(value)? / self.unit;
                    self.counter(*clock).map(|(var, cap)| store(var, Expr::Const(value.min(cap))))
                }
                // The cap of the other clock is no less.
                Stmt::ClockCopy(clock, other) => {
                    let both = self.counter(*clock).zip(self.counter(*other));
                    both.map(|((var, cap), (other, _))| store(var, at_most(Expr::Var(other), cap)))
                }
                Stmt::If(condition, then, otherwise) => {
                    Some(Stmt::If(condition.clone(), self.block(then)?, self.block(otherwise)?))
                }
                Stmt::While(condition, body) => Some(Stmt::While(condition.clone(), self.block(body)?)),
                other => Some(other.clone()),
            });
        }
        Some(out)
    }

    /// The process that lets time pass, where no process is at an urgent location. Committed locations hold it back as
    /// they hold back everyone.
    fn time(&self, network: &Network) -> Process {
        let urgent = network.processes.enumerate().flat_map(|(id, process)| {
            let urgent = process.locations.enumerate().filter(|(_, location)| location.urgent);
            urgent.map(move |(location, _)| Expr::At(id, location).negated())
        });
        let tick = network.clocks.ids().filter_map(|clock| self.counter(clock)).map(|(var, cap)| {
            let later = Expr::Var(var).binary(BinaryOp::Add, Expr::Const(1));
            store(var, at_most(later, cap))
        });
        let here = LocationId::new(0);
        let edge = Edge {
            source: here,
            target: here,
            frame: Vec::new(),
            selects: 0,
            guard: conjunction(urgent.collect()),
            clock_guard: Vec::new(),
            sync: Sync::Internal,
            update: tick.collect(),
            costs: false,
            origin: None,
        };
        let location = Location {
            name: "passes".to_string(),
            frame: Vec::new(),
            condition: Expr::TRUE,
            invariant: Vec::new(),
            urgent: false,
            committed: false,
            atomic: false,
            origin: None,
        };
        Process {
            name: unused("Time".to_string(), |name| network.processes.iter().any(|p| p.name == name)),
            role: Role::System,
            family: None,
            params: Vec::new(),
            priority: 0,
            locations: IdVec::from(vec![location]),
            initial: here,
            edges: IdVec::from(vec![edge]),
            origin: None,
        }
    }

    fn property(&self, property: &Property) -> Option<Property> {
        let kind = match &property.kind {
            PropertyKind::Always(p) => PropertyKind::Always(self.approximate(p, Side::Lower)?),
            PropertyKind::Exists(p) => PropertyKind::Exists(self.approximate(p, Side::Upper)?),
            kind => kind.clone(),
        };
        Some(Property { kind, text: None, ..property.clone() })
    }

    /// A condition of which clock constraints are parts. Where it fails matters as in a projection: nothing is
    /// evaluated less than in the original unless the outcome is certain.
    fn approximate(&self, e: &Expr, side: Side) -> Option<Expr> {
        let mut clocks = false;
        walk(e, &mut |part| clocks |= matches!(part, Expr::Clock(_)));
        if !clocks {
            return Some(e.clone());
        }
        let all = |parts: &[Expr]| -> Option<Vec<Expr>> {
            parts.iter().map(|part| self.approximate(part, side)).collect()
        };
        let boxed = |e: &Expr| self.approximate(e, side).map(Box::new);
        Some(match e {
            Expr::Clock(atom) => self.atom(atom, side)?,
            Expr::Unary(UnaryOp::Not, inner) => {
                let other = if side == Side::Upper { Side::Lower } else { Side::Upper };
                self.approximate(inner, other)?.negated()
            }
            Expr::And(parts) => Expr::And(all(parts)?),
            Expr::Or(parts) => Expr::Or(all(parts)?),
            Expr::If(condition, then, otherwise) => {
                let mut decides = false;
                walk(condition, &mut |part| decides |= matches!(part, Expr::Clock(_)));
                if decides {
                    return None;
                }
                Expr::If(condition.clone(), boxed(then)?, boxed(otherwise)?)
            }
            Expr::Quantified(quantifier @ (Quantifier::Forall | Quantifier::Exists), local, range, body) => {
                Expr::Quantified(*quantifier, *local, *range, boxed(body)?)
            }
            _ => return None,
        })
    }
}

fn store(var: VarId, value: Expr) -> Stmt {
    Stmt::Assign(Target { place: Place::Var(var), store: Store::Checked }, value)
}

fn at_most(value: Expr, cap: i64) -> Expr {
    value.binary(BinaryOp::Min, Expr::Const(cap))
}

fn greatest_common_divisor(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}
