//! Cubes, and the layers of them around the goal. A cube that others of the same layer or one nearer to the goal hold is
//! left out; two that differ in one factor become one.

use crate::factors::{Atomic, Facts, Operator, bits};
use crate::mutexes::Mutexes;
use beeline_ir::limits::StopReason;
use beeline_program::factored::Meter;
use rustc_hash::FxHashSet;

/// Words looked at, beyond which no more layers are made.
const MOST_WORK: u64 = 1 << 31;

/// How far to go.
#[derive(Copy, Clone, Debug)]
pub(super) struct Most {
    /// Layers beyond that of the goal.
    pub(super) depth: u32,
    /// Cubes of all layers.
    pub(super) cubes: usize,
}

/// The complete layers around the goal.
#[derive(Debug, Default)]
pub(super) struct Backward {
    /// One after the other, a bit for each fact.
    cubes: Vec<u64>,
    /// Words of each.
    words: usize,
    /// By cube; ascending.
    pub(super) layer_of: Vec<u32>,
    /// How many layers there are.
    pub(super) layers: u32,
    /// Whether nothing leads into them from outside.
    pub(super) closed: bool,
}

/// Why a layer ends before its time.
enum End {
    /// There would be too many cubes, or too much to do.
    Full,
    Stopped(StopReason),
}

impl From<StopReason> for End {
    fn from(reason: StopReason) -> Self {
        Self::Stopped(reason)
    }
}

impl Backward {
    /// The cubes.
    pub(super) fn each(&self) -> impl Iterator<Item = &[u64]> {
        (0..self.layer_of.len()).map(|at| self.cube(at))
    }

    fn cube(&self, at: usize) -> &[u64] {
        &self.cubes[at * self.words..][..self.words]
    }

    fn truncate(&mut self, cubes: usize) {
        self.layer_of.truncate(cubes);
        self.cubes.truncate(cubes * self.words);
    }

    /// The layers around the goal of atomic factors, without states that contain a mutex pair.
    pub(super) fn run(
        atomic: &Atomic,
        mutexes: Option<&Mutexes>,
        most: Most,
        meter: &Meter<'_>,
    ) -> Result<Self, StopReason> {
        let facts = Facts::new(atomic);
        let mutexes = mutexes.map(|mutexes| mutexes.rows(&facts, meter)).transpose()?.flatten();
        let (free, costly): (Vec<Operator>, Vec<Operator>) =
            atomic.operators(meter)?.into_iter().partition(|operator| !operator.costs);
        let words = bits::words(facts.len());
        let mut making = Making {
            atomic,
            mutexes,
            most,
            ranges: (0..facts.factors()).map(|factor| facts.of(factor)).collect(),
            facts,
            known: FxHashSet::default(),
            made: Self { words, ..Self::default() },
            work: 0,
        };
        match making.layers(&free, &costly, meter) {
            Err(End::Stopped(reason)) => return Err(reason),
            Err(End::Full) => {
                let complete = making.made.layers;
                let kept = making.made.layer_of.partition_point(|layer| *layer < complete);
                making.made.truncate(kept);
            }
            Ok(()) => {}
        }
        Ok(making.made)
    }
}

struct Making<'a> {
    atomic: &'a Atomic,
    facts: Facts,
    ranges: Vec<std::ops::Range<usize>>,
    /// By fact, those that do not exclude it.
    mutexes: Option<Vec<u64>>,
    most: Most,
    /// Cubes that there were, or are in others.
    known: FxHashSet<Box<[u64]>>,
    made: Backward,
    work: u64,
}

impl Making<'_> {
    fn layers(&mut self, free: &[Operator], costly: &[Operator], meter: &Meter<'_>) -> Result<(), End> {
        let mut goal = vec![0; self.made.words];
        for (at, (_, factor)) in self.atomic.factors.iter().enumerate() {
            let asked = (0..factor.states()).filter(|state| factor.goal[*state]);
            asked.for_each(|state| bits::put(&mut goal, self.ranges[at].start + state));
        }
        let mut start = 0;
        self.add(goal, 0, 0, meter)?;
        loop {
            let layer = self.made.layers;
            let mut next = start;
            while next < self.made.layer_of.len() {
                next += 1;
                self.expand(next - 1, free, layer, next, meter)?;
            }
            self.made.layers += 1;
            if layer == self.most.depth {
                return Ok(());
            }
            for at in start..next {
                self.expand(at, costly, layer + 1, next, meter)?;
            }
            if next == self.made.layer_of.len() {
                self.made.closed = true;
                return Ok(());
            }
            start = next;
        }
    }

    /// Adds what leads into a cube to a layer, of which cubes from a place on may still grow.
    fn expand(
        &mut self,
        at: usize,
        operators: &[Operator],
        layer: u32,
        growing: usize,
        meter: &Meter<'_>,
    ) -> Result<(), End> {
        let cube = self.made.cube(at).to_vec();
        for operator in operators {
            if let Some(into) = self.before(&cube, operator, meter)? {
                self.add(into, layer, growing, meter)?;
            }
        }
        Ok(())
    }

    fn spend(&mut self, work: usize, meter: &Meter<'_>) -> Result<(), End> {
        self.work += work as u64;
        meter.work(work as u64)?;
        if self.work > MOST_WORK { Err(End::Full) } else { Ok(()) }
    }

    /// What leads into a cube by a label, if it leads there from elsewhere.
    fn before(
        &mut self,
        cube: &[u64],
        operator: &Operator,
        meter: &Meter<'_>,
    ) -> Result<Option<Vec<u64>>, End> {
        let mut into = cube.to_vec();
        let mut outside = false;
        for part in &operator.parts {
            let (factor, first) = (part.factor as usize, self.ranges[part.factor as usize].start);
            let transitions = &self.atomic.factors[factor].1.groups[part.group as usize];
            self.ranges[factor].clone().for_each(|fact| bits::take(&mut into, fact));
            let mut any = false;
            for (from, to) in transitions {
                if bits::has(cube, first + to.index()) {
                    any = true;
                    outside |= !bits::has(cube, first + from.index());
                    bits::put(&mut into, first + from.index());
                }
            }
            let work = transitions.len() + self.ranges[factor].len();
            self.spend(work, meter)?;
            if !any {
                return Ok(None);
            }
        }
        Ok(outside.then_some(into))
    }

    /// Leaves out of a cube what is mutex with all of its values of some factor; false if nothing stays.
    fn narrow(&self, cube: &mut [u64]) -> bool {
        let Some(rows) = &self.mutexes else { return true };
        let words = cube.len();
        let mut union = vec![0; words];
        for range in &self.ranges {
            union.fill(0);
            for fact in range.clone().filter(|fact| bits::has(cube, *fact)) {
                union.iter_mut().zip(&rows[fact * words..]).for_each(|(all, row)| *all |= row);
            }
            cube.iter_mut().zip(&union).for_each(|(cube, all)| *cube &= all);
        }
        self.ranges.iter().all(|range| range.clone().any(|fact| bits::has(cube, fact)))
    }

    /// Adds a cube to a layer, of which cubes from a place on may still grow.
    fn add(&mut self, mut cube: Vec<u64>, layer: u32, growing: usize, meter: &Meter<'_>) -> Result<(), End> {
        self.spend(self.made.words, meter)?;
        if !self.known.insert(cube.clone().into()) {
            return Ok(());
        }
        meter.allocate(size_of_val(&*cube))?;
        if self.mutexes.is_some() {
            self.spend(self.facts.len() * self.made.words, meter)?;
            if !self.narrow(&mut cube) {
                return Ok(());
            }
        }
        let cubes = self.made.layer_of.len();
        self.spend(2 * cubes + self.made.words, meter)?;
        if self.made.each().any(|known| cube.iter().zip(known).all(|(cube, known)| cube & !known == 0)) {
            return Ok(());
        }
        meter.allocate(size_of_val(&*cube))?;
        match (growing..cubes).find(|known| self.alike(&cube, self.made.cube(*known))) {
            Some(known) => {
                let words = self.made.words;
                let grown = &mut self.made.cubes[known * words..][..words];
                grown.iter_mut().zip(&cube).for_each(|(all, more)| *all |= more);
            }
            None if cubes >= self.most.cubes => return Err(End::Full),
            None => {
                self.made.cubes.extend(&cube);
                self.made.layer_of.push(layer);
            }
        }
        Ok(())
    }

    /// Whether two cubes differ in one factor only.
    fn alike(&self, a: &[u64], b: &[u64]) -> bool {
        let differs = |word: usize| {
            (a[word] != b[word]).then(|| word * 64 + (a[word] ^ b[word]).trailing_zeros() as usize)
        };
        let Some(first) = (0..a.len()).find_map(differs) else { return true };
        let factor = self.ranges.partition_point(|range| range.end <= first);
        let range = &self.ranges[factor];
        (0..a.len()).all(|word| {
            let (low, high) =
                (range.start.saturating_sub(word * 64).min(64), range.end.saturating_sub(word * 64).min(64));
            let mask = |bits: usize| if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
            (a[word] ^ b[word]) & !(mask(high) & !mask(low)) == 0
        })
    }
}
