//! What guides a search: databases are made for the patterns asked for, one after the other, each within its allowance. An
//! abstract system without a way from the initial states to the targets is a proof, and a way that the system itself
//! has is a shortest run; then nothing is left to search.

use crate::bdd::{Bdd, Made};
use crate::cone::{self, Deciders};
use crate::database::{Database, Layers, View};
use crate::guided::Guided;
use crate::invariants::{self, Known};
use crate::nearest::{Answer, Nearest};
use crate::parts::Part;
use crate::refine::{Refined, Refinement};
use crate::search::{End, Search};
use crate::system::System;
use crate::{Direction, Options, Pattern};
use beeline_ir::relation::Relation;
use std::rc::Rc;
use std::time::Instant;

/// Nodes for the first turn.
const FIRST_TURN: u64 = 500_000;

/// Nodes to find out what is known of all states.
const MOST_TO_KNOW: u64 = 20_000_000;

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
    /// Searches; says which way, and how many seconds the databases took.
    pub fn search(
        &mut self,
        system: &System,
        relation: &Relation,
        options: &Options,
    ) -> (Made<End>, Direction, f64) {
        let start = Instant::now();
        if system.b.is_no(&system.init) {
            return (Ok(End::Closed(system.b.no())), Direction::Guided, 0.0);
        }
        if options.patterns.is_empty() {
            let mut forward = Search::new(system, false);
            let end = self.by_turns(system, relation, options, &mut forward);
            self.images += forward.images;
            self.lower_bound = self.lower_bound.max(forward.lower_bound());
            return match end {
                Ok((end, direction)) => (Ok(end), direction, 0.0),
                Err(reason) => (Err(reason), Direction::Guided, 0.0),
            };
        }
        let made = self.databases(system, relation, options);
        let seconds = start.elapsed().as_secs_f64();
        let end = made.and_then(|made| match made {
            Ok(databases) => self.guided(system, &databases),
            Err(end) => Ok(end),
        });
        (end, Direction::Guided, seconds)
    }
    /// By turns, each with ever more nodes: refines, until the nodes for databases are used up; searches with the layers
    /// there are; and searches forward, so that all of it does not take much more than that alone.
    fn by_turns(
        &mut self,
        system: &System,
        relation: &Relation,
        options: &Options,
        forward: &mut Search<'_>,
    ) -> Made<(End, Direction)> {
        let b = &system.b;
        let start = Instant::now();
        let until = options.database_time.and_then(|time| start.checked_add(time));
        let most = options.database_nodes;
        let known = invariants::find(system, relation, most.min(MOST_TO_KNOW))?;
        let known = Rc::new(Known::new(known, system)?);
        let mut nearest = Nearest::new(system, relation, &known)?;
        let (mut turn, mut used, mut refining) = (FIRST_TURN.min(most), 0_u64, true);
        loop {
            if refining {
                let before = nearest.images();
                let answer = b.within(turn, until, || nearest.run());
                self.images += nearest.images() - before;
                self.lower_bound = self.lower_bound.max(nearest.lower_bound());
                let answer = answer?;
                used = used.saturating_add(turn);
                refining = used < most.saturating_mul(nearest.parts() as u64)
                    && !matches!(answer, Some(Answer::Open))
                    && until.is_none_or(|until| Instant::now() < until);
                if let Some(answer) = answer
                    && let Some(end) = self.take(system, relation, answer, &nearest, options)?
                {
                    return Ok((end, Direction::Guided));
                }
            }
            // Around several parts, layers are too many to be worth it as long as there is something else to do.
            if !refining || nearest.parts() == 1 {
                let nodes = if refining { turn / 4 } else { turn };
                if let Some(end) = b.within(nodes, None, || self.guided_by(&nearest, system))? {
                    self.report_widest(system, relation, &nearest)?;
                    return Ok((nearest.with_closed(end)?, Direction::Guided));
                }
            }
            // Who has all nodes there are for databases has no use for anything else.
            if most < u64::MAX
                && let Some(end) = b.within(turn / 2, None, || forward.run(Direction::Forward))?
            {
                return Ok((end, Direction::Forward));
            }
            turn = turn.max(FIRST_TURN / 2).saturating_mul(2);
        }
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
        let known = invariants::find(system, relation, options.database_nodes.min(MOST_TO_KNOW))?;
        let known = Rc::new(Known::new(known, system)?);
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
        let until = options.database_time.and_then(|time| Instant::now().checked_add(time));
        let (b, nodes) = (&system.b, options.database_nodes);
        let plain = |view| b.within(nodes, until, || Database::new(system, view, &targets, known));
        let (refined, database, rounds) = match pattern {
            Pattern::Refined => {
                let mut refinement = Refinement::new(system, Part::whole(system), depths, known)?;
                let refined = b.within(nodes, until, || refinement.run(u32::MAX));
                self.images += refinement.images;
                self.lower_bound = self.lower_bound.max(refinement.lower_bound);
                let rounds = refinement.rounds;
                (refined?, refinement.into_database()?, rounds)
            }
            Pattern::Depth(depth) => (None, plain(View::new(system, cone::within(&depths, *depth)))?, 0),
            Pattern::Hiding(hidden) => (None, plain(View::new(system, |var| !hidden.contains(&var)))?, 0),
        };
        let Some(mut database) = database else { return Ok((None, None, rounds)) };
        if matches!(refined, None | Some(Refined::Open | Refined::Further)) {
            // Refinement may have used up everything to find out which variables count. What is cut off is used.
            let before = database.layers.sets.len();
            b.within(nodes, until, || database.fill(system))?;
            self.images += (database.layers.sets.len() - before) as u64;
        }
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
        let levels = b.within(b.made(), None, || {
            let layers = nearest.together(true)?;
            layers.map(|layers| layers.levels(length, system)).transpose()
        })?;
        Ok(levels.flatten())
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
