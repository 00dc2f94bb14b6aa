//! Specifications: which are questions about reachability, what they ask, and what is said about the others.

use crate::support;

use beeline_ir::property::PropertyKind;
use beeline_ir::relation::Relation;
use support::{distance, main, read, refusal};

/// A counter up to 3 that stops there or goes on, with something beside it that is free.
const COUNTER: &str = "MODULE main VAR x : 0..3; free : boolean; IVAR i : boolean;
    ASSIGN init(x) := 0; next(x) := x < 3 ? x + 1 : {0, 3};";

fn with(spec: &str) -> Relation {
    read(&format!("{COUNTER} {spec}"))
}

/// The length of the shortest run to the target of the only property.
fn length(spec: &str) -> Option<usize> {
    let relation = with(spec);
    assert_eq!(refusal(&relation.properties[0]), None, "{spec}");
    distance(&relation, &relation.properties[0])
}

fn is_exists(spec: &str) -> bool {
    matches!(with(spec).properties[0].kind, PropertyKind::Exists(_))
}

#[test]
fn all_states() {
    for spec in [
        "INVARSPEC x < 2",
        "SPEC AG x < 2",
        "CTLSPEC AG (x < 2);",
        "LTLSPEC G x < 2",
        "SPEC !EF x >= 2",
        "SPEC !(EF !(x < 2))",
        "LTLSPEC !F x >= 2",
        "LTLSPEC !(F !(x < 2))",
        "SPEC AG x < 3 & AG x < 2",
        "SPEC AG (x < 3 & AG x < 2)",
        "SPEC AG AG x < 2",
        "SPEC !(EF x = 3 | EF x = 2)",
        "SPEC !(!AG x < 2)",
        "SPEC !(AG x < 2 -> EF x = 3)",
        "LTLSPEC G (x < 3 -> x < 2)",
    ] {
        assert_eq!(length(spec), Some(2), "{spec}");
        assert!(!is_exists(spec), "{spec}");
    }
    assert_eq!(length("SPEC AG x < 4"), None);
}

#[test]
fn some_state() {
    for spec in [
        "SPEC EF x = 3",
        "SPEC !AG x < 3",
        "SPEC EF x = 3 | EF x = 7",
        "SPEC EF EF x = 3",
        "SPEC AG x < 3 -> EF x = 3",
    ] {
        assert_eq!(length(spec), Some(3), "{spec}");
        assert!(is_exists(spec), "{spec}");
    }
}

#[test]
fn deadlock() {
    let relation = main(
        "VAR x : 0..3; ASSIGN init(x) := 0; TRANS next(x) = x + 1; SPEC AG EX TRUE; SPEC AG (EX TRUE | x = 3); SPEC EF AX FALSE; SPEC AG !AX FALSE",
    );
    let lengths: Vec<Option<usize>> = relation.properties.iter().map(|p| distance(&relation, p)).collect();
    assert_eq!(lengths, [Some(3), None, Some(3), Some(3)]);
}

/// `EF p` is asked of every initial state: it is answered only where they are alike.
#[test]
fn some_state_from_every_initial_state() {
    let reason =
        |spec: &str| refusal(&with(spec).properties[0]).map(|(malformed, r)| (malformed, r.to_string()));
    assert!(reason("SPEC EF free").is_some_and(|(malformed, r)| !malformed && r.contains("initial state")));
    assert_eq!(reason("SPEC EF x = 2"), None);
    // What restricts the initial states counts, too.
    let relation =
        main("VAR x : 0..3; b : boolean; ASSIGN next(x) := x; INIT x = 2; SPEC EF x = 3; SPEC EF b");
    assert_eq!((refusal(&relation.properties[0]), refusal(&relation.properties[1]).is_some()), (None, true));
    let relation =
        main("VAR x : 0..3; b : boolean; ASSIGN init(x) := 0; TRANS b -> next(x) = x; SPEC EF x = 3");
    assert!(refusal(&relation.properties[0]).is_some());
}

#[test]
fn others_are_refused_one_by_one() {
    let relation = with(
        "SPEC AG AF x = 3; SPEC AG (x = 1 -> AX x = 2); SPEC A [x < 3 U x = 3]; SPEC E [x < 3 U x = 3]; SPEC x = 0;
         LTLSPEC F x = 3; LTLSPEC G F x = 3; LTLSPEC x < 3 U x = 3; LTLSPEC i; INVARSPEC i; INVARSPEC next(x) > x;
         PSLSPEC always x < 2; COMPUTE MIN [x = 0, x = 3]; SPEC AG EF x = 0; SPEC AG x < 3 | AG x > 1;
         SPEC x = 0 & AG x < 4; SPEC ABF 0..3 x = 2; LTLSPEC G [0, 3] x < 4; LTLSPEC O x = 0;
         INVARSPEC x < 2",
    );
    let refused: Vec<bool> = relation.properties.iter().map(|p| refusal(p).is_some()).collect();
    let mut expected = vec![true; 19];
    expected.push(false);
    assert_eq!(refused, expected);
    assert!(relation.properties.iter().filter_map(refusal).all(|(malformed, _)| !malformed));
    assert!(relation.properties.iter().all(|p| p.origin.is_some() && p.text.is_some()));
    assert!(refusal(&relation.properties[11]).is_some_and(|(_, reason)| reason.contains("PSLSPEC")));
    assert!(refusal(&relation.properties[12]).is_some_and(|(_, reason)| reason.contains("COMPUTE")));
}

#[test]
fn mistakes_in_one_do_not_hide_the_others() {
    let relation = with("\nSPEC AG y = 3;\nINVARSPEC x = TRUE;\nINVARSPEC 3 / x = 1;\nSPEC AG x < 2");
    let malformed: Vec<Option<bool>> = relation.properties.iter().map(|p| refusal(p).map(|r| r.0)).collect();
    assert_eq!(malformed, [Some(true), Some(true), Some(true), None]);
    assert_eq!(refusal(&relation.properties[0]), Some((true, "`y` is not declared (line 3, column 9)")));
}

#[test]
fn instances_have_their_own() {
    let relation = read(
        "MODULE main VAR a : m(1); b : m(2); SPEC AG x < 2 IN a; INVARSPEC NAME top := a.x = 0
         MODULE m(n) VAR x : 0..2; ASSIGN init(x) := 0; next(x) := n; SPEC NAME p := AG x != 1",
    );
    let shown: Vec<(Option<&str>, Option<&str>)> =
        relation.properties.iter().map(|p| (p.name.as_deref(), p.text.as_deref())).collect();
    assert_eq!(
        shown,
        [
            (None, Some("SPEC AG x < 2 IN a")),
            (Some("top"), Some("INVARSPEC a.x = 0")),
            (Some("a.p"), Some("SPEC AG x != 1 IN a")),
            (Some("b.p"), Some("SPEC AG x != 1 IN b")),
        ]
    );
    let lengths: Vec<Option<usize>> = relation.properties.iter().map(|p| distance(&relation, p)).collect();
    assert_eq!(lengths, [None, Some(1), Some(1), None]);
}

#[test]
fn fairness_is_noted_where_it_counts() {
    let notes = |spec: &str| {
        let text = format!("{COUNTER} FAIRNESS x = 0; COMPASSION(x = 1, x = 2) {spec}");
        beeline_smv::read(&text, "test.smv")
            .expect("a model")
            .notes
            .iter()
            .map(|n| n.code)
            .collect::<Vec<_>>()
    };
    assert_eq!(notes("INVARSPEC x < 2"), Vec::<&str>::new());
    assert_eq!(notes("SPEC AG x < 2"), ["W0802"]);
    assert_eq!(notes("LTLSPEC G x < 2"), ["W0802"]);
    assert_eq!(notes("SPEC AG AF x < 2"), Vec::<&str>::new());
}

#[test]
fn what_never_holds_is_pointed_out() {
    let notes = |body: &str| {
        let reading = beeline_smv::read(&format!("{COUNTER} {body}"), "test.smv").expect("a model");
        reading.notes.iter().map(|n| n.code).collect::<Vec<_>>()
    };
    assert_eq!(notes("INIT FALSE & free; TRANS 1 > 2; INVAR red = blue; CONSTANTS red, blue;"), ["W0803"; 3]);
    assert_eq!(notes("INIT TRUE"), Vec::<&str>::new());
}

#[test]
fn more_can_be_asked() {
    let reading = beeline_smv::read(COUNTER, "test.smv").expect("a model");
    for (text, expected) in [
        ("AG x < 2", Some(2)),
        ("INVARSPEC x < 1", Some(1)),
        ("LTLSPEC G x < 4", None),
        ("SPEC EF x = 3;", Some(3)),
    ] {
        let property = reading.symbols.specification(text).expect("a property");
        assert_eq!(distance(&reading.relation, &property), expected, "{text}");
    }
    let all = reading.symbols.specifications("SPEC AG x < 2; INVARSPEC NAME low := x < 1\nLTLSPEC F x = 3");
    let all = all.expect("properties");
    let named: Vec<Option<&str>> = all.iter().map(|p| p.name.as_deref()).collect();
    assert_eq!(named, [None, Some("low"), None]);
    assert_eq!(distance(&reading.relation, &all[1]), Some(1));
    assert!(refusal(&all[2]).is_some_and(|(malformed, _)| !malformed));
    for (text, count) in [("SPEC AG y; x = 1; SPEC AG", 3), ("AG x", 1), ("SPEC AG x < 1; )", 1)] {
        let wrong = reading.symbols.specifications(text).expect_err(text);
        assert_eq!(wrong.len(), count, "{text}: {wrong:?}");
    }
    for (text, code) in
        [("AG y", "E0810"), ("AG x", "E0822"), ("AG x < 2 )", "E0806"), ("", "E0806"), ("AF x = 1", "U0810")]
    {
        let wrong = reading.symbols.specification(text).expect_err(text);
        assert_eq!(wrong[0].code, code, "{text}");
    }
}
