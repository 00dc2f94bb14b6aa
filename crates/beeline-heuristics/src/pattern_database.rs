//! Pattern databases: the network is projected to a *pattern* of its automata, integers and clocks, the projection is
//! explored completely, and the distance of each of its states from the target is written down. The estimate for a state
//! of the network is the distance of its projection: no more than the true one, for every step of the network is a step
//! of the projection, or leaves what it sees as it is.
//!
//! Edelkamp and Lluch-Lafuente, "Abstraction databases in theory and model checking practice", ICAPS 2004 workshop; for
//! timed automata, Kupferschmid and Wehrle, "Abstractions and pattern databases: the quest for succinctness and
//! accuracy", TACAS 2011.
//!
//! Reading order: `zone_table`, `discrete_table`, `file` (tables that are kept for later runs); patterns are chosen in
//! [`crate::patterns`].

mod discrete_table;
mod file;
mod mapped;
mod zone_table;

use beeline_abstraction::projection::{Classes, Pattern, Projection};
use beeline_engine::graph::{self, NoGraph};
use beeline_engine::heuristic::{Estimate, Heuristic, Properties, ZoneView};
use beeline_ir::VarId;
use beeline_ir::certificate::{Cell, Row};
use beeline_ir::expr::{Expr, Range};
use beeline_ir::layout::{Layout, Slot, SlotKind};
use beeline_ir::limits::{Limits, StopReason};
use beeline_ir::network::{Channel, Network};
use beeline_ir::property::{Property, Target};
use beeline_ir::visit::walk;
use discrete_table::DiscreteTable;
use file::{Place, Saved, Sink};
use std::collections::BTreeSet;
use std::io;
use std::path::Path;
use zone_table::ZoneTable;

/// Values of a slot that whoever checks a proof may have to try.
const TRIED: u128 = 1 << 16;

/// What is known of the projection's states.
#[derive(Debug)]
enum Table {
    /// Nothing at all, for that reason.
    Nothing(String),
    /// Of discrete states alone.
    Discrete(DiscreteTable),
    /// Of discrete states with zones.
    Zones(ZoneTable),
}

impl Table {
    fn write(&self, sink: &mut Sink) -> io::Result<()> {
        match self {
            Self::Nothing(_) => Ok(()),
            Self::Discrete(table) => table.write(sink),
            Self::Zones(table) => table.write(sink),
        }
    }
}

/// A pattern database.
#[derive(Debug)]
pub struct PatternDatabase {
    pattern: Pattern,
    /// The pattern in words.
    words: String,
    /// Where the value of each of the projection's slots comes from; the others keep theirs.
    gather: Vec<(usize, usize)>,
    /// Slots of the projection that have a class of values instead of a value.
    maps: Vec<(usize, Classes)>,
    /// The projection's slots.
    slots: Vec<i64>,
    /// Whether every state of the network is simulated by an entry. Simulation says nothing where differences of clocks
    /// are compared; and where processes come and go, or labels have priorities, some look-ups fail.
    covers: bool,
    /// Slots of the network.
    width: usize,
    /// Whether rows can say what the entries say: there are no cells or classes, of what is not looked at there are few
    /// enough values for whoever checks the rows to try, and no invariant depends on it (the kernel takes it for true
    /// then; the projection makes it weaker, or takes the greatest bound).
    provable: bool,
    table: Table,
    /// Where the table comes from or is kept, in words.
    kept: Option<String>,
}

/// What there is to make a database with.
#[derive(Copy, Clone, Debug)]
pub struct Means<'a> {
    /// Time and memory.
    pub limits: &'a Limits,
    /// Entries.
    pub most: usize,
    /// Where tables are kept for later runs.
    pub directory: Option<&'a Path>,
    /// Threads; the database does not depend on them.
    pub threads: usize,
}

/// Why there is no database for a pattern.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoDatabase {
    /// The network or property cannot be projected, or the projection not be explored; in words.
    Refused(String),
    /// The projection has more states than were asked for.
    TooLarge,
    /// A limit was reached, or someone asked to stop.
    Stopped(StopReason),
}

impl PatternDatabase {
    /// The database of a pattern, if it has no more than so many entries. Where a directory is given, the table is read
    /// from a file there, or saved to it for the next time.
    pub fn new(
        network: &Network,
        property: &Property,
        pattern: &Pattern,
        means: &Means<'_>,
    ) -> Result<Self, NoDatabase> {
        let Means { limits, most, directory, .. } = *means;
        let projection = match Projection::of(network, property, pattern) {
            Ok(projection) => projection,
            Err(reason) => return Ok(Self::nothing(reason.to_string())),
        };
        let kind = if projection.pattern.clocks.is_empty() { "discrete" } else { "zones" };
        let place = directory.map(|directory| Place::new(directory, network, property, &projection, kind));
        let mut kept = None;
        match place.as_ref().map_or(Ok(None), |place| saved(place, &projection, limits, most)) {
            Ok(Some(table)) => {
                let kept = place.map(|place| format!("read from {}", place.path.display()));
                return Ok(Self::with(network, property, projection, table, 0, kept));
            }
            Ok(None) => {}
            Err(Unread::NoDatabase(reason)) => return Err(reason),
            Err(Unread::Refused(reason)) => {
                kept = place.as_ref().map(|place| format!("{} was not used: {reason}", place.path.display()));
            }
        }
        let (table, nodes, cells) = match build(&projection, means) {
            Ok(built) => built,
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
        Ok(Self::with(network, property, projection, table, cells, kept))
    }

    /// The database of a projection with its table, which has so many cells for differences of clocks.
    fn with(
        network: &Network,
        property: &Property,
        projection: Projection,
        table: Table,
        cells: usize,
        kept: Option<String>,
    ) -> Self {
        let Projection { network: projected, pattern, slots: origins, .. } = projection;
        let layout = Layout::of_network(&projected);
        let mut slots = layout.initial(&projected);
        let mut gather: Vec<(usize, usize)> =
            origins.iter().enumerate().filter_map(|(to, from)| Some((to, (*from)?))).collect();
        // Differences of clocks are compared only in a projection to everything, which has all cells of the network.
        let whole = Layout::of_network(network);
        let width = whole.slots.len();
        let seen: BTreeSet<usize> = gather.iter().map(|(_, from)| *from).collect();
        let wide = |(slot, layout): (usize, &Slot)| !seen.contains(&slot) && layout.range.size() > TRIED;
        let map = |(slot, layout): (usize, &Slot)| match layout.kind {
            SlotKind::Cell(var, _) => pattern.maps.get(&var).map(|classes| (slot, classes.clone())),
            _ => None,
        };
        let maps: Vec<(usize, Classes)> = layout.slots.iter().enumerate().filter_map(map).collect();
        let provable = cells == 0
            && maps.is_empty()
            && !whole.slots.iter().enumerate().any(wide)
            && !invariants_look_elsewhere(network, &pattern);
        gather.extend((0..cells).map(|cell| (slots.len() + cell, width + cell)));
        slots.resize(slots.len() + cells, 0);
        let words = in_words(network, &pattern);
        let covers = covers(network, property);
        Self { pattern, words, gather, maps, slots, covers, width, provable, table, kept }
    }

    /// A database that knows nothing, for that reason: every estimate is 0.
    pub fn nothing(reason: String) -> Self {
        let table = Table::Nothing(reason);
        let (pattern, words) = (Pattern::default(), String::new());
        let (gather, maps, slots, kept) = (Vec::new(), Vec::new(), Vec::new(), None);
        Self { pattern, words, gather, maps, slots, covers: true, width: 0, provable: false, table, kept }
    }

    /// Whether every state of the network is found.
    pub fn covers(&self) -> bool {
        self.covers
    }

    /// The pattern, with what it had to have besides what was asked for.
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// Number of entries.
    pub fn entries(&self) -> usize {
        match &self.table {
            Table::Nothing(_) => 0,
            Table::Discrete(table) => table.entries(),
            Table::Zones(table) => table.entries(),
        }
    }

    /// Look-ups that had to do with less than the database knows, because no entry includes the zone.
    pub fn fallbacks(&self) -> u64 {
        match &self.table {
            Table::Nothing(_) => 0,
            Table::Discrete(table) => table.unseen,
            Table::Zones(table) => table.fallbacks,
        }
    }

    fn project(&mut self, slots: &[i64]) {
        for (to, from) in &self.gather {
            self.slots[*to] = slots[*from];
        }
        for (slot, classes) in &self.maps {
            self.slots[*slot] = classes.class(self.slots[*slot]);
        }
    }
}

impl Heuristic for PatternDatabase {
    fn properties(&self) -> Properties {
        let zone_dependent = matches!(self.table, Table::Zones(_));
        let consistent = !zone_dependent || self.covers;
        Properties { zone_dependent, consistent, ..Properties::LOWER_BOUND }
    }

    fn estimate(&mut self, slots: &[i64]) -> Estimate {
        self.project(slots);
        match &mut self.table {
            Table::Nothing(_) => Estimate::ZERO,
            Table::Discrete(table) => table.look_up(&self.slots),
            Table::Zones(table) => table.least(&self.slots),
        }
    }

    fn estimate_in(&mut self, slots: &[i64], zone: &ZoneView<'_>) -> Estimate {
        self.project(slots);
        match &mut self.table {
            Table::Nothing(_) => Estimate::ZERO,
            Table::Discrete(table) => table.look_up(&self.slots),
            Table::Zones(table) => table.look_up(&self.slots, zone),
        }
    }

    fn reads_dead_variables(&self) -> bool {
        true
    }

    fn estimate_by_rows(&mut self, slots: &[i64], zone: &ZoneView<'_>) -> Estimate {
        self.project(slots);
        match &mut self.table {
            Table::Nothing(_) => Estimate::ZERO,
            Table::Discrete(table) => table.look_up(&self.slots),
            Table::Zones(table) => table.look_up_rows(&self.slots, zone),
        }
    }

    fn rows(&self, length: Option<u32>, most: usize) -> Option<Vec<Row>> {
        if !self.provable {
            return None;
        }
        let mut rows = Vec::new();
        let mut add = |slots: &[i64], zone, estimate: Estimate| {
            let level = match (estimate, length) {
                (Estimate::Infinite, _) => 0,
                (Estimate::Steps(steps), Some(length)) if steps > 0 => length.saturating_sub(steps),
                _ => return true,
            };
            let mut cells = vec![Cell::Any; self.width];
            for (to, from) in &self.gather {
                cells[*from] = Cell::Value(slots[*to]);
            }
            rows.push(Row { level, cells, zone });
            rows.len() <= most
        };
        let complete = match &self.table {
            Table::Nothing(_) => return None,
            Table::Discrete(table) => table.all(|slots, estimate| add(slots, Vec::new(), estimate)),
            Table::Zones(table) => table.all(add),
        };
        complete.then_some(rows)
    }

    fn remark(&self) -> Option<String> {
        if let Table::Nothing(reason) = &self.table {
            return Some(format!("the pattern database is empty: {reason}"));
        }
        let bytes = self.bytes() as f64 / self.entries().max(1) as f64;
        let mut remark = format!("{}: {} entries of {bytes:.1} bytes", self.words, self.entries());
        if self.fallbacks() > 0 {
            remark += &format!("; {} look-ups found no entry that includes the state", self.fallbacks());
        }
        if let Some(kept) = &self.kept {
            remark += &format!("; {kept}");
        }
        Some(remark)
    }

    fn bytes(&self) -> u64 {
        match &self.table {
            Table::Nothing(_) => 0,
            Table::Discrete(table) => table.bytes(),
            Table::Zones(table) => table.bytes(),
        }
    }
}

/// Explores a projection: its table, its nodes, and the cells for differences of clocks that its states have.
fn build(projection: &Projection, means: &Means<'_>) -> Result<(Table, usize, usize), NoDatabase> {
    let Projection { network, property, pattern, committed, .. } = projection;
    let Means { limits, most, threads, .. } = *means;
    let graph =
        graph::explore(network, property, committed, limits, most, threads).map_err(
            |reason| match reason {
                NoGraph::Unsupported(diagnostics) => {
                    let reason = diagnostics.first().map_or("unsupported", |first| &first.message);
                    NoDatabase::Refused(reason.to_string())
                }
                NoGraph::Stopped(StopReason::Labels) => NoDatabase::TooLarge,
                NoGraph::Stopped(reason) => NoDatabase::Stopped(reason),
                NoGraph::TooLarge => NoDatabase::TooLarge,
            },
        )?;
    let distances = graph.distances();
    let ranges = ranges(network);
    let (nodes, cells) = (graph.len(), graph.width() - ranges.len());
    let table = match pattern.clocks.is_empty() {
        true => Table::Discrete(DiscreteTable::new(graph.into_states(), &distances, ranges)),
        false => Table::Zones(ZoneTable::new(graph.into_states(), &distances)),
    };
    Ok((table, nodes, cells))
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
    let ranges = ranges(&projection.network);
    Ok(Some(match projection.pattern.clocks.is_empty() {
        true => Table::Discrete(DiscreteTable::read(saved, ranges)?),
        false => Table::Zones(ZoneTable::read(&saved, &ranges, projection.network.clocks.len())?),
    }))
}

fn ranges(network: &Network) -> Vec<Range> {
    Layout::of_network(network).slots.iter().map(|slot| slot.range).collect()
}

/// Whether an invariant of a kept automaton has a condition or a bound that depends on something else.
fn invariants_look_elsewhere(network: &Network, pattern: &Pattern) -> bool {
    let elsewhere = |part: &Expr| match part {
        Expr::Var(var) | Expr::Elem(var, _) => !pattern.integers.contains(var),
        Expr::At(process, _) => !pattern.automata.contains(process),
        Expr::Const(_) | Expr::Local(_) | Expr::LocalElem(..) | Expr::Unary(..) | Expr::Binary(..) => false,
        Expr::And(_) | Expr::Or(_) | Expr::If(..) | Expr::Quantified(..) => false,
        // What a function or a queue depends on takes a longer look.
        _ => true,
    };
    let kept = pattern.automata.iter().flat_map(|process| &network.processes[*process].locations);
    let bounds = kept.clone().flat_map(|location| location.invariant.iter().map(|atom| &atom.bound));
    { kept }.map(|location| &location.condition).chain(bounds).any(|invariant| {
        let mut found = false;
        walk(invariant, &mut |part| found |= elsewhere(part));
        found
    })
}

/// Whether look-ups by simulation find every state of a network.
fn covers(network: &Network, property: &Property) -> bool {
    let mut diagonal = false;
    if let Target::State(target) = property.target() {
        walk(&target, &mut |part| diagonal |= matches!(part, Expr::Clock(atom) if atom.right.is_some()));
    }
    let locations = network.processes.iter().flat_map(|process| &process.locations);
    let edges = network.processes.iter().flat_map(|process| &process.edges);
    let atoms =
        locations.flat_map(|location| &location.invariant).chain(edges.flat_map(|edge| &edge.clock_guard));
    diagonal |= { atoms }.any(|atom| atom.right.is_some());
    let levels = |channel: &Channel| channel.priority.iter().any(|priority| *priority != 0);
    let prioritised =
        network.channels.iter().any(levels) || network.processes.iter().any(|process| process.priority != 0);
    !diagonal && !prioritised && network.families.is_empty()
}

/// Names that are worth listing.
const NAMES: usize = 24;

/// A pattern in words. What never changes goes without saying.
fn in_words(network: &Network, pattern: &Pattern) -> String {
    let automata = pattern.automata.iter().map(|id| network.processes[*id].name.clone());
    let changing = |id: &&VarId| network.vars[**id].range.size() > 1;
    let integers = pattern.integers.iter().filter(changing).map(|id| network.var_name(*id));
    let clocks = pattern.clocks.iter().map(|id| network.clock_name(*id));
    let mut names: Vec<String> = automata.chain(integers).chain(clocks).collect();
    let more = names.len().saturating_sub(NAMES);
    names.truncate(NAMES);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    format!("pattern {}{more}", names.join("+"))
}

/// A distance as an estimate.
fn estimate(steps: Option<u32>) -> Estimate {
    steps.map_or(Estimate::Infinite, Estimate::Steps)
}
