//! Which integers of a network are names rather than numbers: values that are only ever copied, compared for equality and
//! used as indices, such as the process whose turn it is. A permutation may act on names; on numbers it may not.
//!
//! Whatever can hold a value belongs to a class, together with all it is assigned to or compared with. A class with which
//! anything else is done, a sum or an order say, is one of numbers. (Ip and Dill, Better verification through symmetry,
//! 1996: what scalarsets are declared for is found out here.)

use beeline_ir::expr::{BinaryOp, ChannelRef, ClockAtom, Expr, Range};
use beeline_ir::network::{Network, Role, Sync};
use beeline_ir::property::{Property, Target as PropertyTarget};
use beeline_ir::stmt::{Block, Local, Pattern, Place, Receive, Send, Stmt, Store, Target};
use beeline_ir::{ChannelId, EdgeId, FunctionId, LocalId, LocationId, ProcessId, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// Whose locals are meant.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Scope {
    /// Those of a location's invariant.
    Location(ProcessId, LocationId),
    /// Those of an edge.
    Edge(ProcessId, EdgeId),
    /// Those of a function.
    Function(FunctionId),
    /// Those of the property.
    Property,
}

/// Something that holds values.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Holder {
    /// The cells of a variable.
    Content(VarId),
    /// What an array is indexed by.
    Index(VarId),
    /// A local.
    Local(Scope, LocalId),
    /// What a local array is indexed by.
    LocalIndex(Scope, LocalId),
    /// A field of the messages of a channel.
    Field(ChannelId, usize),
    /// What an array of channels is indexed by.
    Element(ChannelId),
    /// What a function returns.
    Result(FunctionId),
}

/// A class of names.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Class(pub u32);

/// What is known of a value.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Kind {
    /// It is a literal, which may be either.
    Either,
    /// It is of a class.
    Of(u32),
}

/// The number of the class of all numbers.
const NUMBERS: u32 = 0;

/// The classes of a network and a property.
#[derive(Clone, Debug)]
pub struct Classes {
    ids: BTreeMap<Holder, u32>,
    parents: Vec<u32>,
    /// Ranges of what holds values of a class.
    ranges: Vec<(u32, Range)>,
    /// Indices of arrays that values of a class may be.
    indices: Vec<(u32, Range)>,
    /// What values of a class are stored into modulo the size of its range.
    wrapping: Vec<u32>,
    /// What locals of a class start with.
    starts: Vec<(u32, i64)>,
    /// Channels are used as values.
    pub channel_values: bool,
    quantified: BTreeSet<(Scope, LocalId)>,
}

impl Classes {
    /// Finds them.
    pub fn of(network: &Network, property: &Property) -> Self {
        let mut classes = Self {
            ids: BTreeMap::new(),
            parents: vec![NUMBERS],
            ranges: Vec::new(),
            indices: Vec::new(),
            wrapping: Vec::new(),
            starts: Vec::new(),
            channel_values: false,
            quantified: BTreeSet::new(),
        };
        for (id, var) in network.vars.enumerate() {
            let content = classes.id(Holder::Content(id));
            classes.ranges.push((content, var.range));
            if let Some(len) = var.len {
                let index = classes.id(Holder::Index(id));
                classes.indices.push((index, Range::new(0, i64::from(len) - 1)));
            }
        }
        for (id, channel) in network.channels.enumerate() {
            for (field, range) in channel.fields.iter().enumerate() {
                let field = classes.id(Holder::Field(id, field));
                classes.ranges.push((field, *range));
                // Unused cells of a queue are 0.
                classes.starts.push((field, 0));
            }
            if let Some(len) = channel.len {
                let element = classes.id(Holder::Element(id));
                classes.indices.push((element, Range::new(0, i64::from(len) - 1)));
            }
        }
        for (id, function) in network.functions.enumerate() {
            let scope = Scope::Function(id);
            if let Some(range) = function.result {
                let result = classes.id(Holder::Result(id));
                classes.ranges.push((result, range));
                classes.starts.push((result, range.start()));
            }
            classes.block(scope, &function.body);
            classes.frame(scope, &function.frame, function.params);
        }
        for (id, process) in network.processes.enumerate() {
            if process.role == Role::Observer && property.observer() != Some(id) {
                continue;
            }
            for param in &process.params {
                classes.numbers(Kind::Of(classes.ids[&Holder::Content(*param)]));
            }
            for (location, at) in process.locations.enumerate() {
                let scope = Scope::Location(id, location);
                classes.number(scope, &at.condition);
                classes.atoms(scope, &at.invariant);
                classes.frame(scope, &at.frame, 0);
            }
            for (edge, of) in process.edges.enumerate() {
                let scope = Scope::Edge(id, edge);
                classes.number(scope, &of.guard);
                classes.atoms(scope, &of.clock_guard);
                match &of.sync {
                    Sync::Internal => {}
                    Sync::Send(send) => classes.send(scope, send),
                    Sync::Receive(receive) => classes.receive(scope, receive),
                }
                classes.block(scope, &of.update);
                classes.frame(scope, &of.frame, of.selects);
            }
        }
        if let PropertyTarget::State(target) = property.target() {
            classes.number(Scope::Property, &target);
        }
        classes.frame(Scope::Property, &property.frame, 0);
        if classes.channel_values {
            let fields: Vec<u32> = (classes.ids.iter())
                .filter_map(|(holder, id)| matches!(holder, Holder::Field(..)).then_some(*id))
                .collect();
            fields.into_iter().for_each(|field| classes.numbers(Kind::Of(field)));
        }
        classes
    }

    /// The class of what holds values, if these are names.
    pub fn class(&self, holder: Holder) -> Option<Class> {
        let root = self.root(*self.ids.get(&holder)?);
        (root != self.root(NUMBERS)).then_some(Class(root))
    }

    /// The class of the value of an expression, if it is a name and the expression tells of which.
    pub fn class_of(&self, scope: Scope, expr: &Expr) -> Option<Class> {
        match expr {
            Expr::Var(var) | Expr::Elem(var, _) => self.class(Holder::Content(*var)),
            Expr::Local(local) | Expr::LocalElem(local, _) => self.class(Holder::Local(scope, *local)),
            Expr::If(_, a, b) => self.class_of(scope, a).or_else(|| self.class_of(scope, b)),
            Expr::Call(function, _) => self.class(Holder::Result(*function)),
            _ => None,
        }
    }

    /// Whether values may be exchanged within a class: all are in the ranges of what has that class, and what starts by
    /// itself starts with none of them. Where values wrap around, what they wrap to is the same for all.
    pub fn allows(&self, class: Class, moved: &[i64]) -> bool {
        let of = |id: u32| Class(self.root(id)) == class;
        let inside =
            |(id, range): &(u32, Range)| !of(*id) || moved.iter().all(|value| range.contains(*value));
        let mut held = self.ranges.iter().filter(|(id, _)| of(*id)).map(|(_, range)| range);
        let first = held.next();
        moved.is_empty()
            || self.ranges.iter().chain(&self.indices).all(inside)
                && !self.starts.iter().any(|(id, start)| of(*id) && moved.contains(start))
                && (!self.wraps(class) || held.all(|range| Some(range) == first))
    }

    fn wraps(&self, class: Class) -> bool {
        self.wrapping.iter().any(|id| Class(self.root(*id)) == class)
    }

    /// Whether a literal of a class stays what it is wherever it is stored.
    pub fn keeps(&self, class: Class, literal: i64) -> bool {
        let of = |(id, range): &(u32, Range)| Class(self.root(*id)) != class || range.contains(literal);
        !self.wraps(class) || self.ranges.iter().all(of)
    }

    fn id(&mut self, holder: Holder) -> u32 {
        let parents = &mut self.parents;
        *self.ids.entry(holder).or_insert_with(|| {
            parents.push(parents.len() as u32);
            parents.len() as u32 - 1
        })
    }

    fn root(&self, mut id: u32) -> u32 {
        while self.parents[id as usize] != id {
            id = self.parents[id as usize];
        }
        id
    }

    /// Two values are of one class.
    fn same(&mut self, a: Kind, b: Kind) -> Kind {
        match (a, b) {
            (Kind::Either, other) | (other, Kind::Either) => other,
            (Kind::Of(a), Kind::Of(b)) => {
                let (a, b) = (self.root(a), self.root(b));
                self.parents[a.max(b) as usize] = a.min(b);
                Kind::Of(a)
            }
        }
    }

    fn numbers(&mut self, kind: Kind) {
        self.same(kind, Kind::Of(NUMBERS));
    }

    fn holder(&mut self, holder: Holder) -> Kind {
        Kind::Of(self.id(holder))
    }

    /// An expression whose value is used as a number.
    fn number(&mut self, scope: Scope, expr: &Expr) {
        let kind = self.expr(scope, expr);
        self.numbers(kind);
    }

    /// Locals that start by themselves; the first ones do not.
    fn frame(&mut self, scope: Scope, frame: &[Local], given: usize) {
        for (index, local) in frame.iter().enumerate() {
            let id = LocalId::new(index);
            let class = self.id(Holder::Local(scope, id));
            self.ranges.push((class, local.range));
            if index >= given && !self.quantified.contains(&(scope, id)) {
                self.starts.push((class, local.range.start()));
            }
            if let Some(len) = local.len {
                let index = self.id(Holder::LocalIndex(scope, id));
                self.indices.push((index, Range::new(0, i64::from(len) - 1)));
            }
        }
    }

    fn expr(&mut self, scope: Scope, expr: &Expr) -> Kind {
        let number = Kind::Of(NUMBERS);
        match expr {
            Expr::Const(_) | Expr::Pid(_) => Kind::Either,
            Expr::Var(var) => self.holder(Holder::Content(*var)),
            Expr::Elem(var, index) => {
                let (index, by) = (self.expr(scope, index), self.holder(Holder::Index(*var)));
                self.same(index, by);
                self.holder(Holder::Content(*var))
            }
            Expr::Local(local) => self.holder(Holder::Local(scope, *local)),
            Expr::LocalElem(local, index) => {
                let (index, by) = (self.expr(scope, index), self.holder(Holder::LocalIndex(scope, *local)));
                self.same(index, by);
                self.holder(Holder::Local(scope, *local))
            }
            Expr::Binary(BinaryOp::Eq | BinaryOp::Ne, a, b) => {
                let (a, b) = (self.expr(scope, a), self.expr(scope, b));
                self.same(a, b);
                number
            }
            Expr::If(condition, a, b) => {
                self.number(scope, condition);
                let (a, b) = (self.expr(scope, a), self.expr(scope, b));
                self.same(a, b)
            }
            Expr::Quantified(_, local, range, body) => {
                self.quantified.insert((scope, *local));
                let class = self.id(Holder::Local(scope, *local));
                self.ranges.push((class, *range));
                self.number(scope, body);
                number
            }
            Expr::Call(function, arguments) => {
                self.arguments(scope, *function, arguments);
                self.holder(Holder::Result(*function))
            }
            Expr::Channel(channel) => {
                self.channel_values = true;
                self.channel(scope, channel);
                number
            }
            Expr::Length(channel) | Expr::Capacity(channel) => {
                self.channel(scope, channel);
                number
            }
            Expr::Poll(receive) => {
                self.receive(scope, receive);
                number
            }
            Expr::Clock(atom) => {
                self.atoms(scope, std::slice::from_ref(atom));
                number
            }
            Expr::Unary(..) | Expr::Binary(..) | Expr::And(_) | Expr::Or(_) => {
                beeline_ir::visit::children(expr, &mut |child| self.number(scope, child));
                number
            }
            Expr::Next(_)
            | Expr::At(..)
            | Expr::Alive(_)
            | Expr::ProcessCount
            | Expr::Enabled(..)
            | Expr::Timeout
            | Expr::Deadlock => number,
        }
    }

    fn arguments(&mut self, scope: Scope, function: FunctionId, arguments: &[Expr]) {
        for (index, argument) in arguments.iter().enumerate() {
            let given = self.expr(scope, argument);
            let param = self.holder(Holder::Local(Scope::Function(function), LocalId::new(index)));
            self.same(given, param);
        }
    }

    fn channel(&mut self, scope: Scope, channel: &ChannelRef) -> Option<ChannelId> {
        match channel {
            ChannelRef::Element(id, index) => {
                if let Some(index) = index {
                    let (index, by) = (self.expr(scope, index), self.holder(Holder::Element(*id)));
                    self.same(index, by);
                }
                Some(*id)
            }
            ChannelRef::Value(value) => {
                self.channel_values = true;
                self.number(scope, value);
                None
            }
        }
    }

    /// A field of a message, and what it is compared with or stored to.
    fn field(&mut self, channel: Option<ChannelId>, field: usize, kind: Kind) {
        let of = channel.map_or(Kind::Of(NUMBERS), |channel| self.holder(Holder::Field(channel, field)));
        self.same(kind, of);
    }

    fn send(&mut self, scope: Scope, send: &Send) {
        let channel = self.channel(scope, &send.channel);
        if let Some(channel) = channel {
            let fields = (0..send.message.len()).map(|field| Holder::Field(channel, field));
            let fields: Vec<u32> = fields.map(|field| self.id(field)).collect();
            self.wrapping.extend(fields);
        }
        for (field, value) in send.message.iter().enumerate() {
            let kind = self.expr(scope, value);
            self.field(channel, field, kind);
            if send.sorted {
                self.field(channel, field, Kind::Of(NUMBERS));
            }
        }
    }

    fn receive(&mut self, scope: Scope, receive: &Receive) {
        let channel = self.channel(scope, &receive.channel);
        for (field, pattern) in receive.pattern.iter().enumerate() {
            let kind = match pattern {
                Pattern::Bind(target) => self.target(scope, target),
                Pattern::Match(value) => self.expr(scope, value),
                Pattern::Ignore => Kind::Either,
            };
            self.field(channel, field, kind);
        }
    }

    fn target(&mut self, scope: Scope, target: &Target) -> Kind {
        let kind = self.place(scope, &target.place);
        if let (Store::Wrapping, Kind::Of(id)) = (target.store, kind) {
            self.wrapping.push(id);
        }
        kind
    }

    fn place(&mut self, scope: Scope, place: &Place) -> Kind {
        match place {
            Place::Var(var) => self.holder(Holder::Content(*var)),
            Place::Elem(var, index) => {
                let (index, by) = (self.expr(scope, index), self.holder(Holder::Index(*var)));
                self.same(index, by);
                self.holder(Holder::Content(*var))
            }
            Place::Local(local) => self.holder(Holder::Local(scope, *local)),
            Place::LocalElem(local, index) => {
                let (index, by) = (self.expr(scope, index), self.holder(Holder::LocalIndex(scope, *local)));
                self.same(index, by);
                self.holder(Holder::Local(scope, *local))
            }
        }
    }

    fn atoms(&mut self, scope: Scope, atoms: &[ClockAtom]) {
        for atom in atoms {
            atom.when.iter().for_each(|when| self.number(scope, when));
            self.number(scope, &atom.bound);
        }
    }

    fn block(&mut self, scope: Scope, block: &Block) {
        for statement in block {
            match statement {
                Stmt::Assign(target, value) => {
                    let (target, value) = (self.target(scope, target), self.expr(scope, value));
                    self.same(target, value);
                }
                Stmt::ClockSet(_, value) | Stmt::Assert(value, _) => self.number(scope, value),
                Stmt::ClockCopy(..) | Stmt::Exit => {}
                Stmt::If(condition, then, otherwise) => {
                    self.number(scope, condition);
                    self.block(scope, then);
                    self.block(scope, otherwise);
                }
                Stmt::While(condition, body) => {
                    self.number(scope, condition);
                    self.block(scope, body);
                }
                Stmt::Call(function, arguments, target) => {
                    self.arguments(scope, *function, arguments);
                    if let Some(target) = target {
                        let (target, result) =
                            (self.target(scope, target), self.holder(Holder::Result(*function)));
                        self.same(target, result);
                    }
                }
                Stmt::Send(send) => self.send(scope, send),
                Stmt::Receive(receive) => self.receive(scope, receive),
                Stmt::Start(_, arguments, target) => {
                    arguments.iter().for_each(|argument| self.number(scope, argument));
                    let target = target.as_ref().map(|target| self.target(scope, target));
                    target.into_iter().for_each(|kind| self.numbers(kind));
                }
                Stmt::Return(value) => {
                    if let (Some(value), Scope::Function(function)) = (value, scope) {
                        let (value, result) =
                            (self.expr(scope, value), self.holder(Holder::Result(function)));
                        self.same(value, result);
                    }
                }
            }
        }
    }
}
