//! Rows against concrete states: whatever a concrete state of a row can do, the row can do. Random walks through small
//! networks of every kind; rows made around the states passed, by forgetting what some slots hold and where exactly
//! the clocks are.

use beeline_ir::expr::ClockOp;
use beeline_ir::property::{Property, Target};
use beeline_ir::text::{self, ReadOptions};
use beeline_ir::trace::Time;
use beeline_ir::{ClockId, Model};

use crate::cells::{Cells, Known};
use crate::clock::{ClockSet, Constraint, Cut};
use crate::concrete::{Firing, Kernel, State};
use crate::fork::Meter;
use crate::line::Line;
use crate::row::{Post, Rows, States, may_hold};
use crate::zone::Zone;

const NETWORKS: [&str; 7] = [
    // Clocks: invariants, urgent and committed locations, conditional and diagonal constraints, priorities.
    "network timed var v in 0..3 var w in 0..2 clock x, y
     process P priority 1 { init a location a { invariant x <= 3 } urgent location b location c { condition w < 2 }
       edge a -> b { when x > 1 do { x := 0; v := (v + 1) % 4; } } edge b -> c { guard v > 1 do { y := 2; } }
       edge b -> a { guard v <= 1 do { x := y; } } edge c -> a { when v == 2 => y - x < 1, x >= v do { x := 0; } } }
     process Q { init a location a { invariant w == 1 => y <= 4 } location b committed location c
       edge a -> b { when y >= 1, y < 3 } edge b -> c { do { w := v - v / 2; } }
       edge c -> a { do { y := 0; } } edge a -> a { guard w == 2 do { w := 0; y := x; } } }
     property : E<> v == 3 && y > 1 && !(x - y <= 0) property : A[] !deadlock property : E<> !deadlock && w == 1
     property : no-runtime-error",
    // Channels: pairs, broadcasts with clock guards, urgent channels, priorities, failing receivers.
    "network channels var i in 0..1 var k in 0..2 clock x chan c[2] of (0..2) priority {0, 2} broadcast chan b urgent chan u
     process P { init a location a location d
       edge a -> a { send c[i](k) do { i := 1 - i; } } edge a -> a { send b() do { k := k / 2; } }
       edge a -> d { guard k == 2 send u() } edge d -> a { when x > 0 do { x := 0; } } }
     process Q { var m in 0..3 init a location a location d { invariant x < 2 }
       edge a -> a { receive c[0](m) do { m := m + 1; } } edge a -> d { when x >= 1 receive b() do { k := k + 1; } }
       edge a -> a { when x < 2 receive b() } edge d -> a { } edge a -> a { guard m == 2 receive u() } }
     process R { init a location a location d edge a -> d { receive c[1](=k) do { x := 1; } }
       edge d -> a { when x > 1 receive b() } edge d -> a { guard k < 2 do { k := k + 1; } }
       edge d -> a { guard 1 / (k - 1) == 5 receive b() } }
     property : E<> Q.d && x == 1 property : A[] !deadlock property : no-runtime-error",
    // Buffers, the token, else, timeout.
    "network buffers var x in 0..2 buffer q capacity 2 of (0..1, 0..2)
     process P { init a location a atomic location b location c
       edge a -> b { send q(x, x) } edge b -> c { guard x == 1 do { assert x == 0; } } edge b -> a { sorted send q(0, 1) }
       edge c -> a { guard !enabled(P : #0) } edge c -> c { guard timeout do { x := 0; } } }
     process Q { init a location a atomic location b
       edge a -> a { receive any q(=1, x) } edge a -> b { receive q(_, x) do { x := x + 1; } }
       edge b -> a { guard x > 0 receive keep q(=0, _) } edge b -> a { } }
     property : E<> len(q) == 2 && x == 0 property : A[] !deadlock property : no-assertion-failure property : no-runtime-error",
    // Processes that come and go.
    "network families var n in 0..3 family f chan c
     process M { var last in -1..3 init a location a edge a -> a { guard n < 3 do { last := start f(n); n := n + 1; } }
       edge a -> a { guard n > 0 && processes < 3 do { n := n - 1; } } edge a -> a { receive c() } }
     process F1 in f { param v in 0..1 init s location s atomic location t edge s -> t { send c() } edge t -> s { }
       edge s -> s { guard pid(F1) == processes - 1 do { exit; } } }
     process F2 in f { param v in 0..3 init s location s edge s -> s { guard v > 0 do { exit; } }
       edge s -> s { guard alive(F1) do { v := n; } } }
     property : E<> n == 2 && alive(F2) property : A[] !deadlock property : no-runtime-error",
    // An observer.
    "network watched var x in 0..3 clock t
     process P { init a location a edge a -> a { when t >= 1 do { x := (x + 1) % 4; t := 0; } }
       edge a -> a { guard x == 2 do { x := 0; } } }
     observer process C { init s location s location bad edge s -> s { } edge s -> bad { guard x == 2 }
       edge bad -> bad { guard x > 0 } }
     property : never C at {bad}",
    // Priorities, the token and committed locations, all in each other's way.
    "network mixed var g in 0..1 clock x
     process P priority 2 { init a location a atomic location b edge a -> b { } edge b -> a { guard g == 1 when x > 1 do { x := 0; } } }
     process Q priority 1 { init a location a location d edge a -> d { when x >= 1 } edge d -> a { guard g == 0 do { g := 1; } } }
     process R { init a location a committed location c atomic location e edge a -> c { do { g := 1; } } edge c -> e { }
       edge c -> a { do { g := 0; } } edge e -> a { when x > 0 do { g := 1 - g; } } edge e -> c { } }
     property : A[] !deadlock property : E<> R.e && Q.d && x < 1",
    // Channels by value; functions; while; arrays.
    "network values var h in 0..3 = 1 var a[2] in 0..3 chan c of (0..3) broadcast chan d of (0..3) buffer q capacity 1 of (0..3)
     fn succ(v in 0..3) -> 0..3 { local i in 0..9; while i < v { i := i + 1; } return (i + 1) % 4; }
     process P { init s location s edge s -> s { send *h(a[0]) } edge s -> s { do { h := succ(h); } }
       edge s -> s { select i in 0..1 guard exists(j in 0..1 : a[j] == 2) do { a[i] := a[h]; } } }
     process Q { init s location s edge s -> s { receive c(a[1]) } edge s -> s { receive *h(=0) do { a[0] := succ(a[0]); } }
       edge s -> s { receive q(a[0]) do { a[0] := (a[0] + 2) % 4; } } }
     property : E<> a[0] == 3 property : no-runtime-error",
];

/// A small generator of pseudo-random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n
    }
}

fn contains(states: &States, state: &State, kernel: &Kernel<'_>) -> bool {
    let here = Line::at(&state.clocks, &Time::from_integer(0));
    let cells = states.cells.iter().zip(&state.slots).zip(&kernel.cx.ranges);
    cells.into_iter().all(|((known, value), range)| known.allows(*value, *range))
        && states.zone.constraints().iter().all(|c| here.meet(c).is_some())
}

/// A row around a state.
fn blur(kernel: &Kernel<'_>, state: &State, random: &mut Random) -> States {
    let forget = random.below(4);
    let mut cells = Vec::new();
    for (value, range) in state.slots.iter().zip(&kernel.cx.ranges) {
        let other = range.lo + random.below(range.size() as usize) as i64;
        cells.push(match random.below(8) {
            kind if kind >= 2 * forget => Known::Value(*value),
            0 | 1 => Known::Any,
            _ => Known::of(vec![*value, other]),
        });
    }
    let mut zone = Zone::all(state.clocks.len());
    let clocks: Vec<Option<ClockId>> =
        std::iter::once(None).chain((0..state.clocks.len()).map(|c| Some(ClockId::new(c)))).collect();
    for left in &clocks {
        for right in &clocks {
            let value =
                |clock: &Option<ClockId>| clock.map_or(Time::from_integer(0), |c| state.clocks[c.index()]);
            let difference = value(left) - value(right);
            let bound = difference.ceil().to_integer() + random.below(2) as i64;
            let strict = difference < Time::from_integer(bound) && random.below(2) == 0;
            let op = if strict { ClockOp::Lt } else { ClockOp::Le };
            let constraint = Constraint { left: *left, right: *right, op, bound };
            if left != right && random.below(3) > 0 {
                zone = zone.meet(&constraint).expect("the state meets it");
            }
        }
    }
    States { cells: Cells::new(cells), zone }
}

/// Whatever the state can do, the row around it can do.
fn compare(kernel: &Kernel<'_>, properties: &[Property], state: &State, row: &States) {
    let mut meter = Meter::default();
    assert!(contains(row, state, kernel));
    let row = kernel.invariant(row.clone()).expect("the state meets its invariants");
    assert!(contains(&row, state, kernel), "invariants");
    let later = kernel.delay(&row, &mut meter).unwrap();
    for delay in [Time::new(1, 3), Time::new(1, 2), 1.into(), 2.into(), 5.into()] {
        if kernel.may_delay(state, delay) {
            assert!(contains(&later, &kernel.delayed(state, delay), kernel), "delay of {delay}");
        }
    }
    for property in properties {
        let target = property.target();
        if kernel.holds(property, state) {
            assert!(may_hold(kernel, property, &row, &mut meter).unwrap(), "{property:?}");
        }
        let posts = kernel.post(&row, &target, &mut meter).unwrap();
        for (label, firing) in kernel.labels(state) {
            let cost = kernel.cost(&label);
            let found = posts.iter().filter(|(_, c)| *c == cost).any(|(post, _)| match (post, &firing) {
                (_, Firing::NoSuccessor) => true,
                (Post::States(states), Firing::Successor { state, assertion_failed }) => {
                    !assertion_failed && contains(states, state, kernel)
                }
                (Post::AssertionFailed(states), Firing::Successor { state, assertion_failed }) => {
                    *assertion_failed && contains(states, state, kernel)
                }
                (Post::Fails(here), Firing::Fails(there)) => here == there,
                _ => false,
            });
            let matters = match firing {
                Firing::Successor { .. } => true,
                Firing::Fails(_) => target == Target::RuntimeError,
                Firing::NoSuccessor => false,
            };
            assert!(
                found || !matters,
                "{label:?} {firing:?}\nfrom {state:?}\nin {row:?}\nnot among {posts:#?}"
            );
        }
    }
}

/// With everything known and clocks at one moment, the row can do nothing else.
fn exact(kernel: &Kernel<'_>, properties: &[Property], state: &State) {
    let mut zone = Cut::all(Zone::all(state.clocks.len()));
    for (i, clock) in state.clocks.iter().enumerate() {
        if !clock.is_integer() {
            return;
        }
        let (left, bound) = (Some(ClockId::new(i)), clock.to_integer());
        zone = zone.meet(&[Constraint { left, right: None, op: ClockOp::Eq, bound }]).unwrap();
    }
    let row = States { cells: Cells::known(&state.slots), zone: zone.set };
    let mut meter = Meter::default();
    for property in properties {
        let holds = may_hold(kernel, property, &row, &mut meter).unwrap();
        assert_eq!(holds, kernel.holds(property, state), "{property:?} in {state:?}");
    }
    let successors = kernel.labels(state).into_iter().filter(|(_, f)| matches!(f, Firing::Successor { .. }));
    let posts = kernel.post(&row, &Target::AssertionFailure, &mut meter).unwrap();
    let states = posts.iter().filter(|(post, _)| !matches!(post, Post::Fails(_)));
    assert_eq!(states.count(), successors.count(), "from {state:?}");
}

#[test]
fn rows_do_whatever_their_states_do() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for text in NETWORKS {
        let model = match text::read(text, ReadOptions { file: "test", record_places: false }) {
            Ok(model) => model,
            Err(diagnostics) => panic!("{diagnostics:#?}"),
        };
        let Model::Network(network) = &model else { panic!("a network") };
        let properties = &network.properties;
        let kernel = Kernel::new(network, properties[0].observer());
        let mut taken = std::collections::BTreeSet::new();
        for _ in 0..40 {
            let mut starts = kernel.initial();
            let mut state = starts.swap_remove(random.below(starts.len())).0;
            for _ in 0..12 {
                exact(&kernel, properties, &state);
                for _ in 0..3 {
                    compare(&kernel, properties, &state, &blur(&kernel, &state, &mut random));
                }
                let delay = Time::new(random.below(7) as i64, [1, 2, 3][random.below(3)]);
                if kernel.may_delay(&state, delay) {
                    state = kernel.delayed(&state, delay);
                    exact(&kernel, properties, &state);
                    compare(&kernel, properties, &state, &blur(&kernel, &state, &mut random));
                }
                let labels = kernel.labels(&state).into_iter();
                let mut successors: Vec<_> = labels
                    .filter_map(|(label, firing)| match firing {
                        Firing::Successor { state, .. } => Some((label, state)),
                        Firing::NoSuccessor | Firing::Fails(_) => None,
                    })
                    .collect();
                if successors.is_empty() {
                    break;
                }
                let (label, next) = successors.swap_remove(random.below(successors.len()));
                taken.extend(label.parts.into_iter().map(|part| (part.process, part.edge)));
                state = next;
            }
        }
        // The walks see most of the network.
        let edges: usize = kernel.cx.system().map(|(_, p)| p.edges.len()).sum();
        assert!(2 * taken.len() >= edges, "{}: {} of {edges} edges", network.name, taken.len());
    }
}
