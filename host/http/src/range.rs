//! The header `Range` (RFC 9110 section 14): one range of bytes. Several ranges, other units and what cannot be parsed
//! are ignored, as the RFC allows: the client gets the whole.

use std::ops::Range;

/// What a client gets of a representation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Part {
    /// All of it.
    Whole,
    /// These bytes, at least one.
    Bytes(Range<u64>),
    /// Nothing: the range begins behind the end (416).
    Unsatisfiable,
}

/// Reads the value of the header, for a representation of this size.
pub(crate) fn part(value: &str, size: u64) -> Part {
    let Some((unit, ranges)) = value.split_once('=') else { return Part::Whole };
    let Some((first, last)) = ranges.trim().split_once('-') else { return Part::Whole };
    if !unit.trim().eq_ignore_ascii_case("bytes") {
        return Part::Whole;
    }
    match (first, position(first), last, position(last)) {
        // RFC 9110 section 14.1.2: the last bytes; all, if there are fewer.
        ("", _, _, Some(length)) => match (size, length) {
            (_, 0) => Part::Unsatisfiable,
            // `Content-Range` cannot describe no bytes.
            (0, _) => Part::Whole,
            _ => Part::Bytes(size.saturating_sub(length)..size),
        },
        (_, Some(first), "", _) => from(first, u64::MAX, size),
        (_, Some(first), _, Some(last)) if first <= last => from(first, last, size),
        _ => Part::Whole,
    }
}

fn from(first: u64, last: u64, size: u64) -> Part {
    match first < size {
        true => Part::Bytes(first..last.saturating_add(1).min(size)),
        false => Part::Unsatisfiable,
    }
}

/// Reads a number; one of more than 64 bits is behind the end of everything.
fn position(digits: &str) -> Option<u64> {
    let is_number = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
    is_number.then(|| digits.parse().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tuffet_testkit::seeds::seeds;

    #[test]
    fn the_examples_of_the_rfc() {
        // RFC 9110 section 14.1.2: a representation of 10,000 bytes.
        for (value, bytes) in [
            ("bytes=0-499", 0..500),
            ("bytes=500-999", 500..1000),
            ("bytes=-500", 9500..10000),
            ("bytes=9500-", 9500..10000),
            ("bytes=0-0", 0..1),
            ("bytes=9999-20000", 9999..10000),
            ("bytes=-20000", 0..10000),
            ("BYTES=0-", 0..10000),
            ("bytes=1-99999999999999999999999", 1..10000),
        ] {
            assert_eq!(part(value, 10000), Part::Bytes(bytes), "{value}");
        }
        for value in ["bytes=10000-", "bytes=10000-10001", "bytes=-0", "bytes=99999999999999999999999-"] {
            assert_eq!(part(value, 10000), Part::Unsatisfiable, "{value}");
        }
        for value in [
            "",
            "bytes",
            "bytes=",
            "bytes=-",
            "bytes=5",
            "bytes=5-4",
            "bytes=0-0,-1",
            "bytes=a-b",
            "bytes=+1-2",
            "bytes=0x1-2",
            "bytes=1--2",
            "bytes=1 - 2",
            "lines=0-1",
            "bytes:0-1",
        ] {
            assert_eq!(part(value, 10000), Part::Whole, "{value}");
        }
        assert_eq!(part("bytes=0-", 0), Part::Unsatisfiable);
        assert_eq!(part("bytes=-1", 0), Part::Whole);
    }

    /// The bytes that a range selects, one by one.
    fn model(first: Option<u64>, last: Option<u64>, size: u64) -> Part {
        let within = |at: &u64| match (first, last) {
            (Some(first), last) => first <= *at && last.is_none_or(|last| *at <= last),
            (None, last) => size - at <= last.unwrap_or(0),
        };
        let selected: Vec<u64> = (0..size).filter(within).collect();
        match (first, last) {
            (Some(first), Some(last)) if first > last => Part::Whole,
            (None, None) => Part::Whole,
            (None, Some(1..)) if size == 0 => Part::Whole,
            _ => match (selected.first(), selected.last()) {
                (Some(first), Some(last)) => Part::Bytes(*first..last + 1),
                _ => Part::Unsatisfiable,
            },
        }
    }

    #[test]
    fn ranges_select_what_a_naive_model_selects() {
        for seed in seeds(20_000) {
            let mut random = fastrand::Rng::with_seed(seed);
            let size = random.u64(..12);
            let mut number = || random.bool().then(|| random.u64(..14));
            let (first, last) = (number(), number());
            let text = |number: Option<u64>| number.map(|number| number.to_string()).unwrap_or_default();
            let value = format!("bytes={}-{}", text(first), text(last));
            assert_eq!(part(&value, size), model(first, last, size), "seed {seed}: {value} of {size}");
        }
    }
}
