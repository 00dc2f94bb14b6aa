//! Threads that wait for work. What they work on is handed over and handed back, never shared while it changes.

use super::post::{Inbox, Share};
use super::worker::{Chunk, Worker, deliver};
use crate::passed::{NodeId, Passed, Shard, Stores};
use crate::successors::space::Space;
use crate::time::TimePart;
use beeline_ir::limits::Limits;
use beeline_zones::fault;
use std::borrow::Borrow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::Scope;

/// Nodes that one thread expands at a time, at least and at most; a block has at least 32 times as many.
const CHUNK: (usize, usize) = (32, 64);

/// A block of nodes to expand; whoever is free takes the next chunk.
#[derive(Clone, Debug)]
pub struct Block {
    /// What is known so far.
    pub passed: Arc<Passed>,
    /// The nodes.
    pub nodes: Arc<Vec<NodeId>>,
    /// Steps to them.
    pub g: u32,
    /// Whether labels may be left out.
    pub reduce: bool,
    taken: Arc<AtomicUsize>,
    /// Bytes in use.
    bytes: Arc<AtomicU64>,
}

impl Block {
    /// A block of which nothing has been done; so many bytes are in use besides.
    pub fn new(passed: Arc<Passed>, nodes: Vec<NodeId>, g: u32, reduce: bool, bytes: u64) -> Self {
        let (taken, bytes) = (Arc::default(), Arc::new(AtomicU64::new(bytes)));
        Self { passed, nodes: Arc::new(nodes), g, reduce, taken, bytes }
    }
    /// Number of chunks.
    pub fn chunks(&self) -> usize {
        self.nodes.len().div_ceil(self.chunk())
    }
    /// Nodes of a chunk.
    fn chunk(&self) -> usize {
        (self.nodes.len() / 32).clamp(CHUNK.0, CHUNK.1)
    }
    /// Expands chunk after chunk until none is left; `spare` are inboxes to use.
    pub fn work_off<T: TimePart, S: Borrow<Space<T>>>(
        &self,
        worker: &mut Worker<T, S>,
        limits: &Limits,
        spare: &mut Vec<Inbox>,
    ) -> Vec<(usize, Inbox)> {
        let mut done = Vec::new();
        loop {
            let chunk = self.taken.fetch_add(1, Ordering::Relaxed);
            let Some(nodes) = self.nodes.chunks(self.chunk()).nth(chunk) else { return done };
            let mut inbox = spare.pop().unwrap_or_default();
            inbox.clear();
            let (passed, bytes) = (&*self.passed, self.bytes.load(Ordering::Relaxed));
            worker.expand(Chunk { nodes, g: self.g, passed, bytes, reduce: self.reduce, limits }, &mut inbox);
            self.bytes.fetch_add(inbox.post.bytes() as u64, Ordering::Relaxed);
            done.push((chunk, inbox));
        }
    }
}

/// Letters for all shards.
#[derive(Clone, Debug)]
pub struct Round {
    /// All letters, by chunk.
    pub inboxes: Arc<Vec<Inbox>>,
    /// What the shards share.
    pub stores: Arc<Stores>,
    /// Steps to the nodes that sent them.
    pub g: u32,
}

enum Job {
    Expand(Block, Vec<Inbox>),
    Deliver(Round, Share),
}

/// What a helper hands back.
#[derive(Debug)]
enum Done {
    Expanded(Vec<(usize, Inbox)>),
    Delivered(Share, u64),
}

/// The threads beside the one that leads the search.
#[derive(Debug, Default)]
pub struct Crew {
    helpers: Vec<(Sender<Job>, Receiver<Done>)>,
}

impl Crew {
    /// Starts helpers, each with its own copy of the state space.
    pub fn start<'scope, T: TimePart + 'scope>(
        scope: &'scope Scope<'scope, '_>,
        helpers: usize,
        space: &Space<T>,
        initial: &[i64],
        limits: &Limits,
    ) -> Self {
        let start = |_| {
            let (jobs, orders) = channel();
            let (results, done) = channel();
            let mut worker: Worker<T, Space<T>> = Worker::new(space.clone(), initial);
            let (limits, fault) = (limits.clone(), fault::injected());
            scope.spawn(move || {
                fault::inject(fault);
                while let Some(job) = receive(&orders) {
                    // Whatever was lent is let go before the result is handed back.
                    let result = match job {
                        Job::Expand(block, mut spare) => {
                            Done::Expanded(block.work_off(&mut worker, &limits, &mut spare))
                        }
                        Job::Deliver(round, mut share) => {
                            let subsumed = deliver::<T>(&round, &mut share);
                            Done::Delivered(share, subsumed)
                        }
                    };
                    if results.send(result).is_err() {
                        return;
                    }
                }
            });
            (jobs, done)
        };
        Self { helpers: (0..helpers).map(start).collect() }
    }

    /// Number of helpers.
    pub fn len(&self) -> usize {
        self.helpers.len()
    }

    /// Lets all helpers and the leader's worker expand a block; the inboxes, by chunk.
    pub fn expand<T: TimePart, S: Borrow<Space<T>>>(
        &self,
        block: &Block,
        worker: &mut Worker<T, S>,
        limits: &Limits,
        spare: &mut Vec<Inbox>,
    ) -> Vec<Inbox> {
        let helpers = &self.helpers[..self.len().min(block.chunks().saturating_sub(1))];
        for (number, (jobs, _)) in helpers.iter().enumerate() {
            let share = spare.len() / (helpers.len() + 1 - number);
            let job = Job::Expand(block.clone(), spare.split_off(spare.len() - share));
            jobs.send(job).expect("helpers wait for work");
        }
        let mut done = block.work_off(worker, limits, spare);
        for (_, results) in helpers {
            match receive(results) {
                Some(Done::Expanded(more)) => done.extend(more),
                _ => panic!("a helper is lost"),
            }
        }
        done.sort_by_key(|(chunk, _)| *chunk);
        done.into_iter().map(|(_, inbox)| inbox).collect()
    }

    /// Lets all helpers and the leader deliver letters; each shard is always taken care of by the same thread. The
    /// shards in the same order, and how many letters were about states that a stored one covers.
    pub fn deliver<T: TimePart>(&self, round: &Round, shards: Vec<Shard>) -> (Vec<Shard>, u64) {
        let mut shares = Share::divide(shards, self.len() + 1);
        for (jobs, _) in &self.helpers {
            let share = shares.pop().expect("one for each thread");
            jobs.send(Job::Deliver(round.clone(), share)).expect("helpers wait for work");
        }
        let mut subsumed = shares.iter_mut().map(|share| deliver::<T>(round, share)).sum();
        for (_, results) in &self.helpers {
            match receive(results) {
                Some(Done::Delivered(share, more)) => {
                    shares.push(share);
                    subsumed += more;
                }
                _ => panic!("a helper is lost"),
            }
        }
        (Share::unite(shares), subsumed)
    }
}

/// The next message; `None` when there will be no more. Work comes in short pieces, so that it is worth looking a few
/// times before going to sleep.
fn receive<M>(messages: &Receiver<M>) -> Option<M> {
    const LOOKS: u32 = 10_000;
    for _ in 0..LOOKS {
        match messages.try_recv() {
            Ok(message) => return Some(message),
            Err(std::sync::mpsc::TryRecvError::Empty) => std::hint::spin_loop(),
            Err(std::sync::mpsc::TryRecvError::Disconnected) => return None,
        }
    }
    messages.recv().ok()
}
