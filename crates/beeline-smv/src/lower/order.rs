//! Combinational circles: `x := y` beside `y := x`. Initial values depend on initial values, next values on next
//! values; each must be computable after those it depends on.

use beeline_ir::VarId;
use beeline_ir::diagnostic::Diagnostic;
use beeline_ir::origin::Span;
use beeline_ir::relation::{Assignment, Relation};

use super::total::choice_reads;

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
