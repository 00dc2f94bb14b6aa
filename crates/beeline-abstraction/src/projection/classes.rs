//! Domain maps: several values of a variable become one. S. Edelkamp and A. Lluch-Lafuente ("Abstraction in
//! Directed Model Checking", 2004) call this data abstraction. The variable holds the number of the class its
//! value is in. Where it is read, the value may be any of the class: a select variable, in an edge; where there
//! can be none, a quantifier. Where it is written, the value goes into a local of its own, and its class into
//! the variable.

use super::Pattern;
use super::anew::{add_local, add_select};
use super::cut::{Cut, Scope};
use super::edge::{Projected, SELECTIONS};
use super::slice::stores;
use super::telling::{Telling, Trying};
use beeline_ir::expr::{BinaryOp, ChannelRef, ClockAtom, Expr, Quantifier, Range};
use beeline_ir::network::{ChannelKind, Edge, Location, Network, Sync};
use beeline_ir::property::{Property, PropertyKind};
use beeline_ir::stmt::{Block, Local, Pattern as Field, Place, Stmt, Store, Target};
use beeline_ir::visit::{atom_parts, block_parts, sync_parts, walk, walk_block};
use beeline_ir::{LocalId, VarId};
use beeline_program::anew::{Anew, evaluation, execution};
use beeline_program::rewrite::rewrite;

/// A partition of the values of a variable.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Classes {
    least: i64,
    /// The class of each value, from the least on.
    of: Vec<u32>,
    /// A value of each class.
    values: Vec<i64>,
}

impl Classes {
    /// Values of one class have the same name; classes are numbered in order of their least values. `None` if
    /// there are too many values, or none.
    pub fn new<N: PartialEq>(range: Range, name: impl Fn(i64) -> N) -> Option<Self> {
        if range.size() == 0 || range.size() > SELECTIONS {
            return None;
        }
        let mut names: Vec<N> = Vec::new();
        let mut classes = Self { least: range.lo, of: Vec::new(), values: Vec::new() };
        for value in range.values() {
            let name = name(value);
            let class = names.iter().position(|known| *known == name).unwrap_or(names.len());
            if class == names.len() {
                names.push(name);
                classes.values.push(value);
            }
            classes.of.push(class as u32);
        }
        Some(classes)
    }
    /// The number of the class of a value; that of the nearest one, for values outside of the range.
    pub fn class(&self, value: i64) -> i64 {
        let at = value.saturating_sub(self.least).clamp(0, self.of.len() as i64 - 1);
        i64::from(self.of[at as usize])
    }
    /// The values there are.
    pub fn range(&self) -> Range {
        Range::new(self.least, self.least + self.of.len() as i64 - 1)
    }
    /// The numbers of the classes.
    pub fn numbers(&self) -> Range {
        Range::new(0, self.values.len() as i64 - 1)
    }

    /// Whether the variable can be mapped like this.
    pub(super) fn fit(&self, network: &Network, var: VarId) -> bool {
        network.vars.get(var).is_some_and(|var| var.range == self.range())
    }

    /// The class of a value.
    pub(super) fn class_of(&self, value: &Expr) -> Expr {
        let mut runs: Vec<(i64, i64)> = Vec::new();
        for value in self.range().values() {
            let class = self.class(value);
            match runs.last_mut() {
                Some((last, of)) if *of == class => *last = value,
                _ => runs.push((value, class)),
            }
        }
        tree(value, &runs)
    }
    /// The value that a local stands for if it is in the class that is held, or some value of that class.
    pub(super) fn matching(&self, held: &Expr, trying: &Trying, local: LocalId) -> Expr {
        let numbered = self.values.iter().enumerate();
        let some: Vec<(i64, i64)> = numbered.map(|(class, value)| (class as i64, *value)).collect();
        let some = tree(held, &some);
        let fits = trying.class(local, self).binary(BinaryOp::Eq, held.clone());
        Expr::If(Box::new(fits), Box::new(trying.value(local)), Box::new(some))
    }
}

/// `key <= k1 ? v1 : key <= k2 ? v2 : .. : vn`, balanced.
pub(super) fn tree(key: &Expr, cases: &[(i64, i64)]) -> Expr {
    match cases {
        [] => Expr::Const(0),
        [(_, value)] => Expr::Const(*value),
        _ => {
            let (low, high) = cases.split_at(cases.len() / 2);
            let (last, _) = low[low.len() - 1];
            let low_side = key.clone().binary(BinaryOp::Le, Expr::Const(last));
            Expr::If(Box::new(low_side), Box::new(tree(key, low)), Box::new(tree(key, high)))
        }
    }
}

/// A variable that is mapped.
pub(super) type Map<'a> = (&'a VarId, &'a Classes);

/// Something in place of a variable; what is stored goes into a local.
struct Substitute {
    var: VarId,
    value: Expr,
    local: LocalId,
}

impl Anew for Substitute {
    fn expr(&mut self, e: &Expr) -> Expr {
        rewrite(e, &mut |part| (*part == Expr::Var(self.var)).then(|| self.value.clone()))
    }
    fn place(&mut self, place: &mut Place) {
        if *place == Place::Var(self.var) {
            *place = Place::Local(self.local);
        }
    }
}

/// Whether an expression reads a variable, or an element of it.
pub(super) fn reads(e: &Expr, var: VarId) -> bool {
    let mut reads = false;
    walk(e, &mut |part| reads |= matches!(part, Expr::Var(v) | Expr::Elem(v, _) if *v == var));
    reads
}

pub(super) fn block_reads(block: &Block, var: VarId) -> bool {
    let mut found = false;
    block_parts(block, &mut |e| found |= reads(e, var));
    found
}

fn stores_into(statement: &Stmt, var: VarId) -> bool {
    stores(statement).iter().any(|place| matches!(place, Place::Var(v) | Place::Elem(v, _) if *v == var))
}

pub(super) fn block_stores(block: &Block, var: VarId) -> bool {
    let mut found = false;
    walk_block(block, &mut |statement, _| {
        found |= stores_into(statement, var);
    });
    found
}

/// Whether functions, or loops of updates, touch the variable: its value would have to be chosen several times.
pub(super) fn recurs(network: &Network, var: VarId) -> bool {
    let touches = |block: &Block| block_reads(block, var) || block_stores(block, var);
    let loops = |block: &Block| {
        let mut found = false;
        walk_block(block, &mut |statement, _| {
            found |= matches!(statement, Stmt::While(..)) && touches(&vec![statement.clone()]);
        });
        found
    };
    let mut edges = network.processes.iter().flat_map(|process| &process.edges);
    network.functions.iter().any(|function| touches(&function.body)) || edges.any(|edge| loops(&edge.update))
}

/// Whether the evaluation of an edge may fail.
pub(super) fn may_fail(cut: &Cut<'_>, edge: &Edge) -> bool {
    let scope = Scope::new(cut, &edge.frame);
    let channel = match &edge.sync {
        Sync::Internal => None,
        Sync::Send(send) => Some(&send.channel),
        Sync::Receive(receive) => Some(&receive.channel),
    };
    let mut fails = scope.may_fail(&edge.guard)
        || edge.clock_guard.iter().any(|atom| scope.atom_may_fail(atom))
        || channel.is_some_and(|channel| scope.channel_may_fail(channel));
    sync_parts(&edge.sync, &mut |e| fails = fails || scope.may_fail(e));
    fails
}

/// A condition with some value of the class that the variable holds; it must not fail.
fn exists(cut: &Cut<'_>, frame: &mut Vec<Local>, (&var, classes): Map<'_>, condition: &Expr) -> Expr {
    let mut telling = Telling::new();
    telling.reading(condition, var);
    let trying = Trying::new(telling.values(cut.held(var), classes));
    let range = trying.range;
    let local = add_local(frame, Local { name: "value".to_string(), range, len: None });
    let condition = Substitute { var, value: trying.value(local), local }.expr(condition);
    let holds = trying.class(local, classes).binary(BinaryOp::Eq, Expr::Var(var));
    let body = Expr::And(vec![holds, condition]);
    Expr::Quantified(Quantifier::Exists, local, range, Box::new(body))
}

/// The values of a variable that the evaluation of an edge, its execution, or both can tell apart.
fn trying(cut: &Cut<'_>, edge: &Edge, (&var, classes): Map<'_>, asks: bool, uses: bool) -> Trying {
    let mut telling = Telling::new();
    if asks {
        telling.reading(&edge.guard, var);
        atom_parts(&edge.clock_guard, &mut |e| telling.reading(e, var));
        sync_parts(&edge.sync, &mut |e| telling.reading(e, var));
    }
    let mut stored = false;
    for statement in edge.update.iter().filter(|_| uses) {
        let alone = vec![statement.clone()];
        match statement {
            // What has been stored is read again.
            _ if stored && block_reads(&alone, var) => telling.give_up(),
            Stmt::Assign(Target { place: Place::Var(v), store }, value) if *v == var => {
                telling.storing(value, *store, var);
            }
            _ if block_stores(&alone, var) && block_reads(&alone, var) => telling.give_up(),
            _ => block_parts(&alone, &mut |e| telling.reading(e, var)),
        }
        stored |= block_stores(&alone, var);
    }
    Trying::new(telling.values(cut.held(var), classes))
}

/// What an edge does with a variable.
struct Use {
    /// Its evaluation reads it.
    asks: bool,
    /// Nothing of it but the guard does.
    guard_only: bool,
    /// Its update reads it.
    uses: bool,
    /// A message is bound to it.
    binds: bool,
    /// No other part of a label is executed before.
    first: bool,
}

impl Use {
    fn of(cut: &Cut<'_>, edge: &Edge, var: VarId) -> Self {
        let mut others = false;
        atom_parts(&edge.clock_guard, &mut |e| others |= reads(e, var));
        sync_parts(&edge.sync, &mut |e| others |= reads(e, var));
        let bound = |field: &Field| matches!(field, Field::Bind(target) if target.place == Place::Var(var));
        let (binds, first) = match &edge.sync {
            Sync::Internal | Sync::Send(_) => (false, true),
            Sync::Receive(receive) => {
                let buffered = match &receive.channel {
                    ChannelRef::Element(id, _) => {
                        matches!(cut.network.channels[*id].kind, ChannelKind::Buffered { .. })
                    }
                    ChannelRef::Value(_) => false,
                };
                (receive.pattern.iter().any(bound), buffered)
            }
        };
        Self {
            asks: others || reads(&edge.guard, var),
            guard_only: !others,
            uses: block_reads(&edge.update, var),
            binds,
            first,
        }
    }
}

/// Maps a variable in an edge. `observes`: the edge must not get select variables.
pub(super) fn edge(
    cut: &Cut<'_>,
    projected: &mut Projected,
    (&var, classes): Map<'_>,
    observes: bool,
    needs: &mut Pattern,
) {
    let edge = &mut projected.edge;
    let Use { asks, guard_only, uses, binds, first } = Use::of(cut, edge, var);
    projected.lost |= asks;
    let receives = matches!(edge.sync, Sync::Receive(_));
    let by_value = cut.broadcasts()
        && matches!(&edge.sync, Sync::Receive(receive) if matches!(receive.channel, ChannelRef::Value(_)));
    let index = |field: &Field| match field {
        Field::Bind(Target { place: Place::Elem(_, index) | Place::LocalElem(_, index), .. }) => {
            reads(index, var)
        }
        _ => false,
    };
    let indices = matches!(&edge.sync, Sync::Receive(receive) if receive.pattern.iter().any(index));
    let fails = may_fail(cut, edge);
    // A receiver must not fail for the sake of another value of the class.
    if indices || asks && (fails && (receives || observes) || by_value) {
        needs.integers.insert(var);
        return;
    }
    let local = |name: &str, range: Range| Local { name: name.to_string(), range, len: None };
    let mut value = None;
    if asks && guard_only && !fails && !(uses && first) {
        edge.guard = exists(cut, &mut edge.frame, (&var, classes), &edge.guard);
    } else if asks || uses && first && !binds {
        let trying = trying(cut, edge, (&var, classes), asks, uses && first && !binds);
        let select = add_select(edge, local("value", trying.range));
        evaluation(edge, &mut Substitute { var, value: trying.value(select), local: select });
        let guard = std::mem::replace(&mut edge.guard, Expr::TRUE);
        let holds = trying.class(select, classes).binary(BinaryOp::Eq, Expr::Var(var));
        edge.guard = if guard.is_true() { holds } else { Expr::And(vec![holds, guard]) };
        value = first.then(|| trying.value(select));
    }
    if uses || binds || block_stores(&edge.update, var) {
        if uses && !binds && value.is_none() {
            let trying = trying(cut, edge, (&var, classes), false, true);
            let other = add_select(edge, local("other", trying.range));
            value = Some(classes.matching(&Expr::Var(var), &trying, other));
        }
        let held = add_local(&mut edge.frame, local("held", classes.range()));
        execution(edge, &mut Substitute { var, value: Expr::Local(held), local: held });
        let class = into(Place::Var(var), classes.class_of(&Expr::Local(held)));
        note(&mut edge.update, held, &class);
        let start = match value.filter(|_| uses) {
            _ if binds => Some(class),
            Some(value) => Some(into(Place::Local(held), value)),
            None => None,
        };
        edge.update.splice(0..0, start);
    }
    let sizes = edge.frame[..edge.selects].iter().map(|local| local.range.size());
    if sizes.fold(1, u128::saturating_mul) > SELECTIONS {
        needs.integers.insert(var);
    }
}

pub(super) fn into(place: Place, value: Expr) -> Stmt {
    Stmt::Assign(Target { place, store: Store::Checked }, value)
}

/// Puts a statement behind each one that stores into a local.
pub(super) fn note(block: &mut Block, local: LocalId, statement: &Stmt) {
    for mut part in std::mem::take(block) {
        let follows = stores(&part).contains(&&Place::Local(local));
        match &mut part {
            Stmt::If(_, then, otherwise) => {
                note(then, local, statement);
                note(otherwise, local, statement);
            }
            Stmt::While(_, body) => note(body, local, statement),
            _ => {}
        }
        block.push(part);
        block.extend(follows.then(|| statement.clone()));
    }
}

/// Maps a variable in the invariant of a location.
pub(super) fn location(cut: &Cut<'_>, location: &mut Location, (&var, classes): Map<'_>) {
    if reads(&location.condition, var) {
        let fails = Scope::new(cut, &location.frame).may_fail(&location.condition);
        location.condition = match fails {
            true => Expr::TRUE,
            false => exists(cut, &mut location.frame, (&var, classes), &location.condition),
        };
    }
    // A bound that is not known is no bound.
    let asks =
        |atom: &ClockAtom| reads(&atom.bound, var) || atom.when.as_ref().is_some_and(|when| reads(when, var));
    location.invariant.retain(|atom| !asks(atom));
}

/// Maps a variable in a property, which does not fail whatever its value.
pub(super) fn property(cut: &Cut<'_>, property: &mut Property, map: Map<'_>) {
    let frame = &mut property.frame;
    match &mut property.kind {
        PropertyKind::Exists(p) if reads(p, *map.0) => *p = exists(cut, frame, map, p),
        PropertyKind::Always(p) if reads(p, *map.0) => {
            *p = exists(cut, frame, map, &p.clone().negated()).negated();
        }
        _ => return,
    }
    property.text = None;
}
