//! What the interpreter needs to know of a model: its declarations, and where in a state everything is.

use std::borrow::Cow;

use beeline_ir::expr::Range;
use beeline_ir::layout::Layout;
use beeline_ir::network::{Channel, Edge, Location, Network, Process, Role};
use beeline_ir::relation::{Relation, RelationRole};
use beeline_ir::{ChannelId, EdgeId, IdVec, LocationId, ProcessId, VarId, work};

use crate::cells::{Cells, Eval, Known, Stop, Tri};

/// The declarations of a model. A relation is seen as a network without processes, whose cells are those of the
/// current state, then those of the next state, then the inputs.
#[derive(Debug)]
pub(crate) struct Context<'m> {
    pub network: Cow<'m, Network>,
    pub layout: Layout,
    /// The range of each slot.
    pub ranges: Vec<Range>,
    /// The edges that leave each location of each process, in order.
    leaving: IdVec<ProcessId, IdVec<LocationId, Vec<EdgeId>>>,
    /// What looking at all processes and the edges they may take amounts to.
    pub search: usize,
    /// The channel of each channel element, and its place in it.
    pub elements: Vec<(ChannelId, usize)>,
    /// Slot of each variable.
    pub var: Vec<usize>,
    /// Slot of each variable's next value; only for relations.
    pub next: Vec<usize>,
}

impl<'m> Context<'m> {
    pub fn of_network(network: &'m Network) -> Self {
        let layout = Layout::of_network(network);
        let ranges = layout.slots.iter().map(|s| s.range).collect();
        let var = layout.var.iter().map(|slot| slot.unwrap_or_default()).collect();
        let channels = network.channels.enumerate();
        let elements = channels.flat_map(|(id, c)| (0..c.elements()).map(move |i| (id, i))).collect();
        let search = work::of_search(network);
        let (leaving, network) =
            (network.processes.iter().map(Process::leaving).collect(), Cow::Borrowed(network));
        Self { network, layout, ranges, leaving, search, elements, var, next: Vec::new() }
    }
    /// A frozen variable is its own next value; an input has no next value, and stands for itself there.
    pub fn of_relation(relation: &Relation) -> Self {
        let layout = Layout::of_relation(relation);
        let stored = layout.slots.len();
        let mut ranges: Vec<Range> = layout.slots.iter().map(|s| s.range).collect();
        ranges.extend_from_within(..);
        let (mut var, mut next) = (Vec::new(), Vec::new());
        for (id, declared) in relation.vars.enumerate() {
            let slot = layout.var[id].unwrap_or(ranges.len());
            match declared.role {
                RelationRole::Input => ranges.push(declared.range),
                RelationRole::State | RelationRole::Frozen => {}
            }
            var.push(slot);
            next.push(if declared.role == RelationRole::State { slot + stored } else { slot });
        }
        let (network, leaving) = (Cow::Owned(Network::default()), IdVec::new());
        Self { network, layout, ranges, leaving, search: 0, elements: Vec::new(), var, next }
    }
    pub fn process(&self, id: ProcessId) -> &Process {
        &self.network.processes[id]
    }
    /// The processes that are part of the system, in order.
    pub fn system(&self) -> impl Iterator<Item = (ProcessId, &Process)> {
        self.network.processes.enumerate().filter(|(_, p)| p.role == Role::System)
    }
    /// The range of a variable's cells.
    pub fn var_range(&self, var: VarId) -> Range {
        self.ranges[self.var[var.index()]]
    }
    /// The position of a channel's first element in the list of all channel elements.
    pub fn first_element(&self, channel: ChannelId) -> usize {
        self.elements.partition_point(|(id, _)| *id < channel)
    }
    /// The channel an element belongs to, and its place in it.
    pub fn channel(&self, element: usize) -> (&Channel, usize) {
        let (id, index) = self.elements[element];
        (&self.network.channels[id], index)
    }
    /// Whether the process is at the location.
    pub fn at(&self, cells: &Cells, process: ProcessId, location: LocationId) -> Tri {
        let slot = self.layout.location[process];
        let known = cells.get(slot);
        match known.allows(location.index() as i64, self.ranges[slot]) {
            true if matches!(known, Known::Value(_)) => Tri::Yes,
            true => Tri::Maybe,
            false => Tri::No,
        }
    }
    /// Whether the process is at the location, which must be known.
    pub fn is_at(&self, cells: &Cells, process: ProcessId, location: LocationId) -> Eval<bool> {
        match self.at(cells, process, location) {
            Tri::No => Ok(false),
            Tri::Yes => Ok(true),
            Tri::Maybe => Err(Stop::Slot(self.layout.location[process])),
        }
    }
    /// The edges that leave a location the process may be at.
    pub fn leaving(&self, cells: &Cells, process: ProcessId) -> impl Iterator<Item = (EdgeId, &Edge)> {
        let edges = &self.process(process).edges;
        let slot = self.layout.location[process];
        let ids: Vec<EdgeId> = match cells.get(slot) {
            Known::Value(value) => {
                let location = self.layout.location(process, *value);
                location.map_or(Vec::new(), |location| self.leaving[process][location].clone())
            }
            _ => edges.ids().filter(|e| self.at(cells, process, edges[*e].source) != Tri::No).collect(),
        };
        ids.into_iter().map(move |id| (id, &edges[id]))
    }
    /// The states in which the process is at the location, and whether all are; `None` if there are none.
    pub fn moved(&self, cells: &Cells, process: ProcessId, location: LocationId) -> Option<(Cells, bool)> {
        let value = Known::Value(location.index() as i64);
        match self.at(cells, process, location) {
            Tri::No => None,
            Tri::Maybe => Some((cells.with(self.layout.location[process], value), false)),
            Tri::Yes => Some((cells.clone(), true)),
        }
    }
    /// Whether some process of the system is at a location of this kind.
    pub fn somebody(&self, cells: &Cells, is: impl Fn(&Location) -> bool) -> Tri {
        self.system().fold(Tri::No, |answer, (id, process)| {
            let slot = self.layout.location[id];
            let values = cells.get(slot).values(self.ranges[slot]);
            let answers =
                values.map(|v| self.layout.location(id, v).is_some_and(|l| is(&process.locations[l])));
            answer.or(Tri::of_all(answers))
        })
    }
}
