//! Promela models: every property that one is asked for, by every search, with steps counted either way, and by the
//! symbolic engine; the kernel knows the right answers.

use super::compare::{self, Tally, Trouble, TroubleKind};
use super::{promises, symbolic};
use crate::generate::clones;
use crate::random::Random;
use beeline_ir::diagnostic::Diagnostic;
use beeline_ir::network::Network;
use beeline_ir::property::PropertyKind;
use beeline_promela::{Length, ReadOptions};

/// Processes of one type that may exist at once.
const SLOTS: usize = 4;

/// One in so many models is given to the symbolic engine, too, which takes as long for it as all searches for the others.
const SYMBOLIC: u64 = 16;

/// Kernel steps that a certificate may take: where a byte of a message may be any, there are many parts of a row.
const CERTIFICATE_STEPS: u64 = 60_000;

/// The network of a text.
pub fn network(text: &str, length: Length) -> Result<Network, Trouble> {
    let wrong = |all: Vec<_>| Trouble::new(TroubleKind::Source, format!("{all:?}"));
    read(text, length).map_err(wrong)
}

/// Whether a text has an escape from a rendezvous that is refused by name (U0909; E0328 where partners wait for each
/// other's escapes), and nothing else is wrong with it.
pub fn is_refused(text: &str) -> bool {
    let refused = |all: Vec<Diagnostic>| all.iter().all(|wrong| ["U0909", "E0328"].contains(&wrong.code));
    read(text, Length::Statements).is_err_and(refused)
}

fn read(text: &str, length: Length) -> Result<Network, Vec<Diagnostic>> {
    let none = |_: &str| Err("nothing is included".to_string());
    let options = ReadOptions { file: "random.pml", include: &none, slots: SLOTS, length };
    beeline_promela::read(text, options).map(|reading| reading.network)
}

/// A model with one of its properties, as the seed chooses.
fn chosen(text: &str, seed: u64) -> Result<Network, Trouble> {
    let length = if seed.is_multiple_of(3) { Length::Spin } else { Length::Statements };
    let mut network = network(text, length)?;
    network.properties.retain(|property| !matches!(property.kind, PropertyKind::Refused(_)));
    let count = network.properties.len().max(1);
    let chosen = (seed / 3) as usize % count;
    if chosen < network.properties.len() {
        network.properties.swap(0, chosen);
    }
    Ok(network)
}

/// Holds heuristics to their promises on one model: those of these names, or all.
pub fn check_heuristics(text: &str, seed: u64, budget: usize, only: &[String]) -> Result<Tally, Trouble> {
    promises::check_some(&chosen(text, seed)?, seed, budget, only)
}

/// Compares all searches on one model. The seed chooses a property, the options, and how steps are counted; and, together
/// with another number if there is one, copies of a process.
pub fn check(text: &str, seed: u64, budget: usize, clones: Option<u64>) -> Result<Tally, Trouble> {
    let mut network = chosen(text, seed)?;
    if let Some(other) = clones {
        clones::add(&mut network, &mut Random::new(seed ^ other));
    }
    let observed = network.properties.iter().any(|p| p.observer().is_some());
    let tally = compare::check_within(&network, seed, budget, Some(CERTIFICATE_STEPS))?;
    if seed.is_multiple_of(SYMBOLIC) && !observed && !tally.skipped {
        // With bytes everywhere, the memory of the harness is often too small for a second pass.
        symbolic::check(&network, seed, budget).map(drop).or_else(|trouble| match trouble.kind {
            TroubleKind::Certificate => Ok(()),
            _ => Err(trouble),
        })?;
    }
    Ok(tally)
}
