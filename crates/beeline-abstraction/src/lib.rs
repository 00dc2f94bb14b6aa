//! Abstractions of networks, and how what is found in them becomes an answer about the network itself.
//!
//! - the *reduction*: edges that can never be taken are switched off, and variables have no other range than that of
//!   the values they can get. Lengths are exact.
//!
//! The others are from M. Wehrle and M. Helmert, "The Causal Graph Revisited for Directed Model Checking", SAS 2009:
//! - the *cone of influence*: a factor with no say in what is asked need not be searched. Lengths are exact;
//! - *safe abstraction*: a factor that can take any of its values at any time, whatever the others do, need not be
//!   searched. What a run needs of it is put in afterwards.
//!
//! A *projection* is the network as seen by some of its automata, integers and clocks. Lengths are never too large.
//! Nor are they with *digital* clocks, which count whole units of time.
//!
//! A relation whose next states are assignments is a network, too: a *functional* one.
//!
//! Reading order: [`factor`] (what can be removed), [`view`] (which labels affect and restrict what), [`graph`]
//! (how a factor moves by itself), [`target`] (what the property asks of it), [`safe`] (when it may be removed),
//! `remove` (what is left then), [`abstraction`] (the cascade, and the way back); [`cone`]; `possible` (what can happen
//! at all) and [`reduction`]; [`passage`] is the way back where labels stay what they are.
//! [`projection`] stands by itself, and so do [`digitise`] and [`functional`].

pub mod abstraction;
pub mod cone;
pub mod digitise;
pub mod factor;
pub mod functional;
pub mod graph;
pub mod passage;
mod possible;
pub mod projection;
pub mod reduction;
mod remove;
pub mod safe;
mod substitute;
pub mod target;
pub mod view;

pub use abstraction::{Concretised, SafeAbstraction, Unfit, safe_at_once, safe_factors};
pub use cone::Cone;
pub use digitise::Digital;
pub use factor::Factor;
pub use functional::{Functional, NotFunctional};
pub use passage::Exact;
pub use projection::{Classes, Joint, Pattern, Projection, Unprojectable};
pub use reduction::Reduction;
