//! The front end in the loop: a model printed as source text ([`crate::source`]) and read again must give the answers
//! of the model itself, whatever it looks like.

use super::compare::{self, Tally, Trouble, TroubleKind, levels, wellformed};
use crate::oracle::{self, Answer, Skipped};
use crate::random::Random;
use crate::source::{self, Form, Source};
use beeline_ir::Model;
use beeline_ir::diagnostic::Diagnostic;
use beeline_ir::network::Network;
use beeline_ir::property::{Property, PropertyKind};
use beeline_uppaal::Format;

/// How much larger the oracle's search may be for what was read than for the model itself.
const ROOM: usize = 4;

/// Prints the model, reads it, and compares verdict and least length of every property, the number of reachable
/// discrete states at each cost, and whether something fails at run time. The seed chooses the form of the text. For
/// some models all comparisons between engine, kernel and oracle follow, on the network that was read.
pub fn check(network: &Network, seed: u64, budget: usize) -> Result<Tally, Trouble> {
    wellformed(&Model::Network(network.clone()))?;
    let mut answers = Vec::new();
    for property in &network.properties {
        match oracle::solve(network, property, false, budget) {
            Ok(answer) => answers.push(answer),
            Err(_) => return Ok(Tally { skipped: true, ..Tally::default() }),
        }
    }
    let Some(first) = answers.first() else {
        return Err(Trouble::new(TroubleKind::IllFormed, "no property"));
    };
    let Some(source) = source::print(network, first.fails, seed) else {
        return Ok(Tally { skipped: true, ..Tally::default() });
    };
    let trouble =
        |kind, detail: String| Trouble::new(kind, format!("{detail}\n{}\n{}", source.model, source.queries));
    let read = read(&source).map_err(|detail| trouble(TroubleKind::Source, detail))?;
    if read.properties.len() != answers.len() {
        let detail = format!("{} queries read, {} written", read.properties.len(), answers.len());
        return Err(trouble(TroubleKind::Source, detail));
    }
    for property in &read.properties {
        if let PropertyKind::Refused(refusal) = &property.kind {
            return Err(trouble(TroubleKind::Source, format!("{:?}: {}", property.text, refusal.reason)));
        }
    }
    wellformed(&Model::Network(read.clone())).map_err(|t| trouble(t.kind, t.detail))?;
    let mut tally = Tally { length: first.length, states: first.states, ..Tally::default() };
    tally.discrete = first.reachable.len();
    tally.fails = first.fails;
    for (number, (property, expected)) in read.properties.iter().zip(&answers).enumerate() {
        same(&read, property, expected, budget * ROOM)
            .map_err(|t| trouble(t.kind, format!("query {number}: {}", t.detail)))?;
        tally.twins += 1;
    }
    if Random::new(!seed).chance(20) {
        let full = compare::check(&read, seed, budget * ROOM).map_err(|t| trouble(t.kind, t.detail))?;
        tally.searches = full.searches;
        tally.traces = full.traces;
        tally.certificates = full.certificates;
        tally.uncertified = full.uncertified;
    }
    Ok(tally)
}

fn read(source: &Source) -> Result<Network, String> {
    let format = match source.form {
        Form::Xml => Format::Xml,
        Form::Xta => Format::Xta,
    };
    let reading = beeline_uppaal::read(&source.model, "model", format).map_err(|all| messages(&all))?;
    let mut network = reading.network;
    if source.form == Form::Xta {
        network.properties = reading.symbols.queries(&network, &source.queries);
    }
    Ok(network)
}

fn messages(all: &[Diagnostic]) -> String {
    let all: Vec<String> = all.iter().map(|d| format!("{} {} {:?}", d.code, d.message, d.span)).collect();
    all.join("\n")
}

/// Compares the oracle's answers.
fn same(network: &Network, property: &Property, expected: &Answer, budget: usize) -> Result<(), Trouble> {
    let found = match oracle::solve(network, property, false, budget) {
        Ok(found) => found,
        // Where bounds go through functions, declared ranges say less.
        Err(Skipped::UnboundedConstant) => return Ok(()),
        Err(Skipped::TooLarge) => {
            return Err(Trouble::new(TroubleKind::Reachable, "much larger than the model that was printed"));
        }
    };
    if found.length != expected.length {
        let detail = format!("length {:?} instead of {:?}", found.length, expected.length);
        let verdict = found.length.is_some() != expected.length.is_some();
        return Err(Trouble::new(if verdict { TroubleKind::Verdict } else { TroubleKind::Length }, detail));
    }
    let (found_levels, expected_levels) = (levels(&found.reachable), levels(&expected.reachable));
    if found_levels != expected_levels {
        let detail = format!("states per level {found_levels:?} instead of {expected_levels:?}");
        return Err(Trouble::new(TroubleKind::Reachable, detail));
    }
    if found.fails != expected.fails {
        let detail = format!("some label fails: {} instead of {}", found.fails, expected.fails);
        return Err(Trouble::new(TroubleKind::Warning, detail));
    }
    Ok(())
}
