//! The section `kv`: the storage of plugin keys. A reload may change all of it.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tuffet_request::units::{TimeSpan, plain};

use super::nats::{NatsServers, OneOrMore, WrittenLogin};
use super::resolver::Resolver;

/// The storage for keys of plugins with the grant `kv`. Default: a file in `state`, for this server alone.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct WrittenKv {
    /// A bucket of NATS JetStream, shared by all servers that use it. See [shared state](shared-state.md).
    pub nats: WrittenKvNats,
}

/// A bucket of NATS JetStream, shared by all servers that use it.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct WrittenKvNats {
    /// `nats://HOST:PORT`, or `tls://` for TLS with the system's certificates; a list for the servers of a
    /// cluster.
    pub servers: OneOrMore,
    /// The bucket: letters, digits, `-` and `_`. Created if missing, with one replica; create it yourself for
    /// more.
    #[serde(default = "bucket")]
    #[schemars(extend("pattern" = "^[A-Za-z0-9_-]{1,64}$"))]
    pub bucket: String,
    /// The answer to plugins while NATS does not answer. `fail`: an error. `last-known`: the last known value of a key,
    /// and an error for changes. A plugin's own `when-away` replaces it.
    #[serde(default)]
    pub when_away: WhenAway,
    #[serde(flatten)]
    pub login: WrittenLogin,
    /// The time limit for one operation. When it passes, NATS counts as away until it answers again. Keep it
    /// below the `wall` limit of the plugins.
    #[serde(default = "timeout", with = "plain")]
    #[schemars(with = "TimeSpan", extend("x-minimum" = "10ms", "x-maximum" = "1m"))]
    pub timeout: Duration,
}

/// The answer to a plugin while the NATS servers of `kv` do not answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WhenAway {
    /// An error.
    #[default]
    Fail,
    /// The last known value of a key; an error for changes.
    LastKnown,
}

/// A bucket of NATS JetStream.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct KvBucket {
    /// The servers, and the login.
    pub servers: NatsServers,
    /// Its name. Checked.
    pub bucket: String,
    /// The answer to plugins while NATS does not answer, unless a plugin has its own setting.
    pub when_away: WhenAway,
    /// The time limit for one operation.
    pub timeout: Duration,
}

fn bucket() -> String {
    "tuffet".into()
}

fn timeout() -> Duration {
    Duration::from_millis(250)
}

impl Resolver<'_> {
    pub(crate) fn kv(&mut self, kv: &WrittenKv) -> KvBucket {
        let (pointer, nats) = ("/kv/nats", &kv.nats);
        let servers = self.nats_servers(pointer, ("servers", &nats.servers), &nats.login);
        let allowed = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
        if !(1..=64).contains(&nats.bucket.len()) || !nats.bucket.chars().all(allowed) {
            let message = "it is not the name of a bucket; use up to 64 letters, digits, `-` and `_`";
            self.wrong(format!("{pointer}/bucket"), message);
        }
        KvBucket { servers, bucket: nats.bucket.clone(), when_away: nats.when_away, timeout: nats.timeout }
    }
}
