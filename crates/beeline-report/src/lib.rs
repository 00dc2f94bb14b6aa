//! Verdicts and traces for people and machines: text, JSON, ITF, DOT.
//!
//! Everything here turns values into strings; nothing prints, and nothing decides. An [`answer::Answer`] is made from
//! what the kernel has checked, a [`story::Story`] from what it has replayed; the other modules show them.

pub mod answer;
pub mod diagnostics;
pub mod dot;
pub mod itf;
pub mod json;
pub mod story;
pub mod summary;
pub mod text;
pub mod trace_json;
pub mod view;
pub mod words;
