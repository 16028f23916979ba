//! Runs `authorize` and `resolve`: policy's part of a decision.

use super::refusals::{allowed, denied, dropped, overloaded, refuse_name};
use super::{named_files, stored_name};
use crate::generation::Generation;
use std::sync::Arc;
use tuffet_engine::worker::Decision;
use tuffet_policy::{ChainDeadline, ChainPosition, Fallback, PluginContent, Resolution, Resolved, Target};
use tuffet_request::SessionProfile;
use tuffet_request::events::DecisionRecord;

/// The next step for a request after policy has answered.
pub(super) enum Plan {
    /// Open the first existing file; without targets, the requested path in the roots. `next`: the rest of the chain,
    /// if none exists.
    Open { targets: Vec<Target>, by: Option<Arc<str>>, profile: SessionProfile, next: Option<RestOfChain> },
    /// Send content made by a plugin.
    Content { content: Arc<PluginContent>, profile: SessionProfile },
    /// Post this decision.
    Decided(Decision),
}

/// The rest of a `resolve` chain.
pub(super) struct RestOfChain {
    from: ChainPosition,
    /// The plugin that allowed the request: it decides if the rest abstains.
    allowed_by: Option<Arc<str>>,
}

impl Plan {
    /// The plan for a request that policy cannot affect.
    pub(super) fn without_policy(record: &mut DecisionRecord) -> Plan {
        Plan::open_requested(record, SessionProfile::default())
    }

    /// The plan for a request for which no plugin named a file: the requested path, if the name is safe.
    fn open_requested(record: &mut DecisionRecord, profile: SessionProfile) -> Plan {
        match record.request.unsafe_name {
            Some(error) => {
                record.verdict_by = None;
                Plan::Decided(refuse_name(&error))
            }
            None => Plan::Open { targets: Vec::new(), by: None, profile, next: None },
        }
    }
}

/// Finds the name that policy judges, and calls the chains of a generation. Records the deciding plugin, and gives the
/// request the judged path.
pub(super) async fn ask_policy(generation: &Generation, record: &mut DecisionRecord) -> Plan {
    let is_unsafe = record.request.unsafe_name.is_some();
    // Only a plugin can name a file for it.
    if is_unsafe && !generation.policy.resolves(&record.request.listener) {
        return Plan::without_policy(record);
    }
    if is_unsafe && generation.files.roots.any_case() {
        stored_name::set_any_case(generation, record);
    }
    if !is_unsafe
        && generation.looks_up_names()
        && let Err(decision) = Box::pin(stored_name::find(generation, record)).await
    {
        return Plan::Decided(decision);
    }
    let (policy, request) = (&generation.policy, &record.request);
    let deadline = policy.deadline();
    let authorization = policy.authorize(request, deadline).await;
    record.verdict_by = authorization.by;
    record.plugin_calls += authorization.calls;
    let profile = match allowed(authorization.answer) {
        Ok(profile) => profile,
        Err(decision) => return Plan::Decided(decision),
    };
    let profile = match named_files::judge_file_of_version(generation, record, profile).await {
        Ok(profile) => profile,
        Err(decision) => return Plan::Decided(decision),
    };
    resolve_from(generation, record, ChainPosition::START, profile, deadline).await
}

/// Calls the rest of the `resolve` chain, if none of the files of a plugin exists. Restarts the time limit: time spent
/// on disks does not count.
pub(super) async fn ask_next(
    generation: &Generation,
    record: &mut DecisionRecord,
    next: RestOfChain,
    profile: SessionProfile,
) -> Plan {
    record.verdict_by = next.allowed_by;
    resolve_from(generation, record, next.from, profile, generation.policy.deadline()).await
}

async fn resolve_from(
    generation: &Generation,
    record: &mut DecisionRecord,
    from: ChainPosition,
    profile: SessionProfile,
    deadline: ChainDeadline,
) -> Plan {
    let Resolved { chain, next, profile: its } =
        generation.policy.resolve_from(&record.request, from, deadline).await;
    let mut profile = its.map_or(profile, |its| profile.and(its));
    record.plugin_calls += chain.calls;
    let next = next.map(|from| RestOfChain { from, allowed_by: record.verdict_by.clone() });
    if chain.by.is_some() {
        record.verdict_by.clone_from(&chain.by);
    }
    let is_unsafe = record.request.unsafe_name.is_some();
    let (mut targets, content) = match chain.answer {
        Ok(Resolution::Serve(selection)) => {
            let (targets, fallback, _) = selection.into_parts();
            (targets, if let Fallback::Content(content) = fallback { Some(content) } else { None })
        }
        Ok(Resolution::Abstain) => return Plan::open_requested(record, profile),
        Ok(Resolution::Deny(denial)) => return Plan::Decided(denied(denial)),
        Ok(Resolution::Drop(reason)) => return Plan::Decided(dropped(&reason)),
        Err(no_answer) => return Plan::Decided(overloaded(no_answer.reason())),
    };
    match content {
        // It has no name that `authorize` could judge.
        Some(_) if is_unsafe => return Plan::open_requested(record, profile),
        Some(content) => return Plan::Content { content, profile },
        None => {}
    }
    if is_unsafe {
        named_files::keep_safe(&mut targets, record.request.operation);
        match next {
            Some(next) if targets.is_empty() => {
                return Box::pin(ask_next(generation, record, next, profile)).await;
            }
            None if targets.is_empty() => return Plan::open_requested(record, profile),
            _ => {}
        }
    }
    if is_unsafe || generation.policy.judges_paths(&record.request.listener) {
        profile = match Box::pin(named_files::judge(generation, record, &targets, profile)).await {
            Ok(profile) => profile,
            Err(decision) => return Plan::Decided(decision),
        };
    }
    if generation.files.roots.any_case() {
        match Box::pin(stored_name::respell_targets(generation, record, targets, profile)).await {
            Ok((targets, profile)) => Plan::Open { targets, by: chain.by, profile, next },
            Err(decision) => Plan::Decided(decision),
        }
    } else {
        Plan::Open { targets, by: chain.by, profile, next }
    }
}
