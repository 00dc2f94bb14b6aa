//! Labels as they are tried on pairs of facts: the moves of each in single factors, which others may make, too.

use crate::factors::{Atomic, Facts, Operator, Part, Ways, bits};

/// What a group of labels does to the facts of a factor.
#[derive(Debug)]
pub(super) struct Moves {
    pub(super) factor: usize,
    /// A fact, and where its successors end.
    pub(super) sources: Vec<(u32, u32)>,
    pub(super) targets: Vec<u32>,
    /// Whether there are facts that it cannot start from.
    pub(super) restricts: bool,
    /// Whether it leads elsewhere.
    pub(super) affects: bool,
}

impl Moves {
    /// What a group does.
    pub(super) fn of(atomic: &Atomic, facts: &Facts, part: Part, ways: &Ways) -> Self {
        let factor = part.factor as usize;
        let (mut sources, mut targets): (Vec<(u32, u32)>, Vec<u32>) = (Vec::new(), Vec::new());
        let mut transitions = atomic.factors[factor].1.groups[part.group as usize].iter().peekable();
        for source in &ways.sources {
            while let Some((_, to)) = transitions.next_if(|(from, _)| from == source) {
                targets.push(facts.fact(factor, *to) as u32);
            }
            sources.push((facts.fact(factor, *source) as u32, targets.len() as u32));
        }
        Self { factor, sources, targets, restricts: ways.restricts, affects: ways.affects }
    }

    /// The facts that it starts from, each with its successors.
    pub(super) fn each(&self) -> impl Iterator<Item = (usize, &[u32])> {
        (0..self.sources.len()).map(|at| {
            let start = at.checked_sub(1).map_or(0, |before| self.sources[before].1);
            let (fact, end) = self.sources[at];
            (fact as usize, &self.targets[start as usize..end as usize])
        })
    }

    /// The facts that it starts from.
    pub(super) fn starts(&self) -> impl Iterator<Item = usize> {
        self.sources.iter().map(|(fact, _)| *fact as usize)
    }
}

/// A label: which moves it makes.
#[derive(Debug)]
pub(super) struct Joint {
    pub(super) costs: bool,
    pub(super) moves: Box<[u32]>,
}

/// What a state may take, in words looked at, if there are no more layers than facts.
pub(super) fn effort(facts: &Facts, operators: &[Operator], ways: &[Vec<Ways>]) -> u64 {
    let (n, words) = (facts.len() as u64, bits::words(facts.len()) as u64);
    let mut effort = 0u64;
    for operator in operators {
        let kept = operator.parts.iter().filter(|part| !facts.of(part.factor as usize).is_empty());
        let of = |part: &Part| &ways[part.factor as usize][part.group as usize];
        let sources: u64 = kept.clone().map(|part| of(part).sources.len() as u64).sum();
        let moved: u64 = kept.filter(|part| of(part).affects).map(|part| of(part).sources.len() as u64).sum();
        effort = effort.saturating_add(moved.saturating_mul(1 + sources));
    }
    effort.saturating_add(n).saturating_mul(words).saturating_mul(n)
}
