//! Public models, where they are at hand: every one of them is read.

use std::path::{Path, PathBuf};

use beeline_uppaal::ast::QueryKind;
use beeline_uppaal::{Format, parse, parse_queries};

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
    found.sort();
}

#[test]
fn public_models_are_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/models/uppaal");
    let mut paths = Vec::new();
    files(&folder, &mut paths);
    if paths.is_empty() {
        println!("skipped: {} is not there", folder.display());
        return;
    }
    let (mut models, mut queries) = (0, 0);
    for path in paths {
        let bytes = std::fs::read(&path).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        let format = match path.extension().and_then(|e| e.to_str()) {
            Some("xml") => Format::Xml,
            Some("xta" | "ta") => Format::Xta,
            Some("q") => {
                for query in parse_queries(&text) {
                    queries += 1;
                    assert!(!matches!(query.kind, QueryKind::Malformed(..)), "{}: {query:?}", path.display());
                }
                continue;
            }
            _ => continue,
        };
        models += 1;
        match parse(&text, format) {
            Ok(parsed) => {
                assert!(parsed.document.system.is_some(), "{}", path.display());
                for query in parsed.document.queries {
                    queries += 1;
                    assert!(!matches!(query.kind, QueryKind::Malformed(..)), "{}: {query:?}", path.display());
                }
                for note in parsed.notes {
                    println!("{}: {} {}", path.display(), note.code, note.message);
                }
            }
            Err(errors) => panic!("{}: {:?}", path.display(), &errors[..errors.len().min(3)]),
        }
    }
    assert!(models > 40 && queries > 60, "{models} models, {queries} queries");
}
