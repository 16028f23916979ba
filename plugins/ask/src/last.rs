//! The last answers of the service, in the plugin's keys, for the time that it is away.
//!
//! A value has, before the answer itself, the facts that it belongs to, because its key is a hash that two requests may
//! share; and the time that it was kept for, because a shorter `last-for` holds for all answers.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use tuffet_sdk::{Level, Operation, Request, kv, log};

/// The largest value of a key.
const MAX_VALUE: usize = 64 << 10;

/// Keeps an answer, or forgets the previous one if there is none to keep. One that is larger than a value may be is not
/// kept.
pub(crate) fn note(request: &Request, answer: Option<&[u8]>, time: Duration) {
    let seconds = format!("{}\n", time.as_secs());
    let value = answer.map(|answer| [&facts(request), seconds.as_bytes(), answer].concat());
    let key = key(request);
    // Made-up names have none: nothing is written for them.
    let forget = || kv::get(&key).and_then(|value| value.map_or(Ok(()), |_| kv::delete(&key)));
    let noted = match value.filter(|value| value.len() <= MAX_VALUE) {
        // Even without room for it, the previous answer no longer counts.
        Some(value) => kv::set(&key, &value, Some(time)).inspect_err(|_| drop(forget())),
        None => forget(),
    };
    if let Err(error) = noted {
        log(Level::Warn, format!("the answer was not kept for when the service is away: {error}"));
    }
}

/// Returns the last answer, if there is one whose time is not over, and that was kept for at most `time`.
pub(crate) fn find(request: &Request, time: Duration) -> Option<Vec<u8>> {
    match kv::get(&key(request)) {
        Ok(value) => {
            let value = value?;
            let rest = value.strip_prefix(&*facts(request))?;
            let (seconds, answer) = rest.split_at(rest.iter().position(|byte| *byte == b'\n')?);
            let seconds: u64 = std::str::from_utf8(seconds).ok()?.parse().ok()?;
            (seconds <= time.as_secs()).then(|| answer[1..].to_vec())
        }
        Err(error) => {
            log(Level::Warn, format!("the last answer cannot be read: {error}"));
            None
        }
    }
}

fn key(request: &Request) -> String {
    let mut hasher = DefaultHasher::new();
    facts(request).hash(&mut hasher);
    format!("last/{:016x}", hasher.finish())
}

/// The facts that make requests the same, on one line: all that name the machine and its place.
fn facts(request: &Request) -> Vec<u8> {
    let client = &request.client;
    let macs = client.macs.iter().flat_map(|macs| &macs.network);
    let macs: Vec<&str> = macs.map(|mac| mac.address.as_str()).collect();
    let lease = client.lease.as_ref().map(|lease| (&lease.mac, &lease.client_id));
    let arrival = request.arrival.as_ref().map(|its| (&its.address, &its.interface_name, its.vlan));
    let write = request.operation == Operation::Write;
    let facts =
        (write, &request.listener, &client.address, &client.class, macs, lease, arrival, &request.path);
    let mut line = serde_json::to_vec(&facts).expect("texts and lists are JSON");
    // As nothing, so that the answers of servers without such roots stay.
    if request.any_case() {
        line.extend_from_slice(b" any case");
    }
    line.push(b'\n');
    line
}
