//! One conformance suite, instantiated per search in one line: tiny models, each about one rule, with known answers and
//! known least lengths. Each is also answered by the oracle, and the kernel checks what the engine says.

use beeline_check::{check_certificate, replay};
use beeline_engine::{Options, SearchKind, explore};
use beeline_ir::Model;
use beeline_ir::limits::Limits;
use beeline_ir::outcome::Finding;
use beeline_ir::text::{self, ReadOptions};
use beeline_testkit::oracle;

/// What a model is about, its text, and the least length of its target.
struct Case {
    about: &'static str,
    text: &'static str,
    length: Option<u32>,
}

const fn reachable(about: &'static str, length: u32, text: &'static str) -> Case {
    Case { about, text, length: Some(length) }
}
const fn unreachable(about: &'static str, text: &'static str) -> Case {
    Case { about, text, length: None }
}

fn read(case: &Case) -> Model {
    let text = format!("network t\n{}", case.text);
    match text::read(&text, ReadOptions { file: "case", record_places: false }) {
        Ok(model) => model,
        Err(diagnostics) => panic!("{}: {diagnostics:?}", case.about),
    }
}

fn check(case: &Case, search: SearchKind) {
    let model = read(case);
    let Model::Network(network) = &model else { panic!("{}: not a network", case.about) };
    let property = &network.properties[0];
    let options = Options { search, ..Options::default() };
    let outcome =
        explore(network, property, &options, &mut |_| {}).unwrap_or_else(|d| panic!("{}: {d:?}", case.about));
    match (&outcome.finding, case.length) {
        (Finding::Unreachable, None) => {}
        (Finding::Reachable { trace, shortest }, Some(least)) => {
            let replayed =
                replay(&model, property, trace).unwrap_or_else(|e| panic!("{}: {e:?}", case.about));
            assert!(replayed.length >= least, "{}", case.about);
            if *shortest || search == SearchKind::Bfs {
                assert_eq!(replayed.length, least, "{}", case.about);
            }
        }
        (found, expected) => panic!("{}: {found:?} where {expected:?} is right", case.about),
    }
    if let Some(certificate) = &outcome.certificate {
        let accepted = check_certificate(&model, property, certificate, None, &Limits::default());
        assert!(accepted.is_ok(), "{}: {accepted:?}", case.about);
    }
}

#[test]
fn oracle() {
    for case in CASES {
        let Model::Network(network) = read(case) else { panic!("{}: not a network", case.about) };
        let answer = oracle::solve(&network, &network.properties[0], true, 10_000);
        let answer = answer.unwrap_or_else(|e| panic!("{}: {e:?}", case.about));
        assert_eq!(answer.length, case.length, "{}", case.about);
    }
}

macro_rules! conformance {
    ($($name:ident: $search:expr;)+) => {$(
        #[test]
        fn $name() {
            CASES.iter().for_each(|case| check(case, $search));
        }
    )+};
}

conformance! {
    bfs: SearchKind::Bfs;
    dfs: SearchKind::Dfs;
    random_dfs: SearchKind::RandomDfs;
}

const CASES: &[Case] = &[
    reachable("the initial state", 0, "process P { init a location a } property : E<> P.a"),
    reachable("one step", 1, "process P { init a location a location b edge a -> b } property : E<> P.b"),
    unreachable("an edge the wrong way", "process P { init a location a location b edge b -> a } property : E<> P.b"),
    reachable("waiting inside the invariant", 1,
        "clock x process P { init a location a { invariant x <= 2 } location b edge a -> b { when x >= 2 } } property : E<> P.b"),
    unreachable("a strict invariant ends before its bound",
        "clock x process P { init a location a { invariant x < 2 } location b edge a -> b { when x >= 2 } } property : E<> P.b"),
    unreachable("a strict guard begins after its bound",
        "clock x process P { init a location a { invariant x <= 2 } location b edge a -> b { when x > 2 } } property : E<> P.b"),
    unreachable("the target's invariant must hold on entry",
        "clock x process P { init a location a location b { invariant x < 1 } edge a -> b { when x >= 1 } } property : E<> P.b"),
    unreachable("an invariant false at the start leaves no behaviour",
        "clock x process P { init a location a { invariant x >= 1 } } property : E<> P.a"),
    unreachable("one clock cannot overtake another",
        "clock x, y process P { init a location a location b edge a -> b { when x > 1, y <= 1 } } property : E<> P.b"),
    reachable("a reset lets it fall behind", 2,
        "clock x, y process P { init a location a location b edge a -> a { do { y := 0; } } edge a -> b { when x > 1, y <= 1 } }
         property : E<> P.b"),
    reachable("a clock set to a value", 1,
        "clock x process P { init a location a location b { invariant x <= 3 } edge a -> b { when x == 0 do { x := 3; } } }
         property : E<> P.b && x >= 3"),
    reachable("a clock copied", 2,
        "clock x, y process P { init a location a location b location c edge a -> b { when x == 2 do { y := 0; x := y; } }
         edge b -> c { when x == 1, y == 1 } } property : E<> P.c"),
    reachable("a diagonal", 2,
        "clock x, y process P { init a location a location b edge a -> a { do { x := 0; } } edge a -> b { when y - x == 2 } }
         property : E<> P.b"),
    unreachable("a diagonal that only a reset could change",
        "clock x, y process P { init a location a location b edge a -> b { when y - x > 0 } } property : E<> P.b"),
    unreachable("a conditional constraint whose condition holds",
        "clock x var v in 0..1 = 1 process P { init a location a { invariant v == 1 => x <= 1 } location b edge a -> b { when x > 1 } }
         property : E<> P.b"),
    reachable("a conditional constraint whose condition fails", 1,
        "clock x var v in 0..1 process P { init a location a { invariant v == 1 => x <= 1 } location b edge a -> b { when x > 1 } }
         property : E<> P.b"),
    reachable("an open goal between two integers", 0, "clock x process P { init a location a } property : A[] !(x > 1 && x < 2)"),
    reachable("a handshake counts once", 1,
        "chan c process P { init a location a location b edge a -> b { send c } }
         process Q { init a location a location b edge a -> b { receive c } } property : E<> P.b && Q.b"),
    unreachable("nobody handshakes alone",
        "chan c process P { init a location a location b edge a -> b { send c } } process Q { init a location a } property : E<> P.b"),
    unreachable("nor with itself",
        "chan c process P { init a location a location b edge a -> b { send c } edge a -> b { receive c } } property : E<> P.b"),
    reachable("the receiver updates after the sender", 1,
        "chan c var v in 0..3 process P { init a location a location b edge a -> b { send c do { v := 1; } } }
         process Q { init a location a location b edge a -> b { receive c do { v := v + 2; } } } property : E<> v == 3"),
    reachable("a message", 1,
        "chan c of (0..3) var v in 0..3 process P { init a location a edge a -> a { send c(2) } }
         process Q { init a location a edge a -> a { receive c(v) } } property : E<> v == 2"),
    unreachable("a message that does not match",
        "chan c of (0..3) process P { init a location a edge a -> a { send c(2) } }
         process Q { init a location a location b edge a -> b { receive c(=1) } } property : E<> Q.b"),
    reachable("a broadcast needs nobody", 1,
        "broadcast chan c process P { init a location a location b edge a -> b { send c } } property : E<> P.b"),
    unreachable("a broadcast takes all who can",
        "broadcast chan c process P { init a location a location b edge a -> b { send c } }
         process Q { init a location a location b edge a -> b { receive c } } property : E<> P.b && Q.a"),
    reachable("a broadcast leaves those whose clocks say no", 1,
        "clock x broadcast chan c process P { init a location a location b edge a -> b { send c } }
         process Q { init a location a location b edge a -> b { when x >= 1 receive c } } property : E<> P.b && Q.a"),
    unreachable("but only those",
        "clock x broadcast chan c process P { init a location a location b edge a -> b { when x >= 1 send c } }
         process Q { init a location a location b edge a -> b { when x >= 1 receive c } } property : E<> P.b && Q.a"),
    unreachable("a committed location goes first",
        "process P { init a committed location a location b edge a -> b }
         process Q { init a location a location b edge a -> b } property : E<> P.a && Q.b"),
    unreachable("time stands still at a committed location",
        "clock x process P { init a committed location a location b edge a -> b { when x > 0 } } property : E<> P.b"),
    unreachable("and at an urgent one",
        "clock x process P { init a urgent location a location b edge a -> b { when x > 0 } } property : E<> P.b"),
    reachable("others may move while a process is at an urgent location", 1,
        "process P { init a urgent location a location b edge a -> b }
         process Q { init a location a location b edge a -> b } property : E<> P.a && Q.b"),
    unreachable("time stands still while an urgent channel is ready",
        "clock x urgent chan c process P { init a location a location b edge a -> b { send c } }
         process Q { init a location a location b edge a -> b { receive c } } property : E<> P.a && x > 0"),
    reachable("but not while it lacks a partner", 0,
        "clock x urgent chan c process P { init a location a location b edge a -> b { send c } } property : E<> P.a && x > 0"),
    unreachable("a channel of higher priority goes first",
        "broadcast chan c priority 1 process P { init a location a edge a -> a { send c } }
         process Q { init a location a location b edge a -> b } property : E<> Q.b"),
    reachable("where its clock guard allows", 1,
        "clock x broadcast chan c priority 1 process P { init a location a edge a -> a { when x <= 1 send c } }
         process Q { init a location a location b edge a -> b } property : E<> Q.b"),
    unreachable("and only there",
        "clock x broadcast chan c priority 1 process P { init a location a edge a -> a { when x <= 1 send c } }
         process Q { init a location a location b edge a -> b { when x <= 1 } } property : E<> Q.b"),
    unreachable("a process of higher priority goes first",
        "process P priority 1 { init a location a edge a -> a }
         process Q { init a location a location b edge a -> b } property : E<> Q.b"),
    reachable("counting", 3,
        "var v in 0..3 process P { init a location a edge a -> a { guard v < 3 do { v := v + 1; } } } property : E<> v == 3"),
    unreachable("a store out of range has no successor",
        "var v in 0..2 process P { init a location a location b edge a -> b { do { v := 3; } } } property : E<> P.b"),
    reachable("the store that fails is found when asked for", 3,
        "var v in 0..2 process P { init a location a edge a -> a { do { v := v + 1; } } } property : no-runtime-error"),
    reachable("a wrapping store wraps", 2,
        "var v in 0..2 = 1 process P { init a location a edge a -> a { do { wrap v := v + 1; } } } property : E<> v == 0"),
    reachable("an index out of bounds fails", 1,
        "var a[2] in 0..1 process P { init l location l edge l -> l { do { a[2] := 1; } } } property : no-runtime-error"),
    unreachable("a short circuit avoids it",
        "var a[2] in 0..1 var i in 0..2 = 2 process P { init l location l location m edge l -> m { guard i < 2 && a[i] == 0 } }
         property : no-runtime-error"),
    reachable("select tries every value", 1,
        "var v in 0..3 process P { init a location a edge a -> a { select i in 0..3 do { v := i; } } } property : E<> v == 3"),
    reachable("an edge without cost counts nothing", 1,
        "process P { init a location a location b location c edge a -> b { free } edge b -> c } property : E<> P.c"),
    reachable("three free steps and one are shorter than two", 1,
        "process P { init a location a location b location c location d location e edge a -> b edge b -> e
         edge a -> c { free } edge c -> d { free } edge d -> d { free } edge d -> e } property : E<> P.e"),
    reachable("a function with an effect", 1,
        "var v in 0..3 fn f(k in 0..3) { v := k; } process P { init a location a edge a -> a { do { call f(2); } } } property : E<> v == 2"),
    reachable("a loop and a quantifier", 1,
        "var a[3] in 0..2 process P { init l location l edge l -> l { local i in 0..3 do { while i < 3 { a[i] := 1; i := i + 1; } } } }
         property : E<> forall(k in 0..2 : a[k] == 1)"),
    reachable("no way out is a deadlock", 0,
        "clock x process P { init a location a { invariant x <= 1 } location b edge a -> b { when x > 1 } } property : E<> deadlock"),
    unreachable("a way out after some delay is none",
        "clock x process P { init a location a { invariant x <= 1 } edge a -> a { when x == 1 do { x := 0; } } } property : A[] !deadlock"),
    reachable("a way out that closes while time passes", 0,
        "clock x process P { init a location a edge a -> a { when x < 1 do { x := 0; } } } property : A[] !deadlock"),
    reachable("a queue keeps the order", 4,
        "buffer q capacity 2 of (0..3) var v in 0..3 process P { init a location a location b location c
         edge a -> b { send q(1) } edge b -> c { send q(2) } }
         process Q { init a location a location b location c edge a -> b { receive q(v) } edge b -> c { receive q(v) } } property : E<> Q.c && v == 2"),
    unreachable("and no more than it can hold",
        "buffer q capacity 2 of (0..3) process P { init a location a location b location c location d
         edge a -> b { send q(1) } edge b -> c { send q(2) } edge c -> d { send q(3) } } property : E<> P.d"),
    reachable("a sorted send goes before greater messages", 3,
        "buffer q capacity 2 of (0..3) var v in 0..3 process P { init a location a location b location c location d
         edge a -> b { sorted send q(2) } edge b -> c { sorted send q(1) } edge c -> d { receive q(v) } } property : E<> P.d && v == 1"),
    reachable("a receive may look beyond the first message", 3,
        "buffer q capacity 2 of (0..3) process P { init a location a location b location c location d
         edge a -> b { send q(2) } edge b -> c { send q(1) } edge c -> d { receive any q(=1) } } property : E<> P.d && len(q) == 1"),
    unreachable("an ordinary one does not",
        "buffer q capacity 2 of (0..3) process P { init a location a location b location c location d
         edge a -> b { send q(2) } edge b -> c { send q(1) } edge c -> d { receive q(=1) } } property : E<> P.d"),
    unreachable("an atomic sequence is not interrupted",
        "process P { init a location a atomic location b location c edge a -> b edge b -> c }
         process Q { init a location a location b edge a -> b { guard P.b } } property : E<> Q.b"),
    reachable("unless it blocks", 2,
        "var v in 0..1 process P { init a location a atomic location b location c edge a -> b edge b -> c { guard v == 1 } }
         process Q { init a location a location b edge a -> b { guard P.b } } property : E<> Q.b"),
    reachable("processes start and end", 3,
        "family f process P { init a location a location b location c edge a -> b { do { start f(1); } } edge b -> c { guard !alive(Q) } }
         process Q in f { param k in 0..1 init l location l edge l -> l { guard k == 1 do { exit; } } } property : E<> P.c"),
    reachable("else", 1,
        "var v in 0..1 process P { init a location a location b location c edge a -> b { guard v == 1 } edge a -> c { guard !enabled(P : #0) } }
         property : E<> P.c"),
    unreachable("timeout only when nothing else can be done",
        "process P { init a location a location b edge a -> b { guard timeout } } process Q { init a location a edge a -> a } property : E<> P.b"),
    reachable("a failing assertion", 2,
        "var v in 0..2 process P { init a location a edge a -> a { guard v < 2 do { v := v + 1; assert v < 2; } } } property : no-assertion-failure"),
    reachable("an assertion counts where the label has a successor", 1,
        "clock x process P { init a location a location b { invariant x >= 1 } edge a -> b { do { assert 0; } } } property : no-assertion-failure"),
    reachable("a trace ends with the first assertion that fails", 1,
        "process P { init a location a location b edge a -> b edge b -> a { do { assert 0; } } }
         process Q { init a location a location b edge a -> b { select s in 0..1 do { assert 0; } } edge a -> b } property : no-assertion-failure"),
    reachable(
        "else in two processes that might meet",
        2,
        "chan c process P { init a location a location b edge a -> a { send c } edge a -> b { guard !enabled(P : #0) } }
         process Q { init a location a location b edge a -> a { send c } edge a -> b { guard !enabled(Q : #0) } }
         property : E<> P.b && Q.b",
    ),
    reachable("an observer sees what happens", 2,
        "var v in 0..2 process P { init a location a edge a -> a { guard v < 2 do { v := v + 1; } } }
         observer process O { init w location w location bad edge w -> w { guard v < 2 free } edge w -> bad { guard v == 2 free } edge bad -> bad { free } }
         property : never O at {bad}"),
];
