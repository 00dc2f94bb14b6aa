//! One small network for each rule of digitisation, with what becomes of it.

use beeline_abstraction::Digital;
use beeline_abstraction::digitise::Clocks;
use beeline_ir::Model;
use beeline_ir::network::Network;
use beeline_ir::text::{ReadOptions, print, read};

fn network(text: &str) -> Network {
    let model = read(&format!("network n {text}"), ReadOptions { file: "case", record_places: false });
    match model {
        Ok(Model::Network(network)) => network,
        other => panic!("{other:?}: {text}"),
    }
}

/// With the finest unit, or the coarsest.
fn digital(network: &Network, fine: bool) -> Digital {
    let clocks = Clocks::of(network, &network.properties[0]).expect("can be digitised");
    let units = clocks.units();
    let unit = if fine { units.last() } else { units.first() };
    let digital = clocks.digital(*unit.expect("a unit")).expect("can be digitised");
    let model = Model::Network(digital.network.clone());
    assert_eq!(beeline_ir::wellformed::check(&model), Vec::new(), "{}", print(&model));
    digital
}

#[track_caller]
fn becomes(text: &str, expected: &str) -> Digital {
    let digital = digital(&network(text), true);
    let text = |network: Network| print(&Model::Network(network));
    assert_eq!(text(digital.network.clone()), text(network(expected)));
    digital
}

#[test]
fn clocks_count_units_and_time_passes_in_them() {
    let digital = becomes(
        "var n in 0..3 clock x, y, z urgent chan c priority 2
         process P priority 3 { location a { condition n < 3 invariant x <= 20, n == 1 => y < 10 }
             urgent location b
           edge a -> b { guard n == 0 when x == 10, y > 5 do { x := 15; z := 7; if n == 1 { y := x; } } }
           edge b -> a { send c do { y := 90; n := 1; } } }
         process Time { location a edge a -> a { receive c } }
         property : E<> P.b && x > 10 && !(x < 20 || y >= 10)",
        "var n in 0..3 var x in 0..21 var y in 0..11 chan c
         process P { location a { condition n < 3 && x <= 20 && (!(n == 1) || y <= 10) } urgent location b
           edge a -> b { guard n == 0 && x == 10 && y >= 5 do { x := 15; if n == 1 { y := min(x, 11); } } }
           edge b -> a { send c do { y := 11; n := 1; } } }
         process Time { location a edge a -> a { receive c } }
         process Time_ { location passes
           edge passes -> passes { free guard !P.b do { x := min(x + 1, 21); y := min(y + 1, 11); } } }
         property : E<> P.b && x >= 10 && !(x < 20 || y > 10)",
    );
    // Nobody compares z, but what it is set to is a multiple of no other unit.
    assert_eq!(digital.unit, 1);
    // The locations of P, the old Time and the new one; n, x and y.
    assert_eq!(digital.slots, [Some(0), Some(1), None, Some(2), None, None]);
    assert_eq!(
        digital.counters.iter().map(|c| (c.clock.index(), c.slot)).collect::<Vec<_>>(),
        [(0, 4), (1, 5)]
    );
}

#[test]
fn constants_are_divided() {
    let digital = becomes(
        "clock x process P { location a { invariant x <= 60 } edge a -> a { when x >= 45 do { x := 30; } } }
         property : A[] x < 45",
        "var x in 0..5 process P { location a { condition x <= 4 } edge a -> a { guard x >= 3 do { x := 2; } } }
         process Time { location passes edge passes -> passes { free do { x := min(x + 1, 5); } } }
         property : A[] x < 3",
    );
    assert_eq!(digital.unit, 15);
}

#[test]
fn coarse_units_round_bounds_outwards() {
    let text =
        "clock x process P { location a { invariant x < 19 } edge a -> a { when x >= 18 do { x := 0; } }
           edge a -> a { when x == 17 } }
         property : A[] x > 5 && x <= 5 || x == 5";
    let digital = digital(&network(text), false);
    assert_eq!(digital.unit, 32);
    let expected = "var x in 0..2 process P { location a { condition x <= 1 }
             edge a -> a { guard x >= 0 do { x := 0; } } edge a -> a { guard x >= 0 && x <= 1 } }
         process Time { location passes edge passes -> passes { free do { x := min(x + 1, 2); } } }
         property : A[] x > 1 && x < 0 || 0";
    assert_eq!(print(&Model::Network(digital.network)), print(&Model::Network(network(expected))));
}

#[test]
fn caps_are_those_of_the_constants_ahead() {
    let text = "clock x, y process P { location a location b location c
           edge a -> b { when x <= 4 do { y := x; } } edge b -> c { when y >= 7 do { x := 0; } }
           edge c -> c { when x >= 1 } }
         property : E<> P.c";
    let digital = digital(&network(text), true);
    let caps = |location: i64| [0, 1].map(|counter| digital.cap(&[location, 0, 0, 0], counter));
    // x is copied to y; then nobody looks at it until it is set; then y is done.
    assert_eq!([caps(0), caps(1), caps(2)], [[8, 0], [0, 8], [2, 0]]);
    let mut state = [1, 0, 6, 8];
    digital.forget(&mut state);
    assert_eq!(state, [1, 0, 0, 8]);
}

#[test]
fn what_the_property_asks_about_is_never_forgotten() {
    let text = "clock x, y process P { location a location b edge a -> b { do { x := y; } } }
         property : E<> P.b && x == 3";
    let digital = digital(&network(text), true);
    // The location of P and of time, x and y.
    let caps = |location: i64| [0, 1].map(|counter| digital.cap(&[location, 0, 0, 0], counter));
    assert_eq!([caps(0), caps(1)], [[2, 2], [2, 2]]);
}

#[test]
fn what_negates_clock_guards_or_counts_processes_is_refused() {
    for text in [
        "clock x, y process P { location a edge a -> a { when x - y < 1 } } property : E<> P.a",
        "var n in 0..3 clock x process P { location a edge a -> a { when x < n } } property : E<> P.a",
        "var n in 0..3 clock x process P { location a edge a -> a { when x < 1 do { x := n; } } }
           property : E<> P.a",
        "clock x broadcast chan c process P { location a edge a -> a { receive c when x < 1 } }
           property : E<> P.a",
        "clock x process P { location a edge a -> a { when x < 1 } } property : A[] !deadlock",
        "clock x process P { atomic location a edge a -> a { when x > 0 } } property : E<> P.a",
        "clock x process P { location a edge a -> a { when x < 1 } } property : E<> (x < 1 ? P.a : 0)",
    ] {
        let network = network(text);
        let clocks = Clocks::of(&network, &network.properties[0]);
        let digital = clocks.and_then(|clocks| clocks.digital(*clocks.units().last().expect("a unit")));
        assert_eq!(digital, None, "{text}");
    }
}
