//! Cascading tables: which state of a factor a state of the network stands for. A tree of tables in one list, children
//! before parents: the value of a slot is looked up in a leaf, two states in the table of their product.
//!
//! Helmert, Haslum, Hoffmann and Nissim, Journal of the ACM 61(3), 2014.

use super::factor::State;
use beeline_engine::heuristic::Estimate;

/// The place of a table in the list.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Node(usize);

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

/// All tables, and the distances of those factors that count.
#[derive(Debug, Default)]
pub(super) struct Tables {
    tables: Vec<Table>,
    distances: Vec<(Node, Vec<u32>)>,
    /// The states of all tables in the look-up that goes on.
    now: Vec<State>,
}

impl Tables {
    fn add(&mut self, place: Place, states: Vec<Option<State>>) -> Node {
        self.tables.push(Table { place, states });
        Node(self.tables.len() - 1)
    }

    /// The table of a slot with so many values.
    pub(super) fn slot(&mut self, slot: usize, least: i64, values: usize) -> Node {
        self.add(Place::Slot(slot, least), identity(values))
    }

    /// The table of a factor that no slot has a say in.
    pub(super) fn only(&mut self) -> Node {
        self.add(Place::Only, identity(1))
    }

    /// The table of a product, whose factors have so many states.
    pub(super) fn pair(&mut self, (left, states): (Node, usize), (right, width): (Node, usize)) -> Node {
        self.add(Place::Pair(left, right, width), identity(states * width))
    }

    /// The states of a table become others, or none.
    pub(super) fn map(&mut self, node: Node, map: &[Option<State>]) {
        for state in &mut self.tables[node.0].states {
            *state = state.and_then(|state| map.get(state.index()).copied().flatten());
        }
    }

    /// The same in a table of its own, where the states as they are still count.
    pub(super) fn map_apart(&mut self, node: Node, map: Vec<Option<State>>) -> Node {
        self.add(Place::Of(node), map)
    }

    /// Lets the distances of a factor's states count.
    pub(super) fn count(&mut self, node: Node, distances: Vec<u32>) {
        self.distances.push((node, distances));
    }

    pub(super) fn bytes(&self) -> usize {
        let tables = self.tables.iter().map(|table| size_of_val(&*table.states)).sum::<usize>();
        tables + self.distances.iter().map(|(_, distances)| size_of_val(&**distances)).sum::<usize>()
    }

    /// How many distances there are.
    pub(super) fn entries(&self) -> usize {
        self.distances.iter().map(|(_, distances)| distances.len()).sum()
    }

    /// The greatest of the distances that count.
    pub(super) fn look_up(&mut self, slots: &[i64]) -> Estimate {
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
        let counting = self.distances.iter();
        let most = counting.map(|(node, distances)| distances[self.now[node.0].index()]).max();
        Estimate::Steps(most.unwrap_or(0))
    }
}

fn identity(states: usize) -> Vec<Option<State>> {
    (0..states).map(|state| Some(State::new(state))).collect()
}
