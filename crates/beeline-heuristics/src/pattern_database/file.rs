//! Tables in files, so that a projection is explored once, however often its table is asked for.
//!
//! A file: the magic, the version of the format, three hashes that say what the table is of (the network; the property;
//! the projection with its pattern and the kind of table), the number of nodes that were explored, whether that is all of
//! them, the table, and a SHA-256 checksum of everything before. Numbers have their least byte first. The name is the
//! hash of what the table is of. A file may come from anywhere: whatever its bytes are, reading ends with a table or with
//! what is wrong with them, and takes memory in proportion to the length of the file.
//!
//! A file is written under a name of its own and renamed when it is complete: nobody ever sees half of one, and of two
//! who write the same, the last one stays.

use super::mapped::Mapped;
use beeline_abstraction::projection::Projection;
use beeline_engine::state::interner::{DiscreteId, Interner};
use beeline_engine::state::packing::Packer;
use beeline_ir::Model;
use beeline_ir::expr::Range as ValueRange;
use beeline_ir::network::Network;
use beeline_ir::property::Property;
use beeline_ir::text::print_property;
use sha2::{Digest, Sha256};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

const MAGIC: &[u8] = b"BLNPDB";
/// To be raised with every change of the format, and of what distances a table of the same projection has.
const VERSION: u16 = 1;
const HASH: usize = 32;
const BODY: usize = MAGIC.len() + 2 + 3 * HASH + 8 + 1;
const CUT_SHORT: &str = "it is cut short";

type Hash = [u8; HASH];

/// What a table is of.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Identity {
    network: Hash,
    property: Hash,
    projection: Hash,
}

/// Where the table of a projection is kept.
#[derive(Debug)]
pub(super) struct Place {
    directory: PathBuf,
    /// The file, in the directory.
    pub(super) path: PathBuf,
    identity: Identity,
}

/// What a file has to say.
#[derive(Debug)]
pub(super) struct Saved {
    bytes: Mapped,
    /// Nodes that were explored.
    pub(super) nodes: u64,
    /// Whether there are no others; if there are, there is no table.
    pub(super) complete: bool,
}

impl Place {
    /// The place of a projection of a network in a directory, for one kind of table.
    pub(super) fn new(
        directory: &Path,
        network: &Network,
        property: &Property,
        projection: &Projection,
        kind: &str,
    ) -> Self {
        let model = Model::Network(network.clone());
        let Projection { network: left, property: target, pattern, slots, committed, origins: _ } =
            projection;
        let left = Model::Network(left.clone());
        // The projection is explored with the extrapolation that its own network and property call for.
        let mut hash = Sha256::new();
        hash.update(left.hash().0);
        for part in [print_property(&left, target), format!("{pattern:?}{slots:?}{committed:?}")] {
            hash.update(Sha256::digest(part));
        }
        hash.update([kind, " ", env!("CARGO_PKG_VERSION")].concat());
        let identity = Identity {
            network: model.hash().0,
            property: Sha256::digest(print_property(&model, property)).into(),
            projection: hash.finalize().into(),
        };
        let Identity { network, property, projection } = identity;
        let name = Sha256::digest([network, property, projection].concat());
        let name: String = name.iter().take(HASH / 2).map(|byte| format!("{byte:02x}")).collect();
        let path = directory.join(format!("{name}.pdb"));
        Self { directory: directory.to_path_buf(), path, identity }
    }

    /// What is in the file; `None` if there is none.
    pub(super) fn read(&self) -> Result<Option<Saved>, String> {
        let bytes = match Mapped::open(&self.path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.to_string()),
        };
        let mut reader = Reader(&bytes);
        if reader.take(MAGIC.len())? != MAGIC {
            return Err("it is no pattern database".to_string());
        }
        let version = u16::from_le_bytes(reader.array()?);
        if version != VERSION {
            return Err(format!("its format has version {version}, not {VERSION}"));
        }
        let (network, property) = (reader.array()?, reader.array()?);
        let found = Identity { network, property, projection: reader.array()? };
        let differs = |what: &str| Err(format!("it is of another {what}"));
        match self.identity {
            Identity { network, .. } if network != found.network => return differs("model"),
            Identity { property, .. } if property != found.property => return differs("property"),
            identity if identity != found => return differs("pattern"),
            _ => {}
        }
        let nodes = u64::from_le_bytes(reader.array()?);
        let complete = reader.byte()? == 1;
        let body = reader.0.len().checked_sub(HASH).ok_or(CUT_SHORT)?;
        let (whole, checksum) = bytes.split_at(BODY + body);
        if Sha256::digest(whole)[..] != *checksum {
            return Err("it is damaged: its checksum does not match".to_string());
        }
        Ok(Some(Saved { bytes, nodes, complete }))
    }

    /// Writes a file: how many nodes were explored, whether that is all of them, and the table as `body` writes it.
    pub(super) fn write(
        &self,
        nodes: u64,
        complete: bool,
        body: impl FnOnce(&mut Sink) -> io::Result<()>,
    ) -> io::Result<()> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        fs::create_dir_all(&self.directory)?;
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let unfinished = self.path.with_extension(format!("{}-{number}.tmp", std::process::id()));
        let file = OpenOptions::new().write(true).create_new(true).open(&unfinished)?;
        let mut sink = Sink { file: BufWriter::new(file), hash: Sha256::new() };
        let written = self.write_to(&mut sink, nodes, complete, body);
        let renamed = written.and_then(|()| sink.finish()).and_then(|()| fs::rename(&unfinished, &self.path));
        if renamed.is_err() {
            // What is left behind if this fails, too, is never read.
            let _ = fs::remove_file(&unfinished);
        }
        renamed
    }

    fn write_to(
        &self,
        sink: &mut Sink,
        nodes: u64,
        complete: bool,
        body: impl FnOnce(&mut Sink) -> io::Result<()>,
    ) -> io::Result<()> {
        sink.put(MAGIC)?;
        sink.put(&VERSION.to_le_bytes())?;
        for hash in [self.identity.network, self.identity.property, self.identity.projection] {
            sink.put(&hash)?;
        }
        sink.put(&nodes.to_le_bytes())?;
        sink.put(&[u8::from(complete)])?;
        body(sink)
    }
}

impl Saved {
    /// The bytes of the table.
    pub(super) fn body(&self) -> Reader<'_> {
        Reader(&self.bytes[self.extent()])
    }

    fn extent(&self) -> Range<usize> {
        BODY..self.bytes.len() - HASH
    }

    /// Length of the file.
    pub(super) fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// The last so many bytes of the table, to be kept.
    pub(super) fn into_last(self, length: usize) -> (Mapped, Range<usize>) {
        let end = self.extent().end;
        (self.bytes, end - length..end)
    }
}

/// What a file is written to.
#[derive(Debug)]
pub(super) struct Sink {
    file: BufWriter<File>,
    hash: Sha256,
}

impl Sink {
    /// Writes bytes.
    pub(super) fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hash.update(bytes);
        self.file.write_all(bytes)
    }

    /// Writes a number.
    pub(super) fn number(&mut self, number: usize) -> io::Result<()> {
        self.put(&(number as u64).to_le_bytes())
    }

    /// Writes packed states, in order.
    pub(super) fn states(&mut self, interner: &Interner) -> io::Result<()> {
        self.number(interner.len())?;
        (0..interner.len()).try_for_each(|at| {
            interner.get(DiscreteId::at(at)).iter().try_for_each(|word| self.put(&word.to_le_bytes()))
        })
    }

    fn finish(mut self) -> io::Result<()> {
        let checksum = self.hash.finalize();
        self.file.write_all(&checksum)?;
        self.file.flush()
    }
}

/// Bytes that are still to be read.
#[derive(Debug)]
pub(super) struct Reader<'b>(pub(super) &'b [u8]);

impl<'b> Reader<'b> {
    /// So many bytes.
    pub(super) fn take(&mut self, length: usize) -> Result<&'b [u8], String> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or(CUT_SHORT)?;
        self.0 = rest;
        Ok(taken)
    }

    /// As many bytes as the caller has room for.
    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], String> {
        let (taken, rest) = self.0.split_first_chunk().ok_or(CUT_SHORT)?;
        self.0 = rest;
        Ok(*taken)
    }

    /// One byte.
    pub(super) fn byte(&mut self) -> Result<u8, String> {
        self.array().map(|[byte]| byte)
    }

    /// A number of things that take at least so many bytes each: no more than there are bytes for, nor than ids.
    pub(super) fn number(&mut self, bytes_each: usize) -> Result<usize, String> {
        let number = u64::from_le_bytes(self.array()?);
        let most = (self.0.len() / bytes_each.max(1)).min(u32::MAX as usize);
        usize::try_from(number).ok().filter(|number| *number <= most).ok_or_else(|| CUT_SHORT.to_string())
    }

    /// Packed states in order, all different, with slots of those ranges; at least so many bytes follow for each.
    pub(super) fn states(
        &mut self,
        packer: &Packer,
        ranges: &[ValueRange],
        more: usize,
    ) -> Result<Interner, String> {
        let number = self.number(packer.words() * size_of::<u64>() + more)?;
        let mut interner = Interner::new(packer.words());
        let (mut words, mut slots) = (Vec::new(), Vec::new());
        for _ in 0..number {
            words.clear();
            for _ in 0..packer.words() {
                words.push(u64::from_le_bytes(self.array()?));
            }
            packer.unpack(&words, &mut slots);
            let fit = slots.iter().zip(ranges).all(|(slot, range)| range.contains(*slot));
            if !fit || !interner.intern(Interner::code(&words), &words).1 {
                return Err("it has states that there cannot be".to_string());
            }
        }
        Ok(interner)
    }

    /// Nothing must be left.
    pub(super) fn end(&self) -> Result<(), String> {
        if self.0.is_empty() { Ok(()) } else { Err("it does not end where it should".to_string()) }
    }
}
