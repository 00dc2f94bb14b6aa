//! Goals that are some way off: where a random run of the kernel gets that never enters a discrete state twice. Such
//! a goal is reachable by construction, and often takes as many steps as the run.
//!
//! Random models get stuck soon. In most models, what stands in the way of a stuck run is removed: the guard, the
//! clock constraints or the synchronisation of the next edge of some path, or the invariants where it leads.

use super::Draft;
use crate::random::Random;
use beeline_check::{Firing, Kernel, State};
use beeline_ir::expr::{BinaryOp, Expr};
use beeline_ir::network::{Network, Role, Sync};
use beeline_ir::trace::Time;
use beeline_ir::{EdgeId, LocationId, ProcessId};

/// Moments that are tried at each step of a run.
const MOMENTS: usize = 3;

impl Draft<'_> {
    /// Conditions that hold at the end of a run: where the processes are, and the values of some variables. Some of
    /// them are wrong by a little.
    pub(super) fn journey_goal(&mut self) -> Vec<Expr> {
        let Some(end) = self.journey() else { return Vec::new() };
        let kernel = Kernel::new(&self.network, None);
        let layout = kernel.layout();
        let mut parts = Vec::new();
        let near_miss = self.random.chance(50);
        for (id, process) in self.network.processes.enumerate() {
            if process.role == Role::Observer {
                continue;
            }
            match layout.location(id, end.slots[layout.location[id]]) {
                Some(_) if near_miss && self.random.chance(30) => {
                    parts.push(Expr::At(id, LocationId::new(self.random.below(process.locations.len()))));
                }
                Some(location) if self.random.chance(90) => parts.push(Expr::At(id, location)),
                None if self.random.chance(50) => parts.push(Expr::Alive(id).negated()),
                _ => {}
            }
        }
        for (id, var) in self.network.vars.enumerate() {
            if let (None, Some(slot)) = (var.len, layout.var[id])
                && self.random.chance(40)
            {
                let off = i64::from(near_miss && self.random.chance(30));
                parts.push(Expr::Var(id).binary(BinaryOp::Eq, Expr::Const(end.slots[slot] + off)));
            }
        }
        parts
    }

    /// Makes a run get on, once and for all.
    pub(super) fn live(&mut self) {
        self.journey();
        self.repairable = false;
    }

    /// Where a random run ends; `None` if the network has no behaviour.
    fn journey(&mut self) -> Option<State> {
        let mut left = if self.deep { 5 + self.random.below(8) } else { 3 + self.random.below(10) };
        let mut repairs = match (self.repairable, self.deep) {
            (true, true) => 2 * left,
            (true, false) => self.random.below(6),
            (false, _) => 0,
        };
        let mut state = Kernel::new(&self.network, None).initial().into_iter().next()?.0;
        let mut seen = vec![state.slots.clone()];
        loop {
            left -= walk(&self.network, self.constant, left, &mut state, &mut seen, &mut self.random);
            if left == 0 || repairs == 0 {
                return Some(state);
            }
            repairs -= 1;
            self.repair(&state);
        }
    }

    /// Removes something that may keep the network from leaving a state.
    fn repair(&mut self, state: &State) {
        let next: Vec<(ProcessId, EdgeId)> = {
            let kernel = Kernel::new(&self.network, None);
            let layout = kernel.layout();
            let here = |id| layout.location(id, state.slots[layout.location[id]]);
            let paths = self.network.processes.enumerate().filter(|(_, p)| p.role == Role::System);
            paths
                .flat_map(|(id, p)| p.edges.enumerate().map(move |(e, edge)| (id, e, edge)))
                .filter(|(id, _, edge)| here(*id) == Some(edge.source) && edge.target > edge.source)
                .map(|(id, e, _)| (id, e))
                .collect()
        };
        let Some(&(process, edge)) = self.random.pick(&next) else { return };
        let process = &mut self.network.processes[process];
        let edge = &mut process.edges[edge];
        let location = &mut process.locations[edge.target];
        if self.random.chance(50) {
            edge.clock_guard.clear();
            location.invariant.clear();
        } else {
            edge.guard = Expr::TRUE;
            edge.sync = Sync::Internal;
            location.condition = Expr::TRUE;
        }
    }
}

/// Takes at most so many labels, each to a discrete state not seen before, and says how many.
fn walk(
    network: &Network,
    constant: i64,
    most: usize,
    state: &mut State,
    seen: &mut Vec<Vec<i64>>,
    random: &mut Random,
) -> usize {
    let kernel = Kernel::new(network, None);
    for taken in 0..most {
        let mut next = Vec::new();
        for _ in 0..MOMENTS {
            let delay = Time::new(random.between(0, 2 * constant + 1), 2);
            if !network.clocks.is_empty() && !kernel.may_delay(state, delay) {
                continue;
            }
            for (_, firing) in kernel.labels(&kernel.delayed(state, delay)) {
                if let Firing::Successor { state, .. } = firing
                    && !seen.contains(&state.slots)
                {
                    next.push(state);
                }
            }
            if !next.is_empty() || network.clocks.is_empty() {
                break;
            }
        }
        let Some(chosen) = random.pick(&next) else { return taken };
        *state = chosen.clone();
        seen.push(state.slots.clone());
    }
    most
}
