//! The public models, where they are at hand: each is read, or what is not supported is named with its place.

use std::path::{Path, PathBuf};

use beeline_ir::diagnostic::Severity;
use beeline_ir::network::Network;
use beeline_ir::property::PropertyKind;
use beeline_uppaal::{Format, Reading, read};

const ABSENT: &str = "skipped: the public models are not there";

fn models() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/models/uppaal");
    root.is_dir().then_some(root)
}
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|e| ["xml", "xta", "ta"].iter().any(|x| e == *x)) {
            found.push(path);
        }
    }
}
fn read_file(path: &Path) -> Result<Reading, Vec<beeline_ir::diagnostic::Diagnostic>> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let format = if path.extension().is_some_and(|e| e == "xml") { Format::Xml } else { Format::Xta };
    read(&text, &path.to_string_lossy(), format)
}

#[test]
fn every_model_is_read_or_refused_by_name() {
    let Some(root) = models() else { return println!("{ABSENT}") };
    let mut found = Vec::new();
    files(&root, &mut found);
    assert!(found.len() >= 50, "only {} models", found.len());
    for path in found {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        match read_file(&path) {
            Ok(_) => assert!(!name.starts_with("err-"), "{name} should be rejected"),
            Err(diagnostics) => {
                let errors: Vec<_> =
                    diagnostics.iter().filter(|d| d.severity <= Severity::Unsupported).collect();
                assert!(errors.iter().all(|d| d.span.is_some()), "{name}: {errors:#?}");
                if name.starts_with("err-") {
                    assert!(errors.iter().any(|d| d.severity == Severity::Error), "{name}");
                } else {
                    // Stop-watches whose clocks are tested; nothing else is refused.
                    let stopwatch = ["SchedulingFramework.xml", "scheduling4.xml"].contains(&name.as_str());
                    assert!(stopwatch && errors.iter().all(|d| d.code == "U0533"), "{name}: {errors:#?}");
                }
            }
        }
    }
}

#[test]
fn the_structure_is_that_of_the_papers() {
    let Some(root) = models() else { return println!("{ABSENT}") };
    let variables = |network: &Network| {
        network.clocks.len() + network.vars.iter().map(|v| v.len.unwrap_or(1) as usize).sum::<usize>()
    };
    for (name, automata, count) in [
        ("C1_StLS.xml", 5, 15),
        ("C3_derived.xta", 6, 18),
        ("C4_derived.xta", 7, 20),
        ("C9_STLS.xta", 10, 28),
        ("M1_mutex.xta", 3, 15),
    ] {
        let network = read_file(&root.join("mcta").join(name)).unwrap().network;
        assert_eq!((network.processes.len(), variables(&network)), (automata, count), "{name}");
    }
}

#[test]
fn queries_resolve() {
    let Some(root) = models() else { return println!("{ABSENT}") };
    for (model, file) in [
        ("mcta/FA5.xta", "mcta/FA.q"),
        ("mcta/FB5.xta", "mcta/FB.q"),
        ("mcta/M1_mutex.xta", "mcta/M1_mutex.q"),
        ("mcta/C9_STLS.xta", "mcta/C9_STLS.q"),
        ("xtasuite/engine.xta", "xtasuite/engine.q"),
        ("xtasuite/critical-2-25-50.xta", "xtasuite/critical.q"),
        ("xtasuite/fischer-5-32-64.xta", "xtasuite/fischer.q"),
        ("xtasuite/lynch-2-16.xta", "xtasuite/lynch.q"),
        ("xtasuite/csma-2.xta", "xtasuite/csma.q"),
        ("xtasuite/soldiers.xta", "xtasuite/soldiers.q"),
        ("consensus/3N1F.xml", "consensus/3N1F.q"),
    ] {
        let reading = read_file(&root.join(model)).unwrap();
        let text = std::fs::read_to_string(root.join(file)).unwrap();
        let properties = reading.symbols.queries(&reading.network, &text);
        assert!(!properties.is_empty(), "{file}");
        for property in properties {
            let malformed = matches!(&property.kind, PropertyKind::Refused(r) if r.malformed);
            assert!(!malformed, "{file}: {property:#?}");
        }
    }
}
