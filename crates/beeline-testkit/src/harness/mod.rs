//! The harness: many random models, every search, and an oracle that must agree.
//!
//! Seeds are cut into blocks; threads take blocks as they come, and results are put together in order of seeds,
//! so that a report does not depend on the number of threads. A failure is shrunk and kept with its seed and
//! text; a panic counts as a failure.

pub mod abstraction;
pub mod compare;
mod databases;
mod maps;
pub mod nusmv;
pub mod options;
pub mod panics;
pub mod projection;
pub mod promela;
pub mod promises;
pub mod reductions;
mod report;
pub mod source;
pub mod symbolic;
pub mod towards;
mod watched;

use crate::generate::circuit::circuit;
use crate::generate::clones;
use crate::generate::promela::promela;
use crate::generate::smv::smv;
use crate::generate::sparse::{judge, sparse};
use crate::generate::{Profile, Shape, generate};
use crate::random::Random;
use crate::shrink::shrink;
use beeline_ir::Model;
use beeline_ir::network::Network;
use beeline_zones::fault::{self, Fault};
pub use compare::{Tally, Trouble, TroubleKind};
pub use report::{Failure, Report};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// What tells the choices of copies, and of those who look at them, from those of the model.
const CLONES: u64 = 0xC10E_0000_0000;
const JUDGES: u64 = 0x7A26_1E00_0000;

/// Seeds one thread takes at a time.
const BLOCK: u64 = 64;

/// What is put to the test.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Subject {
    /// Every search, against the oracle.
    Searches,
    /// Every heuristic, against its promises.
    Heuristics,
    /// Projections to random patterns, against the network.
    Projections,
    /// Searches with partial-order reduction, symmetry and compact storage, against those without.
    Reductions,
    /// The symbolic engine, against the explicit one and the oracle.
    Symbolic,
    /// The symbolic engine on SMV models, against NuSMV.
    NuSmv,
}

/// What to run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The models.
    pub shape: Shape,
    /// First seed.
    pub seed: u64,
    /// How many seeds.
    pub models: u64,
    /// Threads.
    pub threads: usize,
    /// Most pairs of discrete state and region; larger models are skipped and counted.
    pub budget: usize,
    /// Attempts to shrink a failure.
    pub shrink_attempts: usize,
    /// What to look at.
    pub subject: Subject,
    /// The heuristics to look at; all, if none is named.
    pub only: Vec<String>,
    /// A mistake to make on purpose.
    pub fault: Option<Fault>,
    /// Stop after so many failures.
    pub failures: usize,
    /// Give models processes that nobody can tell apart, for symmetry.
    pub clones: bool,
    /// Models in which little happens but what gets in the way of something else.
    pub sparse: bool,
}

impl Plan {
    /// So many models of a profile from seed 1, on one thread.
    pub fn new(profile: Profile, models: u64) -> Self {
        Self {
            shape: Shape::new(profile),
            seed: 1,
            models,
            threads: 1,
            budget: 3_000,
            shrink_attempts: 3_000,
            subject: Subject::Searches,
            only: Vec::new(),
            fault: None,
            failures: 10,
            clones: false,
            sparse: false,
        }
    }

    /// Checks the model of one seed; a panic is trouble too.
    pub fn check(&self, network: &Network, seed: u64) -> Result<Tally, Trouble> {
        let run = || match (self.subject, self.shape.profile) {
            (Subject::Heuristics, _) => promises::check_some(network, seed, self.budget, &self.only),
            (Subject::Projections, _) => projection::check(network, seed, self.budget),
            (Subject::Reductions, _) => reductions::check(network, seed),
            (Subject::Symbolic | Subject::NuSmv, _) => symbolic::check(network, seed, self.budget),
            (Subject::Searches, Profile::Uppaal) => source::check(network, seed, self.budget),
            (Subject::Searches, _) => compare::check(network, seed, self.budget),
        };
        panics::caught(run).unwrap_or_else(|message| Err(Trouble::new(TroubleKind::Panic, message)))
    }

    /// The first seed of the plan whose model shows trouble, and the trouble; on this thread, without shrinking.
    pub fn first_trouble(&self) -> Option<(u64, Trouble)> {
        fault::inject(self.fault);
        let found = self.seeds().find_map(|seed| {
            let network = self.model(seed);
            self.check(&network, seed).err().map(|trouble| (seed, trouble))
        });
        fault::inject(None);
        found
    }

    /// The model of a seed.
    fn model(&self, seed: u64) -> Network {
        let mut network = match self.sparse {
            true => sparse(self.shape.profile, &mut Random::new(seed)),
            false => generate(&self.shape, seed),
        };
        if self.clones {
            clones::add(&mut network, &mut Random::new(seed ^ CLONES));
            if self.sparse {
                judge(&mut network, &mut Random::new(seed ^ JUDGES));
            }
        }
        network
    }

    fn seeds(&self) -> std::ops::Range<u64> {
        self.seed..self.seed.saturating_add(self.models)
    }

    fn failure(&self, network: &Network, seed: u64, trouble: Trouble) -> Failure {
        let same = |candidate: &Network| self.check(candidate, seed).is_err_and(|t| t.kind == trouble.kind);
        let small = shrink(network, self.shrink_attempts, same);
        let shrunk = self.check(&small, seed).err();
        Failure {
            profile: self.shape.profile.name(),
            seed,
            trouble,
            shrunk,
            text: beeline_ir::text::print(&Model::Network(small)),
        }
    }
}

/// Runs the plan. `progress` hears of every finished block, from whichever thread finished it.
pub fn run(plan: &Plan, progress: &(dyn Fn(&Report) + Sync)) -> Report {
    run_seeds(plan, progress, &|seed, report| {
        let network = plan.model(seed);
        match plan.check(&network, seed) {
            Ok(tally) => report.count(Some(&network), tally),
            Err(trouble) => report.fail(plan.failure(&network, seed, trouble)),
        }
    })
}

/// Runs the plan on random SMV models, for the symbolic engine, or for heuristics where they are networks.
pub fn run_smv(plan: &Plan, progress: &(dyn Fn(&Report) + Sync)) -> Report {
    run_seeds(plan, progress, &|seed, report| {
        let text = smv_or_circuit(seed);
        let check = || match beeline_smv::read(&text, "random.smv") {
            _ if plan.subject == Subject::NuSmv => nusmv::check(&text, seed),
            Ok(reading) if plan.subject == Subject::Heuristics => {
                promises::check_relation(&reading.relation, seed, plan.budget, &plan.only)
            }
            Ok(reading) if plan.subject == Subject::Reductions => {
                reductions::check_relation(&reading.relation, seed)
            }
            Ok(reading) => symbolic::check_relation(&reading.relation, seed, plan.budget),
            Err(wrong) => Err(Trouble::new(TroubleKind::Source, format!("{wrong:?}"))),
        };
        let checked = panics::caught(check);
        match checked.unwrap_or_else(|message| Err(Trouble::new(TroubleKind::Panic, message))) {
            Ok(tally) => report.count(None, tally),
            Err(trouble) => report.fail(Failure { profile: "smv", seed, trouble, shrunk: None, text }),
        }
    })
}

/// A model: one in four is a circuit.
fn smv_or_circuit(seed: u64) -> String {
    let random = Random::new(seed);
    if seed % 4 == 3 { circuit(random) } else { smv(random) }
}

/// Runs the plan on random Promela models, for every search and the symbolic engine, or for heuristics.
pub fn run_promela(plan: &Plan, progress: &(dyn Fn(&Report) + Sync)) -> Report {
    run_seeds(plan, progress, &|seed, report| {
        let text = promela(Random::new(seed)).text;
        let checked = panics::caught(|| match plan.subject {
            Subject::Heuristics => promela::check_heuristics(&text, seed, plan.budget, &plan.only),
            Subject::Reductions => reductions::check_promela(&text, seed, plan.clones.then_some(CLONES)),
            _ => promela::check(&text, seed, plan.budget, plan.clones.then_some(CLONES)),
        });
        match checked.unwrap_or_else(|message| Err(Trouble::new(TroubleKind::Panic, message))) {
            Ok(tally) => report.count(None, tally),
            Err(trouble) if trouble.kind == TroubleKind::Source && promela::is_refused(&text) => {
                report.count(None, Tally { skipped: true, ..Tally::default() });
            }
            Err(trouble) => report.fail(Failure { profile: "promela", seed, trouble, shrunk: None, text }),
        }
    })
}

/// Looks at every seed of a plan.
fn run_seeds(
    plan: &Plan,
    progress: &(dyn Fn(&Report) + Sync),
    look: &(dyn Fn(u64, &mut Report) + Sync),
) -> Report {
    let blocks = plan.models.div_ceil(BLOCK);
    let next = AtomicU64::new(0);
    let failed = AtomicU64::new(0);
    let done: Mutex<Vec<(u64, Report)>> = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..plan.threads.max(1) {
            scope.spawn(|| {
                fault::inject(plan.fault);
                loop {
                    // Every block that is taken is run, so those that were run are the first ones.
                    if failed.load(Ordering::Relaxed) >= plan.failures as u64 {
                        break;
                    }
                    let block = next.fetch_add(1, Ordering::Relaxed);
                    if block >= blocks {
                        break;
                    }
                    let report = run_block(plan, block, look);
                    failed.fetch_add(report.failures.len() as u64, Ordering::Relaxed);
                    progress(&report);
                    done.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((block, report));
                }
            });
        }
    });
    let mut all = done.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    all.sort_by_key(|(block, _)| *block);
    let mut report = Report::default();
    for (_, part) in all {
        // What other threads did beyond the block that reached the limit does not count.
        if report.failures.len() < plan.failures {
            report.add(part);
        }
    }
    report
}

fn run_block(plan: &Plan, block: u64, look: &(dyn Fn(u64, &mut Report) + Sync)) -> Report {
    let mut report = Report::default();
    let end = plan.seeds().end;
    let start = plan.seed + block * BLOCK;
    for seed in start..end.min(start + BLOCK) {
        look(seed, &mut report);
    }
    report
}
