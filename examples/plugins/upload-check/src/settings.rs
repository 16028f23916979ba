//! The settings as written, and their check.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::VerifyingKey;
use serde::Deserialize;
use tuffet_sdk::{Glob, Problems};

use crate::format::{Format, hex};
use crate::list::List;
use crate::{Signed, UploadCheck};

/// Bytes of a magic number: more would be a content, not a mark.
const MAX_MAGIC: usize = 4096;

/// The settings of the plugin; README.md explains each key.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    #[serde(default)]
    formats: Vec<WrittenFormat>,
    signed: Option<WrittenSigned>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenFormat {
    names: Vec<String>,
    #[serde(default)]
    offset: u64,
    magic: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenSigned {
    root: String,
    list: String,
    keys: Vec<String>,
    names: Vec<String>,
}

pub(crate) fn check(settings: Settings) -> Result<UploadCheck, Problems> {
    let mut problems = Problems::new();
    if settings.formats.is_empty() && settings.signed.is_none() {
        problems.add("", "there is nothing to check: write `formats`, or `signed`, or both");
    }
    let formats = settings.formats.iter().enumerate();
    let formats = formats.map(|(index, written)| format(&mut problems, index, written)).collect();
    let signed = settings.signed.map(|written| signed(&mut problems, written));
    problems.or(UploadCheck { formats, signed })
}

fn format(problems: &mut Problems, index: usize, written: &WrittenFormat) -> Format {
    let at = format!("/formats/{index}");
    let names = globs(problems, &format!("{at}/names"), &written.names);
    if written.magic.is_empty() {
        problems.add(format!("{at}/magic"), "write the bytes that such files begin with, such as 7f454c46");
    }
    let mut magic = Vec::new();
    for (number, digits) in written.magic.iter().enumerate() {
        let bytes = hex(digits).filter(|bytes| bytes.len() <= MAX_MAGIC);
        let wrong =
            || format!("these are not 1 to {MAX_MAGIC} bytes in hexadecimal digits, such as 7f454c46");
        magic.extend(problems.check(format!("{at}/magic/{number}"), bytes.ok_or_else(wrong)));
    }
    Format { names, offset: written.offset, magic }
}

fn signed(problems: &mut Problems, written: WrittenSigned) -> Signed {
    for (pointer, value) in [("/signed/root", &written.root), ("/signed/list", &written.list)] {
        if value.is_empty() {
            problems.add(pointer, "name the list of digests, and the private root that it is in");
        }
    }
    if written.keys.is_empty() {
        problems
            .add("/signed/keys", "without a key no list is good: write the public key of whoever signs it");
    }
    let mut keys = Vec::new();
    for (index, text) in written.keys.iter().enumerate() {
        keys.extend(problems.check(format!("/signed/keys/{index}"), key(text)));
    }
    let names = globs(problems, "/signed/names", &written.names);
    Signed { names, keys, list: List { root: written.root, file: written.list } }
}

fn globs(problems: &mut Problems, at: &str, written: &[String]) -> Vec<Glob> {
    if written.is_empty() {
        problems.add(at, "an empty list matches no upload: write globs such as \"firmware/**\"");
    }
    let mut names = Vec::new();
    for (index, name) in written.iter().enumerate() {
        names.extend(problems.check(format!("{at}/{index}"), Glob::parse(name)));
    }
    names
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
