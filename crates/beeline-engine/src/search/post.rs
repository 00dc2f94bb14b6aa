//! What is on its way between the nodes that a layered search expands and the shards that take in their successors.

use super::{Hit, Notes};
use crate::passed::{Arrival, NodeId, NodePlace, Shard, Stores};
use crate::state::interner::DiscreteId;
use crate::state::zone_store::ZoneId;
use beeline_ir::limits::StopReason;
use beeline_ir::outcome::Stats;
use beeline_zones::Bound;
use std::ops::Range;

/// A state on its way to its shard.
#[derive(Clone, Debug)]
pub struct Letter {
    /// To which.
    pub shard: u8,
    /// The hash of its words.
    pub code: u64,
    /// The id of its words, if they have one.
    pub discrete: Option<DiscreteId>,
    /// The node that sends it.
    pub parent: NodeId,
    /// Whether it is of the next layer.
    pub costs: bool,
    /// It is what is looked for; while it waits to be sorted, it may be.
    pub target: bool,
    /// It may be something that is watched for, while it waits to be sorted.
    pub watched: bool,
    /// Where its words are.
    pub words: Range<u32>,
    /// The id of its zone, if that is known.
    pub stored: Option<ZoneId>,
    /// Where its zone is otherwise.
    pub zone: Range<u32>,
}

impl Letter {
    /// To which shard it goes.
    #[inline]
    pub fn shard(&self) -> usize {
        usize::from(self.shard)
    }
}

/// Letters, with what they are about.
#[derive(Debug, Default)]
pub struct Post {
    /// The letters.
    pub letters: Vec<Letter>,
    words: Vec<u64>,
    zones: Vec<Bound>,
}

impl Post {
    /// Throws everything away.
    pub fn clear(&mut self) {
        self.letters.clear();
        self.words.clear();
        self.zones.clear();
    }
    /// How many numbers there are in letters and what they are about.
    pub fn len(&self) -> usize {
        self.letters.len() * (size_of::<Letter>() / size_of::<u64>()) + self.words.len() + self.zones.len()
    }
    /// Bytes in use.
    pub fn bytes(&self) -> usize {
        self.letters.capacity() * size_of::<Letter>()
            + self.words.capacity() * size_of::<u64>()
            + self.zones.capacity() * size_of::<Bound>()
    }
    /// Adds a letter about words and a zone.
    pub fn add(&mut self, letter: Letter, words: &[u64], zone: &[Bound]) {
        let (word, bound) = (self.words.len(), self.zones.len());
        // There are few words, and often no zone: copying some at once is a call.
        self.words.extend(words);
        if !zone.is_empty() {
            self.zones.extend_from_slice(zone);
        }
        let (words, zone) = (range(word, self.words.len()), range(bound, self.zones.len()));
        self.letters.push(Letter { words, zone, ..letter });
    }
    /// The words of a letter.
    pub fn words(&self, letter: &Letter) -> &[u64] {
        &self.words[letter.words.start as usize..letter.words.end as usize]
    }
    /// The zone of a letter that has it with it.
    #[inline]
    fn zone(&self, letter: &Letter) -> &[Bound] {
        &self.zones[letter.zone.start as usize..letter.zone.end as usize]
    }
    /// The state of a letter from the layer that takes so many steps.
    #[inline]
    pub fn arrival<'a>(&'a self, letter: &Letter, stores: &'a Stores, g: u32) -> Arrival<'a> {
        Arrival {
            words: self.words(letter),
            code: letter.code,
            discrete: letter.discrete,
            zone: letter.stored.map_or_else(|| self.zone(letter), |id| stores.zone(id)),
            stored: letter.stored,
            g: g + u32::from(letter.costs),
            parent: Some(letter.parent),
        }
    }
}

/// Where something is in the post of a chunk.
#[inline]
fn range(start: usize, end: usize) -> Range<u32> {
    let at = |place: usize| u32::try_from(place).expect("what comes of a chunk fits in memory");
    at(start)..at(end)
}

/// What came of a chunk of nodes.
#[derive(Debug, Default)]
pub struct Inbox {
    /// The letters.
    pub post: Post,
    /// What the letters become, unless they are covered.
    pub nodes: Vec<NodePlace>,
    /// Labels that are the target themselves, and whether they cost a step; and nodes that are it for want of a successor.
    pub found: Vec<(Hit, bool)>,
    /// What was noticed.
    pub notes: Notes,
    /// What was counted.
    pub stats: Stats,
    /// Why the chunk was given up.
    pub stopped: Option<StopReason>,
}

impl Inbox {
    /// Throws everything away.
    pub fn clear(&mut self) {
        self.post.clear();
        self.nodes.clear();
        self.found.clear();
        (self.notes, self.stats, self.stopped) = (Notes::default(), Stats::default(), None);
    }
}

/// The shards that one thread takes care of: each so many after the one before.
#[derive(Debug)]
pub struct Share {
    shards: Vec<Shard>,
    first: usize,
    step: usize,
}

impl Share {
    /// All shards, in order, as so many shares.
    pub fn divide(shards: Vec<Shard>, step: usize) -> Vec<Self> {
        let mut shares: Vec<_> = (0..step).map(|first| Self { shards: Vec::new(), first, step }).collect();
        for shard in shards {
            shares[shard.number() % step].shards.push(shard);
        }
        shares
    }

    /// The shards of all shares, in order.
    pub fn unite(shares: Vec<Self>) -> Vec<Shard> {
        let mut shards: Vec<_> = shares.into_iter().flat_map(|share| share.shards).collect();
        shards.sort_by_key(Shard::number);
        shards
    }

    /// The shard of that number, if it is of this share.
    #[inline]
    pub fn get_mut(&mut self, number: usize) -> Option<&mut Shard> {
        let ours = number % self.step == self.first;
        if ours { self.shards.get_mut(number / self.step) } else { None }
    }
}
