//! Databases with clocks among the projections. The zone graph of a projection is a transition system like the others, if
//! its arcs are called by the labels of the network; so it takes its share of what labels cost, and leaves the rest.
//!
//! A state is looked up among the entries whose zones simulate its own, as in a pattern database. Whatever labels lead from
//! the state to the target lead from each of these entries to it, too, so the greatest of their distances counts, under any
//! costs.
//!
//! Not all labels of the network are labels of the atomic factors: some change clocks alone. Those get labels of their own,
//! which leave the factors as they are, and which all databases share.

use crate::factors::{Atomic, Factor, Labels, State, Transition};
use crate::pattern_database::{Arcs, Means, NoDatabase, Origins, PatternDatabase};
use crate::patterns::cegar::{self, Collection, Start};
use crate::patterns::making::{Clocks, Frame};
use crate::registry::{Making, NotMade};
use beeline_engine::heuristic::{Heuristic, ZoneView};
use beeline_ir::expr::ChannelRef;
use beeline_ir::limits::StopReason;
use beeline_ir::network::{Network, Sync};
use beeline_program::factored::{Factored, Meter};
use beeline_program::schema::EdgeRef;
use std::collections::{BTreeMap, BTreeSet};

/// Labels of the network that arcs of one name may be; what has more is no share of a database.
const MOST_LABELS: usize = 1 << 16;

/// A database, and the graph that it is made of.
pub struct Drawn {
    database: PatternDatabase,
    arcs: Arcs,
    /// By process and edge of the network, the edge of the projection that stands for it.
    becomes: BTreeMap<EdgeRef, EdgeRef>,
}

/// Databases with clocks, of so many entries in all, whose patterns are chosen by counterexamples.
pub fn draw(making: &Making<'_>, most: usize) -> Result<Vec<Drawn>, NotMade> {
    let network = making.network;
    let mut syncs = network.processes.iter().flat_map(|process| process.edges.iter().map(|edge| &edge.sync));
    if network.clocks.is_empty() || making.property.observer().is_some() || syncs.any(by_value) {
        return Ok(Vec::new());
    }
    let frame = Frame { clocks: Clocks::Own, most };
    let chosen = cegar::refine(making, frame, Start::Downward, Collection::Multiple)?;
    let (mut drawn, mut left) = (Vec::new(), most);
    for database in chosen.databases() {
        let means: Means<'_> = making.means(left);
        let made = PatternDatabase::with_arcs(network, making.property, database.pattern(), &means);
        match made {
            Ok(Some((database, arcs, origins))) => {
                left = left.saturating_sub(database.entries());
                drawn.push(Drawn { database, arcs, becomes: becomes(&origins) });
            }
            // Without clocks, it is one of the other projections.
            Ok(None) | Err(NoDatabase::TooLarge) => {}
            Err(reason) => return Err(reason.into()),
        }
    }
    Ok(drawn)
}

/// Whether it takes a state to say which channel it is about: then the edges of a label do not say what it is.
fn by_value(sync: &Sync) -> bool {
    match sync {
        Sync::Internal => false,
        Sync::Send(send) => matches!(send.channel, ChannelRef::Value(_)),
        Sync::Receive(receive) => matches!(receive.channel, ChannelRef::Value(_)),
    }
}

fn becomes(origins: &Origins) -> BTreeMap<EdgeRef, EdgeRef> {
    let mut becomes = BTreeMap::new();
    for (process, edges) in origins.enumerate() {
        for (projected, from) in edges.enumerate() {
            becomes.extend(from.iter().map(|edge| ((process, *edge), (process, projected))));
        }
    }
    becomes
}

/// Edges in an order that does not depend on who initiates the label.
fn sorted(mut edges: Box<[EdgeRef]>) -> Box<[EdgeRef]> {
    edges.sort_unstable();
    edges
}

/// Databases as factors over the labels of atomic ones, which get more labels for it.
pub(super) fn join(
    drawn: Vec<Drawn>,
    (network, factored): (&Network, &Factored),
    atomic: &mut Atomic,
    meter: &Meter<'_>,
) -> Result<Vec<(Timed, Factor)>, StopReason> {
    let name = |label: &Option<_>| label.map(|label| sorted(factored.label(label).edges.clone()));
    let mut names: Vec<Option<Box<[EdgeRef]>>> = atomic.origins.iter().map(name).collect();
    let (mut shared, mut usable) = (BTreeSet::new(), Vec::new());
    for drawn in drawn {
        if let Some(more) = drawn.labels() {
            meter.work(more.len() as u64)?;
            shared.extend(more);
            usable.push(drawn);
        }
    }
    let cost = |edges: &[EdgeRef]| {
        edges.iter().any(|(process, edge)| network.processes[*process].edges[*edge].costs)
    };
    let costs: Vec<bool> = shared.iter().map(|edges| cost(edges)).collect();
    atomic.add_idle(&costs);
    names.extend(shared.into_iter().map(Some));
    let mut joined = Vec::new();
    for Drawn { database, arcs, becomes } in usable {
        meter.work((names.len() + arcs.arcs.len()) as u64)?;
        let factor = factor(arcs, &names, &becomes, &mut atomic.labels);
        meter.allocate(factor.size() * size_of::<Transition>())?;
        let dead = factor.distances(&atomic.labels).iter().map(Option::is_none).collect();
        joined.push((Timed { database, dead, found: Vec::new(), simulates: false }, factor));
    }
    Ok(joined)
}

impl Drawn {
    /// The labels of the network that its arcs may be, unless there are too many.
    fn labels(&self) -> Option<BTreeSet<Box<[EdgeRef]>>> {
        let mut from: BTreeMap<EdgeRef, Vec<EdgeRef>> = BTreeMap::new();
        self.becomes.iter().for_each(|(edge, projected)| from.entry(*projected).or_default().push(*edge));
        let mut labels = BTreeSet::new();
        for projected in &self.arcs.labels {
            let mut ways: Vec<Vec<EdgeRef>> = vec![Vec::new()];
            for edge in projected {
                let edges = from.get(edge).map_or(&[][..], |edges| edges);
                if ways.len() * edges.len() > MOST_LABELS {
                    return None;
                }
                let with = |way: &Vec<EdgeRef>, edge: &EdgeRef| way.iter().copied().chain([*edge]).collect();
                ways = ways.iter().flat_map(|way| edges.iter().map(move |edge| with(way, edge))).collect();
            }
            labels.extend(ways.into_iter().map(|way| sorted(way.into())));
        }
        (labels.len() <= MOST_LABELS).then_some(labels)
    }
}

/// The graph as a factor: labels that are no arcs leave everything as it is, and any label may do that somewhere.
fn factor(
    arcs: Arcs,
    names: &[Option<Box<[EdgeRef]>>],
    becomes: &BTreeMap<EdgeRef, EdgeRef>,
    labels: &mut Labels,
) -> Factor {
    let Arcs { goal, arcs, labels: called } = arcs;
    let states = (0..goal.len()).map(State::new);
    let mut groups: Vec<Vec<Transition>> = vec![states.map(|state| (state, state)).collect()];
    let somewhere = State::new(goal.iter().position(|goal| *goal).unwrap_or(0));
    groups.extend(called.iter().map(|_| vec![(somewhere, somewhere)]));
    for (from, to, label) in arcs {
        groups[1 + label as usize].push((State(from), State(to)));
    }
    let mut group: BTreeMap<Box<[EdgeRef]>, u32> = BTreeMap::new();
    for (at, edges) in called.into_iter().enumerate() {
        // Several names may be the same label, if it can be initiated by either side.
        let first = *group.entry(sorted(edges)).or_insert(1 + at as u32);
        if first != 1 + at as u32 {
            let more = std::mem::take(&mut groups[1 + at]);
            groups[first as usize].extend(more);
        }
    }
    let group_of = |name: &Option<Box<[EdgeRef]>>| {
        let edges: Option<Box<[EdgeRef]>> =
            name.as_ref()?.iter().map(|edge| becomes.get(edge).copied()).collect();
        group.get(&sorted(edges?)).copied()
    };
    let group_of = names.iter().map(|name| group_of(name).unwrap_or(0)).collect();
    Factor { initial: State(0), goal, groups, group_of }.tidy(labels)
}

/// A database whose entries are the states of a factor.
#[derive(Debug)]
pub(super) struct Timed {
    database: PatternDatabase,
    /// The entries from which nothing leads to the target.
    dead: Vec<bool>,
    /// The entries for the state that was looked up last, without the dead ones.
    found: Vec<usize>,
    /// Whether all of them simulate it; else one of them does, but who knows which.
    simulates: bool,
}

impl Timed {
    /// Looks a state up; false if the target is out of its reach.
    pub(super) fn look_up(&mut self, slots: &[i64], zone: &ZoneView<'_>) -> bool {
        self.simulates = self.database.simulating(slots, zone, &mut self.found);
        self.leads_on()
    }

    /// The same for a discrete state, whatever the zone.
    pub(super) fn look_up_any(&mut self, slots: &[i64]) -> bool {
        self.simulates = false;
        self.database.all_of(slots, &mut self.found);
        self.leads_on()
    }

    fn leads_on(&mut self) -> bool {
        let Self { dead, found, simulates, .. } = self;
        let before = found.len();
        found.retain(|entry| !dead[*entry]);
        if *simulates { found.len() == before } else { before == 0 || !found.is_empty() }
    }

    /// What distances by entry say of the state that was looked up.
    pub(super) fn distance(&self, distances: &[u32]) -> u32 {
        let all = self.found.iter().map(|entry| distances[*entry]);
        if self.simulates { all.max() } else { all.min() }.unwrap_or(0)
    }

    /// An entry for the state that was looked up, if there is one.
    pub(super) fn state(&self) -> Option<State> {
        self.found.first().map(|entry| State::new(*entry))
    }

    pub(super) fn bytes(&self) -> usize {
        self.database.bytes() as usize + self.dead.len()
    }
}
