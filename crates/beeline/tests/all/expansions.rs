//! Exact numbers of states expanded and generated, and lengths of traces, on small instances of our own families: a search
//! that does more or less than before shows here first, whether that was meant or not.
//!
//! The kept numbers are in `expansions.tsv`. A change that is meant is kept by
//! `BEELINE_UPDATE=1 cargo test -p beeline expansions`, and its commit says why.

use crate::common;

use common::{beeline, command, directory};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A line of the file: what to run, and what came of it.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Line {
    /// What `generate` is told.
    instance: String,
    search: String,
    heuristic: String,
    expanded: u64,
    generated: u64,
    /// Of the trace; none if there is none.
    length: Option<u64>,
}

impl Line {
    fn read(text: &str) -> Self {
        let fields: Vec<&str> = text.split('\t').collect();
        let [instance, search, heuristic, expanded, generated, length] = fields[..] else {
            panic!("six fields, not {text:?}")
        };
        let number = |text: &str| text.parse().unwrap_or_else(|_| panic!("a number, not {text:?}"));
        Self {
            instance: instance.into(),
            search: search.into(),
            heuristic: heuristic.into(),
            expanded: number(expanded),
            generated: number(generated),
            length: (length != "-").then(|| number(length)),
        }
    }

    fn write(&self) -> String {
        let Self { instance, search, heuristic, expanded, generated, length } = self;
        let length = length.map_or("-".into(), |length| length.to_string());
        format!("{instance}\t{search}\t{heuristic}\t{expanded}\t{generated}\t{length}\n")
    }

    /// The same, with what comes of it now.
    fn run(&self, dir: &Path) -> Self {
        let model = dir.join(format!("{}.xta", self.instance.replace(' ', "")));
        if !model.exists() {
            let mut generate = command(dir);
            generate.arg("generate").args(self.instance.split(' ')).arg("-o").arg(&model);
            assert!(generate.output().expect("the command runs").status.success(), "{}", self.instance);
        }
        let model = model.display().to_string();
        let mut args =
            vec!["check", &model, "-p", "1", "--certify", "never", "--json", "--search", &self.search];
        if self.heuristic != "-" {
            args.extend(self.heuristic.split('+').flat_map(|heuristic| ["--heuristic", heuristic]));
        }
        if matches!(&*self.search, "greedy" | "random-dfs") {
            args.extend(["--seed", "0"]);
        }
        let run = beeline(args);
        assert!(matches!(run.code, Some(0 | 1)), "{self:?}: {run:?}");
        let result = run.json()["results"][0].clone();
        let counter = |name: &str| result["stats"][name].as_u64().expect("a counter");
        Self {
            expanded: counter("expanded"),
            generated: counter("generated"),
            length: result["trace"]["length"].as_u64(),
            ..self.clone()
        }
    }
}

fn kept() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/expansions.tsv")
}

#[test]
fn as_many_states_as_before() {
    let dir = directory("expansions");
    let text = std::fs::read_to_string(kept()).expect("the kept numbers");
    let (comments, lines): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.starts_with('#'));
    let before: Vec<Line> = lines.into_iter().map(Line::read).collect();
    let runs: BTreeSet<_> =
        before.iter().map(|line| (&line.instance, &line.search, &line.heuristic)).collect();
    assert!(before.len() >= 20 && runs.len() == before.len(), "lines are there, and each once");
    let now: Vec<Line> = before.iter().map(|line| line.run(&dir)).collect();
    if std::env::var_os("BEELINE_UPDATE").is_some() {
        let comments = comments.into_iter().map(|line| format!("{line}\n"));
        let text: String = comments.chain(now.iter().map(Line::write)).collect();
        std::fs::write(kept(), text).expect("the file is written");
        return;
    }
    let changed: String = before
        .iter()
        .zip(&now)
        .filter(|(before, now)| before != now)
        .map(|(before, now)| format!("kept: {}now:  {}", before.write(), now.write()))
        .collect();
    assert!(changed.is_empty(), "\n{changed}if this is meant, run the test with BEELINE_UPDATE=1\n");
}
