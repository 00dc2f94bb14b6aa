//! Why the shortest ways of a projection end in the network. At a state where they do, every label is tried as the
//! projection sees it: what it needs of the pattern must hold, and the rest is taken for granted. If it would lead nearer
//! to the target, then what does not hold of the rest is a flaw, and each element that it is about gets a vote. If nothing
//! of it fails, time does: then the clocks that the label and the invariants compare get a vote each, and so do automata
//! that hold time or others back.
//!
//! What labels need is known from the factored view, which is coarser than the network; if it shows no flaw that can be
//! mended, whatever has a say in the changes of the pattern is as good as any, the useful first.

use super::super::{Board, Element};
use super::Lack;
use crate::pattern_database::PatternDatabase;
use beeline_engine::graph::follow::{DeadEnd, Taken};
use beeline_engine::heuristic::Estimate;
use beeline_ir::ClockId;
use beeline_ir::expr::ClockAtom;
use beeline_ir::limits::{Limits, StopReason};
use beeline_program::factored::causal::CausalGraph;
use beeline_program::factored::{Action, Factored};
use beeline_program::schema::EdgeRef;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Images of a label that are tried at a state.
const IMAGES: usize = 64;

/// What is asked for, and how often.
type Votes = BTreeMap<Lack, usize>;

/// What may become of a slot, and the elements that are to blame if it does not, or should not have.
type Choices = BTreeMap<usize, BTreeMap<i64, BTreeSet<Element>>>;

/// Whether slots that a label may change are taken to change.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Effects {
    /// They are.
    Certain,
    /// They may stay as they are: a receiver that the projection is not sure of stays behind.
    Optional,
}

/// Looks for flaws.
pub(super) struct Flaws<'a> {
    board: &'a Board<'a>,
    graph: &'a CausalGraph,
    /// The element of each slot, if it may change.
    elements: Vec<Option<Element>>,
    /// What is asked for before anything else.
    useful: BTreeSet<Element>,
    /// Whether clocks may be asked for.
    timed: bool,
    /// Slots of the pattern.
    seen: Vec<bool>,
    votes: Votes,
}

impl<'a> Flaws<'a> {
    pub(super) fn new(
        board: &'a Board<'a>,
        graph: &'a CausalGraph,
        useful: BTreeSet<Element>,
        timed: bool,
    ) -> Self {
        let mut elements = vec![None; board.layout.slots.len()];
        for element in &board.elements {
            elements[board.slots(*element)].fill(Some(*element));
        }
        let seen = vec![false; elements.len()];
        Self { board, graph, elements, useful, timed, seen, votes: Votes::new() }
    }

    /// What the pattern of a database lacks most at dead ends, some that were tried aside. What is not useful waits until
    /// all that is useful is in the pattern or does not fit: it may be asked for only because something else is missing.
    pub(super) fn worst(
        &mut self,
        database: &mut PatternDatabase,
        ends: &[DeadEnd],
        left_out: &BTreeSet<Lack>,
        limits: &Limits,
    ) -> Result<Option<Lack>, StopReason> {
        for (slot, element) in self.elements.iter().enumerate() {
            self.seen[slot] = element.is_none_or(|element| Lack::Element(element).is_in(database.pattern()));
        }
        for useful in [true, false] {
            for effects in [Effects::Certain, Effects::Optional] {
                self.votes.clear();
                for end in ends {
                    limits.check(0, 0)?;
                    self.at(database, end, effects);
                }
                if let Some(lack) = self.elected(database, left_out, useful) {
                    return Ok(Some(lack));
                }
            }
            if !useful {
                self.votes.clear();
                self.ask_for_clocks(self.board.clocks_of(&self.own(database)));
                if let Some(lack) = self.elected(database, left_out, useful) {
                    return Ok(Some(lack));
                }
            }
            self.ask_for_neighbours(database);
            if let Some(lack) = self.elected(database, left_out, useful) {
                return Ok(Some(lack));
            }
        }
        Ok(None)
    }

    /// What has the most votes of what is not in the pattern and has not been tried, the useless aside if only the useful
    /// is asked for; of several, that with the fewest values.
    fn elected(&self, database: &PatternDatabase, left_out: &BTreeSet<Lack>, useful: bool) -> Option<Lack> {
        let fits = |lack: &Lack| match lack {
            Lack::Element(element) => !useful || self.useful.contains(element),
            Lack::Clock(_) => true,
        };
        let tried = |lack: &Lack| lack.is_in(database.pattern()) || left_out.contains(lack);
        let open = self.votes.iter().filter(|(lack, _)| fits(lack) && !tried(lack));
        open.min_by_key(|(lack, votes)| (Reverse(**votes), lack.values(self.board), **lack))
            .map(|(lack, _)| *lack)
    }

    fn vote(&mut self, lack: Lack) {
        *self.votes.entry(lack).or_default() += 1;
    }

    /// Flaws at a dead end.
    fn at(&mut self, database: &mut PatternDatabase, end: &DeadEnd, effects: Effects) {
        if end.left == 0 {
            // The projection takes it for the target.
            self.board.named_by_target().into_iter().for_each(|element| self.vote(Lack::Element(element)));
            self.ask_for_clocks(self.board.clocks_of(&BTreeSet::new()));
        }
        let factored = self.board.factored();
        let mut slots = end.slots.clone();
        for actions in factored.actions.chunk_by(|one, next| one.label == next.label) {
            let choices = self.choices(factored, actions, &end.slots, effects);
            let label = factored.label(actions[0].label);
            let Some(left) = end.left.checked_sub(u32::from(label.costs)) else { continue };
            let mut blamed: Option<BTreeSet<Element>> = None;
            each(&choices, IMAGES, &mut |image| {
                image.iter().for_each(|(slot, value, _)| slots[*slot] = *value);
                let known = database.known(&slots).and_then(Estimate::steps);
                let nearer = slots != end.slots && known.is_some_and(|steps| steps <= left);
                let blame: BTreeSet<Element> = image.iter().flat_map(|(.., blame)| *blame).copied().collect();
                // Of several images, that which least is to blame for.
                let least = blamed.as_ref().is_none_or(|known| known.len() > blame.len());
                if nearer && least && !self.happens(end, &label.edges, &slots, blame.is_empty()) {
                    blamed = Some(blame);
                }
                image.iter().for_each(|(slot, ..)| slots[*slot] = end.slots[*slot]);
            });
            match blamed {
                None => {}
                Some(blame) if blame.is_empty() => self.blame_time(&end.slots, &label.edges),
                Some(blame) => blame.into_iter().for_each(|element| self.vote(Lack::Element(element))),
            }
        }
    }

    /// What a label may do to the slots of the pattern, if what it needs of them holds.
    fn choices(&self, factored: &Factored, actions: &[Action], slots: &[i64], effects: Effects) -> Choices {
        let mut choices = Choices::new();
        for action in actions {
            let (mut possible, mut failing, mut asked) = (true, BTreeSet::new(), BTreeSet::new());
            for cond in action.needs.iter().map(|cond| factored.cond(*cond)) {
                let fact = factored.domains.fact(cond.slot, slots[cond.slot]);
                let holds = fact.is_none_or(|fact| cond.facts.contains(&fact));
                if self.seen[cond.slot] {
                    possible &= holds;
                } else {
                    asked.extend(self.elements[cond.slot]);
                    failing.extend(self.elements[cond.slot].filter(|_| !holds));
                }
            }
            if !possible {
                continue;
            }
            for fact in &action.effects {
                let slot = factored.domains.slot(*fact);
                if !self.seen[slot] {
                    continue;
                }
                let values = choices.entry(slot).or_default();
                let known = values.entry(factored.domains.value(*fact)).or_insert_with(|| failing.clone());
                if failing.len() < known.len() {
                    known.clone_from(&failing);
                }
                if effects == Effects::Optional && !asked.is_empty() {
                    values.entry(slots[slot]).or_default().extend(&asked);
                }
            }
        }
        choices
    }

    /// Whether a dead end has a label of those edges to that image, which leads on. If nothing is to blame that it has
    /// not, and it has one to another image, then that is what the label does.
    fn happens(&self, end: &DeadEnd, edges: &[EdgeRef], image: &[i64], blameless: bool) -> bool {
        let same = |taken: &Taken| {
            let pairs = self.seen.iter().zip(taken.slots.iter().zip(image));
            { pairs }.all(|(seen, (one, other))| !seen || one == other)
        };
        let of_edges = |taken: &&Taken| edges.iter().all(|edge| taken.edges.contains(edge));
        let mut taken = end.labels.iter().filter(of_edges).peekable();
        let some = taken.peek().is_some();
        match taken.find(|taken| same(taken)) {
            Some(taken) => taken.leads_on,
            None => blameless && some,
        }
    }

    /// A label is possible but for clocks, or for what holds it back.
    fn blame_time(&mut self, slots: &[i64], edges: &[EdgeRef]) {
        let network = self.board.network;
        for (process, edge) in edges {
            let automaton = &network.processes[*process];
            let edge = &automaton.edges[*edge];
            self.ask_for_clocks(clocks(&edge.clock_guard));
            self.ask_for_clocks(clocks(&automaton.locations[edge.target].invariant));
        }
        for (id, automaton) in network.processes.enumerate() {
            let layout = &self.board.layout;
            let Some(here) = layout.location(id, slots[layout.location[id]]) else { continue };
            let here = &automaton.locations[here];
            let holds_back = here.committed || here.urgent || here.atomic;
            if holds_back || (self.timed && !here.invariant.is_empty()) {
                self.vote(Lack::Element(Element::Automaton(id)));
            }
            self.ask_for_clocks(clocks(&here.invariant));
        }
    }

    fn ask_for_clocks(&mut self, clocks: BTreeSet<ClockId>) {
        if self.timed {
            clocks.into_iter().for_each(|clock| self.vote(Lack::Clock(clock)));
        }
    }

    /// The elements of a pattern.
    fn own(&self, database: &PatternDatabase) -> BTreeSet<Element> {
        let own =
            self.board.elements.iter().filter(|element| Lack::Element(**element).is_in(database.pattern()));
        own.copied().collect()
    }

    /// Asks for what has a say in the changes of the pattern.
    fn ask_for_neighbours(&mut self, database: &PatternDatabase) {
        let (board, graph) = (self.board, self.graph);
        self.votes.clear();
        let slots = self.own(database).into_iter().flat_map(|element| board.slots(element));
        for (from, actions) in slots.flat_map(|slot| &graph.predecessors[slot]) {
            if let Some(element) = self.elements[*from] {
                *self.votes.entry(Lack::Element(element)).or_default() += *actions as usize;
            }
        }
    }
}

/// The clocks that constraints compare.
fn clocks(atoms: &[ClockAtom]) -> BTreeSet<ClockId> {
    atoms.iter().flat_map(|atom| std::iter::once(atom.left).chain(atom.right)).collect()
}

/// What may become of slots at the same time.
type Image<'c> = [(usize, i64, &'c BTreeSet<Element>)];

/// Shows images, each slot with each of its values, until there were so many.
fn each<'c>(choices: &'c Choices, most: usize, show: &mut dyn FnMut(&Image<'c>)) {
    let mut turn = vec![0; choices.len()];
    let values: Vec<Vec<(&i64, &BTreeSet<Element>)>> = choices.values().map(|v| v.iter().collect()).collect();
    let mut image = Vec::new();
    for _ in 0..most {
        image.clear();
        let now = choices.keys().zip(&values).zip(&turn).map(|((slot, values), at)| (slot, values[*at]));
        image.extend(now.map(|(slot, (value, blame))| (*slot, *value, blame)));
        show(&image);
        // The next one, as numbers are counted.
        let Some(digit) = (0..turn.len()).find(|digit| turn[*digit] + 1 < values[*digit].len()) else {
            return;
        };
        turn[..digit].fill(0);
        turn[digit] += 1;
    }
}
