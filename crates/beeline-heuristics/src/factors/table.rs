//! Cascading tables: which state of a factor a state of the network stands for. A tree of tables in one list, children
//! before parents: the value of a slot is looked up in a leaf, two states in the table of their product.
//!
//! Helmert, Haslum, Hoffmann and Nissim, Journal of the ACM 61(3), 2014.

use super::atomic::Source;
use super::factor::State;
use beeline_engine::heuristic::Estimate;

/// The place of a table in the list.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Node(usize);

impl Node {
    #[inline]
    pub(crate) fn index(self) -> usize {
        self.0
    }
}

/// Where a table is looked up.
#[derive(Debug)]
enum Place {
    /// At the value of a slot, from the least one on.
    Slot(usize, i64),
    /// At the only entry: whether the goal has been seen, which in states of a network it has not.
    Only,
    /// At the states of two others, the second of which has so many.
    Pair(Node, Node, usize),
    /// At the state of another.
    Of(Node),
}

/// A table; where it has no state, the goal is out of reach, or the state is.
#[derive(Debug)]
struct Table {
    place: Place,
    states: Vec<Option<State>>,
}

/// All tables.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    tables: Vec<Table>,
    /// The states of all tables in the look-up that goes on.
    now: Vec<State>,
}

impl Tables {
    fn add(&mut self, place: Place, states: Vec<Option<State>>) -> Node {
        self.tables.push(Table { place, states });
        Node(self.tables.len() - 1)
    }

    /// The tables of atomic factors, in their order.
    pub(crate) fn of(sources: impl Iterator<Item = Source>) -> (Vec<Node>, Self) {
        let mut tables = Self::default();
        let node = |source| match source {
            Source::Slot(slot, least, values) => tables.add(Place::Slot(slot, least), identity(values)),
            Source::Monitor => tables.add(Place::Only, identity(1)),
        };
        (sources.map(node).collect(), tables)
    }

    /// The table of a product, whose factors have so many states.
    pub(crate) fn pair(&mut self, (left, states): (Node, usize), (right, width): (Node, usize)) -> Node {
        self.add(Place::Pair(left, right, width), identity(states * width))
    }

    /// The states of a table become others, or none.
    pub(crate) fn map(&mut self, node: Node, map: &[Option<State>]) {
        for state in &mut self.tables[node.0].states {
            *state = state.and_then(|state| map.get(state.index()).copied().flatten());
        }
    }

    /// The same in a table of its own, where the states as they are still count.
    pub(crate) fn map_apart(&mut self, node: Node, map: Vec<Option<State>>) -> Node {
        self.add(Place::Of(node), map)
    }

    pub(crate) fn bytes(&self) -> usize {
        self.tables.iter().map(|table| size_of_val(&*table.states)).sum()
    }

    /// Leaves out the tables that these, which get other names, do not need.
    pub(crate) fn keep(&mut self, nodes: &mut [Node]) {
        let mut needed = vec![false; self.tables.len()];
        nodes.iter().for_each(|node| needed[node.0] = true);
        for at in (0..self.tables.len()).rev() {
            if needed[at] {
                match self.tables[at].place {
                    Place::Slot(..) | Place::Only => {}
                    Place::Pair(left, right, _) => {
                        [left, right].iter().for_each(|node| needed[node.0] = true)
                    }
                    Place::Of(node) => needed[node.0] = true,
                }
            }
        }
        let mut kept = 0;
        let number = |needed: &bool| {
            kept += usize::from(*needed);
            Node(kept - usize::from(*needed))
        };
        let becomes: Vec<Node> = needed.iter().map(number).collect();
        let mut at = 0;
        self.tables.retain(|_| {
            at += 1;
            needed[at - 1]
        });
        for table in &mut self.tables {
            match &mut table.place {
                Place::Slot(..) | Place::Only => {}
                Place::Pair(left, right, _) => {
                    [left, right].into_iter().for_each(|node| *node = becomes[node.0])
                }
                Place::Of(node) => *node = becomes[node.0],
            }
        }
        nodes.iter_mut().for_each(|node| *node = becomes[node.0]);
    }

    /// The estimate for the values of slots, made of the states of all tables, which go by their nodes. It is infinite where
    /// the goal is out of reach of one of them.
    pub(crate) fn look_up(&mut self, slots: &[i64], estimate: impl FnOnce(&[State]) -> Estimate) -> Estimate {
        self.now.clear();
        for table in &self.tables {
            let at = match table.place {
                Place::Slot(slot, least) => match usize::try_from(slots[slot].wrapping_sub(least)) {
                    Ok(at) if at < table.states.len() => at,
                    // No value of the slot, so no state of the network: no search asks.
                    _ => return Estimate::ZERO,
                },
                Place::Only => 0,
                Place::Pair(left, right, width) => {
                    self.now[left.0].index() * width + self.now[right.0].index()
                }
                Place::Of(node) => self.now[node.0].index(),
            };
            let Some(state) = table.states[at] else { return Estimate::Infinite };
            self.now.push(state);
        }
        estimate(&self.now)
    }
}

fn identity(states: usize) -> Vec<Option<State>> {
    (0..states).map(|state| Some(State::new(state))).collect()
}
