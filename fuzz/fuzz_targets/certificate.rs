//! Any bytes as a certificate file: refused or read, and what is read is written back the same.
#![no_main]

use beeline_ir::encode::{read_certificate, write_certificate};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Ok(certificate) = read_certificate(data) {
        assert_eq!(read_certificate(&write_certificate(&certificate)).as_ref(), Ok(&certificate));
    }
});
