//! Accesses by an index or a channel that stands in a slot: which element it is, the state tells.

use super::resources::{Resources, Touched, buffered};
use beeline_program::Program;

/// An access that depends on the value of a slot.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Access {
    /// The slot.
    pub index: usize,
    pub(super) what: What,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum What {
    /// An element of an array is read.
    Load { base: usize, len: usize },
    /// An element of an array is written.
    Store { base: usize, len: usize },
    /// An index has to be of an array of that length.
    Check { len: usize },
    /// Something is done to a channel.
    Channel(Use),
}

/// What is done to a channel.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Use {
    Send {
        sorted: bool,
    },
    Receive {
        keep: bool,
    },
    /// In the middle of an update, where it must not block.
    Within,
    Look,
}

impl Access {
    /// Adds what it touches if the slot has a value, or may have any.
    pub fn touch(&self, program: &Program, resources: &Resources, value: Option<i64>, touched: &mut Touched) {
        let number = value.and_then(|value| usize::try_from(value).ok());
        match self.what {
            What::Load { base, len } => {
                let one = number.filter(|i| *i < len).map(|i| base + i..base + i + 1);
                if one.is_none() {
                    touched.reads.add(resources.fails());
                }
                for slot in one.unwrap_or(base..base + len) {
                    resources.look_at(&program.layout, slot, &mut touched.reads);
                }
            }
            What::Store { base, len } => {
                let one = number.filter(|i| *i < len).map(|i| base + i..base + i + 1);
                if one.is_none() {
                    touched.reads.add(resources.fails());
                }
                one.unwrap_or(base..base + len).for_each(|slot| touched.writes.add(resources.slot(slot)));
            }
            What::Check { len } => {
                if number.is_none_or(|i| i >= len) {
                    touched.reads.add(resources.fails());
                }
            }
            What::Channel(used) => {
                let element = number.and_then(|n| n.checked_sub(1)).filter(|e| *e < program.elements.len());
                match element {
                    Some(element) => used.touch(program, resources, element, touched),
                    None => (0..program.elements.len())
                        .for_each(|element| used.touch(program, resources, element, touched)),
                }
            }
        }
    }
}

impl Use {
    pub(super) fn touch(
        self,
        program: &Program,
        resources: &Resources,
        element: usize,
        touched: &mut Touched,
    ) {
        let Touched { reads, writes } = touched;
        let (back, front) = (resources.back(element), resources.front(element));
        match (self, buffered(program, element)) {
            (Self::Send { sorted: false }, true) => writes.add(back),
            (Self::Receive { keep: false }, true) => writes.add(front),
            (Self::Receive { keep: true }, true) => reads.add(front),
            (Self::Send { sorted: true } | Self::Within, true) => {
                for end in [back, front] {
                    reads.add(end);
                    writes.add(end);
                }
            }
            (Self::Look, true) => [back, front].into_iter().for_each(|end| reads.add(end)),
            // Whoever sends meets whoever receives.
            (Self::Send { .. }, false) => {
                writes.add(back);
                reads.add(front);
            }
            (Self::Receive { .. }, false) => {
                writes.add(front);
                reads.add(back);
            }
            (Self::Within | Self::Look, false) => {}
        }
    }
}
