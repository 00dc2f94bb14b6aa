//! Graph distances d^L and d^U: for every automaton the number of edges from its location to the nearest one that the
//! target asks for, whatever labels, guards and clocks say; the greatest of them, or their sum.
//!
//! Edelkamp, Lluch-Lafuente and Leue, "Directed explicit model checking with HSF-SPIN", SPIN 2001; named as in Wehrle and
//! Helmert, SAS 2009. The maximum never exceeds the true distance. The sum may: two automata can move in one step.

use crate::local_distance::{backward, costs};
use crate::registry::share;
use beeline_engine::heuristic::{Estimate, Heuristic, Properties};
use beeline_ir::id::Id;
use beeline_ir::layout::SlotKind;
use beeline_ir::network::Network;
use beeline_program::Program;
use beeline_program::factored::{CondId, Factored, Formula};
use std::sync::Arc;

/// How the distances of automata come together.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Combination {
    /// The greatest: d^L.
    Max,
    /// The sum: d^U.
    Sum,
}

/// The heuristic.
#[derive(Debug)]
pub struct GraphDistance {
    factored: Arc<Factored>,
    combination: Combination,
    /// For each condition on a location, the distance to it from every location; `None` if there is no way.
    distances: Vec<Option<Vec<Option<u32>>>>,
}

impl GraphDistance {
    /// For a network and its factored view.
    pub fn new(network: &Network, factored: Arc<Factored>, combination: Combination) -> Self {
        let program = Program::compile(network);
        let mut distances = vec![None; factored.conds.len()];
        visit(&factored.goal, &mut |cond| {
            let asked = factored.cond(cond);
            if let SlotKind::Location(process) = program.layout.slots[asked.slot].kind {
                let targets = asked.facts.iter().map(|fact| factored.domains.value(*fact) as usize);
                distances[cond.index()] =
                    Some(backward(&program, process, targets, |edge| costs(&program, process, edge)));
            }
        });
        Self { factored, combination, distances }
    }

    fn of(&self, formula: &Formula, slots: &[i64]) -> Estimate {
        match formula {
            Formula::Holds(cond) => {
                let Some(distances) = &self.distances[cond.index()] else { return Estimate::ZERO };
                let location = slots[self.factored.cond(*cond).slot] as usize;
                distances[location].map_or(Estimate::Infinite, Estimate::Steps)
            }
            Formula::All(parts) => {
                let mut total = Estimate::ZERO;
                for part in parts {
                    total = match (total, self.of(part, slots)) {
                        (Estimate::Steps(a), Estimate::Steps(b)) if self.combination == Combination::Sum => {
                            Estimate::Steps(a.saturating_add(b))
                        }
                        (a, b) => a.max(b),
                    };
                }
                total
            }
            Formula::Any(parts) => {
                parts.iter().map(|part| self.of(part, slots)).min().unwrap_or(Estimate::Infinite)
            }
        }
    }
}

impl Heuristic for GraphDistance {
    fn properties(&self) -> Properties {
        match self.combination {
            Combination::Max => Properties::LOWER_BOUND,
            Combination::Sum => Properties::SAFE,
        }
    }
    fn estimate(&mut self, slots: &[i64]) -> Estimate {
        self.of(&self.factored.goal, slots)
    }
    fn bytes(&self) -> u64 {
        share(&self.factored)
    }
}

fn visit(formula: &Formula, of: &mut impl FnMut(CondId)) {
    match formula {
        Formula::Holds(cond) => of(*cond),
        Formula::All(parts) | Formula::Any(parts) => parts.iter().for_each(|part| visit(part, of)),
    }
}
