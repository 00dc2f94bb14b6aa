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

use crate::target::conjunction;
use beeline_ir::expr::{BinaryOp, ChannelRef, ClockAtom, ClockOp, Expr, Quantifier, Range, UnaryOp};
use beeline_ir::layout::{Layout, SlotKind};
use beeline_ir::network::{ChannelKind, Edge, Location, Network, Process, Role, Sync, Var};
use beeline_ir::property::{Property, PropertyKind};
use beeline_ir::stmt::{Block, Place, Stmt, Store, Target};
use beeline_ir::visit::{block_parts, edge_parts, walk, walk_block};
use beeline_ir::{ClockId, IdVec, LocationId, VarId};
use beeline_program::clock_bounds::ClockBounds;
use beeline_program::{Atom, Program};
use std::collections::{BTreeSet, HashMap};

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

/// How far counters count.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Horizon {
    /// In any state, by counter.
    everywhere: Vec<u16>,
    /// For the slot of a process's location: at least so far, by location and counter.
    locations: Vec<(usize, Vec<Vec<u16>>)>,
}

impl Digital {
    /// The greatest value of a counter in a state, which stands for all from there on.
    pub fn cap(&self, state: &[i64], counter: usize) -> u16 {
        let Horizon { everywhere, locations } = &self.horizon;
        let here = locations.iter().map(|(slot, caps)| caps[state[*slot] as usize][counter]);
        here.max().unwrap_or(0).max(everywhere[counter])
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
        Scale { clocks: self, unit }.digitise()
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

/// What clocks become when they count units.
struct Scale<'a> {
    clocks: &'a Clocks<'a>,
    unit: i64,
}

impl Scale<'_> {
    fn digitise(&self) -> Option<Digital> {
        let Clocks { network, property, .. } = *self.clocks;
        let mut left = network.clone();
        for (id, clock) in network.clocks.enumerate() {
            let Some((_, cap)) = self.counter(id) else { continue };
            let taken = |name: &str| left.vars.iter().any(|var| var.owner.is_none() && var.name == name);
            let (name, range) = (unused(clock.name.clone(), taken), Range::new(0, cap));
            let (init, symbols, origin) = (vec![0], None, None);
            left.vars.push(Var { name, owner: None, range, len: None, init, symbols, origin });
        }
        for process in left.processes.iter_mut() {
            process.priority = 0;
            for location in process.locations.iter_mut() {
                let invariant = std::mem::take(&mut location.invariant);
                location.condition = self.with(&location.condition, &invariant)?;
            }
            for edge in process.edges.iter_mut() {
                let guard = std::mem::take(&mut edge.clock_guard);
                edge.guard = self.with(&edge.guard, &guard)?;
                edge.update = self.block(&edge.update)?;
            }
        }
        for function in left.functions.iter_mut() {
            function.body = self.block(&function.body)?;
        }
        for channel in left.channels.iter_mut() {
            channel.priority.fill(0);
            channel.urgent = false;
        }
        left.processes.push(self.time());
        left.clocks = IdVec::new();
        let property = self.property(property)?;
        left.properties = vec![property.clone()];

        let layout = Layout::of_network(&left);
        let before = Layout::of_network(network).slots.into_iter().enumerate();
        let before: HashMap<SlotKind, usize> = before.map(|(at, slot)| (slot.kind, at)).collect();
        let slots = layout.slots.iter().map(|slot| before.get(&slot.kind).copied()).collect();
        let counters = network.clocks.ids().filter_map(|clock| {
            let (var, _) = self.counter(clock)?;
            Some(Counter { clock, slot: layout.var[var]? })
        });
        let counters: Vec<Counter> = counters.collect();
        let horizon = self.horizon(&counters, &layout);
        Some(Digital { slots, counters, unit: self.unit, horizon, network: left, property })
    }

    fn horizon(&self, counters: &[Counter], layout: &Layout) -> Horizon {
        let Clocks { network, asked, .. } = self.clocks;
        let bounds = ClockBounds::compute(network, &Program::compile(network), &[]);
        let most = |clock: ClockId| self.counter(clock).map_or(0, |(_, cap)| cap) as u16;
        let everywhere = counters.iter().map(|c| if asked.contains(&c.clock) { most(c.clock) } else { 0 });
        let locations = bounds.locations.enumerate().map(|(id, locations)| {
            let caps = locations.iter().map(|bounds| {
                let cap = |counter: &Counter| {
                    let at = counter.clock.index();
                    let greatest = bounds.lower[at].max(bounds.upper[at]);
                    let cap =
                        greatest.map_or(0, |greatest| u16::try_from(self.cap(greatest)).unwrap_or(u16::MAX));
                    cap.min(most(counter.clock))
                };
                counters.iter().map(cap).collect()
            });
            (layout.location[id], caps.collect::<Vec<Vec<u16>>>())
        });
        let matters = |(_, caps): &(usize, Vec<Vec<u16>>)| caps.iter().flatten().any(|cap| *cap > 0);
        Horizon { everywhere: everywhere.collect(), locations: locations.filter(matters).collect() }
    }

    /// One unit beyond a constant.
    fn cap(&self, greatest: i64) -> i64 {
        self.up(greatest) + 1
    }
    /// A bound in units, rounded up.
    fn up(&self, bound: i64) -> i64 {
        -(-bound).div_euclid(self.unit)
    }
    /// A bound in units, rounded down.
    fn down(&self, bound: i64) -> i64 {
        bound.div_euclid(self.unit)
    }

    /// The variable of a clock, and its cap.
    fn counter(&self, clock: ClockId) -> Option<(VarId, i64)> {
        let Clocks { network, greatest, .. } = self.clocks;
        let cap = self.cap(greatest[clock]?);
        let before = greatest.iter().take(clock.index()).flatten().count();
        Some((VarId::new(network.vars.len() + before), cap))
    }

    /// A clock constraint as a condition.
    fn atom(&self, atom: &ClockAtom, side: Side) -> Option<Expr> {
        let (var, _) = self.counter(atom.left)?;
        let bound = self.clocks.constant(&atom.bound)?;
        let compare = |op: BinaryOp, bound: i64| Expr::Var(var).binary(op, Expr::Const(bound));
        let (down, up) = (self.down(bound), self.up(bound));
        let holds = match (atom.op, side) {
            (ClockOp::Lt | ClockOp::Le, Side::Upper) => compare(BinaryOp::Le, up),
            (ClockOp::Gt | ClockOp::Ge, Side::Upper) => compare(BinaryOp::Ge, down),
            (ClockOp::Eq, Side::Upper) if down == up => compare(BinaryOp::Eq, up),
            (ClockOp::Eq, Side::Upper) => {
                Expr::And(vec![compare(BinaryOp::Ge, down), compare(BinaryOp::Le, up)])
            }
            (ClockOp::Lt | ClockOp::Le, Side::Lower) => compare(BinaryOp::Lt, down),
            (ClockOp::Gt | ClockOp::Ge, Side::Lower) => compare(BinaryOp::Gt, up),
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
                    let value = self.down(self.clocks.constant(value)?);
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
    fn time(&self) -> Process {
        let network = self.clocks.network;
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
