//! The commands of the reference guest: what a plugin may do, and what it should not.

use std::cell::{Cell, RefCell};
use std::hash::{BuildHasher, RandomState};
use std::hint::black_box;
use std::time::{Duration, SystemTime};

use serde_json::{Map, Value, json};
use tuffet_sdk::kv::{self, Keys};
use tuffet_sdk::{
    Client, Error, Failure, Level, Mac, Request, Upload, files, history, http, log_with, metrics, sinks,
    upload,
};

#[derive(Default)]
pub(crate) struct Commands {
    /// Of this instance.
    calls: Cell<u64>,
    kept: RefCell<Vec<Vec<u8>>>,
}

type Done = Result<Value, Error>;

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
    ) -> Result<Vec<Value>, Failure> {
        let run = |command: &Vec<Value>| {
            if text(command, 0) == "fail" {
                return Err(Failure::because(text(command, 1)));
            }
            let done = self.run(command, request, upload);
            Ok(done.unwrap_or_else(|error| json!({ "error": error.code })))
        };
        commands.iter().map(run).collect()
    }

    fn run(&self, command: &[Value], request: Option<&Request>, upload: Option<&Upload>) -> Done {
        let word = text(command, 0);
        let [first, second] = [text(command, 1), text(command, 2)];
        match word {
            "request" => Ok(request.map_or(Value::Null, shown)),
            "upload" => Ok(upload.map_or(
                Value::Null,
                |upload| json!({ "path": upload.path, "root": upload.root, "sha256": upload.sha256, "size": upload.size }),
            )),
            "kv-fill" => {
                let value = vec![b'v'; number(command, 2)];
                Ok(nothing(kv::set(&"k".repeat(number(command, 1)), value, None)?))
            }
            "kv-sets" => Ok(until_error(number(command, 1), |key| kv::set(&format!("key{key}"), "v", None))),
            _ if word.starts_with("kv-") => keys(word, command),
            "upload-read" => {
                let (offset, length) = (number(command, 1) as u64, number(command, 2) as u32);
                Ok(lossy(Some(upload::read(offset, length)?)))
            }
            "count" => Ok(nothing(metrics::add(first, number(command, 2) as u64, &pairs(&command[3]))?)),
            "counts" => Ok(until_error(number(command, 1), |n| metrics::add(&format!("n{n}"), 1, &[]))),
            "gauge" => {
                let value = command[2].as_f64().unwrap_or_default();
                Ok(nothing(metrics::set(first, value, &pairs(&command[3]))?))
            }
            "stat" => Ok(files::stat(first, second)?.map_or(Value::Null, |found| found.size.into())),
            "read" => Ok(lossy(files::read(first, second, number(command, 3) as u64)?)),
            "reads" => {
                Ok(until_error(number(command, 3), |_| files::read(first, second, 1 << 30).map(drop)))
            }
            "read-at" => {
                let (offset, length) = (number(command, 3) as u64, number(command, 4) as u32);
                let Some(found) = files::stat(first, second)? else { return Ok(Value::Null) };
                Ok(lossy(Some(files::read_at(first, second, &found.version, offset, length)?)))
            }
            "read-version" => {
                let (offset, length) = (number(command, 4) as u64, number(command, 5) as u32);
                Ok(lossy(Some(files::read_at(first, second, text(command, 3), offset, length)?)))
            }
            "emit" => Ok(nothing(sinks::emit(first, &command[2].to_string())?)),
            "emit-line" => Ok(nothing(sinks::emit(first, second)?)),
            "emits" => {
                Ok(until_error(number(command, 2), |number| sinks::emit(first, &number.to_string())))
            }
            "history" => {
                let recent = history::recent()?;
                let shown = recent.iter().map(|past| {
                    json!([past.operation.name(), past.path, past.outcome, past.ended_ms_ago < 600_000])
                });
                Ok(shown.collect())
            }
            "has-mac" => {
                Ok(request.map_or(Value::Null, |request| request.client.has_mac(first).into()))
            }
            "macs" => Ok(request.map_or(Value::Null, |Request { client, .. }| match first {
                "network" => shown_macs(client.network_macs()),
                "claimed" => shown_macs(client.claimed_macs()),
                _ => shown_macs(client.any_macs()),
            })),
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
            "print" => println!("{}", text(command, 1)),
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
    let keys = command[1].as_str().map_or(Keys::OWN, Keys::shared);
    let (key, value) = (text(command, 2), text(command, command.len() - 1));
    let ttl = command.get(4).and_then(Value::as_u64).map(Duration::from_secs);
    match word {
        "kv-get" => Ok(lossy(keys.get(key)?)),
        "kv-set" => Ok(nothing(keys.set(key, text(command, 3), ttl)?)),
        "kv-delete" => Ok(nothing(keys.delete(key)?)),
        "kv-add" => Ok(keys.increment(key, signed(command, 3), ttl)?.into()),
        "kv-swap" => Ok(keys.swap(key, command[3].as_u64(), value, None)?.is_some().into()),
        "kv-change" => {
            let entry = keys.entry(key)?;
            let revision = entry.as_ref().map(|entry| entry.revision);
            let swapped = keys.swap(key, revision, value, None)?.is_some();
            Ok(json!([lossy(entry.map(|entry| entry.value)), swapped]))
        }
        "kv-delete-prefix" => Ok(keys.delete_prefix(key)?.into()),
        "kv-entries" => {
            let listed = keys.list(key, command[3].as_str(), number(command, 4) as u32)?;
            let shown = listed.into_iter().map(|listed| json!([listed.key, lossy(Some(listed.entry.value))]));
            Ok(shown.collect())
        }
        _ => {
            let listed = keys.list(key, command[3].as_str(), number(command, 4) as u32)?;
            Ok(listed.into_iter().map(|listed| listed.key).collect())
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
fn until_error(count: usize, mut call: impl FnMut(usize) -> Result<(), Error>) -> Value {
    for number in 0..count {
        if let Err(error) = call(number) {
            return json!([number, error.code]);
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

/// The keys of each map in the order of the alphabet: some builds of serde_json sort them, some keep their order.
fn shown(request: &Request) -> Value {
    let Client { address, port, macs, lease, class } = &request.client;
    let arrival = request.arrival.as_ref().map(|arrival| {
        json!({
            "address": arrival.address,
            "interface-name": arrival.interface_name,
            "vlan": arrival.vlan,
        })
    });
    let lease = lease.as_ref().map(|lease| {
        json!({
            "age": lease.age,
            "architecture": lease.architecture,
            "client-id": lease.client_id,
            "expires": lease.expires,
            "hostname": lease.hostname,
            "mac": lease.mac,
            "uuid": lease.uuid,
            "vendor-class": lease.vendor_class,
        })
    });
    let macs = macs
        .as_ref()
        .map(|macs| json!({ "claimed": shown_macs(&macs.claimed), "network": shown_macs(&macs.network) }));
    json!({
        "arrival": arrival,
        "attributes": map(&request.attributes),
        "class": class,
        "client": address,
        "id": request.id,
        "labels": request.labels.iter().map(|label| json!([label.plugin, label.text])).collect::<Value>(),
        "lease": lease,
        "listener": request.listener,
        "macs": macs,
        "mode": request.mode.name(),
        "operation": request.operation.name(),
        "options": map(&request.options),
        "path": request.path,
        "port": port,
        "requested": request.requested,
        "unix-ms": request.unix_ms,
    })
}

fn shown_macs<'a>(macs: impl IntoIterator<Item = &'a Mac>) -> Value {
    macs.into_iter().map(|mac| json!([mac.address, mac.source])).collect()
}

pub(crate) fn map(pairs: &[(String, String)]) -> Value {
    let mut pairs = pairs.to_vec();
    pairs.sort();
    pairs.into_iter().map(|(name, value)| (name, Value::from(value))).collect::<Map<_, _>>().into()
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
