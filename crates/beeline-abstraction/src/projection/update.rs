//! Updates and functions without what is removed. Stores into something removed are left out; a value that
//! depends on something removed is chosen: it becomes a select variable, over all the values it may have. One
//! choice per label is not enough for a loop that runs several times or a function that is called several times;
//! there the value is *needed*, and all that it depends on has to be kept.

use super::Pattern;
use super::approximate::{Failing, Side};
use super::cut::{Cut, Scope, Summary, meet};
use super::slice::{Relevant, Taint};
use beeline_ir::expr::{ChannelRef, Expr, Range};
use beeline_ir::stmt::{Block, Function, Pattern as Field, Place, Receive, Send, Stmt, Store, Target};
use beeline_ir::{ChannelId, ClockId, FamilyId, FunctionId, LocalId};
use beeline_program::Atom;
use beeline_zones::fault::{Fault, active};
use std::collections::BTreeSet;

/// A value that is chosen.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    pub range: Range,
    /// What would have to be kept for it to be known.
    pub needs: Pattern,
}

/// Rewrites the statements of one edge or function.
pub(super) struct Rewriter<'a> {
    pub scope: &'a Scope<'a>,
    relevant: &'a Relevant<'a>,
    /// The edge is one of a removed automaton.
    removed: bool,
    /// Select variables to be, numbered after all locals of the frame.
    pub choices: Vec<Choice>,
    /// What has to be kept.
    pub needs: Pattern,
    /// Within a loop or function: what is removed of what decides whether the statement runs.
    under: Option<Pattern>,
    /// What a function returns.
    result: Option<Range>,
}

impl<'a> Rewriter<'a> {
    /// For an edge.
    pub fn new(scope: &'a Scope<'a>, relevant: &'a Relevant<'a>, removed: bool) -> Self {
        Self {
            scope,
            relevant,
            removed,
            choices: Vec::new(),
            needs: Pattern::default(),
            under: None,
            result: None,
        }
    }

    // Values.

    /// A value within a range that may be any of the hull.
    pub fn choose(&mut self, within: Range, hull: Range, needs: Pattern) -> Expr {
        let range = meet(within, hull);
        if self.under.is_some() {
            self.needs.add(&needs);
            return Expr::Const(within.start());
        }
        match range.size() {
            // Whatever it is, the original fails.
            0 => Expr::Const(within.start()),
            1 => Expr::Const(range.lo),
            _ => {
                self.choices.push(Choice { range, needs });
                Expr::Local(LocalId::new(self.scope.frame.len() + self.choices.len() - 1))
            }
        }
    }
    /// A value that fails outside of a range.
    pub fn value(&mut self, e: &Expr, within: Range) -> Expr {
        if self.scope.loses(e) {
            self.choose(within, self.scope.hull(e), self.scope.missing(e))
        } else {
            self.scope.keep(e)
        }
    }
    /// A value to be stored.
    fn stored(&mut self, e: &Expr, range: Range, store: Store) -> Expr {
        let hull = self.scope.hull(e);
        let wraps = store == Store::Wrapping && !(range.contains(hull.lo) && range.contains(hull.hi));
        if wraps && self.scope.loses(e) {
            return self.choose(range, range, self.scope.missing(e));
        }
        self.value(e, range)
    }
    fn index(&mut self, index: &Expr, len: Option<u32>) -> Expr {
        self.value(index, indices(len))
    }
    fn place(&mut self, place: &Place) -> Place {
        match place {
            Place::Var(_) | Place::Local(_) => place.clone(),
            Place::Elem(var, index) => Place::Elem(*var, self.index(index, self.network().vars[*var].len)),
            Place::LocalElem(local, index) => {
                Place::LocalElem(*local, self.index(index, self.scope.frame[local.index()].len))
            }
        }
    }
    fn range(&self, place: &Place) -> Range {
        match place {
            Place::Var(var) | Place::Elem(var, _) => self.network().vars[*var].range,
            Place::Local(local) | Place::LocalElem(local, _) => self.scope.frame[local.index()].range,
        }
    }
    fn network(&self) -> &'a beeline_ir::network::Network {
        self.scope.cut.network
    }
    /// Something kept is changed here: whether it is must be known.
    fn effect(&mut self) {
        self.under.iter().for_each(|under| self.needs.add(under));
    }
    fn store_into(&mut self, place: &Place) -> bool {
        let wanted = self.relevant.wants(place);
        if wanted && matches!(place, Place::Var(_) | Place::Elem(..)) {
            self.effect();
        }
        wanted
    }

    // Messages.

    pub fn channel(&mut self, channel: &ChannelRef) -> ChannelRef {
        match channel {
            ChannelRef::Element(id, index) => {
                let len = self.network().channels[*id].len;
                ChannelRef::Element(*id, index.as_ref().map(|index| Box::new(self.index(index, len))))
            }
            ChannelRef::Value(value) => {
                let elements = self.network().channels.iter().map(|c| c.elements()).sum::<usize>();
                ChannelRef::Value(Box::new(self.value(value, Range::new(1, elements as i64))))
            }
        }
    }
    pub fn send(&mut self, send: &Send) -> Send {
        let channel = self.channel(&send.channel);
        let fields = send.message.iter().enumerate();
        let message = fields.map(|(at, value)| match self.field(&send.channel, at) {
            Some(range) => self.stored(value, range, Store::Wrapping),
            None => self.value(value, Range::new(i64::MIN, i64::MAX)),
        });
        Send { message: message.collect(), channel, sorted: send.sorted }
    }
    /// A required value that is not known is not required, unless it says which message is taken.
    pub fn receive(&mut self, receive: &Receive) -> Receive {
        let channel = self.channel(&receive.channel);
        let fields = receive.pattern.iter().enumerate();
        let pattern = fields.map(|(at, field)| match field {
            Field::Match(value) if !self.scope.loses(value) => Field::Match(self.scope.keep(value)),
            Field::Match(value) if receive.any => {
                let all = self.field(&receive.channel, at).unwrap_or(Range::new(i64::MIN, i64::MAX));
                Field::Match(self.value(value, all))
            }
            Field::Bind(target) if self.store_into(&target.place) => {
                Field::Bind(Target { place: self.place(&target.place), store: target.store })
            }
            Field::Match(_) | Field::Bind(_) | Field::Ignore => Field::Ignore,
        });
        Receive { pattern: pattern.collect(), channel, any: receive.any, keep: receive.keep }
    }
    fn field(&self, channel: &ChannelRef, at: usize) -> Option<Range> {
        let declared = |id: &ChannelId| self.network().channels[*id].fields.get(at).copied();
        match channel {
            ChannelRef::Element(id, _) => declared(id),
            ChannelRef::Value(_) => None,
        }
    }

    // Statements.

    /// What is left of a block.
    pub fn block(&mut self, block: &Block) -> Block {
        let mut out = Vec::new();
        block.iter().for_each(|statement| self.statement(statement, &mut out));
        out
    }

    fn statement(&mut self, statement: &Stmt, out: &mut Block) {
        match statement {
            Stmt::Assign(target, value) => {
                if self.store_into(&target.place) {
                    let place = self.place(&target.place);
                    let value = self.stored(value, self.range(&target.place), target.store);
                    out.push(Stmt::Assign(Target { place, store: target.store }, value));
                }
            }
            Stmt::ClockSet(clock, value) => self.set_clock(*clock, value, out),
            Stmt::ClockCopy(clock, other) => {
                let clocks = &self.scope.cut.kept.clocks;
                if clocks.contains(clock) {
                    if !clocks.contains(other) {
                        self.needs.clocks.insert(*other);
                    }
                    self.effect();
                    out.push(statement.clone());
                }
            }
            Stmt::If(condition, then, otherwise) => self.branch(condition, then, otherwise, out),
            Stmt::While(condition, body) => self.repeat(condition, body, out),
            Stmt::Call(function, arguments, target) => self.call(*function, arguments, target.as_ref(), out),
            Stmt::Send(send) => {
                self.effect();
                out.push(Stmt::Send(self.send(send)));
            }
            Stmt::Receive(receive) => {
                self.effect();
                // A message that is taken without regard to what it is would be another one.
                if self.under.is_some() {
                    let fields = receive.pattern.iter();
                    let matches = fields.filter_map(|f| if let Field::Match(e) = f { Some(e) } else { None });
                    matches.for_each(|value| self.needs.add(&self.scope.missing(value)));
                }
                out.push(Stmt::Receive(self.receive(receive)));
            }
            Stmt::Start(family, arguments, target) => self.start(*family, arguments, target.as_ref(), out),
            Stmt::Exit => out.push(Stmt::Exit),
            Stmt::Assert(condition, origin) => {
                if self.scope.cut.asserts {
                    self.effect();
                    let lower = self.scope.approximate(condition, Side::Lower, Failing::Guard);
                    // Where it holds it must not fail: there is a successor.
                    let fails = lower.lost && self.scope.may_fail(&lower.expr);
                    out.push(Stmt::Assert(if fails { Expr::FALSE } else { lower.expr }, origin.clone()));
                }
            }
            Stmt::Return(value) => {
                if self.under.as_ref().is_none_or(Pattern::is_empty) {
                    let result = self.result.map_or(0, Range::start);
                    let known =
                        |e: &Expr| if self.scope.loses(e) { Expr::Const(result) } else { self.scope.keep(e) };
                    out.push(Stmt::Return(value.as_ref().map(known)));
                }
            }
        }
    }

    fn set_clock(&mut self, clock: ClockId, value: &Expr, out: &mut Block) {
        let dropped = self.removed && active(Fault::ResetsOfRemovedDropped);
        if self.scope.cut.kept.clocks.contains(&clock) && !dropped {
            self.effect();
            let value = self.value(value, Range::new(0, Atom::LIMIT));
            out.push(Stmt::ClockSet(clock, value));
        }
    }

    fn branch(&mut self, condition: &Expr, then: &Block, otherwise: &Block, out: &mut Block) {
        let missing = self.scope.missing(condition);
        let outer = self.under.clone();
        self.under.iter_mut().for_each(|under| under.add(&missing));
        let (then, otherwise) = (self.block(then), self.block(otherwise));
        self.under = outer;
        if then == otherwise {
            out.extend(then);
        } else if missing.is_empty() {
            out.push(Stmt::If(self.scope.keep(condition), then, otherwise));
        } else {
            let either = self.choose(Range::BOOL, Range::BOOL, missing);
            out.push(Stmt::If(either, then, otherwise));
        }
    }

    fn repeat(&mut self, condition: &Expr, body: &Block, out: &mut Block) {
        let missing = self.scope.missing(condition);
        let outer = self.under.clone();
        self.under.get_or_insert_default().add(&missing);
        let body = self.block(body);
        self.under = outer;
        if !body.is_empty() {
            self.needs.add(&missing);
            out.push(Stmt::While(self.scope.keep(condition), body));
        }
    }

    fn call(&mut self, id: FunctionId, arguments: &[Expr], target: Option<&Target>, out: &mut Block) {
        let cut: &'a Cut<'a> = self.scope.cut;
        let Some(callee) = cut.function(id) else { return };
        let target = target.filter(|target| self.store_into(&target.place));
        if callee.effects {
            self.effect();
        } else if target.is_none() {
            return;
        }
        let function = &self.network().functions[id];
        let parameters = function.frame.iter().zip(&callee.params);
        let arguments = arguments.iter().zip(parameters).map(|(argument, (parameter, matters))| {
            if *matters {
                self.value(argument, parameter.range)
            } else {
                Expr::Const(parameter.range.start())
            }
        });
        let arguments = arguments.collect();
        match target {
            Some(target) if !callee.result.is_empty() => {
                if callee.effects {
                    out.push(Stmt::Call(id, arguments, None));
                }
                // The call may change what an index is.
                let place = match &target.place {
                    Place::Elem(_, Expr::Const(_)) | Place::LocalElem(_, Expr::Const(_)) => {
                        target.place.clone()
                    }
                    Place::Elem(var, _) => {
                        let all = indices(self.network().vars[*var].len);
                        Place::Elem(*var, self.choose(all, all, callee.result.clone()))
                    }
                    Place::LocalElem(local, _) => {
                        let all = indices(self.scope.frame[local.index()].len);
                        Place::LocalElem(*local, self.choose(all, all, callee.result.clone()))
                    }
                    Place::Var(_) | Place::Local(_) => target.place.clone(),
                };
                let range = self.range(&place);
                let hull = function.result.unwrap_or(range);
                let wraps = target.store == Store::Wrapping && meet(range, hull) != hull;
                let value = self.choose(range, if wraps { range } else { hull }, callee.result.clone());
                out.push(Stmt::Assign(Target { place, store: target.store }, value));
            }
            target => {
                let target = target.map(|t| Target { place: self.place(&t.place), store: t.store });
                out.push(Stmt::Call(id, arguments, target));
            }
        }
    }

    fn start(&mut self, family: FamilyId, arguments: &[Expr], target: Option<&Target>, out: &mut Block) {
        self.effect();
        let network = self.network();
        let slot = network.families[family].slots.first();
        let params = slot.map_or(&[][..], |slot| &network.processes[*slot].params[..]);
        let arguments = arguments.iter().zip(params);
        let arguments =
            arguments.map(|(e, param)| self.stored(e, network.vars[*param].range, Store::Wrapping));
        let arguments = arguments.collect();
        let target = target.filter(|target| self.store_into(&target.place));
        let target = target.map(|t| Target { place: self.place(&t.place), store: t.store });
        out.push(Stmt::Start(family, arguments, target));
    }
}

fn indices(len: Option<u32>) -> Range {
    Range::new(0, len.map_or(0, |len| i64::from(len) - 1))
}

/// Projects a function; what calls need to know of it, and what it needs.
pub(super) fn function(cut: &Cut<'_>, function: &Function) -> (Function, Summary, Pattern) {
    let taint = Taint::of(Scope::new(cut, &function.frame), &function.body, true);
    let relevant = Relevant::of(&taint.scope, &function.body, BTreeSet::new());
    let mut rewriter = Rewriter::new(&taint.scope, &relevant, false);
    rewriter.under = Some(taint.escape.clone());
    rewriter.result = function.result;
    let mut body = rewriter.block(&function.body);
    let effects = has_effects(cut, &body);
    if !effects && !taint.result.is_empty() {
        body.clear();
    }
    let params = (0..function.params).map(|param| relevant.locals.contains(&LocalId::new(param)));
    let summary = Summary { result: taint.result.clone(), effects, params: params.collect() };
    (Function { body, ..function.clone() }, summary, rewriter.needs)
}

/// Whether a projected block changes something other than locals.
fn has_effects(cut: &Cut<'_>, block: &Block) -> bool {
    let global = |target: &Target| matches!(target.place, Place::Var(_) | Place::Elem(..));
    let mut effects = false;
    beeline_ir::visit::walk_block(block, &mut |statement, _| {
        effects |= match statement {
            Stmt::Assign(target, _) => global(target),
            Stmt::Call(id, _, target) => {
                target.as_ref().is_some_and(global) || cut.function(*id).is_some_and(|callee| callee.effects)
            }
            Stmt::If(..) | Stmt::While(..) | Stmt::Return(_) => false,
            Stmt::ClockSet(..)
            | Stmt::ClockCopy(..)
            | Stmt::Send(_)
            | Stmt::Receive(_)
            | Stmt::Start(..)
            | Stmt::Exit
            | Stmt::Assert(..) => true,
        };
    });
    effects
}
