//! Symbolic search: sets of states of a relation or network as binary decision diagrams, after InvarCheck and
//! GuidedInvarCheck of NuSMV as P4 (Qian and Nymeyer, TACAS 2004) describes them.
//!
//! `encoding` and `order` place variables on bits, `number` and `translate` make diagrams of expressions, `schedule`,
//! `split` and `transition` of steps; `network` has the same for networks. `search` goes from layer to layer, and
//! `approximate` bounds what is reachable; `guided` goes by the estimates of a `database`, for which `cone` and `refine`
//! choose variables and `invariants` says what is possible; `parts` splits targets, `factors` adds up lower bounds, and
//! `nearest` finds out which part is nearest; `guidance` puts these together, `turns` takes turns, `race` runs two
//! searches at once. `explore` makes a claim of what they say, which `rows` and `second` support. The diagrams
//! themselves are in `diagram`, and `bdd` is what all others see of them.

// Handles of diagrams count each other; what they are equal by does not change.
#![allow(clippy::mutable_key_type)]

mod approximate;
mod bdd;
mod cone;
mod count;
mod database;
mod diagram;
mod encoding;
mod explore;
mod factors;
mod guidance;
mod guided;
mod invariants;
mod nearest;
mod network;
mod number;
mod order;
mod parts;
mod race;
mod refine;
mod rows;
mod schedule;
mod search;
mod second;
mod split;
mod system;
mod trace;
mod transition;
mod translate;
mod turns;

use beeline_ir::limits::{Limits, StopReason};
use beeline_ir::outcome::Outcome;
pub use explore::{UNFINISHED, explore, explore_network};
pub use guidance::DatabaseReport;
use std::time::Duration;

/// Nodes beyond which to bring bits into another order, for those who want that.
pub const REORDER: usize = 1 << 15;

/// Nodes for a database, unless asked otherwise.
pub const DATABASE_NODES: u64 = 20_000_000;

/// From where to search.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Direction {
    /// Forward and, by turns, by refinement of an abstraction, whatever answers first; for networks, forward.
    Auto,
    /// From the initial states.
    Forward,
    /// From the targets.
    Backward,
    /// From both, the smaller side first.
    Bidirectional,
    /// From the initial states, by the estimates of symbolic pattern databases.
    Guided,
}

/// What a symbolic pattern database sees of a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Pattern {
    /// The variables of the property, and those that abstract counterexamples ask for.
    Refined,
    /// The variables that are at most so many assignments or constraints away from the property.
    Depth(u32),
    /// All but the variables of these names, or in what has such a name: an instance, a process, an array.
    Hiding(Vec<String>),
}

/// Whether the name of a variable is this one, or that of something inside.
pub fn is_inside(variable: &str, name: &str) -> bool {
    let rest = variable.strip_prefix(name);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// How to search.
#[derive(Clone, Debug)]
pub struct Options {
    /// From where.
    pub direction: Direction,
    /// Whether lengths do not matter if no target is found: then forward search may take steps in any order.
    pub chaining: bool,
    /// Nodes beyond which bits are brought into another order; without, they stay.
    pub reorder: Option<usize>,
    /// For guided search, a database each; without any, [`Pattern::Refined`].
    pub patterns: Vec<Pattern>,
    /// Nodes of diagrams that may be made for each of them. What is not finished then is cut off.
    pub database_nodes: u64,
    /// Time for each of them, if it is to have one: then results depend on time.
    pub database_time: Option<Duration>,
    /// Rows that a certificate may have; without, none is made.
    pub most_rows: Option<usize>,
    /// Whether to confirm by a second pass that a target is out of reach, where there is no certificate.
    pub second_pass: bool,
    /// With two threads and no direction given, two searches run side by side, and the first answer counts.
    pub threads: usize,
    /// When to stop.
    pub limits: Limits,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            direction: Direction::Auto,
            chaining: false,
            reorder: None,
            patterns: Vec::new(),
            database_nodes: DATABASE_NODES,
            database_time: None,
            most_rows: None,
            second_pass: true,
            threads: 1,
            limits: Limits::default(),
        }
    }
}

/// What a search claims, and how it was done.
#[derive(Clone, PartialEq, Debug)]
pub struct Explored {
    /// The claim. Of the counters, `expanded` are images and preimages, `stored` nodes of diagrams at most, garbage
    /// included, `total_nodes` nodes made: each node counts when it is made, and again when it is made again after it was
    /// collected as garbage. This is what P4 calls total nodes. The second pass does not count there.
    pub outcome: Outcome,
    /// The search that was done.
    pub direction: Direction,
    /// The estimate for the initial states; `None` if it is infinite.
    pub h_initial: Option<u32>,
    /// The databases that were made.
    pub databases: Vec<DatabaseReport>,
    /// A relation has a reachable state that no step leads on from: said if all states were visited and it was not much work
    /// to find out.
    pub deadlocks: bool,
}

impl Explored {
    /// Nothing was found out, for that reason.
    fn stopped(reason: StopReason, options: &Options) -> Self {
        let (outcome, direction) = (Outcome::unknown(reason), options.direction);
        Self { outcome, direction, h_initial: Some(0), databases: Vec::new(), deadlocks: false }
    }
}
