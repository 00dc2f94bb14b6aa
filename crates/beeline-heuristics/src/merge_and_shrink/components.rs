//! Factors that have a say in each other's changes: the strongly connected components of the causal graph. There is an arc
//! from a factor to another if some label matters to the first and changes the second.
//!
//! Sievers, Wehrle and Helmert, "An analysis of merge strategies for merge-and-shrink heuristics", ICAPS 2016; components:
//! Tarjan, SIAM Journal on Computing 1(2), 1972.

use crate::factors::{Factor, Labels, Transition, live};
use beeline_ir::limits::StopReason;
use beeline_program::factored::Meter;

/// The component of each factor. What others depend on comes first.
pub(super) fn components(
    factors: &[&Factor],
    labels: &Labels,
    meter: &Meter<'_>,
) -> Result<Vec<usize>, StopReason> {
    let irrelevant: Vec<Vec<bool>> = factors.iter().map(|factor| factor.irrelevant()).collect();
    let changes = |group: &Vec<Transition>| group.iter().any(|(from, to)| from != to);
    let changing = |factor: &&Factor| factor.groups.iter().map(changes).collect::<Vec<bool>>();
    let changing: Vec<Vec<bool>> = factors.iter().map(changing).collect();
    // For each factor those that have a say in its changes.
    let mut depends = vec![vec![false; factors.len()]; factors.len()];
    for (label, _) in live(labels) {
        let group = |at: &usize| factors[*at].group_of[label] as usize;
        let matters: Vec<usize> = (0..factors.len()).filter(|at| !irrelevant[*at][group(at)]).collect();
        meter.work((factors.len() + matters.len() * matters.len()) as u64)?;
        for to in matters.iter().filter(|at| changing[**at][group(at)]) {
            matters.iter().for_each(|from| depends[*to][*from] = true);
        }
    }
    meter.work((factors.len() * factors.len()) as u64)?;
    Ok(strongly_connected(&depends))
}

/// A node that is being visited, and the next of its neighbours.
struct Visit {
    node: usize,
    next: usize,
}

/// The component of each node of a graph; those that a component leads to have lower numbers.
fn strongly_connected(arcs: &[Vec<bool>]) -> Vec<usize> {
    let nodes = arcs.len();
    let (mut number, mut low): (Vec<Option<usize>>, Vec<usize>) = (vec![None; nodes], vec![0; nodes]);
    let mut component: Vec<Option<usize>> = vec![None; nodes];
    let (mut numbers, mut components) = (0, 0);
    let (mut waiting, mut visits) = (Vec::new(), Vec::new());
    for root in 0..nodes {
        if number[root].is_none() {
            visits.push(Visit { node: root, next: 0 });
        }
        while let Some(Visit { node, next }) = visits.pop() {
            if next == 0 {
                (number[node], low[node]) = (Some(numbers), numbers);
                numbers += 1;
                waiting.push(node);
            } else if component[next - 1].is_none() && arcs[node][next - 1] {
                // Back from there, or it was there before.
                low[node] = low[node].min(low[next - 1]);
            }
            let to = (next..nodes).find(|to| arcs[node][*to] && component[*to].is_none());
            match to {
                Some(to) => {
                    visits.push(Visit { node, next: to + 1 });
                    if number[to].is_none() {
                        visits.push(Visit { node: to, next: 0 });
                    }
                }
                None if number[node] == Some(low[node]) => {
                    while let Some(member) = waiting.pop() {
                        component[member] = Some(components);
                        if member == node {
                            break;
                        }
                    }
                    components += 1;
                }
                None => {}
            }
        }
    }
    component.into_iter().map(|component| component.unwrap_or(components)).collect()
}

#[cfg(test)]
mod tests {
    use super::strongly_connected;
    use oorandom::Rand32;

    #[test]
    fn components_are_those_of_reachability() {
        let mut rand = Rand32::new(5);
        let (mut several, mut larger) = (0, 0);
        for _ in 0..2_000 {
            let nodes = 1 + rand.rand_range(0..7) as usize;
            let dense = 2 + rand.rand_range(0..5);
            let arcs: Vec<Vec<bool>> = (0..nodes)
                .map(|_| (0..nodes).map(|_| rand.rand_range(0..dense + 1) == 0).collect())
                .collect();
            let mut reach = arcs.clone();
            (0..nodes).for_each(|node| reach[node][node] = true);
            for middle in 0..nodes {
                for from in 0..nodes {
                    for to in 0..nodes {
                        reach[from][to] |= reach[from][middle] && reach[middle][to];
                    }
                }
            }
            let found = strongly_connected(&arcs);
            for one in 0..nodes {
                for other in 0..nodes {
                    let same = reach[one][other] && reach[other][one];
                    assert_eq!(found[one] == found[other], same, "{arcs:?}: {found:?}");
                    assert!(!reach[one][other] || found[other] <= found[one], "{arcs:?}: {found:?}");
                    larger += usize::from(same && one != other);
                }
            }
            several += usize::from(found.iter().max() > Some(&0));
        }
        assert!(several > 500 && larger > 500, "{several}, {larger}");
    }
}
