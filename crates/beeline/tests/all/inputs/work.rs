//! Legal models of which one state alone is much work: broadcasts with many receivers, many steps at once, many
//! clocks. Limits of time and memory must hold all the same.

use super::Answer::{Any, Large};
use super::{Answer, Input, joined, xta};

/// A broadcast to so many receivers, each with so many edges to choose from.
fn broadcast(name: &str, receivers: usize, ways: usize, guard: &str, answer: Answer) -> Input {
    let ways = joined(ways, ",", |i| format!("A -> L{i} {{ guard {guard}; sync c?; }}"));
    let states = joined(8, ",", |i| format!("L{i}"));
    xta(
        name,
        format!(
            "broadcast chan c; int v; clock y;\n\
             process R(int[0,{last}] i) {{ clock x; state A, {states}; init A; trans {ways}; }}\n\
             process S() {{ state A; init A; trans A -> A {{ sync c!; }}; }} system R, S;",
            last = receivers - 1
        )
        .replace("clock x;", if guard.contains('x') { "clock x;" } else { "" }),
        answer,
    )
}

pub fn all() -> Vec<Input> {
    let family = |count: usize, declarations: &str, labels: &str| {
        format!(
            "process P(int[0,{last}] i) {{ {declarations} state A; init A; trans A -> A {{ {labels} }}; }} system P;",
            last = count - 1
        )
    };
    vec![
        broadcast("broadcast, 61 receivers, 2 ways", 61, 2, "true", Large),
        broadcast("broadcast, 20 receivers, 2 ways", 20, 2, "true", Large),
        broadcast("broadcast, 61 receivers, 8 ways", 61, 8, "true", Large),
        broadcast("broadcast, 1,000 receivers, 2 ways", 1000, 2, "true", Large),
        broadcast("broadcast, 4,000 receivers", 4000, 1, "true", Large),
        broadcast("broadcast, 61 receivers with clocks", 61, 2, "x > 1", Large),
        broadcast("broadcast, 500 receivers with clocks", 500, 1, "x > 1", Large),
        broadcast("broadcast, 61 receivers, one clock", 61, 1, "y > 1", Large),
        xta(
            "broadcasts of everyone",
            "broadcast chan c; process P(int[0,999] i) { state A, B; init A; trans A -> A { sync c!; }, A -> B { sync c?; }, A -> A { sync c?; }; } system P;",
            Large,
        ),
        xta(
            "pairs, 2,000 processes",
            "chan c; process P(int[0,1999] i) { int v; state A; init A; trans A -> A { sync c!; assign v = 1 - v; }, A -> A { sync c?; }; } system P;",
            Large,
        ),
        xta("60 independent counters", family(60, "int[0,999] v;", "assign v = (v + 1) % 1000;"), Large),
        xta("60 independent clocks", family(60, "clock x;", "guard x > 1; assign x = 0;"), Large),
        xta(
            "60 clocks with large constants",
            format!("clock x[60]; {}", family(60, "", "guard x[i] > 1000000 + i; assign x[i] = 0;")),
            Large,
        ),
        xta(
            "differences of 30 clocks",
            format!(
                "clock x[30]; int v; {}",
                family(30, "", "guard x[i] - x[(i + 1) % 30] < 5; assign x[i] = 0, v = (v + 1) % 100;")
            ),
            Any,
        ),
        xta(
            "differences of every pair of 60 clocks",
            "clock x[60]; int i, j; process P() { state A; init A; trans A -> A { guard x[i] - x[j] < 5; assign i = (i + 1) % 60, x[i] = 0; }; } system P;",
            Any,
        ),
        xta(
            "long updates",
            "int a[1000]; process P(int[0,19] i) { int[0,99] v; void f() { for (k : int[0,9999]) a[k % 1000] = k; v = (v + 1) % 100; } state A; init A; trans A -> A { assign f(); }; } system P;",
            Large,
        ),
        xta(
            "select of 10^6, ten times",
            "int[0,1000000] v; process P(int[0,9] i) { state A; init A; trans A -> A { select k : int[1,1000000]; assign v = k; }; } system P;",
            Large,
        ),
        xta(
            "selects that are never enabled",
            "int v; process P(int[0,9] i) { state A; init A; trans A -> A { select a : int[0,99], b : int[0,99], c : int[0,99]; guard a + b + c + v == 1000; }; } system P;",
            Any,
        ),
        xta(
            "channel chosen by select, 200 processes",
            "chan c[200]; process P(int[0,199] i) { int v; state A; init A; trans A -> A { select k : int[0,199]; sync c[k]!; assign v = 1 - v; }, A -> A { sync c[i]?; }; } system P;",
            Large,
        ),
        xta(
            "priorities and many steps",
            "chan a, b; chan priority a < b; process P(int[0,299] i) { int v; state A; init A; trans A -> A { sync a!; assign v = 1 - v; }, A -> A { sync b?; }, A -> A { sync a?; }; } system P;",
            Large,
        ),
    ]
}
