//! The cone of influence (E. Clarke, O. Grumberg and D. Peled, "Model Checking", 1999; for networks, M. Wehrle
//! and M. Helmert, SAS 2009): the factors that the property asks about, those with a say in the changes of these,
//! and so on. What is outside of it is stopped where it starts.
//!
//! Nothing that is left can tell. A run of what is left is a run of the whole network, in which nothing outside
//! happens; and a run of the whole network, without the steps that happen outside, is a run of what is left. So
//! lengths are exact: shortest runs are shortest runs. For that, besides labels that affect something inside,
//! there belong to the cone:
//! - whatever restricts a label of the cone, or is affected by it; all the parts of the label; and, as a receiver
//!   that fails holds up a broadcast, all the edges that name its channel;
//! - clocks that these labels, invariants or the target test, and hence the labels that set them;
//! - whoever has a say in how time passes and who goes first: automata with invariants, urgent or committed
//!   locations, and all edges over urgent channels;
//! - factors of so many values, and edges that depend on so many, that a proof which leaves them open would be too
//!   long to check.
//!
//! In networks with priorities, a token, processes that come and go, or questions about what is enabled, everybody
//! may have a say: they are left as they are.

use crate::abstraction::{EFFORT, Unfit};
use crate::factor::Factor;
use crate::passage::{Exact, Passage};
use crate::safe::{is_bare, is_plain};
use crate::view::{Footprint, View, is_urgent, stop};
use beeline_ir::certificate::{Cell, Certificate};
use beeline_ir::expr::Expr;
use beeline_ir::layout::SlotKind;
use beeline_ir::network::{ChannelKind, Network, Role};
use beeline_ir::property::Property;
use beeline_ir::trace::Trace;
use beeline_ir::visit::walk;
use beeline_ir::{ChannelId, ClockId};
use beeline_program::schema::EdgeRef;
use beeline_program::{Atom, ChannelUse, SlotSet};
use std::collections::BTreeSet;

/// Values a factor outside may have, and combinations of values a label outside may depend on. The check of a
/// proof goes through them for each row.
const COMBINATIONS: u128 = 1 << 12;

/// A network without what is outside of the cone of influence of a property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cone {
    /// The factors that are outside, in the order of their slots.
    pub removed: Vec<Factor>,
    /// What is left: the same processes, edges and variables; edges outside have become impossible.
    pub network: Network,
    /// What every row of a proof about the network says of these slots.
    cells: Vec<(usize, Cell)>,
    passage: Passage,
}

impl Cone {
    /// Stops what is outside of the cone of influence; `None` if there is nothing, or it takes too long to find
    /// out. Takes a well-formed network and property.
    pub fn of(network: &Network, property: &Property) -> Option<Self> {
        if !is_plain(network) {
            return None;
        }
        let budget = EFFORT.checked_sub(View::effort(network))?;
        let view = View::new(network, property)?;
        let inside = Inside::of(&view, budget)?;
        let outside = |slot: &usize| view.changing.contains(*slot) && !inside.slots.contains(*slot);
        let slots = || (0..view.initial.len()).filter(outside);
        let removed: Vec<Factor> =
            slots().filter_map(|s| Factor::of(&view.program.layout.slots[s])).collect();
        if removed.is_empty() {
            return None;
        }
        let mut left = network.clone();
        for (process, edge) in view.edges.keys().filter(|edge| !inside.edges.contains(edge)) {
            stop(&mut left.processes[*process].edges[*edge]);
        }
        let constant = |slot: &usize| !view.changing.contains(*slot);
        let constants = (0..view.initial.len()).filter(constant).map(|s| (s, Cell::Value(view.initial[s])));
        let cells = constants.chain(slots().map(|slot| (slot, any(&view, slot)))).collect();
        let passage = Passage::new(network, &left, property);
        Some(Self { removed, network: left, cells, passage })
    }
}

impl Exact for Cone {
    fn network(&self) -> &Network {
        &self.network
    }
    fn trace(&self, trace: &Trace) -> Result<Trace, Unfit> {
        self.passage.trace(trace)
    }
    /// Outside, anything may be the case, whatever is the case inside; constants are what they always are. Levels
    /// stay, because what happens outside leads from each row to the same row.
    fn lift(&self, certificate: &Certificate) -> Result<Certificate, Unfit> {
        let mut lifted = self.passage.certificate(certificate)?;
        for row in &mut lifted.rows {
            for (slot, cell) in &self.cells {
                *row.cells.get_mut(*slot).ok_or(Unfit::Foreign)? = cell.clone();
            }
        }
        Ok(lifted)
    }
}

/// Whatever a slot that changes may hold. Edges from locations that there is no way to have not been looked at.
fn any(view: &View<'_>, slot: usize) -> Cell {
    let slot = &view.program.layout.slots[slot];
    match slot.kind {
        SlotKind::Location(process) if (view.locations[process].len() as u128) < slot.range.size() => {
            Cell::Set(view.locations[process].iter().map(|location| location.index() as i64).collect())
        }
        _ => Cell::Any,
    }
}

/// What is in the cone. Constants may be; that makes no difference.
#[derive(Default)]
struct Inside {
    slots: SlotSet,
    clocks: BTreeSet<ClockId>,
    edges: BTreeSet<EdgeRef>,
    /// The declarations of the channels that these edges name; `None` for those given by a value.
    channels: BTreeSet<Option<ChannelId>>,
}

impl Inside {
    /// The least set that is closed; `None` if looking for it means looking at more edges than this.
    fn of(view: &View<'_>, mut budget: usize) -> Option<Self> {
        let mut inside = Self::default();
        inside.begin(view);
        let mut outside: Vec<(EdgeRef, &Footprint)> =
            view.edges.iter().map(|(at, edge)| (*at, edge)).collect();
        loop {
            let before = outside.len();
            budget = budget.checked_sub(before)?;
            outside.retain(|(at, footprint)| {
                let belongs = inside.is_affected_by(view, *at, footprint) || inside.meets(view, *at);
                if belongs {
                    inside.add(view, *at, footprint);
                }
                !belongs
            });
            if outside.len() == before {
                return Some(inside);
            }
        }
    }

    /// The target, and all that has to do with time.
    fn begin(&mut self, view: &View<'_>) {
        for conjunct in &view.target.conjuncts {
            self.slots.extend(&conjunct.reads);
            walk(&conjunct.expr, &mut |e| {
                if let Expr::Clock(atom) = e {
                    self.clocks.extend(std::iter::once(atom.left).chain(atom.right));
                }
            });
        }
        self.slots.extend(&view.invariant_reads);
        for (id, process) in view.program.processes.enumerate().filter(|(_, p)| p.role == Role::System) {
            process.locations.iter().for_each(|location| self.test(&location.invariant));
            if !view.locations[id].iter().all(|location| is_bare(view, id, *location)) {
                self.slots.insert(view.program.layout.location[id]);
            }
        }
        let wide = |slot: &usize| view.program.layout.slots[*slot].range.size() > COMBINATIONS;
        (0..view.initial.len()).filter(wide).for_each(|slot| self.slots.insert(slot));
        for (at, footprint) in &view.edges {
            if is_urgent(view.network, &view.program, view.edge(*at)) || !depends_on_few(view, *at) {
                self.add(view, *at, footprint);
            }
        }
    }

    fn test(&mut self, atoms: &[Atom]) {
        self.clocks.extend(atoms.iter().flat_map(|atom| std::iter::once(atom.left).chain(atom.right)));
    }

    /// Takes an edge in, with all that it depends on and affects.
    fn add(&mut self, view: &View<'_>, at: EdgeRef, footprint: &Footprint) {
        let edge = view.edge(at);
        self.edges.insert(at);
        self.slots.insert(view.home(at));
        for slots in [&footprint.guard_reads, &footprint.other_reads, &footprint.writes] {
            self.slots.extend(slots);
        }
        self.test(&edge.clock_guard);
        if let Some(update) = edge.update {
            self.clocks.extend(&view.program.routines[update].clocks_read);
        }
        self.channels.extend(edge.sync.channel().map(|channel| channel.declaration(&view.program)));
    }

    /// Whether the edge affects something in the cone.
    fn is_affected_by(&self, view: &View<'_>, at: EdgeRef, footprint: &Footprint) -> bool {
        let sets = |clock: &ClockId| self.clocks.contains(clock);
        let update = view.edge(at).update.map(|update| &view.program.routines[update]);
        footprint.writes.meets(&self.slots) || update.is_some_and(|u| u.clocks_written.iter().any(sets))
    }

    /// Whether the edge may be part of a label of the cone, or hold one up.
    fn meets(&self, view: &View<'_>, at: EdgeRef) -> bool {
        let named = |channel: ChannelUse| match channel.declaration(&view.program) {
            Some(id) => {
                self.channels.contains(&None) || self.channels.contains(&Some(id)) && is_broadcast(view, id)
            }
            None => !self.channels.is_empty(),
        };
        view.edge(at).sync.channel().is_some_and(named)
            || view.partners.get(&at).is_some_and(|all| all.iter().any(|edge| self.edges.contains(edge)))
    }
}

fn is_broadcast(view: &View<'_>, channel: ChannelId) -> bool {
    view.program.channel_kinds[channel] == ChannelKind::Broadcast
}

/// Whether each label with this part depends on few combinations of values. A sender meets its receivers one by
/// one, unless it is a broadcast that they all join.
fn depends_on_few(view: &View<'_>, at: EdgeRef) -> bool {
    let partners = view.partners.get(&at).map_or(&[][..], Vec::as_slice);
    let one_by_one =
        view.edge(at).sync.channel().is_none_or(|channel| {
            channel.declaration(&view.program).is_some_and(|id| !is_broadcast(view, id))
        });
    let together = if one_by_one { 1 } else { partners.len().max(1) };
    are_few(view, at, &[]) && partners.chunks(together).all(|some| are_few(view, at, some))
}

/// Whether there are few combinations of the values that restrict these edges.
fn are_few(view: &View<'_>, at: EdgeRef, partners: &[EdgeRef]) -> bool {
    let mut slots = SlotSet::default();
    for edge in std::iter::once(&at).chain(partners) {
        slots.insert(view.home(*edge));
        if let Some(footprint) = view.edges.get(edge) {
            slots.extend(&footprint.guard_reads);
            slots.extend(&footprint.other_reads);
        }
    }
    let values = |slot: usize| match view.program.layout.slots[slot].kind {
        SlotKind::Location(process) => view.locations[process].len() as u128,
        _ => view.program.layout.slots[slot].range.size(),
    };
    // Each counts for two at least, so that there is soon an end to it.
    let product = slots.common(&view.changing).try_fold(1_u128, |product, slot| {
        Some(product.saturating_mul(values(slot).max(2))).filter(|product| *product <= COMBINATIONS)
    });
    product.is_some()
}
