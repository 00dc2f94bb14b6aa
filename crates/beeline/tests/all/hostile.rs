//! Hostile input gets a diagnostic and a documented exit code, whatever it is. `fuzz/hostile` measures the same inputs.

use crate::common;
use crate::inputs;

use common::{Run, beeline, command, directory, file};
use inputs::{Answer, Input, all};
use std::path::Path;
use std::process::Child;
use std::time::Duration;

/// Longest model that is looked at without measuring.
const SHORT: usize = 2 << 20;

/// Seconds of a processor, and memory, that an answer may take.
const MAX_SECONDS: f64 = 2.0;
const MAX_KIB: u64 = 200 << 10;

/// Writes the files of an input and gives the arguments that check it.
fn written(dir: &Path, input: &Input) -> Vec<String> {
    let mut args = vec!["check".to_string(), file(dir, &format!("model.{}", input.extension), &input.model)];
    if let Some(queries) = &input.queries {
        args.extend(["-q".to_string(), file(dir, "queries.q", queries)]);
    }
    if matches!(input.answer, Answer::Large | Answer::Any) {
        args.extend(["--time-limit", "1s", "--memory-limit", "100MiB"].map(str::to_string));
    }
    args
}

fn said(run: &Run) -> String {
    let all = run.err.chars().chain(run.out.chars());
    all.take(2000).collect()
}

#[test]
fn every_input_has_its_answer() {
    let dir = directory("hostile");
    let mut wrong = Vec::new();
    for input in all().filter(|i| matches!(i.answer, Answer::Says(..)) && i.model.len() <= SHORT) {
        let run = beeline(written(&dir, &input));
        if !input.answer.is(run.code, &(run.err.clone() + &run.out)) {
            wrong.push(format!("{}: exit {:?}, {}", input.name, run.code, said(&run)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// What is called a model and is no file, or one without end.
#[test]
fn what_is_no_file() {
    let dir = directory("hostile-files");
    let says = |path: &Path, code: &str| {
        let run = beeline([Path::new("check"), path]).exits(2);
        assert!(run.err.contains(code), "{run:?}");
    };
    let path = |name: &str| dir.join(name);
    std::fs::create_dir(path("directory.xta")).unwrap();
    says(&path("directory.xta"), "C0002");
    says(&path("missing.xml"), "C0002");
    says(Path::new("-"), "C0002");
    let sparse = std::fs::File::create(path("sparse.xta")).unwrap();
    sparse.set_len(100 << 20).unwrap();
    says(&path("sparse.xta"), "C0003");
    #[cfg(unix)]
    {
        use std::os::unix::fs::{PermissionsExt, symlink};
        symlink(path("b.xta"), path("a.xta")).unwrap();
        symlink(path("a.xta"), path("b.xta")).unwrap();
        says(&path("a.xta"), "C0002");
        symlink("/dev/zero", path("zero.xta")).unwrap();
        says(&path("zero.xta"), "C0003");
        let closed = file(&dir, "closed.xta", "");
        std::fs::set_permissions(&closed, PermissionsExt::from_mode(0o000)).unwrap();
        // Some users may read everything.
        if std::fs::read(&closed).is_err() {
            says(Path::new(&closed), "C0002");
        }
    }
}

/// What a run took.
struct Taken {
    seconds: f64,
    kib: u64,
}

/// Watches a process until it ends. Its times can be read until it is waited for; its memory only while it runs.
fn watch(child: &mut Child) -> Taken {
    let mut taken = Taken { seconds: 0.0, kib: 0 };
    let proc = Path::new("/proc").join(child.id().to_string());
    loop {
        let read = |name: &str| std::fs::read_to_string(proc.join(name)).unwrap_or_default();
        let stat = read("stat");
        // After the name, which may have anything in it: state, and as the 12th and 13th the times in 1/100 s.
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        let ticks = |i: usize| fields.get(i).and_then(|f| f.parse::<f64>().ok()).unwrap_or(0.0);
        taken.seconds = (ticks(11) + ticks(12)) / 100.0;
        if fields.first().is_none_or(|state| *state == "Z") {
            return taken;
        }
        if taken.seconds > 10.0 * MAX_SECONDS {
            child.kill().expect("the child is ours");
        }
        let status = read("status");
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let peak = peak.and_then(|p| p.trim().trim_end_matches(" kB").parse().ok());
        taken.kib = taken.kib.max(peak.unwrap_or(0));
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// The measuring run, only when `BEELINE_HOSTILE` asks for it: it takes minutes and a machine with nothing else to do.
#[test]
fn answers_are_quick_and_small_when_measured() {
    let Ok(pattern) = std::env::var("BEELINE_HOSTILE") else {
        println!("not measured: fuzz/hostile does it");
        return;
    };
    let dir = directory("hostile-measured");
    let mut failures = 0;
    for input in all().filter(|input| input.name.contains(&pattern)) {
        let args = written(&dir, &input);
        let out = std::fs::File::create(dir.join("out")).unwrap();
        let err = std::fs::File::create(dir.join("err")).unwrap();
        let mut child = command(&dir).args(&args).stdout(out).stderr(err).spawn().unwrap();
        let taken = watch(&mut child);
        let code = child.wait().unwrap().code();
        let text = |name: &str| String::from_utf8_lossy(&std::fs::read(dir.join(name)).unwrap()).into_owned();
        let output = text("err") + &text("out");
        let quick = taken.seconds <= MAX_SECONDS && taken.kib <= MAX_KIB;
        let right = input.answer.is(code, &output);
        let mark = if quick && right { "ok" } else { "FAILED" };
        failures += usize::from(!(quick && right));
        let code = code.map_or("signal".into(), |c| c.to_string());
        let first: String = output.lines().next().unwrap_or_default().chars().take(70).collect();
        println!(
            "{mark:<6} {code:>6} {:>6.2} s {:>4} MB  {:<45} {first}",
            taken.seconds,
            taken.kib / 1000,
            input.name
        );
    }
    assert_eq!(failures, 0, "see the table above");
}
