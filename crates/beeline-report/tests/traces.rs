//! Traces told, written and read back, on small models with one of everything.

use beeline_check::replay;
use beeline_ir::layout::{Label, Part};
use beeline_ir::model::Model;
use beeline_ir::property::Property;
use beeline_ir::text::{self, ReadOptions};
use beeline_ir::trace::{NetworkRun, NetworkStep, RelationRun, RelationStep, Run, Time, Trace};
use beeline_ir::{EdgeId, ProcessId};
use beeline_report::story::Story;
use beeline_report::{dot, itf, text as words, trace_json};
use serde_json::{Value, json};

const TIMED: &str = "network timed
enum mood { 0 = calm, 1 = cross }
var m in 0..1 as mood
var a[3] in 0..5
chan go[2] of (0..5)
buffer q capacity 2 of (0..1, 0..3)
process A {
  clock x
  init idle
  location idle { invariant x <= 3 }
  location busy
  edge idle -> busy { select i in 0..1 when x > 1 send go[i](i + 2) do { x := 0; a[1] := 4; } }
  edge busy -> busy { send q(1, 3) }
}
process B {
  var k in 0..5
  init wait
  location wait
  edge wait -> wait { receive go[1](k) do { m := 1; } }
}
property : E<> len(q) == 1 && A.x > 1
";

fn read(text: &str) -> Model {
    let options = ReadOptions { file: "test", record_places: false };
    text::read(text, options).unwrap_or_else(|e| panic!("{e:?}"))
}

fn part(process: usize, edge: usize, selects: &[i64]) -> Part {
    Part { process: ProcessId::new(process), edge: EdgeId::new(edge), selects: selects.to_vec() }
}

fn step(delay: Time, parts: Vec<Part>) -> NetworkStep {
    NetworkStep { delay, label: Label { parts, observer: None } }
}

fn trace(model: &Model, property: &Property, run: Run) -> Trace {
    Trace { model: model.hash(), property: text::print_property(model, property), run }
}

fn timed() -> (Model, Property, Trace) {
    let model = read(TIMED);
    let property = model.properties()[0].clone();
    let steps = vec![
        step(Time::new(3, 2), vec![part(0, 0, &[1]), part(1, 0, &[])]),
        step(Time::new(1, 2), vec![part(0, 1, &[])]),
    ];
    let run = Run::Network(NetworkRun { observer_start: None, steps, last_delay: Time::new(2, 3) });
    let trace = trace(&model, &property, run);
    (model, property, trace)
}

fn told<'m>(model: &'m Model, property: &Property, trace: &Trace) -> Story<'m> {
    let replayed = replay(model, property, trace).expect("a good trace");
    Story::new(model, property, trace, &replayed)
}

#[test]
fn a_timed_trace_in_words() {
    let (model, property, trace) = timed();
    let expected = "     0  start
          A = idle, B = wait
          m = calm, a = {0, 0, 0}, B.k = 0, q = []
          A.x = 0
     1  at 3/2 (+3/2): A: idle -> busy  go[i]!(i + 2)  with i = 1  guard x > 1  do x := 0; a[1] := 4
                       B: wait -> wait  go[1]?(k)  do m := 1
          m: calm -> cross, a[1]: 0 -> 4, B.k: 0 -> 3
          A.x = 0
     2  at 2 (+1/2): A: busy -> busy  q!(1, 3)
          q: [] -> [(1, 3)]
        at 8/3 (+2/3)
          A.x = 7/6
";
    assert_eq!(words::trace(&told(&model, &property, &trace)), expected);
}

#[test]
fn a_trace_reads_back_equal() {
    let (model, property, trace) = timed();
    let labels = told(&model, &property, &trace).labels();
    assert_eq!(labels[0], "A: idle -> busy go[i]!(i + 2) | B: wait -> wait go[1]?(k)");
    let text = Value::Object(trace_json::write(&model, &trace, &labels)).to_string();
    assert_eq!(trace_json::read(&model, &text), Ok(trace));
}

#[test]
fn every_itf_state_has_every_variable() {
    let (model, property, trace) = timed();
    let itf = itf::render(&told(&model, &property, &trace));
    let vars: Vec<&str> = itf["vars"].as_array().unwrap().iter().map(|v| v.as_str().unwrap()).collect();
    assert_eq!(vars, ["A", "B", "m", "a", "B.k", "q", "A.x"]);
    let states = itf["states"].as_array().unwrap();
    assert_eq!(states.len(), 4);
    for (index, state) in states.iter().enumerate() {
        assert_eq!(state["#meta"]["index"], index);
        assert_eq!(state.as_object().unwrap().len(), vars.len() + 1);
        assert!(vars.iter().all(|v| !state[v].is_null()));
    }
    let big = |n: i64| json!({ "#bigint": n.to_string() });
    assert_eq!(states[1]["a"], json!([big(0), big(4), big(0)]));
    assert_eq!(states[1]["m"], "cross");
    assert_eq!(states[2]["q"], json!([{ "#tup": [big(1), big(3)] }]));
    assert_eq!(states[3]["A.x"], json!({ "#tup": [big(7), big(6)] }));
}

#[test]
fn a_graph_has_a_node_per_state() {
    let (model, property, trace) = timed();
    let graph = dot::trace(&told(&model, &property, &trace));
    assert_eq!(graph.matches(" -> s").count(), 3, "{graph}");
    assert!(graph.contains("s3 [label="), "{graph}");
    let graph = dot::model(&model);
    assert_eq!(graph.matches("subgraph").count(), 2);
    assert_eq!(graph.matches('{').count(), graph.matches('}').count(), "{graph}");
}

#[test]
fn a_failing_label_says_why() {
    let model = read(
        "network f\nvar a[2] in 0..1\nvar i in 0..9\n\
         process P { init l location l edge l -> l { do { i := i + 2; a[i] := 1; } } }\n\
         property : no-runtime-error\n",
    );
    let property = &model.properties()[0];
    let steps = vec![step(Time::from_integer(0), vec![part(0, 0, &[])])];
    let run = Run::Network(NetworkRun { observer_start: None, steps, last_delay: Time::from_integer(0) });
    let story = told(&model, property, &trace(&model, property, run));
    assert!(words::trace(&story).ends_with("fails: index out of bounds\n"), "{}", words::trace(&story));
    assert_eq!(itf::render(&story)["states"].as_array().unwrap().len(), 1);
    assert!(dot::trace(&story).contains("octagon"));
}

#[test]
fn a_failing_label_shows_the_clocks_it_fails_at() {
    let model = read(
        "network f\nclock x\nvar a[2] in 0..1\nprocess P { init l location l edge l -> l { when x >= 3 do { a[2] := 1; } } }\n\
         property : no-runtime-error\n",
    );
    let property = &model.properties()[0];
    let steps = vec![step(Time::new(7, 2), vec![part(0, 0, &[])])];
    let run = Run::Network(NetworkRun { observer_start: None, steps, last_delay: Time::from_integer(0) });
    let text = words::trace(&told(&model, property, &trace(&model, property, run)));
    assert!(text.ends_with("          x = 7/2\n          fails: index out of bounds\n"), "{text}");
}

#[test]
fn a_failing_assertion_is_named() {
    let model = read(
        "network f\nvar i in 0..9\nprocess P { init l location l edge l -> l { do { i := 1; assert i == 0; } } }\n\
         property : no-assertion-failure\n",
    );
    let property = &model.properties()[0];
    let steps = vec![step(Time::from_integer(0), vec![part(0, 0, &[])])];
    let run = Run::Network(NetworkRun { observer_start: None, steps, last_delay: Time::from_integer(0) });
    let text = words::trace(&told(&model, property, &trace(&model, property, run)));
    assert!(text.ends_with("i: 0 -> 1\n          fails: an assertion does not hold\n"), "{text}");
}

fn relation() -> (Model, Trace) {
    let model = read(
        "relation r\nenum e { 0 = off, 1 = on }\nstate s in 0..1 as e\nfrozen f in 0..3\ninput i in 0..1 as e\n\
         init s := 0\nnext s := i\nproperty : E<> s == 1\n",
    );
    let steps = vec![RelationStep { inputs: vec![1], state: vec![1, 2] }];
    let run = Run::Relation(RelationRun { initial: vec![0, 2], steps });
    let trace = trace(&model, &model.properties()[0].clone(), run);
    (model, trace)
}

#[test]
fn a_relation_in_words_and_back() {
    let (model, trace) = relation();
    let property = &model.properties()[0];
    let story = told(&model, property, &trace);
    let expected = "     0  start\n          s = off, f = 2\n     1  i = on\n          s: off -> on\n";
    assert_eq!(words::trace(&story), expected);
    let text = Value::Object(trace_json::write(&model, &trace, &story.labels())).to_string();
    assert_eq!(trace_json::read(&model, &text), Ok(trace));
}

#[test]
fn a_text_cut_anywhere_is_an_error() {
    for (model, trace) in [(timed().0, timed().2), relation()] {
        let text = Value::Object(trace_json::write(&model, &trace, &[])).to_string();
        for end in (0..text.len()).filter(|i| text.is_char_boundary(*i)) {
            assert!(trace_json::read(&model, &text[..end]).is_err(), "{end}");
        }
        for at in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[at] ^= 1;
            // Whatever it reads as, reading it must not fail in any other way.
            if let Ok(text) = String::from_utf8(bytes) {
                let _ = trace_json::read(&model, &text);
            }
        }
    }
}

#[test]
fn every_wrong_field_is_an_error() {
    let hostile = [
        Value::Null,
        json!(-1),
        json!(0.5),
        json!(1e300),
        json!(u64::MAX),
        json!(""),
        json!("x"),
        json!([]),
        json!({}),
        json!([[]]),
        json!("1/0"),
        json!("-1"),
        json!("1/-1"),
        json!("9223372036854775808"),
        json!("1/9999999999"),
        json!("+1"),
        json!("1/2/3"),
        json!("1 "),
    ];
    let (model, _, trace) = timed();
    let good = Value::Object(trace_json::write(&model, &trace, &[]));
    let places = [
        "/format",
        "/version",
        "/model_hash",
        "/steps",
        "/last_delay",
        "/steps/0",
        "/steps/0/delay",
        "/steps/0/parts",
        "/steps/0/parts/0",
        "/steps/0/parts/0/process",
        "/steps/0/parts/0/edge",
        "/steps/0/parts/0/selects",
    ];
    for place in places {
        for value in &hostile {
            // An empty run and no select values are wrong for the kernel, not for the reader.
            let legal = value == &json!([]) && ["/steps", "/steps/0/parts/0/selects"].contains(&place);
            let mut changed = good.clone();
            *changed.pointer_mut(place).unwrap() = value.clone();
            assert_eq!(trace_json::read(&model, &changed.to_string()).is_ok(), legal, "{place} {value}");
        }
        let (parent, key) = place.rsplit_once('/').unwrap();
        if key.parse::<usize>().is_err() {
            let mut changed = good.clone();
            changed.pointer_mut(parent).unwrap().as_object_mut().unwrap().remove(key);
            assert!(trace_json::read(&model, &changed.to_string()).is_err(), "{place} removed");
            let mut changed = good.clone();
            changed.pointer_mut(parent).unwrap()["surplus"] = json!(1);
            assert!(trace_json::read(&model, &changed.to_string()).is_err(), "surplus beside {place}");
        }
    }
}

#[test]
fn delays_that_cannot_be_added_up_are_refused() {
    let (model, _, trace) = timed();
    let good = Value::Object(trace_json::write(&model, &trace, &[]));
    for (first, second) in
        [("1/1000003", "1/1000033"), ("1000000000000", "1000000000000"), ("1/2147483647", "1")]
    {
        let mut changed = good.clone();
        changed["steps"][0]["delay"] = json!(first);
        changed["steps"][1]["delay"] = json!(second);
        assert!(trace_json::read(&model, &changed.to_string()).is_err(), "{first} {second}");
    }
}
