//! Times of events from difference constraints.
//!
//! Unknown are the moments `t_0 = 0, t_1, ..., t_n`; each constraint is `t_v - t_u <= w` or `< w`. Multiplied by
//! a scale `k`, a strict constraint becomes `<= w*k - 1`, and the system is one of integers. With `k` above the
//! number of events this loses nothing: a cycle of constraints has fewer strict edges than that. Smaller scales
//! are tried first, because halves read better than seventeenths. The least solution is taken: everything happens
//! as early as it can.

use beeline_ir::trace::Time;

/// `t_later - t_earlier <= bound`, or `<` if strict. ("Later" and "earlier" only name the two sides.)
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct TimeConstraint {
    /// The moment counted positively.
    pub later: usize,
    /// The moment subtracted.
    pub earlier: usize,
    /// The bound.
    pub bound: i64,
    /// `<` instead of `<=`.
    pub strict: bool,
}

/// Whether the system has a solution.
pub fn feasible(events: usize, constraints: &[TimeConstraint]) -> bool {
    least(events, constraints, exact_scale(events)).is_some()
}

/// The least solution at the smallest scale that has one.
pub fn solve(events: usize, constraints: &[TimeConstraint]) -> Option<Vec<Time>> {
    let exact = exact_scale(events);
    let mut scale = 1;
    loop {
        if let Some(times) = least(events, constraints, scale) {
            let ratio = |t: i128| Some(Time::new(i64::try_from(t).ok()?, i64::try_from(scale).ok()?));
            return times.into_iter().map(ratio).collect();
        }
        if scale >= exact {
            return None;
        }
        scale = (scale * 2).min(exact);
    }
}

fn exact_scale(events: usize) -> i128 {
    events as i128 + 1
}

/// Passes between two looks for a circle of moments that push each other on.
const LOOK: usize = 8;

/// The least integer solution of the scaled system, by Bellman and Ford; to and fro, for moments push later ones on, and
/// deadlines earlier ones (Yen, Quarterly of Applied Mathematics 27, 1970). Who pushes whom is remembered: once that is
/// a circle, there is no end to it, and no solution (Cherkassky and Goldberg, Mathematical Programming 85, 1999).
fn least(events: usize, constraints: &[TimeConstraint], scale: i128) -> Option<Vec<i128>> {
    let mut times = vec![0; events];
    let mut pushed_by = vec![None; events];
    for pass in 0..=events {
        let mut changed = false;
        let mut push = |c: &TimeConstraint| {
            let bound = i128::from(c.bound) * scale - i128::from(c.strict);
            let needed = times[c.later] - bound;
            if times[c.earlier] < needed {
                times[c.earlier] = needed;
                pushed_by[c.earlier] = Some(c.later);
                changed = true;
            }
        };
        match pass % 2 {
            0 => constraints.iter().for_each(&mut push),
            _ => constraints.iter().rev().for_each(&mut push),
        }
        if times[0] > 0 {
            // The first moment is 0: something must happen before the start.
            return None;
        }
        if !changed {
            return Some(times);
        }
        if pass % LOOK == LOOK - 1 && circular(&pushed_by) {
            return None;
        }
    }
    None
}

/// Whether some go round in a circle, each to the one it names.
fn circular(next: &[Option<usize>]) -> bool {
    // The walk that a place was first seen on.
    let mut seen = vec![None; next.len()];
    (0..next.len()).any(|walk| {
        let mut at = Some(walk);
        while let Some(place) = at {
            match seen[place] {
                None => seen[place] = Some(walk),
                Some(other) => return other == walk,
            }
            at = next[place];
        }
        false
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn c(later: usize, earlier: usize, bound: i64, strict: bool) -> TimeConstraint {
        TimeConstraint { later, earlier, bound, strict }
    }

    #[test]
    fn strict_bounds_get_fractions() {
        // 0 < t1 < 1
        let system = [c(0, 1, 0, true), c(1, 0, 1, true)];
        assert_eq!(solve(2, &system), Some(vec![Time::from(0), Time::new(1, 2)]));
        // 0 < t1 < t2 < 1
        let system = [c(0, 1, 0, true), c(1, 2, 0, true), c(2, 0, 1, true)];
        let times = solve(3, &system).expect("feasible");
        assert!(Time::from(0) < times[1] && times[1] < times[2] && times[2] < Time::from(1));
    }

    #[test]
    fn contradictions_are_found() {
        assert!(!feasible(2, &[c(0, 1, 0, true), c(1, 0, 0, false)]));
        assert!(!feasible(2, &[c(0, 1, -3, false), c(1, 0, 2, false)]));
        assert!(feasible(2, &[c(0, 1, -3, false), c(1, 0, 3, false)]));
    }

    #[test]
    fn long_runs_take_few_passes() {
        // A clock is reset again and again, each time more than 0 and less than 1 after the last time: at no small scale
        // there is room for all within the 1,000 that the last of them has. Passes as many as moments would take hours.
        let events = 200_000;
        let mut system = Vec::new();
        for at in 1..events {
            system.push(c(at - 1, at, 0, true));
            system.push(c(at, at - 1, 1, true));
        }
        system.push(c(events - 1, 0, 1_000, false));
        let times = solve(events, &system).expect("feasible");
        assert!(times.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(times[events - 1] <= Time::from(1_000));
        system.push(c(events - 1, 0, 0, false));
        assert!(!feasible(events, &system));
    }

    #[test]
    fn circles_are_seen() {
        assert!(!circular(&[None, Some(0), Some(1), Some(1)]));
        assert!(circular(&[None, Some(2), Some(1)]));
        assert!(circular(&[Some(0)]));
        assert!(!circular(&[]));
    }
}
