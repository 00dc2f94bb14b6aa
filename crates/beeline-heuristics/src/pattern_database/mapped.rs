//! Bytes of a file, read through a mapping: processes that look at the same file share its pages, and pages that nobody
//! looks at take no memory. The only file with code that the compiler cannot check.

use memmap2::Mmap;
use std::fs::File;
use std::io;
use std::ops::Deref;
use std::path::Path;

/// The bytes of a whole file.
#[derive(Debug)]
pub(super) struct Mapped(Mmap);

impl Mapped {
    /// Maps a file, if it is one.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        // Anything else might wait for someone to write.
        if !std::fs::metadata(path)?.is_file() {
            return Err(io::Error::other("it is no file"));
        }
        let file = File::open(path)?;
        // SAFETY: the mapping is shared and read only, and its bytes are never handed out as anything but bytes, all of
        // whose values are fine. They must not change, nor the file shrink, while it is in use: files that saved
        // tables are read from are written under another name, renamed when they are complete and never opened for
        // writing again (`file`), and replacing one by another leaves the bytes of the first as they are. Whoever
        // gives a directory for them is told not to change its files by other means (`--pdb-cache`).
        #[expect(unsafe_code)]
        let bytes = unsafe { Mmap::map(&file)? };
        Ok(Self(bytes))
    }
}

impl Deref for Mapped {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        &self.0
    }
}
