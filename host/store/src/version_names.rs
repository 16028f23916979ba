//! The names of earlier versions: `NAME.~7~`, or with the time of the file `NAME.~20261127T001500Z.7~`.
//!
//! The number orders the versions, with or without a time, because clocks are set back, and two uploads may end within a
//! second.

use tuffet_request::VersionNames;

use super::StoreError;

/// The greatest number.
pub(super) const MAX_NUMBER: u32 = 999_999_999;

/// The bytes of `20261127T001500Z`.
const TIME: usize = 16;

/// The greatest length of a name in bytes on most file systems (`NAME_MAX`).
const MAX_NAME: usize = 255;

/// The last second of the year 9999, in seconds since 1970.
const LAST_SECOND: i64 = 253_402_300_799;

/// Requires that an upload may have this name in a root with versions.
///
/// # Errors
/// `VersionName` for the name of a version, and for one without room for a number.
pub(super) fn require(name: &str, names: VersionNames) -> Result<(), StoreError> {
    match file_of(name).and_then(|of| parts(name.as_bytes(), of)) {
        Some((false, _)) => Err("names that end with .~NUMBER~ are earlier versions"),
        Some((true, _)) => Err("names that end with .~TIME.NUMBER~ are earlier versions"),
        None if name.len() + of("", MAX_NUMBER, names, 0).len() > MAX_NAME => {
            Err("the name is too long for earlier versions")
        }
        None => Ok(()),
    }
    .map_err(StoreError::VersionName)
}

/// The name of the file that a version of this name belongs to.
pub(super) fn file_of(name: &str) -> Option<&str> {
    let (of, _) = name.rsplit_once(".~").filter(|(of, _)| !of.is_empty())?;
    parts(name.as_bytes(), of).map(|_| of)
}

/// The name of a version of this file, which was modified at `time`, in seconds since 1970.
pub(super) fn of(name: &str, number: u32, names: VersionNames, time: i64) -> String {
    match names {
        VersionNames::Number => format!("{name}.~{number}~"),
        VersionNames::Time => format!("{name}.~{}.{number}~", in_utc(time)),
    }
}

/// The number of a version of this file.
pub(super) fn number(version: &[u8], of: &str) -> Option<u32> {
    parts(version, of).map(|(_, number)| number)
}

/// Whether the name has a time, and the number.
fn parts(version: &[u8], of: &str) -> Option<(bool, u32)> {
    let text = version.strip_prefix(of.as_bytes())?.strip_prefix(b".~")?.strip_suffix(b"~")?;
    let (has_time, digits) = match text.split_at_checked(TIME) {
        Some((time, rest)) if is_time(time) => (true, rest.strip_prefix(b".")?),
        _ => (false, text),
    };
    let is_plain = digits.first().is_some_and(|digit| (b'1'..=b'9').contains(digit))
        && digits.iter().all(u8::is_ascii_digit);
    let number = str::from_utf8(digits).ok().filter(|_| is_plain)?.parse().ok()?;
    (number <= MAX_NUMBER).then_some((has_time, number))
}

fn is_time(text: &[u8]) -> bool {
    text.iter().enumerate().all(|(at, byte)| match at {
        8 => *byte == b'T',
        15 => *byte == b'Z',
        _ => byte.is_ascii_digit(),
    })
}

/// A time in UTC, in the basic format of ISO 8601, which has no character that a file system forbids. Times before 1970
/// and after 9999 become the first and the last one.
fn in_utc(seconds: i64) -> String {
    let seconds = seconds.clamp(0, LAST_SECOND);
    let (days, of_day) = (seconds / 86_400, seconds % 86_400);
    // The Gregorian calendar repeats after 400 years, which have 146,097 days. Years begin in March here, so that a leap
    // day is the last one of its year, and months have 30.6 days on average. 1970 began on day 719,468.
    let day = days + 719_468;
    let (period, day) = (day / 146_097, day % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = period * 400 + year + i64::from(month <= 2);
    let (hour, minute, second) = (of_day / 3_600, of_day / 60 % 60, of_day % 60);
    format!("{year:04}{month:02}{day:02}T{hour:02}{minute:02}{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_versions() {
        for (name, of, expected) in [
            ("a.~1~", "a", Some(1)),
            ("a.~999999999~", "a", Some(999_999_999)),
            ("a.~1~.~2~", "a.~1~", Some(2)),
            ("ä b.~7~", "ä b", Some(7)),
            (".~1~.~3~", ".~1~", Some(3)),
            ("a.~20261127T001500Z.7~", "a", Some(7)),
            ("a.~20261127T001500Z.999999999~", "a", Some(999_999_999)),
        ] {
            assert_eq!(number(name.as_bytes(), of), expected, "{name}");
            assert!(require(name, VersionNames::Number).is_err(), "{name}");
            assert!(require(name, VersionNames::Time).is_err(), "{name}");
        }
        for name in [
            "a",
            "a~",
            "a.~~",
            "a.~0~",
            "a.~01~",
            "a.~1000000000~",
            "a.~99999999999999999999~",
            "a.~1",
            "a.~1~x",
            "a.~-1~",
            "a.~+1~",
            ".~1~",
            "a.~20261127T001500Z~",
            "a.~20261127T001500Z.~",
            "a.~20261127T001500Z.07~",
            "a.~20261127T001500Z7~",
            "a.~20261127t001500Z.7~",
            "a.~2026112T001500Z.7~",
            "ä.~2026112äT001500Z.7~",
        ] {
            require(name, VersionNames::Number).expect(name);
        }
        assert_eq!(number(b"ab.~1~", "a"), None);
        assert_eq!(number(b"a.~1~", "a.~1~"), None);
    }

    #[test]
    fn a_name_has_room_for_each_number() {
        for (names, most) in [(VersionNames::Number, 243), (VersionNames::Time, 226)] {
            require(&"x".repeat(most), names).expect("there is room");
            require(&"x".repeat(most + 1), names).expect_err("one byte too many");
        }
    }

    #[test]
    fn times_are_those_of_the_calendar() {
        for (seconds, expected) in [
            (0, "19700101T000000Z"),
            (68_169_599, "19720228T235959Z"),
            (68_169_600, "19720229T000000Z"),
            (951_868_800, "20000301T000000Z"),
            (1_795_738_500, "20261127T001500Z"),
            (4_107_542_399, "21000228T235959Z"),
            (4_107_542_400, "21000301T000000Z"),
            (LAST_SECOND, "99991231T235959Z"),
            (i64::MIN, "19700101T000000Z"),
            (i64::MAX, "99991231T235959Z"),
        ] {
            let name = of("a", 12, VersionNames::Time, seconds);
            assert_eq!(name, format!("a.~{expected}.12~"));
            assert_eq!(number(name.as_bytes(), "a"), Some(12));
        }
    }
}
