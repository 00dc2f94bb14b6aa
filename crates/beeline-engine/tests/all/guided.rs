//! What heuristics say about labels, when they are asked, and how searches end early: on small graphs.

use beeline_engine::heuristic::{Estimate, Heuristic, Properties, Step};
use beeline_engine::{Options, Progress, SearchKind, explore_with};
use beeline_ir::Model;
use beeline_ir::limits::{Limits, StopReason};
use beeline_ir::network::Network;
use beeline_ir::outcome::{Certify, Finding, Grade, Outcome};
use beeline_ir::text::{ReadOptions, read};
use beeline_ir::{EdgeId, ProcessId};
use beeline_program::schema::EdgeRef;
use std::cell::RefCell;
use std::rc::Rc;

/// A process that walks over a graph from 0 to the last vertex.
fn graph(vertices: usize, edges: &[(usize, usize)]) -> Network {
    graph_to(vertices - 1, vertices, edges)
}

/// The same to another vertex.
fn graph_to(target: usize, vertices: usize, edges: &[(usize, usize)]) -> Network {
    let mut text = "network n\nprocess P {\n  init l0\n".to_string();
    (0..vertices).for_each(|i| text += &format!("  location l{i}\n"));
    edges.iter().for_each(|(from, to)| text += &format!("  edge l{from} -> l{to}\n"));
    text += &format!("}}\nproperty : E<> P.l{target}\n");
    match read(&text, ReadOptions { file: "test", record_places: false }).expect("a model") {
        Model::Network(network) => network,
        Model::Relation(_) => panic!("a network"),
    }
}

/// Everything that is there to be asked.
#[derive(Default, Debug)]
struct Asked {
    states: Vec<i64>,
    steps: Vec<(Vec<EdgeRef>, i64, Vec<EdgeRef>, i64)>,
    preferences: Vec<(i64, Vec<EdgeRef>)>,
}

/// Estimates by vertex, with opinions about edges.
#[derive(Clone, Default)]
struct Opinion {
    h: Vec<u32>,
    admissible: bool,
    preferred: Option<usize>,
    useless: Option<usize>,
    distant: Option<usize>,
    asked: Rc<RefCell<Asked>>,
}

impl std::fmt::Debug for Opinion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("opinion")
    }
}

fn is(label: &[EdgeRef], edge: Option<usize>) -> bool {
    edge.is_some_and(|edge| label == [(ProcessId::new(0), EdgeId::new(edge))])
}

impl Heuristic for Opinion {
    fn properties(&self) -> Properties {
        Properties { admissible: self.admissible, ..Properties::SAFE }
    }
    fn estimate(&mut self, slots: &[i64]) -> Estimate {
        self.asked.borrow_mut().states.push(slots[0]);
        self.h.get(slots[0] as usize).map_or(Estimate::Infinite, |h| Estimate::Steps(*h))
    }
    fn prefers(&self, label: &[EdgeRef]) -> bool {
        let mut asked = self.asked.borrow_mut();
        let last = *asked.states.last().expect("some estimate comes before");
        asked.preferences.push((last, label.to_vec()));
        is(label, self.preferred)
    }
    fn judges_labels(&self) -> bool {
        self.useless.or(self.distant).is_some()
    }
    fn useless(&mut self, step: &Step<'_>) -> bool {
        let Step { from, reached_by, label, to, .. } = *step;
        self.asked.borrow_mut().steps.push((reached_by.to_vec(), from[0], label.to_vec(), to[0]));
        is(label, self.useless)
    }
    fn distance(&mut self, step: &Step<'_>) -> u32 {
        u32::from(is(step.label, self.distant))
    }
}

fn run(network: &Network, options: &Options, opinions: &[Opinion]) -> Outcome {
    let mut heuristics: Vec<Box<dyn Heuristic>> =
        opinions.iter().map(|opinion| Box::new(opinion.clone()) as Box<dyn Heuristic>).collect();
    explore_with(network, &network.properties[0], options, &mut heuristics, &mut |_| {}).expect("supported")
}

fn grade(network: &Network, outcome: &Outcome) -> Grade {
    let model = Model::Network(network.clone());
    let checked = beeline_check::check(
        &model,
        &network.properties[0],
        outcome.clone(),
        Certify::Always,
        &Limits::default(),
    );
    checked.expect("accepted").grade()
}

/// Two ways from 0 to 5, of equal estimates: 0 1 2 5 and 0 3 4 5.
const WAYS: [(usize, usize); 6] = [(0, 1), (1, 2), (2, 5), (0, 3), (3, 4), (4, 5)];

fn greedy() -> Options {
    Options { search: SearchKind::Greedy, ..Options::default() }
}

/// The edges of the trace found.
fn edges(outcome: &Outcome) -> Vec<usize> {
    let Finding::Reachable { trace, .. } = &outcome.finding else { panic!("found") };
    let beeline_ir::trace::Run::Network(run) = &trace.run else { panic!("a network run") };
    run.steps.iter().map(|step| step.label.parts[0].edge.index()).collect()
}

#[test]
fn preferred_labels_come_first() {
    let network = graph(6, &WAYS);
    for deferred in [false, true] {
        for (preferred, way) in [(0, [0, 1, 2]), (3, [3, 4, 5])] {
            let opinion = Opinion { h: vec![1; 6], preferred: Some(preferred), ..Opinion::default() };
            let options = Options { deferred, preferred: true, ..greedy() };
            let outcome = run(&network, &options, std::slice::from_ref(&opinion));
            assert_eq!(edges(&outcome), way, "{deferred}");
            // The plan asked about is that of the state which the label leaves.
            for (state, label) in &opinion.asked.borrow().preferences {
                assert_eq!(WAYS[label[0].1.index()].0 as i64, *state);
            }
        }
    }
}

#[test]
fn useless_and_distant_labels_come_last() {
    let network = graph(6, &WAYS);
    for (edge, way) in [(0, [3, 4, 5]), (3, [0, 1, 2])] {
        let useless = Opinion { h: vec![1; 6], useless: Some(edge), ..Opinion::default() };
        let distant = Opinion { h: vec![1; 6], distant: Some(edge), ..Opinion::default() };
        for (opinion, deferred) in [(&useless, false), (&distant, false), (&useless, true), (&distant, true)]
        {
            let options = Options { deferred, ..greedy() };
            let outcome = run(&network, &options, std::slice::from_ref(opinion));
            assert_eq!(edges(&outcome), way);
        }
        let asked = useless.asked.borrow();
        assert!(asked.steps.iter().any(|(before, ..)| !before.is_empty()));
        for (before, from, label, to) in &asked.steps {
            assert_eq!(WAYS[label[0].1.index()], (*from as usize, *to as usize));
            match before.first() {
                Some((_, edge)) => assert_eq!(WAYS[edge.index()].1 as i64, *from),
                None => assert_eq!(*from, 0),
            }
        }
    }
}

#[test]
fn deferred_evaluation_asks_only_about_states_whose_turn_has_come() {
    // Every vertex of the way to 5 has two dead-end neighbours.
    let way = (0..5).flat_map(|i| [(i, i + 6), (i, i + 11), (i, i + 1)]);
    let network = graph_to(5, 16, &way.collect::<Vec<_>>());
    let h: Vec<u32> = (0..16).map(|i| if i <= 5 { 5 - i } else { 9 }).collect();
    let of = |deferred| {
        let opinion = Opinion { h: h.clone(), ..Opinion::default() };
        run(&network, &Options { deferred, ..greedy() }, std::slice::from_ref(&opinion)).stats
    };
    let (eager, deferred) = (of(false), of(true));
    assert_eq!((eager.expanded, eager.evaluated), (6, 16));
    assert_eq!(deferred.evaluated, deferred.expanded);
    assert!(deferred.evaluated < eager.evaluated);
}

#[test]
fn the_second_heuristic_of_a_star_is_asked_when_a_turn_comes() {
    let network = graph(6, &WAYS);
    let cheap = Opinion { h: vec![0; 6], admissible: true, ..Opinion::default() };
    // Perfect on one way; the other one seems as long as it can.
    let dear = Opinion { h: vec![3, 2, 1, 2, 1, 0], admissible: true, ..Opinion::default() };
    let options = Options { search: SearchKind::AStar, ..Options::default() };
    let outcome = run(&network, &options, &[cheap.clone(), dear.clone()]);
    assert!(matches!(outcome.finding, Finding::Reachable { shortest: true, .. }));
    assert_eq!((edges(&outcome).len(), outcome.stats.expanded), (3, 4));
    let mut twice = dear.asked.borrow().states.clone();
    twice.sort_unstable();
    twice.dedup();
    assert_eq!(twice.len(), dear.asked.borrow().states.len(), "asked twice");
    assert!(dear.asked.borrow().states.len() < cheap.asked.borrow().states.len());
}

#[test]
fn heuristics_take_turns() {
    // One heuristic is lost in 1, 2, 3, 4; the other knows the way.
    let edges = [(0, 1), (1, 2), (2, 3), (3, 4), (0, 5), (5, 6), (6, 7)];
    let network = graph(8, &edges);
    let lost = Opinion { h: vec![9, 4, 3, 2, 1, 9, 9, 9], ..Opinion::default() };
    let knows = Opinion { h: vec![3, 9, 9, 9, 9, 2, 1, 0], ..Opinion::default() };
    let expanded = |alternation| {
        let options = Options { alternation, ..greedy() };
        run(&network, &options, &[lost.clone(), knows.clone()]).stats.expanded
    };
    // 0 and then, in turns, 5, 1, 6, 2, 7.
    assert_eq!(expanded(true), 6);
    assert_eq!(run(&network, &greedy(), std::slice::from_ref(&lost)).stats.expanded, 8);
}

#[test]
fn ties_are_broken_by_the_seed() {
    let edges: Vec<(usize, usize)> = (1..40).flat_map(|i| [(0, i), (i, 40)]).collect();
    let network = graph(41, &edges);
    let ways: Vec<Vec<usize>> = (0..12)
        .map(|seed| {
            let options = Options { random_ties: Some(seed), ..greedy() };
            let opinion = Opinion { h: vec![1; 41], ..Opinion::default() };
            let again = Opinion { h: vec![1; 41], ..Opinion::default() };
            let way = self::edges(&run(&network, &options, &[opinion]));
            assert_eq!(way, self::edges(&run(&network, &options, &[again])));
            way
        })
        .collect();
    assert!(ways.iter().any(|way| *way != ways[0]));
}

#[test]
fn a_beam_says_what_it_does_not_know() {
    // The lower estimate leads to a dead end.
    let network = graph(5, &[(0, 1), (0, 2), (2, 3), (3, 4)]);
    let opinion = Opinion { h: vec![2, 0, 1, 1, 0], ..Opinion::default() };
    let beam = |beam_width| Options { search: SearchKind::Beam, beam_width, ..Options::default() };
    let narrow = run(&network, &beam(1), std::slice::from_ref(&opinion));
    assert_eq!(narrow.finding, Finding::Unknown(StopReason::Incomplete));
    assert!(narrow.certificate.is_none());
    assert_eq!(edges(&run(&network, &beam(2), std::slice::from_ref(&opinion))), [1, 2, 3]);
    let unreachable = graph(5, &[(0, 1), (0, 2), (2, 3)]);
    let wide = run(&unreachable, &beam(2), std::slice::from_ref(&opinion));
    assert_eq!((&wide.finding, grade(&unreachable, &wide)), (&Finding::Unreachable, Grade::Kernel));
}

#[test]
fn a_climb_that_is_stuck_goes_on_greedily() {
    // Up to 1 and 2, where it ends; the way leads through 3, which looks worse.
    let network = graph(6, &[(0, 1), (1, 2), (0, 3), (3, 4), (4, 5)]);
    let opinion = Opinion { h: vec![3, 2, 1, 9, 8, 0], ..Opinion::default() };
    let options = Options { search: SearchKind::HillClimbing, ..Options::default() };
    assert_eq!(edges(&run(&network, &options, &[opinion])), [2, 3, 4]);
}

#[test]
fn limits_leave_what_is_known() {
    // A short way that looks worse than a long one.
    let mut edges: Vec<(usize, usize)> = (0..20).map(|i| (i, i + 1)).chain([(20, 23)]).collect();
    edges.extend([(0, 21), (21, 22), (22, 23)]);
    let network = graph(24, &edges);
    let h: Vec<u32> = (0..24).map(|i| if i <= 20 { (21 - i) / 7 } else { 23 - i + 5 }).collect();
    let greedily = Opinion { h: h.clone(), ..Opinion::default() };
    let limited = |search, states, opinion: &Opinion| {
        let limits = Limits { states: Some(states), ..Limits::default() };
        run(&network, &Options { search, limits, ..Options::default() }, std::slice::from_ref(opinion))
    };
    // No pass stores more than all the vertices.
    let outcome = limited(SearchKind::Anytime, 30, &greedily);
    assert!(matches!(outcome.finding, Finding::Reachable { shortest: true, .. }));
    assert_eq!((self::edges(&outcome).len(), outcome.lower_bound), (3, 3));
    // The distance from the start, which is 3, is known.
    let known = Opinion { h: vec![3; 1], admissible: true, ..Opinion::default() };
    let outcome = limited(SearchKind::AStar, 1, &known);
    assert_eq!((&outcome.finding, outcome.lower_bound), (&Finding::Unknown(StopReason::States), 3));
    let outcome = limited(SearchKind::AStar, 1, &Opinion { admissible: false, ..known });
    assert_eq!(outcome.lower_bound, 0);
}

#[test]
fn an_interrupted_anytime_search_keeps_its_best_trace() {
    let mut edges: Vec<(usize, usize)> = (0..3000).map(|i| (i, i + 1)).collect();
    edges.extend([(0, 3001), (3001, 3002), (3002, 3000)]);
    let network = graph_to(3000, 3003, &edges);
    let h: Vec<u32> =
        (0..3003).map(|i| if i < 3000 { (3000 - i) * 2 } else { 9000 * u32::from(i > 3000) }).collect();
    let options = Options { search: SearchKind::Anytime, ..Options::default() };
    let cancel = options.limits.cancel.clone();
    // After the greedy pass has gone the long way.
    let mut stop = |progress: &Progress| {
        if progress.expanded > 3072 {
            cancel.cancel(StopReason::Interrupted);
        }
    };
    let opinion = Opinion { h, ..Opinion::default() };
    let property = &network.properties[0];
    let outcome =
        explore_with(&network, property, &options, &mut [Box::new(opinion)], &mut stop).expect("supported");
    assert!(
        matches!(outcome.finding, Finding::Reachable { shortest: false, .. }),
        "{:?}",
        outcome.lower_bound
    );
    assert_eq!(self::edges(&outcome).len(), 3000);
}
