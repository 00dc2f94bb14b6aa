//! Pattern databases of random patterns, on all symbolic states of a small model: with zones or digital clocks, they keep
//! what they promise, and every state of the network is found in them; without clocks, adding something to a pattern never
//! lowers an estimate, and the database of everything knows the true distances.

use super::projection::{draw, one_of};
use super::{Trouble, TroubleKind, promises};
use crate::oracle::graph::Graph;
use crate::random::Random;
use beeline_abstraction::{Classes, Joint, Pattern};
use beeline_engine::heuristic::{Estimate, Heuristic};
use beeline_heuristics::pattern_database::{Means, NoDatabase, PatternDatabase, Timing};
use beeline_ir::VarId;
use beeline_ir::layout::Layout;
use beeline_ir::limits::Limits;
use beeline_ir::network::Network;
use beeline_ir::property::{Property, PropertyKind, Target};

/// Entries of a database that is not too large.
const MOST: usize = 20_000;

/// Tests databases on one model with one property; how many there were.
pub fn check(network: &Network, property: &Property, graph: &Graph, seed: u64) -> Result<u64, Trouble> {
    if property.kind == PropertyKind::NoRuntimeError {
        return Ok(0);
    }
    let mut random = Random::new(seed ^ 0x5eed);
    let coarse = draw(network, &mut random);
    let mut fine = coarse.clone();
    fine.add(&one_of(&Pattern::all(network).without(&coarse), &mut random));
    let trouble = |pattern: &Pattern, detail: String| {
        Trouble::new(TroubleKind::Promise, format!("database of {pattern:?}: {detail}"))
    };
    let limits = Limits::default();
    let means = Means { limits: &limits, most: MOST, directory: None, threads: 1 };
    let timed =
        |pattern: &Pattern, timing| match PatternDatabase::new(network, property, pattern, timing, &means) {
            Ok(database) => Ok(Some(database)),
            Err(NoDatabase::TooLarge) => Ok(None),
            Err(reason) => Err(trouble(pattern, format!("{reason:?}"))),
        };
    let keeps = |database: &mut PatternDatabase, pattern: &Pattern| {
        let kept = promises::keeps(database, graph).and_then(|()| match database.fallbacks() {
            fallbacks if fallbacks > 0 && database.covers() => {
                Err(format!("{fallbacks} states are not found"))
            }
            _ => Ok(()),
        });
        kept.map_err(|detail| {
            trouble(pattern, format!("{}: {detail}", database.remark().unwrap_or_default()))
        })
    };
    if let Some(mut digital) = timed(&coarse, Timing::Digital)? {
        keeps(&mut digital, &coarse)?;
    }
    if let Some((joint, pattern)) = joined(network, property, &mut random) {
        match PatternDatabase::new(&joint.network, &joint.property, &pattern, Timing::Zones, &means) {
            Ok(database) => keeps(&mut database.joined(Some(&joint)), &pattern)?,
            Err(NoDatabase::TooLarge) => {}
            Err(reason) => return Err(trouble(&pattern, format!("joint: {reason:?}"))),
        }
    }
    let make = |pattern: &Pattern| timed(pattern, Timing::Zones);
    let (Some(mut coarser), Some(mut finer)) = (make(&coarse)?, make(&fine)?) else { return Ok(1) };
    keeps(&mut coarser, &coarse)?;
    keeps(&mut finer, &fine)?;
    let all = || (0..graph.slots.len()).map(|at| (&graph.slots[at], graph.zones[at].view()));
    let estimates = |database: &mut PatternDatabase| -> Vec<Estimate> {
        all().map(|(slots, zone)| database.estimate_in(slots, &zone)).collect()
    };
    let (low, high) = (estimates(&mut coarser), estimates(&mut finer));
    // Which of two zones that include a third is stored first is a matter of luck; without clocks there is none of it.
    let (less, more) = (coarser.pattern(), finer.pattern());
    let fails = graph.property_fails;
    let comparable = !fails && more.clocks.is_empty() && less.maps.is_empty() && less.within(more) == *less;
    if comparable && low.iter().zip(&high).any(|(low, high)| low > high) {
        return Err(trouble(&coarse, format!("an estimate is lower with {fine:?}")));
    }
    if network.clocks.is_empty() && matches!(property.target(), Target::State(_)) && !fails {
        let Some(mut perfect) = make(&Pattern::all(network))? else { return Ok(3) };
        let wrong = |(estimate, distance): (&Estimate, &Option<u32>)| estimate.steps() != *distance;
        if estimates(&mut perfect).iter().zip(&graph.distance).any(wrong) {
            return Err(trouble(&Pattern::all(network), "not the true distances".to_string()));
        }
        return Ok(4);
    }
    Ok(3)
}

/// Two variables as one, of which the truth of a predicate over both is kept, with all else or some of it.
fn joined(network: &Network, property: &Property, random: &mut Random) -> Option<(Joint, Pattern)> {
    let scalars = network.vars.enumerate().filter(|(_, var)| var.len.is_none());
    let mut scalars: Vec<VarId> = scalars.map(|(id, _)| id).collect();
    while scalars.len() > 2 {
        scalars.remove(random.below(scalars.len()));
    }
    let joint = Joint::of(network, property, &scalars).ok()?;
    let mut state = vec![0; Layout::of_network(network).slots.len()];
    let range = joint.network.vars[joint.var].range;
    let slots: Vec<usize> = scalars.iter().filter_map(|id| Layout::of_network(network).var[*id]).collect();
    let less = range.values().map(|value| {
        joint.set(value, &mut state);
        slots.windows(2).map(|pair| state[pair[0]] < state[pair[1]]).collect::<Vec<bool>>()
    });
    let less: Vec<Vec<bool>> = less.collect();
    let classes = Classes::new(range, |value| less[value as usize].clone())?;
    let mut pattern = if random.chance(50) { Pattern::all(network) } else { draw(network, random) };
    for var in joint.members() {
        pattern.integers.remove(&var);
        pattern.maps.remove(&var);
    }
    pattern.maps.insert(joint.var, classes);
    Some((joint, pattern))
}
