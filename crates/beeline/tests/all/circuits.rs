//! The circuits among the families: as large as those of the paper, and free of hazards.

use crate::common;

use beeline_check::{Firing, Kernel, State};
use beeline_families::find;
use beeline_ir::Model;
use beeline_ir::network::Network;
use common::{beeline, directory, file};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// As many Booleans as Table 2 of P4 (Qian and Nymeyer, TACAS 2004) says.
#[test]
fn circuits_are_as_large_as_those_of_the_paper() {
    let dir = directory("circuit-sizes");
    for (family, sizes) in [
        ("tree-arbiter", &[(7, 50), (9, 64), (11, 78), (13, 92), (15, 106), (17, 120), (19, 134)][..]),
        ("dme", &[(6, 114), (8, 152)]),
    ] {
        for (size, booleans) in sizes {
            for ending in ["smv", "xta"] {
                let path = dir.join(format!("circuit.{ending}")).display().to_string();
                beeline(["generate", family, "--n", &size.to_string(), "-o", &path]).exits(0);
                let info = beeline(["info", &path, "--json"]).exits(0).json()["info"].clone();
                let variables = info["variables"].as_array().unwrap();
                let stored = variables.iter().filter(|variable| variable["role"] != "input");
                let count: u64 = stored.map(|variable| variable["len"].as_u64().unwrap_or(1)).sum();
                assert_eq!(count, *booleans, "{path}: {size}");
            }
        }
    }
}

/// What the two outputs of a mutual exclusion element are called: one of them may be in the way of the other.
const ELEMENTS: [(&str, &str); 2] = [("won1", "won2"), ("own_won", "left_won")];

/// Semi-modularity: an output that is about to change does so, whatever other gates do meanwhile, unless a mutual
/// exclusion element decides for the other side. Then it does not matter how long gates take.
#[test]
fn correct_circuits_have_no_hazards() {
    let dir = directory("circuit-hazards");
    // The numbers of states are those of another program, written only for this.
    for (family, size, states) in [("tree-arbiter", 1, 32), ("tree-arbiter", 2, 232), ("dme", 2, 638)] {
        let hazards = hazards(&dir, family, size);
        assert_eq!(hazards, (states, BTreeSet::new()), "{family} {size}");
    }
}

/// Where databases do not help, guided search takes little more than twice the nodes of forward search. It had no answer
/// about the ring of four cells in a minute, where forward search takes some seconds.
#[test]
fn guided_search_gives_way_to_forward_search() {
    let path = directory("circuit-correct").join("ring.smv").display().to_string();
    beeline(["generate", "dme", "--n", "3", "-o", &path]).exits(0);
    let nodes = |direction: &str| {
        let check = ["check", &path, "--certify", "never", "--json", "--direction", direction];
        let json = beeline(check).exits(0).json();
        json["results"][0]["stats"]["total_nodes"].as_u64().expect("nodes")
    };
    let (forward, guided) = (nodes("forward"), nodes("guided"));
    assert!(2 * guided < 5 * forward, "{guided} nodes against {forward}");
}

/// Guided search about a single pair of users: the lower bound is that of the database that had the answer. It was that of
/// another one, with more layers, and the kernel refused the trace.
#[test]
fn two_users_of_a_tree_are_told_apart_by_guided_search() {
    let path = directory("circuit-pair").join("tree.smv").display().to_string();
    beeline(["generate", "tree-arbiter", "--n", "15", "--faulty", "-o", &path]).exits(0);
    let pair = "AG !(c13.ack1 & c14.ack1)";
    let json = beeline(["check", &path, "-p", pair, "--preset", "nusmv-guided", "--json"]).exits(1).json();
    let result = &json["results"][0];
    assert_eq!((&result["trace"]["length"], &result["lower_bound"]), (&38.into(), &38.into()));
}

/// No two of all users: the target is split into parts, and the nearest is found first.
#[test]
fn the_nearest_of_many_parts_is_found_by_guided_search() {
    let path = directory("circuit-parts").join("tree.smv").display().to_string();
    beeline(["generate", "tree-arbiter", "--n", "7", "--faulty", "-o", &path]).exits(0);
    let json = beeline(["check", &path, "--preset", "nusmv-guided", "--json"]).exits(1).json();
    let result = &json["results"][0];
    assert_eq!((&result["trace"]["length"], &result["lower_bound"]), (&29.into(), &29.into()));
    assert_eq!(result["config"]["databases"][0]["parts"], 4);
}

/// The number of reachable states, and which output changes before which other can.
fn hazards(dir: &Path, family: &str, size: u32) -> (usize, BTreeSet<(String, String)>) {
    let instance = find(family).expect("a family").instance(&[("n", size)]).expect("within its range");
    let path = file(dir, "circuit.xta", instance.model());
    let loaded = beeline::load(Path::new(&path)).expect("a model");
    let Model::Network(network) = &loaded.model else { panic!("a network") };
    let kernel = Kernel::new(network, None);
    let names = names(network, &kernel);
    let mut todo: Vec<State> = kernel.initial().into_iter().map(|(state, _)| state).collect();
    let mut all: BTreeMap<Vec<i64>, BTreeMap<usize, State>> = BTreeMap::new();
    while let Some(state) = todo.pop() {
        if let Entry::Vacant(entry) = all.entry(state.slots.clone()) {
            let steps = entry.insert(steps(&kernel, &state));
            todo.extend(steps.values().cloned());
        }
    }
    let mut hazards = BTreeSet::new();
    for steps in all.values() {
        for (changed, next) in steps {
            let after = &all[&next.slots];
            for late in steps.keys().filter(|late| *late != changed && !after.contains_key(late)) {
                let ((first, cell), (second, other)) = (&names[changed], &names[late]);
                let element =
                    ELEMENTS.iter().any(|(a, b)| (first, second) == (a, b) || (second, first) == (a, b));
                if !(element && cell == other) {
                    hazards.insert((format!("{first}[{cell}]"), format!("{second}[{other}]")));
                }
            }
        }
    }
    (all.len(), hazards)
}

/// The array and the index of each slot.
fn names<'n>(network: &'n Network, kernel: &Kernel<'_>) -> BTreeMap<usize, (&'n str, usize)> {
    let of = |(id, var): (_, &'n beeline_ir::network::Var)| {
        let first = kernel.layout().var[id]?;
        Some((0..var.init.len()).map(move |index| (first + index, (var.name.as_str(), index))))
    };
    network.vars.enumerate().filter_map(of).flatten().collect()
}

/// The states that one step leads to, by the slot that changes: one gate has one output.
fn steps(kernel: &Kernel<'_>, state: &State) -> BTreeMap<usize, State> {
    let step = |(_, firing)| {
        let Firing::Successor { state: next, .. } = firing else { panic!("{firing:?}") };
        let changed: Vec<usize> =
            (0..next.slots.len()).filter(|slot| next.slots[*slot] != state.slots[*slot]).collect();
        assert_eq!(changed.len(), 1, "one output changes at a time");
        (changed[0], next)
    };
    kernel.labels(state).into_iter().map(step).collect()
}
