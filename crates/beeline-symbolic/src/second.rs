//! The second pass over a proof: the set that shall hold every reachable state is carried over to diagrams with the
//! variables in another order and a plain relation, conjunct by conjunct, and there it must hold the initial states,
//! hold what its states lead to, and hold no target.

use crate::bdd::{Bdd, Bdds, Bit, Made};
use crate::system::System;
use rustc_hash::FxHashMap;

/// Whether the set passes in a second system of the same variables.
pub(crate) fn confirm(first: &System, set: &Bdd, second: &System) -> Made<bool> {
    let b = &second.b;
    let mut bits = FxHashMap::default();
    for (from, to) in first.encoding.places.iter().zip(&second.encoding.places) {
        bits.extend(from.current.iter().copied().zip(to.current.iter().copied()));
    }
    let set = carry(&first.b, set, b, &bits, &mut FxHashMap::default())?;
    let harmful = b.or(&second.target, &second.unclear)?;
    let inside = |states: &Bdd| -> Made<bool> { Ok(b.is_no(&b.minus(states, &set)?)) };
    if !inside(&second.init)? || !b.is_no(&b.and(&set, &harmful)?) {
        return Ok(false);
    }
    // A set about few variables is left, if at all, by steps of these: backward, the others do not come in.
    let bits: usize = second.encoding.stored().map(|place| place.current.len()).sum();
    let few = 2 * b.support(&set).len() < bits;
    for steps in second.steps() {
        let stays = match few {
            true => {
                let leaving = steps.preimage(&b.minus(&second.space, &set)?, b)?;
                b.is_no(&b.and(&set, &leaving)?)
            }
            false => inside(&steps.image(&set, b)?)?,
        };
        if !stays {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The same set over other bits.
fn carry(
    from: &Bdds,
    f: &Bdd,
    to: &Bdds,
    bits: &FxHashMap<Bit, Bit>,
    done: &mut FxHashMap<Bdd, Bdd>,
) -> Made<Bdd> {
    let (Some(top), Some((then, otherwise))) = (from.top(f), from.children(f)) else {
        return Ok(to.constant(from.is_yes(f)));
    };
    if let Some(g) = done.get(f) {
        return Ok(g.clone());
    }
    let then = carry(from, &then, to, bits, done)?;
    let otherwise = carry(from, &otherwise, to, bits, done)?;
    let g = to.ite(&to.bit(bits[&top])?, &then, &otherwise)?;
    done.insert(f.clone(), g.clone());
    Ok(g)
}
