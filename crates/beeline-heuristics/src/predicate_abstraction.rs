//! Predicate abstraction: the network is split into parts, each part is abstracted by predicates, and the estimate for
//! a state is the sum of the distances of the nearest abstract states that it may be in, one of each part.
//!
//! Hoffmann, Smaus, Rybalchenko, Kupferschmid, Podelski, "Using predicate abstraction to generate heuristic functions
//! in UPPAAL", MoChArt 2006. There, a label that moves automata of two parts counts in both, so that the sum may be
//! too large (`printed`). Here it may also count in the first part that it may change only (`repaired`), so that the
//! sum is a lower bound.
//!
//! A part is a [projection](beeline_abstraction::projection) of the network. Look-ups are for symbolic states: where
//! the zone does not decide a predicate, both literals are allowed. As extrapolation adds to zones, a sum with clocks
//! is not consistent.
//!
//! Reading order: `system` and `grounding` (what is abstracted), `predicates`, `set_trie`, `regression`, `part`; `split`,
//! `syntax`, `refine`; `proof`.

mod grounding;
mod part;
mod predicates;
mod proof;
mod refine;
mod regression;
mod set_trie;
pub(crate) mod split;
mod syntax;
mod system;

use crate::abstraction_database::View;
use crate::additive::Division;
use crate::registry::{Making, NotMade};
use beeline_abstraction::projection::{Pattern, Projection};
use beeline_engine::graph::follow::{Followed, Width, follow};
use beeline_engine::heuristic::{Estimate, Heuristic, Properties, Route, TableSize, ZoneView};
use beeline_ir::certificate::Row;
use beeline_ir::expr::{ClockAtom, Expr};
use beeline_ir::layout::{Layout, Slot};
use beeline_ir::network::Network;
use beeline_zones::fault::{self, Fault};
use grounding::Grounding;
use part::{Asked, Part};
use predicates::Predicates;
use refine::Ending;
pub(crate) use refine::Patience;
use regression::Abstraction;
use split::Shared;

/// States that follow a shortest way, by the steps that are left.
const WIDTH: Width = Width { layer: 1000, shown: 0 };

/// Values of a slot that the kernel tries one by one.
const TRIED: u128 = 1 << 16;

/// Where labels count.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Sum {
    /// In every part that they change.
    Printed,
    /// In the first of those.
    Repaired,
}

/// Where predicates come from.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Origin {
    /// From guards and invariants.
    Syntax,
    /// From counterexamples.
    Refine(Patience),
}

/// How an abstraction is made.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Frame {
    pub(crate) origin: Origin,
    /// Automata of a part, at most.
    pub(crate) split: usize,
    pub(crate) sum: Sum,
    pub(crate) shared: Shared,
    /// Abstract states of a part, at most.
    pub(crate) size: usize,
}

/// The heuristic.
#[derive(Debug)]
pub struct PredicateAbstraction {
    parts: Vec<Part>,
    sum: Sum,
    /// Slots of a state.
    width: usize,
    /// Whether the kernel knows as much of rows as the parts do.
    provable: bool,
    /// A run to the target as short as the estimate says.
    route: Option<Route>,
}

impl PredicateAbstraction {
    /// For a network and a property.
    pub(crate) fn new(making: &Making<'_>, frame: Frame) -> Result<Self, NotMade> {
        let mut division = Division::new(making);
        let mut parts = Vec::new();
        let mut provable = true;
        let patterns = split::split(making.network, frame.split, frame.shared);
        // Where there is one part, it has all labels.
        let sum = if patterns.len() == 1 { Sum::Printed } else { frame.sum };
        for pattern in patterns {
            let view = View { pattern: pattern.clone(), joint: None };
            let network = match sum {
                Sum::Printed => making.network.clone(),
                Sum::Repaired => division.priced(&view).0,
            };
            let Ok(projection) = Projection::of(&network, making.property, &pattern) else { continue };
            let made = part(making, &projection, frame)?;
            provable &= made.is_none() || is_provable(making.network, &projection.pattern);
            parts.extend(made);
            if sum == Sum::Repaired && !fault::active(Fault::SplitCountsTwice) {
                division.take_of(&view)?;
            }
        }
        let width = Layout::of_network(making.network).slots.len();
        let mut made = Self { parts, sum: frame.sum, width, provable, route: None };
        made.follow(making)?;
        Ok(made)
    }

    /// If the part is the whole network, and a shortest way one of it, follows it: it may be a shortest trace.
    fn follow(&mut self, making: &Making<'_>) -> Result<(), NotMade> {
        let [part] = &*self.parts else { return Ok(()) };
        if part.end != Ending::Feasible || part.automata < making.network.processes.len() {
            return Ok(());
        }
        let Making { network, property, .. } = *making;
        if let Followed::Target(route) = follow(network, property, self, WIDTH, making.limits())? {
            self.parts[0].words += ", which is a shortest trace";
            self.route = Some(route);
        }
        Ok(())
    }

    fn total(&mut self, slots: &[i64], zone: Option<&ZoneView<'_>>, asked: Asked) -> Estimate {
        let mut steps = self.parts.iter_mut().map(|part| part.estimate(slots, zone, asked).steps());
        let total = steps.try_fold(0u32, |sum, steps| Some(sum.saturating_add(steps?)));
        total.map_or(Estimate::Infinite, Estimate::Steps)
    }
}

/// The abstraction of a projection; `None` if it knows nothing of the target.
fn part(making: &Making<'_>, projection: &Projection, frame: Frame) -> Result<Option<Part>, NotMade> {
    let meter = making.meter();
    let before = meter.bytes();
    let mut grounding = Grounding::new(projection);
    let Some(system) = grounding.system(projection, meter)? else { return Ok(None) };
    if system.goals.contains(&system.everything()) {
        return Ok(None);
    }
    let automata = projection.pattern.automata.len();
    let mut words = in_words(making, &projection.pattern);
    let part = match frame.origin {
        Origin::Syntax => {
            let found = syntax::predicates(&mut grounding, &system, &projection.property, meter)?;
            let predicates = Predicates::new(&system, found.into_iter());
            let abstraction = Abstraction::new(&system, &predicates, frame.size, meter)?;
            Part::new(system, predicates, abstraction, words, Ending::Enough, automata)
        }
        Origin::Refine(patience) => {
            let refined = refine::refine(&system, patience, frame.size, meter)?;
            words += &format!(" (refined {} times, {})", refined.rounds, refined.end.words());
            Part::new(system, refined.predicates, refined.abstraction, words, refined.end, automata)
        }
    };
    meter.keep(before + part.bytes());
    Ok(Some(part))
}

/// Whether the kernel can tell as much of a set of states that leaves some slots open as a part can: slots have not too
/// many values, and invariants do not depend on them.
fn is_provable(network: &Network, pattern: &Pattern) -> bool {
    let wide = |slot: &Slot| slot.range.size() > TRIED;
    let depends = |atom: &ClockAtom| atom.when.is_some() || !matches!(atom.bound, Expr::Const(_));
    let kept = pattern.automata.iter().flat_map(|process| &network.processes[*process].locations);
    !Layout::of_network(network).slots.iter().any(wide)
        && !{ kept }.flat_map(|location| &location.invariant).any(depends)
}

/// The automata of a part.
fn in_words(making: &Making<'_>, pattern: &Pattern) -> String {
    let names: Vec<&str> =
        pattern.automata.iter().map(|id| &*making.network.processes[*id].name).take(5).collect();
    let more = pattern.automata.len() - names.len();
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    format!("{}{more}", names.join("+"))
}

impl Heuristic for PredicateAbstraction {
    fn properties(&self) -> Properties {
        let zone_dependent = self.parts.iter().any(Part::timed);
        let admissible = self.sum == Sum::Repaired || self.parts.len() < 2;
        Properties {
            admissible,
            consistent: admissible && !zone_dependent,
            zone_dependent,
            ..Properties::LOWER_BOUND
        }
    }

    fn estimate(&mut self, slots: &[i64]) -> Estimate {
        self.total(slots, None, Asked::BySearch)
    }

    fn estimate_in(&mut self, slots: &[i64], zone: &ZoneView<'_>) -> Estimate {
        self.total(slots, Some(zone), Asked::BySearch)
    }

    fn reads_dead_variables(&self) -> bool {
        true
    }

    fn route(&self) -> Option<&Route> {
        self.route.as_ref()
    }

    fn rows(&self, length: Option<u32>, most: usize) -> Option<Vec<Row>> {
        // A sum of distances is none of a set of states.
        if !self.provable || length.is_some() && self.parts.len() != 1 {
            return None;
        }
        let mut rows = Vec::new();
        for part in &self.parts {
            part.rows(length, most, self.width, &mut rows)?;
        }
        Some(rows)
    }

    fn estimate_by_rows(&mut self, slots: &[i64], zone: &ZoneView<'_>) -> Estimate {
        match self.total(slots, Some(zone), Asked::ByRows) {
            total if self.provable && (self.parts.len() == 1 || total == Estimate::Infinite) => total,
            _ => Estimate::ZERO,
        }
    }

    fn tables(&self) -> Vec<TableSize> {
        let size = |part: &Part| TableSize {
            entries: part.abstraction.states.len(),
            layers: part.abstraction.states.last().map(|state| state.layer),
        };
        self.parts.iter().map(size).collect()
    }

    fn remark(&self) -> Option<String> {
        if self.parts.is_empty() {
            return Some("no part of the network knows anything of the target".into());
        }
        let one = |part: &Part| {
            let (predicates, states) = (part.predicates.len(), part.abstraction.states.len());
            let cut = if part.abstraction.closed { "" } else { ", cut off" };
            let (words, layers) = (&part.words, part.abstraction.layers);
            format!("{words}: {predicates} predicates, {states} abstract states in {layers} layers{cut}")
        };
        Some(self.parts.iter().map(one).collect::<Vec<_>>().join("; "))
    }

    fn bytes(&self) -> u64 {
        self.parts.iter().map(Part::bytes).sum()
    }
}
