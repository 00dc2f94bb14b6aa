//! The step relation, in parts: a step is one of any of the parts. Each part is a conjunction of clusters, and bits are
//! forgotten as soon as no later cluster speaks of them (Burch, Clarke and Long, VLSI 1991; the order of clusters is by
//! the benefit of Ranjan et al., IWLS 1995).
//!
//! A synchronous model has one part. Where an input decides which variables keep their values (the running process of
//! an interleaving model), there is a part for each of its values, about the variables that change.

use crate::bdd::{Bdd, Bdds, Bit, Made, Renaming};
use crate::encoding::{Encoding, Place};
use crate::schedule::{Schedule, schedule};
use crate::translate::{NotMade, Translator};
use beeline_ir::expr::Expr;
use beeline_ir::relation::{Relation, RelationRole};
use rustc_hash::FxHashSet;

/// Values that an input may have at most for steps to be split by it.
const MOST_PARTS: u128 = 256;

/// Some of the steps.
pub(crate) struct Part {
    forward: Schedule,
    backward: Schedule,
    to_current: Renaming,
    to_next: Renaming,
    /// All of it, for one step.
    pub conjuncts: Vec<Bdd>,
    /// The bits of variables that may change, each with that of the next state.
    pub moving: Vec<(Bit, Bit)>,
    /// Variables that keep their values.
    kept: Vec<(Bit, Bit)>,
}

/// All steps.
pub(crate) struct Transition {
    parts: Vec<Part>,
    /// What all next states are in, if the parts do not say so themselves.
    within: Option<Bdd>,
}

/// How the conjuncts are put together.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Partitioning {
    /// Nodes that a cluster may have, when it is made of several conjuncts.
    pub cluster: usize,
    /// Whether to split by an input.
    pub split: bool,
}

impl Transition {
    pub fn new(
        relation: &Relation,
        encoding: &Encoding,
        partitioning: Partitioning,
        translator: &mut Translator<'_>,
        b: &Bdds,
    ) -> Result<Self, NotMade> {
        let conjuncts = conjuncts(relation, encoding, translator, b)?;
        let states: Vec<&Place> = encoding.of_role(|role| role == RelationRole::State).collect();
        let mut inputs: Vec<Bit> = encoding.inputs().flat_map(|place| place.current.clone()).collect();
        inputs.sort_unstable();
        let all = |conjuncts| Part::new(conjuncts, &states, Vec::new(), &inputs, partitioning.cluster, b);
        let selector = partitioning.split.then(|| selector(encoding, &conjuncts, b)).flatten();
        let Some(selector) = selector else { return Ok(Self { parts: vec![all(conjuncts)?], within: None }) };
        let mut parts = Vec::new();
        let mut changed = 0;
        for value in selector.range.values() {
            let literals: Vec<_> = Place::literals(&selector.current, selector.range, value).collect();
            let chosen = b.literals(&literals)?;
            let (mut left, moving, kept) = without_kept(&conjuncts, &chosen, &states, b)?;
            changed += moving.len();
            left.push(chosen);
            parts.push(Part::new(left, &moving, kept, &inputs, partitioning.cluster, b)?);
        }
        if 2 * changed > parts.len() * states.len() {
            parts = vec![all(conjuncts)?];
        }
        Ok(Self { parts, within: None })
    }
    /// Of steps by any of these parts that stay within some states.
    pub fn of_parts(parts: Vec<Part>, within: Bdd) -> Self {
        Self { parts, within: Some(within) }
    }
    /// Whether steps lead to some states only, whatever their parts say.
    pub fn is_bounded(&self) -> bool {
        self.within.is_some()
    }
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }
    /// What states lead to.
    pub fn image(&self, states: &Bdd, b: &Bdds) -> Made<Bdd> {
        let image =
            self.parts.iter().try_fold(b.no(), |image, part| b.or(&image, &part.image(states, b)?))?;
        self.inside(&image, b)
    }
    /// Those of some states that steps may lead to at all.
    pub fn inside(&self, states: &Bdd, b: &Bdds) -> Made<Bdd> {
        self.within.as_ref().map_or_else(|| Ok(states.clone()), |within| b.and(states, within))
    }
    /// What leads to states.
    pub fn preimage(&self, states: &Bdd, b: &Bdds) -> Made<Bdd> {
        let states = &self.inside(states, b)?;
        self.parts.iter().try_fold(b.no(), |image, part| {
            let product = part.backward.product(&b.rename(states, &part.to_next)?, b)?;
            b.or(&image, &product)
        })
    }
    /// The inputs that lead from one state to another, given by literals.
    pub fn inputs(&self, from: &[(Bit, bool)], to: &[(Bit, bool)], b: &Bdds) -> Made<Bdd> {
        let by_part = self.inputs_by_part(from, to, b);
        by_part.into_iter().try_fold(b.no(), |inputs, part| b.or(&inputs, &part?.1))
    }
    /// For each part by which one state leads to another, the inputs.
    pub fn inputs_by_part<'a>(
        &'a self,
        from: &'a [(Bit, bool)],
        to: &'a [(Bit, bool)],
        b: &'a Bdds,
    ) -> impl Iterator<Item = Made<(usize, Bdd)>> + 'a {
        let at = |literals: &[(Bit, bool)], bit: Bit| literals.contains(&(bit, true));
        let fits =
            move |part: &Part| part.kept.iter().all(|(current, next)| at(from, *current) == at(to, *next));
        let inputs = move |part: &Part| -> Made<Bdd> {
            let both = b.literals(&[from, to].concat())?;
            let left = part.conjuncts.iter().map(|c| b.restrict(c, &both)).collect::<Made<Vec<_>>>()?;
            b.all(&left)
        };
        let parts = self.parts.iter().enumerate().filter(move |(_, part)| fits(part));
        let led = parts.map(move |(at, part)| Ok((at, inputs(part)?)));
        led.filter(|led| !matches!(led, Ok((_, inputs)) if b.is_no(inputs)))
    }
}

impl Part {
    /// What states lead to by these steps.
    pub fn image(&self, states: &Bdd, b: &Bdds) -> Made<Bdd> {
        b.rename(&self.forward.product(states, b)?, &self.to_current)
    }
    pub fn new(
        conjuncts: Vec<Bdd>,
        moving: &[&Place],
        kept: Vec<(Bit, Bit)>,
        inputs: &[Bit],
        cluster: usize,
        b: &Bdds,
    ) -> Made<Self> {
        let pairs: Vec<(Bit, Bit)> = moving.iter().flat_map(|place| place.pairs()).collect();
        let reversed: Vec<(Bit, Bit)> = pairs.iter().map(|(current, next)| (*next, *current)).collect();
        let mut current: Vec<Bit> =
            pairs.iter().map(|(current, _)| *current).chain(inputs.to_vec()).collect();
        let mut next: Vec<Bit> = pairs.iter().map(|(_, next)| *next).chain(inputs.to_vec()).collect();
        current.sort_unstable();
        next.sort_unstable();
        Ok(Self {
            forward: schedule(&conjuncts, &current, inputs, cluster, b)?,
            backward: schedule(&conjuncts, &next, inputs, cluster, b)?,
            to_current: b.renaming(&reversed)?,
            to_next: b.renaming(&pairs)?,
            moving: pairs,
            conjuncts,
            kept,
        })
    }
}

/// What a step must fulfil, one by one.
fn conjuncts(
    relation: &Relation,
    encoding: &Encoding,
    translator: &mut Translator<'_>,
    b: &Bdds,
) -> Result<Vec<Bdd>, NotMade> {
    let mut conjuncts = Vec::new();
    for place in encoding.inputs() {
        conjuncts.push(place.valid(&place.current, b)?);
    }
    for place in encoding.of_role(|role| role == RelationRole::State) {
        conjuncts.push(place.valid(&place.next, b)?);
    }
    for assign in &relation.next_assigns {
        conjuncts.push(translator.assignment(assign.var, &assign.choice, true)?);
    }
    let trans = relation.trans.iter().map(|constraint| (constraint, false));
    for (constraint, primed) in trans.chain(relation.invar.iter().map(|constraint| (constraint, true))) {
        let mut work = vec![constraint];
        while let Some(constraint) = work.pop() {
            match constraint {
                // One that fails after one that is false is no worse than false.
                Expr::And(parts) => work.extend(parts.iter().rev()),
                _ => conjuncts.push(translator.constraint(constraint, primed)?),
            }
        }
    }
    conjuncts.retain(|conjunct| !b.is_yes(conjunct));
    Ok(conjuncts)
}

/// The input that most conjuncts depend on, if it is at least a third of them.
fn selector<'e>(encoding: &'e Encoding, conjuncts: &[Bdd], b: &Bdds) -> Option<&'e Place> {
    let supports: Vec<Vec<Bit>> = conjuncts.iter().map(|conjunct| b.support(conjunct)).collect();
    let users = |place: &Place| {
        let uses = |support: &&Vec<Bit>| place.current.iter().any(|bit| support.binary_search(bit).is_ok());
        supports.iter().filter(uses).count()
    };
    let inputs = encoding.inputs().filter(|place| place.range.size() <= MOST_PARTS);
    let (users, place) = inputs.map(|place| (users(place), place)).max_by_key(|(users, _)| *users)?;
    (3 * users >= conjuncts.len() && users > 1).then_some(place)
}

/// Conjuncts for a chosen input, variables that may change, and the bits of those that do not.
type Left<'e> = (Vec<Bdd>, Vec<&'e Place>, Vec<(Bit, Bit)>);

/// What is left of the conjuncts when an input is chosen, without the variables that keep their values then.
fn without_kept<'e>(conjuncts: &[Bdd], chosen: &Bdd, states: &[&'e Place], b: &Bdds) -> Made<Left<'e>> {
    let mut left = Vec::new();
    let mut present = FxHashSet::default();
    for conjunct in conjuncts {
        let conjunct = b.restrict(conjunct, chosen)?;
        if present.insert(conjunct.clone()) {
            left.push(conjunct);
        }
    }
    let (mut moving, mut kept) = (Vec::new(), Vec::new());
    for place in states {
        let same = place.pairs().try_fold(b.yes(), |same, (current, next)| {
            b.and(&same, &b.same(&b.bit(current)?, &b.bit(next)?)?)
        })?;
        if present.remove(&same) {
            // What was in its range still is.
            present.remove(&place.valid(&place.next, b)?);
            kept.extend(place.pairs());
        } else {
            moving.push(*place);
        }
    }
    left.retain(|conjunct| present.contains(conjunct) && !b.is_yes(conjunct));
    let renaming: Vec<(Bit, Bit)> = kept.iter().map(|(current, next)| (*next, *current)).collect();
    let renaming = b.renaming(&renaming)?;
    let left = left.iter().map(|conjunct| b.rename(conjunct, &renaming)).collect::<Made<Vec<_>>>()?;
    Ok((left, moving, kept))
}
