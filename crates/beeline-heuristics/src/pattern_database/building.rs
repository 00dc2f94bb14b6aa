//! From a projection to its table: read from the file where it is kept, or made by exploring the projection, and then kept
//! there.

use super::digital_table::DigitalTable;
use super::discrete_table::DiscreteTable;
use super::file::{Place, Saved, Sink};
use super::zone_table::ZoneTable;
use super::{Arcs, Means, NoDatabase, Table};
use beeline_abstraction::digitise::{Clocks, Digital};
use beeline_abstraction::projection::Projection;
use beeline_engine::graph::named::{self, Named};
use beeline_engine::graph::{self, Distance, Forget, Graph, NoGraph};
use beeline_ir::expr::Range;
use beeline_ir::layout::Layout;
use beeline_ir::limits::{Limits, StopReason};
use beeline_ir::network::Network;
use beeline_ir::property::Property;
use beeline_program::constants;
use beeline_program::schema::EdgeRef;
use std::collections::BTreeSet;
use std::io;

/// What a table is to know of clocks.
pub(super) enum Kind<'p> {
    /// Nothing: the projection has none.
    Discrete,
    /// Zones.
    Zones,
    /// Whole units of time, as fine as there may be entries.
    Digital(Clocks<'p>),
}

impl Kind<'_> {
    /// What tells files apart.
    fn word(&self, most: usize) -> String {
        match self {
            Self::Discrete => "discrete".to_string(),
            Self::Zones => "zones".to_string(),
            // How fine the units are depends on how many entries there may be.
            Self::Digital(_) => format!("digital {most}"),
        }
    }
}

/// A table that was made or read.
pub(super) struct Made {
    pub(super) table: Table,
    /// Cells for differences of clocks that its states have.
    pub(super) cells: usize,
    /// Where it comes from or is kept, in words.
    pub(super) kept: Option<String>,
}

impl Table {
    fn write(&self, sink: &mut Sink) -> io::Result<()> {
        match self {
            Self::Nothing(_) => Ok(()),
            Self::Discrete(table) => table.write(sink),
            Self::Zones(table) => table.write(sink),
            Self::Digital(table) => table.write(sink),
        }
    }
}

/// The table of a projection of a network; `None` if clocks cannot be digital.
pub(super) fn table(
    network: &Network,
    property: &Property,
    projection: &Projection,
    kind: &Kind<'_>,
    means: &Means<'_>,
) -> Result<Option<Made>, NoDatabase> {
    let Means { limits, most, directory, .. } = *means;
    let place = |directory| Place::new(directory, network, property, projection, &kind.word(most));
    let place = directory.map(place);
    let mut kept = None;
    match place.as_ref().map_or(Ok(None), |place| saved(place, projection, kind, limits, most)) {
        Ok(Some(table)) => {
            let kept = place.map(|place| format!("read from {}", place.path.display()));
            return Ok(Some(Made { table, cells: 0, kept }));
        }
        Ok(None) => {}
        Err(Unread::NoDatabase(reason)) => return Err(reason),
        Err(Unread::Refused(reason)) => {
            kept = place.as_ref().map(|place| format!("{} was not used: {reason}", place.path.display()));
        }
    }
    let (table, nodes, cells) = match build(projection, kind, means) {
        Ok(Some(built)) => built,
        Ok(None) => return Ok(None),
        Err(reason) => {
            if let (Some(place), NoDatabase::TooLarge) = (&place, &reason) {
                // That is worth knowing, too. If it cannot be written, it is found out again.
                let _ = place.write(most as u64, false, |_| Ok(()));
            }
            return Err(reason);
        }
    };
    if let Some(place) = place {
        let saved = match cells {
            0 => place.write(nodes as u64, true, |sink| table.write(sink)).map_err(|e| e.to_string()),
            _ => Err("differences of clocks are compared".to_string()),
        };
        let saved = match saved {
            Ok(()) => format!("saved to {}", place.path.display()),
            Err(reason) => format!("not saved: {reason}"),
        };
        kept = Some(kept.map_or_else(|| saved.clone(), |why| format!("{why}; {saved}")));
    }
    Ok(Some(Made { table, cells, kept }))
}

/// Explores a projection: its table, its nodes, and the cells for differences of clocks that its states have.
fn build(
    projection: &Projection,
    kind: &Kind<'_>,
    means: &Means<'_>,
) -> Result<Option<(Table, usize, usize)>, NoDatabase> {
    let Projection { network, property, committed, .. } = projection;
    if let Kind::Digital(clocks) = kind {
        let Some((digital, graph)) = finest(clocks, committed, means)? else { return Ok(None) };
        let (distances, nodes) = (graph.distances(), graph.len());
        let table = DigitalTable::new(&graph.into_states(), &distances, digital);
        return Ok(Some((Table::Digital(Box::new(table)), nodes, 0)));
    }
    let graph = explore(network, property, committed, None, means)?;
    let distances = graph.distances();
    let ranges = ranges(network);
    let (nodes, cells) = (graph.len(), graph.width() - ranges.len());
    let table = match kind {
        Kind::Discrete => Table::Discrete(DiscreteTable::new(graph.into_states(), &distances, ranges)),
        _ => Table::Zones(ZoneTable::new(graph.into_states(), &distances)),
    };
    Ok(Some((table, nodes, cells)))
}

/// The digital network with the finest unit that there may be entries for, and its graph; `None` if there is no such unit.
fn finest(
    clocks: &Clocks<'_>,
    committed: &BTreeSet<EdgeRef>,
    means: &Means<'_>,
) -> Result<Option<(Digital, Graph)>, NoDatabase> {
    let mut best = None;
    for unit in clocks.units() {
        let Some(digital) = clocks.digital(unit) else { return Ok(None) };
        let forget = |state: &mut [i64]| digital.forget(state);
        let explored = explore(&digital.network, &digital.property, committed, Some(&forget), means);
        let graph = match explored {
            Ok(graph) => graph,
            Err(NoDatabase::TooLarge) if best.is_some() => break,
            Err(reason) => return Err(reason),
        };
        let entries = graph.len();
        best = Some((digital, graph));
        // Half the unit gives at least about twice the entries.
        if entries > means.most / 2 {
            break;
        }
    }
    Ok(best)
}

/// The table of a projection with zones, and the graph that it is made of, whose nodes go by the places of their entries.
pub(super) fn with_arcs(projection: &Projection, means: &Means<'_>) -> Result<(ZoneTable, Arcs), NoDatabase> {
    let Projection { network, property, committed, .. } = projection;
    let named = named::explore(network, property, committed, means.limits, means.most).map_err(reason)?;
    let Named { states, goal, arcs, labels } = named;
    // All zones of a discrete part count, in any order.
    let (table, numbers) = ZoneTable::numbered(states, &vec![Distance::ZERO; goal.len()]);
    let mut entry_of: Vec<Option<u32>> = vec![None; goal.len()];
    numbers.iter().enumerate().for_each(|(entry, number)| entry_of[*number] = Some(entry as u32));
    let arc =
        |(from, to, label): (u32, u32, u32)| Some((entry_of[from as usize]?, entry_of[to as usize]?, label));
    let arcs = arcs.into_iter().filter_map(arc).collect();
    let goal = numbers.iter().map(|number| goal[*number]).collect();
    Ok((table, Arcs { goal, arcs, labels }))
}

fn reason(reason: NoGraph) -> NoDatabase {
    match reason {
        NoGraph::Unsupported(diagnostics) => {
            let reason = diagnostics.first().map_or("unsupported", |first| &first.message);
            NoDatabase::Refused(reason.to_string())
        }
        NoGraph::Stopped(StopReason::Labels) | NoGraph::TooLarge => NoDatabase::TooLarge,
        NoGraph::Stopped(reason) => NoDatabase::Stopped(reason),
    }
}

/// Explores all of a projection.
fn explore(
    network: &Network,
    property: &Property,
    committed: &BTreeSet<EdgeRef>,
    forget: Forget<'_>,
    means: &Means<'_>,
) -> Result<Graph, NoDatabase> {
    let Means { limits, most, threads, .. } = *means;
    graph::explore(network, property, committed, forget, limits, most, threads).map_err(reason)
}

/// Why there is no table from a file.
enum Unread {
    /// The file is not what it should be; in words.
    Refused(String),
    /// There is none to be had.
    NoDatabase(NoDatabase),
}

impl From<String> for Unread {
    fn from(reason: String) -> Self {
        Self::Refused(reason)
    }
}

/// The table of a projection in its file; `None` if there is no file, or it knows too little.
fn saved(
    place: &Place,
    projection: &Projection,
    kind: &Kind<'_>,
    limits: &Limits,
    most: usize,
) -> Result<Option<Table>, Unread> {
    let Some(saved) = place.read()? else { return Ok(None) };
    let Saved { nodes, complete, .. } = saved;
    // As it would be without the file.
    if nodes > most as u64 || (!complete && nodes == most as u64) {
        return Err(Unread::NoDatabase(NoDatabase::TooLarge));
    }
    if !complete {
        return Ok(None);
    }
    limits.check(nodes, saved.len()).map_err(|reason| Unread::NoDatabase(NoDatabase::Stopped(reason)))?;
    let network = &projection.network;
    Ok(Some(match kind {
        Kind::Discrete => Table::Discrete(DiscreteTable::read(saved, ranges(network))?),
        Kind::Zones => Table::Zones(ZoneTable::read(&saved, &ranges(network), network.clocks.len())?),
        Kind::Digital(clocks) => Table::Digital(Box::new(DigitalTable::read(&saved, clocks)?)),
    }))
}

fn ranges(network: &Network) -> Vec<Range> {
    let mut layout = Layout::of_network(network);
    constants::narrow(network, &mut layout);
    layout.slots.iter().map(|slot| slot.range).collect()
}
