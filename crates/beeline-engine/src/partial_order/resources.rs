//! What labels touch, by number, and sets of such numbers.
//!
//! Most resources are slots of the state. Some things that a slot says are told apart because few labels care for all of
//! it: whether a process exists (nearly every step of a process changes where it is, few whether it is); the two ends
//! of a queue (who appends and who takes from the front get along: Holzmann and Peled, "An improvement in formal
//! verification", FORTE 1994); the two sides of a synchronisation; and time, which whatever has to do with clocks
//! counts as writing.

use beeline_ir::ProcessId;
use beeline_ir::layout::{Layout, SlotKind};
use beeline_ir::network::ChannelKind;
use beeline_program::Program;

/// The numbers of resources.
#[derive(Clone, Debug)]
pub struct Resources {
    slots: usize,
    processes: usize,
    elements: usize,
}

/// A resource.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Resource(usize);

impl Resources {
    /// Those of a program.
    pub fn new(program: &Program) -> Self {
        Self {
            slots: program.layout.slots.len(),
            processes: program.processes.len(),
            elements: program.elements.len(),
        }
    }
    /// How many there are.
    pub fn len(&self) -> usize {
        self.slots + self.processes + 2 * self.elements + 6
    }
    /// A slot, as such.
    pub fn slot(&self, slot: usize) -> Resource {
        Resource(slot)
    }
    /// Whether a process exists.
    pub fn existence(&self, process: ProcessId) -> Resource {
        Resource(self.slots + process.index())
    }
    /// The end of a channel element where messages are put in; the sending side.
    pub fn back(&self, element: usize) -> Resource {
        Resource(self.slots + self.processes + 2 * element)
    }
    /// The end where they are taken out; the receiving side.
    pub fn front(&self, element: usize) -> Resource {
        Resource(self.back(element).0 + 1)
    }
    fn special(&self, number: usize) -> Resource {
        Resource(self.slots + self.processes + 2 * self.elements + number)
    }
    /// Clocks, and whatever says whether time may pass.
    pub fn time(&self) -> Resource {
        self.special(0)
    }
    /// That processes are started.
    pub fn starts(&self) -> Resource {
        self.special(1)
    }
    /// A mark, as if read: the edge has assertions.
    pub fn asserts(&self) -> Resource {
        self.special(2)
    }
    /// A mark, as if read: the edge may fail at run time, or break an invariant.
    pub fn fails(&self) -> Resource {
        self.special(3)
    }
    /// A mark, as if read: the edge leads to a committed location.
    pub fn commits(&self) -> Resource {
        self.special(4)
    }
    /// A mark, as if read: the edge takes the token.
    pub fn takes_token(&self) -> Resource {
        self.special(5)
    }
    /// Adds what somebody cares for who looks at a slot.
    pub fn look_at(&self, layout: &Layout, slot: usize, bits: &mut Bits) {
        match layout.slots[slot].kind {
            SlotKind::Location(process) => {
                bits.add(self.slot(slot));
                bits.add(self.existence(process));
            }
            SlotKind::QueueLength(element) | SlotKind::QueueCell(element, ..) => {
                bits.add(self.back(element));
                bits.add(self.front(element));
            }
            SlotKind::Pid(_) | SlotKind::Cell(..) | SlotKind::Holder => bits.add(self.slot(slot)),
        }
    }
}

/// Whether a channel element has a buffer.
pub fn buffered(program: &Program, element: usize) -> bool {
    matches!(program.elements[element].kind, ChannelKind::Buffered { .. })
}

/// A set of resources.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Bits(Box<[u64]>);

impl Bits {
    /// None of so many.
    pub fn none(resources: &Resources) -> Self {
        Self(vec![0; resources.len().div_ceil(64)].into())
    }
    /// Adds one.
    pub fn add(&mut self, Resource(number): Resource) {
        self.0[number / 64] |= 1 << (number % 64);
    }
    /// Takes one out.
    pub fn remove(&mut self, Resource(number): Resource) {
        self.0[number / 64] &= !(1 << (number % 64));
    }
    /// Adds all of another set.
    pub fn add_all(&mut self, other: &Bits) {
        self.0.iter_mut().zip(&other.0).for_each(|(mine, theirs)| *mine |= theirs);
    }
    /// Takes out all of another set.
    pub fn remove_all(&mut self, other: &Bits) {
        self.0.iter_mut().zip(&other.0).for_each(|(mine, theirs)| *mine &= !theirs);
    }
    /// Empties it.
    pub fn clear(&mut self) {
        self.0.fill(0);
    }
    /// Makes it the same as another.
    pub fn copy(&mut self, other: &Bits) {
        self.0.copy_from_slice(&other.0);
    }
    /// Whether it has one.
    pub fn contains(&self, Resource(number): Resource) -> bool {
        self.0[number / 64] >> (number % 64) & 1 == 1
    }
    /// Whether both have one in common.
    #[inline]
    pub fn meets(&self, other: &Bits) -> bool {
        self.0.iter().zip(&other.0).any(|(mine, theirs)| mine & theirs != 0)
    }
}

/// What is read and what is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Touched {
    /// Looked at.
    pub reads: Bits,
    /// Changed, perhaps.
    pub writes: Bits,
}

impl Touched {
    /// Nothing.
    pub fn nothing(resources: &Resources) -> Self {
        Self { reads: Bits::none(resources), writes: Bits::none(resources) }
    }
    /// Adds all of another.
    pub fn add_all(&mut self, other: &Touched) {
        self.reads.add_all(&other.reads);
        self.writes.add_all(&other.writes);
    }
    /// Makes it the same as another.
    pub fn copy(&mut self, other: &Touched) {
        self.reads.copy(&other.reads);
        self.writes.copy(&other.writes);
    }
}
