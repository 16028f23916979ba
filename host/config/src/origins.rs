//! Roots with an origin: the keys `url`, `origin` and `cache` of a root. A reload may change all of it.

mod credentials;
mod redirects;
mod written;

use std::path::PathBuf;
use std::time::Duration;

use url::Url;

pub use credentials::Credentials;
pub use redirects::RedirectHost;
pub(crate) use written::{OriginKeys, WrittenCache, WrittenOrigin};

/// The specification of an origin: the location of its files, and their cache.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OriginSpec {
    /// The name of its root.
    pub root: String,
    /// The location of its files.
    pub location: Location,
    /// A PEM file of certificates that are trusted besides the system's.
    pub ca: Option<PathBuf>,
    /// The login.
    pub credentials: Credentials,
    /// Hosts that redirects of a web server may lead to, besides its own.
    pub redirect_hosts: Vec<RedirectHost>,
    /// The time limit for connecting: 10 ms to a minute.
    pub connect_timeout: Duration,
    /// The longest time without progress: 100 ms to 5 minutes.
    pub timeout: Duration,
    /// The cache on the local disk.
    pub cache: CacheSpec,
}

/// The location of an origin's files. Prefixes have no slash at either end and may be empty; URLs have no user,
/// password, query or fragment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Location {
    /// A bucket of Amazon S3, or of a server that speaks its protocol.
    S3 {
        /// The bucket.
        bucket: String,
        /// The beginning of all keys.
        prefix: String,
        /// The server, unless it is Amazon's. The bucket is then part of the path.
        endpoint: Option<Url>,
        /// The region.
        region: Option<String>,
    },
    /// A bucket of Google Cloud Storage.
    Gcs {
        /// The bucket.
        bucket: String,
        /// The beginning of all names.
        prefix: String,
        /// The server, unless it is Google's.
        endpoint: Option<Url>,
    },
    /// A container of Azure Blob Storage.
    Azure {
        /// The storage account, unless the environment has it.
        account: Option<String>,
        /// The container.
        container: String,
        /// The beginning of all names.
        prefix: String,
        /// The server, unless it is Microsoft's.
        endpoint: Option<Url>,
    },
    /// A folder of a web server.
    Http {
        /// `http` or `https`; its path is the folder.
        url: Url,
    },
}

/// The cache of an origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheSpec {
    /// Its folder. It need not exist.
    pub path: PathBuf,
    /// The largest sum of the files in it, in bytes: 1 MiB at least.
    pub bytes: u64,
    /// How long a version is used before the origin is asked for a newer one.
    pub revalidate: Duration,
    /// How long a missing file is not asked for again.
    pub negative: Duration,
    /// How long after its last validation a file is served while the origin does not answer.
    pub stale_if_error: Duration,
    /// Files up to this size are fetched whole, larger ones in parts; in bytes.
    pub whole: u64,
}

impl OriginSpec {
    /// Returns the URL as logs show it, without secrets.
    pub fn shown(&self) -> String {
        self.location.shown()
    }
}

impl Location {
    /// As [`OriginSpec::shown`].
    pub fn shown(&self) -> String {
        let (scheme, bucket, prefix) = match self {
            Location::S3 { bucket, prefix, .. } => ("s3", bucket, prefix),
            Location::Gcs { bucket, prefix, .. } => ("gs", bucket, prefix),
            Location::Azure { container, prefix, .. } => ("az", container, prefix),
            Location::Http { url } => return url.as_str().trim_end_matches('/').to_owned(),
        };
        if prefix.is_empty() {
            format!("{scheme}://{bucket}")
        } else {
            format!("{scheme}://{bucket}/{prefix}")
        }
    }
}
