//! Any bytes as a certificate file, sealed with the right checksum: refused or read, and what is read is written back
//! the same.
#![no_main]

use beeline_ir::encode::{read_certificate, write_certificate};
use libfuzzer_sys::fuzz_target;
use sha2::{Digest, Sha256};

fuzz_target!(|data: &[u8]| {
    let mut sealed = data.to_vec();
    sealed.extend_from_slice(&Sha256::digest(data));
    if let Ok(certificate) = read_certificate(&sealed) {
        assert_eq!(read_certificate(&write_certificate(&certificate)).as_ref(), Ok(&certificate));
    }
});
