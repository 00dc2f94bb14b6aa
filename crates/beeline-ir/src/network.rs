//! The network form: processes that take edges, alone or together, over shared variables, clocks and channels.
//!
//! **A label** is one thing the whole network can do. Its first part is its *initiator*.
//! - *internal*: one edge without synchronisation, or one that sends to or receives from a buffered channel;
//! - *pair*: a send and a matching receive over the same rendezvous channel, in two processes;
//! - *broadcast*: a send over a broadcast channel, and in every other process with an enabled receiving edge exactly
//!   one such edge (all choices are different labels); the other processes stay.
//!
//! **Evaluating an edge.** Edges start from the current location of an existing process. For each combination of its
//! select values an edge is evaluated in the source state, by itself, whatever its partners: the guard; if it holds,
//! the channel and the message or the match patterns; then the conditions and bounds of its clock constraints. The
//! edge is enabled at the clock values that meet the constraints. If the evaluation has a run-time error the edge
//! *fails*: it takes part in no label, and is by itself a *failing label*, provided no process is at a committed
//! location or its own process is. A broadcast is not enabled while a receiving edge of another process fails that
//! names the same channel declaration, or a channel by its value.
//!
//! **Which enabled labels may fire.** (1) If some existing process is at a committed location, only labels with a
//! part that leaves one. (2) Of those, a label may fire only if no other one has a strictly higher priority *at the
//! same clock values*. The priority of a label is the pair (priority of its channel, or 0 without synchronisation;
//! greatest priority of its participating processes), compared lexicographically. (3) If a process holds the
//! exclusivity token and some label allowed by (1) and (2) at the same clock values is initiated by it, only labels
//! initiated by it. For (2) and (3) only the evaluation of edges counts, not what firing would lead to.
//!
//! **Firing.** Locations change first, for all parts. Then the updates, part by part (initiator, then receivers
//! in order of processes); a received message is bound just before its receiver's update; a buffered send or
//! receive happens just before its edge's update. Then the invariants of all locations must hold, or there is no
//! successor (this is not an error). A run-time error in an update or an invariant makes the label fail: no
//! successor. The token then belongs to the receiver of a pair, or else the initiator, if its new location is
//! `atomic`; otherwise to nobody. Last, an active observer steps (see [`Role::Observer`]).
//!
//! **Delay** is possible while all invariants hold at every moment, unless some process is at a committed or urgent
//! location, a process holds the token, or a label over an urgent channel is enabled (by guards alone: committed
//! locations, token and priorities do not matter). Edges over urgent channels have no clock constraints.
//!
//! **Start.** All processes outside of families exist, at their initial locations; clocks are 0. If an invariant does
//! not hold there, the network has no behaviour at all.

use crate::expr::{ClockAtom, Expr, Range};
use crate::id::{
    ChannelId, ClockId, EdgeId, EnumId, FamilyId, FunctionId, IdVec, LocationId, ProcessId, VarId,
};
use crate::origin::Origin;
use crate::property::Property;
use crate::stmt::{Block, Function, Local, Receive, Send};

/// A network of processes.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Network {
    /// Its name.
    pub name: String,
    /// The source files origins refer to.
    pub sources: Vec<String>,
    /// Symbolic names for values, for display.
    pub enums: IdVec<EnumId, SymbolTable>,
    /// All variables, global and owned by processes.
    pub vars: IdVec<VarId, Var>,
    /// All clocks.
    pub clocks: IdVec<ClockId, Clock>,
    /// All channels.
    pub channels: IdVec<ChannelId, Channel>,
    /// Functions, each calling only earlier ones.
    pub functions: IdVec<FunctionId, Function>,
    /// All processes, instance slots included, in the order that broadcasts use.
    pub processes: IdVec<ProcessId, Process>,
    /// Families of instance slots.
    pub families: IdVec<FamilyId, Family>,
    /// What is asked of it.
    pub properties: Vec<Property>,
}

/// Names for the values of a variable.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SymbolTable {
    /// Name of the table.
    pub name: String,
    /// Value and name, in ascending order of values.
    pub symbols: Vec<(i64, String)>,
}

/// A bounded integer variable or an array of them.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Var {
    /// Its name, without its owner's.
    pub name: String,
    /// The process it belongs to.
    pub owner: Option<ProcessId>,
    /// The values it can have.
    pub range: Range,
    /// Number of elements, for an array.
    pub len: Option<u32>,
    /// Initial values, one per element.
    pub init: Vec<i64>,
    /// Names for its values.
    pub symbols: Option<EnumId>,
    /// Where it came from.
    pub origin: Option<Origin>,
}

/// A clock.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Clock {
    /// Its name, without its owner's.
    pub name: String,
    /// The process it belongs to.
    pub owner: Option<ProcessId>,
    /// Where it came from.
    pub origin: Option<Origin>,
}

/// How a channel connects.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum ChannelKind {
    /// One sender with one receiver, at the same time.
    Rendezvous,
    /// One sender with all who can receive.
    Broadcast,
    /// A queue of at most `capacity` (at least 1) messages.
    Buffered {
        /// How many messages it holds.
        capacity: u32,
    },
}

/// A channel or an array of channels.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Channel {
    /// Its name.
    pub name: String,
    /// The process it belongs to.
    pub owner: Option<ProcessId>,
    /// Number of elements, for an array.
    pub len: Option<u32>,
    /// How it connects.
    pub kind: ChannelKind,
    /// Ranges of the fields of a message.
    pub fields: Vec<Range>,
    /// Names for the values of the fields, as many as fields.
    pub symbols: Vec<Option<EnumId>>,
    /// No delay while a label over it is enabled.
    pub urgent: bool,
    /// Priority of each element (as many as elements); higher goes first, 0 is that of internal labels.
    pub priority: Vec<i32>,
    /// Where it came from.
    pub origin: Option<Origin>,
}

impl Channel {
    /// Number of elements (1 for a channel that is no array).
    pub fn elements(&self) -> usize {
        self.len.map_or(1, |n| n as usize)
    }
}

/// Whether a process is part of the system or watches it.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Role {
    /// Part of the system.
    System,
    /// Inert, unless the property being checked is about it. Then it steps once in the initial state and once
    /// after every label, in the state that the label led to: it takes one of its enabled edges (each choice is a
    /// successor of its own); if none is enabled the label has no successor. Its edges have no synchronisation,
    /// clocks or variables to write, and no cost.
    Observer,
}

/// An automaton.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Process {
    /// Its name.
    pub name: String,
    /// System or observer.
    pub role: Role,
    /// The family it is a slot of: it does not exist until started.
    pub family: Option<FamilyId>,
    /// Its variables that take the arguments when it is started.
    pub params: Vec<VarId>,
    /// Process priority; higher goes first.
    pub priority: i32,
    /// Its locations; at least one.
    pub locations: IdVec<LocationId, Location>,
    /// Where it starts.
    pub initial: LocationId,
    /// Its edges.
    pub edges: IdVec<EdgeId, Edge>,
    /// Where it came from.
    pub origin: Option<Origin>,
}

/// A location.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Location {
    /// Its name.
    pub name: String,
    /// Locals of the invariant (quantified variables).
    pub frame: Vec<Local>,
    /// The part of the invariant without clocks.
    pub condition: Expr,
    /// The clock constraints of the invariant; all must hold.
    pub invariant: Vec<ClockAtom>,
    /// Time stands still here.
    pub urgent: bool,
    /// Time stands still here, and the next label must leave such a location.
    pub committed: bool,
    /// Whoever arrives here holds the exclusivity token.
    pub atomic: bool,
    /// Where it came from.
    pub origin: Option<Origin>,
}

/// The synchronisation of an edge.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Sync {
    /// None.
    Internal,
    /// Sends.
    Send(Send),
    /// Receives.
    Receive(Receive),
}

/// An edge.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Edge {
    /// From.
    pub source: LocationId,
    /// To.
    pub target: LocationId,
    /// Select variables (the first `selects`, scalars; every combination of their values is a label of its own) and
    /// other locals, which start afresh for each evaluation and for the update.
    pub frame: Vec<Local>,
    /// How many of the frame are select variables.
    pub selects: usize,
    /// The part of the guard without clocks; evaluated first.
    pub guard: Expr,
    /// The clock constraints of the guard; all must hold.
    pub clock_guard: Vec<ClockAtom>,
    /// With whom.
    pub sync: Sync,
    /// What it does.
    pub update: Block,
    /// Whether taking it counts as a step. A label costs 1 if one of its parts does, else 0.
    pub costs: bool,
    /// Where it came from.
    pub origin: Option<Origin>,
}

/// Instance slots that `start` fills, first free slot first. As processes end in reverse order of their creation,
/// the slots in use are always the first ones.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Family {
    /// Its name.
    pub name: String,
    /// Its slots.
    pub slots: Vec<ProcessId>,
}

impl Process {
    /// The edges that leave each location, in order.
    pub fn leaving(&self) -> IdVec<LocationId, Vec<EdgeId>> {
        let mut leaving: IdVec<LocationId, Vec<EdgeId>> = self.locations.iter().map(|_| Vec::new()).collect();
        self.edges.enumerate().for_each(|(id, edge)| leaving[edge.source].push(id));
        leaving
    }
}

impl Network {
    /// The name of a variable, with its owner's.
    pub fn var_name(&self, id: VarId) -> String {
        self.qualified(self.vars[id].owner, &self.vars[id].name)
    }
    /// The name of a clock, with its owner's.
    pub fn clock_name(&self, id: ClockId) -> String {
        self.qualified(self.clocks[id].owner, &self.clocks[id].name)
    }
    /// The name of a channel, with its owner's.
    pub fn channel_name(&self, id: ChannelId) -> String {
        self.qualified(self.channels[id].owner, &self.channels[id].name)
    }
    fn qualified(&self, owner: Option<ProcessId>, name: &str) -> String {
        match owner {
            Some(process) => format!("{}.{}", self.processes[process].name, name),
            None => name.to_string(),
        }
    }
    /// The position of a channel's first element in the list of all channel elements.
    pub fn first_element(&self, id: ChannelId) -> usize {
        self.channels.iter().take(id.index()).map(Channel::elements).sum()
    }
    /// The declared channel and the index within it of a position in the list of all channel elements.
    pub fn element(&self, mut position: usize) -> Option<(ChannelId, usize)> {
        for (id, channel) in self.channels.enumerate() {
            if position < channel.elements() {
                return Some((id, position));
            }
            position -= channel.elements();
        }
        None
    }
}
