//! Ways in which one step gets in the way of another: an index that a partner writes in the same step, parameters of
//! processes that have just been started, processes that end or start others where one would not look for it, invariants
//! and operands of which one fails. Reductions have overlooked each of them once. They are put into models in which little
//! else happens ([`super::sparse`]): where everybody has to do with everybody nothing is left out, and nothing can go wrong.

use crate::random::Random;
use beeline_ir::expr::{BinaryOp, ChannelRef, Expr};
use beeline_ir::network::{ChannelKind, Edge, Network, Role, Sync};
use beeline_ir::stmt::{Function, Pattern, Place, Receive, Send, Stmt, Store, Target};
use beeline_ir::{ChannelId, EdgeId, FamilyId, FunctionId, LocationId, Model, ProcessId, VarId, wellformed};

/// Variables and channels to tangle with.
#[derive(Clone, Debug)]
pub(super) struct Strings {
    /// An array of truth values.
    pub(super) array: VarId,
    /// An index of it.
    pub(super) index: VarId,
    /// Indices that some processes have for themselves.
    pub(super) owned: Vec<Option<VarId>>,
    /// An array of channels without messages.
    pub(super) wires: ChannelId,
}

/// Adds up to so many tangles.
pub(super) fn add(network: &mut Network, random: &mut Random, strings: &Strings, most: usize) {
    for _ in 0..most {
        let mut tangled = network.clone();
        let mut tangler = Tangler { network: &mut tangled, random, strings };
        if tangler.some().is_none() {
            continue;
        }
        // What would not be a model is left alone.
        let tangled = Model::Network(tangled);
        if wellformed::check(&tangled).is_empty()
            && let Model::Network(tangled) = tangled
        {
            *network = tangled;
        }
    }
}

type EdgeAt = (ProcessId, EdgeId);

struct Tangler<'a> {
    network: &'a mut Network,
    random: &'a mut Random,
    strings: &'a Strings,
}

impl Tangler<'_> {
    /// Adds a tangle of some kind; none if there is no place for it.
    fn some(&mut self) -> Option<()> {
        match self.random.below(15) {
            0 | 1 => self.index_of_a_partner(),
            2 | 3 => self.access(),
            4 => self.index(),
            5 => self.wire(),
            6 => self.index_after_start(),
            7 => self.start_in_function(),
            8 => self.end_together(),
            9 => self.exclusive_start(),
            10 => self.failing_condition(),
            11 => self.failing_update(),
            12 => self.filled_by_update(),
            13 => self.asks_in_update(),
            _ => self.asks_for_partners(),
        }
    }
    /// Some edge of the system that is as wanted.
    fn edge(&mut self, wanted: impl Fn(&Edge) -> bool) -> Option<EdgeAt> {
        let mut all = Vec::new();
        for (id, process) in self.network.processes.enumerate() {
            let edges = process.edges.enumerate().filter(|(_, edge)| wanted(edge));
            if process.role == Role::System {
                all.extend(edges.map(|(edge, _)| (id, edge)));
            }
        }
        self.random.pick(&all).copied()
    }
    fn at(&mut self, (process, edge): EdgeAt) -> &mut Edge {
        &mut self.network.processes[process].edges[edge]
    }
    fn cell_value(&mut self) -> Expr {
        Expr::Const(self.random.between(0, 1))
    }
    /// The index, or the own one of the process, or a constant.
    fn some_index(&mut self, process: ProcessId) -> Expr {
        match (self.random.below(5), self.strings.owned[process.index()]) {
            (0, _) => Expr::Const(self.random.between(0, 1)),
            (1 | 2, Some(own)) => Expr::Var(own),
            _ => Expr::Var(self.strings.index),
        }
    }
    /// Changes the index, or the own one of some process.
    fn new_index(&mut self) -> Stmt {
        let others: Vec<VarId> = self.strings.owned.iter().copied().flatten().collect();
        let var = match self.random.pick(&others) {
            Some(own) if self.random.chance(40) => *own,
            _ => self.strings.index,
        };
        let hi = self.network.vars[var].range.hi;
        assign(Place::Var(var), Expr::Const(self.random.between(0, hi)))
    }
    fn use_cell(&mut self, at: EdgeAt) {
        let (index, value) = (self.some_index(at.0), self.cell_value());
        match self.random.below(4) {
            0 => {
                let cell = Expr::Elem(self.strings.array, Box::new(index));
                conjoin(&mut self.at(at).guard, cell.binary(BinaryOp::Eq, value));
            }
            1 => {
                let cell = Expr::Elem(self.strings.array, Box::new(index));
                let to = assign(Place::Elem(self.strings.array, value), cell);
                self.push(at, to);
            }
            _ => {
                let to = assign(Place::Elem(self.strings.array, index), value);
                self.push(at, to);
            }
        }
    }
    /// Adds a statement at the end of an update, where there may be more.
    fn push(&mut self, at: EdgeAt, statement: Stmt) {
        let update = &mut self.at(at).update;
        let end = update.len() - usize::from(update.last() == Some(&Stmt::Exit));
        update.insert(end, statement);
    }

    /// Whoever sends, or another who listens, writes an index by which a receiver accesses the array; a third has to do
    /// with the element that it is after that.
    fn index_of_a_partner(&mut self) -> Option<()> {
        let reader = self.edge(|edge| matches!(edge.sync, Sync::Receive(_)))?;
        let channel = channel_of(&self.at(reader).sync)?.clone();
        let mut partners = Vec::new();
        for (id, process) in self.network.processes.enumerate().filter(|(id, _)| *id != reader.0) {
            let meets = |edge: &Edge| channel_of(&edge.sync) == Some(&channel);
            partners.extend(process.edges.enumerate().filter(|(_, e)| meets(e)).map(|(edge, _)| (id, edge)));
        }
        let writer = *self.random.pick(&partners)?;
        let (array, index) = (self.strings.array, self.strings.index);
        let now = self.random.between(1, self.network.vars[index].range.hi);
        self.at(writer).update.insert(0, assign(Place::Var(index), Expr::Const(now)));
        let value = self.cell_value();
        self.push(reader, assign(Place::Elem(array, Expr::Var(index)), value.clone()));
        let third = self.edge(|edge| edge.sync == Sync::Internal)?;
        let cell = Expr::Elem(array, Box::new(Expr::Const(now)));
        if self.random.chance(70) {
            conjoin(&mut self.at(third).guard, cell.binary(BinaryOp::Ne, value));
        } else {
            self.push(third, assign(Place::Elem(array, Expr::Const(now)), Expr::Const(0)));
        }
        Some(())
    }
    fn access(&mut self) -> Option<()> {
        let at = self.edge(|_| true)?;
        self.use_cell(at);
        Some(())
    }
    fn index(&mut self) -> Option<()> {
        let at = self.edge(|_| true)?;
        let statement = self.new_index();
        self.push(at, statement);
        self.access()
    }

    /// Two edges meet over a channel that an index tells.
    fn wire(&mut self) -> Option<()> {
        let internal = |edge: &Edge| edge.sync == Sync::Internal && edge.clock_guard.is_empty();
        let (sender, receiver) = (self.edge(internal)?, self.edge(internal)?);
        if sender.0 == receiver.0 {
            return None;
        }
        let here = ChannelRef::Element(self.strings.wires, Some(Box::new(self.some_index(sender.0))));
        let there = ChannelRef::Element(self.strings.wires, Some(Box::new(self.some_index(receiver.0))));
        self.at(sender).sync = Sync::Send(Send { channel: here, message: Vec::new(), sorted: false });
        let receive = Receive { channel: there, pattern: Vec::new(), any: false, keep: false };
        self.at(receiver).sync = Sync::Receive(receive);
        Some(())
    }

    /// An edge that starts a process, and the family.
    fn starter(&mut self) -> Option<(EdgeAt, usize, FamilyId)> {
        let starts = |statement: &Stmt| matches!(statement, Stmt::Start(..));
        let at = self.edge(|edge| edge.update.iter().any(starts))?;
        let position = self.at(at).update.iter().position(starts)?;
        match self.at(at).update[position] {
            Stmt::Start(family, ..) => Some((at, position, family)),
            _ => None,
        }
    }
    /// Whoever starts a process uses its parameters as indices.
    fn index_after_start(&mut self) -> Option<()> {
        let (at, position, family) = self.starter()?;
        let slots = self.network.families[family].slots.clone();
        let slot = *self.random.pick(&slots)?;
        let params = self.network.processes[slot].params.clone();
        let index = match (self.random.pick(&params), self.strings.owned[slot.index()]) {
            (_, Some(own)) if self.random.chance(40) => own,
            (Some(param), _) => *param,
            _ => return None,
        };
        let value = self.cell_value();
        let statement = assign(Place::Elem(self.strings.array, Expr::Var(index)), value);
        let before = self.random.chance(30);
        self.at(at).update.insert(position + usize::from(!before), statement);
        self.access()
    }
    /// A function does it.
    fn start_in_function(&mut self) -> Option<()> {
        let (at, position, family) = self.starter()?;
        let arguments = match &self.at(at).update[position] {
            Stmt::Start(_, arguments, _) => arguments.len(),
            _ => return None,
        };
        let arguments = (0..arguments).map(|_| self.cell_value()).collect();
        let mut body = vec![Stmt::Start(family, arguments, None)];
        if self.random.chance(40) {
            body.push(self.new_index());
        }
        let id = FunctionId::new(self.network.functions.len());
        let name = format!("starts{}", id.index());
        let function = Function { name, frame: Vec::new(), params: 0, result: None, body, origin: None };
        self.network.functions.push(function);
        self.at(at).update[position] = Stmt::Call(id, Vec::new(), None);
        Some(())
    }
    /// A process ends while it meets another, or two end together.
    fn end_together(&mut self) -> Option<()> {
        let ends = |edge: &Edge| edge.update.last() == Some(&Stmt::Exit);
        let at = self.edge(|edge| ends(edge) && edge.clock_guard.is_empty())?;
        let both = self.random.chance(40);
        let partner = self.edge(|edge| edge.clock_guard.is_empty() && (ends(edge) || !both))?;
        if at.0 == partner.0 {
            return None;
        }
        let (sender, receiver) = if self.random.chance(50) { (at, partner) } else { (partner, at) };
        let wire = || ChannelRef::Element(self.strings.wires, Some(Box::new(Expr::Const(0))));
        let send = Send { channel: wire(), message: Vec::new(), sorted: false };
        let receive = Receive { channel: wire(), pattern: Vec::new(), any: false, keep: false };
        self.at(sender).sync = Sync::Send(send);
        self.at(receiver).sync = Sync::Receive(receive);
        if self.random.chance(50) {
            self.at(at).guard = Expr::TRUE; // it may turn out not to be the youngest
        }
        Some(())
    }
    /// Who is started keeps others waiting at once, or whoever arrives somewhere does.
    fn exclusive_start(&mut self) -> Option<()> {
        let mut all = Vec::new();
        for (id, process) in self.network.processes.enumerate() {
            if process.role == Role::System {
                all.push(id);
            }
        }
        let members: Vec<ProcessId> =
            all.iter().copied().filter(|id| self.network.processes[*id].family.is_some()).collect();
        let member = if self.random.chance(70) { self.random.pick(&members) } else { None };
        let process = *member.or(self.random.pick(&all))?;
        let count = self.network.processes[process].locations.len();
        let place = if member.is_some() { 0 } else { self.random.below(count) };
        let untimed = self.network.clocks.is_empty();
        let location = &mut self.network.processes[process].locations[LocationId::new(place)];
        if untimed && self.random.chance(50) {
            location.atomic = true;
        } else {
            location.committed = true;
        }
        Some(())
    }
    /// An invariant that fails for some values, or does not hold.
    fn failing_condition(&mut self) -> Option<()> {
        let at = self.edge(|_| true)?;
        let (index, value) = (self.some_index(at.0), self.cell_value());
        let cell = Expr::Elem(self.strings.array, Box::new(index));
        let target = self.at(at).target;
        let condition = &mut self.network.processes[at.0].locations[target].condition;
        conjoin(condition, cell.binary(BinaryOp::Ne, value));
        Some(())
    }
    /// An update that fails for some values, often of a partner.
    fn failing_update(&mut self) -> Option<()> {
        let meets = self.random.chance(60);
        let at = self.edge(|edge| edge.sync != Sync::Internal || !meets)?;
        let more = Expr::Var(self.strings.index).binary(BinaryOp::Add, Expr::Const(1));
        let statement = assign(Place::Var(self.strings.index), more);
        self.push(at, statement);
        Some(())
    }
    /// A buffer is filled, or emptied, in passing.
    fn filled_by_update(&mut self) -> Option<()> {
        let buffers = self.network.channels.enumerate().filter(|(_, channel)| {
            matches!(channel.kind, ChannelKind::Buffered { .. }) && channel.len.is_none()
        });
        let buffers: Vec<(ChannelId, usize)> =
            buffers.map(|(id, channel)| (id, channel.fields.len())).collect();
        let (id, fields) = *self.random.pick(&buffers)?;
        let channel = ChannelRef::Element(id, None);
        let statement = if self.random.chance(60) {
            let message = (0..fields).map(|_| self.cell_value()).collect();
            Stmt::Send(Send { channel, message, sorted: false })
        } else {
            let pattern = vec![Pattern::Ignore; fields];
            Stmt::Receive(Receive { channel, pattern, any: false, keep: false })
        };
        let at = self.edge(|_| true)?;
        self.push(at, statement);
        Some(())
    }
    /// Somebody asks whether another could go, which may depend on a third.
    fn asks_for_partners(&mut self) -> Option<()> {
        let asked = self.edge(|edge| edge.sync != Sync::Internal && edge.clock_guard.is_empty())?;
        let asking = self.edge(|edge| edge.sync == Sync::Internal)?;
        let question = Expr::Enabled(asked.0, vec![asked.1]);
        let question = if self.random.chance(50) { question.negated() } else { question };
        conjoin(&mut self.at(asking).guard, question);
        Some(())
    }
    /// What somebody does depends on whether another could go.
    fn asks_in_update(&mut self) -> Option<()> {
        let asked = self.edge(|edge| edge.clock_guard.is_empty())?;
        let at = self.edge(|_| true)?;
        let index = self.some_index(at.0);
        let answer = assign(Place::Elem(self.strings.array, index), Expr::Enabled(asked.0, vec![asked.1]));
        self.push(at, answer);
        Some(())
    }
}

fn channel_of(sync: &Sync) -> Option<&ChannelRef> {
    match sync {
        Sync::Internal => None,
        Sync::Send(send) => Some(&send.channel),
        Sync::Receive(receive) => Some(&receive.channel),
    }
}

pub(super) fn assign(place: Place, value: Expr) -> Stmt {
    Stmt::Assign(Target { place, store: Store::Checked }, value)
}

pub(super) fn conjoin(guard: &mut Expr, condition: Expr) {
    let before = std::mem::replace(guard, Expr::TRUE);
    *guard = if before.is_true() { condition } else { Expr::And(vec![before, condition]) };
}
