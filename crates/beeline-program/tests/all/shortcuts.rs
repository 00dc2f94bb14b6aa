//! Shortcuts do what the routines do: every guard and update below is run both ways in every state.

use crate::common;

use common::{Bench, edge, process};

const DECLARATIONS: &str = "var ring[3] in 0..2\nvar head in 0..2\nvar length in 0..3\nclock x
    fn enter(who in 0..2) { ring[(head + length) % 3] := who; length := length + 1; }
    fn remove() { head := (head + 1) % 3; length := length - 1; }
    fn restart(who in 0..2) { x := 0; head := who; }";

/// The outcome of the edge with the shortcuts, and without, in all states; whether there are shortcuts.
fn compare(body: &str) -> (bool, bool) {
    let mut bench = Bench::edge(DECLARATIONS, body);
    let mut plain = bench.program.clone();
    let stripped = &mut plain.processes[process(0)].edges[edge(0)];
    let shortcuts = (stripped.tests.take().is_some(), stripped.steps.take().is_some());
    let values = |at: usize| bench.program.layout.slots[at].range;
    let ranges: Vec<_> = (0..bench.program.layout.slots.len()).map(values).collect();
    let selects = usize::from(!bench.program.processes[process(0)].edges[edge(0)].selects.is_empty());
    let mut state: Vec<i64> = ranges.iter().map(|range| range.lo).collect();
    loop {
        for select in 0..3 {
            let mut run = |program: &beeline_program::Program| {
                bench.program = program.clone();
                bench.state.clone_from(&state);
                match bench.evaluate(0, 0, &[select][..selects]) {
                    Ok(Some(_)) => {
                        let fired = bench.fire(&[(0, 0, &[select][..selects])]);
                        // After an error the state is of no use.
                        Ok(Some(fired.map(|()| (bench.state.clone(), bench.effects.clone()))))
                    }
                    Ok(None) => Ok(None),
                    Err(error) => Err(error),
                }
            };
            let shortcut = run(&compiled(body));
            assert_eq!(shortcut, run(&plain), "{body} with {select} in {state:?}");
        }
        let next = state.iter().zip(&ranges).rposition(|(value, range)| value < &range.hi);
        let Some(next) = next else { return shortcuts };
        state[next] += 1;
        state[next + 1..].iter_mut().zip(&ranges[next + 1..]).for_each(|(value, range)| *value = range.lo);
    }
}

fn compiled(body: &str) -> beeline_program::Program {
    Bench::edge(DECLARATIONS, body).program
}

#[test]
fn sums_as_indices_and_values() {
    for body in [
        "select i in 0..2 do { ring[(head + length) % 3] := i; }",
        "select i in 0..2 do { call enter(i); }",
        "do { call remove(); }",
        "do { call enter(1); call remove(); }",
        "select i in 0..2 do { call restart(i); }",
        "do { head := head + length; }",
        "do { ring[head] := length; }",
        "do { ring[2] := head + 1 - 2; }",
        "do { head := 2; ring[head] := head; }",
    ] {
        assert!(compare(body).1, "no shortcut for {body}");
    }
}

#[test]
fn what_may_fail_elsewhere_is_left_to_the_routines() {
    for body in [
        // The index may be outside.
        "do { ring[length] := 1; }",
        "do { ring[head - 1] := 1; }",
        "do { ring[(head - 1) % 3] := 1; }",
        // An argument may not fit.
        "select i in 0..3 do { call enter(i); }",
        "do { call enter(length); }",
        "do { head := length * 2; }",
    ] {
        assert!(!compare(body).1, "a shortcut for {body}");
    }
}

#[test]
fn elements_at_sums_in_guards() {
    for (body, shortcut) in [
        ("guard length > 0 && ring[(head + length - 1) % 3] == 2", true),
        // Without the first conjunct the index may be negative.
        ("guard ring[(head + length - 1) % 3] == 2", false),
        ("guard length != 0 && ring[(head + length - 1) % 3] == 2", false),
        ("guard length <= 2 && ring[length] == head", true),
        ("guard length < 1 && ring[head + length] > 0", true),
    ] {
        assert_eq!(compare(body).0, shortcut, "{body}");
    }
}
