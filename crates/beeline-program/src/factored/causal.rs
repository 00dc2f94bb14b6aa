//! The causal graph: which factors have a say in the changes of which. There is an arc from a factor to another if some
//! label restricts or affects the first and affects the second (Wehrle and Helmert, SAS 2009).

use super::Factored;
use beeline_ir::id::Id;

/// Arcs between slots.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CausalGraph {
    /// For each slot those with an arc to it, ascending, with the number of actions behind the arc.
    pub predecessors: Vec<Vec<(usize, u32)>>,
}

impl CausalGraph {
    /// The causal graph of a factored view.
    pub fn new(factored: &Factored) -> Self {
        let mut arcs: Vec<(usize, usize)> = Vec::new();
        // Effects of one label belong together, whatever their conditions.
        for actions in factored.actions.chunk_by(|a, b| a.label == b.label) {
            let mut asked: Vec<usize> = actions
                .iter()
                .flat_map(|action| action.needs.iter().map(|cond| factored.cond(*cond).slot))
                .collect();
            let mut affected: Vec<usize> = actions
                .iter()
                .flat_map(|action| action.effects.iter().map(|fact| factored.domains.slot(*fact)))
                .collect();
            affected.sort_unstable();
            affected.dedup();
            asked.extend(&affected);
            asked.sort_unstable();
            asked.dedup();
            for to in &affected {
                arcs.extend(asked.iter().filter(|from| *from != to).map(|from| (*to, *from)));
            }
        }
        arcs.sort_unstable();
        let mut predecessors = vec![Vec::new(); factored.domains.slots()];
        for same in arcs.chunk_by(|a, b| a == b) {
            let (to, from) = same[0];
            predecessors[to].push((from, same.len() as u32));
        }
        Self { predecessors }
    }

    /// The slots that some of these depend on, themselves included.
    pub fn cone(&self, of: impl Iterator<Item = usize>) -> Vec<bool> {
        let mut inside = vec![false; self.predecessors.len()];
        let mut open: Vec<usize> = of.collect();
        while let Some(slot) = open.pop() {
            if !std::mem::replace(&mut inside[slot], true) {
                open.extend(self.predecessors[slot].iter().map(|(from, _)| *from));
            }
        }
        inside
    }
}

impl Factored {
    /// The slots that the goal speaks of.
    pub fn goal_slots(&self) -> Vec<usize> {
        fn visit(factored: &Factored, formula: &super::Formula, slots: &mut Vec<usize>) {
            match formula {
                super::Formula::Holds(cond) => slots.push(factored.conds[cond.index()].slot),
                super::Formula::All(parts) | super::Formula::Any(parts) => {
                    parts.iter().for_each(|part| visit(factored, part, slots));
                }
            }
        }
        let mut slots = Vec::new();
        visit(self, &self.goal, &mut slots);
        slots.sort_unstable();
        slots.dedup();
        slots
    }
}
