//! Windows of a week, and the time in seconds since 1970 in UTC.

/// Seconds of a day.
const DAY: u64 = 86_400;
/// Seconds of a week.
const WEEK: u64 = 7 * DAY;

/// Names of days, as written and as shown.
pub(crate) const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

/// A fixed distance from UTC, in seconds to the east. It knows no summer time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Offset(pub i64);

/// An open span of each week, in seconds from Monday 00:00 of the offset. The end may be in the next week.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Window {
    start: u64,
    seconds: u64,
}

impl Window {
    /// A window that opens on a day of the week (0 is Monday) at `from` minutes of the day, and closes at `to`:
    /// on the next day if `to` is not later than `from`.
    pub fn new(day: usize, from: u64, to: u64) -> Window {
        let minutes = if to > from { to - from } else { to + 24 * 60 - from };
        Window { start: day as u64 * DAY + from * 60, seconds: minutes * 60 }
    }
}

/// Returns the seconds until one of the windows opens, or `None` if one is open.
pub(crate) fn until_open(windows: &[Window], offset: Offset, now: u64) -> Option<u64> {
    let now = local(now, offset);
    // 1970 began on a Thursday.
    let now = (now + 3 * DAY as i64).rem_euclid(WEEK as i64) as u64;
    let mut wait = WEEK;
    for window in windows {
        if (now + WEEK - window.start) % WEEK < window.seconds {
            return None;
        }
        wait = wait.min((window.start + WEEK - now) % WEEK);
    }
    Some(wait)
}

/// Shows a moment as `mon 2026-01-05 22:00 +01:00`.
pub(crate) fn show(moment: u64, offset: Offset) -> String {
    let local = local(moment, offset);
    let days = local.div_euclid(DAY as i64);
    let minutes = local.rem_euclid(DAY as i64) / 60;
    let (year, month, day) = date(days);
    let name = DAYS[(days + 3).rem_euclid(7) as usize];
    format!("{name} {year:04}-{month:02}-{day:02} {:02}:{:02} {}", minutes / 60, minutes % 60, zone(offset))
}

fn zone(offset: Offset) -> String {
    let minutes = offset.0.abs() / 60;
    match offset.0 {
        0 => "UTC".into(),
        east => format!("{}{:02}:{:02}", if east < 0 { '-' } else { '+' }, minutes / 60, minutes % 60),
    }
}

fn local(moment: u64, offset: Offset) -> i64 {
    i64::try_from(moment).unwrap_or(i64::MAX / 2) + offset.0
}

/// The date of a day since 1970-01-01. Years are counted from March, so that a leap day is the last day of a year.
fn date(days: i64) -> (i64, i64, i64) {
    let since_0000_march = days + 719_468;
    let era = since_0000_march.div_euclid(146_097); // days of 400 years
    let day_of_era = since_0000_march.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (era * 400 + year_of_era + i64::from(month <= 2), month, day)
}
