//! How a discrete state is written down: one integer per slot, in a fixed order. Engines pack slots, certificates
//! speak of slots, the kernel reads slots. What the integers mean is defined here once and nowhere else.
//!
//! Order: the location of every process; the number of every instance slot; the cells of every variable; for every
//! buffered channel element its length, then its messages (oldest first, cells beyond the length are 0); the
//! holder of the exclusivity token. A relation has one slot per state or frozen variable.

use crate::expr::Range;
use crate::id::{EdgeId, IdVec, LocationId, ProcessId, VarId};
use crate::network::{ChannelKind, Network, Role};
use crate::relation::{Relation, RelationRole};
use crate::stmt::Stmt;

/// What a slot holds.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum SlotKind {
    /// The location of a process; for a process that can end or be started, one past the last location is "does not
    /// exist" ([`Layout::location`] tells).
    Location(ProcessId),
    /// The number of an instance slot; -1 while it does not exist.
    Pid(ProcessId),
    /// A cell of a variable.
    Cell(VarId, usize),
    /// Number of messages in a channel element.
    QueueLength(usize),
    /// A field of a message of a channel element: element, message, field.
    QueueCell(usize, usize, usize),
    /// The token: 0 for nobody, or 1 + the index of the process.
    Holder,
}

/// One slot.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Slot {
    /// What it holds.
    pub kind: SlotKind,
    /// The values it can have.
    pub range: Range,
}

/// The slots of the queue of one channel element.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Queue {
    /// Slot of the length.
    pub length: usize,
    /// Slot of the first field of the oldest message; messages follow each other, `fields` slots each.
    pub first: usize,
    /// Fields of a message.
    pub fields: usize,
    /// Messages it can hold.
    pub capacity: usize,
}

impl Queue {
    /// The slot of a field of a message.
    pub fn cell(&self, message: usize, field: usize) -> usize {
        self.first + message * self.fields + field
    }
}

/// The layout of a model's discrete states.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Layout {
    /// All slots.
    pub slots: Vec<Slot>,
    /// Slot of each process's location.
    pub location: IdVec<ProcessId, usize>,
    /// Number of locations of each process.
    locations: IdVec<ProcessId, usize>,
    /// Slot of the number of each process that is an instance slot.
    pub pid: IdVec<ProcessId, Option<usize>>,
    /// The constant number of each process outside of families (its rank among them, observers not counted).
    pub static_pid: IdVec<ProcessId, Option<i64>>,
    /// First slot of each variable; `None` for a relation's inputs.
    pub var: IdVec<VarId, Option<usize>>,
    /// The queue of each channel element, if buffered.
    pub queues: Vec<Option<Queue>>,
    /// Slot of the token, if some location is atomic.
    pub holder: Option<usize>,
}

impl Layout {
    /// The layout of a network's states.
    pub fn of_network(network: &Network) -> Self {
        let mut layout = Layout::default();
        let mut rank = 0;
        for (id, process) in network.processes.enumerate() {
            let count = process.locations.len();
            let mortal = process.family.is_some()
                || process.edges.iter().any(|e| e.update.last() == Some(&Stmt::Exit));
            let hi = count as i64 - i64::from(!mortal);
            layout.location.push(layout.slots.len());
            layout.locations.push(count);
            layout.slots.push(Slot { kind: SlotKind::Location(id), range: Range::new(0, hi) });
            let counted = process.role == Role::System && process.family.is_none();
            layout.static_pid.push(counted.then_some(rank));
            rank += i64::from(counted);
        }
        for (id, process) in network.processes.enumerate() {
            let slot = process.family.is_some().then_some(layout.slots.len());
            if slot.is_some() {
                let range = Range::new(-1, network.processes.len() as i64 - 1);
                layout.slots.push(Slot { kind: SlotKind::Pid(id), range });
            }
            layout.pid.push(slot);
        }
        for (id, var) in network.vars.enumerate() {
            layout.var.push(Some(layout.slots.len()));
            for cell in 0..var.len.map_or(1, |n| n as usize) {
                layout.slots.push(Slot { kind: SlotKind::Cell(id, cell), range: var.range });
            }
        }
        let mut element = 0;
        for channel in &network.channels {
            for _ in 0..channel.elements() {
                layout.push_queue(element, channel.kind, &channel.fields);
                element += 1;
            }
        }
        if network.processes.iter().any(|p| p.locations.iter().any(|l| l.atomic)) {
            layout.holder = Some(layout.slots.len());
            let range = Range::new(0, network.processes.len() as i64);
            layout.slots.push(Slot { kind: SlotKind::Holder, range });
        }
        layout
    }

    fn push_queue(&mut self, element: usize, kind: ChannelKind, fields: &[Range]) {
        let ChannelKind::Buffered { capacity } = kind else {
            self.queues.push(None);
            return;
        };
        let length = self.slots.len();
        let range = Range::new(0, i64::from(capacity));
        self.slots.push(Slot { kind: SlotKind::QueueLength(element), range });
        for message in 0..capacity as usize {
            for (field, range) in fields.iter().enumerate() {
                // An unused cell is 0, whatever the field's range.
                let range = Range::new(range.lo.min(0), range.hi.max(0));
                self.slots.push(Slot { kind: SlotKind::QueueCell(element, message, field), range });
            }
        }
        let queue = Queue { length, first: length + 1, fields: fields.len(), capacity: capacity as usize };
        self.queues.push(Some(queue));
    }

    /// The layout of a relation's states.
    pub fn of_relation(relation: &Relation) -> Self {
        let mut layout = Layout::default();
        for (id, var) in relation.vars.enumerate() {
            let stored = var.role != RelationRole::Input;
            layout.var.push(stored.then_some(layout.slots.len()));
            if stored {
                layout.slots.push(Slot { kind: SlotKind::Cell(id, 0), range: var.range });
            }
        }
        layout
    }

    /// The location a process's location slot stands for; `None` if the process does not exist.
    pub fn location(&self, process: ProcessId, value: i64) -> Option<LocationId> {
        let value = usize::try_from(value).ok()?;
        (value < self.locations[process]).then(|| LocationId::new(value))
    }
    /// The value of a process's location slot while it does not exist.
    pub fn absent(&self, process: ProcessId) -> i64 {
        self.locations[process] as i64
    }
    /// Whether the process can fail to exist.
    pub fn mortal(&self, process: ProcessId) -> bool {
        self.slots[self.location[process]].range.contains(self.absent(process))
    }

    /// The initial discrete state of a network, before an observer's first step.
    pub fn initial(&self, network: &Network) -> Vec<i64> {
        let mut state = vec![0; self.slots.len()];
        for (id, process) in network.processes.enumerate() {
            let starts = process.family.is_none();
            state[self.location[id]] = if starts { process.initial.index() as i64 } else { self.absent(id) };
            if let Some(slot) = self.pid[id] {
                state[slot] = -1;
            }
        }
        for (id, var) in network.vars.enumerate() {
            if let Some(first) = self.var[id] {
                state[first..first + var.init.len()].copy_from_slice(&var.init);
            }
        }
        state
    }
}

/// One part of a label: an edge of a process with its select values.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Part {
    /// Who.
    pub process: ProcessId,
    /// Which edge.
    pub edge: EdgeId,
    /// The values of its select variables.
    pub selects: Vec<i64>,
}

/// A ground label of a network: the initiator, then the receivers in order of processes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Label {
    /// Its parts; at least one.
    pub parts: Vec<Part>,
    /// The edge an active observer takes after the label.
    pub observer: Option<EdgeId>,
}
