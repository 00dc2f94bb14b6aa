//! Which targets there are: those of the goal, and what the labels of cuts have in common, as far as counted budgets allow.
//! Those beyond are left out for all states alike.

use super::cuts::{self, Graph};
use super::{Cut, Landmarks, Leg, Scratch, Target};
use crate::factors::{Atomic, Facts, Operator, Ways, bits};
use beeline_ir::limits::StopReason;
use beeline_program::factored::Meter;
use rustc_hash::FxHashMap;

/// Targets beyond which no more are derived.
const MOST_TARGETS: usize = 1 << 12;
/// Work beyond which no more are derived.
const MOST_WORK: u64 = 1 << 30;
/// Labels of all cuts, beyond which no more targets are derived.
const MOST_LABELS: usize = 1 << 24;
/// Ways to meet the goal that are told apart.
const MOST_GOALS: usize = 16;

/// Targets that derive from each other, while they are found.
pub(super) struct Deriving<'a> {
    atomic: &'a Atomic,
    facts: Facts,
    operators: Vec<Operator>,
    ways: Vec<Vec<Ways>>,
    /// By factor; none if it is too large.
    graphs: Vec<Option<Graph>>,
    /// By factor and group, the labels.
    labels: Vec<Vec<Vec<u32>>>,
    targets: Vec<Target>,
    /// What each of them asks for.
    asked: Vec<(usize, Vec<u64>)>,
    known: FxHashMap<(usize, Vec<u64>), u32>,
    cuts: Vec<Cut>,
    known_cuts: FxHashMap<Box<[u32]>, u32>,
    work: u64,
    /// Labels of all cuts.
    size: usize,
}

impl<'a> Deriving<'a> {
    pub(super) fn new(atomic: &'a Atomic, meter: &Meter<'_>) -> Result<Self, StopReason> {
        let operators = atomic.operators(meter)?;
        let mut labels: Vec<Vec<Vec<u32>>> =
            atomic.factors.iter().map(|(_, factor)| vec![Vec::new(); factor.groups.len()]).collect();
        for (at, operator) in operators.iter().enumerate() {
            meter.allocate(operator.bytes())?;
            for part in &operator.parts {
                labels[part.factor as usize][part.group as usize].push(at as u32);
            }
        }
        let mut graphs = Vec::new();
        for ((_, factor), labels) in atomic.factors.iter().zip(&labels) {
            let cost = |labels: &Vec<u32>| {
                let all = labels.iter().all(|label| operators[*label as usize].costs);
                (!labels.is_empty()).then_some(all)
            };
            let costs: Vec<Option<bool>> = labels.iter().map(cost).collect();
            let graph = Graph::new(factor, &costs);
            meter.work(graph.as_ref().map_or(1, Graph::work))?;
            graphs.push(graph);
        }
        Ok(Self {
            facts: Facts::new(atomic),
            ways: atomic.ways(),
            atomic,
            operators,
            graphs,
            labels,
            targets: Vec::new(),
            asked: Vec::new(),
            known: FxHashMap::default(),
            cuts: Vec::new(),
            known_cuts: FxHashMap::default(),
            work: 0,
            size: 0,
        })
    }

    /// Derives all of them.
    pub(super) fn run(mut self, mutexes: bool, meter: &Meter<'_>) -> Result<Landmarks, StopReason> {
        let goals = self.goals(meter)?;
        let mut next = 0;
        while next < self.targets.len() {
            self.cut(next, meter)?;
            next += 1;
        }
        let scratch = Scratch {
            seen: vec![false; self.targets.len()],
            shares: vec![(0, 0); self.operators.len()],
            taken: vec![None; self.operators.len()],
            ..Scratch::default()
        };
        let Self { facts, targets, cuts, .. } = self;
        Ok(Landmarks { facts, targets, cuts, goals, mutexes, scratch })
    }

    /// The targets of each way to meet the goal.
    fn goals(&mut self, meter: &Meter<'_>) -> Result<Vec<Vec<u32>>, StopReason> {
        let Some(monitor) = self.atomic.monitor() else {
            let mut targets = Vec::new();
            for (at, (_, factor)) in self.atomic.factors.iter().enumerate() {
                let mut set = vec![0; bits::words(factor.states())];
                (0..factor.states()).filter(|s| factor.goal[*s]).for_each(|s| bits::put(&mut set, s));
                targets.extend(self.target(at, set, meter)?);
            }
            return Ok(vec![targets]);
        };
        let ways = (0..self.operators.len() as u32).filter(|o| {
            let operator = &self.operators[*o as usize];
            operator.part(monitor as u32).is_some()
        });
        let ways: Vec<u32> = ways.collect();
        let each = if ways.len() > MOST_GOALS { vec![&*ways] } else { ways.chunks(1).collect() };
        each.into_iter().map(|ways| self.common(ways, Some(monitor), meter)).collect()
    }

    /// The target of some states of a factor, unless it is met anywhere or too much.
    fn target(&mut self, factor: usize, set: Vec<u64>, meter: &Meter<'_>) -> Result<Option<u32>, StopReason> {
        let states = self.atomic.factors[factor].1.states();
        let Some(graph) = &self.graphs[factor] else { return Ok(None) };
        if bits::each(&set).count() == states {
            return Ok(None);
        }
        let key = (factor, set);
        if let Some(known) = self.known.get(&key) {
            return Ok(Some(*known));
        }
        if self.targets.len() >= MOST_TARGETS || self.work > MOST_WORK || self.size > MOST_LABELS {
            return Ok(None);
        }
        self.work += graph.work();
        let id = self.targets.len() as u32;
        meter.allocate(size_of::<Target>() + 2 * size_of_val(&*key.1) + states * size_of::<Option<Leg>>())?;
        self.targets.push(Target { factor, legs: Vec::new() });
        self.asked.push(key.clone());
        self.known.insert(key, id);
        Ok(Some(id))
    }

    /// The targets that some labels have in common, but for those of a factor.
    fn common(
        &mut self,
        labels: &[u32],
        but: Option<usize>,
        meter: &Meter<'_>,
    ) -> Result<Vec<u32>, StopReason> {
        let Some(first) = labels.first() else { return Ok(Vec::new()) };
        let mut targets = Vec::new();
        for part in self.operators[*first as usize].parts.clone() {
            let factor = part.factor as usize;
            let mut set = vec![0; bits::words(self.atomic.factors[factor].1.states())];
            let mut restricted = Some(factor) != but;
            for label in labels {
                let part = self.operators[*label as usize].part(part.factor);
                let ways = part.map(|part| &self.ways[factor][part.group as usize]);
                let Some(ways) = ways.filter(|ways| ways.restricts && restricted) else {
                    restricted = false;
                    break;
                };
                ways.sources.iter().for_each(|state| bits::put(&mut set, state.index()));
                meter.work(1 + ways.sources.len() as u64)?;
                self.work += 1 + ways.sources.len() as u64;
            }
            if restricted {
                targets.extend(self.target(factor, set, meter)?);
            }
        }
        Ok(targets)
    }

    /// Finds the cuts on the way to a target.
    fn cut(&mut self, target: usize, meter: &Meter<'_>) -> Result<(), StopReason> {
        let (factor, set) = self.asked[target].clone();
        let Some(graph) = &self.graphs[factor] else { return Ok(()) };
        meter.work(graph.work())?;
        let asked: Vec<bool> =
            (0..self.atomic.factors[factor].1.states()).map(|state| bits::has(&set, state)).collect();
        let mut legs = Vec::new();
        for leg in graph.legs(&asked) {
            let Some(cuts::Leg { cuts, next }) = leg else {
                legs.push(None);
                continue;
            };
            let mut named = Vec::new();
            for groups in cuts {
                let labels = groups.iter().flat_map(|group| &self.labels[factor][*group as usize]);
                let mut labels: Vec<u32> = labels.copied().collect();
                labels.sort_unstable();
                meter.work(labels.len() as u64)?;
                named.push(self.intern(labels.into(), meter)?);
            }
            meter.allocate(size_of_val(&*named))?;
            legs.push(Some(Leg { cuts: named.into(), next: next.map(|next| next.0) }));
        }
        self.targets[target].legs = legs;
        Ok(())
    }

    fn intern(&mut self, labels: Box<[u32]>, meter: &Meter<'_>) -> Result<u32, StopReason> {
        if let Some(known) = self.known_cuts.get(&labels) {
            return Ok(*known);
        }
        meter.allocate(size_of::<Cut>() + 2 * size_of_val(&*labels))?;
        self.size += labels.len();
        let id = self.cuts.len() as u32;
        self.known_cuts.insert(labels.clone(), id);
        self.cuts.push(Cut::default());
        let derived = self.common(&labels, None, meter)?;
        self.cuts[id as usize] = Cut { labels, derived };
        Ok(id)
    }
}
