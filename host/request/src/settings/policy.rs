//! The keys of `policy` and `plugins` that chains use: the default verdict, failures, breakers, and facts.

#[cfg(feature = "schema")]
use crate::units::TimeSpan;
use crate::units::plain;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;

/// The verdict if every plugin abstains.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum DefaultVerdict {
    /// The request is allowed.
    Allow,
    /// The request is denied.
    Deny,
}

/// How a failed call (trap, exceeded limit, invalid answer) is treated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum OnError {
    /// The request is denied.
    #[default]
    Deny,
    /// The plugin has no opinion.
    Abstain,
    /// The request is dropped, so that its client asks again. A complete upload fails.
    // Of hooks of programs.
    #[serde(skip)]
    Drop,
}

/// When the server stops calling a failing plugin. While the breaker is open, `on-error` answers. After the
/// back-off, single calls probe the plugin; the back-off doubles each time the probes of up to three clients
/// have failed. Each host of a grant `http` has a breaker of its own with these limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct BreakerLimits {
    /// The breaker opens when calls for this many different clients have failed, with no successful call between. Calls
    /// that fail for one client alone never open it, unless this is 1.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 1_000_000)))]
    pub failures: u32,
    /// The first back-off. At most `cap`.
    #[serde(with = "plain")]
    #[cfg_attr(
        feature = "schema",
        schemars(with = "TimeSpan", extend("x-minimum" = "1ms", "x-maximum" = "1h"))
    )]
    pub back_off: Duration,
    /// The longest back-off.
    #[serde(with = "plain")]
    #[cfg_attr(
        feature = "schema",
        schemars(with = "TimeSpan", extend("x-minimum" = "1ms", "x-maximum" = "1d"))
    )]
    pub cap: Duration,
}

impl Default for BreakerLimits {
    fn default() -> Self {
        Self { failures: 10, back_off: Duration::from_secs(1), cap: Duration::from_secs(60) }
    }
}

impl BreakerLimits {
    /// Those of a breaker that never opens.
    pub const NEVER: BreakerLimits =
        BreakerLimits { failures: u32::MAX, back_off: Duration::from_secs(1), cap: Duration::from_secs(1) };
}

/// A fact of a request that decisions may depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Fact {
    /// `read` or `write`.
    Operation,
    /// `octet` or `netascii`.
    Mode,
    /// The name of the listener.
    Listener,
    /// The IP address of the client.
    Address,
    /// The port of the client.
    Port,
    /// The known MAC addresses of the client, with their sources.
    Mac,
    /// The client's class.
    Class,
    /// The name as it was sent.
    Requested,
    /// The normalised path.
    Path,
    /// All options, as they were sent.
    Options,
    /// The address that the request was sent to.
    LocalAddress,
    /// The name of the network interface that it arrived on.
    Interface,
    /// The VLAN of that interface.
    Vlan,
    /// The lease of the client's address.
    Lease,
    /// The labels that plugins called before gave the request.
    Labels,
}

impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}
