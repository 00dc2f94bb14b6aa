//! Traces and certificates on disk: accepted as written, refused when changed.

use crate::common;

use common::{beeline, directory, file, model};
use serde_json::{Value, json};

fn trace_of(name: &str, dir: &std::path::Path) -> (String, Value) {
    let path = dir.join("t.json").display().to_string();
    let run = beeline(["check", &model(name), "-p", "1", &format!("--trace=json={path}")]);
    assert!(matches!(run.code, Some(0 | 1 | 5)), "{run:?}");
    let text = std::fs::read_to_string(&path).expect("a trace");
    let value = serde_json::from_str(&text).expect("JSON");
    (path, value)
}

#[test]
fn written_traces_replay() {
    let dir = directory("replay");
    for name in ["fischer-bug.beeline", "philosophers.beeline", "ring-buffer.beeline"] {
        let (path, value) = trace_of(name, &dir);
        let run = beeline(["replay", &model(name), &path]).exits(0);
        let length = value["length"].as_u64().unwrap();
        assert!(run.out.contains(&format!(": {length} steps lead to")), "{}", run.out);
        let json = beeline(["replay", &model(name), &path, "--json"]).exits(0).json();
        assert_eq!(json["results"][0]["replayed"], true);
        assert_eq!(json["results"][0]["trace"]["steps"], value["steps"]);
    }
}

#[test]
fn the_trace_inside_the_json_answer_replays() {
    let dir = directory("inside");
    let json = beeline(["check", &model("fischer-bug.beeline"), "--json"]).exits(1).json();
    let path = file(&dir, "t.json", json["results"][0]["trace"].to_string());
    beeline(["replay", &model("fischer-bug.beeline"), &path]).exits(0);
}

#[test]
fn changed_traces_are_refused() {
    let dir = directory("changed");
    let (_, trace) = trace_of("fischer-bug.beeline", &dir);
    let hash = "0".repeat(64);
    let changes: [(&str, Value); 8] = [
        ("/steps/3/delay", json!("1")),
        ("/steps/3/delay", json!("5/2")),
        ("/steps/0/parts/0/edge", json!(1)),
        ("/steps/0/parts/0/process", json!("P3")),
        ("/steps/0/parts/0/selects", json!([1])),
        ("/steps/0/observer", json!(0)),
        ("/property", json!("A[] !P3.cs")),
        ("/model_hash", json!(hash)),
    ];
    for (place, value) in changes {
        let mut changed = trace.clone();
        *changed.pointer_mut(place).unwrap() = value.clone();
        let path = file(&dir, "changed.json", changed.to_string());
        let run = beeline(["replay", &model("fischer-bug.beeline"), &path]).exits(1);
        assert!(run.out.starts_with("refused  "), "{place} {value}: {}", run.out);
    }
    let mut shorter = trace.clone();
    shorter["steps"].as_array_mut().unwrap().pop();
    let path = file(&dir, "shorter.json", shorter.to_string());
    beeline(["replay", &model("fischer-bug.beeline"), &path]).exits(1);
}

#[test]
fn a_trace_of_another_model_is_refused_as_such() {
    let dir = directory("another");
    let (path, _) = trace_of("fischer-bug.beeline", &dir);
    for other in ["philosophers.beeline", "fischer.beeline", "traffic-light.beeline"] {
        let run = beeline(["replay", &model(other), &path]).exits(1);
        assert!(run.out.ends_with(": the trace belongs to another model\n"), "{run:?}");
        let json = beeline(["replay", &model(other), &path, "--json"]).exits(1).json();
        assert_eq!(json["results"][0]["reason"], "the trace belongs to another model");
    }
}

#[test]
fn only_json_traces_are_replayed() {
    let dir = directory("foreign");
    let path = model("fischer-bug.beeline");
    for format in ["text", "itf", "dot", "xtr", "verifyta"] {
        let trace = dir.join(format).display().to_string();
        beeline(["check", &path, &format!("--trace={format}={trace}")]).exits(1);
        let run = beeline(["replay", &path, &trace]).exits(2);
        assert!(run.err.contains("only traces that `--trace json` has written"), "{format}: {}", run.err);
    }
}

#[test]
fn malformed_traces_are_usage_errors() {
    let dir = directory("malformed-traces");
    let (_, trace) = trace_of("fischer-bug.beeline", &dir);
    let mut unknown = trace.clone();
    unknown["steps"][0]["extra"] = json!(1);
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let texts = [String::new(), "{}".into(), "\u{0}".into(), deep, unknown.to_string()];
    for text in texts {
        let path = file(&dir, "m.json", &text);
        let run = beeline(["replay", &model("fischer-bug.beeline"), &path]).exits(2);
        assert!(run.err.contains("m.json"), "{}", run.err);
    }
    let binary = file(&dir, "m.json", [0xff, 0xfe]);
    beeline(["replay", &model("fischer-bug.beeline"), &binary]).exits(2);
    beeline(["replay", &model("fischer-bug.beeline"), "no-such-file"]).exits(2);
}

#[test]
fn a_relation_replays() {
    let dir = directory("relation");
    let info = beeline(["info", &model("traffic-light.beeline"), "--json"]).exits(0).json();
    let state =
        |cars: i64, walk: i64, waiting: i64| json!({ "cars": cars, "walk": walk, "waiting": waiting });
    let step =
        |button: i64, state: Value| json!({ "delay": "0", "inputs": { "button": button }, "state": state });
    let steps =
        [step(1, state(1, 0, 1)), step(0, state(2, 0, 1)), step(0, state(0, 0, 1)), step(0, state(0, 1, 1))];
    let mut trace = json!({
        "format": "beeline-trace", "version": 1, "model_hash": info["model_hash"], "property": "E<> walk == 1",
        "initial": state(1, 0, 0), "steps": steps,
    });
    let path = file(&dir, "t.json", trace.to_string());
    let run = beeline(["replay", &model("traffic-light.beeline"), &path]).exits(0);
    assert!(run.out.contains("4 steps lead to"), "{}", run.out);
    assert!(run.out.contains("cars: green -> amber"), "{}", run.out);
    assert!(run.out.contains("button = 1"), "{}", run.out);
    trace["steps"][1]["state"]["cars"] = json!(0);
    let path = file(&dir, "t.json", trace.to_string());
    beeline(["replay", &model("traffic-light.beeline"), &path]).exits(1);
}

#[test]
fn written_certificates_are_accepted_and_changed_ones_are_not() {
    let dir = directory("certificates");
    for name in ["fischer.beeline", "fischer-bug.beeline", "philosophers.beeline", "alternating-bit.beeline"]
    {
        let path = dir.join("c.bin").display().to_string();
        beeline(["check", &model(name), "-p", "1", "--certificate", &path, "--quiet"]);
        let run = beeline(["verify-certificate", &model(name), &path]).exits(0);
        assert!(run.out.starts_with("accepted  "), "{}", run.out);
        let bytes = std::fs::read(&path).unwrap();
        for at in (0..bytes.len()).step_by(bytes.len() / 40 + 1) {
            let mut changed = bytes.clone();
            changed[at] ^= 0x20;
            let changed = file(&dir, "changed.bin", changed);
            let run = beeline(["verify-certificate", &model(name), &changed]);
            assert!(matches!(run.code, Some(1 | 2)), "byte {at}: {run:?}");
        }
        let cut = file(&dir, "cut.bin", &bytes[..bytes.len() / 2]);
        beeline(["verify-certificate", &model(name), &cut]).exits(2);
    }
    let other = dir.join("c.bin").display().to_string();
    beeline(["verify-certificate", &model("crossing.beeline"), &other, "--json"]).exits(1);
}

#[test]
fn a_certificate_without_a_row_is_refused() {
    let dir = directory("rows");
    let path = dir.join("c.bin");
    beeline([
        "check",
        &model("fischer.beeline"),
        "-p",
        "mutex",
        "--certificate",
        &path.display().to_string(),
    ])
    .exits(0);
    let whole = beeline_ir::encode::read_certificate(&std::fs::read(&path).unwrap()).unwrap();
    for row in (0..whole.rows.len()).step_by(7) {
        let mut less = whole.clone();
        less.rows.remove(row);
        let changed = file(&dir, "less.bin", beeline_ir::encode::write_certificate(&less));
        let run = beeline(["verify-certificate", &model("fischer.beeline"), &changed]).exits(1);
        assert!(run.out.starts_with("refused  "), "{}", run.out);
    }
}

#[test]
fn nothing_half_written_is_left() {
    let dir = directory("unwritable");
    let target = dir.join("no/such/dir/t.json");
    let run =
        beeline(["check", &model("fischer-bug.beeline"), &format!("--trace=json={}", target.display())])
            .exits(2);
    assert!(run.err.contains("cannot be written"), "{}", run.err);
    assert_eq!(std::fs::read_dir(&dir).unwrap().count(), 0);
}
