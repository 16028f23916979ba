//! The logins of origins.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::address::path_schema;
use super::super::resolver::Resolver;
use super::super::secret::{Secret, SecretText};
use super::super::tree::join;
use super::Location;

/// The login of an origin. Default: that of the environment, as the tools of the provider find it: variables such as
/// `AWS_ACCESS_KEY_ID`, the role of the machine or of the workload.
#[derive(Debug, Clone, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(crate) struct WrittenCredentials {
    /// Whether requests are sent without a login. Excludes all other keys.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub anonymous: bool,
    /// A file with a line `NAME=VALUE` for each variable of the environment that it replaces, such as
    /// `AWS_ACCESS_KEY_ID=…`; for `gs://` also the JSON key of a service account. Excludes all other keys.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "path_schema")]
    pub file: Option<PathBuf>,
    /// S3: the access key, with `secret-access-key`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access_key_id: Option<SecretText>,
    /// S3: the secret of the access key: `${NAME}` for an environment variable, or `{ file: PATH }`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret_access_key: Option<SecretText>,
    /// S3: the session token beside the access key. Web servers, `gs://` and `az://`: a bearer token. `${NAME}` for
    /// an environment variable, or `{ file: PATH }`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<SecretText>,
    /// Azure: the key of the storage account: `${NAME}` for an environment variable, or `{ file: PATH }`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account_key: Option<SecretText>,
    /// Web servers: a user, with `password`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<SecretText>,
    /// Web servers: the user's password: `${NAME}` for an environment variable, or `{ file: PATH }`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub password: Option<SecretText>,
}

/// The login of an origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Credentials {
    /// The login of the environment. For web servers: none.
    Environment,
    /// No login.
    Anonymous,
    /// An access key of S3.
    Keys {
        /// Its public part.
        access_key_id: Secret,
        /// Its secret part.
        secret_access_key: Secret,
        /// The token of a session.
        token: Option<Secret>,
    },
    /// The key of an Azure storage account.
    AccountKey(Secret),
    /// Pairs of a name, as in the environment, and its value. They override the environment.
    Settings(Vec<(String, Secret)>),
    /// The JSON key of a Google service account.
    ServiceAccount(Secret),
    /// A user of a web server.
    Basic {
        /// The name.
        user: Secret,
        /// The password.
        password: Secret,
    },
    /// A bearer token.
    Bearer(Secret),
}

impl Resolver<'_> {
    /// Returns the login; `None` after an error.
    pub(super) fn credentials(
        &mut self,
        pointer: &str,
        written: &WrittenCredentials,
        location: &Location,
    ) -> Option<Credentials> {
        let at = |key: &str| join(pointer, key);
        let given = [
            ("anonymous", written.anonymous),
            ("file", written.file.is_some()),
            ("access-key-id", written.access_key_id.is_some()),
            ("secret-access-key", written.secret_access_key.is_some()),
            ("account-key", written.account_key.is_some()),
            ("user", written.user.is_some()),
            ("password", written.password.is_some()),
            ("token", written.token.is_some()),
        ];
        let given: Vec<&str> = given.into_iter().filter(|(_, given)| *given).map(|(key, _)| key).collect();
        let allowed: &[&str] = match location {
            Location::S3 { .. } => &["anonymous", "file", "access-key-id", "secret-access-key", "token"],
            Location::Gcs { .. } => &["anonymous", "file", "token"],
            Location::Azure { .. } => &["anonymous", "file", "account-key", "token"],
            Location::Http { .. } => &["anonymous", "user", "password", "token"],
        };
        let before = self.findings.len();
        for key in given.iter().filter(|key| !allowed.contains(key)) {
            let message = format!(
                "`{key}` is no login for {}; give one of `{}`",
                location.shown(),
                allowed.join("`, `")
            );
            self.wrong_key(at(key), message);
        }
        if self.findings.len() > before {
            return None;
        }
        // The configuration may contain these names literally.
        let mut secret = |key: &str, text: &Option<SecretText>| {
            let what = (!matches!(key, "access-key-id" | "user")).then(|| format!("`{key}`"));
            text.as_ref().map(|text| self.secret(&at(key), text, what.as_deref()))
        };
        let access_key_id = secret("access-key-id", &written.access_key_id);
        let secret_access_key = secret("secret-access-key", &written.secret_access_key);
        let account_key = secret("account-key", &written.account_key);
        let token = secret("token", &written.token);
        let user = secret("user", &written.user);
        let password = secret("password", &written.password);
        match given[..] {
            [] => Some(Credentials::Environment),
            ["anonymous"] => Some(Credentials::Anonymous),
            ["file"] => self.credentials_of_file(&at("file"), written.file.as_deref()?, location),
            ["account-key"] => account_key?.map(Credentials::AccountKey),
            ["token"] if !matches!(location, Location::S3 { .. }) => token?.map(Credentials::Bearer),
            ["access-key-id", "secret-access-key"] | ["access-key-id", "secret-access-key", "token"] => {
                let (access_key_id, secret_access_key) = (access_key_id??, secret_access_key??);
                let token = match token {
                    None => None,
                    Some(token) => Some(token?),
                };
                Some(Credentials::Keys { access_key_id, secret_access_key, token })
            }
            ["user", "password"] => Some(Credentials::Basic { user: user??, password: password?? }),
            [one] | [one, ..] => {
                let message = match (one, location) {
                    ("anonymous" | "file", _) => format!("`{one}` excludes the other keys; keep one"),
                    (_, Location::S3 { .. }) => {
                        "a login at S3 is `access-key-id` with `secret-access-key`, and `token` for a session; add what \
                         is missing"
                            .to_owned()
                    }
                    (_, Location::Http { .. }) => {
                        "a login at a web server is `user` with `password`, or `token`; add the missing keys, or remove \
                         the surplus ones"
                            .to_owned()
                    }
                    _ => "these keys exclude each other; keep one".to_owned(),
                };
                self.wrong(at(one), message);
                None
            }
        }
    }

    fn credentials_of_file(
        &mut self,
        pointer: &str,
        file: &std::path::Path,
        location: &Location,
    ) -> Option<Credentials> {
        let content = self.secret_file(pointer, file)?;
        if matches!(location, Location::Gcs { .. }) && content.reveal().trim_start().starts_with('{') {
            return Some(Credentials::ServiceAccount(content));
        }
        match settings(content.reveal()) {
            Ok(settings) => Some(Credentials::Settings(settings)),
            // The line itself may be a secret.
            Err(line) => {
                let message = format!(
                    "{}:{line} is not of the form NAME=VALUE, such as `AWS_ACCESS_KEY_ID=…`; correct the line",
                    self.absolute(file).display()
                );
                self.wrong(pointer, message);
                None
            }
        }
    }
}

/// Parses lines `NAME=VALUE`, as systemd's `EnvironmentFile=` and `docker --env-file` do.
///
/// # Errors
/// The number of the first invalid line.
fn settings(text: &str) -> Result<Vec<(String, Secret)>, usize> {
    let mut settings = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let line = line.strip_prefix("export ").unwrap_or(line);
        let (name, value) = line.split_once('=').ok_or(number + 1)?;
        let name = name.trim_end();
        if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            return Err(number + 1);
        }
        let value = value.trim();
        let quoted = |quote: char| value.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
        let value = quoted('"').or_else(|| quoted('\'')).unwrap_or(value);
        settings.push((name.to_owned(), Secret::new(value)));
    }
    Ok(settings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_variables_are_read_as_others_read_them() {
        let text =
            "# of the branch\n\nAWS_ACCESS_KEY_ID=AKID\nexport AWS_SECRET_ACCESS_KEY = \"a=b c\"\nX='y'\n";
        let read = settings(text).unwrap();
        let read: Vec<_> = read.iter().map(|(name, value)| (name.as_str(), value.reveal())).collect();
        assert_eq!(read, [("AWS_ACCESS_KEY_ID", "AKID"), ("AWS_SECRET_ACCESS_KEY", "a=b c"), ("X", "y")]);
        assert_eq!(settings("A=1\nsecret\n"), Err(2));
        assert_eq!(settings("a b=1"), Err(1));
    }
}
