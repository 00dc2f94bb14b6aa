//! Broadcasts: a sender, and of each other process one of its receiving edges, or none where it has none that is enabled.

use super::{BrokenReceiver, Enabled, Enumerator};
use beeline_ir::ProcessId;
use beeline_ir::limits::StopReason;
use beeline_program::ConcreteAtom;
use beeline_zones::fault::{self, Fault};

/// What a process may do about a broadcast.
struct Group {
    /// Edges that may join.
    joining: Vec<usize>,
    /// The guards of those of which that depends.
    open: Vec<Vec<ConcreteAtom>>,
    /// It may also stay behind, where none of these holds.
    may_stay: bool,
}

impl Group {
    fn choices(&self) -> usize {
        self.joining.len() + usize::from(self.may_stay)
    }
}

impl Enumerator<'_> {
    /// Makes the labels of a broadcast: all combinations of receivers.
    pub(super) fn broadcast(&mut self, sender: usize, element: usize) -> Result<(), StopReason> {
        let process = self.out.instances[sender].process;
        let program = self.question.program;
        let channel = program.elements[element].channel;
        let breaks = |broken: &BrokenReceiver| {
            let named = self.edge(broken.process, broken.edge).sync.channel();
            broken.process != process
                && named.and_then(|named| named.declaration(program)).is_none_or(|c| c == channel)
        };
        if self.out.broken.iter().any(breaks) {
            // The receiver's own failing label reports the error.
            return Ok(());
        }
        // One choice per other process: one of its receiving edges, or nothing where none of them is enabled.
        let called = self.out.calls[element].receivers.iter().copied();
        let receivers: Vec<usize> = called.filter(|receiver| self.takes(sender, *receiver)).collect();
        let owners: Vec<(usize, ProcessId)> =
            receivers.into_iter().map(|i| (i, self.out.instances[i].process)).collect();
        let groups: Vec<Group> =
            owners.chunk_by(|a, b| a.1 == b.1).map(|receivers| self.group(receivers)).collect();
        // All combinations, the last process changing fastest.
        let mut choice = vec![0; groups.len()];
        loop {
            let (mut parts, mut excluded) = (vec![sender], Vec::new());
            for (group, choice) in groups.iter().zip(&choice) {
                match group.joining.get(*choice) {
                    Some(receiver) => parts.push(*receiver),
                    None => excluded.extend(group.open.iter().cloned()),
                }
            }
            self.out.parts += parts.len() + 2 * excluded.len();
            self.go_on()?;
            self.push(&parts, &excluded, Some(element));
            let mut more = false;
            for (group, choice) in groups.iter().zip(&mut choice).rev() {
                *choice += 1;
                more = *choice < group.choices();
                if more {
                    break;
                }
                *choice = 0;
            }
            if !more {
                return Ok(());
            }
        }
    }

    /// Receivers of one process, of which one joins a broadcast, or none where none can.
    fn group(&mut self, receivers: &[(usize, ProcessId)]) -> Group {
        let Enabled { instances, more_seen, .. } = &mut *self.out;
        let guard = |i: &usize| &instances[*i].evaluated.atoms;
        let mut group = Group { joining: Vec::new(), open: Vec::new(), may_stay: true };
        for (i, _) in receivers {
            *more_seen |= !guard(i).is_empty();
            match (self.question.decide)(guard(i)) {
                Some(false) => continue,
                // Whoever certainly can leaves the process no choice to stay.
                Some(true) => group.may_stay = fault::active(Fault::BroadcastReceiverOptional),
                None => group.open.push(guard(i).clone()),
            }
            group.joining.push(*i);
        }
        group
    }
}
