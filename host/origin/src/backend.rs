//! The client of an origin: single requests, with their errors converted to [`Failure`].

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
use crate::answers::{judge, unconditional};
use crate::failure::{Failure, cause};
use crate::redirects::Redirects;
use crate::service::{NOTE, Note, Service};
use crate::stores::{Kind, Store, store};
use crate::version::Version;

/// The client of an origin.
pub(crate) struct Backend {
    pub store: Arc<dyn ObjectStore>,
    /// The prefix of all keys; empty for web servers, because their URL contains it.
    prefix: String,
    pub kind: Kind,
    /// Distinguishes its files from those of another server with the same URL: the endpoint, region or account, from
    /// the configuration or the environment.
    pub place: String,
    /// The key that signs requests to Azure.
    pub azure: Option<AzureCredentialProvider>,
    pub service: Service,
    pub timeout: Duration,
}

// The `Debug` output of the stores shows parts of logins.
impl fmt::Debug for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Backend")
            .field("kind", &self.kind)
            .field("prefix", &self.prefix)
            .finish_non_exhaustive()
    }
}

/// The options of a request.
#[derive(Debug, Default)]
pub(crate) struct Condition<'a> {
    /// Fetch only if the origin has another version.
    pub unless: Option<&'a Version>,
    /// Fetch only if the origin has this version.
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

    /// Returns the key of a path; `Absent` if the origin cannot have such a key.
    pub fn key(&self, path: &str) -> Result<Path, Failure> {
        let key = if self.prefix.is_empty() { path.to_owned() } else { format!("{}/{path}", self.prefix) };
        Path::parse(key).map_err(|_| Failure::Absent)
    }

    /// Makes one GET or HEAD request. Returns once the headers of the answer have arrived, with its status.
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
            // A weak ETag never matches. The caller compares the version of the answer in any case.
            Some(Version::Weak(_) | Version::Unknown(_)) | None => {}
        }
        let ranged = condition.range.is_some();
        options.range = condition.range.map(GetRange::Bounded);
        let action = self.store.get_opts(&key, options).map_err(unconditional);
        let (result, status) = self.attempt(Note::default(), self.timeout, action).await;
        let result = match result {
            // Other statuses, such as 203 and 206, do not come with the original whole file (RFC 9110 section 15.3).
            // For a range, `object_store` itself requires 206 and the requested range.
            Ok(_) if !ranged && status != Some(200) => {
                let status = status.unwrap_or_default();
                Err(Failure::Useless(
                    format!("it answers with the status {status}, which brings no file").into(),
                ))
            }
            Err(Failure::Useless(_)) if ranged && status == Some(200) => Err(Failure::NoRanges),
            // `object_store` takes 405 for a folder of a web server.
            Err(Failure::Absent) if condition.head && status == Some(405) => {
                Err(Failure::Useless("it answers no HEAD requests".into()))
            }
            other => other,
        };
        (result, status)
    }

    /// Runs one attempt within a time limit, and converts its error.
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
            // A server that sent a status or a redirect has answered, even if the answer never ends.
            Err(_) if note.status.is_some() || note.redirected => {
                Err(Failure::Failing(format!("no whole answer within {within:?}").into()))
            }
            Err(_) => Err(Failure::Silent(format!("no answer within {within:?}").into())),
        };
        (result, note.status)
    }
}

fn client(spec: &OriginSpec) -> Result<reqwest::Client, OriginError> {
    // Fails harmlessly if a provider is installed already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let wrong = |why: String| OriginError::Client { origin: spec.shown(), why };
    let mut builder = reqwest::Client::builder()
        .user_agent(concat!("tuffet/", env!("CARGO_PKG_VERSION")))
        // `Service` follows permitted redirects.
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
        // Without TLS, the machine needs no certificates.
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

/// Longer ETags are ignored: the file then gets its version from its modification time.
const MAX_ETAG_BYTES: usize = 1024;

/// The version of a file, from its metadata.
pub(crate) fn version(meta: &ObjectMeta) -> Version {
    let modified = u64::try_from(meta.last_modified.timestamp_millis()).unwrap_or(0);
    match meta.e_tag.as_ref().filter(|etag| etag.len() <= MAX_ETAG_BYTES) {
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
