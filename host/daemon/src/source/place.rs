//! What `--config` names: a file, a URL, or a key in a bucket; and what `--config-auth` proves.

use std::fs;
use std::path::{Path, PathBuf};
use tuffet_config::{NatsLogin, NatsServers, Secret};
use url::Url;

/// What `--config` names.
#[derive(Debug)]
pub(super) enum Place {
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

impl Place {
    pub(super) fn parse(config: &Path) -> Result<Place, String> {
        let Some(text) = config.to_str().filter(|text| text.contains("://")) else {
            return Ok(Place::File(config.to_owned()));
        };
        let url = Url::parse(text).map_err(|error| format!("it is not a URL: {error}"))?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err("a command line is no place for secrets; give --config-auth FILE".into());
        }
        let Some(host) = url.host_str().filter(|host| !host.is_empty()) else {
            return Err("it has no host".into());
        };
        match url.scheme() {
            "https" | "http" => Ok(Place::Url(url)),
            scheme @ ("nats" | "tls") => {
                let mut parts = url.path().trim_start_matches('/').splitn(2, '/');
                let (bucket, key) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
                if bucket.is_empty() || key.is_empty() {
                    return Err(format!("write {scheme}://HOST:PORT/BUCKET/KEY"));
                }
                let server = format!("{scheme}://{host}:{}", url.port().unwrap_or(4222));
                Ok(Place::Key(Key { server, bucket: bucket.into(), key: key.into() }))
            }
            scheme => Err(format!(
                "the scheme `{scheme}` is not known; write a file, https://HOST/PATH, nats://HOST:PORT/BUCKET/KEY or \
                 tls://HOST:PORT/BUCKET/KEY"
            )),
        }
    }

    /// Returns the URL for logs; `None` for a file. A query may contain a secret.
    pub(super) fn shown(&self) -> Option<String> {
        match self {
            Place::File(_) => None,
            Place::Url(url) => {
                let mut url = url.clone();
                url.set_query(None);
                Some(url.into())
            }
            Place::Key(Key { server, bucket, key }) => Some(format!("{server}/{bucket}/{key}")),
        }
    }

    /// Returns what a configuration that is kept on disk belongs to: the whole URL, since its query may choose another
    /// configuration. It may contain a secret, so only its digest is written anywhere.
    pub(super) fn whole(&self) -> Option<String> {
        match self {
            Place::Url(url) => Some(url.to_string()),
            Place::File(_) | Place::Key(_) => self.shown(),
        }
    }
}

impl Auth {
    /// Reads the file, before privileges are dropped.
    pub(super) fn read(file: Option<&Path>, place: &Place) -> Result<Auth, String> {
        let Some(file) = file else { return Ok(Auth(None)) };
        if matches!(place, Place::File(_)) {
            return Err("--config-auth is for a configuration from a URL".into());
        }
        let at = |error: String| format!("--config-auth {}: {error}", file.display());
        let text = fs::read_to_string(file).map_err(|error| at(error.to_string()))?;
        if text.trim().is_empty() {
            return Err(at("it is empty; write a token or NATS credentials into it".into()));
        }
        Ok(Auth(Some(Secret::new(text))))
    }

    /// The token alone.
    pub(super) fn token(&self) -> Option<&str> {
        self.0.as_ref().map(|secret| secret.reveal().trim())
    }

    /// The servers of a key, with the login.
    pub(super) fn login(&self, key: &Key) -> NatsServers {
        let login = self.0.as_ref().map_or(NatsLogin::None, login);
        NatsServers { urls: vec![key.server.clone()], login }
    }
}

/// Reads a login at NATS from a file with a token, or with credentials.
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

/// A credentials file is known by its first line; anything else is a token.
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
    fn what_is_named_is_a_file_unless_it_is_a_url() {
        let parse = |text: &str| Place::parse(Path::new(text));
        assert!(matches!(parse("/etc/tuffet/tuffet.yaml"), Ok(Place::File(_))));
        let Ok(Place::Key(key)) = parse("nats://hub/site/tftp/main.yaml") else { panic!("it is a key") };
        assert_eq!((&*key.server, &*key.bucket, &*key.key), ("nats://hub:4222", "site", "tftp/main.yaml"));
        let url = parse("https://hub.example/tuffet.yaml?token=s3cr3t").ok().and_then(|url| url.shown());
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
