//! The work of one thread in a layered search: expanding nodes, and taking in what was sent to a shard.

use super::crew::Round;
use super::post::{Inbox, Letter, Post, Share};
use super::{Hit, watch};
use crate::passed::{Key, Known, Loaded, NodeId, NodePlace, Passed};
use crate::successors::expand::{Extent, Scratch, Successor};
use crate::successors::labels::FailingLabel;
use crate::successors::space::{Goal, Space, State};
use crate::time::TimePart;
use beeline_ir::limits::{Limits, StopReason};
use beeline_program::Machine;
use std::borrow::Borrow;

/// Numbers in successors that wait to be sorted, beyond which they are.
const MANY: usize = 1 << 18;

/// What one thread needs for itself.
#[derive(Debug)]
pub struct Worker<T: TimePart, S> {
    /// The state space.
    pub space: S,
    /// Runs its routines.
    pub machine: Machine,
    /// Scratch for packing.
    pub key: Key,
    scratch: Scratch<T::Zone>,
    /// The state being expanded.
    loaded: Loaded<T::Zone>,
    sorter: Sorter<T>,
}

/// The part that looks at successors while others are still being made.
#[derive(Debug)]
struct Sorter<T: TimePart> {
    machine: Machine,
    state: State<T::Zone>,
    /// Successors that have not been looked at yet.
    made: Post,
    /// What the passed list knows about each.
    known: Vec<Known>,
}

/// A chunk of nodes in the context of the search.
#[derive(Copy, Clone, Debug)]
pub struct Chunk<'a> {
    /// The nodes.
    pub nodes: &'a [NodeId],
    /// Steps to them.
    pub g: u32,
    /// What is known so far.
    pub passed: &'a Passed,
    /// Bytes in use besides what comes of the chunk.
    pub bytes: u64,
    /// Whether labels may be left out.
    pub reduce: bool,
    /// When to give up.
    pub limits: &'a Limits,
}

impl<T: TimePart, S: Borrow<Space<T>>> Worker<T, S> {
    /// A worker in a state space with that initial state.
    pub fn new(space: S, initial: &[i64]) -> Self {
        let of = space.borrow();
        let state = State { slots: initial.to_vec(), zone: of.time.universal(initial) };
        let (machine, scratch) = (Machine::new(&of.program), of.scratch(initial));
        let (made, known) = (Post::default(), Vec::new());
        let sorter = Sorter { machine: Machine::new(&of.program), state: state.clone(), made, known };
        Self { machine, key: Key::default(), scratch, loaded: Loaded::new(state), sorter, space }
    }

    /// Expands nodes and writes down what came of it.
    pub fn expand(&mut self, chunk: Chunk<'_>, inbox: &mut Inbox) {
        self.sorter.made.clear();
        // What has been reached in fewer steps since it was put into this layer has had its turn.
        let current = |node: &&NodeId| !chunk.passed.is_covered(**node) && chunk.passed.g(**node) == chunk.g;
        for node in chunk.nodes.iter().filter(current) {
            inbox.stats.expanded += 1;
            if let Err(reason) = self.expand_node(chunk, *node, inbox) {
                inbox.stopped.get_or_insert(reason);
            }
            if inbox.stopped.is_some() {
                return;
            }
        }
        self.sorter.sort((self.space).borrow(), chunk, inbox);
        inbox.nodes.resize_with(inbox.post.letters.len(), NodePlace::default);
    }

    fn expand_node(&mut self, chunk: Chunk<'_>, node: NodeId, inbox: &mut Inbox) -> Result<(), StopReason> {
        let Self { space, machine, scratch, loaded, key, sorter } = self;
        let Chunk { passed, limits, .. } = chunk;
        let space: &Space<T> = (*space).borrow();
        passed.load(space, node, loaded);
        let (state, loaded) = (&loaded.state, &*loaded);
        let generated = inbox.stats.generated;
        let first = sorter.made.letters.len();
        let mut expand = |extent: Extent, inbox: &mut Inbox, sorter: &mut Sorter<T>| {
            scratch.begin_in(passed.zone_id(node));
            scratch.look_at(extent);
            space.expand(machine, scratch, state, limits, &mut |successor| {
                inbox.stats.generated += 1;
                let costs = successor.label.costs();
                if successor.assertion_failed && matches!(space.goal, Goal::Assertion) {
                    // The run ends here; nothing beyond it can be nearer.
                    inbox.found.push((Hit::Label(node, successor.label.label()), costs));
                    return;
                }
                if successor.assertion_failed {
                    inbox.notes.seen.add_kind(space, &Goal::Assertion);
                }
                if inbox.stopped.is_some() || passed.wrongly_seen(&space.time, successor.state) {
                    return;
                }
                passed.pack_successor(loaded, &successor.state.slots, successor.changed, key);
                let (code, shard) = (key.code, key.shard as u8);
                let may_be = |goal: &Goal| goal.may_be(&successor.state.slots);
                let (target, watched) = (may_be(&space.goal), space.watched.iter().any(may_be));
                let Successor { stored, state, .. } = successor;
                let zone = if stored.is_some() { &[] } else { space.time.entries(&state.zone) };
                let (parent, discrete, words) = (node, None, 0..0);
                let letter = Letter {
                    shard,
                    code,
                    discrete,
                    parent,
                    costs,
                    target,
                    watched,
                    words,
                    stored,
                    zone: 0..0,
                };
                sorter.made.add(letter, &key.words, zone);
                if sorter.made.len() > MANY {
                    sorter.sort(space, chunk, inbox);
                }
            })
        };
        let mut left = expand(if chunk.reduce { Extent::Chosen } else { Extent::All }, inbox, sorter)?;
        if left.left_out > 0 {
            let made = inbox.stats.generated - generated;
            if space.goes_on(made, || sorter.to_come(chunk, first)) {
                inbox.stats.left_out += u64::from(left.left_out);
            } else {
                left = left.and(expand(Extent::Others, inbox, sorter)?);
            }
        }
        inbox.notes.property_fails |= left.observer_fails;
        if inbox.stats.generated == generated {
            let fails = &mut inbox.notes.property_fails;
            if space.goal.is_met_if_stuck(space, machine, state, limits, fails)? {
                inbox.found.push((Hit::Node(node), false));
            }
            watch(space, &mut inbox.notes.seen, |goal, fails| {
                goal.is_met_if_stuck(space, machine, state, limits, fails)
            })?;
        }
        if !left.failing.is_empty() {
            inbox.notes.seen.add_kind(space, &Goal::RuntimeError);
        }
        for FailingLabel { label, error, costs } in left.failing {
            if matches!(space.goal, Goal::RuntimeError) {
                inbox.found.push((Hit::Label(node, label), costs));
            } else {
                inbox.notes.fails(label, error);
            }
        }
        limits.check(0, chunk.bytes + inbox.post.bytes() as u64)
    }
}

impl<T: TimePart> Sorter<T> {
    /// Whether one of the successors made last is still to be expanded: it is not stored yet, or waits for the next layer.
    fn to_come(&self, chunk: Chunk<'_>, first: usize) -> bool {
        let Chunk { passed, g, .. } = chunk;
        let to_come = |letter: &Letter| {
            let arrival = self.made.arrival(letter, passed.stores(), g);
            passed.is_to_come::<T>(letter.shard(), &arrival, |node| passed.g(node) > g)
        };
        // What has been sorted already may be anything.
        self.made.letters.get(first..).is_some_and(|made| made.iter().any(to_come))
    }

    /// Sends on what no stored node covers, unless a limit is reached. What the passed list has to say is asked for all
    /// successors at once, step by step: most of it is far away in memory, and so many questions are under way at the
    /// same time.
    fn sort(&mut self, space: &Space<T>, chunk: Chunk<'_>, inbox: &mut Inbox) {
        let Chunk { passed, g, bytes, limits, .. } = chunk;
        let Self { machine, state, made, known } = self;
        known.clear();
        known.extend(made.letters.iter().map(|l| passed.known(l.shard(), l.code, made.words(l))));
        for read in [Passed::first, Passed::read_first, Passed::read_second] {
            known
                .iter_mut()
                .zip(&made.letters)
                .for_each(|(known, letter)| read(passed, letter.shard(), known));
        }
        for (letter, known) in made.letters.iter().zip(known) {
            let arrival = made.arrival(letter, passed.stores(), g);
            if passed.covers::<T>(letter.shard(), known, &arrival) {
                inbox.stats.subsumed += 1;
                continue;
            }
            let mut target = letter.target;
            if target || letter.watched {
                passed.unpack(arrival.words, &mut state.slots);
                space.time.reload(&state.slots, arrival.zone, &mut state.zone);
            }
            if target {
                let fails = &mut inbox.notes.property_fails;
                target = space.goal.is_met(space, machine, state, limits, fails).unwrap_or_else(|reason| {
                    inbox.stopped = Some(reason);
                    false
                });
            }
            if letter.watched {
                let watched = watch(space, &mut inbox.notes.seen, |goal, fails| match goal {
                    Goal::State(..) => goal.is_met(space, machine, state, limits, fails),
                    _ => Ok(false),
                });
                inbox.stopped = inbox.stopped.or(watched.err());
            }
            let (discrete, words) =
                (known.discrete(), if known.discrete().is_some() { &[] } else { arrival.words });
            let zone = if letter.stored.is_some() { &[] } else { arrival.zone };
            inbox.post.add(Letter { target, discrete, ..letter.clone() }, words, zone);
            if inbox.stopped.is_some() {
                return;
            }
        }
        if made.len() > MANY {
            inbox.stopped = limits.check(0, bytes + (inbox.post.bytes() + made.bytes()) as u64).err();
        }
        made.clear();
    }
}

/// Adds to shards what was sent to them; how many letters were about states that a stored one covers.
pub fn deliver<T: TimePart>(round: &Round, share: &mut Share) -> u64 {
    let Round { inboxes, stores, g } = round;
    let mut subsumed = 0;
    for Inbox { post, nodes, .. } in inboxes.iter() {
        for (letter, place) in post.letters.iter().zip(nodes) {
            let Some(shard) = share.get_mut(letter.shard()) else { continue };
            match shard.insert::<T>(stores, &post.arrival(letter, stores, *g)) {
                None => subsumed += 1,
                Some(node) => place.fill(node),
            }
        }
    }
    subsumed
}
