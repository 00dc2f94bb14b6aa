//! Constants at the edge of the overflow contract, and dimensions beyond what debug builds always check.

use beeline_zones::{Bound, Dbm, MAX_CONSTANT, max_constant};

/// `x == 1`, reset `x`, repeat: the other clock grows without bound, and must run into the check.
#[test]
fn growth_without_extrapolation_panics_instead_of_wrapping() {
    let step = max_constant(3);
    let rounds = |n: i32| {
        let mut zone = Dbm::zero(3);
        for _ in 0..n {
            zone.up();
            assert!(zone.constrain(1, 0, Bound::le(step)));
            assert!(zone.constrain(0, 1, Bound::le(-step)));
            zone.reset(1, 0);
        }
        zone.get(2, 0).constant()
    };
    assert_eq!(rounds(4), Some(4 * step));
    assert_eq!(rounds(12), Some(12 * step));
    assert!(std::panic::catch_unwind(|| rounds(14)).is_err());
}

/// The same check on the other ways to make a new bound: closing after one constraint, and closing
/// altogether.
#[test]
fn implied_bounds_out_of_range_panic() {
    let half = MAX_CONSTANT / 2;
    let chain = |c: i32| {
        let mut zone = Dbm::universal(3);
        assert!(zone.constrain(1, 0, Bound::le(c)) && zone.constrain(2, 1, Bound::le(c)));
        zone.get(2, 0).constant()
    };
    assert_eq!(chain(half), Some(MAX_CONSTANT));
    assert!(std::panic::catch_unwind(|| chain(half + 1)).is_err());
    let matrix = |c: i32| {
        let (z, i) = (Bound::ZERO_LE, Bound::INFINITY);
        Dbm::from_matrix(3, &[z, z, z, Bound::lt(c), z, i, i, Bound::lt(c), z]).map(|zone| zone.get(2, 0))
    };
    assert_eq!(matrix(half), Some(Bound::lt(MAX_CONSTANT)));
    assert!(std::panic::catch_unwind(|| matrix(half + 1)).is_err());
}

/// The contract of `max_constant`: as many time points as allowed, every constant as large as allowed.
#[test]
fn the_largest_allowed_constants_fit() {
    for dim in 2..=8 {
        let c = max_constant(dim);
        let mut zone = Dbm::zero(dim);
        for k in 0..3 * dim {
            let x = 1 + k % (dim - 1);
            if k % 2 == 0 {
                zone.up();
                assert!(zone.constrain(0, x, Bound::le(-c)));
            } else {
                zone.reset(x, c);
            }
        }
        assert!(zone.is_canonical());
    }
}

#[test]
fn negative_resets_and_contradictions_of_a_clock_with_itself() {
    assert!(std::panic::catch_unwind(|| Dbm::zero(2).reset(1, -1)).is_err());
    let mut zone = Dbm::universal(2);
    assert!(zone.constrain(1, 1, Bound::ZERO_LE));
    assert!(zone.is_canonical());
    assert!(!zone.constrain(1, 1, Bound::ZERO_LT));
    assert!(zone.is_empty());
}

/// Nine dimensions: debug builds only sample these, so every step is looked at here.
#[test]
fn larger_dimensions_stay_canonical() {
    let dim = 9;
    let mut zone = Dbm::zero(dim);
    let check = |zone: &Dbm| assert!(zone.is_canonical(), "{zone:?}");
    for round in 0..40 {
        let x = 1 + (round * 5) % (dim - 1);
        let y = 1 + (round * 3 + 1) % (dim - 1);
        zone.up();
        check(&zone);
        assert!(zone.constrain(0, x, Bound::lt(-2)));
        check(&zone);
        zone.copy(y, x);
        check(&zone);
        zone.reset(x, (round % 3) as i32);
        check(&zone);
        if round % 4 == 0 {
            zone.free(y);
            check(&zone);
        }
        if round % 7 == 0 {
            zone.down();
            check(&zone);
        }
    }
    let mut all = Dbm::universal(dim);
    assert!(all.includes(&zone) && !zone.includes(&all));
    assert!(all.intersect(&zone) && all == zone);
}
