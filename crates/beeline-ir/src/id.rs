//! Opaque identifiers and the vectors they index. An id is a position in one table and in no other: mixing two
//! kinds of ids does not compile.

use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// What every identifier can do: stand for a position.
pub trait Id: Copy + Eq + Ord {
    /// The id of position `index`.
    fn new(index: usize) -> Self;
    /// The position this id stands for.
    fn index(self) -> usize;
}

macro_rules! id_types {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(u32);

        impl Id for $name {
            #[inline]
            fn new(index: usize) -> Self {
                Self(u32::try_from(index).expect("tables have fewer than 2^32 entries"))
            }
            #[inline]
            fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl $name {
            /// The id of position `index`.
            #[inline]
            pub fn new(index: usize) -> Self {
                <Self as Id>::new(index)
            }
            /// The position this id stands for.
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

id_types! {
    /// A variable (scalar or array) of a network or a relation.
    VarId;
    /// A clock of a network.
    ClockId;
    /// A declared channel or array of channels.
    ChannelId;
    /// A process of a network.
    ProcessId;
    /// A location within its process.
    LocationId;
    /// An edge within its process.
    EdgeId;
    /// A function.
    FunctionId;
    /// A local of a frame: a parameter, select variable, quantified or temporary variable.
    LocalId;
    /// A family of instance slots, the target of `start`.
    FamilyId;
    /// A table of symbolic names for values.
    EnumId;
}

/// A vector indexed by one kind of id.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct IdVec<I, T> {
    items: Vec<T>,
    id: PhantomData<I>,
}

impl<I: Id, T> IdVec<I, T> {
    /// An empty table.
    pub fn new() -> Self {
        Self { items: Vec::new(), id: PhantomData }
    }
    /// Appends an entry and returns its id.
    pub fn push(&mut self, item: T) -> I {
        let id = I::new(self.items.len());
        self.items.push(item);
        id
    }
    /// Number of entries.
    pub fn len(&self) -> usize {
        self.items.len()
    }
    /// Whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
    /// The entry, if the id belongs to this table.
    pub fn get(&self, id: I) -> Option<&T> {
        self.items.get(id.index())
    }
    /// All ids, in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        (0..self.items.len()).map(I::new)
    }
    /// All entries, in order.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }
    /// All entries, in order, to change them.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.items.iter_mut()
    }
    /// All entries with their ids, in order.
    pub fn enumerate(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        self.items.iter().enumerate().map(|(i, t)| (I::new(i), t))
    }
    /// The entries as a plain vector, to rebuild the table.
    pub fn into_vec(self) -> Vec<T> {
        self.items
    }
}

impl<I: Id, T> Default for IdVec<I, T> {
    fn default() -> Self {
        Self::new()
    }
}
impl<I: Id, T> From<Vec<T>> for IdVec<I, T> {
    fn from(items: Vec<T>) -> Self {
        Self { items, id: PhantomData }
    }
}
impl<I: Id, T> FromIterator<T> for IdVec<I, T> {
    fn from_iter<It: IntoIterator<Item = T>>(iter: It) -> Self {
        Self::from(iter.into_iter().collect::<Vec<T>>())
    }
}
impl<I: Id, T> Index<I> for IdVec<I, T> {
    type Output = T;
    #[inline]
    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}
impl<I: Id, T> IndexMut<I> for IdVec<I, T> {
    #[inline]
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}
impl<'a, I: Id, T> IntoIterator for &'a IdVec<I, T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}
