//! What Wehrle and Helmert report: the numbers of safe variables of its Table 2, on the public models where they
//! are at hand, and its running example (Fig. 2).

use beeline_abstraction::{Factor, SafeAbstraction, safe_factors};
use beeline_check::replay;
use beeline_engine::{Options, explore};
use beeline_ir::Model;
use beeline_ir::network::Network;
use beeline_ir::outcome::Finding;
use beeline_ir::property::Property;
use beeline_ir::text::{ReadOptions, read};
use beeline_uppaal::Format;
use std::path::Path;

/// A public model with the query `E<>` of its benchmark; `None`, and a line that says so, where it is not at hand.
#[allow(clippy::print_stdout, reason = "a test that is skipped says so")]
fn public(name: &str, query: &str) -> Option<(Network, Property)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/models/uppaal/mcta").join(name);
    let Ok(text) = std::fs::read_to_string(&path) else {
        println!("skipped: {name} is not there");
        return None;
    };
    let format = if name.ends_with(".xml") { Format::Xml } else { Format::Xta };
    let reading = beeline_uppaal::read(&text, name, format).expect("a model of the benchmark");
    let property = reading.symbols.queries(&reading.network, query).remove(0);
    Some((reading.network, property))
}

const BOTH_DRIVE: &str = "E<> (AKT1.Driving and AKT2.Driving)";
const BOTH_UNSAFE: &str = "E<> (S1.I_am_unsafe and S2.I_am_unsafe)";

#[test]
fn the_number_of_safe_variables_is_that_of_table_2() {
    for (name, query, expected) in [
        ("C1_StLS.xml", BOTH_DRIVE, 0),
        ("C3_derived.xta", BOTH_DRIVE, 1),
        ("C4_derived.xta", BOTH_DRIVE, 2),
        ("C9_STLS.xta", BOTH_DRIVE, 5),
        ("M1_mutex.xta", BOTH_UNSAFE, 0),
    ] {
        let Some((network, property)) = public(name, query) else { continue };
        let factors = safe_factors(&network, &property);
        let names: Vec<String> = factors.iter().map(|f| f.name(&network)).collect();
        let integers = factors.iter().filter(|f| matches!(f, Factor::Integer(..))).count();
        println!("{name}: {names:?}");
        assert_eq!(integers, expected, "{name}: {names:?}");
    }
}

#[test]
fn what_is_found_without_them_is_a_run_of_the_tram_lines() {
    let Some((network, property)) = public("C3_derived.xta", BOTH_DRIVE) else { return };
    let abstraction = SafeAbstraction::of(&network, &property).expect("something is safe");
    let options = Options { certificate: false, ..Options::default() };
    let outcome =
        explore(&abstraction.network, &abstraction.property, &options, &mut |_| {}).expect("supported");
    let Finding::Reachable { trace, .. } = outcome.finding else { panic!("reachable") };
    let concrete = abstraction.concretise(&trace).expect("its own trace");
    let replayed = replay(&Model::Network(network), &property, &concrete.trace).expect("a run");
    println!(
        "expanded {}, length {} of which {}",
        outcome.stats.expanded, replayed.length, concrete.inserted
    );
    assert!(replayed.length >= 54, "no run is shorter");
}

/// The running example: p1 and p2 go round in circles, p3 goes from 0 to 3 by labels that need them at 2, 2 and 0.
const INTEGERS: &str = "network running
    var p1 in 0..3
    var p2 in 0..3
    process T1 { location here edge here -> here { do { p1 := (p1 + 1) % 4; } } }
    process T2 { location here edge here -> here { do { p2 := (p2 + 1) % 4; } } }
    process P3 { location l0 location l1 location l2 location l3
      edge l0 -> l1 { guard p1 == 2 } edge l1 -> l2 { guard p2 == 2 }
      edge l2 -> l3 { guard p1 == 0 && p2 == 0 } }
    property : E<> P3.l3";

/// The same with automata. A third party takes part in no handshake, so p3 looks where the others are.
const AUTOMATA: &str = "network running
    process P1 { location l0 location l1 location l2 location l3
      edge l0 -> l1 edge l1 -> l2 edge l2 -> l3 edge l3 -> l0 }
    process P2 { location l0 location l1 location l2 location l3
      edge l0 -> l1 edge l1 -> l2 edge l2 -> l3 edge l3 -> l0 }
    process P3 { location l0 location l1 location l2 location l3
      edge l0 -> l1 { guard P1.l2 } edge l1 -> l2 { guard P2.l2 }
      edge l2 -> l3 { guard P1.l0 && P2.l0 } }
    property : E<> P3.l3";

/// The same with handshakes, as far as two parties go.
const HANDSHAKES: &str = "network running
    chan a chan b chan c
    process P1 { location l0 location l1 location l2 location l3
      edge l0 -> l1 edge l1 -> l2 edge l2 -> l3 edge l3 -> l0
      edge l2 -> l2 { receive a } edge l0 -> l0 { receive c } }
    process P2 { location l0 location l1 location l2 location l3
      edge l0 -> l1 edge l1 -> l2 edge l2 -> l3 edge l3 -> l0
      edge l2 -> l2 { receive b } }
    process P3 { location l0 location l1 location l2 location l3
      edge l0 -> l1 { send a } edge l1 -> l2 { send b } edge l2 -> l3 { guard P2.l0 send c } }
    property : E<> P3.l3";

#[test]
fn the_running_example_loses_all_but_p3() {
    for (text, names) in [(INTEGERS, ["p1", "p2"]), (AUTOMATA, ["P1", "P2"]), (HANDSHAKES, ["P1", "P2"])] {
        let model = read(text, ReadOptions { file: "running", record_places: false }).expect("well-formed");
        let Model::Network(network) = &model else { panic!("a network") };
        let property = &network.properties[0];
        let abstraction = SafeAbstraction::of(network, property).expect("something is safe");
        let removed: Vec<String> = abstraction.removed.iter().map(|f| f.name(network)).collect();
        assert_eq!(removed, names);
        let outcome = explore(&abstraction.network, &abstraction.property, &Options::default(), &mut |_| {})
            .expect("supported");
        assert_eq!(outcome.stats.stored, 4, "nothing but p3 is searched");
        let Finding::Reachable { trace, .. } = outcome.finding else { panic!("reachable") };
        let concrete = abstraction.concretise(&trace).expect("its own trace");
        let replayed = replay(&model, property, &concrete.trace).expect("a run of the original");
        // Three labels of p3, and each circle goes round once: as long as the shortest run.
        assert_eq!((replayed.length, concrete.inserted), (11, 8));
    }
}
