//! Edges with values for their select variables: where their guards may hold, and which channels they may name.

use super::Cube;
use super::cube::{Grid, MOST_WORK};
use super::formula::Formulas;
use super::meter::metered;
use super::probe::{Question, Wanted};
use crate::edge::{first_selects, next_selects};
use crate::program::{ChannelUse, CompiledEdge, CompiledSync, Program};
use crate::rewrite::rewrite;
use crate::schema::EdgeRef;
use crate::values::ValueSet;
use beeline_ir::expr::{Expr, Range};
use beeline_ir::limits::StopReason;

/// Choices of select values of one edge.
const MOST_CHOICES: u128 = 1024;
/// Choices of all edges.
const MOST_INSTANCES: usize = 1 << 16;
/// Cubes of one guard.
const MOST_CUBES: usize = 64;

/// An edge with values for its select variables.
#[derive(Debug)]
pub(super) struct Instance {
    pub(super) at: EdgeRef,
    /// The values; `None` for all choices at once.
    pub(super) selects: Option<Vec<i64>>,
    /// Where its guard may hold.
    pub(super) guard: Vec<Cube>,
    /// The channel elements it may name, and where.
    pub(super) elements: Vec<(usize, Vec<Cube>)>,
}

pub(super) fn compiled(program: &Program, (process, edge): EdgeRef) -> &CompiledEdge {
    &program.processes[process].edges[edge]
}

/// The instances of an edge.
pub(super) fn instantiate(
    formulas: &mut Formulas<'_>,
    at: EdgeRef,
    instances: &mut Vec<Instance>,
) -> Result<(), StopReason> {
    let edge = &formulas.network.processes[at.0].edges[at.1];
    let ranges: Vec<Range> = compiled(formulas.program, at).selects.clone();
    let choices = ranges.iter().fold(1u128, |all, range| all.saturating_mul(range.size()));
    let slot = formulas.program.layout.location[at.0];
    let source = Cube::value(slot, edge.source.index() as i64);
    if choices > MOST_CHOICES || instances.len() + choices as usize > MOST_INSTANCES {
        let Some(guard) = with_any_selects(formulas, at)? else { return Ok(()) };
        let guard: Vec<Cube> = source.and(&guard).into_iter().collect();
        let elements = elements(formulas, at, None)?;
        formulas.meter.allocate(size_of::<Instance>() + bytes(&elements))?;
        instances.push(Instance { at, selects: None, guard, elements });
        return Ok(());
    }
    let mut selects = Vec::new();
    let mut more = first_selects(&ranges, &mut selects);
    while more {
        let given = &mut |part: &Expr| match part {
            Expr::Local(local) => selects.get(local.index()).map(|value| Expr::Const(*value)),
            _ => None,
        };
        let guard = formulas.of(&edge.frame, &rewrite(&edge.guard, given))?;
        let cubes = guard.cubes(MOST_CUBES).unwrap_or_else(|| vec![Cube::default()]);
        let guard: Vec<Cube> = cubes.iter().filter_map(|cube| source.and(cube)).collect();
        if !guard.is_empty() {
            let elements = elements(formulas, at, Some(&selects))?;
            let cubes: usize = guard.iter().map(Cube::bytes).sum();
            formulas.meter.allocate(size_of::<Instance>() + cubes + bytes(&elements))?;
            instances.push(Instance { at, selects: Some(selects.clone()), guard, elements });
        }
        more = next_selects(&ranges, &mut selects);
    }
    Ok(())
}

/// Where the guard of an edge may hold for some select values; `None` if nowhere.
fn with_any_selects(formulas: &mut Formulas<'_>, at: EdgeRef) -> Result<Option<Cube>, StopReason> {
    let Formulas { program, probe, meter, .. } = formulas;
    let edge = compiled(program, at);
    let Some(routine) = edge.guard else { return Ok(Some(Cube::default())) };
    probe.allow(program.routines[routine].reads.iter(), &Cube::default());
    let inputs = inputs(edge, None);
    let question = Question { routine, inputs: &inputs, wanted: Wanted::True };
    probe.narrow(program, question, meter)
}

/// The channel elements that an edge may name, and where.
type Elements = Vec<(usize, Vec<Cube>)>;

fn bytes(elements: &Elements) -> usize {
    let of = |cubes: &Vec<Cube>| cubes.iter().map(Cube::bytes).sum::<usize>();
    elements.iter().map(|(_, cubes)| size_of::<(usize, Vec<Cube>)>() + of(cubes)).sum()
}

fn elements(
    formulas: &mut Formulas<'_>,
    at: EdgeRef,
    selects: Option<&[i64]>,
) -> Result<Elements, StopReason> {
    let Formulas { program, domains, machine, probe, state, meter, .. } = formulas;
    let edge = compiled(program, at);
    let Some(channel) = edge.sync.channel() else { return Ok(Vec::new()) };
    if let ChannelUse::Element(element) = channel {
        return Ok(vec![(element, vec![Cube::default()])]);
    }
    let routine = match &edge.sync {
        CompiledSync::Send { routine, .. } | CompiledSync::Receive { routine, .. } => *routine,
        CompiledSync::Internal => None,
    };
    let named = selects.zip(routine).filter(|_| machine.total_work() <= MOST_WORK);
    let grid = named.and_then(|(selects, routine)| {
        let reads = program.routines[routine].reads.iter();
        Some((Grid::new(domains, reads, &Cube::default(), meter.combinations)?, selects, routine))
    });
    if let Some((grid, selects, routine)) = grid {
        let answers = grid.each(state, |state| {
            metered(meter, machine, |machine| machine.eval(program, routine, state, selects).ok())
        })?;
        let mut names: Vec<i64> = answers.iter().flatten().copied().collect();
        names.sort_unstable();
        names.dedup();
        let of = |name: &i64| {
            let element = usize::try_from(*name).ok()?.checked_sub(1)?;
            let cubes = grid.cubes(&answers, &|answer| *answer == Some(*name));
            (element < program.elements.len()).then_some((element, cubes))
        };
        return Ok(names.iter().filter_map(of).collect());
    }
    meter.work(program.elements.len() as u64)?;
    let names = match routine.filter(|_| !probe.spent()) {
        Some(routine) => {
            probe.allow(program.routines[routine].reads.iter(), &Cube::default());
            probe.names(program, routine, &inputs(edge, selects), meter)?
        }
        None => ValueSet::ALL,
    };
    let named = |element: &usize| channel.may_name(program, *element) && names.contains(*element as i64 + 1);
    let all = (0..program.elements.len()).filter(named);
    Ok(all.map(|element| (element, vec![Cube::default()])).collect())
}

/// The select values of an edge: the ones given, or any.
fn inputs(edge: &CompiledEdge, selects: Option<&[i64]>) -> Vec<ValueSet> {
    match selects {
        Some(selects) => selects.iter().map(|value| ValueSet::singleton(*value)).collect(),
        None => edge.selects.iter().map(|range| ValueSet::range(*range)).collect(),
    }
}

impl Instance {
    /// The values of its select variables, for runs on sets of values.
    pub(super) fn inputs(&self, edge: &CompiledEdge) -> Vec<ValueSet> {
        inputs(edge, self.selects.as_deref())
    }

    /// Where it may take part on an element.
    pub(super) fn needs(&self, element: usize) -> Vec<Cube> {
        let cubes = self.elements.iter().find(|(named, _)| *named == element);
        cubes.map_or_else(Vec::new, |(_, cubes)| meet(&self.guard, cubes))
    }
}

/// The cubes in which one of each is.
pub(super) fn meet(a: &[Cube], b: &[Cube]) -> Vec<Cube> {
    a.iter().flat_map(|a| b.iter().filter_map(|b| a.and(b))).collect()
}
