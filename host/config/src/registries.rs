//! The section `registries`: how OCI registries are reached. A reload may change all of it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tuffet_request::units::{TimeSpan, plain};

use super::address::path_schema;
use super::component::is_registry;
use super::inaccessible::remedy;
use super::resolver::Resolver;
use super::secret::{Secret, SecretText};
use super::tree::join;

/// The largest file of keys or certificates, in bytes. The system's authorities take some 200 kB.
const MAX_PUBLIC: u64 = 2 << 20;

/// How a registry is reached. Without an entry: over TLS with the system's certificates, and without a login; at
/// `localhost` over HTTP.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(crate) struct WrittenRegistry {
    /// A file with certificate authorities that are trusted besides those of the system, in PEM.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "path_schema")]
    pub ca: Option<PathBuf>,
    /// A file with logins as `docker login` writes it, `config.json`. Credential helpers (`credsStore`) are not called.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "path_schema")]
    pub credentials: Option<PathBuf>,
    /// A user, with `password`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<SecretText>,
    /// The user's password or token: `${NAME}` for an environment variable, or `{ file: PATH }`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub password: Option<SecretText>,
    /// Whether to use HTTP without TLS. Default: `false`, but `true` at `localhost` without a `ca`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plain_http: Option<bool>,
    /// How long the registry may send nothing. A pull may take thirty times as long in all.
    #[serde(with = "plain")]
    #[schemars(with = "TimeSpan", extend("x-minimum" = "10ms", "x-maximum" = "5m"))]
    pub timeout: Duration,
}

impl Default for WrittenRegistry {
    fn default() -> Self {
        let timeout = Duration::from_secs(10);
        Self { ca: None, credentials: None, user: None, password: None, plain_http: None, timeout }
    }
}

/// How a registry is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegistrySpec {
    /// Its host, with its port unless that is the default.
    pub host: String,
    /// Certificate authorities that are trusted besides those of the system, in PEM.
    pub ca: Option<String>,
    /// The user and the password.
    pub login: Option<(Secret, Secret)>,
    /// Whether to use HTTP without TLS.
    pub plain_http: bool,
    /// How long the registry may send nothing.
    pub timeout: Duration,
}

impl RegistrySpec {
    /// Returns the settings of a registry without an entry.
    pub fn of(host: &str) -> RegistrySpec {
        let timeout = WrittenRegistry::default().timeout;
        RegistrySpec { host: host.into(), ca: None, login: None, plain_http: is_local(host), timeout }
    }

    /// Reads a file of logins, as `docker login` writes it, and returns the one for this host.
    ///
    /// # Errors The file is invalid, or has a login of an unsupported kind.
    pub fn login_of(host: &str, file: &str) -> Result<Option<(Secret, Secret)>, String> {
        let written: Value = serde_json::from_str(file)
            .map_err(|error| format!("it is not JSON, as `docker login` writes it: {error}"))?;
        let of = |key: &str| written.get("auths").and_then(|auths| auths.get(key));
        // Docker identifies its own registry by a URL.
        let keys = [host.to_owned(), format!("https://{host}"), format!("https://{host}/v1/")];
        let Some(entry) = keys.iter().find_map(|key| of(key)) else { return Ok(None) };
        let text = |key: &str| entry.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
        if let (Some(user), Some(password)) = (text("username"), text("password")) {
            return Ok(Some((Secret::new(user), Secret::new(password))));
        }
        let Some(auth) = text("auth") else {
            return Err(format!(
                "its login for {host} is held by a program or is a token of a kind that is not supported; log in \
                 without `credsStore`, or write `user` and `password`"
            ));
        };
        let decoded = STANDARD.decode(auth).ok().and_then(|bytes| String::from_utf8(bytes).ok());
        let login = decoded.as_deref().and_then(|text| text.split_once(':'));
        let (user, password) =
            login.ok_or_else(|| format!("its `auth` for {host} is not a user and a password"))?;
        Ok(Some((Secret::new(user), Secret::new(password))))
    }
}

/// Whether the host is this machine, so that TLS is not needed.
fn is_local(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    name == "localhost" || name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

impl Resolver<'_> {
    pub(crate) fn registries(&mut self, written: BTreeMap<String, WrittenRegistry>) -> Vec<RegistrySpec> {
        written.into_iter().map(|(host, registry)| self.registry(host, &registry)).collect()
    }

    fn registry(&mut self, host: String, written: &WrittenRegistry) -> RegistrySpec {
        let pointer = join("/registries", &host);
        let at = |key: &str| join(&pointer, key);
        if !is_registry(&host) {
            let message =
                format!("`{host}` is not the host of a registry; write HOST or HOST:PORT, without a scheme");
            self.wrong_key(&pointer, message);
        }
        let ca = written.ca.as_ref().and_then(|file| {
            let (path, pem) = self.public_file(&at("ca"), file)?;
            if pem.contains("-----BEGIN CERTIFICATE-----") {
                return Some(pem);
            }
            self.wrong(
                at("ca"),
                format!("{} holds no certificate in PEM; name another file", path.display()),
            );
            None
        });
        if written.user.is_some() && written.credentials.is_some() {
            self.wrong(at("user"), "`credentials` and `user` exclude each other; keep one");
        }
        let user = self.user(&pointer, written.user.as_ref(), written.password.as_ref());
        let of_file =
            written.credentials.as_ref().and_then(|file| self.login(&at("credentials"), &host, file));
        let plain_http = written.plain_http.unwrap_or(written.ca.is_none() && is_local(&host));
        if plain_http && written.ca.is_some() {
            self.wrong(at("ca"), "`plain-http` uses no certificates; remove one of the two");
        }
        let login = user.or(of_file);
        if plain_http && login.is_some() && !is_local(&host) {
            let message =
                "the password crosses the network in clear: `plain-http` is set; give the registry TLS";
            self.warnings.push((at("plain-http"), message.into()));
        }
        RegistrySpec { host, ca, login, plain_http, timeout: written.timeout }
    }

    fn login(&mut self, pointer: &str, host: &str, file: &Path) -> Option<(Secret, Secret)> {
        let text = self.secret_file(pointer, file)?;
        let shown = self.absolute(file);
        match RegistrySpec::login_of(host, text.reveal()) {
            Ok(Some(login)) => Some(login),
            Ok(None) => {
                self.wrong(
                    pointer,
                    format!("{} has no login for {host}: `docker login {host}`", shown.display()),
                );
                None
            }
            Err(complaint) => {
                self.wrong(pointer, format!("{}: {complaint}", shown.display()));
                None
            }
        }
    }

    /// Returns the absolute path of a file of public keys or certificates, and its text.
    pub(crate) fn public_file(&mut self, pointer: &str, file: &Path) -> Option<(PathBuf, String)> {
        let path = self.absolute(file);
        self.files.push(path.clone());
        let shown = path.display();
        let complaint = match fs::metadata(&path) {
            Ok(about) if !about.is_file() => format!("{shown} is not a file; correct the path"),
            Ok(about) if about.len() > MAX_PUBLIC => {
                format!(
                    "{shown} has {} bytes, and a file of keys or certificates at most {MAX_PUBLIC}; name another file",
                    about.len()
                )
            }
            Ok(_) => match fs::read_to_string(&path) {
                Ok(text) => return Some((path, text)),
                Err(error) => {
                    format!("{shown} cannot be read: {error}; {}", remedy(&path, "let this user read it"))
                }
            },
            Err(error) => format!("{shown} cannot be read: {error}; correct the path"),
        };
        self.wrong(pointer, complaint);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_needs_no_tls_and_others_do() {
        for host in ["localhost", "localhost:5000", "127.0.0.1:5000", "127.3.2.1", "[::1]:5000"] {
            assert!(RegistrySpec::of(host).plain_http, "{host}");
        }
        for host in ["registry.example", "localhost.example:5000", "192.0.2.1:5000", "[2001:db8::1]"] {
            assert!(!RegistrySpec::of(host).plain_http, "{host}");
        }
    }

    #[test]
    fn logins_of_docker_are_read() {
        let file = format!(
            r#"{{"auths":{{"a.example":{{"auth":"{}"}},"https://index.docker.io/v1/":{{"username":"u","password":"p"}},
               "held.example":{{}}}},"credsStore":"desktop"}}"#,
            STANDARD.encode("user:pass:word")
        );
        let login = |host| RegistrySpec::login_of(host, &file);
        let shown = |host| {
            let (user, password) = login(host).unwrap().unwrap();
            format!("{} {}", user.reveal(), password.reveal())
        };
        assert_eq!(shown("a.example"), "user pass:word");
        assert_eq!(shown("index.docker.io"), "u p");
        assert_eq!(login("other.example"), Ok(None));
        assert!(login("held.example").unwrap_err().contains("credsStore"));
        assert!(RegistrySpec::login_of("a", "auths:").is_err());
    }
}
