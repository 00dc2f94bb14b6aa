//! Three public models, lowered by hand (see `lowered/*.beeline`) and explored by a plain search over the kernel's own
//! successors, against the answers of the tools they were written for. Spin's are of version 6.5.2, all optimisations
//! and reductions off (`spin -o1 -o2 -o3 -a`, `-DSAFETY -DNOREDUCE`); NuSMV's of version 2.6.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;

use beeline_check::{Firing, Kernel, NotAccepted, RelationKernel, State, check_certificate, replay};
use beeline_ir::certificate::{Cell, Certificate, Row};
use beeline_ir::expr::Expr;
use beeline_ir::layout::Label;
use beeline_ir::limits::Limits;
use beeline_ir::network::Network;
use beeline_ir::property::Property;
use beeline_ir::relation::{Choice, Relation};
use beeline_ir::text::{self, ReadOptions};
use beeline_ir::trace::{NetworkRun, NetworkStep, RelationRun, RelationStep, Run, Time, Trace};
use beeline_ir::{LocationId, Model, ProcessId};

const HAJEK: &str = include_str!("lowered/hajek.beeline");
const ERATOSTHENES: &str = include_str!("lowered/eratosthenes.beeline");
const DME1: &str = include_str!("lowered/dme1.beeline");

fn read(text: &str) -> Model {
    let options = ReadOptions { file: "lowered", record_places: false };
    text::read(text, options).unwrap_or_else(|diagnostics| panic!("{diagnostics:#?}"))
}

fn property<'m>(model: &'m Model, name: &str) -> &'m Property {
    let found = model.properties().iter().find(|p| p.name.as_deref() == Some(name));
    found.unwrap_or_else(|| panic!("no property {name}"))
}

/// All reachable states with their distances, and a shortest way to each.
struct Graph<S, L> {
    states: Vec<S>,
    distance: Vec<u32>,
    parent: Vec<Option<(usize, L)>>,
    edges: usize,
}

impl<S: Clone + Eq + Hash, L: Clone> Graph<S, L> {
    /// Breadth-first search, where a step of cost 0 leads to the same level. `successors` is asked once for every
    /// state, when its distance is final, and gives labels, costs and states.
    fn explore(initial: Vec<S>, mut successors: impl FnMut(usize, &S) -> Vec<(L, u32, S)>) -> Self {
        let mut graph = Self { states: initial, distance: Vec::new(), parent: Vec::new(), edges: 0 };
        let mut index: HashMap<S, usize> = graph.states.iter().cloned().zip(0..).collect();
        graph.distance.resize(graph.states.len(), 0);
        graph.parent.resize(graph.states.len(), None);
        let mut expanded = vec![false; graph.states.len()];
        let mut open: VecDeque<usize> = (0..graph.states.len()).collect();
        while let Some(from) = open.pop_front() {
            if std::mem::replace(&mut expanded[from], true) {
                continue;
            }
            for (label, cost, state) in successors(from, &graph.states[from]) {
                graph.edges += 1;
                let distance = graph.distance[from] + cost;
                let to = *index.entry(state).or_insert_with_key(|state| {
                    graph.states.push(state.clone());
                    graph.distance.push(u32::MAX);
                    graph.parent.push(None);
                    expanded.push(false);
                    graph.states.len() - 1
                });
                if distance < graph.distance[to] {
                    graph.distance[to] = distance;
                    graph.parent[to] = Some((from, label));
                    if cost == 0 { open.push_front(to) } else { open.push_back(to) }
                }
            }
        }
        graph
    }

    /// The steps of a shortest way to the state: labels and where they lead.
    fn path(&self, mut to: usize) -> Vec<(L, usize)> {
        let mut path = Vec::new();
        while let Some((from, label)) = &self.parent[to] {
            path.push((label.clone(), to));
            to = *from;
        }
        path.reverse();
        path
    }
}

/// A state without clocks.
trait Slots {
    fn slots(&self) -> &[i64];
}
impl Slots for State {
    fn slots(&self) -> &[i64] {
        &self.slots
    }
}
impl Slots for Vec<i64> {
    fn slots(&self) -> &[i64] {
        self
    }
}

/// A certificate that lists the states nearer than `length`, or all of them, each with its distance as its level.
fn certificate<S: Slots, L>(
    model: &Model,
    property: &Property,
    graph: &Graph<S, L>,
    length: Option<u32>,
) -> Certificate {
    let row = |(state, level): (&S, &u32)| Row {
        level: *level,
        cells: state.slots().iter().map(|value| Cell::Value(*value)).collect(),
        zone: Vec::new(),
    };
    let states = graph.states.iter().zip(&graph.distance);
    let rows = states.filter(|(_, level)| length.is_none_or(|d| **level < d)).map(row).collect();
    Certificate { model: model.hash(), property: text::print_property(model, property), length, rows }
}

/// The number of rows of a certificate that is accepted.
fn rows_accepted(model: &Model, property: &Property, certificate: &Certificate) -> usize {
    match check_certificate(model, property, certificate, None, &Limits::default()) {
        Ok(accepted) => accepted.rows,
        Err(reason) => panic!("not accepted: {reason}"),
    }
}

/// The row for which a certificate is rejected; `None` if that is for no row.
fn row_at_fault(model: &Model, property: &Property, certificate: &Certificate) -> Option<usize> {
    match check_certificate(model, property, certificate, None, &Limits::default()) {
        Err(NotAccepted::Rejected { row, .. }) => row,
        other => panic!("not rejected: {other:?}"),
    }
}

/// A network's graph, and every failing assertion: the state and the label. Nothing else may fail, or lead nowhere.
fn explore_network(network: &Network) -> (Graph<State, Label>, Vec<(usize, Label)>) {
    let kernel = Kernel::new(network, None);
    let initial = kernel.initial().into_iter().map(|(state, _)| state).collect();
    let mut failures = Vec::new();
    let graph = Graph::explore(initial, |from, state| {
        let mut successors = Vec::new();
        for (label, firing) in kernel.labels(state) {
            let Firing::Successor { state, assertion_failed } = firing else {
                panic!("{label:?} has no successor: {firing:?}");
            };
            if assertion_failed {
                failures.push((from, label.clone()));
            }
            let cost = kernel.cost(&label);
            successors.push((label, cost, state));
        }
        successors
    });
    (graph, failures)
}

/// The length of the run of these labels, which must replay.
fn replayed_length(model: &Model, property: &Property, labels: impl Iterator<Item = Label>) -> u32 {
    let zero = Time::from_integer(0);
    let steps = labels.map(|label| NetworkStep { delay: zero, label }).collect();
    let run = Run::Network(NetworkRun { observer_start: None, steps, last_delay: zero });
    let trace = Trace { model: model.hash(), property: text::print_property(model, property), run };
    replay(model, property, &trace).unwrap_or_else(|error| panic!("{error}")).length
}

/// Spin stores 116,087 states, over 241,608 arrivals (its "transitions", stored + matched), the first of which is that
/// at the initial state. It stores no state inside of an atomic sequence; there is one here, between the two `run`s,
/// at which one arrives once. So with that state there is one state more, and, without the arrival at the start but
/// with the one there, as many edges as Spin has transitions. Both go on after a failed assertion.
#[test]
fn hajek_fails_after_57_statements() {
    let model = read(HAJEK);
    let Model::Network(network) = &model else { panic!("no network") };
    let (graph, failures) = explore_network(network);

    let init = ProcessId::new(0);
    let slot = Kernel::new(network, None).layout().location[init];
    let (s2, _) = network.processes[init].locations.enumerate().find(|(_, l)| l.atomic).expect("atomic");
    let inside = graph.states.iter().filter(|state| state.slots[slot] == s2.index() as i64).count();
    assert_eq!(inside, 1);
    assert_eq!(graph.states.len() - inside, 116_087);
    assert_eq!(graph.edges - inside, 241_607);
    assert_eq!(failures.len(), 220);

    // Spin's depth of the error is 56: it counts from 0.
    let (at, last) = failures.iter().min_by_key(|(at, _)| graph.distance[*at]).expect("a failure");
    assert_eq!(graph.distance[*at] + 1, 57);
    let labels = graph.path(*at).into_iter().map(|(label, _)| label).chain([last.clone()]);
    let accept = property(&model, "accept");
    assert_eq!(replayed_length(&model, accept, labels), 57);

    // Provably not fewer, and not provably more.
    let not_fewer = certificate(&model, accept, &graph, Some(57));
    assert_eq!(rows_accepted(&model, accept, &not_fewer), not_fewer.rows.len());
    let wrong = certificate(&model, accept, &graph, Some(58));
    let row = row_at_fault(&model, accept, &wrong).expect("a row");
    assert_eq!(wrong.rows[row].level, 56);
}

/// Spin stores 47,669 states, over 177,716 arrivals, the first of which is that at the initial state. It takes the two
/// halves of a rendezvous one after the other, but does not store what is in between, so states and arrivals are
/// those at the ends of labels.
#[test]
fn eratosthenes_has_no_invalid_end_state() {
    let model = read(ERATOSTHENES);
    let Model::Network(network) = &model else { panic!("no network") };
    let (graph, _) = explore_network(network);
    assert_eq!(graph.states.len(), 47_669);
    assert_eq!(graph.edges, 177_715);

    let kernel = Kernel::new(network, None);
    let valid_end = property(&model, "valid_end");
    assert!(!graph.states.iter().any(|state| kernel.holds(valid_end, state)));
    let all = certificate(&model, valid_end, &graph, None);
    assert_eq!(rows_accepted(&model, valid_end, &all), 47_669);

    // There is just one end: everybody has ended.
    let ends: Vec<usize> =
        (0..graph.states.len()).filter(|state| kernel.is_deadlock(&graph.states[*state])).collect();
    let [end] = ends[..] else { panic!("{} ends", ends.len()) };
    let layout = kernel.layout();
    let here = |process: ProcessId| -> Option<LocationId> {
        layout.location(process, graph.states[end].slots[layout.location[process]])
    };
    assert!(network.processes.enumerate().all(|(process, _)| here(process).is_none()));

    // Spin gets there in 334 transitions: local statements, twice the rendezvous, and the ends of ten processes.
    let path = graph.path(end);
    let meetings = path.iter().filter(|(label, _)| label.parts.len() == 2).count();
    let exits = path.iter().filter(|(label, _)| kernel.cost(label) == 0).count();
    assert_eq!((path.len() - meetings - exits, meetings, exits), (194, 65, 10));
    assert_eq!(path.len() + meetings, 334);
    assert_eq!(graph.distance[end], 259);
    assert_eq!(graph.distance.iter().max(), Some(&259));
    let over = text::read_property(&model, "E<> !alive(Init)").expect("a property");
    assert_eq!(replayed_length(&model, &over, path.into_iter().map(|(label, _)| label)), 259);
}

fn explore_relation(relation: &Relation) -> Graph<Vec<i64>, Vec<i64>> {
    let kernel = RelationKernel::new(relation);
    Graph::explore(kernel.initial().expect("initial states"), |_, state| {
        let steps = kernel.successors(state).expect("successors");
        steps.into_iter().map(|step| (step.inputs, 1, step.state)).collect()
    })
}

/// The number of states of a shortest counterexample, which must replay; `None` if there is none.
fn counterexample(
    model: &Model,
    relation: &Relation,
    graph: &Graph<Vec<i64>, Vec<i64>>,
    name: &str,
) -> Option<u32> {
    let (property, kernel) = (property(model, name), RelationKernel::new(relation));
    let targets = (0..graph.states.len()).filter(|state| kernel.holds(property, &graph.states[*state]));
    let target = targets.min_by_key(|state| graph.distance[*state])?;
    let step = |(inputs, to): (Vec<i64>, usize)| RelationStep { inputs, state: graph.states[to].clone() };
    let steps: Vec<RelationStep> = graph.path(target).into_iter().map(step).collect();
    let run = Run::Relation(RelationRun { initial: graph.states[0].clone(), steps });
    let trace = Trace { model: model.hash(), property: text::print_property(model, property), run };
    let length = replay(model, property, &trace).unwrap_or_else(|error| panic!("{error}")).length;
    assert_eq!(length, graph.distance[target]);
    Some(length + 1)
}

#[test]
fn dme1_has_the_answers_of_nusmv() {
    let model = read(DME1);
    let Model::Relation(relation) = &model else { panic!("no relation") };
    assert_eq!(relation.vars.len(), 54);
    let graph = explore_relation(relation);
    assert_eq!(graph.states.len(), 6_579);
    assert_eq!(graph.distance.iter().max(), Some(&95));
    let found = |name| counterexample(&model, relation, &graph, name);
    assert_eq!(found("mutex"), None);
    assert_eq!(found("ack1"), Some(39));
    assert_eq!(found("ack2"), Some(59));
    assert_eq!(found("ack3"), Some(15));
    assert_eq!(found("req3ack1"), Some(39));
}

/// The same ring with a second token, in cell e-2.
#[test]
fn dme1_with_two_tokens_is_unsafe() {
    let Model::Relation(mut relation) = read(DME1) else { panic!("no relation") };
    for (name, value) in [("e-2.m.out", 1), ("e-2.n.out", 0)] {
        let (var, _) = relation.vars.enumerate().find(|(_, v)| v.name == name).expect("a gate");
        let init = relation.init_assigns.iter_mut().find(|a| a.var == var).expect("an initial value");
        assert_ne!(init.choice, Choice::One(Expr::Const(value)));
        init.choice = Choice::One(Expr::Const(value));
    }
    let graph = explore_relation(&relation);
    let model = Model::Relation(relation.clone());
    assert_eq!(graph.states.len(), 20_331);
    assert_eq!(graph.distance.iter().max(), Some(&148));
    assert_eq!(counterexample(&model, &relation, &graph, "mutex"), Some(15));
}

#[test]
fn dme1_is_certified_by_its_reachable_states() {
    let model = read(DME1);
    let Model::Relation(relation) = &model else { panic!("no relation") };
    let graph = explore_relation(relation);
    let mutex = property(&model, "mutex");
    let all = certificate(&model, mutex, &graph, None);
    assert_eq!(rows_accepted(&model, mutex, &all), 6_579);
    // Without one of the rows, the initial state is missing, or what the first row that leads there leads to.
    for missing in [0, 1, 3_000, 6_578] {
        let mut fewer = all.clone();
        fewer.rows.remove(missing);
        let parent = graph.parent[missing].as_ref().map(|(parent, _)| *parent);
        assert_eq!(row_at_fault(&model, mutex, &fewer), parent, "without row {missing}");
    }

    // A counterexample of 39 states has 38 steps: provably not fewer, and not provably more.
    let req3ack1 = property(&model, "req3ack1");
    let not_fewer = certificate(&model, req3ack1, &graph, Some(38));
    assert_eq!(rows_accepted(&model, req3ack1, &not_fewer), not_fewer.rows.len());
    for length in [Some(39), None] {
        let wrong = certificate(&model, req3ack1, &graph, length);
        let row = row_at_fault(&model, req3ack1, &wrong).expect("a row");
        assert_eq!(wrong.rows[row].level, 38);
    }
}

#[test]
fn all_read_back_equal() {
    for text in [HAJEK, ERATOSTHENES, DME1] {
        let model = read(text);
        assert_eq!(read(&text::print(&model)), model);
    }
}
