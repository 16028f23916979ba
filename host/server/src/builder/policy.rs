//! The policy of a server: a loaded one, and the hooks of the program.

use crate::content::{Scope, SourceOpener};
use crate::hooks::{AcceptUpload, Authorize, Native, NativeObserver, Observe, Resolve, member};
use std::sync::Arc;
use std::time::Duration;
use tuffet_policy::{Chains, DefaultVerdict, Hooks, Member, PluginRecords, Policy, PolicyParts};

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
        let time_limit = self.time_limit;
        let member = |name: &str, hooks| member(name, hooks, records, ipv6_prefix, time_limit);
        Chains {
            authorize: chain(self.authorize, sources, time_limit, |name, hook| {
                member(name, Hooks { authorize: Some(hook), ..Hooks::default() })
            }),
            resolve: chain(self.resolve, sources, time_limit, |name, hook| {
                member(name, Hooks { resolve: Some(hook), ..Hooks::default() })
            }),
            accept_upload: chain(self.accept_upload, sources, time_limit, |name, hook| {
                member(name, Hooks { accept_upload: Some(hook), ..Hooks::default() })
            }),
            observe: (self.observe.into_iter())
                .map(|(name, hook)| {
                    let hook = Arc::new(NativeObserver::new(hook));
                    member(&name, Hooks { observe: Some(hook), ..Hooks::default() })
                })
                .collect(),
        }
    }
}

fn chain<H: ?Sized>(
    hooks: Vec<Named<H>>,
    sources: &SourceOpener,
    time_limit: Duration,
    member: impl Fn(&str, Arc<Native<H>>) -> Arc<Member>,
) -> Vec<Arc<Member>> {
    let native =
        |hook| Arc::new(Native { hook, sources: sources.clone(), scope: Scope::unused(), time_limit });
    hooks.into_iter().map(|(name, hook)| member(&name, native(hook))).collect()
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
