//! All tests of the crate in one executable: many would take minutes to link.

mod bytecode;
mod cone;
mod conformance;
mod fixed_seeds;
mod oracle;
mod projection;
mod promela;
mod promises;
mod reduction;
mod reductions;
mod regress;
mod rewrite;
mod safe;
mod seeded_bugs;
mod shrink;
mod smv;
mod source;
mod spin;
mod symbolic;
mod text;
mod values;
