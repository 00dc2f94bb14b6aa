//! Every model of the project gives the answers that models/README.md states.

use crate::common;

use common::{beeline, models};
use std::collections::BTreeSet;

/// The rows of the table: model, property, verdict, length, exit code of the whole model.
fn table() -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(models().join("README.md")).expect("the table");
    let cells = |line: &str| {
        let inner = line.trim().trim_matches('|');
        inner.split('|').map(|c| c.trim().trim_matches('`').to_string()).collect::<Vec<_>>()
    };
    text.lines().filter(|l| l.starts_with("| `")).map(cells).collect()
}

#[test]
fn the_table_lists_every_model() {
    let listed: BTreeSet<String> = table().into_iter().map(|row| row[0].clone()).collect();
    let files = std::fs::read_dir(models()).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
    let there: BTreeSet<String> = files.filter(|n| !n.ends_with(".md") && !n.ends_with(".q")).collect();
    assert_eq!(listed, there);
}

#[test]
fn every_model_gives_the_answers_of_the_table() {
    let rows = table();
    let names: BTreeSet<&String> = rows.iter().map(|row| &row[0]).collect();
    for name in names {
        let path = models().join(name).display().to_string();
        let run = beeline(["check", &path, "--json", "--certify", "always"]);
        let json = run.json();
        let results = json["results"].as_array().unwrap();
        let expected: Vec<&Vec<String>> = rows.iter().filter(|row| row[0] == *name).collect();
        assert_eq!(results.len(), expected.len(), "{name}");
        for (result, row) in results.iter().zip(expected) {
            let known_by = if result["name"].is_null() { &result["property"] } else { &result["name"] };
            assert_eq!(known_by, row[1].as_str(), "{name}");
            assert_eq!(result["verdict"], row[2].as_str(), "{name} {}", row[1]);
            let length = result["trace"]["length"].as_u64().map_or("-".to_string(), |n| n.to_string());
            assert_eq!(length, row[3], "{name} {}", row[1]);
            assert_eq!(run.code.unwrap().to_string(), row[4], "{name}");
            if row[2] != "unknown" {
                assert_eq!(
                    result["certificate"], "kernel",
                    "{name} {}: {}",
                    row[1], result["certificate_note"]
                );
            }
        }
    }
}
