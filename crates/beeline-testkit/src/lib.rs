//! The test kit: random models, oracles, meaning-preserving rewrites, a shrinker, and the harness that sets
//! engines and the kernel against each other.
//!
//! A checker is trusted because something independent looked at a very large number of its answers. Here a seeded
//! [`generate`](generate::generate)d model goes to every search of the engine and to an oracle that knows nothing
//! of zones, packing or bytecode; verdicts, shortest lengths and whole sets of reachable states must agree, every
//! trace must replay and every certificate must be accepted. What fails is shrunk and reported with its seed.

pub mod feature;
pub mod generate;
pub mod harness;
pub mod interval;
pub mod oracle;
pub mod random;
pub mod rewrite;
pub mod shrink;
pub mod source;
pub mod walk;
