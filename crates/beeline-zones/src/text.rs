//! Readable text of a zone: `x<=5 && y-x>2`, from the shortest-path reduction, fixed differences first as
//! `==`.

use crate::bound::{Bound, Constraint};
use crate::dbm::Dbm;
use crate::minimal::{Reduction, reduce};

/// The text of a zone; `names[0]` is the name of clock 1. The zone of all valuations is `true`.
pub(crate) fn zone_text<S: AsRef<str>>(zone: &Dbm, names: &[S]) -> String {
    assert_eq!(names.len() + 1, zone.dim(), "one name for each clock");
    if zone.is_empty() {
        return "false".to_owned();
    }
    let name = |i: usize| names[i - 1].as_ref();
    let Reduction { representative, edges } = reduce(zone);
    let mut parts = Vec::new();
    for (i, &head) in representative.iter().enumerate().filter(|&(i, &head)| i != head) {
        let value = zone.get(i, head).constant().unwrap_or(0);
        match (head, value) {
            (0, _) => parts.push(format!("{}=={value}", name(i))),
            (_, 0) => parts.push(format!("{}=={}", name(i), name(head))),
            _ if value > 0 => parts.push(format!("{}-{}=={value}", name(i), name(head))),
            _ => parts.push(format!("{}-{}=={}", name(head), name(i), -value)),
        }
    }
    parts.extend(edges.iter().map(|edge| constraint_text(edge, name)));
    if parts.is_empty() { "true".to_owned() } else { parts.join(" && ") }
}

/// A lower bound is written with the clock on the left, and so is a difference bounded by a negative
/// constant.
fn constraint_text<'a>(constraint: &Constraint, name: impl Fn(usize) -> &'a str) -> String {
    let Constraint { left, right, bound } = *constraint;
    let (c, strict) = (bound.constant().unwrap_or(0), bound.is_strict());
    let flipped = if strict { ">" } else { ">=" };
    match (left, right) {
        (0, i) => format!("{}{flipped}{}", name(i), -c),
        (i, 0) => format!("{}{bound}", name(i)),
        (i, j) if c < 0 => format!("{}-{}{flipped}{}", name(j), name(i), -c),
        (i, j) if bound == Bound::le(0) || bound == Bound::lt(0) => {
            format!("{}{}{}", name(i), if strict { "<" } else { "<=" }, name(j))
        }
        (i, j) => format!("{}-{}{bound}", name(i), name(j)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::from_constraints;

    fn text(constraints: &[(usize, usize, Bound)]) -> String {
        let constraints: Vec<_> = constraints.iter().map(|&(i, j, b)| Constraint::new(i, j, b)).collect();
        from_constraints(4, &constraints).unwrap().text(&["x", "y", "z"])
    }

    #[test]
    fn texts() {
        assert_eq!(text(&[]), "true");
        assert_eq!(text(&[(1, 0, Bound::le(5)), (1, 2, Bound::lt(-2))]), "x<=5 && y-x>2");
        assert_eq!(text(&[(0, 1, Bound::lt(0)), (0, 2, Bound::le(-7))]), "x>0 && y>=7");
        assert_eq!(text(&[(1, 2, Bound::lt(0)), (2, 3, Bound::le(0))]), "x<y && y<=z");
        assert_eq!(text(&[(3, 1, Bound::lt(4))]), "z-x<4");
        assert_eq!(Dbm::zero(3).text(&["x", "y"]), "x==0 && y==0");
        let mut running = Dbm::zero(3);
        running.up();
        assert_eq!(running.text(&["x", "y"]), "y==x");
        running.reset(1, 3);
        running.reset(2, 0);
        running.up();
        assert_eq!(running.text(&["x", "y"]), "x-y==3");
        assert_eq!(running.to_string(), "x1-x2==3");
    }
}
