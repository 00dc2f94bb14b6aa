//! Models compiled for engines: bytecode with structured control flow, a concrete interpreter, label schemas and
//! static analyses.
//!
//! [`Program::compile`] turns a [`Network`](beeline_ir::network::Network) into tables of [`Routine`]s, one for each
//! guard, synchronisation, bound and update. A [`Machine`] runs them on concrete states; other interpreters
//! ([value sets](values), decision diagrams) run the same code, so that no guard is ever interpreted from anything
//! else. What the code must do is written in the documentation of `beeline-ir`.
//!
//! Reading order: [`bytecode`], [`program`], [`machine`], [`edge`] and its [`shortcut`]s; then the analyses [`intervals`],
//! [`held`], [`constants`], [`ranges`], [`clock_flow`], [`clock_bounds`], [`liveness`] and [`schema`].

pub mod anew;
pub mod arithmetic;
pub mod bytecode;
pub mod choice;
pub mod clock_bounds;
pub mod clock_flow;
mod compile;
pub mod constants;
pub mod edge;
mod enabled;
pub mod factored;
pub mod held;
pub mod intervals;
pub mod liveness;
pub mod machine;
pub mod predicate;
mod process;
pub mod program;
mod queue;
pub mod ranges;
pub mod rewrite;
pub mod schema;
pub mod shortcut;
pub mod slots;
pub mod sum;
pub mod values;

pub use bytecode::{Op, Reg, Routine, RoutineId, Source};
pub use clock_bounds::{ClockBounds, Diagonal};
pub use edge::{ClockEffect, ConcreteAtom, Effects, Evaluated, FirePart};
pub use machine::Machine;
pub use predicate::{Predicate, PredicateTooLarge};
pub use program::{
    Atom, ChannelUse, CompiledEdge, CompiledLocation, CompiledProcess, CompiledSync, Element, Operand,
    Program,
};
pub use slots::SlotSet;
