//! The common keys of all uses of NATS: the servers and the login. Sinks, the storage of plugin keys and events have
//! them.

use std::borrow::Cow;
use std::path::PathBuf;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::address::path_schema;
use super::resolver::Resolver;
use super::secret::{Secret, SecretText};
use super::tree::join;

/// The servers of a NATS cluster, and the login there.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct NatsServers {
    /// `nats` or `tls`, without user and password; at least one. Checked.
    pub urls: Vec<String>,
    /// The login.
    pub login: NatsLogin,
}

/// The login at a NATS server.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum NatsLogin {
    /// No login.
    None,
    /// A token.
    Token(Secret),
    /// A user.
    User {
        /// The name.
        name: Secret,
        /// The password.
        password: Secret,
    },
    /// The content of a credentials file: a JWT and the seed of its key.
    Credentials(Secret),
}

/// A text, or a list of texts.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(untagged)]
pub(crate) enum OneOrMore {
    One(String),
    More(Vec<String>),
}

impl JsonSchema for OneOrMore {
    fn schema_name() -> Cow<'static, str> {
        "OneOrMore".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["string", "array"], "items": { "type": "string" }, "minItems": 1, "uniqueItems": true })
    }
}

/// The keys of a login, among those of a section that uses NATS.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct WrittenLogin {
    /// A token: `${NAME}` for an environment variable, or `{ file: PATH }`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<SecretText>,
    /// A user, with `password`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<SecretText>,
    /// The user's password: `${NAME}` for an environment variable, or `{ file: PATH }`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password: Option<SecretText>,
    /// A credentials file, as `nsc` writes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "path_schema")]
    pub credentials: Option<PathBuf>,
}

impl Resolver<'_> {
    /// Returns the servers and the login, and adds their problems to the findings.
    pub(crate) fn nats_servers(
        &mut self,
        pointer: &str,
        (key, urls): (&str, &OneOrMore),
        login: &WrittenLogin,
    ) -> NatsServers {
        let at = |key: &str| join(pointer, key);
        let urls = match urls {
            OneOrMore::One(url) => vec![(at(key), url)],
            OneOrMore::More(urls) => urls
                .iter()
                .enumerate()
                .map(|(index, url)| (join(&at(key), &index.to_string()), url))
                .collect(),
        };
        for (pointer, url) in &urls {
            self.url(pointer, url, ["nats", "tls"], "nats://HOST:PORT");
        }
        let urls = urls.into_iter().map(|(_, url)| url.clone()).collect();
        NatsServers { urls, login: self.nats_login(pointer, login) }
    }

    fn nats_login(&mut self, pointer: &str, keys: &WrittenLogin) -> NatsLogin {
        let at = |key: &str| join(pointer, key);
        let token = keys.token.as_ref();
        let token = token.and_then(|token| self.secret(&at("token"), token, Some("a token")));
        let user = self.user(pointer, keys.user.as_ref(), keys.password.as_ref());
        let credentials = keys.credentials.as_ref();
        let credentials = credentials.and_then(|file| self.secret_file(&at("credentials"), file));
        // Its last line must end in a line feed.
        let credentials = credentials.map(|credentials| Secret::new(format!("{}\n", credentials.reveal())));
        if let Some(credentials) = &credentials
            && !credentials.is_nats()
        {
            let message = "it is not a NATS credentials file, with a token and the seed of a key; let `nsc generate \
                           creds` write one";
            self.wrong(at("credentials"), message);
        }
        let given = [
            ("token", keys.token.is_some()),
            ("user", keys.user.is_some()),
            ("credentials", keys.credentials.is_some()),
        ];
        let given: Vec<&str> = given.into_iter().filter(|(_, given)| *given).map(|(key, _)| key).collect();
        if let [first, second, ..] = given[..] {
            self.wrong(at(second), format!("`{first}` and `{second}` exclude each other; keep one"));
        }
        match (token, user, credentials) {
            (Some(token), ..) => NatsLogin::Token(token),
            (_, Some((name, password)), _) => NatsLogin::User { name, password },
            (.., Some(credentials)) => NatsLogin::Credentials(credentials),
            (None, None, None) => NatsLogin::None,
        }
    }

    /// Refuses an invalid subject.
    pub(crate) fn nats_subject(&mut self, pointer: &str, subject: &str) {
        let plain = |part: &str| {
            !part.is_empty() && !part.contains(['*', '>']) && !part.contains(char::is_whitespace)
        };
        if !subject.split('.').all(plain) || subject.chars().any(char::is_control) {
            let message =
                "it is not a valid subject; write words with dots between them, such as `tuffet.events`";
            self.wrong(pointer, message);
        }
    }
}
