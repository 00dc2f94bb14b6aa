//! What goes to standard output and what to standard error: `--quiet`, traces for other programs, notes.

use crate::common;

use common::{Run, beeline, directory, file, model};

/// A model with a note (`meta`) and a warning (the lower bound of an invariant).
const REMARKS: &str = "meta int[0,1] m; clock x; process P() { state A { x >= 0 }, B; init A; trans A -> B { }; }\n\
    system P;\n";

#[test]
fn quiet_is_one_line_per_property_with_its_reason() {
    let dir = directory("quiet");
    let path = file(&dir, "m.xta", "process P() { state A, B; init A; trans A -> B { }; }\nsystem P;\n");
    file(&dir, "m.q", "A<> P.B\nE<> P.B\nA[] P.C\n");
    let run = beeline(["check", &path, "--quiet"]).exits(2);
    let lines: Vec<&str> = run.out.lines().collect();
    assert_eq!(lines.len(), 3, "{}", run.out);
    assert!(lines[0].starts_with("unknown  A<> P.B  (unsupported: `A<>` "), "{}", lines[0]);
    assert_eq!(lines[1], "holds  E<> P.B");
    assert!(lines[2].starts_with("unknown  A[] P.C  (malformed: "), "{}", lines[2]);
    let run = beeline(["check", &common::huge(&dir), "--quiet", "--state-limit", "1k"]).exits(3);
    assert_eq!(run.out, "unknown  far: A[] v0 + v1 + v2 < 297  (state limit reached)\n");
}

#[test]
fn quiet_keeps_warnings_on_standard_error() {
    let run = beeline(["check", &model("ring-buffer.beeline"), "-p", "filled", "--quiet"]).exits(0);
    assert_eq!(run.out, "holds  filled: A[] head <= 4\n");
    assert!(
        run.err.starts_with("warning: filled: A[] head <= 4: a label fails at run time: index"),
        "{run:?}"
    );
    let dir = directory("quiet-warnings");
    let text = std::fs::read_to_string(model("charging.xml")).unwrap();
    let text = text.replace("outcome=\"success\"", "outcome=\"failure\"");
    let path = file(&dir, "charging.xml", &text);
    let run = beeline(["check", &path, "-p", "2", "--quiet"]).exits(0);
    assert_eq!(run.out.lines().count(), 1, "{}", run.out);
    assert!(run.err.contains("the file records this query as not satisfied; it is"), "{}", run.err);
}

#[test]
fn remarks_about_the_file_go_to_standard_error() {
    let path = file(&directory("remarks"), "m.xta", REMARKS);
    let shown = |args: &[&str]| {
        let Run { code, out, err } = beeline(args.iter().copied().chain([path.as_str()]));
        assert!(code != Some(2) && !out.contains("W05"), "{out}");
        (err.contains("warning[W0530]"), err.contains("note[W0532]"))
    };
    assert_eq!(shown(&["check"]), (true, true));
    assert_eq!(shown(&["check", "--quiet"]), (true, false));
    assert_eq!(shown(&["info"]), (true, true));
    assert_eq!(shown(&["convert"]), (true, true));
    let json = beeline(["info", &path, "--json"]).exits(0).json();
    assert_eq!(json["diagnostics"].as_array().unwrap().len(), 2);
}

#[test]
fn a_trace_for_another_program_is_alone_on_standard_output() {
    let path = model("fischer-bug.beeline");
    for quiet in [&[][..], &["--quiet"]] {
        let shown = |format: &str| beeline(["check", &path, "--trace", format].iter().chain(quiet)).exits(1);
        for run in [shown("json"), shown("itf")] {
            assert!(run.json().is_object());
            assert!(run.err.starts_with("violated  mutex: "), "{}", run.err);
        }
        let run = shown("dot");
        assert!(run.out.starts_with("digraph trace {") && run.out.ends_with("}\n"), "{}", run.out);
        assert!(shown("verifyta").out.trim_start().starts_with("State:"));
        assert!(!shown("xtr").out.contains("violated"));
        assert!(shown("text").out.starts_with("violated"));
    }
    let dir = directory("piped");
    let trace = file(&dir, "t.json", beeline(["check", &path, "--trace", "json"]).exits(1).out);
    let run = beeline(["replay", &path, &trace, "--trace", "dot"]).exits(0);
    assert!(run.out.starts_with("digraph trace {") && run.err.starts_with("replayed  "), "{run:?}");
    let run = beeline(["check", &model("fischer.beeline"), "-p", "mutex", "--trace", "json"]).exits(0);
    assert!(run.out.is_empty() && run.err.starts_with("holds  mutex"), "{run:?}");
    let run = beeline(["check", &model("alternating-bit.beeline"), "-p", "second", "--trace", "xtr"]);
    let run = run.exits(4);
    assert!(run.out.is_empty() && run.err.contains("the trace is not printed: "), "{run:?}");
}

#[test]
fn one_note_says_that_there_is_no_trace_to_write() {
    let dir = directory("one-note");
    let (json, dot) = (dir.join("t.json"), dir.join("t.dot"));
    let files = [format!("--trace=json={}", json.display()), format!("--trace=dot={}", dot.display())];
    let run = beeline(["check", &model("fischer.beeline"), &files[0], &files[1]]).exits(0);
    let notes: Vec<&str> = run.err.lines().collect();
    assert_eq!(notes.len(), 2, "{}", run.err);
    assert!(notes[0].contains("t-1.json, ") && notes[0].ends_with("t-1.dot"), "{}", notes[0]);
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_never_numbered() {
    let dir = directory("no-file");
    let link = dir.join("null");
    std::os::unix::fs::symlink("/dev/null", &link).unwrap();
    let option = format!("--trace=dot={}", link.display());
    beeline(["check", &model("fischer.beeline"), &option]).exits(0);
    assert_eq!(std::fs::read_dir(&dir).unwrap().count(), 1);
    let run =
        beeline(["check", &model("fischer.beeline"), &format!("--trace=dot={}", dir.display())]).exits(2);
    assert!(run.err.contains("cannot be written"), "{}", run.err);
}

/// The example of the README is a real run; seconds and bytes differ.
#[test]
fn the_example_of_the_readme_is_what_is_printed() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let readme = std::fs::read_to_string(path).unwrap();
    let shown = beeline(["check", &model("fischer-bug.beeline")]).exits(1).out;
    let (told, _) = shown.split_once("(certificate").unwrap();
    assert!(readme.contains(told), "{told}");
}
