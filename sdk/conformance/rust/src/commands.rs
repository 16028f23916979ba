//! The commands of the reference guest: what a plugin may do, and what it should not.

use std::cell::{Cell, RefCell};
use std::hash::{BuildHasher, RandomState};
use std::hint::black_box;
use std::time::{Duration, SystemTime};

use serde_json::{Map, Value, json};
use tuffet_sdk::{Level, Request, Upload, files, history, http, kv, log_with, metrics, sinks, upload};

#[derive(Default)]
pub(crate) struct Commands {
    /// Of this instance.
    calls: Cell<u64>,
    kept: RefCell<Vec<Vec<u8>>>,
}

/// The word for an error.
struct Failed(&'static str);

type Done = Result<Value, Failed>;

impl Commands {
    /// A call begins.
    pub fn begin(&self) {
        self.calls.set(self.calls.get() + 1);
    }

    pub fn run_all(
        &self,
        commands: &[Vec<Value>],
        request: Option<&Request>,
        upload: Option<&Upload>,
    ) -> Vec<Value> {
        let run = |command: &Vec<Value>| self.run(command, request, upload);
        commands
            .iter()
            .map(|command| run(command).unwrap_or_else(|Failed(word)| json!({ "error": word })))
            .collect()
    }

    fn run(&self, command: &[Value], request: Option<&Request>, upload: Option<&Upload>) -> Done {
        let word = text(command, 0);
        let [first, second] = [text(command, 1), text(command, 2)];
        match word {
            "request" => Ok(request.map_or(Value::Null, shown)),
            "upload" => Ok(upload.map_or(
                Value::Null,
                |upload| json!({ "bytes": upload.bytes, "path": upload.path, "root": upload.root, "sha256": upload.sha256 }),
            )),
            "kv-get" => Ok(lossy(kv::get(first)?)),
            "kv-set" => Ok(nothing(kv::set(first, second, seconds(command))?)),
            "kv-fill" => {
                let value = vec![b'v'; number(command, 2)];
                Ok(nothing(kv::set(&"k".repeat(number(command, 1)), value, None)?))
            }
            "kv-delete" => Ok(nothing(kv::delete(first)?)),
            "kv-add" => Ok(kv::increment(first, signed(command, 2), seconds(command))?.into()),
            "kv-sets" => {
                Ok(until_error(number(command, 1), |key| Ok(kv::set(&format!("key{key}"), "v", None)?)))
            }
            "kv-swap" | "kv-change" | "kv-list" => keys(word, command),
            "shared-get" => Ok(lossy(kv::Shared::new(first).get(second)?)),
            "shared-set" => Ok(nothing(kv::Shared::new(first).set(second, text(command, 3), None)?)),
            "shared-delete" => Ok(nothing(kv::Shared::new(first).delete(second)?)),
            "shared-add" => Ok(kv::Shared::new(first).increment(second, signed(command, 3), None)?.into()),
            "upload-read" => {
                let (offset, length) = (number(command, 1) as u64, number(command, 2) as u32);
                Ok(lossy(Some(upload::read(offset, length)?)))
            }
            "count" => Ok(nothing(metrics::add(first, &pairs(&command[3]), number(command, 2) as u64)?)),
            "counts" => {
                Ok(until_error(number(command, 1), |n| Ok(metrics::add(&format!("n{n}"), &[], 1)?)))
            }
            "gauge" => {
                let value = command[2].as_f64().unwrap_or_default();
                Ok(nothing(metrics::set(first, &pairs(&command[3]), value)?))
            }
            "stat" => Ok(files::stat(first, second)?.map_or(Value::Null, |found| found.bytes.into())),
            "read" => Ok(lossy(files::read(first, second, number(command, 3) as u64)?)),
            "reads" => Ok(until_error(number(command, 3), |_| {
                files::read(first, second, 1 << 30)?;
                Ok(())
            })),
            "emit" => Ok(nothing(sinks::emit(first, &command[2].to_string())?)),
            "emit-line" => Ok(nothing(sinks::emit(first, second)?)),
            "emits" => {
                Ok(until_error(number(command, 2), |number| Ok(sinks::emit(first, &number.to_string())?)))
            }
            "history" => {
                let recent = history::recent()?;
                let shown = recent.iter().map(|past| {
                    json!([past.operation.name(), past.path, past.outcome.name(), past.ended_ms_ago < 600_000])
                });
                Ok(shown.collect())
            }
            "log" => {
                log_with(level(first), second, &pairs(&command[3]));
                Ok(Value::Null)
            }
            "logs" => Ok(until_error(number(command, 1), |number| {
                log_with(Level::Error, format!("line {number} {}", "x".repeat(2000)), &[]);
                Ok(())
            })),
            "get" => Ok(answered(http::get(first, number(command, 2))?)),
            "post" => {
                let headers = [("x-probe", "yes")];
                let body = second.as_bytes();
                Ok(answered(http::send(&http::Request {
                    method: "POST",
                    url: first,
                    headers: &headers,
                    body,
                    limit: 1 << 20,
                })?))
            }
            "clock" => {
                Ok(SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |now| now.as_secs()).into())
            }
            "random" => Ok(format!("{:016x}", RandomState::new().hash_one(1)).into()),
            "calls" => Ok(self.calls.get().into()),
            _ => {
                self.misbehave(word, command);
                Ok(Value::Null)
            }
        }
    }

    fn misbehave(&self, misdeed: &str, command: &[Value]) {
        match misdeed {
            "loop" => {
                let mut n = 0_u64;
                while black_box(n) != u64::MAX {
                    n = black_box(n) / 2 + 1;
                }
            }
            "hog" => loop {
                self.keep(1);
            },
            "grow" => self.keep(number(command, 1)),
            "recurse" => {
                black_box(recurse(1));
            }
            "sleep" => std::thread::sleep(Duration::from_secs(number(command, 1) as u64)),
            "exit" => std::process::exit(number(command, 1) as i32),
            "fail" => fail(text(command, 1)),
            "escape" => escape(),
            _ => fail(&format!("no such command: {command:?}")),
        }
    }

    fn keep(&self, mebibytes: usize) {
        self.kept.borrow_mut().push(black_box(vec![1; mebibytes << 20]));
    }
}

/// The commands about keys that name a shared namespace, or null for the plugin's own.
fn keys(word: &str, command: &[Value]) -> Done {
    let shared = command[1].as_str().map(kv::Shared::new);
    let (key, value) = (text(command, 2), text(command, command.len() - 1));
    let swap = |revision: Option<u64>| match &shared {
        Some(shared) => shared.swap(key, revision, value, None),
        None => kv::swap(key, revision, value, None),
    };
    match word {
        "kv-swap" => Ok(swap(command[3].as_u64())?.is_some().into()),
        "kv-change" => {
            let entry = match &shared {
                Some(shared) => shared.entry(key)?,
                None => kv::entry(key)?,
            };
            let swapped = swap(entry.as_ref().map(|entry| entry.revision))?.is_some();
            Ok(json!([lossy(entry.map(|entry| entry.value)), swapped]))
        }
        _ => {
            let (after, limit) = (command[3].as_str(), number(command, 4) as u32);
            Ok(match &shared {
                Some(shared) => shared.list(key, after, limit)?,
                None => kv::list(key, after, limit)?,
            }
            .into())
        }
    }
}

/// The pairs of a map.
fn pairs(map: &Value) -> Vec<(&str, &str)> {
    let pairs = map.as_object().into_iter().flatten();
    pairs.filter_map(|(name, value)| Some((name.as_str(), value.as_str()?))).collect()
}

fn text(command: &[Value], at: usize) -> &str {
    command.get(at).and_then(Value::as_str).unwrap_or_default()
}

fn number(command: &[Value], at: usize) -> usize {
    command.get(at).and_then(Value::as_u64).unwrap_or_default() as usize
}

fn signed(command: &[Value], at: usize) -> i64 {
    command.get(at).and_then(Value::as_i64).unwrap_or_default()
}

/// The time to live, which comes last.
fn seconds(command: &[Value]) -> Option<Duration> {
    command.get(3).and_then(Value::as_u64).map(Duration::from_secs)
}

fn nothing((): ()) -> Value {
    Value::Null
}

fn lossy(data: Option<Vec<u8>>) -> Value {
    data.map_or(Value::Null, |data| String::from_utf8_lossy(&data).into())
}

fn answered(response: http::Response) -> Value {
    json!([response.status, String::from_utf8_lossy(&response.body)])
}

/// How many went well, and why the next did not.
fn until_error(count: usize, mut call: impl FnMut(usize) -> Result<(), Failed>) -> Value {
    for number in 0..count {
        if let Err(Failed(word)) = call(number) {
            return json!([number, word]);
        }
    }
    json!([count, null])
}

fn level(word: &str) -> Level {
    match word {
        "trace" => Level::Trace,
        "debug" => Level::Debug,
        "info" => Level::Info,
        "warn" => Level::Warn,
        _ => Level::Error,
    }
}

fn shown(request: &Request) -> Value {
    let pairs = |pairs: &[(String, String)]| -> Value {
        let mut pairs = pairs.to_vec();
        pairs.sort();
        pairs.into_iter().map(|(name, value)| (name, Value::from(value))).collect::<Map<_, _>>().into()
    };
    let macs = request.client.macs.iter().map(|mac| json!([mac.address, mac.source.name()]));
    // The keys in the order of the alphabet: some builds of serde_json sort them, some keep their order.
    json!({
        "attributes": pairs(&request.attributes),
        "class": request.client.class,
        "client": request.client.address,
        "id": request.id,
        "listener": request.listener,
        "macs": macs.collect::<Vec<_>>(),
        "mode": request.mode.name(),
        "operation": request.operation.name(),
        "options": pairs(&request.options),
        "path": request.path,
        "port": request.client.port,
        "requested": request.requested,
    })
}

#[allow(clippy::panic)] // the purpose of it
fn fail(message: &str) {
    panic!("{message}");
}

#[allow(unconditional_recursion)] // the purpose of it
fn recurse(depth: u64) -> u64 {
    let frame = black_box([depth; 64]);
    recurse(depth + 1) + frame[(depth % 64) as usize]
}

/// Looks for what a plugin must not find.
fn escape() {
    let found = std::env::vars().count() + std::env::args().count();
    assert_eq!(found, 0, "environment or arguments");
    assert!(std::fs::read_dir("/").is_err(), "a file system");
    assert!(std::fs::write("escaped", "x").is_err(), "a file system to write to");
}

impl From<kv::Error> for Failed {
    fn from(error: kv::Error) -> Failed {
        Failed(match error {
            kv::Error::Denied(_) => "denied",
            kv::Error::Quota => "quota",
            kv::Error::Invalid(_) => "invalid",
            kv::Error::Unavailable(_) => "unavailable",
        })
    }
}

impl From<files::Error> for Failed {
    fn from(error: files::Error) -> Failed {
        Failed(match error {
            files::Error::Denied(_) => "denied",
            files::Error::TooLarge(_) => "too-large",
            files::Error::Invalid(_) => "invalid",
            files::Error::Unavailable(_) => "unavailable",
        })
    }
}

impl From<history::Error> for Failed {
    fn from(error: history::Error) -> Failed {
        Failed(match error {
            history::Error::Denied(_) => "denied",
            history::Error::Invalid(_) => "invalid",
        })
    }
}

impl From<metrics::Error> for Failed {
    fn from(error: metrics::Error) -> Failed {
        Failed(match error {
            metrics::Error::Denied(_) => "denied",
            metrics::Error::Full => "full",
            metrics::Error::Invalid(_) => "invalid",
        })
    }
}

impl From<upload::Error> for Failed {
    fn from(error: upload::Error) -> Failed {
        Failed(match error {
            upload::Error::Denied(_) => "denied",
            upload::Error::Invalid(_) => "invalid",
            upload::Error::Unavailable(_) => "unavailable",
        })
    }
}

impl From<sinks::Error> for Failed {
    fn from(error: sinks::Error) -> Failed {
        Failed(match error {
            sinks::Error::Denied(_) => "denied",
            sinks::Error::Full => "full",
            sinks::Error::Invalid(_) => "invalid",
        })
    }
}

impl From<http::Error> for Failed {
    fn from(error: http::Error) -> Failed {
        Failed(match error {
            http::Error::Denied => "denied",
            http::Error::Invalid(_) => "invalid",
            http::Error::TooLarge => "too-large",
            http::Error::Failed(_) => "no-answer",
        })
    }
}
