//! Random models against Spin: as many states as it stores, and the same verdicts. Without Spin and a C compiler there is
//! nothing to do. `BEELINE_SPIN=N` looks at N models from seed `BEELINE_SEED` on instead of a few.

#[path = "support/generate.rs"]
mod generate;
mod support;

use std::path::Path;
use std::process::Command;

use generate::Generator;
use support::{explore_up_to, reading};

/// What Spin says of a model.
struct Spin {
    stored: usize,
    assertion: bool,
    end_state: bool,
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
    let given = |name: &str| std::env::var(name).ok().and_then(|n| n.parse::<u64>().ok());
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
