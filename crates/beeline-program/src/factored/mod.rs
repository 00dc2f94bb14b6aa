//! The factored view of a network: one factor per slot of the state (the location of an automaton, an integer), and
//! what every label asks of single factors and does to them.
//!
//! This is the lockstep view of Wehrle and Helmert ("The causal graph revisited for directed model checking", SAS
//! 2009): a label restricts a factor if not every value of it allows the label, and affects it if it may change it.
//! Networks are richer than that view, so what it says is a *relaxation*: every label of the network that leads from a
//! state to another is matched by actions whose needs hold in the first, and which together have every change of
//! value among their effects. Clocks, invariants, urgency, priorities and the order of commitment are left out. Guards
//! and updates are never interpreted here: the bytecode runs on all combinations of what it reads; where these are too
//! many, on sets of values; and beyond a counted budget, a guard asks nothing and an update may do anything.
//!
//! Reading order: `meter`, [`domain`], [`cube`], [`formula`], `ground`, [`relaxation`], [`causal`].

mod approximate;
mod assertion;
pub mod causal;
mod change;
pub mod cube;
mod discover;
pub mod domain;
pub mod formula;
mod ground;
mod instance;
mod meter;
mod probe;
pub mod relaxation;

use crate::schema::EdgeRef;
use crate::slots::SlotSet;
use beeline_ir::id::Id;
pub use cube::Cube;
pub use domain::Domains;
pub use formula::Formula;
pub use meter::Meter;
pub use probe::Probe;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(u32);

        impl Id for $name {
            fn new(index: usize) -> Self {
                Self(u32::try_from(index).expect("budgets keep tables small"))
            }
            #[inline]
            fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// A value of a tracked slot.
    FactId;
    /// A set of values of a slot, one of which is needed.
    CondId;
    /// Something that a label does where its needs are met.
    ActionId;
    /// A label, with values for its select variables.
    LabelId;
}

/// A set of values of one slot.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Cond {
    /// The slot.
    pub slot: usize,
    /// The values, ascending.
    pub facts: Box<[FactId]>,
}

impl Cond {
    fn bytes(&self) -> usize {
        size_of::<Self>() + size_of_val(&*self.facts)
    }
}

/// Something that a label does where its needs are met. A label with conditional effects has several.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Action {
    /// Whose action.
    pub label: LabelId,
    /// What must hold, at most one condition per slot.
    pub needs: Box<[CondId]>,
    /// What may hold afterwards, besides what held before; ascending.
    pub effects: Box<[FactId]>,
}

impl Action {
    fn bytes(&self) -> usize {
        size_of::<Self>() + size_of_val(&*self.needs) + size_of_val(&*self.effects)
    }
}

/// A label, with values for its select variables. Of a broadcast, every choice of receivers is one and the same.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Label {
    /// Its edges; of a broadcast, that of the sender alone.
    pub edges: Box<[EdgeRef]>,
    /// Whether every label of the kind counts as a step.
    pub costs: bool,
    /// Slots, ascending, that may keep what they hold although the needs of an action that affects them are met. Any
    /// other slot then gets one of the effects.
    pub loose: Box<[usize]>,
}

impl Label {
    fn bytes(&self) -> usize {
        size_of::<Self>() + size_of_val(&*self.edges) + size_of_val(&*self.loose)
    }
}

/// The factored view.
#[derive(Clone, Debug)]
pub struct Factored {
    /// The slots that are tracked, and their values.
    pub domains: Domains,
    /// All conditions, each once.
    pub conds: Vec<Cond>,
    /// All labels.
    pub labels: Vec<Label>,
    /// All actions.
    pub actions: Vec<Action>,
    /// What the target asks for; true where that is not known. If it is a label that fails an assertion, what such a
    /// label asks for.
    pub goal: Formula,
    /// Slots that may change without any action saying so; nothing is asked of them.
    pub unsaid: SlotSet,
    /// Conditions that hold a fact, by fact.
    pub conds_of: Table<FactId, CondId>,
    /// Actions that need a condition, by condition.
    pub actions_of: Table<CondId, ActionId>,
    /// About how many bytes all this takes.
    pub bytes: u64,
}

/// Lists by id, one after the other.
#[derive(Clone, Debug)]
pub struct Table<K, V> {
    starts: Vec<u32>,
    items: Vec<V>,
    key: std::marker::PhantomData<K>,
}

impl<K: Id, V: Copy> Table<K, V> {
    /// From pairs in any order; the items of each key keep theirs.
    pub fn new(keys: usize, pairs: impl Iterator<Item = (K, V)> + Clone) -> Self {
        let mut starts = vec![0u32; keys + 1];
        for (key, _) in pairs.clone() {
            starts[key.index() + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut items: Vec<Option<V>> = vec![None; starts.last().map_or(0, |n| *n as usize)];
        for (key, value) in pairs {
            items[next[key.index()] as usize] = Some(value);
            next[key.index()] += 1;
        }
        Self { starts, items: items.into_iter().flatten().collect(), key: std::marker::PhantomData }
    }

    fn bytes(&self) -> usize {
        size_of_val(&*self.starts) + size_of_val(&*self.items)
    }

    /// The items of a key.
    #[inline]
    pub fn get(&self, key: K) -> &[V] {
        &self.items[self.starts[key.index()] as usize..self.starts[key.index() + 1] as usize]
    }
}

impl Factored {
    /// The action of an id.
    #[inline]
    pub fn action(&self, id: ActionId) -> &Action {
        &self.actions[id.index()]
    }
    /// The condition of an id.
    #[inline]
    pub fn cond(&self, id: CondId) -> &Cond {
        &self.conds[id.index()]
    }
    /// The label of an id.
    #[inline]
    pub fn label(&self, id: LabelId) -> &Label {
        &self.labels[id.index()]
    }
}
