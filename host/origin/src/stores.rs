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

/// A client, and what is particular to its kind.
pub(crate) struct Store {
    pub store: Arc<dyn ObjectStore>,
    /// The beginning of all keys; empty for web servers, whose URL has it.
    pub prefix: String,
    pub kind: Kind,
    /// What tells its files from those of another place with the same URL: the endpoint, the region or the account,
    /// wherever they are configured.
    pub place: String,
    /// What signs requests to Azure.
    pub azure: Option<AzureCredentialProvider>,
}

/// How uploads reach an origin.
#[derive(Debug, Clone)]
pub(crate) enum Kind {
    /// `object_store` sends the parts; the request that joins them may have a condition.
    Parts,
    /// Google's request that joins parts has no condition: sessions have one.
    Session,
    /// A web server, and its folder: PUT.
    Http(Url),
}

/// The region that `object_store` asks where none is configured.
const DEFAULT_REGION: &str = "us-east-1";

/// Makes the client of an origin, whose requests `service` sends.
///
/// # Errors
/// What is wrong with the specification.
pub(crate) fn store(spec: &OriginSpec, service: &Service) -> Result<Store, String> {
    let connector = Connector(service.clone());
    let login = &spec.credentials;
    match &spec.location {
        Location::S3 { bucket, prefix, endpoint, region } => {
            let mut builder = s3(login)?.with_bucket_name(bucket);
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
            let store = builder.with_http_connector(connector).build().map_err(explain)?;
            let (store, prefix, kind) = (Arc::new(store), prefix.clone(), Kind::Parts);
            Ok(Store { store, prefix, kind, place, azure: None })
        }
        Location::Gcs { bucket, prefix, endpoint } => {
            let mut builder = google(login)?.with_bucket_name(bucket);
            if let Some(url) = endpoint {
                builder = builder.with_base_url(bare(url));
            }
            let place = builder.get_config_value(&GoogleConfigKey::BaseUrl).unwrap_or_default();
            let builder = builder.with_client_options(options()).with_retry(no_retry());
            let store = builder.with_http_connector(connector).build().map_err(explain)?;
            let (store, prefix, kind) = (Arc::new(store), prefix.clone(), Kind::Session);
            Ok(Store { store, prefix, kind, place, azure: None })
        }
        Location::Azure { account, container, prefix, endpoint } => {
            let mut builder = azure(login)?.with_container_name(container);
            if let Some(account) = account {
                builder = builder.with_account(account);
            }
            if let Some(url) = endpoint {
                builder = builder.with_endpoint(bare(url).to_owned());
            }
            let of = |key| builder.get_config_value(&key).unwrap_or_default();
            let place = format!("{} {}", of(AzureConfigKey::Endpoint), of(AzureConfigKey::AccountName));
            let builder = builder.with_client_options(options()).with_retry(no_retry());
            let store = builder.with_http_connector(connector).build().map_err(explain)?;
            let azure = Some(Arc::clone(store.credentials()));
            let (store, prefix, kind) = (Arc::new(store), prefix.clone(), Kind::Parts);
            Ok(Store { store, prefix, kind, place, azure })
        }
        Location::Http { url } => {
            let builder = HttpBuilder::new().with_url(bare(url));
            let builder = builder.with_client_options(options()).with_retry(no_retry());
            let store = builder.with_http_connector(connector).build().map_err(explain)?;
            let (prefix, kind, place) = (String::new(), Kind::Http(url.clone()), String::new());
            Ok(Store { store: Arc::new(store), prefix, kind, place, azure: None })
        }
    }
}

fn s3(login: &Credentials) -> Result<AmazonS3Builder, String> {
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

fn google(login: &Credentials) -> Result<GoogleCloudStorageBuilder, String> {
    let builder = match login {
        Credentials::Environment => GoogleCloudStorageBuilder::from_env(),
        _ => GoogleCloudStorageBuilder::new(),
    };
    let builder =
        set(builder, login, |builder, key: GoogleConfigKey, value| builder.with_config(key, value))?;
    Ok(match login {
        // Uploads ask for a login in spite of the option: without one, the crate looks for the metadata server of a
        // machine of Google's. The service removes the header.
        Credentials::Anonymous => builder.with_skip_signature(true).with_bearer_token(""),
        Credentials::ServiceAccount(key) => builder.with_service_account_key(key.reveal()),
        Credentials::Bearer(token) => builder.with_bearer_token(token.reveal()),
        _ => builder,
    })
}

fn azure(login: &Credentials) -> Result<MicrosoftAzureBuilder, String> {
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

/// What the client has of these is replaced; but `object_store` refuses http:// without the option.
fn options() -> ClientOptions {
    ClientOptions::new().with_allow_http(true)
}

/// Each attempt is ours: it is counted, recorded, and bounded.
fn no_retry() -> RetryConfig {
    RetryConfig { max_retries: 0, ..RetryConfig::default() }
}

fn bare(url: &Url) -> &str {
    url.as_str().trim_end_matches('/')
}

fn explain(error: object_store::Error) -> String {
    cause(&error)
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
