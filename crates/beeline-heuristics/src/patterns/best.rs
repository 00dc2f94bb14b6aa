//! The greatest of the estimates of several pattern databases. What each of them proves is a proof for all of them.

use crate::pattern_database::PatternDatabase;
use beeline_engine::heuristic::{Estimate, Heuristic, Properties, Route, TableSize, ZoneView};
use beeline_engine::walk::Sample;
use beeline_ir::certificate::Row;

/// One or more pattern databases.
#[derive(Debug)]
pub struct Best {
    databases: Vec<PatternDatabase>,
}

impl Best {
    /// A single one.
    pub fn new(first: PatternDatabase) -> Self {
        Self { databases: vec![first] }
    }

    /// All of them.
    pub fn databases(&self) -> &[PatternDatabase] {
        &self.databases
    }

    /// Adds one if it knows more than the others of one of the samples.
    pub fn add(&mut self, mut database: PatternDatabase, samples: &[Sample]) {
        let raises = |at: &Sample| {
            let zone = at.zone.view();
            database.estimate_in(&at.slots, &zone) > self.estimate_in(&at.slots, &zone)
        };
        if samples.iter().any(raises) {
            self.databases.push(database);
        }
    }
}

impl Heuristic for Best {
    fn properties(&self) -> Properties {
        let of = |test: fn(&Properties) -> bool| {
            self.databases.iter().map(Heuristic::properties).any(|p| test(&p))
        };
        let (zone_dependent, inconsistent) = (of(|p| p.zone_dependent), of(|p| !p.consistent));
        Properties { zone_dependent, consistent: !inconsistent, ..Properties::LOWER_BOUND }
    }

    fn estimate(&mut self, slots: &[i64]) -> Estimate {
        let all = self.databases.iter_mut().map(|database| database.estimate(slots));
        all.max().unwrap_or(Estimate::ZERO)
    }

    fn estimate_in(&mut self, slots: &[i64], zone: &ZoneView<'_>) -> Estimate {
        let all = self.databases.iter_mut().map(|database| database.estimate_in(slots, zone));
        all.max().unwrap_or(Estimate::ZERO)
    }

    fn reads_dead_variables(&self) -> bool {
        true
    }

    fn route(&self) -> Option<&Route> {
        self.databases.iter().find_map(Heuristic::route)
    }

    fn rows(&self, length: Option<u32>, most: usize) -> Option<Vec<Row>> {
        let mut rows = Vec::new();
        for database in &self.databases {
            rows.extend(database.rows(length, most.checked_sub(rows.len())?)?);
        }
        Some(rows)
    }

    fn estimate_by_rows(&mut self, slots: &[i64], zone: &ZoneView<'_>) -> Estimate {
        let all = self.databases.iter_mut().map(|database| database.estimate_by_rows(slots, zone));
        all.max().unwrap_or(Estimate::ZERO)
    }

    fn tables(&self) -> Vec<TableSize> {
        self.databases.iter().flat_map(Heuristic::tables).collect()
    }

    fn remark(&self) -> Option<String> {
        let remarks: Vec<String> = self.databases.iter().filter_map(Heuristic::remark).collect();
        Some(remarks.join(", or "))
    }

    fn bytes(&self) -> u64 {
        self.databases.iter().map(Heuristic::bytes).sum()
    }
}
