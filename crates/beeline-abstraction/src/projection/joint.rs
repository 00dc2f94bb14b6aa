//! Several variables as one, which holds all their values at once: for maps that look at them together, such as the truth
//! of predicates over them (S. Graf and H. Saidi, "Construction of abstract state graphs with PVS", 1997). The network does
//! what it did before; it is the classes of the new variable that make an abstraction of it.
//!
//! The new variable takes the place of the first of them. Where one of them is read, its value is taken out; what is
//! stored into one goes into a local of the same range, and from there into the new variable.

use super::anew::add_local;
use super::classes::note;
use super::edge::SELECTIONS;
use super::slice::stores;
use beeline_ir::expr::{BinaryOp, Expr, Range};
use beeline_ir::layout::Layout;
use beeline_ir::network::{Edge, Network, Sync, Var};
use beeline_ir::property::{Property, PropertyKind};
use beeline_ir::stmt::{Local, Pattern as Field, Place, Receive, Stmt, Store, Target};
use beeline_ir::visit::{block_parts, walk, walk_block};
use beeline_ir::{LocalId, VarId};
use beeline_program::anew::{Anew, evaluation, execution};
use beeline_program::rewrite::rewrite;

/// A network in which some variables are one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Joint {
    /// The network.
    pub network: Network,
    /// The property.
    pub property: Property,
    /// The variable that holds the values of all of them.
    pub var: VarId,
    members: Vec<Member>,
}

/// One of the variables.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Member {
    var: VarId,
    slot: usize,
    range: Range,
    /// What a step of it counts for.
    weight: i64,
}

impl Member {
    fn value(&self, joint: i64) -> i64 {
        joint / self.weight % self.range.size() as i64 + self.range.lo
    }
    /// Its value within the joint one.
    fn read(&self, joint: VarId) -> Expr {
        let digit = Expr::Var(joint).binary(BinaryOp::Div, Expr::Const(self.weight));
        let digit = digit.binary(BinaryOp::Rem, Expr::Const(self.range.size() as i64));
        digit.binary(BinaryOp::Add, Expr::Const(self.range.lo))
    }
    /// Puts the value of a local into the joint one.
    fn store(&self, joint: VarId, local: LocalId) -> Stmt {
        let change = Expr::Local(local).binary(BinaryOp::Sub, self.read(joint));
        let change = change.binary(BinaryOp::Mul, Expr::Const(self.weight));
        let target = Target { place: Place::Var(joint), store: Store::Checked };
        Stmt::Assign(target, Expr::Var(joint).binary(BinaryOp::Add, change))
    }
}

impl Joint {
    /// Makes one of several scalar variables; says why that is not possible.
    pub fn of(network: &Network, property: &Property, vars: &[VarId]) -> Result<Self, String> {
        let layout = Layout::of_network(network);
        let mut members = Vec::new();
        let mut weight: i64 = 1;
        for id in vars {
            let (var, name) = (&network.vars[*id], network.var_name(*id));
            let size = var.range.size();
            if var.len.is_some() {
                return Err(format!("`{name}` is an array"));
            }
            if var.owner.is_some_and(|owner| layout.mortal(owner)) {
                return Err(format!("`{name}` belongs to a process that comes and goes"));
            }
            if in_functions(network, *id) {
                return Err(format!("`{name}` is used by functions"));
            }
            if network.processes.iter().any(|p| p.edges.iter().any(|edge| indexes_its_own_message(edge, *id)))
            {
                return Err(format!("`{name}` is received, and an index in the same message"));
            }
            let Some(slot) = layout.var[*id] else { return Err(format!("`{name}` is no part of a state")) };
            members.push(Member { var: *id, slot, range: var.range, weight });
            if size.saturating_mul(weight as u128) > SELECTIONS {
                return Err(format!(
                    "together with `{name}` there are more than {SELECTIONS} combinations of values (--reduce on leaves \
                     out values that variables never have)"
                ));
            }
            weight *= size as i64;
        }
        let Some(first) = members.first().map(|member| member.var) else {
            return Err("there is no variable in it".to_string());
        };
        let mut joint = Self {
            network: network.clone(),
            property: property.clone(),
            var: first,
            members: members.clone(),
        };
        let init = joint.value(&layout.initial(network));
        for member in &members {
            let var = &network.vars[member.var];
            let (range, init) = match member.var == first {
                true => (Range::new(0, weight - 1), init),
                false => (Range::new(0, 0), 0),
            };
            joint.network.vars[member.var] = Var { range, init: vec![init], symbols: None, ..var.clone() };
        }
        let mut reading = Reading { joint: first, members: &members, locals: Vec::new() };
        for process in joint.network.processes.iter_mut() {
            for location in process.locations.iter_mut() {
                location.condition = reading.expr(&location.condition);
                for atom in &mut location.invariant {
                    atom.when.iter_mut().for_each(|when| *when = reading.expr(when));
                    atom.bound = reading.expr(&atom.bound);
                }
            }
            for edge in process.edges.iter_mut() {
                reading.edge(edge);
            }
        }
        match &mut joint.property.kind {
            PropertyKind::Always(p) | PropertyKind::Exists(p) => {
                let anew = reading.expr(p);
                if anew != *p {
                    (*p, joint.property.text) = (anew, None);
                }
            }
            _ => {}
        }
        joint.network.properties = vec![joint.property.clone()];
        Ok(joint)
    }

    /// The joint value, in a state of the network it was made of.
    pub fn value(&self, state: &[i64]) -> i64 {
        self.members.iter().map(|member| (state[member.slot] - member.range.lo) * member.weight).sum()
    }

    /// Sets the variables in a state of the network it was made of to what a joint value says.
    pub fn set(&self, joint: i64, state: &mut [i64]) {
        self.members.iter().for_each(|member| state[member.slot] = member.value(joint));
    }

    /// The state in which the variables are one.
    pub fn image(&self, state: &mut [i64]) {
        let value = self.value(state);
        for member in &self.members {
            state[member.slot] = if member.var == self.var { value } else { 0 };
        }
    }

    /// The variables that it is made of.
    pub fn members(&self) -> impl Iterator<Item = VarId> + '_ {
        self.members.iter().map(|member| member.var)
    }
}

fn in_functions(network: &Network, var: VarId) -> bool {
    network.functions.iter().any(|function| {
        let mut found = false;
        block_parts(&function.body, &mut |e| walk(e, &mut |part| found |= *part == Expr::Var(var)));
        walk_block(&function.body, &mut |statement, _| {
            found |= stores(statement).contains(&&Place::Var(var));
        });
        found
    })
}

/// Whether an edge receives a variable and, in the same message, an element that it is the index of. What it is then is in
/// a local, and indices are read from the joint variable, which comes after.
fn indexes_its_own_message(edge: &Edge, var: VarId) -> bool {
    let own = |receive: &Receive| {
        let places = || {
            receive.pattern.iter().filter_map(|f| if let Field::Bind(t) = f { Some(&t.place) } else { None })
        };
        let index = |place: &Place| {
            let mut found = false;
            if let Place::Elem(_, index) | Place::LocalElem(_, index) = place {
                walk(index, &mut |part| found |= *part == Expr::Var(var));
            }
            found
        };
        places().any(|place| *place == Place::Var(var)) && places().any(index)
    };
    let mut found = matches!(&edge.sync, Sync::Receive(receive) if own(receive));
    walk_block(&edge.update, &mut |statement, _| {
        found |= matches!(statement, Stmt::Receive(receive) if own(receive));
    });
    found
}

/// Replaces the variables: what is read, and into which locals stores go.
struct Reading<'a> {
    joint: VarId,
    members: &'a [Member],
    /// Of the edge at hand, for the variables that it stores into.
    locals: Vec<(VarId, LocalId)>,
}

impl Reading<'_> {
    fn edge(&mut self, edge: &mut Edge) {
        let bound = |sync: &Sync| match sync {
            Sync::Receive(receive) => {
                let places = receive.pattern.iter().filter_map(|field| match field {
                    Field::Bind(target) => Some(target.place.clone()),
                    _ => None,
                });
                places.collect()
            }
            _ => Vec::new(),
        };
        let bound: Vec<Place> = bound(&edge.sync);
        let mut stored = bound.clone();
        walk_block(&edge.update, &mut |statement, _| stored.extend(stores(statement).into_iter().cloned()));
        self.locals.clear();
        for member in self.members.iter().filter(|member| stored.contains(&Place::Var(member.var))) {
            let local = Local { name: "part".to_string(), range: member.range, len: None };
            self.locals.push((member.var, add_local(&mut edge.frame, local)));
        }
        evaluation(edge, self);
        execution(edge, self);
        for (var, local) in &self.locals {
            let Some(member) = self.members.iter().find(|member| member.var == *var) else { continue };
            let store = member.store(self.joint, *local);
            note(&mut edge.update, *local, &store);
            if bound.contains(&Place::Var(*var)) {
                edge.update.insert(0, store);
            }
        }
    }
}

impl Anew for Reading<'_> {
    fn expr(&mut self, e: &Expr) -> Expr {
        let Self { joint, members, .. } = self;
        rewrite(e, &mut |part| match part {
            Expr::Var(var) => {
                members.iter().find(|member| member.var == *var).map(|member| member.read(*joint))
            }
            _ => None,
        })
    }
    fn place(&mut self, place: &mut Place) {
        if let Place::Var(var) = place
            && let Some((_, local)) = self.locals.iter().find(|(known, _)| known == var)
        {
            *place = Place::Local(*local);
        }
    }
}
