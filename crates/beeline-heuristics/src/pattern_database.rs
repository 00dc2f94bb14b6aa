//! Pattern databases: the network is projected to a *pattern* of its automata, integers and clocks, the projection is
//! explored completely, and the distance of each of its states from the target is written down. The estimate for a state
//! of the network is the distance of its projection: no more than the true one, for every step of the network is a step
//! of the projection, or leaves what it sees as it is.
//!
//! Edelkamp and Lluch-Lafuente, "Abstraction databases in theory and model checking practice", ICAPS 2004 workshop; for
//! timed automata, Kupferschmid and Wehrle, "Abstractions and pattern databases: the quest for succinctness and
//! accuracy", TACAS 2011.
//!
//! Reading order: `zone_table`, `discrete_table`, `digital_table`, `building` (from a projection to its table), `file`
//! (tables that are kept for later runs); patterns are chosen in [`crate::patterns`].

mod building;
mod digital_table;
mod discrete_table;
mod file;
mod mapped;
mod zone_table;

use beeline_abstraction::digitise::Clocks;
use beeline_abstraction::projection::{Classes, Joint, Pattern, Projection};
use beeline_engine::heuristic::{Estimate, Heuristic, Properties, Route, TableSize, ZoneView};
use beeline_ir::certificate::{Cell, Row};
use beeline_ir::expr::Expr;
use beeline_ir::layout::{Layout, Slot, SlotKind};
use beeline_ir::limits::{Limits, StopReason};
use beeline_ir::network::{Channel, Network};
use beeline_ir::property::{Property, Target};
use beeline_ir::visit::walk;
use beeline_ir::{EdgeId, IdVec, ProcessId, VarId};
use beeline_program::schema::EdgeRef;
use building::{Kind, Made};
use digital_table::DigitalTable;
use discrete_table::DiscreteTable;
use std::collections::BTreeSet;
use std::path::Path;
use zone_table::ZoneTable;

/// By process, for each edge of a projection, the edges that it stands for.
pub(crate) type Origins = IdVec<ProcessId, IdVec<EdgeId, Vec<EdgeId>>>;

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
    /// Of discrete states with digital clocks.
    Digital(Box<DigitalTable>),
}

/// What clocks are in a database.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Timing {
    /// The clocks of zones.
    Zones,
    /// Integers that count units of time; where there cannot be any, there are no clocks.
    Digital,
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
    /// The slot of the projection that has the values of several variables, and how.
    joint: Option<(usize, Box<Joint>)>,
    /// The projection's slots.
    slots: Vec<i64>,
    /// Whether every state of the network is simulated by an entry. Simulation says nothing where differences of clocks
    /// are compared; and where processes come and go, or labels have priorities, some look-ups fail.
    covers: bool,
    /// Slots of the network.
    width: usize,
    /// Whether rows can say what the entries say: there are no cells, classes or digital clocks, of what is not looked at
    /// there are few enough values for whoever checks the rows to try, and no invariant depends on it (the kernel takes
    /// it for true then; the projection makes it weaker, or takes the greatest bound).
    provable: bool,
    table: Table,
    /// Where the table comes from or is kept, in words.
    kept: Option<String>,
    /// A shortest run, if one was met while the pattern was chosen.
    route: Option<Route>,
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

/// The graph that a database is made of. Its nodes go by the places of their entries.
#[derive(Debug)]
pub(crate) struct Arcs {
    /// Where the target is, or a label away.
    pub(crate) goal: Vec<bool>,
    /// From which node to which other one, by which label.
    pub(crate) arcs: Vec<(u32, u32, u32)>,
    /// The edges of each label in the projection; of a broadcast, that of the sender.
    pub(crate) labels: Vec<Box<[EdgeRef]>>,
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
        timing: Timing,
        means: &Means<'_>,
    ) -> Result<Self, NoDatabase> {
        let projection = match Projection::of(network, property, pattern) {
            Ok(projection) => projection,
            Err(reason) => return Ok(Self::nothing(reason.to_string())),
        };
        let kind = match timing {
            _ if projection.pattern.clocks.is_empty() => Some(Kind::Discrete),
            Timing::Zones => Some(Kind::Zones),
            Timing::Digital => Clocks::of(&projection.network, &projection.property).map(Kind::Digital),
        };
        let made = kind.map(|kind| building::table(network, property, &projection, &kind, means));
        if let Some(made) = made.transpose()?.flatten() {
            return Ok(Self::with(network, property, projection, made));
        }
        let pattern = Pattern { clocks: BTreeSet::new(), ..pattern.clone() };
        let mut database = Self::new(network, property, &pattern, Timing::Zones, means)?;
        database.words += " (without clocks that count units: there cannot be any)";
        Ok(database)
    }

    /// The database of a pattern with clocks, all of whose entries simulate what they stand for, and the graph that it is
    /// made of; with the edges that each edge of the projection stands for.
    pub(crate) fn with_arcs(
        network: &Network,
        property: &Property,
        pattern: &Pattern,
        means: &Means<'_>,
    ) -> Result<Option<(Self, Arcs, Origins)>, NoDatabase> {
        let Ok(projection) = Projection::of(network, property, pattern) else { return Ok(None) };
        if projection.pattern.clocks.is_empty() || !covers(network, property) {
            return Ok(None);
        }
        let (table, arcs) = building::with_arcs(&projection, means)?;
        let made = Made { table: Table::Zones(table), cells: 0, kept: None };
        let origins = projection.origins.clone();
        Ok(Some((Self::with(network, property, projection, made), arcs, origins)))
    }

    /// The places of the entries that simulate a state; or, where none does, of those of which one stands for it. Whether
    /// they simulate it.
    pub(crate) fn simulating(&mut self, slots: &[i64], zone: &ZoneView<'_>, found: &mut Vec<usize>) -> bool {
        self.project(slots);
        let Table::Zones(table) = &mut self.table else { return false };
        table.simulating(&self.slots, zone, found)
    }

    /// The places of the entries of a discrete state.
    pub(crate) fn all_of(&mut self, slots: &[i64], found: &mut Vec<usize>) {
        self.project(slots);
        found.clear();
        if let Table::Zones(table) = &mut self.table {
            table.all_of(&self.slots, found);
        }
    }

    /// The database of a projection with its table.
    fn with(network: &Network, property: &Property, projection: Projection, made: Made) -> Self {
        let Made { table, cells, kept } = made;
        let Projection { network: mut projected, pattern, slots: mut origins, .. } = projection;
        let mut words = in_words(network, &pattern);
        let mut holes = false;
        if let Table::Digital(table) = &table {
            let digital = table.digital();
            origins = digital.slots.iter().map(|slot| origins[(*slot)?]).collect();
            projected = digital.network.clone();
            words += &format!(" (clocks in units of {})", digital.unit);
            holes = true;
        }
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
        let provable = !holes
            && cells == 0
            && maps.is_empty()
            && !whole.slots.iter().enumerate().any(wide)
            && !invariants_look_elsewhere(network, &pattern);
        gather.extend((0..cells).map(|cell| (slots.len() + cell, width + cell)));
        slots.resize(slots.len() + cells, 0);
        let covers = covers(network, property);
        let (joint, route) = (None, None);
        Self { pattern, words, gather, maps, joint, slots, covers, width, provable, table, kept, route }
    }

    /// A database that knows nothing, for that reason: every estimate is 0.
    pub fn nothing(reason: String) -> Self {
        let table = Table::Nothing(reason);
        let (pattern, words) = (Pattern::default(), String::new());
        let (gather, maps, slots, covers) = (Vec::new(), Vec::new(), Vec::new(), true);
        let (width, provable, kept, joint, route) = (0, false, None, None, None);
        Self { pattern, words, gather, maps, joint, slots, covers, width, provable, table, kept, route }
    }

    /// The same for states of the network in which the variables that are one here are not. Rows know nothing of that.
    #[must_use]
    pub fn joined(mut self, joint: Option<&Joint>) -> Self {
        let Some(joint) = joint else { return self };
        let layout = Layout::of_network(&joint.network);
        let from = layout.var[joint.var];
        let slot = self.gather.iter().find(|(_, origin)| Some(*origin) == from).map(|(to, _)| *to);
        // Where everything had to be kept, so were the variables that have no values of their own any more.
        let members: BTreeSet<usize> = joint.members().filter_map(|member| layout.var[member]).collect();
        self.gather.retain(|(_, origin)| !members.contains(origin));
        self.joint = slot.map(|slot| (slot, Box::new(joint.clone())));
        self.provable = false;
        self
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
            Table::Digital(table) => table.entries(),
        }
    }

    /// The greatest distance that an entry has, where the distances are those of discrete states.
    pub fn layers(&self) -> Option<u32> {
        let mut most = None;
        let mut show = |estimate: Estimate| {
            most = most.max(estimate.steps());
            true
        };
        match &self.table {
            Table::Discrete(table) => _ = table.all(|_, estimate| show(estimate)),
            Table::Zones(table) => _ = table.all(|_, _, estimate| show(estimate)),
            Table::Nothing(_) | Table::Digital(_) => {}
        }
        most
    }

    /// Look-ups that had to do with less than the database knows, because no entry includes the zone.
    pub fn fallbacks(&self) -> u64 {
        match &self.table {
            Table::Nothing(_) => 0,
            Table::Discrete(table) => table.unseen,
            Table::Zones(table) => table.fallbacks,
            Table::Digital(table) => table.fallbacks,
        }
    }

    /// The least estimate for a discrete state, whatever the zone; `None` if there is no entry for it.
    pub(crate) fn known(&mut self, slots: &[i64]) -> Option<Estimate> {
        self.project(slots);
        match &mut self.table {
            Table::Nothing(_) => None,
            Table::Discrete(table) => table.known(&self.slots),
            Table::Zones(table) => table.known(&self.slots),
            Table::Digital(table) => table.known(&self.slots),
        }
    }

    /// Keeps a shortest run that was met while the pattern was chosen.
    pub(crate) fn keep(&mut self, route: Route) {
        self.remark_on_pattern("a shortest trace was met while it was chosen");
        self.route = Some(route);
    }

    /// Adds to what is said of the pattern.
    pub(crate) fn remark_on_pattern(&mut self, remark: &str) {
        self.words += &format!(" ({remark})");
    }

    fn project(&mut self, slots: &[i64]) {
        for (to, from) in &self.gather {
            self.slots[*to] = slots[*from];
        }
        if let Some((slot, joint)) = &self.joint {
            self.slots[*slot] = joint.value(slots);
        }
        for (slot, classes) in &self.maps {
            self.slots[*slot] = classes.class(self.slots[*slot]);
        }
    }
}

impl Heuristic for PatternDatabase {
    fn properties(&self) -> Properties {
        let digital = matches!(self.table, Table::Digital(_));
        let zone_dependent = digital || matches!(self.table, Table::Zones(_));
        // What extrapolation adds to a zone may have points that no step from the zone before leads to.
        let consistent = !digital && (!zone_dependent || self.covers);
        Properties { zone_dependent, consistent, ..Properties::LOWER_BOUND }
    }

    fn estimate(&mut self, slots: &[i64]) -> Estimate {
        self.project(slots);
        match &mut self.table {
            Table::Nothing(_) => Estimate::ZERO,
            Table::Discrete(table) => table.look_up(&self.slots),
            Table::Zones(table) => table.known(&self.slots).unwrap_or(Estimate::ZERO),
            Table::Digital(table) => table.known(&self.slots).unwrap_or(Estimate::ZERO),
        }
    }

    fn estimate_in(&mut self, slots: &[i64], zone: &ZoneView<'_>) -> Estimate {
        self.project(slots);
        match &mut self.table {
            Table::Nothing(_) => Estimate::ZERO,
            Table::Discrete(table) => table.look_up(&self.slots),
            Table::Zones(table) => table.look_up(&self.slots, zone),
            Table::Digital(table) => table.look_up(&self.slots, zone),
        }
    }

    fn reads_dead_variables(&self) -> bool {
        true
    }

    fn route(&self) -> Option<&Route> {
        self.route.as_ref()
    }

    fn estimate_by_rows(&mut self, slots: &[i64], zone: &ZoneView<'_>) -> Estimate {
        self.project(slots);
        match &mut self.table {
            Table::Nothing(_) | Table::Digital(_) => Estimate::ZERO,
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
            Table::Nothing(_) | Table::Digital(_) => return None,
            Table::Discrete(table) => table.all(|slots, estimate| add(slots, Vec::new(), estimate)),
            Table::Zones(table) => table.all(add),
        };
        complete.then_some(rows)
    }

    fn tables(&self) -> Vec<TableSize> {
        vec![TableSize { entries: self.entries(), layers: self.layers() }]
    }

    fn remark(&self) -> Option<String> {
        if let Table::Nothing(reason) = &self.table {
            return Some(format!("the pattern database is empty: {reason}"));
        }
        let bytes = self.bytes() as f64 / self.entries().max(1) as f64;
        let mut remark = format!("{}: {} entries of {bytes:.1} bytes", self.words, self.entries());
        if let Some(layers) = self.layers() {
            remark += &format!(", up to {layers} steps from the target");
        }
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
            Table::Digital(table) => table.bytes(),
        }
    }
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
    // Whoever holds the token keeps others back by clock guards, too.
    let mut locations = network.processes.iter().flat_map(|process| &process.locations);
    let tokens = locations.any(|location| location.atomic);
    !diagonal && !prioritised && !tokens && network.families.is_empty()
}

/// Names that are worth listing.
const NAMES: usize = 24;

/// A pattern in words. What never changes goes without saying.
fn in_words(network: &Network, pattern: &Pattern) -> String {
    let automata = pattern.automata.iter().map(|id| network.processes[*id].name.clone());
    let changing = |id: &&VarId| network.vars[**id].range.size() > 1;
    let integers = pattern.integers.iter().filter(changing).map(|id| network.var_name(*id));
    let clocks = pattern.clocks.iter().map(|id| network.clock_name(*id));
    let mapped = pattern
        .maps
        .iter()
        .map(|(id, classes)| format!("{} in {} classes", network.var_name(*id), classes.numbers().size()));
    let mut names: Vec<String> = automata.chain(integers).chain(mapped).chain(clocks).collect();
    let more = names.len().saturating_sub(NAMES);
    names.truncate(NAMES);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    format!("pattern {}{more}", names.join("+"))
}

/// A distance as an estimate.
fn estimate(steps: Option<u32>) -> Estimate {
    steps.map_or(Estimate::Infinite, Estimate::Steps)
}
