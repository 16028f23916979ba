//! The chain: each line has its number, the hash of the line before, and its own hash.

use std::fmt::Write;

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
}

impl Default for Head {
    /// Before the first line.
    fn default() -> Self {
        Head { seq: 0, hash: "0".repeat(64), lost: 0 }
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

fn is_zero(lost: &u64) -> bool {
    *lost == 0
}

impl Head {
    /// The next line, whole; the head is then this line.
    pub fn append(&mut self, line: &Line<'_>) -> String {
        let seq = self.seq + 1;
        let linked = Linked { seq, previous: &self.hash, lost: self.lost, line };
        // Strings, numbers and lists of strings: nothing in it that JSON cannot say.
        let text = serde_json::to_string(&linked).unwrap_or_default();
        let hash = sha256(text.as_bytes());
        let open = text.strip_suffix('}').unwrap_or(&text);
        let whole = format!(r#"{open},"hash":"{hash}"}}"#);
        *self = Head { seq, hash, lost: 0 };
        whole
    }

    /// What a witness is told.
    pub fn seen(&self) -> String {
        format!(r#"{{"seq":{},"hash":"{}"}}"#, self.seq, self.hash)
    }
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::with_capacity(64), |mut hex, byte| {
        // Writing to a string cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}
