//! The processes that are left when all who might interfere are taken together.
//!
//! A set of processes is *closed* in a state if nothing that the others may do by themselves, ever, interferes with what
//! its members may do next. More exactly, for each edge that leaves the place of a member:
//! - an edge that may be taken now touches nothing that the future of an outsider touches, one of both writing;
//! - of an edge whose evaluation says no, no outsider can change what that depends on;
//! - of an edge that waits for room or a message, no outsider can take or send one;
//! - who may be a partner of the edge is a member.
//!
//! The labels in which members take part are a strong stubborn set: of any run on which a member moves, the first such
//! label is enabled already, and can as well come first (Valmari, "Stubborn sets for reduced state space generation",
//! 1991; Godefroid, "Partial-order methods for the verification of concurrent systems", 1996, for sets made of
//! processes; Wehrle and Helmert, "Efficient stubborn sets", ICAPS 2014, for shortest runs).

use super::PartialOrder;
use super::footprint::{Accesses, Meeting, ones};
use super::futures::Future;
use super::resources::{Bits, Touched, buffered};
use crate::successors::candidate::EdgeInstance;
use crate::successors::labels::Enabled;
use beeline_ir::{EdgeId, ProcessId};
use beeline_program::{CompiledSync, Program};
use beeline_zones::fault::{self, Fault};

/// What a process may touch from a state on.
#[derive(Copy, Clone, Debug)]
enum Coming {
    /// Nothing.
    Nothing,
    /// What the tables say.
    Known,
    /// Anything that it can touch at all.
    Any,
    /// What was worked out for the state.
    Own,
}

/// Memory for working on one state after the other.
#[derive(Debug)]
pub struct Working {
    coming: Vec<Coming>,
    /// Those of which that is not nothing.
    present: Vec<ProcessId>,
    own: Vec<Touched>,
    /// The families of which processes may be started.
    startable: u64,
    /// By number of the edge: it takes part in a label, it has been evaluated and may.
    allowed: Vec<bool>,
    evaluated: Vec<bool>,
    noted: Vec<usize>,
    /// Labels that each process initiates.
    labels: Vec<u32>,
    /// The members, and those whose edges have not been looked at.
    members: Vec<bool>,
    /// The families of which all who may start processes are members.
    starters: u64,
    work: Vec<ProcessId>,
    /// Labels of members.
    kept: u32,
    /// The best set so far.
    best: Vec<bool>,
    /// What the edge at hand touches, and what follows it.
    edge: Touched,
    block: Touched,
    /// What it waits for.
    needs: Bits,
}

/// How many labels are left at most for a set to be of interest.
type Most = u32;

impl Working {
    /// Memory for a reduction.
    pub fn new(reduction: &PartialOrder, program: &Program) -> Self {
        let processes = program.processes.len();
        let nothing = Touched::nothing(&reduction.resources);
        Self {
            coming: vec![Coming::Nothing; processes],
            present: Vec::with_capacity(processes),
            own: vec![nothing.clone(); processes],
            startable: 0,
            allowed: vec![false; reduction.edges],
            evaluated: vec![false; reduction.edges],
            noted: Vec::new(),
            labels: vec![0; processes],
            members: vec![false; processes],
            starters: 0,
            work: Vec::new(),
            kept: 0,
            best: vec![false; processes],
            needs: nothing.reads.clone(),
            block: nothing.clone(),
            edge: nothing,
        }
    }
    /// Whether a process is a member of the set that was chosen.
    #[inline]
    pub fn chosen(&self, process: ProcessId) -> bool {
        self.best[process.index()]
    }
    /// Whether a process initiates labels.
    pub(super) fn initiates(&self, process: ProcessId) -> bool {
        self.labels[process.index()] > 0
    }
    /// The set at hand is the best one.
    pub(super) fn choose(&mut self) -> u32 {
        self.best.copy_from_slice(&self.members);
        self.kept
    }
}

/// A state, and what it enables.
#[derive(Copy, Clone)]
pub struct Here<'a> {
    /// The compiled network.
    pub program: &'a Program,
    /// The slots of the state.
    pub slots: &'a [i64],
    /// What it enables.
    pub enabled: &'a Enabled,
}

impl PartialOrder {
    /// Takes up a state.
    pub(super) fn look_around(&self, here: Here<'_>, working: &mut Working) {
        let Here { program, slots, enabled } = here;
        for noted in working.noted.drain(..) {
            working.evaluated[noted] = false;
            working.allowed[noted] = false;
        }
        working.labels.fill(0);
        for instance in &*enabled.instances {
            let number = self.number(instance.process, instance.edge);
            working.evaluated[number] = true;
            working.noted.push(number);
        }
        for candidate in &*enabled.allowed {
            working.labels[enabled.instances[candidate.parts[0]].process.index()] += 1;
            for part in &candidate.parts {
                let instance = &enabled.instances[*part];
                working.allowed[self.number(instance.process, instance.edge)] = true;
            }
        }
        working.startable = self.startable(here);
        working.present.clear();
        for process in program.processes.ids() {
            let restarts = self.family[process].is_some_and(|family| working.startable >> family & 1 == 1);
            let coming = match program.location(process, slots) {
                _ if restarts => Coming::Any,
                None => Coming::Nothing,
                Some(location) => {
                    let Future { touched, by, .. } = &self.futures[process].at[location];
                    if *by == 0 {
                        Coming::Known
                    } else {
                        let own = &mut working.own[process.index()];
                        own.copy(touched);
                        for number in ones(*by) {
                            let access = self.footprints.accesses[process][number];
                            access.touch(program, &self.resources, Some(slots[access.index]), own);
                        }
                        Coming::Own
                    }
                }
            };
            working.coming[process.index()] = coming;
            if !matches!(coming, Coming::Nothing) {
                working.present.push(process);
            }
        }
    }

    /// The families of which processes may be started from a state on.
    fn startable(&self, here: Here<'_>) -> u64 {
        let Here { program, slots, .. } = here;
        if program.families.is_empty() {
            return 0;
        }
        let starts = |process: ProcessId| {
            let location = program.location(process, slots);
            location.map_or(0, |location| self.futures[process].at[location].starts)
        };
        let mut startable = program.processes.ids().fold(0, |all, process| all | starts(process));
        loop {
            let before = startable;
            for (process, futures) in self.futures.enumerate() {
                if self.family[process].is_some_and(|family| startable >> family & 1 == 1) {
                    startable |= futures.any.starts;
                }
            }
            if startable == before {
                return startable;
            }
        }
    }

    /// What a process may touch from the state on.
    fn coming<'a>(&'a self, here: Here<'_>, working: &'a Working, process: ProcessId) -> Option<&'a Touched> {
        match working.coming[process.index()] {
            Coming::Nothing => None,
            Coming::Any => Some(&self.futures[process].any.touched),
            Coming::Own => Some(&working.own[process.index()]),
            Coming::Known => {
                let location = here.program.location(process, here.slots)?;
                Some(&self.futures[process].at[location].touched)
            }
        }
    }

    /// Begins a new set.
    pub(super) fn begin(&self, working: &mut Working) {
        working.members.fill(false);
        working.work.clear();
        (working.kept, working.starters) = (0, 0);
    }

    /// Adds a process, or those who may start it.
    pub(super) fn add(&self, here: Here<'_>, working: &mut Working, process: ProcessId) {
        if std::mem::replace(&mut working.members[process.index()], true) {
            return;
        }
        working.kept += working.labels[process.index()];
        if here.program.location(process, here.slots).is_some() {
            working.work.push(process);
            return;
        }
        let Some(family) = self.family[process].filter(|family| working.starters >> family & 1 == 0) else {
            return;
        };
        working.starters |= 1 << family;
        for at in 0..working.present.len() {
            let other = working.present[at];
            let futures = &self.futures[other];
            let starts = match working.coming[other.index()] {
                Coming::Nothing => 0,
                Coming::Any => futures.any.starts,
                Coming::Known | Coming::Own => {
                    let location = here.program.location(other, here.slots);
                    location.map_or(0, |location| futures.at[location].starts)
                }
            };
            if starts >> family & 1 == 1 {
                self.add(here, working, other);
            }
        }
    }

    /// Adds all who may write one of these.
    pub(super) fn add_writers(&self, here: Here<'_>, working: &mut Working, of: &Bits) {
        for at in 0..working.present.len() {
            let process = working.present[at];
            let writes = self.coming(here, working, process).is_some_and(|coming| coming.writes.meets(of));
            if writes {
                self.add(here, working, process);
            }
        }
    }

    /// Adds all who may bring about a deadlock although others could move: at a committed location, or with the token and
    /// a label that leads nowhere, since it fails or an invariant does not hold.
    pub(super) fn add_exclusive(&self, here: Here<'_>, working: &mut Working) {
        for at in 0..working.present.len() {
            let process = working.present[at];
            let exclusive = self.coming(here, working, process).is_some_and(|Touched { reads, .. }| {
                let nowhere = reads.contains(self.resources.fails());
                reads.contains(self.resources.commits())
                    || nowhere && reads.contains(self.resources.takes_token())
            });
            if exclusive {
                self.add(here, working, process);
            }
        }
    }

    /// Adds all who have one of these marks.
    pub(super) fn add_readers(&self, here: Here<'_>, working: &mut Working, of: &Bits) {
        for at in 0..working.present.len() {
            let process = working.present[at];
            let reads = self.coming(here, working, process).is_some_and(|coming| coming.reads.meets(of));
            if reads {
                self.add(here, working, process);
            }
        }
    }

    /// Closes the set at hand. False if nothing is gained: more labels are left than that, something that members may
    /// write is not to be, or nothing is known.
    pub(super) fn close(
        &self,
        here: Here<'_>,
        working: &mut Working,
        most: Most,
        unseen: Option<&Bits>,
    ) -> bool {
        let Here { program, slots, .. } = here;
        while let Some(process) = working.work.pop() {
            if working.kept > most {
                return false;
            }
            for edge in program.outgoing(process, slots) {
                if !self.add_for(here, working, (process, *edge), unseen) {
                    return false;
                }
            }
        }
        working.kept <= most
    }

    /// Adds whoever has to do with an edge; false if that cannot be told.
    fn add_for(
        &self,
        here: Here<'_>,
        working: &mut Working,
        (process, edge): (ProcessId, EdgeId),
        unseen: Option<&Bits>,
    ) -> bool {
        let Here { program, slots, enabled } = here;
        let footprint = &self.footprints.edges[process][edge];
        let accesses = &self.footprints.accesses[process];
        let number = self.number(process, edge);
        let (evaluated, allowed) = (working.evaluated[number], working.allowed[number]);
        let Working { edge: touched, block: following, needs, startable, .. } = &mut *working;
        let resolve = |by: Accesses, touched: &mut Touched| {
            for access in ones(by).map(|number| &accesses[number]) {
                access.touch(program, &self.resources, Some(slots[access.index]), touched);
            }
        };
        needs.clear();
        touched.copy(&footprint.touched);
        resolve(footprint.by, touched);
        let mut partners = footprint.meeting == Meeting::Partners;
        if footprint.meeting != Meeting::Alone {
            let ours = |i: &&EdgeInstance| i.process == process && i.edge == edge;
            let mut elements =
                enabled.instances.iter().filter(ours).filter_map(|instance| instance.evaluated.element);
            partners &= !evaluated || elements.any(|element| !buffered(program, element));
            self.add_buffer_needs(here, (process, edge), touched, needs);
        }
        let waits_for_younger = footprint.awaits_younger && !program.is_youngest(process, slots);
        if evaluated && !waits_for_younger && (allowed || partners) {
            if let Some(block) = &self.blocks[number] {
                if block.open || self.visible.as_ref().is_some_and(|visible| block.inner.meets(visible)) {
                    return false;
                }
                // While it lasts others wait, and whether it leads to a new state does not show before its end. So where
                // others must not be put off for ever, it has to be one that comes to an end and does not come again.
                let again = self.family[process].is_some_and(|family| *startable >> family & 1 == 1);
                let puts_off = (block.recurs || again) && !fault::active(Fault::AtomicPutsOff);
                if self.must_progress() && puts_off {
                    return false;
                }
                following.copy(&block.touched);
                resolve(block.by, following);
                // Whether it has to wait on the way must not depend on others.
                for element in 0..program.elements.len() {
                    let ends = [self.resources.back(element), self.resources.front(element)];
                    if ends.iter().any(|end| following.writes.contains(*end)) {
                        ends.into_iter().for_each(|end| following.reads.add(end));
                    }
                }
                touched.add_all(following);
            }
            if unseen.is_some_and(|unseen| touched.writes.meets(unseen)) {
                return false;
            }
            touched.reads.add_all(needs);
            self.add_interfering(here, working);
            return true;
        }
        // It waits: who can make a difference to that?
        needs.add_all(&footprint.asks);
        following.writes.clear();
        following.reads.clear();
        resolve(footprint.asks_by, following);
        needs.add_all(&following.reads);
        if waits_for_younger {
            program.processes.ids().for_each(|process| needs.add(self.resources.existence(process)));
        }
        if partners {
            // Whoever sends looks out for receivers, and the other way round.
            for element in 0..program.elements.len() {
                for end in [self.resources.back(element), self.resources.front(element)] {
                    if touched.reads.contains(end) {
                        needs.add(end);
                    }
                }
            }
        }
        let needs = std::mem::take(&mut working.needs);
        self.add_writers(here, working, &needs);
        working.needs = needs;
        true
    }

    /// Adds what an edge may wait for at the buffers that it touches: room, or a message. Whether it does is not looked at:
    /// edges that wait may be missing among those that have been evaluated.
    fn add_buffer_needs(
        &self,
        here: Here<'_>,
        (process, edge): (ProcessId, EdgeId),
        touched: &Touched,
        needs: &mut Bits,
    ) {
        let Here { program, slots, .. } = here;
        let sync = &program.processes[process].edges[edge].sync;
        for (element, queue) in program.layout.queues.iter().enumerate() {
            let Some(queue) = queue else { continue };
            let (back, front) = (self.resources.back(element), self.resources.front(element));
            let uses = |end| touched.writes.contains(end) || touched.reads.contains(end);
            match sync {
                CompiledSync::Receive { any, .. } if uses(front) => {
                    // The first message stays the first until somebody takes it.
                    let empty = slots[queue.length] == 0;
                    if empty || *any {
                        needs.add(back);
                    }
                    if !empty {
                        needs.add(front);
                    }
                }
                CompiledSync::Send { .. } if uses(back) && !program.queue_accepts(slots, element) => {
                    needs.add(front);
                }
                _ => {}
            }
        }
    }

    /// Adds all whose future interferes with what the edge at hand touches.
    fn add_interfering(&self, here: Here<'_>, working: &mut Working) {
        for at in 0..working.present.len() {
            let process = working.present[at];
            if working.members[process.index()] {
                continue;
            }
            let Touched { reads, writes } = &working.edge;
            let interferes = self.coming(here, working, process).is_some_and(|coming| {
                writes.meets(&coming.writes) || writes.meets(&coming.reads) || reads.meets(&coming.writes)
            });
            if interferes {
                self.add(here, working, process);
            }
        }
    }

    fn number(&self, process: ProcessId, edge: EdgeId) -> usize {
        self.first_edge[process] + edge.index()
    }
}
