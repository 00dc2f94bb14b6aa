//! Which pairs of facts can be the case together, layer by layer: two facts are, after a label, if facts that they come from
//! are before it, each of them together with all that the label asks of other factors.
//!
//! What is known to be together with a fact is a row of bits, so that a label is tried on all pairs with a fact at once. A
//! label is tried again only when a row of a fact that it may start from has grown.

use super::moves::{Joint, Moves, effort};
use crate::factors::{Atomic, Facts, Operator, State, Ways, bits};
use beeline_ir::limits::StopReason;
use beeline_program::factored::Meter;
use rustc_hash::FxHashMap;

/// A symmetric relation between facts; a fact that is possible is together with itself, and with no other of its factor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Together {
    words: usize,
    rows: Vec<u64>,
}

impl Together {
    fn new(facts: usize) -> Self {
        let words = bits::words(facts);
        Self { words, rows: vec![0; words * facts] }
    }

    /// What is together with a fact.
    #[inline]
    pub(crate) fn row(&self, fact: usize) -> &[u64] {
        &self.rows[fact * self.words..][..self.words]
    }

    #[inline]
    pub(crate) fn has(&self, a: usize, b: usize) -> bool {
        bits::has(self.row(a), b)
    }

    #[inline]
    fn put(&mut self, a: usize, b: usize) {
        let words = self.words;
        bits::put(&mut self.rows[a * words..][..words], b);
        bits::put(&mut self.rows[b * words..][..words], a);
    }
}

/// How labels are tried.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum When {
    /// What they lead to belongs to the same layer.
    Now,
    /// It belongs to the next.
    Soon,
}

/// The layers of one state. Used again and again: what is in it is from the last exploration.
#[derive(Debug)]
pub(crate) struct PairLayers {
    pub(crate) facts: Facts,
    moves: Vec<Moves>,
    joints: Vec<Joint>,
    /// The goal, as moves that change nothing.
    goal: Box<[u32]>,
    /// Labels that may start from a fact.
    users: Vec<Vec<u32>>,
    now: Together,
    soon: Together,
    /// Pairs of the next layer.
    pending: Vec<(u32, u32)>,
    /// Facts whose rows have grown.
    grown: Vec<u32>,
    has_grown: Vec<bool>,
    /// Labels to be tried, those that cost nothing first.
    open: [Vec<u32>; 2],
    is_open: Vec<bool>,
    held: Vec<u64>,
    image: Vec<u64>,
    union: Vec<u64>,
    /// Factors that are left out.
    pub(crate) left_out: usize,
}

impl PairLayers {
    /// For atomic factors, with about so much work for one state; the largest factors are left out until it is no more.
    pub(crate) fn new(atomic: &Atomic, budget: u64, meter: &Meter<'_>) -> Result<Self, StopReason> {
        let (operators, ways) = (atomic.operators(meter)?, atomic.ways());
        let all = Facts::new(atomic);
        let asked = |factor: usize| !atomic.factors[factor].1.goal.iter().all(|goal| *goal);
        let mut order: Vec<usize> = (0..all.factors()).collect();
        order.sort_by_key(|factor| (all.of(*factor).len(), !asked(*factor)));
        for kept in (0..=order.len()).rev() {
            let mut keep = vec![false; order.len()];
            order[..kept].iter().for_each(|factor| keep[*factor] = true);
            let facts = Facts::of_some(atomic, |factor| keep[factor]);
            meter.work(operators.len() as u64)?;
            if effort(&facts, &operators, &ways) <= budget {
                let made = Self::of(atomic, facts, &operators, &ways, meter)?;
                return Ok(Self { left_out: order.len() - kept, ..made });
            }
        }
        Self::of(atomic, Facts::of_some(atomic, |_| false), &[], &ways, meter)
    }

    fn of(
        atomic: &Atomic,
        facts: Facts,
        operators: &[Operator],
        ways: &[Vec<Ways>],
        meter: &Meter<'_>,
    ) -> Result<Self, StopReason> {
        let mut moves: Vec<Moves> = Vec::new();
        let mut known: FxHashMap<(u32, u32), u32> = FxHashMap::default();
        let mut joints = Vec::new();
        for operator in operators {
            let mut made = Vec::new();
            for part in operator.parts.iter().filter(|part| !facts.of(part.factor as usize).is_empty()) {
                let at = *known.entry((part.factor, part.group)).or_insert(moves.len() as u32);
                if at as usize == moves.len() {
                    let ways = &ways[part.factor as usize][part.group as usize];
                    let one = Moves::of(atomic, &facts, *part, ways);
                    meter.allocate(size_of_val(&*one.sources) + size_of_val(&*one.targets))?;
                    moves.push(one);
                }
                made.push(at);
            }
            meter.allocate(size_of::<Joint>() + size_of_val(&*made))?;
            if made.iter().any(|at| moves[*at as usize].affects) {
                joints.push(Joint { costs: operator.costs, moves: made.into() });
            }
        }
        let mut goal = Vec::new();
        for (at, (_, factor)) in atomic.factors.iter().enumerate() {
            if !facts.of(at).is_empty() && !factor.goal.iter().all(|goal| *goal) {
                let asked = (0..factor.states()).filter(|state| factor.goal[*state]);
                let targets: Vec<u32> = asked.map(|s| facts.fact(at, State::new(s)) as u32).collect();
                let sources = targets.iter().zip(1..).map(|(fact, end)| (*fact, end)).collect();
                goal.push(moves.len() as u32);
                moves.push(Moves { factor: at, sources, targets, restricts: true, affects: false });
            }
        }
        let n = facts.len();
        let mut users = vec![Vec::new(); n];
        for (at, joint) in joints.iter().enumerate() {
            for fact in joint.moves.iter().flat_map(|moves_at| moves[*moves_at as usize].starts()) {
                meter.allocate(size_of::<u32>())?;
                users[fact].push(at as u32);
            }
        }
        meter.allocate(2 * n * bits::words(n) * size_of::<u64>())?;
        Ok(Self {
            now: Together::new(n),
            soon: Together::new(n),
            pending: Vec::new(),
            grown: Vec::new(),
            has_grown: vec![false; n],
            open: [Vec::new(), Vec::new()],
            is_open: vec![false; joints.len()],
            held: vec![0; bits::words(n)],
            image: vec![0; bits::words(n)],
            union: vec![0; bits::words(n)],
            facts,
            moves,
            joints,
            goal: goal.into(),
            users,
            left_out: 0,
        })
    }

    /// Begins with a state, given by its facts.
    fn start(&mut self, state: &[usize]) {
        self.now.rows.fill(0);
        self.soon.rows.fill(0);
        self.pending.clear();
        self.grown.drain(..).for_each(|fact| self.has_grown[fact as usize] = false);
        for open in &mut self.open {
            open.drain(..).for_each(|joint| self.is_open[joint as usize] = false);
        }
        for a in state {
            for b in state {
                self.now.put(*a, *b);
                self.soon.put(*a, *b);
            }
            self.note(*a);
        }
    }

    #[inline]
    fn note(&mut self, fact: usize) {
        if !std::mem::replace(&mut self.has_grown[fact], true) {
            self.grown.push(fact as u32);
        }
    }

    /// Opens the labels that may start from what has grown.
    fn open(&mut self) {
        while let Some(fact) = self.grown.pop() {
            self.has_grown[fact as usize] = false;
            for joint in &self.users[fact as usize] {
                if !std::mem::replace(&mut self.is_open[*joint as usize], true) {
                    self.open[usize::from(self.joints[*joint as usize].costs)].push(*joint);
                }
            }
        }
    }

    /// The number of the first layer in which the goal is possible; `None` if there is none.
    pub(crate) fn explore(&mut self, state: &[usize]) -> Option<u32> {
        self.start(state);
        let mut layer = 0;
        loop {
            self.open();
            while let Some(joint) = self.open[0].pop() {
                self.is_open[joint as usize] = false;
                self.take(joint, When::Now);
                self.open();
            }
            if self.possible(&Vec::from(&*self.goal)) {
                return Some(layer);
            }
            while let Some(joint) = self.open[1].pop() {
                self.is_open[joint as usize] = false;
                self.take(joint, When::Soon);
            }
            if self.pending.is_empty() {
                return None;
            }
            for at in 0..self.pending.len() {
                let (a, b) = (self.pending[at].0 as usize, self.pending[at].1 as usize);
                self.now.put(a, b);
                self.note(a);
                self.note(b);
            }
            self.pending.clear();
            layer += 1;
        }
    }

    /// All that can ever be together, whatever it costs.
    pub(crate) fn close(
        mut self,
        state: &[usize],
        meter: &Meter<'_>,
    ) -> Result<(Facts, Together), StopReason> {
        self.start(state);
        self.open();
        while let Some(joint) = self.open[0].pop().or_else(|| self.open[1].pop()) {
            self.is_open[joint as usize] = false;
            meter.work(1 + self.take(joint, When::Now))?;
            self.open();
        }
        Ok((self.facts, self.now))
    }

    /// Tries a label, and tells how much work it was.
    fn take(&mut self, joint: u32, when: When) -> u64 {
        let parts = std::mem::take(&mut self.joints[joint as usize].moves);
        let mut work = 0;
        for (at, moves_at) in parts.iter().enumerate() {
            if !self.moves[*moves_at as usize].affects {
                continue;
            }
            let taken = std::mem::take(&mut self.moves[*moves_at as usize].sources);
            let mut start = 0;
            for (fact, end) in &taken {
                let targets = start as usize..*end as usize;
                start = *end;
                work += 1;
                if self.supports(&parts, at, *fact as usize) {
                    work += (self.held.len() * parts.len()) as u64;
                    self.lead(&parts, at);
                    for target in targets {
                        let target = self.moves[*moves_at as usize].targets[target] as usize;
                        self.add(target, when);
                    }
                }
            }
            self.moves[*moves_at as usize].sources = taken;
        }
        self.joints[joint as usize].moves = parts;
        work
    }

    /// Whether a fact may hold when moves are made, as far as pairs tell; then what may be together with it is in `held`.
    fn supports(&mut self, parts: &[u32], at: usize, fact: usize) -> bool {
        let Self { moves, now, held, union, .. } = self;
        if !now.has(fact, fact) {
            return false;
        }
        held.copy_from_slice(now.row(fact));
        let others = || parts.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, other)| *other);
        let restricting = || others().map(|other| &moves[other as usize]).filter(|moves| moves.restricts);
        for other in restricting() {
            union.fill(0);
            for with in other.starts().filter(|with| now.has(fact, *with)) {
                union.iter_mut().zip(now.row(with)).for_each(|(all, row)| *all |= row);
            }
            held.iter_mut().zip(&*union).for_each(|(held, all)| *held &= all);
        }
        restricting().all(|other| other.starts().any(|with| bits::has(held, with)))
    }

    /// What becomes of what is in `held`, but for the factor of one of the moves, into `image`.
    fn lead(&mut self, parts: &[u32], at: usize) {
        let Self { moves, facts, held, image, .. } = self;
        image.copy_from_slice(held);
        for moves in parts.iter().map(|part| &moves[*part as usize]) {
            facts.of(moves.factor).for_each(|fact| bits::take(image, fact));
        }
        let others = parts.iter().enumerate().filter(|(other, _)| *other != at);
        for (from, targets) in others.flat_map(|(_, other)| moves[*other as usize].each()) {
            if bits::has(held, from) {
                targets.iter().for_each(|target| bits::put(image, *target as usize));
            }
        }
    }

    /// Adds what is in `image`, together with a fact.
    fn add(&mut self, fact: usize, when: When) {
        for word in 0..self.image.len() + 1 {
            let known = if when == When::Now { &self.now } else { &self.soon };
            // The fact itself comes last.
            let (word, all) = match self.image.get(word) {
                Some(all) => (word, *all),
                None => (fact / 64, 1 << (fact % 64)),
            };
            let mut new = all & !known.row(fact)[word];
            while new != 0 {
                let with = word * 64 + new.trailing_zeros() as usize;
                new &= new - 1;
                self.soon.put(fact, with);
                if when == When::Now {
                    self.now.put(fact, with);
                    self.note(fact);
                    self.note(with);
                } else {
                    self.pending.push((fact as u32, with as u32));
                }
            }
        }
    }

    /// Whether moves may be made together, as far as pairs tell.
    fn possible(&mut self, parts: &[u32]) -> bool {
        (0..parts.len()).all(|at| {
            let starts: Vec<usize> = self.moves[parts[at] as usize].starts().collect();
            starts.into_iter().any(|fact| self.supports(parts, at, fact))
        })
    }

    pub(crate) fn bytes(&self) -> usize {
        let moves =
            self.moves.iter().map(|moves| size_of_val(&*moves.sources) + size_of_val(&*moves.targets));
        let joints = self.joints.iter().map(|joint| size_of::<Joint>() + size_of_val(&*joint.moves));
        let users = self.users.iter().map(|users| size_of_val(&**users));
        moves.chain(joints).chain(users).sum::<usize>() + 2 * size_of_val(&*self.now.rows)
    }
}
