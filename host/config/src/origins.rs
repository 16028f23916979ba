//! Roots with an origin: the keys `url`, `origin` and `cache` of a root. A reload may change all of it.

mod credentials;
mod redirects;
mod written;

use std::path::PathBuf;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tuffet_request::units::{ByteCount, GIB, MIB, TimeSpan, plain};
use url::Url;

use super::address::path_schema;

pub use credentials::Credentials;
pub use redirects::RedirectHost;
pub(crate) use written::{OriginKeys, WrittenOrigin};

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

/// The files of `url` on the local disk. It survives restarts.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct CacheSpec {
    /// Its folder, relative to this file. Created if missing. Each root needs its own.
    #[schemars(schema_with = "path_schema")]
    pub path: PathBuf,
    /// The largest total size of its files. The least recently requested files make room, except files in running
    /// transfers.
    #[serde(default = "bytes", with = "plain")]
    #[schemars(with = "ByteCount", extend("x-minimum" = "1MiB"))]
    pub bytes: u64,
    /// How long a file is served without asking the origin whether it has changed.
    #[serde(default = "revalidate", with = "plain")]
    #[schemars(with = "TimeSpan", extend("x-minimum" = "0s", "x-maximum" = "365d"))]
    pub revalidate: Duration,
    /// How long the origin is not asked again for a missing file.
    #[serde(default = "negative", with = "plain")]
    #[schemars(with = "TimeSpan", extend("x-minimum" = "0s", "x-maximum" = "1d"))]
    pub negative: Duration,
    /// How long a file is served while the origin does not answer, counted from when the origin last confirmed it.
    #[serde(default = "stale_if_error", with = "plain")]
    #[schemars(with = "TimeSpan", extend("x-minimum" = "0s", "x-maximum" = "365d"))]
    pub stale_if_error: Duration,
    /// Files up to this size are fetched whole, larger ones in parts of some MiB as clients need them, if they have a
    /// strong ETag.
    #[serde(default = "whole", with = "plain")]
    #[schemars(with = "ByteCount", extend("x-minimum" = "0", "x-maximum" = "16GiB"))]
    pub whole: u64,
}

fn bytes() -> u64 {
    10 * GIB
}

fn revalidate() -> Duration {
    Duration::from_secs(60)
}

fn negative() -> Duration {
    Duration::from_secs(10)
}

fn stale_if_error() -> Duration {
    Duration::from_secs(24 * 60 * 60)
}

fn whole() -> u64 {
    64 * MIB
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
