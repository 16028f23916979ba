//! The sink of kind `nats`.

use std::path::PathBuf;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tuffet_request::units::{TimeSpan, plain};

use super::super::address::path_schema;
use super::super::nats::{NatsKeys, NatsServers, OneOrMore};
use super::super::resolver::Resolver;
use super::super::secret::SecretText;
use super::super::tree::join;
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
    /// The servers, and the login.
    pub servers: NatsServers,
    /// The subject of each message. Checked.
    pub subject: String,
    /// The time limit for connecting, and for the acknowledgement of a batch.
    pub timeout: Duration,
}

impl Resolver<'_> {
    pub(super) fn sink_nats(&mut self, pointer: &str, nats: &WrittenNats) -> Option<NatsTarget> {
        let before = self.findings.len();
        let keys = NatsKeys {
            urls: ("url", &nats.url),
            token: nats.token.as_ref(),
            user: nats.user.as_ref(),
            password: nats.password.as_ref(),
            credentials: nats.credentials.as_ref(),
        };
        let servers = self.nats_servers(pointer, &keys);
        self.nats_subject(&join(pointer, "subject"), &nats.subject);
        let target = NatsTarget { servers, subject: nats.subject.clone(), timeout: nats.timeout };
        (self.findings.len() == before).then_some(target)
    }
}
