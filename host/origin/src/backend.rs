//! The client of an origin: one request each time, with what it failed with in our words.

use std::cell::RefCell;
use std::fmt;
use std::fs;
use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures_util::TryFutureExt;
use http::HeaderValue;
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::azure::{AzureConfigKey, AzureCredentialProvider, MicrosoftAzureBuilder};
use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};
use object_store::http::HttpBuilder;
use object_store::path::Path;
use object_store::{ClientOptions, GetOptions, GetRange, GetResult, ObjectMeta, ObjectStore, RetryConfig};
use reqwest::redirect;
use tuffet_config::{Credentials, Location, OriginSpec};

use crate::OriginError;
use crate::failure::{Failure, cause};
use crate::judge::{judge, unconditional};
use crate::service::{Connector, MOST_REDIRECTS, NOTE, Note, Service};
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

/// How uploads reach an origin.
#[derive(Debug, Clone)]
pub(crate) enum Kind {
    /// `object_store` sends the parts; the request that joins them may have a condition.
    Parts,
    /// Google's request that joins parts has no condition: sessions have one.
    Session,
    /// A web server, and its folder: PUT.
    Http(url::Url),
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
        let wrong = |why: String| OriginError::Client { origin: spec.shown(), why };
        let service = Service {
            client: client(spec)?,
            login: login(spec),
            anonymous: spec.credentials == Credentials::Anonymous,
        };
        let connector = Connector(service.clone());
        // Each attempt is ours: it is counted, recorded, and bounded.
        let retry = RetryConfig { max_retries: 0, ..RetryConfig::default() };
        // What the client has of these is replaced; but object_store refuses http:// without the option.
        let options = ClientOptions::new().with_allow_http(true);
        let explain = |error: object_store::Error| wrong(cause(&error));
        let (mut azure, mut place) = (None, None);
        let (store, prefix, kind): (Arc<dyn ObjectStore>, _, _) = match &spec.location {
            Location::S3 { bucket, prefix, endpoint, region } => {
                let mut builder = match &spec.credentials {
                    Credentials::Environment => AmazonS3Builder::from_env(),
                    _ => AmazonS3Builder::new(),
                };
                builder = set(builder, &spec.credentials, |builder, key: AmazonS3ConfigKey, value| {
                    builder.with_config(key, value)
                })
                .map_err(wrong)?;
                builder = match &spec.credentials {
                    Credentials::Anonymous => builder.with_skip_signature(true),
                    Credentials::Keys { access_key_id, secret_access_key, token } => {
                        let builder = builder
                            .with_access_key_id(access_key_id.reveal())
                            .with_secret_access_key(secret_access_key.reveal());
                        match token {
                            Some(token) => builder.with_token(token.reveal()),
                            None => builder,
                        }
                    }
                    _ => builder,
                };
                if let Some(region) = region {
                    builder = builder.with_region(region);
                }
                builder = match endpoint {
                    Some(url) => builder.with_endpoint(url.as_str().trim_end_matches('/')),
                    None => builder.with_virtual_hosted_style_request(!bucket.contains('.')),
                };
                let of = |key| builder.get_config_value(&key);
                place = of(AmazonS3ConfigKey::S3Endpoint)
                    .or_else(|| of(AmazonS3ConfigKey::Endpoint))
                    .or_else(|| of(AmazonS3ConfigKey::Region));
                let builder = builder.with_bucket_name(bucket).with_client_options(options).with_retry(retry);
                (
                    Arc::new(builder.with_http_connector(connector).build().map_err(explain)?),
                    prefix,
                    Kind::Parts,
                )
            }
            Location::Gcs { bucket, prefix, endpoint } => {
                let mut builder = match &spec.credentials {
                    Credentials::Environment => GoogleCloudStorageBuilder::from_env(),
                    _ => GoogleCloudStorageBuilder::new(),
                };
                builder = set(builder, &spec.credentials, |builder, key: GoogleConfigKey, value| {
                    builder.with_config(key, value)
                })
                .map_err(wrong)?;
                builder = match &spec.credentials {
                    // Uploads ask for a login in spite of the option: without one, the crate looks for the metadata
                    // server of a machine of Google's. The service removes the header.
                    Credentials::Anonymous => builder.with_skip_signature(true).with_bearer_token(""),
                    Credentials::ServiceAccount(key) => builder.with_service_account_key(key.reveal()),
                    Credentials::Bearer(token) => builder.with_bearer_token(token.reveal()),
                    _ => builder,
                };
                if let Some(url) = endpoint {
                    builder = builder.with_base_url(url.as_str().trim_end_matches('/'));
                }
                place = builder.get_config_value(&GoogleConfigKey::BaseUrl);
                let builder = builder.with_bucket_name(bucket).with_client_options(options).with_retry(retry);
                (
                    Arc::new(builder.with_http_connector(connector).build().map_err(explain)?),
                    prefix,
                    Kind::Session,
                )
            }
            Location::Azure { account, container, prefix, endpoint } => {
                let mut builder = match &spec.credentials {
                    Credentials::Environment => MicrosoftAzureBuilder::from_env(),
                    _ => MicrosoftAzureBuilder::new(),
                };
                builder = set(builder, &spec.credentials, |builder, key: AzureConfigKey, value| {
                    builder.with_config(key, value)
                })
                .map_err(wrong)?;
                builder = match &spec.credentials {
                    Credentials::Anonymous => builder.with_skip_signature(true),
                    Credentials::AccountKey(key) => builder.with_access_key(key.reveal()),
                    Credentials::Bearer(token) => builder.with_bearer_token_authorization(token.reveal()),
                    _ => builder,
                };
                if let Some(account) = account {
                    builder = builder.with_account(account);
                }
                if let Some(url) = endpoint {
                    builder = builder.with_endpoint(url.as_str().trim_end_matches('/').to_owned());
                }
                let of = |key| builder.get_config_value(&key).unwrap_or_default();
                place = Some(format!("{} {}", of(AzureConfigKey::Endpoint), of(AzureConfigKey::AccountName)));
                let builder =
                    builder.with_container_name(container).with_client_options(options).with_retry(retry);
                let store = builder.with_http_connector(connector).build().map_err(explain)?;
                azure = Some(Arc::clone(store.credentials()));
                (Arc::new(store), prefix, Kind::Parts)
            }
            Location::Http { url } => {
                let builder = HttpBuilder::new().with_url(url.as_str().trim_end_matches('/'));
                let builder =
                    builder.with_client_options(options).with_retry(retry).with_http_connector(connector);
                (Arc::new(builder.build().map_err(explain)?), &String::new(), Kind::Http(url.clone()))
            }
        };
        let (prefix, place) = (prefix.clone(), place.unwrap_or_default());
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
            Err(_) => Err(Failure::Away(format!("no answer within {within:?}").into())),
        };
        (result, note.status)
    }
}

/// The words of a credentials file are those of the environment, as `object_store` reads them. A file may also have
/// others, but one without any would leave the login to the environment, unnoticed.
fn set<B, K: std::str::FromStr>(
    builder: B,
    credentials: &Credentials,
    with: impl Fn(B, K, String) -> B,
) -> Result<B, String> {
    let Credentials::Settings(settings) = credentials else { return Ok(builder) };
    let (mut builder, mut known) = (builder, false);
    for (name, value) in settings {
        if let Ok(key) = name.to_ascii_lowercase().parse() {
            (builder, known) = (with(builder, key, value.reveal().to_owned()), true);
        }
    }
    match known {
        true => Ok(builder),
        false => {
            let names: Vec<&str> = settings.iter().map(|(name, _)| name.as_str()).collect();
            Err(format!(
                "the file of credentials has no variable of this store, only `{}`: docs/origins.md lists them",
                names.join("`, `")
            ))
        }
    }
}

fn client(spec: &OriginSpec) -> Result<reqwest::Client, OriginError> {
    // Fails if there is one already, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let wrong = |why: String| OriginError::Client { origin: spec.shown(), why };
    let web = matches!(spec.location, Location::Http { .. });
    // With a login, the service follows redirects.
    let redirects = match web && login(spec).is_none() {
        true => redirect::Policy::custom(|attempt| {
            let leaves_tls = attempt.previous().last().is_some_and(|url| url.scheme() == "https")
                && attempt.url().scheme() != "https";
            match attempt.previous().len() > MOST_REDIRECTS || leaves_tls {
                true => attempt.stop(),
                false => attempt.follow(),
            }
        }),
        // A request to a store is signed for its host.
        false => redirect::Policy::none(),
    };
    let mut builder = reqwest::Client::builder()
        .user_agent(concat!("tuffet/", env!("CARGO_PKG_VERSION")))
        .redirect(redirects)
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
