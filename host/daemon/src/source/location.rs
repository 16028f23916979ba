//! Parses `--config` (a file, a URL, or a key in a bucket) and reads the credentials of `--config-auth`.

use std::fs;
use std::path::{Path, PathBuf};
use tuffet_config::{NatsLogin, NatsServers, Secret};
use url::Url;

/// The value of `--config`.
#[derive(Debug)]
pub(super) enum Location {
    File(PathBuf),
    Url(Url),
    Key(Key),
}

/// A key in a bucket of NATS JetStream.
#[derive(Debug)]
pub(super) struct Key {
    /// `nats://HOST:PORT` or `tls://HOST:PORT`.
    pub(super) server: String,
    pub(super) bucket: String,
    pub(super) key: String,
}

/// The content of the file of `--config-auth`.
#[derive(Debug)]
pub(super) struct Auth(pub(super) Option<Secret>);

impl Location {
    pub(super) fn parse(config: &Path) -> Result<Location, String> {
        let Some(text) = config.to_str().filter(|text| text.contains("://")) else {
            return Ok(Location::File(config.to_owned()));
        };
        let url = Url::parse(text).map_err(|error| format!("it is not a URL: {error}"))?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err("a command line is no place for secrets; give --config-auth FILE".into());
        }
        let Some(host) = url.host_str().filter(|host| !host.is_empty()) else {
            return Err("it has no host".into());
        };
        match url.scheme() {
            "https" | "http" => Ok(Location::Url(url)),
            scheme @ ("nats" | "tls") => {
                let mut parts = url.path().trim_start_matches('/').splitn(2, '/');
                let (bucket, key) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
                if bucket.is_empty() || key.is_empty() {
                    return Err(format!("write {scheme}://HOST:PORT/BUCKET/KEY"));
                }
                let server = format!("{scheme}://{host}:{}", url.port().unwrap_or(4222));
                Ok(Location::Key(Key { server, bucket: bucket.into(), key: key.into() }))
            }
            scheme => Err(format!(
                "the scheme `{scheme}` is not known; write a file, https://HOST/PATH, nats://HOST:PORT/BUCKET/KEY or \
                 tls://HOST:PORT/BUCKET/KEY"
            )),
        }
    }

    /// Returns the URL for logs; `None` for a file. A query may contain a secret.
    pub(super) fn display_url(&self) -> Option<String> {
        match self {
            Location::File(_) => None,
            Location::Url(url) => {
                let mut url = url.clone();
                url.set_query(None);
                Some(url.into())
            }
            Location::Key(Key { server, bucket, key }) => Some(format!("{server}/{bucket}/{key}")),
        }
    }

    /// Returns the URL with its query, which may choose the configuration, to identify the last good copy. It may
    /// contain a secret, so only its digest is stored.
    pub(super) fn full_url(&self) -> Option<String> {
        match self {
            Location::Url(url) => Some(url.to_string()),
            Location::File(_) | Location::Key(_) => self.display_url(),
        }
    }
}

impl Auth {
    /// Reads the file, before privileges are dropped.
    pub(super) fn read(file: Option<&Path>, location: &Location) -> Result<Auth, String> {
        let Some(file) = file else { return Ok(Auth(None)) };
        if matches!(location, Location::File(_)) {
            return Err("--config-auth is for a configuration from a URL".into());
        }
        let at = |error: String| format!("--config-auth {}: {error}", file.display());
        let text = fs::read_to_string(file).map_err(|error| at(error.to_string()))?;
        if text.trim().is_empty() {
            return Err(at("it is empty; write a token or NATS credentials into it".into()));
        }
        Ok(Auth(Some(Secret::new(text))))
    }

    /// Returns the token.
    pub(super) fn token(&self) -> Option<&str> {
        self.0.as_ref().map(|secret| secret.reveal().trim())
    }

    /// Returns the servers of a key, with the login.
    pub(super) fn login(&self, key: &Key) -> NatsServers {
        let login = self.0.as_ref().map_or(NatsLogin::None, login);
        NatsServers { urls: vec![key.server.clone()], login }
    }
}

/// Reads a NATS login from a file with a token or credentials.
///
/// # Errors
/// The file cannot be read, or is empty.
pub fn nats_login(file: Option<&Path>) -> Result<NatsLogin, String> {
    let Some(file) = file else { return Ok(NatsLogin::None) };
    let at = |error: String| format!("{}: {error}", file.display());
    let text = fs::read_to_string(file).map_err(|error| at(error.to_string()))?;
    if text.trim().is_empty() {
        return Err(at("it is empty; write a token or NATS credentials into it".into()));
    }
    Ok(login(&Secret::new(text)))
}

/// Recognises credentials by their first line; anything else is a token.
fn login(secret: &Secret) -> NatsLogin {
    if secret.reveal().contains("BEGIN NATS USER JWT") {
        NatsLogin::Credentials(secret.clone())
    } else {
        NatsLogin::Token(Secret::new(secret.reveal().trim()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_location_is_a_file_unless_it_is_a_url() {
        let parse = |text: &str| Location::parse(Path::new(text));
        assert!(matches!(parse("/etc/tuffet/tuffet.yaml"), Ok(Location::File(_))));
        let Ok(Location::Key(key)) = parse("nats://hub/site/tftp/main.yaml") else { panic!("it is a key") };
        assert_eq!((&*key.server, &*key.bucket, &*key.key), ("nats://hub:4222", "site", "tftp/main.yaml"));
        let url =
            parse("https://hub.example/tuffet.yaml?token=s3cr3t").ok().and_then(|url| url.display_url());
        assert_eq!(url.as_deref(), Some("https://hub.example/tuffet.yaml"));
        for (bad, why) in [
            ("nats://hub/site", "nats://HOST:PORT/BUCKET/KEY"),
            ("ftp://hub/x", "`ftp` is not known"),
            ("https://me:s3cr3t@hub/x", "--config-auth"),
            ("https://", "host"),
        ] {
            let error = parse(bad).map(|_| ()).unwrap_err();
            assert!(error.contains(why) && !error.contains("s3cr3t"), "{bad}: {error}");
        }
    }
}
