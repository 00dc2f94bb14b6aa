//! Control flow: both sides of an undecided branch are followed one after the other, and joined where they meet;
//! loops are unrolled while that decides something, then run to a fixpoint with widening and one step back
//! (Cousot and Cousot 1977, 1992).
//!
//! A state put aside holds the window of its frame and the slots that the frame's routine may write, in this
//! order: nothing else can change while it is aside. Such states are released in the reverse order of saving.

use super::machine::{Frame, ValueMachine};
use super::set::ValueSet;
use crate::bytecode::{Op, Reg, RoutineId, Source};

/// Rounds of a loop that may end undecided before its states are joined.
const UNROLLED: usize = 64;
/// Rounds of joining before what still grows is widened.
const JOINED: usize = 4;

/// How the runs that are being followed stand.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Flow {
    /// Whether there are any.
    pub(super) alive: bool,
    /// The least work one of them may have done.
    pub(super) least: u64,
    /// The most.
    pub(super) most: u64,
}

impl Flow {
    pub(super) const START: Flow = Flow { alive: true, least: 0, most: 0 };
    const DEAD: Flow = Flow { alive: false, least: 0, most: 0 };

    fn joined(self, other: Flow) -> Flow {
        match (self.alive, other.alive) {
            (true, true) => {
                Flow { alive: true, least: self.least.min(other.least), most: self.most.max(other.most) }
            }
            (true, false) => self,
            _ => other,
        }
    }
}

/// A state put aside.
#[derive(Copy, Clone, Debug)]
pub(super) struct Mark {
    /// Where its cells begin.
    first: usize,
    flow: Flow,
}

/// The position of a state put aside.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Saved(usize);

/// Where the runs go that leave a region otherwise than over its end.
#[derive(Copy, Clone, Debug)]
struct Exits {
    /// By `Return`.
    returned: Saved,
    /// By `Break`, directly inside a loop.
    broken: Option<Saved>,
}

impl ValueMachine {
    /// Runs the routine of a frame and gives up its window, in which the results are left.
    pub(super) fn invoke(&mut self, frame: Frame<'_>) {
        let returned = self.reserve(frame);
        self.region(frame, 0, frame.routine.code.len(), Exits { returned, broken: None });
        if self.flow.alive {
            let yielded = frame.routine.results.first().copied().unwrap_or(Source::Const(0));
            let values = self.read(frame, yielded);
            self.write(frame, frame.result(), values);
        }
        self.join(frame, returned);
        self.release(returned);
        self.top = frame.base;
    }

    fn call(&mut self, frame: Frame<'_>, routine: RoutineId, args: &[Source], dst: Reg) {
        let callee = self.enter(frame.program, &frame.program.routines[routine]);
        for (index, arg) in args.iter().enumerate() {
            self.registers[callee.base + index] = self.read(frame, *arg);
        }
        self.invoke(callee);
        let yielded = self.read(callee, Source::Reg(callee.result()));
        self.write(frame, dst, yielded);
    }

    /// Follows a region, `from` to before `to`. Tells whether a `Break` of its own was undecided.
    fn region(&mut self, frame: Frame<'_>, from: usize, to: usize, exits: Exits) -> bool {
        if self.depth == Self::DEPTH {
            self.give_up();
        }
        self.depth += 1;
        let (mut at, mut undecided) = (from, false);
        while at < to && self.flow.alive {
            self.spend(1);
            at = match &frame.routine.code[at] {
                Op::If { cond, when, otherwise } => {
                    let cond = self.read(frame, *cond);
                    match (cond.may_be_true(), cond.may_be_false()) {
                        (true, true) => self.branch(frame, at, exits.returned),
                        (truth, _) if truth == *when => at + 1,
                        _ => *otherwise as usize,
                    }
                }
                Op::Else { end } => *end as usize,
                Op::Loop { end } => {
                    self.repeat(frame, at + 1, *end as usize - 1, exits.returned);
                    *end as usize
                }
                Op::Break { .. } => {
                    undecided |= self.leave(frame, at, exits.broken);
                    at + 1
                }
                Op::Call { routine, args, dst } => {
                    self.call(frame, *routine, args, *dst);
                    at + 1
                }
                Op::Return { src } => {
                    let values = self.read(frame, *src);
                    self.write(frame, frame.result(), values);
                    self.merge(frame, exits.returned, false);
                    self.flow = Flow::DEAD;
                    to
                }
                op => {
                    self.step(frame, op);
                    at + 1
                }
            };
        }
        self.depth -= 1;
        undecided
    }

    /// Follows both regions of an undecided `If` and joins them; the position of its end.
    fn branch(&mut self, frame: Frame<'_>, at: usize, returned: Saved) -> usize {
        let code = &frame.routine.code;
        let Op::If { when, otherwise, .. } = code[at] else { return at + 1 };
        let otherwise = otherwise as usize;
        let (first_end, end) = match code[otherwise - 1] {
            Op::Else { end } => (otherwise - 1, end as usize),
            _ => (otherwise, otherwise),
        };
        let exits = Exits { returned, broken: None };
        let known = self.conditions(frame, at);
        let entry = self.save(frame);
        let before = self.assume(frame, &known, when, true);
        self.region(frame, at + 1, first_end, exits);
        self.forget(frame, &before);
        let first = self.save(frame);
        self.load(frame, entry);
        let before = self.assume(frame, &known, !when, true);
        self.region(frame, otherwise, end, exits);
        self.forget(frame, &before);
        self.join(frame, first);
        self.release(entry);
        end
    }

    /// Follows a loop; what leaves it goes on.
    fn repeat(&mut self, frame: Frame<'_>, from: usize, to: usize, returned: Saved) {
        let broken = self.reserve(frame);
        let exits = |broken| Exits { returned, broken: Some(broken) };
        let mut undecided = 0;
        while self.flow.alive && undecided < UNROLLED {
            self.spend(1);
            undecided += usize::from(self.region(frame, from, to, exits(broken)));
        }
        if self.flow.alive {
            // From here on nobody counts the rounds.
            self.flow.most = u64::MAX;
            let entry = self.save(frame);
            let head = self.save(frame);
            let ignored = self.reserve(frame);
            let mut round = 0;
            loop {
                self.region(frame, from, to, exits(ignored));
                round += 1;
                if !self.flow.alive || !self.merge(frame, head, round > JOINED) {
                    break;
                }
                self.load(frame, head);
            }
            // The head holds in every round; so does what enters or comes out of a round that starts with it,
            // which may be less.
            self.join(frame, entry);
            self.region(frame, from, to, exits(broken));
        }
        self.load(frame, broken);
        self.release(broken);
    }

    /// Lets runs leave a loop; tells whether it is undecided whether they do.
    fn leave(&mut self, frame: Frame<'_>, at: usize, broken: Option<Saved>) -> bool {
        let (Op::Break { cond, when, .. }, Some(broken)) = (&frame.routine.code[at], broken) else {
            self.give_up();
            return false;
        };
        let cond = self.read(frame, *cond);
        match (cond.may_be_true(), cond.may_be_false()) {
            (true, true) => {
                let known = self.conditions(frame, at);
                let flow = self.flow;
                let before = self.assume(frame, &known, *when, false);
                self.merge(frame, broken, false);
                self.restore(frame, &before);
                self.flow = flow;
                self.assume(frame, &known, !when, false);
                true
            }
            (truth, _) => {
                if truth == *when {
                    self.merge(frame, broken, false);
                    self.flow = Flow::DEAD;
                }
                false
            }
        }
    }

    /// Puts a copy of the state aside.
    fn save(&mut self, frame: Frame<'_>) -> Saved {
        let first = self.saved.len();
        self.saved.extend_from_slice(&self.registers[frame.base..frame.base + frame.window()]);
        for run in frame.routine.writes.runs() {
            self.saved.extend_from_slice(&self.slots[run.clone()]);
        }
        self.mark(first, self.flow)
    }
    /// Makes room for a state; as yet there is none.
    fn reserve(&mut self, frame: Frame<'_>) -> Saved {
        let first = self.saved.len();
        self.saved.resize(first + frame.window() + frame.routine.writes.len(), ValueSet::EMPTY);
        self.mark(first, Flow::DEAD)
    }
    fn mark(&mut self, first: usize, flow: Flow) -> Saved {
        self.spend((self.saved.len() - first) as u64 / 16);
        self.marks.push(Mark { first, flow });
        Saved(self.marks.len() - 1)
    }
    /// Forgets a state put aside, and all that were saved after it.
    fn release(&mut self, Saved(index): Saved) {
        self.saved.truncate(self.marks[index].first);
        self.marks.truncate(index);
    }

    /// Takes up a state put aside, in place of the present one.
    fn load(&mut self, frame: Frame<'_>, Saved(index): Saved) {
        let Mark { first, flow } = self.marks[index];
        self.flow = flow;
        let mut at = first + frame.window();
        self.registers[frame.base..frame.base + frame.window()].copy_from_slice(&self.saved[first..at]);
        for run in frame.routine.writes.runs() {
            self.slots[run.clone()].copy_from_slice(&self.saved[at..at + run.len()]);
            at += run.len();
        }
        self.spend((at - first) as u64 / 16);
    }

    /// Joins the present state with one put aside.
    fn join(&mut self, frame: Frame<'_>, saved: Saved) {
        if self.marks[saved.0].flow.alive {
            self.merge(frame, saved, false);
            self.load(frame, saved);
        }
    }

    /// Joins the present state into one put aside; tells whether that made it larger. To widen is to let what
    /// grows be anything, so that it cannot grow again.
    fn merge(&mut self, frame: Frame<'_>, Saved(index): Saved, widen: bool) -> bool {
        let Mark { first, flow } = self.marks[index];
        self.marks[index].flow = flow.joined(self.flow);
        if !self.flow.alive {
            return false;
        }
        let (mut at, mut grew) = (first, false);
        let mut absorb = |from: &ValueSet, most: Option<ValueSet>| {
            let into = &mut self.saved[at];
            at += 1;
            if !flow.alive {
                *into = *from;
                grew = true;
            } else if into.union(from) {
                *into = most.unwrap_or(*into);
                grew = true;
            }
        };
        for register in &self.registers[frame.base..frame.base + frame.window()] {
            absorb(register, widen.then_some(ValueSet::ALL));
        }
        let slots = &frame.program.layout.slots;
        for slot in frame.routine.writes.iter() {
            absorb(&self.slots[slot], widen.then(|| ValueSet::range(slots[slot].range)));
        }
        self.spend((at - first) as u64 / 8);
        grew
    }
}
