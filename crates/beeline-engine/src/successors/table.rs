//! What the enumeration of labels looks up instead of working it out state by state: which edges leave a location, for
//! which choices of their select variables, and which of them need looking at only where somebody calls.

use super::elements::Elements;
use super::offers::Watch;
use super::switch::Switch;
use crate::time::TimePart;
use crate::time::frame::constant_bound;
use beeline_ir::network::{ChannelKind, Network, Role};
use beeline_ir::{ChannelId, EdgeId, IdVec, ProcessId};
use beeline_program::choice::{Choice, Chooser, Yield};
use beeline_program::schema::EdgeRef;
use beeline_program::{ChannelUse, CompiledEdge, CompiledSync, Program};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// The edges that leave a location.
#[derive(Clone, Default, Debug)]
pub struct Outgoing {
    /// Those that may begin a label, or fail by themselves.
    pub active: Vec<Way>,
    /// Those that only wait for a partner on a fixed channel element, and cannot fail.
    pub passive: Vec<(usize, Way)>,
    /// The elements they wait on.
    pub offered: Elements,
    /// The location is committed.
    pub committed: bool,
    /// Which of the active ones are worth looking at.
    pub switch: Option<Switch>,
    /// What decides about the active ones, if they are worth remembering.
    pub watch: Option<Watch>,
}

/// A process, as far as it can be told without looking where it is.
#[derive(Clone, Default, Debug)]
pub struct Place {
    /// The slot that says where it is.
    pub slot: usize,
    /// The position of its first location in the list of what leaves from where.
    first: usize,
    /// What its active edges need.
    needs: Elements,
    /// It has internal edges.
    internal: bool,
    /// It has active edges that are not internal and need nothing.
    begins: bool,
    /// It has active edges that count as leaving a committed location.
    committed: bool,
}

impl Place {
    /// Whether some active edge is worth looking at, given who waits and whether somebody is committed.
    #[inline]
    pub fn matters(&self, offered: &Elements, committed: bool) -> bool {
        self.begins || self.internal && (!committed || self.committed) || self.needs.meets(offered)
    }
}

/// An edge.
#[derive(Clone, Debug)]
pub struct Way {
    /// Which one.
    pub edge: EdgeId,
    /// Whether it synchronises with nobody.
    pub internal: bool,
    /// Whether it receives.
    pub receives: bool,
    /// Whether taking it counts as a step.
    pub costs: bool,
    /// Whether it counts as leaving a committed location.
    pub committed: bool,
    /// It comes to nothing, and cannot fail, unless somebody waits on this element.
    pub needs: Option<usize>,
    /// The values of its select variables and what follows from them; without, all values have to be tried.
    pub choice: Option<Choice>,
    /// What it does to clocks, if that is the same in all states.
    pub timing: Option<Timing>,
}

/// What an edge does to clocks: its guard, what it sets, and what its new location says about them. Edges with the same
/// number do the same.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Timing(u16);

/// What the one or two edges of a label do to clocks.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct LabelTiming(u32);

impl Timing {
    /// That of a number; `None` if there are too many.
    pub fn of(number: usize) -> Option<Self> {
        u16::try_from(number).ok().filter(|number| *number < u16::MAX).map(Self)
    }
    /// That of a label with this edge and perhaps another.
    #[inline]
    pub fn with(self, other: Option<Timing>) -> LabelTiming {
        LabelTiming(u32::from(self.0) << 16 | other.map_or(0, |other| u32::from(other.0) + 1))
    }
}

impl LabelTiming {
    /// A number of its own.
    #[inline]
    pub fn number(self) -> u64 {
        u64::from(self.0)
    }
}

/// The tables of a program.
#[derive(Clone, Debug)]
pub struct Table {
    /// The processes.
    pub processes: IdVec<ProcessId, Place>,
    /// By process and value of that slot; nothing for observers, and for processes that do not exist.
    pub outgoing: Vec<Outgoing>,
    /// Labels may differ in priority.
    pub prioritised: bool,
    /// Processes with a location that is committed, or where they wait for a partner.
    pub surveyed: Vec<ProcessId>,
    /// Some label may cost nothing.
    pub free: bool,
    /// Processes with a location whose invariant is more than clocks compared with constants.
    pub conditional: Vec<ProcessId>,
}

impl Table {
    /// The tables of a program and the network it was compiled from.
    ///
    /// Some edges may count as leaving a committed location although the network does not say so: a projection has
    /// forgotten where they start.
    pub fn new(network: &Network, program: &Program, committed: &BTreeSet<EdgeRef>) -> Self {
        let mut chooser = Chooser::new(network, program);
        let (mut processes, mut outgoing) = (IdVec::new(), Vec::new());
        for (id, process) in program.processes.enumerate() {
            let (slot, first) = (program.layout.location[id], outgoing.len());
            processes.push(Place { slot, first, ..Place::default() });
            for (location, edges) in process.outgoing.enumerate() {
                let mut from = Outgoing::default();
                if process.role == Role::System {
                    from.committed = process.locations[location].committed;
                    for edge in edges {
                        let committed = from.committed || committed.contains(&(id, *edge));
                        from.add(program, &mut chooser, (id, *edge), committed);
                    }
                    from.offered = from.passive.iter().map(|(element, _)| *element).collect();
                    from.switch = Switch::of(&from.active, &program.layout);
                }
                outgoing.push(from);
            }
            outgoing.push(Outgoing::default());
        }
        let always = always_offered(program, &processes, &outgoing);
        for way in outgoing.iter_mut().flat_map(|from| &mut from.active) {
            way.needs = way.needs.filter(|element| !always[*element]);
        }
        for (id, place) in processes.enumerate() {
            for at in 0..program.processes[id].locations.len() {
                let number = place.first + at;
                outgoing[number].watch = Watch::of(program, id, number, &outgoing[number]);
            }
        }
        let mut surveyed = Vec::new();
        for id in program.processes.ids() {
            let place = &mut processes[id];
            let here = &outgoing[place.first..][..program.processes[id].locations.len()];
            let active = || here.iter().flat_map(|from| &from.active);
            place.needs = active().filter_map(|way| way.needs).collect();
            place.internal = active().any(|way| way.internal);
            place.begins = active().any(|way| !way.internal && way.needs.is_none());
            place.committed = active().any(|way| way.committed);
            if here.iter().any(|from| from.committed || !from.passive.is_empty()) {
                surveyed.push(id);
            }
        }
        let system = program.processes.iter().filter(|p| p.role == Role::System);
        let mut priorities = system.clone().map(|p| p.priority);
        let first = priorities.next();
        let conditional = program.processes.enumerate().filter(|(_, process)| {
            process.locations.iter().any(|location| {
                let plain = location.invariant.iter().all(|atom| constant_bound(atom).is_some());
                location.condition.is_some() || !plain
            })
        });
        Self {
            prioritised: priorities.any(|p| Some(p) != first)
                || program.elements.iter().any(|e| e.priority != 0)
                || program.layout.holder.is_some(),
            free: { system }.any(|process| process.edges.iter().any(|edge| !edge.costs)),
            conditional: conditional.map(|(id, _)| id).collect(),
            surveyed,
            processes,
            outgoing,
        }
    }

    /// Notes what edges do to clocks, where that is the same in all states.
    pub fn note_timing<T: TimePart>(&mut self, program: &Program, time: &T) {
        let mut known = FxHashMap::default();
        for (id, Place { slot, first, .. }) in self.processes.enumerate() {
            let process = &program.processes[id];
            let here = self.outgoing[*first..].iter_mut().take(process.locations.len());
            for way in
                here.flat_map(|from| from.active.iter_mut().chain(from.passive.iter_mut().map(|(_, w)| w)))
            {
                let edge = &process.edges[way.edge];
                let yields = way.choice.as_ref().and_then(|choice| choice.yields.as_ref());
                let Some((yields, sets)) = yields.zip(edge.clock_effects(program)) else { continue };
                let next = known.len();
                let does = (yields.atoms.clone(), sets, time.kind(*slot, edge.target));
                let number = *known.entry(does).or_insert(next);
                way.timing = Timing::of(number);
            }
        }
    }

    /// What leaves from where a process is.
    #[inline]
    pub fn leaving(&self, place: &Place, slots: &[i64]) -> &Outgoing {
        &self.outgoing[place.first + slots[place.slot] as usize]
    }
}

/// The elements on which some edge may wait that has to be looked at in any case.
fn always_offered(
    program: &Program,
    processes: &IdVec<ProcessId, Place>,
    outgoing: &[Outgoing],
) -> Vec<bool> {
    let mut always = vec![false; program.elements.len()];
    let mut declared: IdVec<ChannelId, bool> = program.channel_kinds.iter().map(|_| false).collect();
    for (id, place) in processes.enumerate() {
        let process = &program.processes[id];
        let active =
            outgoing[place.first..].iter().take(process.locations.len()).flat_map(|from| &from.active);
        for way in active {
            let CompiledSync::Receive { channel, .. } = process.edges[way.edge].sync else { continue };
            match channel {
                ChannelUse::Element(element) => always[element] = true,
                ChannelUse::Declared(channel) => declared[channel] = true,
                ChannelUse::Value => return vec![true; program.elements.len()],
            }
        }
    }
    for (always, element) in always.iter_mut().zip(&program.elements) {
        *always |= declared[element.channel];
    }
    always
}

impl Outgoing {
    /// The active edges that are worth looking at, in order.
    #[inline]
    pub fn active<'a>(&'a self, slots: &[i64]) -> impl Iterator<Item = &'a Way> {
        let (all, some) = match &self.switch {
            Some(switch) => (&[][..], switch.edges(slots)),
            None => (&*self.active, &[][..]),
        };
        all.iter().chain(some.iter().map(|position| &self.active[*position as usize]))
    }

    fn add(&mut self, program: &Program, chooser: &mut Chooser<'_>, at: EdgeRef, committed: bool) {
        let (process, edge) = at;
        let CompiledEdge { sync, costs, .. } = &program.processes[process].edges[edge];
        let (internal, receives, costs) = (*sync == CompiledSync::Internal, sync.receives(), *costs);
        let (needs, choice, timing) = (None, None, None);
        let way = Way { edge, internal, receives, costs, committed, needs, choice, timing };
        let Some(choices) = chooser.choices(process, edge) else { return self.active.push(way) };
        let unbuffered = |e: usize| !matches!(program.elements[e].kind, ChannelKind::Buffered { .. });
        for choice in choices {
            let element = choice.yields.as_ref().and_then(|Yield { element, .. }| *element);
            let waits = element.filter(|e| receives && unbuffered(*e));
            let needs = element.filter(|e| program.elements[*e].kind == ChannelKind::Rendezvous);
            let way = Way { needs, choice: Some(choice), ..way };
            match waits {
                Some(element) => self.passive.push((element, way)),
                None => self.active.push(way),
            }
        }
    }
}
