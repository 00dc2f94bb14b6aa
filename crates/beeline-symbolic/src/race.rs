//! Two searches in two threads, each with its own diagrams: forward, and by refinement. The first answer counts, and the
//! other search is told to stop. Both find shortest traces, so only which trace it is, and the counters, depend on time.

use crate::explore::{explore_here, spawn};
use crate::{Direction, Explored, Options};
use beeline_ir::diagnostic::Diagnostic;
use beeline_ir::limits::{CancelToken, Limits, StopReason};
use beeline_ir::outcome::Finding;
use beeline_ir::property::Property;
use beeline_ir::relation::Relation;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// How often the caller's wish to stop is looked at.
const TICK: Duration = Duration::from_millis(20);

type Answer = Result<Explored, Vec<Diagnostic>>;

pub(crate) fn explore(relation: &Relation, property: &Property, options: &Options) -> Answer {
    let token = CancelToken::default();
    // Each has half of the memory.
    let memory = options.limits.memory.map(|bytes| bytes / 2);
    let limits = Limits { memory, cancel: token.clone(), ..options.limits.clone() };
    let refined = Options {
        direction: Direction::Guided,
        patterns: Vec::new(),
        database_nodes: u64::MAX,
        limits: limits.clone(),
        ..options.clone()
    };
    let forward = Options { direction: Direction::Forward, limits, ..options.clone() };
    let (sender, receiver) = channel();
    let mut answer = None;
    std::thread::scope(|scope| {
        for options in [&forward, &refined] {
            let sender = sender.clone();
            // A thread that cannot be had sends nothing.
            let _ = spawn(scope, move || drop(sender.send(explore_here(relation, property, options))));
        }
        drop(sender);
        loop {
            match receiver.recv_timeout(TICK) {
                Ok(next) => {
                    answer = better(answer.take(), next);
                    if answer.as_ref().is_some_and(is_answer) {
                        token.cancel(StopReason::Interrupted);
                        break;
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    if let Some(reason) = options.limits.cancel.cancelled() {
                        token.cancel(reason);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
    });
    answer.unwrap_or_else(|| Ok(Explored::stopped(StopReason::Memory, options)))
}

fn is_answer(answer: &Answer) -> bool {
    answer.as_ref().map_or(true, |explored| !matches!(explored.outcome.finding, Finding::Unknown(_)))
}

/// An answer, or of two that are none, the one with the greater lower bound.
fn better(first: Option<Answer>, second: Answer) -> Option<Answer> {
    let bound = |answer: &Answer| answer.as_ref().map_or(0, |explored| explored.outcome.lower_bound);
    Some(match first {
        Some(first) if is_answer(&first) || !is_answer(&second) && bound(&first) >= bound(&second) => first,
        _ => second,
    })
}
