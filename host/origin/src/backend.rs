//! The client of an origin: one request each time, with what it failed with in our words.

use std::cell::RefCell;
use std::fmt;
use std::fs;
use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures_util::TryFutureExt;
use http::HeaderValue;
use object_store::azure::AzureCredentialProvider;
use object_store::path::Path;
use object_store::{GetOptions, GetRange, GetResult, ObjectMeta, ObjectStore};
use reqwest::redirect;
use tuffet_config::{Credentials, Location, OriginSpec};

use crate::OriginError;
use crate::failure::{Failure, cause};
use crate::judge::{judge, unconditional};
use crate::redirects::Redirects;
use crate::service::{NOTE, Note, Service};
use crate::stores::{Kind, Store, store};
use crate::version::Version;

/// The client of an origin.
pub(crate) struct Backend {
    pub store: Arc<dyn ObjectStore>,
    /// The beginning of all keys; empty for web servers, whose URL has it.
    prefix: String,
    pub kind: Kind,
    /// What tells its files from those of another place with the same URL: the endpoint, the region or the account,
    /// wherever they are configured.
    pub place: String,
    /// What signs requests to Azure.
    pub azure: Option<AzureCredentialProvider>,
    pub service: Service,
    pub timeout: Duration,
}

// The stores' own forms show parts of logins.
impl fmt::Debug for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Backend")
            .field("kind", &self.kind)
            .field("prefix", &self.prefix)
            .finish_non_exhaustive()
    }
}

/// What a request depends on, beside the path.
#[derive(Debug, Default)]
pub(crate) struct Condition<'a> {
    /// Only if the origin has another version.
    pub unless: Option<&'a Version>,
    /// Only if the origin has this version.
    pub only: Option<&'a Version>,
    pub range: Option<std::ops::Range<u64>>,
    pub head: bool,
}

impl Backend {
    pub fn new(spec: &OriginSpec) -> Result<Self, OriginError> {
        let service = Service {
            client: client(spec)?,
            login: login(spec),
            anonymous: spec.credentials == Credentials::Anonymous,
            redirects: match &spec.location {
                Location::Http { url } => {
                    Some(Redirects { origin: url.clone(), hosts: spec.redirect_hosts.clone() })
                }
                _ => None,
            },
        };
        let built = store(spec, &service);
        let Store { store, prefix, kind, place, azure } =
            built.map_err(|why| OriginError::Client { origin: spec.shown(), why })?;
        Ok(Self { store, prefix, kind, place, azure, service, timeout: spec.timeout })
    }

    /// The key of a path. `Absent` if the origin cannot have it.
    pub fn key(&self, path: &str) -> Result<Path, Failure> {
        let key = if self.prefix.is_empty() { path.to_owned() } else { format!("{}/{path}", self.prefix) };
        Path::parse(key).map_err(|_| Failure::Absent)
    }

    /// One GET or HEAD. Returns when the headers of the answer have come, and with the status of the answer.
    pub async fn get(
        &self,
        path: &str,
        condition: Condition<'_>,
    ) -> (Result<GetResult, Failure>, Option<u16>) {
        let key = match self.key(path) {
            Ok(key) => key,
            Err(failure) => return (Err(failure), None),
        };
        let mut options = GetOptions { head: condition.head, ..GetOptions::default() };
        match condition.unless {
            Some(Version::Strong(etag) | Version::Weak(etag)) => options.if_none_match = Some(etag.clone()),
            Some(Version::Modified(ms, _)) => options.if_modified_since = Some(time(*ms).into()),
            Some(Version::Unknown(_)) | None => {}
        }
        match condition.only {
            Some(Version::Strong(etag)) => options.if_match = Some(etag.clone()),
            Some(Version::Modified(ms, _)) => options.if_unmodified_since = Some(time(*ms).into()),
            // A weak tag matches nothing; what comes is compared in any case.
            Some(Version::Weak(_) | Version::Unknown(_)) | None => {}
        }
        let ranged = condition.range.is_some();
        options.range = condition.range.map(GetRange::Bounded);
        let action = self.store.get_opts(&key, options).map_err(unconditional);
        let (result, status) = self.attempt(Note::default(), self.timeout, action).await;
        let result = match result {
            // Other statuses, 206 and 203 among them, come with something else than the file (RFC 9110 section 15.3);
            // of a range `object_store` requires 206, and that it is the one that was asked for.
            Ok(_) if !ranged && status != Some(200) => {
                let status = status.unwrap_or_default();
                Err(Failure::Useless(
                    format!("it answers with the status {status}, which brings no file").into(),
                ))
            }
            Err(Failure::Useless(_)) if ranged && status == Some(200) => Err(Failure::NoRanges),
            // object_store takes 405 for a folder of a web server.
            Err(Failure::Absent) if condition.head && status == Some(405) => {
                Err(Failure::Useless("it answers no HEAD requests".into()))
            }
            other => other,
        };
        (result, status)
    }

    /// Runs one attempt within a time limit, and says in our words what it failed with.
    pub async fn attempt<T>(
        &self,
        note: Note,
        within: Duration,
        action: impl Future<Output = object_store::Result<T>>,
    ) -> (Result<T, Failure>, Option<u16>) {
        let noted = NOTE.scope(RefCell::new(note), async {
            let result = tokio::time::timeout(within, action).await;
            (result, NOTE.with(|note| note.borrow().clone()))
        });
        let (result, note) = noted.await;
        let result = match result {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(error)) => Err(judge(&error, &note)),
            // What refuses a request and never ends has answered, and so has what redirects.
            Err(_) if note.status.is_some() || note.redirected => {
                Err(Failure::Failing(format!("no whole answer within {within:?}").into()))
            }
            Err(_) => Err(Failure::Silent(format!("no answer within {within:?}").into())),
        };
        (result, note.status)
    }
}

fn client(spec: &OriginSpec) -> Result<reqwest::Client, OriginError> {
    // Fails if there is one already, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let wrong = |why: String| OriginError::Client { origin: spec.shown(), why };
    let mut builder = reqwest::Client::builder()
        .user_agent(concat!("tuffet/", env!("CARGO_PKG_VERSION")))
        // The service follows them where they may lead.
        .redirect(redirect::Policy::none())
        .connect_timeout(spec.connect_timeout)
        .pool_idle_timeout(Duration::from_secs(60))
        .tcp_nodelay(true);
    let plain = match &spec.location {
        Location::Http { url } => url.scheme() == "http",
        Location::S3 { endpoint, .. } | Location::Gcs { endpoint, .. } | Location::Azure { endpoint, .. } => {
            endpoint.as_ref().is_some_and(|url| url.scheme() == "http")
        }
    };
    if let Some(path) = &spec.ca {
        let unreadable = |why: String| OriginError::Ca { path: path.clone(), why };
        let pem = fs::read(path).map_err(|error| unreadable(error.to_string()))?;
        let certificates =
            reqwest::Certificate::from_pem_bundle(&pem).map_err(|error| unreadable(cause(&error)))?;
        if certificates.is_empty() {
            return Err(unreadable("it contains no certificate in PEM".into()));
        }
        builder = builder.tls_certs_merge(certificates);
    } else if plain {
        // A machine without any certificates can still work without TLS.
        builder = builder.tls_certs_only([]);
    }
    builder.build().map_err(|error| wrong(cause(&error)))
}

fn login(spec: &OriginSpec) -> Option<HeaderValue> {
    if !matches!(spec.location, Location::Http { .. }) {
        return None;
    }
    let text = match &spec.credentials {
        Credentials::Bearer(token) => format!("Bearer {}", token.reveal()),
        Credentials::Basic { user, password } => {
            format!("Basic {}", base64(format!("{}:{}", user.reveal(), password.reveal()).as_bytes()))
        }
        _ => return None,
    };
    let mut value = HeaderValue::from_str(&text).ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// RFC 4648, section 4.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let bits =
            group.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - group.len()));
        for place in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * place)) as usize & 63];
            text.push(if place <= group.len() { letter as char } else { '=' });
        }
    }
    text
}

fn time(unix_ms: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(unix_ms)
}

/// The longest ETag that is kept. A file with a longer one has its time as version, as without any.
const LONGEST_ETAG: usize = 1024;

/// The version of a file, and what the store asks for of it.
pub(crate) fn version(meta: &ObjectMeta) -> Version {
    let modified = u64::try_from(meta.last_modified.timestamp_millis()).unwrap_or(0);
    match meta.e_tag.as_ref().filter(|etag| etag.len() <= LONGEST_ETAG) {
        Some(etag) if etag.get(..2).is_some_and(|start| start.eq_ignore_ascii_case("W/")) => {
            Version::Weak(etag.clone())
        }
        Some(etag) => Version::Strong(etag.clone()),
        None if modified > 0 => Version::Modified(modified, meta.size),
        None => Version::Unknown(fastrand::u64(..)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_as_in_the_rfc() {
        let pairs = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ];
        for (plain, encoded) in pairs {
            assert_eq!(base64(plain.as_bytes()), encoded);
        }
    }
}
