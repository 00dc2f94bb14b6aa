//! What routines read and write, and the shape of their code.

use crate::common;

use beeline_ir::id::Id;
use beeline_program::{Op, Predicate, Program, Routine, RoutineId};
use common::{Bench, edge, process};

const DECLARATIONS: &str = "
    var k in 0..9
    var a[3] in 0..9
    var m in 0..9
    clock x, y
    buffer q[2] capacity 1 of (0..9)
    fn plus(n in 0..9) -> 0..9 { return m + n; }
    fn put(n in 0..9) { a[n] := k; x := y; }";

/// The slots of a routine's set, by name.
fn names(bench: &Bench, slots: impl Iterator<Item = usize>) -> String {
    use beeline_ir::layout::SlotKind::*;
    let name = |slot: usize| match bench.program.layout.slots[slot].kind {
        Location(p) => format!("@{}", bench.network.processes[p].name),
        Pid(p) => format!("#{}", bench.network.processes[p].name),
        Cell(v, 0) => bench.network.var_name(v),
        Cell(v, c) => format!("{}{c}", bench.network.var_name(v)),
        QueueLength(e) => format!("q{e}"),
        QueueCell(e, ..) => format!("q{e}c"),
        Holder => "token".to_string(),
    };
    slots.map(name).collect::<Vec<_>>().join(" ")
}
fn guard(bench: &Bench, p: usize, e: usize) -> &Routine {
    &bench.program.routines[bench.program.processes[process(p)].edges[edge(e)].guard.expect("a guard")]
}
fn update(bench: &Bench, p: usize, e: usize) -> &Routine {
    &bench.program.routines[bench.program.processes[process(p)].edges[edge(e)].update.expect("an update")]
}

#[test]
fn reads_and_writes() {
    let of = |body: &str| {
        let bench = Bench::edge(DECLARATIONS, &format!("do {{ {body} }}"));
        let routine = update(&bench, 0, 0);
        format!("{} -> {}", names(&bench, routine.reads.iter()), names(&bench, routine.writes.iter()))
    };
    for (body, expected) in [
        ("k := m;", "m -> k"),
        ("k := 1;", " -> k"),
        ("k := a[m];", "a a1 a2 m -> k"),
        ("k := a[1];", "a1 -> k"),
        ("a[1] := 0;", " -> a1"),
        ("a[k] := 0;", "k -> a a1 a2"),
        ("k := plus(1);", "m -> k"),
        ("call put(1);", "k -> a a1 a2"),
        ("if m { k := 0; }", "m -> k"),
        ("while k < 3 { m := 1; }", "k -> m"),
        ("k := len(q[0]);", "q0 q0c -> k"),
        ("send q[1](k);", "k q1 q1c -> q1 q1c"),
        ("send q[m](k);", "k m q0 q0c q1 q1c -> q0 q0c q1 q1c"),
        ("receive q[0](a[2]);", "q0 q0c -> a2 q0 q0c"),
        ("receive keep *k(m);", "k q0 q0c q1 q1c -> m"),
        ("assert k == P.here;", "@P k -> "),
    ] {
        assert_eq!(of(body), expected, "{body}");
    }
    let bench = Bench::edge(DECLARATIONS, "do { call put(1); y := 3; }");
    let clocks = |list: &[beeline_ir::ClockId]| list.iter().map(|c| c.index()).collect::<Vec<_>>();
    assert_eq!(clocks(&update(&bench, 0, 0).clocks_written), [0, 1]);
    assert_eq!(clocks(&update(&bench, 0, 0).clocks_read), [1]);
}

#[test]
fn a_result_that_is_a_variable_is_read() {
    let bench = Bench::edge(DECLARATIONS, "guard m");
    assert_eq!(names(&bench, guard(&bench, 0, 0).reads.iter()), "m");
}

#[test]
fn starting_and_ending_touch_the_whole_process() {
    let bench = Bench::new(
        "network t
        family f
        process P { init a location a edge a -> a { do { start f(1); } } }
        process S in f { param n in 0..3 var w[2] in 0..3 init a location a edge a -> a { do { exit; } } }",
    );
    let start = update(&bench, 0, 0);
    assert_eq!(names(&bench, start.reads.iter()), "@S");
    assert_eq!(names(&bench, start.writes.iter()), "@S #S S.n S.w S.w1");
    let exit = update(&bench, 1, 0);
    assert_eq!(names(&bench, exit.reads.iter()), "@S #S");
    assert_eq!(names(&bench, exit.writes.iter()), "@S #S S.n S.w S.w1");
}

#[test]
fn asking_whether_edges_are_enabled_reads_what_they_depend_on() {
    let bench = Bench::new(
        "network t
        chan c
        chan d
        buffer q capacity 1
        var i in 0..1 var j in 0..1 var k in 0..1 var l in 0..1
        process P { init a location a
            edge a -> a { guard i send c }
            edge a -> a { guard j receive q() }
            edge a -> a { guard !enabled(P : #0) }
            edge a -> a { guard !enabled(P : #1, #2) }
            edge a -> a { guard timeout } }
        process Q { init a location a edge a -> a { guard k receive c } edge a -> a { guard l receive d } }
        process R { init a location a }",
    );
    let reads = |e| names(&bench, guard(&bench, 0, e).reads.iter());
    assert_eq!(reads(0), "i");
    assert_eq!(reads(2), "@P @Q i k");
    assert_eq!(reads(3), "@P @Q i j k q2");
    assert_eq!(reads(4), "@P @Q i j k l q2");
}

#[test]
fn predicates_compiled_later_are_complete_too() {
    let mut bench = Bench::new(
        "network t
        var k in 0..1
        process P { init a location a edge a -> a { guard k } }
        property : E<> enabled(P : #0)",
    );
    let property = bench.network.properties[0].clone();
    let beeline_ir::property::Target::State(target) = property.target() else { panic!("a state") };
    let network = bench.network.clone();
    let predicate = bench.program.compile_predicate(&network, &property.frame, &target);
    let Ok(Predicate::Discrete(routine)) = predicate else { panic!("{predicate:?}") };
    assert_eq!(names(&bench, bench.program.routines[routine].reads.iter()), "@P k");
}

/// Regions nest properly and every jump goes where it should.
fn check_structure(routine: &Routine) {
    let mut open: Vec<usize> = Vec::new();
    for (at, op) in routine.code.iter().enumerate() {
        match op {
            Op::If { .. } | Op::Loop { .. } => open.push(at),
            Op::Else { .. } => {
                let start = open.pop().expect("an open region");
                assert!(
                    matches!(routine.code[start], Op::If { otherwise, .. } if otherwise as usize == at + 1)
                );
                open.push(at);
            }
            Op::End => {
                let start = open.pop().expect("an open region");
                let end = match routine.code[start] {
                    Op::If { otherwise, .. } => otherwise,
                    Op::Else { end } => end,
                    ref other => panic!("{other:?}"),
                };
                assert_eq!(end as usize, at);
            }
            Op::Break { end, .. } => {
                let loop_ = *open.last().expect("an open region");
                assert!(
                    matches!(routine.code[loop_], Op::Loop { end: e } if e == *end),
                    "directly in its loop"
                );
            }
            Op::Repeat { start } => {
                let loop_ = open.pop().expect("an open region");
                assert_eq!(*start as usize, loop_ + 1);
                assert!(matches!(routine.code[loop_], Op::Loop { end } if end as usize == at + 1));
            }
            _ => {}
        }
    }
    assert_eq!(open, []);
}

#[test]
fn code_is_structured() {
    let bench = Bench::edge(
        DECLARATIONS,
        "local i in 0..9\nlocal j in 0..9
         guard forall(i in 0..2 : a[i] > 0 && exists(j in 0..2 : a[j] == i || k)) ? k : sum(i in 0..3 : i ? 1 : 2)
         do { while k > 0 { if k == 3 { while m > 0 { m := m - 1; } } else { k := k - 1; } if m { k := 0; } } }",
    );
    let program: &Program = &bench.program;
    let routines: Vec<&Routine> = program.routines.iter().collect();
    assert!(routines.iter().any(|r| r.code.len() > 20));
    routines.iter().for_each(|r| check_structure(r));
    assert_eq!(program.functions.len(), 2);
    assert_eq!(program.functions[beeline_ir::FunctionId::new(0)], RoutineId::new(0));
}
