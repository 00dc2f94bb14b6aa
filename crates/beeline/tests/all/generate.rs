//! The benchmark families: what they promise holds, and wrong wishes are answered with a hint.

use crate::common;

use beeline::options::OPTIONS;
use beeline_families::{Answer, FAMILIES, Format, Instance, find};
use common::{beeline, directory};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// Writes a model with what belongs to it and gives its path.
fn generate(dir: &Path, args: &[&str]) -> String {
    let promela = find(args[0]).expect("a family").formats() == [Format::Promela];
    let (ending, beside) = if promela { ("pml", "maps of domains") } else { ("xta", "queries") };
    let path = dir.join(format!("{}.{ending}", args.join("-"))).display().to_string();
    let run = beeline(["generate"].iter().chain(args).chain(&["-o", &path])).exits(0);
    assert!(run.out.is_empty() && run.err.starts_with(&format!("note: the {beside} are in ")), "{run:?}");
    path
}

/// A model that the command line and the library agree upon: its path and its description.
fn both(dir: &Path, words: &str) -> (String, Instance) {
    let args: Vec<&str> = words.split(' ').collect();
    let family = find(args[0]).expect("a family");
    let after = |option: &str| args.iter().position(|arg| *arg == option).map(|at| args[at + 1]);
    let given = family.parameters.iter().filter_map(|p| Some((p.name, after(&format!("--{}", p.name))?)));
    let given: Vec<(&str, u32)> =
        given.map(|(name, value)| (name, value.parse().expect("a number"))).collect();
    let instance = match after("--variant") {
        Some(variant) => family.variant(variant, &given),
        None => family.instance(&given),
    };
    let instance = match args.last() {
        Some(&"--faulty") => instance.and_then(Instance::faulty),
        Some(&"--correct") => instance.and_then(Instance::correct),
        _ => instance,
    };
    let (path, instance) = (generate(dir, &args), instance.expect("such a model"));
    assert_eq!(std::fs::read_to_string(&path).expect("the model"), instance.model());
    (path, instance)
}

/// The answers are those that the family knows.
fn assert_known(words: &str, json: &serde_json::Value, instance: &Instance, certified: bool) {
    let results = json["results"].as_array().expect("results");
    assert_eq!(results.len(), instance.queries().len(), "{words}");
    for (result, query) in results.iter().zip(instance.queries()) {
        let (verdict, length) = match query.answer {
            Answer::Holds => ("holds", None),
            Answer::Violated { length } => ("violated", length),
            Answer::Reached { length } => ("holds", Some(length)),
        };
        assert_eq!(result["verdict"], verdict, "{words} {result}");
        assert_eq!(result["trace"]["length"].as_u64(), length.map(u64::from), "{words} {result}");
        assert_eq!(result["certificate"] == "kernel", certified, "{words} {result}");
    }
}

#[test]
fn known_answers_are_what_the_checker_finds() {
    let dir = directory("known-answers");
    for words in [
        "aircon --n 1",
        "aircon --n 1 --correct",
        "arbiter-tree --n 2",
        "arbiter-tree --n 2 --faulty",
        "critical-region --n 1",
        "critical-region --n 3",
        "critical-region --n 2 --t 1",
        "csmacd --n 2",
        "csmacd --n 2 --faulty",
        "csmacd --n 3 --lambda 1 --sigma 1",
        "csmacd --n 3 --lambda 30 --sigma 40",
        "csmacd --n 3 --lambda 1 --sigma 1 --faulty",
        "csmacd --n 3 --lambda 79 --sigma 40 --faulty",
        "csmacd --n 3 --lambda 80 --sigma 40 --faulty",
        "csmacd --n 4",
        "csmacd --n 4 --faulty",
        "dme --n 2",
        "dme --n 2 --faulty",
        "dme --n 3 --faulty",
        "fddi --n 2",
        "fddi --n 2 --sa 50",
        "fddi --n 3 --sa 1",
        "fddi --n 3 --faulty",
        "fischer --n 1",
        "fischer --n 3",
        "fischer --n 4 --k 1",
        "fischer --n 1 --faulty",
        "fischer --n 2 --faulty",
        "fischer --n 4 --k 1 --faulty",
        "fischer --variant fa --n 2",
        "fischer --variant fa --n 3 --k 1",
        "fischer --variant fa --n 3 --correct",
        "fischer --variant fb --n 3",
        "fischer --variant fb --n 3 --correct",
        "line-segment --size 1",
        "line-segment --variant c --size 1 --correct",
        "mutex --size 1",
        "mutex --variant m --size 1 --correct",
        "mutex --variant n --size 1",
        "train-gate --n 1",
        "train-gate --n 2",
        "train-gate --n 4",
        "tree-arbiter --n 1",
        "tree-arbiter --n 3",
        "tree-arbiter --n 1 --faulty",
        "tree-arbiter --n 2 --faulty",
        "tree-arbiter --n 3 --faulty",
        "tree-arbiter --n 4 --faulty",
    ] {
        let (path, instance) = both(&dir, words);
        let json = beeline(["check", &path, "--json", "--certify", "always"]).json();
        assert_known(words, &json, &instance, true);
    }
}

/// Proofs of these would take longer, and show nothing that those of the smaller ones do not.
#[test]
fn known_answers_of_larger_models() {
    let dir = directory("known-answers-larger");
    for words in [
        "aircon --n 2",
        "aircon --n 2 --correct",
        "aircon --n 3",
        "arbiter-tree --n 3",
        "arbiter-tree --n 3 --faulty",
        "line-segment --size 3 --correct",
        "line-segment --variant d --size 1",
        "line-segment --variant d --size 3",
        "mutex --size 2",
        "mutex --size 3",
        "mutex --size 2 --correct",
        "mutex --variant n --size 2",
        "mutex --variant n --size 3",
        "mutex --variant n --size 3 --correct",
    ] {
        let (path, instance) = both(&dir, words);
        let json = beeline(["check", &path, "--json", "--certify", "never"]).json();
        assert_known(words, &json, &instance, false);
    }
}

/// The two forms of a circuit were written by themselves, and are checked by different engines: states with explicit
/// search, sets of states with diagrams. NuSMV, where it is installed, is asked as well.
#[test]
fn both_forms_of_a_circuit_have_the_same_answers() {
    let dir = directory("circuits");
    for words in [
        "dme --n 2",
        "dme --n 2 --faulty",
        "dme --n 3",
        "dme --n 4 --faulty",
        "tree-arbiter --n 1",
        "tree-arbiter --n 1 --faulty",
        "tree-arbiter --n 2",
        "tree-arbiter --n 2 --faulty",
        "tree-arbiter --n 4",
        "tree-arbiter --n 4 --faulty",
        "tree-arbiter --n 6 --faulty",
        "tree-arbiter --n 7 --faulty",
    ] {
        let (_, instance) = both(&dir, words);
        let args: Vec<&str> = words.split(' ').collect();
        let path = dir.join("circuit.smv").display().to_string();
        let run = beeline(["generate"].iter().chain(&args).chain(&["-o", &path])).exits(0);
        assert!(run.err.is_empty(), "{run:?}");
        let smv = std::fs::read_to_string(&path).expect("the model");
        assert_eq!(Some(&smv), instance.text(Format::Smv).as_ref());
        assert_eq!(beeline(["generate"].iter().chain(&args)).exits(0).out, smv, "the usual form");
        let json = beeline(["check", &path, "--json", "--certify", "never"]).json();
        assert_known(words, &json, &instance, false);
        let length = json["results"][0]["trace"]["length"].as_u64();
        if let Some(theirs) = nusmv(&path) {
            assert_eq!(theirs, length, "{words}");
        }
    }
}

/// Steps of NuSMV's counterexample, if there is one; `None` if it is not installed.
#[allow(clippy::print_stdout, reason = "a test that is skipped says so")]
fn nusmv(path: &str) -> Option<Option<u64>> {
    let Ok(output) = Command::new("NuSMV").args(["-dcx", path]).output() else {
        println!("skipped: NuSMV is not on the path");
        return None;
    };
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains("-- invariant"), "{said}");
    if said.contains("is true") {
        return Some(None);
    }
    let output = Command::new("NuSMV").arg(path).output().expect("it is there");
    let states = String::from_utf8_lossy(&output.stdout).matches("-> State: ").count() as u64;
    Some(Some(states - 1))
}

/// States that breadth-first search explores, as printed in Table 1 of Kupferschmid and Wehrle, TACAS 2011.
#[test]
fn line_segments_are_as_hard_as_those_of_the_paper() {
    let dir = directory("explored");
    for (size, explored) in (1..).zip([21_008_u64, 55_544, 74_791, 553_265]) {
        let words = format!("line-segment --variant c --size {size}");
        let (path, instance) = both(&dir, &words);
        let json = beeline(["check", &path, "--json", "--search", "bfs", "--certify", "never"]).json();
        assert_known(&words, &json, &instance, false);
        let expanded = json["results"][0]["stats"]["expanded"].as_u64().unwrap();
        assert!(expanded.abs_diff(explored) <= explored / 5, "{words}: {expanded}");
    }
}

/// Automata, variables and safe variables, of each size from the first one on.
type Counts = &'static [(u64, u64, u64)];

/// As printed in Tables 1 and 2 of Wehrle and Helmert, SAS 2009 (those of arbiter trees: automata only).
const COUNTS: &[(&str, u64, Counts)] = &[
    ("arbiter-tree --n", 2, &[(8, 0, 0), (16, 0, 0), (32, 0, 0), (64, 0, 0), (128, 0, 0)]),
    ("fischer --variant fa --n", 5, &[(6, 6, 0)]),
    ("fischer --variant fa --n", 15, &[(16, 16, 0)]),
    ("fischer --variant fb --n", 5, &[(5, 6, 0)]),
    ("fischer --variant fb --n", 15, &[(15, 16, 0)]),
    (
        "line-segment --variant c --size",
        1,
        &[
            (5, 15, 0),
            (6, 17, 1),
            (6, 18, 1),
            (7, 20, 2),
            (8, 22, 3),
            (9, 24, 4),
            (10, 26, 5),
            (10, 27, 5),
            (10, 28, 5),
        ],
    ),
    ("mutex --variant m --size", 1, &[(3, 15, 0), (4, 17, 1), (4, 17, 1), (5, 19, 2)]),
    ("mutex --variant n --size", 1, &[(3, 18, 0), (4, 20, 0), (4, 20, 0), (5, 22, 0)]),
];

/// Of these the paper says only between which numbers they lie.
const MORE_COUNTS: &[(&str, u64, Counts)] = &[
    (
        "line-segment --variant d --size",
        1,
        &[
            (7, 29, 0),
            (7, 30, 0),
            (7, 31, 0),
            (8, 33, 1),
            (10, 45, 1),
            (10, 47, 1),
            (11, 49, 2),
            (12, 51, 3),
            (13, 53, 4),
        ],
    ),
    (
        "line-segment --variant e --size",
        1,
        &[
            (9, 44, 0),
            (9, 45, 0),
            (10, 46, 1),
            (10, 47, 1),
            (11, 48, 2),
            (11, 49, 2),
            (12, 50, 3),
            (12, 51, 3),
            (13, 53, 4),
        ],
    ),
];

#[test]
fn models_are_as_large_as_those_of_the_paper() {
    let dir = directory("counts");
    for (words, first, counts) in COUNTS.iter().chain(MORE_COUNTS) {
        for (size, (automata, variables, safe)) in (*first..).zip(*counts) {
            let words = format!("{words} {size}");
            let (path, _) = both(&dir, &words);
            let info = beeline(["info", &path, "--json"]).exits(0).json()["info"].clone();
            let count = |what: &str| info[what].as_array().unwrap().len() as u64;
            assert_eq!(count("processes"), *automata, "{words}");
            assert_eq!(count("variables") + count("clocks"), *variables, "{words}");
            assert_eq!(info["safe_variables"], *safe, "{words}: {}", info["safe"]);
        }
    }
}

/// The selection among the bundled models, and the command that writes each.
const BUNDLED: [(&str, &str); 7] = [
    ("arbiter-tree.xta", "arbiter-tree --n 2 --faulty"),
    ("dme.xta", "dme --n 2 --faulty"),
    ("fischer-fa.xta", "fischer --variant fa --n 5"),
    ("fischer-fb.xta", "fischer --variant fb --n 5"),
    ("line-segment.xta", "line-segment --variant c --size 1"),
    ("mutex.xta", "mutex --variant m --size 1"),
    ("tree-arbiter.xta", "tree-arbiter --n 3 --faulty"),
];

#[test]
fn the_bundled_selection_is_what_is_generated() {
    let dir = directory("bundled");
    for (file, words) in BUNDLED {
        let (path, instance) = both(&dir, words);
        let bundled = |name: &Path| std::fs::read_to_string(common::models().join(name)).unwrap();
        assert_eq!(bundled(Path::new(file)), instance.model(), "write {file} again");
        if let Some(smv) = instance.text(Format::Smv) {
            assert_eq!(bundled(&Path::new(file).with_extension("smv")), smv, "write {file} again");
        }
        let queries = std::fs::read_to_string(Path::new(&path).with_extension("q")).unwrap();
        assert_eq!(bundled(&Path::new(file).with_extension("q")), queries, "write {file} again");
    }
}

#[test]
fn every_variant_reads_back_the_same() {
    let dir = directory("round-trip");
    for family in FAMILIES {
        let size = &family.parameters[0];
        let mut models = vec![(vec![], size.least)];
        models.extend(family.variants.iter().flat_map(|variant| {
            [variant.sizes.start(), variant.sizes.end()].map(|size| (vec!["--variant", variant.name], *size))
        }));
        for (variant, value) in models {
            let (option, value) = (format!("--{}", size.name), value.to_string());
            let words = [vec![family.name], variant, vec![&option, &value]].concat().join(" ");
            let (path, _) = both(&dir, &words);
            let text = beeline(["convert", &path, "--to", "beeline"]).exits(0).out;
            let again = common::file(&dir, "again.beeline", &text);
            assert_eq!(beeline(["convert", &again, "--to", "beeline"]).exits(0).out, text, "{words}");
            if family.formats() == [Format::Promela] {
                continue; // it has channels that UPPAAL does not
            }
            let flat =
                common::file(&dir, "flat.xta", beeline(["convert", &path, "--to", "xta"]).exits(0).out);
            beeline(["info", &flat]).exits(0);
        }
    }
}

#[test]
fn greedy_search_finds_the_mistakes_of_large_faulty_models() {
    let dir = directory("faulty");
    for (family, length) in [("fischer", 6), ("csmacd", 34)] {
        let path = generate(&dir, &[family, "--n", "30", "--faulty"]);
        let json = beeline(["check", &path, "--json", "--heuristic", "hu", "-p", "1"]).exits(1).json();
        let result = &json["results"][0];
        assert_eq!(result["trace"]["replayed"], true, "{family}");
        assert!(result["trace"]["length"].as_u64() >= Some(length), "{family}");
        assert!(result["stats"]["expanded"].as_u64() < Some(1_000), "{family}: {}", result["stats"]);
    }
}

/// Sizes, and the states that TChecker (covreach, bfs) visits in its own example of that name.
const VISITED: [(&str, &str, u64); 4] = [
    ("fischer", "5", 977),
    ("csmacd", "6", 2_594),
    ("train-gate", "4", 12_000),
    ("critical-region", "3", 3_872),
];

#[test]
fn state_spaces_are_as_large_as_those_of_the_examples() {
    let dir = directory("sizes");
    for (family, size, visited) in VISITED {
        let path = generate(&dir, &[family, "--n", size]);
        let json =
            beeline(["check", &path, "--json", "--certify", "never", "-p", "A[] true"]).exits(0).json();
        let expanded = json["results"][0]["stats"]["expanded"].as_u64().unwrap();
        // Covered states may have been expanded before, which depends on the order; reductions make it fewer.
        assert!((visited / 4..=visited + visited / 50).contains(&expanded), "{family} {size}: {expanded}");
    }
}

#[test]
fn tchecker_visits_what_it_visits_in_the_examples() {
    let dir = directory("sizes-tchecker");
    for (family, size, visited) in VISITED {
        // Without queries beside the model there is nothing that TChecker would have to watch, too.
        let path = common::file(&dir, "model.xta", beeline(["generate", family, "--n", size]).exits(0).out);
        let model = beeline(["convert", &path, "--to", "tck"]).exits(0).out;
        let file = common::file(&dir, "model.tck", model);
        let Ok(output) = Command::new("tck-reach").args(["-a", "covreach", "-s", "bfs", &file]).output()
        else {
            println!("skipped: tck-reach is not on the path");
            return;
        };
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(text.contains(&format!("VISITED_STATES {visited}\n")), "{family} {size}: {text}");
    }
}

#[test]
fn the_model_is_printed_unless_a_file_is_named() {
    let run = beeline(["generate", "fischer", "--n", "3"]).exits(0);
    assert!(run.out.starts_with("// fischer: ") && run.err.is_empty(), "{run:?}");
    assert!(run.out.contains("\nconst int N = 3;") && run.out.contains("\nconst int K = 10;"), "{}", run.out);
}

#[test]
fn wrong_wishes_exit_2_with_a_hint() {
    let wrong: &[(&[&str], &str)] = &[
        (&[], "FAMILY"),
        (&["fisher"], "did you mean `fischer`?"),
        (
            &["dogs"],
            "there are: aircon, arbiter-tree, critical-region, csmacd, dme, fddi, fischer, line-segment, mutex, train-gate, tree-arbiter",
        ),
        (&["fischer", "--n", "0"], "from 1 to 40"),
        (&["fischer", "--n", "41"], "from 1 to 40"),
        (&["fischer", "--n", "many"], "whole number"),
        (&["fischer", "--n", "99999999999"], "4294967295"),
        (&["fischer", "--size", "3"], "--size"),
        (&["train-gate", "--k", "3"], "it has: --n"),
        (
            &["train-gate", "--faulty"],
            "these have: aircon, arbiter-tree, csmacd, dme, fddi, fischer, line-segment, mutex, tree-arbiter",
        ),
        (&["train-gate", "--correct"], "has no faulty models"),
        (&["train-gate", "--variant", "c"], "leave out --variant c"),
        (&["fischer", "--variant", "fc"], "there are: plain, fa, fb"),
        (&["fischer", "--variant", "fb", "--n", "1"], "from 2 to 40"),
        (&["mutex", "--size", "5"], "from 1 to 4"),
        (&["mutex", "--faulty", "--correct"], "give one of"),
        (&["fischer", "-o", "fischer.txt"], "call it fischer.xta"),
        (&["fischer", "-o", "fischer.smv"], "`fischer` has no models in the form smv"),
        (&["fischer", "--format", "smv"], "`fischer` has no models in the form smv"),
        (&["dme", "-o", "dme.txt"], "call it dme.smv"),
        (&["dme", "--format", "xta", "-o", "dme.smv"], "call it dme.xta"),
        (&["dme", "--n", "1"], "from 2 to 64"),
        (&["fischer", "-o", "no/such/directory/m.xta"], "cannot be written"),
    ];
    for (args, hint) in wrong {
        let run = beeline(["generate"].iter().chain(*args)).exits(2);
        assert!(run.err.contains(hint) && run.out.is_empty(), "{args:?}: {run:?}");
    }
}

#[test]
fn the_list_names_every_family_with_its_parameters() {
    let list = beeline(["generate", "--list"]).exits(0).out;
    assert_eq!(list, beeline(["list", "families"]).exits(0).out);
    for family in FAMILIES {
        assert!(list.contains(&format!("{:<18}{}\n", family.name, family.about)), "{list}");
        for parameter in family.parameters {
            assert!(list.contains(&format!("--{}", parameter.name)), "{list}");
        }
        for variant in family.variants {
            assert!(list.contains(&format!("{:<13} {} (", variant.name, variant.about)), "{list}");
        }
    }
}

#[test]
fn options_and_parameters_are_the_same() {
    let parameters: BTreeSet<&str> = FAMILIES.iter().flat_map(|f| f.parameters).map(|p| p.name).collect();
    let of_generate = OPTIONS.iter().filter(|o| o.commands.contains(&"generate")).map(|o| o.name);
    let options: BTreeSet<&str> = of_generate
        .filter(|name| !["output", "list", "variant", "format", "faulty", "correct"].contains(name))
        .collect();
    assert_eq!(options, parameters);
}
