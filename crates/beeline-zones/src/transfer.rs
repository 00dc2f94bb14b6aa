//! Moves a zone to another set of clocks: each clock of the new zone takes the value of a clock of the old one, a
//! number, or anything. Resets, copies and the dropping of clocks that no longer matter are one pass over the new
//! matrix, and no closing is needed: the tightest bounds of the new zone are bounds of the old one, shifted.

use crate::bound::Bound;
use crate::fault::{Fault, active};
use crate::ops;

/// Where the value of a clock comes from.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Source {
    /// From that clock of the old zone (1 or more).
    Clock(usize),
    /// A number from 0.
    Value(i32),
    /// Any value from 0.
    Any,
}

impl Source {
    /// The row of the old matrix whose clock this one follows, and the value it is ahead of it.
    #[inline]
    fn anchor(self) -> Option<(usize, i32)> {
        match self {
            Source::Clock(row) => Some((row, 0)),
            Source::Value(value) => Some((0, value)),
            Source::Any => None,
        }
    }
}

/// Writes the new zone to `out`, of dimension `sources.len() + 1`; `sources[i]` is for clock `i + 1`.
///
/// # Panics
/// If a value is negative, or a source is no clock of the old zone.
pub fn transfer(d: &[Bound], dim: usize, sources: &[Source], out: &mut [Bound]) {
    let new = sources.len() + 1;
    debug_assert!(!ops::is_empty(d) && d.len() == dim * dim && out.len() == new * new);
    let later = |source: &Source| matches!(source, Source::Value(value) if *value != 0);
    if sources.iter().any(later) || active(Fault::ResetOnlyReferenceRow) {
        transfer_shifted(d, dim, sources, out);
    } else {
        // Clocks that are set are set to 0, so entries are those of the old zone as they stand.
        for (row, source) in out.chunks_exact_mut(new).zip([&Source::Value(0)].into_iter().chain(sources)) {
            match *source {
                Source::Any => row.fill(Bound::INFINITY),
                Source::Clock(from) => gather(&d[from * dim..(from + 1) * dim], sources, row),
                Source::Value(_) => gather(&d[..dim], sources, row),
            }
        }
        for i in 0..new {
            out[i * new + i] = Bound::ZERO_LE;
        }
    }
    ops::check(out, new);
}

/// A row of the new zone, taken from the row of the old one.
#[inline]
fn gather(old: &[Bound], sources: &[Source], row: &mut [Bound]) {
    row[0] = old[0];
    for (entry, source) in row[1..].iter_mut().zip(sources) {
        let column = match *source {
            Source::Clock(column) => column,
            // A clock that may be anything is at least 0, and nothing more is known of it.
            Source::Value(_) | Source::Any => 0,
        };
        *entry = old[column];
    }
}

fn transfer_shifted(d: &[Bound], dim: usize, sources: &[Source], out: &mut [Bound]) {
    let new = sources.len() + 1;
    let anchor = |i: usize| if i == 0 { Some((0, 0)) } else { sources[i - 1].anchor() };
    for i in 0..new {
        let row = &mut out[i * new..(i + 1) * new];
        let Some((from, ahead)) = anchor(i) else {
            row.fill(Bound::INFINITY);
            row[i] = Bound::ZERO_LE;
            continue;
        };
        assert!(ahead >= 0, "clock set to a negative value");
        let old = &d[from * dim..(from + 1) * dim];
        row[0] = shifted(old[0], ahead);
        for (j, source) in sources.iter().enumerate() {
            if active(Fault::ResetOnlyReferenceRow) && i > 0 && matches!(sources[i - 1], Source::Value(_)) {
                row[j + 1] = if i == j + 1 { Bound::ZERO_LE } else { Bound::INFINITY };
                continue;
            }
            row[j + 1] = match source.anchor() {
                Some((to, behind)) => shifted(old[to], ahead - behind),
                // The other clock is at least 0, and nothing more is known of it.
                None => row[0],
            };
        }
    }
}

#[inline]
fn shifted(bound: Bound, by: i32) -> Bound {
    if by == 0 || bound.is_infinite() { bound } else { (bound + Bound::le(by)).stored() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Constraint, Dbm};

    /// The same by the ordinary operations, in a zone that has the old clocks and the new ones.
    fn slowly(zone: &Dbm, sources: &[Source]) -> Option<Dbm> {
        let (dim, new) = (zone.dim(), sources.len() + 1);
        let mut both = Dbm::universal(dim + sources.len());
        for i in 0..dim {
            for j in (0..dim).filter(|j| *j != i) {
                assert!(both.constrain(i, j, zone.get(i, j)));
            }
        }
        for (k, source) in sources.iter().enumerate() {
            match *source {
                Source::Clock(row) => both.copy(dim + k, row),
                Source::Value(value) => both.reset(dim + k, value),
                Source::Any => both.free(dim + k),
            }
        }
        let place = |i: usize| if i == 0 { 0 } else { dim + i - 1 };
        let mut small = Dbm::universal(new);
        for i in 0..new {
            for j in (0..new).filter(|j| *j != i) {
                if !small.constrain(i, j, both.get(place(i), place(j))) {
                    return None;
                }
            }
        }
        Some(small)
    }

    #[test]
    fn equals_resets_copies_and_frees() {
        let mut zones = vec![Dbm::zero(3), Dbm::universal(3)];
        let bounds = [Bound::lt(-1), Bound::le(0), Bound::lt(2), Bound::le(3)];
        for a in bounds {
            for b in bounds {
                for (i, j) in [(1, 0), (0, 1), (1, 2), (2, 1)] {
                    let mut zone = Dbm::universal(3);
                    if zone.constrain_all(&[Constraint::new(i, j, a), Constraint::new(j, 3 - i - j, b)]) {
                        zones.push(zone);
                    }
                }
            }
        }
        let choices = [Source::Clock(1), Source::Clock(2), Source::Value(0), Source::Value(2), Source::Any];
        let mut compared = 0;
        for zone in &zones {
            for &x in &choices {
                for &y in &choices {
                    for sources in [vec![], vec![x], vec![x, y], vec![y, Source::Any, x]] {
                        let mut out = vec![Bound::ZERO_LE; (sources.len() + 1).pow(2)];
                        transfer(zone.as_slice(), 3, &sources, &mut out);
                        let expected = slowly(zone, &sources).expect("nonempty");
                        assert_eq!(out, expected.as_slice(), "{zone} {sources:?}");
                        compared += 1;
                    }
                }
            }
        }
        assert!(compared > 1000, "{compared}");
    }
}
