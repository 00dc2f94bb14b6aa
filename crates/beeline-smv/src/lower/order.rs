//! What depends on what. Combinational circles: `x := y` beside `y := x`. Initial values depend on initial values, next values on next
//! values; each must be computable after those it depends on.

use beeline_ir::VarId;
use beeline_ir::diagnostic::Diagnostic;
use beeline_ir::expr::{BinaryOp, Expr, UnaryOp};
use beeline_ir::origin::Span;
use beeline_ir::relation::{Assignment, Choice, Relation, RelationRole};

use super::total::{choice_reads, reads};

/// The message about a circle, if there is one.
pub(super) fn circle(relation: &Relation, place: &dyn Fn(VarId) -> Option<Span>) -> Option<Diagnostic> {
    for (assigns, next) in [(&relation.init_assigns, false), (&relation.next_assigns, true)] {
        if let Some(circle) = find(assigns, relation.vars.len(), next) {
            let names: Vec<String> =
                circle.iter().take(8).map(|v| format!("`{}`", relation.vars[*v].name)).collect();
            let what = if next { "next value" } else { "initial value" };
            let message =
                format!("the {what} of {} depends on itself", names.first().map_or("", String::as_str));
            let diagnostic = Diagnostic::error("E0820", message, circle.first().and_then(|v| place(*v)));
            return Some(match names.len() {
                1 => diagnostic,
                _ => diagnostic.with_help(format!("through {}", names[1..].join(", "))),
            });
        }
    }
    None
}

/// Variables each of which depends on the next, and the last on the first. Depth first, without recursion.
fn find(assigns: &[Assignment], vars: usize, next: bool) -> Option<Vec<VarId>> {
    let mut needs: Vec<Option<Vec<VarId>>> = vec![None; vars];
    for assignment in assigns {
        let mut all = Vec::new();
        choice_reads(&assignment.choice, &mut |var, primed| {
            if primed == next {
                all.push(var);
            }
        });
        all.sort_unstable();
        all.dedup();
        needs[assignment.var.index()] = Some(all);
    }
    let mut done = vec![false; vars];
    let mut on_path = vec![false; vars];
    for start in assigns.iter().map(|a| a.var) {
        let mut path: Vec<(VarId, usize)> = vec![(start, 0)];
        while let Some((var, at)) = path.last_mut() {
            let here = *var;
            if done[here.index()] {
                path.pop();
                continue;
            }
            on_path[here.index()] = true;
            let needed = needs[here.index()].as_ref().and_then(|all| all.get(*at)).copied();
            *at += 1;
            match needed {
                None => {
                    done[here.index()] = true;
                    on_path[here.index()] = false;
                    path.pop();
                }
                Some(needed) if on_path[needed.index()] => {
                    let from = path.iter().position(|(v, _)| *v == needed)?;
                    return Some(path[from..].iter().map(|(v, _)| *v).collect());
                }
                Some(needed) if needs[needed.index()].is_some() && !done[needed.index()] => {
                    path.push((needed, 0))
                }
                Some(_) => {}
            }
        }
    }
    None
}

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
    // Circles are excluded, so this ends with all that can be computed.
    loop {
        let before = given.iter().filter(|g| **g).count();
        for assignment in &relation.init_assigns {
            let mut known = is_one(&assignment.choice);
            choice_reads(&assignment.choice, &mut |var, _| known &= given[var.index()]);
            given[assignment.var.index()] |= known;
        }
        if given.iter().filter(|g| **g).count() == before {
            break;
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
