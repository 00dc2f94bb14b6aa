//! Channels with buffers, in all states at once: the messages of an element are slots, oldest first, those beyond the
//! length 0. What an operation does is done for every length that there may be.

use super::machine::Values;
use crate::bdd::{Bdd, Bdds, Made};
use crate::number::Number;
use beeline_ir::expr::BinaryOp;
use beeline_ir::layout::Queue;

/// Where a queue has room.
pub(crate) fn has_room(queue: Queue, values: &Values, b: &Bdds) -> Made<Bdd> {
    values.slots[queue.length].less(&Number::constant(queue.capacity as i64, b), b)
}

/// For each position, where the message there is the one that a receive takes: the first, or, if `any`, the first that
/// meets the required values.
pub(crate) fn matches(
    queue: Queue,
    values: &Values,
    patterns: &[Option<Number>],
    any: bool,
    b: &Bdds,
) -> Made<Vec<Bdd>> {
    let length = &values.slots[queue.length];
    let mut open = b.yes();
    let mut found = Vec::new();
    for at in 0..if any { queue.capacity } else { queue.capacity.min(1) } {
        let mut fits = Number::constant(at as i64, b).less(length, b)?;
        if patterns.len() != queue.fields {
            fits = b.no();
        }
        for (field, pattern) in patterns.iter().enumerate().take(queue.fields) {
            if let Some(value) = pattern {
                fits = b.and(&fits, &value.equal(&values.slots[queue.cell(at, field)], b)?)?;
            }
        }
        found.push(b.and(&open, &fits)?);
        open = b.minus(&open, &fits)?;
    }
    Ok(found)
}

/// The message at the position that each of these sets is about.
pub(crate) fn message(queue: Queue, values: &Values, taken: &[Bdd], b: &Bdds) -> Made<Vec<Number>> {
    let mut message = vec![Number::constant(0, b); queue.fields];
    for (at, here) in taken.iter().enumerate() {
        for (field, value) in message.iter_mut().enumerate() {
            *value = Number::select(here, &values.slots[queue.cell(at, field)], value, b)?;
        }
    }
    Ok(message)
}

/// Adds a message where there is room, in some states: at the end, or before the first message that is greater.
pub(crate) fn insert(
    queue: Queue,
    values: &mut Values,
    new: &[Number],
    sorted: bool,
    there: &Bdd,
    b: &Bdds,
) -> Made<()> {
    let length = values.slots[queue.length].clone();
    let before = values.clone();
    // Where the new message is at a position before this one, or here.
    let mut passed = b.no();
    for at in 0..queue.capacity {
        let position = Number::constant(at as i64, b);
        let (inside, end) = (position.less(&length, b)?, length.equal(&position, b)?);
        let mut here = end.clone();
        if sorted {
            let old: Vec<&Number> = (0..queue.fields).map(|f| &before.slots[queue.cell(at, f)]).collect();
            here = b.or(&here, &b.and(&inside, &lexicographically_less(new, &old, b)?)?)?;
        }
        let stored = b.and(there, &b.minus(&here, &passed)?)?;
        let moved = b.all([there, &passed, &b.or(&inside, &end)?])?;
        for (field, value) in new.iter().enumerate().take(queue.fields) {
            let slot = queue.cell(at, field);
            values.slots[slot] = Number::select(&stored, value, &before.slots[slot], b)?;
            if at > 0 {
                let from = &before.slots[queue.cell(at - 1, field)];
                values.slots[slot] = Number::select(&moved, from, &values.slots[slot], b)?;
            }
        }
        passed = b.or(&passed, &here)?;
    }
    let longer = length.binary(BinaryOp::Add, &Number::constant(1, b), b)?;
    values.slots[queue.length] = Number::select(there, &longer, &length, b)?;
    Ok(())
}

/// Removes the message at the position that each of these sets is about.
pub(crate) fn remove(queue: Queue, values: &mut Values, taken: &[Bdd], b: &Bdds) -> Made<()> {
    let before = values.clone();
    let length = &before.slots[queue.length];
    let shorter = length.binary(BinaryOp::Sub, &Number::constant(1, b), b)?;
    let mut gone = b.no();
    for at in 0..queue.capacity {
        if let Some(here) = taken.get(at) {
            gone = b.or(&gone, here)?;
        }
        // Those after it move up; cells beyond the length are 0 already.
        for field in 0..queue.fields {
            let slot = queue.cell(at, field);
            let next = match at + 1 < queue.capacity {
                true => before.slots[queue.cell(at + 1, field)].clone(),
                false => Number::constant(0, b),
            };
            values.slots[slot] = Number::select(&gone, &next, &before.slots[slot], b)?;
        }
    }
    values.slots[queue.length] = Number::select(&gone, &shorter, length, b)?;
    Ok(())
}

/// Where a message is less than another in lexicographic order.
fn lexicographically_less(message: &[Number], other: &[&Number], b: &Bdds) -> Made<Bdd> {
    let mut less = b.no();
    for (mine, theirs) in message.iter().zip(other).rev() {
        let same = b.and(&mine.equal(theirs, b)?, &less)?;
        less = b.or(&mine.less(theirs, b)?, &same)?;
    }
    Ok(less)
}
