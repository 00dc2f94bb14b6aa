//! Clock bounds on examples small enough to work out by hand.

use crate::common;

use beeline_ir::expr::{ClockOp, Range};
use beeline_ir::{ClockId, LocationId};
use beeline_program::{ClockBounds, Diagonal};
use common::{Bench, process};

fn bounds(bench: &Bench) -> ClockBounds {
    ClockBounds::compute(&bench.network, &bench.program, &[])
}

/// `L/U` of every clock at a location, `-` for none.
fn at(bounds: &ClockBounds, p: usize, location: usize) -> String {
    let here = &bounds.locations[process(p)][LocationId::new(location)];
    show(&here.lower, &here.upper)
}
fn show(lower: &[Option<i64>], upper: &[Option<i64>]) -> String {
    let text = |b: &Option<i64>| b.map_or("-".to_string(), |v| v.to_string());
    lower.iter().zip(upper).map(|(l, u)| format!("{}/{}", text(l), text(u))).collect::<Vec<_>>().join(" ")
}

#[test]
fn guards_and_invariants_flow_back_until_the_clock_is_set() {
    let bench = Bench::new(
        "network t
        clock x, y
        process P { init a location a location b { invariant x <= 5 } location c location d
            edge a -> b { when y > 2 do { x := 0; } }
            edge b -> c { when x >= 3 }
            edge c -> d { when y == 7, x < 9 }
            edge d -> a { do { x := 0; y := 0; } } }",
    );
    let bounds = bounds(&bench);
    assert_eq!(at(&bounds, 0, 0), "-/- 7/7", "x is set on the way to b");
    assert_eq!(at(&bounds, 0, 1), "3/9 7/7");
    assert_eq!(at(&bounds, 0, 2), "-/9 7/7");
    assert_eq!(at(&bounds, 0, 3), "-/- -/-", "both are set before any test");
}

#[test]
fn an_invariant_counts_at_entry() {
    let bench = Bench::new(
        "network t
        clock x
        process P { init a location a location b { invariant x <= 5 }
            edge a -> b { } }",
    );
    assert_eq!(at(&bounds(&bench), 0, 0), "-/5");
}

#[test]
fn only_a_set_on_every_path_stops_a_bound() {
    let with = |update: &str| {
        let bench = Bench::new(&format!(
            "network t
            clock x, y
            var k in 0..1
            fn both() {{ if k == 0 {{ x := 0; }} else {{ x := 1; }} }}
            fn some() {{ if k == 0 {{ return; }} x := 0; }}
            process P {{ init a location a location b location c
                edge a -> b {{ do {{ {update} }} }}
                edge b -> c {{ when x > 4 }} }}"
        ));
        at(&bounds(&bench), 0, 0)
    };
    assert_eq!(with(""), "4/- -/-");
    assert_eq!(with("x := 0;"), "-/- -/-");
    assert_eq!(with("if k == 0 { x := 0; }"), "4/- -/-");
    assert_eq!(with("while k == 0 { x := 0; }"), "4/- -/-");
    assert_eq!(with("call both();"), "-/- -/-");
    assert_eq!(with("call some();"), "4/- -/-");
    assert_eq!(with("x := y;"), "-/- 4/-");
    assert_eq!(with("if k == 0 { x := y; }"), "4/- 4/-");
    assert_eq!(with("y := 0; x := y;"), "-/- -/-");
}

#[test]
fn a_copy_in_one_process_matters_to_the_others() {
    let bench = Bench::new(
        "network t
        clock x, y, z
        process P { init a location a location b edge a -> b { do { x := y; } } }
        process Q { init a location a location b edge a -> b { do { y := z; } } }
        process R { init a location a location b edge a -> b { when x <= 6 } edge b -> b { } }",
    );
    let bounds = bounds(&bench);
    assert_eq!(at(&bounds, 0, 0), "-/- -/6 -/-");
    assert_eq!(at(&bounds, 0, 1), "-/- -/- -/-");
    assert_eq!(at(&bounds, 1, 0), "-/- -/- -/6", "through two copies in different processes");
    assert_eq!(at(&bounds, 2, 1), "-/- -/- -/-");
}

#[test]
fn bounds_that_vary_count_with_their_greatest_value() {
    let bench = Bench::new(
        "network t
        clock x, y, z
        var k in -3..4
        process P { init a location a
            edge a -> a { select i in 0..2 when x < k * i, y > k - 5, z == k } }",
    );
    assert_eq!(at(&bounds(&bench), 0, 0), "-/8 -/- 4/4", "a test against a negative number is no test");
}

#[test]
fn diagonals_are_listed_once_and_give_no_bounds() {
    let bench = Bench::new(
        "network t
        clock x, y
        var k in 0..3
        process P { init a location a { invariant x - y < 2 }
            edge a -> a { when x - y < 2, y - x >= k }
            edge a -> a { when x - y <= 2 } }",
    );
    let bounds = bounds(&bench);
    let [x, y] = [0, 1].map(ClockId::new);
    let diagonal = |left, right, op, lo, hi| Diagonal { left, right, op, bound: Range::new(lo, hi) };
    let expected = [
        diagonal(x, y, ClockOp::Lt, 2, 2),
        diagonal(y, x, ClockOp::Ge, 0, 3),
        diagonal(x, y, ClockOp::Le, 2, 2),
    ];
    assert_eq!(bounds.diagonals, expected);
    assert_eq!(at(&bounds, 0, 0), "-/- -/-");
}

#[test]
fn a_state_has_the_greatest_bounds_of_its_locations() {
    let mut bench = Bench::new(
        "network t
        clock x, y
        family f
        process P { init a location a location b edge a -> b { when x > 3, y < 4 } }
        process Q { init a location a location b edge a -> b { when x > 2, y < 5 do { exit; } } }
        process S in f { init a location a { invariant x <= 9 } location b edge a -> b { do { x := 0; } } }
        property : E<> y >= 1",
    );
    let property = bench.network.properties[0].clone();
    let beeline_ir::property::Target::State(target) = property.target() else { panic!("a state") };
    let network = bench.network.clone();
    let predicate = bench.program.compile_predicate(&network, &property.frame, &target);
    let Ok(beeline_program::Predicate::Clock(atom)) = predicate else { panic!("{predicate:?}") };
    let bounds = ClockBounds::compute(&bench.network, &bench.program, &[atom]);
    let now = |bench: &Bench| {
        let (mut lower, mut upper) = ([Some(99); 2], [Some(99); 2]);
        bounds.at(&bench.program, &bench.state, &mut lower, &mut upper);
        show(&lower, &upper)
    };
    assert_eq!(now(&bench), "3/9 1/5", "the slot may be started any time; the property counts everywhere");
    bench.fire(&[(1, 0, &[])]).unwrap();
    assert_eq!(now(&bench), "3/9 1/4", "a process that ended counts no more");
    bench.state[bench.program.layout.location[process(2)]] = 1;
    assert_eq!(now(&bench), "3/- 1/4");
    bench.fire(&[(0, 0, &[])]).unwrap();
    assert_eq!(now(&bench), "-/- 1/-");
}
