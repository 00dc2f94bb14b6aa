//! Clusters of conjuncts in an order in which bits can be forgotten early.

use crate::bdd::{Bdd, Bdds, Bit, Made};
use rustc_hash::FxHashMap;

/// Conjuncts beyond which they stay in the order they have.
const MOST_ORDERED: usize = 4_000;

/// A relational product, cluster by cluster.
pub(crate) struct Schedule {
    /// Bits to forget that no cluster speaks of.
    at_once: Bdd,
    /// Each with the bits that no later one speaks of.
    clusters: Vec<(Bdd, Bdd)>,
}

impl Schedule {
    /// The conjunction of states with all clusters, some bits forgotten.
    pub fn product(&self, states: &Bdd, b: &Bdds) -> Made<Bdd> {
        let start = b.exists(states, &self.at_once)?;
        self.clusters.iter().try_fold(start, |product, (cluster, cube)| b.and_exists(&product, cluster, cube))
    }
}

/// Makes clusters of at most so many nodes, and says when each of the bits can be forgotten. The free ones among them do
/// not occur in states.
pub(crate) fn schedule(
    conjuncts: &[Bdd],
    bits: &[Bit],
    free: &[Bit],
    most_nodes: usize,
    b: &Bdds,
) -> Made<Schedule> {
    let conjuncts = &without_local(conjuncts, free, b)?[..];
    let mut clusters: Vec<Bdd> = Vec::new();
    let mut size = usize::MAX;
    for at in by_benefit(conjuncts, bits, b) {
        let (conjunct, next_size) = (&conjuncts[at], b.size(&conjuncts[at]));
        if let Some(last) = clusters.last_mut()
            && size.saturating_add(next_size) <= most_nodes
        {
            let merged = b.and(last, conjunct)?;
            let merged_size = b.size(&merged);
            if merged_size <= most_nodes {
                (*last, size) = (merged, merged_size);
                continue;
            }
        }
        clusters.push(conjunct.clone());
        size = next_size;
    }
    let mut uses: FxHashMap<Bit, (usize, usize)> = FxHashMap::default();
    for (at, cluster) in clusters.iter().enumerate() {
        for bit in b.support(cluster) {
            uses.entry(bit).or_insert((at, at)).1 = at;
        }
    }
    let mut cubes = vec![Vec::new(); clusters.len()];
    let (mut at_once, mut local) = (Vec::new(), vec![Vec::new(); clusters.len()]);
    for bit in bits {
        match uses.get(bit) {
            None => at_once.push(*bit),
            Some((first, last)) if first == last && free.binary_search(bit).is_ok() => {
                local[*last].push(*bit)
            }
            Some((_, last)) => cubes[*last].push(*bit),
        }
    }
    let mut done = Vec::new();
    for (cluster, (local, cube)) in clusters.iter().zip(local.iter().zip(&cubes)) {
        done.push((b.exists(cluster, &b.cube(local)?)?, b.cube(cube)?));
    }
    Ok(Schedule { at_once: b.cube(&at_once)?, clusters: done })
}

/// The conjuncts without the free bits that only one of them speaks of.
fn without_local(conjuncts: &[Bdd], free: &[Bit], b: &Bdds) -> Made<Vec<Bdd>> {
    let mut conjuncts = conjuncts.to_vec();
    if free.is_empty() {
        return Ok(conjuncts);
    }
    let inside = |bit: &Bit| free.binary_search(bit).is_ok();
    let support = |conjunct: &Bdd| b.support(conjunct).into_iter().filter(inside).collect::<Vec<Bit>>();
    let mut supports: Vec<Vec<Bit>> = conjuncts.iter().map(support).collect();
    let mut users: FxHashMap<Bit, usize> = FxHashMap::default();
    for bit in supports.iter().flatten() {
        *users.entry(*bit).or_default() += 1;
    }
    // Forgetting bits may take others along, which then may be local elsewhere.
    loop {
        let mut forgotten = false;
        for (conjunct, bits) in conjuncts.iter_mut().zip(&mut supports) {
            let local: Vec<Bit> = bits.iter().copied().filter(|bit| users[bit] == 1).collect();
            if local.is_empty() {
                continue;
            }
            *conjunct = b.exists(conjunct, &b.cube(&local)?)?;
            let left = support(conjunct);
            for bit in bits.iter().filter(|bit| left.binary_search(bit).is_err()) {
                users.entry(*bit).and_modify(|count| *count -= 1);
            }
            (*bits, forgotten) = (left, true);
        }
        if !forgotten {
            conjuncts.retain(|conjunct| !b.is_yes(conjunct));
            return Ok(conjuncts);
        }
    }
}

/// The conjuncts, those first that let many of their bits be forgotten, and have many.
fn by_benefit(conjuncts: &[Bdd], bits: &[Bit], b: &Bdds) -> Vec<usize> {
    if conjuncts.len() > MOST_ORDERED {
        return (0..conjuncts.len()).collect();
    }
    let inside = |bit: &Bit| bits.binary_search(bit).is_ok();
    let support = |conjunct| b.support(conjunct).into_iter().filter(inside).collect::<Vec<Bit>>();
    let supports: Vec<Vec<Bit>> = conjuncts.iter().map(support).collect();
    let mut users: FxHashMap<Bit, usize> = FxHashMap::default();
    for bit in supports.iter().flatten() {
        *users.entry(*bit).or_default() += 1;
    }
    let mut left: Vec<usize> = (0..conjuncts.len()).collect();
    let mut order = Vec::new();
    while !left.is_empty() {
        let most = left.iter().map(|at| supports[*at].len()).max().unwrap_or(0).max(1);
        let benefit = |at: usize| {
            let count = supports[at].len();
            let last = supports[at].iter().filter(|bit| users[bit] == 1).count();
            let lowest = supports[at].first().map_or(0.0, |bit| 1.0 / (1.0 + f64::from(*bit)));
            2.0 * last as f64 / count.max(1) as f64 + count as f64 / most as f64 + lowest
        };
        // The first of the best.
        let mut best = (0, benefit(left[0]));
        for (place, at) in left.iter().enumerate().skip(1) {
            let value = benefit(*at);
            if value > best.1 {
                best = (place, value);
            }
        }
        let at = left.remove(best.0);
        for bit in &supports[at] {
            users.entry(*bit).and_modify(|count| *count -= 1);
        }
        order.push(at);
    }
    order
}
