//! The policy of a server: a loaded one, and the hooks of the program.

use crate::content::{Scope, SourceOpener};
use std::sync::Arc;
use std::time::Duration;
use tuffet_policy::{
    AcceptUpload, Authorize, Breaker, BreakerLimits, Chains, DefaultVerdict, Hooks, LineRate, Member,
    Observe, ObserverThread, OnError, Overload, PluginRecords, Policy, PolicyParts, Renderings, Resolve,
};

/// What messages call hooks of the program.
const NOUN: &str = "hook";

/// The default time limit of a call.
const TIME_LIMIT: Duration = Duration::from_secs(5);

/// A hook with its name.
type Named<H> = (String, Arc<H>);

/// The hooks of the program, in the order of their chains.
#[derive(Clone)]
pub(super) struct ProgramHooks {
    pub(super) authorize: Vec<Named<dyn Authorize>>,
    pub(super) resolve: Vec<Named<dyn Resolve>>,
    pub(super) accept_upload: Vec<Named<dyn AcceptUpload>>,
    pub(super) observe: Vec<Named<dyn Observe>>,
    /// `None`: as the loaded policy, else allow.
    pub(super) default: Option<DefaultVerdict>,
    pub(super) time_limit: Duration,
}

impl Default for ProgramHooks {
    fn default() -> ProgramHooks {
        ProgramHooks {
            authorize: Vec::new(),
            resolve: Vec::new(),
            accept_upload: Vec::new(),
            observe: Vec::new(),
            default: None,
            time_limit: TIME_LIMIT,
        }
    }
}

impl ProgramHooks {
    /// The names of all hooks.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let authorize = self.authorize.iter().map(|(name, _)| name);
        let resolve = self.resolve.iter().map(|(name, _)| name);
        let accept_upload = self.accept_upload.iter().map(|(name, _)| name);
        let observe = self.observe.iter().map(|(name, _)| name);
        authorize.chain(resolve).chain(accept_upload).chain(observe).map(String::as_str)
    }

    /// Appends the hooks to the chains of a loaded policy, for all listeners.
    pub(super) fn policy(
        self,
        loaded: Option<Policy>,
        records: &PluginRecords,
        sources: &SourceOpener,
        ipv6_prefix: u8,
    ) -> Policy {
        let mut parts = loaded.map_or_else(|| empty(self.time_limit), Policy::into_parts);
        parts.default = self.default.unwrap_or(parts.default);
        let own = self.chains(records, sources, ipv6_prefix);
        for chains in std::iter::once(&mut parts.of_all).chain(parts.of_listeners.values_mut()) {
            chains.authorize.extend(own.authorize.iter().cloned());
            chains.resolve.extend(own.resolve.iter().cloned());
            chains.accept_upload.extend(own.accept_upload.iter().cloned());
            chains.observe.extend(own.observe.iter().cloned());
        }
        Policy::new(parts)
    }

    fn chains(self, records: &PluginRecords, sources: &SourceOpener, ipv6_prefix: u8) -> Chains {
        let wall = self.time_limit;
        let member = |name: String, hooks| member(name.into(), hooks, wall, records, sources, ipv6_prefix);
        Chains {
            authorize: (self.authorize.into_iter())
                .map(|(name, hook)| member(name, Hooks { authorize: Some(hook), ..Hooks::default() }))
                .collect(),
            resolve: (self.resolve.into_iter())
                .map(|(name, hook)| member(name, Hooks { resolve: Some(hook), ..Hooks::default() }))
                .collect(),
            accept_upload: (self.accept_upload.into_iter())
                .map(|(name, hook)| member(name, Hooks { accept_upload: Some(hook), ..Hooks::default() }))
                .collect(),
            observe: (self.observe.into_iter())
                .map(|(name, hook)| {
                    let observe = Some(Arc::new(ObserverThread::of(hook)) as _);
                    member(name, Hooks { observe, ..Hooks::default() })
                })
                .collect(),
        }
    }
}

/// Returns a member of chains with these hooks of the program.
fn member(
    name: Arc<str>,
    hooks: Hooks,
    wall: Duration,
    records: &PluginRecords,
    sources: &SourceOpener,
    ipv6_prefix: u8,
) -> Arc<Member> {
    Arc::new(Member {
        hooks,
        on_error: OnError::Drop,
        monitors: false,
        wall,
        is_guarded: true,
        sources: Some((sources.clone(), Scope::unused())),
        ipv6_prefix,
        wants_local: true,
        judges_paths: false,
        // The program can mend its hooks, and is at fault alone.
        breaker: Arc::new(Breaker::new(BreakerLimits::NEVER)),
        turns: None,
        overload: Arc::<Overload>::default(),
        counters: records.counters_of(&name),
        log_rate: Arc::new(LineRate::calls(NOUN, &name)),
        noun: NOUN,
        verdicts: None,
        resolutions: None,
        renderings: Renderings::new(0, 0),
        name,
    })
}

fn empty(time_limit: Duration) -> PolicyParts {
    PolicyParts {
        default: DefaultVerdict::Allow,
        of_all: Chains::default(),
        of_listeners: std::collections::HashMap::new(),
        time_limit,
        warnings: Vec::new(),
        identities: Vec::new(),
    }
}
