//! The mutation test: each fault of this crate, once injected, is noticed by the checks that pass without it.

#![cfg(debug_assertions)]

use crate::common;

use std::panic::{AssertUnwindSafe, catch_unwind};

use beeline_zones::Dbm;
use beeline_zones::fault::{Fault, inject};
use common::lu::{Extrapolated, LuGrid, lu_bounds};
use common::{Grid, Random, all_zones, bounds, checks};

type Check = (&'static str, fn());

fn unary() {
    let grid = Grid::new(3, 3);
    all_zones(3, 1).iter().for_each(|zone| checks::unary(&grid, zone));
}

fn constrain() {
    let grid = Grid::new(3, 3);
    all_zones(3, 1).iter().for_each(|zone| checks::constrain(&grid, zone, &bounds(-1, 1)));
}

fn binary() {
    let grid = Grid::new(3, 3);
    let zones = all_zones(3, 1);
    for (a, b) in zones.iter().zip(zones.iter().rev()) {
        checks::binary(&grid, (a, &grid.points_of(a)), (b, &grid.points_of(b)));
    }
}

fn difference() {
    let grid = Grid::new(3, 3);
    let zones = all_zones(3, 1);
    for (a, b) in zones.iter().zip(zones.iter().rev()) {
        checks::difference(&grid, (a, &grid.points_of(a)), (b, &grid.points_of(b)));
    }
}

fn minimal_form() {
    all_zones(3, 1).iter().for_each(checks::minimal_form);
}

fn extrapolation() {
    let grid = LuGrid::new(3, 6);
    let bounds = lu_bounds(&[(Some(1), Some(0)), (Some(0), Some(0))]);
    let simulators = grid.simulators(&bounds);
    for zone in all_zones(3, 1) {
        let extrapolated = Extrapolated::of(&zone, &bounds);
        extrapolated.check(&zone, &bounds);
        extrapolated.check_sound(&grid, &zone, &simulators);
    }
}

/// A walk over three clocks, as an engine would make it: only the crate's own assertions look.
fn walk() {
    let mut random = Random::new(1);
    let bounds = lu_bounds(&[(Some(2), Some(2)); 3]);
    for _ in 0..200 {
        let mut zone = random.zone(4, 3);
        zone.reset(1 + random.below(3), 0);
        zone.up();
        zone.extra_lu_plus(&bounds);
    }
}

const CHECKS: [Check; 7] = [
    ("unary", unary),
    ("constrain", constrain),
    ("binary", binary),
    ("difference", difference),
    ("minimal form", minimal_form),
    ("extrapolation", extrapolation),
    ("walk", walk),
];

/// The checks that fail under a fault.
fn noticed_by(fault: Option<Fault>) -> Vec<&'static str> {
    let fails = |check: fn()| {
        inject(fault);
        let failed = catch_unwind(AssertUnwindSafe(check)).is_err();
        inject(None);
        failed
    };
    CHECKS.iter().filter(|&&(_, check)| fails(check)).map(|&(name, _)| name).collect()
}

/// One test rather than one for each fault, as it silences the panic messages of the whole process.
#[test]
fn every_fault_is_noticed() {
    assert_eq!(noticed_by(None), Vec::<&str>::new());
    std::panic::set_hook(Box::new(|_| {}));
    let noticed: Vec<_> = [
        Fault::ResetOnlyReferenceRow,
        Fault::ExtrapolationNotClosed,
        Fault::LessAsLessEqual,
        Fault::GreaterEqualAsGreater,
        Fault::InclusionReversed,
        Fault::IncrementalCloseSkipsRow,
        Fault::ExtrapolationLowerBoundNonStrict,
        Fault::SubtractDropsPiece,
    ]
    .into_iter()
    .map(|fault| (fault, noticed_by(Some(fault))))
    .collect();
    let silent = noticed_by(Some(Fault::LevelOffByOne));
    drop(std::panic::take_hook());
    assert!(silent.is_empty(), "a fault of another crate changes nothing here: {silent:?}");

    let by = |fault: Fault| noticed.iter().find(|(f, _)| *f == fault).map(|(_, by)| by.clone()).unwrap();
    assert!(by(Fault::ResetOnlyReferenceRow).contains(&"unary"));
    assert!(by(Fault::ExtrapolationNotClosed).contains(&"walk"), "the canonical-form assertion");
    assert!(by(Fault::LessAsLessEqual).contains(&"constrain"));
    assert!(by(Fault::GreaterEqualAsGreater).contains(&"constrain"));
    assert!(by(Fault::InclusionReversed).contains(&"binary"));
    assert!(by(Fault::IncrementalCloseSkipsRow).contains(&"constrain"));
    assert!(by(Fault::ExtrapolationLowerBoundNonStrict).contains(&"extrapolation"));
    assert!(by(Fault::SubtractDropsPiece).contains(&"difference"));
    // And the zones themselves are in order again.
    assert!(Dbm::universal(3).includes(&Dbm::zero(3)));
}
