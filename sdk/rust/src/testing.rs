//! In-memory stand-ins for the server in a plugin's native tests: one set for each thread, and so for each
//! test. They have no grants and no quotas, and their time does not advance.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};

/// The name of a key: the shared namespace, empty for the plugin's own, and the key.
type Name = (String, String);

/// Names and values.
type Labels = Vec<(String, String)>;

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
    metrics: HashMap<(String, Labels), f64>,
    /// Remaining room of each sink, in payloads; a sink that is not listed accepts all.
    room: HashMap<String, usize>,
    /// Number of further calls of `kv` that succeed; `None` for all.
    kv_calls: Option<usize>,
    #[cfg(feature = "http")]
    responses: HashMap<String, crate::http::Response>,
}

thread_local! {
    static HOST: RefCell<Host> = RefCell::default();
}

fn with<T>(work: impl FnOnce(&mut Host) -> T) -> T {
    HOST.with(|host| work(&mut host.borrow_mut()))
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
    let mut labels: Labels = labels.iter().map(|(label, value)| ((*label).into(), (*value).into())).collect();
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

/// Sets the response of a URL; requests to all other URLs are denied.
#[cfg(feature = "http")]
pub fn put_response(url: &str, response: crate::http::Response) {
    with(|host| host.responses.insert(url.into(), response));
}

#[cfg(feature = "http")]
pub(crate) mod http {
    use super::with;
    use crate::http::{Error, Request, Response, Url};

    pub fn send(request: &Request<'_>, _: &Url<'_>) -> Result<Response, Error> {
        with(|host| host.responses.get(request.url).cloned()).ok_or(Error::Denied)
    }
}

pub(crate) mod kv {
    use super::{Name, with};
    use crate::kv::{Entry, Error};

    /// Counts a call. Returns an error if no more calls may succeed.
    fn call() -> Result<(), Error> {
        with(|host| match &mut host.kv_calls {
            Some(0) => Err(Error::Unavailable("as asked".into())),
            Some(left) => {
                *left -= 1;
                Ok(())
            }
            None => Ok(()),
        })
    }

    fn own(key: &str) -> Name {
        (String::new(), key.into())
    }

    pub fn get(key: &str) -> Result<Option<Vec<u8>>, Error> {
        Ok(get_entry(key)?.map(|entry| entry.value))
    }

    pub fn get_entry(key: &str) -> Result<Option<Entry>, Error> {
        entry_of(own(key))
    }

    pub fn set(key: &str, value: &[u8], _: Option<u32>) -> Result<(), Error> {
        put(own(key), value)
    }

    pub fn swap(
        key: &str,
        revision: Option<u64>,
        value: &[u8],
        _: Option<u32>,
    ) -> Result<Option<u64>, Error> {
        exchange(own(key), revision, value)
    }

    pub fn delete(key: &str) -> Result<(), Error> {
        remove(own(key))
    }

    pub fn increment(key: &str, by: i64, _: Option<u32>) -> Result<i64, Error> {
        add(own(key), by)
    }

    pub fn list(prefix: &str, after: Option<&str>, limit: u32) -> Result<Vec<String>, Error> {
        page("", prefix, after, limit)
    }

    pub fn entry_of(name: Name) -> Result<Option<Entry>, Error> {
        call()?;
        let found = with(|host| host.keys.get(&name).cloned());
        Ok(found.map(|(value, revision)| Entry { value, revision }))
    }

    pub fn put(name: Name, value: &[u8]) -> Result<(), Error> {
        call()?;
        write(name, value);
        Ok(())
    }

    pub fn exchange(name: Name, revision: Option<u64>, value: &[u8]) -> Result<Option<u64>, Error> {
        let found = entry_of(name.clone())?.map(|entry| entry.revision);
        Ok((found == revision).then(|| write(name, value)))
    }

    pub fn remove(name: Name) -> Result<(), Error> {
        call()?;
        with(|host| host.keys.remove(&name));
        Ok(())
    }

    pub fn add(name: Name, by: i64) -> Result<i64, Error> {
        let counter = entry_of(name.clone())?.map_or_else(|| vec![0; 8], |entry| entry.value);
        let counter = <[u8; 8]>::try_from(counter)
            .map_err(|_| Error::Invalid(format!("the value of {:?} is no counter", name.1)))?;
        let counter = i64::from_le_bytes(counter).saturating_add(by);
        put(name, &counter.to_le_bytes())?;
        Ok(counter)
    }

    pub fn page(
        namespace: &str,
        prefix: &str,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Vec<String>, Error> {
        call()?;
        Ok(with(|host| {
            let keys = host.keys.keys().filter(|(its, _)| its == namespace).map(|(_, key)| key);
            let keys = keys.filter(|key| key.starts_with(prefix));
            let keys = keys.filter(|key| after.is_none_or(|after| key.as_str() > after));
            keys.take(limit.min(1000) as usize).cloned().collect()
        }))
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

pub(crate) mod shared_kv {
    use super::kv;
    use crate::kv::{Entry, Error};

    pub fn get(namespace: &str, key: &str) -> Result<Option<Entry>, Error> {
        kv::entry_of((namespace.into(), key.into()))
    }

    pub fn set(namespace: &str, key: &str, value: &[u8], _: Option<u32>) -> Result<(), Error> {
        kv::put((namespace.into(), key.into()), value)
    }

    pub fn delete(namespace: &str, key: &str) -> Result<(), Error> {
        kv::remove((namespace.into(), key.into()))
    }

    pub fn increment(namespace: &str, key: &str, by: i64, _: Option<u32>) -> Result<i64, Error> {
        kv::add((namespace.into(), key.into()), by)
    }

    pub fn swap(
        namespace: &str,
        key: &str,
        revision: Option<u64>,
        value: &[u8],
        _: Option<u32>,
    ) -> Result<Option<u64>, Error> {
        kv::exchange((namespace.into(), key.into()), revision, value)
    }

    pub fn list(
        namespace: &str,
        prefix: &str,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Vec<String>, Error> {
        kv::page(namespace, prefix, after, limit)
    }
}

pub(crate) mod metrics {
    use super::{Labels, with};
    use crate::metrics::Error;

    pub fn add(name: &str, labels: &[(String, String)], by: u64) -> Result<(), Error> {
        with(|host| *host.metrics.entry(series(name, labels)).or_default() += by as f64);
        Ok(())
    }

    pub fn set(name: &str, labels: &[(String, String)], value: f64) -> Result<(), Error> {
        with(|host| host.metrics.insert(series(name, labels), value));
        Ok(())
    }

    fn series(name: &str, labels: &[(String, String)]) -> (String, Labels) {
        let mut labels = labels.to_vec();
        labels.sort_unstable();
        (name.into(), labels)
    }
}

pub(crate) mod upload_content {
    use super::with;
    use crate::upload::Error;

    pub fn read(offset: u64, length: u32) -> Result<Vec<u8>, Error> {
        with(|host| match &host.upload {
            None => Err(Error::Denied("there is an upload only in `accept-upload`".into())),
            Some(content) => {
                let skipped = usize::try_from(offset).unwrap_or(usize::MAX);
                Ok(content.iter().skip(skipped).take(length as usize).copied().collect())
            }
        })
    }
}

pub(crate) mod files {
    use super::with;
    use crate::files::{Error, Metadata};

    pub fn stat(root: &str, path: &str) -> Result<Option<Metadata>, Error> {
        let bytes = with(|host| host.files.get(&(root.into(), path.into())).map(|file| file.len() as u64));
        let folder = format!("{path}/");
        let is_folder = |host: &mut super::Host| {
            host.files.keys().any(|(its, path)| its == root && path.starts_with(&folder))
        };
        if bytes.is_none() && with(is_folder) {
            return Err(Error::Denied("a folder is no regular file".into()));
        }
        Ok(bytes.map(|bytes| Metadata { bytes, modified_unix_ms: 0 }))
    }

    pub fn read(root: &str, path: &str, limit: u64) -> Result<Option<Vec<u8>>, Error> {
        match with(|host| host.files.get(&(root.into(), path.into())).cloned()) {
            Some(file) if file.len() as u64 > limit => Err(Error::TooLarge(file.len() as u64)),
            found => Ok(found),
        }
    }
}

pub(crate) mod sinks {
    use super::with;
    use crate::sinks::Error;

    pub fn emit(sink: &str, payload: &str) -> Result<(), Error> {
        with(|host| {
            match host.room.get_mut(sink) {
                Some(0) => return Err(Error::Full),
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
    use crate::{files, kv, metrics, sinks, upload};

    #[test]
    fn what_was_put_is_found() {
        assert_eq!(kv::get("a").unwrap(), None);
        kv::set("a", "text", None).unwrap();
        assert_eq!(kv::get("a").unwrap().unwrap(), b"text");
        assert!(matches!(kv::increment("a", 1, None), Err(kv::Error::Invalid(_))));
        kv::delete("a").unwrap();
        assert_eq!((kv::increment("a", 3, None), kv::increment("a", -1, None)), (Ok(3), Ok(2)));

        let shared = kv::Shared::new("leases");
        let first = kv::swap("s", None, "one", None).unwrap();
        assert_eq!(kv::entry("s").unwrap().map(|entry| entry.revision), first);
        assert_eq!(kv::swap("s", None, "two", None), Ok(None));
        assert!(kv::swap("s", first, "two", None).unwrap() > first);
        assert_eq!((shared.get("s"), shared.increment("n", 2, None)), (Ok(None), Ok(2)));
        assert_eq!(kv::list("", None, 9).unwrap(), ["a", "s"]);
        assert_eq!(
            (kv::list("", Some("a"), 9), shared.list("x", None, 9)),
            (Ok(vec!["s".into()]), Ok(vec![]))
        );

        assert!(matches!(upload::read(0, 1), Err(upload::Error::Denied(_))));
        super::put_upload("content");
        assert_eq!((upload::read(3, 2), upload::read(9, 2)), (Ok(b"te".to_vec()), Ok(vec![])));

        metrics::add("hits", &[("b", "x"), ("a", "y")], 2).unwrap();
        metrics::add("hits", &[("a", "y"), ("b", "x")], 1).unwrap();
        metrics::set("size", &[], 1.5).unwrap();
        assert_eq!(super::metric("hits", &[("b", "x"), ("a", "y")]), Some(3.0));
        assert_eq!((super::metric("size", &[]), super::metric("hits", &[])), (Some(1.5), None));

        super::put_file("boot", "a/b", "content");
        assert!(matches!(files::stat("boot", "a"), Err(files::Error::Denied(_))));
        assert_eq!(files::stat("more", "a").unwrap(), None);
        assert_eq!(files::stat("boot", "a/b").unwrap().unwrap().bytes, 7);
        assert_eq!(files::read("boot", "a/b", 7).unwrap().unwrap(), b"content");
        assert_eq!(files::read("boot", "a/b", 6), Err(files::Error::TooLarge(7)));
        assert_eq!(files::read("boot", "a", 6), Ok(None));

        sinks::emit_json("audit", &["x"]).unwrap();
        sinks::emit("other", "1").unwrap();
        assert_eq!(super::take_emitted("audit"), [r#"["x"]"#]);
        assert!(super::take_emitted("audit").is_empty());
        assert_eq!(super::take_emitted("other"), ["1"]);

        super::set_room("narrow", 1);
        assert_eq!([(); 2].map(|()| sinks::emit("narrow", "1")), [Ok(()), Err(sinks::Error::Full)]);
        super::set_kv_calls(Some(1));
        assert!(kv::get("a").is_ok() && kv::get("a").is_err());
    }
}
