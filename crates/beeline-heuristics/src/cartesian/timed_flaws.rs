//! Flaws of clocks: where a shortest abstract way can be followed but for the time that it takes. What can be reached along
//! it is a zone at each leaf. Where an operator leads on from none of it, the clock values of the leaf from which it
//! does are a zone, too, which does not meet the first; a constraint of it that tells both apart, if there is one,
//! is an interpolant, by which the leaf is split. Where there is none, a constraint on a cycle of those that contradict
//! each other makes the zone that is wanted smaller.
//!
//! Where the leaf does not know a location that matters, it is split by that first.

use super::Leaf;
use super::abstraction::Abstraction;
use super::flaws::{Cut, Flaw, Follower};
use super::timing::Timing;
use super::transitions::Arc;
use beeline_zones::{Constraint, Dbm, minimal};

impl Follower {
    /// The first flaw of clocks on the way from a leaf with the initial state, which has no other; `None` if there is
    /// none, or if that cannot be said.
    pub(super) fn timed_flaw(&mut self, abstraction: &Abstraction, start: Leaf) -> Option<Flaw> {
        let system = &abstraction.system;
        let timing = system.timing.as_ref()?;
        let arcs =
            || std::iter::successors(Some(start), |leaf| Some(abstraction.distances.next(*leaf)?.other));
        let steps = arcs().count();
        if !timing.bears(steps) {
            return None;
        }
        self.work += (steps * timing.dim() * timing.dim()) as u64;
        self.here.copy_from_slice(&system.initial);
        let (mut leaf, mut zone) = (start, timing.zero());
        while let Some(arc) = abstraction.distances.next(leaf) {
            let mut later = zone.clone();
            let leads = timing.step(system, arc.operator, &self.here, &mut later)
                && abstraction.zone(arc.other).is_none_or(|to| later.intersect(to));
            if !leads {
                return self.why(abstraction, timing, (leaf, arc), &zone);
            }
            let to = abstraction.set(arc.other);
            for factor in 0..system.factors() {
                let range = system.range(factor);
                let there = &mut self.there[range.clone()];
                system.image(arc.operator, factor, &self.here[range.clone()], there);
                there.iter_mut().zip(&to[range]).for_each(|(word, to)| *word &= to);
            }
            std::mem::swap(&mut self.here, &mut self.there);
            (leaf, zone) = (arc.other, later);
        }
        None
    }

    /// Why a transition does not lead on from the clock values of a zone.
    fn why(
        &mut self,
        abstraction: &Abstraction,
        timing: &Timing,
        (leaf, arc): (Leaf, Arc),
        zone: &Dbm,
    ) -> Option<Flaw> {
        let Some(wanted) = wanted(abstraction, timing, (leaf, arc), abstraction.set(leaf)) else {
            return Some(Flaw { leaf, cut: Cut::Transition(arc) });
        };
        if wanted.intersects(zone) {
            let factor = self.unknown_place(abstraction, timing, (leaf, arc), zone)?;
            let range = abstraction.system.range(factor);
            let pairs = abstraction.set(leaf)[range.clone()].iter().zip(&self.here[range]);
            let others = pairs.map(|(all, here)| all & !here).collect();
            return Some(Flaw { leaf, cut: Cut::Factor(factor, others) });
        }
        let delay = timing.is_delay(arc.operator);
        let cut = separating(&wanted, zone, delay).filter(|constraint| timing.keeps(constraint.bound))?;
        Some(Flaw { leaf, cut: Cut::Clocks(cut) })
    }

    /// An automaton whose location matters, and which the leaf does not know.
    fn unknown_place(
        &mut self,
        abstraction: &Abstraction,
        timing: &Timing,
        (leaf, arc): (Leaf, Arc),
        zone: &Dbm,
    ) -> Option<usize> {
        let (system, set) = (&abstraction.system, abstraction.set(leaf));
        let unknown = |factor: &usize| {
            let range = system.range(*factor);
            timing.knows(system, *factor, &self.here) && self.here[range.clone()] != set[range]
        };
        let unknown: Vec<usize> = timing.telling().iter().copied().filter(unknown).collect();
        let enough = |factor: &usize| {
            let range = system.range(*factor);
            let mut known = set.to_vec();
            known[range.clone()].copy_from_slice(&self.here[range]);
            let wanted = wanted(abstraction, timing, (leaf, arc), &known);
            wanted.is_none_or(|wanted| !wanted.intersects(zone))
        };
        unknown.iter().copied().find(enough).or_else(|| unknown.first().copied())
    }
}

/// The clock values of a leaf from which a transition leads on, if so much is known of it; `None` if there are none.
fn wanted(abstraction: &Abstraction, timing: &Timing, (leaf, arc): (Leaf, Arc), set: &[u64]) -> Option<Dbm> {
    let mut wanted = abstraction.zone(arc.other).cloned().unwrap_or_else(|| timing.all());
    let some = timing.back(&abstraction.system, arc.operator, set, &mut wanted)
        && abstraction.zone(leaf).is_none_or(|zone| wanted.intersect(zone));
    some.then_some(wanted)
}

/// A constraint of a zone that another, which it does not meet, violates; at least in part. Where time passes, differences
/// of clocks stay as they are, so they are the better reason; otherwise single clocks are.
fn separating(wanted: &Dbm, zone: &Dbm, delay: bool) -> Option<Constraint> {
    let rows = 0..wanted.dim();
    let all = rows.clone().flat_map(|left| rows.clone().map(move |right| (left, right)));
    let finite = all.filter(|(left, right)| left != right && !wanted.get(*left, *right).is_infinite());
    let constraints = finite.map(|(left, right)| Constraint::new(left, right, wanted.get(left, right)));
    let apart = constraints.filter(|c| !zone.satisfies(c.left, c.right, c.bound));
    let simple = |c: &Constraint| {
        let constant = c.bound.constant().map_or(0, i32::unsigned_abs);
        ((c.left == 0 || c.right == 0) == delay, constant, c.left, c.right)
    };
    if let Some(constraint) = apart.min_by_key(simple) {
        return Some(constraint);
    }
    let mut left = zone.clone();
    let mut several = minimal(wanted);
    several.sort_by_key(simple);
    several.into_iter().find(|c| !left.constrain(c.left, c.right, c.bound))
}
