//! Clock regions: finitely many classes of clock values, such that states of one class can do the same.
//!
//! Without diagonal constraints these are the regions of Alur and Dill ("A theory of timed automata", 1994): for each
//! clock its integer part and whether its fraction is zero, up to the greatest constant M it is compared with; above
//! that only "above"; and the order of the fractions of the clocks that are not above.
//!
//! With diagonal constraints x − y ~ c, |c| ≤ D, a clock above M still matters through its differences. For each
//! pair of clocks of which one is above M, the class also says where the difference lies among the integers from
//! −D to D (the difference of two clocks that are not above is known from the region). All M are then the same,
//! and at least D plus the greatest value v a clock is ever set to. This is a time-abstract bisimulation:
//! - *guards and invariants* are decided by the class, by definition;
//! - *delay* keeps differences, and the next moment at which a clock not above M meets or leaves an integer is
//!   fixed by the order of the fractions;
//! - *x := c*, c ≤ v: the difference to a clock y not above M is known; for y above M it is below c − M ≤ −D,
//!   which is one class;
//! - *x := y* copies the class of y.
//!
//! A class is represented by one of its members. Members are normalised: the order of all fractions, and so all
//! integer bounds on differences, stays as it is, but fractions become multiples of 1/(n+1), so that denominators
//! stay small; without diagonals a clock above M becomes M + 1.

use super::constants::Constants;
use beeline_check::State;
use beeline_ir::network::Network;
use beeline_ir::property::Property;
use beeline_ir::trace::Time;

/// The regions of a model.
#[derive(Clone, Debug)]
pub struct Regions {
    constants: Constants,
}

impl Regions {
    /// The regions that decide the model and the properties; `None` if a bound is not evident.
    pub fn new(network: &Network, properties: &[&Property]) -> Option<Self> {
        Constants::of(network, properties).map(|constants| Self { constants })
    }

    fn above(&self, clock: usize, value: Time) -> bool {
        value > Time::from_integer(self.constants.single[clock])
    }

    /// What identifies the discrete state and the region, of a normalised state.
    pub fn key(&self, state: &State) -> Vec<i64> {
        let mut key = Vec::with_capacity(state.slots.len() + 2 * state.clocks.len());
        key.extend_from_slice(&state.slots);
        let fractions = self.fractions(state, |clock, value| !self.above(clock, value));
        for (clock, &value) in state.clocks.iter().enumerate() {
            if self.above(clock, value) {
                key.push(-1);
            } else {
                key.push(value.floor().to_integer());
                key.push(rank(&fractions, value.fract()));
            }
        }
        if let Some(most) = self.constants.diagonal {
            for (i, &x) in state.clocks.iter().enumerate() {
                for (j, &y) in state.clocks.iter().enumerate().skip(i + 1) {
                    if self.above(i, x) || self.above(j, y) {
                        key.push(interval(x - y, most));
                    }
                }
            }
        }
        key
    }

    /// Replaces the clock values by simpler ones of the same region.
    pub fn normalise(&self, state: &mut State) {
        if self.constants.diagonal.is_none() {
            for (clock, value) in state.clocks.iter_mut().enumerate() {
                if self.above(clock, *value) {
                    *value = Time::from_integer(self.constants.single[clock] + 1);
                }
            }
        }
        let fractions = self.fractions(state, |_, _| true);
        let denominator = fractions.len() as i64 + 1;
        for value in &mut state.clocks {
            *value = value.floor() + Time::new(rank(&fractions, value.fract()), denominator);
        }
    }

    /// The delay to a member of the next region; `None` where all later moments are of the same region.
    pub fn to_next(&self, state: &State) -> Option<Time> {
        let below: Vec<Time> = state
            .clocks
            .iter()
            .enumerate()
            .filter(|(clock, value)| !self.above(*clock, **value))
            .map(|(_, value)| value.fract())
            .collect();
        let greatest = below.iter().copied().max()?;
        let to_integer = Time::from_integer(1) - greatest;
        let leaves_integer = below.contains(&Time::from_integer(0));
        Some(if leaves_integer { to_integer / 2 } else { to_integer })
    }

    /// The different fractions, other than 0, of some of the clocks; ascending.
    fn fractions(&self, state: &State, which: impl Fn(usize, Time) -> bool) -> Vec<Time> {
        let zero = Time::from_integer(0);
        let chosen = state.clocks.iter().enumerate().filter(|(clock, value)| which(*clock, **value));
        let mut all: Vec<Time> = chosen.map(|(_, value)| value.fract()).filter(|f| *f != zero).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// 0 for the fraction 0, else its place among the fractions from 1.
fn rank(fractions: &[Time], fraction: Time) -> i64 {
    fractions.iter().position(|f| *f == fraction).map_or(0, |at| at as i64 + 1)
}

/// Where a difference lies: an even number for an integer, an odd one for the gap above it; clipped beyond `most`.
fn interval(difference: Time, most: i64) -> i64 {
    let floor = difference.floor().to_integer();
    let place = 2 * floor + i64::from(!difference.is_integer());
    place.clamp(-2 * most - 1, 2 * most + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn regions(single: &[i64], diagonal: Option<i64>) -> Regions {
        Regions { constants: Constants { single: single.to_vec(), diagonal, set_to: 0 } }
    }
    fn state(clocks: &[(i64, i64)]) -> State {
        State { slots: Vec::new(), clocks: clocks.iter().map(|(n, d)| Time::new(*n, *d)).collect() }
    }

    #[test]
    fn one_clock_runs_through_its_intervals() {
        let regions = regions(&[2], None);
        let mut at = state(&[(0, 1)]);
        let mut seen = vec![regions.key(&at)];
        while let Some(delay) = regions.to_next(&at) {
            at.clocks[0] += delay;
            regions.normalise(&mut at);
            seen.push(regions.key(&at));
        }
        // 0, (0,1), 1, (1,2), 2, above
        assert_eq!(seen, [vec![0, 0], vec![0, 1], vec![1, 0], vec![1, 1], vec![2, 0], vec![-1]]);
    }

    #[test]
    fn regions_tell_what_constraints_tell() {
        // All pairs of multiples of 1/4 up to 4 with constants 2 and diagonals up to 1: members of one region agree on
        // every constraint, now and at every later moment.
        let regions = regions(&[2, 2], Some(1));
        let points: Vec<State> =
            (0..=16).flat_map(|a| (0..=16).map(move |b| state(&[(a, 4), (b, 4)]))).collect();
        let facts = |s: &State| {
            let mut facts = Vec::new();
            for c in 0..=2 {
                facts.extend(s.clocks.iter().flat_map(|x| [*x < c.into(), *x == Time::from(c)]));
            }
            let d = s.clocks[0] - s.clocks[1];
            facts.extend((-1..=1).flat_map(|c| [d < c.into(), d == Time::from(c)]));
            facts
        };
        for a in &points {
            for b in &points {
                if regions.key(a) == regions.key(b) {
                    assert_eq!(facts(a), facts(b), "{a:?} {b:?}");
                    let next = |s: &State| {
                        regions.to_next(s).map(|d| {
                            regions.key(&State {
                                slots: Vec::new(),
                                clocks: s.clocks.iter().map(|x| x + d).collect(),
                            })
                        })
                    };
                    assert_eq!(next(a), next(b), "{a:?} {b:?}");
                }
            }
        }
    }

    #[test]
    fn normal_form_stays_in_the_region() {
        let (plain, diagonal) = (regions(&[2, 1], None), regions(&[2, 2], Some(1)));
        for a in 0..=20 {
            for b in 0..=20 {
                let original = state(&[(a, 5), (b, 7)]);
                for regions in [&plain, &diagonal] {
                    let mut normal = original.clone();
                    regions.normalise(&mut normal);
                    assert_eq!(regions.key(&normal), regions.key(&original));
                    let once = normal.clone();
                    regions.normalise(&mut normal);
                    assert_eq!(normal, once);
                }
            }
        }
    }
}
