//! Declarations: what there is, before what it does.

use super::{Draft, Profile};
use crate::feature::Feature;
use crate::generate::expr::Scope;
use beeline_ir::expr::{Expr, Range};
use beeline_ir::network::{Channel, ChannelKind, Clock, Family, Location, Process, Role, Var};
use beeline_ir::stmt::{Function, Local, Place, Stmt, Store, Target};
use beeline_ir::{FamilyId, FunctionId, IdVec, LocationId, ProcessId, VarId};

impl Draft<'_> {
    pub(super) fn declare(&mut self, seed: u64) {
        self.network.name = format!("random_{}_{seed}", self.shape.profile.name());
        self.processes();
        self.clocks();
        self.vars();
        self.wide_var();
        self.channels();
        self.channel_holders();
        self.functions();
    }

    fn processes(&mut self) {
        let more = if self.deep { [(40, 0), (60, 1), (0, 2)] } else { [(15, 0), (60, 1), (25, 2)] };
        let count = 1 + self.random.weighted(&more).min(self.shape.processes.max(1) - 1);
        for i in 0..count {
            let atomic = self.has(Feature::Atomic);
            self.process(format!("P{i}"), Role::System, None, atomic);
        }
        if self.has(Feature::Family) {
            self.family("F");
            if self.has(Feature::SeveralFamilies) {
                self.family("G");
            }
        }
        if self.has(Feature::Observer) {
            self.process("O".to_string(), Role::Observer, None, false);
        }
        if self.shape.profile == Profile::Uppaal {
            // There, processes of higher priority come later.
            let mut priorities: Vec<i32> = self.network.processes.iter().map(|p| p.priority).collect();
            priorities.sort_unstable();
            self.network.processes.iter_mut().zip(priorities).for_each(|(p, priority)| p.priority = priority);
        }
    }

    fn family(&mut self, name: &str) {
        let family = FamilyId::new(self.network.families.len());
        let slots = 1 + self.random.below(2);
        let slots = (0..slots).map(|i| self.process(format!("{name}{i}"), Role::System, Some(family), true));
        let slots = slots.collect();
        self.network.families.push(Family { name: name.to_string(), slots });
    }

    fn process(&mut self, name: String, role: Role, family: Option<FamilyId>, atomic: bool) -> ProcessId {
        let most = self.shape.locations.max(2);
        let count = match role {
            Role::Observer => 2 + self.random.below(2),
            Role::System if family.is_some() => 1 + self.random.below(2),
            Role::System if self.deep => 4 + self.random.below(most.saturating_sub(3)),
            Role::System => 2 + self.random.weighted(&[(30, 0), (40, 1), (30, 2)]).min(most - 2),
        };
        let system = role == Role::System;
        let mut locations = IdVec::new();
        for i in 0..count {
            // Committed and urgent locations are rare at the start: time should be able to pass somewhere.
            let percent = if i == 0 { 5 } else { 25 };
            locations.push(Location {
                name: format!("l{i}"),
                frame: Vec::new(),
                condition: Expr::TRUE,
                invariant: Vec::new(),
                urgent: system && self.uses(Feature::Urgent, percent),
                committed: system && self.uses(Feature::Committed, percent),
                atomic: system && atomic && self.uses(Feature::Atomic, 30),
                origin: None,
            });
        }
        let priority =
            if system && self.uses(Feature::ProcessPriority, 60) { self.random.between(-1, 2) } else { 0 };
        self.network.processes.push(Process {
            name,
            role,
            family,
            params: Vec::new(),
            priority: priority as i32,
            locations,
            initial: LocationId::new(0),
            edges: IdVec::new(),
            origin: None,
        })
    }

    fn clocks(&mut self) {
        if self.shape.clocks == 0 {
            return;
        }
        let pairs = self.has(Feature::Diagonal) || self.has(Feature::ClockCopy);
        let more = match (pairs, self.deep) {
            (true, true) => [(0, 0), (90, 1), (10, 2)],
            (true, false) => [(0, 0), (75, 1), (25, 2)],
            (false, true) => [(45, 0), (45, 1), (10, 2)],
            (false, false) => [(40, 0), (42, 1), (18, 2)],
        };
        let count = 1 + self.random.weighted(&more).min(self.shape.clocks - 1);
        // The region graph grows with constant^clocks.
        let most = if count == 3 { 2 } else { 4 }.min(self.shape.constant.max(1));
        self.constant = self.random.weighted(&[(30, 1), (40, 2), (20, 3), (10, 4)]).min(most);
        for i in 0..count {
            let owner = self.random.chance(20).then(|| ProcessId::new(0));
            self.network.clocks.push(Clock { name: format!("x{i}"), owner, origin: None });
        }
    }

    fn vars(&mut self) {
        let ints = match self.shape.profile {
            Profile::Timed | Profile::Uppaal => self.random.weighted(&[(35, 0), (45, 1), (20, 2)]),
            Profile::Discrete => self.random.weighted(&[(50, 1), (50, 2)]),
        };
        for i in 0..ints {
            let hi = self.random.weighted(&[(40, 1), (40, 2), (20, 3)]);
            let owner = self.random.chance(25).then(|| ProcessId::new(0));
            self.var(format!("v{i}"), owner, Range::new(0, hi), None);
        }
        if self.has(Feature::Array) {
            let hi = 1 + self.random.below(2) as i64;
            let len = 2 + self.random.below(2) as u32;
            self.var("a".to_string(), None, Range::new(0, hi), Some(len));
        }
        if self.random.chance(5) {
            self.var("n".to_string(), None, Range::new(-2, -1), None);
        }
        for id in self.network.processes.ids() {
            if self.network.processes[id].family.is_some() {
                let param = self.var("arg".to_string(), Some(id), Range::new(0, 1), None);
                self.network.processes[id].params.push(param);
            }
        }
    }

    fn var(&mut self, name: String, owner: Option<ProcessId>, range: Range, len: Option<u32>) -> VarId {
        let cells = len.unwrap_or(1);
        let init = (0..cells)
            .map(|_| {
                if self.random.chance(80) {
                    0.clamp(range.lo, range.hi)
                } else {
                    self.random.between(range.lo, range.hi)
                }
            })
            .collect();
        self.network.vars.push(Var { name, owner, range, len, init, symbols: None, origin: None })
    }

    fn channels(&mut self) {
        let several = self.network.processes.iter().filter(|p| p.role == Role::System).count() > 1;
        let kinds = [
            (Feature::Rendezvous, ChannelKind::Rendezvous, several),
            (Feature::Broadcast, ChannelKind::Broadcast, several || self.random.chance(20)),
            (Feature::Buffered, ChannelKind::Buffered { capacity: 1 + self.random.below(2) as u32 }, true),
        ];
        // Channels that travel as values must agree in the number of their fields, or every use is an error.
        let arity = 1 + self.random.below(2);
        for (feature, kind, useful) in kinds {
            if !self.has(feature) || !useful {
                continue;
            }
            let fields = if self.has(Feature::ChannelValue) && self.has(Feature::Message) {
                arity
            } else if self.has(Feature::Message) {
                self.random.below(3)
            } else {
                0
            };
            let len = self.has(Feature::ChannelArray).then(|| 1 + self.random.below(2) as u32);
            let mut priority = vec![0; len.unwrap_or(1) as usize];
            if self.has(Feature::ChannelPriority) {
                priority.iter_mut().for_each(|p| *p = self.random.between(-1, 2) as i32);
            }
            let symbols = vec![None; fields];
            let fields = (0..fields).map(|_| self.field()).collect();
            let urgent = self.uses(Feature::UrgentChannel, 70);
            let name = format!("c{}", self.network.channels.len());
            self.network.channels.push(Channel {
                name,
                owner: None,
                len,
                kind,
                fields,
                symbols,
                urgent,
                priority,
                origin: None,
            });
        }
    }

    fn field(&mut self) -> Range {
        let lo = if self.random.chance(10) { -1 } else { 0 };
        Range::new(lo, 1 + self.random.below(2) as i64)
    }

    /// A variable that holds the value of a channel.
    fn channel_holders(&mut self) {
        let elements: i64 = self.network.channels.iter().map(|c| c.elements() as i64).sum();
        if self.has(Feature::ChannelValue) && elements > 0 {
            let id = self.var("ch".to_string(), None, Range::new(0, elements), None);
            let first = if self.random.chance(90) { self.random.between(1, elements) } else { 0 };
            self.network.vars[id].init = vec![first];
        }
    }

    fn functions(&mut self) {
        if self.has(Feature::PureFunction) {
            let local =
                |name: &str, hi| Local { name: name.to_string(), range: Range::new(0, hi), len: None };
            let mut scope = Scope::function(vec![local("p", 3)], 1, 0);
            let result = Range::new(0, 1 + self.random.below(3) as i64);
            let mut body = Vec::new();
            self.local_array(&mut scope, 60);
            body.extend(self.local_assignment(&mut scope));
            let value = self.int(&mut scope, 2);
            let value = self.fitted(&scope, value, result);
            if self.uses(Feature::ControlFlow, 60) {
                let condition = self.truth(&mut scope, 1);
                let other = self.random.between(result.lo, result.hi);
                body.push(Stmt::If(condition, vec![Stmt::Return(Some(Expr::Const(other)))], Vec::new()));
            }
            if self.random.chance(90) {
                body.push(Stmt::Return(Some(value)));
            }
            self.function("pure", scope.frame, 1, Some(result), body);
        }
        if self.has(Feature::EffectFunction)
            && (!self.network.vars.is_empty() || !self.network.clocks.is_empty())
        {
            let mut scope = Scope::function(Vec::new(), 0, self.network.functions.len());
            self.local_array(&mut scope, 60);
            let mut body = self.statements(&mut scope, 2);
            if !crate::rewrite::writes_globals(&body) {
                body.push(self.sure_effect());
            }
            let result = self.random.chance(40).then_some(Range::BOOL);
            if result.is_some() {
                body.push(Stmt::Return(Some(Expr::Const(self.random.between(0, 1)))));
            }
            let id = self.function("effect", scope.frame, 0, result, body);
            self.composable.push(id);
        }
    }

    /// A statement that certainly writes something global.
    fn sure_effect(&mut self) -> Stmt {
        match self.network.clocks.ids().next() {
            Some(clock) if self.random.chance(50) || self.network.vars.is_empty() => {
                Stmt::ClockSet(clock, Expr::Const(0))
            }
            _ => {
                let id = VarId::new(self.random.below(self.network.vars.len()));
                let var = &self.network.vars[id];
                let place = if var.len.is_some() { Place::Elem(id, Expr::Const(0)) } else { Place::Var(id) };
                Stmt::Assign(Target { place, store: Store::Checked }, Expr::Const(var.range.lo))
            }
        }
    }

    fn function(
        &mut self,
        name: &str,
        frame: Vec<Local>,
        params: usize,
        result: Option<Range>,
        body: Vec<Stmt>,
    ) -> FunctionId {
        let name = name.to_string();
        self.network.functions.push(Function { name, frame, params, result, body, origin: None })
    }
}
