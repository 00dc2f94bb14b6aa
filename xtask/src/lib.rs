//! What the chores and the tidy tests share.

use std::path::{Path, PathBuf};

/// All Rust files below a folder, in order of their names.
pub fn rust_files(folder: &Path) -> Vec<PathBuf> {
    files(folder, "rs")
}

/// All files with that extension below a folder, in order of their names; build output is skipped.
pub fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = std::fs::read_dir(folder) else { return found };
    for path in entries.flatten().map(|entry| entry.path()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            if !name.starts_with("target") && !name.starts_with('.') {
                found.extend(files(&path, extension));
            }
        } else if path.extension().is_some_and(|e| e == extension) {
            found.push(path);
        }
    }
    found.sort();
    found
}
