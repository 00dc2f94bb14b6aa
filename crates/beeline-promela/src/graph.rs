//! The control flow of a process type, as Spin sees it. A *point* is where a process may stand between two statements.
//! It offers statements, its own and those of points it *includes*: a choice includes the beginnings of its options,
//! so that nested choices are one choice. An `else` comes after the other options of its own choice, and can be executed
//! if nothing before it can: so does Spin's verifier. A `goto` or `break` after a statement is no step; one that
//! begins an option is.
//!
//! Where a process stands is a point together with whether it came there inside of an atomic sequence: the point
//! before an atomic loop is the same as that between two rounds, but only there the process holds the token. A
//! process keeps the token if the statement it has executed is inside of an atomic sequence and not its end, and
//! what comes next is inside of one, too.

use std::collections::{HashMap, HashSet};

use beeline_ir::diagnostic::Diagnostic;
use beeline_ir::origin::Span;

use crate::ast::{Name, Seq, Stmt, StmtKind};
use crate::messages::Messages;

/// A point.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Point(usize);

/// What a process does in one step.
#[derive(Copy, Clone, Debug)]
pub(crate) enum Action<'a> {
    /// Executes a statement: none that is made of others, except `d_step`.
    Stmt(&'a Stmt),
    /// A `goto` or `break` that is a step.
    Goto,
    /// Ends.
    Exit,
}

/// A step that a point offers.
#[derive(Clone, Debug)]
pub(crate) struct Draft<'a> {
    pub action: Action<'a>,
    to: Point,
    /// Whether the token is kept on arrival.
    atomic: bool,
    /// The escapes that pre-empt it, by the points where they begin.
    escapes: Vec<Point>,
    pub span: Span,
}

impl Draft<'_> {
    /// Whether it is an `else`.
    pub fn is_else(&self) -> bool {
        matches!(self.action, Action::Stmt(Stmt { kind: StmtKind::Else, .. }))
    }
}

#[derive(Clone, Debug)]
enum Item<'a> {
    Draft(Draft<'a>),
    Include(Point),
}

/// One step from a place.
#[derive(Clone, Debug)]
pub(crate) struct Step<'a> {
    pub draft: Draft<'a>,
    /// The place it leads to.
    pub target: usize,
    /// The escape that it begins, if it does.
    escape: Option<Point>,
}

/// Where a process may stand.
#[derive(Clone, Debug)]
pub(crate) struct Place<'a> {
    /// Whether it holds the token there, having just come.
    pub atomic: bool,
    pub steps: Vec<Step<'a>>,
    /// Labels of the statement here.
    pub labels: Vec<Name>,
    /// Whether this is the end of the process.
    pub end: bool,
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
    /// The control flow of a body that ends at `end`.
    pub fn new(body: &'a Seq, end: Span, messages: &mut Messages) -> Self {
        let mut builder = Builder { points: Vec::new(), labels: HashMap::new(), messages };
        builder.find_labels(body, false);
        // A label of the first statement is one of the place where the process starts.
        let labelled =
            body.first().and_then(|s| s.labels.first()).and_then(|(name, _)| builder.labels.get(name));
        let labelled = labelled.map(|(point, _)| *point);
        let start = labelled.unwrap_or_else(|| builder.point());
        let last = builder.point();
        let exit = Draft { action: Action::Exit, to: last, atomic: false, escapes: Vec::new(), span: end };
        builder.points[last.0].push(Item::Draft(exit));
        let flow = Flow { atomic: false, direct: false, escapes: Vec::new(), leave: None };
        builder.seq(body, start, Next { point: last, atomic: false }, &flow);
        builder.reachable(start, last)
    }

    /// The steps that pre-empt a step of a place, by their positions there.
    pub fn escapes(&self, place: usize, step: usize) -> Vec<usize> {
        let steps = &self.places[place].steps;
        let by = &steps[step].draft.escapes;
        let begins = |s: &Step<'_>| s.escape.is_some_and(|e| by.contains(&e));
        (0..steps.len()).filter(|i| begins(&steps[*i])).collect()
    }

    /// The steps that an `else` is about: those before it. `None` if there is an `else` before it, so that it has no chance.
    pub fn siblings(&self, place: usize, step: usize) -> Option<Vec<usize>> {
        let steps = &self.places[place].steps;
        let before: Vec<usize> = (0..step).filter(|i| steps[*i].escape == steps[step].escape).collect();
        before.iter().all(|i| !steps[*i].draft.is_else()).then_some(before)
    }

    /// The places from which one can come back: what is done there may be done again and again.
    pub fn repeated(&self) -> Vec<bool> {
        let count = self.places.len();
        (0..count)
            .map(|start| {
                let mut seen = vec![false; count];
                let mut open = vec![start];
                while let Some(place) = open.pop() {
                    for step in &self.places[place].steps {
                        if step.target == start {
                            return true;
                        }
                        if !std::mem::replace(&mut seen[step.target], true) {
                            open.push(step.target);
                        }
                    }
                }
                false
            })
            .collect()
    }
}

/// Where control goes after a statement.
#[derive(Copy, Clone, Debug)]
struct Next {
    point: Point,
    atomic: bool,
}

/// What surrounds a statement.
#[derive(Clone, Debug)]
struct Flow {
    /// Inside of an atomic sequence.
    atomic: bool,
    /// The statements are those of the atomic sequence itself, so that the last ends it.
    direct: bool,
    escapes: Vec<Point>,
    /// Where `break` leads.
    leave: Option<Next>,
}

struct Builder<'a, 'm> {
    points: Vec<Vec<Item<'a>>>,
    /// The point of each label, and whether it is inside of an atomic sequence.
    labels: HashMap<Name, (Point, bool)>,
    messages: &'m mut Messages,
}

impl<'a> Builder<'a, '_> {
    fn point(&mut self) -> Point {
        self.points.push(Vec::new());
        Point(self.points.len() - 1)
    }

    fn find_labels(&mut self, seq: &'a [Stmt], atomic: bool) {
        for stmt in seq {
            if !stmt.labels.is_empty() {
                let point = self.point();
                for (name, span) in &stmt.labels {
                    if self.labels.insert(name.clone(), (point, atomic)).is_some() {
                        self.messages.error("E0922", format!("there are two labels `{name}`"), *span);
                    }
                }
            }
            match &stmt.kind {
                StmtKind::If(options) | StmtKind::Do(options) => {
                    options.iter().for_each(|o| self.find_labels(o, atomic));
                }
                StmtKind::Atomic(seq) => self.find_labels(seq, true),
                StmtKind::Block(seq) => self.find_labels(seq, atomic),
                StmtKind::Unless(main, escape) => {
                    self.find_labels(std::slice::from_ref(main), atomic);
                    self.find_labels(std::slice::from_ref(escape), atomic);
                }
                _ => {}
            }
        }
    }

    /// Statements that begin at a point.
    fn seq(&mut self, seq: &'a [Stmt], at: Point, next: Next, flow: &Flow) {
        let Some((first, rest)) = seq.split_first() else {
            return self.points[at.0].push(Item::Include(next.point));
        };
        // From the end, so that long sequences need no deep stack.
        let mut next = next;
        for (i, stmt) in rest.iter().enumerate().rev() {
            next = self.entry(stmt, next, flow, i + 1 == rest.len());
        }
        self.labelled(first, at, next, flow, rest.is_empty());
    }

    /// Where control goes to execute a statement that follows another.
    fn entry(&mut self, stmt: &'a Stmt, next: Next, flow: &Flow, last: bool) -> Next {
        let jump = self.jump(stmt, flow, last);
        let point = match stmt.labels.first().and_then(|(name, _)| self.labels.get(name)) {
            Some((point, _)) => *point,
            None if jump.is_some() => return jump.unwrap_or(next),
            None => self.point(),
        };
        self.place(stmt, point, next, flow, last);
        jump.unwrap_or(Next { point, atomic: flow.atomic })
    }

    /// Where a `goto` or `break` leads.
    fn jump(&mut self, stmt: &'a Stmt, flow: &Flow, last: bool) -> Option<Next> {
        match &stmt.kind {
            StmtKind::Goto(label) => match self.labels.get(label) {
                Some((point, inside)) => {
                    let atomic = flow.atomic && *inside && !(flow.direct && last);
                    Some(Next { point: *point, atomic })
                }
                None => {
                    let mut names: Vec<&str> = self.labels.keys().map(|n| &**n).collect();
                    names.sort_unstable();
                    let near = beeline_ir::text::suggest(label, names.into_iter());
                    let mut wrong =
                        Diagnostic::error("E0922", format!("there is no label `{label}`"), Some(stmt.span));
                    if let Some(near) = near {
                        wrong = wrong.with_help(format!("did you mean `{near}`?"));
                    }
                    self.messages.add(wrong);
                    Some(Next { point: Point(0), atomic: false })
                }
            },
            StmtKind::Break => {
                if flow.leave.is_none() {
                    self.messages.error("E0922", "`break` stands outside of a loop", stmt.span);
                }
                Some(flow.leave.unwrap_or(Next { point: Point(0), atomic: false }))
            }
            _ => None,
        }
    }

    fn labelled(&mut self, stmt: &'a Stmt, at: Point, next: Next, flow: &Flow, last: bool) {
        match stmt.labels.first().and_then(|(name, _)| self.labels.get(name)) {
            // A jump to the label finds this statement alone, not the choice it may be part of.
            Some((point, _)) if *point != at => {
                let point = *point;
                self.place(stmt, point, next, flow, last);
                self.points[at.0].push(Item::Include(point));
            }
            _ => self.place(stmt, at, next, flow, last),
        }
    }

    /// A statement at a point that is all its own.
    fn place(&mut self, stmt: &'a Stmt, at: Point, next: Next, flow: &Flow, last: bool) {
        match &stmt.kind {
            StmtKind::Block(seq) => {
                let inner = Flow { direct: flow.direct && last, ..flow.clone() };
                self.seq(seq, at, next, &inner);
            }
            StmtKind::Atomic(seq) => {
                let inner =
                    Flow { atomic: true, direct: !flow.atomic || (flow.direct && last), ..flow.clone() };
                self.seq(seq, at, next, &inner);
            }
            StmtKind::If(options) => {
                let inner = Flow { direct: false, ..flow.clone() };
                self.options(options, at, next, &inner);
            }
            StmtKind::Do(options) => {
                let again = Next { point: at, atomic: flow.atomic };
                let inner = Flow { direct: false, leave: Some(next), ..flow.clone() };
                self.options(options, at, again, &inner);
            }
            StmtKind::Unless(main, escape) => {
                let begin = self.point();
                let outer = Flow { direct: false, ..flow.clone() };
                self.labelled(escape, begin, next, &outer, last);
                let mut inner = outer;
                inner.escapes.push(begin);
                self.labelled(main, at, next, &inner, last);
            }
            StmtKind::Goto(_) | StmtKind::Break => {
                if let Some(to) = self.jump(stmt, flow, last) {
                    self.draft(at, Action::Goto, to, flow, stmt.span);
                }
            }
            _ => self.draft(at, Action::Stmt(stmt), next, flow, stmt.span),
        }
    }

    fn draft(&mut self, at: Point, action: Action<'a>, to: Next, flow: &Flow, span: Span) {
        let draft = Draft { action, to: to.point, atomic: to.atomic, escapes: flow.escapes.clone(), span };
        self.points[at.0].push(Item::Draft(draft));
    }

    fn options(&mut self, options: &'a [Seq], at: Point, next: Next, flow: &Flow) {
        let is_else =
            |option: &&'a Seq| matches!(first(option.as_slice()), Some(Stmt { kind: StmtKind::Else, .. }));
        let (last, others): (Vec<&Seq>, Vec<&Seq>) = options.iter().partition(is_else);
        for option in others.into_iter().chain(last) {
            let begin = self.point();
            self.seq(option, begin, next, flow);
            self.points[at.0].push(Item::Include(begin));
        }
    }

    /// What a point offers, with what it includes.
    fn offered(
        &self,
        point: Point,
        seen: &mut HashSet<Point>,
        found: &mut Vec<(Draft<'a>, Option<Point>)>,
        tag: Option<Point>,
    ) {
        let mut open = vec![point];
        while let Some(point) = open.pop() {
            if !seen.insert(point) {
                continue;
            }
            // Items keep their order: what is included last is looked at last.
            let mut included = Vec::new();
            for item in &self.points[point.0] {
                match item {
                    Item::Draft(draft) => found.push((draft.clone(), tag)),
                    Item::Include(other) => included.push(*other),
                }
            }
            open.extend(included.into_iter().rev());
        }
    }

    fn reachable(self, start: Point, end: Point) -> Graph<'a> {
        let mut index: HashMap<(Point, bool), usize> = HashMap::from([((start, false), 0)]);
        let mut open = vec![(start, false)];
        let mut places: Vec<Place<'a>> = Vec::new();
        let mut total = 0;
        while places.len() < open.len() {
            let (point, atomic) = open[places.len()];
            let mut found = Vec::new();
            self.offered(point, &mut HashSet::new(), &mut found, None);
            let mut escapes: Vec<Point> = Vec::new();
            let mut at = 0;
            while at < found.len() {
                for escape in found[at].0.escapes.clone() {
                    if !escapes.contains(&escape) {
                        escapes.push(escape);
                        self.offered(escape, &mut HashSet::new(), &mut found, Some(escape));
                    }
                }
                at += 1;
            }
            total += found.len();
            if total > MAX_STEPS {
                self.messages.add(Diagnostic::error("E0930", "this process type has too many steps", None));
                return Graph::default();
            }
            let mut steps = Vec::new();
            for (draft, escape) in found {
                let key = (draft.to, draft.atomic);
                let target = *index.entry(key).or_insert_with(|| {
                    open.push(key);
                    open.len() - 1
                });
                steps.push(Step { draft, target, escape });
            }
            let mut labels: Vec<Name> =
                self.labels.iter().filter(|(_, (p, _))| *p == point).map(|(name, _)| name.clone()).collect();
            labels.sort();
            places.push(Place { atomic, steps, labels, end: point == end });
        }
        let labels = self.labels.into_keys().collect();
        Graph { places, labels }
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
