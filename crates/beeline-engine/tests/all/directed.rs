//! Every directed search with every kind of heuristic agrees with breadth-first search on the verdict and, where
//! it promises to, on the length; what it proves, the kernel accepts.

use crate::toys;

use beeline_check::check;
use beeline_engine::heuristic::{Estimate, Heuristic, Properties, ZoneView};
use beeline_engine::{Extrapolation, Options, SearchKind, explore, explore_with};
use beeline_ir::Model;
use beeline_ir::certificate::ZoneConstraint;
use beeline_ir::limits::{Limits, StopReason};
use beeline_ir::network::Network;
use beeline_ir::outcome::{Certify, Finding, Grade, Outcome, Shortest};
use beeline_ir::property::Target;
use beeline_ir::text::{ReadOptions, read};
use beeline_testkit::feature::{self, Feature};
use beeline_testkit::generate::{Profile, Shape, generate};
use beeline_zones::fault::{Fault, inject};
use std::rc::Rc;
use toys::graph::Graph;
use toys::relaxed::Relaxed;
use toys::{ADMISSIBLE, KINDS, Kind, Oracle};

const DIRECTED: [SearchKind; 8] = [
    SearchKind::AStar,
    SearchKind::Greedy,
    SearchKind::WeightedAStar,
    SearchKind::Anytime,
    SearchKind::IdaStar,
    SearchKind::HillClimbing,
    SearchKind::Beam,
    SearchKind::Genetic,
];

fn network(text: &str) -> Network {
    match read(text, ReadOptions { file: "test", record_places: false }).expect("a model") {
        Model::Network(network) => network,
        Model::Relation(_) => panic!("a network"),
    }
}

fn run(network: &Network, options: &Options, heuristics: &mut [Box<dyn Heuristic>]) -> Outcome {
    explore_with(network, &network.properties[0], options, heuristics, &mut |_| {}).expect("supported")
}

/// The length of the trace found, if there is one, after the kernel has looked at everything; and what it says
/// about it.
fn checked(network: &Network, outcome: &Outcome) -> (Option<u32>, Option<Shortest>, Grade) {
    let model = Model::Network(network.clone());
    let checked = check(&model, &network.properties[0], outcome.clone(), Certify::Always, &Limits::default())
        .unwrap_or_else(|error| panic!("{error}\n{}", beeline_ir::text::print(&model)));
    (checked.replayed().map(|replayed| replayed.length), checked.shortest(), checked.grade())
}

/// Ways to call a search that must not change what it promises.
fn variants(search: SearchKind, seed: u64) -> Vec<Options> {
    let plain = Options { search, weight: 3, beam_width: 2, generations: 1, ..Options::default() };
    match search {
        SearchKind::Greedy => vec![
            plain.clone(),
            Options { deferred: true, ..plain.clone() },
            Options { preferred: true, alternation: false, ..plain.clone() },
            Options { deferred: true, preferred: true, random_ties: Some(seed), ..plain },
        ],
        SearchKind::AStar | SearchKind::IdaStar | SearchKind::Anytime => {
            vec![plain.clone(), Options { any_length: true, ..plain }]
        }
        _ => vec![plain],
    }
}

/// Compares everything on one model; the number of runs.
fn compare(network: &Network, seed: u64) -> u64 {
    let property = &network.properties[0];
    let bfs = explore(network, property, &Options::default(), &mut |_| {}).expect("supported");
    let (length, ..) = checked(network, &bfs);
    let Some(graph) = Graph::new(network, property, &Options::default(), 400) else { return 0 };
    let graph = Rc::new(graph);
    let free = feature::of(network).contains(Feature::FreeLabel);
    let heuristic =
        |kind| -> Box<dyn Heuristic> { Box::new(Oracle { kind, seed, graph: Rc::clone(&graph) }) };
    let mut runs = 0;
    for (i, kind) in KINDS.into_iter().enumerate() {
        for search in DIRECTED {
            for (variant, options) in variants(search, seed).iter().enumerate() {
                let mut heuristics = vec![heuristic(kind)];
                if (seed as usize + variant) % 2 == 1 {
                    heuristics.push(heuristic(KINDS[(i + seed as usize) % KINDS.len()]));
                }
                let admissible = heuristics.iter().all(|h| h.properties().admissible);
                let consistent = heuristics.iter().all(|h| h.properties().consistent);
                let outcome = run(network, options, &mut heuristics);
                runs += 1;
                let what = format!("seed {seed}, {kind:?}, {options:?}: {:?}", outcome.finding);
                let (found, shortest, _) = checked(network, &outcome);
                match &outcome.finding {
                    Finding::Unknown(StopReason::Incomplete) => {
                        assert!(matches!(search, SearchKind::Beam | SearchKind::Genetic), "{what}");
                        continue;
                    }
                    // What is pruned as a dead end may be where the property fails.
                    Finding::Unknown(StopReason::PropertyFails) => assert_eq!(bfs.finding, outcome.finding),
                    Finding::Unreachable => {
                        assert!(!matches!(bfs.finding, Finding::Reachable { .. }), "{what}")
                    }
                    _ => assert_eq!(found.is_some(), length.is_some(), "{what}"),
                }
                assert!(found >= length, "{what}");
                let proven = search == SearchKind::Anytime || admissible;
                let promised = found.is_some() && options.shortest() && proven;
                assert_eq!(shortest.is_some_and(|s| s != Shortest::No), promised, "{what}");
                if promised {
                    assert_eq!(found, length, "{what}");
                    assert_eq!(Some(outcome.lower_bound), length, "{what}");
                }
                if let (SearchKind::WeightedAStar, true, Some(found)) = (search, admissible, found) {
                    assert!(found <= 3 * length.unwrap_or(0), "{what}");
                }
                if let (Some(length), true) = (length, search != SearchKind::Beam) {
                    assert!(outcome.lower_bound <= length, "{what}");
                }
                let single = heuristics.len() == 1 && search == SearchKind::AStar && options.shortest();
                if single && consistent {
                    assert_eq!(outcome.stats.reopened, 0, "{what}");
                }
                if let (true, Kind::Perfect, Some(length), false, Target::State(_)) =
                    (single, kind, length, free, property.target())
                {
                    assert_eq!(outcome.stats.expanded, u64::from(length) + 1, "{what}");
                }
            }
        }
    }
    runs
}

#[test]
fn directed_searches_agree_with_breadth_first_search() {
    for profile in [Profile::Timed, Profile::Discrete] {
        let shape = Shape::new(profile);
        let runs: u64 = (0..150).map(|seed| compare(&generate(&shape, seed), seed)).sum();
        assert!(runs > 5_000, "too few: {runs}");
    }
}

/// What a relaxation keeps from being expanded it also accounts for.
#[test]
fn proofs_hold_what_was_left_out() {
    let without = [
        Feature::Broadcast,
        Feature::Atomic,
        Feature::Family,
        Feature::Buffered,
        Feature::Else,
        Feature::Diagonal,
        Feature::ClockCopy,
        Feature::Message,
        Feature::ChannelValue,
        Feature::WideRange,
    ];
    let shape = without.iter().fold(Shape::new(Profile::Timed), |shape, feature| shape.with(*feature, 0));
    let (mut lengths, mut dead_ends) = (0, 0);
    for seed in 0..400 {
        let network = generate(&shape, seed);
        let property = &network.properties[0];
        let text = beeline_ir::text::print(&Model::Network(network.clone()));
        if !matches!(property.target(), Target::State(_))
            || property.observer().is_some()
            || text.contains("deadlock")
        {
            continue;
        }
        let bfs = explore(&network, property, &Options::default(), &mut |_| {}).expect("supported");
        let (length, ..) = checked(&network, &bfs);
        for search in [SearchKind::AStar, SearchKind::Greedy, SearchKind::Anytime, SearchKind::IdaStar] {
            let relaxed = Relaxed::new(&network, property);
            let proofs = Rc::clone(&relaxed.proofs);
            let options = Options { search, ..Options::default() };
            let outcome = run(&network, &options, &mut [Box::new(relaxed)]);
            let (found, shortest, grade) = checked(&network, &outcome);
            assert!(found == length || !options.shortest(), "seed {seed} {search:?}");
            if grade == Grade::Kernel && proofs.get() > 0 {
                match shortest {
                    Some(Shortest::Certified) => lengths += 1,
                    _ => dead_ends += 1,
                }
            }
        }
    }
    assert!(lengths > 20 && dead_ends > 20, "{lengths} lengths and {dead_ends} dead ends proved");
}

/// A heuristic given by a function.
#[derive(Copy, Clone)]
struct Given {
    properties: Properties,
    h: fn(&[i64], &[ZoneConstraint]) -> Estimate,
}

impl std::fmt::Debug for Given {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("given")
    }
}

impl Heuristic for Given {
    fn properties(&self) -> Properties {
        self.properties
    }
    fn estimate(&mut self, slots: &[i64]) -> Estimate {
        (self.h)(slots, &[])
    }
    fn estimate_in(&mut self, slots: &[i64], zone: &ZoneView<'_>) -> Estimate {
        (self.h)(slots, &zone.constraints())
    }
}

/// A graph as a process with one location per letter, the last one being the target.
fn chain(edges: &[&str]) -> Network {
    let mut letters: Vec<char> = edges.iter().flat_map(|edge| edge.chars().take(2)).collect();
    letters.sort_unstable();
    letters.dedup();
    let mut text = "network n\nclock x\nprocess P {\n  init a\n".to_string();
    letters.iter().for_each(|letter| text += &format!("  location {letter}\n"));
    for edge in edges {
        let guard = if edge.ends_with('!') { "{ when x >= 1 }" } else { "" };
        text += &format!("  edge {} -> {} {guard}\n", &edge[..1], &edge[1..2]);
    }
    let target = letters.last().expect("some letter");
    network(&format!("{text}}}\nproperty : E<> P.{target}\n"))
}

/// The steps to a node are the least so far, not those of the first time it was reached: 4, not 5. (The estimates
/// are consistent.)
fn first_time() -> Option<u32> {
    // a..g of the example are a (start), b, c, d, e (where ways meet), f and g.
    let network = chain(&["ab", "bc", "ce", "ad", "de", "ef", "fg"]);
    let h = |slots: &[i64], _: &[ZoneConstraint]| Estimate::Steps([0, 0, 0, 3, 2, 1, 0][slots[0] as usize]);
    let properties = Properties { consistent: true, ..ADMISSIBLE };
    let options = Options { search: SearchKind::AStar, ..Options::default() };
    let outcome = run(&network, &options, &mut [Box::new(Given { properties, h })]);
    checked(&network, &outcome).0
}

/// A larger zone covers a smaller one only if it takes no more steps to reach: 7, not 8. (The estimates are
/// consistent, but depend on the zone: they know of the way from `d` that only x >= 1 allows.)
fn larger_but_later() -> Option<u32> {
    // a (start), b, c: the long way to e; d: the short one, for x >= 1 only; then f to j.
    let network = chain(&["ab", "bc", "ce", "ad!", "de!", "ef!", "fg", "gh", "hi", "ij"]);
    let h = |slots: &[i64], zone: &[ZoneConstraint]| {
        let late = zone.iter().any(|c| c.left.is_none() && c.bound <= -1);
        let late = late || slots[0] >= 5;
        Estimate::Steps(if late { [7, 7, 6, 6, 5, 4, 3, 2, 1, 0][slots[0] as usize] } else { 0 })
    };
    let properties = Properties { consistent: true, zone_dependent: true, ..ADMISSIBLE };
    // Without upper bounds on x, lower bounds are forgotten under lower and upper bounds.
    let extrapolation = Extrapolation::M;
    let options = Options { search: SearchKind::AStar, extrapolation, ..Options::default() };
    let outcome = run(&network, &options, &mut [Box::new(Given { properties, h })]);
    checked(&network, &outcome).0
}

/// Where infinity means nothing, it must not keep a search from the only way there is, of 2 steps.
fn only_way() -> Option<u32> {
    let network = chain(&["ab", "bc"]);
    let h = |slots: &[i64], _: &[ZoneConstraint]| {
        if slots[0] == 1 { Estimate::Infinite } else { Estimate::ZERO }
    };
    let properties = Properties { admissible: false, safe_infinity: false, ..ADMISSIBLE };
    let options = Options { search: SearchKind::Greedy, ..Options::default() };
    let outcome = run(&network, &options, &mut [Box::new(Given { properties, h })]);
    checked(&network, &outcome).0
}

#[test]
fn examples_have_the_right_lengths() {
    assert_eq!(first_time(), Some(4));
    assert_eq!(larger_but_later(), Some(7));
    assert_eq!(only_way(), Some(2));
}

/// The mistakes that these examples are about, made on purpose.
#[test]
fn seeded_mistakes_are_noticed() {
    if !cfg!(debug_assertions) {
        return; // faults exist only in builds with debug assertions
    }
    let with = |fault: Fault, example: fn() -> Option<u32>| {
        let noticed = std::thread::spawn(move || {
            inject(Some(fault));
            example()
        });
        // The kernel may have rejected what was claimed.
        noticed.join().ok().flatten()
    };
    assert_ne!(with(Fault::FirstTimeG, first_time), Some(4));
    assert_ne!(with(Fault::GTestForgotten, first_time), Some(4));
    assert_ne!(with(Fault::GTestForgotten, larger_but_later), Some(7));
    assert_ne!(with(Fault::InfinityTrusted, only_way), Some(2));
}
