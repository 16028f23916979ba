//! Options and their negotiation: RFC 2347, 2348 (blksize), 2349 (timeout, tsize), 7440 (windowsize).
//!
//! The server acknowledges only requested options, never with a larger value than requested. It ignores an
//! option with an invalid value, as tftp-hpa does; RFC 2347 permits this.

use crate::text::{Writer, take_string};

/// Bytes in a block when nothing was negotiated (RFC 1350).
pub const DEFAULT_BLKSIZE: u16 = 512;
/// The smallest `blksize` (RFC 2348).
pub const MIN_BLKSIZE: u16 = 8;
/// The largest `blksize` (RFC 2348): the payload of an IPv4 datagram.
pub const MAX_BLKSIZE: u16 = 65_464;

/// The largest window that is granted, in blocks: half of the block numbers. In a larger one, a duplicated
/// ACK could be taken for the ACK of blocks that the peer does not have. (RFC 7440 allows requests up to
/// 65535; the server may grant less.)
const MAX_GRANTED_WINDOW: u16 = 32_767;

/// The options of a request or OACK, as received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options<'a> {
    rest: &'a [u8],
}

impl<'a> Options<'a> {
    pub(crate) fn new(rest: &'a [u8]) -> Self {
        Options { rest }
    }

    /// Iterates over names and values. Ends at the first incomplete one: a missing NUL, a name without a
    /// value, or the padding that some clients append.
    pub fn iter(self) -> impl Iterator<Item = (&'a [u8], &'a [u8])> {
        let mut rest = self.rest;
        core::iter::from_fn(move || {
            let (name, after) = take_string(rest).filter(|(name, _)| !name.is_empty())?;
            let (value, after) = take_string(after)?;
            rest = after;
            Some((name, value))
        })
    }

    /// Returns whether only padding follows the last complete option.
    fn is_whole(self) -> bool {
        let read: usize = self.iter().map(|(name, value)| name.len() + value.len() + 2).sum();
        self.rest[read..].iter().all(|&byte| byte == 0)
    }

    /// Returns the known options with valid values. Of several with the same name the first counts (RFC 2347:
    /// "an option may only be specified once").
    pub fn requested(self) -> OptionSet {
        let mut requested = OptionSet::default();
        let mut seen = [false; 4];
        for (name, value) in self.iter() {
            let Some(which) = KNOWN.iter().position(|known| name.eq_ignore_ascii_case(known)) else {
                continue;
            };
            if core::mem::replace(&mut seen[which], true) {
                continue;
            }
            let Some(value) = decimal(value) else { continue };
            match which {
                0 => requested.blksize = within(value, u64::from(MIN_BLKSIZE), u64::from(MAX_BLKSIZE)),
                1 => requested.timeout = within(value, 1, 255),
                2 => requested.tsize = Some(value),
                _ => requested.windowsize = within(value, 1, 65_535),
            }
        }
        requested
    }
}

const KNOWN: [&[u8]; 4] = [b"blksize", b"timeout", b"tsize", b"windowsize"];

/// A set of options with their values: the requested or the granted options.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct OptionSet {
    /// The size of the file in bytes; 0 in a read request (RFC 2349).
    pub tsize: Option<u64>,
    /// Bytes in a block, 8 to 65464 (RFC 2348).
    pub blksize: Option<u16>,
    /// Blocks in a window, 1 to 65535 (RFC 7440).
    pub windowsize: Option<u16>,
    /// Seconds before a retransmission, 1 to 255 (RFC 2349).
    pub timeout: Option<u8>,
}

/// The ceilings of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The largest block in bytes, 8 to 65464.
    pub blksize: u16,
    /// The largest window in blocks, 1 to 32767; larger values are cut to that.
    pub windowsize: u16,
    /// How many blocks of a window are sent within a millisecond, at least 1; `None`: all at once. Not
    /// negotiated: a larger window is paced.
    pub burst: Option<u16>,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { blksize: MAX_BLKSIZE, windowsize: 64, burst: None }
    }
}

impl OptionSet {
    /// Returns the server's answer to the requested options. `size` is the size of the file for a read,
    /// `None` if it is not known exactly; for a write, the `tsize` of the request is echoed.
    pub fn grant(requested: &OptionSet, limits: &Limits, size: Option<u64>) -> OptionSet {
        OptionSet {
            tsize: requested.tsize.and(size),
            blksize: requested.blksize.map(|blksize| blksize.min(limits.blksize.max(MIN_BLKSIZE))),
            windowsize: requested
                .windowsize
                .map(|blocks| blocks.min(limits.windowsize.clamp(1, MAX_GRANTED_WINDOW))),
            timeout: requested.timeout,
        }
    }

    /// Returns whether the set is empty.
    pub fn is_empty(&self) -> bool {
        *self == OptionSet::default()
    }

    /// Checks the server's OACK for the client: only requested options, and never a larger value (RFC 2347,
    /// 2348, 7440); `timeout` must be the requested one (RFC 2349).
    pub(crate) fn verify(requested: &OptionSet, answer: Options<'_>) -> Option<OptionSet> {
        let granted = answer.requested();
        let known = |name: &[u8]| KNOWN.iter().any(|known| name.eq_ignore_ascii_case(known));
        // A truncated answer would leave the two ends with different block sizes.
        let whole = answer.is_whole()
            && answer.iter().all(|(name, _)| known(name))
            && answer.iter().count() == granted.count();
        let fine = whole
            && granted.blksize.is_none_or(|got| requested.blksize.is_some_and(|requested| got <= requested))
            && granted
                .windowsize
                .is_none_or(|got| requested.windowsize.is_some_and(|requested| got <= requested))
            && granted.timeout.is_none_or(|got| requested.timeout == Some(got))
            && (granted.tsize.is_none() || requested.tsize.is_some());
        fine.then_some(granted)
    }

    /// Returns the bytes in a block under these options.
    pub fn block_size(&self) -> u16 {
        self.blksize.unwrap_or(DEFAULT_BLKSIZE)
    }

    /// Returns the blocks in a window under these options.
    pub fn window_size(&self) -> u16 {
        self.windowsize.unwrap_or(1)
    }

    pub(crate) fn write(&self, writer: &mut Writer<'_>) {
        let fields = [
            (KNOWN[0], self.blksize.map(u64::from)),
            (KNOWN[1], self.timeout.map(u64::from)),
            (KNOWN[2], self.tsize),
            (KNOWN[3], self.windowsize.map(u64::from)),
        ];
        for (name, value) in fields {
            if let Some(value) = value {
                writer.string(name);
                writer.number(value);
            }
        }
    }

    fn count(&self) -> usize {
        usize::from(self.tsize.is_some())
            + usize::from(self.blksize.is_some())
            + usize::from(self.windowsize.is_some())
            + usize::from(self.timeout.is_some())
    }
}

/// Parses decimal digits only: no sign, no space, at most `u64::MAX`.
fn decimal(text: &[u8]) -> Option<u64> {
    if text.is_empty() {
        return None;
    }
    text.iter().try_fold(0_u64, |sum, &byte| {
        let digit = byte.checked_sub(b'0').filter(|digit| *digit <= 9)?;
        sum.checked_mul(10)?.checked_add(u64::from(digit))
    })
}

fn within<T: TryFrom<u64>>(value: u64, least: u64, most: u64) -> Option<T> {
    (least..=most).contains(&value).then(|| T::try_from(value).ok()).flatten()
}

#[cfg(test)]
#[allow(clippy::octal_escapes)] // an option's value follows a NUL
mod tests {
    use super::*;

    fn requested(options: &[u8]) -> OptionSet {
        Options::new(options).requested()
    }

    #[test]
    fn invalid_values_are_left_out() {
        for value in ["", "0", "7", "65465", "-1", "1e9", " 512", "512x", "+512", "99999999999999999999999"] {
            assert_eq!(requested(format!("blksize\0{value}\0").as_bytes()).blksize, None, "{value:?}");
        }
        for value in ["0", "65536", "-1", ""] {
            assert_eq!(requested(format!("windowsize\0{value}\0").as_bytes()).windowsize, None, "{value:?}");
        }
        for value in ["0", "256", "1.5"] {
            assert_eq!(requested(format!("timeout\0{value}\0").as_bytes()).timeout, None, "{value:?}");
        }
        for value in ["-1", "18446744073709551616", "0x10"] {
            assert_eq!(requested(format!("tsize\0{value}\0").as_bytes()).tsize, None, "{value:?}");
        }
    }

    #[test]
    fn valid_values_any_case_first_of_duplicates() {
        let oack = requested(
            b"BlkSize\08\0windowsize\065535\0TIMEOUT\0255\0tsize\018446744073709551615\0blksize\0512\0",
        );
        let all = OptionSet {
            blksize: Some(8),
            windowsize: Some(65_535),
            timeout: Some(255),
            tsize: Some(u64::MAX),
        };
        assert_eq!(oack, all);
        assert_eq!(
            requested(b"blksize\0bad\0blksize\0512\0").blksize,
            None,
            "the first counts, valid or not"
        );
        assert_eq!(requested(b"unknown\0x\0blksize\065464\0").blksize, Some(65_464));
        assert_eq!(requested(b"blksize\0512"), OptionSet::default(), "no final NUL");
        assert_eq!(requested(b"blksize\0"), OptionSet::default(), "no value");
        assert_eq!(requested(b"\0\0\0\0"), OptionSet::default(), "padding");
    }

    #[test]
    fn grants_only_what_was_asked_and_never_more() {
        let limits = Limits { blksize: 1_428, windowsize: 16, burst: None };
        let requested =
            OptionSet { blksize: Some(65_464), windowsize: Some(4), timeout: Some(3), tsize: Some(0) };
        let granted = OptionSet::grant(&requested, &limits, Some(77));
        assert_eq!(
            granted,
            OptionSet { blksize: Some(1_428), windowsize: Some(4), timeout: Some(3), tsize: Some(77) }
        );
        assert_eq!(OptionSet::grant(&requested, &limits, None).tsize, None, "never a size that is not exact");
        assert!(OptionSet::grant(&OptionSet::default(), &limits, Some(77)).is_empty());
    }

    #[test]
    fn a_window_leaves_half_of_the_numbers_free() {
        let limits = Limits { windowsize: 65_535, ..Limits::default() };
        let requested = OptionSet { windowsize: Some(65_535), ..OptionSet::default() };
        assert_eq!(OptionSet::grant(&requested, &limits, None).windowsize, Some(32_767));
    }

    #[test]
    fn a_client_refuses_what_it_did_not_ask() {
        let requested = OptionSet { blksize: Some(1_428), timeout: Some(2), ..OptionSet::default() };
        let verify = |answer: &[u8]| OptionSet::verify(&requested, Options::new(answer));
        assert!(verify(b"blksize\01428\0timeout\02\0").is_some());
        assert!(verify(b"blksize\0512\0").is_some());
        assert!(verify(b"blksize\0512\0\0\0").is_some(), "padding");
        for bad in [
            &b"blksize\01429\0"[..],
            b"timeout\03\0",
            b"tsize\01\0",
            b"windowsize\01\0",
            b"x\01\0",
            b"blksize\0y\0",
            b"blksize\0512",
            b"blksize\0512\0timeout",
        ] {
            assert!(verify(bad).is_none(), "{bad:?}");
        }
    }
}
