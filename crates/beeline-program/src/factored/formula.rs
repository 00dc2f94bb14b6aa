//! State predicates as formulas over conditions on single slots: what must at least be the case for a predicate to hold.
//! Clock constraints, deadlock and what is too large to try out are taken to be true, whatever their sign. A predicate
//! that fails at run time somewhere is not known to be false there, whatever its other parts say.

use super::cube::{Grid, MOST_WORK};
use super::meter::metered;
use super::probe::{Probe, Question, Wanted};
use super::{CondId, Cube, Domains, Meter};
use crate::bytecode::RoutineId;
use crate::machine::Machine;
use crate::program::Program;
use crate::rewrite::rewrite;
use beeline_ir::expr::{Expr, Quantifier, RuntimeError, UnaryOp};
use beeline_ir::limits::StopReason;
use beeline_ir::network::Network;
use beeline_ir::stmt::Local;
use beeline_ir::visit::walk;

/// Instances of quantifiers that are written out.
const MOST_INSTANCES: u128 = 4096;
/// Cubes of one leaf.
const MOST_CUBES: usize = 256;

/// A formula over conditions. An empty conjunction is true, an empty disjunction false.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Formula<C = CondId> {
    /// A condition.
    Holds(C),
    /// All of these.
    All(Vec<Formula<C>>),
    /// One of these.
    Any(Vec<Formula<C>>),
}

impl<C> Formula<C> {
    /// Nothing is asked.
    pub fn truth() -> Self {
        Self::All(Vec::new())
    }

    /// The same over other conditions.
    pub fn map<D>(&self, of: &mut impl FnMut(&C) -> Formula<D>) -> Formula<D> {
        match self {
            Self::Holds(cond) => of(cond),
            Self::All(parts) => Formula::All(parts.iter().map(|part| part.map(of)).collect()),
            Self::Any(parts) => Formula::Any(parts.iter().map(|part| part.map(of)).collect()),
        }
    }
}

impl Formula<Cube> {
    /// As a union of cubes; `None` if there are more than so many.
    pub fn cubes(&self, most: usize) -> Option<Vec<Cube>> {
        match self {
            Self::Holds(cube) => Some(vec![cube.clone()]),
            Self::Any(parts) => {
                let mut all = Vec::new();
                for part in parts {
                    all.extend(part.cubes(most)?);
                    if all.len() > most {
                        return None;
                    }
                }
                Some(all)
            }
            Self::All(parts) => {
                let mut all = vec![Cube::default()];
                for part in parts {
                    // A part that is too large asks nothing.
                    let Some(cubes) = part.cubes(most) else { continue };
                    let both: Vec<Cube> =
                        all.iter().flat_map(|a| cubes.iter().filter_map(|b| a.and(b))).collect();
                    if both.len() <= most {
                        all = both;
                    }
                }
                Some(all)
            }
        }
    }
}

/// Makes formulas of expressions.
#[derive(Debug)]
pub struct Formulas<'a> {
    /// The network.
    pub network: &'a Network,
    /// Its program, to which the code of parts is added.
    pub program: &'a mut Program,
    /// The values of slots.
    pub domains: &'a Domains,
    /// Runs the parts.
    pub machine: &'a mut Machine,
    /// Runs them on sets of values.
    pub probe: &'a mut Probe,
    /// A state, for running them on; its values do not matter.
    pub state: &'a mut [i64],
    /// Counts what it takes.
    pub meter: &'a Meter<'a>,
}

impl Formulas<'_> {
    /// What must be the case for an expression over a frame to be true. Locals must have been replaced by values.
    pub fn of(&mut self, frame: &[Local], e: &Expr) -> Result<Formula<Cube>, StopReason> {
        self.wanted(frame, e, Wanted::True)
    }

    /// What must be the case for it to be true, or to fail at run time: then nobody can say that it is not true.
    pub fn of_or_fails(&mut self, frame: &[Local], e: &Expr) -> Result<Formula<Cube>, StopReason> {
        Ok(Formula::Any(vec![self.of(frame, e)?, self.fails(frame, e)?]))
    }

    /// What must be the case for it to fail at run time.
    pub fn fails(&mut self, frame: &[Local], e: &Expr) -> Result<Formula<Cube>, StopReason> {
        self.wanted(frame, e, Wanted::Failure)
    }

    /// What must be the case for it to do what is wanted.
    fn wanted(&mut self, frame: &[Local], e: &Expr, wanted: Wanted) -> Result<Formula<Cube>, StopReason> {
        self.meter.work(1)?;
        let fails = wanted == Wanted::Failure;
        Ok(match e {
            Expr::Const(value) if wanted.is(&Ok(*value)) => Formula::truth(),
            Expr::Const(_) => Formula::Any(Vec::new()),
            Expr::Clock(atom) if fails => {
                let parts = atom.when.iter().chain([&atom.bound]);
                Formula::Any(parts.map(|part| self.wanted(frame, part, wanted)).collect::<Result<_, _>>()?)
            }
            Expr::Deadlock if fails => Formula::Any(Vec::new()),
            Expr::Clock(_) | Expr::Deadlock => Formula::truth(),
            Expr::Unary(UnaryOp::Not, inner) => self.wanted(frame, inner, wanted.negated())?,
            Expr::And(parts) | Expr::Or(parts) => {
                let parts = parts.iter().map(|part| self.wanted(frame, part, wanted));
                let parts = parts.collect::<Result<_, _>>()?;
                let all = matches!(e, Expr::And(_)) == (wanted == Wanted::True);
                if all && !fails { Formula::All(parts) } else { Formula::Any(parts) }
            }
            Expr::If(cond, first, second) if fails => {
                let parts = [cond, first, second].map(|part| self.wanted(frame, part, wanted));
                Formula::Any(parts.into_iter().collect::<Result<_, _>>()?)
            }
            Expr::If(cond, first, second) => {
                let first = vec![self.of(frame, cond)?, self.wanted(frame, first, wanted)?];
                let second =
                    vec![self.wanted(frame, cond, Wanted::False)?, self.wanted(frame, second, wanted)?];
                Formula::Any(vec![Formula::All(first), Formula::All(second)])
            }
            Expr::Quantified(quantifier, local, range, body)
                if *quantifier != Quantifier::Sum && range.size() <= MOST_INSTANCES =>
            {
                let instance = |value: i64| {
                    let given =
                        &mut |part: &Expr| (*part == Expr::Local(*local)).then_some(Expr::Const(value));
                    let instance = rewrite(body, given);
                    self.wanted(frame, &instance, wanted)
                };
                let parts = range.values().map(instance).collect::<Result<_, _>>()?;
                let all = (*quantifier == Quantifier::Forall) == (wanted == Wanted::True);
                if all && !fails { Formula::All(parts) } else { Formula::Any(parts) }
            }
            leaf => self.leaf(frame, leaf, wanted)?,
        })
    }

    /// An expression that is tried out.
    fn leaf(&mut self, frame: &[Local], e: &Expr, wanted: Wanted) -> Result<Formula<Cube>, StopReason> {
        let mut coarse = false;
        let beyond =
            |part: &Expr| matches!(part, Expr::Clock(_) | Expr::Deadlock | Expr::Enabled(..) | Expr::Timeout);
        walk(e, &mut |part| coarse |= beyond(part));
        if coarse || self.machine.total_work() > MOST_WORK {
            return Ok(Formula::truth());
        }
        let routine = self.program.compile_expr(self.network, frame, 0, e);
        let reads = &self.program.routines[routine].reads;
        let any = Cube::default();
        let Some(grid) = Grid::new(self.domains, reads.iter(), &any, self.meter.combinations) else {
            return self.probed(routine, wanted);
        };
        let (program, machine) = (&*self.program, &mut *self.machine);
        let meter = self.meter;
        let answers = grid.each(self.state, |state| {
            metered(meter, machine, |machine| machine.eval(program, routine, state, &[]))
        })?;
        let cubes = grid.cubes(&answers, &|answer: &Result<i64, RuntimeError>| wanted.is(answer));
        if cubes.len() > MOST_CUBES {
            return self.probed(routine, wanted);
        }
        Ok(Formula::Any(cubes.into_iter().map(Formula::Holds).collect()))
    }

    /// An expression that is run on sets of values.
    fn probed(&mut self, routine: RoutineId, wanted: Wanted) -> Result<Formula<Cube>, StopReason> {
        let Self { program, probe, meter, .. } = self;
        probe.allow(program.routines[routine].reads.iter(), &Cube::default());
        let question = Question { routine, inputs: &[], wanted };
        let cube = probe.narrow(program, question, meter)?;
        Ok(Formula::Any(cube.into_iter().map(Formula::Holds).collect()))
    }
}
