//! Random models against Spin: as many states as it stores, and the same verdicts. Without Spin and a C compiler there is
//! nothing to do. `BEELINE_SPIN=N` looks at N models from seed `BEELINE_SEED` on instead of a few.

#[path = "support/generate.rs"]
mod generate;
mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use beeline_ir::network::{Network, Role};
use generate::Generator;
use support::{explore_up_to, reading};

/// What Spin says of a model.
struct Spin {
    stored: usize,
    assertion: bool,
    end_state: bool,
}

fn given(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|n| n.parse().ok())
}

fn available() -> bool {
    let works =
        |program: &str, arg: &str| Command::new(program).arg(arg).output().is_ok_and(|o| o.status.success());
    works("spin", "-V") && works("gcc", "--version")
}

/// Runs a program in a folder and gives what it prints; `None` if that is not to be trusted.
fn run(folder: &Path, program: &str, args: &[&str]) -> Option<String> {
    let output = Command::new(program).args(args).current_dir(folder).output().ok()?;
    let text =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let refused = !output.status.success() && program != "./pan";
    (!refused && !text.contains("max search depth too small")).then_some(text)
}

fn number(text: &str, before: &str) -> Option<usize> {
    let line = text.lines().find(|line| line.contains(before))?;
    line.split(before).next()?.split_whitespace().next_back()?.parse().ok()
}

fn spin(folder: &Path, text: &str) -> Option<Spin> {
    std::fs::write(folder.join("m.pml"), text).ok()?;
    run(folder, "spin", &["-o1", "-o2", "-o3", "-a", "m.pml"])?;
    run(folder, "gcc", &["-O0", "-w", "-DSAFETY", "-DNOREDUCE", "-DNOFAIR", "-o", "pan", "pan.c"])?;
    let all = run(folder, "./pan", &["-A", "-E", "-c0", "-m200000", "-w18"])?;
    let assertion = run(folder, "./pan", &["-E", "-m200000", "-w18"])?;
    let end_state = run(folder, "./pan", &["-A", "-m200000", "-w18"])?;
    Some(Spin {
        stored: number(&all, " states, stored")?,
        assertion: !assertion.contains("errors: 0"),
        end_state: !end_state.contains("errors: 0"),
    })
}

#[test]
fn random_models_are_as_spin_sees_them() {
    if !available() {
        eprintln!("skipped: there is no Spin here");
        return;
    }
    let (models, first) = (given("BEELINE_SPIN").unwrap_or(4), given("BEELINE_SEED").unwrap_or(1));
    let folder = std::env::temp_dir().join(format!("beeline-spin-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (mut compared, mut counted) = (0, 0);
    for seed in first..first + models {
        let mut generator = Generator::new(seed);
        let text = generator.model();
        let network = reading(&text).network;
        let Some(explored) = explore_up_to(&network, 30_000) else { continue };
        let Some(spin) = spin(&folder, &text) else { continue };
        compared += 1;
        let violated = |name: &str| {
            let at = network.properties.iter().position(|p| p.name.as_deref() == Some(name));
            at.is_some_and(|at| explored.violated[at].is_some())
        };
        assert_eq!(violated("assertions"), spin.assertion, "assertions, seed {seed}\n{text}");
        assert_eq!(violated("valid-end-states"), spin.end_state, "end states, seed {seed}\n{text}");
        if !generator.atomic {
            counted += 1;
            assert_eq!(explored.states, spin.stored, "states, seed {seed}\n{text}");
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
    eprintln!("{compared} models compared, {counted} by their states");
    assert!(compared > 0);
}

/// The numbers of the elements that are executed, by process type, from Spin's own tables.
fn elements_of_spin(folder: &Path, text: &str) -> Option<BTreeMap<String, BTreeSet<i64>>> {
    std::fs::write(folder.join("m.pml"), text).ok()?;
    run(folder, "spin", &["-o1", "-o2", "-o3", "-a", "m.pml"])?;
    run(folder, "gcc", &["-O0", "-w", "-DNOREDUCE", "-o", "pan", "pan.c"])?;
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
        eprintln!("skipped: there is no Spin here");
        return;
    }
    let folder = std::env::temp_dir().join(format!("beeline-elements-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let random = (1..=given("BEELINE_SPIN").unwrap_or(2)).map(|seed| (Generator::new(seed).model(), true));
    for (text, random) in NUMBERED.iter().map(|text| (text.to_string(), false)).chain(random) {
        match elements_of_spin(&folder, &text) {
            Some(spin) => assert_eq!(elements_of_ours(&reading(&text).network), spin, "{text}"),
            // Some random models are none to Spin.
            None => assert!(random, "Spin refuses {text}"),
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
