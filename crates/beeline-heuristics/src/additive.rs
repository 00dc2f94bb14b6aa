//! Pattern databases whose estimates may be added up: no label counts in two of them. Each is made from a copy of the
//! network in which an edge counts as a step only if it changes what the pattern looks at, and can be part of no label
//! that changes what an earlier pattern looks at. So every label counts in at most one of the copies: in that of the
//! first pattern it may change. On any run, the distances in the copies come to no more than the steps of the run.
//!
//! Disjoint databases: Korf and Felner, "Disjoint pattern database heuristics", Artificial Intelligence 134, 2002; for
//! model checking, Edelkamp and Lluch-Lafuente, "Abstraction databases in theory and model checking practice", ICAPS 2004
//! workshop. The rule is a partition of costs, all or nothing, as in Katz and Domshlak, "Optimal additive composition of
//! abstraction-based admissible heuristics", ICAPS 2008.

use crate::abstraction_database::View;
use crate::pattern_database::{NoDatabase, PatternDatabase};
use crate::patterns::making::Frame;
use crate::registry::Making;
use beeline_abstraction::projection::{Pattern, Projection};
use beeline_engine::heuristic::{Estimate, Heuristic, Properties, TableSize, ZoneView};
use beeline_ir::certificate::Row;
use beeline_ir::limits::StopReason;
use beeline_ir::network::Network;
use beeline_program::schema::{EdgeRef, schemas};
use beeline_program::{Program, SlotSet};
use std::collections::BTreeSet;

/// Edges in schemas between two looks at the limits.
const INTERVAL: u64 = 1 << 16;

/// The sum of some pattern databases.
#[derive(Debug)]
pub struct Sum {
    databases: Vec<PatternDatabase>,
}

impl Sum {
    /// The sum of databases that were made with one [`Division`].
    pub fn new(databases: Vec<PatternDatabase>) -> Self {
        Self { databases }
    }

    fn total(&mut self, mut one: impl FnMut(&mut PatternDatabase) -> Estimate) -> Estimate {
        let mut steps = self.databases.iter_mut().map(|database| one(database).steps());
        let total = steps.try_fold(0u32, |sum, steps| Some(sum.saturating_add(steps?)));
        total.map_or(Estimate::Infinite, Estimate::Steps)
    }
}

impl Heuristic for Sum {
    fn properties(&self) -> Properties {
        let zone_dependent = self.databases.iter().any(|database| database.properties().zone_dependent);
        let consistent = self.databases.iter().all(|database| database.properties().consistent);
        Properties { zone_dependent, consistent, ..Properties::LOWER_BOUND }
    }

    fn estimate(&mut self, slots: &[i64]) -> Estimate {
        self.total(|database| database.estimate(slots))
    }

    fn estimate_in(&mut self, slots: &[i64], zone: &ZoneView<'_>) -> Estimate {
        self.total(|database| database.estimate_in(slots, zone))
    }

    fn reads_dead_variables(&self) -> bool {
        true
    }

    // What one of them says of its copy holds in the network, too, where labels cost no less. It is less than the sum.
    fn rows(&self, length: Option<u32>, most: usize) -> Option<Vec<Row>> {
        let mut rows = Vec::new();
        for database in &self.databases {
            rows.extend(database.rows(length, most.checked_sub(rows.len())?)?);
        }
        Some(rows)
    }

    fn estimate_by_rows(&mut self, slots: &[i64], zone: &ZoneView<'_>) -> Estimate {
        let by_rows = self.databases.iter_mut().map(|database| database.estimate_by_rows(slots, zone));
        by_rows.max().unwrap_or(Estimate::ZERO)
    }

    fn tables(&self) -> Vec<TableSize> {
        self.databases.iter().flat_map(Heuristic::tables).collect()
    }

    fn remark(&self) -> Option<String> {
        let remarks: Vec<String> = self.databases.iter().filter_map(Heuristic::remark).collect();
        Some(remarks.join(", and "))
    }

    fn bytes(&self) -> u64 {
        self.databases.iter().map(Heuristic::bytes).sum()
    }
}

/// How the steps of a network are divided among patterns, one after the other.
#[derive(Debug)]
pub struct Division<'m, 'n> {
    making: &'m Making<'n>,
    program: Program,
    /// The edges of labels that earlier patterns may have counted.
    taken: BTreeSet<EdgeRef>,
}

impl<'m, 'n> Division<'m, 'n> {
    /// Nothing has been divided yet.
    pub fn new(making: &'m Making<'n>) -> Self {
        Self { making, program: Program::compile(making.network), taken: BTreeSet::new() }
    }

    /// The database of the next pattern, with the steps that no earlier one has taken.
    pub fn database(&self, pattern: &Pattern, frame: Frame) -> Result<PatternDatabase, NoDatabase> {
        self.database_of(&View { pattern: pattern.clone(), joint: None }, frame)
    }

    /// The same for a view, in which some variables may be one.
    pub(crate) fn database_of(&self, view: &View, frame: Frame) -> Result<PatternDatabase, NoDatabase> {
        let (network, closed) = self.priced(view);
        let joint = view.joint.as_ref();
        let property = joint.map_or(self.making.property, |joint| &joint.property);
        let means = self.making.means(frame.most);
        let database = PatternDatabase::new(&network, property, &closed, frame.timing(), &means)?;
        Ok(database.joined(joint))
    }

    /// A copy of the network in which only the steps of a view count, and its pattern with what it cannot do without.
    pub(crate) fn priced(&self, view: &View) -> (Network, Pattern) {
        let closed = self.closed(view);
        let affected = self.slots(view, &closed);
        let joint = view.joint.as_ref();
        let mut network = joint.map_or(self.making.network, |joint| &joint.network).clone();
        for (process, edge) in edges(self.making.network) {
            let free = self.taken.contains(&(process, edge)) || !self.affects((process, edge), &affected);
            network.processes[process].edges[edge].costs &= !free;
        }
        (network, closed)
    }

    /// Leaves the steps that a pattern has taken to none of those that follow.
    pub fn take(&mut self, pattern: &Pattern) -> Result<(), StopReason> {
        self.take_of(&View { pattern: pattern.clone(), joint: None })
    }

    /// The same for a view.
    pub(crate) fn take_of(&mut self, view: &View) -> Result<(), StopReason> {
        let affected = self.slots(view, &self.closed(view));
        let mut looked = 0;
        for schema in schemas(&self.program) {
            let parts = schema.parts.edges();
            looked += parts.len() as u64;
            if looked >= INTERVAL {
                looked = 0;
                self.making.limits().check(0, 0)?;
            }
            if parts.iter().any(|edge| self.affects(*edge, &affected)) {
                self.taken.extend(parts);
            }
        }
        Ok(())
    }

    /// The pattern with what its projection cannot do without.
    fn closed(&self, view: &View) -> Pattern {
        let Making { network, property, .. } = *self.making;
        let joint = view.joint.as_ref();
        let (network, property) =
            joint.map_or((network, property), |joint| (&joint.network, &joint.property));
        let projection = Projection::of(network, property, &view.pattern);
        projection.map_or_else(|_| view.pattern.clone(), |left| left.pattern)
    }

    /// What a view looks at; of variables that are one, all.
    fn slots(&self, view: &View, pattern: &Pattern) -> SlotSet {
        let (layout, network) = (&self.program.layout, self.making.network);
        let mut slots = SlotSet::default();
        pattern.automata.iter().for_each(|process| slots.insert(layout.location[*process]));
        let joined = view.joint.iter().flat_map(|joint| joint.members());
        for var in pattern.integers.iter().chain(pattern.maps.keys()).copied().chain(joined) {
            if let Some(first) = layout.var[var] {
                slots.insert_run(first..first + network.vars[var].init.len());
            }
        }
        slots
    }

    /// Whether an edge may change one of the slots.
    fn affects(&self, (process, edge): EdgeRef, slots: &SlotSet) -> bool {
        let edge = &self.program.processes[process].edges[edge];
        let moves = edge.source != edge.target && slots.contains(self.program.layout.location[process]);
        moves || edge.update.is_some_and(|update| self.program.routines[update].writes.meets(slots))
    }
}

fn edges(network: &Network) -> impl Iterator<Item = EdgeRef> + '_ {
    network.processes.enumerate().flat_map(|(id, process)| process.edges.ids().map(move |edge| (id, edge)))
}
