//! The step relation, in parts: a step is one of any of the parts. Each part is a conjunction of clusters, and bits are
//! forgotten as soon as no later cluster speaks of them (Burch, Clarke and Long, VLSI 1991; the order of clusters is by
//! the benefit of Ranjan et al., IWLS 1995).
//!
//! A synchronous model has one part; `split` says which parts others have.

use crate::bdd::{Bdd, Bdds, Bit, Made, Renaming};
use crate::encoding::{Encoding, Place};
use crate::explore::CLUSTER;
use crate::schedule::{Schedule, schedule};
use crate::split::{Share, split};
use crate::translate::{NotMade, Translator};
use beeline_ir::expr::Expr;
use beeline_ir::relation::{Relation, RelationRole};
use rustc_hash::FxHashSet;

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
    /// The bits of inputs, ascending.
    inputs: Vec<Bit>,
    /// What all next states are in, if the parts do not say so themselves.
    within: Option<Bdd>,
}

/// Some of the parts.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(crate) struct PartSet(Vec<usize>);

impl PartSet {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
    /// Those that are among others, and those that are not.
    pub fn divide(&self, others: &Self) -> (Self, Self) {
        let (inside, outside) = self.0.iter().partition(|part| others.0.contains(part));
        (Self(inside), Self(outside))
    }
    /// With others.
    pub fn add(&mut self, others: &Self) {
        self.0.extend(&others.0);
    }
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
        let whole = Share { conjuncts, chosen: Vec::new(), moving: states, kept: Vec::new() };
        let shares = if partitioning.split { split(whole, encoding, b)? } else { vec![whole] };
        let part = |share| Part::new(share, &inputs, partitioning.cluster, b);
        let parts = shares.into_iter().map(part).collect::<Made<Vec<Part>>>()?;
        Ok(Self { parts, inputs, within: None })
    }
    /// Of steps by any of these parts that stay within some states.
    pub fn of_parts(parts: Vec<Part>, inputs: Vec<Bit>, within: Bdd) -> Self {
        Self { parts, inputs, within: Some(within) }
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
        self.image_by(&self.all(), states, b)
    }
    /// What leads to states.
    pub fn preimage(&self, states: &Bdd, b: &Bdds) -> Made<Bdd> {
        self.preimage_by(&self.all(), states, b)
    }
    /// Those of some states that steps may lead to at all.
    pub fn inside(&self, states: &Bdd, b: &Bdds) -> Made<Bdd> {
        self.within.as_ref().map_or_else(|| Ok(states.clone()), |within| b.and(states, within))
    }
    /// What states lead to by some of the steps.
    pub fn image_by(&self, steps: &PartSet, states: &Bdd, b: &Bdds) -> Made<Bdd> {
        let parts = steps.0.iter().map(|at| &self.parts[*at]);
        let image = parts.map(|part| part.image(states, b));
        self.inside(&image.into_iter().try_fold(b.no(), |all, one| b.or(&all, &one?))?, b)
    }
    /// What leads to states by some of the steps.
    pub fn preimage_by(&self, steps: &PartSet, states: &Bdd, b: &Bdds) -> Made<Bdd> {
        let states = &self.inside(states, b)?;
        steps.0.iter().map(|at| &self.parts[*at]).try_fold(b.no(), |image, part| {
            let product = part.backward.product(&b.rename(states, &part.to_next)?, b)?;
            b.or(&image, &product)
        })
    }
    fn all(&self) -> PartSet {
        PartSet((0..self.parts.len()).collect())
    }
    /// The steps that may change some of these current bits, given by a test, and the others.
    pub fn changing(&self, is_one: impl Fn(Bit) -> bool) -> (PartSet, PartSet) {
        let changes = |part: &Part| part.moving.iter().any(|(current, _)| is_one(*current));
        let (some, others) = (0..self.parts.len()).partition(|at| changes(&self.parts[*at]));
        (PartSet(some), PartSet(others))
    }
    /// The bits that some of the steps read or change, current ones and others.
    pub fn touched(&self, steps: &PartSet, b: &Bdds) -> Vec<Bit> {
        let parts = || steps.0.iter().map(|at| &self.parts[*at]);
        let read = parts().flat_map(|part| part.conjuncts.iter()).flat_map(|conjunct| b.support(conjunct));
        read.chain(parts().flat_map(|part| part.moving.iter().map(|(current, _)| *current))).collect()
    }
    /// The bits of current and next states that a conjunct of the steps is about, for all conjuncts. One about current
    /// states alone decides whether anything changes.
    pub fn supports(&self, b: &Bdds) -> impl Iterator<Item = Vec<Bit>> {
        let of_part = |part: &'_ Part| -> Vec<Vec<Bit>> {
            let next: Vec<Bit> = part.moving.iter().map(|(_, next)| *next).collect();
            let support = |conjunct| {
                let mut bits = b.support(conjunct);
                if !bits.iter().any(|bit| next.contains(bit)) {
                    bits.extend(&next);
                }
                bits
            };
            part.conjuncts.iter().map(support).collect()
        };
        self.parts.iter().flat_map(of_part)
    }
    /// Some of the steps backward as seen by those who do not see some bits: every state that is like one with such a step
    /// has it, too. `hidden` are current bits, ascending, and `space` is what is known of all states, in parts.
    pub fn hiding(&self, steps: &PartSet, hidden: &[Bit], space: &[Bdd], b: &Bdds) -> Made<Steps> {
        self.abstracted(steps, hidden, space, false, b)
    }
    /// The same forward.
    pub fn hiding_forward(&self, steps: &PartSet, hidden: &[Bit], space: &[Bdd], b: &Bdds) -> Made<Steps> {
        self.abstracted(steps, hidden, space, true, b)
    }
    fn abstracted(
        &self,
        steps: &PartSet,
        hidden: &[Bit],
        space: &[Bdd],
        forward: bool,
        b: &Bdds,
    ) -> Made<Steps> {
        let seen = |(current, _): &&(Bit, Bit)| hidden.binary_search(current).is_err();
        let mut parts = Vec::new();
        for part in steps.0.iter().map(|at| &self.parts[*at]) {
            let conjuncts: Vec<Bdd> = part.conjuncts.iter().chain(space).cloned().collect();
            let elsewhere = || self.inputs.iter().chain(hidden).copied();
            let unseen = part.moving.iter().filter(|pair| !seen(pair)).map(|(_, next)| *next);
            let mut free: Vec<Bit> = unseen.chain(elsewhere()).collect();
            let pairs: Vec<(Bit, Bit)> = part.moving.iter().filter(seen).copied().collect();
            let (gone, renamed): (Vec<Bit>, Vec<(Bit, Bit)>) = match forward {
                true => pairs.iter().map(|(current, next)| (*current, (*next, *current))).unzip(),
                false => pairs.iter().map(|(current, next)| (*next, (*current, *next))).unzip(),
            };
            let mut bits: Vec<Bit> = gone.into_iter().chain(free.iter().copied()).collect();
            bits.sort_unstable();
            free.sort_unstable();
            parts.push((schedule(&conjuncts, &bits, &free, CLUSTER, b)?, b.renaming(&renamed)?));
        }
        Ok(Steps { parts })
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
        let on = |literals: &[(Bit, bool)]| -> FxHashSet<Bit> {
            literals.iter().filter(|(_, on)| *on).map(|(bit, _)| *bit).collect()
        };
        let (on_before, on_after) = (on(from), on(to));
        let fits = move |part: &Part| {
            part.kept.iter().all(|(current, next)| on_before.contains(current) == on_after.contains(next))
        };
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

/// Steps between classes of states, backward or forward.
pub(crate) struct Steps {
    parts: Vec<(Schedule, Renaming)>,
}

impl Steps {
    /// These and others.
    pub fn or(mut self, others: Self) -> Self {
        self.parts.extend(others.parts);
        self
    }
    /// What leads to states.
    pub fn preimage(&self, states: &Bdd, b: &Bdds) -> Made<Bdd> {
        self.parts.iter().try_fold(b.no(), |image, (schedule, to_next)| {
            let product = schedule.product(&b.rename(states, to_next)?, b)?;
            b.or(&image, &product)
        })
    }
    /// What states lead to, if the steps are forward.
    pub fn image(&self, states: &Bdd, b: &Bdds) -> Made<Bdd> {
        self.parts.iter().try_fold(b.no(), |image, (schedule, to_current)| {
            let product = schedule.product(states, b)?;
            b.or(&image, &b.rename(&product, to_current)?)
        })
    }
}

impl Part {
    /// What states lead to by these steps.
    pub fn image(&self, states: &Bdd, b: &Bdds) -> Made<Bdd> {
        b.rename(&self.forward.product(states, b)?, &self.to_current)
    }
    pub fn new(share: Share<'_>, inputs: &[Bit], cluster: usize, b: &Bdds) -> Made<Self> {
        let Share { mut conjuncts, chosen, moving, kept } = share;
        if !chosen.is_empty() {
            conjuncts.push(b.literals(&chosen)?);
        }
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
