//! The relation form: initial states, steps, errors and certificates.

use crate::common;

use beeline_check::{RelationKernel, check_certificate};
use beeline_ir::certificate::{Cell, Certificate, Row};
use beeline_ir::limits::Limits;
use beeline_ir::relation::Relation;
use beeline_ir::{Model, text};
use common::{model, property};

fn relation(model: &Model) -> &Relation {
    match model {
        Model::Relation(relation) => relation,
        Model::Network(_) => panic!("not a relation"),
    }
}

/// The states a state leads to.
fn next(kernel: &RelationKernel<'_>, state: &[i64]) -> Vec<Vec<i64>> {
    kernel.successors(state).expect("few values").into_iter().map(|step| step.state).collect()
}

#[test]
fn initial_states() {
    let m = model(
        "relation r state x in 0..3 state y in 0..3 frozen f in 0..1 input i in 0..9
         init x := {0, f + 1} init y := if x == 0 then 2 .. 3 else x
         initially f == 1 || y != 3 invariant x + y < 5",
    );
    let kernel = RelationKernel::new(relation(&m));
    let expected = [[0, 2, 0], [0, 2, 1], [0, 3, 1], [1, 1, 0], [2, 2, 1]];
    assert_eq!(kernel.initial().unwrap(), expected);
    for x in 0..4 {
        for y in 0..4 {
            for f in 0..2 {
                assert_eq!(kernel.is_initial(&[x, y, f]), expected.contains(&[x, y, f]), "{x} {y} {f}");
            }
        }
    }
}

#[test]
fn steps_agree_with_trying_everything() {
    let m = model(
        "relation r state x in 0..3 state y in 0..3 state z in 0..2 frozen f in 0..1 input i in 0..2 input unread in 0..9
         next x := if i == 0 then {x, f} else next(y)
         next y := {(y + i) % 4, 3}
         relation next(z) != z || i == 2 relation next(z) <= next(x) + 1
         invariant x + z < 5",
    );
    let kernel = RelationKernel::new(relation(&m));
    let (mut total, mut inputs_used) = (0, std::collections::BTreeSet::new());
    for x in 0..4 {
        for y in 0..4 {
            for z in 0..3 {
                for f in 0..2 {
                    let mut expected = Vec::new();
                    for nx in 0..4 {
                        for ny in 0..4 {
                            for nz in 0..3 {
                                let possible = (0..3).any(|i| {
                                    let choice_x = if i == 0 { nx == x || nx == f } else { nx == ny };
                                    let choice_y = ny == (y + i) % 4 || ny == 3;
                                    choice_x && choice_y && (nz != z || i == 2) && nz <= nx + 1 && nx + nz < 5
                                });
                                if possible {
                                    expected.push(vec![nx, ny, nz, f]);
                                }
                            }
                        }
                    }
                    assert_eq!(next(&kernel, &[x, y, z, f]), expected, "from {x} {y} {z} {f}");
                    for step in kernel.successors(&[x, y, z, f]).unwrap() {
                        assert!(kernel.is_step(&[x, y, z, f], &step.inputs, &step.state));
                        assert!(!kernel.is_step(&[x, y, z, f], &step.inputs, &[0, 0, 0, 1 - f]));
                        inputs_used.insert(step.inputs);
                        total += 1;
                    }
                }
            }
        }
    }
    assert!(total > 500 && inputs_used.len() == 3);
}

#[test]
fn choices_that_depend_on_each_other() {
    let m = model("relation r state x in 0..2 state y in 0..2 next x := next(y) next y := (next(x) * 2) % 3");
    let kernel = RelationKernel::new(relation(&m));
    assert_eq!(next(&kernel, &[1, 1]), [[0, 0]]);
}

#[test]
fn errors_are_no_steps() {
    let m = model("relation r state x in 0..3 next x := {x + 1, 0}");
    let kernel = RelationKernel::new(relation(&m));
    assert_eq!(next(&kernel, &[3]), [[0]]);
    let divides = model("relation r state x in 0..3 relation next(x) == 6 / x");
    let kernel = RelationKernel::new(relation(&divides));
    assert_eq!((next(&kernel, &[2]), next(&kernel, &[0])), (vec![vec![3]], vec![]));
}

#[test]
fn deadlock_and_width() {
    let m = model("relation r state x in 0..3 init x := 0 relation x < 2 && next(x) == x + 1");
    let kernel = RelationKernel::new(relation(&m));
    let dead = property(&m, "E<> deadlock");
    assert_eq!((0..4).map(|x| kernel.holds(&dead, &[x])).collect::<Vec<_>>(), [false, false, true, true]);
    let wide = model("relation r state x in 0..1000000000 next x := x");
    let kernel = RelationKernel::new(relation(&wide));
    assert_eq!(kernel.initial(), None);
    assert_eq!(next(&kernel, &[123456]), [[123456]]);
}

#[test]
fn certificates_of_relations() {
    let m = model(
        "relation r state x in 0..7 state y in 0..7 frozen f in 0..1 input i in 0..1
         init x := 0 next x := if i == 1 then (x + 2) % 8 else x initially f == 0",
    );
    let verdict = |question: &str, length: Option<u32>, rows: &[(u32, [Cell; 3])]| {
        let question = property(&m, question);
        let row = |(level, cells): &(u32, [Cell; 3])| Row {
            level: *level,
            cells: cells.to_vec(),
            zone: Vec::new(),
        };
        let certificate = Certificate {
            model: m.hash(),
            property: text::print_property(&m, &question),
            length,
            rows: rows.iter().map(row).collect(),
        };
        let result = check_certificate(&m, &question, &certificate, None, &Limits::default());
        result.map_or_else(|error| error.to_string(), |_| "ok".to_string())
    };
    let set = |values: &[i64]| Cell::Set(values.to_vec());
    let (any, zero) = (|| Cell::Any, || Cell::Value(0));
    let out = "row 1: a label leads out of the rows";
    let even = set(&[0, 2, 4, 6]);
    assert_eq!(verdict("A[] x % 2 == 0", None, &[(0, [even.clone(), any(), zero()])]), "ok");
    assert_eq!(verdict("A[] x % 2 == 0 && f == 0", None, &[(0, [even.clone(), any(), zero()])]), "ok");
    assert_eq!(verdict("A[] x % 2 == 0", None, &[(0, [even.clone(), any(), any()])]), "ok");
    let meets = "row 1: meets the target";
    assert_eq!(verdict("A[] x % 2 == 0 && f == 0", None, &[(0, [even.clone(), any(), any()])]), meets);
    assert_eq!(verdict("A[] y < 7", None, &[(0, [even, any(), zero()])]), meets);
    assert_eq!(verdict("A[] x % 2 == 0", None, &[(0, [set(&[0, 2, 4]), any(), zero()])]), out);
    let start = "an initial state is in no row of level 0";
    assert_eq!(verdict("A[] x % 2 == 0", None, &[(0, [set(&[0, 2, 4, 6]), zero(), zero()])]), start);
    let levels = [(0, [zero(), any(), zero()]), (1, [Cell::Value(2), any(), zero()])];
    assert_eq!(verdict("E<> x == 4", Some(2), &levels), "ok");
    assert_eq!(verdict("E<> x == 4", Some(3), &levels), "row 2: a label leads out of the rows");
    assert_eq!(verdict("E<> x == 4", Some(2), &levels[..1]), out);
}
