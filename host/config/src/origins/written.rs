//! The keys of a root with an origin, and their resolution.

use std::path::PathBuf;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tuffet_request::units::{TimeSpan, plain};
use url::Url;

use super::super::address::path_schema;
use super::super::resolver::Resolver;
use super::super::tree::join;
use super::credentials::WrittenCredentials;
use super::{CacheSpec, Credentials, Location, OriginSpec, RedirectHost};

/// How the server at `url` is reached.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(crate) struct WrittenOrigin {
    /// The server for `s3://`, `gs://` and `az://`, unless it is that of Amazon, Google or Microsoft:
    /// `https://HOST:PORT`, or `http://`. With S3, the bucket is then part of the path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
    /// The region of an S3 bucket. Default: that of the environment, else `us-east-1`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    /// The storage account of Azure. Default: that of the environment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    /// A file of certificates in PEM that are trusted besides the system's.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "path_schema")]
    pub ca: Option<PathBuf>,
    /// The login.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credentials: Option<WrittenCredentials>,
    /// Hosts that a web server may redirect to, besides its own at the same port: `HOST` or `HOST:PORT`. Files are served
    /// from them as from the server itself.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub redirect_hosts: Vec<String>,
    /// The time limit for connecting.
    #[serde(with = "plain")]
    #[schemars(with = "TimeSpan", extend("x-minimum" = "10ms", "x-maximum" = "1m"))]
    pub connect_timeout: Duration,
    /// How long an answer may make no progress.
    #[serde(with = "plain")]
    #[schemars(with = "TimeSpan", extend("x-minimum" = "100ms", "x-maximum" = "5m"))]
    pub timeout: Duration,
}

impl Default for WrittenOrigin {
    fn default() -> Self {
        Self {
            endpoint: None,
            region: None,
            account: None,
            ca: None,
            credentials: None,
            redirect_hosts: Vec::new(),
            connect_timeout: Duration::from_secs(2),
            timeout: Duration::from_secs(10),
        }
    }
}

/// Keys that apply only to folders, with the reasons.
const FOLDER_KEYS: [(&str, &str); 11] = [
    ("links", "an origin has no symbolic links"),
    ("follow", "an origin is asked for each file by its URL"),
    ("world-readable", "its files have no permissions of this system; let the origin decide who reads them"),
    ("case", "an origin is asked for one name and lists none; let clients spell names as they are stored"),
    ("write/mode", "its files have no permissions of this system"),
    ("write/umask", "its files have no permissions of this system"),
    ("write/links", "an origin has no symbolic links"),
    ("write/create", "an origin cannot refuse new names alone"),
    ("write/versions", "an object store has versions of its own"),
    ("write/folders", "an origin needs no folders"),
    ("write/quota", "let the origin limit what it stores"),
];

/// The forms of `url`.
const FORMS: &str =
    "s3://BUCKET/PREFIX, gs://BUCKET/PREFIX, az://CONTAINER/PREFIX, https://HOST/PATH or http://HOST/PATH";

/// The keys of a root with `url`.
pub(crate) struct OriginKeys<'a> {
    pub root: &'a str,
    pub url: &'a str,
    /// Whether there is a `path`, too.
    pub has_path: bool,
    pub origin: Option<&'a WrittenOrigin>,
    pub cache: Option<&'a CacheSpec>,
}

impl Resolver<'_> {
    /// Returns the origin of a root; `None` after an error. `pointer` is the root's.
    pub(crate) fn origin(&mut self, pointer: &str, its: &OriginKeys<'_>) -> Option<OriginSpec> {
        let before = self.findings.len();
        for (key, why) in FOLDER_KEYS {
            let at = format!("{pointer}/{key}");
            if self.is_written(&at) {
                let key = key.replace('/', ".");
                self.wrong_key(
                    at,
                    format!("`{key}` is for folders, and this root has `url`: {why}; remove it"),
                );
            }
        }
        if its.has_path {
            let message = "a root has `path` or `url`; remove one, or make two roots of them";
            self.wrong_key(join(pointer, "path"), message);
        }
        let written = its.origin.cloned().unwrap_or_default();
        let at = join(pointer, "origin");
        let location = self.location(&join(pointer, "url"), its.url, &at, &written);
        let credentials = match (&written.credentials, &location) {
            (Some(written), Some(location)) => self.credentials(&join(&at, "credentials"), written, location),
            _ => Some(Credentials::Environment),
        };
        let ca = written.ca.as_deref().and_then(|file| self.ca(&join(&at, "ca"), file));
        let redirect_hosts = self.redirect_hosts(&join(&at, "redirect-hosts"), &written.redirect_hosts);
        let Some(cache) = its.cache else {
            let message = "a root with `url` needs a `cache`; add `cache: { path: FOLDER }`, a folder that this server alone \
                           uses";
            self.wrong(pointer, message);
            return None;
        };
        let cache = CacheSpec { path: self.absolute(&cache.path), ..cache.clone() };
        let (location, credentials) = location.zip(credentials)?;
        (self.findings.len() == before).then(|| OriginSpec {
            root: its.root.to_owned(),
            location,
            ca,
            credentials,
            redirect_hosts,
            connect_timeout: written.connect_timeout,
            timeout: written.timeout,
            cache,
        })
    }

    /// Refuses the keys of origins beside a folder. `pointer` is the root's.
    pub(crate) fn refuse_origin(&mut self, pointer: &str) {
        for key in ["origin", "cache"] {
            let at = join(pointer, key);
            if self.is_written(&at) {
                let message = format!("`{key}` has no effect without `url`; add the URL, or remove it");
                self.wrong_key(at, message);
            }
        }
    }

    fn location(&mut self, at: &str, text: &str, origin: &str, written: &WrittenOrigin) -> Option<Location> {
        let url = match checked(text) {
            Ok(url) => url,
            Err(complaint) => {
                self.wrong(at, complaint);
                return None;
            }
        };
        let http = matches!(url.scheme(), "http" | "https");
        let mut refuse = |key: &str, given: bool, why: &str| {
            if given {
                self.wrong_key(join(origin, key), format!("`{key}` has no effect here: {why}; remove it"));
            }
        };
        let its_own = "the URL of the root names the server already";
        refuse("endpoint", http && written.endpoint.is_some(), its_own);
        refuse("region", url.scheme() != "s3" && written.region.is_some(), "only `s3://` has regions");
        refuse(
            "account",
            url.scheme() != "az" && written.account.is_some(),
            "only `az://` has storage accounts",
        );
        refuse("redirect-hosts", !http && !written.redirect_hosts.is_empty(), "stores redirect nowhere");
        let endpoint = match &written.endpoint {
            Some(endpoint) if !http => Some(self.endpoint(&join(origin, "endpoint"), endpoint)?),
            _ => None,
        };
        if http {
            return Some(Location::Http { url });
        }
        let bucket = url.host_str().unwrap_or_default().to_owned();
        // Take the text as written, because keys are not percent-encoded.
        let after = text.split_once("://").map_or("", |(_, rest)| rest);
        let prefix = after.split_once('/').map_or("", |(_, prefix)| prefix).trim_matches('/').to_owned();
        Some(match url.scheme() {
            "s3" => Location::S3 { bucket, prefix, endpoint, region: written.region.clone() },
            "gs" => Location::Gcs { bucket, prefix, endpoint },
            _ => Location::Azure { account: written.account.clone(), container: bucket, prefix, endpoint },
        })
    }

    fn endpoint(&mut self, at: &str, text: &str) -> Option<Url> {
        match checked(text) {
            Ok(url) if matches!(url.scheme(), "http" | "https") => Some(url),
            Ok(_) => {
                self.wrong(at, "it is no http:// or https:// URL; write https://HOST:PORT");
                None
            }
            Err(complaint) => {
                self.wrong(at, complaint);
                None
            }
        }
    }

    fn redirect_hosts(&mut self, at: &str, written: &[String]) -> Vec<RedirectHost> {
        let mut hosts = Vec::new();
        for (number, text) in written.iter().enumerate() {
            match text.parse() {
                Ok(host) => hosts.push(host),
                Err(complaint) => self.wrong(join(at, &number.to_string()), complaint),
            }
        }
        hosts
    }

    /// Checks a file of certificates, which is only read when the server starts.
    fn ca(&mut self, at: &str, file: &std::path::Path) -> Option<PathBuf> {
        let path = self.absolute(file);
        self.files.push(path.clone());
        let shown = path.display();
        match std::fs::read_to_string(&path) {
            Ok(text) if text.contains("-----BEGIN CERTIFICATE-----") => return Some(path),
            Ok(_) => {
                self.wrong(at, format!("{shown} has no certificate in PEM; name the file of the authority"))
            }
            Err(error) => self
                .wrong(at, format!("{shown} cannot be read: {error}; name a file that this user may read")),
        }
        None
    }
}

/// Parses a URL without secrets, query and fragment.
fn checked(text: &str) -> Result<Url, String> {
    // Errors do not show the text, because it may contain a password.
    let url = Url::parse(text).map_err(|error| format!("it is not a URL: {error}; write {FORMS}"))?;
    if !matches!(url.scheme(), "s3" | "gs" | "az" | "http" | "https") {
        return Err(format!("the scheme `{}` is not supported; write {FORMS}", url.scheme()));
    }
    if url.host_str().is_none_or(str::is_empty) {
        return Err(format!("it names no bucket or host; write {FORMS}"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(
            "it contains a user or a password, but this file must not contain secrets; use `origin.credentials`".into()
        );
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err("it has a query or a fragment, which belongs to one file; remove it".into());
    }
    Ok(url)
}
