//! The running example of Wehrle and Helmert (SAS 2009): two automata that go round, and a third that needs the first at 2,
//! then the second at 2, then both at 0. The values are those of the paper.

use beeline_engine::heuristic::Estimate;
use beeline_heuristics::registry::{HEURISTICS, Making, NotMade, Spec, make};
use beeline_ir::Model;
use beeline_ir::limits::Limits;
use beeline_ir::network::Network;
use beeline_ir::text::{self, ReadOptions};

fn read(text: &str) -> Network {
    match text::read(text, ReadOptions { file: "running", record_places: false }) {
        Ok(Model::Network(network)) => network,
        other => panic!("{other:?}"),
    }
}

fn initial(network: &Network, heuristic: &str) -> Estimate {
    let property = &network.properties[0];
    let limits = Limits::default();
    let making = Making::new(network, property, &limits);
    let spec = Spec::parse(heuristic).expect("a heuristic");
    let slots = beeline_ir::layout::Layout::of_network(network).initial(network);
    make(&making, &spec).expect("a heuristic").estimate(&slots)
}

const AUTOMATA: &str = "
network running
process P1 {
  init l0 location l0 location l1 location l2 location l3
  edge l0 -> l1 edge l1 -> l2 edge l2 -> l3 edge l3 -> l0
}
process P2 {
  init l0 location l0 location l1 location l2 location l3
  edge l0 -> l1 edge l1 -> l2 edge l2 -> l3 edge l3 -> l0
}
process P3 {
  init l0 location l0 location l1 location l2 location l3
  edge l0 -> l1 { guard P1.l2 }
  edge l1 -> l2 { guard P2.l2 }
  edge l2 -> l3 { guard P1.l0 && P2.l0 }
}
property goal : E<> P3.l3
";

const INTEGERS: &str = "
network running
var v1 in 0..3
var v2 in 0..3
process P1 {
  init l0 location l0
  edge l0 -> l0 { do { v1 := (v1 + 1) % 4; } }
}
process P2 {
  init l0 location l0
  edge l0 -> l0 { do { v2 := v2 == 3 ? 0 : v2 + 1; } }
}
process P3 {
  init l0 location l0 location l1 location l2 location l3
  edge l0 -> l1 { guard v1 == 2 }
  edge l1 -> l2 { guard v2 == 2 }
  edge l2 -> l3 { guard v1 + v2 == 0 }
}
property goal : E<> P3.l3
";

#[test]
fn the_estimates_are_those_of_the_paper() {
    let expected = [("dl", 3), ("du", 3), ("hl", 5), ("hu", 7), ("cg", 11)];
    for text in [AUTOMATA, INTEGERS] {
        let network = read(text);
        for (name, steps) in expected {
            assert_eq!(initial(&network, name), Estimate::Steps(steps), "{name} in {text}");
        }
    }
}

/// As printed, downward pattern refinement keeps the value that safe automata have a part in, so that nothing can be taken
/// away any more once they are gone; with the value of what is left it finds the only automaton that matters.
#[test]
fn the_value_to_keep_is_that_without_the_safe_automata() {
    let network =
        read(&AUTOMATA.replace("property", "process P4 { location a location b edge a -> b } property"));
    let limits = Limits::default();
    let making = Making::new(&network, &network.properties[0], &limits);
    for (spec, pattern) in [("dpr", "pattern P3:"), ("dpr:ref=original", "pattern P3+P4:")] {
        let made = make(&making, &Spec::parse(spec).expect("a heuristic")).expect("a heuristic");
        let remark = made.remark().expect("a remark");
        assert!(remark.starts_with(pattern), "{spec}: {remark}");
    }
}

#[test]
fn what_the_relaxation_cannot_reach_is_infinite() {
    let text = INTEGERS.replace("v2 == 3 ? 0 : v2 + 1", "1");
    let network = read(&text);
    for name in ["hl", "hu", "ut", "cg"] {
        assert_eq!(initial(&network, name), Estimate::Infinite, "{name}");
    }
    assert_eq!(initial(&network, "dl"), Estimate::Steps(3));
}

#[test]
fn specifications_are_read_and_refused() {
    for entry in HEURISTICS {
        let spec = Spec::parse(entry.name).expect("its own name");
        assert_eq!(spec.to_string(), entry.name);
        for option in entry.options {
            let text = format!("{}:{}={}", entry.name, option.name, option.default);
            assert_eq!(Spec::parse(&text).expect("its own option").to_string(), text);
        }
    }
    for (text, part) in [
        ("hx", "there is no heuristic"),
        ("hl:x=1", "there is no option of heuristic"),
        ("ut:h", "option=value"),
    ] {
        let message = Spec::parse(text).expect_err("refused");
        assert!(message.contains(part), "{message}");
    }
    let network = read(AUTOMATA);
    let limits = Limits::default();
    let making = Making::new(&network, &network.properties[0], &limits);
    for text in ["ut:h=cg", "novelty:width=3", "heur", "contexts:h=nothing"] {
        let made = Spec::parse(text).map_err(NotMade::Refused).and_then(|spec| make(&making, &spec));
        assert!(matches!(made, Err(NotMade::Refused(_))), "{text}");
    }
}
