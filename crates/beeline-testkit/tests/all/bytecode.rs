//! The bytecode against the kernel, operation by operation. Each expression is stored to a variable that can hold every
//! 64-bit integer; both interpreters must give the same value or the same run-time error.

use beeline_check::{Firing, Kernel, State};
use beeline_ir::expr::{BinaryOp, Expr, Quantifier, Range, RuntimeError, UnaryOp};
use beeline_ir::network::{Edge, Location, Network, Process, Role, Sync, Var};
use beeline_ir::stmt::{Function, Local, Place, Stmt, Store, Target};
use beeline_ir::{EdgeId, FunctionId, IdVec, LocalId, LocationId, ProcessId, VarId};
use beeline_program::{Effects, Evaluated, FirePart, Machine, Program};
use beeline_testkit::random::Random;

const WIDE: Range = Range { lo: i64::MIN, hi: i64::MAX };
const A: VarId0 = VarId0(0);
const B: VarId0 = VarId0(1);
const RESULT: VarId0 = VarId0(2);
const ARRAY: VarId0 = VarId0(3);
const SMALL: VarId0 = VarId0(4);

/// A variable by position, in constants.
#[derive(Copy, Clone)]
struct VarId0(usize);

impl VarId0 {
    fn id(self) -> VarId {
        VarId::new(self.0)
    }
    fn read(self) -> Expr {
        Expr::Var(self.id())
    }
}

/// A network that does one thing: `block`, from one location to itself, with locals of which none is a select.
fn network(block: Vec<Stmt>, frame: Vec<Local>) -> Network {
    let var = |name: &str, range: Range, len: Option<u32>| Var {
        name: name.to_string(),
        owner: None,
        range,
        len,
        init: vec![0; len.unwrap_or(1) as usize],
        symbols: None,
        origin: None,
    };
    let location = Location {
        name: "l".to_string(),
        frame: Vec::new(),
        condition: Expr::TRUE,
        invariant: Vec::new(),
        urgent: false,
        committed: false,
        atomic: false,
        origin: None,
    };
    let edge = Edge {
        source: LocationId::new(0),
        target: LocationId::new(0),
        frame,
        selects: 0,
        guard: Expr::TRUE,
        clock_guard: Vec::new(),
        sync: Sync::Internal,
        update: block,
        costs: true,
        origin: None,
    };
    let local = |name: &str| Local { name: name.to_string(), range: Range::new(-4, 4), len: None };
    // twice(p) = p + p if p > 0, else its own argument; fails for |p| > 2.
    let twice = Function {
        name: "twice".to_string(),
        frame: vec![local("p")],
        params: 1,
        result: Some(Range::new(-2, 4)),
        body: vec![
            Stmt::If(
                Expr::Local(LocalId::new(0)).binary(BinaryOp::Gt, Expr::Const(0)),
                vec![Stmt::Return(Some(
                    Expr::Local(LocalId::new(0)).binary(BinaryOp::Add, Expr::Local(LocalId::new(0))),
                ))],
                Vec::new(),
            ),
            Stmt::Return(Some(Expr::Local(LocalId::new(0)))),
        ],
        origin: None,
    };
    Network {
        name: "one".to_string(),
        vars: IdVec::from(vec![
            var("a", WIDE, None),
            var("b", WIDE, None),
            var("r", WIDE, None),
            var("array", Range::new(-2, 2), Some(3)),
            var("small", Range::new(-1, 2), None),
        ]),
        functions: IdVec::from(vec![twice]),
        processes: IdVec::from(vec![Process {
            name: "P".to_string(),
            role: Role::System,
            family: None,
            params: Vec::new(),
            priority: 0,
            locations: IdVec::from(vec![location]),
            initial: LocationId::new(0),
            edges: IdVec::from(vec![edge]),
            origin: None,
        }]),
        ..Network::default()
    }
}

fn store(value: Expr) -> Vec<Stmt> {
    vec![Stmt::Assign(Target { place: Place::Var(RESULT.id()), store: Store::Checked }, value)]
}

/// Runs the network's edge both ways in the states given as values of (a, b, array, small).
fn compare(network: &Network, states: &[(i64, i64, [i64; 3], i64)]) {
    let kernel = Kernel::new(network, None);
    let program = Program::compile(network);
    let mut machine = Machine::new(&program);
    let (process, edge) = (ProcessId::new(0), EdgeId::new(0));
    let at = |v: VarId0| program.layout.var[v.id()].expect("variables of networks have slots");
    for &(a, b, array, small) in states {
        let mut slots = program.layout.initial(network);
        slots[at(A)] = a;
        slots[at(B)] = b;
        slots[at(ARRAY)..at(ARRAY) + 3].copy_from_slice(&array);
        slots[at(SMALL)] = small;
        let labels = kernel.labels(&State { slots: slots.clone(), clocks: Vec::new() });
        let expected: Result<Vec<i64>, RuntimeError> = match labels.as_slice() {
            [(_, Firing::Successor { state, .. })] => Ok(state.slots.clone()),
            [(_, Firing::Fails(error))] => Err(*error),
            other => panic!("not one label: {other:?}"),
        };
        let mut evaluated = Evaluated::default();
        assert_eq!(machine.evaluate_edge(&program, process, edge, &[], &slots, &mut evaluated), Ok(true));
        let part = FirePart { process, edge, selects: &[], evaluated: &evaluated, message: None };
        let mut effects = Effects::default();
        let fired = machine.fire(&program, &[part], &mut slots, &mut effects).map(|()| slots);
        assert_eq!(
            fired, expected,
            "{:?} at a={a} b={b} {array:?} {small}",
            network.processes[process].edges[edge].update
        );
    }
}

const VALUES: [i64; 14] =
    [i64::MIN, i64::MIN + 1, -65, -3, -1, 0, 1, 2, 3, 62, 63, 64, i64::MAX - 1, i64::MAX];

#[test]
fn every_operator_on_small_and_extreme_operands() {
    use BinaryOp as O;
    let ops = [
        O::Add,
        O::Sub,
        O::Mul,
        O::Div,
        O::Rem,
        O::BitAnd,
        O::BitOr,
        O::BitXor,
        O::Shl,
        O::Shr,
        O::Min,
        O::Max,
        O::Eq,
        O::Ne,
        O::Lt,
        O::Le,
        O::Gt,
        O::Ge,
    ];
    let mut states = Vec::new();
    for a in VALUES.into_iter().chain(-6..=6) {
        states.extend(VALUES.into_iter().chain(-6..=6).map(|b| (a, b, [0; 3], 0)));
    }
    for op in ops {
        compare(&network(store(A.read().binary(op, B.read())), Vec::new()), &states);
        for constant in VALUES {
            compare(&network(store(A.read().binary(op, Expr::Const(constant))), Vec::new()), &states);
            compare(&network(store(Expr::Const(constant).binary(op, A.read())), Vec::new()), &states);
        }
    }
    for op in [UnaryOp::Not, UnaryOp::Neg, UnaryOp::BitNot] {
        compare(&network(store(Expr::Unary(op, Box::new(A.read()))), Vec::new()), &states);
    }
    compare(&network(store(Expr::And(vec![A.read(), B.read()])), Vec::new()), &states);
    compare(&network(store(Expr::Or(vec![A.read(), B.read()])), Vec::new()), &states);
    compare(&network(store(Expr::Elem(ARRAY.id(), Box::new(A.read()))), Vec::new()), &states);
    compare(&network(store(Expr::Call(FunctionId::new(0), vec![A.read()])), Vec::new()), &states);
    for store in [Store::Checked, Store::Wrapping] {
        let target = |place| Target { place, store };
        compare(&network(vec![Stmt::Assign(target(Place::Var(SMALL.id())), A.read())], Vec::new()), &states);
        let element = Place::Elem(ARRAY.id(), A.read());
        compare(&network(vec![Stmt::Assign(target(element), B.read())], Vec::new()), &states);
    }
}

/// A random expression; locals below `bound` have values.
fn expression(random: &mut Random, depth: usize, frame: &mut Vec<Local>, bound: &mut Vec<LocalId>) -> Expr {
    use BinaryOp as O;
    if depth == 0 {
        return match random.below(6) {
            0 => Expr::Const(random.between(-3, 3)),
            1 => A.read(),
            2 => B.read(),
            3 => SMALL.read(),
            4 => Expr::Elem(ARRAY.id(), Box::new(Expr::Const(random.between(0, 3)))),
            _ => random.pick(bound).map_or(Expr::Const(1), |l| Expr::Local(*l)),
        };
    }
    let mut sub = |random: &mut Random| Box::new(expression(random, depth - 1, frame, bound));
    match random.below(9) {
        0 | 1 => {
            let ops = [
                O::Add,
                O::Sub,
                O::Mul,
                O::Div,
                O::Rem,
                O::BitAnd,
                O::BitOr,
                O::BitXor,
                O::Shl,
                O::Shr,
                O::Min,
                O::Max,
                O::Eq,
                O::Ne,
                O::Lt,
                O::Le,
                O::Gt,
                O::Ge,
            ];
            let op = ops[random.below(ops.len())];
            Expr::Binary(op, sub(random), sub(random))
        }
        2 => Expr::And((0..random.below(4)).map(|_| *sub(random)).collect()),
        3 => Expr::Or((0..random.below(4)).map(|_| *sub(random)).collect()),
        4 => Expr::If(sub(random), sub(random), sub(random)),
        5 => Expr::Unary(
            *random.pick(&[UnaryOp::Not, UnaryOp::Neg, UnaryOp::BitNot]).expect("three"),
            sub(random),
        ),
        6 => Expr::Elem(ARRAY.id(), sub(random)),
        7 => Expr::Call(FunctionId::new(0), vec![*sub(random)]),
        _ => {
            let range = Range::new(random.between(-2, 0), random.between(-1, 2));
            let range = if range.lo <= range.hi { range } else { Range::new(0, 2) };
            let local = LocalId::new(frame.len());
            frame.push(Local { name: format!("t{}", frame.len()), range, len: None });
            bound.push(local);
            let body = expression(random, depth - 1, frame, bound);
            bound.pop();
            let all = [Quantifier::Forall, Quantifier::Exists, Quantifier::Sum];
            Expr::Quantified(all[random.below(3)], local, range, Box::new(body))
        }
    }
}

#[test]
fn random_expressions() {
    let mut random = Random::new(2);
    for _ in 0..4_000 {
        let mut frame = Vec::new();
        let depth = 1 + random.below(4);
        let value = expression(&mut random, depth, &mut frame, &mut Vec::new());
        let states: Vec<_> = (0..20)
            .map(|_| {
                let mut cell = || random.between(-2, 2);
                let array = [cell(), cell(), cell()];
                let wide = if random.chance(10) {
                    VALUES[random.below(VALUES.len())]
                } else {
                    random.between(-3, 3)
                };
                (wide, random.between(-3, 3), array, random.between(-1, 2))
            })
            .collect();
        compare(&network(store(value), frame), &states);
    }
}

#[test]
fn loops_stop_at_the_same_iteration() {
    // while a < b { a := a + 1 }, around the limit on iterations.
    let limit = i64::from(beeline_ir::expr::MAX_ITERATIONS);
    let target = Target { place: Place::Var(A.id()), store: Store::Checked };
    let body = vec![Stmt::Assign(target, A.read().binary(BinaryOp::Add, Expr::Const(1)))];
    let block = vec![Stmt::While(A.read().binary(BinaryOp::Lt, B.read()), body)];
    let states: Vec<_> =
        [0, 1, 5, limit - 1, limit, limit + 1].into_iter().map(|b| (0, b, [0; 3], 0)).collect();
    compare(&network(block, Vec::new()), &states);
}

#[test]
fn quantifiers_and_calls_count_alike() {
    // a := sum over 0..limit + b of 1: diverges in both for the same b.
    let limit = i64::from(beeline_ir::expr::MAX_ITERATIONS);
    for hi in [limit - 2, limit - 1, limit] {
        let local = Local { name: "q".to_string(), range: Range::new(0, limit), len: None };
        let ones =
            Expr::Quantified(Quantifier::Sum, LocalId::new(0), Range::new(0, hi), Box::new(Expr::Const(1)));
        compare(&network(store(ones), vec![local]), &[(0, 0, [0; 3], 0)]);
    }
}
