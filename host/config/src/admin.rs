//! The section `admin`: the admin listener, its address and its token.

use std::fmt;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::address::parse_address;
use super::resolver::Resolver;
use super::secret::SecretText;
use super::tree::join;

const SECTION: &str = "/admin";

/// The admin listener: the live view, health and metrics over HTTP. It is read-only.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(crate) struct WrittenAdmin {
    /// IP address and TCP port, or `unix:PATH` for a Unix socket that the server's user and its group may use. An
    /// address other than loopback needs a `token`. HTTP is not encrypted: where others can listen in, put a TLS proxy
    /// in front.
    #[schemars(schema_with = "admin_address_schema")]
    pub address: String,
    /// The token that readers send: `Authorization: Bearer TOKEN`, or a field on the page. Either `${NAME}`
    /// for an environment variable, or `{ file: PATH }`; at least 16 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<SecretText>,
}

impl Default for WrittenAdmin {
    fn default() -> Self {
        Self { address: "127.0.0.1:6980".into(), token: None }
    }
}

fn admin_address_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "format": "admin-address", "minLength": 1 })
}

/// The admin listener: on loopback, on a socket in the file system, or with a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Admin {
    /// The address.
    pub address: AdminAddress,
    /// The token that requests must carry.
    pub token: Option<AdminToken>,
}

/// The minimum length of a token in bytes. A shorter one could be guessed.
const MIN_TOKEN: usize = 16;

/// The prefix of a socket in the file system.
pub(super) const UNIX: &str = "unix:";

/// The address of the admin listener.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AdminAddress {
    /// A TCP port; port 0 is any free one.
    Tcp(SocketAddr),
    /// A socket in the file system, for the server's user and its group.
    Unix(PathBuf),
}

impl fmt::Display for AdminAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AdminAddress::Tcp(address) => address.fmt(f),
            AdminAddress::Unix(path) => write!(f, "{UNIX}{}", path.display()),
        }
    }
}

/// A token. Only its digest is kept.
#[derive(Clone, PartialEq, Eq)]
pub struct AdminToken([u8; 32]);

impl AdminToken {
    /// Creates a token from its text.
    pub fn new(text: &str) -> AdminToken {
        AdminToken(Sha256::digest(text).into())
    }

    /// Returns whether `given` is this token. The time does not depend on the content: whole digests are
    /// compared.
    pub fn is(&self, given: &str) -> bool {
        let given: [u8; 32] = Sha256::digest(given).into();
        self.0.iter().zip(given).fold(0, |differs, (own, given)| differs | (own ^ given)) == 0
    }
}

impl fmt::Debug for AdminToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(hidden)")
    }
}

/// The keys that cannot change while the server runs, and whether they differ.
pub(crate) fn fixed(now: Option<&Admin>, next: Option<&Admin>) -> Vec<(&'static str, bool)> {
    let address = |admin: Option<&Admin>| admin.map(|admin| admin.address.clone());
    vec![("admin.address", address(now) != address(next))]
}

impl Resolver<'_> {
    pub(crate) fn admin(&mut self, written: &WrittenAdmin) -> Option<Admin> {
        let address = match written.address.strip_prefix(UNIX) {
            Some(path) => AdminAddress::Unix(self.absolute(Path::new(path))),
            None => parse_address(&written.address)
                .map(AdminAddress::Tcp)
                .map_err(|complaint| self.wrong(join(SECTION, "address"), complaint))
                .ok()?,
        };
        let token = match (&written.token, &address) {
            (Some(token), _) => Some(self.token(token)?),
            (None, AdminAddress::Tcp(address)) if !address.ip().is_loopback() => {
                let message = format!(
                    "{address} is not a loopback address, so everyone could connect; add `token: ${{NAME}}` or \
                     `token: {{ file: PATH }}`, or listen on `127.0.0.1:{}` or `unix:PATH`",
                    address.port()
                );
                self.wrong(join(SECTION, "address"), message);
                return None;
            }
            (None, _) => None,
        };
        Some(Admin { address, token })
    }

    fn token(&mut self, written: &SecretText) -> Option<AdminToken> {
        let secret = self.secret("/admin/token", written, Some("a token"))?;
        let token = secret.reveal().trim();
        let complaint = if token.len() < MIN_TOKEN {
            format!(
                "the token has {} characters and could be guessed; take at least {MIN_TOKEN}, such as those of \
                 `openssl rand -hex 16`",
                token.len()
            )
        } else if !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            "the token is sent in a header, so it must be visible ASCII without spaces; choose another"
                .to_owned()
        } else {
            return Some(AdminToken::new(token));
        };
        self.wrong("/admin/token", complaint);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_known_and_not_shown() {
        let token = AdminToken::new("correct horse battery");
        assert!(token.is("correct horse battery"));
        for wrong in ["", "correct horse batter", "correct horse battery ", "Correct horse battery"] {
            assert!(!token.is(wrong), "{wrong}");
        }
        assert_eq!(format!("{token:?}"), "(hidden)");
    }
}
