//! What labels ask for that set clocks. Where the factored view says of a label only what it changes, and not where it may
//! be taken, that is enough as long as nothing happens where it changes nothing; but clocks would be set there. So these
//! labels are restricted to values that their guards allow, and where they may change nothing but clocks, they are
//! operators of their own.

use crate::factors::Source;
use beeline_ir::limits::StopReason;
use beeline_ir::network::Network;
use beeline_program::Program;
use beeline_program::factored::formula::Formulas;
use beeline_program::factored::{Action, Cube, Factored, Label, LabelId, Meter, Probe};
use beeline_program::machine::Machine;
use beeline_program::schema::EdgeRef;
use std::collections::{BTreeMap, BTreeSet};

/// Cubes of one guard.
const MOST_CUBES: usize = 64;

/// What guards ask of single slots.
#[derive(Debug)]
pub(super) struct Guards<'a> {
    factored: &'a Factored,
    /// By edge; `None` if it is never taken.
    asked: BTreeMap<EdgeRef, Option<Cube>>,
    /// Slots with a factor, and which.
    factor_of: BTreeMap<usize, usize>,
    /// The actions of each label.
    actions: BTreeMap<LabelId, &'a [Action]>,
}

impl<'a> Guards<'a> {
    /// Those of some edges.
    pub(super) fn new(
        network: &Network,
        factored: &'a Factored,
        sources: &[Source],
        edges: BTreeSet<EdgeRef>,
        meter: &Meter<'_>,
    ) -> Result<Self, StopReason> {
        let mut program = Program::compile(network);
        let mut state = program.layout.initial(network);
        let (mut machine, mut probe) = (Machine::new(&program), Probe::new(&program));
        let mut formulas = Formulas {
            network,
            program: &mut program,
            domains: &factored.domains,
            machine: &mut machine,
            probe: &mut probe,
            state: &mut state,
            meter,
        };
        let mut asked = BTreeMap::new();
        for at in edges {
            let edge = &network.processes[at.0].edges[at.1];
            let slot = formulas.program.layout.location[at.0];
            let source = Cube::value(slot, edge.source.index() as i64);
            // With select variables it takes their values to say.
            let cubes = match edge.selects {
                0 => formulas.of(&edge.frame, &edge.guard)?.cubes(MOST_CUBES),
                _ => None,
            };
            let cube = cubes.map_or_else(|| Some(Cube::default()), |cubes| hull(&cubes));
            asked.insert(at, cube.and_then(|cube| source.and(&cube)));
        }
        let slot = |(at, source): (usize, &Source)| match *source {
            Source::Slot(slot, ..) => Some((slot, at)),
            Source::Monitor => None,
        };
        let factor_of = sources.iter().enumerate().filter_map(slot).collect();
        let actions = factored.actions.chunk_by(|a, b| a.label == b.label);
        let actions = actions.map(|all| (all[0].label, all)).collect();
        Ok(Self { factored, asked, factor_of, actions })
    }

    /// What a label asks of factors, by factor; `None` if it is never taken.
    pub(super) fn of(&self, label: &Label) -> Option<Vec<(usize, Vec<i64>)>> {
        let cube = self.cube(label)?;
        let factor = |(slot, values): (usize, Vec<i64>)| Some((*self.factor_of.get(&slot)?, values));
        Some(cube.0.into_iter().filter_map(factor).collect())
    }

    fn cube(&self, label: &Label) -> Option<Cube> {
        let mut all = Cube::default();
        for edge in &label.edges {
            all = match self.asked.get(edge) {
                Some(cube) => all.and(cube.as_ref()?)?,
                None => all,
            };
        }
        Some(all)
    }

    /// Whether a label changes the value of some factor wherever it is taken.
    pub(super) fn moves(&self, id: LabelId) -> bool {
        let label = self.factored.label(id);
        let (Some(cube), Some(actions)) = (self.cube(label), self.actions.get(&id)) else { return false };
        let domains = &self.factored.domains;
        actions.iter().any(|action| {
            let certain = action.needs.iter().map(|cond| self.factored.cond(*cond)).all(|cond| {
                let fact = |value: &i64| domains.fact(cond.slot, *value);
                let held = |value: &i64| fact(value).is_none_or(|fact| cond.facts.contains(&fact));
                cube.of(cond.slot).is_some_and(|values| values.iter().all(held))
            });
            let elsewhere = |slot: usize| {
                let effects = action.effects.iter().filter(|fact| domains.slot(**fact) == slot);
                let held = cube.of(slot).filter(|_| label.loose.binary_search(&slot).is_err());
                held.is_some_and(|held| { effects }.all(|fact| !held.contains(&domains.value(*fact))))
            };
            let mut slots = action.effects.iter().map(|fact| domains.slot(*fact));
            certain && slots.any(|slot| self.factor_of.contains_key(&slot) && elsewhere(slot))
        })
    }
}

/// What all cubes ask of single slots; `None` if there is none.
fn hull(cubes: &[Cube]) -> Option<Cube> {
    let (first, rest) = cubes.split_first()?;
    let mut all = first.clone();
    for cube in rest {
        all.0.retain(|(slot, _)| cube.of(*slot).is_some());
        for (slot, values) in &mut all.0 {
            values.extend(cube.of(*slot).into_iter().flatten());
            values.sort_unstable();
            values.dedup();
        }
    }
    Some(all)
}
