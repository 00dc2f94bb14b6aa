//! `--reduce`: what can never happen is left out, which changes no answer; and `info` says what it is, and what can never
//! happen together.

use crate::common;

use common::{beeline, directory, file};
use serde_json::{Value, json};

/// The flag is never up, and the counter stops at 3.
const MODEL: &str = "
network never
var flag in 0..1
var counter in -100..100
clock x
process P {
  init p0 location p0 { invariant x <= 3 } location p1 location p2
  edge p0 -> p1 { guard flag == 1 when x >= 1 }
  edge p0 -> p0 { guard counter < 3 when x >= 2 do { counter := counter + 1; x := 0; } }
  edge p0 -> p2 { guard counter == 3 }
}
property reached : E<> P.p2
property never : A[] !P.p1
property goes_on : A[] !deadlock || P.p2
";

fn check(path: &str, options: &[&str]) -> Value {
    beeline(["check", path, "--json"].iter().chain(options)).exits(0).json()
}

#[test]
fn answers_stay_the_same() {
    let dir = directory("reduce");
    let path = file(&dir, "never.beeline", MODEL);
    for more in [&[][..], &["--cone"], &["--heuristic", "hl"], &["--safe-abstraction"]] {
        let with = |reduce: &'static str| check(&path, &[more, &["--reduce", reduce]].concat());
        let (all, reduced) = (with("off"), with("on"));
        for number in 0..3 {
            let (all, reduced) = (&all["results"][number], &reduced["results"][number]);
            for field in ["verdict", "reachable", "certificate", "lower_bound", "trace"] {
                assert_eq!(all[field], reduced[field], "{field} with {more:?}");
            }
            assert_eq!(all["config"]["reduced"], Value::Null);
            assert_eq!(reduced["config"]["reduced"], json!({ "edges": 1, "narrowed": ["flag", "counter"] }));
        }
    }
    let reduced = |options: &[&str]| check(&path, options)["results"][0]["config"]["reduced"].clone();
    assert_eq!(reduced(&[]), Value::Null);
    assert_eq!(reduced(&["--preset", "quick"])["edges"], 1);
    assert_eq!(reduced(&["--preset", "quick", "--reduce", "off"]), Value::Null);
}

#[test]
fn the_trace_shows_all_variables() {
    let dir = directory("reduce-trace");
    let path = file(&dir, "never.beeline", MODEL);
    let text = |reduce: &str| {
        let run = beeline(["check", &path, "-p", "reached", "--trace", "itf", "--reduce", reduce]).exits(0);
        run.out.clone()
    };
    assert_eq!(text("on"), text("off"));
    assert!(text("on").contains("\"flag\"") && text("on").contains("\"counter\""));
}

#[test]
fn info_says_what_can_never_happen() {
    let dir = directory("reduce-info");
    let path = file(&dir, "never.beeline", MODEL);
    let text = beeline(["info", &path]).exits(0);
    let line = "\n1 edge never taken; 2 variables with fewer values than declared: flag, counter\n";
    assert!(text.out.contains(line), "{}", text.out);
    let info = &beeline(["info", &path, "--json"]).exits(0).json()["info"];
    assert_eq!((&info["never_taken"], &info["narrowed"]), (&json!(1), &json!(["flag", "counter"])));
}

/// Who has the token excludes that it is free, and that the other one has it; so nobody ever looks.
#[test]
fn info_counts_what_can_never_be_together() {
    let user = "location idle location has
        edge idle -> has { guard free == 1 do { free := 0; } } edge has -> idle { do { free := 1; } }";
    let model = format!(
        "network token var free in 0..1 = 1 process P {{ {user} }} process Q {{ {user} }}
         process R {{ location a location b edge a -> b {{ guard P.has && free == 1 }} }}
         property seen : E<> R.b && Q.has property stops : E<> deadlock"
    );
    let path = file(&directory("mutex-info"), "token.beeline", &model);
    let text = beeline(["info", &path]).exits(0).out;
    assert!(text.contains("\n       3 mutex pairs of 8 values; 1 of 5 labels never taken\n"), "{text}");
    let info = &beeline(["info", &path, "--json"]).exits(0).json()["info"];
    let expected = json!({ "values": 8, "pairs": 3, "labels": 5, "never": 1 });
    assert_eq!(info["properties"][0]["mutexes"], expected);
    assert_eq!(info["properties"][1]["mutexes"], Value::Null);
    let checked = beeline(["check", &path, "-p", "seen", "--heuristic", "h2", "--json"]).json();
    let result = &checked["results"][0];
    assert_eq!((&result["reachable"], &result["stats"]["expanded"]), (&json!(false), &json!(0)));
}
