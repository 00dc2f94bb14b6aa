//! Beeline, a directed model checker: the facade library. The command line is built on it.
//!
//! [`load()`] reads a model, [`verify()`] checks a property: an engine searches, then the trusted kernel replays
//! the trace or checks the proof. What comes back has passed the kernel, or says that it has not and why.
//!
//! ```
//! use beeline::{Settings, load, verify};
//! use beeline_check::{Shortest, Verdict};
//! use beeline_ir::limits::Limits;
//! # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/fischer-bug.beeline");
//!
//! let model = load(path.as_ref()).expect("a model").model;
//! let mutex = &model.properties()[0];
//! let checked = verify(&model, mutex, &Settings::default(), &Limits::default(), &mut |_| {}).expect("an answer").checked;
//! assert_eq!(checked.verdict(), Verdict::Violated);
//! assert_eq!(checked.shortest(), Some(Shortest::Certified));
//! assert_eq!(checked.replayed().map(|r| r.length), Some(6));
//! ```

pub mod auto;
pub mod improve;
pub mod load;
pub mod options;
pub mod presets;
pub mod properties;
pub mod settings;
pub mod spdb;
pub mod symmetry;
mod syntax;
pub mod verify;

pub use load::{LoadError, Loaded, PromelaWishes, load, load_matching, load_with};
pub use settings::{Engine, Mode, Settings};
pub use verify::{Failure, Verified, verify};
