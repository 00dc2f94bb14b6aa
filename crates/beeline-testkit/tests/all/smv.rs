//! SMV models, visited state by state: the public ones against the answers of NuSMV 2.5.4 that are on record, random
//! ones against NuSMV 2.6 where it is installed.

use beeline_check::replay;
use beeline_ir::Model;
use beeline_ir::property::{Property, PropertyKind};
use beeline_ir::relation::Relation;
use beeline_ir::text::{self, ReadOptions};
use beeline_ir::trace::{Run, Trace};
use beeline_smv::nusmv_xml;
use beeline_testkit::generate::smv::smv;
use beeline_testkit::oracle::relation::{Reachable, reachable};
use beeline_testkit::random::Random;
use std::path::{Path, PathBuf};
use std::process::Command;

/// States that are visited at most of a public model.
const BUDGET: usize = 60_000;

/// The answers on record: file, position of the specification, whether it holds, and the states of NuSMV's
/// counterexample. Where a formula has no counterexample by a run (`EF`), its count is not given.
const ANSWERS: [(&str, usize, bool, Option<u32>); 12] = [
    ("hwcbmc/AG1.smv", 0, false, Some(1)),
    ("hwcbmc/AG1.smv", 1, true, None),
    ("hwcbmc/BDD4.smv", 0, false, Some(2)),
    ("hwcbmc/range_type1.smv", 0, true, None),
    ("hwcbmc/smv_ag1.smv", 0, true, None),
    ("nusmv/example_cmu__counter.smv", 1, false, Some(8)),
    ("nusmv/example_cmu__dme1.smv", 0, true, None),
    ("nusmv/example_cmu__mutex.smv", 0, false, None),
    ("nusmv/example_cmu__mutex1.smv", 0, false, None),
    ("nusmv/example_cmu__syncarb5.smv", 0, true, None),
    ("toy/maze.smv", 0, true, None),
    ("toy/river.smv", 0, false, Some(12)),
];

/// Reachable states, and those of a longest shortest run (the diameter that NuSMV 2.6 prints).
const SIZES: [(&str, usize, u32); 14] = [
    ("hwcbmc/AG1.smv", 1, 1),
    ("hwcbmc/BDD4.smv", 3, 2),
    ("hwcbmc/ivar1.smv", 1, 1),
    ("hwcbmc/range_type1.smv", 2, 1),
    ("hwcbmc/smv_ag1.smv", 1, 1),
    ("nusmv/example_cmu__counter.smv", 8, 8),
    ("nusmv/example_cmu__dme1.smv", 6_579, 96),
    ("nusmv/example_cmu__gigamax.smv", 3_408, 6),
    ("nusmv/example_cmu__mutex.smv", 6, 6),
    ("nusmv/example_cmu__mutex1.smv", 16, 7),
    ("nusmv/example_cmu__semaphore.smv", 12, 5),
    ("nusmv/example_cmu__syncarb5.smv", 5_120, 10),
    ("toy/maze.smv", 32, 9),
    ("toy/river.smv", 16, 13),
];

/// The public models, if they are there.
fn public() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/models/smv");
    root.is_dir().then_some(root)
}

#[test]
fn public_models_have_as_many_states_as_on_record() {
    let Some(root) = public() else { return println!("skipped: the public models are not there") };
    for (file, states, diameter) in SIZES {
        let relation = read(&std::fs::read_to_string(root.join(file)).expect("a text"));
        let all = reachable(&relation, BUDGET).unwrap_or_else(|e| panic!("{file}: {e:?}"));
        let longest = all.distance.iter().max().map(|d| d + 1);
        assert_eq!((all.states.len(), longest), (states, Some(diameter)), "{file}");
    }
}

fn replayed(model: &Model, property: &Property, all: &Reachable<'_>) -> Option<u32> {
    let run = all.run(property)?;
    let trace = Trace {
        model: model.hash(),
        property: text::print_property(model, property),
        run: Run::Relation(run),
    };
    let length = replay(model, property, &trace).unwrap_or_else(|error| panic!("{error}")).length;
    assert_eq!(Some(length), all.length(property));
    Some(length)
}

#[test]
fn public_models_have_the_answers_on_record() {
    let Some(root) = public() else { return println!("skipped: the public models are not there") };
    for (file, at, holds, states) in ANSWERS {
        let source = std::fs::read_to_string(root.join(file)).expect("a text");
        let model = Model::Relation(beeline_smv::read(&source, file).expect("a model").relation);
        let Model::Relation(relation) = &model else { continue };
        let property = &relation.properties[at];
        assert!(!matches!(property.kind, PropertyKind::Refused(_)), "{file}");
        let all = reachable(relation, BUDGET).unwrap_or_else(|e| panic!("{file}: {e:?}"));
        let length = replayed(&model, property, &all);
        assert_eq!(property.holds(length.is_some()), holds, "{file}");
        if let Some(states) = states {
            assert_eq!(length.map(|length| length + 1), Some(states), "{file}");
        }
    }
}

fn read(source: &str) -> Relation {
    match beeline_smv::read(source, "random.smv") {
        Ok(reading) => reading.relation,
        Err(wrong) => panic!("{source}\n{wrong:#?}"),
    }
}

#[test]
fn random_models_are_read_and_read_back() {
    for seed in 0..1_000 {
        let source = smv(Random::new(seed));
        let model = Model::Relation(read(&source));
        let back = text::read(&text::print(&model), ReadOptions { file: "back", record_places: false });
        assert_eq!(back.as_ref(), Ok(&model), "seed {seed}\n{source}");
    }
}

/// Runs where `BEELINE_NUSMV` names NuSMV's program; `BEELINE_NUSMV_MODELS` and `BEELINE_NUSMV_SEED` say how many
/// models, and from which seed on.
#[test]
fn random_models_have_the_answers_of_nusmv() {
    let Ok(program) = std::env::var("BEELINE_NUSMV") else {
        println!("skipped: BEELINE_NUSMV is not set");
        return;
    };
    let number =
        |name: &str, default| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default);
    let (first, count) = (number("BEELINE_NUSMV_SEED", 0), number("BEELINE_NUSMV_MODELS", 200));
    let directory = std::env::temp_dir().join(format!("beeline-nusmv-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a directory");
    let (mut states, mut violated, mut formulas, mut skipped) = (0, 0, 0, 0);
    for seed in first..first + count {
        let source = smv(Random::new(seed));
        let relation = read(&source);
        let all = reachable(&relation, 1_000_000).expect("few states");
        let run = relation.properties.iter().take(3).find_map(|property| all.run(property));
        let xml = run.as_ref().map(|run| nusmv_xml(&relation, run));
        let theirs = match ask(&program, &directory, &source, xml.as_deref()) {
            Ok(theirs) => theirs,
            // A failed assertion of NuSMV's own, such as that about `resize` of a signed word to one bit.
            Err(said) if said.contains("Assertion") => {
                skipped += 1;
                continue;
            }
            Err(said) => panic!("seed {seed}\n{source}\n{said}"),
        };
        let (invariants, others) = relation.properties.split_at(3);
        let lengths: Vec<Option<u32>> =
            invariants.iter().map(|p| all.length(p).map(|length| length + 1)).collect();
        assert_eq!((all.states.len() as u64, &*lengths), (theirs.0, &theirs.1[..3]), "seed {seed}\n{source}");
        // NuSMV's CTL and LTL are about infinite runs.
        if all.deadlocks.is_empty() && !all.states.is_empty() {
            for (property, theirs) in others.iter().zip(&theirs.1[3..]) {
                if !matches!(property.kind, PropertyKind::Refused(_)) {
                    let holds = property.holds(all.length(property).is_some());
                    assert_eq!(holds, theirs.is_none(), "seed {seed}, {:?}\n{source}", property.name);
                    formulas += 1;
                }
            }
        }
        states += all.states.len();
        violated += lengths.iter().flatten().count();
    }
    std::fs::remove_dir_all(&directory).expect("the directory is removed");
    println!(
        "{count} models, {skipped} skipped, {states} states, {violated} invariants violated, {formulas} formulas"
    );
    assert!(skipped <= count / 20, "too many are skipped");
}

/// The specifications of a random model, in order.
const QUESTIONS: [(&str, &str); 6] = [
    ("invar", "p0"),
    ("invar", "p1"),
    ("invar", "p2"),
    ("ctlspec", "all"),
    ("ctlspec", "some"),
    ("ltlspec", "never"),
];

/// NuSMV's answers: how many states are reachable, and how many the counterexamples have. A trace of ours, if given,
/// it must be able to read and execute.
fn ask(
    program: &str,
    directory: &Path,
    source: &str,
    xml: Option<&str>,
) -> Result<(u64, Vec<Option<u32>>), String> {
    let (model, script) = (directory.join("model.smv"), directory.join("script"));
    let trace = directory.join("trace.xml");
    let mut commands = format!(
        "read_model -i {}\nflatten_hierarchy\nencode_variables\nbuild_model\ncompute_reachable\nprint_reachable_states\n",
        model.display()
    );
    for (check, name) in QUESTIONS {
        commands.push_str(&format!("check_{check} -P {name}\n"));
    }
    if let Some(xml) = xml {
        std::fs::write(&trace, xml).map_err(|e| e.to_string())?;
        commands.push_str(&format!("read_trace {}\nexecute_traces -a\n", trace.display()));
    }
    commands.push_str("quit\n");
    std::fs::write(&model, source).map_err(|e| e.to_string())?;
    std::fs::write(&script, commands).map_err(|e| e.to_string())?;
    let output = Command::new(program).arg("-source").arg(&script).output().map_err(|e| e.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let said = || format!("{text}\n{}", String::from_utf8_lossy(&output.stderr));
    if xml.is_some() && !text.contains("execution completed successfully") {
        return Err(format!("{}\nthe trace is not executed: {}", said(), xml.unwrap_or_default()));
    }
    let reached = text.lines().find_map(|l| l.strip_prefix("reachable states: ")).ok_or_else(said)?;
    let reached: f64 = reached.split_whitespace().next().and_then(|n| n.parse().ok()).ok_or_else(said)?;
    let mut answers: Vec<Option<u32>> = Vec::new();
    for line in text.lines() {
        // A formula may have several lines.
        if line.trim_end().ends_with("is true") {
            answers.push(None);
        } else if line.trim_end().ends_with("is false") {
            answers.push(Some(0));
        } else if line.trim_start().starts_with("-> State:") {
            *answers.last_mut().and_then(Option::as_mut).ok_or_else(said)? += 1;
        }
    }
    if answers.len() == 6 { Ok((reached as u64, answers)) } else { Err(said()) }
}
