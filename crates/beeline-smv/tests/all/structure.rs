//! Assignments, constraints, instances and processes: initial states and steps against sets computed by hand.

use crate::support;

use beeline_ir::relation::RelationRole;
use support::{after, initial, main, read};

#[test]
fn what_is_not_assigned_is_free() {
    let relation = main("VAR x : 0..1; y : boolean; ASSIGN init(x) := 0; next(x) := 1 - x;");
    assert_eq!(initial(&relation), ["x=0 y=FALSE", "x=0 y=TRUE"]);
    assert_eq!(after(&relation, "x=0 y=TRUE"), ["x=1 y=FALSE", "x=1 y=TRUE"]);
}

#[test]
fn sets_are_choices() {
    let relation = main(
        "VAR x : 0..9; ASSIGN init(x) := 2..4; next(x) := case x = 3 : {1, 5..6} union 9; TRUE : x; esac;",
    );
    assert_eq!(initial(&relation), ["x=2", "x=3", "x=4"]);
    assert_eq!(after(&relation, "x=3"), ["x=1", "x=5", "x=6", "x=9"]);
    assert_eq!(after(&relation, "x=4"), ["x=4"]);
    // A set may come through a definition, and next to a value.
    let relation = main("VAR x : 0..3; b : boolean; DEFINE d := b ? {1, 2} : 3; ASSIGN x := d; b := TRUE;");
    assert_eq!(initial(&relation), ["x=1 b=TRUE", "x=2 b=TRUE"]);
    // Choices stay apart from constraints.
    assert!(relation.trans.is_empty() && relation.invar.is_empty());
}

#[test]
fn a_current_assignment_holds_always() {
    let relation = main("VAR x : 0..2; y : 0..4; ASSIGN init(x) := 0; next(x) := {1, 2}; y := 2 * x;");
    assert_eq!(initial(&relation), ["x=0 y=0"]);
    assert_eq!(after(&relation, "x=0 y=0"), ["x=1 y=2", "x=2 y=4"]);
}

#[test]
fn constraints_hold_where_they_say() {
    let relation = main("VAR x : 0..3; INIT x > 0; INVAR x != 2; TRANS next(x) >= x & next(x) <= x + 2;");
    assert_eq!(initial(&relation), ["x=1", "x=3"]);
    assert_eq!(after(&relation, "x=0"), ["x=0", "x=1"]);
    assert_eq!(after(&relation, "x=1"), ["x=1", "x=3"]);
    assert_eq!(relation.trans.len(), 2, "a conjunction is several constraints");
}

/// As in NuSMV, a part without value does not matter where another part decides.
#[test]
fn what_has_no_value_is_decided_by_the_rest() {
    assert_eq!(initial(&main("VAR x : 0..3; INIT 3 / x > 1 & x != 0")), ["x=1"]);
    assert_eq!(initial(&main("VAR x : 0..3; INIT 3 / x > 1 | x = 0")), ["x=0", "x=1"]);
    assert_eq!(initial(&main("VAR x : 0..3; INVAR 3 / x > 1 -> x = 0; INVAR x < 2")), ["x=0"]);
}

#[test]
fn inputs_and_frozen_variables() {
    let relation = main(
        "IVAR go : boolean; FROZENVAR f : 1..2; VAR x : 0..9;
         ASSIGN init(x) := 0; next(x) := go & x + f < 10 ? x + f : x;",
    );
    assert_eq!(initial(&relation), ["f=1 x=0", "f=2 x=0"]);
    assert_eq!(after(&relation, "f=2 x=3"), ["f=2 x=3", "f=2 x=5"]);
}

#[test]
fn parameters_are_references() {
    let relation = read(
        "MODULE main VAR a : boolean; c : m(a, !c.b, self); ASSIGN init(a) := FALSE;
         MODULE m(p, q, up) VAR b : boolean; ASSIGN init(b) := TRUE; next(b) := q; next(p) := up.a xor b;",
    );
    assert_eq!(initial(&relation), ["a=FALSE c.b=TRUE"]);
    assert_eq!(after(&relation, "a=FALSE c.b=TRUE"), ["a=TRUE c.b=FALSE"]);
    assert_eq!(after(&relation, "a=TRUE c.b=FALSE"), ["a=TRUE c.b=TRUE"]);
}

#[test]
fn definitions_may_be_put_into_other_instances() {
    let relation = read(
        "MODULE main VAR l : cell(r); r : cell(l);
         MODULE cell(other) VAR x : boolean; ASSIGN init(x) := FALSE; next(x) := get; DEFINE other.get := !x;",
    );
    assert_eq!(after(&relation, "l.x=FALSE r.x=TRUE"), ["l.x=FALSE r.x=TRUE"]);
    assert_eq!(after(&relation, "l.x=FALSE r.x=FALSE"), ["l.x=TRUE r.x=TRUE"]);
}

#[test]
fn isa_includes_another_module() {
    let relation = read(
        "MODULE main VAR d : device; MODULE device ISA base DEFINE limit := 2;
         MODULE base VAR n : 0..2; ASSIGN init(n) := 0; next(n) := n < limit ? n + 1 : 0;",
    );
    assert_eq!(after(&relation, "d.n=2"), ["d.n=0"]);
}

#[test]
fn arrays_may_be_parameters() {
    let relation = read(
        "MODULE main VAR a : array 0..1 of 0..3; m : inc(a[1]); ASSIGN init(a[0]) := 0; init(a[1]) := 1; next(a[0]) := a[0];
         MODULE inc(x) ASSIGN next(x) := x < 3 ? x + 1 : 0;",
    );
    assert_eq!(after(&relation, "a[0]=0 a[1]=1"), ["a[0]=0 a[1]=2"]);
}

/// One process takes a step; what the others assign stays. What nobody assigns is free.
#[test]
fn processes_interleave() {
    let relation = read(
        "MODULE main VAR s : 0..3; p : process add(s, 1); q : process add(s, 2); free : boolean;
         ASSIGN init(s) := 0;
         MODULE add(s, n) VAR c : sub; ASSIGN next(s) := s + n > 3 ? 0 : s + n;
         MODULE sub VAR on : boolean; ASSIGN init(on) := FALSE; next(on) := !on;",
    );
    let selector = relation.vars.iter().find(|v| v.role == RelationRole::Input).expect("an input");
    assert_eq!((selector.name.as_str(), selector.range.size()), ("_process_selector_", 3));
    let start = "s=1 p.c.on=FALSE q.c.on=FALSE free=FALSE";
    let expected = [
        // main itself takes the step
        "s=1 p.c.on=FALSE q.c.on=FALSE free=FALSE",
        "s=1 p.c.on=FALSE q.c.on=FALSE free=TRUE",
        "s=2 p.c.on=TRUE q.c.on=FALSE free=FALSE",
        "s=2 p.c.on=TRUE q.c.on=FALSE free=TRUE",
        "s=3 p.c.on=FALSE q.c.on=TRUE free=FALSE",
        "s=3 p.c.on=FALSE q.c.on=TRUE free=TRUE",
    ];
    assert_eq!(after(&relation, start), expected);
}

#[test]
fn running_says_whose_step_it_is() {
    let relation = read(
        "MODULE main VAR last : {none, p, m}; p1 : process m; ASSIGN init(last) := none;
         TRANS next(last) = (p1.running ? p : m);
         MODULE m VAR x : boolean; ASSIGN init(x) := FALSE; next(x) := TRUE; TRANS running | next(x) = x;",
    );
    assert_eq!(after(&relation, "last=none p1.x=FALSE"), ["last=p p1.x=TRUE", "last=m p1.x=FALSE"]);
}

#[test]
fn next_of_an_expression_is_about_the_next_state() {
    let relation = main("VAR x : 0..3; DEFINE big := x > 1; TRANS next(big) != big; ");
    assert_eq!(after(&relation, "x=0"), ["x=2", "x=3"]);
    let relation = main("VAR x : 0..2; y : 0..2; ASSIGN next(x) := x < 2 ? x + 1 : 0; next(y) := next(x);");
    assert_eq!(after(&relation, "x=1 y=0"), ["x=2 y=2"]);
}

#[test]
fn the_text_form_reads_back_equal() {
    let relation = read(
        "MODULE main VAR w : signed word[8]; e : {a-1, 3, c}; p : process m(e); IVAR i : boolean;
         INVARSPEC NAME ok := w != 0sd8_1; SPEC AG EX TRUE; LTLSPEC F TRUE
         MODULE m(e) ASSIGN next(e) := {3, c};",
    );
    let model = beeline_ir::Model::Relation(relation);
    let text = beeline_ir::text::print(&model);
    let options = beeline_ir::text::ReadOptions { file: "test", record_places: false };
    assert_eq!(beeline_ir::text::read(&text, options).expect("a model"), model);
}
