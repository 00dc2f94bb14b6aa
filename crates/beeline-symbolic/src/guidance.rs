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
use crate::search::End;
use crate::system::System;
use crate::{Direction, Options, Pattern, is_inside, turns};
use beeline_ir::VarId;
use std::rc::Rc;
use std::time::Instant;

/// Nodes to find out what is known of all states.
pub(crate) const MOST_TO_KNOW: u64 = 20_000_000;

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
    /// Searches by databases of the patterns that were asked for, or by turns; says which way, and how many seconds the
    /// databases took.
    pub fn search(&mut self, system: &System, options: &Options) -> (Made<End>, Direction, f64) {
        let start = Instant::now();
        if system.b.is_no(&system.init) {
            return (Ok(End::Closed(system.b.no())), Direction::Guided, 0.0);
        }
        if options.patterns.is_empty() {
            let (end, direction) = turns::search(system, options, self);
            return (end, direction, 0.0);
        }
        let made = self.databases(system, options);
        let seconds = start.elapsed().as_secs_f64();
        let end = made.and_then(|made| match made {
            Ok(databases) => self.guided(&mut Guided::new(system, databases)),
            Err(end) => Ok(end),
        });
        (end, Direction::Guided, seconds)
    }
    /// Searches with databases, on from where it was stopped.
    pub fn guided(&mut self, guided: &mut Guided<'_>) -> Made<End> {
        let before = guided.images;
        // What was expanded before is not expanded again, initial states included.
        let end = guided.start().and_then(|h_initial| {
            self.h_initial = h_initial;
            guided.run()
        });
        self.images += guided.images - before;
        self.lower_bound = self.lower_bound.max(guided.lower_bound());
        end
    }
    /// The databases, or an answer that was found while they were made.
    fn databases(&mut self, system: &System, options: &Options) -> Made<Result<Vec<Layers>, End>> {
        let known = invariants::find(system, options.database_nodes.min(MOST_TO_KNOW))?;
        let known = Rc::new(Known::new(known, system)?);
        let mut databases = Vec::new();
        for pattern in &options.patterns {
            let (refined, database, rounds) = self.database(system, pattern, &known, options)?;
            let Some(layers) = database else { continue };
            self.reports.push(report(system, &layers, rounds, 1));
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
            Pattern::Hiding(names) => {
                let hidden =
                    |var: VarId| names.iter().any(|name| is_inside(&system.names[var.index()], name));
                (None, plain(View::new(system, |var| !hidden(var)))?, 0)
            }
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
        answer: Answer,
        nearest: &Nearest<'_>,
        options: &Options,
    ) -> Made<Option<End>> {
        match answer {
            Answer::Open => Ok(None),
            Answer::Closed => {
                self.report_widest(system, nearest)?;
                let closed = nearest.together(true)?.map(|layers| layers.harmless(system)).transpose()?;
                self.h_initial = None;
                Ok(closed.flatten().map(End::Closed))
            }
            Answer::Found(run, at) => {
                if let Some((layers, rounds)) = nearest.layers(at)? {
                    self.reports.push(report(system, &layers, rounds, nearest.parts()));
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
    /// Notes the database that sees most.
    pub fn report_widest(&mut self, system: &System, nearest: &Nearest<'_>) -> Made<()> {
        if let Some(at) = nearest.widest()?
            && let Some((layers, rounds)) = nearest.layers(at)?
        {
            self.reports.push(report(system, &layers, rounds, nearest.parts()));
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

fn report(system: &System, layers: &Layers, rounds: u32, parts: usize) -> DatabaseReport {
    DatabaseReport {
        seen: layers.view.seen.iter().map(|var| system.names[var.index()].clone()).collect(),
        variables: system.encoding.stored().count(),
        layers: layers.sets.len(),
        nodes: layers.sets.iter().map(|layer| system.b.size(layer) as u64).sum(),
        complete: layers.complete,
        rounds,
        parts,
    }
}
