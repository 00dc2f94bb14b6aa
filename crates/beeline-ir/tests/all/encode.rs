//! Certificates as bytes: they read back equal, and nothing else reads at all.

use beeline_ir::certificate::{Cell, Certificate, Row, ZoneConstraint};
use beeline_ir::encode::{read_certificate, write_certificate};
use beeline_ir::{ClockId, ModelHash};
use sha2::{Digest, Sha256};

fn certificate() -> Certificate {
    let clock = |n| Some(ClockId::new(n));
    let constraint = |left, right, bound, strict| ZoneConstraint { left, right, bound, strict };
    Certificate {
        model: ModelHash([7; 32]),
        property: "A[] !(P1.cs && 'é'.cs)".into(),
        length: Some(u32::MAX),
        rows: vec![
            Row { level: 0, cells: vec![], zone: vec![] },
            Row {
                level: u32::MAX,
                cells: vec![
                    Cell::Any,
                    Cell::Value(0),
                    Cell::Value(-1),
                    Cell::Value(i64::MAX),
                    Cell::Value(i64::MIN),
                    Cell::Set(vec![i64::MIN, -1, 0, 1, i64::MAX]),
                    Cell::Set(vec![5, 6]),
                ],
                zone: vec![
                    constraint(clock(0), None, 5, false),
                    constraint(None, clock(300), i64::MIN, true),
                    constraint(clock(u32::MAX as usize - 1), clock(0), i64::MAX, true),
                ],
            },
        ],
    }
}

/// The bytes with a checksum that is right.
fn sealed(mut body: Vec<u8>) -> Vec<u8> {
    let checksum = Sha256::digest(&body);
    body.extend(checksum);
    body
}
fn body(certificate: &Certificate) -> Vec<u8> {
    let bytes = write_certificate(certificate);
    bytes[..bytes.len() - 32].to_vec()
}
/// Everything in front of the rows: magic, version, hash, property, length.
fn head() -> Vec<u8> {
    let empty =
        Certificate { model: ModelHash([0; 32]), property: String::new(), length: None, rows: vec![] };
    let mut head = body(&empty);
    assert_eq!(head.pop(), Some(0));
    head
}
fn with_rows(rows: &[u8]) -> Result<Certificate, String> {
    read_certificate(&sealed([&head()[..], rows].concat()))
}

#[test]
fn reads_back_equal() {
    for length in [None, Some(0), Some(u32::MAX)] {
        let certificate = Certificate { length, ..certificate() };
        assert_eq!(read_certificate(&write_certificate(&certificate)), Ok(certificate));
    }
}

#[test]
fn damage_is_noticed() {
    let bytes = write_certificate(&certificate());
    for end in 0..bytes.len() {
        assert!(read_certificate(&bytes[..end]).is_err(), "cut at {end}");
    }
    for i in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[i] ^= 1 << (i % 8);
        assert!(read_certificate(&damaged).is_err(), "changed at {i}");
    }
    assert!(read_certificate(&[&bytes[..], &[0]].concat()).is_err());
}

#[test]
fn other_versions_are_refused() {
    let mut other = body(&certificate());
    other[7] = 2;
    let message = read_certificate(&sealed(other)).unwrap_err();
    assert!(message.contains("version 2"), "{message}");
}

#[test]
fn hostile_bytes_with_a_right_checksum() {
    let whole = body(&certificate());
    for end in 0..whole.len() {
        assert!(read_certificate(&sealed(whole[..end].to_vec())).is_err(), "cut at {end}");
    }
    assert!(read_certificate(&sealed([&whole[..], &[0]].concat())).is_err());
    let giant = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f];
    assert_eq!(with_rows(&[0]).unwrap().rows, []);
    // Rows, cells, constraints and values without end.
    assert!(with_rows(&giant).is_err());
    assert!(with_rows(&[&[1, 0], &giant[..]].concat()).is_err());
    assert!(with_rows(&[&[1, 0, 0], &giant[..]].concat()).is_err());
    assert!(with_rows(&[&[1, 0, 1, 1], &giant[..]].concat()).is_err());
    // A property without end.
    let property = [&head()[..head().len() - 2], &giant[..]].concat();
    assert!(read_certificate(&sealed(property)).is_err());
    // Numbers that are too large, or longer than they need to be; sets that are too small, or leave the integers.
    assert!(with_rows(&[0xff; 12]).is_err());
    assert!(with_rows(&[0x80, 0]).is_err());
    assert!(with_rows(&[1, 0, 1, 1, 1, 0, 0]).is_err());
    let set_from = |first: u8| with_rows(&[&[1, 0, 1, 1, 2, first][..], &giant, &[0]].concat());
    assert_eq!(set_from(1).unwrap().rows[0].cells, [Cell::Set(vec![-1, i64::MAX])]);
    assert!(set_from(0).is_err());
    assert!(with_rows(&[1, 0xff, 0xff, 0xff, 0xff, 0x1f, 0, 0]).is_err());
}
