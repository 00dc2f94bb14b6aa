//! The number of threads changes nothing but the time it takes, and the storage nothing but the memory.

use beeline_engine::{Options, Storage, explore};
use beeline_ir::Model;
use beeline_ir::network::Network;
use beeline_ir::outcome::{Outcome, Stats};
use beeline_ir::text::{ReadOptions, read};

pub fn network(text: &str) -> Network {
    let options = ReadOptions { file: "test", record_places: false };
    match read(text, options).expect("a model") {
        Model::Network(network) => network,
        Model::Relation(_) => panic!("a network"),
    }
}

/// Fischer's protocol, in which a label of every `free`-th process costs nothing.
pub fn fischer(processes: usize, delay: u32, free: usize) -> Network {
    let mut text = format!("network fischer\nvar id in 0..{processes} = 0\n");
    for p in 1..=processes {
        let free = if p % free == 0 { "free" } else { "" };
        text += &format!(
            "process P{p} {{\n  clock x\n  init idle\n  location idle\n  location req {{ invariant x <= 2 }}\n  \
             location wait\n  location cs\n  edge idle -> req {{ guard id == 0 do {{ x := 0; }} }}\n  \
             edge req -> wait {{ do {{ x := 0; id := {p}; }} }}\n  \
             edge wait -> req {{ guard id == 0 do {{ x := 0; }} {free} }}\n  \
             edge wait -> cs {{ guard id == {p} when x >= {delay} }}\n  \
             edge cs -> idle {{ do {{ id := 0; }} }}\n}}\n"
        );
    }
    text += "property mutex : A[] !(P1.cs && P2.cs)\n";
    network(&text)
}

/// What must not depend on threads.
fn essence(outcome: &Outcome) -> String {
    let Stats { expanded, generated, stored, subsumed, .. } = outcome.stats;
    let Outcome { finding, lower_bound, certificate, warning, .. } = outcome;
    format!(
        "{expanded} {generated} {stored} {subsumed} {lower_bound} {finding:?} {certificate:?} {warning:?}"
    )
}

#[test]
fn nothing_depends_on_the_number_of_threads() {
    for (processes, delay, free) in [(5, 3, 9), (5, 2, 9), (5, 3, 2), (5, 2, 2)] {
        let network = fischer(processes, delay, free);
        for any_length in [false, true] {
            let run = |threads: usize| {
                let options = Options { threads, any_length, ..Options::default() };
                explore(&network, &network.properties[0], &options, &mut |_| {}).expect("supported")
            };
            let one = run(1);
            assert!(one.stats.expanded > 100, "too small to be shared: {}", one.stats.expanded);
            for threads in [2, 3, 8] {
                assert_eq!(essence(&run(threads)), essence(&one), "{processes} {delay} {free} {threads}");
            }
        }
    }
}

/// Counters without clocks that take a word each, of which every second one may be set back for nothing: so states are
/// reached in fewer steps after they have been put into the next layer.
fn counters(number: usize, sum: usize) -> Network {
    let mut text = "network counters\n".to_string();
    for c in 0..number {
        text += &format!("var c{c} in 0..{} = 0\n", 1u64 << 40);
    }
    for c in 0..number {
        let free = if c % 2 == 0 { "free" } else { "" };
        text += &format!(
            "process P{c} {{\n  init run\n  location run\n  \
             edge run -> run {{ guard c{c} < 4 do {{ c{c} := c{c} + 1; }} }}\n  \
             edge run -> run {{ guard c{c} == 3 do {{ c{c} := 0; }} {free} }}\n  \
             edge run -> run {{ guard c{c} > 0 && c{} == 0 do {{ c{c} := 4; }} {free} }}\n}}\n",
            (c + 1) % number
        );
    }
    let all: Vec<String> = (0..number).map(|c| format!("c{c}")).collect();
    text += &format!("property total : A[] {} < {sum}\n", all.join(" + "));
    network(&text)
}

#[test]
fn nothing_depends_on_the_storage() {
    // A state in the midst, and none.
    for sum in [15, 17] {
        for number in [2, 4] {
            let network = counters(number, sum);
            for any_length in [false, true] {
                let run = |threads: usize, storage| {
                    let options =
                        Options { threads, any_length, storage: Some(storage), ..Options::default() };
                    explore(&network, &network.properties[0], &options, &mut |_| {}).expect("supported")
                };
                let plain = run(1, Storage::Plain);
                for threads in [1, 2, 3] {
                    let collapsed = run(threads, Storage::Collapse);
                    assert_eq!(essence(&collapsed), essence(&plain), "{number} {sum} {threads}");
                }
            }
        }
    }
}
