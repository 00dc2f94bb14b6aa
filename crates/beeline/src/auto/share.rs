//! How work is shared out between breadth-first search and what is tried beside it. All of it is counted (the units are
//! those of [`beeline_ir::limits::Work`], about a nanosecond each on a machine of these days), so that a run can be
//! repeated.
//!
//! As long as breadth-first search may still be about to answer, what is tried beside it gets a small part of what it
//! has done: then nobody has to wait much longer than for breadth-first search alone. When it has gone on for long
//! without an answer, or is known to have a long way to go, the others get more than it does.

/// How breadth-first search and the others share.
#[derive(Copy, Clone, Debug)]
pub(super) struct Shares {
    /// What breadth-first search does before anything else is tried.
    pub(super) first: u64,
    /// What others may do from the start.
    pub(super) start: u64,
    /// What has to be done before breadth-first search has gone on for long.
    pub(super) long: u64,
    /// The allowance of the first greedy searches.
    pub(super) probe: u64,
}

/// The usual shares: others have 0.1 s or so at once, and a tenth until breadth-first search has taken ten seconds or so.
pub(super) const USUAL: Shares =
    Shares { first: 80_000_000, start: 80_000_000, long: 10_000_000_000, probe: 15_000_000 };

/// Of what breadth-first search has done, others may do one part in so many.
const FEW: u64 = 10;
/// Beyond what is long, they may do so many times as much.
const MANY: u64 = 3;

impl Shares {
    /// How much breadth-first search has done when it waits for the next time, after it has waited at so much.
    pub(super) fn next(&self, breadth: u64) -> u64 {
        (breadth.saturating_add(breadth / 4)).max(self.first)
    }

    /// How much others may have done when breadth-first search has done so much, and has a long way to go or not.
    pub(super) fn others(&self, breadth: u64, far: bool) -> u64 {
        let beyond = breadth.saturating_sub(if far { 0 } else { self.long });
        (self.start + (breadth - beyond) / FEW).saturating_add(beyond.saturating_mul(MANY))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_have_little_at_first_and_more_later() {
        let shares = Shares { first: 10, start: 12, long: 600, probe: 1 };
        assert_eq!((shares.next(0), shares.next(10), shares.next(100)), (10, 12, 125));
        assert_eq!([0, 60, 600].map(|breadth| shares.others(breadth, false)), [12, 18, 72]);
        assert_eq!([700, 1600].map(|breadth| shares.others(breadth, false)), [372, 3072]);
        assert_eq!(shares.next(u64::MAX), u64::MAX);
        assert_eq!([0, 60, 600].map(|breadth| shares.others(breadth, true)), [12, 192, 1812]);
        assert_eq!(shares.others(u64::MAX, false), u64::MAX);
    }
}
