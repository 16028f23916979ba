//! In-memory stand-ins for the server in a plugin's native tests: one set for each thread, and so for each
//! test. They have no grants and no quotas, and their time does not advance.

use std::cell::RefCell;
use std::collections::HashMap;

use crate::history::PastRequest;

#[derive(Default)]
struct Host {
    keys: HashMap<String, Vec<u8>>,
    files: HashMap<(String, String), Vec<u8>>,
    emitted: Vec<(String, String)>,
    /// Remaining room of each sink, in payloads; a sink that is not listed accepts all.
    room: HashMap<String, usize>,
    /// Number of further calls of `kv` that succeed; `None` for all.
    kv_calls: Option<usize>,
    history: Vec<PastRequest>,
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
    use crate::http::{Error, Request, Response, Url};

    pub fn send(request: &Request<'_>, _: &Url<'_>) -> Result<Response, Error> {
        with(|host| host.responses.get(request.url).cloned()).ok_or(Error::Denied)
    }
}

pub(crate) mod kv {
    use super::with;
    use crate::kv::Error;

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

    pub fn get(key: &str) -> Result<Option<Vec<u8>>, Error> {
        call()?;
        Ok(with(|host| host.keys.get(key).cloned()))
    }

    pub fn set(key: &str, value: &[u8], _: Option<u32>) -> Result<(), Error> {
        call()?;
        with(|host| host.keys.insert(key.into(), value.into()));
        Ok(())
    }

    pub fn delete(key: &str) -> Result<(), Error> {
        call()?;
        with(|host| host.keys.remove(key));
        Ok(())
    }

    pub fn increment(key: &str, by: i64, _: Option<u32>) -> Result<i64, Error> {
        let counter = get(key)?.unwrap_or_else(|| vec![0; 8]);
        let counter = <[u8; 8]>::try_from(counter)
            .map_err(|_| Error::Invalid(format!("the value of {key:?} is no counter")))?;
        let counter = i64::from_le_bytes(counter).saturating_add(by);
        set(key, &counter.to_le_bytes(), None)?;
        Ok(counter)
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

pub(crate) mod history {
    use super::with;
    use crate::history::{Error, PastRequest};

    pub fn recent() -> Result<Vec<PastRequest>, Error> {
        Ok(with(|host| host.history.clone()))
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
    use crate::{files, kv, sinks};

    #[test]
    fn what_was_put_is_found() {
        assert_eq!(kv::get("a").unwrap(), None);
        kv::set("a", "text", None).unwrap();
        assert_eq!(kv::get("a").unwrap().unwrap(), b"text");
        assert!(matches!(kv::increment("a", 1, None), Err(kv::Error::Invalid(_))));
        kv::delete("a").unwrap();
        assert_eq!((kv::increment("a", 3, None), kv::increment("a", -1, None)), (Ok(3), Ok(2)));

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
