//! Converts the configuration of plugins to the types of the policy.

use tuffet_config as config;
use tuffet_policy::{BreakerLimits, DefaultVerdict, Fact, OnError};

pub(super) fn breaker(limits: &config::BreakerConfig) -> BreakerLimits {
    BreakerLimits { failures: limits.failures, back_off: limits.back_off, cap: limits.cap }
}

pub(super) fn on_error(on_error: config::OnError) -> OnError {
    match on_error {
        config::OnError::Deny => OnError::Deny,
        config::OnError::Abstain => OnError::Abstain,
    }
}

pub(super) fn default_verdict(verdict: config::DefaultVerdict) -> DefaultVerdict {
    match verdict {
        config::DefaultVerdict::Allow => DefaultVerdict::Allow,
        config::DefaultVerdict::Deny => DefaultVerdict::Deny,
    }
}

pub(super) fn fact(fact: config::Fact) -> Fact {
    match fact {
        config::Fact::Operation => Fact::Operation,
        config::Fact::Mode => Fact::Mode,
        config::Fact::Listener => Fact::Listener,
        config::Fact::Address => Fact::Address,
        config::Fact::Port => Fact::Port,
        config::Fact::Mac => Fact::Mac,
        config::Fact::Class => Fact::Class,
        config::Fact::Requested => Fact::Requested,
        config::Fact::Path => Fact::Path,
        config::Fact::Options => Fact::Options,
        config::Fact::LocalAddress => Fact::LocalAddress,
        config::Fact::Interface => Fact::Interface,
        config::Fact::Vlan => Fact::Vlan,
        config::Fact::Lease => Fact::Lease,
    }
}
