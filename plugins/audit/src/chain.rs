//! The chain: each line has its number, the hash of the line before, and its own hash.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::line::Line;

/// The last line that was written, from which the next goes on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Head {
    pub seq: u64,
    pub hash: String,
    /// Lines that were not written since then.
    pub lost: u64,
    /// Lines up to this one that the sink did not take yet.
    #[serde(default, skip_serializing_if = "Kept::is_empty")]
    pub kept: Kept,
}

/// Bundles of lines in `kv`, by their numbers: those from `first` on, up to but without `next`.
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
    /// Before the first line.
    fn default() -> Self {
        Head { seq: 0, hash: "0".repeat(64), lost: 0, kept: Kept::default() }
    }
}

/// A line as it is hashed: in this order, without its own hash.
#[derive(Serialize)]
struct Linked<'a> {
    seq: u64,
    previous: &'a str,
    #[serde(skip_serializing_if = "is_zero")]
    lost: u64,
    #[serde(flatten)]
    line: &'a Line<'a>,
}

/// A line that is not in the chain, because its head was not to be had, and why.
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
    /// The next line, whole; the head is then this line.
    pub fn append(&mut self, line: &Line<'_>) -> String {
        let seq = self.seq + 1;
        let linked = Linked { seq, previous: &self.hash, lost: self.lost, line };
        // Strings, numbers and lists of strings: nothing in it that JSON cannot say.
        let mut text = serde_json::to_string(&linked).unwrap_or_default();
        let hash = sha256(text.as_bytes());
        text.pop();
        text.extend([r#","hash":""#, &hash, r#""}"#]);
        (self.seq, self.hash, self.lost) = (seq, hash, 0);
        text
    }

    /// What a witness is told.
    pub fn seen(&self) -> String {
        format!(r#"{{"seq":{},"hash":"{}"}}"#, self.seq, self.hash)
    }
}

fn sha256(bytes: &[u8]) -> String {
    // By hand: the machinery of `write!` takes as long as the digest.
    let digit = |half: u8| char::from(b"0123456789abcdef"[usize::from(half)]);
    Sha256::digest(bytes).iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}
