//! Interleaving: where inputs decide which variables keep their values (which process runs, which gate changes), the steps
//! are split into parts, one for each choice, about the variables that change then.

use crate::bdd::{Bdd, Bdds, Bit, Made};
use crate::encoding::{Encoding, Place};
use rustc_hash::FxHashSet;

/// Parts at most.
const MOST_PARTS: u128 = 8_192;

/// Some of the steps.
pub(crate) struct Share<'e> {
    pub conjuncts: Vec<Bdd>,
    /// The values of inputs that were chosen.
    pub chosen: Vec<(Bit, bool)>,
    /// Variables that may change.
    pub moving: Vec<&'e Place>,
    /// Bits of the others, current and next.
    pub kept: Vec<(Bit, Bit)>,
}

/// Splits steps by one input after the other, as long as at most half of the variables that could change still can.
pub(crate) fn split<'e>(whole: Share<'e>, encoding: &'e Encoding, b: &Bdds) -> Made<Vec<Share<'e>>> {
    let (mut work, mut done) = (vec![whole], Vec::new());
    // Where nothing changes at all, one such share is as good as the other.
    let mut idle = FxHashSet::default();
    while let Some(share) = work.pop() {
        if share.moving.is_empty() && !idle.insert(share.conjuncts.clone()) {
            continue;
        }
        let room = MOST_PARTS.saturating_sub((work.len() + done.len()) as u128);
        match selector(&share, encoding, room, b) {
            None => done.push(share),
            Some(selector) => {
                let shares = by_value(&share, selector, b)?;
                let changed: usize = shares.iter().map(|share| share.moving.len()).sum();
                if 2 * changed > shares.len() * share.moving.len() {
                    done.push(share);
                } else {
                    work.extend(shares.into_iter().rev());
                }
            }
        }
    }
    Ok(done)
}

/// The input that most conjuncts depend on, if it is at least a third of them.
fn selector<'e>(share: &Share<'_>, encoding: &'e Encoding, room: u128, b: &Bdds) -> Option<&'e Place> {
    let conjuncts = &share.conjuncts;
    let supports: Vec<Vec<Bit>> = conjuncts.iter().map(|conjunct| b.support(conjunct)).collect();
    let users = |place: &Place| {
        let uses = |support: &&Vec<Bit>| place.current.iter().any(|bit| support.binary_search(bit).is_ok());
        supports.iter().filter(uses).count()
    };
    let inputs = encoding.inputs().filter(|place| place.range.size() <= room && share.moving.len() > 1);
    let (users, place) = inputs.map(|place| (users(place), place)).max_by_key(|(users, _)| *users)?;
    (3 * users >= conjuncts.len() && users > 1).then_some(place)
}

/// A share for each value of an input.
fn by_value<'e>(share: &Share<'e>, selector: &Place, b: &Bdds) -> Made<Vec<Share<'e>>> {
    let mut shares = Vec::new();
    for value in selector.range.values() {
        let literals: Vec<_> = Place::literals(&selector.current, selector.range, value).collect();
        let (conjuncts, moving, kept) =
            without_kept(&share.conjuncts, &b.literals(&literals)?, &share.moving, b)?;
        let chosen = [&share.chosen[..], &literals].concat();
        let kept = [&share.kept[..], &kept].concat();
        shares.push(Share { conjuncts, chosen, moving, kept });
    }
    Ok(shares)
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
