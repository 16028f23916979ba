//! Numbers and texts for display.

use tuffet_terminal::is_unseen;

/// Returns text of clients and plugins without characters that control a terminal, are invisible, or change
/// the direction.
pub(super) fn plain(text: &str) -> String {
    let is_unseen = |c: char| is_unseen(c) || c.is_control();
    text.chars().map(|c| if is_unseen(c) { '\u{fffd}' } else { c }).collect()
}

/// Returns the text within this many columns; an ellipsis replaces its end.
pub(super) fn cut_end(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

/// Returns the text within this many columns; an ellipsis replaces its beginning, because the end of a path says most.
pub(super) fn cut_front(text: &str, most: usize) -> String {
    let count = text.chars().count();
    if count <= most {
        return text.to_owned();
    }
    ['…'].into_iter().chain(text.chars().skip(count + 1 - most.max(1))).collect()
}

fn scaled(value: f64, units: &[&str]) -> String {
    let (mut value, mut index) = (value, 0);
    while value >= 1000.0 && index + 1 < units.len() {
        value /= 1000.0;
        index += 1;
    }
    let digits = match value {
        _ if index == 0 => 0,
        value if value >= 100.0 => 0,
        value if value >= 10.0 => 1,
        _ => 2,
    };
    format!("{value:.digits$} {}", units[index])
}

pub(super) fn bytes(count: u64) -> String {
    scaled(count as f64, &["B", "kB", "MB", "GB", "TB"])
}

pub(super) fn rate(count: u64) -> String {
    format!("{}/s", bytes(count))
}

pub(super) fn micros(value: Option<u64>) -> String {
    match value {
        None => "–".into(),
        Some(value) if value < 1_000_000 => scaled(value as f64, &["µs", "ms"]),
        Some(value) => span(value / 1_000_000),
    }
}

/// Formats a time of day in UTC.
pub(super) fn clock(unix_ms: u64) -> String {
    let second = unix_ms / 1000;
    format!("{:02}:{:02}:{:02}", second / 3600 % 24, second / 60 % 60, second % 60)
}

/// Formats a fraction as a percentage.
pub(super) fn percent(part: u64, whole: u64) -> String {
    match part as f64 * 100.0 / whole.max(1) as f64 {
        value if value >= 10.0 || part == 0 => format!("{value:.0} %"),
        value if value >= 0.01 => format!("{value:.2} %"),
        _ => "< 0.01 %".into(),
    }
}

pub(super) fn span(seconds: u64) -> String {
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60);
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{minutes} min {} s", seconds % 60),
        3600..86_400 => format!("{hours} h {minutes} min"),
        _ => format!("{days} d {hours} h"),
    }
}
