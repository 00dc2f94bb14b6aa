//! Label schemas and predicates.

use crate::common;

use beeline_ir::property::Target;
use beeline_program::schema::{Parts, Schema, schemas};
use beeline_program::{Machine, Operand, Predicate, PredicateTooLarge, Program};
use common::{Bench, network};

/// Process and edge numbers of a schema's parts, receivers of a broadcast in brackets.
fn show(schema: &Schema) -> String {
    let edge = |(p, e): (beeline_ir::ProcessId, beeline_ir::EdgeId)| format!("{}.{}", p.index(), e.index());
    match &schema.parts {
        Parts::Internal(one) => edge(*one),
        Parts::Pair(send, receive) => format!("{} {}", edge(*send), edge(*receive)),
        Parts::Broadcast(send, listeners) => {
            let all = listeners.iter().flat_map(|(p, edges)| edges.iter().map(|e| edge((*p, *e))));
            format!("{} [{}]", edge(*send), all.collect::<Vec<_>>().join(" "))
        }
    }
}

#[test]
fn schemas_pair_edges_over_channels_that_may_be_the_same() {
    let bench = Bench::new(
        "network t
        var k in 0..9
        chan c[3]
        broadcast chan b
        buffer q capacity 1
        process A { init a location a
            edge a -> a { select i in 0..4 free }
            edge a -> a { send c[0] free }
            edge a -> a { send c[k] }
            edge a -> a { select i in 0..1 send b }
            edge a -> a { send *k free }
            edge a -> a { receive q }
            edge a -> a { receive b } }
        process B { init a location a
            edge a -> a { receive c[0] free }
            edge a -> a { receive c[1] }
            edge a -> a { receive b free }
            edge a -> a { select j in 0..2 receive b free }
            edge a -> a { send q } }
        observer process O { init a location a edge a -> a { free } }",
    );
    let all: Vec<Schema> = schemas(&bench.program).collect();
    let shown: Vec<String> = all.iter().map(show).collect();
    let expected = [
        "0.0",
        "0.1 1.0",
        "0.2 1.0",
        "0.2 1.1",
        "0.3 [1.2 1.3]",
        "0.4",
        "0.4 1.0",
        "0.4 1.1",
        "0.4 [1.2 1.3]",
        "0.5",
        "1.4",
    ];
    assert_eq!(shown, expected);
    let facts = |index: usize| (all[index].always_costs, all[index].may_cost, all[index].labels);
    assert_eq!(facts(0), (false, false, 5));
    assert_eq!(facts(1), (false, false, 1));
    assert_eq!(facts(2), (true, true, 1));
    assert_eq!(facts(4), (true, true, 10), "two selects, and one of four edges or none");
    assert_eq!(facts(8), (false, false, 5));
}

const DECLARATIONS: &str = "
    clock x, y
    var k in 0..9 = 4
    process P { init a location a location b }";

/// The target predicate of `E<> e`, with quantified locals `i` and `j`.
fn predicate(e: &str) -> (Program, Result<Predicate, PredicateTooLarge>, Vec<i64>) {
    let network = network(&format!("network t\n{DECLARATIONS}\nproperty : E<> {e}"));
    let mut program = Program::compile(&network);
    let property = &network.properties[0];
    let Target::State(target) = property.target() else { panic!("a state") };
    let predicate = program.compile_predicate(&network, &property.frame, &target);
    let state = program.layout.initial(&network);
    (program, predicate, state)
}

/// The predicate at clock values (deadlock counts as false); `None` for a run-time error.
fn holds(e: &str, clocks: [i64; 2]) -> Option<bool> {
    use beeline_ir::expr::ClockOp::*;
    fn go(
        p: &Predicate,
        program: &Program,
        m: &mut Machine,
        state: &[i64],
        clocks: [i64; 2],
    ) -> Option<bool> {
        match p {
            Predicate::Const(value) => Some(*value),
            Predicate::Deadlock => Some(false),
            Predicate::Discrete(r) => m.eval(program, *r, state, &[]).ok().map(|v| v != 0),
            Predicate::Clock(atom) => {
                let atoms = m.evaluate_atom(program, atom, state).ok()?;
                Some(atoms.iter().all(|a| {
                    let value = clocks[a.left.index()] - a.right.map_or(0, |r| clocks[r.index()]);
                    match a.op {
                        Lt => value < a.bound,
                        Le => value <= a.bound,
                        Eq => value == a.bound,
                        Ge => value >= a.bound,
                        Gt => value > a.bound,
                    }
                }))
            }
            Predicate::Counted(_, inner) => go(inner, program, m, state, clocks),
            Predicate::Not(inner) => go(inner, program, m, state, clocks).map(|v| !v),
            Predicate::And(parts) => {
                for part in parts {
                    if !go(part, program, m, state, clocks)? {
                        return Some(false);
                    }
                }
                Some(true)
            }
            Predicate::If(parts) => {
                let branch = if go(&parts[0], program, m, state, clocks)? { &parts[1] } else { &parts[2] };
                go(branch, program, m, state, clocks)
            }
            Predicate::Or(parts) => {
                for part in parts {
                    if go(part, program, m, state, clocks)? {
                        return Some(true);
                    }
                }
                Some(false)
            }
        }
    }
    let (program, predicate, state) = predicate(e);
    let mut machine = Machine::new(&program);
    go(&predicate.expect("small"), &program, &mut machine, &state, clocks)
}

type Obvious = fn(i64, i64) -> bool;

#[test]
fn predicates_agree_with_their_meaning_at_every_small_point() {
    let table: [(&str, Obvious); 10] = [
        ("x > 2", |x, _| x > 2),
        ("!(x > 2) && k == 4", |x, _| x <= 2),
        ("k == 5 && x > 1 / (k - 4)", |_, _| false),
        ("k == 4 || x > 1 / (k - 4)", |_, _| true),
        ("x - y < k - 5 || P.b", |x, y| x - y < -1),
        ("x < 2 ? y > 1 : y < 3", |x, y| if x < 2 { y > 1 } else { y < 3 }),
        ("forall(i in 0..3 : !(x == i))", |x, _| x > 3),
        ("exists(i in 1..3 : x == 2 * i && i != 2)", |x, _| x == 2 || x == 6),
        ("exists(i in 1..2 : forall(j in 1..2 : x == i + j || y == j))", |x, y| {
            (1..3).any(|i| (1..3).all(|j| x == i + j || y == j))
        }),
        ("forall(i in 3..4 : i == 3 ? x > 1 : !(y == i))", |x, y| x > 1 && y != 4),
    ];
    for (text, obvious) in table {
        for x in 0..8 {
            for y in 0..5 {
                assert_eq!(holds(text, [x, y]), Some(obvious(x, y)), "{text} at {x}, {y}");
            }
        }
    }
}

#[test]
fn predicates_keep_their_pieces() {
    let (_, found, _) = predicate("!deadlock && k == 1 && 1");
    let Ok(Predicate::And(parts)) = found else { panic!("{found:?}") };
    let not_deadlock = Predicate::Not(Box::new(Predicate::Deadlock));
    assert!(
        matches!(parts.as_slice(), [first, Predicate::Discrete(_), Predicate::Const(true)] if *first == not_deadlock)
    );
    assert!(matches!(predicate("k == 1 && P.a").1, Ok(Predicate::Discrete(_))), "no more pieces than needed");
}

#[test]
fn errors_stay_in_the_piece_that_has_them() {
    assert_eq!(holds("1 / (k - 4) || x > 2", [3, 0]), None);
    assert_eq!(holds("x > 2 || 1 / (k - 4)", [3, 0]), Some(true));
    assert_eq!(holds("x > 2 || 1 / (k - 4)", [2, 0]), None);
    assert_eq!(holds("x > 3000000000 * k", [2, 0]), None);
}

#[test]
fn bounds_carry_their_interval() {
    let (_, found, _) = predicate("exists(i in 1..1 : x > k + i)");
    let Ok(Predicate::Or(parts)) = found else { panic!("{found:?}") };
    let [Predicate::Counted(1, instance)] = parts.as_slice() else { panic!("{parts:?}") };
    let Predicate::Clock(atom) = &**instance else { panic!("{instance:?}") };
    assert!(matches!(atom.bound, Operand::Code(_)));
    assert_eq!((atom.interval.lo, atom.interval.hi), (1, 10));
}

#[test]
fn predicates_too_large_to_unroll_are_refused() {
    assert_eq!(predicate("forall(i in 0..1000000000000 : x > i)").1, Err(PredicateTooLarge));
    let nested = "forall(i in 0..999 : exists(j in 0..999 : x > i + j))";
    assert_eq!(predicate(nested).1, Err(PredicateTooLarge));
    assert!(
        predicate("forall(i in 0..1000000000000 : k > i) && x > 1").1.is_ok(),
        "no clocks under the quantifier"
    );
}
