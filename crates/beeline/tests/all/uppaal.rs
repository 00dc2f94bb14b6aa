//! UPPAAL models through the command line: queries from everywhere, notes, native traces, conversion.

use crate::common;

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
fn every_command_sees_the_same_queries() {
    let dir = directory("uppaal-same");
    let path = file(&dir, "lamp.xta", LAMP);
    let run = beeline(["convert", &path, "--to", "q"]).exits(2);
    assert!(run.out.is_empty() && run.err.contains("no properties to convert"), "{run:?}");
    let run = beeline(["convert", &path, "--to", "tck"]).exits(0);
    assert!(
        run.err.contains("no property, so no label is written") && !run.out.contains("labels"),
        "{run:?}"
    );
    file(&dir, "lamp.q", "A<> Lamp.On\nE<> Lamp.On\n");
    let other = file(&dir, "other.q", "A[] n < 3\n");
    let listed = |args: &[&str]| {
        let json = beeline(["info", &path, "--json"].iter().chain(args)).exits(0).json();
        let all = json["info"]["properties"].as_array().unwrap().clone();
        all.iter().map(|p| p["property"].as_str().unwrap().to_string()).collect::<Vec<_>>()
    };
    assert_eq!(listed(&[]), ["A<> Lamp.On", "E<> Lamp.On"]);
    assert_eq!(listed(&["-q", &other]), ["A[] n < 3"]);
    let text = beeline(["info", &path]).exits(0);
    assert!(text.out.contains("2  E<> Lamp.On") && text.err.contains("lamp.q"), "{text:?}");
    let convert = |args: &[&str]| beeline(["convert", &path, "--to"].iter().chain(args));
    let queries = convert(&["q"]).exits(0).out;
    assert!(queries.starts_with("//") && queries.ends_with("\nE<> Lamp.On\n"), "{queries}");
    assert_eq!(convert(&["q", "-q", &other]).exits(0).out, "A[] n < 3\n");
    assert_eq!(convert(&["q", "-p", "E<> Lamp.Off"]).exits(0).out, "E<> Lamp.Off\n");
    assert_eq!(convert(&["q", "-p", "A<> Lamp.Off"]).exits(4).out, "");
    assert!(convert(&["beeline"]).exits(0).out.contains("property \"E<> Lamp.On\" : E<> Lamp.On"));
    // The first query has no form there, the second one has.
    let run = convert(&["tck"]).exits(0);
    assert!(
        run.out.contains("labels") && run.err.contains("labels are for the property E<> Lamp.On"),
        "{run:?}"
    );
    assert_eq!(convert(&["tck", "-p", "1"]).exits(4).out, "");
    assert_eq!(convert(&["tck", "-p", "1", "-p", "2"]).exits(2).out, "");
    let run = convert(&["tck", "-q", &file(&dir, "live.q", "A<> Lamp.On\n")]).exits(0);
    assert!(run.err.contains("no label is written") && !run.out.contains("labels"), "{run:?}");
}

#[test]
fn info_shows_priorities() {
    let dir = directory("uppaal-priorities");
    let text = LAMP.replace("chan press;", "chan press; chan go[2]; chan priority press < default < go[1];");
    let path = file(&dir, "lamp.xta", text.replace("Lamp, User", "Lamp < User"));
    let text = beeline(["info", &path]).exits(0).out;
    assert!(text.contains("User  1 location, 1 edge, priority 1\n"), "{text}");
    assert!(text.contains("press rendezvous, priority -1\n"), "{text}");
    assert!(text.contains("go[2] rendezvous, priorities 0..1\n"), "{text}");
    let json = beeline(["info", &path, "--json"]).exits(0).json();
    assert_eq!(json["info"]["channels"][1]["priority"], serde_json::json!([0, 1]));
}

#[test]
fn xml_under_another_name_is_recognised() {
    let dir = directory("uppaal-xml");
    let text = std::fs::read_to_string(model("charging.xml")).unwrap();
    for name in ["m.txt", "m.xta", "m", "m.beeline"] {
        let run = beeline(["info", &file(&dir, name, &text)]).exits(2);
        assert!(run.err.contains("C0005") && run.err.contains("m.xml"), "{}", run.err);
    }
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
    assert!(xtr.contains("2 0 18\n"), "the invariant x <= 9: {xtr}");
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
