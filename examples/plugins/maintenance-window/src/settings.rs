//! The settings as written, and their check.

use serde::Deserialize;
use tuffet_sdk::{Glob, Operation, Problems};

use crate::week::{DAYS, Offset, Window};
use crate::{MaintenanceWindow, Rule};

/// The settings of the plugin; README.md explains each key.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    #[serde(default)]
    offset: Option<String>,
    rules: Vec<RuleSettings>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleSettings {
    #[serde(default)]
    operations: Vec<Operation>,
    #[serde(default)]
    names: Vec<String>,
    windows: Vec<WindowSettings>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WindowSettings {
    #[serde(default)]
    days: Option<Vec<String>>,
    from: String,
    to: String,
}

pub(crate) fn check(settings: Settings) -> Result<MaintenanceWindow, Problems> {
    let mut problems = Problems::new();
    let offset = match settings.offset.as_deref() {
        None | Some("UTC") => Offset::default(),
        Some(text) => problems.check("/offset", offset(text)).unwrap_or_default(),
    };
    if settings.rules.is_empty() {
        problems.add("/rules", "without a rule the plugin does nothing: write one, or leave the plugin out");
    }
    let mut rules = Vec::new();
    for (index, rule) in settings.rules.into_iter().enumerate() {
        let at = format!("/rules/{index}");
        let mut names = Vec::new();
        for (index, name) in rule.names.iter().enumerate() {
            names.extend(problems.check(format!("{at}/names/{index}"), Glob::parse(name)));
        }
        if rule.windows.is_empty() {
            problems.add(
                format!("{at}/windows"),
                "a rule without a window would deny for ever: use acl for that",
            );
        }
        let mut windows = Vec::new();
        for (index, window) in rule.windows.iter().enumerate() {
            windows.extend(check_window(&mut problems, &format!("{at}/windows/{index}"), window));
        }
        rules.push(Rule { operations: rule.operations, names, windows });
    }
    problems.or(MaintenanceWindow { offset, rules })
}

/// A window for each of its days.
fn check_window(problems: &mut Problems, at: &str, window: &WindowSettings) -> Vec<Window> {
    let from = problems.check(format!("{at}/from"), time(&window.from));
    let to = problems.check(format!("{at}/to"), time(&window.to));
    let mut days = Vec::new();
    match &window.days {
        None => days.extend(0..DAYS.len()),
        Some(names) if names.is_empty() => {
            problems.add(format!("{at}/days"), "an empty list has no day: leave the key out for every day");
        }
        Some(names) => {
            for (index, name) in names.iter().enumerate() {
                let day = DAYS.iter().position(|day| day == name);
                let day = day.ok_or_else(|| format!("{name:?} is no day: write one of {}", DAYS.join(", ")));
                days.extend(problems.check(format!("{at}/days/{index}"), day));
            }
        }
    }
    let (Some(from), Some(to)) = (from, to) else { return Vec::new() };
    days.into_iter().map(|day| Window::new(day, from, to)).collect()
}

/// Minutes since midnight, 24:00 included.
fn time(text: &str) -> Result<u64, String> {
    let wrong = || format!("{text:?} is no time: write one such as \"22:00\", between quotes");
    let minutes = minutes(text).ok_or_else(wrong)?;
    if minutes <= 24 * 60 { Ok(minutes) } else { Err(wrong()) }
}

fn offset(text: &str) -> Result<Offset, String> {
    let wrong = || {
        format!(
            "{text:?} is no offset from UTC: write one such as \"+01:00\", between quotes; names of time zones are unknown here"
        )
    };
    let (sign, rest) = match text.split_at_checked(1).ok_or_else(wrong)? {
        ("+", rest) => (1, rest),
        ("-", rest) => (-1, rest),
        _ => return Err(wrong()),
    };
    let minutes = minutes(rest).filter(|minutes| *minutes <= 14 * 60).ok_or_else(wrong)?;
    Ok(Offset(sign * minutes as i64 * 60))
}

/// `HH:MM` in minutes.
fn minutes(text: &str) -> Option<u64> {
    let (hours, minutes) = text.split_once(':')?;
    let number = |digits: &str| match digits.len() == 2 && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        true => digits.parse::<u64>().ok(),
        false => None,
    };
    let minutes = number(minutes).filter(|minutes| *minutes < 60)?;
    Some(number(hours)? * 60 + minutes)
}
