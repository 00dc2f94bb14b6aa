//! The elements that Spin makes of a process type, numbered as Spin numbers them: from 0 through all process types and
//! claims, in the order of the text, what is inside of a statement before the statement itself. Trails name elements by
//! these numbers.
//!
//! Besides one element for each statement there are: one for each block; one for every choice, and one where its
//! options end; one more where a loop is left; two for `unless`. A jump with a label of which the name begins with
//! `end`, `accept` or `progress` gets a `skip` before it, and so does one whose label is asked for from outside
//! (`P@l`).
//!
//! *Atomic* are the elements inside of an atomic sequence, except the last: who executes such an element holds the token
//! afterwards.

mod build;

use std::collections::{BTreeMap, HashMap};

use beeline_ir::origin::Span;

use crate::ast::{Expr, ExprKind, Formula, Name, Stmt, walk_expr};

/// An element of a process type.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct El(usize);

/// What a process does in one step.
#[derive(Copy, Clone, Debug)]
pub(crate) enum Action<'a> {
    /// Executes a statement: none that is made of others, except `d_step`.
    Stmt(&'a Stmt),
    /// A jump or `skip` that is a step.
    Goto,
    /// Ends.
    Exit,
}

/// What an element is.
#[derive(Clone, Debug)]
pub(crate) enum Kind<'a> {
    /// Something that is executed.
    Step(Action<'a>),
    /// `goto` and `break`.
    Jump(To),
    /// Where options or loops end.
    Dot,
    /// `if` and `do`: the options, `else` last.
    Choice(Vec<Vec<El>>),
    /// A block, atomic or not.
    Block(Vec<El>),
    /// What is escaped from, and the escape.
    Unless(Vec<El>, Vec<El>),
}

/// Where a jump leads.
#[derive(Clone, Debug)]
pub(crate) enum To {
    Label(Name),
    /// After the loop of this number.
    Break(usize),
}

#[derive(Clone, Debug)]
pub(crate) struct Element<'a> {
    pub kind: Kind<'a>,
    /// Its number in all of the model.
    pub number: i64,
    pub span: Span,
    pub labels: Vec<Name>,
    /// Who executes it holds the token.
    pub atomic: bool,
    /// Inside of an atomic sequence, the last element included.
    inside: bool,
    /// Inside of a `d_step`, where it is not executed by itself.
    hidden: bool,
    next: Option<El>,
    /// For the last element of a block: that block, which knows what comes next.
    block: Option<El>,
    /// The escapes that pre-empt it, by their numbers.
    pub escapes: Vec<usize>,
}

/// The elements of a process type.
#[derive(Clone, Default, Debug)]
pub(crate) struct Elements<'a> {
    all: Vec<Element<'a>>,
    /// All statements of the body, and the end.
    body: Vec<El>,
    pub labels: BTreeMap<Name, El>,
    /// Where each loop is left.
    loops: Vec<Option<El>>,
    /// Elements of each escape.
    escapes: Vec<Vec<El>>,
}

/// The numbers that are given to elements, one process type after another.
#[derive(Default)]
pub(crate) struct Numbers {
    next: i64,
    /// Jumps with a label; with a number if that label was asked for.
    jumps: HashMap<(Name, Name), Option<i64>>,
}

impl Numbers {
    fn take(&mut self) -> i64 {
        self.next += 1;
        self.next - 1
    }

    /// Notes the labels that an expression asks for.
    fn asked(&mut self, expr: &Expr) {
        walk_expr(expr, &mut |e| {
            if let ExprKind::RemoteLabel(proc, _, label) = &e.kind
                && let Some(jump @ None) = self.jumps.get_mut(&(proc.clone(), label.clone()))
            {
                *jump = Some(self.next);
                self.next += 1;
            }
        });
    }

    /// Formulas come after everything else.
    pub fn formulas(&mut self, formulas: &[Formula]) {
        formulas.iter().for_each(|f| self.asked(&f.formula));
    }
}

impl<'a> Elements<'a> {
    /// Once all numbers are given: jumps that are asked for by their label become a `skip` and a jump.
    pub fn finish(&mut self, proc: &Name, numbers: &Numbers) {
        for (label, el) in self.labels.clone() {
            let Some(Some(number)) = numbers.jumps.get(&(proc.clone(), label)) else { continue };
            let jump = El(self.all.len());
            let copy = Element {
                number: *number,
                labels: Vec::new(),
                atomic: false,
                inside: false,
                escapes: Vec::new(),
                ..self.all[el.0].clone()
            };
            self.all.push(copy);
            let asked = &mut self.all[el.0];
            asked.kind = Kind::Step(Action::Goto);
            asked.next = Some(jump);
            asked.block = None;
        }
    }

    pub fn get(&self, el: El) -> &Element<'a> {
        &self.all[el.0]
    }

    /// What Spin's `pc_value` gives where a process stands at an element.
    pub fn counter(&self, el: El) -> i64 {
        el.0 as i64 + 1
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// What follows an element in its sequence, or after the blocks that end with it.
    fn follower(&self, mut el: El) -> Option<El> {
        loop {
            let element = self.get(el);
            match (element.next, element.block) {
                (Some(next), _) => return Some(next),
                (None, Some(block)) => el = block,
                (None, None) => return None,
            }
        }
    }

    /// Where a jump leads, or what follows anything else.
    fn onward(&self, el: El) -> Option<El> {
        match &self.get(el).kind {
            Kind::Jump(To::Label(label)) => self.labels.get(label).copied(),
            Kind::Jump(To::Break(number)) => self.loops.get(*number).copied().flatten(),
            _ => self.follower(el),
        }
    }

    /// Where the process starts; `None` if jumps go in circles.
    pub fn start(&self) -> Option<El> {
        let first = *self.body.first()?;
        self.hunt(first, self.get(first).atomic)
    }

    /// Where the process stands after it has executed an element: its last one stays where it is.
    pub fn after(&self, el: El) -> Option<El> {
        match self.onward(el) {
            Some(next) => self.hunt(next, self.get(el).atomic),
            None => Some(el),
        }
    }

    /// Follows jumps from an element on; who holds the token stops before a jump that gives it away.
    fn hunt(&self, from: El, atomic: bool) -> Option<El> {
        let mut el = from;
        for _ in 0..=self.all.len() {
            let next = match &self.get(el).kind {
                Kind::Jump(_) | Kind::Dot => self.onward(el),
                Kind::Unless(main, _) => main.first().copied(),
                _ => return Some(el),
            };
            match next {
                Some(next) if !atomic || self.get(next).atomic => el = next,
                _ => return Some(el),
            }
        }
        None
    }

    /// The element that a sequence begins with.
    pub fn hunt_start(&self, sequence: &[El]) -> Option<El> {
        let mut el = *sequence.first()?;
        for _ in 0..=self.all.len() {
            el = match &self.get(el).kind {
                Kind::Dot => self.follower(el).unwrap_or(el),
                Kind::Unless(main, _) => *main.first()?,
                _ => break,
            };
        }
        Some(el)
    }

    /// Where an escape begins.
    pub fn escape(&self, number: usize) -> Option<El> {
        self.hunt_start(&self.escapes[number])
    }
}
