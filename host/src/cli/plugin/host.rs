//! What the host answers a plugin that is tried out, as it is written in a file.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use serde::Deserialize;

use crate::policy::Given;

/// The key `host` of a request or a case.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(super) struct WrittenHost {
    /// Text of files by `ROOT/PATH`; null is a file that is not there.
    pub files: BTreeMap<String, Option<String>>,
    /// Values of keys: text, or a number for a counter; null is a key that is not there.
    pub keys: BTreeMap<String, Option<KeyValue>>,
    /// The time, such as `2026-01-31T12:00:00Z`.
    pub clock: Option<String>,
}

/// The value of a key.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged, expecting = "a value is a text, or a whole number for a counter, or null for none")]
pub(super) enum KeyValue {
    Counter(i64),
    Text(String),
}

impl WrittenHost {
    /// This, with what `more` has in place of what is here.
    pub fn with(&self, more: &WrittenHost) -> WrittenHost {
        let mut all = self.clone();
        all.files.extend(more.files.clone());
        all.keys.extend(more.keys.clone());
        all.clock = more.clock.clone().or(all.clock);
        all
    }

    /// As a stage takes it. `closed`: whether there is nothing beyond it.
    ///
    /// # Errors
    /// A pointer below `host`, and what is wrong there.
    pub fn given(&self, closed: bool) -> Result<Given, (String, String)> {
        let clock = match &self.clock {
            None => Duration::ZERO,
            Some(text) => humantime::parse_rfc3339_weak(text)
                .ok()
                .and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok())
                .ok_or_else(|| {
                    let message = format!("{text:?} is no time; write one such as 2026-01-31T12:00:00Z");
                    ("/clock".to_owned(), message)
                })?,
        };
        let files = self.files.iter();
        let keys = self.keys.iter();
        Ok(Given {
            files: files.map(|(path, text)| (path.clone(), text.clone().map(String::into_bytes))).collect(),
            keys: keys.map(|(key, value)| (key.clone(), value.as_ref().map(KeyValue::bytes))).collect(),
            clock,
            closed,
        })
    }
}

impl KeyValue {
    fn bytes(&self) -> Vec<u8> {
        match self {
            KeyValue::Counter(count) => count.to_le_bytes().to_vec(),
            KeyValue::Text(text) => text.clone().into_bytes(),
        }
    }
}
