//! Values that may be secrets. They come from the environment or from a file, and are never shown.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use http::HeaderName;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::address::path_schema;
use super::resolver::Resolver;
use super::tree::join;
use crate::inaccessible::remedy;

/// A value that may be a secret; it is never shown.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Secret(String);

impl Secret {
    /// Wraps a value to keep it hidden.
    pub fn new(value: impl Into<String>) -> Secret {
        Secret(value.into())
    }

    /// Returns whether it is valid as the value of an HTTP header.
    pub fn is_header(&self) -> bool {
        http::HeaderValue::from_str(&self.0).is_ok()
    }

    /// Returns whether it can be the content of a NATS credentials file.
    pub fn is_nats(&self) -> bool {
        async_nats::ConnectOptions::new().credentials(&self.0).is_ok()
    }

    /// Returns the value, for its use.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(hidden)")
    }
}

/// Text that may be a secret: inline, or in a file.
#[derive(Clone, PartialEq, Deserialize, Serialize)]
#[serde(untagged)]
pub(crate) enum SecretText {
    Plain(String),
    File { file: PathBuf },
}

impl fmt::Debug for SecretText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SecretText::Plain(_) => f.write_str("(hidden)"),
            SecretText::File { file } => f.debug_struct("File").field("file", file).finish(),
        }
    }
}

impl JsonSchema for SecretText {
    fn schema_name() -> Cow<'static, str> {
        "SecretText".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut file = path_schema(generator);
        file.insert("description".into(), "The file that holds it; a trailing line feed is removed.".into());
        json_schema!({
            "type": ["string", "object"],
            "format": "secret",
            "properties": { "file": file },
            "required": ["file"],
            "additionalProperties": false,
        })
    }
}

/// The largest file of a secret, in bytes.
const MAX_FILE_BYTES: u64 = 64 << 10;

/// Words in the names of headers with secrets.
const SECRET_WORDS: [&str; 7] = ["auth", "cookie", "token", "secret", "password", "api-key", "apikey"];

/// Returns whether a header with this name holds a secret.
pub(crate) fn is_secret(header: &str) -> bool {
    let name = header.to_ascii_lowercase();
    SECRET_WORDS.iter().any(|word| name.contains(word))
}

impl Resolver<'_> {
    /// Returns the value. `what` names the secret in the error if the configuration contains it literally; `None`
    /// permits that.
    pub(crate) fn secret(
        &mut self,
        pointer: &str,
        written: &SecretText,
        what: Option<&str>,
    ) -> Option<Secret> {
        match written {
            SecretText::File { file } => self.secret_file(&join(pointer, "file"), file),
            SecretText::Plain(text) => match (expand(text), what) {
                (Ok(Expanded { variables: 0, .. }), Some(what)) => {
                    self.wrong(
                        pointer,
                        format!(
                            "{what} is a secret, and this file must not contain secrets; write `${{NAME}}` for an \
                             environment variable, or `{{ file: PATH }}`"
                        ),
                    );
                    None
                }
                (Ok(expanded), _) => Some(Secret::new(expanded.text)),
                (Err(complaint), _) => {
                    self.wrong(pointer, complaint);
                    None
                }
            },
        }
    }

    /// Returns the user and the password of a section that has the keys `user` and `password`, and refuses one without
    /// the other.
    pub(crate) fn user(
        &mut self,
        pointer: &str,
        user: Option<&SecretText>,
        password: Option<&SecretText>,
    ) -> Option<(Secret, Secret)> {
        if user.is_some() != password.is_some() {
            let (there, missing) = if user.is_some() { ("user", "password") } else { ("password", "user") };
            let message = format!("a `{there}` needs a `{missing}`; add it, or remove both");
            self.wrong(join(pointer, there), message);
        }
        let user = user.and_then(|user| self.secret(&join(pointer, "user"), user, None));
        let password =
            password.and_then(|text| self.secret(&join(pointer, "password"), text, Some("a password")));
        user.zip(password)
    }

    /// Returns the content of a file without the final line ending.
    pub(crate) fn secret_file(&mut self, pointer: &str, file: &Path) -> Option<Secret> {
        let path = self.absolute(file);
        self.files.push(path.clone());
        let shown = path.display();
        let complaint = match fs::metadata(&path) {
            Ok(about) if about.len() > MAX_FILE_BYTES => {
                format!(
                    "{shown} has {} bytes, and a secret has at most {MAX_FILE_BYTES}; name another file",
                    about.len()
                )
            }
            Ok(about) if !about.is_file() => {
                format!("{shown} is not a file; name the file that holds the secret")
            }
            Ok(_) => match fs::read_to_string(&path) {
                Ok(text) if text.trim().is_empty() => {
                    format!("{shown} is empty; write the secret into it")
                }
                Ok(text) => return Some(Secret::new(text.trim_end_matches(['\n', '\r']))),
                Err(error) => {
                    format!("{shown} cannot be read: {error}; {}", remedy(&path, "let this user read it"))
                }
            },
            Err(error) => format!("{shown} cannot be read: {error}; correct the path"),
        };
        self.wrong(pointer, complaint);
        None
    }

    /// Returns the headers with valid names and values.
    pub(crate) fn headers(
        &mut self,
        pointer: &str,
        written: &BTreeMap<String, SecretText>,
    ) -> BTreeMap<String, Secret> {
        let mut headers = BTreeMap::new();
        for (name, value) in written {
            let pointer = join(pointer, name);
            if HeaderName::from_bytes(name.as_bytes()).is_err() {
                let message = format!("`{name}` is not a header name; use letters, digits and dashes");
                self.wrong_key(&pointer, message);
                continue;
            }
            let what = is_secret(name).then(|| format!("the header `{name}`"));
            let Some(value) = self.secret(&pointer, value, what.as_deref()) else { continue };
            if !value.is_header() {
                self.wrong(&pointer, "the value contains a line break or a control character; remove it");
            }
            headers.insert(name.clone(), value);
        }
        headers
    }
}

#[derive(Debug, PartialEq, Eq)]
struct Expanded {
    text: String,
    /// The number of environment variables in it.
    variables: usize,
}

/// Replaces each `${NAME}` with the environment variable.
fn expand(text: &str) -> Result<Expanded, String> {
    let mut expanded = Expanded { text: String::new(), variables: 0 };
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("${") {
        let Some((name, after)) = behind.split_once('}') else {
            return Err("a `${` has no closing `}`; write `${NAME}`".into());
        };
        let good = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if !good {
            return Err("`${}` does not contain the name of an environment variable; write `${NAME}`".into());
        }
        let value = std::env::var(name).map_err(|_| {
            format!("the environment variable `{name}` is not set, or not UTF-8; set it for the server, or write `{{ file: PATH }}`")
        })?;
        expanded.text += before;
        expanded.text += &value;
        expanded.variables += 1;
        rest = after;
    }
    expanded.text += rest;
    Ok(expanded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_variables_are_replaced() {
        let path = std::env::var("PATH").unwrap_or_default();
        let expanded = |text: &str, variables| Ok(Expanded { text: text.into(), variables });
        assert_eq!(expand("plain $5 {x}"), expanded("plain $5 {x}", 0));
        assert_eq!(expand("a ${PATH}${PATH} b"), expanded(&format!("a {path}{path} b"), 2));
        for bad in ["${", "${}", "${a b}", "x ${NO_SUCH_VARIABLE_HERE}"] {
            assert!(expand(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn headers_with_secrets_are_recognised() {
        for secret in ["Authorization", "X-Api-Key", "cookie", "X-Auth", "X-Vault-Token"] {
            assert!(is_secret(secret), "{secret}");
        }
        assert!(!is_secret("X-Site") && !is_secret("Content-Type"));
    }
}
