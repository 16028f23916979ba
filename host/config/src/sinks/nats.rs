//! The sink of kind `nats`.

use std::borrow::Cow;
use std::path::PathBuf;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::super::address::path_schema;
use super::super::resolver::Resolver;
use super::super::secret::{Secret, SecretText};
use super::super::tree::join;
use super::super::units::{TimeSpan, plain};
use super::SinkTarget;
use super::http::timeout;

/// A NATS server that receives a message for each line. A line counts as delivered when the server has
/// confirmed it.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct WrittenNats {
    /// `nats://HOST:PORT`, or `tls://` for TLS with the system's certificates; a list for the servers of a
    /// cluster.
    pub url: OneOrMore,
    /// The subject of each message.
    pub subject: String,
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
    /// The time limit for connecting, and for confirming a batch.
    #[serde(default = "timeout", with = "plain")]
    #[schemars(with = "TimeSpan", extend("x-minimum" = "10ms", "x-maximum" = "5m"))]
    pub timeout: Duration,
}

/// NATS servers of one cluster.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct NatsTarget {
    /// `nats` or `tls`, without user and password; at least one. Checked.
    pub urls: Vec<String>,
    /// The subject of each message. Checked.
    pub subject: String,
    /// The login.
    pub login: NatsLogin,
    /// The time limit for connecting, and for the acknowledgement of a batch.
    pub timeout: Duration,
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

impl Resolver<'_> {
    pub(super) fn sink_nats(&mut self, pointer: &str, nats: &WrittenNats) -> Option<SinkTarget> {
        let before = self.findings.len();
        let at = |key: &str| join(pointer, key);
        let urls = match &nats.url {
            OneOrMore::One(url) => vec![(at("url"), url)],
            OneOrMore::More(urls) => urls
                .iter()
                .enumerate()
                .map(|(index, url)| (join(&at("url"), &index.to_string()), url))
                .collect(),
        };
        for (pointer, url) in &urls {
            self.url(pointer, url, ["nats", "tls"], "nats://HOST:PORT");
        }
        let plain = |part: &str| {
            !part.is_empty() && !part.contains(['*', '>']) && !part.contains(char::is_whitespace)
        };
        if !nats.subject.split('.').all(plain) || nats.subject.chars().any(char::is_control) {
            let message =
                "it is not a valid subject; write words with dots between them, such as `tuffet.events`";
            self.wrong(at("subject"), message);
        }
        let token = nats.token.as_ref().and_then(|token| self.secret(&at("token"), token, Some("a token")));
        let user = nats.user.as_ref().and_then(|user| self.secret(&at("user"), user, None));
        let password = nats
            .password
            .as_ref()
            .and_then(|password| self.secret(&at("password"), password, Some("a password")));
        let credentials =
            nats.credentials.as_ref().and_then(|file| self.secret_file(&at("credentials"), file));
        // Its last line must end in a line feed.
        let credentials = credentials.map(|credentials| Secret::new(format!("{}\n", credentials.reveal())));
        if let Some(credentials) = &credentials
            && !credentials.is_nats()
        {
            let message = "it is not a NATS credentials file, with a token and the seed of a key; let `nsc generate \
                           creds` write one";
            self.wrong(at("credentials"), message);
        }
        if nats.user.is_some() != nats.password.is_some() {
            let (there, missing) =
                if nats.user.is_some() { ("user", "password") } else { ("password", "user") };
            self.wrong(at(there), format!("a `{there}` needs a `{missing}`; add it, or remove both"));
        }
        let given = [
            ("token", nats.token.is_some()),
            ("user", nats.user.is_some()),
            ("credentials", nats.credentials.is_some()),
        ];
        let given: Vec<&str> = given.into_iter().filter(|(_, given)| *given).map(|(key, _)| key).collect();
        if let [first, second, ..] = given[..] {
            self.wrong(at(second), format!("`{first}` and `{second}` exclude each other; keep one"));
        }
        (self.findings.len() == before).then(|| {
            SinkTarget::Nats(NatsTarget {
                urls: urls.into_iter().map(|(_, url)| url.clone()).collect(),
                subject: nats.subject.clone(),
                login: match (token, user.zip(password), credentials) {
                    (Some(token), ..) => NatsLogin::Token(token),
                    (_, Some((name, password)), _) => NatsLogin::User { name, password },
                    (.., Some(credentials)) => NatsLogin::Credentials(credentials),
                    (None, None, None) => NatsLogin::None,
                },
                timeout: nats.timeout,
            })
        })
    }
}
