//! The section `events`: the publication of transfers for views of many servers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::address::check_name;
use super::nats::{NatsServers, OneOrMore, WrittenLogin};
use super::resolver::Resolver;

/// The NATS servers to which this server publishes its transfers, so that `tuffet top --nats` and the page show many
/// servers in one view.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct WrittenEvents {
    /// The name of this server in the view; no two servers may have the same. Default: the host name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "super::address::name_schema")]
    pub server: Option<String>,
    /// The NATS servers.
    pub nats: WrittenEventsNats,
}

/// The NATS servers that carry the events of all servers.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct WrittenEventsNats {
    /// `nats://HOST:PORT`, or `tls://` for TLS with the system's certificates; a list for the servers of a
    /// cluster.
    pub servers: OneOrMore,
    /// The beginning of the subjects: `SUBJECT.started.SERVER`, `SUBJECT.finished.SERVER`, and `SUBJECT.now.SERVER`
    /// once a second while someone watches.
    #[serde(default = "subject")]
    pub subject: String,
    #[serde(flatten)]
    pub login: WrittenLogin,
}

/// The NATS servers to which this server publishes its transfers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventsSpec {
    /// The name of this server; `None` for the host name. Checked.
    pub server: Option<String>,
    /// The NATS servers, and the login.
    pub servers: NatsServers,
    /// The beginning of the subjects. Checked.
    pub subject: String,
}

fn subject() -> String {
    "tuffet".into()
}

impl Resolver<'_> {
    pub(crate) fn events(&mut self, events: &WrittenEvents) -> EventsSpec {
        let (pointer, nats) = ("/events/nats", &events.nats);
        if let Some(Err(complaint)) = events.server.as_deref().map(check_name) {
            self.wrong("/events/server", complaint);
        }
        let servers = self.nats_servers(pointer, ("servers", &nats.servers), &nats.login);
        self.nats_subject(&format!("{pointer}/subject"), &nats.subject);
        EventsSpec { server: events.server.clone(), servers, subject: nats.subject.clone() }
    }
}
