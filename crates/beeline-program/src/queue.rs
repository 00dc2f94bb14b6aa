//! Buffered channels: the messages of an element are cells of the state, oldest first, cells beyond the length 0.

use crate::edge::Effects;
use crate::program::Program;
use beeline_ir::layout::Queue;

/// Whether a message meets the required values.
pub(crate) fn matches(patterns: &[Option<i64>], message: &[i64]) -> bool {
    patterns.len() == message.len()
        && patterns.iter().zip(message).all(|(pattern, field)| pattern.is_none_or(|p| p == *field))
}

impl Program {
    /// Whether the element has a buffer with room.
    pub fn queue_accepts(&self, state: &[i64], element: usize) -> bool {
        self.layout.queues[element].is_some_and(|q| length(q, state) < q.capacity)
    }
    /// The position of the message that a receive takes from the element's buffer: the first one, or, if `any`,
    /// the first that matches.
    pub fn queue_matches(
        &self,
        state: &[i64],
        element: usize,
        any: bool,
        patterns: &[Option<i64>],
    ) -> Option<usize> {
        let queue = self.layout.queues[element]?;
        let candidates = if any { length(queue, state) } else { length(queue, state).min(1) };
        (0..candidates).find(|at| matches(patterns, message(queue, state, *at)))
    }
}

/// Number of messages.
pub(crate) fn length(queue: Queue, state: &[i64]) -> usize {
    state[queue.length] as usize
}

/// The message at a position.
pub(crate) fn message(queue: Queue, state: &[i64], at: usize) -> &[i64] {
    &state[queue.cell(at, 0)..queue.cell(at + 1, 0)]
}

/// Adds a message to a queue with room: at the end, or before the first message that is greater.
pub(crate) fn insert(queue: Queue, state: &mut [i64], new: &[i64], sorted: bool, effects: &mut Effects) {
    let length = length(queue, state);
    let greater = |at: &usize| message(queue, state, *at) > new;
    let at = if sorted { (0..length).find(greater).unwrap_or(length) } else { length };
    for cell in (queue.cell(at, 0)..queue.cell(length, 0)).rev() {
        effects.put(state, cell + queue.fields, state[cell]);
    }
    for (field, value) in new.iter().enumerate() {
        effects.put(state, queue.cell(at, field), *value);
    }
    effects.put(state, queue.length, length as i64 + 1);
}

/// Removes the message at a position.
pub(crate) fn remove(queue: Queue, state: &mut [i64], at: usize, effects: &mut Effects) {
    let length = length(queue, state);
    for cell in queue.cell(at + 1, 0)..queue.cell(length, 0) {
        effects.put(state, cell - queue.fields, state[cell]);
    }
    for cell in queue.cell(length - 1, 0)..queue.cell(length, 0) {
        effects.put(state, cell, 0);
    }
    effects.put(state, queue.length, length as i64 - 1);
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUEUE: Queue = Queue { length: 1, first: 2, fields: 2, capacity: 3 };

    #[test]
    fn sorted_insertion_goes_before_the_first_greater_message() {
        let mut effects = Effects::default();
        let mut state = vec![9, 0, 0, 0, 0, 0, 0, 0, 9];
        for new in [[2, 1], [1, 7], [2, 0]] {
            insert(QUEUE, &mut state, &new, true, &mut effects);
        }
        assert_eq!(state, [9, 3, 1, 7, 2, 0, 2, 1, 9]);
        remove(QUEUE, &mut state, 1, &mut effects);
        assert_eq!(state, [9, 2, 1, 7, 2, 1, 0, 0, 9]);
        insert(QUEUE, &mut state, &[0, 0], false, &mut effects);
        assert_eq!(state, [9, 3, 1, 7, 2, 1, 0, 0, 9]);
        remove(QUEUE, &mut state, 2, &mut effects);
        remove(QUEUE, &mut state, 0, &mut effects);
        remove(QUEUE, &mut state, 0, &mut effects);
        assert_eq!(state, [9, 0, 0, 0, 0, 0, 0, 0, 9]);
    }

    #[test]
    fn messages_without_fields_are_only_counted() {
        let queue = Queue { length: 0, first: 1, fields: 0, capacity: 2 };
        let mut effects = Effects::default();
        let mut state = vec![0];
        insert(queue, &mut state, &[], false, &mut effects);
        insert(queue, &mut state, &[], true, &mut effects);
        assert_eq!(state, [2]);
        remove(queue, &mut state, 1, &mut effects);
        assert_eq!(state, [1]);
    }
}
