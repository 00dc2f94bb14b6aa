//! Sets of states as rows of a certificate: a row for each way through the diagram, taking all bits of a variable at once.

use crate::bdd::Bdd;
use crate::encoding::Place;
use crate::system::{System, value};
use beeline_ir::certificate::{Cell, Row};

/// Values of a variable that a row may list.
const MOST_VALUES: usize = 1 << 10;

/// The rows of a set at a level, unless they and those before them become more than so many.
pub(crate) fn add_rows(
    system: &System,
    set: &Bdd,
    level: u32,
    most: usize,
    rows: &mut Vec<Row>,
) -> Option<()> {
    let mut slots: Vec<(usize, &Place)> =
        system.encoding.stored().enumerate().take(system.apart.len()).collect();
    slots.sort_by_key(|(_, place)| place.current.first().map(|bit| system.b.level(*bit)));
    let cells = vec![Cell::Any; slots.len()];
    let mut work = vec![(set.clone(), 0, cells)];
    while let Some((left, at, cells)) = work.pop() {
        if system.b.is_no(&left) {
            continue;
        }
        let Some((slot, place)) = slots.get(at) else {
            rows.push(Row { level, cells, zone: Vec::new() });
            if rows.len() > most {
                return None;
            }
            continue;
        };
        for (rest, distances) in after(system, &left, place, system.apart[*slot])? {
            let mut cells = cells.clone();
            cells[*slot] = match distances {
                None => Cell::Any,
                Some(distances) => cell(place, distances),
            };
            work.push((rest, at + 1, cells));
        }
    }
    Some(())
}

fn cell(place: &Place, distances: Vec<u64>) -> Cell {
    let values: Vec<i64> = distances.into_iter().map(|distance| value(place.range, distance)).collect();
    match values[..] {
        [one] => Cell::Value(one),
        _ if values.len() as u128 == place.range.size() => Cell::Any,
        _ => Cell::Set(values),
    }
}

/// What is left of a set, and for which values of a variable: `None` for any; each by itself if they are to be kept
/// apart. Nothing, if there are too many.
fn after(system: &System, set: &Bdd, place: &Place, apart: bool) -> Option<Vec<(Bdd, Option<Vec<u64>>)>> {
    let b = &system.b;
    let last = place.current.iter().map(|bit| b.level(*bit)).max();
    if !apart && b.top(set).is_none_or(|top| last.is_none_or(|last| b.level(top) > last)) {
        return Some(vec![(set.clone(), None)]);
    }
    let mut ways = vec![(set.clone(), 0_u64)];
    for bit in &place.current {
        let mut further = Vec::new();
        for (f, distance) in ways {
            let at = |value| b.restrict(&f, &b.literals(&[(*bit, value)])?);
            let (zero, one) = (at(false).ok()?, at(true).ok()?);
            further.extend([(zero, distance << 1), (one, distance << 1 | 1)]);
        }
        further.retain(|(f, _)| !b.is_no(f));
        if further.len() > MOST_VALUES {
            return None;
        }
        ways = further;
    }
    let mut groups: Vec<(Bdd, Option<Vec<u64>>)> = Vec::new();
    for (f, distance) in ways {
        match groups.iter_mut().find(|(g, _)| *g == f) {
            Some((_, Some(distances))) if !apart => distances.push(distance),
            _ => groups.push((f, Some(vec![distance]))),
        }
    }
    Some(groups)
}
