//! The edges of a relation that becomes a network.

use super::choices::{Known, Leaf, alternatives, has_number, leaves, numbered, sound};
use super::fold::{fold, replaced};
use super::{Input, NotFunctional, free_edge, variables};
use beeline_ir::expr::{BinaryOp, Expr, Range};
use beeline_ir::network::Edge;
use beeline_ir::relation::{Choice, Relation, RelationRole};
use beeline_ir::stmt::{Local, Place, Stmt, Store, Target};
use beeline_ir::{IdVec, LocalId, LocationId, VarId};
use beeline_program::rewrite::rewrite;
use std::collections::BTreeMap;

/// Combinations of select values that an edge may have.
const MOST_LABELS: u128 = 1 << 16;

/// Values that an input may have for steps to be told apart by it.
const MOST_PARTS: u128 = 256;

/// Makes edges.
pub(super) struct Drafter<'r> {
    relation: &'r Relation,
    /// The variable of the network, for those of the relation that are no inputs.
    vars: IdVec<VarId, Option<VarId>>,
}

/// An edge in the making.
#[derive(Clone, Default)]
struct Draft {
    /// What the guard asks for.
    known: Known,
    /// What it evaluates besides.
    sound: Vec<Expr>,
    /// What variables become.
    values: BTreeMap<VarId, Expr>,
    selects: Vec<Local>,
    /// Where inputs have their values from.
    inputs: BTreeMap<VarId, Input>,
}

impl Draft {
    fn select(&mut self, range: Range) -> LocalId {
        let name = format!("s{}", self.selects.len());
        self.selects.push(Local { name, range, len: None });
        LocalId::new(self.selects.len() - 1)
    }
    fn labels(&self) -> u128 {
        self.selects.iter().fold(1, |labels: u128, local| labels.saturating_mul(local.range.size()))
    }
}

impl<'r> Drafter<'r> {
    pub fn new(relation: &'r Relation) -> Self {
        let mut count = 0;
        let mut next = |role: RelationRole| {
            let stored = role != RelationRole::Input;
            count += usize::from(stored);
            stored.then(|| VarId::new(count - 1))
        };
        Self { relation, vars: relation.vars.iter().map(|var| next(var.role)).collect() }
    }
    /// An expression about current values, over the variables of the network.
    pub fn moved(&self, e: &Expr) -> Expr {
        self.replaced(e, &Draft::default())
    }
    /// An expression with inputs and next values as a draft has them.
    fn replaced(&self, e: &Expr, draft: &Draft) -> Expr {
        fold(&rewrite(e, &mut |part| self.replace(part, draft)))
    }
    fn replace(&self, part: &Expr, draft: &Draft) -> Option<Expr> {
        match part {
            Expr::Var(var) | Expr::Next(var) if self.vars[*var].is_none() => {
                Some(match draft.inputs.get(var)? {
                    Input::Fixed(value) => Expr::Const(*value),
                    Input::Select(at) => Expr::Local(LocalId::new(*at)),
                })
            }
            Expr::Next(var) => match draft.values.get(var) {
                Some(value) => Some(value.clone()),
                None => Some(Expr::Var(self.vars[*var]?)),
            },
            Expr::Var(var) => Some(Expr::Var(self.vars[*var]?)),
            _ => None,
        }
    }
    /// Edges that give a variable one of the values of a choice, for nothing.
    pub fn choose(
        &self,
        var: VarId,
        choice: &Choice,
        source: LocationId,
        target: LocationId,
    ) -> Result<Vec<Edge>, NotFunctional> {
        let mut drafts = Vec::new();
        self.by_leaves(&[(var, choice)], Draft::default(), &mut drafts, usize::MAX)?;
        if drafts.iter().any(|draft| draft.labels() > MOST_LABELS) {
            return Err("that many initial values of one variable");
        }
        let edge = |draft: Draft| self.edge(draft, free_edge(source, target), &[]);
        Ok(drafts.into_iter().filter_map(edge).collect())
    }
    /// All steps, with where the inputs have their values from.
    pub fn steps(
        &self,
        main: LocationId,
        most_edges: usize,
    ) -> Result<Vec<(Edge, Vec<Input>)>, NotFunctional> {
        let free: Vec<(VarId, Choice)> = self.free().collect();
        let assigns = self.relation.next_assigns.iter().map(|assign| (assign.var, &assign.choice));
        let choices: Vec<(VarId, &Choice)> = assigns.chain(free.iter().map(|(var, c)| (*var, c))).collect();
        let choices = in_order(choices)?;
        let mut starts = vec![Draft::default()];
        if let Some(selector) = self.selector() {
            let value =
                |value| Draft { inputs: [(selector, Input::Fixed(value))].into(), ..Draft::default() };
            starts = self.relation.vars[selector].range.values().map(value).collect();
        }
        let mut edges = Vec::new();
        for mut start in starts {
            self.select_inputs(&mut start);
            let mut drafts = Vec::new();
            if self.by_leaves(&choices, start.clone(), &mut drafts, most_edges).is_err() {
                drafts = vec![self.by_number(&choices, start)?];
            }
            for draft in drafts {
                let inputs = draft.inputs.clone();
                let step = Edge { costs: true, ..free_edge(main, main) };
                if draft.labels() > MOST_LABELS {
                    return Err("steps with that many choices at once");
                }
                if let Some(edge) = self.edge(draft, step, &self.relation.trans) {
                    edges.push((edge, self.inputs(&inputs)));
                }
            }
        }
        Ok(edges)
    }
    /// State variables without an assignment: any value will do.
    fn free(&self) -> impl Iterator<Item = (VarId, Choice)> {
        let assigned = |var: VarId| self.relation.next_assigns.iter().any(|assign| assign.var == var);
        let vars = self
            .relation
            .vars
            .enumerate()
            .filter(move |(id, var)| var.role == RelationRole::State && !assigned(*id));
        vars.map(|(id, var)| (id, Choice::Between(Expr::Const(var.range.lo), Expr::Const(var.range.hi))))
    }
    fn inputs(&self, known: &BTreeMap<VarId, Input>) -> Vec<Input> {
        let inputs = self.relation.vars.enumerate().filter(|(_, var)| var.role == RelationRole::Input);
        // Where it does not matter, any value is as good as the least.
        inputs.map(|(id, var)| known.get(&id).copied().unwrap_or(Input::Fixed(var.range.lo))).collect()
    }
    /// The input that most assignments depend on, if those are many.
    fn selector(&self) -> Option<VarId> {
        let users = |id: VarId| {
            let uses = |choice: &Choice| {
                let mut uses = false;
                expressions(choice, &mut |e| uses |= variables(e).contains(&id));
                uses
            };
            self.relation.next_assigns.iter().filter(|assign| uses(&assign.choice)).count()
        };
        let inputs = self
            .relation
            .vars
            .enumerate()
            .filter(|(_, var)| var.role == RelationRole::Input && var.range.size() <= MOST_PARTS);
        let (users, id) = inputs.map(|(id, _)| (users(id), id)).max_by_key(|(users, _)| *users)?;
        (users > 1 && 3 * users >= self.relation.next_assigns.len()).then_some(id)
    }
    /// Select variables for inputs that matter.
    fn select_inputs(&self, draft: &mut Draft) {
        for (id, var) in self.relation.vars.enumerate().filter(|(_, var)| var.role == RelationRole::Input) {
            if draft.inputs.contains_key(&id) {
                continue;
            }
            let mut matters = self.relation.trans.iter().any(|e| variables(e).contains(&id));
            for assign in &self.relation.next_assigns {
                expressions(&assign.choice, &mut |e| matters |= variables(e).contains(&id));
            }
            if matters {
                let select = draft.select(var.range);
                draft.inputs.insert(id, Input::Select(select.index()));
            }
        }
    }
    /// A draft for each way through the conditions of all choices, unless there are too many.
    fn by_leaves(
        &self,
        choices: &[(VarId, &Choice)],
        start: Draft,
        drafts: &mut Vec<Draft>,
        most: usize,
    ) -> Result<(), NotFunctional> {
        let Some(((var, choice), rest)) = choices.split_first() else {
            drafts.push(start);
            return if drafts.len() > most { Err("too many edges") } else { Ok(()) };
        };
        let range = self.relation.vars[*var].range;
        let choice = replaced(choice, &mut |part| self.replace(part, &start));
        let mut found = Vec::new();
        leaves(&choice, &mut start.known.clone(), &mut |known, leaf| {
            if found.len() <= most {
                found.push((known.clone(), leaf));
            }
        });
        let sound = sound(&choice);
        for (known, leaf) in found {
            let mut draft = Draft { known, ..start.clone() };
            draft.sound.extend(sound.clone());
            let value = match leaf {
                Leaf::Value(value) => value,
                Leaf::Between(Expr::Const(lo), Expr::Const(hi)) => {
                    Expr::Local(draft.select(Range::new(lo.max(range.lo), hi.min(range.hi))))
                }
                Leaf::Between(lo, hi) => {
                    let select = draft.select(range);
                    draft.known.push((Expr::Local(select).binary(BinaryOp::Ge, lo), true));
                    draft.known.push((Expr::Local(select).binary(BinaryOp::Le, hi), true));
                    Expr::Local(select)
                }
            };
            if matches!(value, Expr::Const(value) if !range.contains(value)) {
                continue;
            }
            draft.values.insert(*var, value);
            self.by_leaves(rest, draft, drafts, most)?;
        }
        Ok(())
    }
    /// One draft, in which select variables number the alternatives.
    fn by_number(&self, choices: &[(VarId, &Choice)], mut draft: Draft) -> Result<Draft, NotFunctional> {
        for (var, choice) in choices {
            let choice = replaced(choice, &mut |part| self.replace(part, &draft));
            draft.sound.extend(sound(&choice));
            let (select, value) = match alternatives(&choice) {
                Some(1) => (None, numbered(&choice, &Expr::Const(0), 0).map(|value| fold(&value))),
                Some(count) => {
                    let number = Expr::Local(draft.select(Range::new(0, count - 1)));
                    (has_number(&choice, &number, 0), numbered(&choice, &number, 0))
                }
                None => {
                    let value = draft.select(self.relation.vars[*var].range);
                    (Some(contains(&choice, value)), Some(Expr::Local(value)))
                }
            };
            draft.known.extend(select.map(|e| (e, true)));
            draft.values.insert(*var, value.ok_or("steps with that many choices at once")?);
        }
        Ok(draft)
    }
    /// The edge of a draft; `None` if it can never be taken.
    fn edge(&self, draft: Draft, mut edge: Edge, trans: &[Expr]) -> Option<Edge> {
        let mut guard: Vec<Expr> = Vec::new();
        for (condition, holds) in &draft.known {
            guard.push(if *holds { condition.clone() } else { condition.clone().negated() });
        }
        guard.extend(trans.iter().map(|e| self.replaced(e, &draft)));
        guard.extend(draft.sound.iter().cloned());
        edge.guard = match fold(&Expr::And(guard)) {
            Expr::And(mut parts) if parts.len() == 1 => parts.remove(0),
            Expr::Const(0) => return None,
            guard => guard,
        };
        edge.selects = draft.selects.len();
        edge.frame = draft.selects;
        let vars = |var: &VarId| self.vars[*var];
        let values = draft.values.iter().filter_map(|(var, value)| Some((*var, vars(var)?, value)));
        let changes: Vec<(VarId, VarId, &Expr)> =
            values.filter(|(_, var, value)| **value != Expr::Var(*var)).collect();
        let mut stores = Vec::new();
        for (original, var, value) in &changes {
            let reads = variables(value);
            let early = changes.iter().any(|(_, other, _)| other != var && reads.contains(other));
            let store = |place, value| Stmt::Assign(Target { place, store: Store::Checked }, value);
            let mut value = (*value).clone();
            if early {
                let local = LocalId::new(edge.frame.len());
                let range = self.relation.vars[*original].range;
                edge.frame.push(Local { name: format!("t{}", edge.frame.len()), range, len: None });
                edge.update.push(store(Place::Local(local), value));
                value = Expr::Local(local);
            }
            stores.push(store(Place::Var(*var), value));
        }
        edge.update.extend(stores);
        Some(edge)
    }
}

/// Whether a value is one of a choice.
fn contains(choice: &Choice, value: LocalId) -> Expr {
    match choice {
        Choice::One(e) => e.clone().binary(BinaryOp::Eq, Expr::Local(value)),
        Choice::Between(lo, hi) => Expr::And(vec![
            lo.clone().binary(BinaryOp::Le, Expr::Local(value)),
            Expr::Local(value).binary(BinaryOp::Le, hi.clone()),
        ]),
        Choice::Union(parts) => Expr::Or(parts.iter().map(|part| contains(part, value)).collect()),
        Choice::If(condition, then, otherwise) => Expr::If(
            Box::new(condition.clone()),
            Box::new(contains(then, value)),
            Box::new(contains(otherwise, value)),
        ),
    }
}

/// The assignments in an order in which next values are there before they are used.
fn in_order(mut open: Vec<(VarId, &Choice)>) -> Result<Vec<(VarId, &Choice)>, NotFunctional> {
    let needs = |choice: &Choice, var: VarId| {
        let mut needs = false;
        expressions(choice, &mut |e| {
            beeline_ir::visit::walk(e, &mut |part| needs |= *part == Expr::Next(var));
        });
        needs
    };
    let mut ordered = Vec::new();
    while !open.is_empty() {
        let ready = |(_, choice): &(VarId, &Choice)| !open.iter().any(|(other, _)| needs(choice, *other));
        let at = open.iter().position(ready).ok_or("next values that depend on each other")?;
        ordered.push(open.remove(at));
    }
    Ok(ordered)
}

/// Calls `visit` with every expression of a choice.
pub(super) fn expressions(choice: &Choice, visit: &mut dyn FnMut(&Expr)) {
    match choice {
        Choice::One(value) => visit(value),
        Choice::Between(lo, hi) => {
            visit(lo);
            visit(hi);
        }
        Choice::Union(parts) => parts.iter().for_each(|part| expressions(part, visit)),
        Choice::If(condition, then, otherwise) => {
            visit(condition);
            expressions(then, visit);
            expressions(otherwise, visit);
        }
    }
}
