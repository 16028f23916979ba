//! The clients of `object_store`, one for each kind of origin.

use std::sync::Arc;

use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::azure::{AzureConfigKey, AzureCredentialProvider, MicrosoftAzureBuilder};
use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};
use object_store::http::HttpBuilder;
use object_store::{ClientOptions, ObjectStore, RetryConfig};
use tuffet_config::{Credentials, Location, OriginSpec};
use url::Url;

use crate::failure::cause;
use crate::service::{Connector, Service};

/// The client of one kind of origin.
pub(crate) struct Store {
    pub store: Arc<dyn ObjectStore>,
    /// The prefix of all keys; empty for web servers, because their URL contains it.
    pub prefix: String,
    pub kind: Kind,
    /// Distinguishes its files from those of another server with the same URL: the endpoint, region or account, from
    /// the configuration or the environment.
    pub place: String,
    /// The key that signs requests to Azure.
    pub azure: Option<AzureCredentialProvider>,
}

/// How uploads reach an origin.
#[derive(Debug, Clone)]
pub(crate) enum Kind {
    /// In parts, by `object_store`. The request that joins the parts may have a condition.
    Parts,
    /// In a session at Google, because Google's request that joins parts supports no condition.
    Session,
    /// By PUT to this folder of a web server.
    Http(Url),
}

/// The region that `object_store` uses if none is configured.
const DEFAULT_REGION: &str = "us-east-1";

/// Creates the client of an origin. `service` sends its requests.
///
/// # Errors
/// The specification cannot be used.
pub(crate) fn store(spec: &OriginSpec, service: &Service) -> Result<Store, String> {
    let (connector, login) = (Connector(service.clone()), &spec.credentials);
    match &spec.location {
        Location::S3 { bucket, prefix, endpoint, region } => {
            s3_store(bucket, prefix, endpoint.as_ref(), region.as_deref(), login, connector)
        }
        Location::Gcs { bucket, prefix, endpoint } => {
            google_store(bucket, prefix, endpoint.as_ref(), login, connector)
        }
        Location::Azure { account, container, prefix, endpoint } => {
            azure_store(account.as_deref(), container, prefix, endpoint.as_ref(), login, connector)
        }
        Location::Http { url } => web_store(url, connector),
    }
}

fn s3_store(
    bucket: &str,
    prefix: &str,
    endpoint: Option<&Url>,
    region: Option<&str>,
    login: &Credentials,
    connector: Connector,
) -> Result<Store, String> {
    let mut builder = s3_login(login)?.with_bucket_name(bucket);
    if let Some(region) = region {
        builder = builder.with_region(region);
    }
    builder = match endpoint {
        Some(url) => builder.with_endpoint(bare(url)),
        None => builder.with_virtual_hosted_style_request(!bucket.contains('.')),
    };
    let of = |key| builder.get_config_value(&key);
    let place = of(AmazonS3ConfigKey::S3Endpoint)
        .or_else(|| of(AmazonS3ConfigKey::Endpoint))
        .or_else(|| of(AmazonS3ConfigKey::Region))
        .unwrap_or_else(|| DEFAULT_REGION.into());
    let builder = builder.with_client_options(options()).with_retry(no_retry());
    let store = Arc::new(builder.with_http_connector(connector).build().map_err(explain)?);
    Ok(Store { store, prefix: prefix.to_owned(), kind: Kind::Parts, place, azure: None })
}

fn google_store(
    bucket: &str,
    prefix: &str,
    endpoint: Option<&Url>,
    login: &Credentials,
    connector: Connector,
) -> Result<Store, String> {
    let mut builder = google_login(login)?.with_bucket_name(bucket);
    if let Some(url) = endpoint {
        builder = builder.with_base_url(bare(url));
    }
    let place = builder.get_config_value(&GoogleConfigKey::BaseUrl).unwrap_or_default();
    let builder = builder.with_client_options(options()).with_retry(no_retry());
    let store = Arc::new(builder.with_http_connector(connector).build().map_err(explain)?);
    Ok(Store { store, prefix: prefix.to_owned(), kind: Kind::Session, place, azure: None })
}

fn azure_store(
    account: Option<&str>,
    container: &str,
    prefix: &str,
    endpoint: Option<&Url>,
    login: &Credentials,
    connector: Connector,
) -> Result<Store, String> {
    let mut builder = azure_login(login)?.with_container_name(container);
    if let Some(account) = account {
        builder = builder.with_account(account);
    }
    if let Some(url) = endpoint {
        builder = builder.with_endpoint(bare(url).to_owned());
    }
    let of = |key| builder.get_config_value(&key).unwrap_or_default();
    let place = format!("{} {}", of(AzureConfigKey::Endpoint), of(AzureConfigKey::AccountName));
    let builder = builder.with_client_options(options()).with_retry(no_retry());
    let store = Arc::new(builder.with_http_connector(connector).build().map_err(explain)?);
    let azure = Some(Arc::clone(store.credentials()));
    Ok(Store { store, prefix: prefix.to_owned(), kind: Kind::Parts, place, azure })
}

fn web_store(url: &Url, connector: Connector) -> Result<Store, String> {
    let builder = HttpBuilder::new().with_url(bare(url));
    let builder = builder.with_client_options(options()).with_retry(no_retry());
    let store = Arc::new(builder.with_http_connector(connector).build().map_err(explain)?);
    let (prefix, kind, place) = (String::new(), Kind::Http(url.clone()), String::new());
    Ok(Store { store, prefix, kind, place, azure: None })
}

fn s3_login(login: &Credentials) -> Result<AmazonS3Builder, String> {
    let builder = match login {
        Credentials::Environment => AmazonS3Builder::from_env(),
        _ => AmazonS3Builder::new(),
    };
    let builder =
        set(builder, login, |builder, key: AmazonS3ConfigKey, value| builder.with_config(key, value))?;
    Ok(match login {
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
    })
}

fn google_login(login: &Credentials) -> Result<GoogleCloudStorageBuilder, String> {
    let builder = match login {
        Credentials::Environment => GoogleCloudStorageBuilder::from_env(),
        _ => GoogleCloudStorageBuilder::new(),
    };
    let builder =
        set(builder, login, |builder, key: GoogleConfigKey, value| builder.with_config(key, value))?;
    Ok(match login {
        // Uploads need a login in spite of the option. Without one, `object_store` looks for the metadata server of a
        // Google machine. `Service` removes the header.
        Credentials::Anonymous => builder.with_skip_signature(true).with_bearer_token(""),
        Credentials::ServiceAccount(key) => builder.with_service_account_key(key.reveal()),
        Credentials::Bearer(token) => builder.with_bearer_token(token.reveal()),
        _ => builder,
    })
}

fn azure_login(login: &Credentials) -> Result<MicrosoftAzureBuilder, String> {
    let builder = match login {
        Credentials::Environment => MicrosoftAzureBuilder::from_env(),
        _ => MicrosoftAzureBuilder::new(),
    };
    let builder = set(builder, login, |builder, key: AzureConfigKey, value| builder.with_config(key, value))?;
    Ok(match login {
        Credentials::Anonymous => builder.with_skip_signature(true),
        Credentials::AccountKey(key) => builder.with_access_key(key.reveal()),
        Credentials::Bearer(token) => builder.with_bearer_token_authorization(token.reveal()),
        _ => builder,
    })
}

/// Our HTTP client ignores these options, but `object_store` refuses http:// without this one.
fn options() -> ClientOptions {
    ClientOptions::new().with_allow_http(true)
}

/// This crate retries itself, to count, record and bound each attempt.
fn no_retry() -> RetryConfig {
    RetryConfig { max_retries: 0, ..RetryConfig::default() }
}

fn bare(url: &Url) -> &str {
    url.as_str().trim_end_matches('/')
}

fn explain(error: object_store::Error) -> String {
    cause(&error)
}

/// Applies the settings of a credentials file, with the names of the environment variables of `object_store`. The file
/// may contain other settings, too. But without any of this store, the login would silently depend on the environment.
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
