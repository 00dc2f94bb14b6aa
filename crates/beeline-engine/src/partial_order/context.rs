//! What an edge touches by what there is around it: listeners, invariants, time.

use super::access::Access;
use super::footprint::{Footprint, Footprints, meets_partners, ones};
use super::resources::{Bits, Resources, buffered};
use super::{WhyNot, go_on};
use beeline_ir::layout::SlotKind;
use beeline_ir::limits::Limits;
use beeline_ir::network::{ChannelKind, Network};
use beeline_ir::{ChannelId, EdgeId, IdVec, LocationId, ProcessId};
use beeline_program::{Atom, ChannelUse, CompiledEdge, CompiledSync, Program};
use beeline_zones::fault::{self, Fault};

impl Footprint {
    /// Where one of these slots is an index, the state before does not tell what is touched.
    pub(super) fn forget(
        &mut self,
        changed: &Bits,
        program: &Program,
        resources: &Resources,
        accesses: &[Access],
    ) {
        for number in ones(self.by).filter(|number| changed.contains(resources.slot(accesses[*number].index)))
        {
            accesses[number].touch(program, resources, None, &mut self.touched);
            self.by &= !(1 << number);
        }
    }
}

impl Footprints {
    /// Whoever broadcasts looks at all who may listen: where they are, and whether they can.
    pub(super) fn add_audiences(&mut self, program: &Program, resources: &Resources) {
        let mut audiences: IdVec<ChannelId, Bits> =
            program.channel_kinds.iter().map(|_| Bits::none(resources)).collect();
        if !program.channel_kinds.iter().any(|kind| *kind == ChannelKind::Broadcast) {
            return;
        }
        for (process, edge) in Self::ids(program) {
            let compiled = &program.processes[process].edges[edge];
            let Some(channel) = compiled.sync.channel().filter(|_| compiled.sync.receives()) else {
                continue;
            };
            let asks = self.asks_at_most(program, resources, (process, edge));
            for id in program.channel_kinds.ids() {
                let audience = &mut audiences[id];
                if channel.declaration(program).is_none_or(|declared| declared == id) {
                    audience.add_all(&asks);
                    resources.look_at(&program.layout, program.layout.location[process], audience);
                }
            }
        }
        for (process, edge) in Self::ids(program) {
            let CompiledSync::Send { channel, .. } = program.processes[process].edges[edge].sync else {
                continue;
            };
            for (id, audience) in audiences.enumerate() {
                let broadcasts = program.channel_kinds[id] == ChannelKind::Broadcast;
                if broadcasts && channel.declaration(program).is_none_or(|declared| declared == id) {
                    let footprint = &mut self.edges[process][edge];
                    footprint.touched.reads.add_all(audience);
                    footprint.asks.add_all(audience);
                }
            }
        }
    }

    /// Whoever may hold the token looks at all who may be its partners: whether it has to wait for them decides who may
    /// go.
    pub(super) fn add_partners(
        &mut self,
        program: &Program,
        resources: &Resources,
        limits: &Limits,
    ) -> Result<(), WhyNot> {
        for (process, edge) in Self::ids(program) {
            go_on(limits)?;
            let compiled = &program.processes[process].edges[edge];
            let Some(channel) = compiled.sync.channel() else { continue };
            if !program.processes[process].locations[compiled.source].atomic {
                continue;
            }
            for (other, partner) in Self::ids(program).filter(|(other, _)| *other != process) {
                let sync = &program.processes[other].edges[partner].sync;
                let meet = sync.channel().is_some_and(|theirs| {
                    channel.may_meet(theirs, program, |kind| !matches!(kind, ChannelKind::Buffered { .. }))
                });
                if meet && sync.receives() != compiled.sync.receives() {
                    let mut asks = self.asks_at_most(program, resources, (other, partner));
                    resources.look_at(&program.layout, program.layout.location[other], &mut asks);
                    self.edges[process][edge].touched.reads.add_all(&asks);
                }
            }
        }
        Ok(())
    }

    /// Whoever receives does so after whoever sends, and after some of those who receive the same: an index that they may
    /// change says nothing.
    pub(super) fn forget_indices(
        &mut self,
        program: &Program,
        resources: &Resources,
        limits: &Limits,
    ) -> Result<(), WhyNot> {
        if fault::active(Fault::IndexBeforeStep) {
            return Ok(());
        }
        for (process, edge) in Self::ids(program) {
            go_on(limits)?;
            let sync = &program.processes[process].edges[edge].sync;
            let Some(channel) = sync.channel().filter(|_| sync.receives()) else { continue };
            if self.edges[process][edge].by == 0 || !meets_partners(program, channel) {
                continue;
            }
            let mut changed = Bits::none(resources);
            for (other, part) in Self::ids(program).filter(|(other, _)| *other != process) {
                let theirs = &program.processes[other].edges[part].sync;
                let together = |kind| match kind {
                    ChannelKind::Buffered { .. } => false,
                    ChannelKind::Broadcast => true,
                    _ => !theirs.receives(),
                };
                if theirs.channel().is_some_and(|theirs| channel.may_meet(theirs, program, together)) {
                    changed.add_all(&self.edges[other][part].stores);
                    changed.add_all(&self.edges[other][part].resets);
                }
            }
            let accesses = &self.accesses[process];
            self.edges[process][edge].forget(&changed, program, resources, accesses);
        }
        Ok(())
    }

    /// Whoever holds the token and has a partner that fails is stuck with it, as if it failed itself.
    pub(super) fn add_failing_partners(
        &mut self,
        program: &Program,
        resources: &Resources,
        limits: &Limits,
    ) -> Result<(), WhyNot> {
        for (process, edge) in Self::ids(program) {
            go_on(limits)?;
            let compiled = &program.processes[process].edges[edge];
            let Some(channel) = compiled.sync.channel() else { continue };
            if !program.processes[process].locations[compiled.source].atomic {
                continue;
            }
            let fails = Self::ids(program).filter(|(other, _)| *other != process).any(|at| {
                let theirs = program.processes[at.0].edges[at.1].sync.channel();
                let meet = theirs.is_some_and(|theirs| {
                    channel.may_meet(theirs, program, |kind| !matches!(kind, ChannelKind::Buffered { .. }))
                });
                meet && self.at_most(program, resources, at).reads.contains(resources.fails())
            });
            if fails {
                self.edges[process][edge].touched.reads.add(resources.fails());
            }
        }
        Ok(())
    }

    /// Whoever changes what an invariant depends on looks at all of that: the invariant decides whether it can. If it does
    /// not hold, the label leads nowhere, as one that fails.
    pub(super) fn add_invariants(
        &mut self,
        program: &Program,
        resources: &Resources,
        limits: &Limits,
    ) -> Result<(), WhyNot> {
        for (process, compiled) in program.processes.enumerate() {
            go_on(limits)?;
            let mut needed = Bits::none(resources);
            let mut conditional = false;
            for location in &compiled.locations {
                let atoms = location.invariant.iter().flat_map(Atom::routines);
                for routine in location.condition.into_iter().chain(atoms) {
                    conditional = true;
                    for slot in program.routines[routine].reads.iter() {
                        resources.look_at(&program.layout, slot, &mut needed);
                    }
                }
            }
            if !conditional {
                continue;
            }
            resources.look_at(&program.layout, program.layout.location[process], &mut needed);
            for at in Self::ids(program) {
                if self.at_most(program, resources, at).writes.meets(&needed) {
                    let reads = &mut self.edges[at.0][at.1].touched.reads;
                    reads.add_all(&needed);
                    reads.add(resources.fails());
                }
            }
        }
        Ok(())
    }

    /// What nobody ever looks at need not be written in any order.
    pub(super) fn forget_unread(&mut self, program: &Program, resources: &Resources, goal: &Bits) {
        let mut read = goal.clone();
        for at in Self::ids(program) {
            read.add_all(&self.at_most(program, resources, at).reads);
        }
        let mut unread = Bits::none(resources);
        for (slot, its) in program.layout.slots.iter().enumerate() {
            if matches!(its.kind, SlotKind::Cell(..)) && !read.contains(resources.slot(slot)) {
                unread.add(resources.slot(slot));
            }
        }
        for footprint in self.edges.iter_mut().flat_map(|edges| edges.iter_mut()) {
            footprint.touched.writes.remove_all(&unread);
        }
    }

    /// Edges that time is not indifferent to write time: those with clock constraints or resets, those that change what
    /// the invariant says about clocks or whether time may pass, and those over urgent channels.
    pub(super) fn add_time(
        &mut self,
        network: &Network,
        program: &Program,
        resources: &Resources,
        limits: &Limits,
    ) -> Result<(), WhyNot> {
        let mut decisive = Bits::none(resources);
        for location in program.processes.iter().flat_map(|process| process.locations.iter()) {
            for routine in location.invariant.iter().flat_map(Atom::routines) {
                for slot in program.routines[routine].reads.iter() {
                    resources.look_at(&program.layout, slot, &mut decisive);
                }
            }
        }
        let urgent = |edge: &CompiledEdge| {
            edge.sync.channel().is_some_and(|channel| {
                let declared = channel.declaration(program);
                let mut channels = network.channels.enumerate();
                channels.any(|(id, channel)| channel.urgent && declared.is_none_or(|declared| declared == id))
            })
        };
        for (process, edge) in Self::ids(program) {
            go_on(limits)?;
            let compiled = &program.processes[process].edges[edge];
            if !urgent(compiled) {
                continue;
            }
            decisive.add_all(&self.asks_at_most(program, resources, (process, edge)));
            // Room, or a message.
            let named =
                |element: &usize| compiled.sync.channel().is_some_and(|c| c.may_name(program, *element));
            for element in (0..program.elements.len()).filter(named).filter(|e| buffered(program, *e)) {
                decisive.add(resources.back(element));
                decisive.add(resources.front(element));
            }
        }
        let mut timed: IdVec<ProcessId, IdVec<EdgeId, bool>> = IdVec::new();
        for (process, compiled) in program.processes.enumerate() {
            let waits = |location: LocationId| {
                compiled.outgoing[location].iter().any(|edge| urgent(&compiled.edges[*edge]))
            };
            let of = |(id, edge): (EdgeId, &CompiledEdge)| {
                let (from, to) = (&compiled.locations[edge.source], &compiled.locations[edge.target]);
                let alike = from.invariant == to.invariant
                    && from.urgent == to.urgent
                    && from.committed == to.committed
                    && !from.atomic
                    && !to.atomic;
                let footprint = &self.edges[process][id];
                let writes = self.at_most(program, resources, (process, id)).writes;
                let moves = edge.source != edge.target && (waits(edge.source) || waits(edge.target));
                let clocks = !edge.clock_guard.is_empty() || writes.contains(resources.time());
                let lives = edge.exits || footprint.starts != 0;
                clocks || !alike || urgent(edge) || moves || lives || writes.meets(&decisive)
            };
            timed.push(compiled.edges.enumerate().map(of).collect());
        }
        // Whoever broadcasts may take others along.
        let joins = |channel: ChannelUse| {
            Self::ids(program).any(|(process, edge)| {
                let sync = &program.processes[process].edges[edge].sync;
                let broadcast = |kind| kind == ChannelKind::Broadcast;
                let heard = sync.channel().is_some_and(|other| channel.may_meet(other, program, broadcast));
                sync.receives() && heard && timed[process][edge]
            })
        };
        let resets_commute = fault::active(Fault::ResetsCommute);
        for (process, edge) in Self::ids(program) {
            go_on(limits)?;
            let sends = match program.processes[process].edges[edge].sync {
                CompiledSync::Send { channel, .. } => joins(channel),
                _ => false,
            };
            if (timed[process][edge] || sends) && !resets_commute {
                self.edges[process][edge].touched.writes.add(resources.time());
            }
        }
        Ok(())
    }
}
