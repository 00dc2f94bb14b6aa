//! A projection to some of the atomic factors, which can be given one more: their product, without what cannot be reached
//! or does not lead to the goal.

use crate::factors::{Factor, Labels, Node, State, Tables, product, product_size};
use beeline_ir::limits::StopReason;
use beeline_program::factored::Meter;
use std::cmp::Ordering;

/// The atomic factors, the tables in which states are looked up, and what is known of labels.
#[derive(Debug)]
pub(super) struct Atoms {
    pub(super) factors: Vec<Factor>,
    pub(super) nodes: Vec<Node>,
    pub(super) tables: Tables,
    pub(super) labels: Labels,
}

impl Atoms {
    /// Leaves out states of an atomic factor that no way to the goal leads through; false if none is left.
    pub(super) fn prune(&mut self, at: usize) -> bool {
        let Some(map) = self.factors[at].useful(&self.labels) else { return true };
        self.tables.map(self.nodes[at], &map);
        let Some(factor) = self.factors[at].mapped(&map, &mut self.labels) else { return false };
        self.factors[at] = factor;
        true
    }
}

/// A projection.
#[derive(Clone, Debug)]
pub(super) struct Abstraction {
    /// The atomic factors that it keeps, in the order in which they came.
    pub(super) pattern: Vec<usize>,
    pub(super) factor: Factor,
    pub(super) node: Node,
    /// For each state, the states of the atomic factors.
    members: Vec<State>,
}

/// Why a projection cannot be given one more factor.
pub(super) enum NotGrown {
    TooLarge,
    /// Nothing leads to the goal.
    Hopeless,
    Stopped(StopReason),
}

impl From<StopReason> for NotGrown {
    fn from(reason: StopReason) -> Self {
        Self::Stopped(reason)
    }
}

impl Abstraction {
    /// The projection to one atomic factor.
    pub(super) fn atomic(atoms: &Atoms, at: usize) -> Self {
        let factor = atoms.factors[at].clone();
        let members = (0..factor.states()).map(State::new).collect();
        Self { pattern: vec![at], factor, node: atoms.nodes[at], members }
    }

    /// What a state is in the atomic factors of the pattern.
    pub(super) fn members(&self, state: State) -> &[State] {
        let width = self.pattern.len();
        &self.members[state.index() * width..][..width]
    }

    /// The projection that keeps one more factor, unless its product has more transitions than allowed.
    pub(super) fn grown(
        &self,
        atoms: &mut Atoms,
        at: usize,
        most: usize,
        meter: &Meter<'_>,
    ) -> Result<Self, NotGrown> {
        let other = &atoms.factors[at];
        if product_size(&self.factor, other, &atoms.labels) > most {
            return Err(NotGrown::TooLarge);
        }
        let (states, width) = (self.factor.states(), other.states());
        let mut factor = product(&self.factor, other, &mut atoms.labels, meter)?;
        meter.allocate(states * width * size_of::<Option<State>>())?;
        let node = atoms.tables.pair((self.node, states), (atoms.nodes[at], width));
        let map = factor.useful(&atoms.labels);
        let stays = |state: usize| map.as_ref().is_none_or(|map| map[state].is_some());
        let mut members = Vec::new();
        for state in (0..states * width).filter(|state| stays(*state)) {
            members.extend_from_slice(self.members(State::new(state / width)));
            members.push(State::new(state % width));
        }
        if let Some(map) = map {
            atoms.tables.map(node, &map);
            factor = factor.mapped(&map, &mut atoms.labels).ok_or(NotGrown::Hopeless)?;
        }
        let pattern = self.pattern.iter().copied().chain([at]).collect();
        Ok(Self { pattern, factor, node, members })
    }

    /// Leaves out states; `None` if the initial one is among them.
    pub(super) fn forget(&mut self, atoms: &mut Atoms, map: &[Option<State>]) -> Option<()> {
        // Others may have been made of the same states.
        self.node = atoms.tables.map_apart(self.node, map.to_vec());
        let width = self.pattern.len();
        let stay = self.members.chunks(width).zip(map).filter(|(_, becomes)| becomes.is_some());
        self.members = stay.flat_map(|(members, _)| members.iter().copied()).collect();
        self.factor = self.factor.mapped(map, &mut atoms.labels)?;
        Some(())
    }

    /// The state of the projection for states of all atomic factors; `None` if there is none.
    pub(super) fn find(&self, states: &[State]) -> Option<State> {
        let asked = self.pattern.iter().map(|at| states[*at]);
        // Products are numbered with the last factor running fastest, so members ascend.
        let (mut least, mut beyond) = (0, self.factor.states());
        while least < beyond {
            let middle = least.midpoint(beyond);
            match self.members(State::new(middle)).iter().copied().cmp(asked.clone()) {
                Ordering::Equal => return Some(State::new(middle)),
                Ordering::Less => least = middle + 1,
                Ordering::Greater => beyond = middle,
            }
        }
        None
    }
}
