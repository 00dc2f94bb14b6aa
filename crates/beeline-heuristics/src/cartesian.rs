//! Cartesian abstraction refined by counterexamples: all states of the network are one abstract state at first, which is
//! split in two where the shortest abstract way to the target cannot be followed, and so on, one split at a time. Each
//! abstract state is a *Cartesian set*: a set of values for each location and integer, and a zone. Distances are kept up
//! to date from one split to the next, so there can be many thousands of them.
//!
//! If a shortest abstract way can be followed, it is a shortest trace, and a search may take it; if there is none, the
//! target is out of reach.
//!
//! Seipp and Helmert, "Counterexample-guided Cartesian abstraction refinement for classical planning", Journal of
//! Artificial Intelligence Research 62, 2018. It is what predicate abstraction for directed model checking (Hoffmann,
//! Smaus, Rybalchenko, Kupferschmid, Podelski, MoChArt 2006) becomes when predicates hold where they are asked for, and
//! nowhere else.
//!
//! The estimate of a state is the least of those abstract states that its zone meets. What extrapolation adds to a zone
//! may meet others than those that a step from the zone before leads to, so with clocks estimates may fall by more than a
//! step costs.
//!
//! Reading order: [`factors`](crate::factors), `system`, `timing`, `guards`, `transitions`, `distances`, `hierarchy`,
//! `abstraction`, `flaws`, `timed_flaws`, `rows`.

mod abstraction;
mod distances;
mod flaws;
mod guards;
mod hierarchy;
mod rows;
mod system;
mod timed_flaws;
mod timing;
mod transitions;

use crate::factors::{Atomic, Start};
use crate::registry::{Making, NotMade};
use abstraction::Abstraction;
use beeline_engine::graph::follow::{Followed, Width, follow};
use beeline_engine::heuristic::{Estimate, Heuristic, Properties, Route, TableSize, ZoneView};
use beeline_ir::certificate::{Cell, Row};
use beeline_ir::layout::Layout;
use beeline_ir::limits::StopReason;
use beeline_program::factored::Meter;
use flaws::Follower;
pub use flaws::Pick;
use system::System;

/// States of the network that follow a shortest way, by the steps that are left.
const WIDTH: Width = Width { layer: 1000, shown: 0 };

/// An abstract state.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct Leaf(u32);

impl Leaf {
    fn new(index: usize) -> Self {
        Self(u32::try_from(index).expect("budgets keep abstractions small"))
    }
    #[inline]
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// What is to be made.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Frame {
    /// Abstract states at most.
    pub states: usize,
    /// Abstract transitions at most, about.
    pub transitions: usize,
    /// Transitions looked at, about, before no more are split.
    pub work: u64,
    /// How to choose between several splits.
    pub pick: Pick,
    /// Whether clocks may count.
    pub clocks: bool,
}

/// How the refinement ended.
#[derive(Clone, PartialEq, Eq, Debug)]
enum End {
    /// There is no abstract way to the target.
    Hopeless,
    /// The shortest one can be followed, as far as is known.
    Followed,
    /// It went as far as it may.
    Budget,
}

/// The heuristic.
#[derive(Debug)]
pub struct Cartesian {
    /// `None` if nothing is known of the target.
    made: Option<Abstraction>,
    end: End,
    /// What each slot may be, if there are to be rows.
    cells: Option<Vec<Cell>>,
    route: Option<Route>,
}

impl Cartesian {
    /// For a network.
    pub fn new(making: &Making<'_>, frame: Frame) -> Result<Self, NotMade> {
        let (factored, meter) = (making.factored()?, making.meter());
        let before = meter.bytes();
        let slots = Layout::of_network(making.network).initial(making.network);
        let start = Start { slots: &slots, mutexes: false };
        let mut made = match Atomic::new(&factored, start, meter)? {
            None => Self { made: None, end: End::Followed, cells: None, route: None },
            Some(atomic) => {
                let clocks = Some(making.network).filter(|_| frame.clocks);
                let mut abstraction = Abstraction::new(System::new(atomic, (&factored, clocks), meter)?);
                let end = refine(&mut abstraction, frame, meter)?;
                Self { made: Some(abstraction), end, cells: rows::cells(&factored), route: None }
            }
        };
        if made.end == End::Followed && made.made.is_some() {
            let followed = follow(making.network, making.property, &mut made, WIDTH, making.limits())?;
            if let Followed::Target(route) = followed {
                made.route = Some(route);
            }
        }
        meter.keep(before + made.bytes());
        Ok(made)
    }

    fn look_up(&mut self, slots: &[i64], zone: Option<&ZoneView<'_>>) -> Estimate {
        let Some(abstraction) = &mut self.made else { return Estimate::ZERO };
        let Abstraction { hierarchy, distances, .. } = abstraction;
        let mut least: Option<Estimate> = None;
        hierarchy.look_up(slots, zone, |leaf| {
            let estimate = distances.steps(leaf).map_or(Estimate::Infinite, Estimate::Steps);
            least = Some(least.map_or(estimate, |least| least.min(estimate)));
        });
        // No value of a slot, so no state of the network: no search asks.
        least.unwrap_or(Estimate::ZERO)
    }
}

/// Splits leaves as long as there is a flaw, within bounds.
fn refine(abstraction: &mut Abstraction, frame: Frame, meter: &Meter<'_>) -> Result<End, StopReason> {
    let before = meter.bytes();
    let mut follower = Follower::new(frame.pick, abstraction.system.words());
    let mut done = 0;
    loop {
        if abstraction.distances.steps(abstraction.start).is_none() {
            return Ok(End::Hopeless);
        }
        let work = abstraction.work() + follower.work;
        meter.work(1 + work - done)?;
        meter.keep(before);
        meter.allocate(abstraction.bytes())?;
        done = work;
        let within = abstraction.leaves() < frame.states
            && abstraction.transitions.count < frame.transitions
            && work < frame.work;
        if !within {
            return Ok(End::Budget);
        }
        let start = abstraction.start;
        let flaw = follower.first_flaw(abstraction, start);
        let Some(flaw) = flaw.or_else(|| follower.timed_flaw(abstraction, start)) else {
            return Ok(End::Followed);
        };
        abstraction.mend(&flaw);
    }
}

impl Heuristic for Cartesian {
    fn properties(&self) -> Properties {
        let timed = self.made.as_ref().is_some_and(Abstraction::is_timed);
        Properties { zone_dependent: timed, consistent: !timed, ..Properties::LOWER_BOUND }
    }

    fn estimate(&mut self, slots: &[i64]) -> Estimate {
        self.look_up(slots, None)
    }

    fn estimate_in(&mut self, slots: &[i64], zone: &ZoneView<'_>) -> Estimate {
        self.look_up(slots, Some(zone))
    }

    fn reads_dead_variables(&self) -> bool {
        true
    }

    fn route(&self) -> Option<&Route> {
        self.route.as_ref()
    }

    fn rows(&self, length: Option<u32>, most: usize) -> Option<Vec<Row>> {
        rows::rows(self.made.as_ref()?, self.cells.as_ref()?, length, most)
    }

    fn estimate_by_rows(&mut self, slots: &[i64], zone: &ZoneView<'_>) -> Estimate {
        if self.cells.is_some() { self.look_up(slots, Some(zone)) } else { Estimate::ZERO }
    }

    fn tables(&self) -> Vec<TableSize> {
        let entries = self.made.as_ref().map_or(0, Abstraction::leaves);
        vec![TableSize { entries, layers: None }]
    }

    fn remark(&self) -> Option<String> {
        let Some(abstraction) = &self.made else { return Some("nothing is known of the target".into()) };
        let end = match (&self.end, &self.route) {
            (End::Hopeless, _) => "the target is out of its reach",
            (End::Followed, Some(_)) => "a shortest trace was met while it was refined",
            (End::Followed, None) => "its shortest way can be followed but for what it does not see",
            (End::Budget, _) => "refined as far as it may be",
        };
        let (leaves, transitions) = (abstraction.leaves(), abstraction.transitions.count);
        Some(format!("{leaves} abstract states with {transitions} transitions: {end}"))
    }

    fn bytes(&self) -> u64 {
        self.made.as_ref().map_or(0, |abstraction| abstraction.bytes() as u64)
    }
}
