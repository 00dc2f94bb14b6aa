//! Zones of timed automata: difference bound matrices, extrapolation, simulation, federations.
//!
//! A *zone* is a set of clock valuations described by constraints `x_i - x_j ≺ c`. It is kept as a
//! *difference bound matrix* (DBM): entry `(i, j)` bounds `x_i - x_j`. Clock 0 is the reference clock, whose
//! value is always 0, so `(i, 0)` is the upper bound of clock `i` and `(0, i)` the negated lower bound. The
//! *dimension* of a zone counts the reference clock: `n` clocks make dimension `n + 1`, and the clocks are
//! numbered `1..dimension`.
//!
//! The crate knows nothing of models, allocates only where the signature shows a [`Dbm`] or a `Vec`, and
//! keeps four invariants, which the test suite checks against sets of points:
//!
//! - **Canonical.** Every operation takes and leaves a matrix whose entries are the tightest implied bounds.
//!   Inclusion, emptiness and minimal form read single entries and rely on it.
//! - **Nonnegative.** `x_i >= 0` holds in every zone; entry `(0, i)` is never above `<= 0`.
//! - **Nonempty.** An operation that may empty a zone says so by returning `bool` or `Option`; the matrix it
//!   leaves then is only good for being overwritten (see [`ops::is_empty`]).
//! - **Exact.** No stored bound ever wraps: [`max_constant`] says why it cannot happen, and what catches it if
//!   the caller's constants break the contract.
//!
//! Deliberately absent: any notion of location, guard or transition, priced or probabilistic zones, and
//! diagonal-aware extrapolation (the operators of [`extrapolate`] are sound for diagonal-free automata only).
//!
//! ```
//! use beeline_zones::{Bound, Dbm, LuBounds};
//!
//! // Two clocks. Start at zero, let time pass, take an edge guarded by x >= 3 that resets y.
//! let mut zone = Dbm::zero(3);
//! zone.up();
//! assert!(zone.constrain(0, 1, Bound::le(-3)));
//! zone.reset(2, 0);
//! zone.up();
//! assert_eq!(zone.text(&["x", "y"]), "x-y>=3");
//!
//! // If nothing ever compares x above 2 nor y at all, the difference does not matter.
//! let mut bounds = LuBounds::none(3);
//! bounds.raise_both(1, 2);
//! zone.extra_lu_plus(&bounds);
//! assert_eq!(zone.text(&["x", "y"]), "x>2");
//! ```

mod bound;
mod clock_bounds;
mod dbm;
mod federation;
mod minimal;
mod text;
mod transfer;

pub mod extrapolate;
pub mod fault;
pub mod ops;
pub mod simulation;

pub use bound::{Bound, Constraint, MAX_CONSTANT, max_constant};
pub use clock_bounds::{ClockBound, LuBounds};
pub use dbm::Dbm;
pub use federation::{Federation, subtract};
pub use minimal::{from_constraints, minimal};
pub use ops::ZoneRelation;
pub use transfer::{Source, transfer};
