//! What becomes of a network whose clocks count units: clocks are variables, clock constraints are conditions on them, and
//! a process of its own lets time pass.

use super::horizon::Horizon;
use super::{Clocks, Counter, Digital};
use crate::target::conjunction;
use beeline_ir::expr::{BinaryOp, ClockAtom, ClockOp, Expr, Quantifier, Range, UnaryOp};
use beeline_ir::layout::{Layout, SlotKind};
use beeline_ir::network::{Edge, Location, Network, Process, Role, Sync, Var};
use beeline_ir::property::{Property, PropertyKind};
use beeline_ir::stmt::{Block, Place, Stmt, Store, Target};
use beeline_ir::visit::walk;
use beeline_ir::{ClockId, IdVec, LocationId, VarId};
use std::collections::HashMap;

/// On which side an approximation may be wrong.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Side {
    /// True wherever the original is.
    Upper,
    /// True only where the original is.
    Lower,
}

/// Clocks that count units.
pub(super) struct Scale<'a> {
    pub(super) clocks: &'a Clocks<'a>,
    /// What a unit is worth.
    pub(super) unit: i64,
}

impl Scale<'_> {
    /// The network and its property with counters.
    pub(super) fn digital(&self) -> Option<Digital> {
        let Clocks { network, property, .. } = *self.clocks;
        let property = self.property(property)?;
        let mut left = self.network()?;
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
        let horizon = Horizon::new(self, &counters, &layout);
        Some(Digital { slots, counters, unit: self.unit, horizon, network: left, property })
    }

    fn network(&self) -> Option<Network> {
        let network = self.clocks.network;
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
        Some(left)
    }

    /// One unit beyond a constant.
    pub(super) fn cap(&self, greatest: i64) -> i64 {
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
    pub(super) fn counter(&self, clock: ClockId) -> Option<(VarId, i64)> {
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

/// A name like this one that is not taken.
fn unused(mut name: String, taken: impl Fn(&str) -> bool) -> String {
    while taken(&name) {
        name.push('_');
    }
    name
}
