//! Lines that the sink does not accept are kept in `kv`, in bundles, and sent before any later line.

use tuffet_sdk::{Level, code, kv, log, sinks};

use crate::chain::Head;

/// Size of a bundle in bytes; a value of `kv` has at most 64 KiB.
const MAX_BUNDLE: usize = 60_000;
/// Bundles sent in one call, so that the call ends in time.
const MAX_SENT: u64 = 4;

/// The storage for kept lines.
pub(crate) struct Keep<'a> {
    pub sink: &'a str,
    /// The key of the chain's head.
    pub key: &'a str,
}

impl Keep<'_> {
    /// Sends kept lines. Returns whether none are left, so that new lines may follow.
    pub fn send(&self, head: &mut Head) -> Result<bool, String> {
        let mut sent = 0;
        while !head.kept.is_empty() {
            if sent == MAX_SENT {
                return Ok(false);
            }
            let key = self.bundle(head.kept.first);
            let lines = kv::get(&key).map_err(|error| error.to_string())?.unwrap_or_default();
            let lines = String::from_utf8_lossy(&lines);
            let mut rest = lines.lines();
            while let Some(line) = rest.clone().next() {
                match sinks::emit(self.sink, line) {
                    Ok(()) => {}
                    Err(error) if error.is(code::FULL) => {
                        let left = rest.collect::<Vec<_>>().join("\n");
                        if left.len() < lines.len() {
                            // If this fails, the lines that were already sent are sent again.
                            kv::set(&key, left, None).map_err(|error| error.to_string())?;
                        }
                        return Ok(false);
                    }
                    Err(error) => {
                        log(
                            Level::Error,
                            format!("the sink refuses a line that was kept, it is lost: {error}"),
                        );
                    }
                }
                rest.next();
            }
            head.kept.first += 1;
            store(self.key, head)?;
            kv::delete(&key).map_err(|error| error.to_string())?;
            sent += 1;
        }
        Ok(true)
    }

    /// Keeps lines after those already kept, and returns how many. The caller then stores `head`.
    pub fn keep(&self, head: &mut Head, lines: &[String]) -> Result<usize, (usize, String)> {
        let mut kept = 0;
        while kept < lines.len() {
            let mut bytes = 0;
            let fitting = lines[kept..].iter().take_while(|line| {
                bytes += line.len() + 1;
                bytes <= MAX_BUNDLE
            });
            // A line has at most 32 KiB.
            let count = fitting.count().max(1);
            let bundle = lines[kept..kept + count].join("\n");
            kv::set(&self.bundle(head.kept.next), bundle, None).map_err(|error| (kept, error.to_string()))?;
            head.kept.next += 1;
            kept += count;
        }
        Ok(kept)
    }

    fn bundle(&self, number: u64) -> String {
        format!("kept/{}/{number}", self.sink)
    }
}

/// Stores the head of the chain.
pub(crate) fn store(key: &str, head: &Head) -> Result<(), String> {
    let head = serde_json::to_vec(head).map_err(|error| error.to_string())?;
    kv::set(key, head, None).map_err(|error| error.to_string())
}
