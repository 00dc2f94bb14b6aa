//! Which two factors are merged next, and their product. Two that share no label that matters to both come last.

use crate::factors::{Factor, Labels, Transition, live};
use beeline_ir::limits::StopReason;
use beeline_program::factored::Meter;
use std::collections::BTreeMap;

/// The order of merging.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Order {
    /// First the two that share a label that leads close to the goal in both: Draeger, Finkbeiner and Podelski,
    /// "Directed model checking with distance-preserving abstractions", SPIN 2006, in the form of Sievers, Wehrle and
    /// Helmert, AAAI 2014.
    Nearness,
    /// First those that have a say in each other's changes, each such group by itself; otherwise as `Nearness`.
    Components,
    /// First the two with the smallest product.
    Size,
    /// First the two that have the greatest share of their labels to themselves: what only they do can become one label,
    /// so much of their product is bisimilar. A tree is merged from its leaves.
    Privacy,
    /// First the two that share most labels, of those the two with the smallest product.
    Sharing,
}

/// For each label the factors it matters to, each with the least distance that it leads to there.
type Leads = Vec<Vec<(usize, u32)>>;

/// The two factors to be merged next, which are in some components; `None` if there are no two.
pub(super) fn next_pair(
    factors: &[Option<Factor>],
    labels: &Labels,
    (order, components): (Order, &[usize]),
    meter: &Meter<'_>,
) -> Result<Option<(usize, usize)>, StopReason> {
    let there: Vec<usize> = (0..factors.len()).filter(|at| factors[*at].is_some()).collect();
    let leads = leads(factors, labels, meter)?;
    let shared = shared(&leads, meter)?;
    // Labels that matter to a factor at all.
    let mut all = vec![0; factors.len()];
    leads.iter().flatten().for_each(|(factor, _)| all[*factor] += 1);
    let pairs = there.iter().flat_map(|a| there.iter().filter(move |b| a < b).map(move |b| (*a, *b)));
    let states = |at: usize| factors[at].as_ref().map_or(0, Factor::states);
    let goalless = |at: usize| factors[at].as_ref().is_none_or(|factor| !factor.goal.contains(&false));
    let rank = |(a, b): &(usize, usize)| {
        let size = states(*a) * states(*b);
        // Those of one component come before all others.
        let together = order == Order::Components && components[*a] == components[*b];
        let component = if together { components[*a] } else { usize::MAX };
        let Some(shared) = shared.get(&(*a, *b)) else { return (component, true, [size; 3], *a, *b) };
        let near = shared.nearest as usize;
        let keys = match order {
            Order::Nearness | Order::Components => [usize::from(goalless(*a) && goalless(*b)), near, size],
            Order::Size => [size, near, 0],
            Order::Sharing => [usize::MAX - shared.labels, size, near],
            Order::Privacy => {
                let either = all[*a] + all[*b] - shared.labels;
                [SHARES - SHARES * shared.private / either.max(1), size, near]
            }
        };
        (component, false, keys, *a, *b)
    };
    Ok(pairs.min_by_key(rank))
}

/// Shares of labels are counted in as many parts.
const SHARES: usize = 1000;

fn leads(factors: &[Option<Factor>], labels: &Labels, meter: &Meter<'_>) -> Result<Leads, StopReason> {
    let mut leads: Leads = vec![Vec::new(); labels.len()];
    for (at, factor) in factors.iter().enumerate().filter_map(|(at, factor)| Some((at, factor.as_ref()?))) {
        let (distances, irrelevant) = (factor.distances(labels), factor.irrelevant());
        let nearest =
            |group: &Vec<Transition>| group.iter().filter_map(|(_, to)| distances[to.index()]).min();
        let nearest: Vec<Option<u32>> = factor.groups.iter().map(nearest).collect();
        for (label, _) in live(labels) {
            let group = factor.group_of[label] as usize;
            if let (false, Some(distance)) = (irrelevant[group], nearest[group]) {
                leads[label].push((at, distance));
            }
        }
        meter.work((factor.size() + labels.len()) as u64)?;
    }
    Ok(leads)
}

/// What labels two factors share that matter to both.
#[derive(Copy, Clone)]
struct Shared {
    /// The distance to the goal that the nearest leads to, in the one where it is greater.
    nearest: u32,
    /// How many there are.
    labels: usize,
    /// How many labels matter to one or both of them, and to nobody else.
    private: usize,
}

fn shared(leads: &Leads, meter: &Meter<'_>) -> Result<BTreeMap<(usize, usize), Shared>, StopReason> {
    let mut own: BTreeMap<usize, usize> = BTreeMap::new();
    let mut pairs: BTreeMap<(usize, usize), Shared> = BTreeMap::new();
    for leads in leads {
        meter.work((leads.len() * leads.len()) as u64)?;
        if let [(only, _)] = &**leads {
            *own.entry(*only).or_default() += 1;
        }
        for (at, (one, near)) in leads.iter().enumerate() {
            for (other, far) in &leads[at + 1..] {
                let none = Shared { nearest: u32::MAX, labels: 0, private: 0 };
                let pair = pairs.entry((*one, *other)).or_insert(none);
                pair.nearest = pair.nearest.min(*near.max(far));
                pair.labels += 1;
                pair.private += usize::from(leads.len() == 2);
            }
        }
    }
    for ((one, other), pair) in &mut pairs {
        pair.private += [one, other].iter().filter_map(|factor| own.get(factor)).sum::<usize>();
    }
    Ok(pairs)
}
