//! Files of maps, drawn at random: one database or several, each with classes of some variables, predicates, and what
//! is kept or dropped. The heuristic that such a file describes keeps what it promises on all states, however many
//! databases are added up.

use super::{Trouble, TroubleKind, promises};
use crate::oracle::graph::Graph;
use crate::random::Random;
use beeline_heuristics::abstraction_database::described;
use beeline_heuristics::patterns::making::{Clocks, Frame};
use beeline_heuristics::registry::{Making, NotMade};
use beeline_ir::limits::Limits;
use beeline_ir::network::Network;
use beeline_ir::property::{Property, PropertyKind};

/// Files that are tried on a model.
const FILES: usize = 2;
/// Entries of a database that is not too large.
const MOST: usize = 20_000;

/// Tests the heuristics of random files on one model with one property; how many there were.
pub fn check(network: &Network, property: &Property, graph: &Graph, seed: u64) -> Result<u64, Trouble> {
    if property.kind == PropertyKind::NoRuntimeError {
        return Ok(0);
    }
    let mut random = Random::new(seed ^ 0x6d61_7073);
    for _ in 0..FILES {
        let text = file(network, &mut random);
        let trouble = |detail: String| Trouble::new(TroubleKind::Promise, format!("maps\n{text}\n{detail}"));
        let limits = Limits::default();
        let making = Making::new(network, property, &limits);
        let clocks = if random.chance(50) { Clocks::All } else { Clocks::Digital };
        match described(&making, &text, "maps", Frame { clocks, most: MOST }) {
            Ok(mut heuristic) => {
                let kept = promises::keeps(heuristic.as_mut(), graph);
                let proven =
                    kept.and_then(|()| promises::proves(heuristic.as_mut(), network, property, graph));
                proven.map_err(trouble)?;
            }
            // What is drawn is sometimes too large, or a predicate over more than can be one.
            Err(NotMade::Refused(_)) => {}
            Err(NotMade::Stopped(reason)) => return Err(trouble(reason.message().to_string())),
        }
    }
    Ok(FILES as u64)
}

/// The text of a file.
fn file(network: &Network, random: &mut Random) -> String {
    let mut text = String::new();
    for number in 0..1 + random.below(3) {
        if number > 0 {
            text += "database\n";
        }
        text += if random.chance(60) { "others: keep\n" } else { "others: drop\n" };
        for id in network.vars.ids().filter(|_| random.chance(60)).collect::<Vec<_>>() {
            let range = network.vars[id].range;
            text += &format!("{}: {}\n", network.var_name(id), map(range.lo, range.hi, random));
        }
        let automata = network.processes.iter().map(|process| process.name.clone());
        let clocks = network.clocks.ids().map(|id| network.clock_name(id));
        for name in automata.chain(clocks).filter(|_| random.chance(30)).collect::<Vec<_>>() {
            text += &format!("{name}: {}\n", if random.chance(50) { "keep" } else { "drop" });
        }
        if random.chance(30) {
            let scalars = network.vars.enumerate().filter(|(_, var)| var.len.is_none());
            let names: Vec<String> = scalars.map(|(id, _)| network.var_name(id)).collect();
            if let (Some(left), Some(right)) = (random.pick(&names).cloned(), random.pick(&names)) {
                text += &format!("predicate: {left} < {right}\npredicate: {left} == 1\n");
            }
        }
    }
    text
}

fn map(lo: i64, hi: i64, random: &mut Random) -> String {
    let middle = |random: &mut Random| random.between(lo, hi);
    match random.below(7) {
        0 => "keep".to_string(),
        1 => "drop".to_string(),
        2 => "sign".to_string(),
        3 => "parity".to_string(),
        4 => format!("modulo {}", 1 + random.below(4)),
        5 if hi > lo => format!("ranges {}", random.between(lo + 1, hi)),
        _ => {
            let (first, second) = (middle(random), middle(random));
            format!("classes {{{}..{}}}", first.min(second), first.max(second))
        }
    }
}
