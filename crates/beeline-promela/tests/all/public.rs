//! Public models against Spin's answers, as far as the kernel alone can go through their states. The files are not part of
//! the project: without them there is nothing to do.

use crate::support;

use std::path::PathBuf;

use beeline_ir::network::Network;
use support::explore;

fn read(name: &str) -> Option<Network> {
    let roots = ["../../../shared/models/promela", "../../../../shared/models/promela"];
    let manifest = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let path = roots.iter().map(|root| manifest.join(root).join(name)).find(|path| path.exists());
    let bytes = std::fs::read(path?).ok()?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let none = |_: &str| Err("there is none".to_string());
    let options =
        beeline_promela::ReadOptions { file: name, include: &none, slots: 9, length: Default::default() };
    Some(beeline_promela::read(&text, options).unwrap_or_else(|e| panic!("{name}: {e:#?}")).network)
}

/// Spin's answers to error-free models: the states it stores. Those without atomic sequences are all ours; of others,
/// Spin does not store what is inside.
#[test]
fn as_many_states_as_spin_stores() {
    for (name, stored) in [
        ("spin/ex_3b.pml", 43),
        ("spin/loops.pml", 17),
        ("spin/peterson.pml", 55),
        ("spins_regression/20110310_timeout.prom", 3),
        ("spins_regression/else.prom", 4),
        ("spin/eratosthenes.pml", 47_669),
        ("beem/driving_phils.2.pm", 33_173),
    ] {
        let Some(network) = read(name) else {
            eprintln!("skipped: {name} is not here");
            continue;
        };
        let explored = explore(&network);
        assert_eq!(explored.states, stored, "{name}");
        assert_eq!(explored.violated.iter().flatten().count(), 0, "{name}");
    }
}

/// Spin's depth of a failing assertion counts from 0, that of an end state from 1; both count ends of processes and
/// jumps out of atomic sequences, of which there are none here.
#[test]
fn errors_as_near_as_spin_finds_them() {
    for (name, property, length) in [
        ("spin/ex_1f.pml", "valid-end-states", 2),
        ("spin/ex_3a.pml", "invariant", 12),
        ("spin/ex_3c.pml", "assertions", 15),
        ("spin/ex_4.pml", "valid-end-states", 6),
        ("spin/p104.1.pml", "valid-end-states", 1),
        ("spin/p107.pml", "valid-end-states", 3),
        ("spin/p312.pml", "assertions", 31),
        ("spin/sat.pml", "assertions", 4),
        ("spins/second.pml", "assertions", 7),
    ] {
        let Some(network) = read(name) else {
            eprintln!("skipped: {name} is not here");
            continue;
        };
        let explored = explore(&network);
        let at = network.properties.iter().position(|p| p.name.as_deref() == Some(property));
        assert_eq!(explored.violated[at.unwrap()], Some(length), "{name}");
    }
}
