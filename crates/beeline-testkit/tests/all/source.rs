//! Models printed as UPPAAL source text.

use beeline_ir::Model;
use beeline_ir::network::Network;
use beeline_ir::text::{ReadOptions, read};
use beeline_testkit::generate::{Profile, Shape, generate};
use beeline_testkit::harness::source;
use beeline_testkit::source::{Form, print};

#[test]
fn every_model_of_the_profile_can_be_printed() {
    let shape = Shape::new(Profile::Uppaal);
    for seed in 0..500 {
        let network = generate(&shape, seed);
        let source = print(&network, true, seed).unwrap_or_else(|| panic!("seed {seed} is not printed"));
        assert!(!source.model.contains("unprintable"), "seed {seed}:\n{}", source.model);
        assert_eq!(print(&network, true, seed), Some(source));
    }
}

#[test]
fn the_surface_varies() {
    let wanted = [
        // templates: explicit, partial and automatic instances, parameters by value and by reference
        "P0 = Tpl0(",
        "Half_P",
        "Q0(const ",
        "(const int[0,1] id)",
        "clock &x_",
        "chan &c_",
        " &v_",
        "const int k0",
        // declarations
        "typedef int[",
        "typedef struct {",
        "const int K",
        "const OLD 1;",
        "record0.",
        "group0[",
        "tick[",
        "bool ",
        "chan priority ",
        "urgent broadcast chan ",
        "[int[0,1]]",
        // statements and functions
        " := ",
        " += ",
        "++",
        "do {",
        "for (;",
        "else ",
        "&place",
        "update0(",
        "guard0(",
        // expressions
        " and ",
        " && ",
        " or ",
        " || ",
        " imply ",
        "not ",
        "!",
        "forall (",
        "exists (",
        "sum (",
        " <? ",
        " ? ",
        "=<",
        "forall (who : ",
        " : true",
        // files
        "<![CDATA[",
        "&lt;",
        "&#60;",
        "&#x3C;",
        "<instantiation>",
        "<!DOCTYPE",
        "<committed/>",
        "commit ",
        "// ",
        "/* ",
    ];
    let shape = Shape::new(Profile::Uppaal);
    let mut left = wanted.to_vec();
    let mut forms = Vec::new();
    for seed in 0..3_000 {
        let network = generate(&shape, seed);
        let Some(source) = print(&network, false, seed) else { continue };
        left.retain(|word| !source.model.contains(word) && !source.queries.contains(word));
        forms.push(source.form);
    }
    assert!(left.is_empty(), "never written: {left:?}");
    assert!(forms.contains(&Form::Xml) && forms.contains(&Form::Xta));
}

/// Prints and reads the model in many ways.
fn agrees(text: &str) {
    let model = read(text, ReadOptions { file: "model", record_places: false }).expect("well-formed");
    let Model::Network(network) = model else { panic!("a network") };
    for seed in 0..40 {
        let tally = source::check(&Network::clone(&network), seed, 3_000);
        assert!(tally.as_ref().is_ok_and(|t| !t.skipped), "seed {seed}: {tally:?}");
    }
}

/// The call of a function without effects was dropped from an update, and its run-time error with it. Found by seed
/// 313.
#[test]
fn a_call_that_does_nothing_may_fail() {
    agrees(
        "network n
         process P { init a location a location b
           edge a -> b { local t[2] in 1..3 do { t[0] := 0; } } }
         property : E<> P.b",
    );
}

/// Where 0 is out of its range, a variable starts at the lower end of it.
#[test]
fn a_variable_without_zero_starts_at_its_least_value() {
    agrees(
        "network n
         var low in -2..-1 = -1
         var high in 1..2 = 2
         var least in -2..-1 = -2
         process P { init a location a location b edge a -> b { guard low == -1 && high == 2 && least == -2 } }
         property : E<> P.b",
    );
}
