//! Which processes of a network may be exchanged for each other without anyone noticing, as far as a property is concerned.
//!
//! Proposed are exchanges of two processes of the same form, with all that is theirs; each is compared with the whole
//! network and the property ([`super::matching`]). Where some other process notices, it is exchanged, too, for one that fits
//! to what is exchanged already: a client with its server. Processes of which any two may be exchanged form an orbit.

use super::action::Generator;
use super::classes::{Classes, Holder};
use super::exchange::Exchange;
use super::matching::Matching;
use super::order::Order;
use beeline_ir::layout::Layout;
use beeline_ir::limits::{Limits, StopReason};
use beeline_ir::network::{Network, Process, Role, Var};
use beeline_ir::property::{Property, Target};
use beeline_ir::{ProcessId, VarId};
use beeline_zones::fault::{self, Fault};

/// Processes beyond which no pairs are tried.
const MOST_PROCESSES: usize = 200;
/// Pairs that are tried.
const MOST_PAIRS: usize = 4_000;
/// Pairs that are tried beside others, all in all.
const MOST_COMPANIONS: usize = 4_000;

/// What was found.
#[derive(Clone, Debug)]
pub struct Detected {
    /// Processes that may be exchanged for each other, at least two each.
    pub orbits: Vec<Vec<ProcessId>>,
    /// Exchanges of neighbours in orbits.
    pub generators: Vec<Generator>,
}

/// Finds the orbits of a network with respect to a property; `None` if there are none, an error if a limit is reached.
pub fn detect(
    network: &Network,
    property: &Property,
    limits: &Limits,
) -> Result<Option<Detected>, StopReason> {
    let layout = Layout::of_network(network);
    let classes = Classes::of(network, property);
    let order = Order::new(network, property);
    if network.processes.len() > MOST_PROCESSES || !order.is_indifferent() {
        return Ok(None);
    }
    let companions = MOST_COMPANIONS;
    let mut search =
        Search { network, property, layout: &layout, classes: &classes, order: &order, limits, companions };
    let mut orbits: Vec<Vec<ProcessId>> = Vec::new();
    let (mut generators, mut pairs): (Vec<Generator>, usize) = (Vec::new(), 0);
    for (id, process) in network.processes.enumerate() {
        if process.role == Role::Observer || process.family.is_some() {
            continue;
        }
        let mut joined = false;
        for orbit in &mut orbits {
            let last = orbit[orbit.len() - 1];
            if pairs == MOST_PAIRS || !same_form(&network.processes[last], process) {
                continue;
            }
            pairs += 1;
            limits.check(0, 0)?;
            if let Some(generator) = search.exchange(last, id)? {
                // Companions come with what they accompany.
                if !generators.contains(&generator) {
                    generators.push(generator);
                }
                orbit.push(id);
                joined = true;
                break;
            }
        }
        if !joined {
            orbits.push(vec![id]);
        }
    }
    orbits.retain(|orbit| orbit.len() > 1);
    Ok((!generators.is_empty()).then_some(Detected { orbits, generators }))
}

/// Whether a glance does not tell two processes apart.
fn same_form(a: &Process, b: &Process) -> bool {
    (a.locations.len(), a.edges.len(), a.initial) == (b.locations.len(), b.edges.len(), b.initial)
        && a.edges.iter().zip(&b.edges).all(|(a, b)| (a.source, a.target) == (b.source, b.target))
}

struct Search<'n> {
    network: &'n Network,
    property: &'n Property,
    layout: &'n Layout,
    classes: &'n Classes,
    order: &'n Order<'n>,
    limits: &'n Limits,
    /// Pairs that may still be tried beside others.
    companions: usize,
}

/// What stands against an exchange.
enum Noticed {
    /// This process would have to be exchanged, too.
    By(ProcessId),
    /// Something that cannot be mended.
    Otherwise,
}

impl<'n> Search<'n> {
    /// The exchange of two processes, with others if need be, if nobody notices it.
    fn exchange(&mut self, p: ProcessId, q: ProcessId) -> Result<Option<Generator>, StopReason> {
        let mut pairs = vec![(p, q)];
        loop {
            let Some(mut matching) = self.bound(&pairs) else { return Ok(None) };
            match self.noticed(&mut matching) {
                None => {
                    return Ok(Generator::new(self.network, self.layout, self.classes, &matching.exchange));
                }
                Some(Noticed::Otherwise) => return Ok(None),
                Some(Noticed::By(process)) => match self.companion(&matching, &pairs, process)? {
                    Some(other) => pairs.push((process, other)),
                    None => return Ok(None),
                },
            }
        }
    }

    /// A process for which this one may be exchanged beside these pairs.
    fn companion(
        &mut self,
        matching: &Matching<'n>,
        pairs: &[(ProcessId, ProcessId)],
        process: ProcessId,
    ) -> Result<Option<ProcessId>, StopReason> {
        let processes = &self.network.processes;
        // Instances of a template follow each other: most likely it is as far away.
        let (p, q) = pairs[0];
        let likely = (process.index() + q.index()).checked_sub(p.index()).map(ProcessId::new);
        let likely = likely.filter(|other| other.index() < processes.len());
        for other in likely.into_iter().chain(processes.ids()) {
            let of = &processes[other];
            let free = other != process && !matching.exchange.processes.contains_key(&other);
            if !free || of.role == Role::Observer || !same_form(&processes[process], of) {
                continue;
            }
            let Some(left) = self.companions.checked_sub(1) else { return Ok(None) };
            self.companions = left;
            self.limits.check(0, 0)?;
            if self.bound(&[pairs, &[(process, other)]].concat()).is_some() {
                return Ok(Some(other));
            }
        }
        Ok(None)
    }

    /// What has to be exchanged with these pairs of processes; `None` if that is contradictory.
    fn bound(&self, pairs: &[(ProcessId, ProcessId)]) -> Option<Matching<'n>> {
        let mut matching = Matching::new(self.network, self.layout, self.classes, self.order);
        let process = |id: ProcessId| (id, &self.network.processes[id]);
        let mut open = pairs.to_vec();
        while let Some((p, q)) = open.pop() {
            if !matching.process(process(p), process(q)) || !matching.process(process(q), process(p)) {
                return None;
            }
            open.append(&mut matching.named);
        }
        matching.close().then_some(matching)
    }

    /// What changes in the network, its initial state or the property, if anything does.
    fn noticed(&self, matching: &mut Matching<'n>) -> Option<Noticed> {
        for (id, process) in self.network.processes.enumerate() {
            let inert = process.role == Role::Observer && self.property.observer() != Some(id);
            let to = matching.exchange.processes.get(&id).copied().unwrap_or(id);
            if !inert && !matching.process((id, process), (to, &self.network.processes[to])) {
                let stays = self.stays(matching, id);
                return Some(if stays { Noticed::By(id) } else { Noticed::Otherwise });
            }
        }
        let goal = match self.property.target() {
            Target::State(target) => fault::active(Fault::SymmetryGoalIgnored) || matching.goal(&target),
            Target::RuntimeError | Target::AssertionFailure => true,
        };
        if !goal {
            return Some(Noticed::Otherwise);
        }
        let owner = |var: VarId| self.network.vars[var].owner.filter(|owner| self.stays(matching, *owner));
        let apart = self.starts_apart(&matching.exchange)?;
        Some(owner(apart).map_or(Noticed::Otherwise, Noticed::By))
    }

    /// Whether a process is not among those that are exchanged, but could be.
    fn stays(&self, matching: &Matching<'n>, process: ProcessId) -> bool {
        !matching.exchange.processes.contains_key(&process)
            && self.network.processes[process].role == Role::System
    }

    /// A variable that does not start with what it is exchanged for, if there is one.
    fn starts_apart(&self, exchange: &Exchange) -> Option<VarId> {
        let start = |(var, cell): (VarId, usize)| self.network.vars[var].init.get(cell).copied();
        let alike = |(var, of): &(VarId, &Var)| {
            let var = *var;
            let class = self.classes.class(Holder::Content(var));
            (0..of.len.map_or(1, |len| len as usize)).all(|cell| {
                let to = exchange.cells.get(&(var, cell)).copied().unwrap_or((var, cell));
                start((var, cell)).map(|value| exchange.value(class, value)) == start(to)
            })
        };
        self.network.vars.enumerate().find(|var| !alike(var)).map(|(var, _)| var)
    }
}
