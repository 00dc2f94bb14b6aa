//! A static order of variables: those that occur together come together.
//!
//! FORCE (Aloul, Markov and Sakallah, GLSVLSI 2003): every group of variables pulls its members to its centre of gravity,
//! every variable moves to the mean of the centres it is pulled to; repeated while the sum of the spans of all groups
//! becomes less. It ends in the next best order, so that it matters where it starts: once with the order of declaration,
//! once with what each variable depends on before it, depth first. The least sum of spans decides, the starts included.
//!
//! Variables of a quarter of all groups, such as an input that says whose turn it is, say nothing about what belongs
//! together, and pull everything to the middle. They come first, and into no group. Deterministic: ties keep the order they
//! have.

use beeline_ir::VarId;
use beeline_ir::expr::Expr;
use beeline_ir::relation::{Choice, Relation};
use beeline_ir::visit::walk;
use std::collections::BTreeSet;

/// Rounds at most.
const ROUNDS: usize = 200;

/// Rounds without a better order before it ends.
const PATIENCE: usize = 6;

/// A variable of one group in this many is everywhere, unless it is in few.
const EVERYWHERE: usize = 4;

/// All variables of a relation, uppermost first.
pub(crate) fn force(relation: &Relation) -> Vec<VarId> {
    let mut groups = groups(relation);
    let count = relation.vars.len();
    let mut uses = vec![0; count];
    for var in groups.iter().flatten() {
        uses[*var] += 1;
    }
    let everywhere = |var: usize| uses[var] * EVERYWHERE > groups.len() && uses[var] > EVERYWHERE;
    let (common, others): (Vec<usize>, Vec<usize>) = (0..count).partition(|var| everywhere(*var));
    groups.iter_mut().for_each(|group| group.retain(|var| others.binary_search(var).is_ok()));
    groups.retain(|group| group.len() > 1);
    let numbers: Vec<Option<usize>> = (0..count).map(|var| others.binary_search(&var).ok()).collect();
    // From here on, variables are known by their places among the others.
    let known = |var: &usize| numbers[*var].unwrap_or_default();
    groups.iter_mut().for_each(|group| group.iter_mut().for_each(|var| *var = known(var)));
    let deep: Vec<usize> = depth_first(relation).into_iter().filter_map(|var| numbers[var]).collect();
    let starts = [(0..others.len()).collect(), deep];
    let tries = starts.into_iter().flat_map(|start: Vec<usize>| {
        let better = improved(&groups, start.clone());
        [(span(&groups, &start), start), better]
    });
    let best = tries.min_by_key(|(span, _)| *span).map_or(Vec::new(), |(_, order)| order);
    common.into_iter().chain(best.into_iter().map(|place| others[place])).map(VarId::new).collect()
}

/// That many variables, of which some groups belong together, from the order they have.
pub(crate) fn arrange(count: usize, groups: &[Vec<usize>]) -> Vec<VarId> {
    improved(groups, (0..count).collect()).1.into_iter().map(VarId::new).collect()
}

/// The best order on the way from a start, and its span.
fn improved(groups: &[Vec<usize>], start: Vec<usize>) -> (usize, Vec<usize>) {
    let mut order = start;
    let mut best = (span(groups, &order), order.clone());
    let mut patience = PATIENCE;
    for _ in 0..ROUNDS {
        order = moved(groups, &order);
        let span = span(groups, &order);
        if span < best.0 {
            best = (span, order.clone());
            patience = PATIENCE;
        } else if patience == 0 {
            break;
        } else {
            patience -= 1;
        }
    }
    best
}

/// All variables, each after those that its next value depends on, as far as there are no circles.
fn depth_first(relation: &Relation) -> Vec<usize> {
    let count = relation.vars.len();
    let mut sources: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); count];
    for assign in &relation.next_assigns {
        for_each(&assign.choice, &mut |expr| collect(expr, &mut sources[assign.var.index()]));
    }
    let (mut order, mut seen) = (Vec::new(), vec![false; count]);
    for root in 0..count {
        // Variables on the way, each with those that are still to be looked at.
        let mut way = Vec::new();
        let mut enter = Some(root).filter(|var| !std::mem::replace(&mut seen[*var], true));
        loop {
            if let Some(var) = enter.take() {
                way.push((var, sources[var].iter()));
            }
            let Some((var, left)) = way.last_mut() else { break };
            match left.next() {
                Some(next) => enter = Some(*next).filter(|var| !std::mem::replace(&mut seen[*var], true)),
                None => {
                    order.push(*var);
                    way.pop();
                }
            }
        }
    }
    order
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

    /// An input that decides whose turn it is once pulled all variables to the middle.
    #[test]
    fn what_is_everywhere_does_not_count() {
        // Twelve variables, of which each copies the one six places away, or keeps its value: pairs.
        let mut text = "MODULE main\nIVAR turn : 0..11;\nVAR\n".to_string();
        text.extend((0..12).map(|i| format!("x{i} : boolean;\n")));
        text.extend(
            (0..12).map(|i| format!("ASSIGN next(x{i}) := turn = {i} ? x{} : x{i};\n", (i + 6) % 12)),
        );
        let relation = beeline_smv::read(&text, "pairs").expect("a model").relation;
        let order = force(&relation);
        let name = |var: &VarId| relation.vars[*var].name.clone();
        let names: Vec<String> = order.iter().map(name).collect();
        assert_eq!(names[0], "turn");
        let mut sorted = order.clone();
        sorted.sort();
        sorted.dedup();
        assert_eq!(sorted.len(), 13, "every variable has a place");
        for pair in names[1..].chunks(2) {
            let number = |name: &str| name[1..].parse::<usize>().expect("a number");
            assert_eq!(number(&pair[0]).abs_diff(number(&pair[1])), 6, "{names:?}");
        }
    }
}
