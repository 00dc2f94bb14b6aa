//! What guides a search: databases are made for the patterns asked for, one after the other, each within its allowance. An
//! abstract system without a way from the initial states to the targets is a proof, and a way that the system itself
//! has is a shortest run; then nothing is left to search.

use crate::bdd::{Allowance, Bdd, Made};
use crate::cone::{self, Deciders};
use crate::database::{Database, Layers, View};
use crate::guided::Guided;
use crate::invariants::{self, Known};
use crate::nearest::{Answer, Nearest};
use crate::parts::Part;
use crate::refine::{Refined, Refinement};
use crate::search::End;
use crate::system::System;
use crate::{Options, Pattern};
use beeline_ir::limits::StopReason;
use beeline_ir::relation::Relation;
use std::rc::Rc;
use std::time::Instant;

/// Nodes for the first turn of refinement.
const FIRST_TURN: u64 = 500_000;

/// The share of search in the nodes of a turn.
const SEARCH_SHARE: u64 = 4;

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
    /// Of how many parts of the target it has one; each has its own.
    pub parts: usize,
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
    /// Refines and, by turns, searches with the layers there are, each with ever more nodes, until those for databases are
    /// used up.
    fn by_turns(&mut self, system: &System, relation: &Relation, options: &Options) -> Made<End> {
        let b = &system.b;
        let start = Instant::now();
        let until = options.database_time.and_then(|time| start.checked_add(time));
        let allow = |nodes: u64| b.allow(Allowance { nodes: Some(b.made().saturating_add(nodes)), until });
        allow(options.database_nodes);
        let known = invariants::find(system, relation);
        b.allow(Allowance::default());
        let known = Rc::new(Known::new(known?, system)?);
        let mut nearest = Nearest::new(system, relation, &known)?;
        let (mut turn, mut used) = (FIRST_TURN.min(options.database_nodes), 0);
        loop {
            allow(turn);
            used += turn;
            let before = nearest.images();
            let answer = nearest.run();
            self.images += nearest.images() - before;
            self.lower_bound = self.lower_bound.max(nearest.lower_bound());
            let answer = unless_used_up(answer)?;
            let last = used >= options.database_nodes.saturating_mul(nearest.parts() as u64)
                || matches!(answer, Some(Answer::Open))
                || options.database_time.is_some_and(|time| start.elapsed() >= time);
            if let Some(answer) = answer
                && let Some(end) = self.take(system, relation, answer, &nearest, options)?
            {
                return Ok(end);
            }
            if last {
                break;
            }
            // Around several parts, layers are too many to be worth it before the end.
            if nearest.parts() == 1 {
                allow(turn / SEARCH_SHARE);
                let end = self.guided_by(&nearest, system);
                b.allow(Allowance::default());
                if let Some(end) = unless_used_up(end)? {
                    self.report_widest(system, relation, &nearest)?;
                    return nearest.with_closed(end);
                }
            }
            turn = turn.saturating_mul(2);
        }
        b.allow(Allowance::default());
        self.report_widest(system, relation, &nearest)?;
        nearest.with_closed(self.guided_by(&nearest, system)?)
    }
    /// Searches with the layers around all parts of the target that may be in reach.
    fn guided_by(&mut self, nearest: &Nearest<'_>, system: &System) -> Made<End> {
        let databases: Vec<Layers> = nearest.together(false)?.into_iter().collect();
        self.guided(system, &databases)
    }
    /// Searches with databases.
    fn guided(&mut self, system: &System, databases: &[Layers]) -> Made<End> {
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
    ) -> Made<Result<Vec<Layers>, End>> {
        allow(system, options);
        let known = invariants::find(system, relation);
        system.b.allow(Allowance::default());
        let known = Rc::new(Known::new(known?, system)?);
        let mut databases = Vec::new();
        for pattern in &options.patterns {
            let (refined, database, rounds) = self.database(system, pattern, &known, options)?;
            let Some(layers) = database else { continue };
            self.reports.push(report(system, relation, &layers, rounds, 1));
            if let Some(refined) = refined
                && let Some(end) = self.end(system, refined, &layers, options)?
            {
                return Ok(Err(end));
            }
            databases.push(layers);
        }
        Ok(Ok(databases))
    }
    /// The database of a pattern, an answer, or both; and after how many rounds of refinement.
    fn database(
        &mut self,
        system: &System,
        pattern: &Pattern,
        known: &Rc<Known>,
        options: &Options,
    ) -> Made<(Option<Refined>, Option<Layers>, u32)> {
        let depths = Deciders::new(system).depths(&system.asked);
        let targets = system.b.and(&system.target, &known.together)?;
        let plain = |view| unless_used_up(Database::new(system, view, &targets, known));
        allow(system, options);
        let (refined, database, rounds) = match pattern {
            Pattern::Refined => {
                let mut refinement = Refinement::new(system, Part::whole(system), depths, known)?;
                let refined = unless_used_up(refinement.run(u32::MAX));
                self.images += refinement.images;
                self.lower_bound = self.lower_bound.max(refinement.lower_bound);
                system.b.allow(Allowance::default());
                let rounds = refinement.rounds;
                (refined?, refinement.into_database()?, rounds)
            }
            Pattern::Depth(depth) => (None, plain(View::new(system, cone::within(&depths, *depth)))?, 0),
            Pattern::Hiding(hidden) => (None, plain(View::new(system, |var| !hidden.contains(&var)))?, 0),
        };
        let Some(mut database) = database else {
            system.b.allow(Allowance::default());
            return Ok((None, None, rounds));
        };
        if matches!(refined, None | Some(Refined::Open | Refined::Further)) {
            // Refinement may have used up everything to find out which variables count.
            allow(system, options);
            self.images += database.fill(system)?;
        }
        system.b.allow(Allowance::default());
        Ok((refined, Some(database.layers), rounds))
    }
    /// The answer of the nearest part, if it has one.
    pub fn take(
        &mut self,
        system: &System,
        relation: &Relation,
        answer: Answer,
        nearest: &Nearest<'_>,
        options: &Options,
    ) -> Made<Option<End>> {
        let b = &system.b;
        b.allow(Allowance::default());
        match answer {
            Answer::Open => Ok(None),
            Answer::Closed => {
                self.report_widest(system, relation, nearest)?;
                let closed = nearest.together(true)?.map(|layers| layers.harmless(system)).transpose()?;
                self.h_initial = None;
                Ok(closed.flatten().map(End::Closed))
            }
            Answer::Found(run, at) => {
                if let Some((layers, rounds)) = nearest.layers(at)? {
                    self.reports.push(report(system, relation, &layers, rounds, nearest.parts()));
                }
                let length = run.length();
                (self.h_initial, self.lower_bound) = (Some(length), length);
                Ok(Some(End::Found(run, self.levels(system, nearest, length, options)?)))
            }
        }
    }
    /// Sets with levels that show that no run is shorter, if they are asked for and cost no more than the search.
    fn levels(
        &self,
        system: &System,
        nearest: &Nearest<'_>,
        length: u32,
        options: &Options,
    ) -> Made<Option<Vec<(u32, Bdd)>>> {
        if options.most_rows.is_none() {
            return Ok(None);
        }
        let b = &system.b;
        b.allow(Allowance { nodes: Some(b.made().saturating_mul(2)), until: None });
        let levels = nearest
            .together(true)
            .and_then(|layers| layers.map(|layers| layers.levels(length, system)).transpose());
        b.allow(Allowance::default());
        Ok(unless_used_up(levels)?.flatten())
    }
    fn report_widest(&mut self, system: &System, relation: &Relation, nearest: &Nearest<'_>) -> Made<()> {
        if let Some(at) = nearest.widest()?
            && let Some((layers, rounds)) = nearest.layers(at)?
        {
            self.reports.push(report(system, relation, &layers, rounds, nearest.parts()));
        }
        Ok(())
    }
    /// The answer that a refinement has given.
    fn end(
        &mut self,
        system: &System,
        refined: Refined,
        layers: &Layers,
        options: &Options,
    ) -> Made<Option<End>> {
        Ok(match refined {
            Refined::Closed => {
                self.h_initial = None;
                layers.harmless(system)?.map(End::Closed)
            }
            Refined::Found(run) => {
                let length = run.length();
                (self.h_initial, self.lower_bound) = (Some(length), length);
                let levels = options.most_rows.map(|_| layers.levels(length, system)).transpose()?;
                Some(End::Found(run, levels))
            }
            Refined::Further | Refined::Open => None,
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

fn report(
    system: &System,
    relation: &Relation,
    layers: &Layers,
    rounds: u32,
    parts: usize,
) -> DatabaseReport {
    DatabaseReport {
        seen: layers.view.seen.iter().map(|var| relation.vars[*var].name.clone()).collect(),
        variables: system.encoding.stored().count(),
        layers: layers.sets.len(),
        nodes: layers.sets.iter().map(|layer| system.b.size(layer) as u64).sum(),
        complete: layers.complete,
        rounds,
        parts,
    }
}
