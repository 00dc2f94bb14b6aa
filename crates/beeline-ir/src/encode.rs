//! Certificates as bytes: `BLNCERT`, the version, the hash of the model, the property, the claimed length, the rows,
//! and a SHA-256 checksum of all of that.
//!
//! Numbers are LEB128 (seven bits a byte, least first, in as few bytes as possible); a signed one is folded first
//! (0, -1, 1, -2, ...). A cell is 0 for any value, 1 for a set (its size, its first value, and the gaps between the
//! values less one), or 2 and more for a value. A file may come from anywhere: whatever its bytes are, reading ends
//! with a certificate or a message, and takes memory in proportion to the length of the file.

use sha2::{Digest, Sha256};

use crate::certificate::{CERTIFICATE_VERSION, Cell, Certificate, Row, ZoneConstraint};
use crate::id::ClockId;
use crate::model::ModelHash;

const MAGIC: &[u8] = b"BLNCERT";
const CHECKSUM: usize = 32;

/// The bytes of a certificate.
pub fn write_certificate(certificate: &Certificate) -> Vec<u8> {
    let mut out = Writer(MAGIC.to_vec());
    out.number(u128::from(CERTIFICATE_VERSION));
    out.0.extend(certificate.model.0);
    out.number(certificate.property.len() as u128);
    out.0.extend(certificate.property.as_bytes());
    out.number(certificate.length.map_or(0, |d| u128::from(d) + 1));
    out.number(certificate.rows.len() as u128);
    for row in &certificate.rows {
        out.row(row);
    }
    let checksum = Sha256::digest(&out.0);
    out.0.extend(checksum);
    out.0
}

/// The certificate that the bytes stand for, or what is wrong with them.
pub fn read_certificate(bytes: &[u8]) -> Result<Certificate, String> {
    if !bytes.starts_with(MAGIC) {
        return Err("not a certificate".into());
    }
    let body = bytes.len().checked_sub(CHECKSUM).filter(|n| *n >= MAGIC.len()).ok_or(TRUNCATED)?;
    let mut reader = Reader(&bytes[MAGIC.len()..body]);
    let version = reader.number()?;
    if version != u128::from(CERTIFICATE_VERSION) {
        return Err(format!("certificate version {version} is not {CERTIFICATE_VERSION}"));
    }
    if Sha256::digest(&bytes[..body])[..] != bytes[body..] {
        return Err("the certificate is damaged: its checksum does not match".into());
    }
    let mut model = [0; 32];
    model.copy_from_slice(reader.take(32)?);
    let property = reader.bytes()?;
    let property = String::from_utf8(property.to_vec()).map_err(|_| "the property is no text")?;
    let length = match reader.number()? {
        0 => None,
        d => Some(small(d - 1)?),
    };
    let rows = reader.list(Reader::row)?;
    if !reader.0.is_empty() {
        return Err("the certificate does not end where it should".into());
    }
    Ok(Certificate { model: ModelHash(model), property, length, rows })
}

const TRUNCATED: &str = "the certificate is cut short";
const TOO_LARGE: &str = "a number of the certificate is too large";

struct Writer(Vec<u8>);

impl Writer {
    fn number(&mut self, mut n: u128) {
        while n >= 0x80 {
            self.0.push(n as u8 | 0x80);
            n >>= 7;
        }
        self.0.push(n as u8);
    }
    fn row(&mut self, row: &Row) {
        self.number(u128::from(row.level));
        self.number(row.cells.len() as u128);
        for cell in &row.cells {
            match cell {
                Cell::Any => self.number(0),
                Cell::Set(values) => {
                    self.number(1);
                    self.set(values);
                }
                Cell::Value(value) => self.number(fold(i128::from(*value)) + 2),
            }
        }
        self.number(row.zone.len() as u128);
        for constraint in &row.zone {
            for clock in [constraint.left, constraint.right] {
                self.number(clock.map_or(0, |c| c.index() as u128 + 1));
            }
            self.number(fold(i128::from(constraint.bound)) << 1 | u128::from(constraint.strict));
        }
    }
    fn set(&mut self, values: &[i64]) {
        self.number(values.len() as u128);
        let mut expected = 0;
        for (i, value) in values.iter().map(|v| i128::from(*v)).enumerate() {
            // A set out of order is nothing a reader accepts, but writing it must not fail.
            self.number(if i == 0 { fold(value) } else { (value - expected).max(0) as u128 });
            expected = value + 1;
        }
    }
}

/// What is left to be read.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], String> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or(TRUNCATED)?;
        self.0 = rest;
        Ok(taken)
    }
    fn number(&mut self) -> Result<u128, String> {
        let mut n = 0_u128;
        for shift in (0..70).step_by(7) {
            let byte = self.take(1)?[0];
            n |= u128::from(byte & 0x7f) << shift;
            if byte == 0 && shift > 0 {
                return Err("a number of the certificate is not in its shortest form".into());
            }
            if byte & 0x80 == 0 {
                return Ok(n);
            }
        }
        Err(TOO_LARGE.into())
    }
    fn bytes(&mut self) -> Result<&'a [u8], String> {
        let length = usize::try_from(self.number()?).map_err(|_| TRUNCATED)?;
        self.take(length)
    }
    /// Every entry takes at least a byte, so a wrong count ends with the bytes; nothing is reserved for it.
    fn list<T>(&mut self, one: impl Fn(&mut Self) -> Result<T, String>) -> Result<Vec<T>, String> {
        let count = self.number()?;
        let mut all = Vec::new();
        let mut read = 0;
        while read < count {
            all.push(one(self)?);
            read += 1;
        }
        Ok(all)
    }
    fn row(&mut self) -> Result<Row, String> {
        let level = small(self.number()?)?;
        Ok(Row { level, cells: self.list(Self::cell)?, zone: self.list(Self::constraint)? })
    }
    fn cell(&mut self) -> Result<Cell, String> {
        match self.number()? {
            0 => Ok(Cell::Any),
            1 => self.set(),
            n => Ok(Cell::Value(value(unfold(n - 2))?)),
        }
    }
    fn set(&mut self) -> Result<Cell, String> {
        let count = self.number()?;
        if count < 2 {
            return Err("a set of the certificate has fewer than two values".into());
        }
        let mut last = value(unfold(self.number()?))?;
        let mut values = vec![last];
        for _ in 1..count {
            last = value(i128::from(last) + 1 + self.number()? as i128)?;
            values.push(last);
        }
        Ok(Cell::Set(values))
    }
    fn constraint(&mut self) -> Result<ZoneConstraint, String> {
        let left = clock(self.number()?)?;
        let right = clock(self.number()?)?;
        let n = self.number()?;
        Ok(ZoneConstraint { left, right, bound: value(unfold(n >> 1))?, strict: n & 1 == 1 })
    }
}

fn fold(n: i128) -> u128 {
    (n << 1 ^ n >> 127) as u128
}
fn unfold(n: u128) -> i128 {
    (n >> 1) as i128 ^ -((n & 1) as i128)
}
fn value(n: i128) -> Result<i64, String> {
    i64::try_from(n).map_err(|_| TOO_LARGE.into())
}
fn small(n: u128) -> Result<u32, String> {
    u32::try_from(n).map_err(|_| TOO_LARGE.into())
}
fn clock(n: u128) -> Result<Option<ClockId>, String> {
    match n {
        0 => Ok(None),
        n => Ok(Some(ClockId::new(small(n - 1)? as usize))),
    }
}
