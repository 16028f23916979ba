//! The settings as written, and their check.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::VerifyingKey;
use serde::Deserialize;
use tuffet_sdk::{Glob, Problems};

use crate::UploadCheck;
use crate::list::List;

/// The settings of the plugin; README.md explains each key.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    root: String,
    list: String,
    keys: Vec<String>,
    names: Vec<String>,
}

pub(crate) fn check(settings: Settings) -> Result<UploadCheck, Problems> {
    let mut problems = Problems::new();
    for (pointer, value) in [("/root", &settings.root), ("/list", &settings.list)] {
        if value.is_empty() {
            problems.add(pointer, "name the list of digests, and the private root that it is in");
        }
    }
    if settings.keys.is_empty() {
        problems.add("/keys", "without a key no list is good: write the public key of whoever signs it");
    }
    if settings.names.is_empty() {
        problems.add("/names", "an empty list matches no upload: write globs such as \"firmware/**\"");
    }
    let mut keys = Vec::new();
    for (index, text) in settings.keys.iter().enumerate() {
        keys.extend(problems.check(format!("/keys/{index}"), key(text)));
    }
    let mut names = Vec::new();
    for (index, name) in settings.names.iter().enumerate() {
        names.extend(problems.check(format!("/names/{index}"), Glob::parse(name)));
    }
    problems.or(UploadCheck { names, keys, list: List { root: settings.root, file: settings.list } })
}

/// Octets before the key in the encoding of openssl (RFC 8410 section 4).
const SPKI: [u8; 12] = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];

/// A public key as openssl prints it: the line between the markers of its PEM.
fn key(text: &str) -> Result<VerifyingKey, String> {
    let wrong = || {
        "this is no Ed25519 key: write the line between BEGIN and END of `openssl pkey -in key.pem -pubout`"
            .to_owned()
    };
    let der = STANDARD.decode(text.trim()).map_err(|_| wrong())?;
    let raw = der.strip_prefix(&SPKI).ok_or_else(wrong)?;
    let raw = <[u8; 32]>::try_from(raw).map_err(|_| wrong())?;
    VerifyingKey::from_bytes(&raw).map_err(|_| wrong())
}
