//! Projections against the network. State by state: whatever label or delay is possible in the network, the
//! projection has one that does the same to the kept part, at no more cost, or the kept part stays as it is; and
//! what is the target there is one here. Then as a whole: the states reachable, restricted to what is kept, are
//! reachable in the projection; the target is no further away, and no nearer if something is added to the
//! pattern.

use super::{Tally, Trouble, TroubleKind};
use crate::oracle::region::Regions;
use crate::random::Random;
use beeline_abstraction::{Classes, Pattern, Projection};
use beeline_check::{Firing, Kernel, State};
use beeline_engine::{Options, explore, reachable};
use beeline_ir::layout::Label;
use beeline_ir::limits::Limits;
use beeline_ir::network::Network;
use beeline_ir::outcome::Finding;
use beeline_ir::property::{Property, PropertyKind, Target};
use beeline_ir::{ClockId, Model, ProcessId, VarId};
use rustc_hash::FxHashSet;
use std::collections::{BTreeSet, VecDeque};

/// Patterns tried on each model.
const PATTERNS: usize = 3;
/// States that are looked at one by one.
const STATES: usize = 120;

/// Compares projections to random patterns with one model with one property.
pub fn check(network: &Network, seed: u64, budget: usize) -> Result<Tally, Trouble> {
    let Some(property) = network.properties.first() else {
        return Err(Trouble::new(TroubleKind::IllFormed, "no property"));
    };
    let mut property = property.clone();
    if property.kind == PropertyKind::NoRuntimeError {
        property.kind = PropertyKind::NoAssertionFailure;
    }
    let mut random = Random::new(!seed);
    let whole = Whole::new(network, &property, budget);
    let Some(states) = visit(network, &property) else {
        return Ok(Tally { skipped: true, ..Tally::default() });
    };
    let mut tally = Tally { states: states.len(), length: whole.length.flatten(), ..Tally::default() };
    for _ in 0..PATTERNS {
        let pattern = draw(network, &mut random);
        let projection = project(network, &property, &pattern)?;
        if projection.pattern != Pattern::all(network) {
            tally.reduced += 1;
        }
        let wrong = |detail: String| {
            let left = beeline_ir::text::print(&Model::Network(projection.network.clone()));
            Trouble::new(TroubleKind::Promise, format!("{pattern:?}: {detail}\nprojection:\n{left}"))
        };
        Simulation::new(network, &property, &projection).check(&states).map_err(wrong)?;
        let left = Whole::of(&projection, budget);
        whole.within(&left, &projection).map_err(wrong)?;
        let mut more = projection.pattern.clone();
        more.add(&one_of(&Pattern::all(network).without(&projection.pattern), &mut random));
        let finer = project(network, &property, &more)?;
        // Who has been relaxed for a search may be nearer.
        if finer.committed.is_empty() || !projection.committed.is_empty() {
            let finer = Whole::of(&finer, budget);
            if let (Some(coarse), Some(Some(fine))) = (left.length, finer.length)
                && coarse.is_none_or(|coarse| coarse > fine)
            {
                return Err(wrong(format!("{coarse:?} steps, but {fine} for {more:?}")));
            }
        }
        tally.searches += 2;
    }
    Ok(tally)
}

fn project(network: &Network, property: &Property, pattern: &Pattern) -> Result<Projection, Trouble> {
    let projection = Projection::of(network, property, pattern)
        .map_err(|reason| Trouble::new(TroubleKind::Refused, reason.to_string()))?;
    let whole = Pattern { maps: Default::default(), ..pattern.clone() };
    if whole.within(&projection.pattern) != whole {
        return Err(Trouble::new(TroubleKind::Promise, "the pattern is not kept"));
    }
    let mut model = projection.network.clone();
    model.properties = vec![projection.property.clone()];
    match beeline_ir::wellformed::check(&Model::Network(model.clone())).first() {
        Some(fault) => {
            let text = beeline_ir::text::print(&Model::Network(model));
            Err(Trouble::new(TroubleKind::IllFormed, format!("{pattern:?}: {fault:?}\n{text}")))
        }
        None => Ok(projection),
    }
}

pub(super) fn draw(network: &Network, random: &mut Random) -> Pattern {
    let percent = [20, 50, 80][random.below(3)];
    let mut pattern = Pattern::default();
    pattern.automata.extend(network.processes.ids().filter(|_| random.chance(percent)));
    pattern.clocks.extend(network.clocks.ids().filter(|_| random.chance(percent)));
    for (id, var) in network.vars.enumerate() {
        if random.chance(percent) {
            pattern.integers.insert(id);
        } else if random.chance(50) {
            let names: Vec<usize> = (0..var.range.size().min(8)).map(|_| random.below(3)).collect();
            let name = |value: i64| names[value.rem_euclid(names.len() as i64) as usize];
            pattern.maps.extend(Classes::new(var.range, name).map(|classes| (id, classes)));
        }
    }
    pattern
}

/// One factor of a pattern, if there is any.
pub(super) fn one_of(pattern: &Pattern, random: &mut Random) -> Pattern {
    let automata: Vec<ProcessId> = pattern.automata.iter().copied().collect();
    let integers: Vec<VarId> = pattern.integers.iter().copied().collect();
    let clocks: Vec<ClockId> = pattern.clocks.iter().copied().collect();
    let at = random.below(automata.len() + integers.len() + clocks.len());
    let mut one = Pattern::default();
    if let Some(process) = automata.get(at) {
        one.automata.insert(*process);
    } else if let Some(var) = integers.get(at - automata.len()) {
        one.integers.insert(*var);
    } else if let Some(clock) = clocks.get(at - automata.len() - integers.len()) {
        one.clocks.insert(*clock);
    }
    one
}

/// A state of the network and what can happen there.
struct Visited {
    state: State,
    labels: Vec<(Label, u32, State, bool)>,
    delay: Option<State>,
    target: bool,
}

/// The first states of a network, and what can happen there; `None` if it compares clocks with something that
/// has no evident bounds.
fn visit(network: &Network, property: &Property) -> Option<Vec<Visited>> {
    let kernel = Kernel::new(network, property.observer());
    let regions = Regions::new(network, &[property])?;
    let mut seen = FxHashSet::default();
    let mut open: VecDeque<State> = kernel.initial().into_iter().map(|(state, _)| state).collect();
    let mut visited = Vec::new();
    while let Some(mut state) = open.pop_front() {
        regions.normalise(&mut state);
        if !seen.insert(regions.key(&state)) {
            continue;
        }
        let delay = regions.to_next(&state).filter(|delay| kernel.may_delay(&state, *delay));
        let delay = delay.map(|delay| kernel.delayed(&state, delay));
        let fired = kernel.labels(&state).into_iter().filter_map(|(label, firing)| match firing {
            Firing::Successor { state, assertion_failed } => {
                Some((label.clone(), kernel.cost(&label), state, assertion_failed))
            }
            Firing::NoSuccessor | Firing::Fails(_) => None,
        });
        let labels: Vec<_> = fired.collect();
        open.extend(labels.iter().map(|(_, _, to, _)| to.clone()).chain(delay.clone()));
        let target = kernel.holds(property, &state);
        visited.push(Visited { state, labels, delay, target });
        if visited.len() == STATES {
            break;
        }
    }
    Some(visited)
}

/// A projection. If removed automata may be committed, committed locations only stop time; who may move is
/// looked at here.
struct Simulation<'a> {
    network: &'a Network,
    property: &'a Property,
    projection: &'a Projection,
    relaxed: Network,
}

impl<'a> Simulation<'a> {
    fn new(network: &'a Network, property: &'a Property, projection: &'a Projection) -> Self {
        Self { network, property, projection, relaxed: relaxed(projection) }
    }

    /// The state of the projection that stands for a state.
    fn image(&self, state: &State) -> State {
        State { slots: self.projection.image(&state.slots), clocks: state.clocks.clone() }
    }
    /// Whether two states of the projection are the same but for clocks that are removed.
    fn same(&self, one: &State, other: &State) -> bool {
        let kept = &self.projection.pattern.clocks;
        one.slots == other.slots && kept.iter().all(|c| one.clocks[c.index()] == other.clocks[c.index()])
    }
    /// Whether committed locations allow a label in a state of the projection.
    fn allowed(&self, state: &State, label: &Label) -> bool {
        let processes = &self.projection.network.processes;
        let layout = beeline_ir::layout::Layout::of_network(&self.projection.network);
        let committed = |id: ProcessId| {
            let at = layout.location(id, state.slots[layout.location[id]]);
            at.is_some_and(|at| processes[id].locations[at].committed)
        };
        let leaves = |part: &beeline_ir::layout::Part| {
            committed(part.process) || self.projection.committed.contains(&(part.process, part.edge))
        };
        !processes.ids().any(committed) || label.parts.iter().any(leaves)
    }

    fn check(&self, states: &[Visited]) -> Result<(), String> {
        let kernel = Kernel::new(&self.relaxed, self.property.observer());
        let roots: Vec<State> = kernel.initial().into_iter().map(|(state, _)| state).collect();
        for (root, _) in Kernel::new(self.network, self.property.observer()).initial() {
            let image = self.image(&root);
            if !roots.iter().any(|other| self.same(&image, other)) {
                return Err(format!("no initial state like {root:?}"));
            }
        }
        let assertions = self.property.target() == Target::AssertionFailure;
        let idle = self.property.observer().is_none();
        for visited in states {
            let from = self.image(&visited.state);
            let here = || format!("at {:?}, which stands for {:?}", from, visited.state);
            if visited.target && !kernel.holds(&self.projection.property, &from) {
                return Err(format!("not the target {}", here()));
            }
            if let Some(later) = &visited.delay {
                let delay = later.clocks.first().zip(visited.state.clocks.first()).map(|(b, a)| *b - *a);
                if delay.is_some_and(|delay| !kernel.may_delay(&from, delay)) {
                    return Err(format!("no delay {}", here()));
                }
            }
            let labels = kernel.labels(&from);
            for (label, cost, to, failed) in &visited.labels {
                let to = self.image(to);
                let matches = labels.iter().any(|(other, firing)| match firing {
                    Firing::Successor { state, assertion_failed } => {
                        self.same(&to, state)
                            && kernel.cost(other) <= *cost
                            && (!assertions || *assertion_failed || !failed)
                            && self.allowed(&from, other)
                    }
                    Firing::NoSuccessor | Firing::Fails(_) => false,
                });
                let stays = idle && self.same(&from, &to) && !(assertions && *failed);
                if !matches && !stays {
                    return Err(format!("no label like {label:?} to {to:?} {}", here()));
                }
            }
        }
        Ok(())
    }
}

/// The network of a projection. If removed automata may be committed, committed locations do no more than stop
/// time.
fn relaxed(projection: &Projection) -> Network {
    let mut relaxed = projection.network.clone();
    if projection.committed.is_empty() {
        return relaxed;
    }
    for location in relaxed.processes.iter_mut().flat_map(|process| process.locations.iter_mut()) {
        location.urgent |= std::mem::take(&mut location.committed);
    }
    relaxed
}

/// What searches say about a network; `None` where they do not come to an end.
struct Whole {
    length: Option<Option<u32>>,
    states: Option<Vec<Vec<i64>>>,
}

impl Whole {
    fn new(network: &Network, property: &Property, budget: usize) -> Self {
        let limits = Limits { states: Some(budget as u64), ..Limits::default() };
        let options = Options { dead_variables: false, certificate: false, limits, ..Options::default() };
        let outcome = explore(network, property, &options, &mut |_| {}).ok();
        let length = outcome.and_then(|outcome| match outcome.finding {
            Finding::Reachable { .. } => Some(Some(outcome.lower_bound)),
            Finding::Unreachable => Some(None),
            Finding::Unknown(_) => None,
        });
        let found = reachable(network, &options).ok().flatten();
        let states = found.map(|found| found.states.into_iter().map(|(slots, _)| slots).collect());
        Self { length, states }
    }
    fn of(projection: &Projection, budget: usize) -> Self {
        Self::new(&relaxed(projection), &projection.property, budget)
    }
    fn within(&self, left: &Self, projection: &Projection) -> Result<(), String> {
        if let (Some(Some(whole)), Some(left)) = (self.length, left.length)
            && left.is_none_or(|left| left > whole)
        {
            return Err(format!("{whole} steps, in the projection {left:?}"));
        }
        if let (Some(whole), Some(left)) = (&self.states, &left.states) {
            let left: BTreeSet<&Vec<i64>> = left.iter().collect();
            for state in whole {
                let image = projection.image(state);
                if !left.contains(&image) {
                    return Err(format!("{image:?} is not reachable, but {state:?} is"));
                }
            }
        }
        Ok(())
    }
}
