//! Policies with real components: the bundled plugins, and `plugins/misbehave`, which misbehaves as its settings
//! request.
#![allow(clippy::unwrap_used)]

mod answers;
mod bundled;
mod chains;
mod compiled;
mod guards;
mod limits;
mod lines;
mod loading;
mod reuse;
mod shared_state;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;

use serde_json::{Value, json};

use super::assemble::{Loaded, assemble};
use super::*;
use tuffet_config::{
    BreakerLimits, ComponentSource, DefaultVerdict, Grant, OnError, PluginConfig, PluginLimits, PluginMode,
    PluginSecrets, PolicyConfig, ReuseConfig, SettingNames,
};
use tuffet_policy::{
    Answer, ChainAnswer, ChainPosition, LoadProblem, LoadProblemKind, NoAnswer, Policy, Resolution, Verdict,
};
use tuffet_registry::Registries;
use tuffet_request::{MacAddress, MacFact, MacSource, Operation, Request, RequestId};
use tuffet_store::Roots;

const LONG: Duration = Duration::from_secs(600);

/// One engine for all tests of the process, as in the server.
fn runtime() -> &'static PolicyRuntime {
    static RUNTIME: OnceLock<PolicyRuntime> = OnceLock::new();
    RUNTIME.get_or_init(|| PolicyRuntime::new(None).unwrap())
}

fn misbehave() -> ComponentSource {
    ComponentSource::Path(PathBuf::from(tuffet_test_guests::component("misbehave")))
}

fn plugin(name: &str, component: ComponentSource, settings: Value) -> PluginConfig {
    PluginConfig {
        name: name.into(),
        component,
        sha256: None,
        verify: None,
        settings,
        secrets: PluginSecrets::default(),
        on_error: OnError::Deny,
        grants: Vec::new(),
        // Generous time limits, so that a busy machine does not fail other tests.
        limits: PluginLimits {
            cpu: Duration::from_secs(5),
            wall: Duration::from_secs(20),
            kv_keys: 100,
            kv_bytes: 100_000,
            ..PluginLimits::default()
        },
        reuse: None,
        mode: PluginMode::Enforce,
        effects: false,
        // Never opens, except in its tests.
        breaker: BreakerLimits { failures: u32::MAX, back_off: LONG, cap: LONG },
        when_away: None,
        cache: None,
    }
}

/// A plugin that misbehaves in `authorize`.
fn bad(name: &str, misdeed: &str) -> PluginConfig {
    plugin(name, misbehave(), json!({ "do": misdeed }))
}

/// A plugin that misbehaves in `resolve`.
fn bad_resolver(name: &str, misdeed: &str) -> PluginConfig {
    plugin(name, misbehave(), json!({ "do": misdeed, "hook": "resolve" }))
}

fn acl(name: &str, settings: Value) -> PluginConfig {
    plugin(name, ComponentSource::Builtin("acl".into()), settings)
}

/// Returns a policy with all these plugins in the `authorize` chain.
fn authorizers(plugins: Vec<PluginConfig>) -> PolicySpec {
    let config = PolicyConfig {
        default: DefaultVerdict::Allow,
        authorize: plugins.iter().map(|plugin| plugin.name.clone()).collect(),
        resolve: Vec::new(),
        accept_upload: Vec::new(),
        observe: Vec::new(),
        plugins,
        time_limit: LONG,
        compiled: None,
        listeners: Vec::new(),
    };
    PolicySpec {
        config,
        roots: vec!["boot".into()],
        open_roots: Roots::open(&[]).unwrap(),
        registries: Registries::default(),
        names: SettingNames::default(),
        sinks: Vec::new(),
        state: PathBuf::from("/nonexistent"),
        kv: None,
        live: true,
        root_makes_state: false,
        ipv6_prefix: 64,
        stage: None,
    }
}

/// Returns a policy with all these plugins in the `resolve` chain.
fn resolvers(plugins: Vec<PluginConfig>) -> PolicySpec {
    let mut spec = authorizers(plugins);
    spec.config.resolve = std::mem::take(&mut spec.config.authorize);
    spec
}

async fn load(spec: &PolicySpec) -> Policy {
    runtime().load(spec).await.unwrap_or_else(|problems| unreachable!("{problems:#?}"))
}

/// Loads the policy, and returns it with its first plugin.
async fn loaded(spec: &PolicySpec) -> (Policy, Loaded) {
    let (policy, plugins) =
        assemble(runtime(), spec).await.unwrap_or_else(|problems| unreachable!("{problems:#?}"));
    (policy, plugins.into_iter().next().unwrap())
}

async fn problems(spec: &PolicySpec) -> Vec<LoadProblem> {
    runtime().load(spec).await.err().unwrap()
}

fn request(operation: Operation, path: &str) -> Request {
    Request {
        id: RequestId(7),
        operation,
        requested: format!("/{path}"),
        macs: vec![MacFact {
            address: MacAddress([0x02, 0, 0x5e, 0x10, 0, 0x01]),
            source: MacSource::NeighbourTable,
        }],
        options: vec![("blksize".into(), "1428".into())],
        ..Request::sample(path)
    }
}

fn read(path: &str) -> Request {
    request(Operation::Read, path)
}

fn denial(verdict: Result<Verdict, NoAnswer>) -> tuffet_request::Denial {
    match verdict {
        Ok(Verdict::Deny(denial)) => denial,
        other => unreachable!("a deny was expected, not {other:?}"),
    }
}

/// Returns why a request was not allowed: it was denied, or the plugin is overloaded.
fn reason(verdict: Result<Verdict, NoAnswer>) -> String {
    match verdict {
        Err(no_answer) => no_answer.reason(),
        other => denial(other).reason,
    }
}

/// Returns the same request of another client.
fn from(number: u8, request: Request) -> Request {
    Request { client: SocketAddr::from(([192, 0, 2, number], 2000)), ..request }
}

/// Calls the chain `resolve`.
async fn resolve(policy: &Policy, request: &Request) -> ChainAnswer<Resolution> {
    policy.resolve_from(request, ChainPosition::START, policy.deadline()).await.chain
}

/// Returns the word and the details of an answer.
fn shown(answer: &Result<Resolution, NoAnswer>) -> String {
    match answer {
        Ok(answer) => format!("{} {}", answer.word(), answer.detail()).trim_end().to_owned(),
        Err(no_answer) => format!("{no_answer:?}"),
    }
}

fn refusal(answer: Result<Resolution, NoAnswer>) -> tuffet_request::Denial {
    match answer {
        Ok(Resolution::Deny(denial)) => denial,
        other => unreachable!("a deny was expected, not {other:?}"),
    }
}
