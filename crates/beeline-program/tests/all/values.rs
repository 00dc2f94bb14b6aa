//! The value-set interpreter: how precise it is, and where it stops. (That it is sound is tested on random
//! models by the test kit.)

use crate::common;

use beeline_ir::expr::Range;
use beeline_program::RoutineId;
use beeline_program::values::{Applied, Truth, ValueMachine, ValueSet, Values};
use common::{Bench, edge, process};

/// An edge in a set of states.
struct Sets {
    bench: Bench,
    values: Values,
    machine: ValueMachine,
}

impl Sets {
    fn new(declarations: &str, body: &str) -> Self {
        Self::of(Bench::edge(declarations, body))
    }
    fn of(bench: Bench) -> Self {
        let (values, machine) = (Values::of_state(&bench.state), ValueMachine::new(&bench.program));
        Self { bench, values, machine }
    }
    fn with(mut self, name: &str, set: ValueSet) -> Self {
        let slot = self.bench.slot(name);
        self.values.slots_mut()[slot] = set;
        self
    }
    fn get(&self, name: &str) -> ValueSet {
        self.values.slots()[self.bench.slot(name)]
    }

    fn guard(&mut self, index: usize) -> (Option<Truth>, bool) {
        let guard = self.bench.program.processes[process(0)].edges[edge(index)].guard.expect("a guard");
        let found = self.machine.eval(&self.bench.program, guard, &self.values, &[]);
        (found.truth(), found.may_fail)
    }
    fn update(&self) -> RoutineId {
        self.bench.program.processes[process(0)].edges[edge(0)].update.expect("an update")
    }
    fn apply(&mut self) -> Applied {
        let update = self.update();
        self.machine.apply(&self.bench.program, update, &mut self.values, &[], &[])
    }
}

fn set(values: &[i64]) -> ValueSet {
    values.iter().copied().collect()
}
fn range(lo: i64, hi: i64) -> ValueSet {
    ValueSet::range(Range::new(lo, hi))
}

const CERTAIN: Applied = Applied { may_succeed: true, may_fail: false, may_violate: false };

#[test]
fn guards_are_true_false_or_maybe() {
    use Truth::{False, Maybe, True};
    let vars = "var x in 0..9\nvar y in 0..9\nvar z in 0..1000\nvar a[3] in 0..9 = {1, 2, 3}";
    for (guard, expected) in [
        ("x < 3", (Some(Maybe), false)),
        ("x < 7", (Some(True), false)),
        ("x == 3", (Some(False), false)),
        ("x < y", (Some(True), false)),
        ("z % 2 < 2", (Some(True), false)),
        ("z > 1000 || z < 0", (Some(False), false)),
        // The parts of a condition know what came before.
        ("x > 3 && x < 4", (Some(False), false)),
        ("x < 3 || x > 4", (Some(True), false)),
        ("x != 0 && 10 / x > 0", (Some(True), false)),
        ("!(x == 2) ? x == 6 : x == 2", (Some(True), false)),
        ("z < 500 ? z < 501 : z > 499", (Some(True), false)),
        // Failing is one thing, the value another.
        ("10 / (x - 2) > 0", (Some(True), true)),
        ("10 / (y - y) > 0 || 1 / 0", (Some(True), true)),
        ("1 / (z - z * 1) == 0", (Some(Maybe), true)),
        ("a[x] == 3", (Some(True), true)),
        ("a[y] == 3", (None, true)),
        ("forall(i in 0..2 : a[i] <= y)", (Some(True), false)),
        ("exists(i in 0..2 : a[i] == x)", (Some(Maybe), false)),
        ("sum(i in 0..2 : a[i]) == 6", (Some(True), false)),
    ] {
        let mut sets = Sets::new(vars, &format!("guard {guard}"));
        sets = sets.with("x", set(&[2, 6])).with("y", set(&[7, 9])).with("z", range(0, 1000));
        assert_eq!(sets.guard(0), expected, "{guard}");
    }
}

#[test]
fn updates_are_strong_where_the_place_is_known() {
    let vars = "var x in 0..9\nvar k in 0..9\nvar a[3] in 0..9 = {1, 2, 3}";
    let run = |body: &str, x: &[i64]| {
        let mut sets = Sets::new(vars, &format!("do {{ {body} }}")).with("x", set(x));
        let applied = sets.apply();
        let first = sets.bench.slot("a");
        (applied, sets.get("k"), sets.values.slots()[first..first + 3].to_vec())
    };
    let kept = [set(&[1]), set(&[2]), set(&[3])].to_vec();
    assert_eq!(run("k := x + 1;", &[2, 4]), (CERTAIN, set(&[3, 5]), kept.clone()));
    assert_eq!(run("a[x] := 9;", &[1]), (CERTAIN, set(&[0]), vec![set(&[1]), set(&[9]), set(&[3])]));
    assert_eq!(run("a[x] := 9;", &[1, 2]), (CERTAIN, set(&[0]), vec![set(&[1]), set(&[2, 9]), set(&[3, 9])]));
    let fails = Applied { may_fail: true, ..CERTAIN };
    assert_eq!(run("a[x] := 9; k := 1;", &[2, 3]), (fails, set(&[1]), vec![set(&[1]), set(&[2]), set(&[9])]));
    assert_eq!(run("k := x * 2;", &[1, 5]), (fails, set(&[2]), kept.clone()));
    assert_eq!(run("wrap k := x * 2;", &[1, 5]), (CERTAIN, set(&[0, 2]), kept.clone()));
    // Nothing is left of a run that certainly fails.
    let never = Applied { may_succeed: false, may_fail: true, may_violate: false };
    assert_eq!(run("a[0] := 7; k := x / 0;", &[1, 5]), (never, set(&[0]), kept.clone()));
    assert_eq!(run("assert x > 1;", &[1, 5]).0, Applied { may_violate: true, ..CERTAIN });
    assert_eq!(run("if x > 3 { k := x; } else { k := 9 - x; }", &[1, 5]).1, set(&[5, 8]));
    assert_eq!(run("if x > 3 { k := x; } else { k := 9 - x; } k := x;", &[1, 5]).1, set(&[1, 5]));
}

#[test]
fn functions_return_from_the_middle() {
    let declarations = "var x in 0..9\nvar k in 0..9\nvar n in 0..9
        fn early(y in 0..9) -> 0..9 {
          n := 1; if y > 4 { n := 2; return 7; }
          n := 3; while 1 { if y == 0 { return 8; } y := y - 1; }
        }";
    let mut sets = Sets::new(declarations, "do { k := call early(x); }").with("x", set(&[2, 3, 8]));
    assert_eq!(sets.apply(), CERTAIN);
    assert_eq!((sets.get("k"), sets.get("n"), sets.get("x")), (set(&[7, 8]), set(&[2, 3]), set(&[2, 3, 8])));
}

#[test]
fn loops_are_unrolled_then_widened() {
    let vars = "var n in 0..100000\nvar k in 0..100000";
    let count = "do { while k < n { k := k + 1; } }";
    let mut sets = Sets::new(vars, count).with("n", set(&[2, 5]));
    assert_eq!((sets.apply(), sets.get("k")), (CERTAIN, set(&[2, 3, 4, 5])));
    let mut sets = Sets::new(vars, count).with("n", set(&[1000]));
    assert_eq!((sets.apply(), sets.get("k")), (CERTAIN, set(&[1000])));
    // Nobody knows how often; it may even take too long.
    let mut sets = Sets::new(vars, count).with("n", range(0, 5000));
    assert_eq!(sets.apply(), Applied { may_fail: true, ..CERTAIN });
    assert!(!sets.machine.gave_up() && sets.machine.steps() < 2_000, "{}", sets.machine.steps());
    // Widened to the variable's range, and narrowed again by the condition.
    assert_eq!(sets.get("k"), range(0, 5000));
    let bounded = "do { while k < n && k < 300 { k := k + 1; } }";
    let mut sets = Sets::new(vars, bounded).with("n", range(0, 5000));
    sets.apply();
    assert!((0..=300).all(|k| sets.get("k").contains(k)) && !sets.machine.gave_up());
}

/// The state in which unrolling stops is not one that a later round comes back to.
#[test]
fn what_enters_the_joined_rounds_may_leave_at_once() {
    let vars = "var n in 0..5000\nvar c in 0..100\nvar k in 0..100";
    let body = "do { while c < n { k := c == 63; if c < 66 { c := c + 1; } } }";
    let mut sets = Sets::new(vars, body).with("n", range(0, 5000));
    sets.apply();
    assert_eq!((sets.get("c"), sets.get("k"), sets.machine.gave_up()), (range(0, 66), set(&[0, 1]), false));
}

#[test]
fn endless_loops_end_at_the_budget_or_fail_for_certain() {
    let mut sets = Sets::new("var k in 0..9", "do { k := 1; while 1 { wrap k := k + 1; } }");
    assert_eq!(sets.apply(), Applied { may_succeed: true, may_fail: true, may_violate: true });
    assert_eq!((sets.machine.gave_up(), sets.get("k")), (true, range(0, 9)));
    sets = Sets::of(sets.bench);
    sets.machine = ValueMachine::with_budget(&sets.bench.program, 1 << 24);
    assert_eq!(sets.apply(), Applied { may_succeed: false, may_fail: true, may_violate: false });
    assert_eq!((sets.machine.gave_up(), sets.get("k")), (false, set(&[0])));
}

#[test]
fn whatever_models_may_nest_is_followed() {
    // As deep as functions may nest.
    let mut text = "var x in 0..9\nfn f0(y in 0..9) -> 0..9 { return y; }\n".to_string();
    for level in 1..99 {
        text += &format!("fn f{level}(y in 0..9) -> 0..9 {{ return f{}(y); }}\n", level - 1);
    }
    let mut sets = Sets::new(&text, "do { x := f98(7); }");
    assert_eq!((sets.apply(), sets.get("x"), sets.machine.gave_up()), (CERTAIN, set(&[7]), false));
    // Edges that ask for each other.
    let asks = |edge: usize| format!("edge here -> here {{ guard enabled(P : #{}) }}\n", edge + 1);
    let edges: String = (0..150).map(asks).collect();
    let last = "edge here -> here { guard x < 10 }";
    let text = format!("network t var x in 0..9 process P {{ init here location here {edges} {last} }}");
    let mut sets = Sets::of(Bench::new(&text));
    assert_eq!((sets.guard(0), sets.machine.gave_up()), ((Some(Truth::True), true), false));
    let nested = format!("{}x := 5;{}", "if x > 1 { ".repeat(150), " }".repeat(150));
    let mut sets = Sets::new("var x in 0..9", &format!("do {{ {nested} }}")).with("x", range(0, 9));
    assert_eq!((sets.apply(), sets.get("x")), (CERTAIN, set(&[0, 1, 5])));
}

#[test]
fn other_edges_are_asked_as_far_as_they_are_known() {
    use Truth::{False, Maybe, True};
    let asked = |edges: &str, x: &[i64], length: &[i64]| {
        let text = format!(
            "network t
            var x in 0..9
            buffer q capacity 2 of (0..3)
            chan c
            process P {{ init here location here location there
              edge here -> here {{ guard enabled(P : {edges}) }}
              edge here -> here {{ guard x < 4 }}
              edge there -> here {{ }}
              edge here -> here {{ select s in 1..3 guard s == x }}
              edge here -> here {{ receive q(_) }}
              edge here -> here {{ receive q(=2) }}
              edge here -> here {{ send q(x) }}
              edge here -> here {{ send c }}
              edge here -> here {{ guard 1 / x > 0 }} }}"
        );
        let mut sets = Sets::of(Bench::new(&text)).with("x", set(x));
        let queue = sets.bench.program.layout.queues[0].expect("a buffer");
        sets.values.slots_mut()[queue.length] = set(length);
        sets.guard(0).0
    };
    for (edges, x, length, expected) in [
        ("#1", &[3][..], &[0][..], True),
        ("#1", &[4], &[0], False),
        ("#1", &[3, 4], &[0], Maybe),
        ("#2", &[3], &[0], False),
        ("#2, #1", &[3], &[0], True),
        ("#3", &[3], &[0], Maybe),
        ("#3", &[4], &[0], False),
        ("#4", &[3], &[0], False),
        ("#4", &[3], &[0, 1], Maybe),
        ("#4", &[3], &[1, 2], True),
        ("#5", &[3], &[1], Maybe),
        ("#6", &[3], &[0, 1], True),
        ("#6", &[3], &[1, 2], Maybe),
        ("#6", &[3], &[2], False),
        ("#7", &[3], &[0], Maybe),
        // An error is a guard that does not hold.
        ("#8", &[0], &[0], False),
        ("#8", &[0, 1], &[0], Maybe),
        ("#8", &[1], &[0], True),
    ] {
        assert_eq!(asked(edges, x, length), Some(expected), "{edges} at {x:?} {length:?}");
    }
}
