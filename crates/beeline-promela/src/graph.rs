//! The control flow of a process type, as Spin's verifier sees it. A process stands at an element. Where that is a choice,
//! it offers what its options begin with, so that nested choices are one choice. An `else` comes after the other
//! options of its own choice, and can be executed if nothing before it can. A `goto` or `break` after a statement is
//! no step; one that begins an option is.
//!
//! An escape that can be executed pre-empts whatever else is offered, also other options of a choice that are not
//! escaped from themselves: Spin calls that a mistake of the model, and does it. Of several escapes the first comes first:
//! the outer one, and one of a later option.
//!
//! Where a process stands is an element together with whether it came there holding the token: the element before an atomic
//! loop is the same as that between two rounds. A jump that ends an atomic sequence is a step of its own to Spin, one that
//! nobody else sees: here it is part of the step before it, unless steps are to be counted as Spin does.

use std::collections::{HashMap, HashSet};

use beeline_ir::diagnostic::{Diagnostic, Severity};
use beeline_ir::origin::Span;

use crate::ast::{Name, Stmt, StmtKind};
pub(crate) use crate::elements::Action;
use crate::elements::{El, Elements, Kind};
use crate::messages::Messages;

/// One step from a place.
#[derive(Clone, Debug)]
pub(crate) struct Step<'a> {
    pub action: Action<'a>,
    pub span: Span,
    /// The number of its element, and those of the jumps it includes.
    pub numbers: Vec<i64>,
    /// The place it leads to.
    pub target: usize,
    /// The escape that it begins, if it does.
    escape: Option<usize>,
}

impl Step<'_> {
    /// Whether it is an `else`, or a `d_step` that begins with one.
    pub fn is_else(&self) -> bool {
        let Action::Stmt(stmt) = self.action else { return false };
        matches!(first(std::slice::from_ref(stmt)), Some(Stmt { kind: StmtKind::Else, .. }))
    }
}

/// Where a process may stand.
#[derive(Clone, Debug)]
pub(crate) struct Place<'a> {
    /// Whether it holds the token there, having just come.
    pub atomic: bool,
    /// What is offered here, then how one escapes from it.
    pub steps: Vec<Step<'a>>,
    /// Labels of the statement here.
    pub labels: Vec<Name>,
    /// Whether this is the end of the process.
    pub end: bool,
    /// What `pc_value` gives here.
    pub counter: i64,
}

/// The places of a process type, those that can be reached; the first is where it starts.
#[derive(Clone, Default, Debug)]
pub(crate) struct Graph<'a> {
    pub places: Vec<Place<'a>>,
    /// Labels that exist, reachable or not.
    pub labels: HashSet<Name>,
}

/// Most steps that all places of a process type may offer.
const MAX_STEPS: usize = 1_000_000;

impl<'a> Graph<'a> {
    /// The control flow through elements. Jumps that end atomic sequences are steps of their own if they count.
    pub fn new(elements: &Elements<'a>, jumps_count: bool, messages: &mut Messages) -> Self {
        let builder = Builder { elements, jumps_count, labels: elements.labels.keys().cloned().collect() };
        match builder.reachable(messages) {
            Ok(graph) => graph,
            Err(wrong) => {
                messages.add(wrong);
                Graph::default()
            }
        }
    }

    /// The steps that pre-empt a step of a place, by their positions there: those of escapes that come before its own,
    /// and of all escapes if it is none.
    pub fn escapes(&self, place: usize, step: usize) -> Vec<usize> {
        let steps = &self.places[place].steps;
        let own = steps[step].escape;
        // They come after what they escape from.
        let first = steps.partition_point(|step| step.escape.is_none());
        (first..steps.len()).take_while(|i| own.is_none() || steps[*i].escape != own).collect()
    }

    /// The steps that an `else` is about: those before it. `None` if there is an `else` before it, so that it has no
    /// chance.
    pub fn siblings(&self, place: usize, step: usize) -> Option<Vec<usize>> {
        let steps = &self.places[place].steps;
        let before: Vec<usize> = (0..step).filter(|i| steps[*i].escape == steps[step].escape).collect();
        before.iter().all(|i| !steps[*i].is_else()).then_some(before)
    }

    /// The places from which one can come back: what is done there may be done again and again. Those are the strongly
    /// connected components with more than one place, and places with a step to themselves (Tarjan 1972).
    pub fn repeated(&self) -> Vec<bool> {
        let count = self.places.len();
        let mut repeated = vec![false; count];
        // When each place was found; the earliest on the stack that it leads to; whether it is there still.
        let mut found: Vec<Option<usize>> = vec![None; count];
        let mut lowest = vec![0; count];
        let mut open = vec![false; count];
        let mut stack = Vec::new();
        let mut time = 0;
        for start in 0..count {
            // Places on the way, each with the step to be looked at next.
            let mut way = if found[start].is_none() { vec![(start, 0)] } else { Vec::new() };
            while let Some((place, next)) = way.pop() {
                if next == 0 {
                    (found[place], lowest[place], open[place]) = (Some(time), time, true);
                    stack.push(place);
                    time += 1;
                }
                if let Some(step) = self.places[place].steps.get(next) {
                    way.push((place, next + 1));
                    let to = step.target;
                    repeated[place] |= to == place;
                    match found[to] {
                        None => way.push((to, 0)),
                        Some(at) if open[to] => lowest[place] = lowest[place].min(at),
                        Some(_) => {}
                    }
                    continue;
                }
                if let Some((before, _)) = way.last() {
                    lowest[*before] = lowest[*before].min(lowest[place]);
                }
                if found[place] == Some(lowest[place]) {
                    let from = stack.iter().rposition(|p| *p == place).unwrap_or(0);
                    let several = stack.len() - from > 1;
                    for member in stack.drain(from..) {
                        open[member] = false;
                        repeated[member] |= several;
                    }
                }
            }
        }
        repeated
    }
}

/// Elements that are offered, each with the escape that it begins.
type Offered = Vec<(El, Option<usize>)>;

/// What is offered at elements.
type Seen = HashMap<El, Offered>;

struct Builder<'e, 'a> {
    elements: &'e Elements<'a>,
    jumps_count: bool,
    labels: HashSet<Name>,
}

impl<'a> Builder<'_, 'a> {
    /// What is offered at an element, in order, each with the escape that it begins.
    fn offered(&self, el: El, escape: Option<usize>, found: &mut Offered) {
        let mut seen = HashSet::new();
        let mut open = vec![el];
        while let Some(el) = open.pop() {
            if !seen.insert(el) {
                continue;
            }
            match &self.elements.get(el).kind {
                Kind::Choice(options) => {
                    open.extend(options.iter().rev().filter_map(|o| self.elements.hunt_start(o)));
                }
                Kind::Block(inside) => open.extend(self.elements.hunt_start(inside)),
                _ => found.push((el, escape)),
            }
        }
    }

    /// Where the execution of an element leads, with the numbers of the jumps on the way, and whether the token is held
    /// there.
    fn follow(&self, el: El) -> Option<(El, Vec<i64>, bool)> {
        let mut numbers = vec![self.elements.get(el).number];
        let mut atomic = self.elements.get(el).atomic;
        let mut at = self.elements.after(el)?;
        while !self.jumps_count && matches!(self.elements.get(at).kind, Kind::Jump(_) | Kind::Dot) {
            let jump = self.elements.get(at);
            numbers.push(jump.number);
            atomic = jump.atomic;
            at = self.elements.after(at)?;
            if numbers.len() > self.elements.len() {
                return None;
            }
        }
        Some((at, numbers, atomic))
    }

    /// What is offered at an element, then the escapes from it in the order in which they are tried.
    ///
    /// Spin's verifier puts the steps of an escape before what is escaped from, element by element in their order. So an
    /// escape from an escape is one with it where the latter is complete already, and comes before it elsewhere.
    fn escaped(&self, at: El, seen: &mut Seen, messages: &mut Messages) -> Offered {
        if let Some(found) = seen.get(&at) {
            return found.clone();
        }
        let mut found = Vec::new();
        self.offered(at, None, &mut found);
        let mut escapes: Offered = Vec::new();
        let mut all = Vec::new();
        for (el, _) in &found {
            let element = self.elements.get(*el);
            if matches!(element.kind, Kind::Dot) {
                continue;
            }
            for escape in &element.escapes {
                if !all.contains(escape) {
                    all.push(*escape);
                }
                let Some(begin) = self.elements.escape(*escape) else { continue };
                let mut steps = Vec::new();
                match begin < at {
                    true => steps = self.escaped(begin, seen, messages),
                    false => self.offered(begin, None, &mut steps),
                }
                let known = |el: &El| escapes.iter().chain(&found).any(|(other, _)| other == el);
                let new = steps.into_iter().map(|(el, _)| el).filter(|el| !known(el));
                let new: Vec<_> = new.map(|el| (el, Some(*escape))).collect();
                escapes.splice(0..0, new);
            }
        }
        let some = |(el, _): &&(El, Option<usize>)| self.elements.get(*el).escapes.len() < all.len();
        if let Some((el, _)) = found.iter().find(some) {
            let message = "this option is pre-empted by the escape from another one, as in Spin";
            messages.note(Severity::Warning, "W0902", message, self.elements.get(*el).span);
        }
        found.extend(escapes);
        seen.insert(at, found.clone());
        found
    }

    fn reachable(self, messages: &mut Messages) -> Result<Graph<'a>, Diagnostic> {
        let circle = |span| Diagnostic::error("E0922", "these jumps lead in a circle", span);
        let start = self.elements.start().ok_or_else(|| circle(None))?;
        let mut index: HashMap<(El, bool), usize> = HashMap::from([((start, false), 0)]);
        let mut open = vec![(start, false)];
        let mut places: Vec<Place<'a>> = Vec::new();
        let mut seen = Seen::new();
        let mut total = 0;
        while places.len() < open.len() {
            let (at, atomic) = open[places.len()];
            let found = self.escaped(at, &mut seen, messages);
            total += found.len();
            if total > MAX_STEPS {
                let place = self.elements.get(at).span;
                return Err(Diagnostic::error("E0930", "this process type has too many steps", Some(place)));
            }
            let mut steps = Vec::new();
            for (el, escape) in found {
                let element = self.elements.get(el);
                let (to, numbers, atomic) = self.follow(el).ok_or_else(|| circle(Some(element.span)))?;
                let target = *index.entry((to, atomic)).or_insert_with(|| {
                    open.push((to, atomic));
                    open.len() - 1
                });
                let action = match element.kind {
                    Kind::Step(action) => action,
                    _ => Action::Goto,
                };
                steps.push(Step { action, span: element.span, numbers, target, escape });
            }
            let element = self.elements.get(at);
            let mut labels = element.labels.clone();
            labels.sort();
            let end = matches!(element.kind, Kind::Step(Action::Exit));
            places.push(Place { atomic, steps, labels, end, counter: self.elements.counter(at) });
        }
        Ok(Graph { places, labels: self.labels })
    }
}

/// The statement that a sequence begins with, inside of blocks.
pub(crate) fn first(seq: &[Stmt]) -> Option<&Stmt> {
    let mut stmt = seq.first()?;
    loop {
        match &stmt.kind {
            StmtKind::Block(inner) | StmtKind::Atomic(inner) | StmtKind::DStep(inner) => {
                stmt = inner.first()?
            }
            _ => return Some(stmt),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A graph with these steps.
    fn graph(targets: &[Vec<usize>]) -> Graph<'static> {
        let step = |target: &usize| Step {
            action: Action::Goto,
            span: Span::default(),
            numbers: Vec::new(),
            target: *target,
            escape: None,
        };
        let place = |steps: &Vec<usize>| Place {
            atomic: false,
            steps: steps.iter().map(step).collect(),
            labels: Vec::new(),
            end: false,
            counter: 0,
        };
        Graph { places: targets.iter().map(place).collect(), labels: HashSet::new() }
    }

    /// Where one can come back to, by trying.
    fn tried(targets: &[Vec<usize>]) -> Vec<bool> {
        let back = |start: usize| {
            let mut seen = HashSet::new();
            let mut open = targets[start].clone();
            while let Some(place) = open.pop() {
                if seen.insert(place) {
                    open.extend(&targets[place]);
                }
            }
            seen.contains(&start)
        };
        (0..targets.len()).map(back).collect()
    }

    #[test]
    fn what_can_be_done_again() {
        // There was a search from every place: a process of 32,000 statements took 12 seconds to read.
        let mut seed = 3_u64;
        let mut random = |below: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % below
        };
        for _ in 0..500 {
            let places = 1 + random(12);
            let targets: Vec<Vec<usize>> =
                (0..places).map(|_| (0..random(3)).map(|_| random(places)).collect()).collect();
            assert_eq!(graph(&targets).repeated(), tried(&targets), "{targets:?}");
        }
    }
}
