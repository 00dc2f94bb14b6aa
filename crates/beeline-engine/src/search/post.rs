//! What is on its way between the nodes that a layered search expands and the shards that take in their successors.

use super::Notes;
use crate::passed::{Arrival, NodeId, SHARDS};
use crate::state::interner::DiscreteId;
use crate::state::zone_store::{ZoneId, ZoneStore};
use beeline_ir::layout::Label;
use beeline_ir::limits::StopReason;
use beeline_ir::outcome::Stats;
use beeline_zones::Bound;
use std::ops::Range;

/// A state on its way to its shard.
#[derive(Clone, Debug)]
pub struct Letter {
    /// To which.
    pub shard: usize,
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
    /// Where its words are.
    pub words: Range<usize>,
    /// The id of its zone, if that is known.
    pub stored: Option<ZoneId>,
    /// Where its zone is otherwise.
    pub zone: Range<usize>,
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
        let (words, zone) = (word..self.words.len(), bound..self.zones.len());
        self.letters.push(Letter { words, zone, ..letter });
    }
    /// The words of a letter.
    pub fn words(&self, letter: &Letter) -> &[u64] {
        &self.words[letter.words.clone()]
    }
    /// The state of a letter from the layer that takes so many steps.
    #[inline]
    pub fn arrival<'a>(&'a self, letter: &Letter, zones: &'a ZoneStore, g: u32) -> Arrival<'a> {
        Arrival {
            words: self.words(letter),
            code: letter.code,
            discrete: letter.discrete,
            zone: letter.stored.map_or_else(|| &self.zones[letter.zone.clone()], |id| zones.get(id)),
            stored: letter.stored,
            g: g + u32::from(letter.costs),
            parent: Some(letter.parent),
        }
    }
}

/// What came of a chunk of nodes.
#[derive(Debug, Default)]
pub struct Inbox {
    /// The letters.
    pub post: Post,
    /// The letters to each shard.
    pub shards: [Vec<u32>; SHARDS],
    /// What the letters have become, unless they were covered.
    pub nodes: Vec<Option<New>>,
    /// Labels that are the target themselves, and whether they cost a step.
    pub found: Vec<(NodeId, Label, bool)>,
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
        self.shards.iter_mut().for_each(Vec::clear);
        self.nodes.clear();
        self.found.clear();
        (self.notes, self.stats, self.stopped) = (Notes::default(), Stats::default(), None);
    }
}

/// A node that a letter has become.
#[derive(Copy, Clone, Debug)]
pub struct New {
    /// The node.
    pub node: NodeId,
    /// Whether it is of the next layer.
    pub costs: bool,
    /// Whether it is what is looked for.
    pub target: bool,
}

/// What a shard took in.
#[derive(Debug, Default)]
pub struct TakenIn {
    /// New nodes: chunk, letter, node.
    pub nodes: Vec<(u32, u32, New)>,
    /// Letters about states that a stored one covers.
    pub subsumed: u64,
}
