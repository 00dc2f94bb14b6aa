//! The benchmark families: what they promise holds, and wrong wishes are answered with a hint.

mod common;

use beeline::options::OPTIONS;
use beeline_families::{Answer, FAMILIES};
use common::{beeline, directory};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// Writes a model with its queries and gives its path.
fn generate(dir: &Path, args: &[&str]) -> String {
    let path = dir.join(format!("{}.xta", args.join("-"))).display().to_string();
    let run = beeline(["generate"].iter().chain(args).chain(&["-o", &path])).exits(0);
    assert!(run.out.is_empty() && run.err.starts_with("note: the queries are in "), "{run:?}");
    path
}

/// A wish that is no parameter.
const FAULTY: (&str, u32) = ("faulty", 1);

#[test]
fn known_answers_are_what_the_checker_finds() {
    let dir = directory("known-answers");
    let instances: &[(&str, &[(&str, u32)])] = &[
        ("fischer", &[("n", 1)]),
        ("fischer", &[("n", 3)]),
        ("fischer", &[("n", 4), ("k", 1)]),
        ("fischer", &[("n", 1), FAULTY]),
        ("fischer", &[("n", 2), FAULTY]),
        ("fischer", &[("n", 4), ("k", 1), FAULTY]),
        ("csmacd", &[("n", 2)]),
        ("csmacd", &[("n", 2), FAULTY]),
        ("csmacd", &[("n", 4), FAULTY]),
        ("csmacd", &[("n", 3), ("lambda", 1), ("sigma", 1), FAULTY]),
        ("csmacd", &[("n", 3), ("lambda", 79), ("sigma", 40), FAULTY]),
        ("csmacd", &[("n", 3), ("lambda", 80), ("sigma", 40), FAULTY]),
        ("csmacd", &[("n", 4)]),
        ("csmacd", &[("n", 3), ("lambda", 1), ("sigma", 1)]),
        ("csmacd", &[("n", 3), ("lambda", 30), ("sigma", 40)]),
        ("train-gate", &[("n", 1)]),
        ("train-gate", &[("n", 2)]),
        ("train-gate", &[("n", 4)]),
        ("critical-region", &[("n", 1)]),
        ("critical-region", &[("n", 3)]),
        ("critical-region", &[("n", 2), ("t", 1)]),
    ];
    for (name, wishes) in instances {
        let values: Vec<(&str, u32)> = wishes.iter().copied().filter(|wish| *wish != FAULTY).collect();
        let instance = beeline_families::find(name).unwrap().instance(&values).unwrap();
        let instance = if wishes.contains(&FAULTY) { instance.faulty().unwrap() } else { instance };
        let options = wishes.iter().flat_map(|(name, value)| match *name {
            "faulty" => vec!["--faulty".to_string()],
            _ => vec![format!("--{name}"), value.to_string()],
        });
        let args: Vec<String> = [name.to_string()].into_iter().chain(options).collect();
        let path = generate(&dir, &args.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), instance.model());
        let json = beeline(["check", &path, "--json", "--certify", "always"]).json();
        let results = json["results"].as_array().unwrap();
        assert_eq!(results.len(), instance.queries().len(), "{args:?}");
        for (result, query) in results.iter().zip(instance.queries()) {
            let (verdict, length) = match query.answer {
                Answer::Holds => ("holds", None),
                Answer::Violated { length } => ("violated", Some(length)),
                Answer::Reached { length } => ("holds", Some(length)),
            };
            assert_eq!(result["verdict"], verdict, "{args:?} {result}");
            assert_eq!(result["trace"]["length"].as_u64(), length.map(u64::from), "{args:?} {result}");
            assert_eq!(result["certificate"], "kernel", "{args:?} {result}");
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
        (&["dogs"], "there are: critical-region, csmacd, fischer, train-gate"),
        (&["fischer", "--n", "0"], "from 1 to 40"),
        (&["fischer", "--n", "41"], "from 1 to 40"),
        (&["fischer", "--n", "many"], "whole number"),
        (&["fischer", "--n", "99999999999"], "4294967295"),
        (&["fischer", "--size", "3"], "--size"),
        (&["train-gate", "--k", "3"], "it has: --n"),
        (&["train-gate", "--faulty"], "these have: csmacd, fischer"),
        (&["fischer", "-o", "fischer.txt"], "call it fischer.xta"),
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
    }
}

#[test]
fn options_and_parameters_are_the_same() {
    let parameters: BTreeSet<&str> = FAMILIES.iter().flat_map(|f| f.parameters).map(|p| p.name).collect();
    let of_generate = OPTIONS.iter().filter(|o| o.commands.contains(&"generate")).map(|o| o.name);
    let options: BTreeSet<&str> =
        of_generate.filter(|name| !["output", "list", "faulty"].contains(name)).collect();
    assert_eq!(options, parameters);
}
