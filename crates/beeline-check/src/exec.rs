//! Statements: what they do to cells and clocks.

use beeline_ir::expr::{Expr, Range, RuntimeError};
use beeline_ir::network::ChannelKind;
use beeline_ir::stmt::{Block, Pattern, Place, Receive, Send, Stmt, Store, Target};
use beeline_ir::{FamilyId, FunctionId, LocalId, ProcessId, work};

use crate::cells::{Cells, Eval};
use crate::clock::Terms;
use crate::frame::Frame;
use crate::value::{CLOCK_LIMIT, Evaluation, checked_index};

/// A state in the making: what the statements so far have made of the source state.
#[derive(Clone, Debug)]
pub(crate) struct Effects {
    pub cells: Cells,
    pub terms: Terms,
    pub assertion_failed: bool,
}

/// How a statement ended.
enum Flow {
    /// On to the next one.
    On,
    /// The function returns this.
    Return(Option<i64>),
}

/// Where a value goes, with its index evaluated.
enum Spot {
    Slot(usize, Range),
    Local(LocalId, usize, Range),
}

impl Evaluation<'_, '_> {
    /// Runs the update of an edge of a process.
    pub fn update(&mut self, block: &Block, process: ProcessId, effects: &mut Effects) -> Eval<()> {
        let (last, body) = match block.split_last() {
            Some((Stmt::Exit, body)) => (true, body),
            _ => (false, &block[..]),
        };
        self.block(body, effects)?;
        if last { self.exit(process, effects) } else { Ok(()) }
    }
    /// Runs a function on its arguments.
    pub fn call(&mut self, id: FunctionId, arguments: &[i64], effects: &mut Effects) -> Eval<i64> {
        let cx = self.cx;
        let function = &cx.network.functions[id];
        for (local, argument) in function.frame.iter().zip(arguments) {
            if !local.range.contains(*argument) {
                return Err(RuntimeError::Range.into());
            }
        }
        self.charge(work::of_function(function))?;
        let outer = std::mem::replace(&mut self.frame, Frame::new(&function.frame, arguments));
        let flow = self.block(&function.body, effects);
        self.frame = outer;
        let returned = match flow? {
            Flow::Return(value) => value,
            Flow::On => None,
        };
        let Some(range) = function.result else { return Ok(0) };
        let value = returned.unwrap_or(range.start());
        if range.contains(value) { Ok(value) } else { Err(RuntimeError::Range.into()) }
    }
    fn block(&mut self, block: &[Stmt], effects: &mut Effects) -> Eval<Flow> {
        for stmt in block {
            if let Flow::Return(value) = self.deeper(|this| this.statement(stmt, effects))? {
                return Ok(Flow::Return(value));
            }
        }
        Ok(Flow::On)
    }
    fn statement(&mut self, stmt: &Stmt, effects: &mut Effects) -> Eval<Flow> {
        match stmt {
            Stmt::Assign(target, value) => {
                let spot = self.spot(&target.place, &effects.cells)?;
                let value = self.value(value, &effects.cells)?;
                self.store(spot, target.store, value, &mut effects.cells)?;
            }
            Stmt::ClockSet(clock, value) => {
                let value = self.value(value, &effects.cells)?;
                if !(0..=CLOCK_LIMIT).contains(&value) {
                    return Err(RuntimeError::ClockValue.into());
                }
                effects.terms.set(*clock, value);
            }
            Stmt::ClockCopy(clock, other) => effects.terms.copy(*clock, *other),
            Stmt::If(condition, then, otherwise) => {
                let taken = if self.truth(condition, &effects.cells)? { then } else { otherwise };
                return self.block(taken, effects);
            }
            Stmt::While(condition, body) => {
                let parts = work::of_expr(condition) + work::of_block(body);
                while self.truth(condition, &effects.cells)? {
                    self.charge(parts)?;
                    if let Flow::Return(value) = self.block(body, effects)? {
                        return Ok(Flow::Return(value));
                    }
                }
            }
            Stmt::Call(function, arguments, target) => {
                self.storing_result(target, arguments, effects, |this, arguments, effects| {
                    this.call(*function, arguments, effects)
                })?;
            }
            Stmt::Start(family, arguments, target) => {
                self.storing_result(target, arguments, effects, |this, arguments, effects| {
                    this.start(*family, arguments, &mut effects.cells)
                })?;
            }
            Stmt::Send(send) => self.send_now(send, &mut effects.cells)?,
            Stmt::Receive(receive) => self.receive_now(receive, &mut effects.cells)?,
            // Well-formed models have it only at the end of an update, where `update` has dealt with it.
            Stmt::Exit => return Err(RuntimeError::ExitOrder.into()),
            Stmt::Assert(condition, _) => {
                let holds = self.truth(condition, &effects.cells)?;
                effects.assertion_failed |= !holds;
            }
            Stmt::Return(value) => {
                let value = match value {
                    Some(value) => Some(self.value(value, &effects.cells)?),
                    None => None,
                };
                return Ok(Flow::Return(value));
            }
        }
        Ok(Flow::On)
    }
    /// Does something with arguments and stores the result: the target's index comes first, then the arguments.
    fn storing_result(
        &mut self,
        target: &Option<Target>,
        arguments: &[Expr],
        effects: &mut Effects,
        run: impl FnOnce(&mut Self, &[i64], &mut Effects) -> Eval<i64>,
    ) -> Eval<()> {
        let spot = target.as_ref().map(|t| self.spot(&t.place, &effects.cells)).transpose()?;
        let arguments = self.values(arguments, &effects.cells)?;
        let result = run(self, &arguments, effects)?;
        match (spot, target) {
            (Some(spot), Some(target)) => self.store(spot, target.store, result, &mut effects.cells),
            _ => Ok(()),
        }
    }
    /// The values of some expressions, left to right.
    pub fn values(&mut self, exprs: &[Expr], cells: &Cells) -> Eval<Vec<i64>> {
        exprs.iter().map(|e| self.value(e, cells)).collect()
    }
    fn spot(&mut self, place: &Place, cells: &Cells) -> Eval<Spot> {
        let cx = self.cx;
        Ok(match place {
            Place::Var(var) => Spot::Slot(cx.var[var.index()], cx.var_range(*var)),
            Place::Elem(var, index) => {
                let index = self.value(index, cells)?;
                let index = checked_index(index, cx.network.vars[*var].init.len())?;
                Spot::Slot(cx.var[var.index()] + index, cx.var_range(*var))
            }
            Place::Local(local) => Spot::Local(*local, 0, self.frame.range(*local)),
            Place::LocalElem(local, index) => {
                let index = self.value(index, cells)?;
                Spot::Local(*local, self.frame.index(*local, index)?, self.frame.range(*local))
            }
        })
    }
    /// A send in the middle of a composite step.
    fn send_now(&mut self, send: &Send, cells: &mut Cells) -> Eval<()> {
        let element = self.element(&send.channel, cells)?;
        self.needs_buffer(element)?;
        let message = self.message(element, send, cells)?;
        self.charge_buffer(element)?;
        if !self.has_room(element, cells)? {
            return Err(RuntimeError::Blocked.into());
        }
        self.put(element, &message, send.sorted, cells)
    }
    /// A receive in the middle of a composite step.
    fn receive_now(&mut self, receive: &Receive, cells: &mut Cells) -> Eval<()> {
        let element = self.element(&receive.channel, cells)?;
        self.needs_buffer(element)?;
        let wanted = self.wanted(element, receive, cells)?;
        self.charge_buffer(element)?;
        self.take(element, receive, &wanted, cells)
    }
    fn needs_buffer(&self, element: usize) -> Eval<()> {
        match self.cx.channel(element).0.kind {
            ChannelKind::Buffered { .. } => Ok(()),
            ChannelKind::Rendezvous | ChannelKind::Broadcast => Err(RuntimeError::Channel.into()),
        }
    }
    /// Takes the first message wanted out of a buffer (unless it is kept), then binds its fields in order.
    pub fn take(
        &mut self,
        element: usize,
        receive: &Receive,
        wanted: &[Option<i64>],
        cells: &mut Cells,
    ) -> Eval<()> {
        let Some(position) = self.find_message(element, wanted, receive.any, cells)? else {
            return Err(RuntimeError::Blocked.into());
        };
        let message = self.peek(element, position, cells)?;
        if !receive.keep {
            self.remove(element, position, cells)?;
        }
        self.bind(&receive.pattern, &message, cells)
    }
    /// Stores the fields of a message where the patterns say.
    pub fn bind(&mut self, patterns: &[Pattern], message: &[i64], cells: &mut Cells) -> Eval<()> {
        for (pattern, value) in patterns.iter().zip(message) {
            if let Pattern::Bind(target) = pattern {
                let spot = self.spot(&target.place, cells)?;
                self.store(spot, target.store, *value, cells)?;
            }
        }
        Ok(())
    }
    /// Starts the first free slot of a family and returns its number.
    fn start(&mut self, family: FamilyId, arguments: &[i64], cells: &mut Cells) -> Eval<i64> {
        let cx = self.cx;
        let number = self.process_count(cells)?;
        for process in &cx.network.families[family].slots {
            if self.alive(*process, cells)? {
                continue;
            }
            let declared = cx.process(*process);
            self.reset_variables(*process, cells);
            for (param, argument) in declared.params.iter().zip(arguments) {
                cells.write(cx.var[param.index()], cx.var_range(*param).wrap(*argument));
            }
            cells.write(cx.layout.location[*process], declared.initial.index() as i64);
            if let Some(slot) = cx.layout.pid[*process] {
                cells.write(slot, number);
            }
            return Ok(number);
        }
        Err(RuntimeError::NoFreeSlot.into())
    }
    /// Ends a process, which must be the youngest.
    fn exit(&mut self, process: ProcessId, effects: &mut Effects) -> Eval<()> {
        let cells = &mut effects.cells;
        if self.pid(process, cells)? != self.process_count(cells)? - 1 {
            return Err(RuntimeError::ExitOrder.into());
        }
        self.reset_variables(process, cells);
        cells.write(self.cx.layout.location[process], self.cx.layout.absent(process));
        if let Some(slot) = self.cx.layout.pid[process] {
            cells.write(slot, -1);
        }
        Ok(())
    }
    /// Gives the variables of a process their initial values.
    fn reset_variables(&self, process: ProcessId, cells: &mut Cells) {
        for (id, var) in self.cx.network.vars.enumerate().filter(|(_, v)| v.owner == Some(process)) {
            for (cell, value) in var.init.iter().enumerate() {
                cells.write(self.cx.var[id.index()] + cell, *value);
            }
        }
    }
    /// Stores a value.
    fn store(&mut self, spot: Spot, how: Store, value: i64, cells: &mut Cells) -> Eval<()> {
        let (Spot::Slot(_, range) | Spot::Local(_, _, range)) = spot;
        let value = match how {
            Store::Wrapping => range.wrap(value),
            Store::Checked if range.contains(value) => value,
            Store::Checked => return Err(RuntimeError::Range.into()),
        };
        match spot {
            Spot::Slot(slot, _) => cells.write(slot, value),
            Spot::Local(local, index, _) => self.frame.set(local, index, value),
        }
        Ok(())
    }
}
