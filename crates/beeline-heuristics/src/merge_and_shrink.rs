//! Merge-and-shrink: the network as a product of small transition systems, of which two at a time are replaced by their
//! product; before that, each is made small by putting states together. The distances in what is left at the end are
//! lower bounds. As long as only bisimilar states are put together nothing is lost, and the estimate is the distance in
//! the discrete part of the network; clocks are left out.
//!
//! Helmert, Haslum, Hoffmann and Nissim, "Merge-and-shrink abstraction: a method for generating lower bounds in factored
//! state spaces", Journal of the ACM 61(3), 2014; labels and order of merging: Sievers, Wehrle and Helmert, "Generalized
//! label reduction for merge-and-shrink heuristics", AAAI 2014.
//!
//! Reading order: [`factors`](crate::factors), `labels`, `shrink`, `components`, `merge`.

mod components;
mod labels;
mod merge;
mod shrink;
#[cfg(test)]
mod tests;

use crate::factors::{Atomic, Factor, Grounds, Labels, Node, Start, State, Tables, product, product_size};
use beeline_engine::heuristic::{Estimate, Heuristic, Properties, ZoneView};
use beeline_ir::certificate::Row;
use beeline_ir::limits::StopReason;
use beeline_program::factored::{Factored, Meter};
pub use merge::Order;
pub use shrink::Shrinking;

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

/// What is to be made.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Frame {
    /// How large factors may become.
    pub most: Most,
    /// What is merged first.
    pub order: Order,
    /// What is put together.
    pub shrinking: Shrinking,
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
    /// Labels that were not split up as far as they would have to be.
    coarse: usize,
    /// What proofs are made of: products of the factors that were merged, as far as they can be made without shrinking.
    grounds: Option<Grounds>,
}

impl MergeAndShrink {
    /// For a factored view and an initial state.
    pub fn new(
        factored: &Factored,
        start: Start<'_>,
        frame: Frame,
        meter: &Meter<'_>,
    ) -> Result<Self, StopReason> {
        let before = meter.bytes();
        let made = match Atomic::new(factored, start, meter)? {
            Some(atomic) => {
                let grounds = Grounds::new(factored, start, &atomic, meter);
                System::new(atomic, frame).run(grounds, meter)?
            }
            None => Self {
                tables: Tables::default(),
                distances: Vec::new(),
                hopeless: false,
                left: 0,
                exact: true,
                coarse: 0,
                grounds: None,
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

    fn rows(&self, length: Option<u32>, most: usize) -> Option<Vec<Row>> {
        self.grounds.as_ref()?.rows(length, most)
    }

    fn estimate_by_rows(&mut self, slots: &[i64], _zone: &ZoneView<'_>) -> Estimate {
        self.grounds.as_ref().map_or(Estimate::ZERO, |grounds| grounds.estimate(slots))
    }

    fn remark(&self) -> Option<String> {
        let left = self.left;
        let entries: usize = self.distances.iter().map(|(_, distances)| distances.len()).sum();
        let lost = match (self.exact, self.coarse) {
            (true, 0) => "nothing lost".to_string(),
            (false, 0) => "something lost by shrinking".to_string(),
            (true, coarse) => format!("something lost in {coarse} labels that were not split up"),
            (false, coarse) => {
                format!("something lost by shrinking, and in {coarse} labels that were not split up")
            }
        };
        Some(format!("{left} factors left by merging, {lost}, {entries} distances"))
    }

    fn bytes(&self) -> u64 {
        let distances = self.distances.iter().map(|(_, distances)| size_of_val(&**distances));
        let grounds = self.grounds.as_ref().map_or(0, Grounds::bytes);
        (self.tables.bytes() + distances.sum::<usize>() + grounds) as u64
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
    /// The atomic factors that each is made of.
    members: Vec<Vec<usize>>,
    labels: Labels,
    tables: Tables,
    distances: Vec<(Node, Vec<Option<u32>>)>,
    frame: Frame,
    /// The component of each atomic factor, which is that of all that it is merged with inside it.
    components: Vec<usize>,
    exact: bool,
    coarse: usize,
}

impl System {
    fn new(Atomic { factors, labels, coarse, .. }: Atomic, frame: Frame) -> Self {
        let (nodes, tables) = Tables::of(factors.iter().map(|(source, _)| *source));
        let factors: Vec<Option<Factor>> = factors.into_iter().map(|(_, factor)| Some(factor)).collect();
        let members = (0..factors.len()).map(|at| vec![at]).collect();
        Self {
            factors,
            nodes,
            members,
            labels,
            tables,
            distances: Vec::new(),
            frame,
            components: Vec::new(),
            exact: true,
            coarse,
        }
    }

    fn run(mut self, grounds: Option<Grounds>, meter: &Meter<'_>) -> Result<MergeAndShrink, StopReason> {
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
            coarse: self.coarse,
            grounds: grounds.map(|grounds| grounds.about(self.members)),
        })
    }

    /// Merges until one factor is left, or products become too large; what is left counts.
    fn merge_all(&mut self, meter: &Meter<'_>) -> Result<(), End> {
        for at in 0..self.factors.len() {
            self.prune(at)?;
        }
        if self.frame.order == Order::Components {
            let factors: Vec<&Factor> = self.factors.iter().flatten().collect();
            self.components = components::components(&factors, &self.labels, meter)?;
        }
        let mut transitions = 0;
        while transitions < MOST_IN_ALL {
            labels::reduce(&mut self.factors, &mut self.labels, meter)?;
            let order = (self.frame.order, &*self.components);
            let next = merge::next_pair(&self.factors, &self.labels, order, meter)?;
            let Some((a, b)) = next else { break };
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
        let mut most = self.frame.most;
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
        let joined = std::mem::take(&mut self.members[b]);
        self.members[a].extend(joined);
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
        let partition = shrink::partition(factor, &self.labels, (self.frame.shrinking, most), meter)?;
        let map: Vec<Option<State>> = partition.block_of.into_iter().map(Some).collect();
        let factor = factor.mapped(&map, &mut self.labels).ok_or(Hopeless)?;
        Ok(Some(Shrunk { map, factor, exact: partition.exact, faithful: partition.faithful }))
    }

    /// Replaces a factor by what was made of it. If that loses distances, these still count as they were.
    fn shrink(&mut self, at: usize, shrunk: Option<Shrunk>) {
        let (Some(Shrunk { map, factor, exact, faithful }), Some(old)) = (shrunk, &self.factors[at]) else {
            return;
        };
        self.exact &= exact;
        if faithful {
            self.tables.map(self.nodes[at], &map);
        } else {
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
    /// Whether no distance of the factor is.
    faithful: bool,
}
