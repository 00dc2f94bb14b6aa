//! Breadth first by cost (0-1 BFS), layer by layer, on one thread or several.
//!
//! A layer is all that is reached in `g` steps. It is worked off in blocks: the nodes of a block are expanded side by
//! side, each successor that no stored node covers goes to the inbox of its shard, and then the shards take in what
//! they were sent, in the order of (parent, label). Labels that cost nothing lead to the same layer, which is closed
//! under them in further rounds before the next one begins. How a block is cut does not depend on the number of
//! threads, so neither do the verdict, the length, the trace or the counters.
//!
//! States are tested for the target when they are made: the first layer with a target is never expanded.

use super::{End, Hit, Notes, Searched, is_target, may_be_target};
use crate::api::Progress;
use crate::passed::{Arrival, Covering, Key, Known, NodeId, Passed, SHARDS, Shard};
use crate::state::zone_store::ZoneStore;
use crate::successors::labels::FailingLabel;
use crate::successors::space::{Goal, Scratch, Space, State};
use crate::time::TimePart;
use beeline_ir::layout::Label;
use beeline_ir::limits::{Limits, StopReason};
use beeline_ir::outcome::Stats;
use beeline_program::Machine;
use beeline_zones::Bound;
use beeline_zones::fault;
use std::borrow::Borrow;
use std::cmp::Reverse;
use std::ops::Range;
use std::sync::Mutex;

/// Nodes that one thread expands at a time.
const CHUNK: usize = 32;
/// Nodes of a block, at least and at most; a layer has about eight.
const BLOCK: (usize, usize) = (256, 1024);

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
    let helper = |_| Worker::new(space.clone(), &initial);
    let helpers = (1..plan.threads).map(helper).collect();
    let worker = Worker::new(space, &initial);
    let (notes, stats) = (Notes::default(), Stats::default());
    let layers = Layers { g: 0, round: Vec::new(), again: Vec::new(), next: Vec::new() };
    let search =
        Search { plan, worker, helpers, passed, layers, notes, stats, hit: None, inboxes: Vec::new() };
    search.run(initial, progress)
}

/// What one thread needs for itself.
struct Worker<T: TimePart, S> {
    space: S,
    machine: Machine,
    scratch: Scratch<T::Zone>,
    state: State<T::Zone>,
    key: Key,
    /// All successors of a chunk of nodes.
    made: Post,
    /// What the passed list knows about each.
    known: Vec<Known>,
}

impl<T: TimePart, S: Borrow<Space<T>>> Worker<T, S> {
    fn new(space: S, initial: &[i64]) -> Self {
        let of = space.borrow();
        let machine = Machine::new(&of.program);
        let scratch = of.scratch(initial);
        let state = State { slots: initial.to_vec(), zone: of.time.universal(initial) };
        let (key, made, known) = (Key::default(), Post::default(), Vec::new());
        Self { machine, scratch, state, key, made, known, space }
    }
}

/// A state on its way to its shard.
#[derive(Clone)]
struct Letter {
    shard: usize,
    code: u64,
    parent: NodeId,
    costs: bool,
    /// It is what is looked for.
    target: bool,
    /// Where its words and its zone are.
    words: Range<usize>,
    zone: Range<usize>,
}

/// Letters, with what they are about.
#[derive(Default)]
struct Post {
    letters: Vec<Letter>,
    words: Vec<u64>,
    zones: Vec<Bound>,
}

impl Post {
    fn clear(&mut self) {
        self.letters.clear();
        self.words.clear();
        self.zones.clear();
    }
    fn bytes(&self) -> usize {
        self.letters.capacity() * size_of::<Letter>()
            + self.words.capacity() * size_of::<u64>()
            + self.zones.capacity() * size_of::<Bound>()
    }
    fn add(&mut self, letter: Letter, words: &[u64], zone: &[Bound]) {
        let (word, bound) = (self.words.len(), self.zones.len());
        self.words.extend_from_slice(words);
        self.zones.extend_from_slice(zone);
        let (words, zone) = (word..self.words.len(), bound..self.zones.len());
        self.letters.push(Letter { words, zone, ..letter });
    }
    fn words(&self, letter: &Letter) -> &[u64] {
        &self.words[letter.words.clone()]
    }
    fn zone(&self, letter: &Letter) -> &[Bound] {
        &self.zones[letter.zone.clone()]
    }
    /// The state of a letter from the layer that takes so many steps.
    fn arrival(&self, letter: &Letter, g: u32) -> Arrival<'_> {
        Arrival {
            words: self.words(letter),
            code: letter.code,
            zone: self.zone(letter),
            g: g + u32::from(letter.costs),
            parent: Some(letter.parent),
        }
    }
}

/// What came of a chunk of nodes.
#[derive(Default)]
struct Inbox {
    post: Post,
    /// The letters to each shard.
    shards: [Vec<u32>; SHARDS],
    /// The nodes that the letters have become, unless they were covered.
    nodes: Vec<Option<NodeId>>,
    /// Labels that are the target themselves, and whether they cost a step.
    found: Vec<(NodeId, Label, bool)>,
    notes: Notes,
    stats: Stats,
    stopped: Option<StopReason>,
}

impl Inbox {
    fn clear(&mut self) {
        self.post.clear();
        self.shards.iter_mut().for_each(Vec::clear);
        self.nodes.clear();
        self.found.clear();
        (self.notes, self.stats, self.stopped) = (Notes::default(), Stats::default(), None);
    }
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

/// What a shard took in.
#[derive(Default)]
struct TakenIn {
    /// New nodes: chunk, letter, node.
    nodes: Vec<(usize, u32, NodeId)>,
    subsumed: u64,
}

struct Search<'a, T: TimePart> {
    plan: Plan<'a>,
    worker: Worker<T, &'a Space<T>>,
    helpers: Vec<Worker<T, Space<T>>>,
    passed: Passed,
    layers: Layers,
    notes: Notes,
    stats: Stats,
    /// The nearest target so far, with the steps to it.
    hit: Option<(u32, Hit)>,
    inboxes: Vec<Inbox>,
}

impl<T: TimePart> Search<'_, T> {
    fn run(mut self, initial: Vec<i64>, progress: &mut dyn FnMut(&Progress)) -> Searched {
        let end = match self.start(initial).and_then(|()| self.go_on(progress)) {
            Err(reason) => End::Stopped(reason),
            Ok(()) => self.hit.take().map_or(End::Exhausted, |(_, hit)| End::Found(hit)),
        };
        self.stats.stored = self.passed.len();
        let lower_bound = self.lower_bound();
        let Self { passed, notes, stats, .. } = self;
        Searched { end: notes.end(end), passed, notes, lower_bound, stats }
    }

    /// Whether some label may cost nothing.
    fn free_labels(&self) -> bool {
        self.worker.space.table.free
    }

    /// No target is nearer than this: all states of the layer at hand have been tested, unless it still grows. Where
    /// states reached in more steps cover others, nothing is known.
    fn lower_bound(&self) -> u32 {
        if self.plan.covering == Covering::Any {
            return 0;
        }
        self.layers.g + u32::from(!self.passed.is_empty() && !self.free_labels())
    }

    fn start(&mut self, initial: Vec<i64>) -> Result<(), StopReason> {
        let Worker { space, machine, key, .. } = &mut self.worker;
        let (limits, fails) = (self.plan.limits, &mut self.notes.property_fails);
        for (state, edge) in space.initial(machine, initial, fails, limits)? {
            self.stats.generated += 1;
            let Some(node) = self.passed.insert(&space.time, &state, 0, None, key) else {
                self.stats.subsumed += 1;
                continue;
            };
            self.notes.roots.push((node, edge));
            self.layers.round.push(node);
            if self.hit.is_none() && is_target(space, machine, &state, limits, fails)? {
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
            let (least, most) = BLOCK;
            for (number, block) in round.chunks((round.len() / 8).clamp(least, most)).enumerate() {
                // A target in this layer cannot be improved on; one in the next may be, by a label that costs nothing.
                match self.hit {
                    Some((steps, _)) if steps == self.layers.g || !free_labels => return Ok(()),
                    _ => {}
                }
                let done = block.len() * number;
                self.expand(block)?;
                self.take_in();
                let waiting =
                    round.len() - done - block.len() + self.layers.again.len() + self.layers.next.len();
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
        });
    }

    /// Bytes in use while so many nodes wait.
    fn bytes(&self, waiting: usize) -> u64 {
        let inboxes: usize = self.inboxes.iter().map(|inbox| inbox.post.bytes()).sum();
        self.passed.bytes() + (inboxes + waiting * size_of::<NodeId>()) as u64
    }

    /// Expands the nodes of a block.
    fn expand(&mut self, block: &[NodeId]) -> Result<(), StopReason> {
        let limits = self.plan.limits;
        let waiting = block.len() + self.layers.next.len();
        limits.check(self.passed.len(), self.bytes(waiting))?;
        let chunks = block.len().div_ceil(CHUNK);
        self.inboxes.resize_with(chunks.max(self.inboxes.len()), Inbox::default);
        self.inboxes.iter_mut().for_each(Inbox::clear);
        let work = Mutex::new(block.chunks(CHUNK).zip(&mut self.inboxes));
        let (passed, g) = (&self.passed, self.layers.g);
        let next = || work.lock().ok()?.next();
        let threads = self.plan.threads.min(chunks);
        let fault = fault::injected();
        std::thread::scope(|scope| {
            for helper in self.helpers.iter_mut().take(threads - 1) {
                scope.spawn(move || {
                    fault::inject(fault);
                    while let Some((nodes, inbox)) = next() {
                        helper.expand(passed, nodes, g, limits, inbox);
                    }
                });
            }
            while let Some((nodes, inbox)) = next() {
                self.worker.expand(passed, nodes, g, limits, inbox);
            }
        });
        self.inboxes.iter().find_map(|inbox| inbox.stopped).map_or(Ok(()), Err)
    }

    /// The shards take in what they were sent.
    fn take_in(&mut self) {
        let (inboxes, g) = (&self.inboxes, self.layers.g);
        let (shards, zones) = self.passed.parts_mut();
        let mut taken: Vec<TakenIn> = Vec::new();
        taken.resize_with(shards.len(), TakenIn::default);
        let letters: usize = inboxes.iter().map(|inbox| inbox.post.letters.len()).sum();
        // Starting a thread takes longer than taking in a few.
        let threads = if letters < 512 { 1 } else { self.plan.threads };
        let work = Mutex::new(shards.iter_mut().enumerate().zip(&mut taken));
        let deliver_all = || {
            let next = || work.lock().ok()?.next();
            while let Some(((number, shard), taken)) = next() {
                deliver::<T>(inboxes, zones, number, shard, g, taken);
            }
        };
        let fault = fault::injected();
        std::thread::scope(|scope| {
            for _ in 1..threads {
                scope.spawn(|| {
                    fault::inject(fault);
                    deliver_all();
                });
            }
            deliver_all();
        });
        self.passed.settle();
        self.note(&taken);
    }

    /// What the block has come to, in the order of (parent, label), whoever did what.
    fn note(&mut self, taken: &[TakenIn]) {
        let Self { layers, inboxes, notes, stats, hit, .. } = self;
        let g = layers.g;
        for inbox in &mut *inboxes {
            inbox.nodes.resize(inbox.post.letters.len(), None);
        }
        for shard in taken {
            stats.subsumed += shard.subsumed;
            for (chunk, letter, node) in &shard.nodes {
                inboxes[*chunk].nodes[*letter as usize] = Some(*node);
            }
        }
        let mut found = |costs: bool, new: Hit| {
            let steps = g + u32::from(costs);
            if hit.as_ref().is_none_or(|(best, _)| steps < *best) {
                *hit = Some((steps, new));
            }
        };
        for inbox in inboxes {
            for (letter, node) in inbox.post.letters.iter().zip(&inbox.nodes) {
                let Some(node) = *node else { continue };
                let layer = if letter.costs { &mut layers.next } else { &mut layers.again };
                layer.push(node);
                if letter.target {
                    found(letter.costs, Hit::Node(node));
                }
            }
            for (node, label, costs) in inbox.found.drain(..) {
                found(costs, Hit::Label(node, label));
            }
            stats.expanded += inbox.stats.expanded;
            stats.generated += inbox.stats.generated;
            stats.subsumed += inbox.stats.subsumed;
            notes.property_fails |= inbox.notes.property_fails;
            notes.diverges |= inbox.notes.diverges;
            if notes.warning.is_none() {
                notes.warning = inbox.notes.warning.take();
            }
        }
    }
}

impl<T: TimePart, S: Borrow<Space<T>>> Worker<T, S> {
    /// Expands nodes and writes down what came of it.
    fn expand(&mut self, passed: &Passed, nodes: &[NodeId], g: u32, limits: &Limits, inbox: &mut Inbox) {
        self.made.clear();
        for node in nodes.iter().filter(|node| !passed.is_covered(**node)) {
            inbox.stats.expanded += 1;
            if let Err(reason) = self.expand_node(passed, *node, limits, inbox) {
                inbox.stopped = Some(reason);
                return;
            }
        }
        if let Err(reason) = self.sort(passed, g, limits, inbox) {
            inbox.stopped = Some(reason);
        }
    }

    fn expand_node(
        &mut self,
        passed: &Passed,
        node: NodeId,
        limits: &Limits,
        inbox: &mut Inbox,
    ) -> Result<(), StopReason> {
        let Self { space, machine, scratch, state, key, made, .. } = self;
        let space: &Space<T> = (*space).borrow();
        passed.load(space, node, state);
        let left = space.expand(machine, scratch, state, limits, &mut |successor| {
            inbox.stats.generated += 1;
            let costs = successor.label.costs();
            if successor.assertion_failed && matches!(space.goal, Goal::Assertion) {
                // The run ends here; nothing beyond it can be nearer.
                inbox.found.push((node, successor.label.label(), costs));
                return;
            }
            if passed.wrongly_seen(&space.time, successor.state) {
                return;
            }
            passed.pack(&successor.state.slots, key);
            let Key { code, shard, .. } = *key;
            let letter = Letter { shard, code, parent: node, costs, target: false, words: 0..0, zone: 0..0 };
            made.add(letter, &key.words, space.time.entries(&successor.state.zone));
        })?;
        inbox.notes.property_fails |= left.observer_fails;
        for FailingLabel { label, error, costs } in left.failing {
            if matches!(space.goal, Goal::RuntimeError) {
                inbox.found.push((node, label, costs));
            } else {
                inbox.notes.fails(label, error);
            }
        }
        Ok(())
    }

    /// Sends on what no stored node covers. What the passed list has to say is asked for all successors at once, step
    /// by step: most of it is far away in memory, and so many questions are under way at the same time.
    fn sort(
        &mut self,
        passed: &Passed,
        g: u32,
        limits: &Limits,
        inbox: &mut Inbox,
    ) -> Result<(), StopReason> {
        let Self { space, machine, state, made, known, .. } = self;
        let space: &Space<T> = (*space).borrow();
        known.clear();
        known.extend(made.letters.iter().map(|l| passed.known(l.shard, l.code, made.words(l))));
        known.iter_mut().zip(&made.letters).for_each(|(known, letter)| passed.first(letter.shard, known));
        for (letter, known) in made.letters.iter().zip(known) {
            let arrival = made.arrival(letter, g);
            if passed.covers::<T>(letter.shard, known, &arrival) {
                inbox.stats.subsumed += 1;
                continue;
            }
            passed.unpack(arrival.words, &mut state.slots);
            let mut target = may_be_target(space, &state.slots);
            if target {
                space.time.reload(&state.slots, arrival.zone, &mut state.zone);
                target = is_target(space, machine, state, limits, &mut inbox.notes.property_fails)?;
            }
            inbox.shards[letter.shard].push(inbox.post.letters.len() as u32);
            inbox.post.add(Letter { target, ..letter.clone() }, arrival.words, arrival.zone);
        }
        Ok(())
    }
}

/// Adds to a shard what was sent to it.
fn deliver<T: TimePart>(
    inboxes: &[Inbox],
    zones: &ZoneStore,
    number: usize,
    shard: &mut Shard,
    g: u32,
    taken: &mut TakenIn,
) {
    for (chunk, inbox) in inboxes.iter().enumerate() {
        for position in &inbox.shards[number] {
            let letter = &inbox.post.letters[*position as usize];
            match shard.insert::<T>(zones, &inbox.post.arrival(letter, g)) {
                None => taken.subsumed += 1,
                Some(node) => taken.nodes.push((chunk, *position, node)),
            }
        }
    }
}

/// A measure that is larger for a zone that includes another.
fn size(zone: &[Bound]) -> i64 {
    const NO_BOUND: i32 = 1 << 20;
    zone.iter().map(|bound| i64::from(bound.raw().min(NO_BOUND))).sum()
}
