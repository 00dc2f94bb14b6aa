//! `--partial-order`: fewer labels, the same answers.

use crate::common;

use common::{beeline, directory, file, model, models};
use serde_json::Value;

fn check(path: &str, options: &[&str]) -> Value {
    beeline(["check", path, "--json"].iter().chain(options)).json()
}

fn grown(name: &str, n: u32) -> String {
    let text = std::fs::read_to_string(models().join(name)).expect("a model");
    file(&directory(&format!("partial-order-{name}")), name, format!("#define N {n}\n{text}"))
}

fn stored(answer: &Value) -> u64 {
    answer["results"][0]["stats"]["stored"].as_u64().expect("a number")
}

#[test]
fn a_tenth_of_the_states_is_enough() {
    let leader = grown("leader.pml", 5);
    let ends = ["-p", "valid-end-states", "--search", "bfs"];
    let (all, some) =
        (check(&leader, &ends), check(&leader, &[&ends[..], &["--partial-order", "stubborn"]].concat()));
    assert_eq!(
        (&all["results"][0]["verdict"], &some["results"][0]["verdict"]),
        (&"holds".into(), &"holds".into())
    );
    assert!(stored(&some) * 10 <= stored(&all), "{} of {}", stored(&some), stored(&all));
    let result = &some["results"][0];
    assert_eq!(
        (&result["config"]["partial_order"], &result["certificate"]),
        (&"stubborn".into(), &"none".into())
    );
    assert!(
        result["certificate_note"].as_str().is_some_and(|note| note.contains("partial-order")),
        "{result}"
    );
    assert!(result["stats"]["left_out"].as_u64() > Some(0));
    let asserted = ["-p", "assertions", "--search", "bfs", "--mode", "prove", "--partial-order", "ample"];
    let some = check(&leader, &asserted);
    assert_eq!(some["results"][0]["verdict"], "holds");
    assert!(stored(&some) * 10 <= stored(&all), "{} of {}", stored(&some), stored(&all));
}

/// A claim that is not asked about does not move, but was thought to read all that it mentions.
#[test]
fn who_only_watches_for_another_property_is_not_in_the_way() {
    let process = |name: char| {
        format!(
            "active proctype {name}() {{ {0} = 1; {0} = 2; {0} = 3; assert({0} == 3) }}\n",
            name.to_ascii_lowercase()
        )
    };
    let model: String = ['A', 'B', 'C'].map(process).concat();
    let claim = "never { do :: a == 3 && b == 3 && c == 3 -> break :: else od }\n";
    let directory = directory("partial-order-observer");
    let answer = |name: &str, claim: &str| {
        let path = file(&directory, name, format!("byte a, b, c;\n{model}{claim}"));
        let ample = ["--mode", "prove", "--search", "bfs", "--partial-order", "ample"];
        check(&path, &[&["-p", "assertions"], &ample[..]].concat())
    };
    let (without, with) = (answer("without.pml", ""), answer("with.pml", claim));
    assert_eq!(with["results"][0]["verdict"], "holds");
    assert!(with["results"][0]["stats"]["left_out"].as_u64() > Some(0), "{with}");
    assert_eq!(stored(&without), stored(&with));
}

#[test]
fn all_models_answer_as_before() {
    for name in
        ["alternating-bit.beeline", "bank.pml", "fischer-bug.beeline", "mutex.xta", "philosophers.beeline"]
    {
        let path = model(name);
        let all = check(&path, &["--search", "bfs"]);
        let some = check(&path, &["--search", "bfs", "--partial-order", "stubborn"]);
        let lengths = |answer: &Value| -> Vec<(Value, Value)> {
            let results = answer["results"].as_array().expect("results");
            results.iter().map(|r| (r["verdict"].clone(), r["trace"]["length"].clone())).collect()
        };
        assert_eq!(lengths(&all), lengths(&some), "{name}");
    }
}

#[test]
fn what_cannot_be_had_is_refused() {
    let path = model("fischer.beeline");
    let run = beeline(["check", &path, "--partial-order", "ample", "--mode", "shortest"]).exits(2);
    assert!(run.err.contains("does not keep lengths"), "{run:?}");
    let answer = check(&path, &["-p", "no-deadlock", "--search", "bfs", "--partial-order", "stubborn"]);
    let remarks = answer["results"][0]["config"]["remarks"].to_string();
    assert!(remarks.contains("partial order: off"), "{remarks}");
    assert_eq!(answer["results"][0]["certificate"], "kernel", "nothing was left out");
}

/// Ample sets may keep the longer way only. (Once, the lower bound was that of what they had left.)
#[test]
fn ample_sets_claim_no_lengths() {
    let chain: String = (0..6).map(|i| format!("location l{} edge l{i} -> l{}\n", i + 1, i + 1)).collect();
    let text = format!(
        "network n
         process P {{ init l0 location l0 {chain} }}
         process Q {{ init l0 location l0 location l1 edge l0 -> l1 }}
         property : A[] !P.l6"
    );
    let path = file(&directory("partial-order-lengths"), "n.beeline", text);
    let wish =
        ["--mode", "any", "--search", "weighted-astar", "--heuristic", "dl", "--partial-order", "ample"];
    let result = &check(&path, &wish)["results"][0];
    assert_eq!(result["verdict"], "violated");
    assert!(result["lower_bound"].as_u64() <= Some(6), "{result}");
    assert_eq!(result["trace"]["shortest"], "no");
}
