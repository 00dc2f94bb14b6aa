//! The trusted kernel: a plain interpreter, trace replay and certificate check. Small, slow and obvious; it knows the
//! model and nothing of any engine.
//!
//! Reading order:
//! - `cells`, `clock`: what is known of a state; constraints on clocks. `frame`, `context`: locals, declarations.
//! - `value`, `exec`, `queue`, `edge`: expressions, statements, buffers, one edge by itself.
//! - `labels`, `rules`, `fire`: which labels are enabled, which of them may fire, what firing does. All three
//!   speak of cells and clock constraints, so they serve concrete states and rows alike; `fork` is how they tell
//!   them apart.
//! - `line`, `concrete`, `replay`: concrete states with rational clocks, and traces.
//! - `zone`, `row`, `cover`, `certificate`: sets of states, and certificates.
//! - `relation`, `relation_row`: the other form of a model. `checked`: the mint of verdicts.
//!
//! Models are taken to be well-formed (`beeline_ir::wellformed`); traces and certificates are not trusted in any way.

mod cells;
mod certificate;
mod checked;
mod clock;
mod concrete;
mod context;
mod cover;
mod edge;
mod exec;
mod fire;
mod fork;
mod frame;
mod labels;
mod line;
mod queue;
mod relation;
mod relation_row;
mod replay;
mod row;
#[cfg(test)]
mod row_test;
mod rules;
mod value;
mod zone;
#[cfg(test)]
mod zone_test;

pub use beeline_ir::outcome::{Certify, Grade, Shortest, Verdict};
pub use certificate::{Accepted, NotAccepted, check_certificate};
pub use checked::{AUTO_BUDGET, Checked, InternalError, check};
pub use concrete::{Firing, Kernel, State};
pub use relation::RelationKernel;
pub use replay::{Passed, ReplayError, Replayed, replay, replay_within};
