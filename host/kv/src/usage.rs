//! The size of a namespace, counted once and then updated with every change.

use std::collections::HashMap;
use std::sync::Arc;

use redb::ReadableTable;

use super::Quota;
use super::entry::Entry;
use super::tables::Tables;

/// The number of keys, and the bytes of all keys and values.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Usage {
    keys: u64,
    bytes: u64,
}

/// The usage of each namespace that was written to since the file was opened.
pub(super) type Usages = HashMap<Arc<str>, Usage>;

impl Usage {
    /// Removes expired entries and counts the rest.
    pub(super) fn sweep(tables: &mut Tables<'_>, namespace: &str, now: u64) -> Result<Usage, redb::Error> {
        let (mut usage, mut expired) = (Usage::default(), Vec::new());
        for found in tables.keys.range((namespace, "")..)? {
            let (key, entry) = found?;
            let ((found_namespace, key), entry) = (key.value(), Entry::parse(entry.value()));
            if found_namespace != namespace {
                break;
            }
            if entry.is_expired(now) {
                expired.push(key.to_owned());
            } else {
                usage.add(key, entry.value.len());
            }
        }
        for key in expired {
            tables.remove((namespace, &*key))?;
        }
        Ok(usage)
    }

    /// Returns the number of keys, and the bytes.
    pub(super) fn counted(&self) -> (u64, u64) {
        (self.keys, self.bytes)
    }

    pub(super) fn add(&mut self, key: &str, value: usize) {
        self.keys += 1;
        self.bytes += (key.len() + value) as u64;
    }

    pub(super) fn remove(&mut self, key: &str, value: usize) {
        self.keys = self.keys.saturating_sub(1);
        self.bytes = self.bytes.saturating_sub((key.len() + value) as u64);
    }

    /// Returns whether it exceeds both the quota and the usage before: a namespace above a lowered quota may shrink.
    pub(super) fn exceeds(&self, quota: Quota, before: Usage) -> bool {
        (self.keys > quota.keys && self.keys > before.keys)
            || (self.bytes > quota.bytes && self.bytes > before.bytes)
    }
}
