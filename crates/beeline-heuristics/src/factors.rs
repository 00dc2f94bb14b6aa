//! Factors: a network as a product of small transition systems that share their labels. Merge-and-shrink makes few of many;
//! cost partitioning adds up distances of several products. Clocks are left out, so all distances are lower bounds.
//!
//! Helmert, Haslum, Hoffmann and Nissim, "Merge-and-shrink abstraction: a method for generating lower bounds in factored
//! state spaces", Journal of the ACM 61(3), 2014.
//!
//! Reading order: `factor`, `atomic`, `product`, `table`, `proof`; `operators`.

mod atomic;
mod factor;
mod operators;
mod product;
mod proof;
mod table;
#[cfg(test)]
pub(crate) mod testing;

pub use atomic::Start;
pub(crate) use atomic::{Atomic, Source};
pub(crate) use factor::{Factor, Labels, Neighbours, State, Transition, live};
pub(crate) use operators::{Facts, Operator, Part, Ways, bits};
pub(crate) use product::{product, product_size};
pub(crate) use proof::Grounds;
pub(crate) use table::{Node, Tables};
