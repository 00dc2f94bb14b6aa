//! Values of expressions: for every value of their operands, against plain arithmetic. The rules are NuSMV 2.6's.

use crate::support;

use support::{after, initial, main, read, table};

/// What a function gives for all numbers of a range.
fn expected(range: std::ops::RangeInclusive<i64>, f: impl Fn(i64) -> i64) -> Vec<(i64, i64)> {
    range.map(|x| (x, f(x))).collect()
}

#[test]
fn division_truncates_and_the_remainder_has_the_sign_of_the_dividend() {
    assert_eq!(table("-5..5", "-9..9", "x / 2"), expected(-5..=5, |x| x / 2));
    assert_eq!(table("-5..5", "-9..9", "x mod 3"), expected(-5..=5, |x| x % 3));
    assert_eq!(table("-5..5", "-9..9", "x mod (-2)"), expected(-5..=5, |x| x % -2));
    assert_eq!(table("-5..5", "-99..99", "7 - 2 * x - -1"), expected(-5..=5, |x| 8 - 2 * x));
}

#[test]
fn operators_bind_as_in_the_grammar() {
    assert_eq!(table("0..3", "0..99", "1 + 2 * x"), expected(0..=3, |x| 1 + 2 * x));
    assert_eq!(table("0..3", "boolean", "x = 1 | x = 2 & x = 3"), expected(0..=3, |x| i64::from(x == 1)));
    // `->` to the right, and weaker than `<->`.
    assert_eq!(table("0..3", "boolean", "x = 0 -> x = 1 -> x = 2"), expected(0..=3, |_| 1));
    assert_eq!(table("0..3", "boolean", "x = 1 -> x = 2 <-> FALSE"), expected(0..=3, |_| 1));
    assert_eq!(table("0..3", "boolean", "!(x = 1) & x in {1, 3}"), expected(0..=3, |x| i64::from(x == 3)));
    assert_eq!(table("0..3", "boolean", "x in 1..2 | x in {0} union {3}"), expected(0..=3, |_| 1));
    assert_eq!(
        table("0..3", "boolean", "{x, 1} in {1, 3}"),
        expected(0..=3, |x| i64::from(x == 1 || x == 3))
    );
    assert_eq!(table("0..3", "0..9", "x > 1 ? x : x = 0 ? 9 : 8"), vec![(0, 9), (1, 8), (2, 2), (3, 3)]);
    assert_eq!(table("0..3", "boolean", "x = 1 xor x < 2 xnor TRUE"), expected(0..=3, |x| i64::from(x == 0)));
}

#[test]
fn functions_of_integers() {
    assert_eq!(table("-3..3", "0..9", "abs(x) + max(x, 1) - min(x, 1)"), {
        expected(-3..=3, |x| x.abs() + x.max(1) - x.min(1))
    });
    assert_eq!(table("0..3", "0..3", "count(x = 1, x < 2, TRUE)"), vec![(0, 2), (1, 3), (2, 1), (3, 1)]);
    assert_eq!(table("boolean", "0..1", "toint(!x)"), vec![(0, 1), (1, 0)]);
    assert_eq!(table("0..3", "boolean", "bool(x)"), expected(0..=3, |x| i64::from(x != 0)));
}

fn signed(bits: i64, width: u32) -> i64 {
    let half = 1 << (width - 1);
    ((bits + half) & ((1 << width) - 1)) - half
}

#[test]
fn unsigned_words_wrap() {
    let w = |expr: &str, f: &dyn Fn(i64) -> i64| {
        assert_eq!(table("word[4]", "word[4]", expr), expected(0..=15, |x| f(x) & 15), "{expr}");
    };
    w("x + 0ud4_9", &|x| x + 9);
    w("0ud4_3 - x", &|x| 3 - x);
    w("x * x", &|x| x * x);
    w("x / 0ud4_3", &|x| x / 3);
    w("x mod 0h4_5", &|x| x % 5);
    w("-x", &|x| -x);
    w("!x", &|x| !x);
    w("x & 0b4_0110", &|x| x & 6);
    w("x | 0b4_0110", &|x| x | 6);
    w("x xor 0b4_0110", &|x| x ^ 6);
    w("x xnor 0b4_0110", &|x| !(x ^ 6));
    w("x -> 0b4_0110", &|x| !x | 6);
    w("x << 3", &|x| x << 3);
    w("x << 4", &|_| 0);
    w("x >> 2", &|x| x >> 2);
    w("x[2:1] :: x[3:2]", &|x| (x >> 1 & 3) << 2 | x >> 2);
    w("unsigned(signed(x))", &|x| x);
    w("extend(x[1:0], 2)", &|x| x & 3);
    w("resize(extend(x, 3), 4)", &|x| x);
    w("resize(x[2:0], 4)", &|x| x & 7);
    w("uwconst(sizeof(x), 4)", &|_| 4);
    assert_eq!(table("word[4]", "boolean", "x >= 0ud4_7 & bool(x[0:0])"), {
        expected(0..=15, |x| i64::from(x >= 7 && x & 1 == 1))
    });
    assert_eq!(table("word[4]", "0..15", "toint(x)"), expected(0..=15, |x| x));
    assert_eq!(table("boolean", "word[1]", "word1(!x)"), vec![(0, 1), (1, 0)]);
}

#[test]
fn signed_words_wrap_and_keep_their_sign() {
    let s = |expr: &str, f: &dyn Fn(i64) -> i64| {
        let expected = expected(-8..=7, |x| signed(f(x), 4));
        assert_eq!(table("signed word[4]", "signed word[4]", expr), expected, "{expr}");
    };
    s("x + 0sd4_5", &|x| x + 5);
    s("x * x", &|x| x * x);
    s("x / (-0sd4_1)", &|x| -x);
    s("x / 0sd4_2", &|x| x / 2);
    s("x mod 0sd4_3", &|x| x % 3);
    s("-x", &|x| -x);
    s("!x", &|x| !x);
    s("x << 1", &|x| x << 1);
    s("x >> 1", &|x| x >> 1);
    s("x >> 4", &|x| x >> 4);
    s("x xnor 0sb4_0110", &|x| !(x ^ 6));
    s("signed(x[3:0])", &|x| x);
    s("swconst(-3, 4)", &|_| -3);
    s("signed(unsigned(x) + 0ud4_1)", &|x| x + 1);
    // Narrowing keeps the sign and the low bits: 6 becomes 0, not -2.
    let narrow = |x: i64| if x < 0 { (x & 1) - 2 } else { x & 1 };
    assert_eq!(table("signed word[4]", "signed word[2]", "resize(x, 2)"), expected(-8..=7, narrow));
    assert_eq!(table("signed word[4]", "signed word[6]", "extend(x, 2)"), expected(-8..=7, |x| x));
    assert_eq!(
        table("signed word[4]", "unsigned word[7]", "x :: 0ud3_1"),
        expected(-8..=7, |x| (x & 15) << 3 | 1)
    );
}

#[test]
fn wide_words_do_not_overflow() {
    let relation = main(
        "VAR a : word[62]; b : signed word[62]; c : word[62];
         ASSIGN init(a) := 0h62_3fffffffffffffff; next(a) := a + a;
                init(b) := -0sd62_2305843009213693951; next(b) := b - 0sd62_2; c := a << 61;",
    );
    let (most, least) = ((1_i64 << 62) - 1, -(1_i64 << 61));
    assert_eq!(initial(&relation), [format!("a={most} b={} c={}", least + 1, 1_i64 << 61)]);
    let kernel = beeline_check::RelationKernel::new(&relation);
    let steps = kernel.successors(&[most, least + 1, 1 << 61]).expect("a step");
    assert_eq!(steps.len(), 1);
    assert_eq!(steps[0].state, [most - 1, -least - 1, 0]);
}

#[test]
fn shifts_by_variables_stay_inside() {
    let relation = main("VAR k : 0..4; y : word[4]; ASSIGN y := 0ud4_3 << k;");
    assert_eq!(initial(&relation), ["k=0 y=3", "k=1 y=6", "k=2 y=12", "k=3 y=8", "k=4 y=0"]);
}

#[test]
fn symbols_of_different_types_meet() {
    // The types number their symbols differently.
    let relation = main(
        "VAR x : {a, b, c}; y : {c, d, a};
         ASSIGN init(x) := {a, c}; init(y) := x = b ? d : x; next(y) := y; next(x) := y = d ? b : y;",
    );
    assert_eq!(initial(&relation), ["x=a y=a", "x=c y=c"]);
    assert_eq!(after(&relation, "x=a y=c"), ["x=c y=c"]);
    assert_eq!(after(&relation, "x=a y=d"), ["x=b y=d"]);
    let relation = main("VAR x : {a, b, c}; y : {c, d, a}; INVAR x = y;");
    assert_eq!(initial(&relation), ["x=a y=a", "x=c y=c"]);
    assert_eq!(after(&relation, "x=a y=a"), ["x=a y=a", "x=c y=c"]);
}

#[test]
fn integers_and_symbols_in_one_type() {
    let relation = main("VAR x : {none, 1, 4}; y : 0..4; INVAR x = y | x = none & y = 0;");
    assert_eq!(initial(&relation), ["x=none y=0", "x=1 y=1", "x=4 y=4"]);
    let relation = main("VAR x : {4, 1, 9}; y : 0..10; ASSIGN y := x + 1;");
    assert_eq!(initial(&relation), ["x=4 y=5", "x=1 y=2", "x=9 y=10"]);
    let relation = main("VAR x : {1, 2, 0}; y : 0..2; ASSIGN y := x;");
    assert_eq!(initial(&relation), ["x=0 y=0", "x=1 y=1", "x=2 y=2"]);
    let relation =
        main("VAR b : boolean; y : {0, 1, idle}; DEFINE d := case b : 1; TRUE : idle; esac; ASSIGN y := d;");
    assert_eq!(initial(&relation), ["b=FALSE y=idle", "b=TRUE y=1"]);
}

#[test]
fn arrays_are_indexed_by_expressions() {
    let relation = main(
        "VAR i : 0..1; a : array 1..2 of array 0..1 of boolean;
         ASSIGN a[1][0] := TRUE; a[1][1] := FALSE; a[2][0] := i = 0; a[2][1] := !a[1][1];
         INVAR a[i + 1][i];",
    );
    // i = 0: a[1][0] is true; i = 1: a[2][1] is true.
    assert_eq!(initial(&relation).len(), 2);
    let relation = main("VAR i : 0..2; y : 0..9; DEFINE d := [[1, 2], [3, 4], [5, 6]]; ASSIGN y := d[i][1];");
    assert_eq!(initial(&relation), ["i=0 y=2", "i=1 y=4", "i=2 y=6"]);
    // The index is read in the next state, too.
    let relation = main(
        "VAR i : 0..1; a : array 0..1 of boolean; ASSIGN a[0] := FALSE; a[1] := TRUE; next(i) := {0, 1};
         TRANS next(a[i]);",
    );
    assert_eq!(after(&relation, "i=0 a[0]=FALSE a[1]=TRUE"), ["i=1 a[0]=FALSE a[1]=TRUE"]);
}

#[test]
fn cases_may_be_long() {
    let branches: String = (0..500).map(|i| format!("x = {i} : {};", (i * 7) % 500)).collect();
    let relation = main(&format!("VAR x : 0..499; ASSIGN init(x) := 3; next(x) := case {branches} esac;"));
    assert_eq!(after(&relation, "x=123"), [format!("x={}", (123 * 7) % 500)]);
    let branches: String = (0..499).map(|i| format!("x = {i} : {{{i}, {}}};", i + 1)).collect();
    let relation = main(&format!("VAR x : 0..499; ASSIGN next(x) := case {branches} TRUE : 0; esac;"));
    assert_eq!(after(&relation, "x=77"), ["x=77", "x=78"]);
    assert_eq!(after(&relation, "x=499"), ["x=0"]);
}

#[test]
fn names_hold_minus_signs() {
    let relation = read(
        "MODULE main VAR x-1 : 0..3; x : 0..3; ASSIGN x-1 := case x > 0 : x - 1; TRUE : 3; esac; init(x) := 2;",
    );
    assert_eq!(initial(&relation), ["x-1=1 x=2"]);
}
