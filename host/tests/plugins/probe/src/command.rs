//! The commands that the settings may contain.

use std::fmt::Debug;
use std::hash::{BuildHasher, RandomState};
use std::time::{Duration, SystemTime};

use tuffet_sdk::{Error, files, http, kv, metrics, sinks, upload};

/// Runs all commands and returns one line for each.
pub(crate) fn run_all(commands: &[String]) -> String {
    commands.iter().map(|command| run(command) + "\n").collect()
}

fn run(command: &str) -> String {
    let words: Vec<&str> = command.splitn(4, ' ').collect();
    let show = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
    match words.as_slice() {
        ["kv", "get", key] => said(kv::get(key).map(|value| value.map(|value| show(&value)))),
        ["kv", "set", key, value] => said(kv::set(key, value, None)),
        ["kv", "brief", key, value] => said(kv::set(key, value, Some(Duration::ZERO))),
        ["kv", "delete", key] => said(kv::delete(key)),
        ["kv", "count", key] => said(kv::increment(key, 1, None)),
        ["kv", "entry", key] => {
            said(kv::entry(key).map(|found| found.map(|found| (show(&found.value), found.revision))))
        }
        ["kv", "create", key, value] => {
            said(kv::swap(key, None, value, None).map(|swapped| swapped.is_some()))
        }
        // Replaces the value by a longer one, if nobody else does.
        ["kv", "append", key, value] => said(append(key, value)),
        ["kv", "stale", key, value] => said(kv::swap(key, Some(u64::MAX), value, None)),
        ["kv", "list", prefix, after] => said(kv::list(prefix, Some(after), 2).map(names)),
        ["kv", "list", prefix] => said(kv::list(prefix, None, u32::MAX).map(names)),
        ["shared", name, rest @ ..] => shared(kv::Keys::shared(name), &rest.join(" ")),
        // Keys and values at and beyond their bounds.
        ["kv", "long-key", length] => said(kv::set(&"k".repeat(number(length)), "v", None)),
        ["kv", "long-value", length] => said(kv::set("long", vec![b'v'; number(length)], None)),
        ["kv", "fill", keys] => {
            said((0..number(keys)).try_for_each(|key| kv::set(&format!("fill{key}"), "v", None)))
        }
        ["kv", "gets", count] => said((0..number(count)).try_for_each(|_| kv::get("a").map(drop))),
        ["file", "stat", root, path] => {
            said(files::stat(root, path).map(|found| found.map(|file| file.size)))
        }
        ["file", "read", root, path] => {
            said(files::read(root, path, 1 << 20).map(|found| found.map(|file| show(&file))))
        }
        ["file", "first", root, path] => said(files::read(root, path, 3).map(drop)),
        ["file", "reads", root, path] => {
            let mut read = 0;
            loop {
                match files::read(root, path, u64::MAX) {
                    Ok(file) => read += file.map_or(0, |file| file.len()),
                    Err(error) => return format!("{read} and {}", plain(&error)),
                }
            }
        }
        ["add", name, label, value] => said(metrics::add(name, 2, &[(label, value)])),
        ["add", name] => said(metrics::add(name, 1, &[])),
        ["gauge", name, value] => said(metrics::set(name, value.parse().unwrap_or(f64::NAN), &[])),
        ["series", count] => said(
            (0..number(count))
                .try_for_each(|value| metrics::add("many", 1, &[("value", &value.to_string())])),
        ),
        ["upload", offset, length] => {
            said(upload::read(number(offset) as u64, number(length) as u32).map(|bytes| show(&bytes)))
        }
        ["upload", "all", piece, most] => {
            let (piece, mut read) = (number(piece) as u32, 0);
            while read < number(most) {
                match upload::read(read as u64, piece) {
                    Ok(bytes) if bytes.is_empty() => break,
                    Ok(bytes) => read += bytes.len(),
                    Err(error) => return format!("{read} and {}", plain(&error)),
                }
            }
            format!("{read}")
        }
        ["emit", sink, payload] => said(sinks::emit(sink, payload)),
        ["emit", sink, payload, rest] => said(sinks::emit(sink, &format!("{payload} {rest}"))),
        ["emits", sink] => {
            let mut queued = 0;
            loop {
                match sinks::emit(sink, "1") {
                    Ok(()) => queued += 1,
                    Err(error) => return format!("{queued} and {}", plain(&error)),
                }
            }
        }
        ["get", url] => said(http::get(url, 100).map(|found| (found.status, show(&found.body)))),
        ["post", url, body] => {
            let headers = [("x-probe", "yes")];
            let request =
                http::Request { method: "POST", url, headers: &headers, body: body.as_bytes(), limit: 100 };
            said(http::send(&request).map(|found| (found.status, show(&found.body))))
        }
        ["clock"] => {
            let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
            format!("{}", now.map_or(0, |now| now.as_secs()))
        }
        ["random"] => format!("{}", RandomState::new().hash_one(1)),
        ["macs"] => "{macs}".into(),
        _ => format!("no such command: {command}"),
    }
}

/// The same with a namespace that is shared.
fn shared(keys: kv::Keys<'_>, command: &str) -> String {
    let words: Vec<&str> = command.splitn(3, ' ').collect();
    let show = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
    match words.as_slice() {
        ["get", key] => said(keys.get(key).map(|value| value.map(|value| show(&value)))),
        ["set", key, value] => said(keys.set(key, value, None)),
        ["create", key, value] => said(keys.swap(key, None, value, None).map(|swapped| swapped.is_some())),
        ["delete", key] => said(keys.delete(key)),
        ["count", key] => said(keys.increment(key, 1, None)),
        ["list"] => said(keys.list("", None, 1000).map(names)),
        _ => format!("no such command: {command}"),
    }
}

/// Adds to a value and returns it, trying again while others change it.
fn append(key: &str, more: &str) -> Result<String, Error> {
    loop {
        let entry = kv::entry(key)?;
        let (value, revision) =
            entry.map_or_else(Default::default, |entry| (entry.value, Some(entry.revision)));
        let value = String::from_utf8_lossy(&value).into_owned() + more;
        if kv::swap(key, revision, &value, None)?.is_some() {
            return Ok(value);
        }
    }
}

fn said<T: Debug>(result: Result<T, Error>) -> String {
    match result {
        Ok(value) => format!("{value:?}"),
        Err(error) => plain(&error),
    }
}

fn plain(error: &Error) -> String {
    format!("{}: {}", error.code, error.message)
}

fn number(text: &str) -> usize {
    text.parse().unwrap_or_default()
}

fn names(listed: Vec<kv::Listed>) -> Vec<String> {
    listed.into_iter().map(|listed| listed.key).collect()
}
