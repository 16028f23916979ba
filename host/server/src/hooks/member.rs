//! Hooks of the program as members of chains.

use std::sync::Arc;
use std::time::Duration;
use tuffet_policy::{
    Breaker, BreakerLimits, Hooks, LineRate, Member, OnError, Overload, PluginRecords, Renderings,
};

/// What messages call hooks of the program.
const NOUN: &str = "hook";

/// Returns a member of chains with these hooks.
pub(crate) fn member(
    name: &str,
    hooks: Hooks,
    records: &PluginRecords,
    ipv6_prefix: u8,
    time_limit: Duration,
) -> Arc<Member> {
    let name: Arc<str> = name.into();
    Arc::new(Member {
        hooks,
        on_error: OnError::Drop,
        monitors: false,
        wall: time_limit,
        ipv6_prefix,
        wants_local: true,
        judges_paths: false,
        // The program can mend its hooks, and nobody else is at fault.
        breaker: Arc::new(Breaker::new(BreakerLimits::NEVER)),
        turns: None,
        overload: Arc::<Overload>::default(),
        counters: records.counters_of(&name),
        log_rate: LineRate::calls(NOUN, &name),
        noun: NOUN,
        verdicts: None,
        resolutions: None,
        renderings: Renderings::new(0, 0),
        name,
    })
}
