//! A relation and a property as diagrams: initial states, steps, targets.

use crate::bdd::{Bdd, Bdds, Bit, Made};
use crate::encoding::{Encoding, Place};
use crate::transition::{Partitioning, Transition};
use crate::translate::{NotMade, Translator};
use beeline_ir::VarId;
use beeline_ir::expr::{Expr, Range};
use beeline_ir::limits::Limits;
use beeline_ir::property::{Property, Target};
use beeline_ir::relation::Relation;
use std::collections::BTreeSet;

/// What a search works on. Sets of states are about current bits.
pub(crate) struct System {
    pub encoding: Encoding,
    /// By variable: its name, after that of the instance it belongs to.
    pub names: Vec<String>,
    pub b: Bdds,
    /// All that could be a state: values in their ranges, `invar` constraints true.
    pub space: Bdd,
    /// The conjuncts of it that are about states alone.
    pub space_parts: Vec<Bdd>,
    pub init: Bdd,
    /// Steps that count.
    pub transition: Transition,
    /// Steps that do not.
    pub at_no_cost: Option<Transition>,
    pub target: Bdd,
    /// The variables that the property asks about.
    pub asked: Vec<VarId>,
    /// States where the property has no value.
    pub unclear: Bdd,
    /// By slot of a state, whether the kernel must know its value: rows have just one then. Further variables have no cell.
    pub apart: Vec<bool>,
    pub limits: Limits,
}

impl System {
    pub fn new(
        relation: &Relation,
        property: &Property,
        order: Vec<VarId>,
        partitioning: Partitioning,
        limits: &Limits,
    ) -> Result<Self, NotMade> {
        let Target::State(predicate) = property.target() else {
            return Err(NotMade::Unsupported("properties about failing steps"));
        };
        let encoding = Encoding::new(relation, order)
            .ok_or(NotMade::Unsupported("relations of more than 20,000 bits, current and next"))?;
        let b = Bdds::new(encoding.bits, limits);
        let mut translator = Translator::new(&b, &encoding);
        let mut parts = Vec::new();
        for place in &encoding.places {
            parts.push(place.valid(&place.current, &b)?);
        }
        for constraint in &relation.invar {
            parts.push(translator.constraint(constraint, false)?);
        }
        let with_inputs = b.all(&parts)?;
        let mut init = with_inputs.clone();
        for assign in &relation.init_assigns {
            init = b.and(&init, &translator.assignment(assign.var, &assign.choice, false)?)?;
        }
        for constraint in &relation.init {
            init = b.and(&init, &translator.constraint(constraint, false)?)?;
        }
        let inputs: Vec<Bit> = encoding.inputs().flat_map(|place| place.current.clone()).collect();
        let inputs = b.cube(&inputs)?;
        let (space, init) = (b.exists(&with_inputs, &inputs)?, b.exists(&init, &inputs)?);
        let mut space_parts = Vec::new();
        for part in parts {
            if !b.is_yes(&part) && part == b.exists(&part, &inputs)? {
                space_parts.push(part);
            }
        }
        let transition = Transition::new(relation, &encoding, partitioning, &mut translator, &b)?;
        if mentions_deadlock(&predicate) {
            let alive = transition.preimage(&b.yes(), &b)?;
            translator = Translator::new(&b, &encoding).knowing_deadlocks(b.not(&alive)?);
        }
        let number = translator.number(&predicate, false)?;
        let target = b.and(&space, &number.holds(&b)?)?;
        let unclear = b.minus(&space, &number.defined)?;
        drop(translator);
        let asked = asked(&predicate, &encoding, &target, &b);
        for set in [&target, &unclear] {
            if *set != b.exists(set, &inputs)? {
                return Err(NotMade::Unsupported("properties about inputs"));
            }
        }
        Ok(Self {
            names: relation.vars.iter().map(|var| var.name.clone()).collect(),
            space,
            space_parts,
            init,
            transition,
            at_no_cost: None,
            target,
            asked,
            unclear,
            apart: vec![false; encoding.stored().count()],
            encoding,
            b,
            limits: limits.clone(),
        })
    }
    /// From now on, brings bits into another order when there are more nodes than that; current and next bits stay
    /// together.
    pub fn reorder(&self, at: usize) {
        let pairs = self.encoding.places.iter().flat_map(|place| place.pairs());
        self.b.sift_automatically(at, pairs.map(|(current, next)| vec![current, next]).collect());
    }
    /// All steps, those that count first.
    pub fn steps(&self) -> impl Iterator<Item = &Transition> {
        std::iter::once(&self.transition).chain(&self.at_no_cost)
    }
    /// The state of a set that is least, by the values of its variables in order of declaration, as values and literals.
    pub fn least(&self, set: &Bdd) -> Made<State> {
        self.least_of(self.encoding.stored(), set)
    }
    /// The inputs from one state to the next that are least.
    pub fn least_inputs(&self, from: &State, to: &State) -> Made<Vec<i64>> {
        let set = self.transition.inputs(&from.current, &to.next, &self.b)?;
        Ok(self.least_of(self.encoding.inputs(), &set)?.values)
    }
    /// The values of some places that are least.
    pub fn least_of<'e>(&self, places: impl Iterator<Item = &'e Place>, set: &Bdd) -> Made<State> {
        let b = &self.b;
        let mut left = set.clone();
        let mut state = State { values: Vec::new(), current: Vec::new(), next: Vec::new() };
        for place in places {
            let mut distance = 0_u64;
            for (current, next) in place.pairs() {
                let bit = b.bit(current)?;
                let zero = b.minus(&left, &bit)?;
                let one = b.is_no(&zero);
                left = if one { b.and(&left, &bit)? } else { zero };
                distance = distance << 1 | u64::from(one);
                state.current.push((current, one));
                state.next.push((next, one));
            }
            state.values.push(value(place.range, distance));
        }
        Ok(state)
    }
}

/// The value at a distance from the least one.
pub(crate) fn value(range: Range, distance: u64) -> i64 {
    range.lo.wrapping_add(distance as i64)
}

/// One state.
pub(crate) struct State {
    pub values: Vec<i64>,
    /// As literals of the current state.
    pub current: Vec<(Bit, bool)>,
    /// As literals of the next state.
    pub next: Vec<(Bit, bool)>,
}

/// The variables that a target is about: those that are read, and with deadlocks, those that decide about them.
fn asked(predicate: &Expr, encoding: &Encoding, target: &Bdd, b: &Bdds) -> Vec<VarId> {
    let mut asked = BTreeSet::new();
    beeline_ir::visit::walk(predicate, &mut |e| {
        if let Expr::Var(var) = e {
            asked.insert(*var);
        }
    });
    if mentions_deadlock(predicate) {
        let support = b.support(target);
        let decides = |place: &Place| place.current.iter().any(|bit| support.binary_search(bit).is_ok());
        let deciding = encoding.places.iter().enumerate().filter(|(_, place)| decides(place));
        asked.extend(deciding.map(|(var, _)| VarId::new(var)));
    }
    asked.into_iter().collect()
}

/// Whether the answer depends on deadlocks.
pub(crate) fn mentions_deadlock(predicate: &Expr) -> bool {
    let mut found = false;
    beeline_ir::visit::walk(predicate, &mut |e| found |= *e == Expr::Deadlock);
    found
}
