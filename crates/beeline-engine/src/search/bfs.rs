//! Breadth first by cost (0-1 BFS), layer by layer, on one thread or several.
//!
//! A layer is all that is reached in `g` steps. It is worked off in blocks: the nodes of a block are expanded side by
//! side, each successor that no stored node covers goes to the inbox of its shard, and then the shards take in what
//! they were sent, in the order of (parent, label). Labels that cost nothing lead to the same layer, which is closed
//! under them in further rounds before the next one begins. How a block is cut does not depend on the number of
//! threads, so neither do the verdict, the length, the trace or the counters.
//!
//! States are tested for the target when they are made: the first layer with a target is never expanded.

use super::crew::{Block, Crew, Round};
use super::post::Inbox;
use super::worker::Worker;
use super::{End, Hit, Notes, Proves, Searched, watch};
use crate::api::Progress;
use crate::partial_order::Trial;
use crate::passed::{Covering, NodeId, Passed};
use crate::successors::space::{Goal, Space};
use crate::time::TimePart;
use beeline_ir::limits::{Limits, StopReason};
use beeline_ir::outcome::Stats;
use beeline_zones::Bound;
use std::cmp::Reverse;
use std::sync::Arc;

/// Nodes of a block at most.
const MOST_NODES: usize = 8192;
/// Numbers in the states of a block.
const MOST_NUMBERS: usize = 1 << 19;
/// Letters that one thread delivers as fast as several.
const FEW: usize = 256;

/// How to go about it.
#[derive(Copy, Clone, Debug)]
pub struct Plan<'a> {
    /// Number of threads.
    pub threads: usize,
    /// Which nodes cover which; if any does, larger zones go first in each layer.
    pub covering: Covering,
    /// When to give up.
    pub limits: &'a Limits,
}

/// Runs the search to its end.
pub fn run<T: TimePart>(
    space: &Space<T>,
    initial: Vec<i64>,
    passed: Passed,
    plan: Plan<'_>,
    progress: &mut dyn FnMut(&Progress),
) -> Searched {
    std::thread::scope(|scope| {
        let crew = Crew::start(scope, plan.threads.saturating_sub(1), space, &initial, plan.limits);
        let worker = Worker::new(space, &initial);
        let (notes, stats) = (Notes::default(), Stats::default());
        let layers = Layers { g: 0, round: Vec::new(), again: Vec::new(), next: Vec::new() };
        let (passed, hit, inboxes, spare) = (Arc::new(passed), None, Vec::new(), Vec::new());
        // Where states are large, fewer of them are on their way at a time.
        let numbers = initial.len() + (space.program.clocks + 1).pow(2);
        let most = (MOST_NUMBERS / numbers).clamp(1, MOST_NODES);
        // Where any node covers any other, what a block brings to light spares expansions in the same layer; otherwise
        // large blocks are better, since threads wait for each other at the end of each.
        let (least, blocks) = if plan.covering == Covering::Any { (256, 8) } else { (4096, 2) };
        let cut = Cut { least: most.min(least), most, blocks };
        let trial = Trial::new(space);
        let search =
            Search { plan, crew, cut, worker, passed, layers, notes, stats, hit, inboxes, spare, trial };
        search.run(initial, progress)
    })
}

/// The nodes that wait.
struct Layers {
    /// Steps to the layer at hand.
    g: u32,
    /// Of that layer, those whose turn it is.
    round: Vec<NodeId>,
    /// Of that layer, those reached since by labels that cost nothing.
    again: Vec<NodeId>,
    /// The next layer.
    next: Vec<NodeId>,
}

/// How a layer is cut into blocks.
#[derive(Copy, Clone)]
struct Cut {
    /// Nodes of a block at least.
    least: usize,
    /// Nodes of a block at most.
    most: usize,
    /// Blocks of a layer, if that is neither small nor large.
    blocks: usize,
}

struct Search<'a, T: TimePart> {
    plan: Plan<'a>,
    worker: Worker<T, &'a Space<T>>,
    crew: Crew,
    cut: Cut,
    passed: Arc<Passed>,
    layers: Layers,
    notes: Notes,
    stats: Stats,
    /// The nearest target so far, with the steps to it.
    hit: Option<(u32, Hit)>,
    /// What came of the last block.
    inboxes: Vec<Inbox>,
    /// Inboxes to use again.
    spare: Vec<Inbox>,
    /// Whether labels are left out.
    trial: Trial,
}

impl<T: TimePart> Search<'_, T> {
    fn run(mut self, initial: Vec<i64>, progress: &mut dyn FnMut(&Progress)) -> Searched {
        let end = match self.start(initial).and_then(|()| self.go_on(progress)) {
            Err(reason) => End::Stopped(reason),
            Ok(()) => self.hit.take().map_or(End::Exhausted, |(_, hit)| End::Found(hit)),
        };
        self.stats.stored = self.passed.len();
        let lower_bound = self.lower_bound();
        let Self { passed, mut notes, stats, .. } = self;
        notes.reduction_off = self.trial.off_after;
        let passed = Arc::into_inner(passed).expect("helpers let go of what they were lent");
        let exact = self.plan.covering == Covering::ByCost;
        let proves = if exact { Proves::Length } else { Proves::Reachability };
        Searched { end: notes.end(end), passed, notes, lower_bound, proves, marks: false, stats }
    }

    /// Whether some label may cost nothing.
    fn free_labels(&self) -> bool {
        self.worker.space.table.free
    }

    /// No target is nearer than this: all states of the layer at hand have been tested, unless it still grows or they are
    /// tested when they are expanded. Where states reached in more steps cover others, nothing is known.
    fn lower_bound(&self) -> u32 {
        if self.plan.covering == Covering::Any {
            return 0;
        }
        let tested = !self.free_labels() && !matches!(self.worker.space.goal, Goal::Stuck { .. });
        self.layers.g + u32::from(!self.passed.is_empty() && tested)
    }

    fn start(&mut self, initial: Vec<i64>) -> Result<(), StopReason> {
        let Worker { space, machine, key, .. } = &mut self.worker;
        let limits = self.plan.limits;
        for (state, edge) in space.initial(machine, initial, &mut self.notes.property_fails, limits)? {
            self.stats.generated += 1;
            let Some(node) = Self::passed_mut(&mut self.passed).insert(&space.time, &state, 0, None, key)
            else {
                self.stats.subsumed += 1;
                continue;
            };
            self.notes.roots.push((node, edge));
            self.layers.round.push(node);
            watch(space, &mut self.notes.seen, |goal, fails| match goal {
                Goal::State(..) => goal.is_met(space, machine, &state, limits, fails),
                _ => Ok(false),
            })?;
            let fails = &mut self.notes.property_fails;
            if self.hit.is_none() && space.goal.is_met(space, machine, &state, limits, fails)? {
                self.hit = Some((0, Hit::Node(node)));
            }
        }
        Ok(())
    }

    /// Layer by layer, until there is a target or nothing left.
    fn go_on(&mut self, progress: &mut dyn FnMut(&Progress)) -> Result<(), StopReason> {
        let free_labels = self.free_labels();
        loop {
            let round = std::mem::take(&mut self.layers.round);
            let Cut { least, most, blocks } = self.cut;
            let length = (round.len() / blocks).clamp(least, most);
            for (number, block) in round.chunks(length).enumerate() {
                // A target in this layer cannot be improved on; one in the next may be, by a label that costs nothing.
                match self.hit {
                    Some((steps, _)) if steps == self.layers.g || !free_labels => return Ok(()),
                    _ => {}
                }
                self.expand(block)?;
                self.take_in();
                if self.hit.is_none() {
                    Self::passed_mut(&mut self.passed).retire(block);
                }
                let waiting = round.len() - length * number - block.len();
                let waiting = waiting + self.layers.again.len() + self.layers.next.len();
                self.report(waiting as u64, progress);
            }
            if !self.layers.again.is_empty() {
                self.layers.round = std::mem::take(&mut self.layers.again);
                continue;
            }
            if self.hit.is_some() || self.layers.next.is_empty() {
                return Ok(());
            }
            self.layers.g += 1;
            self.layers.round = std::mem::take(&mut self.layers.next);
            if self.plan.covering == Covering::Any {
                let passed = &self.passed;
                self.layers.round.sort_by_cached_key(|node| Reverse(size(passed.zone(*node))));
            }
        }
    }

    fn report(&mut self, open: u64, progress: &mut dyn FnMut(&Progress)) {
        let bytes = self.bytes(open as usize);
        self.stats.peak_bytes = self.stats.peak_bytes.max(bytes);
        progress(&Progress {
            expanded: self.stats.expanded,
            stored: self.passed.len(),
            open,
            lower_bound: self.lower_bound(),
            bytes,
            generated: self.stats.generated,
        });
    }

    /// Bytes in use while so many nodes wait.
    fn bytes(&self, waiting: usize) -> u64 {
        let inboxes: usize = self.inboxes.iter().chain(&self.spare).map(|inbox| inbox.post.bytes()).sum();
        self.passed.bytes() + (inboxes + waiting * size_of::<NodeId>()) as u64
    }

    /// The passed list, while nobody else looks at it.
    fn passed_mut(passed: &mut Arc<Passed>) -> &mut Passed {
        Arc::get_mut(passed).expect("helpers let go of what they were lent")
    }

    /// Expands the nodes of a block.
    fn expand(&mut self, block: &[NodeId]) -> Result<(), StopReason> {
        let limits = self.plan.limits;
        let waiting = block.len() + self.layers.next.len();
        let bytes = self.bytes(waiting);
        Self::passed_mut(&mut self.passed).relieve(bytes, limits);
        let bytes = self.bytes(waiting);
        limits.check(self.passed.len(), bytes)?;
        self.spare.append(&mut self.inboxes);
        let block = Block::new(Arc::clone(&self.passed), block.to_vec(), self.layers.g, self.trial.on, bytes);
        self.inboxes = self.crew.expand(&block, &mut self.worker, limits, &mut self.spare);
        for Inbox { stats, .. } in &self.inboxes {
            // What was done counts, even if a limit has cut it short.
            self.stats.expanded += stats.expanded;
            self.stats.generated += stats.generated;
            self.stats.subsumed += stats.subsumed;
            self.stats.left_out += stats.left_out;
        }
        self.trial.go_on(&self.stats);
        self.inboxes.iter().find_map(|inbox| inbox.stopped).map_or(Ok(()), Err)
    }

    /// The shards take in what they were sent.
    fn take_in(&mut self) {
        let letters: usize = self.inboxes.iter().map(|inbox| inbox.post.letters.len()).sum();
        let passed = Self::passed_mut(&mut self.passed);
        let (shards, stores) = passed.take_apart();
        let (inboxes, stores) = (Arc::new(std::mem::take(&mut self.inboxes)), Arc::new(stores));
        let round = Round { inboxes: Arc::clone(&inboxes), stores: Arc::clone(&stores), g: self.layers.g };
        let alone = Crew::default();
        let crew = if letters < FEW { &alone } else { &self.crew };
        let (shards, subsumed) = crew.deliver::<T>(&round, shards);
        drop(round);
        let stores = Arc::into_inner(stores).expect("helpers let go of what they were lent");
        passed.put_together(shards, stores);
        self.inboxes = Arc::into_inner(inboxes).expect("helpers let go of what they were lent");
        self.stats.subsumed += subsumed;
        self.note();
    }

    /// What the block has come to, in the order of (parent, label), whoever did what.
    fn note(&mut self) {
        let Self { layers, inboxes, notes, hit, .. } = self;
        let g = layers.g;
        let mut found = |costs: bool, new: Hit| {
            let steps = g + u32::from(costs);
            if hit.as_ref().is_none_or(|(best, _)| steps < *best) {
                *hit = Some((steps, new));
            }
        };
        for inbox in inboxes {
            for (letter, place) in inbox.post.letters.iter().zip(&mut inbox.nodes) {
                let Some(node) = place.node() else { continue };
                let layer = if letter.costs { &mut layers.next } else { &mut layers.again };
                layer.push(node);
                if letter.target {
                    found(letter.costs, Hit::Node(node));
                }
            }
            for (new, costs) in inbox.found.drain(..) {
                found(costs, new);
            }
            notes.property_fails |= inbox.notes.property_fails;
            notes.diverges |= inbox.notes.diverges;
            notes.seen.add_all(inbox.notes.seen);
            if notes.warning.is_none() {
                notes.warning = inbox.notes.warning.take();
            }
        }
    }
}

/// A measure that is larger for a zone that includes another.
pub(super) fn size(zone: &[Bound]) -> i64 {
    const NO_BOUND: i32 = 1 << 20;
    zone.iter().map(|bound| i64::from(bound.raw().min(NO_BOUND))).sum()
}
