//! `mic.py`, which has Python's own `hmac` and `hashlib`, agrees with every file.

use std::io::Write;
use std::process::{Command, Stdio};

use super::bytes;
use crate::file;
use crate::tlv::{self, Tlv};

/// Returns whether the program calls the file good, or `None` without Python.
fn judged(file: &[u8], secret: &str) -> Option<bool> {
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/mic.py");
    let mut python = Command::new("python3");
    python
        .args(["-B", program, "-", secret])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut python = python.spawn().ok()?;
    python.stdin.take().unwrap().write_all(file).unwrap();
    Some(python.wait().unwrap().success())
}

#[test]
fn python_agrees() {
    let classes = [
        vec![Tlv::new(tlv::NETWORK_ACCESS, [1])],
        // In another order than the CMTS MIC has it, with several of a kind, and one that it does not cover.
        vec![
            Tlv::service_flow(tlv::DOWNSTREAM_FLOW, 2, 100_000_000),
            Tlv::new(43, bytes("0803aabbcc0101ff")),
            Tlv::service_flow(tlv::UPSTREAM_FLOW, 1, 20_000_000),
            Tlv::new(9, *b"firmware.bin"),
            Tlv::new(tlv::NETWORK_ACCESS, [0]),
            Tlv::new(43, bytes("0803aabbcc020100")),
            Tlv::new(tlv::MODEM_ADDRESS, [192, 0, 2, 7]),
            Tlv::new(tlv::MAX_CPE, vec![0; tlv::MAX_VALUE]),
        ],
    ];
    let long = "x".repeat(100);
    for (tlvs, secret) in classes.iter().flat_map(|tlvs| ["DOCSIS", "s", &long].map(|secret| (tlvs, secret)))
    {
        let mut file = file::encode(tlvs, secret.as_bytes());
        let Some(good) = judged(&file, secret) else { return eprintln!("skipped: there is no python3") };
        assert!(good, "{tlvs:?}");
        assert_eq!(judged(&file, "another"), Some(false));
        file[2] ^= 1;
        assert_eq!(judged(&file, secret), Some(false));
    }
}
