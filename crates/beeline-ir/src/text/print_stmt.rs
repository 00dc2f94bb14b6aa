//! Statements, places, messages and patterns.

use super::print::Printer;
use crate::stmt::{Pattern, Place, Receive, Send, Stmt, Store, Target};

impl Printer<'_> {
    /// Appends `{ statements }`.
    pub fn block(&mut self, block: &[Stmt]) {
        self.put("{");
        self.indent += 1;
        self.statements(block);
        self.indent -= 1;
        self.line();
        self.put("}");
    }
    /// Appends statements, each on a line of its own.
    pub fn statements(&mut self, block: &[Stmt]) {
        for statement in block {
            self.line();
            self.statement(statement);
            if !matches!(statement, Stmt::If(..) | Stmt::While(..)) {
                self.put(";");
            }
        }
    }
    /// Appends a statement.
    pub fn statement(&mut self, statement: &Stmt) {
        match statement {
            Stmt::Assign(target, value) => {
                self.assign(Some(target));
                self.expr(value);
            }
            Stmt::ClockSet(clock, value) => {
                self.clock(*clock);
                self.put(" := ");
                self.expr(value);
            }
            Stmt::ClockCopy(clock, other) => {
                self.clock(*clock);
                self.put(" := ");
                self.clock(*other);
            }
            Stmt::If(condition, then, otherwise) => {
                self.put("if ");
                self.expr(condition);
                self.put(" ");
                self.block(then);
                if !otherwise.is_empty() {
                    self.put(" else ");
                    self.block(otherwise);
                }
            }
            Stmt::While(condition, body) => {
                self.put("while ");
                self.expr(condition);
                self.put(" ");
                self.block(body);
            }
            Stmt::Call(function, arguments, target) => {
                self.assign(target.as_ref());
                self.put("call ");
                self.function_name(*function);
                self.arguments(arguments);
            }
            Stmt::Send(send) => self.send(send),
            Stmt::Receive(receive) => self.receive(receive),
            Stmt::Start(family, arguments, target) => {
                self.assign(target.as_ref());
                self.put("start ");
                self.family_name(*family);
                self.arguments(arguments);
            }
            Stmt::Exit => self.put("exit"),
            Stmt::Assert(condition, origin) => {
                self.put("assert ");
                self.expr(condition);
                self.origin(origin.as_ref());
            }
            Stmt::Return(None) => self.put("return"),
            Stmt::Return(Some(value)) => {
                self.put("return ");
                self.expr(value);
            }
        }
    }
    fn assign(&mut self, target: Option<&Target>) {
        if let Some(target) = target {
            self.target(target);
            self.put(" := ");
        }
    }
    fn target(&mut self, target: &Target) {
        if target.store == Store::Wrapping {
            self.put("wrap ");
        }
        match &target.place {
            Place::Var(var) => self.var(*var),
            Place::Elem(var, index) => {
                self.var(*var);
                self.index(index);
            }
            Place::Local(local) => self.local(*local),
            Place::LocalElem(local, index) => {
                self.local(*local);
                self.index(index);
            }
        }
    }

    /// Appends a send.
    pub fn send(&mut self, send: &Send) {
        self.put(if send.sorted { "sorted send " } else { "send " });
        self.channel(&send.channel);
        if !send.message.is_empty() {
            self.arguments(&send.message);
        }
    }
    /// Appends a receive.
    pub fn receive(&mut self, receive: &Receive) {
        self.put("receive ");
        if receive.any {
            self.put("any ");
        }
        if receive.keep {
            self.put("keep ");
        }
        self.channel(&receive.channel);
        if receive.pattern.is_empty() {
            return;
        }
        self.put("(");
        self.list(&receive.pattern, |p, pattern| match pattern {
            Pattern::Bind(target) => p.target(target),
            Pattern::Match(value) => {
                p.put("=");
                p.expr(value);
            }
            Pattern::Ignore => p.put("_"),
        });
        self.put(")");
    }
}
