//! How a factor moves by itself: its values and the labels that lead from one to another.

use crate::view::View;
use beeline_ir::layout::Part;
use beeline_program::edge::{first_selects, next_selects};
use beeline_program::schema::EdgeRef;
use beeline_program::{Effects, Evaluated, FirePart, Machine};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, VecDeque};

/// Combinations of edge, value and select values that may be tried for one factor, and units of work that may be
/// spent.
const TRIES: u64 = 1 << 18;

/// The reachable values of a factor and the steps between them. The labels of these steps are internal edges.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Graph {
    /// The value it starts with.
    pub initial: i64,
    /// The steps from each value to each other one that a single label leads to.
    steps: BTreeMap<i64, BTreeMap<i64, Part>>,
}

impl Graph {
    /// What the edges, which touch nothing but this slot, make of its initial value. `None` if that takes too long
    /// to find out.
    pub fn explore(view: &View<'_>, slot: usize, edges: &[EdgeRef]) -> Option<Self> {
        let mut graph = Self { initial: view.initial[slot], steps: BTreeMap::new() };
        let mut runner = Runner { machine: Machine::new(&view.program), view, slot, tries: 0 };
        let mut state = view.initial.clone();
        let mut open = vec![graph.initial];
        while let Some(value) = open.pop() {
            if graph.steps.contains_key(&value) {
                continue;
            }
            let mut steps = BTreeMap::new();
            for edge in edges {
                runner.steps(*edge, value, &mut state, &mut steps)?;
            }
            open.extend(steps.keys());
            graph.steps.insert(value, steps);
        }
        Some(graph)
    }

    /// The reachable values, ascending.
    pub fn values(&self) -> impl ExactSizeIterator<Item = i64> + Clone + '_ {
        self.steps.keys().copied()
    }
    /// Whether it can have the value.
    pub fn contains(&self, value: i64) -> bool {
        self.steps.contains_key(&value)
    }

    /// Whether every reachable value can be reached from every other one: whether there is a way back to the
    /// start.
    pub fn is_strongly_connected(&self) -> bool {
        let mut before: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
        for (from, steps) in &self.steps {
            steps.keys().for_each(|to| before.entry(*to).or_default().push(*from));
        }
        let mut returns = BTreeMap::from([(self.initial, ())]);
        let mut open = vec![self.initial];
        while let Some(value) = open.pop() {
            for from in before.get(&value).into_iter().flatten() {
                if returns.insert(*from, ()).is_none() {
                    open.push(*from);
                }
            }
        }
        returns.len() == self.steps.len()
    }

    /// A shortest way from a value to a wanted one, and where it ends.
    pub fn path(&self, from: i64, wanted: impl Fn(i64) -> bool) -> Option<(Vec<&Part>, i64)> {
        // The step that led to each value first.
        let mut reached: BTreeMap<i64, Option<(i64, &Part)>> = BTreeMap::from([(from, None)]);
        let mut open = VecDeque::from([from]);
        while let Some(value) = open.pop_front() {
            if wanted(value) {
                let mut path = Vec::new();
                let mut at = value;
                while let Some(Some((before, part))) = reached.get(&at) {
                    path.push(*part);
                    at = *before;
                }
                path.reverse();
                return Some((path, value));
            }
            for (next, part) in self.steps.get(&value)? {
                if let Entry::Vacant(new) = reached.entry(*next) {
                    new.insert(Some((value, part)));
                    open.push_back(*next);
                }
            }
        }
        None
    }
}

struct Runner<'a, 'n> {
    machine: Machine,
    view: &'a View<'n>,
    slot: usize,
    tries: u64,
}

impl Runner<'_, '_> {
    /// Adds the steps of an edge at a value. The state comes and goes with all slots but this one as they were.
    fn steps(
        &mut self,
        (process, edge): EdgeRef,
        value: i64,
        state: &mut [i64],
        steps: &mut BTreeMap<i64, Part>,
    ) -> Option<()> {
        let program = &self.view.program;
        let compiled = &program.processes[process].edges[edge];
        let home = program.layout.location[process];
        let elsewhere = self.slot == home && program.layout.location(process, value) != Some(compiled.source);
        let mut selects = Vec::new();
        if elsewhere || !first_selects(&compiled.selects, &mut selects) {
            return Some(());
        }
        let (mut evaluated, mut effects) = (Evaluated::default(), Effects::default());
        loop {
            self.tries += 1;
            if self.tries + self.machine.total_work() > TRIES {
                return None;
            }
            state[self.slot] = value;
            let guard = self.machine.evaluate_edge(program, process, edge, &selects, state, &mut evaluated);
            if guard == Ok(true) {
                let part =
                    FirePart { process, edge, selects: &selects, evaluated: &evaluated, message: None };
                effects.clear();
                let fired = self.machine.fire(program, &[part], state, &mut effects);
                if fired.is_ok() && state[self.slot] != value {
                    let part = || Part { process, edge, selects: selects.clone() };
                    steps.entry(state[self.slot]).or_insert_with(part);
                }
            }
            if !next_selects(&compiled.selects, &mut selects) {
                state[self.slot] = self.view.initial[self.slot];
                return Some(());
            }
        }
    }
}
