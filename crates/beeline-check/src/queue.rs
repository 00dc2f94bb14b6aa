//! Buffered channels: messages oldest first, cells beyond the length 0. And what every send and receive has in
//! common: the message and the values wanted, evaluated.

use beeline_ir::expr::RuntimeError;
use beeline_ir::layout::Queue;
use beeline_ir::stmt::{Pattern, Receive, Send};
use beeline_ir::work;

use crate::cells::{Cells, Eval, Stop};
use crate::value::Evaluation;

/// Whether a message is wanted, field by field.
pub(crate) fn matches(wanted: &[Option<i64>], message: &[i64]) -> bool {
    wanted.iter().zip(message).all(|(w, m)| w.is_none_or(|w| w == *m))
}

impl Evaluation<'_, '_> {
    /// The message a send would send over the channel.
    pub fn message(&mut self, element: usize, send: &Send, cells: &Cells) -> Eval<Vec<i64>> {
        let fields = &self.cx.channel(element).0.fields;
        if send.message.len() != fields.len() {
            return Err(RuntimeError::Channel.into());
        }
        let values = self.values(&send.message, cells)?;
        Ok(fields.iter().zip(values).map(|(range, value)| range.wrap(value)).collect())
    }
    /// What a receive wants over the channel: a value per field, or anything.
    pub fn wanted(&mut self, element: usize, receive: &Receive, cells: &Cells) -> Eval<Vec<Option<i64>>> {
        if receive.pattern.len() != self.cx.channel(element).0.fields.len() {
            return Err(RuntimeError::Channel.into());
        }
        let mut wanted = Vec::with_capacity(receive.pattern.len());
        for pattern in &receive.pattern {
            wanted.push(match pattern {
                Pattern::Match(value) => Some(self.value(value, cells)?),
                Pattern::Bind(_) | Pattern::Ignore => None,
            });
        }
        Ok(wanted)
    }
    fn queue(&self, element: usize) -> Eval<Queue> {
        self.cx.layout.queues[element].ok_or(Stop::Error(RuntimeError::Channel))
    }
    /// Counts a look into a buffer.
    pub fn charge_buffer(&mut self, element: usize) -> Eval<()> {
        let queue = self.queue(element)?;
        self.charge(work::of_queue(&queue))
    }
    fn length(&self, queue: &Queue, cells: &Cells) -> Eval<usize> {
        let length = usize::try_from(cells.read(queue.length)?).unwrap_or_default();
        Ok(length.min(queue.capacity))
    }
    /// Whether one more message fits.
    pub fn has_room(&self, element: usize, cells: &Cells) -> Eval<bool> {
        let queue = self.queue(element)?;
        Ok(self.length(&queue, cells)? < queue.capacity)
    }
    /// The first message, if it is wanted; or, with `any`, the first that is.
    pub fn find_message(
        &self,
        element: usize,
        wanted: &[Option<i64>],
        any: bool,
        cells: &Cells,
    ) -> Eval<Option<usize>> {
        let queue = self.queue(element)?;
        let length = self.length(&queue, cells)?;
        for position in 0..if any { length } else { length.min(1) } {
            let mut found = true;
            for (field, value) in wanted.iter().enumerate() {
                if let Some(value) = value {
                    found &= cells.read(queue.cell(position, field))? == *value;
                }
            }
            if found {
                return Ok(Some(position));
            }
        }
        Ok(None)
    }
    /// A message of the buffer.
    pub fn peek(&self, element: usize, position: usize, cells: &Cells) -> Eval<Vec<i64>> {
        let queue = self.queue(element)?;
        (0..queue.fields).map(|field| cells.read(queue.cell(position, field))).collect()
    }
    /// Puts a message into a buffer that has room: at the end, or, sorted, before the first that is greater.
    pub fn put(&self, element: usize, message: &[i64], sorted: bool, cells: &mut Cells) -> Eval<()> {
        let mut messages = self.messages(element, cells)?;
        let greater = messages.iter().position(|m| m[..] > *message).filter(|_| sorted);
        messages.insert(greater.unwrap_or(messages.len()), message.to_vec());
        self.write_messages(element, &messages, cells)
    }
    /// Removes a message.
    pub fn remove(&self, element: usize, position: usize, cells: &mut Cells) -> Eval<()> {
        let mut messages = self.messages(element, cells)?;
        messages.remove(position);
        self.write_messages(element, &messages, cells)
    }
    fn messages(&self, element: usize, cells: &Cells) -> Eval<Vec<Vec<i64>>> {
        let length = self.length(&self.queue(element)?, cells)?;
        (0..length).map(|position| self.peek(element, position, cells)).collect()
    }
    fn write_messages(&self, element: usize, messages: &[Vec<i64>], cells: &mut Cells) -> Eval<()> {
        let queue = self.queue(element)?;
        cells.write(queue.length, messages.len() as i64);
        for position in 0..queue.capacity {
            for field in 0..queue.fields {
                let value = messages.get(position).map_or(0, |message| message[field]);
                cells.write(queue.cell(position, field), value);
            }
        }
        Ok(())
    }
}
