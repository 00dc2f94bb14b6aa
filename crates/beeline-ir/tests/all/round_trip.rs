//! What is printed reads back equal, and prints the same again: of texts with every construct, and of values built
//! in code that no hand would write.

use beeline_ir::expr::{BinaryOp, ChannelRef, ClockAtom, ClockOp, Expr, Quantifier, Range, UnaryOp};
use beeline_ir::network::{
    Channel, ChannelKind, Clock, Edge, Family, Location, Network, Process, Role, SymbolTable, Sync, Var,
};
use beeline_ir::origin::{Origin, Span};
use beeline_ir::property::{Property, PropertyKind, Refusal};
use beeline_ir::relation::{Assignment, Choice, Relation, RelationRole, RelationVar};
use beeline_ir::stmt::{Function, Local, Pattern, Place, Receive, Send, Stmt, Store, Target};
use beeline_ir::text::{self, ReadOptions};
use beeline_ir::*;

const EXACT: ReadOptions<'_> = ReadOptions { file: "test", record_places: false };
const EVERYTHING: &str = include_str!("models/everything.beeline");
const RELATION: &str = include_str!("models/relation.beeline");

fn read(text: &str) -> Model {
    text::read(text, EXACT).unwrap_or_else(|d| panic!("{text}\n{d:#?}"))
}

fn back(model: &Model) {
    let printed = text::print(model);
    let again = read(&printed);
    assert_eq!(*model, again, "{printed}");
    assert_eq!(printed, text::print(&again));
    let plain = text::print_plain(model);
    assert_eq!(plain, text::print_plain(&read(&plain)));
    for property in model.properties() {
        let printed = text::print_property(model, property);
        let again = text::read_property(model, &printed).unwrap_or_else(|d| panic!("{printed}\n{d:#?}"));
        let bare = Property { name: None, text: None, origin: None, ..property.clone() };
        assert_eq!(again, bare, "{printed}");
    }
}

#[test]
fn texts_with_every_construct() {
    back(&read(EVERYTHING));
    back(&read(RELATION));
    back(&read("network t process P { init a location a edge a -> a { guard timeout } }"));
    back(&read("network '' // no processes at all"));
}

#[test]
fn everything_is_what_it_says() {
    let Model::Network(network) = read(EVERYTHING) else { panic!("not a network") };
    assert_eq!(
        network.vars.iter().map(|v| v.init.clone()).take(4).collect::<Vec<_>>(),
        [vec![0], vec![0, 1, 2], vec![-3, -3], vec![7; 4]]
    );
    assert_eq!(network.channels[ChannelId::new(4)].priority, [1, 0, -2]);
    assert_eq!(network.channels[ChannelId::new(3)].priority, [2]);
    let p1 = &network.processes[ProcessId::new(0)];
    let flags = |l: usize| {
        let l = &p1.locations[LocationId::new(l)];
        (l.committed, l.urgent, l.atomic)
    };
    assert_eq!(flags(0), (false, false, false));
    assert_eq!(flags(5), (true, true, true));
    let edge = &p1.edges[EdgeId::new(0)];
    assert_eq!((edge.selects, edge.frame.len(), edge.costs), (2, 5, false));
    assert_eq!(edge.origin, Some(Origin { file: 0, span: Span { start: 7, end: 9 }, native: vec![3] }));
    assert_eq!(edge.clock_guard.len(), 5);
    let s2 = &network.processes[ProcessId::new(3)];
    assert_eq!(s2.params.iter().map(|v| network.vars[*v].name.as_str()).collect::<Vec<_>>(), ["n", "l"]);
    assert_eq!(s2.initial, LocationId::new(1));
    assert_eq!(network.families[FamilyId::new(0)].slots, [ProcessId::new(2), ProcessId::new(3)]);
    assert!(!network.processes[ProcessId::new(4)].edges[EdgeId::new(0)].costs);
    // `(1 && 2) && 3 || (4 || 5) && 6` keeps its nesting.
    let c = |n| Expr::Const(n);
    let and = Expr::And(vec![Expr::And(vec![c(1), c(2)]), c(3)]);
    let or = Expr::And(vec![Expr::Or(vec![c(4), c(5)]), c(6)]);
    assert!(p1.edges.iter().any(|e| e.guard == Expr::Or(vec![and.clone(), or.clone()])));
}

fn var(name: &str, owner: Option<usize>, len: Option<u32>) -> Var {
    let elements = len.unwrap_or(1) as usize;
    Var {
        name: name.into(),
        owner: owner.map(ProcessId::new),
        range: Range::new(-5, 5),
        len,
        init: vec![0; elements],
        symbols: None,
        origin: None,
    }
}
fn location(name: &str) -> Location {
    Location {
        name: name.into(),
        frame: vec![],
        condition: Expr::TRUE,
        invariant: vec![],
        urgent: false,
        committed: false,
        atomic: false,
        origin: None,
    }
}
fn edge(guard: Expr) -> Edge {
    Edge {
        source: LocationId::new(0),
        target: LocationId::new(0),
        frame: vec![],
        selects: 0,
        guard,
        clock_guard: vec![],
        sync: Sync::Internal,
        update: vec![],
        costs: true,
        origin: None,
    }
}
fn process(name: &str) -> Process {
    Process {
        name: name.into(),
        role: Role::System,
        family: None,
        params: vec![],
        priority: 0,
        locations: vec![location("l")].into(),
        initial: LocationId::new(0),
        edges: IdVec::new(),
        origin: None,
    }
}
fn local(name: &str, len: Option<u32>) -> Local {
    Local { name: name.into(), range: Range::new(0, 9), len }
}
fn origin() -> Option<Origin> {
    Some(Origin { file: 1, span: Span { start: 0, end: u32::MAX }, native: vec![i64::MIN, i64::MAX] })
}

/// A network whose names are all reserved words or worse, with tables in an order that no text has by itself.
fn awkward() -> Network {
    let mut network = Network {
        name: "two words\n'\"\\\u{7}".into(),
        sources: vec!["a\"b".into(), String::new()],
        ..Network::default()
    };
    network
        .enums
        .push(SymbolTable { name: "send".into(), symbols: vec![(i64::MIN, "é".into()), (0, "if".into())] });
    network.vars.push(var("x", Some(1), None));
    network.vars.push(var("x", None, Some(3)));
    network.vars.push(var("forall", Some(0), None));
    network.vars.push(var("i", None, None));
    network.vars.push(Var { origin: origin(), symbols: Some(EnumId::new(0)), ..var("x", Some(0), None) });
    network.clocks.push(Clock { name: "c".into(), owner: Some(ProcessId::new(1)), origin: origin() });
    network.clocks.push(Clock { name: "c".into(), owner: None, origin: None });
    for (name, owner) in [("ch", Some(0)), ("_", None)] {
        network.channels.push(Channel {
            name: name.into(),
            owner: owner.map(ProcessId::new),
            len: Some(2),
            kind: ChannelKind::Buffered { capacity: 2 },
            fields: vec![Range::BOOL; 2],
            symbols: vec![None, Some(EnumId::new(0))],
            urgent: true,
            priority: vec![i32::MIN, i32::MAX],
            origin: origin(),
        });
    }
    network.functions.push(Function {
        name: "min".into(),
        frame: vec![local("x", None), local("i", None)],
        params: 1,
        result: Some(Range::new(0, 9)),
        body: vec![
            Stmt::Assign(
                Target { place: Place::Local(LocalId::new(1)), store: Store::Wrapping },
                Expr::Var(VarId::new(3)),
            ),
            Stmt::Return(Some(Expr::Local(LocalId::new(0)))),
        ],
        origin: origin(),
    });
    network.families.push(Family { name: "network".into(), slots: vec![ProcessId::new(1)] });
    network.processes.push(Process { priority: i32::MIN, origin: origin(), ..process("process") });
    network.processes.push(Process {
        family: Some(FamilyId::new(0)),
        params: vec![VarId::new(0)],
        ..process("network process")
    });
    network
}

#[test]
fn awkward_names_and_orders() {
    let mut network = awkward();
    let all: Vec<Expr> = vec![
        Expr::Var(VarId::new(0)),
        Expr::Elem(VarId::new(1), Box::new(Expr::Const(1))),
        Expr::Var(VarId::new(2)),
        Expr::Var(VarId::new(3)),
        Expr::Var(VarId::new(4)),
        Expr::Local(LocalId::new(0)),
        Expr::Local(LocalId::new(1)),
        Expr::Call(FunctionId::new(0), vec![Expr::Const(1)]),
    ];
    for process in network.processes.iter_mut() {
        let mut e = edge(Expr::And(all.clone()));
        (e.frame, e.selects) = (vec![local("i", None), local("x", None)], 1);
        e.update = vec![
            Stmt::ClockCopy(ClockId::new(0), ClockId::new(1)),
            Stmt::ClockSet(ClockId::new(1), Expr::Local(LocalId::new(0))),
            Stmt::Assert(Expr::TRUE, origin()),
        ];
        process.edges.push(e);
    }
    back(&Model::Network(network));
}

/// Every kind of expression, over the awkward network with a frame of a scalar `i`, an array `x` and a scalar `q`.
fn every_expression() -> Vec<Expr> {
    let c = || Box::new(Expr::Const(-1));
    let v = || Box::new(Expr::Var(VarId::new(3)));
    let mut all = vec![
        Expr::Const(i64::MIN),
        Expr::Const(i64::MAX),
        Expr::Var(VarId::new(4)),
        Expr::Elem(VarId::new(1), v()),
        Expr::Local(LocalId::new(0)),
        Expr::LocalElem(LocalId::new(1), v()),
        Expr::At(ProcessId::new(1), LocationId::new(0)),
        Expr::Alive(ProcessId::new(1)),
        Expr::Pid(ProcessId::new(0)),
        Expr::ProcessCount,
        Expr::And(vec![]),
        Expr::Or(vec![]),
        Expr::And(vec![*v()]),
        Expr::Or(vec![*v()]),
        Expr::If(v(), c(), v()),
        Expr::Call(FunctionId::new(0), vec![*v()]),
        Expr::Timeout,
        Expr::Enabled(ProcessId::new(1), vec![]),
        Expr::Enabled(ProcessId::new(1), vec![EdgeId::new(0)]),
    ];
    for q in [Quantifier::Forall, Quantifier::Exists, Quantifier::Sum] {
        let body = Expr::Local(LocalId::new(2)).binary(BinaryOp::Lt, Expr::Const(3));
        all.push(Expr::Quantified(q, LocalId::new(2), Range::new(2, 3), Box::new(body)));
    }
    let channels = [
        ChannelRef::Element(ChannelId::new(0), Some(v())),
        ChannelRef::Element(ChannelId::new(1), Some(c())),
        ChannelRef::Value(v()),
        ChannelRef::Value(c()),
        ChannelRef::Value(Box::new(Expr::Elem(VarId::new(1), c()))),
        ChannelRef::Value(Box::new(Expr::And(vec![*v(), *c()]))),
    ];
    for channel in channels {
        all.push(Expr::Channel(channel.clone()));
        all.push(Expr::Length(channel.clone()));
        all.push(Expr::Capacity(channel.clone()));
        for (any, keep) in [(false, false), (true, false), (false, true), (true, true)] {
            let bind = Target { place: Place::LocalElem(LocalId::new(1), *c()), store: Store::Checked };
            let pattern = vec![Pattern::Bind(bind), Pattern::Match(Expr::Const(-3))];
            all.push(Expr::Poll(Box::new(Receive { channel: channel.clone(), pattern, any, keep })));
        }
    }
    for op in [UnaryOp::Not, UnaryOp::Neg, UnaryOp::BitNot] {
        all.push(Expr::Unary(op, c()));
        all.push(Expr::Unary(op, Box::new(Expr::Const(1))));
    }
    all
}

const BINARY: [BinaryOp; 18] = [
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::Mul,
    BinaryOp::Div,
    BinaryOp::Rem,
    BinaryOp::BitAnd,
    BinaryOp::BitOr,
    BinaryOp::BitXor,
    BinaryOp::Shl,
    BinaryOp::Shr,
    BinaryOp::Min,
    BinaryOp::Max,
    BinaryOp::Eq,
    BinaryOp::Ne,
    BinaryOp::Lt,
    BinaryOp::Le,
    BinaryOp::Gt,
    BinaryOp::Ge,
];

/// Everything with everything as its operands, so that each pair of precedences is met on either side.
fn combined(parts: &[Expr]) -> Vec<Expr> {
    let mut all = Vec::new();
    let one = || Expr::Const(1);
    for e in parts {
        for op in [UnaryOp::Not, UnaryOp::Neg, UnaryOp::BitNot] {
            all.push(Expr::Unary(op, Box::new(e.clone())));
        }
        for op in BINARY {
            all.push(e.clone().binary(op, one()));
            all.push(one().binary(op, e.clone()));
        }
        for (a, b) in [(e.clone(), one()), (one(), e.clone())] {
            all.push(Expr::And(vec![a.clone(), b.clone()]));
            all.push(Expr::Or(vec![a.clone(), b.clone(), one()]));
            all.push(Expr::If(Box::new(a.clone()), Box::new(b.clone()), Box::new(a.clone())));
        }
    }
    all
}

#[test]
fn every_expression_in_every_other() {
    let once = combined(&every_expression());
    let twice = combined(&combined(&[Expr::Var(VarId::new(3)), Expr::Const(-2)]));
    let mut network = awkward();
    for expr in every_expression().into_iter().chain(once).chain(twice) {
        let mut e = edge(expr);
        e.frame = vec![local("i", None), local("x", Some(2)), local("q", None)];
        network.processes[ProcessId::new(0)].edges.push(e);
    }
    network.processes[ProcessId::new(1)].edges.push(edge(Expr::TRUE));
    back(&Model::Network(network));
}

#[test]
fn every_statement() {
    let c = |n| Expr::Const(n);
    let i = || Expr::Var(VarId::new(3));
    let targets = [
        Place::Var(VarId::new(4)),
        Place::Elem(VarId::new(1), i()),
        Place::Local(LocalId::new(0)),
        Place::LocalElem(LocalId::new(1), c(-1)),
    ];
    let mut block = vec![];
    for place in targets {
        for store in [Store::Checked, Store::Wrapping] {
            let target = Target { place: place.clone(), store };
            block.push(Stmt::Assign(target.clone(), i()));
            block.push(Stmt::Call(FunctionId::new(0), vec![c(1)], Some(target.clone())));
            block.push(Stmt::Start(FamilyId::new(0), vec![i()], Some(target.clone())));
            let pattern = vec![Pattern::Bind(target), Pattern::Ignore];
            let channel = ChannelRef::Element(ChannelId::new(1), Some(Box::new(c(0))));
            block.push(Stmt::Receive(Receive { channel, pattern, any: true, keep: false }));
        }
    }
    block.push(Stmt::Call(FunctionId::new(0), vec![c(1)], None));
    block.push(Stmt::Start(FamilyId::new(0), vec![i()], None));
    for sorted in [false, true] {
        let channel = ChannelRef::Value(Box::new(i()));
        block.push(Stmt::Send(Send { channel, message: vec![], sorted }));
    }
    block.push(Stmt::Assert(c(0), None));
    let nested = Stmt::If(i(), vec![], vec![Stmt::While(i(), block.clone()), Stmt::If(c(1), vec![], vec![])]);
    block.extend([nested.clone(), Stmt::If(c(0), vec![nested.clone(), nested], vec![]), Stmt::Exit]);
    let mut network = awkward();
    let mut e = edge(Expr::TRUE);
    (e.frame, e.update, e.costs) = (vec![local("i", None), local("x", Some(2))], block, false);
    network.processes[ProcessId::new(0)].edges.push(e);
    back(&Model::Network(network));
}

#[test]
fn every_property() {
    let mut network = awkward();
    network.processes.push(Process { role: Role::Observer, ..process("watch") });
    let atom = |when: Option<Expr>, right, op| {
        let (left, bound) = (ClockId::new(0), Expr::Const(-3).binary(BinaryOp::Lt, Expr::Const(2)));
        Expr::Clock(Box::new(ClockAtom { when, left, right, op, bound }))
    };
    let frame = vec![local("c", None), local("x", Some(2))];
    let mut ask = |kind| {
        let text = Some("A[] \t\"x\"\r\n".to_string());
        for (name, text, origin) in [(None, None, None), (None, text.clone(), origin()), (None, text, None)] {
            network.properties.push(Property {
                name,
                text,
                frame: frame.clone(),
                kind: Clone::clone(&kind),
                origin,
            });
        }
    };
    for op in [ClockOp::Lt, ClockOp::Le, ClockOp::Eq, ClockOp::Ge, ClockOp::Gt] {
        for right in [None, Some(ClockId::new(1))] {
            let free = atom(None, right, op);
            let bound = atom(Some(Expr::Or(vec![Expr::TRUE, Expr::FALSE])), right, op);
            ask(PropertyKind::Always(Expr::And(vec![
                free.clone(),
                bound.clone().negated(),
                free.clone().negated(),
            ])));
            ask(PropertyKind::Exists(Expr::Or(vec![bound, Expr::Deadlock, free])));
        }
    }
    for malformed in [false, true] {
        ask(PropertyKind::Refused(Refusal { malformed, reason: "a \"quoted\" reason".into() }));
    }
    ask(PropertyKind::NoRuntimeError);
    ask(PropertyKind::NoAssertionFailure);
    ask(PropertyKind::NeverAt(ProcessId::new(2), vec![]));
    ask(PropertyKind::NeverAt(ProcessId::new(2), vec![LocationId::new(0); 2]));
    network.properties[0].name = Some("deadlock".into());
    network.properties[1].name = Some("A".into());
    network.properties[2].name = Some("source".into());
    back(&Model::Network(network));
}

#[test]
fn frames_with_and_without_need_of_declaration() {
    let range = Range::new(0, 3);
    let q =
        |l: usize, range, body| Expr::Quantified(Quantifier::Forall, LocalId::new(l), range, Box::new(body));
    let named =
        |names: &[&str]| names.iter().map(|n| Local { name: (*n).into(), range, len: None }).collect();
    let frames: Vec<(Vec<Local>, Expr)> = vec![
        (named(&["a", "b"]), q(0, range, q(1, range, Expr::Local(LocalId::new(0))))),
        (named(&["a", "b"]), q(1, range, q(0, range, Expr::Local(LocalId::new(1))))),
        (named(&["a", "b"]), q(0, range, Expr::TRUE)),
        (named(&["a"]), q(0, Range::new(1, 2), Expr::TRUE)),
        (
            named(&["a"]),
            Expr::And(vec![q(0, Range::new(0, 2), Expr::TRUE), q(0, Range::new(1, 3), Expr::TRUE)]),
        ),
        (named(&["a"]), q(0, Range::new(2, 1), Expr::TRUE)),
        (named(&["x", "i"]), Expr::And(vec![Expr::Var(VarId::new(3)), q(0, range, q(1, range, Expr::TRUE))])),
    ];
    let mut network = awkward();
    for (frame, expr) in frames {
        let place = &mut network.processes[ProcessId::new(0)];
        place.edges.push(Edge { frame: frame.clone(), ..edge(expr.clone()) });
        let name = format!("l{}", place.locations.len());
        place.locations.push(Location { frame: frame.clone(), condition: expr.clone(), ..location(&name) });
        let kind = PropertyKind::Always(expr);
        network.properties.push(Property { name: None, text: None, frame, kind, origin: None });
    }
    back(&Model::Network(network));
}

#[test]
fn every_choice() {
    let mut relation = Relation { name: "next".into(), ..Relation::default() };
    for (name, role) in
        [("next", RelationRole::State), ("x", RelationRole::Input), ("then", RelationRole::Frozen)]
    {
        relation.vars.push(RelationVar {
            name: name.into(),
            role,
            range: Range::new(-1, 1),
            symbols: None,
            origin: None,
        });
    }
    let one =
        || Choice::One(Expr::If(Box::new(Expr::TRUE), Box::new(Expr::Const(-1)), Box::new(Expr::FALSE)));
    let between = Choice::Between(Expr::Const(-1), Expr::Next(VarId::new(0)));
    let choose = |a: Choice, b: Choice| Choice::If(Expr::Var(VarId::new(1)), Box::new(a), Box::new(b));
    let all = vec![
        one(),
        between.clone(),
        Choice::Union(vec![]),
        choose(choose(one(), between.clone()), choose(between, one())),
    ];
    let choice = choose(Choice::Union(all.clone()), Choice::Union(vec![Choice::Union(all)]));
    relation.next_assigns.push(Assignment { var: VarId::new(0), choice });
    relation.init_assigns.push(Assignment { var: VarId::new(2), choice: one() });
    back(&Model::Relation(relation));
}

#[test]
fn places_are_recorded_where_no_origin_is_written() {
    let text = "network n source \"a\" var x in 0..1 var y in 0..1 @(0, 3, 4)
        process P { init l location l edge l -> l { do { assert 1; } } } property : A[] 1";
    let options = ReadOptions { file: "b", record_places: true };
    let Ok(Model::Network(n)) = text::read(text, options) else { panic!("does not read") };
    assert_eq!(n.sources, ["a", "b"]);
    let origin = n.vars[VarId::new(0)].origin.clone().unwrap();
    assert_eq!((origin.file, origin.native), (1, vec![]));
    assert_eq!(&text[origin.span.start as usize..origin.span.end as usize], "x in 0..1");
    assert_eq!(n.vars[VarId::new(1)].origin.as_ref().unwrap().file, 0);
    let edge = &n.processes[ProcessId::new(0)].edges[EdgeId::new(0)];
    let span = edge.origin.as_ref().unwrap().span;
    assert_eq!(&text[span.start as usize..span.end as usize], "l -> l");
    let Stmt::Assert(_, Some(origin)) = &edge.update[0] else { panic!("no place for the assertion") };
    assert_eq!(&text[origin.span.start as usize..origin.span.end as usize], "assert 1");
    assert!(n.properties[0].origin.is_some());
    let again = ReadOptions { file: "a", record_places: true };
    assert_eq!(text::read(text, again).unwrap().sources(), ["a"]);
}

#[test]
fn parts_of_edges_on_one_line() {
    let model = read(EVERYTHING);
    let scope = text::Scope::new(&model);
    let (p, e) = (ProcessId::new(0), EdgeId::new(0));
    assert_eq!(text::print_sync(&scope, p, e), "send c[i](1, id)");
    assert_eq!(
        text::print_guard(&scope, p, e),
        "id == 0 && forall(jj in 0..3 : jj != id) || !(P2.cs == 1) && shadow < ::shadow, x < 5, \
         i == 1 => y - x >= 2, z > 1, y == 2, y <= (id == 1 ? 3 : 4)"
    );
    assert!(
        text::print_update(&scope, p, e).starts_with("x := 0; x := y; z := id + 1; id := 1; wrap m := 300;")
    );
    assert_eq!(text::print_guard(&scope, p, EdgeId::new(2)), "");
    assert_eq!(text::print_guard(&scope, p, EdgeId::new(99)), "");
}

#[test]
fn the_hash_is_about_behaviour_alone() {
    let model = read(EVERYTHING);
    let mut other = read(&text::print_plain(&model));
    other.properties_mut().clear();
    assert_eq!(model.hash(), other.hash());
    let changed = read(&EVERYTHING.replace("wrap m := 300", "wrap m := 301"));
    assert_ne!(model.hash(), changed.hash());
    assert_eq!(
        read("network n").hash().to_string(),
        "7a05438176b3cf259011fa9bc9012c4e050f850e284367faf30bae050fb61e5f"
    );
}
