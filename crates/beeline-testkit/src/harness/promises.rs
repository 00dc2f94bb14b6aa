//! Do heuristics keep what they promise? On all symbolic states of a small model: never more than the true distance
//! (admissible), falling by no more than a step costs and 0 at the target (consistent), infinite only where the target is
//! out of reach (safe), the same for the same state (not path-dependent), a proof by layers that holds its successors
//! and stays clear of the target, rows which, where they hold the initial state, are a proof by themselves, and a run that
//! was met no longer than a shortest one.

use super::{Tally, Trouble, TroubleKind, databases, maps, towards};
use crate::oracle::graph::Graph;
use beeline_abstraction::Functional;
use beeline_check::{NotAccepted, check_certificate};
use beeline_engine::Options;
use beeline_engine::heuristic::{Estimate, Heuristic, Layers, Step};
use beeline_heuristics::registry::{HEURISTICS, Making, Spec, make};
use beeline_ir::certificate::Certificate;
use beeline_ir::layout::{Layout, Part};
use beeline_ir::limits::Limits;
use beeline_ir::network::Network;
use beeline_ir::property::Property;
use beeline_ir::relation::Relation;
use beeline_ir::{Model, text};

/// Combinations of values that are tried where these are to be too many.
const FEW: u128 = 8;

/// Rows of a proof.
const MOST_ROWS: usize = 100_000;
/// Kernel steps of a proof.
const MOST_STEPS: u64 = 200_000;

/// Every heuristic, with and without options.
pub fn specs() -> Vec<Spec> {
    // Those that want to be told a name, an expression or a state.
    let told = ["heur", "pdb", "user", "fsm", "hamming"];
    let plain = HEURISTICS.iter().map(|entry| entry.name).filter(|name| !told.contains(name));
    let more = [
        "ut:h=hu",
        "contexts:h=hl",
        "contexts:h=cg",
        "novelty:width=2",
        "dpr:clocks=none",
        "dpr:ref=original,clocks=own",
        "rd:clocks=all,size=50",
        "coi:size=20",
        "coi:clocks=none",
        "dpr:clocks=digital",
        "coi:clocks=digital",
        "ipdb:clocks=digital",
        "cegar:clocks=none",
        "cegar:clocks=digital",
        "cegar:size=40",
        "cegar:start=target",
        "cegar:collection=multiple,size=200",
        "sum:clocks=none",
        "sum:size=40",
        "ms:size=5",
        "ms:order=labels,size=20",
        "ms:order=size,size=10",
        "ms:order=scc,size=20",
        "ms:shrink=greedy,size=500",
        "ms:shrink=greedy,order=scc,size=10",
        "scp:size=30",
        "scp:costs=zero-one,size=100",
        "scp:costs=canonical,size=100",
        "scp:online=3,size=30",
        "scp:timed=1000",
        "scp:timed=200,size=30",
        "scp:timed=200,costs=zero-one,size=100",
        "scp:timed=200,costs=canonical,size=100",
        "scp:timed=200,online=3,size=30",
        "scp:timed=200,mutexes=on",
        "aa:N=3",
        "ms:mutexes=on,size=500",
        "scp:mutexes=on",
        "h2:work=20000,mutexes=off",
        "landmarks:mutexes=off",
        "perimeter:depth=2",
        "perimeter:size=5",
        "perimeter:mutexes=off",
        "cartesian:states=3",
        "cartesian:states=12",
        "cartesian:pick=min-unwanted,states=40",
        "cartesian:pick=max-refined",
        "cartesian:clocks=none",
        "user:2 + 3",
        "adb:size=30",
        "adb:infer=ranges",
        "adb:infer=sign",
        "adb:infer=parity",
        "adb:infer=modulo,modulo=3",
        "adb:infer=drop",
        "adb:clocks=digital",
        "pa:split=1,shared=keep",
        "pa:split=all",
        "pa:split=all,size=4",
        "pa:sum=printed",
        "pa:predicates=refine,split=1",
        "pa:predicates=refine,split=all,iterations=20",
        "pa:predicates=refine,shared=keep,stop=growth,ways=all",
    ];
    plain.chain(more).map(|text| Spec::parse(text).expect("names of the table")).collect()
}

/// Those that lead to a state which is known.
fn leading() -> impl Iterator<Item = Spec> {
    let all = ["fsm", "fsm:labels=each", "hamming"];
    all.into_iter().map(|text| Spec::parse(text).expect("names of the table"))
}

/// Tests all heuristics on one model with one property.
pub fn check(network: &Network, seed: u64, budget: usize) -> Result<Tally, Trouble> {
    check_some(network, seed, budget, &[])
}

/// Tests the heuristics of these names, or all, on one model with one property.
pub fn check_some(network: &Network, seed: u64, budget: usize, only: &[String]) -> Result<Tally, Trouble> {
    let Some(property) = network.properties.first() else {
        return Err(Trouble::new(TroubleKind::IllFormed, "no property"));
    };
    // Directed searches keep the values of dead variables: forgetting one may lower a bound by more than a step costs.
    let options = Options { dead_variables: false, ..Options::default() };
    let Some(graph) = Graph::new(network, property, &options, budget) else {
        return Ok(Tally { skipped: true, ..Tally::default() });
    };
    let mut tally = Tally { states: graph.slots.len(), ..Tally::default() };
    tally.length = graph.initial.iter().filter_map(|at| graph.distance[*at]).min();
    let asked = |spec: &Spec| only.is_empty() || only.iter().any(|name| name == spec.name());
    for spec in specs().into_iter().chain(leading()).filter(asked) {
        tally.searches += 1;
        let proven = examine(network, property, &graph, &spec, seed)
            .map_err(|detail| Trouble::new(TroubleKind::Promise, format!("{spec}: {detail}")))?;
        tally.certificates += u64::from(proven);
    }
    if only.is_empty() || only.iter().any(|name| name == "adb") {
        tally.searches += maps::check(network, property, &graph, seed)?;
    }
    if only.is_empty() {
        tally.searches += databases::check(network, property, &graph, seed)?;
    }
    if only.is_empty() || only.iter().any(|name| name == "fsm") {
        tally.searches += towards::check(network, &graph, seed)?;
    }
    Ok(tally)
}

/// The same on one property of a relation, if it is a network.
pub fn check_relation(
    relation: &Relation,
    seed: u64,
    budget: usize,
    only: &[String],
) -> Result<Tally, Trouble> {
    let count = relation.properties.len().max(1);
    let chosen = relation.properties.get(seed as usize % count);
    let functional = chosen.and_then(|property| Functional::of(relation, property).ok());
    let Some(functional) = functional else { return Ok(Tally { skipped: true, ..Tally::default() }) };
    let network = Network { properties: vec![functional.property.clone()], ..functional.network };
    check_some(&network, seed, budget, only)
}

fn examine(
    network: &Network,
    property: &Property,
    graph: &Graph,
    spec: &Spec,
    seed: u64,
) -> Result<bool, String> {
    let limits = Limits::default();
    let initial = Layout::of_network(network).initial(network);
    let known = graph.slots.get(seed as usize % graph.slots.len().max(1)).unwrap_or(&initial);
    let making = Making::new(network, property, &limits).towards(Some(known));
    // Small models have few combinations of values; on every other one most of them are too many.
    let making = if seed.is_multiple_of(2) { making } else { making.trying(FEW) };
    let mut heuristic = make(&making, spec).map_err(|reason| reason.to_string())?;
    if let Some(route) = heuristic.route() {
        let costs = |part: &Part| network.processes[part.process].edges[part.edge].costs;
        let steps = route.labels.iter().filter(|label| label.parts.iter().any(costs)).count();
        let least = graph.initial.iter().filter_map(|at| graph.distance[*at]).min();
        if least.map(|least| least as usize) != Some(steps) {
            return Err(format!("a run of {steps} steps was met, where a shortest one has {least:?}"));
        }
    }
    keeps(heuristic.as_mut(), graph)?;
    // Rows of cost partitioning come from products that the sum knows nothing of.
    if heuristic.properties().zone_dependent && spec.name() != "scp" {
        rows_say_no_more(heuristic.as_mut(), graph)?;
    }
    proves(heuristic.as_mut(), network, property, graph)
}

/// Whether the rows of a heuristic say something of the initial state; then the kernel has to accept them as a proof, all
/// by themselves.
pub fn proves(
    heuristic: &mut dyn Heuristic,
    network: &Network,
    property: &Property,
    graph: &Graph,
) -> Result<bool, String> {
    let said = |at: &usize| heuristic.estimate_by_rows(&graph.slots[*at], &graph.zones[*at].view());
    let length = match graph.initial.iter().map(said).min() {
        None | Some(Estimate::Steps(0)) => return Ok(false),
        Some(Estimate::Steps(steps)) => Some(steps),
        Some(Estimate::Infinite) => None,
    };
    let Some(rows) = heuristic.rows(length, MOST_ROWS) else { return Ok(false) };
    let model = Model::Network(network.clone());
    let property_text = text::print_property(&model, property);
    let certificate = Certificate { model: model.hash(), property: property_text, length, rows };
    let accepted = check_certificate(&model, property, &certificate, Some(MOST_STEPS), &Limits::default());
    match accepted {
        Ok(_) => Ok(true),
        Err(NotAccepted::BudgetExceeded) => Ok(false),
        Err(error) => Err(format!("rows that prove {length:?} are not accepted: {error}")),
    }
}

/// Rows are looked up by inclusion, entries by simulation, which finds more of them.
fn rows_say_no_more(heuristic: &mut dyn Heuristic, graph: &Graph) -> Result<(), String> {
    for (slots, zone) in graph.slots.iter().zip(&graph.zones) {
        let h = heuristic.estimate_in(slots, &zone.view());
        let by_rows = heuristic.estimate_by_rows(slots, &zone.view());
        if by_rows > h {
            return Err(format!("{by_rows:?} by rows, but {h:?} at {slots:?}"));
        }
    }
    Ok(())
}

/// Whether a heuristic keeps what it promises on all states of a graph; if not, where.
pub fn keeps(heuristic: &mut dyn Heuristic, graph: &Graph) -> Result<(), String> {
    let promises = heuristic.properties();
    let estimate = |heuristic: &mut dyn Heuristic, at: usize| match promises.zone_dependent {
        true => heuristic.estimate_in(&graph.slots[at], &graph.zones[at].view()),
        false => heuristic.estimate(&graph.slots[at]),
    };
    let estimates: Vec<Estimate> = (0..graph.slots.len()).map(|at| estimate(heuristic, at)).collect();
    let hopeless =
        !graph.initial.is_empty() && graph.initial.iter().all(|at| estimates[*at] == Estimate::Infinite);
    if promises.safe_infinity && graph.property_fails && hopeless {
        return Err("infinite at the start, although the property fails at run time somewhere".to_string());
    }
    for (at, h) in estimates.iter().enumerate() {
        let slots = &graph.slots[at];
        let d = graph.distance[at];
        if promises.admissible && d.is_some_and(|d| h.steps().is_none_or(|h| h > d)) {
            return Err(format!("not admissible: {h:?} at {slots:?}, {d:?} steps away"));
        }
        if promises.safe_infinity && *h == Estimate::Infinite && d.is_some() {
            return Err(format!("infinite at {slots:?}, {d:?} steps away"));
        }
        if promises.consistent && d == Some(0) && *h != Estimate::ZERO {
            return Err(format!("{h:?} at the target {slots:?}"));
        }
        let (blind, by_rows) =
            (heuristic.estimate(slots), heuristic.estimate_by_rows(slots, &graph.zones[at].view()));
        if d.is_some_and(|d| by_rows > Estimate::Steps(d)) {
            return Err(format!("{by_rows:?} by rows at {slots:?}, {d:?} steps away"));
        }
        // What depends on what was asked before may know more by now.
        if promises.zone_dependent && !promises.path_dependent && blind > *h {
            return Err(format!("{blind:?} whatever the zone, but {h:?} at {slots:?}"));
        }
        if !promises.path_dependent && estimate(heuristic, at) != *h {
            return Err(format!("not a function: {h:?} at {slots:?}, then another"));
        }
        prove(heuristic, graph, at, *h, d)?;
        for edge in &graph.edges[at] {
            let to = estimates[edge.to];
            let falls = match (*h, to) {
                (Estimate::Infinite, Estimate::Steps(_)) => true,
                (Estimate::Steps(h), Estimate::Steps(to)) => h > to + edge.cost,
                (_, Estimate::Infinite) => false,
            };
            if promises.consistent && falls {
                let next = &graph.slots[edge.to];
                return Err(format!("not consistent: {h:?} at {slots:?}, {to:?} at {next:?}"));
            }
            if heuristic.judges_labels() {
                let (label, next) = (&edge.label, &graph.slots[edge.to]);
                let step = Step { from: slots, h_from: *h, reached_by: &[], label, to: next, h_to: to };
                heuristic.useless(&step);
                heuristic.distance(&step);
            }
        }
    }
    Ok(())
}

fn holds(set: &[Option<Vec<i64>>], slots: &[i64]) -> bool {
    set.iter().zip(slots).all(|(values, slot)| values.as_ref().is_none_or(|v| v.binary_search(slot).is_ok()))
}

/// The layers of a state hold what is reachable in so many steps, and the target is in none of them.
fn prove(
    heuristic: &mut dyn Heuristic,
    graph: &Graph,
    at: usize,
    h: Estimate,
    d: Option<u32>,
) -> Result<(), String> {
    let promises = heuristic.properties();
    let most = if h == Estimate::Infinite && promises.safe_infinity {
        u32::MAX
    } else if promises.admissible {
        h.steps().unwrap_or(0)
    } else {
        return Ok(());
    };
    let start: Vec<Option<i64>> = graph.slots[at].iter().map(|value| Some(*value)).collect();
    let Some(Layers { sets, closed }) = heuristic.layers(&start, most) else { return Ok(()) };
    if (sets.len() as u32) < most && !closed {
        return Err(format!("{} layers of {most}, not closed, at {:?}", sets.len(), graph.slots[at]));
    }
    if d.is_some_and(|d| closed || d < sets.len() as u32) {
        return Err(format!("{} layers (closed: {closed}), target {d:?} steps away", sets.len()));
    }
    // Everything within reach of a state of a layer is in the next one.
    let last = sets.len().saturating_sub(1);
    for (number, set) in sets.iter().enumerate() {
        for (state, edges) in graph.edges.iter().enumerate() {
            let next = if number < last { number + 1 } else { number };
            if (number == last && !closed) || !holds(set, &graph.slots[state]) {
                continue;
            }
            if number == 0 && state == at && !holds(set, &graph.slots[at]) {
                return Err("the first layer does not hold the state".into());
            }
            for edge in edges {
                let layer = if edge.cost == 0 { set } else { &sets[next] };
                if !holds(layer, &graph.slots[edge.to]) {
                    let (from, to) = (&graph.slots[state], &graph.slots[edge.to]);
                    return Err(format!("layer {number} leads out, from {from:?} to {to:?}"));
                }
            }
            if graph.distance[state] == Some(0) {
                return Err(format!("layer {number} holds the target {:?}", graph.slots[state]));
            }
        }
    }
    Ok(())
}
