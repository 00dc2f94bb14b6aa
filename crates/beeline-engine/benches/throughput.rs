//! How fast state spaces are explored: `cargo bench -p beeline-engine`. The items are generated successors.
//!
//! Small models of the benchmark families, whole, in one process and without certificates. `beeline bench
//! throughput` measures larger ones, with memory and beside other tools.

#![allow(missing_docs, reason = "a program")]

use beeline_engine::{Options, explore};
use beeline_families::find;
use beeline_ir::network::Network;
use beeline_ir::outcome::{Finding, Outcome};
use beeline_uppaal::{Format, read};
use divan::Bencher;
use divan::counter::ItemsCount;

fn main() {
    divan::main();
}

/// A model of a family, with a question that takes the search everywhere.
fn network(family: &str, size: u32) -> Network {
    let instance = find(family).expect("a family").instance(&[("n", size)]).expect("a size");
    let reading = read(&instance.model(), family, Format::Xta).expect("a model");
    let everything = reading.symbols.query(&reading.network, "A[] true").expect("a query");
    Network { properties: vec![everything], ..reading.network }
}

fn everything(network: &Network) -> Outcome {
    let options = Options { certificate: false, ..Options::default() };
    explore(network, &network.properties[0], &options, &mut |_| {}).expect("a supported model")
}

#[divan::bench(args = [("fischer", 6), ("csmacd", 6), ("train-gate", 4), ("critical-region", 3)])]
fn exploration(bencher: Bencher<'_, '_>, (family, size): (&str, u32)) {
    let network = network(family, size);
    let outcome = everything(&network);
    assert!(matches!(outcome.finding, Finding::Unreachable), "the whole state space is explored");
    bencher.counter(ItemsCount::new(outcome.stats.generated)).bench_local(|| everything(&network));
}
