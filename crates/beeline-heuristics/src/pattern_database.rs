//! Pattern databases: the network is projected to a *pattern* of its automata, integers and clocks, the projection is
//! explored completely, and the distance of each of its states from the target is written down. The estimate for a state
//! of the network is the distance of its projection: no more than the true one, for every step of the network is a step
//! of the projection, or leaves what it sees as it is.
//!
//! Edelkamp and Lluch-Lafuente, "Abstraction databases in theory and model checking practice", ICAPS 2004 workshop; for
//! timed automata, Kupferschmid and Wehrle, "Abstractions and pattern databases: the quest for succinctness and
//! accuracy", TACAS 2011.
//!
//! Reading order: `zone_table`, `discrete_table`, `digital_table`; patterns are chosen in [`crate::patterns`].

mod digital_table;
mod discrete_table;
mod zone_table;

use beeline_abstraction::digitise::Clocks;
use beeline_abstraction::projection::{Pattern, Projection};
use beeline_engine::graph::{self, Forget, Graph, NoGraph};
use beeline_engine::heuristic::{Estimate, Heuristic, Properties, ZoneView};
use beeline_ir::VarId;
use beeline_ir::certificate::{Cell, Row};
use beeline_ir::expr::Expr;
use beeline_ir::layout::{Layout, Slot};
use beeline_ir::limits::{Limits, StopReason};
use beeline_ir::network::Network;
use beeline_ir::property::Property;
use beeline_ir::visit::walk;
use beeline_program::schema::EdgeRef;
use digital_table::DigitalTable;
use discrete_table::DiscreteTable;
use std::collections::BTreeSet;
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
    /// Of discrete states with digital clocks.
    Digital(DigitalTable),
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
    /// The projection's slots.
    slots: Vec<i64>,
    /// Slots of the network.
    width: usize,
    /// Whether rows can say what the entries say: there are no cells, of what is not looked at there are few enough
    /// values for whoever checks the rows to try, and no bound of an invariant depends on it (the kernel lets time pass
    /// without bound then; the projection, up to the greatest one).
    provable: bool,
    /// Whether digital clocks were asked for, and could not be had.
    timeless: bool,
    table: Table,
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
    /// The database of a pattern, if it has no more than so many entries.
    pub fn new(
        network: &Network,
        property: &Property,
        pattern: &Pattern,
        timing: Timing,
        limits: &Limits,
        most: usize,
    ) -> Result<Self, NoDatabase> {
        let projection = match Projection::of(network, property, pattern) {
            Ok(projection) => projection,
            Err(reason) => return Ok(Self::nothing(reason.to_string())),
        };
        if timing == Timing::Zones || projection.pattern.clocks.is_empty() {
            return Self::with_zones(network, projection, limits, most);
        }
        if let Some(database) = Self::with_counters(network, &projection, limits, most)? {
            return Ok(database);
        }
        let pattern = Pattern { clocks: BTreeSet::new(), ..pattern.clone() };
        let database = Self::new(network, property, &pattern, Timing::Zones, limits, most)?;
        Ok(Self { timeless: database.pattern.clocks.is_empty(), ..database })
    }

    fn with_zones(
        network: &Network,
        projection: Projection,
        limits: &Limits,
        most: usize,
    ) -> Result<Self, NoDatabase> {
        let Projection { network: projected, property, pattern, slots: origins, committed } = projection;
        let graph = explore(&projected, &property, &committed, None, limits, most)?;
        let distances = graph.distances();
        let layout = Layout::of_network(&projected);
        let mut slots = layout.initial(&projected);
        let mut gather = places(origins.into_iter());
        // Differences of clocks are compared only in a projection to everything, which has all cells of the network.
        let whole = Layout::of_network(network);
        let width = whole.slots.len();
        let cells = graph.width() - slots.len();
        let seen: BTreeSet<usize> = gather.iter().map(|(_, from)| *from).collect();
        let wide = |(slot, layout): (usize, &Slot)| !seen.contains(&slot) && layout.range.size() > TRIED;
        let provable = cells == 0
            && !whole.slots.iter().enumerate().any(wide)
            && !invariants_look_elsewhere(network, &pattern);
        gather.extend((0..cells).map(|cell| (slots.len() + cell, width + cell)));
        slots.resize(graph.width(), 0);
        let table = if pattern.clocks.is_empty() {
            let ranges = layout.slots.iter().map(|slot| slot.range).collect();
            Table::Discrete(DiscreteTable::new(graph.into_states(), &distances, ranges))
        } else {
            Table::Zones(ZoneTable::new(graph.into_states(), &distances))
        };
        let words = in_words(network, &pattern);
        Ok(Self { pattern, words, gather, slots, width, provable, timeless: false, table })
    }

    /// With clocks that count units, as fine as there may be entries; `None` if there can be no such clocks.
    fn with_counters(
        network: &Network,
        projection: &Projection,
        limits: &Limits,
        most: usize,
    ) -> Result<Option<Self>, NoDatabase> {
        let Projection { network: projected, property, pattern, slots: origins, committed } = projection;
        let Some(clocks) = Clocks::of(projected, property) else { return Ok(None) };
        let mut best = None;
        for unit in clocks.units() {
            let Some(digital) = clocks.digital(unit) else { return Ok(None) };
            let forget = |state: &mut [i64]| digital.forget(state);
            let explored =
                explore(&digital.network, &digital.property, committed, Some(&forget), limits, most);
            let graph = match explored {
                Ok(graph) => graph,
                Err(NoDatabase::TooLarge) if best.is_some() => break,
                Err(reason) => return Err(reason),
            };
            let entries = graph.len();
            best = Some((digital, graph));
            // Half the unit gives at least about twice the entries.
            if entries > most / 2 {
                break;
            }
        }
        let Some((digital, graph)) = best else { return Ok(None) };
        let distances = graph.distances();
        let slots = Layout::of_network(&digital.network).initial(&digital.network);
        let gather = places(digital.slots.iter().map(|slot| origins[(*slot)?]));
        let words = format!("{} (clocks in units of {})", in_words(network, pattern), digital.unit);
        let table = Table::Digital(DigitalTable::new(&graph.into_states(), &distances, digital));
        let (pattern, width) = (pattern.clone(), Layout::of_network(network).slots.len());
        // No row of a proof has holes where only whole units are.
        let (provable, timeless) = (false, false);
        Ok(Some(Self { pattern, words, gather, slots, width, provable, timeless, table }))
    }

    /// A database that knows nothing, for that reason: every estimate is 0.
    pub fn nothing(reason: String) -> Self {
        let table = Table::Nothing(reason);
        let (pattern, words) = (Pattern::default(), String::new());
        let (gather, slots) = (Vec::new(), Vec::new());
        Self { pattern, words, gather, slots, width: 0, provable: false, timeless: false, table }
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

    /// Look-ups that had to do with less than the database knows, because no entry includes the zone.
    pub fn fallbacks(&self) -> u64 {
        match &self.table {
            Table::Nothing(_) => 0,
            Table::Discrete(table) => table.unseen,
            Table::Zones(table) => table.fallbacks,
            Table::Digital(table) => table.fallbacks,
        }
    }

    fn project(&mut self, slots: &[i64]) {
        for (to, from) in &self.gather {
            self.slots[*to] = slots[*from];
        }
    }
}

impl Heuristic for PatternDatabase {
    fn properties(&self) -> Properties {
        let digital = matches!(self.table, Table::Digital(_));
        let zone_dependent = digital || matches!(self.table, Table::Zones(_));
        // What extrapolation adds to a zone may have points that no step from the zone before leads to.
        Properties { zone_dependent, consistent: !digital, ..Properties::LOWER_BOUND }
    }

    fn estimate(&mut self, slots: &[i64]) -> Estimate {
        self.project(slots);
        match &mut self.table {
            Table::Nothing(_) => Estimate::ZERO,
            Table::Discrete(table) => table.look_up(&self.slots),
            Table::Zones(table) => table.least(&self.slots),
            Table::Digital(table) => table.least(&self.slots),
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

    fn remark(&self) -> Option<String> {
        if let Table::Nothing(reason) = &self.table {
            return Some(format!("the pattern database is empty: {reason}"));
        }
        let bytes = self.bytes() as f64 / self.entries().max(1) as f64;
        let mut remark = format!("{}: {} entries of {bytes:.1} bytes", self.words, self.entries());
        if self.timeless {
            remark += "; without clocks, which cannot be digital here";
        }
        if self.fallbacks() > 0 {
            remark += &format!("; {} look-ups found no entry that includes the state", self.fallbacks());
        }
        Some(remark)
    }

    fn uncovered(&self) -> u64 {
        match &self.table {
            // Bounds that a priority or a receiver adds in the network may keep entries from simulating a zone.
            Table::Zones(_) => 0,
            _ => self.fallbacks(),
        }
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

/// Explores all of a projection.
fn explore(
    projected: &Network,
    property: &Property,
    committed: &BTreeSet<EdgeRef>,
    forget: Forget<'_>,
    limits: &Limits,
    most: usize,
) -> Result<Graph, NoDatabase> {
    graph::explore(projected, property, committed, forget, limits, most).map_err(|reason| match reason {
        NoGraph::Unsupported(diagnostics) => {
            let reason = diagnostics.first().map_or("unsupported", |first| &first.message);
            NoDatabase::Refused(reason.to_string())
        }
        NoGraph::Stopped(StopReason::Labels) | NoGraph::TooLarge => NoDatabase::TooLarge,
        NoGraph::Stopped(reason) => NoDatabase::Stopped(reason),
    })
}

/// Slots with where their values come from, without those whose values come from nowhere.
fn places(origins: impl Iterator<Item = Option<usize>>) -> Vec<(usize, usize)> {
    origins.enumerate().filter_map(|(to, from)| Some((to, from?))).collect()
}

/// Whether an invariant of a kept automaton has a bound that depends on something else.
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
    kept.flat_map(|location| &location.invariant).any(|atom| {
        let mut found = false;
        walk(&atom.bound, &mut |part| found |= elsewhere(part));
        found
    })
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
