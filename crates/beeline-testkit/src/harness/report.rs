//! What a run of the harness found.

use super::{Tally, Trouble};
use crate::feature::{self, Feature};
use beeline_ir::network::Network;
use std::collections::BTreeMap;
use std::fmt;

/// A model on which something is wrong.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Kind of model.
    pub profile: &'static str,
    /// Its seed.
    pub seed: u64,
    /// What is wrong with the model of that seed.
    pub trouble: Trouble,
    /// What is wrong with the shrunk model.
    pub shrunk: Option<Trouble>,
    /// The shrunk model, in text form.
    pub text: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "// profile {}, seed {}", self.profile, self.seed)?;
        writeln!(f, "// {}", self.trouble.to_string().replace('\n', "\n// "))?;
        if let Some(shrunk) = &self.shrunk {
            writeln!(f, "// after shrinking: {}", shrunk.to_string().replace('\n', "\n// "))?;
        }
        f.write_str(&self.text)
    }
}

/// Counts over many models.
#[derive(Clone, Default, Debug)]
pub struct Report {
    /// Models made.
    pub models: u64,
    /// Models too large for the oracle, not compared with anything.
    pub skipped: u64,
    /// Models whose target is reachable.
    pub reachable: u64,
    /// Models by the least length of their target.
    pub lengths: Vec<u64>,
    /// Pairs of discrete state and region that the oracle visited.
    pub states: u64,
    /// Discrete states that the oracle reached.
    pub discrete: u64,
    /// Runs of the engine.
    pub searches: u64,
    /// Those without what can never happen.
    pub reduced: u64,
    /// Traces the kernel replayed.
    pub traces: u64,
    /// Certificates the kernel accepted.
    pub certificates: u64,
    /// Runs that gave no certificate although asked for one.
    pub uncertified: u64,
    /// Rewritten twins compared.
    pub twins: u64,
    /// Models in which some label fails at run time.
    pub failing: u64,
    /// Models that the engine does not support, by what it does not.
    pub refused: BTreeMap<String, u64>,
    /// Models that use each feature.
    pub features: Vec<u64>,
    /// What went wrong.
    pub failures: Vec<Failure>,
}

impl Report {
    pub(super) fn fail(&mut self, failure: Failure) {
        self.models += 1;
        self.failures.push(failure);
    }

    pub(super) fn count(&mut self, network: Option<&Network>, tally: Tally) {
        self.models += 1;
        self.skipped += u64::from(tally.skipped);
        self.reachable += u64::from(tally.length.is_some());
        if let Some(length) = tally.length {
            let length = length as usize;
            self.lengths.resize(self.lengths.len().max(length + 1), 0);
            self.lengths[length] += 1;
        }
        self.states += tally.states as u64;
        self.discrete += tally.discrete as u64;
        self.searches += tally.searches;
        self.reduced += tally.reduced;
        self.traces += tally.traces;
        self.certificates += tally.certificates;
        self.uncertified += tally.uncertified;
        self.twins += tally.twins;
        self.failing += u64::from(tally.fails);
        if let Some(what) = tally.refused {
            *self.refused.entry(what).or_default() += 1;
        }
        self.features.resize(Feature::ALL.len(), 0);
        if let Some(network) = network {
            feature::of(network).iter().for_each(|f| self.features[f as usize] += 1);
        }
    }

    /// Mean least length of the targets that are reachable.
    pub fn mean_length(&self) -> f64 {
        let sum: u64 = self.lengths.iter().zip(0..).map(|(models, length)| models * length).sum();
        sum as f64 / self.reachable.max(1) as f64
    }

    /// Adds the counts of other models.
    pub fn add(&mut self, other: Report) {
        self.models += other.models;
        self.skipped += other.skipped;
        self.reachable += other.reachable;
        self.lengths.resize(self.lengths.len().max(other.lengths.len()), 0);
        self.lengths.iter_mut().zip(&other.lengths).for_each(|(mine, theirs)| *mine += theirs);
        self.states += other.states;
        self.discrete += other.discrete;
        self.searches += other.searches;
        self.reduced += other.reduced;
        self.traces += other.traces;
        self.certificates += other.certificates;
        self.uncertified += other.uncertified;
        self.twins += other.twins;
        self.failing += other.failing;
        for (what, count) in other.refused {
            *self.refused.entry(what).or_default() += count;
        }
        self.features.resize(Feature::ALL.len(), 0);
        self.features.iter_mut().zip(&other.features).for_each(|(mine, theirs)| *mine += theirs);
        self.failures.extend(other.failures);
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let compared = (self.models - self.skipped).max(1);
        let percent = |n: u64| 100.0 * n as f64 / compared as f64;
        writeln!(f, "models        {:>12}   too large {}", self.models, self.skipped)?;
        writeln!(
            f,
            "target        {:>11.1}%   reachable, mean length {:.1}",
            percent(self.reachable),
            self.mean_length()
        )?;
        let lengths: Vec<String> = self.lengths.iter().map(ToString::to_string).collect();
        writeln!(f, "by length     {}", lengths.join(" "))?;
        writeln!(
            f,
            "region states {:>12}   mean {:.0}, discrete states mean {:.0}",
            self.states,
            self.states as f64 / compared as f64,
            self.discrete as f64 / compared as f64
        )?;
        writeln!(
            f,
            "searches      {:>12}   of reduced models {}, rewritten twins {}",
            self.searches, self.reduced, self.twins
        )?;
        writeln!(f, "traces        {:>12}   replayed by the kernel", self.traces)?;
        writeln!(
            f,
            "certificates  {:>12}   accepted by the kernel, {} not given",
            self.certificates, self.uncertified
        )?;
        writeln!(f, "failing labels{:>11.1}%   of the models have some", percent(self.failing))?;
        for (feature, count) in Feature::ALL.iter().zip(&self.features) {
            if *count > 0 {
                writeln!(f, "  {:<36}{count:>10}", feature.name())?;
            }
        }
        for (what, count) in &self.refused {
            writeln!(f, "refused       {count:>12}   {what}")?;
        }
        write!(f, "disagreements {:>12}", self.failures.len())
    }
}
