//! Two processes side by side: what one has to be exchanged for, so that it becomes the other; and whether a whole network
//! stays the same if all that is exchanged.
//!
//! A first pass over processes that are to be exchanged *binds*: where one names a variable, clock, channel or value, and
//! the other another one, these are exchanged, too. Whatever is not bound stays where it is. A second pass over everything
//! *compares*, and binds nothing: what is accepted is an automorphism by construction, whoever proposed it.

mod statements;

use super::classes::{Class, Classes, Holder, Scope};
use super::exchange::{Cell, Exchange, go_round, image, is_permutation, meet};
use super::order::Order;
use super::work::Evaluation;
use beeline_ir::expr::{BinaryOp, ClockAtom, Expr, Quantifier};
use beeline_ir::layout::Layout;
use beeline_ir::network::{Edge, Location, Network, Process, Sync};
use beeline_ir::stmt::{Function, Local, Stmt};
use beeline_ir::{ChannelId, ClockId, EdgeId, FunctionId, LocalId, LocationId, ProcessId, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// Arrays that are exchanged for others, element by element as the indices are: while things are bound, those that are to
/// be, afterwards those that are known to be.
type Arrays<I> = BTreeSet<(I, I)>;

/// The comparison of two parts of a network.
pub struct Matching<'n> {
    network: &'n Network,
    layout: &'n Layout,
    classes: &'n Classes,
    order: &'n Order<'n>,
    /// Whether what is compared may take too long, so that it has to be evaluated in the same order.
    strict: bool,
    /// What is exchanged.
    pub exchange: Exchange,
    /// Whether things are still bound.
    binding: bool,
    arrays: Arrays<VarId>,
    channels: Arrays<ChannelId>,
    /// Functions whose bodies have been compared.
    compared: BTreeSet<(FunctionId, FunctionId)>,
    /// Processes that are to be compared because they were named.
    pub named: Vec<(ProcessId, ProcessId)>,
}

impl<'n> Matching<'n> {
    /// Nothing is bound yet.
    pub fn new(network: &'n Network, layout: &'n Layout, classes: &'n Classes, order: &'n Order<'n>) -> Self {
        Self {
            network,
            layout,
            classes,
            order,
            strict: false,
            exchange: Exchange::default(),
            binding: true,
            arrays: BTreeSet::new(),
            channels: BTreeSet::new(),
            compared: BTreeSet::new(),
            named: Vec::new(),
        }
    }

    /// Nothing is bound any more: arrays go where their indices go, and everything is a permutation, or nothing fits.
    pub fn close(&mut self) -> bool {
        self.binding = false;
        self.compared.clear();
        let Self { network, classes, exchange, .. } = self;
        exchange.values.values_mut().for_each(go_round);
        for (array, other) in std::mem::take(&mut self.arrays) {
            let class = classes.class(Holder::Index(array));
            for cell in 0..network.vars[array].len.unwrap_or(0) {
                let to = exchange.value(class, i64::from(cell)) as usize;
                if !meet(&mut exchange.cells, true, (array, cell as usize), (other, to)) {
                    return false;
                }
            }
        }
        for (array, other) in std::mem::take(&mut self.channels) {
            let class = classes.class(Holder::Element(array));
            for element in 0..network.channels[array].len.unwrap_or(0) {
                let to = exchange.value(class, i64::from(element)) as usize;
                if !meet(&mut exchange.elements, true, (array, element as usize), (other, to)) {
                    return false;
                }
            }
        }
        let Exchange { processes, cells, clocks, elements, functions, values } = &*exchange;
        let moved = |values: &BTreeMap<i64, i64>| -> Vec<i64> {
            values.iter().filter(|(from, to)| from != to).map(|(from, _)| *from).collect()
        };
        is_permutation(processes)
            && is_permutation(cells)
            && is_permutation(clocks)
            && is_permutation(elements)
            && is_permutation(functions)
            && values.values().all(is_permutation)
            && values.iter().all(|(class, values)| classes.allows(*class, &moved(values)))
            && self.declarations_agree()
    }

    /// What is exchanged is declared alike.
    fn declarations_agree(&self) -> bool {
        let Exchange { cells, elements, .. } = &self.exchange;
        let vars = &self.network.vars;
        // What belongs to a process that is started or ends is given its initial value then.
        let lasts =
            |var: VarId| vars[var].owner.is_none_or(|owner| !is_mortal(&self.network.processes[owner]));
        let cells_agree = cells.iter().all(|((from, at), (to, cell))| {
            ((from, at) == (to, cell) || lasts(*from) && lasts(*to))
                && vars[*from].range == vars[*to].range
                && *cell < vars[*to].len.map_or(1, |len| len as usize)
        });
        let channels = &self.network.channels;
        let mut moved: BTreeMap<ChannelId, ChannelId> = BTreeMap::new();
        for from in elements.keys().map(|(from, _)| *from) {
            moved.entry(from).or_insert_with(|| image(elements, (from, 0)).0);
        }
        let goes = |from: ChannelId, to: ChannelId| {
            (0..channels[from].elements()).all(|element| image(elements, (from, element)).0 == to)
        };
        moved.retain(|from, to| goes(*from, *to));
        let whole = |from: ChannelId, to: ChannelId| moved.get(&from) == Some(&to);
        let elements_agree = elements.iter().all(|(from, to)| {
            let (a, b) = (&channels[from.0], &channels[to.0]);
            to.1 < b.elements()
                && (a.kind, &a.fields, a.urgent) == (b.kind, &b.fields, b.urgent)
                && a.priority[from.1] == b.priority[to.1]
                && whole(from.0, to.0)
                && !(self.classes.channel_values && from != to)
        });
        cells_agree && elements_agree
    }

    /// Whether a process becomes another.
    pub fn process(
        &mut self,
        (a, from): (ProcessId, &'n Process),
        (b, to): (ProcessId, &'n Process),
    ) -> bool {
        let alike = (from.role, from.family, from.priority, from.initial)
            == (to.role, to.family, to.priority, to.initial)
            && (from.locations.len(), from.edges.len()) == (to.locations.len(), to.edges.len());
        let stays = a == b;
        alike
            && (stays || !is_mortal(from))
            && meet(&mut self.exchange.processes, self.binding, a, b)
            && std::iter::zip(from.locations.enumerate(), &to.locations)
                .all(|((id, from), to)| self.location((a, id), from, to))
            && std::iter::zip(from.edges.enumerate(), &to.edges)
                .all(|((id, from), to)| self.edge((a, id), from, to))
    }

    /// What is asked for stays what it is.
    pub fn goal(&mut self, target: &Expr) -> bool {
        self.begin(Evaluation::Property);
        self.expr(Scope::Property, target, target, None)
    }

    /// Another evaluation is compared; whether the one before was strict.
    fn begin(&mut self, evaluation: Evaluation) -> bool {
        std::mem::replace(&mut self.strict, self.order.is_long(evaluation))
    }

    fn location(&mut self, (id, at): (ProcessId, LocationId), from: &Location, to: &Location) -> bool {
        let scope = Scope::Location(id, at);
        self.begin(Evaluation::Invariant(id, at));
        (from.urgent, from.committed, from.atomic) == (to.urgent, to.committed, to.atomic)
            && frames_agree(&from.frame, &to.frame)
            && self.expr(scope, &from.condition, &to.condition, None)
            && self.atoms(scope, &from.invariant, &to.invariant)
    }

    fn edge(&mut self, (id, at): (ProcessId, EdgeId), from: &Edge, to: &Edge) -> bool {
        let scope = Scope::Edge(id, at);
        self.begin(Evaluation::Guard(id, at));
        let alike = (from.source, from.target, from.selects, from.costs)
            == (to.source, to.target, to.selects, to.costs)
            && frames_agree(&from.frame, &to.frame)
            && self.expr(scope, &from.guard, &to.guard, None)
            && self.atoms(scope, &from.clock_guard, &to.clock_guard)
            && match (&from.sync, &to.sync) {
                (Sync::Internal, Sync::Internal) => true,
                (Sync::Send(from), Sync::Send(to)) => self.send(scope, from, to),
                (Sync::Receive(from), Sync::Receive(to)) => self.receive(scope, from, to),
                _ => false,
            };
        self.begin(Evaluation::Update(id, at));
        alike && self.block(scope, &from.update, &to.update)
    }

    fn atoms(&mut self, scope: Scope, from: &[ClockAtom], to: &[ClockAtom]) -> bool {
        from.len() == to.len() && from.iter().zip(to).all(|(from, to)| self.atom(scope, from, to))
    }

    fn atom(&mut self, scope: Scope, from: &ClockAtom, to: &ClockAtom) -> bool {
        from.op == to.op
            && self.clock(from.left, to.left)
            && match (from.right, to.right) {
                (None, None) => true,
                (Some(from), Some(to)) => self.clock(from, to),
                _ => false,
            }
            && match (&from.when, &to.when) {
                (None, None) => true,
                (Some(from), Some(to)) => self.expr(scope, from, to, None),
                _ => false,
            }
            && self.expr(scope, &from.bound, &to.bound, None)
    }

    fn clock(&mut self, from: ClockId, to: ClockId) -> bool {
        meet(&mut self.exchange.clocks, self.binding, from, to)
    }

    fn cell(&mut self, from: Cell<VarId>, to: Cell<VarId>) -> bool {
        meet(&mut self.exchange.cells, self.binding, from, to)
    }

    fn literal(&mut self, from: i64, to: i64, class: Option<Class>) -> bool {
        match class {
            None => from == to,
            Some(class) => {
                let kept = !self.moves(Some(class)) || self.classes.keeps(class, from);
                kept && meet(self.exchange.values.entry(class).or_default(), self.binding, from, to)
            }
        }
    }

    /// Elements of two arrays.
    fn element(&mut self, scope: Scope, (a, at): (VarId, &Expr), (b, there): (VarId, &Expr)) -> bool {
        let class = self.classes.class(Holder::Index(a));
        if let (Expr::Const(at), Expr::Const(there), None) = (at, there, class) {
            let cell = |index: &i64| usize::try_from(*index).ok();
            return match (cell(at), cell(there)) {
                (Some(at), Some(there)) => self.cell((a, at), (b, there)),
                _ => false,
            };
        }
        (self.arrays.contains(&(a, b)) || self.arrays_agree(class, a, b))
            && self.expr(scope, at, there, class)
    }

    /// Whether an array goes where its indices go; each pair is looked at once.
    fn arrays_agree(&mut self, class: Option<Class>, a: VarId, b: VarId) -> bool {
        let len = self.network.vars[a].len.unwrap_or(0);
        let moves = |cell: u32| {
            let to = self.exchange.value(class, i64::from(cell)) as usize;
            image(&self.exchange.cells, (a, cell as usize)) == (b, to)
        };
        let agree = self.binding || self.network.vars[b].len == Some(len) && (0..len).all(moves);
        if agree {
            self.arrays.insert((a, b));
        }
        agree
    }

    /// The same for an array of channels.
    fn channels_agree(&mut self, class: Option<Class>, a: ChannelId, b: ChannelId) -> bool {
        let len = self.network.channels[a].len.unwrap_or(0);
        let moves = |element: u32| {
            let to = self.exchange.value(class, i64::from(element)) as usize;
            image(&self.exchange.elements, (a, element as usize)) == (b, to)
        };
        let agree = self.binding || self.network.channels[b].len == Some(len) && (0..len).all(moves);
        if agree {
            self.channels.insert((a, b));
        }
        agree
    }

    /// The number of a process that always exists.
    fn static_pid(&self, process: ProcessId) -> Option<i64> {
        self.layout.static_pid[process].filter(|_| !self.layout.mortal(process))
    }

    /// Whether an expression becomes another; its value is used as a name of that class, or as a number.
    pub fn expr(&mut self, scope: Scope, from: &Expr, to: &Expr, class: Option<Class>) -> bool {
        match (from, to) {
            (Expr::Const(from), Expr::Const(to)) => self.literal(*from, *to, class),
            (Expr::Pid(from), Expr::Pid(to)) => match (self.static_pid(*from), self.static_pid(*to)) {
                (Some(from), Some(to)) => self.literal(from, to, class),
                _ => from == to && class.is_none(),
            },
            (Expr::Var(from), Expr::Var(to)) => self.cell((*from, 0), (*to, 0)),
            (Expr::Elem(from, at), Expr::Elem(to, there)) => self.element(scope, (*from, at), (*to, there)),
            (Expr::Local(from), Expr::Local(to)) => from == to,
            (Expr::LocalElem(from, at), Expr::LocalElem(to, there)) => {
                // The cells of a local stay where they are: it must not be indexed by names.
                let class = self.classes.class(Holder::LocalIndex(scope, *from));
                from == to && self.expr(scope, at, there, class) && !self.moves(class)
            }
            (Expr::At(from, at), Expr::At(to, there)) => at == there && self.name(*from, *to),
            (Expr::Alive(from), Expr::Alive(to)) => self.name(*from, *to),
            (Expr::Enabled(from, edges), Expr::Enabled(to, others)) => {
                edges == others && self.name(*from, *to) && !self.strict
            }
            // Who can move is looked for in the order of processes.
            (Expr::Timeout, Expr::Timeout) => !self.strict,
            (Expr::ProcessCount, Expr::ProcessCount) | (Expr::Deadlock, Expr::Deadlock) => true,
            (Expr::Unary(op, from), Expr::Unary(other, to)) => {
                op == other && self.expr(scope, from, to, None)
            }
            (Expr::Binary(op, a, b), Expr::Binary(other, c, d)) if op == other => {
                let names = matches!(op, BinaryOp::Eq | BinaryOp::Ne);
                let class = if names {
                    self.classes.class_of(scope, a).or_else(|| self.classes.class_of(scope, b))
                } else {
                    None
                };
                // Two literals are equal or not, whatever they are exchanged for.
                if let (Expr::Const(a), Expr::Const(b), Expr::Const(c), Expr::Const(d), true) =
                    (&**a, &**b, &**c, &**d, names)
                {
                    return (a == b) == (c == d);
                }
                self.expr(scope, a, c, class) && self.expr(scope, b, d, class)
            }
            (Expr::And(from), Expr::And(to)) | (Expr::Or(from), Expr::Or(to)) => {
                self.operands(scope, from, to)
            }
            (Expr::If(a, b, c), Expr::If(d, e, f)) => {
                self.expr(scope, a, d, None) && self.expr(scope, b, e, class) && self.expr(scope, c, f, class)
            }
            (Expr::Quantified(from, local, range, body), Expr::Quantified(to, other, values, inner)) => {
                let class = self.classes.class(Holder::Local(scope, *local));
                // Values are gone through in another order.
                let order = !self.strict
                    && match from {
                        Quantifier::Sum => self.order.adds_up(scope, *range, body),
                        _ => self.order.is_total(scope, body),
                    };
                (from, local, range) == (to, other, values)
                    && (order || !self.moves(class))
                    && self.expr(scope, body, inner, None)
            }
            (Expr::Call(from, arguments), Expr::Call(to, others)) => {
                self.call(scope, (*from, arguments), (*to, others))
            }
            (Expr::Channel(from), Expr::Channel(to))
            | (Expr::Length(from), Expr::Length(to))
            | (Expr::Capacity(from), Expr::Capacity(to)) => self.channel(scope, from, to),
            (Expr::Poll(from), Expr::Poll(to)) => self.receive(scope, from, to),
            (Expr::Clock(from), Expr::Clock(to)) => self.atom(scope, from, to),
            _ => false,
        }
    }

    /// Whether names of a class are exchanged; while things are bound, they may still be.
    fn moves(&self, class: Option<Class>) -> bool {
        let values = class.and_then(|class| self.exchange.values.get(&class));
        !self.binding && values.is_some_and(|values| values.iter().any(|(from, to)| from != to))
    }

    /// A process is named.
    fn name(&mut self, from: ProcessId, to: ProcessId) -> bool {
        if self.binding && !self.exchange.processes.contains_key(&from) && from != to {
            self.named.push((from, to));
        }
        meet(&mut self.exchange.processes, self.binding, from, to)
    }

    /// The operands of a conjunction or disjunction, in any order if none of them can fail.
    fn operands(&mut self, scope: Scope, from: &[Expr], to: &[Expr]) -> bool {
        if from.len() != to.len() {
            return false;
        }
        let ordered =
            self.strict || !from.iter().chain(to).all(|operand| self.order.is_total(scope, operand));
        if self.binding || ordered {
            return from.iter().zip(to).all(|(from, to)| self.expr(scope, from, to, None));
        }
        // Nothing is bound, so that all that an operand becomes are the same: any of them will do.
        let mut left: Vec<&Expr> = to.iter().collect();
        from.iter().all(|from| {
            let found = left.iter().position(|to| self.expr(scope, from, to, None));
            found.map(|position| left.swap_remove(position)).is_some()
        })
    }

    fn call(
        &mut self,
        scope: Scope,
        (from, arguments): (FunctionId, &[Expr]),
        (to, others): (FunctionId, &[Expr]),
    ) -> bool {
        let param = |index: usize| Holder::Local(Scope::Function(from), LocalId::new(index));
        arguments.len() == others.len()
            && arguments.iter().zip(others).enumerate().all(|(index, (a, b))| {
                let class = self.classes.class(param(index));
                self.expr(scope, a, b, class)
            })
            && self.function(from, to)
    }

    fn function(&mut self, from: FunctionId, to: FunctionId) -> bool {
        if !meet(&mut self.exchange.functions, self.binding, from, to) {
            return false;
        }
        if !self.compared.insert((from, to)) {
            return true;
        }
        let network = self.network;
        let (a, b): (&Function, &Function) = (&network.functions[from], &network.functions[to]);
        let outer = self.begin(Evaluation::Function(from));
        let alike = (a.params, a.result) == (b.params, b.result)
            && frames_agree(&a.frame, &b.frame)
            && self.block(Scope::Function(from), &a.body, &b.body);
        self.strict = outer;
        alike
    }
}

/// Whether a process is started by others, or may end.
fn is_mortal(process: &Process) -> bool {
    process.family.is_some() || process.edges.iter().any(|edge| edge.update.last() == Some(&Stmt::Exit))
}

fn frames_agree(from: &[Local], to: &[Local]) -> bool {
    from.len() == to.len() && from.iter().zip(to).all(|(a, b)| (a.range, a.len) == (b.range, b.len))
}
