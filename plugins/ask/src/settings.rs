//! The settings as written, and their check.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::time::Duration;

use serde::Deserialize;
use tuffet_sdk::Problems;

use crate::Ask;
use crate::candidate::UrlRoot;
use crate::notes::Notes;
use crate::service::Service;

/// The settings of the plugin; README.md explains each key.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
    url: String,
    time_limit: Option<String>,
    when_away: Option<WhenAway>,
    last_for: Option<String>,
    token: Option<String>,
    headers: Option<BTreeMap<String, String>>,
    roots: Option<Vec<RootSettings>>,
    renderings: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RootSettings {
    root: String,
    url: String,
}

/// What counts without an answer of the service.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum WhenAway {
    /// No answer: the client asks again, or another server.
    #[default]
    Drop,
    Deny,
    Abstain,
    /// The last answer to the same request, and otherwise none.
    Last,
}

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// Below the default of `limits.wall`, so that the plugin can still say what counts.
const TIME_LIMIT: Duration = Duration::from_millis(400);
const LAST_FOR: Duration = Duration::from_secs(60 * 60);
const RENDERINGS: Duration = Duration::from_secs(60);
/// Headers that the plugin or the server sets, and those of one connection.
const OWN_HEADERS: [&str; 9] = [
    "accept",
    "connection",
    "content-length",
    "content-type",
    "host",
    "keep-alive",
    "te",
    "transfer-encoding",
    "upgrade",
];

pub(crate) fn check(settings: Settings) -> Result<Ask, Problems> {
    let mut problems = Problems::new();
    problems.check("/url", check_url(&settings.url));
    let mut time = |key: &str, text: Option<String>, default, bounds| {
        let given = text.map(|text| span(&text, bounds));
        given.and_then(|given| problems.check(format!("/{key}"), given)).unwrap_or(default)
    };
    let time_limit = time(
        "time-limit",
        settings.time_limit,
        TIME_LIMIT,
        Duration::from_millis(1)..=Duration::from_secs(60),
    );
    let gave_last_for = settings.last_for.is_some();
    let last_for = time("last-for", settings.last_for, LAST_FOR, Duration::from_secs(1)..=30 * DAY);
    let renderings = time("renderings", settings.renderings, RENDERINGS, Duration::ZERO..=DAY);
    let when_away = settings.when_away.unwrap_or_default();
    if gave_last_for && when_away != WhenAway::Last {
        problems
            .add("/last-for", "last answers count with `when-away: last` alone: write it, or leave this out");
    }

    let mut headers = Vec::new();
    for (name, value) in settings.headers.unwrap_or_default() {
        problems.check(format!("/headers/{name}"), check_header(&name, &value));
        headers.push((name, value));
    }
    let mut secrets: Vec<String> = headers.iter().map(|(_, value)| value.clone()).collect();
    if let Some(token) = settings.token {
        if token.is_empty() || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            problems.add("/token", "a token has visible ASCII characters alone, and at least one");
        }
        if headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("authorization")) {
            problems
                .add("/token", "the token goes into the header `authorization`, which `headers` has, too");
        }
        headers.push(("authorization".into(), format!("Bearer {token}")));
        secrets.push(token);
    }

    let mut roots: Vec<UrlRoot> = Vec::new();
    for (i, RootSettings { root, url }) in settings.roots.unwrap_or_default().into_iter().enumerate() {
        if root.is_empty() {
            problems.add(format!("/roots/{i}/root"), "write the name of a root");
        }
        problems.check(format!("/roots/{i}/url"), check_url(&url).and_then(|()| check_folder(&url)));
        roots.push(UrlRoot { root, url: format!("{}/", url.trim_end_matches('/')) });
    }
    // A folder within that of another root is looked for first.
    roots.sort_by_key(|its| std::cmp::Reverse(its.url.len()));

    let shown = settings.url.split('?').next().unwrap_or_default().to_owned();
    let service = Service { url: settings.url, shown, time: time_limit, headers, secrets };
    let notes = RefCell::new(Notes::default());
    problems.or(Ask { service, when_away, last_for, renderings, roots, notes })
}

fn check_url(url: &str) -> Result<(), String> {
    let rest = ["https://", "http://"].into_iter().find_map(|scheme| url.strip_prefix(scheme));
    let host = rest.map(|rest| rest.split(['/', '?']).next().unwrap_or_default());
    if host.is_none_or(str::is_empty) {
        return Err(format!("{url:?} is not a URL: write https://HOST:PORT/PATH"));
    }
    if host.is_some_and(|host| host.contains('@')) {
        return Err("a URL with a login would be in logs: use `token`, or a header below `secrets`".into());
    }
    if url.contains('#') || !url.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(format!("{url:?} has a fragment, a space or a character outside of ASCII"));
    }
    Ok(())
}

fn check_folder(url: &str) -> Result<(), String> {
    if url.contains('?') { Err("a root has files alone: leave the query out".into()) } else { Ok(()) }
}

/// The message never has the value, which may be a secret.
fn check_header(name: &str, value: &str) -> Result<(), String> {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if name.is_empty() || !name.bytes().all(is_token) {
        return Err(format!("{name:?} is not the name of a header"));
    }
    if OWN_HEADERS.iter().any(|own| own.eq_ignore_ascii_case(name)) {
        return Err(format!("the header `{name}` is set already"));
    }
    if !value.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic()) {
        return Err(format!("the value of `{name}` has a character that is not visible ASCII"));
    }
    Ok(())
}

/// A time as in the rest of the configuration: `400ms`, `1m 30s`, `7d`.
fn span(text: &str, bounds: RangeInclusive<Duration>) -> Result<Duration, String> {
    let wrong = || format!("{text:?} is no time: write numbers with ms, s, m, h or d, such as 400ms");
    let mut rest = text.trim();
    let mut total = Duration::ZERO;
    while !rest.is_empty() || text.trim().is_empty() {
        let unit = rest.find(|c: char| !c.is_ascii_digit()).ok_or_else(wrong)?;
        let end = rest[unit..].find(|c: char| !c.is_ascii_alphabetic()).map_or(rest.len(), |end| unit + end);
        let milliseconds: u64 = match &rest[unit..end] {
            "ms" => 1,
            "s" => 1_000,
            "m" => 60_000,
            "h" => 3_600_000,
            "d" => 86_400_000,
            _ => return Err(wrong()),
        };
        let number: u64 = rest[..unit].parse().map_err(|_| wrong())?;
        total = total.saturating_add(Duration::from_millis(number.saturating_mul(milliseconds)));
        rest = rest[end..].trim_start();
    }
    if !bounds.contains(&total) {
        return Err(format!("{text} is out of bounds: {:?} to {:?}", bounds.start(), bounds.end()));
    }
    Ok(total)
}
