//! UPPAAL models through the command line: queries from everywhere, notes, native traces, conversion.

mod common;

use common::{beeline, directory, file, model};

const LAMP: &str = "clock x; int[0,3] n; chan press;\n\
    process Lamp() { state Off, On { x <= 9 }; init Off;\n\
      trans Off -> On { guard n < 3; sync press?; assign x = 0, n++; }, On -> Off { guard x >= 9; }; }\n\
    process User() { state U; init U; trans U -> U { sync press!; }; }\n\
    system Lamp, User;\n";

#[test]
fn queries_come_from_the_file_beside_the_model_or_the_command_line() {
    let dir = directory("uppaal-queries");
    let path = file(&dir, "lamp.xta", LAMP);
    let run = beeline(["check", &path]).exits(1);
    assert!(run.out.contains("no-deadlock") && run.out.contains("reachable"), "{}", run.out);
    file(&dir, "lamp.q", "/* lit */\nE<> Lamp.On and x == 9\n\nA[] Lamp.Of imply n == 0\nA<> Lamp.On\n");
    let run = beeline(["check", &path, "--json"]).exits(2);
    assert!(run.err.contains("lamp.q"), "{}", run.err);
    let results = run.json()["results"].clone();
    assert_eq!((&results[0]["verdict"], &results[0]["trace"]["length"]), (&"holds".into(), &1.into()));
    let reason = |i: usize| results[i]["reason"].as_str().unwrap().to_string();
    assert!(reason(1).starts_with("malformed") && reason(1).contains("Off"), "{}", reason(1));
    assert!(reason(2).starts_with("unsupported"), "{}", reason(2));
    beeline(["check", &path, "-p", "A[] n <= 3"]).exits(0);
    beeline(["check", &path, "-p", "1"]).exits(0);
    beeline(["check", &path, "-p", "no-runtime-error"]).exits(0);
    let run = beeline(["check", &path, "-p", "A[] m <= 3"]).exits(2);
    assert!(run.err.contains("<property>:1:5"), "{}", run.err);
}

#[test]
fn a_recorded_verdict_that_differs_is_pointed_out() {
    let dir = directory("uppaal-recorded");
    let text = std::fs::read_to_string(model("charging.xml")).unwrap();
    let same = beeline(["check", &model("charging.xml"), "-p", "2"]).exits(0);
    assert!(!same.out.contains("records"), "{}", same.out);
    let text = text.replace("outcome=\"success\"", "outcome=\"failure\"");
    let run = beeline(["check", &file(&dir, "charging.xml", &text), "-p", "2"]).exits(0);
    assert!(run.out.contains("warning: the file records this query as not satisfied; it is"), "{}", run.out);
}

#[test]
fn traces_in_the_forms_of_uppaal() {
    let dir = directory("uppaal-traces");
    let path = file(&dir, "lamp.xta", LAMP);
    let asked = ["check", &path, "-p", "E<> Lamp.On and x > 2"];
    let run = beeline(asked.into_iter().chain(["--trace", "verifyta"])).exits(0);
    assert!(run.out.contains("State:\n( Lamp.Off User.U )"), "{}", run.out);
    assert!(run.out.contains("User.U->User.U { 1, press!, 1 }"), "{}", run.out);
    let xtr = dir.join("t.xtr").display().to_string();
    beeline(asked.into_iter().chain(["--trace", &format!("xtr={xtr}")])).exits(0);
    let xtr = std::fs::read_to_string(xtr).unwrap();
    assert!(xtr.starts_with("0 0 \n.\n") && xtr.contains("1 0 ; 0 0 ; .") && xtr.ends_with(".\n"), "{xtr}");
}

#[test]
fn a_converted_model_gives_the_same_answers() {
    let dir = directory("uppaal-convert");
    let text = beeline(["convert", &model("charging.xml"), "--to", "xta"]).exits(0).out;
    let path = file(&dir, "again.xta", &text);
    let queries =
        file(&dir, "asked.q", &beeline(["convert", &model("charging.xml"), "--to", "q"]).exits(0).out);
    let (before, after) = (
        beeline(["check", &model("charging.xml"), "--json"]).exits(1).json(),
        beeline(["check", &path, "-q", &queries, "--json"]).json(),
    );
    let answers = |json: &serde_json::Value| {
        let results = json["results"].as_array().unwrap().iter();
        let known = results.filter(|r| r["verdict"] != "unknown");
        known.map(|r| (r["verdict"].clone(), r["trace"]["length"].clone())).collect::<Vec<_>>()
    };
    assert_eq!(answers(&before), answers(&after));
    assert_eq!(answers(&before).len(), 5);
    let tck =
        beeline(["convert", &file(&dir, "lamp.xta", LAMP), "--to", "tck", "-p", "E<> Lamp.On"]).exits(0).out;
    assert!(tck.contains("system:") && tck.contains("sync:"), "{tck}");
}

#[test]
fn mistakes_are_shown_in_their_place_all_at_once() {
    let dir = directory("uppaal-mistakes");
    let text = std::fs::read_to_string(model("charging.xml")).unwrap();
    let text = text.replace("charging &lt; POINTS", "chargin &lt; POINTS").replace("arrive?", "arive?");
    let run = beeline(["check", &file(&dir, "charging.xml", &text)]).exits(2);
    assert!(run.err.contains("charging.xml:63:") && run.err.contains("charging.xml:69:"), "{}", run.err);
    assert!(run.err.contains("`charging`") && run.err.contains("`arrive`"), "{}", run.err);
}
