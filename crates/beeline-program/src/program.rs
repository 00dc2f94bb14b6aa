//! The compiled network: flat channel elements, processes with their edges, and the routines they refer to.

use crate::bytecode::{Routine, RoutineId};
use crate::shortcut::{Step, Test};
use crate::values::ValueSet;
use beeline_ir::expr::{ClockOp, Range};
use beeline_ir::layout::Layout;
use beeline_ir::network::{ChannelKind, Role};
use beeline_ir::{ChannelId, ClockId, EdgeId, FamilyId, FunctionId, IdVec, LocationId, ProcessId};

/// A network, ready to run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// How states are written down.
    pub layout: Layout,
    /// Number of clocks.
    pub clocks: usize,
    /// How each declared channel connects.
    pub channel_kinds: IdVec<ChannelId, ChannelKind>,
    /// All channel elements, in order of declaration.
    pub elements: Vec<Element>,
    /// All processes.
    pub processes: IdVec<ProcessId, CompiledProcess>,
    /// The slots of each family.
    pub families: IdVec<FamilyId, Vec<ProcessId>>,
    /// All code.
    pub routines: IdVec<RoutineId, Routine>,
    /// The routine of each function.
    pub functions: IdVec<FunctionId, RoutineId>,
    /// What going through all processes counts for.
    pub search_units: u32,
}

/// One channel; an element of a channel array is a channel of its own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Element {
    /// Its declaration.
    pub channel: ChannelId,
    /// Its index there.
    pub index: usize,
    /// How it connects.
    pub kind: ChannelKind,
    /// No delay while a label over it is enabled.
    pub urgent: bool,
    /// Its priority.
    pub priority: i32,
    /// Ranges of the fields of a message.
    pub fields: Vec<Range>,
}

/// A process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CompiledProcess {
    /// System or observer.
    pub role: Role,
    /// Its priority.
    pub priority: i32,
    /// Whether it is an instance slot, absent until started.
    pub dynamic: bool,
    /// Where it starts.
    pub initial: LocationId,
    /// Its locations.
    pub locations: IdVec<LocationId, CompiledLocation>,
    /// Its edges.
    pub edges: IdVec<EdgeId, CompiledEdge>,
    /// The edges leaving each location, in order.
    pub outgoing: IdVec<LocationId, Vec<EdgeId>>,
    /// First slot and initial values of each of its variables, for starting and ending it.
    pub own: Vec<(usize, Vec<i64>)>,
    /// Slot and range of each parameter.
    pub params: Vec<(usize, Range)>,
}

/// A location.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CompiledLocation {
    /// The part of the invariant without clocks; `None` if it is true.
    pub condition: Option<RoutineId>,
    /// The clock constraints of the invariant.
    pub invariant: Vec<Atom>,
    /// Time stands still here.
    pub urgent: bool,
    /// Time stands still here, and the next label must leave such a location.
    pub committed: bool,
    /// Whoever arrives here holds the exclusivity token.
    pub atomic: bool,
}

/// An edge.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CompiledEdge {
    /// From.
    pub source: LocationId,
    /// To.
    pub target: LocationId,
    /// Ranges of its select variables.
    pub selects: Vec<Range>,
    /// The part of the guard without clocks; `None` if it is true.
    pub guard: Option<RoutineId>,
    /// The guard as plain tests, if that is all it is.
    pub tests: Option<Box<[Test]>>,
    /// The clock constraints of the guard.
    pub clock_guard: Vec<Atom>,
    /// With whom.
    pub sync: CompiledSync,
    /// Binding of the received message, then the update; `None` if there is nothing to do.
    pub update: Option<RoutineId>,
    /// The update as plain steps, what is received first, if that is all it is.
    pub steps: Option<Box<[Step]>>,
    /// Whether taking it counts as a step.
    pub costs: bool,
    /// Whether it ends its process.
    pub exits: bool,
    /// What its evaluation counts for, as a part of another.
    pub units: u32,
}

/// `when => left - right op bound`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Atom {
    /// The atom matters only where this is true.
    pub when: Option<RoutineId>,
    /// The clock.
    pub left: ClockId,
    /// The clock subtracted from it.
    pub right: Option<ClockId>,
    /// The comparison.
    pub op: ClockOp,
    /// What it is compared with.
    pub bound: Operand,
    /// Contains every value that the bound can have without being a run-time error; empty if there is none.
    pub interval: Range,
}

impl Atom {
    /// The routines of its condition and of its bound.
    pub fn routines(&self) -> impl Iterator<Item = RoutineId> + use<> {
        let bound = match self.bound {
            Operand::Code(routine) => Some(routine),
            Operand::Const(_) => None,
        };
        self.when.into_iter().chain(bound)
    }
}

/// A number that may have to be computed.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Operand {
    /// A constant.
    Const(i64),
    /// The result of a routine.
    Code(RoutineId),
}

/// What is known beforehand of the channel an edge names.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum ChannelUse {
    /// Always this element.
    Element(usize),
    /// Some element of the declared array.
    Declared(ChannelId),
    /// Whatever a value stands for.
    Value,
}

/// The synchronisation of an edge. The routine yields the channel's value and then the message, or the values of the
/// required fields; `None` if the channel is fixed and there are no values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CompiledSync {
    /// None.
    Internal,
    /// Sends.
    Send {
        /// Over which channel.
        channel: ChannelUse,
        /// Computes channel and message.
        routine: Option<RoutineId>,
        /// The routine reads slots and constants, and does nothing but look whether the channel exists.
        plain: bool,
        /// Number of fields.
        fields: usize,
        /// Sorted insertion.
        sorted: bool,
    },
    /// Receives.
    Receive {
        /// Over which channel.
        channel: ChannelUse,
        /// Computes channel and required values.
        routine: Option<RoutineId>,
        /// As for a sender.
        plain: bool,
        /// For each field, whether a value is required.
        required: Vec<bool>,
        /// Look beyond the first message.
        any: bool,
        /// Leave the message in the buffer.
        keep: bool,
    },
}

impl Program {
    /// The location a process is at; `None` if it does not exist.
    #[inline]
    pub fn location(&self, process: ProcessId, state: &[i64]) -> Option<LocationId> {
        self.layout.location(process, state[self.layout.location[process]])
    }
    /// The edges that leave a process's current location.
    #[inline]
    pub fn outgoing(&self, process: ProcessId, state: &[i64]) -> &[EdgeId] {
        self.location(process, state).map_or(&[], |l| &self.processes[process].outgoing[l])
    }
}

impl CompiledProcess {
    /// Whether time stands still while the process is at a location. Observers do not stop it.
    pub fn stops_time(&self, location: LocationId) -> bool {
        let location = &self.locations[location];
        self.role == Role::System && (location.urgent || location.committed)
    }
}

impl Atom {
    /// The greatest value a clock can be set to or compared with; the least for a comparison is its negation.
    pub const LIMIT: i64 = 1 << 31;
}

impl ChannelUse {
    /// Whether it can be this element.
    pub fn may_name(self, program: &Program, element: usize) -> bool {
        match self {
            ChannelUse::Element(fixed) => fixed == element,
            ChannelUse::Declared(channel) => program.elements[element].channel == channel,
            ChannelUse::Value => true,
        }
    }
    /// Whether both can be one and the same element, of such a kind.
    pub fn may_meet(self, other: ChannelUse, program: &Program, kind: impl Fn(ChannelKind) -> bool) -> bool {
        match (self, other) {
            (ChannelUse::Element(element), any) | (any, ChannelUse::Element(element)) => {
                any.may_name(program, element) && kind(program.elements[element].kind)
            }
            (ChannelUse::Declared(a), ChannelUse::Declared(b)) => a == b && kind(program.channel_kinds[a]),
            (ChannelUse::Declared(channel), ChannelUse::Value)
            | (ChannelUse::Value, ChannelUse::Declared(channel)) => kind(program.channel_kinds[channel]),
            (ChannelUse::Value, ChannelUse::Value) => program.channel_kinds.iter().any(|k| kind(*k)),
        }
    }
    /// The declaration of the channel, if it is known.
    pub fn declaration(self, program: &Program) -> Option<ChannelId> {
        match self {
            ChannelUse::Element(element) => Some(program.elements[element].channel),
            ChannelUse::Declared(channel) => Some(channel),
            ChannelUse::Value => None,
        }
    }
}

impl Program {
    /// Whether a synchronisation may be over a channel with a buffer.
    pub fn buffered(&self, sync: &CompiledSync) -> bool {
        let Some(channel) = sync.channel() else { return false };
        let named = channel.declaration(self);
        let elements = self.elements.iter().zip(&self.layout.queues);
        { elements }.any(|(element, queue)| queue.is_some() && named.is_none_or(|c| c == element.channel))
    }
}

impl CompiledSync {
    /// The channel, if there is one.
    pub fn channel(&self) -> Option<ChannelUse> {
        match self {
            CompiledSync::Internal => None,
            CompiledSync::Send { channel, .. } | CompiledSync::Receive { channel, .. } => Some(*channel),
        }
    }
    /// Whether it receives.
    pub fn receives(&self) -> bool {
        matches!(self, CompiledSync::Receive { .. })
    }
    /// What each field of the message may be that is received; of one over a channel given by a value, nothing is said.
    pub fn message(&self, program: &Program) -> Vec<ValueSet> {
        let element = match self {
            CompiledSync::Receive { channel: ChannelUse::Element(element), .. } => Some(*element),
            CompiledSync::Receive { channel: ChannelUse::Declared(channel), .. } => {
                program.elements.iter().position(|element| element.channel == *channel)
            }
            _ => None,
        };
        let fields = element.map_or(&[][..], |element| &program.elements[element].fields);
        fields.iter().map(|range| ValueSet::range(*range)).collect()
    }
    /// Whether no message has to do with it: none is sent, and none is asked for. What is received may be ignored.
    pub fn is_plain(&self) -> bool {
        match self {
            CompiledSync::Internal => true,
            CompiledSync::Send { fields, .. } => *fields == 0,
            CompiledSync::Receive { required, .. } => required.is_empty(),
        }
    }
}
