//! The model, its text form, traces and certificates: what every part of Beeline speaks.
//!
//! A front end lowers a source language to a [`Model`]; engines and the trusted kernel read nothing else. The
//! meaning of every construct is written at its definition here and in `docs/semantics.md`; the kernel
//! (`beeline-check`) is the executable form of that meaning.
//!
//! Reading order: [`expr`], [`stmt`], [`network`], [`relation`], [`property`], then [`layout`] (how a discrete
//! state is written down), [`trace`] and [`certificate`] (what an engine hands to the kernel).

pub mod certificate;
pub mod diagnostic;
pub mod encode;
pub mod expr;
mod hash;
pub mod id;
pub mod layout;
pub mod limits;
pub mod model;
pub mod network;
pub mod origin;
pub mod outcome;
pub mod property;
pub mod relation;
pub mod stmt;
pub mod text;
pub mod trace;
pub mod visit;
pub mod wellformed;
pub mod work;

pub use id::{
    ChannelId, ClockId, EdgeId, EnumId, FamilyId, FunctionId, IdVec, LocalId, LocationId, ProcessId, VarId,
};
pub use model::{Model, ModelHash};
