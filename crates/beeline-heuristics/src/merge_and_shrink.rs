//! Merge-and-shrink: the network as a product of small transition systems, of which two at a time are replaced by their
//! product; before that, each is made small by putting states together. The distances in what is left at the end are
//! lower bounds. As long as only bisimilar states are put together nothing is lost, and the estimate is the distance in
//! the discrete part of the network; clocks are left out.
//!
//! Helmert, Haslum, Hoffmann and Nissim, "Merge-and-shrink abstraction: a method for generating lower bounds in factored
//! state spaces", Journal of the ACM 61(3), 2014; labels and order of merging: Sievers, Wehrle and Helmert, "Generalized
//! label reduction for merge-and-shrink heuristics", AAAI 2014.
//!
//! Reading order: [`factors`](crate::factors), `labels`, `shrink`, `merge`.

mod labels;
mod merge;
mod shrink;
#[cfg(test)]
mod tests;

use crate::factors::{Atomic, Factor, Labels, Node, Start, State, Tables, product, product_size};
use beeline_engine::heuristic::{Estimate, Heuristic, Properties};
use beeline_ir::limits::StopReason;
use beeline_program::factored::{Factored, Meter};
pub use merge::Order;

/// Transitions of one product.
const MOST_TRANSITIONS: usize = 1 << 22;
/// Transitions of all products.
const MOST_IN_ALL: usize = 1 << 26;

/// How large factors may become.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Most {
    /// States of a product: what is merged is made small enough for it.
    OfProduct(usize),
    /// States of a factor that is to be merged: Draeger, Finkbeiner and Podelski, "Directed model checking with
    /// distance-preserving abstractions", SPIN 2006.
    OfFactor(usize),
}

impl Most {
    /// A quarter of it, but not nothing.
    fn less(self) -> Self {
        match self {
            Self::OfProduct(most) => Self::OfProduct((most / 4).max(1)),
            Self::OfFactor(most) => Self::OfFactor((most / 4).max(1)),
        }
    }
}

/// The heuristic.
#[derive(Debug)]
pub struct MergeAndShrink {
    tables: Tables,
    /// The distances of those factors that count; labels that were left out later may have cut states off from the goal.
    distances: Vec<(Node, Vec<Option<u32>>)>,
    /// Whether nothing leads to the goal from the initial state.
    hopeless: bool,
    /// Factors that were left.
    left: usize,
    /// Whether only bisimilar states were put together.
    exact: bool,
}

impl MergeAndShrink {
    /// For a factored view and an initial state, with so many states at most, merged in an order.
    pub fn new(
        factored: &Factored,
        start: Start<'_>,
        (most, order): (Most, Order),
        meter: &Meter<'_>,
    ) -> Result<Self, StopReason> {
        let before = meter.bytes();
        let made = match Atomic::new(factored, start, meter)? {
            Some(atomic) => System::new(atomic, most, order).run(meter)?,
            None => Self {
                tables: Tables::default(),
                distances: Vec::new(),
                hopeless: false,
                left: 0,
                exact: true,
            },
        };
        meter.keep(before + made.bytes());
        Ok(made)
    }
}

impl Heuristic for MergeAndShrink {
    fn properties(&self) -> Properties {
        Properties::LOWER_BOUND
    }

    fn estimate(&mut self, slots: &[i64]) -> Estimate {
        if self.hopeless {
            return Estimate::Infinite;
        }
        self.tables.look_up(slots, |states| {
            let told = self.distances.iter().map(|(node, steps)| steps[states[node.index()].index()]);
            let most = { told }.try_fold(0, |most, steps| Some(steps?.max(most)));
            most.map_or(Estimate::Infinite, Estimate::Steps)
        })
    }

    fn reads_dead_variables(&self) -> bool {
        true
    }

    fn remark(&self) -> Option<String> {
        let kept = if self.exact { "nothing" } else { "something" };
        let left = self.left;
        let entries: usize = self.distances.iter().map(|(_, distances)| distances.len()).sum();
        Some(format!("{left} factors left by merging, {kept} lost by shrinking, {entries} distances"))
    }

    fn bytes(&self) -> u64 {
        let distances = self.distances.iter().map(|(_, distances)| size_of_val(&**distances));
        (self.tables.bytes() + distances.sum::<usize>()) as u64
    }
}

/// The goal cannot be reached.
struct Hopeless;

/// Why the building ends before its time.
enum End {
    Hopeless,
    Stopped(StopReason),
}

impl From<Hopeless> for End {
    fn from(_: Hopeless) -> Self {
        Self::Hopeless
    }
}

impl From<StopReason> for End {
    fn from(reason: StopReason) -> Self {
        Self::Stopped(reason)
    }
}

/// The factors, with their tables.
struct System {
    factors: Vec<Option<Factor>>,
    nodes: Vec<Node>,
    labels: Labels,
    tables: Tables,
    distances: Vec<(Node, Vec<Option<u32>>)>,
    most: Most,
    order: Order,
    exact: bool,
}

impl System {
    fn new(Atomic { factors, labels }: Atomic, most: Most, order: Order) -> Self {
        let (nodes, tables) = Tables::of(factors.iter().map(|(source, _)| *source));
        let factors = factors.into_iter().map(|(_, factor)| Some(factor)).collect();
        Self { factors, nodes, labels, tables, distances: Vec::new(), most, order, exact: true }
    }

    fn run(mut self, meter: &Meter<'_>) -> Result<MergeAndShrink, StopReason> {
        let hopeless = match self.merge_all(meter) {
            Ok(()) => false,
            Err(End::Hopeless) => true,
            Err(End::Stopped(reason)) => return Err(reason),
        };
        let left = self.factors.iter().flatten().count();
        Ok(MergeAndShrink {
            tables: self.tables,
            distances: self.distances,
            hopeless,
            left,
            exact: self.exact,
        })
    }

    /// Merges until one factor is left, or products become too large; what is left counts.
    fn merge_all(&mut self, meter: &Meter<'_>) -> Result<(), End> {
        for at in 0..self.factors.len() {
            self.prune(at)?;
        }
        let mut transitions = 0;
        while transitions < MOST_IN_ALL {
            labels::reduce(&mut self.factors, &mut self.labels, meter)?;
            let Some((a, b)) = merge::next_pair(&self.factors, &self.labels, self.order, meter)? else {
                break;
            };
            transitions += self.merge(a, b, meter)?;
        }
        for at in 0..self.factors.len() {
            self.prune(at)?;
            if let Some(factor) = &self.factors[at] {
                let distances = factor.distances(&self.labels);
                self.distances.push((self.nodes[at], distances));
            }
        }
        Ok(())
    }

    /// Replaces two factors by their product, and tells how many transitions that took. Where there would be too many,
    /// the product may have fewer states than otherwise.
    fn merge(&mut self, a: usize, b: usize, meter: &Meter<'_>) -> Result<usize, End> {
        for at in [a, b] {
            self.prune(at)?;
            let shrunk = self.shrunk(at, usize::MAX, meter)?;
            self.shrink(at, shrunk);
        }
        let mut most = self.most;
        loop {
            let limits = self.limits(a, b, most);
            let (left, right) = (self.shrunk(a, limits.0, meter)?, self.shrunk(b, limits.1, meter)?);
            let size = {
                let one = left.as_ref().map(|shrunk| &shrunk.factor).or(self.factors[a].as_ref());
                let other = right.as_ref().map(|shrunk| &shrunk.factor).or(self.factors[b].as_ref());
                one.zip(other).map_or(0, |(one, other)| product_size(one, other, &self.labels))
            };
            if size <= MOST_TRANSITIONS || most == most.less() {
                self.shrink(a, left);
                self.shrink(b, right);
                self.replace(a, b, meter)?;
                return Ok(size);
            }
            most = most.less();
        }
    }

    /// Replaces two factors by their product.
    fn replace(&mut self, a: usize, b: usize, meter: &Meter<'_>) -> Result<(), End> {
        let (Some(one), Some(other)) = (self.factors[a].take(), self.factors[b].take()) else {
            return Ok(());
        };
        let product = product(&one, &other, &mut self.labels, meter)?;
        self.nodes[a] = self.tables.pair((self.nodes[a], one.states()), (self.nodes[b], other.states()));
        meter.allocate(one.states() * other.states() * size_of::<Option<State>>())?;
        self.factors[a] = Some(product);
        Ok(self.prune(a)?)
    }

    /// How many states two factors may have that are to be merged.
    fn limits(&self, a: usize, b: usize, most: Most) -> (usize, usize) {
        let most = match most {
            Most::OfFactor(most) => return (most.max(1), most.max(1)),
            Most::OfProduct(most) => most.max(1),
        };
        let states = |at: usize| self.factors[at].as_ref().map_or(1, Factor::states).max(1);
        let (left, right, root) = (states(a), states(b), most.isqrt().max(1));
        match (left.checked_mul(right), left <= root, right <= root) {
            (Some(both), ..) if both <= most => (left, right),
            (_, true, _) => (left, (most / left).max(1)),
            (_, _, true) => ((most / right).max(1), right),
            _ => (root, root),
        }
    }

    /// Leaves out what cannot be reached or does not lead to the goal.
    fn prune(&mut self, at: usize) -> Result<(), Hopeless> {
        let Some(factor) = &self.factors[at] else { return Ok(()) };
        let Some(map) = factor.useful(&self.labels) else { return Ok(()) };
        self.tables.map(self.nodes[at], &map);
        self.factors[at] = Some(factor.mapped(&map, &mut self.labels).ok_or(Hopeless)?);
        Ok(())
    }

    /// A factor with states put together until there are no more than so many, bisimilar ones in any case if there is no
    /// bound; `None` if it is to stay as it is.
    fn shrunk(&mut self, at: usize, most: usize, meter: &Meter<'_>) -> Result<Option<Shrunk>, End> {
        let Some(factor) = &self.factors[at] else { return Ok(None) };
        if most >= factor.states() && most != usize::MAX {
            return Ok(None);
        }
        let partition = shrink::bisimulation(factor, &self.labels, most, meter)?;
        let map: Vec<Option<State>> = partition.block_of.into_iter().map(Some).collect();
        let factor = factor.mapped(&map, &mut self.labels).ok_or(Hopeless)?;
        Ok(Some(Shrunk { map, factor, exact: partition.exact }))
    }

    /// Replaces a factor by what was made of it. If that loses something, the distances as they were still count.
    fn shrink(&mut self, at: usize, shrunk: Option<Shrunk>) {
        let (Some(Shrunk { map, factor, exact }), Some(old)) = (shrunk, &self.factors[at]) else { return };
        if exact {
            self.tables.map(self.nodes[at], &map);
        } else {
            self.exact = false;
            let distances = old.distances(&self.labels);
            self.distances.push((self.nodes[at], distances));
            self.nodes[at] = self.tables.map_apart(self.nodes[at], map);
        }
        self.factors[at] = Some(factor);
    }
}

/// What becomes of a factor when states are put together.
struct Shrunk {
    map: Vec<Option<State>>,
    factor: Factor,
    /// Whether nothing is lost.
    exact: bool,
}
