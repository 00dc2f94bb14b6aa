//! How updates move clock values: for each clock, the clocks whose old value may become its new one. A clock that
//! every path sets to a number has none; a clock that some path leaves alone has itself.

use beeline_ir::network::{Edge, Network};
use beeline_ir::stmt::{Block, Stmt};
use beeline_ir::{ClockId, FunctionId, IdVec};
use std::collections::{BTreeMap, BTreeSet};

/// The flow of clock values through an update. Clocks that are not listed keep their values.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ClockFlow {
    origins: BTreeMap<ClockId, BTreeSet<ClockId>>,
}

impl ClockFlow {
    /// The clocks whose old values may become the new value of a clock.
    pub fn origins(&self, clock: ClockId) -> BTreeSet<ClockId> {
        self.origins.get(&clock).cloned().unwrap_or_else(|| BTreeSet::from([clock]))
    }
    /// Whether the clock may be written.
    pub fn writes(&self, clock: ClockId) -> bool {
        self.origins.contains_key(&clock)
    }
    /// The clocks that may be written, with their origins.
    pub fn written(&self) -> impl Iterator<Item = (ClockId, &BTreeSet<ClockId>)> {
        self.origins.iter().map(|(clock, origins)| (*clock, origins))
    }

    fn join(&mut self, other: &ClockFlow) {
        let clocks: BTreeSet<ClockId> = self.origins.keys().chain(other.origins.keys()).copied().collect();
        for clock in clocks {
            let mut origins = self.origins(clock);
            origins.extend(other.origins(clock));
            self.origins.insert(clock, origins);
        }
    }
    /// This flow, then the other.
    fn then(&self, next: &ClockFlow) -> ClockFlow {
        let mut flow = self.clone();
        for (clock, via) in &next.origins {
            let origins = via.iter().flat_map(|middle| self.origins(*middle)).collect();
            flow.origins.insert(*clock, origins);
        }
        flow
    }
}

/// The flows of a network's functions.
#[derive(Clone, Debug)]
pub struct ClockFlows {
    functions: IdVec<FunctionId, ClockFlow>,
}

impl ClockFlows {
    /// Analyses all functions.
    pub fn of(network: &Network) -> Self {
        let mut flows = ClockFlows { functions: IdVec::new() };
        for function in &network.functions {
            let flow = flows.whole(&function.body);
            flows.functions.push(flow);
        }
        flows
    }
    /// The flow through an edge's update.
    pub fn edge(&self, edge: &Edge) -> ClockFlow {
        self.whole(&edge.update)
    }

    fn whole(&self, block: &Block) -> ClockFlow {
        let mut returned = None;
        let end = self.block(block, Some(ClockFlow::default()), &mut returned);
        joined(returned, end).unwrap_or_default()
    }

    /// The flow at the end of a block, `None` if the end is never reached. Flows at returns are joined into
    /// `returned`.
    fn block(
        &self,
        block: &Block,
        mut flow: Option<ClockFlow>,
        returned: &mut Option<ClockFlow>,
    ) -> Option<ClockFlow> {
        for stmt in block {
            let mut now = flow?;
            flow = match stmt {
                Stmt::ClockSet(clock, _) => {
                    now.origins.insert(*clock, BTreeSet::new());
                    Some(now)
                }
                Stmt::ClockCopy(clock, from) => {
                    let origins = now.origins(*from);
                    now.origins.insert(*clock, origins);
                    Some(now)
                }
                Stmt::If(_, first, second) => {
                    let first = self.block(first, Some(now.clone()), returned);
                    joined(first, self.block(second, Some(now), returned))
                }
                Stmt::While(_, body) => loop {
                    let again = self.block(body, Some(now.clone()), returned);
                    let before = now.clone();
                    if let Some(again) = again {
                        now.join(&again);
                    }
                    if now == before {
                        break Some(now);
                    }
                },
                Stmt::Call(function, ..) => Some(now.then(&self.functions[*function])),
                Stmt::Return(_) => {
                    *returned = joined(returned.take(), Some(now));
                    None
                }
                Stmt::Assign(..)
                | Stmt::Send(_)
                | Stmt::Receive(_)
                | Stmt::Start(..)
                | Stmt::Exit
                | Stmt::Assert(..) => Some(now),
            };
        }
        flow
    }
}

fn joined(a: Option<ClockFlow>, b: Option<ClockFlow>) -> Option<ClockFlow> {
    match (a, b) {
        (Some(mut a), Some(b)) => {
            a.join(&b);
            Some(a)
        }
        (a, b) => a.or(b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use beeline_ir::expr::Expr;

    fn clock(index: usize) -> ClockId {
        ClockId::new(index)
    }
    fn set(x: usize) -> Stmt {
        Stmt::ClockSet(clock(x), Expr::Const(0))
    }
    fn copy(x: usize, y: usize) -> Stmt {
        Stmt::ClockCopy(clock(x), clock(y))
    }
    fn origins(block: Block, x: usize) -> Vec<usize> {
        let flow = ClockFlows { functions: IdVec::new() }.whole(&block);
        flow.origins(clock(x)).iter().map(|c| c.index()).collect()
    }
    fn when(first: Block, second: Block) -> Stmt {
        Stmt::If(Expr::Timeout, first, second)
    }

    #[test]
    fn a_set_on_all_paths_kills_and_one_on_some_does_not() {
        assert_eq!(origins(vec![], 0), [0]);
        assert_eq!(origins(vec![set(0)], 0), []);
        assert_eq!(origins(vec![when(vec![set(0)], vec![])], 0), [0]);
        assert_eq!(origins(vec![when(vec![set(0)], vec![copy(0, 1)])], 0), [1]);
        assert_eq!(origins(vec![Stmt::While(Expr::Timeout, vec![set(0)])], 0), [0]);
        assert_eq!(origins(vec![when(vec![Stmt::Return(None)], vec![]), set(0)], 0), [0]);
        assert_eq!(origins(vec![when(vec![set(0), Stmt::Return(None)], vec![]), set(0)], 0), []);
    }

    #[test]
    fn copies_chain_in_order() {
        assert_eq!(origins(vec![copy(0, 1), copy(2, 0)], 2), [1]);
        assert_eq!(origins(vec![copy(2, 0), copy(0, 1)], 2), [0]);
        assert_eq!(origins(vec![set(1), copy(0, 1)], 0), []);
        assert_eq!(origins(vec![copy(0, 0)], 0), [0]);
        // Each round of the loop moves values one clock further.
        let rotate = vec![copy(0, 1), copy(1, 2)];
        assert_eq!(origins(vec![Stmt::While(Expr::Timeout, rotate)], 0), [0, 1, 2]);
    }

    #[test]
    fn calls_compose() {
        let mut network = Network::default();
        let function = |body| beeline_ir::stmt::Function {
            name: "f".into(),
            frame: vec![],
            params: 0,
            result: None,
            body,
            origin: None,
        };
        let inner = network.functions.push(function(vec![copy(0, 1), set(1)]));
        network.functions.push(function(vec![set(2), Stmt::Call(inner, vec![], None), copy(2, 0)]));
        let flow = ClockFlows::of(&network).functions[FunctionId::new(1)].clone();
        assert_eq!(flow.origins(clock(0)), BTreeSet::from([clock(1)]));
        assert_eq!(flow.origins(clock(1)), BTreeSet::new());
        assert_eq!(flow.origins(clock(2)), BTreeSet::from([clock(1)]));
        assert_eq!(flow.origins(clock(3)), BTreeSet::from([clock(3)]));
    }
}
