//! The sink of kind `nats`.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tuffet_request::units::{TimeSpan, plain};

use super::super::nats::{NatsServers, OneOrMore, WrittenLogin};
use super::super::resolver::Resolver;
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
    #[serde(flatten)]
    pub login: WrittenLogin,
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
        let servers = self.nats_servers(pointer, ("url", &nats.url), &nats.login);
        self.nats_subject(&join(pointer, "subject"), &nats.subject);
        let target = NatsTarget { servers, subject: nats.subject.clone(), timeout: nats.timeout };
        (self.findings.len() == before).then_some(target)
    }
}
