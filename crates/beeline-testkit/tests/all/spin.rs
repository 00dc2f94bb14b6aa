//! Random Promela models against Spin: as many states as it stores, the same verdicts, and, where steps are counted as Spin
//! does, the depths of its breadth-first search; elements with the same numbers. Without Spin and a C compiler there is
//! nothing to do. `BEELINE_SPIN=N` looks at N models from seed `BEELINE_SEED` on instead of a few. Compiling Spin's
//! verifiers takes most of the time: `tcc` does it in a tenth of the time of `gcc`, and is taken where it is found.

use beeline_ir::network::{Network, Role};
use beeline_promela::Length;
use beeline_testkit::generate::promela::{Promela, promela};
use beeline_testkit::harness::promela::{is_refused, network};
use beeline_testkit::oracle;
use beeline_testkit::random::Random;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

/// States that are visited at most of a random model.
const BUDGET: usize = 2_000;

const ASSERTIONS: &str = "assertions";
const END_STATES: &str = "valid-end-states";

fn given(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|n| n.parse().ok())
}

fn works(program: &str, arg: &str) -> bool {
    Command::new(program).arg(arg).output().is_ok_and(|o| o.status.success())
}

/// A C compiler, the quickest first.
fn compiler() -> Option<&'static str> {
    ["tcc", "gcc"].into_iter().find(|program| works(program, "-v"))
}

fn available() -> bool {
    works("spin", "-V") && compiler().is_some()
}

/// Seconds that a verifier may take: it runs through a loop inside of an atomic sequence again and again, each time twice
/// as often as before.
const PATIENCE: &str = "10";

/// Runs a program in a folder and gives what it prints; `None` if that is not to be trusted.
fn run(folder: &Path, program: &str, args: &[&str]) -> Option<String> {
    let own = program.starts_with("./");
    let mut command = match own {
        true => Command::new("timeout"),
        false => Command::new(program),
    };
    if own {
        command.args([PATIENCE, program]);
    }
    let output = command.args(args).current_dir(folder).output().ok()?;
    let text =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let refused = !output.status.success() && !own;
    (!refused && !text.contains("max search depth too small")).then_some(text)
}

/// The number before some words.
fn number(text: &str, before: &str) -> Option<usize> {
    let line = text.lines().find(|line| line.contains(before))?;
    line.split(before).next()?.split_whitespace().next_back()?.parse().ok()
}

fn has_errors(told: &str) -> bool {
    !told.contains("errors: 0")
}

/// The depth of the error that was told of.
fn depth(told: &str) -> Option<u32> {
    let line = told.lines().find(|line| line.starts_with("pan:1:"))?;
    line.rsplit("at depth ").next()?.trim_end_matches(')').parse().ok()
}

/// A model, ready to be verified by Spin.
struct Spin<'f> {
    folder: &'f Path,
}

impl<'f> Spin<'f> {
    /// `None` if Spin does not read it.
    fn new(folder: &'f Path, text: &str, flags: &[&str]) -> Option<Self> {
        std::fs::write(folder.join("m.pml"), text).ok()?;
        run(folder, "spin", &["-o1", "-o2", "-o3", "-a", "m.pml"])?;
        let common = ["-O0", "-w", "-fwrapv", "-DSAFETY", "-DNOREDUCE", "-DNOFAIR", "-o", "pan", "pan.c"];
        run(folder, compiler()?, &[flags, &common[..]].concat())?;
        Some(Self { folder })
    }

    fn verify(&self, flags: &[&str]) -> Option<String> {
        let told = run(self.folder, "./pan", &[flags, &["-m200000", "-w18"]].concat())?;
        // It does not like loops that do nothing.
        told.contains("errors: ").then_some(told)
    }
}

/// The least length of a property of a model; outer `None` if the model is too large or fails at run time.
fn least(network: &Network, name: &str) -> Option<Option<u32>> {
    let Some(property) = network.properties.iter().find(|p| p.name.as_deref() == Some(name)) else {
        return Some(None);
    };
    let answer = oracle::solve(network, property, true, BUDGET).ok()?;
    (!answer.fails).then_some(answer.length)
}

/// What was compared.
#[derive(Default)]
struct Compared {
    models: usize,
    states: usize,
    depths: usize,
    claims: usize,
}

/// Compares one model; `None` if there is nothing to compare.
fn compare(folder: &Path, model: &Promela, seed: u64, compared: &mut Compared) -> Option<()> {
    let text = &model.text;
    if is_refused(text) {
        return None;
    }
    let read =
        |length| network(text, length).unwrap_or_else(|trouble| panic!("seed {seed}: {trouble}\n{text}"));
    let ours = read(Length::Statements);
    let assertion = least(&ours, ASSERTIONS)?;
    if model.claimed {
        let claimed = ours.properties.iter().filter(|p| p.name.as_deref() != Some(ASSERTIONS));
        let mut violated = false;
        for property in claimed {
            violated |= oracle::solve(&ours, property, true, BUDGET).ok()?.length.is_some();
        }
        let told = Spin::new(folder, text, &["-DNOCLAIM"])?.verify(&["-E"])?;
        assert_eq!(assertion.is_some(), has_errors(&told), "assertions, seed {seed}\n{text}\n{told}");
        // Spin's verifier counts the claim among the processes.
        let text = text.replace("_nr_pr", "(_nr_pr - 1)");
        let told = Spin::new(folder, &text, &[])?.verify(&["-E"])?;
        // An assertion of the model fails for Spin only where the claim goes on.
        let right = violated || (assertion.is_some() && has_errors(&told));
        assert_eq!(right, has_errors(&told), "claim, seed {seed}\n{text}\n{told}");
        compared.claims += 1;
        return Some(());
    }
    let end_state = least(&ours, END_STATES)?;
    let spin = Spin::new(folder, text, &[])?;
    assert_eq!(assertion.is_some(), has_errors(&spin.verify(&["-E"])?), "assertions, seed {seed}\n{text}");
    assert_eq!(end_state.is_some(), has_errors(&spin.verify(&["-A"])?), "end states, seed {seed}\n{text}");
    compared.models += 1;
    if !model.atomic {
        let property = ours.properties.iter().find(|p| p.name.as_deref() == Some(END_STATES))?;
        let states = oracle::solve(&ours, property, true, BUDGET).ok()?.reachable.len();
        let told = spin.verify(&["-A", "-E", "-c0"])?;
        assert_eq!(Some(states), number(&told, " states, stored"), "states, seed {seed}\n{text}");
        compared.states += 1;
    }
    if !model.rendezvous && (assertion.is_some() || end_state.is_some()) {
        let spin = Spin::new(folder, text, &["-DBFS"])?;
        let ours = read(Length::Spin);
        // A failing assertion does not count itself.
        let told = depth(&spin.verify(&["-E"])?);
        assert_eq!(least(&ours, ASSERTIONS)?.map(|d| d - 1), told, "depth of assertion, seed {seed}\n{text}");
        let told = depth(&spin.verify(&["-A"])?);
        assert_eq!(least(&ours, END_STATES)?, told, "depth of end state, seed {seed}\n{text}");
        compared.depths += 1;
    }
    Some(())
}

#[test]
fn random_models_are_as_spin_sees_them() {
    if !available() {
        eprintln!("skipped: Spin or a C compiler is not installed");
        return;
    }
    let (models, first) = (given("BEELINE_SPIN").unwrap_or(6), given("BEELINE_SEED").unwrap_or(1));
    let folder = std::env::temp_dir().join(format!("beeline-spin-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let mut compared = Compared::default();
    let mut skipped = 0;
    for seed in first..first + models {
        let model = promela(Random::new(seed));
        skipped += usize::from(compare(&folder, &model, seed, &mut compared).is_none());
        let done = seed + 1 - first;
        if done.is_multiple_of(50) {
            eprintln!("{done} of {models} models looked at, {skipped} skipped");
        }
    }
    std::fs::remove_dir_all(&folder).expect("a folder");
    let Compared { models, states, depths, claims } = compared;
    eprintln!(
        "{models} models compared, {states} by their states, {depths} by their depths; {claims} claims; {skipped} skipped"
    );
    assert!(models + claims > 0);
}

/// The numbers of the elements that are executed, by process type, from Spin's own tables.
fn elements_of_spin(folder: &Path, text: &str) -> Option<BTreeMap<String, BTreeSet<i64>>> {
    std::fs::write(folder.join("m.pml"), text).ok()?;
    run(folder, "spin", &["-o1", "-o2", "-o3", "-a", "m.pml"])?;
    run(folder, compiler()?, &["-O0", "-w", "-DNOREDUCE", "-o", "pan", "pan.c"])?;
    let table = run(folder, "./pan", &["-d"])?;
    let mut found: BTreeMap<String, BTreeSet<i64>> = BTreeMap::new();
    let mut current = None;
    for line in table.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["proctype", name] => current = Some((*name).to_string()),
            ["init"] => current = Some("init".to_string()),
            ["claim", ..] => current = None,
            ["state", ..] => {
                let id = line.split("[id").nth(1)?.split_whitespace().next()?.parse().ok()?;
                if let Some(name) = &current {
                    found.entry(name.clone()).or_default().insert(id);
                }
            }
            _ => {}
        }
    }
    Some(found)
}

fn elements_of_ours(network: &Network) -> BTreeMap<String, BTreeSet<i64>> {
    let mut found: BTreeMap<String, BTreeSet<i64>> = BTreeMap::new();
    for process in network.processes.iter().filter(|p| p.role == Role::System) {
        let name = process.name.split(['(', '#']).next().unwrap_or_default().to_string();
        let numbers = process.edges.iter().filter_map(|e| e.origin.as_ref()).flat_map(|o| o.native.iter());
        found.entry(name).or_default().extend(numbers);
    }
    found
}

/// Constructs with elements of their own, and some that Spin's lexer or parser treats in a way of its own.
const NUMBERED: [&str; 10] = [
    "inline g(a) { return a + 1 } inline f(x) { if :: x > 1 -> goto out :: else fi; x++; out: skip } byte y, z;
     active proctype P() { y = g(3); f(y); f(z); y = g(2); z = 1 }",
    "inline f(x) { x = 1; x = 2 } byte g;
     active proctype P() { byte i; L: for (i : 1 .. 3) { g++ }; f(g); M: f(g); if :: goto L :: goto M :: skip fi }",
    "typedef T { byte a; byte b[2] }; byte g; active proctype P() { g = 1; byte q[3]; T t; byte z; int k = 4;
       select(z : 1 .. 3); select(z : g .. 3); select(z : 1 .. 60);
       if :: skip; skip; g = 2; skip; printf(\"a\"); skip; skip :: printf(\"x\"); skip; g = 3 fi;
       end1: goto end2; end2: { g = 4; g = 5 }; { g = 7 } unless { g == 3; g = 5 }; g = 8 unless g == 9 }",
    "byte g; active proctype P() { do :: atomic { if :: g = 1 :: g = 2 fi } :: atomic { g = 3; goto L }
       :: atomic { g = 4; do :: g < 9 -> g++ :: else -> break od }
       :: d_step { g = 4; do :: g < 9 -> g++ :: else -> break od } :: d_step { g = 4; if :: g = 1 :: g = 2 fi }; goto L
       :: break :: atomic { d_step { g = 5; g = 6 } } :: atomic { d_step { g = 5; g = 6 }; g = 7; break } od; L: skip }",
    "byte g; never { do :: g == 3 -> break :: else od } init { g = 1; run P(); do :: g < 3 -> g++ :: else -> break od }
     proctype P() { atomic { g = 1; g = 2 } } ltl l { [] (g < 5) }",
    "byte g; active proctype P() { L: goto M; g = 1; M: g = 2; if :: g == 2 -> goto L :: g = 3 fi }
     active proctype Q() { g = 4; P@L; g = 5 } ltl { [] !(P@L && g == 7) }",
    "byte g; chan c = [0] of { byte }; active proctype P() { atomic { if :: c!1 :: g = 1; { g = 2; c!2 } fi }; g = 3 }
     active proctype Q() { do :: atomic { c?g; if :: g > 1 -> break :: else fi } :: atomic { c?g } od }",
    "byte g; active proctype P() { L: { g = 1; g = 2 } unless { g == 7 -> goto L }; do :: g = 3 unless atomic { g == 2; g = 4 };
       break :: do :: g = 9 -> break :: g == 4 -> goto E od unless { timeout -> g = 6 } od; E: g = 0 }",
    "byte g; active proctype P() { atomic { g = 1; do :: g < 5 -> atomic { g++; g++ } :: g > 3 -> goto M od }; g = 9;
       atomic { g = 2; M: g = 3; if :: g = 4; goto N :: g = 5 fi; N: g = 6 } }",
    "byte g; active proctype P() { byte a[4]; byte i; for (i in a) { g = i; if :: g == 2 -> break :: else fi }; g = 7;
       do :: { g == 7 -> g = 8 } :: { else -> break } od; { g = 1; { g = 2; g = 3 } } }",
];

#[test]
fn elements_have_the_numbers_that_spin_gives_them() {
    if !available() {
        eprintln!("skipped: Spin or a C compiler is not installed");
        return;
    }
    let folder = std::env::temp_dir().join(format!("beeline-elements-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let seeds = 1..=given("BEELINE_SPIN").unwrap_or(3);
    let random = seeds.map(|seed| (promela(Random::new(seed)).text, true));
    for (text, random) in NUMBERED.iter().map(|text| (text.to_string(), false)).chain(random) {
        match elements_of_spin(&folder, &text) {
            Some(spin) => assert_eq!(
                elements_of_ours(&network(&text, Length::Statements).expect("a model")),
                spin,
                "{text}"
            ),
            // Some random models are none to Spin.
            None => assert!(random, "Spin refuses {text}"),
        }
    }
    std::fs::remove_dir_all(&folder).expect("a folder");
}
