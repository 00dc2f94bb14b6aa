//! Keeps the project in the shape ARCHITECTURE.md describes: directions of dependencies, sizes of files, a small kernel,
//! prose at the top of every file, links that lead somewhere.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("the workspace exists")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

/// Which crates of the workspace each crate may use (not counting tests).
const ALLOWED: &[(&str, &[&str])] = &[
    ("beeline-ir", &[]),
    ("beeline-promela", &["beeline-ir"]),
    ("beeline-smv", &["beeline-ir"]),
    ("beeline-uppaal", &["beeline-ir"]),
    ("beeline-zones", &[]),
    ("beeline-families", &[]),
    ("beeline-program", &["beeline-ir"]),
    ("beeline-engine", &["beeline-ir", "beeline-program", "beeline-zones"]),
    (
        "beeline-heuristics",
        &["beeline-ir", "beeline-program", "beeline-zones", "beeline-engine", "beeline-abstraction"],
    ),
    ("beeline-abstraction", &["beeline-ir", "beeline-program", "beeline-zones", "beeline-engine"]),
    ("beeline-check", &["beeline-ir"]),
    ("beeline-symbolic", &["beeline-ir", "beeline-program", "beeline-abstraction"]),
    ("beeline-report", &["beeline-ir", "beeline-check"]),
    ("beeline-bench", &["beeline-report"]),
    (
        "beeline",
        &[
            "beeline-ir",
            "beeline-program",
            "beeline-zones",
            "beeline-engine",
            "beeline-heuristics",
            "beeline-abstraction",
            "beeline-bench",
            "beeline-check",
            "beeline-families",
            "beeline-report",
            "beeline-promela",
            "beeline-smv",
            "beeline-symbolic",
            "beeline-uppaal",
        ],
    ),
    (
        "beeline-testkit",
        &[
            "beeline",
            "beeline-ir",
            "beeline-program",
            "beeline-zones",
            "beeline-engine",
            "beeline-heuristics",
            "beeline-abstraction",
            "beeline-check",
            "beeline-report",
            "beeline-promela",
            "beeline-smv",
            "beeline-symbolic",
            "beeline-uppaal",
        ],
    ),
];

/// The names in a manifest's `[dependencies]` section.
fn dependencies(manifest: &str) -> Vec<String> {
    let mut inside = false;
    let mut names = Vec::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            inside = line.trim() == "[dependencies]";
        } else if inside && let Some((name, _)) = line.split_once('=') {
            names.push(name.trim().trim_end_matches(".workspace").to_string());
        }
    }
    names
}

#[test]
fn dependencies_point_one_way() {
    let allowed: BTreeMap<_, _> = ALLOWED.iter().copied().collect();
    let mut crates: Vec<_> = std::fs::read_dir(root().join("crates")).expect("crates").flatten().collect();
    crates.sort_by_key(|entry| entry.file_name());
    assert_eq!(crates.len(), ALLOWED.len(), "every crate has a line in ALLOWED");
    for entry in crates {
        let name = entry.file_name().to_string_lossy().into_owned();
        let allowed = allowed.get(name.as_str()).unwrap_or_else(|| panic!("{name} has no line in ALLOWED"));
        for dependency in dependencies(&read(&entry.path().join("Cargo.toml"))) {
            if dependency.starts_with("beeline") {
                assert!(allowed.contains(&dependency.as_str()), "{name} must not use {dependency}");
            }
        }
    }
}

#[test]
fn every_dependency_is_explained() {
    let explained = read(&root().join("docs/dependencies.md"));
    for entry in std::fs::read_dir(root().join("crates")).expect("crates").flatten() {
        for dependency in dependencies(&read(&entry.path().join("Cargo.toml"))) {
            assert!(
                dependency.starts_with("beeline") || explained.contains(&format!("`{dependency}`")),
                "docs/dependencies.md has no line for {dependency}"
            );
        }
    }
}

#[test]
fn every_diagnostic_code_is_documented() {
    let documented = read(&root().join("docs/diagnostics.md"));
    for file in xtask::rust_files(&root().join("crates")) {
        let text = read(&file);
        let product = text.split("#[cfg(test)]").next().unwrap_or_default();
        for code in product
            .split('"')
            .filter(|s| s.len() == 5 && s.is_ascii() && ["E0", "U0", "C0"].contains(&&s[..2]))
        {
            assert!(documented.contains(code), "{}: {code} is not documented", shown(&file));
        }
    }
}

/// Lines of a file before its unit tests.
fn lines_without_tests(text: &str) -> usize {
    text.lines().take_while(|line| !line.starts_with("#[cfg(test)]")).count()
}

#[test]
fn the_kernel_stays_small() {
    let files = xtask::rust_files(&root().join("crates/beeline-check/src"));
    let product = files.iter().filter(|file| !file.to_string_lossy().ends_with("_test.rs"));
    let lines: usize = product.map(|file| lines_without_tests(&read(file))).sum();
    assert!((1..4000).contains(&lines), "the kernel has {lines} lines");
}

#[test]
fn files_are_one_idea_each() {
    for file in xtask::rust_files(&root()) {
        let text = read(&file);
        let name = shown(&file);
        let tests = name.contains("tests/") || name.ends_with("_test.rs");
        assert!(text.starts_with("//!") || text.starts_with("#!"), "{name} does not open with prose");
        assert!(lines_without_tests(&text) <= 600, "{name} has more than 600 lines");
        for (number, line) in text.lines().enumerate() {
            let at = format!("{name}:{}", number + 1);
            assert!(line.chars().count() <= 125 || tests, "{at} is longer than 125 characters");
            // Texts that tests read or expect may have both.
            let blanks = line.ends_with(' ') || line.contains('\t');
            assert!(!blanks || tests, "{at} has trailing blanks or tabs");
            let words = ["TO", "DO"].concat();
            assert!(
                !line.contains(&words) && !line.contains(&["FIX", "ME"].concat()),
                "{at} puts something off"
            );
            assert!(!line.contains(&["todo", "!("].concat()), "{at} is not written yet");
            assert!(!line.contains(&["unimplemented", "!("].concat()), "{at} is not written yet");
            assert!(!line.contains(&["#[", "ignore"].concat()), "{at} switches a test off");
        }
    }
}

/// Files that may have unsafe code, with the number of lines that do.
const UNSAFE: &[(&str, usize)] =
    &[("crates/beeline-heuristics/src/pattern_database/mapped.rs", 1), ("xtask/tests/tidy.rs", usize::MAX)];

/// What the top folder may hold: a generated or fetched file that strays in is noticed here.
const TOP: [&str; 20] = [
    ".cargo",
    ".ci",
    ".gitignore",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "benches",
    "clippy.toml",
    "crates",
    "docs",
    "fuzz",
    "models",
    "rust-toolchain.toml",
    "rustfmt.toml",
    "xtask",
];

#[test]
fn nothing_strays_into_the_top_folder() {
    // What is not kept under version control is nobody's business; without git there is nothing to ask.
    let listed = std::process::Command::new("git").arg("ls-files").current_dir(root()).output();
    let Ok(listed) = listed else { return };
    let listed = String::from_utf8_lossy(&listed.stdout);
    let top = |path: &str| path.split('/').next().map(str::to_string);
    let strays: BTreeSet<String> =
        listed.lines().filter_map(top).filter(|n| !TOP.contains(&n.as_str())).collect();
    assert!(strays.is_empty(), "{strays:?}");
}

#[test]
fn nothing_else_is_unsafe() {
    for file in xtask::rust_files(&root()) {
        let listed = UNSAFE.iter().find(|(name, _)| *name == shown(&file));
        let mut left = listed.map_or(0, |(_, lines)| *lines);
        for (number, line) in read(&file).lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            let found = code.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == "unsafe");
            let allowed = !found || left > 0;
            assert!(allowed, "{}:{}: unsafe code needs a line in the allow-list", shown(&file), number + 1);
            left -= usize::from(found);
        }
    }
}

#[test]
fn links_in_documents_lead_somewhere() {
    for file in xtask::files(&root(), "md") {
        let text = read(&file);
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if link.starts_with("http") || link.starts_with('#') {
                continue;
            }
            let target = link.split('#').next().unwrap_or(link);
            let path = file.parent().expect("a file has a folder").join(target);
            assert!(path.exists(), "{}: the link to {link} is broken", shown(&file));
        }
    }
}

#[test]
fn documents_speak_of_the_project_alone() {
    let words = [["/wo", "rk/"].concat(), ["/ro", "ot/"].concat(), ["/ho", "me/"].concat()];
    let texts = ["md", "rs", "toml", "beeline", "sh"].iter().flat_map(|e| xtask::files(&root(), e));
    for file in texts {
        let text = read(&file);
        for word in &words {
            assert!(!text.contains(word.as_str()), "{} names a path of some machine", shown(&file));
        }
    }
}
