//! What the operations of zones cost, by the number of clocks: `cargo bench -p beeline-zones`.
//!
//! The zones are such as protocols have them: clocks reset one after the other while time passes.

#![allow(missing_docs, reason = "a program")]

use beeline_zones::{Bound, Dbm, LuBounds};
use divan::{Bencher, black_box};

/// Numbers of clocks.
const CLOCKS: [usize; 4] = [2, 4, 8, 16];

fn main() {
    divan::main();
}

/// The clocks are reset one after the other, the last one first, 2 to 10 units of time apart, and time goes on.
fn staggered(clocks: usize) -> Dbm {
    let mut zone = Dbm::zero(clocks + 1);
    for clock in (1..=clocks).rev() {
        zone.up();
        let (least, most) =
            (zone.constrain(0, clock, Bound::le(-2)), zone.constrain(clock, 0, Bound::le(10)));
        assert!(least && most, "time can pass");
        (1..=clock).for_each(|clock| zone.reset(clock, 0));
    }
    zone.up();
    zone
}

/// All clocks are compared with 5, above and below.
fn bounds(clocks: usize) -> LuBounds {
    let mut bounds = LuBounds::none(clocks + 1);
    (1..=clocks).for_each(|clock| bounds.raise_both(clock, 5));
    bounds
}

/// Measures an operation on copies of a zone.
fn on_copies(bencher: Bencher<'_, '_>, zone: &Dbm, operation: impl Fn(&mut Dbm)) {
    bencher.with_inputs(|| zone.clone()).bench_local_refs(|zone| operation(black_box(zone)));
}

#[divan::bench(args = CLOCKS)]
fn close(bencher: Bencher<'_, '_>, clocks: usize) {
    on_copies(bencher, &staggered(clocks), |zone| {
        black_box(zone.close());
    });
}

#[divan::bench(args = CLOCKS)]
fn constrain(bencher: Bencher<'_, '_>, clocks: usize) {
    on_copies(bencher, &staggered(clocks), |zone| {
        black_box(zone.constrain(1, 0, Bound::le(5)));
    });
}

#[divan::bench(args = CLOCKS)]
fn extrapolate(bencher: Bencher<'_, '_>, clocks: usize) {
    let bounds = bounds(clocks);
    on_copies(bencher, &staggered(clocks), |zone| zone.extra_lu_plus(&bounds));
}

#[divan::bench(args = CLOCKS)]
fn includes(bencher: Bencher<'_, '_>, clocks: usize) {
    let smaller = staggered(clocks);
    let mut larger = smaller.clone();
    larger.extra_lu_plus(&bounds(clocks));
    assert!(larger != smaller && larger.includes(&smaller), "every entry is looked at");
    bencher.bench_local(|| black_box(&larger).includes(black_box(&smaller)));
}
