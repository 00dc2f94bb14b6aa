//! Domain maps of arrays: every element holds the number of the class that its value is in. Other than a variable, an
//! element is one of several, and which one is known when it is read. So a value is chosen for each place where one is
//! read: the one chosen if it is in the class that the element holds, and some value of that class otherwise. Within loops,
//! functions and quantifiers one choice is not enough; there, arrays are kept as they are.

use super::Pattern;
use super::anew::{add_local, renumber, unused};
use super::classes::{Classes, Map, block_reads, block_stores, into, may_fail, reads};
use super::cut::{Cut, Scope};
use super::edge::{Projected, SELECTIONS};
use super::telling::{Telling, Trying, value};
use beeline_ir::expr::{ChannelRef, ClockAtom, Expr, Quantifier, Range, UnaryOp};
use beeline_ir::network::{Edge, Location, Network, Sync};
use beeline_ir::property::{Property, PropertyKind};
use beeline_ir::stmt::{Block, Local, Pattern as Field, Place, Receive, Stmt, Store, Target};
use beeline_ir::visit::{atom_parts, block_parts, children, sync_parts, walk};
use beeline_ir::{LocalId, VarId};
use beeline_program::anew::{Anew, evaluation, execution};
use beeline_program::rewrite::rewrite;

/// Whether something reads elements in the body of a quantifier, where one choice of a value is not enough.
pub(super) fn quantified(network: &Network, property: &Property, var: VarId) -> bool {
    let mut found = false;
    let mut look = |e: &Expr| {
        walk(e, &mut |part| {
            found |= matches!(part, Expr::Quantified(_, _, _, body) if reads(body, var));
        });
    };
    for process in &network.processes {
        for location in &process.locations {
            look(&location.condition);
            atom_parts(&location.invariant, &mut look);
        }
        for edge in &process.edges {
            look(&edge.guard);
            atom_parts(&edge.clock_guard, &mut look);
            sync_parts(&edge.sync, &mut look);
            block_parts(&edge.update, &mut look);
        }
    }
    if let PropertyKind::Always(p) | PropertyKind::Exists(p) = &property.kind {
        look(p);
    }
    found
}

/// What reads one element, and computes something from its value and constants: the expression with the value in place of
/// the element.
fn alone(e: &Expr, var: VarId) -> Option<Expr> {
    fn other(e: &Expr, var: VarId, elements: &mut usize) -> bool {
        match e {
            Expr::Elem(v, _) if *v == var => {
                *elements += 1;
                false
            }
            Expr::Const(_) => false,
            Expr::Unary(..) | Expr::Binary(..) | Expr::And(_) | Expr::Or(_) | Expr::If(..) => {
                let mut found = false;
                children(e, &mut |part| found = found || other(part, var, elements));
                found
            }
            _ => true,
        }
    }
    let mut elements = 0;
    let mixed = other(e, var, &mut elements);
    let put = |part: &Expr| matches!(part, Expr::Elem(v, _) if *v == var).then(value);
    (!mixed && elements == 1).then(|| rewrite(e, &mut { put }))
}

/// Puts choices in place of elements; they are numbered from the first free local on, and moved to where they belong later.
struct Choosing<'a> {
    map: Map<'a>,
    held: Range,
    /// The locals from which classes go into elements.
    between: std::ops::Range<usize>,
    /// The first number that no local has.
    first: usize,
    choices: Vec<Range>,
}

impl Choosing<'_> {
    /// An expression whose result is used, or stored into an element.
    fn choose(&mut self, e: &Expr, store: Option<Store>) -> Expr {
        let (var, classes) = (*self.map.0, self.map.1);
        let chosen = |this: &mut Self, e: &Expr, telling: &Telling| {
            let trying = Trying::new(telling.values(this.held, classes));
            let local = LocalId::new(this.first + this.choices.len());
            this.choices.push(trying.range);
            let mut put = |part: &Expr| match part {
                Expr::Elem(v, index) if *v == var => {
                    let held = Expr::Elem(var, Box::new(this.choose(index, None)));
                    Some(classes.matching(&held, &trying, local))
                }
                _ => None,
            };
            rewrite(e, &mut put)
        };
        rewrite(e, &mut |part| {
            if !reads(part, var) {
                return Some(part.clone());
            }
            let mut telling = Telling::new();
            match (alone(part, var), part) {
                (Some(alone), _) => telling.add(&alone, store.filter(|_| std::ptr::eq(part, e))),
                (None, Expr::Elem(v, _)) if *v == var => telling.give_up(),
                _ => return None,
            }
            Some(chosen(self, part, &telling))
        })
    }
}

impl Anew for Choosing<'_> {
    fn expr(&mut self, e: &Expr) -> Expr {
        self.choose(e, None)
    }
    fn stored(&mut self, target: &Target, e: &Expr) -> Expr {
        let ours = matches!(target.place, Place::Local(local) if self.between.contains(&local.index()));
        self.choose(e, ours.then_some(target.store))
    }
    fn place(&mut self, _: &mut Place) {}
}

/// Maps the elements of an array in an edge. `observes`: the edge must not get select variables.
pub(super) fn edge(
    cut: &Cut<'_>,
    projected: &mut Projected,
    map: Map<'_>,
    observes: bool,
    needs: &mut Pattern,
) {
    let var = *map.0;
    let edge = &mut projected.edge;
    let mut asks = reads(&edge.guard, var);
    atom_parts(&edge.clock_guard, &mut |e| asks |= reads(e, var));
    sync_parts(&edge.sync, &mut |e| asks |= reads(e, var));
    projected.lost |= asks;
    let receives = matches!(edge.sync, Sync::Receive(_));
    let by_value = cut.broadcasts()
        && matches!(&edge.sync, Sync::Receive(receive) if matches!(receive.channel, ChannelRef::Value(_)));
    let uses = block_reads(&edge.update, var);
    let locals = edge.frame.len();
    let refuses = asks && (by_value || may_fail(cut, edge) && receives) || observes && (asks || uses);
    if refuses || !stores(edge, map) {
        needs.integers.insert(var);
        return;
    }
    if !asks && !uses {
        return;
    }
    let (held, first) = (cut.held(var), edge.frame.len());
    let mut choosing = Choosing { map, held, between: locals..first, first, choices: Vec::new() };
    evaluation(edge, &mut choosing);
    execution(edge, &mut choosing);
    // The choices become select variables, one after the other: each has the number that the next of them has now.
    let choices = choosing.choices;
    let old = edge.selects;
    for range in &choices {
        edge.frame.push(Local { name: "element".into(), range: *range, len: None });
    }
    let mut order: Vec<usize> = (0..old).chain(first..first + choices.len()).collect();
    order.extend(old..first);
    let new = |local: LocalId| order.iter().position(|at| *at == local.index()).unwrap_or(local.index());
    renumber(edge, &mut |local| LocalId::new(new(local)));
    let before = std::mem::take(&mut edge.frame);
    for at in order {
        let name = unused(&edge.frame, before[at].name.clone());
        edge.frame.push(Local { name, ..before[at].clone() });
    }
    edge.selects = old + choices.len();
    let sizes = edge.frame[..edge.selects].iter().map(|local| local.range.size());
    if sizes.fold(1, u128::saturating_mul) > SELECTIONS {
        needs.integers.insert(var);
    }
}

/// Makes an edge store classes; `false` where that is not possible.
fn stores(edge: &mut Edge, (&var, classes): Map<'_>) -> bool {
    let Edge { frame, sync, update, .. } = edge;
    let mut start = Block::new();
    if let Sync::Receive(receive) = sync
        && !bound(frame, receive, (&var, classes), &mut start)
    {
        return false;
    }
    let fits = !block_stores(update, var) || block(frame, update, (&var, classes));
    update.splice(0..0, start);
    fits
}

fn held(frame: &mut Vec<Local>, classes: &Classes) -> LocalId {
    add_local(frame, Local { name: "held".into(), range: classes.range(), len: None })
}

/// Messages that are bound to elements go into locals, and from there, as classes, into the elements.
fn bound(frame: &mut Vec<Local>, receive: &mut Receive, (&var, classes): Map<'_>, after: &mut Block) -> bool {
    let ours =
        |field: &Field| matches!(field, Field::Bind(t) if matches!(t.place, Place::Elem(v, _) if v == var));
    if !receive.pattern.iter().any(ours) {
        return true;
    }
    for field in &mut receive.pattern {
        let Field::Bind(target) = field else { continue };
        match &target.place {
            // What has been bound before it may be what the index is.
            Place::Elem(v, index) if *v == var => {
                if !matches!(index, Expr::Const(_)) {
                    return false;
                }
                let local = held(frame, classes);
                let place = std::mem::replace(&mut target.place, Place::Local(local));
                after.push(into(place, classes.class_of(&Expr::Local(local))));
            }
            _ => {}
        }
    }
    true
}

fn block(frame: &mut Vec<Local>, statements: &mut Block, map: Map<'_>) -> bool {
    let (&var, classes) = map;
    let ours = |place: &Place| matches!(place, Place::Elem(v, _) if *v == var);
    let mut fits = true;
    for mut statement in std::mem::take(statements) {
        let mut after = Block::new();
        match &mut statement {
            Stmt::Assign(target, _) if ours(&target.place) => {
                let local = held(frame, classes);
                let place = std::mem::replace(&mut target.place, Place::Local(local));
                after.push(into(place, classes.class_of(&Expr::Local(local))));
            }
            Stmt::Call(_, _, Some(target)) | Stmt::Start(_, _, Some(target)) if ours(&target.place) => {
                fits = false;
            }
            Stmt::If(_, then, otherwise) => fits &= block(frame, then, map) && block(frame, otherwise, map),
            Stmt::Receive(receive) => fits &= bound(frame, receive, map, &mut after),
            _ => {}
        }
        statements.push(statement);
        statements.extend(after);
    }
    fits
}

/// Maps the elements of an array in the invariant of a location: what they have a say in does not bind.
pub(super) fn location(location: &mut Location, (&var, _): Map<'_>) {
    if reads(&location.condition, var) {
        location.condition = Expr::TRUE;
    }
    let asks =
        |atom: &ClockAtom| reads(&atom.bound, var) || atom.when.as_ref().is_some_and(|when| reads(when, var));
    location.invariant.retain(|atom| !asks(atom));
}

/// Maps the elements of an array in a property.
pub(super) fn property(cut: &Cut<'_>, property: &mut Property, map: Map<'_>) {
    let frame = &mut property.frame;
    let (above, e) = match &mut property.kind {
        PropertyKind::Exists(p) => (true, p),
        PropertyKind::Always(p) => (false, p),
        _ => return,
    };
    if reads(e, *map.0) {
        *e = approximate(cut, frame, map, above, e);
        property.text = None;
    }
}

/// A condition that is true wherever this one may be (`above`), or only where it is whatever the values of classes are.
fn approximate(cut: &Cut<'_>, frame: &mut Vec<Local>, map: Map<'_>, above: bool, e: &Expr) -> Expr {
    let var = *map.0;
    let each = |parts: &[Expr], frame: &mut Vec<Local>| -> Vec<Expr> {
        parts.iter().map(|part| approximate(cut, frame, map, above, part)).collect()
    };
    match e {
        _ if !reads(e, var) => e.clone(),
        Expr::And(parts) => Expr::And(each(parts, frame)),
        Expr::Or(parts) => Expr::Or(each(parts, frame)),
        Expr::Unary(UnaryOp::Not, inner) => approximate(cut, frame, map, !above, inner).negated(),
        _ if Scope::new(cut, frame).may_fail(e) => Expr::Const(i64::from(above)),
        _ => {
            let wanted = if above { e.clone() } else { e.clone().negated() };
            let first = frame.len();
            let held = cut.held(var);
            let mut choosing = Choosing { map, held, between: 0..0, first, choices: Vec::new() };
            let mut some = choosing.choose(&wanted, None);
            for range in choosing.choices {
                let local = add_local(frame, Local { name: "element".into(), range, len: None });
                some = Expr::Quantified(Quantifier::Exists, local, range, Box::new(some));
            }
            if above { some } else { some.negated() }
        }
    }
}
