//! Tests of the parser, from text to syntax tree.

mod errors;
mod grammar;
mod models;
mod query;
mod shown;
mod xml;
