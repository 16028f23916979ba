//! The chain: each line has its number, the hash of the previous line, and its own hash.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::line::Line;

/// The last written line, which the next one continues.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Head {
    pub seq: u64,
    pub hash: String,
    /// Lines lost since then.
    pub lost: u64,
    /// Lines up to this one that the sink has not accepted yet.
    #[serde(default, skip_serializing_if = "Kept::is_empty")]
    pub kept: Kept,
}

/// Bundles of lines in `kv`, by number: from `first` up to, but not including, `next`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Kept {
    pub first: u64,
    pub next: u64,
}

impl Kept {
    pub fn is_empty(&self) -> bool {
        self.first == self.next
    }
}

impl Default for Head {
    /// The state before the first line.
    fn default() -> Self {
        Head { seq: 0, hash: "0".repeat(64), lost: 0, kept: Kept::default() }
    }
}

/// A line as it is hashed: the fields in this order, without its own hash.
#[derive(Serialize)]
struct Linked<'a> {
    seq: u64,
    previous: &'a str,
    #[serde(skip_serializing_if = "is_zero")]
    lost: u64,
    #[serde(flatten)]
    line: &'a Line<'a>,
}

/// A line outside of the chain, because the head could not be read or stored, and why.
pub(crate) fn unchained(line: &Line<'_>, why: &str) -> String {
    #[derive(Serialize)]
    struct Unchained<'a> {
        unchained: &'a str,
        #[serde(flatten)]
        line: &'a Line<'a>,
    }
    serde_json::to_string(&Unchained { unchained: why, line }).unwrap_or_default()
}

fn is_zero(lost: &u64) -> bool {
    *lost == 0
}

impl Head {
    /// Returns the complete next line, and makes it the head.
    pub fn append(&mut self, line: &Line<'_>) -> String {
        let seq = self.seq + 1;
        let linked = Linked { seq, previous: &self.hash, lost: self.lost, line };
        // Strings, numbers and lists of strings: all of them can be written as JSON.
        let mut text = serde_json::to_string(&linked).unwrap_or_default();
        let hash = sha256(text.as_bytes());
        text.pop();
        text.extend([r#","hash":""#, &hash, r#""}"#]);
        (self.seq, self.hash, self.lost) = (seq, hash, 0);
        text
    }

    /// The head as it is shown to a witness.
    pub fn seen(&self) -> String {
        format!(r#"{{"seq":{},"hash":"{}"}}"#, self.seq, self.hash)
    }
}

fn sha256(bytes: &[u8]) -> String {
    // Formatted by hand: `write!` takes as long as the digest.
    let digit = |half: u8| char::from(b"0123456789abcdef"[usize::from(half)]);
    Sha256::digest(bytes).iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}
