//! Evaluating and firing whole edges; `Enabled` and `Timeout`.

use crate::common;

use beeline_ir::expr::{ClockOp, RuntimeError::*};
use beeline_ir::{ClockId, LocationId};
use beeline_program::edge::{first_selects, next_selects};
use beeline_program::{ChannelUse, ConcreteAtom, Evaluated};
use common::{Bench, edge, process};

#[test]
fn evaluation_stops_where_it_fails() {
    let declarations = "chan c[2] of (0..3)\nclock x\nvar z in 0..0\nvar big in 0..9000000000 = 2147483649";
    let evaluate = |body: &str| {
        let mut bench = Bench::edge(declarations, body);
        bench.evaluate(0, 0, &[]).map(|e| e.is_some())
    };
    for (body, expected) in [
        ("guard 0 send c[7](1 / z)", Ok(false)),
        ("guard 1 / z send c[7](1)", Err(DivisionByZero)),
        ("send c[z + 7](1 / z)", Err(Index)),
        ("send c[7](1)", Err(Index)),
        ("send c[z](1 / z)", Err(DivisionByZero)),
        ("send *(9)(1 / z)", Err(Channel)),
        ("send *(1)(1, 1 / z)", Err(Channel)),
        ("receive *(1)()", Err(Channel)),
        ("receive c[0](=1 / z)", Err(DivisionByZero)),
        ("receive c[0](_) when x < big", Err(ClockValue)),
        ("when x < 0 - big", Err(ClockValue)),
        ("when x < 2147483648", Ok(true)),
        ("when x < 2147483649", Err(ClockValue)),
        ("when z => x < 1 / z", Ok(true)),
        ("when 1 / z => x < 1", Err(DivisionByZero)),
        ("when x < 1, x > 1 / z", Err(DivisionByZero)),
    ] {
        assert_eq!(evaluate(body), expected, "{body}");
    }
}

#[test]
fn evaluation_gives_channel_message_patterns_and_atoms() {
    let declarations = "buffer q[2] capacity 1 of (0..3, -1..1)\nclock x, y\nvar k in 0..9 = 1";
    let mut bench = Bench::edge(
        declarations,
        "select i in 0..1 send q[i](k + 4, i + 1) when k => x - y >= k + i, i => x < 5",
    );
    let [x, y] = [0, 1].map(ClockId::new);
    let found = bench.evaluate(0, 0, &[1]).unwrap().unwrap();
    let expected = Evaluated {
        element: Some(1),
        message: vec![1, -1],
        patterns: vec![],
        atoms: vec![
            ConcreteAtom { left: x, right: Some(y), op: ClockOp::Ge, bound: 2 },
            ConcreteAtom { left: x, right: None, op: ClockOp::Lt, bound: 5 },
        ],
    };
    assert_eq!(found, expected);
    assert_eq!(
        bench.evaluate(0, 0, &[0]).unwrap().unwrap().atoms.len(),
        1,
        "the condition of the second is false"
    );

    let mut bench = Bench::edge(declarations, "receive q[1](=k + 6, k)");
    let found = bench.evaluate(0, 0, &[]).unwrap().unwrap();
    assert_eq!(
        (found.element, found.patterns),
        (Some(1), vec![Some(7), None]),
        "a required value does not wrap"
    );
    let sync = &bench.program.processes[process(0)].edges[edge(0)].sync;
    assert_eq!(sync.channel(), Some(ChannelUse::Element(1)));
}

#[test]
fn selects_go_through_every_combination() {
    let bench = Bench::edge("", "select i in 1..2, j in -1..0");
    let ranges = &bench.program.processes[process(0)].edges[edge(0)].selects;
    let mut selects = Vec::new();
    let mut all = Vec::new();
    let mut more = first_selects(ranges, &mut selects);
    while more {
        all.push(selects.clone());
        more = next_selects(ranges, &mut selects);
    }
    assert_eq!(all, [[1, -1], [1, 0], [2, -1], [2, 0]]);
    assert!(first_selects(&[], &mut selects) && !next_selects(&[], &mut selects));
}

#[test]
fn a_pair_moves_both_then_updates_sender_first() {
    let text = "network t
        chan c of (0..3, 0..9)
        var k in 0..9 = 2
        var seen in 0..99
        process A { init a location a location b edge a -> b { select i in 0..9 send c(k, i) do { k := k + B.d; } } }
        process B { var got in 0..9 init s location s location d
            edge s -> d { local t in 0..9 receive c(got, t) do { seen := k * 10 + got + t; } } }";
    let mut bench = Bench::new(text);
    bench.fire(&[(0, 0, &[4]), (1, 0, &[])]).unwrap();
    // The message is from before the sender's update; the sender already sees the receiver's new location.
    assert_eq!((bench.get("k"), bench.get("B.got"), bench.get("seen")), (3, 2, 36));
    assert_eq!(bench.program.location(process(1), &bench.state), Some(LocationId::new(1)));
}

#[test]
fn buffers_change_before_the_update() {
    let text = "network t
        buffer q capacity 2 of (0..9)
        var n in 0..9
        var got in 0..9
        process A { init a location a
            edge a -> a { send q(3 + n) do { n := len(q); } }
            edge a -> a { receive q(got) do { n := len(q); } }
            edge a -> a { receive any keep q(=4) do { n := len(q); } }
            edge a -> a { receive q(=4) }
            edge a -> a { sorted send q(1) } }";
    let mut bench = Bench::new(text);
    bench.fire(&[(0, 0, &[])]).unwrap();
    assert_eq!(bench.get("n"), 1);
    bench.fire(&[(0, 0, &[])]).unwrap();
    assert_eq!((bench.get("n"), bench.queue(0)), (2, vec![vec![3], vec![4]]));
    assert!(!bench.program.queue_accepts(&bench.state, 0));
    assert_eq!(bench.program.queue_matches(&bench.state, 0, false, &[Some(4)]), None);
    assert_eq!(bench.program.queue_matches(&bench.state, 0, true, &[Some(4)]), Some(1));
    let full = bench.state.clone();
    assert_eq!(bench.fire(&[(0, 0, &[])]), Err(Blocked));
    bench.state = full.clone();
    assert_eq!(bench.fire(&[(0, 3, &[])]), Err(Blocked));
    bench.state = full;
    bench.fire(&[(0, 2, &[])]).unwrap();
    assert_eq!(bench.get("n"), 2, "kept");
    bench.fire(&[(0, 1, &[])]).unwrap();
    assert_eq!((bench.get("n"), bench.get("got")), (1, 3));
    bench.fire(&[(0, 4, &[])]).unwrap();
    assert_eq!(bench.queue(0), [[1], [4]]);
}

#[test]
fn the_token_goes_to_the_receiver_of_a_pair_or_the_initiator() {
    let text = "network t
        chan c
        broadcast chan b
        process A { init a location a atomic location t
            edge a -> t { send c } edge t -> a { } edge a -> t { } edge a -> t { send b } }
        process B { init a location a atomic location t
            edge a -> t { receive c } edge t -> a { receive c } edge a -> t { receive b } edge a -> a { receive c } edge a -> t { } edge t -> t { do { exit; } } }
        observer process O { init o location o edge o -> o { } }";
    let holder = |bench: &Bench| bench.state[bench.program.layout.holder.unwrap()];
    let run = |steps: &[&[(usize, usize, &[i64])]]| {
        let mut bench = Bench::new(text);
        steps.iter().for_each(|step| bench.fire(step).unwrap());
        holder(&bench)
    };
    assert_eq!(run(&[&[(0, 0, &[]), (1, 0, &[])]]), 2, "the receiver");
    assert_eq!(run(&[&[(0, 0, &[]), (1, 3, &[])]]), 0, "only the receiver");
    assert_eq!(run(&[&[(0, 2, &[])]]), 1);
    assert_eq!(run(&[&[(0, 3, &[]), (1, 2, &[])]]), 1, "the initiator of a broadcast");
    assert_eq!(run(&[&[(0, 2, &[])], &[(0, 1, &[])]]), 0);
    assert_eq!(run(&[&[(0, 2, &[])], &[(2, 0, &[])]]), 1, "an observer leaves it alone");
    assert_eq!(run(&[&[(1, 4, &[])], &[(1, 5, &[])]]), 0, "a process that ended holds nothing");
}

/// Whether each edge of each process is enabled, as rows of digits.
fn enabled(bench: &mut Bench) -> Vec<String> {
    let all: Vec<Vec<_>> =
        bench.program.processes.enumerate().map(|(p, c)| c.edges.ids().map(|e| (p, e)).collect()).collect();
    let mut row = |edges: Vec<_>| {
        edges
            .into_iter()
            .map(|(p, e)| {
                if bench.machine.edge_enabled(&bench.program, p, e, &bench.state) == Ok(true) {
                    '1'
                } else {
                    '0'
                }
            })
            .collect()
    };
    all.into_iter().map(&mut row).collect()
}

#[test]
fn enabled_edges() {
    let text = "network t
        var k in 0..9 = 2
        chan c[2] of (0..3)
        broadcast chan b
        buffer q capacity 1 of (0..3)
        process A { init a location a location z
            edge a -> a { }
            edge z -> a { }
            edge a -> a { guard k == 3 }
            edge a -> a { guard 1 / (k - 2) }
            edge a -> a { select i in 0..9 guard i * i == 81 }
            edge a -> a { send c[0](k) }
            edge a -> a { send c[1](k) }
            edge a -> a { send c[0](3) }
            edge a -> a { send c[0](k + 4) }
            edge a -> a { send b }
            edge a -> a { send q(1) }
            edge a -> a { receive q(_) }
            edge a -> a { send *(9)(1) }
            edge a -> a { select i in 0..3 send *(1)(i) } }
        process B { init a location a location z
            edge a -> z { select j in 0..3 guard j == 2 receive c[0](=j) }
            edge a -> z { receive b }
            edge z -> z { receive c[1](_) }
            edge a -> z { receive c[0](=9) } }";
    let mut bench = Bench::new(text);
    assert_eq!(enabled(&mut bench), ["10001100111001", "1100"]);
    bench.fire(&[(0, 10, &[])]).unwrap();
    let location = bench.program.layout.location[process(1)];
    bench.state[location] = 1;
    // B is at z: only c[1] finds a partner; the buffer is full.
    assert_eq!(enabled(&mut bench), ["10001010010100", "0010"]);
}

#[test]
fn else_and_timeout() {
    let text = "network t
        var k in 0..9
        process A { init a location a
            edge a -> a { guard k == 1 }
            edge a -> a { guard 5 / k == 5 }
            edge a -> a { guard !enabled(A : #0, #1) && k < 8 }
            edge a -> a { guard timeout } }
        process B { init a location a
            edge a -> a { guard timeout || k == 9 }
            edge a -> a { guard enabled(A : #2) && k == 7 } }
        observer process O { init a location a edge a -> a { } }";
    let mut bench = Bench::new(text);
    let mut at = |k| {
        bench.set("k", k);
        enabled(&mut bench).join(" ")
    };
    assert_eq!(at(1), "1100 00 1");
    assert_eq!(at(0), "0010 00 1", "an error counts as false");
    assert_eq!(at(7), "0010 01 1");
    assert_eq!(at(8), "0001 10 1", "nothing else can move");
    assert_eq!(at(9), "0000 10 1", "an edge is enabled with every timeout read as false");
}
