//! Whether all initial states are alike in what counts for a question, so that what is reachable from one of them is
//! reachable from each.

use beeline_ir::VarId;
use beeline_ir::expr::{BinaryOp, Expr, UnaryOp};
use beeline_ir::relation::{Assignment, Choice, Relation, RelationRole};

use super::total::{choice_reads, reads};

/// Whether all initial states agree on everything that counts for a predicate: the variables it reads, those that
/// their assignments read, and so on, and those of all constraints, which may block. Every such variable starts with a
/// value that is given, or computed from given ones.
pub(super) fn one_start(relation: &Relation, predicate: &Expr) -> bool {
    let mut counts = vec![false; relation.vars.len()];
    let mut open: Vec<VarId> = Vec::new();
    let constraints = relation.init.iter().chain(&relation.invar).chain(&relation.trans);
    for expr in constraints.chain([predicate]) {
        reads(expr, &mut |var, _| open.push(var));
    }
    let mut by_var: Vec<Vec<&Assignment>> = vec![Vec::new(); relation.vars.len()];
    for assignment in relation.init_assigns.iter().chain(&relation.next_assigns) {
        by_var[assignment.var.index()].push(assignment);
    }
    while let Some(var) = open.pop() {
        if !std::mem::replace(&mut counts[var.index()], true) {
            by_var[var.index()].iter().for_each(|a| choice_reads(&a.choice, &mut |var, _| open.push(var)));
        }
    }
    let mut given = vec![false; relation.vars.len()];
    for expr in &relation.init {
        if let Some(var) = fixes(expr) {
            given[var.index()] = true;
        }
    }
    // An assignment gives a value once all that it reads has one.
    let mut waiting: Vec<usize> = vec![0; relation.init_assigns.len()];
    let mut readers: Vec<Vec<usize>> = vec![Vec::new(); relation.vars.len()];
    let mut ready: Vec<VarId> = relation.vars.ids().filter(|var| given[var.index()]).collect();
    for (at, assignment) in relation.init_assigns.iter().enumerate() {
        let mut needed = Vec::new();
        choice_reads(&assignment.choice, &mut |var, _| needed.push(var));
        needed.sort_unstable();
        needed.dedup();
        waiting[at] = needed.len() + usize::from(!is_one(&assignment.choice));
        needed.iter().for_each(|var| readers[var.index()].push(at));
        if waiting[at] == 0 && !std::mem::replace(&mut given[assignment.var.index()], true) {
            ready.push(assignment.var);
        }
    }
    while let Some(var) = ready.pop() {
        for at in &readers[var.index()] {
            waiting[*at] -= 1;
            let assigned = relation.init_assigns[*at].var;
            if waiting[*at] == 0 && !std::mem::replace(&mut given[assigned.index()], true) {
                ready.push(assigned);
            }
        }
    }
    let stored = relation.vars.enumerate().filter(|(_, v)| v.role != RelationRole::Input);
    stored.into_iter().all(|(id, _)| given[id.index()] || !counts[id.index()])
}

/// The variable whose value a constraint gives.
fn fixes(expr: &Expr) -> Option<VarId> {
    match expr {
        // Constraints are truth values, so a variable by itself is 0 or 1.
        Expr::Unary(UnaryOp::Not, inner) => match **inner {
            Expr::Var(var) => Some(var),
            _ => None,
        },
        Expr::Binary(BinaryOp::Eq, left, right) => match (&**left, &**right) {
            (Expr::Var(var), Expr::Const(_)) | (Expr::Const(_), Expr::Var(var)) => Some(*var),
            _ => None,
        },
        Expr::Var(var) => Some(*var),
        _ => None,
    }
}

/// Whether a choice is always just one value.
fn is_one(choice: &Choice) -> bool {
    let mut open = vec![choice];
    while let Some(choice) = open.pop() {
        match choice {
            Choice::One(_) => {}
            Choice::If(_, then, otherwise) => open.extend([&**then, &**otherwise]),
            Choice::Between(..) | Choice::Union(_) => return false,
        }
    }
    true
}
