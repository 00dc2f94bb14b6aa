//! The causal graph: which factors have a say in the changes of which. There is an arc from a factor to another if some
//! label restricts or affects the first and affects the second (Wehrle and Helmert, SAS 2009).

use super::{Factored, Meter};
use beeline_ir::id::Id;
use beeline_ir::limits::StopReason;
use rustc_hash::FxHashMap;

/// Arcs between slots.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CausalGraph {
    /// For each slot those with an arc to it, ascending, with the number of actions behind the arc.
    pub predecessors: Vec<Vec<(usize, u32)>>,
}

impl CausalGraph {
    /// The causal graph of a factored view. Stops where the limits say so.
    pub fn new(factored: &Factored, meter: &Meter<'_>) -> Result<Self, StopReason> {
        let before = meter.bytes();
        let mut arcs: FxHashMap<(usize, usize), u32> = FxHashMap::default();
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
                let capacity = arcs.capacity();
                for from in asked.iter().filter(|from| *from != to) {
                    *arcs.entry((*to, *from)).or_default() += 1;
                }
                let grown = arcs.capacity() - capacity;
                meter.allocate(grown * (size_of::<((usize, usize), u32)>() + 1))?;
                meter.work(asked.len() as u64)?;
            }
        }
        let mut arcs: Vec<((usize, usize), u32)> = arcs.into_iter().collect();
        arcs.sort_unstable();
        let mut predecessors = vec![Vec::new(); factored.domains.slots()];
        for ((to, from), actions) in &arcs {
            predecessors[*to].push((*from, *actions));
        }
        meter.keep(before + size_of_val(&*arcs) as u64);
        Ok(Self { predecessors })
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
