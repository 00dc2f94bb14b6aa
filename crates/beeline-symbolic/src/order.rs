//! A static order of variables: those that occur together come together.
//!
//! FORCE (Aloul, Markov and Sakallah, GLSVLSI 2003): every group of variables pulls its members to its centre of gravity,
//! every variable moves to the mean of the centres it is pulled to; repeated while the sum of the spans of all groups
//! becomes less. The order of declaration is kept if nothing is better. Deterministic: ties keep the order they have.

use beeline_ir::VarId;
use beeline_ir::expr::Expr;
use beeline_ir::relation::{Choice, Relation};
use beeline_ir::visit::walk;
use std::collections::BTreeSet;

/// Rounds at most.
const ROUNDS: usize = 60;

/// All variables of a relation, uppermost first.
pub(crate) fn force(relation: &Relation) -> Vec<VarId> {
    let groups = groups(relation);
    let mut order: Vec<usize> = (0..relation.vars.len()).collect();
    let mut best = (span(&groups, &order), order.clone());
    for _ in 0..ROUNDS {
        order = moved(&groups, &order);
        let span = span(&groups, &order);
        if span >= best.0 {
            break;
        }
        best = (span, order.clone());
    }
    best.1.into_iter().map(VarId::new).collect()
}

/// Variables that one assignment or constraint is about.
fn groups(relation: &Relation) -> Vec<Vec<usize>> {
    let mut groups = BTreeSet::new();
    let mut add = |mut group: BTreeSet<usize>, var: Option<VarId>| {
        group.extend(var.map(|var| var.index()));
        if group.len() > 1 {
            groups.insert(group.into_iter().collect::<Vec<usize>>());
        }
    };
    for assign in relation.init_assigns.iter().chain(&relation.next_assigns) {
        let mut group = BTreeSet::new();
        for_each(&assign.choice, &mut |expr| collect(expr, &mut group));
        add(group, Some(assign.var));
    }
    for constraint in relation.init.iter().chain(&relation.invar).chain(&relation.trans) {
        let parts =
            if let Expr::And(parts) = constraint { &parts[..] } else { std::slice::from_ref(constraint) };
        for part in parts {
            let mut group = BTreeSet::new();
            collect(part, &mut group);
            add(group, None);
        }
    }
    groups.into_iter().collect()
}

fn collect(expr: &Expr, group: &mut BTreeSet<usize>) {
    walk(expr, &mut |e| {
        if let Expr::Var(var) | Expr::Next(var) = e {
            group.insert(var.index());
        }
    });
}

/// Every expression of a choice.
fn for_each(choice: &Choice, visit: &mut impl FnMut(&Expr)) {
    let mut work = vec![choice];
    while let Some(choice) = work.pop() {
        match choice {
            Choice::One(value) => visit(value),
            Choice::Between(lo, hi) => {
                visit(lo);
                visit(hi);
            }
            Choice::Union(parts) => work.extend(parts),
            Choice::If(condition, then, otherwise) => {
                visit(condition);
                work.extend([&**then, &**otherwise]);
            }
        }
    }
}

fn places(order: &[usize]) -> Vec<usize> {
    let mut places = vec![0; order.len()];
    for (place, var) in order.iter().enumerate() {
        places[*var] = place;
    }
    places
}

/// The sum over all groups of the distance between the first and the last of each.
fn span(groups: &[Vec<usize>], order: &[usize]) -> usize {
    let places = places(order);
    let span = |group: &Vec<usize>| {
        let at = group.iter().map(|var| places[*var]);
        at.clone().max().unwrap_or(0) - at.min().unwrap_or(0)
    };
    groups.iter().map(span).sum()
}

/// One round.
fn moved(groups: &[Vec<usize>], order: &[usize]) -> Vec<usize> {
    let places = places(order);
    let mut pulls = vec![(0.0, 0_u32); order.len()];
    for group in groups {
        let sum: usize = group.iter().map(|var| places[*var]).sum();
        let centre = sum as f64 / group.len() as f64;
        for var in group {
            pulls[*var].0 += centre;
            pulls[*var].1 += 1;
        }
    }
    let mean = |var: usize| match pulls[var] {
        (_, 0) => places[var] as f64,
        (sum, count) => sum / f64::from(count),
    };
    let mut order = order.to_vec();
    order.sort_by(|a, b| mean(*a).total_cmp(&mean(*b)));
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_belongs_together_comes_together() {
        // A chain 0 - 3 - 1 - 4 - 2, declared in another order.
        let groups = vec![vec![0, 3], vec![1, 3], vec![1, 4], vec![2, 4]];
        let mut order: Vec<usize> = (0..5).collect();
        assert_eq!(span(&groups, &order), 3 + 2 + 3 + 2);
        for _ in 0..10 {
            order = moved(&groups, &order);
        }
        assert_eq!(span(&groups, &order), 4, "{order:?}");
    }
}
