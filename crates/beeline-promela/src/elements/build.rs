//! How elements are made of statements, in the order in which Spin's parser does it.

use beeline_ir::diagnostic::Diagnostic;
use beeline_ir::origin::Span;

use super::{Action, El, Element, Elements, Kind, Numbers, To};
use crate::ast::{Arg, Expr, ExprKind, Name, Proc, Seq, Stmt, StmtKind};
use crate::messages::Messages;

/// What was made of the inside of a statement.
enum Inner {
    Nothing,
    One(Vec<El>),
    Options(Vec<Vec<El>>),
    Loop(Vec<Vec<El>>, usize),
    Pair(Box<Inner>, Box<Inner>),
}

struct Builder<'a, 'm> {
    elements: Elements<'a>,
    numbers: &'m mut Numbers,
    messages: &'m mut Messages,
    /// Loops around, by number.
    around: Vec<usize>,
    hidden: bool,
    /// Claims keep all they have.
    claim: bool,
}

impl<'a> Elements<'a> {
    /// The elements of a process type or claim.
    pub fn new(proc: &'a Proc, claim: bool, numbers: &mut Numbers, messages: &mut Messages) -> Self {
        let elements = Elements::default();
        let mut builder = Builder { elements, numbers, messages, around: Vec::new(), hidden: false, claim };
        let mut body = builder.seq(&proc.body);
        let end = builder.new_element(Kind::Step(Action::Exit), proc.end);
        builder.push(end, &mut body);
        builder.elements.body = body;
        builder.check_jumps();
        for (label, el) in &builder.elements.labels {
            if matches!(builder.elements.all[el.0].kind, Kind::Jump(_)) {
                builder.numbers.jumps.insert((proc.name.clone(), label.clone()), None);
            }
        }
        builder.elements
    }
}

impl<'a> Builder<'a, '_> {
    fn new_element(&mut self, kind: Kind<'a>, span: Span) -> El {
        self.elements.all.push(Element {
            kind,
            number: self.numbers.take(),
            span,
            labels: Vec::new(),
            atomic: false,
            inside: false,
            hidden: self.hidden,
            next: None,
            block: None,
            escapes: Vec::new(),
        });
        El(self.elements.all.len() - 1)
    }

    fn at(&mut self, el: El) -> &mut Element<'a> {
        &mut self.elements.all[el.0]
    }

    fn push(&mut self, el: El, sequence: &mut Vec<El>) {
        if let Some(last) = sequence.last() {
            self.at(*last).next = Some(el);
        }
        sequence.push(el);
    }

    fn seq(&mut self, seq: &'a Seq) -> Vec<El> {
        let mut sequence = Vec::new();
        for stmt in seq {
            self.add(stmt, &mut sequence);
        }
        sequence
    }

    fn add(&mut self, stmt: &'a Stmt, sequence: &mut Vec<El>) {
        let inner = self.inner(stmt);
        self.element(stmt, inner, sequence);
    }

    /// What is inside of a statement.
    fn inner(&mut self, stmt: &'a Stmt) -> Inner {
        match &stmt.kind {
            StmtKind::Block(seq) => Inner::One(self.seq(seq)),
            StmtKind::Atomic(seq) => {
                let sequence = self.seq(seq);
                self.make_atomic(&sequence);
                Inner::One(sequence)
            }
            StmtKind::DStep(seq) => {
                let outer = std::mem::replace(&mut self.hidden, true);
                let around = std::mem::take(&mut self.around);
                self.seq(seq);
                self.around = around;
                self.hidden = outer;
                Inner::Nothing
            }
            StmtKind::If(options) => Inner::Options(self.options(options)),
            StmtKind::Do(options) => {
                let number = self.elements.loops.len();
                self.elements.loops.push(None);
                self.around.push(number);
                let options = self.options(options);
                self.around.pop();
                Inner::Loop(options, number)
            }
            StmtKind::Unless(main, escape) => {
                let main = self.inner(main);
                Inner::Pair(Box::new(main), Box::new(self.inner(escape)))
            }
            _ => {
                exprs(stmt, &mut |e| self.numbers.asked(e));
                Inner::Nothing
            }
        }
    }

    fn options(&mut self, options: &'a [Seq]) -> Vec<Vec<El>> {
        let mut sequences: Vec<Vec<El>> = options.iter().map(|option| self.seq(option)).collect();
        sequences.retain(|s| !s.is_empty());
        if !self.claim {
            sequences.iter_mut().for_each(|s| self.prune(s));
        }
        let is_else = |sequence: &Vec<El>| match sequence.first().map(|el| &self.elements.get(*el).kind) {
            Some(Kind::Step(Action::Stmt(stmt))) => matches!(stmt.kind, StmtKind::Else),
            _ => false,
        };
        let (last, mut others): (Vec<_>, Vec<_>) = sequences.into_iter().partition(is_else);
        others.extend(last);
        others
    }

    /// Of several statements in a row that do nothing, those that are just `skip` are left out of an option, unless they
    /// begin or end it.
    fn prune(&mut self, sequence: &mut Vec<El>) {
        let mut idle = 0;
        let mut kept: Vec<El> = Vec::new();
        for (i, el) in sequence.iter().enumerate() {
            let element = self.elements.get(*el);
            let (print, skip) = match element.kind {
                Kind::Step(Action::Stmt(stmt)) => match &stmt.kind {
                    StmtKind::Print => (true, false),
                    StmtKind::Expr(Expr { kind: ExprKind::Int(1), .. }) => (false, true),
                    _ => (false, false),
                },
                _ => (false, false),
            };
            idle = if (print || skip) && element.labels.is_empty() { idle + 1 } else { 0 };
            if idle > 1 && skip && i > 0 && i + 1 < sequence.len() {
                continue;
            }
            if let Some(last) = kept.last() {
                self.at(*last).next = Some(*el);
            }
            kept.push(*el);
        }
        *sequence = kept;
    }

    /// The elements of a statement itself.
    fn element(&mut self, stmt: &'a Stmt, inner: Inner, sequence: &mut Vec<El>) {
        let span = stmt.span;
        let el = match (&stmt.kind, inner) {
            (_, Inner::One(inside)) => {
                let el = self.block(inside, span);
                self.push(el, sequence);
                el
            }
            (_, Inner::Options(options)) => {
                let el = self.new_element(Kind::Dot, span);
                let dot = self.new_element(Kind::Dot, span);
                self.at(el).kind = self.tied(options, dot);
                self.push(el, sequence);
                self.push(dot, sequence);
                el
            }
            (_, Inner::Loop(options, number)) => {
                let el = self.new_element(Kind::Dot, span);
                let dot = self.new_element(Kind::Dot, span);
                self.at(el).kind = self.tied(options, dot);
                self.push(dot, sequence);
                let left = self.new_element(Kind::Dot, span);
                self.elements.loops[number] = Some(left);
                self.push(el, sequence);
                self.push(left, sequence);
                el
            }
            (StmtKind::Unless(main, escape), Inner::Pair(main_inner, escape_inner)) => {
                let escape = self.part(escape, *escape_inner);
                let main = self.part(main, *main_inner);
                // A label is one of a block around.
                match stmt.labels.is_empty() {
                    true => self.unless(main, escape, span, sequence),
                    false => {
                        let mut inside = Vec::new();
                        self.unless(main, escape, span, &mut inside);
                        let el = self.block(inside, span);
                        self.push(el, sequence);
                        el
                    }
                }
            }
            (StmtKind::Goto(label), _) => self.jump(To::Label(label.clone()), stmt, sequence),
            (StmtKind::Break, _) => match self.around.last() {
                Some(number) => self.jump(To::Break(*number), stmt, sequence),
                None => {
                    if !self.hidden {
                        self.messages.error("E0922", "`break` stands outside of a loop", span);
                    }
                    self.step(Action::Goto, span, sequence)
                }
            },
            _ => self.step(Action::Stmt(stmt), span, sequence),
        };
        // A jump has put its labels where they belong.
        if !matches!(stmt.kind, StmtKind::Goto(_) | StmtKind::Break) {
            self.label(stmt, el);
        }
    }

    fn step(&mut self, action: Action<'a>, span: Span, sequence: &mut Vec<El>) -> El {
        let el = self.new_element(Kind::Step(action), span);
        self.push(el, sequence);
        el
    }

    fn jump(&mut self, to: To, stmt: &'a Stmt, sequence: &mut Vec<El>) -> El {
        let jump = self.new_element(Kind::Jump(to), stmt.span);
        let special = |name: &Name| ["end", "accept", "progress"].iter().any(|p| name.starts_with(p));
        match stmt.labels.iter().any(|(name, _)| special(name)) {
            true => {
                let skip = self.step(Action::Goto, stmt.span, sequence);
                self.label(stmt, skip);
            }
            false => self.label(stmt, jump),
        }
        self.push(jump, sequence);
        jump
    }

    fn block(&mut self, inside: Vec<El>, span: Span) -> El {
        let last = inside.last().copied();
        let el = self.new_element(Kind::Block(inside), span);
        if let Some(last) = last {
            self.at(last).block = Some(el);
        }
        el
    }

    /// A choice whose options end at a dot.
    fn tied(&mut self, mut options: Vec<Vec<El>>, dot: El) -> Kind<'a> {
        options.iter_mut().for_each(|option| self.push(dot, option));
        Kind::Choice(options)
    }

    /// One of the two sequences of an `unless`.
    fn part(&mut self, stmt: &'a Stmt, inner: Inner) -> Vec<El> {
        match (&stmt.kind, inner) {
            (StmtKind::Block(_), Inner::One(inside)) => inside,
            (_, inner) => {
                let mut sequence = Vec::new();
                self.element(stmt, inner, &mut sequence);
                sequence
            }
        }
    }

    fn unless(&mut self, main: Vec<El>, escape: Vec<El>, span: Span, sequence: &mut Vec<El>) -> El {
        let el = self.new_element(Kind::Dot, span);
        let dot = self.new_element(Kind::Dot, span);
        let number = self.elements.escapes.len();
        self.elements.escapes.push(escape.clone());
        self.attach(&main, number);
        let (mut main, mut escape) = (main, escape);
        self.push(dot, &mut main);
        self.push(dot, &mut escape);
        self.at(el).kind = Kind::Unless(main, escape);
        self.push(el, sequence);
        self.push(dot, sequence);
        el
    }

    /// An escape pre-empts all elements of a sequence, and the escapes they have already.
    fn attach(&mut self, sequence: &[El], escape: usize) {
        for el in sequence {
            if self.at(*el).escapes.contains(&escape) {
                continue;
            }
            for inner in self.at(*el).escapes.clone() {
                let inner = self.elements.escapes[inner].clone();
                self.attach(&inner, escape);
            }
            self.at(*el).escapes.push(escape);
            match self.at(*el).kind.clone() {
                Kind::Unless(main, _) => self.attach(&main, escape),
                Kind::Choice(options) => options.iter().for_each(|o| self.attach(o, escape)),
                Kind::Block(inside) => self.attach(&inside, escape),
                _ => {}
            }
        }
    }

    fn make_atomic(&mut self, sequence: &[El]) {
        self.mark(sequence);
        let Some(last) = sequence.last() else { return };
        match self.at(*last).kind.clone() {
            Kind::Block(inside) => self.make_atomic(&inside),
            _ => self.at(*last).atomic = false,
        }
    }

    fn mark(&mut self, sequence: &[El]) {
        for el in sequence {
            let element = self.at(*el);
            (element.atomic, element.inside) = (true, true);
            match element.kind.clone() {
                Kind::Block(inside) => self.mark(&inside),
                Kind::Choice(options) => options.iter().for_each(|o| self.mark(o)),
                Kind::Unless(main, escape) => [main, escape].iter().for_each(|s| self.mark(s)),
                _ => {}
            }
        }
    }

    fn label(&mut self, stmt: &'a Stmt, el: El) {
        for (name, span) in &stmt.labels {
            if self.hidden {
                continue;
            }
            if self.elements.labels.insert(name.clone(), el).is_some() {
                self.messages.error("E0922", format!("there are two labels `{name}`"), *span);
            }
            self.at(el).labels.push(name.clone());
        }
    }

    /// Every `goto` has a label. One that leaves an atomic sequence gives the token away, and one from its end into
    /// another keeps it.
    fn check_jumps(&mut self) {
        for i in 0..self.elements.all.len() {
            let element = &self.elements.all[i];
            let Kind::Jump(to) = &element.kind else { continue };
            if element.hidden {
                continue;
            }
            if let To::Label(label) = to
                && !self.elements.labels.contains_key(label)
            {
                let names = self.elements.labels.keys().map(|n| &**n);
                let message = format!("there is no label `{label}`");
                let mut wrong = Diagnostic::error("E0922", message, Some(element.span));
                if let Some(near) = beeline_ir::text::suggest(label, names) {
                    wrong = wrong.with_help(format!("did you mean `{near}`?"));
                }
                self.messages.add(wrong);
                self.elements.all[i].kind = Kind::Step(Action::Goto);
                continue;
            }
            let into = self.elements.onward(El(i)).is_some_and(|to| self.elements.get(to).inside);
            let element = &mut self.elements.all[i];
            element.atomic = element.inside && into;
        }
    }
}

/// Calls a function with the expressions of a statement that is not made of others.
fn exprs<'s>(stmt: &'s Stmt, visit: &mut impl FnMut(&'s Expr)) {
    match &stmt.kind {
        StmtKind::Expr(e) | StmtKind::Assign(_, e) | StmtKind::Assert(e) => visit(e),
        StmtKind::Send(send) => send.args.iter().for_each(visit),
        StmtKind::Receive(receive) => {
            let matched = |arg: &'s Arg| match arg {
                Arg::Match(e) => Some(e),
                _ => None,
            };
            receive.args.iter().filter_map(matched).for_each(visit);
        }
        _ => {}
    }
}
