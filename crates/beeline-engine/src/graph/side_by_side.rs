//! Nodes of a graph without clocks, expanded side by side. Threads work out where the labels of a block of nodes lead, and
//! look up which of that is known; the graph takes in what is new, in the order of nodes and labels. So it is the same
//! for any number of threads.

use super::{Arc, Builder, Eyes, Graph, NoGraph, Pen, Seeds};
use crate::state::interner::{DiscreteId, Interner};
use crate::successors::space::Space;
use crate::time::Untimed;
use beeline_ir::limits::{Limits, StopReason};
use std::ops::Range;
use std::panic::resume_unwind;

/// Nodes of a block.
const BLOCK: usize = 1 << 14;
/// Nodes that are worth a thread.
const SHARE: usize = 1 << 10;

/// What one thread works with, and what it has found.
struct Hand<'a> {
    eyes: Eyes<Untimed>,
    pen: Pen<'a>,
    /// Where labels lead, if that is known, and whether that counts as a step.
    labels: Vec<(Option<DiscreteId>, bool)>,
    /// The packed states that are not known, one after the other.
    unknown: Vec<u64>,
    /// Where the labels of each node end.
    ends: Vec<usize>,
    seeds: Seeds,
}

impl Hand<'_> {
    fn work(
        &mut self,
        space: &Space<Untimed>,
        graph: &Graph,
        nodes: Range<usize>,
        limits: &Limits,
    ) -> Result<(), StopReason> {
        let Self { eyes, pen, labels, unknown, ends, seeds } = self;
        labels.clear();
        unknown.clear();
        ends.clear();
        for node in nodes {
            graph.load(space, node, &mut eyes.state);
            eyes.look(space, limits, node, seeds, &mut |successor| {
                pen.pack(&graph.packer, &successor.state.slots);
                let known = graph.interner.find(Interner::code(&pen.words), &pen.words);
                if known.is_none() {
                    unknown.extend_from_slice(&pen.words);
                }
                labels.push((known, successor.label.costs()));
            })?;
            ends.push(labels.len());
        }
        Ok(())
    }
}

impl Builder<'_, Untimed> {
    /// Expands all nodes with so many threads.
    pub(super) fn expand_side_by_side(&mut self, initial: &[i64], threads: usize) -> Result<(), NoGraph> {
        let hand = |_| Hand {
            eyes: Eyes::new(self.space, initial),
            pen: Pen::new(self.store.pen.forget),
            labels: Vec::new(),
            unknown: Vec::new(),
            ends: Vec::new(),
            seeds: Vec::new(),
        };
        let mut hands: Vec<Hand<'_>> = (0..threads.max(1)).map(hand).collect();
        while self.store.turn < self.store.graph.nodes.len() {
            self.check()?;
            let block = self.store.turn..self.store.graph.nodes.len().min(self.store.turn + BLOCK);
            let share = block.len().div_ceil(hands.len()).max(SHARE);
            let (space, limits, graph) = (self.space, self.limits, &self.store.graph);
            let shares = block.clone().step_by(share).map(|start| start..block.end.min(start + share));
            let busy = block.len().div_ceil(share);
            let mut work = hands.iter_mut().zip(shares);
            let done: Vec<Result<(), StopReason>> = std::thread::scope(|scope| {
                let own = work.next();
                let others: Vec<_> = work
                    .map(|(hand, nodes)| scope.spawn(move || hand.work(space, graph, nodes, limits)))
                    .collect();
                let own = own.map(|(hand, nodes)| hand.work(space, graph, nodes, limits));
                let others =
                    others.into_iter().map(|other| other.join().unwrap_or_else(|e| resume_unwind(e)));
                own.into_iter().chain(others).collect()
            });
            done.into_iter().collect::<Result<(), StopReason>>()?;
            hands[..busy].iter_mut().for_each(|hand| self.take_in(hand));
        }
        Ok(())
    }

    fn take_in(&mut self, hand: &mut Hand<'_>) {
        let store = &mut self.store;
        store.made += hand.labels.len() as u64;
        let mut unknown = hand.unknown.chunks_exact(store.graph.packer.words());
        let mut start = 0;
        for end in &hand.ends {
            let (node, first) = (store.turn, store.graph.arcs.len());
            store.graph.starts.push(first as u64);
            for (known, costs) in &hand.labels[start..*end] {
                let to = known.map(DiscreteId::index).or_else(|| {
                    store.pen.words.clear();
                    store.pen.words.extend_from_slice(unknown.next()?);
                    Some(store.settle(&self.space.time, &()))
                });
                if let Some(to) = to {
                    store.graph.lead(node, first, Arc::new(to, *costs));
                }
            }
            start = *end;
            store.turn += 1;
        }
        store.graph.seeds.append(&mut hand.seeds);
    }
}
