//! A value and its expiry, as stored in the file.

use super::{MAX_VALUE, Versioned};

/// The entry of a key: eight bytes of expiry, little-endian, then the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry<'a> {
    /// Milliseconds since 1970; 0 for never.
    pub(super) until: u64,
    pub(super) value: &'a [u8],
}

impl<'a> Entry<'a> {
    pub(super) fn parse(bytes: &'a [u8]) -> Entry<'a> {
        match bytes.split_first_chunk() {
            Some((until, value)) if value.len() <= MAX_VALUE => {
                Entry { until: u64::from_le_bytes(*until), value }
            }
            // Never written by this program: it is damaged, or another program wrote it into the bucket. It counts as
            // missing.
            _ => Entry { until: 1, value: &[] },
        }
    }

    /// Returns the expiry of a value written now.
    pub(super) fn expiry(now: u64, ttl_seconds: Option<u32>) -> u64 {
        ttl_seconds.map_or(0, |seconds| now.saturating_add(u64::from(seconds) * 1000).max(1))
    }

    pub(super) fn is_expired(&self, now: u64) -> bool {
        self.until != 0 && self.until <= now
    }

    /// Returns the value with this revision.
    pub(super) fn versioned(&self, revision: u64) -> Versioned {
        let expires_unix_ms = (self.until != 0).then_some(self.until);
        Versioned { value: self.value.to_vec(), revision, expires_unix_ms }
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        [&self.until.to_le_bytes(), self.value].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_expires_in_time() {
        let entry = |until| Entry { until, value: b"v" };
        assert_eq!(Entry::parse(&entry(7).bytes()), entry(7));
        assert!(!entry(0).is_expired(u64::MAX), "for ever");
        assert!(!entry(7).is_expired(6) && entry(7).is_expired(7));
        assert_eq!(Entry::expiry(5, None), 0);
        assert_eq!(Entry::expiry(5, Some(2)), 2005);
        assert!(entry(Entry::expiry(5, Some(0))).is_expired(5), "no time at all");
        assert!(Entry::parse(b"short").is_expired(1), "damaged");
        assert!(Entry::parse(&[0; 9 + MAX_VALUE]).is_expired(1), "of another program");
    }
}
