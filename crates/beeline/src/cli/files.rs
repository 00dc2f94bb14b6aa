//! Files: written under another name first and renamed when complete, so that nobody ever sees half of one.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// Largest trace or certificate that is read.
const MAX_BYTES: u64 = 1 << 30;

/// Writes a whole file or nothing. What is there already and is no file, such as a pipe, is written to as it is;
/// a link is followed.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if fs::metadata(path).is_ok_and(|m| !m.is_file()) {
        return fs::write(path, bytes);
    }
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let temporary = temporary(&path)?;
    let written = File::create(&temporary).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    let renamed = written.and_then(|()| fs::rename(&temporary, &path));
    if renamed.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    renamed
}

/// The name a file has while it is written.
fn temporary(path: &Path) -> io::Result<PathBuf> {
    let mut name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_os_string();
    name.push(format!(".{}.tmp", std::process::id()));
    Ok(path.with_file_name(name))
}

/// Whether a file could be written there, to be known before a long search and not after it.
pub fn probe(path: &Path) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(there) if there.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
        Ok(there) if !there.is_file() => return Ok(()),
        _ => {}
    }
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let temporary = temporary(&path)?;
    File::create(&temporary)?;
    fs::remove_file(&temporary)
}

/// Reads a whole file of bounded size.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "larger than 1 GiB"));
    }
    Ok(bytes)
}

/// The file for one of several properties: its number goes before the extension. With one property, the name itself,
/// and also if there is something there that is no file, such as a pipe.
pub fn numbered(path: &Path, number: usize, of: usize) -> PathBuf {
    if of <= 1 || fs::metadata(path).is_ok_and(|m| !m.is_file()) {
        return path.to_path_buf();
    }
    let mut name = path.file_stem().unwrap_or_default().to_os_string();
    name.push(format!("-{number}"));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_go_before_the_extension() {
        assert_eq!(numbered(Path::new("a/t.json"), 2, 1), Path::new("a/t.json"));
        assert_eq!(numbered(Path::new("a/t.json"), 2, 3), Path::new("a/t-2.json"));
        assert_eq!(numbered(Path::new("t"), 1, 2), Path::new("t-1"));
        assert_eq!(numbered(Path::new("."), 1, 2), Path::new("."));
    }

    #[test]
    fn a_file_is_replaced_whole_and_nothing_else_is_left() {
        let dir = std::env::temp_dir().join(format!("beeline-files-{}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        let path = dir.join("x");
        write(&path, b"one").unwrap();
        write(&path, b"two").unwrap();
        assert_eq!(read(&path).unwrap(), b"two");
        assert!(write(&dir.join("no/such/dir"), b"three").is_err());
        assert!(probe(&dir.join("no/such/dir")).is_err() && probe(&dir.join("y")).is_ok());
        assert!(probe(&dir).is_err());
        assert_eq!(fs::read_dir(&dir).unwrap().count(), 1);
        fs::remove_dir_all(&dir).unwrap();
    }
}
