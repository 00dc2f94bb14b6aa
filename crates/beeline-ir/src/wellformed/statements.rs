//! Statements and functions.

use super::{Checker, Place as Stands, Site};
use crate::id::{ClockId, FamilyId, FunctionId};
use crate::stmt::{Block, Function, Place, Stmt, Target};
use crate::visit;

impl<'m> Checker<'m> {
    /// Checks a function. Its purity is settled here too, from that of the functions before it.
    pub(super) fn function(&mut self, id: FunctionId, function: &'m Function) {
        let what = format!("function `{}`", function.name);
        let mut site = Site::new(Stands::Behaviour, what, function.origin.as_ref(), &function.frame);
        site.fixed = function.params;
        site.function = Some(id);
        self.origin(function.origin.as_ref());
        self.frame(&site);
        if let Some(range) = function.result {
            self.range(&site.what, range, site.span);
        }
        let depth = self.depths.get(id.index()).copied().unwrap_or(0);
        if self.allowed(&site, depth) {
            site.quantified =
                self.quantified(&site, |visit| visit::block_parts(&function.body, &mut |e| visit(e)));
            self.block(&site, &function.body);
        }
        self.pure.push(is_pure(&function.body, &self.pure));
    }

    /// Checks a block, whose nesting is known to be small.
    pub(super) fn block(&mut self, site: &Site<'m>, block: &'m Block) {
        visit::walk_block(block, &mut |statement, level| {
            self.statement(site, statement);
            let last = level == 1 && block.last().is_some_and(|s| std::ptr::eq(s, statement));
            if *statement == Stmt::Exit && !(last && site.function.is_none()) {
                self.fault(site, "E0329", "`exit` is the last statement of an edge, outside of any other");
            }
        });
    }

    fn statement(&mut self, site: &Site<'m>, statement: &'m Stmt) {
        match statement {
            Stmt::Assign(target, _) => self.target(site, target),
            Stmt::ClockSet(clock, _) => self.clock(site, *clock),
            Stmt::ClockCopy(clock, other) => {
                self.clock(site, *clock);
                self.clock(site, *other);
            }
            Stmt::Call(id, arguments, target) => {
                let callee = self.callee(site, *id, arguments.len());
                if let (Some(callee), Some(target)) = (callee, target) {
                    self.target(site, target);
                    if callee.result.is_none() {
                        self.fault(site, "E0318", &format!("the function `{}` has no result", callee.name));
                    }
                }
            }
            Stmt::Send(send) => return self.send(site, send, true),
            Stmt::Receive(receive) => return self.receive(site, receive, true),
            Stmt::Start(family, arguments, target) => {
                self.start(site, *family, arguments.len());
                target.iter().for_each(|t| self.target(site, t));
            }
            Stmt::Assert(_, origin) => self.origin(origin.as_ref()),
            Stmt::Return(value) => self.returns(site, value.is_some()),
            Stmt::If(..) | Stmt::While(..) | Stmt::Exit => {}
        }
        visit::statement_parts(statement, &mut |e| self.expr(site, e));
    }
    fn returns(&mut self, site: &Site<'m>, value: bool) {
        let function = site.function.and_then(|f| self.tables()?.functions.get(f));
        let message = match function {
            None => "`return` stands only in functions",
            Some(f) if f.result.is_some() && !value => "`return` without a value",
            Some(f) if f.result.is_none() && value => "`return` with a value, in a function without result",
            Some(_) => return,
        };
        self.fault(site, "E0330", message);
    }
    fn start(&mut self, site: &Site<'m>, id: FamilyId, arguments: usize) {
        let Some(network) = self.tables() else { return };
        let Some(family) = network.families.get(id) else {
            return self.fault(site, "E0315", "there is no such family");
        };
        let first = family.slots.first().and_then(|p| network.processes.get(*p));
        if let Some(wanted) = first.map(|p| p.params.len())
            && wanted != arguments
        {
            let message = format!("family `{}` takes {wanted} arguments, not {arguments}", family.name);
            self.fault(site, "E0333", &message);
        }
    }

    /// Checks a target of a store; its index is checked as an expression.
    pub(super) fn target(&mut self, site: &Site<'m>, target: &'m Target) {
        match &target.place {
            Place::Var(var) => self.var_use(site, *var, false),
            Place::Elem(var, _) => self.var_use(site, *var, true),
            Place::Local(local) => self.local_use(site, *local, false),
            Place::LocalElem(local, _) => self.local_use(site, *local, true),
        }
    }
    /// Checks the use of a clock.
    pub(super) fn clock(&mut self, site: &Site<'m>, clock: ClockId) {
        if self.tables().and_then(|n| n.clocks.get(clock)).is_none() {
            self.fault(site, "E0315", "there is no such clock");
        }
    }
    /// Checks what a call names, and gives the function.
    pub(super) fn callee(
        &mut self,
        site: &Site<'m>,
        id: FunctionId,
        arguments: usize,
    ) -> Option<&'m Function> {
        let Some(function) = self.tables().and_then(|n| n.functions.get(id)) else {
            self.fault(site, "E0315", "there is no such function");
            return None;
        };
        if site.function.is_some_and(|f| f <= id) {
            let message = format!("it calls `{}`, which is not declared before it", function.name);
            self.fault(site, "E0319", &message);
        }
        if function.params != arguments {
            let (name, wanted) = (&function.name, function.params);
            let message = format!("`{name}` takes {wanted} arguments, not {arguments}");
            self.fault(site, "E0318", &message);
        }
        Some(function)
    }
}

/// Whether a body writes nothing but locals; `before` says so of the functions it may call.
fn is_pure(body: &Block, before: &[bool]) -> bool {
    let local = |target: &Target| matches!(target.place, Place::Local(_) | Place::LocalElem(..));
    let mut pure = true;
    visit::walk_block(body, &mut |statement, _| {
        pure &= match statement {
            Stmt::Assign(target, _) => local(target),
            Stmt::Call(function, _, target) => {
                before.get(function.index()) == Some(&true) && target.as_ref().is_none_or(local)
            }
            Stmt::If(..) | Stmt::While(..) | Stmt::Return(_) => true,
            Stmt::ClockSet(..)
            | Stmt::ClockCopy(..)
            | Stmt::Send(_)
            | Stmt::Receive(_)
            | Stmt::Start(..)
            | Stmt::Exit
            | Stmt::Assert(..) => false,
        };
    });
    pure
}
