use tuffet_sdk::{Plugin, parse};

use crate::MaintenanceWindow;
use crate::week::{Offset, Window, show, until_open};

/// 2026-01-05 00:00 UTC, a Monday.
const MONDAY: u64 = 1_767_571_200;
const HOUR: u64 = 3_600;

#[test]
fn dates_are_those_of_the_calendar() {
    for (moment, shown) in [
        (0, "thu 1970-01-01 00:00 UTC"),
        (951_782_400, "tue 2000-02-29 00:00 UTC"),
        (MONDAY, "mon 2026-01-05 00:00 UTC"),
        (4_107_542_399, "sun 2100-02-28 23:59 UTC"),
        (4_107_542_400, "mon 2100-03-01 00:00 UTC"),
    ] {
        assert_eq!(show(moment, Offset(0)), shown);
    }
    assert_eq!(show(MONDAY, Offset(-3 * 3600 - 1800)), "sun 2026-01-04 20:30 -03:30");
    assert_eq!(show(MONDAY, Offset(19_800)), "mon 2026-01-05 05:30 +05:30");
}

#[test]
fn a_window_includes_its_first_second_and_not_its_last() {
    let windows = [Window::new(1, 22 * 60, 23 * 60)];
    let opening = MONDAY + 24 * HOUR + 22 * HOUR;
    assert_eq!(until_open(&windows, Offset(0), opening - 1), Some(1));
    assert_eq!(until_open(&windows, Offset(0), opening), None);
    assert_eq!(until_open(&windows, Offset(0), opening + HOUR - 1), None);
    assert_eq!(until_open(&windows, Offset(0), opening + HOUR), Some(167 * HOUR));
    // One hour earlier in UTC, where clocks are an hour ahead.
    assert_eq!(until_open(&windows, Offset(3600), opening - HOUR - 1), Some(1));
    assert_eq!(until_open(&windows, Offset(3600), opening - HOUR), None);
}

#[test]
fn a_window_may_end_on_the_next_day_and_in_the_next_week() {
    let windows = [Window::new(6, 22 * 60, 2 * 60)];
    assert_eq!(until_open(&windows, Offset(0), MONDAY - 2 * HOUR), None);
    assert_eq!(until_open(&windows, Offset(0), MONDAY + 2 * HOUR - 1), None);
    assert_eq!(until_open(&windows, Offset(0), MONDAY + 2 * HOUR), Some(7 * 24 * HOUR - 4 * HOUR));
    let whole_day = [Window::new(0, 0, 24 * 60)];
    assert_eq!(until_open(&whole_day, Offset(0), MONDAY + 24 * HOUR - 1), None);
    assert_eq!(until_open(&whole_day, Offset(0), MONDAY - 1), Some(1));
}

/// The answer for each minute of two weeks agrees with a look at each minute.
#[test]
fn the_next_opening_is_the_first_minute_that_is_open() {
    let windows = [Window::new(0, 0, 60), Window::new(2, 23 * 60, 60), Window::new(6, 1439, 1439)];
    for offset in [Offset(0), Offset(3600), Offset(-5 * 3600)] {
        let open = |minute: u64| until_open(&windows, offset, MONDAY + minute * 60).is_none();
        for minute in (0..14 * 1440).step_by(7) {
            if let Some(wait) = until_open(&windows, offset, MONDAY + minute * 60) {
                let later = wait / 60;
                assert!(
                    open(minute + later) && !(0..later).any(|more| open(minute + more)),
                    "{minute} {offset:?}"
                );
            }
        }
    }
}

#[test]
fn every_mistake_is_pointed_at() {
    let settings = r#"{ "offset": "CET", "rules": [
        { "windows": [] },
        { "names": ["a["], "windows": [{ "days": [], "from": "7:00", "to": "24:01" }, { "days": ["monday"], "from": "00:00", "to": "24:00" }] }
    ] }"#;
    let problems = parse(settings).and_then(MaintenanceWindow::configure).err().unwrap();
    let pointers: Vec<_> = problems.into_vec().into_iter().map(|problem| problem.pointer).collect();
    let expected = [
        "/offset",
        "/rules/0/windows",
        "/rules/1/names/0",
        "/rules/1/windows/0/from",
        "/rules/1/windows/0/to",
        "/rules/1/windows/0/days",
        "/rules/1/windows/1/days/0",
    ];
    assert_eq!(pointers, expected);
}
