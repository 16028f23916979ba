//! Options and their negotiation: RFC 2347, 2348 (blksize), 2349 (timeout, tsize), 7440 (windowsize), and where a
//! server [acknowledges](Acknowledged) them, those of tftp-hpa (`tftpd/tftpd.c` of 5.2: rollover, blksize2, utimeout)
//! and of Windows Deployment Services (msftwindow).
//!
//! The server acknowledges only requested options, never with a larger value than requested. It reads requests
//! leniently, as tftp-hpa does (`tftpd/tftpd.c` of 5.2: strtoumax): a value may begin with blanks and a `+`, `blksize`
//! and `windowsize` above their ranges are lowered, and the last value may lack its NUL. It ignores an option with
//! another invalid value; RFC 2347 permits this. An OACK is read strictly: both ends must agree about it.

use crate::acknowledged::OptionName;
use crate::block::{DEFAULT_BLKSIZE, MAX_BLKSIZE, MIN_BLKSIZE, Rollover};
use crate::limits::Limits;
use crate::text::{Writer, take_string};

/// The values of `utimeout`, in microseconds, that tftp-hpa accepts.
const UTIMEOUT: core::ops::RangeInclusive<u64> = 10_000..=255_000_000;

/// The value of the option `msftwindow` in the requests of Windows, and in the answers of servers that have it.
pub const MSFTWINDOW_REQUESTED: u64 = 31_416;
const MSFTWINDOW_GRANTED: u64 = 27_182;

/// The options of a request or OACK, as received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options<'a> {
    rest: &'a [u8],
    /// Whether it is a request, which may be sloppy.
    is_request: bool,
}

impl<'a> Options<'a> {
    /// Returns the options of an OACK.
    pub(crate) fn new(rest: &'a [u8]) -> Self {
        Options { rest, is_request: false }
    }

    /// Returns the options of a request.
    pub(crate) fn of_request(rest: &'a [u8]) -> Self {
        Options { rest, is_request: true }
    }

    /// Iterates over names and values. Ends at the first incomplete one: a name without a value, or the padding that
    /// some clients append; in an OACK also a value without its NUL.
    pub fn iter(self) -> impl Iterator<Item = (&'a [u8], &'a [u8])> {
        let Options { mut rest, is_request } = self;
        core::iter::from_fn(move || {
            let (name, after) = take_string(rest).filter(|(name, _)| !name.is_empty())?;
            let unended = Some((after, &[][..])).filter(|(value, _)| is_request && !value.is_empty());
            let (value, after) = take_string(after).or(unended)?;
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
        let mut seen = [false; KNOWN.len()];
        for (name, value) in self.iter() {
            let known = |known: &OptionName| name.eq_ignore_ascii_case(known.as_str().as_bytes());
            let Some(which) = KNOWN.iter().position(known) else { continue };
            if core::mem::replace(&mut seen[which], true) {
                continue;
            }
            let Some(value) = decimal(if self.is_request { without_sign(value) } else { value }) else {
                continue;
            };
            // Lowered to the most that there is.
            let lowered = |most: u64| if self.is_request { value.min(most) } else { value };
            match KNOWN[which] {
                OptionName::Blksize => requested.blksize = blksize(lowered(MAX_BLKSIZE.into())),
                OptionName::Timeout => requested.timeout = within(value, 1, 255),
                OptionName::Tsize => requested.tsize = Some(value),
                OptionName::Windowsize => {
                    requested.windowsize = within(lowered(u16::MAX.into()), 1, u16::MAX.into());
                }
                OptionName::Rollover => requested.rollover = rollover(value),
                // Larger values are lowered, as by tftp-hpa.
                OptionName::Blksize2 => requested.blksize2 = blksize(value.min(MAX_BLKSIZE.into())),
                OptionName::Utimeout => {
                    requested.utimeout = within(value, *UTIMEOUT.start(), *UTIMEOUT.end());
                }
                OptionName::Msftwindow => requested.msftwindow = value == MSFTWINDOW_REQUESTED,
            }
        }
        requested
    }
}

/// In the order of an OACK.
const KNOWN: [OptionName; 8] = OptionName::ALL;

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
    /// The successor of block 65535 (tftp-hpa).
    pub rollover: Option<Rollover>,
    /// Bytes in a block, 8 to 65464; a power of two where it is granted (tftp-hpa).
    pub blksize2: Option<u16>,
    /// Microseconds before a retransmission, 10,000 to 255,000,000 (tftp-hpa).
    pub utimeout: Option<u32>,
    /// Whether the fifth byte of each ACK is the size of the next window (Windows Deployment Services).
    pub msftwindow: bool,
}

impl OptionSet {
    /// Returns the server's answer to the requested options. `size` is the size of the file for a read,
    /// `None` if it is not known exactly; for a write, the `tsize` of the request is echoed.
    pub fn grant(requested: &OptionSet, limits: &Limits, size: Option<u64>) -> OptionSet {
        let has = |option| limits.acknowledged.has(option);
        let most = limits.blksize.max(MIN_BLKSIZE);
        let msftwindow = requested.msftwindow && has(OptionName::Msftwindow);
        let blksize = requested.blksize.filter(|_| has(OptionName::Blksize));
        let blksize2 = requested.blksize2.filter(|_| has(OptionName::Blksize2) && blksize.is_none());
        let windowsize = requested.windowsize.filter(|_| has(OptionName::Windowsize) && !msftwindow);
        OptionSet {
            tsize: requested.tsize.filter(|_| has(OptionName::Tsize)).and(size),
            blksize: blksize.map(|blksize| blksize.min(most)),
            windowsize: windowsize.map(|blocks| blocks.min(limits.most_window())),
            timeout: requested.timeout.filter(|_| has(OptionName::Timeout)),
            rollover: requested.rollover.filter(|_| has(OptionName::Rollover)),
            blksize2: blksize2.map(|blksize| power_of_two(blksize.min(most))),
            utimeout: requested.utimeout.filter(|_| has(OptionName::Utimeout)),
            msftwindow,
        }
    }

    /// Returns whether the set is empty.
    pub fn is_empty(&self) -> bool {
        *self == OptionSet::default()
    }

    /// Checks the server's OACK for the client: only requested options, and never a larger value (RFC 2347,
    /// 2348, 7440); `timeout` must be the requested one (RFC 2349).
    pub(crate) fn verify(requested: &OptionSet, answer: Options<'_>) -> Option<OptionSet> {
        Self::verify_beside(requested, answer, None)
    }

    /// As [`OptionSet::verify`], for an answer that may have one further option, which is checked elsewhere.
    pub(crate) fn verify_beside(
        requested: &OptionSet,
        answer: Options<'_>,
        further: Option<&[u8]>,
    ) -> Option<OptionSet> {
        let granted = answer.requested();
        let known =
            |name: &[u8]| KNOWN.iter().any(|known| name.eq_ignore_ascii_case(known.as_str().as_bytes()));
        let beside = |name: &[u8]| further.is_some_and(|further| name.eq_ignore_ascii_case(further));
        // A truncated answer would leave the two ends with different block sizes.
        let whole = answer.is_whole()
            && answer.iter().all(|(name, _)| known(name) || beside(name))
            && answer.iter().filter(|(name, _)| !beside(name)).count() == granted.count();
        let fine = whole
            && granted.blksize.is_none_or(|got| requested.blksize.is_some_and(|requested| got <= requested))
            && granted
                .windowsize
                .is_none_or(|got| requested.windowsize.is_some_and(|requested| got <= requested))
            && granted.timeout.is_none_or(|got| requested.timeout == Some(got))
            && granted.rollover.is_none_or(|got| requested.rollover == Some(got))
            && granted
                .blksize2
                .is_none_or(|got| requested.blksize2.is_some_and(|requested| got <= requested))
            && granted.utimeout.is_none_or(|got| requested.utimeout == Some(got))
            && !granted.msftwindow
            && (granted.tsize.is_none() || requested.tsize.is_some());
        fine.then_some(granted)
    }

    /// Returns the bytes in a block under these options.
    pub fn block_size(&self) -> u16 {
        self.blksize.or(self.blksize2).unwrap_or(DEFAULT_BLKSIZE)
    }

    /// Returns the blocks in a window under these options.
    pub fn window_size(&self) -> u16 {
        self.windowsize.unwrap_or(1)
    }

    /// Returns how long the peer wants to wait before a retransmission, in microseconds.
    pub(crate) fn retransmission(&self) -> Option<u32> {
        self.utimeout.or(self.timeout.map(|seconds| u32::from(seconds) * 1_000_000))
    }

    /// Returns the value of an option, as an OACK has it.
    pub fn value(&self, option: OptionName) -> Option<u64> {
        match option {
            OptionName::Blksize => self.blksize.map(u64::from),
            OptionName::Timeout => self.timeout.map(u64::from),
            OptionName::Tsize => self.tsize,
            OptionName::Windowsize => self.windowsize.map(u64::from),
            OptionName::Rollover => self.rollover.map(|next| u64::from(next == Rollover::One)),
            OptionName::Blksize2 => self.blksize2.map(u64::from),
            OptionName::Utimeout => self.utimeout.map(u64::from),
            OptionName::Msftwindow => self.msftwindow.then_some(MSFTWINDOW_GRANTED),
        }
    }

    /// Writes the options of a request.
    pub(crate) fn write_request(&self, writer: &mut Writer<'_>) {
        self.write(writer, MSFTWINDOW_REQUESTED);
    }

    /// Writes the options of an OACK.
    pub(crate) fn write_answer(&self, writer: &mut Writer<'_>) {
        self.write(writer, MSFTWINDOW_GRANTED);
    }

    fn write(&self, writer: &mut Writer<'_>, msftwindow: u64) {
        for option in KNOWN {
            let value = if option == OptionName::Msftwindow {
                self.msftwindow.then_some(msftwindow)
            } else {
                self.value(option)
            };
            if let Some(value) = value {
                writer.string(option.as_str().as_bytes());
                writer.number(value);
            }
        }
    }

    fn count(&self) -> usize {
        KNOWN.iter().filter(|option| self.value(**option).is_some()).count()
    }
}

fn blksize(value: u64) -> Option<u16> {
    within(value, u64::from(MIN_BLKSIZE), u64::from(MAX_BLKSIZE))
}

fn rollover(value: u64) -> Option<Rollover> {
    match value {
        0 => Some(Rollover::Zero),
        1 => Some(Rollover::One),
        _ => None,
    }
}

/// Returns the largest power of two that is not above `value`, which is at least 1.
fn power_of_two(value: u16) -> u16 {
    1 << value.max(1).ilog2()
}

/// Returns the value without blanks and one `+` at its beginning, as strtoumax reads it.
fn without_sign(value: &[u8]) -> &[u8] {
    let is_blank = |byte: &u8| matches!(byte, b'\t'..=b'\r' | b' ');
    let value = &value[value.iter().position(|byte| !is_blank(byte)).unwrap_or(value.len())..];
    value.strip_prefix(b"+").unwrap_or(value)
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
    use crate::acknowledged::Acknowledged;

    fn requested(options: &[u8]) -> OptionSet {
        Options::of_request(options).requested()
    }

    #[test]
    fn invalid_values_are_left_out() {
        for value in ["", "0", "7", "-1", "1e9", "512 ", "512x", "++512", "+ 512", "99999999999999999999999"]
        {
            assert_eq!(requested(format!("blksize\0{value}\0").as_bytes()).blksize, None, "{value:?}");
        }
        for value in ["0", "-1", "", " ", "+"] {
            assert_eq!(requested(format!("windowsize\0{value}\0").as_bytes()).windowsize, None, "{value:?}");
        }
        for value in ["0", "256", "1.5"] {
            assert_eq!(requested(format!("timeout\0{value}\0").as_bytes()).timeout, None, "{value:?}");
        }
        for value in ["-1", "18446744073709551616", "0x10"] {
            assert_eq!(requested(format!("tsize\0{value}\0").as_bytes()).tsize, None, "{value:?}");
        }
    }

    /// As tftp-hpa 5.2 answers them, which knows no windows.
    #[test]
    fn requests_are_read_leniently_and_answers_strictly() {
        for (value, read) in [
            (" 1468", 1_468),
            ("+1468", 1_468),
            ("\t \x0b1468", 1_468),
            (" +0010", 10),
            ("65465", 65_464),
            ("65500", 65_464),
            ("65536", 65_464),
            ("4294967296", 65_464),
            ("18446744073709551615", 65_464),
        ] {
            let text = format!("blksize\0{value}\0");
            assert_eq!(requested(text.as_bytes()).blksize, Some(read), "{value:?}");
            assert_eq!(Options::new(text.as_bytes()).requested().blksize, None, "{value:?}");
        }
        assert_eq!(requested(b"windowsize\065536\0").windowsize, Some(65_535));
        assert_eq!(requested(b"windowsize\0 +4\0").windowsize, Some(4));
        assert_eq!(requested(b"timeout\0 3\0tsize\0+0\0").timeout, Some(3));
        assert_eq!(requested(b"blksize\0512").blksize, Some(512), "no final NUL");
        assert_eq!(Options::new(b"windowsize\065536\0").requested().windowsize, None);
        assert_eq!(Options::new(b"blksize\0512").requested(), OptionSet::default());
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
            ..OptionSet::default()
        };
        assert_eq!(oack, all);
        assert_eq!(
            requested(b"blksize\0bad\0blksize\0512\0").blksize,
            None,
            "the first counts, valid or not"
        );
        assert_eq!(requested(b"unknown\0x\0blksize\065464\0").blksize, Some(65_464));
        assert_eq!(requested(b"blksize\0"), OptionSet::default(), "no value");
        assert_eq!(requested(b"\0\0\0\0"), OptionSet::default(), "padding");
    }

    #[test]
    fn grants_only_requested_options_and_never_larger_values() {
        let limits = Limits { blksize: 1_428, windowsize: 16, ..Limits::default() };
        let requested = OptionSet {
            blksize: Some(65_464),
            windowsize: Some(4),
            timeout: Some(3),
            tsize: Some(0),
            ..OptionSet::default()
        };
        let granted = OptionSet::grant(&requested, &limits, Some(77));
        assert_eq!(
            granted,
            OptionSet {
                blksize: Some(1_428),
                windowsize: Some(4),
                timeout: Some(3),
                tsize: Some(77),
                ..OptionSet::default()
            }
        );
        assert_eq!(OptionSet::grant(&requested, &limits, None).tsize, None, "never a size that is not exact");
        assert!(OptionSet::grant(&OptionSet::default(), &limits, Some(77)).is_empty());
    }

    #[test]
    fn an_option_that_is_not_acknowledged_is_left_out() {
        let asked = requested(b"tsize\00\0blksize\01024\0windowsize\08\0timeout\03\0");
        for option in [OptionName::Blksize, OptionName::Timeout, OptionName::Tsize, OptionName::Windowsize] {
            let acknowledged = Acknowledged::default().without(option);
            let granted = OptionSet::grant(&asked, &Limits { acknowledged, ..Limits::default() }, Some(9));
            for other in OptionName::ALL {
                let standard = asked.value(other).is_some();
                assert_eq!(
                    granted.value(other).is_some(),
                    standard && other != option,
                    "{option:?} {other:?}"
                );
            }
        }
    }

    /// As tftp-hpa does it.
    #[test]
    fn the_options_of_tftp_hpa() {
        let all = {
            use OptionName::{Blksize2, Rollover, Utimeout};
            Acknowledged::default().with(Rollover).with(Blksize2).with(Utimeout)
        };
        let grant = |options: &[u8], most| {
            let limits = Limits { blksize: most, acknowledged: all, ..Limits::default() };
            OptionSet::grant(&requested(options), &limits, None)
        };
        for (asked, most, granted) in [
            ("8", 65_464, 8),
            ("1023", 65_464, 512),
            ("1024", 65_464, 1024),
            ("65464", 65_464, 32_768),
            ("70000", 65_464, 32_768),
            ("2048", 1_468, 1024),
        ] {
            let set = grant(format!("blksize2\0{asked}\0").as_bytes(), most);
            assert_eq!((set.blksize2, set.block_size()), (Some(granted), granted), "{asked}");
        }
        assert_eq!(grant(b"blksize2\07\0", 512).blksize2, None);
        let both = grant(b"blksize2\02048\0blksize\01000\0", 65_464);
        assert_eq!((both.blksize, both.blksize2, both.block_size()), (Some(1_000), None, 1_000));
        assert_eq!(grant(b"rollover\00\0", 512).rollover, Some(Rollover::Zero));
        assert_eq!(grant(b"rollover\01\0", 512).rollover, Some(Rollover::One));
        assert_eq!(grant(b"rollover\02\0", 512).rollover, None);
        for (asked, granted) in
            [("9999", None), ("10000", Some(10_000)), ("255000000", Some(255_000_000)), ("255000001", None)]
        {
            assert_eq!(grant(format!("utimeout\0{asked}\0").as_bytes(), 512).utimeout, granted, "{asked}");
        }
        let request = requested(b"blksize2\01024\0rollover\01\0utimeout\020000\0msftwindow\031416\0");
        assert!(OptionSet::grant(&request, &Limits::default(), None).is_empty(), "none of them by default");
    }

    #[test]
    fn windows_asks_for_its_windows_and_for_no_other() {
        let acknowledged = Acknowledged::default().with(OptionName::Msftwindow);
        let limits = Limits { acknowledged, ..Limits::default() };
        let grant = |options: &[u8]| OptionSet::grant(&requested(options), &limits, None);
        let granted = grant(b"windowsize\04\0msftwindow\031416\0");
        assert_eq!((granted.msftwindow, granted.windowsize), (true, None));
        assert_eq!(granted.value(OptionName::Msftwindow), Some(27_182));
        assert!(!grant(b"msftwindow\027182\0").msftwindow, "that is an answer");
    }

    #[test]
    fn a_window_leaves_half_of_the_numbers_free() {
        let limits = Limits { windowsize: 65_535, ..Limits::default() };
        let requested = OptionSet { windowsize: Some(65_535), ..OptionSet::default() };
        assert_eq!(OptionSet::grant(&requested, &limits, None).windowsize, Some(32_767));
    }

    #[test]
    fn a_client_refuses_options_that_it_did_not_request() {
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
            b"rollover\00\0",
            b"blksize2\0512\0",
            b"utimeout\010000\0",
            b"msftwindow\027182\0",
            b"blksize\0512",
            b"blksize\0512\0timeout",
        ] {
            assert!(verify(bad).is_none(), "{bad:?}");
        }
    }
}
