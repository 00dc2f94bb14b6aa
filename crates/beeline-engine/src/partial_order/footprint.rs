//! What each edge touches: by its evaluation, and when it is taken.
//!
//! Nothing here knows what a guard means: it is the operations of the compiled routines that are looked at. An access
//! by an index or through a channel that stands in a slot touches one thing only; which one, the state tells, as long
//! as nobody changes that slot ([`Access`]).

use super::access::{Access, Use, What};
use super::resources::{Bits, Resources, Touched};
use super::{WhyNot, go_on};
use beeline_ir::expr::{BinaryOp, Expr};
use beeline_ir::layout::SlotKind;
use beeline_ir::limits::Limits;
use beeline_ir::network::{ChannelKind, Network, Role};
use beeline_ir::stmt::Store;
use beeline_ir::{EdgeId, FamilyId, IdVec, ProcessId};
use beeline_program::{Atom, ChannelUse, CompiledEdge, CompiledSync, Op, Program, RoutineId, Source};
use beeline_zones::fault::{self, Fault};

/// How an edge finds whoever it needs.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Meeting {
    /// It needs nobody.
    Alone,
    /// It needs a buffer with room or a message, as far as one knows.
    Buffer,
    /// It may need partners, or have an audience.
    Partners,
}

/// Accesses of a process, as bits by their numbers.
pub type Accesses = u64;

/// What an edge touches.
#[derive(Clone, Debug)]
pub struct Footprint {
    /// What its evaluation looks at, but for what the state tells.
    pub asks: Bits,
    /// Accesses of its evaluation.
    pub asks_by: Accesses,
    /// What it touches in all when it is taken, but for what the state tells.
    pub touched: Touched,
    /// Its accesses.
    pub by: Accesses,
    /// Slots that it may change, those of processes that it starts or ends left out.
    pub stores: Bits,
    /// Slots of processes that it starts or ends.
    pub resets: Bits,
    /// The families of which it starts processes.
    pub starts: u64,
    /// One of them begins where others have to wait for it.
    pub starts_committed: bool,
    /// How it finds whom it needs.
    pub meeting: Meeting,
    /// It ends its process, and as long as there is a younger one it waits.
    pub awaits_younger: bool,
}

/// What all edges touch.
#[derive(Debug)]
pub struct Footprints {
    /// By process, then edge.
    pub edges: IdVec<ProcessId, IdVec<EdgeId, Footprint>>,
    /// The accesses of each process.
    pub accesses: IdVec<ProcessId, Vec<Access>>,
}

/// Most accesses of a process and most families that fit into a word.
const MOST: usize = 64;

/// What all edges of a program touch, with a goal that depends on some resources, or on what labels do that are taken or
/// fail.
pub fn of(
    network: &Network,
    program: &Program,
    resources: &Resources,
    (goal, of_labels): (&Bits, bool),
    limits: &Limits,
) -> Result<Footprints, WhyNot> {
    if program.families.len() > MOST {
        return Err("there are too many families");
    }
    let mut edges = IdVec::new();
    let mut accesses = IdVec::new();
    for (process, compiled) in program.processes.enumerate() {
        go_on(limits)?;
        let mut all = Vec::new();
        let of = |(id, edge): (EdgeId, &CompiledEdge)| {
            if compiled.role == Role::Observer {
                // The property is about none: they do not move.
                return Footprint::nothing(resources);
            }
            // Before its time, an end that no guard keeps back is a label that fails. That is as good as waiting unless
            // failing labels matter.
            let kept_back = is_of_youngest(program, process, &network.processes[process].edges[id].guard);
            // Together with a younger one it need not wait.
            let alone = edge.sync.channel().is_none_or(|channel| !meets_partners(program, channel));
            let fails = of_labels && !kept_back && !fault::active(Fault::EndsOnlyWait);
            let waits = edge.exits && alone && !fails;
            Walk::new(program, resources, process, &mut all).edge(edge, waits)
        };
        edges.push(compiled.edges.enumerate().map(of).collect());
        accesses.push(all);
    }
    let mut footprints = Footprints { edges, accesses };
    footprints.forget_indices(program, resources, limits)?;
    footprints.add_audiences(program, resources);
    footprints.add_partners(program, resources, limits)?;
    footprints.add_invariants(program, resources, limits)?;
    footprints.add_failing_partners(program, resources, limits)?;
    footprints.forget_unread(program, resources, goal);
    if program.clocks > 0 {
        footprints.add_time(network, program, resources, limits)?;
    }
    Ok(footprints)
}

/// Whether a guard holds of the youngest process alone, whose number is one less than that of processes.
fn is_of_youngest(program: &Program, process: ProcessId, guard: &Expr) -> bool {
    match guard {
        Expr::And(parts) => parts.iter().any(|part| is_of_youngest(program, process, part)),
        Expr::Binary(BinaryOp::Eq, number, last) => {
            let own = match **number {
                Expr::Pid(own) => own == process,
                Expr::Const(own) => program.layout.static_pid[process] == Some(own),
                _ => false,
            };
            own && **last == Expr::ProcessCount.binary(BinaryOp::Sub, Expr::Const(1))
        }
        _ => false,
    }
}

impl Footprint {
    /// Nothing.
    fn nothing(resources: &Resources) -> Self {
        let none = Bits::none(resources);
        Self {
            asks: none.clone(),
            asks_by: 0,
            touched: Touched::nothing(resources),
            by: 0,
            stores: none.clone(),
            resets: none,
            starts: 0,
            starts_committed: false,
            meeting: Meeting::Alone,
            awaits_younger: false,
        }
    }
}

/// Goes through the routines of an edge.
struct Walk<'a> {
    program: &'a Program,
    resources: &'a Resources,
    process: ProcessId,
    /// The accesses of the process so far.
    accesses: &'a mut Vec<Access>,
    touched: Touched,
    stores: Bits,
    resets: Bits,
    by: Accesses,
    starts: u64,
}

impl<'a> Walk<'a> {
    fn new(
        program: &'a Program,
        resources: &'a Resources,
        process: ProcessId,
        accesses: &'a mut Vec<Access>,
    ) -> Self {
        let (touched, none) = (Touched::nothing(resources), Bits::none(resources));
        let (stores, resets) = (none.clone(), none);
        Self { program, resources, process, accesses, touched, stores, resets, by: 0, starts: 0 }
    }

    fn edge(mut self, edge: &CompiledEdge, awaits_younger: bool) -> Footprint {
        let (program, resources) = (self.program, self.resources);
        let sync = match &edge.sync {
            CompiledSync::Internal => None,
            CompiledSync::Send { routine, .. } | CompiledSync::Receive { routine, .. } => *routine,
        };
        let atoms = edge.clock_guard.iter().flat_map(Atom::routines);
        if !fault::active(Fault::GuardReadsForgotten) {
            edge.guard.into_iter().chain(sync).chain(atoms).for_each(|routine| self.routine(routine));
        }
        if edge.clock_guard.iter().any(|atom| atom.right.is_some()) {
            self.touched.reads.add(resources.time());
        }
        let (asks, asks_by) = (self.touched.reads.clone(), self.by);
        if edge.exits {
            self.touched.reads.add(resources.starts());
        }
        self.synchronise(edge, sync);
        edge.update.into_iter().for_each(|routine| self.routine(routine));
        if awaits_younger {
            // The youngest process ends first: what others do about theirs cannot come before.
            let existences = program.processes.ids().map(|process| resources.existence(process));
            existences.for_each(|existence| self.touched.reads.remove(existence));
        }
        if edge.source != edge.target || edge.exits {
            self.touched.writes.add(resources.slot(program.layout.location[self.process]));
        }
        let meeting = match edge.sync.channel() {
            None => Meeting::Alone,
            Some(channel) if meets_partners(program, channel) => Meeting::Partners,
            Some(_) => Meeting::Buffer,
        };
        let target = &program.processes[self.process].locations[edge.target];
        if target.committed {
            self.touched.reads.add(resources.commits());
        }
        if target.atomic {
            self.touched.reads.add(resources.takes_token());
        }
        let families =
            program.families.enumerate().filter(|(family, _)| self.starts >> family.index() & 1 == 1);
        let starts_committed = { families }.flat_map(|(_, slots)| slots).any(|process| {
            let started = &program.processes[*process];
            started.locations[started.initial].committed
        });
        if starts_committed {
            self.touched.reads.add(resources.commits());
        }
        let Self { touched, stores, resets, by, starts, accesses, .. } = self;
        let mut footprint = Footprint {
            asks,
            asks_by,
            touched,
            by,
            stores,
            resets,
            starts,
            starts_committed,
            meeting,
            awaits_younger,
        };
        // An index that the edge itself changes says nothing.
        let mut changed = footprint.stores.clone();
        changed.add_all(&footprint.resets);
        footprint.forget(&changed, program, resources, accesses);
        footprint
    }

    /// What the edge does to its channel.
    fn synchronise(&mut self, edge: &CompiledEdge, routine: Option<RoutineId>) {
        let used = match &edge.sync {
            CompiledSync::Internal => return,
            CompiledSync::Send { sorted, .. } => Use::Send { sorted: *sorted },
            CompiledSync::Receive { keep, .. } => Use::Receive { keep: *keep },
        };
        let (program, resources) = (self.program, self.resources);
        let Some(channel) = edge.sync.channel() else { return };
        let first = routine.and_then(|routine| program.routines[routine].results.first().copied());
        // Whether somebody with the token has to wait decides who may go.
        let waits = program.processes[self.process].locations[edge.source].atomic;
        for used in std::iter::once(used).chain(waits.then_some(Use::Look)) {
            match (channel, first) {
                (ChannelUse::Element(element), _) => {
                    used.touch(program, resources, element, &mut self.touched);
                }
                (_, Some(source @ (Source::Const(_) | Source::Slot(_)))) => self.channel(source, used),
                _ => {
                    for element in (0..program.elements.len()).filter(|e| channel.may_name(program, *e)) {
                        used.touch(program, resources, element, &mut self.touched);
                    }
                }
            }
        }
    }

    fn channel(&mut self, source: Source, used: Use) {
        let what = What::Channel(used);
        let (program, resources) = (self.program, self.resources);
        match source {
            Source::Slot(slot) => self.access(Access { index: slot as usize, what }),
            Source::Const(value) => {
                Access { index: 0, what }.touch(program, resources, Some(value), &mut self.touched);
            }
            Source::Reg(_) => Access { index: 0, what }.touch(program, resources, None, &mut self.touched),
        }
    }

    fn access(&mut self, access: Access) {
        self.touched.reads.add(self.resources.slot(access.index));
        let known = self.accesses.iter().position(|other| *other == access);
        let number = known.unwrap_or(self.accesses.len());
        if number >= MOST {
            access.touch(self.program, self.resources, None, &mut self.touched);
            return;
        }
        if known.is_none() {
            self.accesses.push(access);
        }
        self.by |= 1 << number;
    }

    fn routine(&mut self, routine: RoutineId) {
        let program = self.program;
        let routine = &program.routines[routine];
        for op in &routine.code {
            self.op(op);
        }
        let asks = |op: &Op| matches!(op, Op::Enabled { .. } | Op::Timeout { .. });
        if routine.code.iter().any(asks) {
            // Whatever decides about the edges asked for has been added to what the routine reads.
            for slot in routine.reads.iter() {
                self.resources.look_at(&program.layout, slot, &mut self.touched.reads);
            }
        }
        for source in &routine.results {
            self.look_at(*source);
        }
    }

    fn look_at(&mut self, source: Source) {
        if let Source::Slot(slot) = source {
            self.resources.look_at(&self.program.layout, slot as usize, &mut self.touched.reads);
        }
    }

    fn store(&mut self, slot: usize) {
        self.touched.writes.add(self.resources.slot(slot));
        self.stores.add(self.resources.slot(slot));
    }

    fn op(&mut self, op: &Op) {
        let (program, resources) = (self.program, self.resources);
        op.operands(&mut |source| self.look_at(source));
        // Of an index, the access tells.
        let indexed = matches!(op, Op::LoadElem { .. } | Op::StoreElem { .. } | Op::CheckIndex { .. });
        if may_fail(op) && !indexed {
            self.touched.reads.add(resources.fails());
        }
        match op {
            Op::LoadElem { base, len, index, .. } => {
                let (base, len) = (*base as usize, *len as usize);
                self.element(*index, What::Load { base, len });
            }
            Op::StoreElem { base, len, index, .. } => {
                let (base, len) = (*base as usize, *len as usize);
                (base..base + len).for_each(|slot| self.stores.add(resources.slot(slot)));
                self.element(*index, What::Store { base, len });
            }
            Op::CheckIndex { len, index } => self.element(*index, What::Check { len: *len as usize }),
            Op::Store { slot, .. } => self.store(*slot as usize),
            Op::ClockSet { .. } | Op::ClockCopy { .. } => self.touched.writes.add(resources.time()),
            Op::Call { routine, .. } => {
                let callee = &program.routines[*routine];
                for slot in callee.reads.iter() {
                    resources.look_at(&program.layout, slot, &mut self.touched.reads);
                }
                for slot in callee.writes.iter() {
                    match program.layout.slots[slot].kind {
                        SlotKind::Cell(..) => self.store(slot),
                        // Queues, and what there may be besides.
                        _ => resources.look_at(&program.layout, slot, &mut self.touched.writes),
                    }
                }
                if !callee.clocks_written.is_empty() || !callee.clocks_read.is_empty() {
                    self.touched.writes.add(resources.time());
                }
                for op in called(program, *routine).iter().flat_map(|called| &program.routines[*called].code)
                {
                    match op {
                        Op::Assert { .. } => self.touched.reads.add(resources.asserts()),
                        Op::Start { family, .. } => self.start(*family),
                        _ => {}
                    }
                }
            }
            Op::Length { channel, .. } | Op::Poll { channel, .. } => self.channel(*channel, Use::Look),
            Op::Send { channel, .. } | Op::Receive { channel, .. } => self.channel(*channel, Use::Within),
            Op::ProcessCount { .. } => self.existences(),
            Op::Start { family, .. } => self.start(*family),
            Op::Exit { process } => {
                self.existences();
                self.whole_process(*process);
            }
            Op::Assert { .. } => self.touched.reads.add(resources.asserts()),
            _ => {}
        }
    }

    fn element(&mut self, index: Source, what: What) {
        let access = |index| Access { index, what };
        match index {
            Source::Slot(slot) => self.access(access(slot as usize)),
            Source::Const(value) => {
                access(0).touch(self.program, self.resources, Some(value), &mut self.touched);
            }
            Source::Reg(_) => access(0).touch(self.program, self.resources, None, &mut self.touched),
        }
    }

    fn existences(&mut self) {
        let program = self.program;
        for process in program.processes.ids().filter(|process| program.layout.mortal(*process)) {
            self.touched.reads.add(self.resources.existence(process));
        }
    }

    fn start(&mut self, family: FamilyId) {
        self.existences();
        self.touched.writes.add(self.resources.starts());
        self.starts |= 1 << family.index();
        for process in &self.program.families[family] {
            self.whole_process(*process);
        }
    }

    /// Starting or ending a process writes its location, number and variables.
    fn whole_process(&mut self, process: ProcessId) {
        let (program, resources) = (self.program, self.resources);
        self.touched.writes.add(resources.existence(process));
        self.touched.writes.add(resources.slot(program.layout.location[process]));
        let own = program.processes[process].own.iter();
        let own = own.flat_map(|(first, values)| *first..first + values.len());
        for slot in own.chain(program.layout.pid[process]) {
            self.touched.writes.add(resources.slot(slot));
            self.resets.add(resources.slot(slot));
        }
    }
}

impl Footprints {
    /// All that an edge may touch, whatever the state.
    pub fn at_most(&self, program: &Program, resources: &Resources, at: (ProcessId, EdgeId)) -> Touched {
        let footprint = &self.edges[at.0][at.1];
        let mut touched = footprint.touched.clone();
        for number in ones(footprint.by) {
            self.accesses[at.0][number].touch(program, resources, None, &mut touched);
        }
        touched
    }

    /// What the evaluation of an edge looks at at most.
    pub(super) fn asks_at_most(
        &self,
        program: &Program,
        resources: &Resources,
        at: (ProcessId, EdgeId),
    ) -> Bits {
        let footprint = &self.edges[at.0][at.1];
        let mut touched = Touched { reads: footprint.asks.clone(), writes: Bits::none(resources) };
        for number in ones(footprint.asks_by) {
            self.accesses[at.0][number].touch(program, resources, None, &mut touched);
        }
        touched.reads
    }

    /// All edges.
    pub(super) fn ids(program: &Program) -> impl Iterator<Item = (ProcessId, EdgeId)> + '_ {
        program.processes.enumerate().flat_map(|(p, compiled)| compiled.edges.ids().map(move |e| (p, e)))
    }
}

/// A routine and all that it calls, each once.
fn called(program: &Program, routine: RoutineId) -> Vec<RoutineId> {
    let mut all = vec![routine];
    let mut next = 0;
    while let Some(routine) = all.get(next).copied() {
        for op in &program.routines[routine].code {
            if let Op::Call { routine, .. } = op
                && !all.contains(routine)
            {
                all.push(*routine);
            }
        }
        next += 1;
    }
    all
}

/// Whether whoever uses a channel may have to find a partner.
pub(super) fn meets_partners(program: &Program, channel: ChannelUse) -> bool {
    channel.may_meet(channel, program, |kind| !matches!(kind, ChannelKind::Buffered { .. }))
}

/// Whether an operation may fail, as far as one sees.
pub fn may_fail(op: &Op) -> bool {
    match op {
        Op::Move { .. }
        | Op::Store { .. }
        | Op::If { .. }
        | Op::Else { .. }
        | Op::End
        | Op::Assert { .. }
        | Op::Length { .. }
        | Op::Capacity { .. }
        | Op::ProcessCount { .. }
        | Op::ClockCopy { .. }
        | Op::Return { .. } => false,
        Op::Fit { store, .. } => *store == Store::Checked,
        Op::Binary { op, .. } => {
            use BinaryOp::{Add, Div, Mul, Rem, Shl, Shr, Sub};
            matches!(op, Add | Sub | Mul | Div | Rem | Shl | Shr)
        }
        Op::Unary { op, .. } => *op == beeline_ir::expr::UnaryOp::Neg,
        _ => true,
    }
}

/// The places of the ones of a word.
#[inline]
pub fn ones(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros() as usize);
        word &= word.wrapping_sub(1);
        bit
    })
}
