//! What guides a search: databases are made for the patterns asked for, one after the other, each within its allowance. An
//! abstract system without a way from the initial states to the targets is a proof, and a way that the system itself
//! has is a shortest run; then nothing is left to search.

use crate::bdd::{Allowance, Bdd, Made};
use crate::database::{Database, View};
use crate::guided::Guided;
use crate::refine::{Refined, Refinement};
use crate::search::End;
use crate::system::System;
use crate::{Options, Pattern};
use crate::{cone, invariants};
use beeline_ir::limits::StopReason;
use beeline_ir::relation::Relation;
use std::time::Instant;

/// Nodes for the first turn of refinement, and of search.
const FIRST_TURN: u64 = 500_000;

/// What was made of a pattern.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DatabaseReport {
    /// The variables it sees.
    pub seen: Vec<String>,
    /// How many variables states have.
    pub variables: usize,
    /// Its layers.
    pub layers: usize,
    /// Nodes of the diagrams of all layers.
    pub nodes: u64,
    /// Whether there are no further layers.
    pub complete: bool,
    /// How many databases were made on the way, by refinement.
    pub rounds: u32,
}

/// A guided search, databases included.
pub(crate) struct Guidance {
    pub reports: Vec<DatabaseReport>,
    /// The estimate for the initial states; `None` if it is infinite.
    pub h_initial: Option<u32>,
    pub images: u64,
    pub lower_bound: u32,
}

impl Default for Guidance {
    fn default() -> Self {
        Self { reports: Vec::new(), h_initial: Some(0), images: 0, lower_bound: 0 }
    }
}

impl Guidance {
    /// Searches; says how many seconds the databases took.
    pub fn search(&mut self, system: &System, relation: &Relation, options: &Options) -> (Made<End>, f64) {
        let start = Instant::now();
        if system.b.is_no(&system.init) {
            return (Ok(End::Closed(system.b.no())), 0.0);
        }
        if options.patterns.is_empty() {
            return (self.by_turns(system, relation, options), 0.0);
        }
        let made = self.databases(system, relation, options);
        let seconds = start.elapsed().as_secs_f64();
        let end = made.and_then(|made| match made {
            Ok(databases) => self.guided(system, &databases),
            Err(end) => Ok(end),
        });
        (end, seconds)
    }
    /// Refines and, by turns, searches with the best database there is, each with ever more nodes, until those for the
    /// database are used up.
    fn by_turns(&mut self, system: &System, relation: &Relation, options: &Options) -> Made<End> {
        let b = &system.b;
        let start = Instant::now();
        let (mut turn, mut used, mut counted) = (FIRST_TURN.min(options.database_nodes), 0, 0);
        let allow = |turn: u64| {
            let until = options.database_time.and_then(|time| start.checked_add(time));
            b.allow(Allowance { nodes: Some(b.made().saturating_add(turn)), until })
        };
        allow(options.database_nodes);
        let known = invariants::find(system, relation);
        let mut refinement = Refinement::new(system, known?);
        loop {
            allow(turn);
            used += turn;
            let refined = refinement.run();
            self.images += refinement.images - counted;
            counted = refinement.images;
            self.lower_bound = self.lower_bound.max(refinement.lower_bound);
            let refined = unless_used_up(refined)?;
            let last = used >= options.database_nodes
                || matches!(refined, Some(Refined::Open))
                || options.database_time.is_some_and(|time| start.elapsed() >= time);
            match refined {
                None | Some(Refined::Open) => {}
                Some(refined) => {
                    b.allow(Allowance::default());
                    return self.take(system, relation, refined, refinement);
                }
            }
            if last {
                break;
            }
            let rounds = refinement.rounds;
            if let Some(database) = refinement.best() {
                allow(turn);
                let images = database.fill(system)?;
                allow(turn);
                let end = self.guided(system, std::slice::from_ref(database));
                self.images += images;
                if let Some(end) = unless_used_up(end)? {
                    b.allow(Allowance::default());
                    self.reports.push(report(system, relation, database, rounds));
                    return Ok(end);
                }
            }
            turn = turn.saturating_mul(2);
        }
        let rounds = refinement.rounds;
        let mut databases: Vec<Database> = refinement.into_database().into_iter().collect();
        for database in &mut databases {
            allow(turn);
            self.images += database.fill(system)?;
            self.reports.push(report(system, relation, database, rounds));
        }
        b.allow(Allowance::default());
        self.guided(system, &databases)
    }
    /// Searches with databases.
    fn guided(&mut self, system: &System, databases: &[Database]) -> Made<End> {
        let mut guided = Guided::new(system, databases);
        let end = guided.start().and_then(|h_initial| {
            self.h_initial = h_initial;
            guided.run()
        });
        self.images += guided.images;
        self.lower_bound = self.lower_bound.max(guided.lower_bound());
        end
    }
    /// The databases, or an answer that was found while they were made.
    fn databases(
        &mut self,
        system: &System,
        relation: &Relation,
        options: &Options,
    ) -> Made<Result<Vec<Database>, End>> {
        allow(system, options);
        let known = invariants::find(system, relation);
        system.b.allow(Allowance::default());
        let known = known?;
        let mut databases = Vec::new();
        for pattern in &options.patterns {
            let (end, database, rounds) = self.database(system, pattern, &known, options)?;
            if let Some(database) = database {
                self.reports.push(report(system, relation, &database, rounds));
                databases.push(database);
            }
            if let Some(end) = end {
                return Ok(Err(end));
            }
        }
        Ok(Ok(databases))
    }
    /// The database of a pattern, an answer, or both; and after how many rounds of refinement.
    fn database(
        &mut self,
        system: &System,
        pattern: &Pattern,
        known: &[Bdd],
        options: &Options,
    ) -> Made<(Option<End>, Option<Database>, u32)> {
        allow(system, options);
        let made = match pattern {
            Pattern::Refined => {
                let mut refinement = Refinement::new(system, known.to_vec());
                let end = refinement.run();
                self.images += refinement.images;
                self.lower_bound = self.lower_bound.max(refinement.lower_bound);
                let rounds = refinement.rounds;
                unless_used_up(end).map(|end| (end, refinement.into_database(), rounds))
            }
            Pattern::Depth(depth) => {
                let depths = cone::depths(system);
                let view = View::new(system, cone::within(&depths, *depth));
                unless_used_up(Database::new(system, view, known)).map(|database| (None, database, 0))
            }
            Pattern::Hiding(hidden) => {
                let view = View::new(system, |var| !hidden.contains(&var));
                unless_used_up(Database::new(system, view, known)).map(|database| (None, database, 0))
            }
        };
        // Refinement may have used up everything to find out which variables count.
        allow(system, options);
        let made = made.and_then(|(refined, mut database, rounds)| {
            if let (None | Some(Refined::Open), Some(database)) = (&refined, &mut database) {
                self.images += database.fill(system)?;
            }
            Ok((refined, database, rounds))
        });
        system.b.allow(Allowance::default());
        let (refined, database, rounds) = made?;
        let end = refined.map(|refined| self.end(system, refined, database.as_ref())).transpose()?.flatten();
        Ok((end, database, rounds))
    }
    /// The answer of a refinement that has one, with its database.
    pub fn take(
        &mut self,
        system: &System,
        relation: &Relation,
        refined: Refined,
        refinement: Refinement<'_>,
    ) -> Made<End> {
        let rounds = refinement.rounds;
        let database = refinement.into_database();
        self.reports.extend(database.iter().map(|database| report(system, relation, database, rounds)));
        self.end(system, refined, database.as_ref())?.ok_or(StopReason::Work)
    }
    /// The answer that a refinement has given.
    fn end(&mut self, system: &System, refined: Refined, database: Option<&Database>) -> Made<Option<End>> {
        let steps = database.map_or(0, |database| database.layers.len() as u32 - 1);
        Ok(match refined {
            Refined::Closed(set) => {
                self.h_initial = None;
                Some(End::Closed(set))
            }
            Refined::Found(run) => {
                (self.h_initial, self.lower_bound) = (Some(steps), steps);
                let levels = database.map(|database| database.levels(steps, system)).transpose()?;
                Some(End::Found(run, levels))
            }
            Refined::Open => None,
        })
    }
}

/// From here on, as much as a database may use up.
fn allow(system: &System, options: &Options) {
    let nodes = Some(system.b.made().saturating_add(options.database_nodes));
    let until = options.database_time.and_then(|time| Instant::now().checked_add(time));
    system.b.allow(Allowance { nodes, until });
}

/// Something made, or nothing if the allowance was used up.
fn unless_used_up<T>(made: Made<T>) -> Made<Option<T>> {
    match made {
        Err(StopReason::Work) => Ok(None),
        made => made.map(Some),
    }
}

fn report(system: &System, relation: &Relation, database: &Database, rounds: u32) -> DatabaseReport {
    DatabaseReport {
        seen: database.view.seen.iter().map(|var| relation.vars[*var].name.clone()).collect(),
        variables: system.encoding.stored().count(),
        layers: database.layers.len(),
        nodes: database.layers.iter().map(|layer| system.b.size(layer) as u64).sum(),
        complete: database.complete,
        rounds,
    }
}
