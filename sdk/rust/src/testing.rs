//! In-memory stand-ins for the server in a plugin's native tests: one set for each thread, and so for each
//! test. They have no grants and no quotas, and their time does not advance.

mod settings_schema;

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};

use crate::history::PastRequest;
use crate::{
    Client, DecidedRequest, Error, Event, EventKind, Label, Level, Mac, MacAddresses, Mode, Operation,
    Request,
};
use crate::{Resolved, Summary, Target, Upload, decision, mac_source, outcome};
pub use settings_schema::check_settings_schema;

/// The name of a key: the shared namespace, if it is not the plugin's own, and the key.
type Name = (Option<String>, String);

/// Names and values.
type Pairs = Vec<(String, String)>;

/// A line that the plugin wrote to the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Logged {
    /// Its severity.
    pub level: Level,
    /// Its text.
    pub message: String,
    /// Names and values.
    pub fields: Vec<(String, String)>,
}

#[derive(Default)]
struct Host {
    /// Values and their revisions.
    keys: BTreeMap<Name, (Vec<u8>, u64)>,
    /// The number of changes of keys, which is the newest revision.
    changes: u64,
    files: HashMap<(String, String), Vec<u8>>,
    emitted: Vec<(String, String)>,
    upload: Option<Vec<u8>>,
    /// By name and sorted labels.
    metrics: HashMap<(String, Pairs), f64>,
    /// Remaining room of each sink, in payloads; a sink that is not listed accepts all.
    room: HashMap<String, usize>,
    /// Number of further calls of `kv` that succeed; `None` for all.
    kv_calls: Option<usize>,
    history: Vec<PastRequest>,
    logged: Vec<Logged>,
    #[cfg(feature = "http")]
    responses: HashMap<String, crate::http::Response>,
}

thread_local! {
    static HOST: RefCell<Host> = RefCell::default();
}

fn with<T>(work: impl FnOnce(&mut Host) -> T) -> T {
    HOST.with(|host| work(&mut host.borrow_mut()))
}

/// Takes the label that a hook gave its request since the last time.
pub fn take_label() -> Option<String> {
    crate::answer::take_label()
}

/// Gives a request the label of a plugin that was called before.
pub fn add_label(request: &mut Request, plugin: &str, text: &str) {
    request.labels.push(Label { plugin: plugin.into(), text: text.into() });
}

/// Returns a read request for this path, in mode octet, by 192.0.2.1 at the listener `default`, of an unknown class,
/// without options and without what needs a grant or a word of the manifest.
pub fn request(path: &str) -> Request {
    Request {
        id: "0000000000000001".into(),
        listener: "default".into(),
        operation: Operation::Read,
        mode: Mode::Octet,
        requested: path.into(),
        path: path.into(),
        client: Client {
            address: "192.0.2.1".into(),
            port: 49152,
            macs: None,
            lease: None,
            class: "unknown".into(),
        },
        arrival: None,
        options: Vec::new(),
        unix_ms: 0,
        labels: Vec::new(),
        attributes: Vec::new(),
    }
}

/// Returns a write request for this path, otherwise as [`request`].
pub fn write_request(path: &str) -> Request {
    Request { operation: Operation::Write, ..request(path) }
}

/// Gives the client of a request a MAC address that the network knows, as with the grant `client-mac`.
pub fn add_mac(request: &mut Request, address: &str) {
    let mac = Mac { address: address.into(), source: mac_source::NEIGHBOUR_TABLE.into() };
    request.client.macs.get_or_insert_with(MacAddresses::default).network.push(mac);
}

/// Returns the summary of a served download in lockstep: an empty file of the root `boot` with the path of the request,
/// which no plugin decided. Set what the test is about: `Summary { transferred: 9, ..testing::summary(request) }`.
pub fn summary(request: Request) -> Summary {
    let decided = DecidedRequest {
        resolved: Some(Resolved::File(Target::new("boot", &request.path))),
        request,
        decided_by: None,
        size: Some(0),
        decision_us: None,
    };
    Summary {
        decided,
        decision: decision::GRANTED.into(),
        outcome: outcome::SERVED.into(),
        detail: None,
        plugin_calls: 0,
        tried: Vec::new(),
        tried_by: None,
        blksize: 512,
        windowsize: 1,
        timeout_option: None,
        tsize: None,
        transferred: 0,
        blocks: 1,
        retransmissions: 0,
        duplicates: 0,
        timeouts: 0,
        rtt_us: None,
        first_block_us: None,
        duration_us: 1_000,
        attributes: Vec::new(),
    }
}

/// Returns the first event of a batch, at one second of Unix time.
pub fn event(kind: EventKind) -> Event {
    Event { sequence: 1, unix_ms: 1_000, kind }
}

/// Returns a complete upload with this content, which [`upload::read`](crate::upload::read) finds. The digest is not
/// computed: set it where the plugin looks at it.
pub fn upload(root: &str, path: &str, content: impl Into<Vec<u8>>) -> Upload {
    let content = content.into();
    let size = content.len() as u64;
    put_upload(content);
    Upload { root: root.into(), path: path.into(), size, sha256: "0".repeat(64), attributes: Vec::new() }
}

/// Returns and removes the lines that were written to the [log](crate::log()).
pub fn take_logged() -> Vec<Logged> {
    with(|host| std::mem::take(&mut host.logged))
}

pub(crate) fn write(level: Level, message: &str, fields: &[(String, String)]) {
    let (message, fields) = (message.to_owned(), fields.to_vec());
    with(|host| host.logged.push(Logged { level, message, fields }));
}

/// Adds a file that [`files`](crate::files) finds.
pub fn put_file(root: &str, path: &str, content: impl Into<Vec<u8>>) {
    with(|host| host.files.insert((root.into(), path.into()), content.into()));
}

/// Sets the content that [`upload::read`](crate::upload::read) finds.
pub fn put_upload(content: impl Into<Vec<u8>>) {
    with(|host| host.upload = Some(content.into()));
}

/// Returns the value of a [counter or gauge](crate::metrics); `None` if it was never changed.
pub fn metric(name: &str, labels: &[(&str, &str)]) -> Option<f64> {
    let mut labels: Pairs = labels.iter().map(|(label, value)| ((*label).into(), (*value).into())).collect();
    labels.sort_unstable();
    with(|host| host.metrics.get(&(name.into(), labels)).copied())
}

/// Returns and removes the payloads that were emitted to a [sink](crate::sinks).
pub fn take_emitted(sink: &str) -> Vec<String> {
    with(|host| {
        let all = std::mem::take(&mut host.emitted);
        let (its, others) = all.into_iter().partition(|(name, _)| name == sink);
        host.emitted = others;
        its
    })
    .into_iter()
    .map(|(_, payload): (String, String)| payload)
    .collect()
}

/// Lets a sink accept this many more payloads. It is then full until the next call of this function.
pub fn set_room(sink: &str, payloads: usize) {
    with(|host| host.room.insert(sink.into(), payloads));
}

/// Lets this many calls of [`kv`](crate::kv) succeed and every later one fail, until the next call of this
/// function. With `None`, all succeed.
pub fn set_kv_calls(calls: Option<usize>) {
    with(|host| host.kv_calls = calls);
}

/// Sets the last requests of the client, newest first.
pub fn set_history(requests: Vec<PastRequest>) {
    with(|host| host.history = requests);
}

/// Sets the response of a URL; requests to all other URLs are denied.
#[cfg(feature = "http")]
pub fn put_response(url: &str, response: crate::http::Response) {
    with(|host| host.responses.insert(url.into(), response));
}

#[cfg(feature = "http")]
pub(crate) mod http {
    use super::with;
    use crate::http::{Error, Request, Response, Url, denied};
    use std::time::Duration;

    pub fn send(request: &Request<'_>, _: &Url<'_>, _: Option<Duration>) -> Result<Response, Error> {
        with(|host| host.responses.get(request.url).cloned()).ok_or_else(denied)
    }
}

pub(crate) mod kv {
    use super::{Error, Name, with};
    use crate::code;
    use crate::kv::{Entry, Listed};

    /// Counts a call. Returns an error if no more calls may succeed.
    fn call() -> Result<(), Error> {
        with(|host| match &mut host.kv_calls {
            Some(0) => Err(Error::new(code::UNAVAILABLE, "as asked")),
            Some(left) => {
                *left -= 1;
                Ok(())
            }
            None => Ok(()),
        })
    }

    fn name(namespace: Option<&str>, key: &str) -> Name {
        (namespace.map(Into::into), key.into())
    }

    pub fn get(namespace: Option<&str>, key: &str) -> Result<Option<Entry>, Error> {
        call()?;
        let found = with(|host| host.keys.get(&name(namespace, key)).cloned());
        Ok(found.map(|(value, revision)| Entry { value, revision }))
    }

    pub fn set(namespace: Option<&str>, key: &str, value: &[u8], _: Option<u32>) -> Result<(), Error> {
        call()?;
        write(name(namespace, key), value);
        Ok(())
    }

    pub fn swap(
        namespace: Option<&str>,
        key: &str,
        revision: Option<u64>,
        value: &[u8],
        _: Option<u32>,
    ) -> Result<Option<u64>, Error> {
        let found = get(namespace, key)?.map(|entry| entry.revision);
        Ok((found == revision).then(|| write(name(namespace, key), value)))
    }

    pub fn delete(namespace: Option<&str>, key: &str) -> Result<(), Error> {
        call()?;
        with(|host| host.keys.remove(&name(namespace, key)));
        Ok(())
    }

    pub fn increment(namespace: Option<&str>, key: &str, by: i64, _: Option<u32>) -> Result<i64, Error> {
        let counter = get(namespace, key)?.map_or_else(|| vec![0; 8], |entry| entry.value);
        let counter = <[u8; 8]>::try_from(counter)
            .map_err(|_| Error::new(code::BAD_ARGUMENT, format!("the value of {key:?} is no counter")))?;
        let counter = i64::from_le_bytes(counter).saturating_add(by);
        write(name(namespace, key), &counter.to_le_bytes());
        Ok(counter)
    }

    pub fn list(
        namespace: Option<&str>,
        prefix: &str,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Vec<Listed>, Error> {
        call()?;
        Ok(with(|host| {
            let keys = host.keys.iter().filter(|((its, key), _)| {
                its.as_deref() == namespace
                    && key.starts_with(prefix)
                    && after.is_none_or(|after| key.as_str() > after)
            });
            let listed = keys.map(|((_, key), (value, revision))| Listed {
                key: key.clone(),
                entry: Entry { value: value.clone(), revision: *revision },
            });
            listed.take(limit.min(1000) as usize).collect()
        }))
    }

    pub fn delete_prefix(namespace: Option<&str>, prefix: &str) -> Result<u32, Error> {
        let found = list(namespace, prefix, None, 1000)?;
        with(|host| found.iter().for_each(|listed| drop(host.keys.remove(&name(namespace, &listed.key)))));
        Ok(found.len() as u32)
    }

    /// Returns the new revision.
    fn write(name: Name, value: &[u8]) -> u64 {
        with(|host| {
            host.changes += 1;
            host.keys.insert(name, (value.into(), host.changes));
            host.changes
        })
    }
}

pub(crate) mod metrics {
    use super::{Error, Pairs, with};

    pub fn add(name: &str, by: u64, labels: &[(String, String)]) -> Result<(), Error> {
        with(|host| *host.metrics.entry(series(name, labels)).or_default() += by as f64);
        Ok(())
    }

    pub fn set(name: &str, value: f64, labels: &[(String, String)]) -> Result<(), Error> {
        with(|host| host.metrics.insert(series(name, labels), value));
        Ok(())
    }

    fn series(name: &str, labels: &[(String, String)]) -> (String, Pairs) {
        let mut labels = labels.to_vec();
        labels.sort_unstable();
        (name.into(), labels)
    }
}

pub(crate) mod upload_content {
    use super::{Error, part, with};
    use crate::code;

    pub fn read(offset: u64, length: u32) -> Result<Vec<u8>, Error> {
        with(|host| match &host.upload {
            None => Err(Error::new(code::WRONG_PHASE, "there is an upload only in `accept-upload`")),
            Some(content) => Ok(part(content, offset, length)),
        })
    }
}

fn part(content: &[u8], offset: u64, length: u32) -> Vec<u8> {
    let skipped = usize::try_from(offset).unwrap_or(usize::MAX);
    content.iter().skip(skipped).take(length as usize).copied().collect()
}

pub(crate) mod files {
    use std::hash::{DefaultHasher, Hash, Hasher};

    use super::{Error, part, with};
    use crate::code;
    use crate::files::Metadata;

    fn find(root: &str, path: &str) -> Option<Vec<u8>> {
        with(|host| host.files.get(&(root.into(), path.into())).cloned())
    }

    fn version(content: &[u8]) -> String {
        let mut hasher = DefaultHasher::new();
        content.hash(&mut hasher);
        format!("{:016x}", hasher.finish())
    }

    pub fn stat(root: &str, path: &str) -> Result<Option<Metadata>, Error> {
        let Some(content) = find(root, path) else {
            let folder = format!("{path}/");
            let is_folder = |host: &mut super::Host| {
                host.files.keys().any(|(its, path)| its == root && path.starts_with(&folder))
            };
            if with(is_folder) {
                return Err(Error::new(code::NOT_A_FILE, "a folder is no regular file"));
            }
            return Ok(None);
        };
        let (size, version) = (content.len() as u64, version(&content));
        Ok(Some(Metadata { size, modified_unix_ms: 0, version }))
    }

    pub fn read(root: &str, path: &str, limit: u64) -> Result<Option<Vec<u8>>, Error> {
        match find(root, path) {
            Some(file) if file.len() as u64 > limit => {
                let message = format!("there are {} bytes, and {limit} may be read", file.len());
                Err(Error::new(code::TOO_LARGE, message))
            }
            found => Ok(found),
        }
    }

    pub fn read_at(root: &str, path: &str, wanted: &str, offset: u64, length: u32) -> Result<Vec<u8>, Error> {
        match find(root, path) {
            Some(file) if version(&file) == wanted => Ok(part(&file, offset, length)),
            _ => Err(Error::new(code::CHANGED, "this is not the version of the file that was asked for")),
        }
    }
}

pub(crate) mod history {
    use super::{Error, with};
    use crate::history::PastRequest;

    pub fn recent() -> Result<Vec<PastRequest>, Error> {
        Ok(with(|host| host.history.clone()))
    }
}

pub(crate) mod sinks {
    use super::{Error, with};
    use crate::code;

    pub fn emit(sink: &str, payload: &str) -> Result<(), Error> {
        with(|host| {
            match host.room.get_mut(sink) {
                Some(0) => return Err(Error::new(code::FULL, "the queue of the sink is full")),
                Some(left) => *left -= 1,
                None => {}
            }
            host.emitted.push((sink.into(), payload.into()));
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::kv::Keys;
    use crate::{Error, Level, code, files, kv, log, metrics, sinks, upload};

    fn has<T>(result: Result<T, Error>, code: &str) -> bool {
        result.is_err_and(|error| error.is(code))
    }

    #[test]
    fn what_was_put_is_found() {
        assert_eq!(kv::get("a").unwrap(), None);
        kv::set("a", "text", None).unwrap();
        assert_eq!(kv::get("a").unwrap().unwrap(), b"text");
        assert!(has(kv::increment("a", 1, None), code::BAD_ARGUMENT));
        kv::delete("a").unwrap();
        assert_eq!((kv::increment("a", 3, None), kv::increment("a", -1, None)), (Ok(3), Ok(2)));

        let shared = Keys::shared("leases");
        let first = kv::swap("s", None, "one", None).unwrap();
        assert_eq!(kv::entry("s").unwrap().map(|entry| entry.revision), first);
        assert_eq!(kv::swap("s", None, "two", None), Ok(None));
        assert!(kv::swap("s", first, "two", None).unwrap() > first);
        assert_eq!((shared.get("s"), shared.increment("n", 2, None)), (Ok(None), Ok(2)));
        let listed = kv::list("", None, 9).unwrap();
        assert_eq!(listed.iter().map(|listed| listed.key.as_str()).collect::<Vec<_>>(), ["a", "s"]);
        assert_eq!(kv::entry("s").unwrap().as_ref(), Some(&listed[1].entry));
        assert_eq!(kv::list("", Some("a"), 9).unwrap(), listed[1..]);
        assert_eq!(shared.list("x", None, 9), Ok(vec![]));
        kv::set("sa", "x", None).unwrap();
        assert_eq!((kv::delete_prefix("sa"), kv::delete_prefix("sa")), (Ok(1), Ok(0)));

        assert!(has(upload::read(0, 1), code::WRONG_PHASE));
        assert_eq!(super::upload("boot", "f", "content").size, 7);
        assert_eq!((upload::read(3, 2), upload::read(9, 2)), (Ok(b"te".to_vec()), Ok(vec![])));

        metrics::add("hits", 2, &[("b", "x"), ("a", "y")]).unwrap();
        metrics::add("hits", 1, &[("a", "y"), ("b", "x")]).unwrap();
        metrics::set("size", 1.5, &[]).unwrap();
        assert_eq!(super::metric("hits", &[("b", "x"), ("a", "y")]), Some(3.0));
        assert_eq!((super::metric("size", &[]), super::metric("hits", &[])), (Some(1.5), None));

        super::put_file("boot", "a/b", "content");
        assert!(has(files::stat("boot", "a"), code::NOT_A_FILE));
        assert_eq!(files::stat("more", "a").unwrap(), None);
        let stat = files::stat("boot", "a/b").unwrap().unwrap();
        assert_eq!(stat.size, 7);
        assert_eq!(files::read_at("boot", "a/b", &stat.version, 3, 9).unwrap(), b"tent");
        assert!(has(files::read_at("boot", "a/b", "another", 0, 1), code::CHANGED));
        assert_eq!(files::read("boot", "a/b", 7).unwrap().unwrap(), b"content");
        assert!(has(files::read("boot", "a/b", 6), code::TOO_LARGE));
        assert_eq!(files::read("boot", "a", 6), Ok(None));

        sinks::emit_json("audit", &["x"]).unwrap();
        sinks::emit("other", "1").unwrap();
        assert_eq!(super::take_emitted("audit"), [r#"["x"]"#]);
        assert!(super::take_emitted("audit").is_empty());
        assert_eq!(super::take_emitted("other"), ["1"]);

        super::set_room("narrow", 1);
        assert_eq!(sinks::emit("narrow", "1"), Ok(()));
        assert!(has(sinks::emit("narrow", "1"), code::FULL));
        log(Level::Warn, "odd");
        let logged = super::take_logged();
        assert_eq!((logged[0].level, &*logged[0].message), (Level::Warn, "odd"));
        super::set_kv_calls(Some(1));
        assert!(kv::get("a").is_ok() && kv::get("a").is_err());
    }
}
