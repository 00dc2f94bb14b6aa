//! Rows of a relation: as for a network, without clocks. Choosing values only where something depends on them makes
//! the same solver serve states of which not everything is known.

use beeline_ir::property::Target;

use crate::cells::Cells;
use crate::context::Context;
use crate::fork::{Halt, Meter};
use crate::relation::RelationKernel;
use crate::row::{Post, Rows, States};
use crate::value::Evaluation;
use crate::zone::Zone;

impl RelationKernel<'_> {
    /// The states whose cells are the first of these.
    fn states(&self, cells: &Cells) -> States {
        let cells = self.cells_of(cells.iter().take(self.stored()).cloned().collect());
        States { cells, zone: Zone::all(0) }
    }
}

impl Rows for RelationKernel<'_> {
    fn context(&self) -> &Context<'_> {
        &self.cx
    }
    fn start(&self, meter: &mut Meter) -> Result<Vec<States>, Halt> {
        let solutions = self.solve_initial(self.cells_of(Vec::new()), meter)?;
        Ok(solutions.cells.iter().map(|cells| self.states(cells)).collect())
    }
    fn invariant(&self, states: States) -> Option<States> {
        let holds = |constraint| {
            let truth = Evaluation::new(&self.cx).truth(constraint, &states.cells);
            !matches!(truth, Ok(false))
        };
        self.relation.invar.iter().all(holds).then_some(states)
    }
    fn delay(&self, states: &States, _: &mut Meter) -> Result<States, Halt> {
        Ok(states.clone())
    }
    fn post(&self, states: &States, _: &Target, meter: &mut Meter) -> Result<Vec<(Post, u32)>, Halt> {
        let solutions = self.solve_step(states.cells.clone(), meter)?;
        let mut posts: Vec<(Post, u32)> = solutions.error.map(|e| (Post::Fails(e), 1)).into_iter().collect();
        let next = |cells| Post::States(self.states(&self.next_cells(cells)));
        posts.extend(solutions.cells.iter().map(|cells| (next(cells), 1)));
        Ok(posts)
    }
    fn alive(&self, states: &States, meter: &mut Meter) -> Result<Vec<Zone>, Halt> {
        let known = (0..self.stored()).all(|slot| states.cells.read(slot).is_ok());
        let alive = known && !self.solve_step(states.cells.clone(), meter)?.cells.is_empty();
        Ok(alive.then(|| Zone::all(0)).into_iter().collect())
    }
}
