//! Certificates written by hand: accepted as they are, rejected when anything that matters is changed.

use crate::common;

use beeline_check::{NotAccepted, check_certificate};
use beeline_ir::certificate::{Cell, Certificate, Row, ZoneConstraint};
use beeline_ir::limits::Limits;
use beeline_ir::{ClockId, Model, text};
use common::{model, property};

/// A cell: `3`, `1|2` or `_`.
fn cell(text: &str) -> Cell {
    match text {
        "_" => Cell::Any,
        _ => {
            match text.split('|').map(|v| v.parse().expect("a row is well written")).collect::<Vec<i64>>()[..]
            {
                [value] => Cell::Value(value),
                ref values => Cell::Set(values.to_vec()),
            }
        }
    }
}

/// A constraint: `0-1<3` or `0<=3` or `-1<=3`, with clocks by number.
fn constraint(text: &str) -> ZoneConstraint {
    let (difference, bound) = text.split_once('<').expect("a row is well written");
    let (left, right) = difference.split_once('-').unwrap_or((difference, ""));
    let clock = |name: &str| name.parse().ok().map(ClockId::new);
    let bound_text = bound.trim_start_matches('=');
    ZoneConstraint {
        left: clock(left),
        right: clock(right),
        bound: bound_text.parse().expect("a row is well written"),
        strict: bound == bound_text,
    }
}

/// A row: `level: cells ; zone`.
fn row(text: &str) -> Row {
    let (level, rest) = text.split_once(':').expect("a row is well written");
    let (cells, zone) = rest.split_once(';').unwrap_or((rest, ""));
    Row {
        level: level.trim().parse().expect("a row is well written"),
        cells: cells.split_whitespace().map(cell).collect(),
        zone: zone.split_whitespace().map(constraint).collect(),
    }
}

fn certificate(model: &Model, question: &str, length: Option<u32>, rows: &[&str]) -> Certificate {
    Certificate {
        model: model.hash(),
        property: text::print_property(model, &property(model, question)),
        length,
        rows: rows.iter().map(|r| row(r)).collect(),
    }
}

/// `ok`, or why not, with the row.
fn verdict(model: &Model, question: &str, length: Option<u32>, rows: &[&str]) -> String {
    let certificate = certificate(model, question, length, rows);
    match check_certificate(model, &property(model, question), &certificate, None, &Limits::default()) {
        Ok(accepted) => {
            assert_eq!(accepted.rows, rows.len());
            "ok".to_string()
        }
        Err(error) => error.to_string(),
    }
}

#[track_caller]
fn expect(model: &Model, question: &str, length: Option<u32>, rows: &[&str], expected: &str) {
    assert_eq!(verdict(model, question, length, rows), expected, "{question} {length:?} {rows:?}");
}

const OUT: &str = "a label leads out of the rows";

/// Slots: P, x, noise.
const COUNTER: &str = "network counter var x in 0..9 var noise in 0..50
     process P { init a location a
       edge a -> a { guard x < 3 do { x := x + 1; } } edge a -> a { guard x == 3 do { x := 0; noise := (noise + 1) % 7; } } }";

#[test]
fn full_set_and_any_rows() {
    let m = model(COUNTER);
    let all = ["0: 0 0 _", "0: 0 1 _", "0: 0 2 _", "0: 0 3 _"];
    expect(&m, "A[] x < 4", None, &all, "ok");
    expect(&m, "E<> x > 3", None, &all, "ok");
    expect(&m, "A[] x < 4", None, &["0: 0 0|1|2|3 _"], "ok");
    expect(&m, "A[] x < 4", None, &["0: _ 0|1|2|3 0|1|2|3|4|5|6"], "ok");
    expect(&m, "A[] x < 4", None, &["0: 0 0|1 _", "0: 0 2|3 _"], "ok");
    // A row that is not needed does no harm, if it is closed.
    expect(&m, "A[] x < 4", None, &["0: 0 0|1|2|3 _", "7: 0 2 4"], "ok");
    // Tampered with: a row dropped, a cell changed, a level raised, the property met.
    expect(&m, "A[] x < 4", None, &all[1..], "an initial state is in no row of level 0");
    for dropped in 1..4 {
        let rows: Vec<&str> = (0..4).filter(|i| *i != dropped).map(|i| all[i]).collect();
        expect(&m, "A[] x < 4", None, &rows, &format!("row {dropped}: {OUT}"));
    }
    expect(&m, "A[] x < 4", None, &["0: 0 0|1|2|4 _"], "row 1: meets the target");
    expect(&m, "A[] x < 4", None, &["0: 0 0|1|3 _"], &format!("row 1: {OUT}"));
    expect(&m, "A[] x < 4", None, &["0: 0 0|1|2|3 0|1|2|3|4|5"], &format!("row 1: {OUT}"));
    expect(&m, "A[] x < 4", None, &["0: 0 _ _"], "row 1: meets the target");
    expect(&m, "A[] x < 3", None, &all, "row 4: meets the target");
    expect(&m, "A[] x < 4", None, &["1: 0 0|1|2|3 _"], "an initial state is in no row of level 0");
    expect(&m, "A[] x < 4", None, &["0: 0 0 _", "2: 0 1|2|3 _"], &format!("row 1: {OUT}"));
    expect(&m, "A[] x < 4", None, &[], "an initial state is in no row of level 0");
}

#[test]
fn malformed_rows() {
    let m = model(COUNTER);
    let values = "has a cell with values that the slot cannot have";
    for (bad, expected) in [
        ("0: 0 0", "has not one cell per slot"),
        ("0: 0 0 0 0", "has not one cell per slot"),
        ("0: 0 10 _", values),
        ("0: 0 1|0 _", values),
        ("0: 0 1|1 _", values),
        ("0: 0 0 _ ; 0<3", "has a zone of unknown clocks or beyond all bounds"),
        ("0: 0 0 _ ; -<9223372036854775807", "has a zone of unknown clocks or beyond all bounds"),
    ] {
        expect(&m, "A[] x < 4", None, &[bad], &format!("row 1: {expected}"));
    }
    expect(&m, "A[] x < 4", Some(3), &["3: 0 0 _"], "row 1: has a level that is not below the length");
}

#[test]
fn another_model_or_property() {
    let m = model(COUNTER);
    let question = property(&m, "A[] x < 4");
    let good = certificate(&m, "A[] x < 4", None, &["0: 0 0|1|2|3 _"]);
    let reason = |certificate: &Certificate| match check_certificate(
        &m,
        &question,
        certificate,
        None,
        &Limits::default(),
    ) {
        Err(NotAccepted::Rejected { row: None, reason }) => reason,
        other => panic!("{other:?}"),
    };
    let other = model(&COUNTER.replace("x < 3", "x < 2"));
    assert_eq!(
        reason(&Certificate { model: other.hash(), ..good.clone() }),
        "the certificate belongs to another model"
    );
    assert_eq!(
        reason(&Certificate { property: "A[] x < 5".into(), ..good.clone() }),
        "the certificate is about another property"
    );
    assert_eq!(
        check_certificate(&m, &question, &good, Some(3), &Limits::default()),
        Err(NotAccepted::BudgetExceeded)
    );
    assert!(check_certificate(&m, &question, &good, Some(1000), &Limits::default()).is_ok());
}

#[test]
fn levels() {
    let m = model(COUNTER);
    let rows = ["0: 0 0 _", "1: 0 1 _", "2: 0 2 _"];
    expect(&m, "E<> x == 3", Some(3), &rows, "ok");
    // Nobody claims the truth, but less is true as well.
    expect(&m, "E<> x == 3", Some(2), &rows[..2], "ok");
    expect(&m, "E<> x == 3", Some(0), &[], "ok");
    expect(&m, "E<> x == 3", Some(4), &[rows[0], rows[1], rows[2], "3: 0 3 _"], "row 4: meets the target");
    expect(&m, "E<> x == 3", Some(4), &rows, &format!("row 3: {OUT}"));
    expect(&m, "E<> x == 3", None, &rows, &format!("row 3: {OUT}"));
    expect(&m, "E<> x == 3", Some(3), &rows[..2], &format!("row 2: {OUT}"));
    expect(&m, "E<> x == 3", Some(3), &[rows[0], "2: 0 1|2 _"], &format!("row 1: {OUT}"));
    // A row may come earlier than its states do.
    expect(&m, "E<> x == 3", Some(3), &["0: 0 0|1 _", "1: 0 2 _"], &format!("row 2: {OUT}"));
    expect(&m, "E<> x == 3", Some(2), &["0: 0 0|1 _", "1: 0 2 _"], "ok");
    // An edge that is free leads to the same level.
    let free = model(&COUNTER.replace("x := x + 1; } }", "x := x + 1; } free }"));
    expect(&free, "E<> x == 3", Some(3), &rows, &format!("row 1: {OUT}"));
    expect(&free, "E<> x == 3", Some(1), &["0: 0 0|1|2 _"], &format!("row 1: {OUT}"));
    expect(&free, "E<> x == 4", Some(1), &["0: 0 0|1|2|3 _"], "ok");
}

/// Slots: P. Clocks: t, u.
const TIMED: &str = "network timed clock t, u
     process P { init a location a { invariant t <= 2 } location b
       edge a -> a { when t >= 1 do { t := 0; } } edge a -> b { when t > 1 do { u := t; } } }";

#[test]
fn zones_and_their_unions() {
    let m = model(TIMED);
    let safe = "A[] P.b || t <= 2";
    expect(&m, safe, None, &["0: 0", "0: 1"], "ok");
    expect(&m, safe, None, &["0: _"], "ok");
    expect(&m, "A[] t - u <= 0", None, &["0: 0 ; 0-1<=0", "0: 1 ; 0-1<=0"], "ok");
    expect(&m, "A[] !P.b || u > 1", None, &["0: 0", "0: 1 ; -1<-1"], "ok");
    // The union holds what no single row does.
    let pieces = ["0: 0 ; 0<=1", "0: 0 ; -0<-1 0<2", "0: 0 ; -0<=-2", "0: 1"];
    expect(&m, safe, None, &pieces, "ok");
    expect(
        &m,
        safe,
        None,
        &["0: 0 ; 0<1", pieces[1], pieces[2], pieces[3]],
        "row 1: delay leads out of the rows",
    );
    expect(&m, safe, None, &[pieces[0], pieces[2], pieces[3]], "row 1: delay leads out of the rows");
    // Tampered with: a zone shrunk.
    expect(&m, safe, None, &["0: 0 ; 0<=1", "0: 1"], "row 1: delay leads out of the rows");
    expect(&m, safe, None, &["0: 0 ; 0<2", "0: 1"], "row 1: delay leads out of the rows");
    expect(&m, safe, None, &["0: 0 ; 1<=7", "0: 1"], "row 1: delay leads out of the rows");
    expect(&m, safe, None, &["0: 0", "0: 1 ; -1<-2"], &format!("row 1: {OUT}"));
    expect(&m, "A[] !P.b || u > 1", None, &["0: 0", "0: 1 ; -1<=-1"], "row 2: meets the target");
    expect(&m, "A[] t - u <= 0", None, &["0: 0", "0: 1"], "row 1: meets the target");
    // Delay stays at its level.
    expect(&m, "E<> P.b", Some(1), &["0: 0"], "ok");
    expect(&m, "E<> P.b", Some(2), &["0: 0 ; 0<=1", "1: 0"], "row 1: delay leads out of the rows");
}

#[test]
fn deadlock_on_rows() {
    let m = model(TIMED);
    let alive = model(
        &TIMED.replace("location b", "location b edge b -> b { when u > 3 } edge b -> a { when u < 1 }"),
    );
    expect(&alive, "A[] !deadlock", None, &["0: 0", "0: 1"], "ok");
    expect(&m, "A[] !deadlock", None, &["0: 0", "0: 1"], "row 2: meets the target");
    expect(&m, "A[] !deadlock || P.b", None, &["0: 0", "0: 1"], "ok");
    expect(&m, "E<> deadlock && P.b && u <= 1", None, &["0: 0", "0: 1 ; -1<-1"], "ok");
    expect(&m, "E<> !deadlock && P.b", None, &["0: 0", "0: 1"], "ok");
    // At t = 2 it is too late.
    let late =
        model(&TIMED.replace("when t >= 1", "when t >= 1, t < 2").replace("when t > 1", "when t > 1, t < 2"));
    expect(&late, "A[] !deadlock || P.b", None, &["0: 0", "0: 1"], "row 1: meets the target");
    expect(&late, "A[] !deadlock || P.b || t >= 2", None, &["0: 0", "0: 1"], "ok");
    // What is left open may be a deadlock: whether the label is enabled, or the invariant of its target holds.
    let open = model(
        "network open var g in 0..1 = 1 var h in 0..1
         process P { init a location a location b { condition h < 2 } edge a -> b { guard g == 1 } edge b -> a { } }",
    );
    expect(&open, "A[] !deadlock", None, &["0: 0 1 0", "0: 1 1 0"], "ok");
    expect(&open, "A[] !deadlock", None, &["0: _ 1 0"], "row 1: meets the target");
    expect(&open, "A[] !deadlock", None, &["0: _ _ 0"], "row 1: meets the target");
    expect(&open, "A[] !deadlock", None, &["0: 0|1 1 _"], "row 1: meets the target");
}

/// Slots: P, Q, g. Clock: t. Q's edge is below P's; the question is whether it can fire while P's may.
const PRIORITY: &str = "network priority var g in 0..1 = 1 clock t
     process P priority 1 { init a location a edge a -> a { guard g == 1 when t <= 1 } }
     process Q { init a location a location bad edge a -> bad { when t < 2 do { t := 0; } } }";

#[test]
fn priorities_on_rows() {
    let m = model(PRIORITY);
    let late = model(&PRIORITY.replace("do { t := 0; }", ""));
    let rows = ["0: 0 0 1", "0: 0 1 1 ; -0<-1"];
    expect(&late, "A[] !Q.bad || t > 1", None, &rows, "ok");
    let open = ["0: 0 0 _", "0: 0 1 _ ; -0<-1"];
    expect(&late, "A[] !Q.bad || t > 1", None, &open, &format!("row 1: {OUT}"));
    expect(&m, "A[] !Q.bad", None, &["0: 0 0 1 ; 0<=1"], "row 1: delay leads out of the rows");
    let never = model(&PRIORITY.replace("when t < 2", "when t <= 1"));
    expect(&never, "A[] !Q.bad", None, &["0: 0 0 1"], "ok");
    expect(&never, "A[] !Q.bad", None, &["0: 0 0 _"], &format!("row 1: {OUT}"));
}

#[test]
fn committed_urgent_and_token_on_rows() {
    // Slots: P, Q.
    let committed = model(
        "network committed process P { init c committed location c location d edge c -> c { } }
         process Q { init a location a location bad edge a -> bad { } }",
    );
    expect(&committed, "A[] !Q.bad", None, &["0: 0 0"], "ok");
    expect(&committed, "A[] !Q.bad", None, &["0: _ 0"], &format!("row 1: {OUT}"));
    let urgent = model("network urgent clock t process P { init a urgent location a location b }");
    expect(&urgent, "A[] t <= 0", None, &["0: 0 ; 0<=0"], "ok");
    expect(&urgent, "A[] t <= 0", None, &["0: _ ; 0<=0"], "row 1: delay leads out of the rows");
    // Slots: P, Q, holder.
    let token = model(
        "network token process P { init a atomic location b location a edge a -> b { } edge b -> b { } }
         process Q { init a location a location bad edge a -> bad { } }",
    );
    expect(
        &token,
        "A[] !Q.bad || P.a",
        None,
        &["0: 1 0 0", "0: 0 0 1", "0: 1 1 0", "0: 0 1 1"],
        "row 4: meets the target",
    );
    expect(&token, "E<> Q.bad && P.b", Some(2), &["0: 1 0 0", "1: 0 0 1", "1: 1 1 0"], "ok");
    expect(
        &token,
        "E<> Q.bad && P.b",
        Some(2),
        &["0: 1 0 0", "0: 0 0 1", "0: 1 1 0"],
        &format!("row 3: {OUT}"),
    );
    expect(
        &token,
        "A[] Q.a || P.a",
        Some(3),
        &["0: 1 0 0", "1: 0 0 1|2", "1: 1 1 0"],
        &format!("row 2: {OUT}"),
    );
}

/// A label of the token's holder that may be enabled may keep the others from saving the day.
#[test]
fn an_open_label_of_the_holder_blocks_others() {
    // Slots: R, Q, g, holder.
    let m = model(
        "network holder var g in 0..1
         process R { init s location s atomic location e location dead { condition 0 }
           edge s -> e { } edge e -> dead { guard g == 1 } }
         process Q { init a location a edge a -> a { } }",
    );
    expect(&m, "A[] !deadlock", None, &["0: 0 0 0 0", "0: 1 0 0 1", "0: 1 0 0 0"], "ok");
    expect(&m, "A[] !deadlock", None, &["0: 0 0 _ 0", "0: 1 0 _ 1", "0: 1 0 _ 0"], "row 2: meets the target");
}

/// A label of higher priority keeps others from firing, whoever holds the token; of those of the same, the holder's do, and
/// where nobody knows who that is none does.
#[test]
fn an_unknown_holder_keeps_nobody_back() {
    // Slots: P, R, holder.
    let with = |priority: &str| {
        model(&format!(
            "network holder process P priority 1 {{ init a location a edge a -> a {{ }} }}
             process R {priority} {{ init s location s atomic location e location bad edge e -> bad {{ }} }}"
        ))
    };
    let (lower, equal) = (with(""), with("priority 1"));
    expect(&lower, "A[] !R.bad", None, &["0: 0 0 0", "0: 0 1 0"], "ok");
    expect(&lower, "A[] !R.bad", None, &["0: 0 0 0", "0: 0 1 2", "0: 0 1 0"], "ok");
    expect(&lower, "A[] !R.bad", None, &["0: 0 0 0", "0: 0 1 _"], "ok");
    expect(&equal, "A[] !R.bad", None, &["0: 0 0 0", "0: 0 1 2", "0: 0 1 0"], &format!("row 2: {OUT}"));
    expect(&equal, "A[] !R.bad", None, &["0: 0 0 0", "0: 0 1 _"], &format!("row 2: {OUT}"));
}

/// A label that may be disabled keeps no other from firing: such as a pair whose receiver may be elsewhere.
#[test]
fn a_pair_without_a_certain_receiver_has_no_priority() {
    // Slots: P, R, Q.
    let m = model(
        "network pair chan c priority 1 process P { init a location a edge a -> a { send c() } }
         process R { init a location a location b edge a -> a { receive c() } }
         process Q { init a location a location bad edge a -> bad { } }",
    );
    expect(&m, "A[] !Q.bad", None, &["0: 0 0 0"], "ok");
    expect(&m, "A[] !Q.bad", None, &["0: 0 _ 0"], &format!("row 1: {OUT}"));
}

/// An invariant of which nothing is known may forbid the delay that leads out of a deadlock.
#[test]
fn an_unknown_invariant_may_make_a_deadlock() {
    // Slots: P, Q.
    let m = model(
        "network invariant clock t process P { init a location a edge a -> a { when t >= 2 do { t := 0; } } }
         process Q { init a location a location b { invariant t <= 1 } }",
    );
    expect(&m, "A[] !deadlock", None, &["0: 0 0"], "ok");
    expect(&m, "A[] !deadlock", None, &["0: 0 _"], "row 1: meets the target");
}

#[test]
fn pairs_and_broadcasts_on_rows() {
    // Slots: P, Q, R, x. Of Q and R nothing is known: they may or may not join.
    let m = model(
        "network parts var x in 0..9 clock t chan c broadcast chan b
         process P { init a location a edge a -> a { send b() do { x := 0; } } edge a -> a { send c() do { x := 4; } } }
         process Q { init a location a location d location e
           edge a -> d { receive b() do { x := x + 1; } } edge d -> a { receive c() } edge e -> e { receive c() do { x := 9; } } }
         process R { init a location a edge a -> a { when t > 3 receive b() do { x := x + 2; } } }",
    );
    expect(&m, "A[] x < 5", None, &["0: 0 0|1 0 0|1|2|3|4"], "ok");
    expect(&m, "A[] x < 9", None, &["0: 0 _ 0 0|1|2|3|4"], &format!("row 1: {OUT}"));
    expect(&m, "A[] x != 8", None, &["0: 0 _ 0 0|1|2|3|4|9"], "ok");
    expect(&m, "A[] x < 5", None, &["0: 0 0|1 0 0|1|2|4"], &format!("row 1: {OUT}"));
    expect(&m, "A[] x < 5", None, &["0: 0 0|1 0 0|1|3|4"], &format!("row 1: {OUT}"));
    // Without R at t <= 3.
    let early = "E<> x == 2 && t <= 3";
    expect(&m, early, None, &["0: 0 0|1 0 0|1|4", "0: 0 0|1 0 2|3 ; -0<-3"], "ok");
    expect(&m, early, None, &["0: 0 0|1 0 0|1|4 ; 0<=3", "0: 0 0|1 0 0|1|2|3|4 ; -0<-3"], "ok");
}

#[test]
fn failing_labels_and_assertions_on_rows() {
    // Slots: P, x.
    let m = model(
        "network fails var x in 0..4
         process P { init a location a edge a -> a { guard x < 3 do { x := x + 1; assert x != 3; } }
           edge a -> a { guard 6 / (4 - x) > 3 do { x := x + 2; } } }",
    );
    let question = "no-runtime-error";
    expect(&m, question, None, &["0: 0 0|1"], &format!("row 1: {OUT}"));
    expect(&m, question, None, &["0: 0 0|1|2|3"], "row 1: a label may fail: value out of range");
    expect(&m, question, None, &["0: 0 _"], "row 1: a label may fail: division by zero");
    expect(&m, "A[] x < 5", None, &["0: 0 _"], "ok");
    let levels = ["0: 0 0", "1: 0 1", "2: 0 2"];
    expect(&m, question, Some(3), &levels, "ok");
    expect(&m, "no-assertion-failure", Some(3), &levels, "ok");
    let more = [levels[0], levels[1], levels[2], "3: 0 3|4"];
    expect(&m, question, Some(4), &more, "ok");
    let most = [levels[0], levels[1], levels[2], "3: 0 3|4", "4: 0 0"];
    expect(&m, question, Some(5), &most, "row 4: a label may fail: division by zero");
    expect(&m, "no-assertion-failure", Some(4), &more, "row 3: an assertion may fail");
    // An invariant that might fail, of a process of which nothing is known.
    let invariant = model(
        "network invariant var z in 0..1 = 1
         process P { init a location a edge a -> a { } }
         process Q { init a location a location b { condition 1 / z == 1 } }",
    );
    expect(&invariant, question, None, &["0: 0 0 0|1"], "ok");
    expect(&invariant, question, None, &["0: 0 _ 1"], "ok");
    expect(&invariant, question, None, &["0: 0 _ _"], "row 1: a label may fail: division by zero");
}

#[test]
fn observers_on_rows() {
    // Slots: P, C, x.
    let m = model(
        "network watched var x in 0..3 process P { init a location a edge a -> a { guard x < 3 do { x := x + 1; } } }
         observer process C { init s location s location bad edge s -> s { guard x < 4 } edge s -> bad { guard x == 9 } }",
    );
    expect(&m, "never C at {bad}", None, &["0: 0 0 _"], "ok");
    let reaches = model(
        "network watched var x in 0..3 process P { init a location a edge a -> a { guard x < 3 do { x := x + 1; } } }
         observer process C { init s location s location bad edge s -> s { guard x < 4 } edge s -> bad { guard x == 2 } }",
    );
    expect(&reaches, "never C at {bad}", None, &["0: 0 0 _"], &format!("row 1: {OUT}"));
    expect(&reaches, "never C at {bad}", Some(2), &["0: 0 0 0", "1: 0 0 1"], "ok");
    // Where the observer fails nobody can say; beyond the length it does not matter.
    let fails = model(
        "network watched var x in 0..3 process P { init a location a edge a -> a { guard x < 3 do { x := x + 1; } } }
         observer process C { init s location s location bad edge s -> s edge s -> bad { guard 9 / (x - 2) == 5 } }",
    );
    expect(&fails, "never C at {bad}", None, &["0: 0 0 _"], "row 1: the observer may fail");
    expect(&fails, "never C at {bad}", Some(2), &["0: 0 0 0", "1: 0 0 1"], "ok");
}

#[test]
fn too_little_known_is_rejected_and_not_tried() {
    let m = model(
        "network wide var w in 0..1000000000 process P { init a location a edge a -> a { guard w % 2 == 0 do { w := 0; } } }",
    );
    expect(&m, "A[] w >= 0", None, &["0: 0 _"], "row 1: depends on slot 1, of which too little is known");
    expect(&m, "A[] P.a", None, &["0: 0 0"], "ok");
}

#[test]
fn no_behaviour_needs_no_rows() {
    let m = model("network none process P { init a location a { condition 0 } }");
    expect(&m, "A[] !P.a", None, &[], "ok");
    expect(&m, "A[] !P.a", None, &["0: 0"], "ok");
}

#[test]
fn a_check_stops_when_told_to() {
    let m = model(
        "network n var w in 0..5000 process P { init a location a edge a -> a { do { wrap w := w + 1; } } }",
    );
    let question = property(&m, "A[] w >= 0");
    let rows = (0..=5000).map(|w| Row {
        level: w,
        cells: vec![Cell::Value(0), Cell::Value(i64::from(w))],
        zone: vec![],
    });
    let certificate = Certificate {
        model: m.hash(),
        property: text::print_property(&m, &question),
        length: None,
        rows: rows.collect(),
    };
    let limits = Limits::default();
    assert!(check_certificate(&m, &question, &certificate, None, &limits).is_ok());
    limits.cancel.cancel(beeline_ir::limits::StopReason::Interrupted);
    let stopped = NotAccepted::Stopped(beeline_ir::limits::StopReason::Interrupted);
    assert_eq!(check_certificate(&m, &question, &certificate, None, &limits), Err(stopped));
}
