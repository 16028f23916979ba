//! Explains a request: runs the stages of a decision without an effect.
//!
//! The stages are those of real requests ([`super`]): the name, policy, the candidates, the negotiation. But nothing is
//! opened for a transfer or reported, and calls of plugins are rehearsals ([`tuffet_request::Trail::rehearsal`]).

use super::absence::{Findings, absence, is_absence};
use super::open_file::{CandidateCursor, EMPTY, Rehearsed, open_content, rehearse, require_room, resolved};
use super::pending::{Arrival, ClientFacts, ReceivedRequest, show_unsafe_name};
use super::plan::ask_policy;
use super::refusals::{NotOpened, undone};
use super::root_access::open_root;
use super::search::{Search, carry_out};
use crate::content::SuppliedRoot;
use crate::explanation::{
    self, Call, Candidate, Explanation, LastRequest, Lease, Limit, Mac, Options, Question, Retransmission,
};
use crate::generation::Generation;
use crate::groups::GroupAdmission;
use crate::known_listeners::known_listeners;
use crate::negotiation::Bounds;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};
use tuffet_core::multicast::Group;
use tuffet_core::{Limits, OptionName, OptionSet, Packet};
use tuffet_engine::worker::{Decision, granted_options};
use tuffet_policy::{ChainedPlugin, PluginContent};
use tuffet_request::events::{DecisionRecord, Ending};
use tuffet_request::{
    ClientKey, MacAddress, Operation, Protocol, RequestId, SessionProfile, Step, Trail, What, settings,
};
use tuffet_store::{Absence, Disk, Lane, Roots, StoreError};

/// Facts about the server and the client beside the generation.
pub struct Circumstances {
    /// The name of the listener.
    pub listener: Arc<str>,
    /// Its protocol.
    pub protocol: Protocol,
    /// Whether the listener answers from its own port.
    pub single_port: bool,
    /// The interface that the listener is bound to.
    pub interface: Option<String>,
    /// The VLAN of the interface that the request arrives on.
    pub vlan: Option<u16>,
    /// The MAC address of the client in the neighbour table.
    pub neighbour: Option<MacAddress>,
    /// The current use of the limits; empty without a running server.
    pub limits: Vec<Limit>,
    /// The last requests of the client; empty without a running server.
    pub last_requests: Vec<LastRequest>,
    /// The user with the permissions that apply.
    pub user: String,
    /// Whether the generation belongs to a running server.
    pub runs: bool,
}

/// Explains a request.
///
/// # Errors
/// The request cannot be encoded as a packet, or its listener does not exist.
pub async fn explain(
    generation: &Arc<Generation>,
    question: &Question,
    circumstances: Circumstances,
) -> Result<Explanation, String> {
    let known = || generation.negotiation.listeners();
    if !known().any(|name| *name == *circumstances.listener) {
        let known = known_listeners(known());
        return Err(format!("there is no listener `{}`: {known}", circumstances.listener));
    }
    let packet = question.packet();
    let parsed = match Packet::parse(&packet) {
        Ok(Packet::Request(request)) => request,
        Ok(_) => return Err("the request cannot be sent".into()),
        Err(malformed) => return Err(format!("the request cannot be sent: {malformed}")),
    };
    let received = Instant::now();
    let lossy = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let options: Vec<(String, String)> =
        parsed.options.iter().map(|(name, value)| (lossy(name).to_ascii_lowercase(), lossy(value))).collect();
    let requested = ReceivedRequest {
        id: RequestId(0),
        listener: Arc::clone(&circumstances.listener),
        protocol: circumstances.protocol,
        operation: parsed.operation,
        mode: parsed.mode,
        client: question.client,
        local: Arrival {
            address: question.local_address,
            interface: question.interface.as_deref().or(circumstances.interface.as_deref()).map(Into::into),
            vlan: circumstances.vlan,
        },
        name: parsed.name,
        received_at: SystemTime::now(),
        options,
    };
    let trail = Arc::new(Trail::rehearsal(received));
    let facts = ClientFacts {
        neighbour: circumstances.neighbour,
        lease: generation.leases.find(question.client.ip().to_canonical()),
    };
    let request = requested.read(generation, facts, Some(Arc::clone(&trail)));
    let mut record = DecisionRecord {
        requested_options: parsed.options.requested(),
        ..DecisionRecord::new(Arc::new(request), received)
    };
    let explained = begin(generation, &record, &circumstances);
    let plan = ask_policy(generation, &mut record).await;
    let mut search = Rehearsal { generation, record, explained };
    let decision = carry_out(&mut search, generation, plan).await;
    let Rehearsal { mut record, mut explained, .. } = search;
    show_unsafe_name(&mut record);
    explained.request.path.clone_from(&record.request.path);
    explained.request.stored_in = record.request.stored_in.as_deref().map(Into::into);
    explained.request.shim_folder = record.request.shim_folder.as_deref().map(Into::into);
    explained.policy = calls(generation, &record.request.listener, &trail.take());
    conclude(generation, &record, decision, &circumstances, &mut explained);
    Ok(explained)
}

fn begin(generation: &Generation, record: &DecisionRecord, circumstances: &Circumstances) -> Explanation {
    let request = &record.request;
    let word = |operation| if operation == Operation::Read { "read" } else { "write" };
    let macs = request
        .macs
        .iter()
        .map(|fact| Mac { address: fact.address.to_string(), source: fact.source.as_str().into() });
    Explanation {
        request: explanation::ExplainedRequest {
            listener: request.listener.to_string(),
            client: request.client.to_string(),
            operation: word(request.operation).into(),
            protocol: request.protocol,
            mode: format!("{:?}", request.mode).to_lowercase(),
            requested: request.requested.clone(),
            path: request.path.clone(),
            raw_name: request.raw_name.as_deref().map(Into::into),
            unsafe_name: request.unsafe_name.map(|error| error.to_string()),
            stored_in: None,
            shim_folder: None,
            prefix: request.prefix.as_deref().map(|prefix| format!("/{prefix}")),
            class: request.class.as_str().into(),
            local_address: request.local_address.map(|address| address.to_string()),
            interface: request.interface.as_deref().map(Into::into),
            vlan: request.vlan,
            lease: request.lease.as_deref().map(Lease::from),
            macs: macs.collect(),
            options: request.options.clone(),
        },
        user: circumstances.user.clone(),
        generation: circumstances.runs.then_some(generation.number),
        reasons: Vec::new(),
        limits: circumstances.limits.clone(),
        last_requests: circumstances.last_requests.clone(),
        policy: Vec::new(),
        default: generation.policy.default_word().into(),
        candidates: Vec::new(),
        options: None,
        outcome: explanation::ExplainedOutcome {
            decision: String::new(),
            outcome: None,
            code: None,
            message: None,
            detail: None,
            resolved: None,
            size: None,
            verdict_by: None,
        },
    }
}

/// Every plugin of the chains, with its answer if it was called.
fn calls(generation: &Generation, listener: &str, steps: &[Step]) -> Vec<Call> {
    let all = |chained: &ChainedPlugin| {
        let (plugin, hook) = (Arc::clone(&chained.plugin), chained.hook);
        let is_it = move |step: &&Step| matches!(&step.what, What::Plugin { plugin: its, hook: called, .. } if *its == plugin && *called == hook);
        steps.iter().filter(is_it)
    };
    let find = |chained: &ChainedPlugin| all(chained).next();
    let calls = generation.policy.chained(listener).flat_map(|chained| {
        let hook = call(&chained, find(&chained));
        // A rendering follows the answer of its plugin.
        let render = ChainedPlugin { hook: "render", ..chained };
        let rendered = (hook.hook == "resolve").then(|| find(&render)).flatten();
        [Some(hook), rendered.map(|step| call(&render, Some(step)))]
    });
    let calls = calls.flatten();
    // The names of files that `resolve` named are judged behind it.
    let again = generation.policy.chained(listener).filter(|chained| chained.hook == "authorize");
    let again = again.flat_map(|chained| {
        all(&chained).skip(1).map(move |step| call(&chained, Some(step))).collect::<Vec<_>>()
    });
    calls.chain(again).collect()
}

fn call(chained: &ChainedPlugin, step: Option<&Step>) -> Call {
    let mut call = Call {
        hook: chained.hook.into(),
        plugin: chained.plugin.to_string(),
        monitored: chained.monitored,
        verdict: "not-asked".into(),
        detail: None,
        failure: None,
        label: None,
        remembered: false,
        log: Vec::new(),
        took_us: None,
    };
    if let Some(Step {
        what: What::Plugin { verdict, detail, lines, failure, remembered, label, .. },
        began,
        ended,
    }) = step
    {
        call.verdict = (*verdict).into();
        call.detail.clone_from(detail);
        call.log.clone_from(lines);
        call.failure = failure.as_ref().map(|(cause, detail)| format!("{cause}: {detail}"));
        call.label = label.as_ref().map(ToString::to_string);
        call.remembered = *remembered;
        call.took_us = Some(micros(ended.saturating_duration_since(*began)));
    }
    call
}

/// Looks at the candidates without an effect, and writes a row about each.
struct Rehearsal<'a> {
    generation: &'a Arc<Generation>,
    record: DecisionRecord,
    explained: Explanation,
}

impl Search for Rehearsal<'_> {
    type Opened = Rehearsed;
    type Served = (Bounds, SessionProfile);

    fn record(&mut self) -> Option<&mut DecisionRecord> {
        Some(&mut self.record)
    }

    async fn open(&mut self, cursor: &CandidateCursor) -> Result<Rehearsed, NotOpened> {
        let Some((root, path)) = cursor.current() else { return Err(cursor.nowhere().into()) };
        let operation = cursor.candidates().request().operation;
        let mut row = candidate(root, path, cursor.candidates().named_by(), "");
        let began = Instant::now();
        let answer = open(self.generation, cursor).await;
        row.took_us = Some(micros(began.elapsed()));
        row.answer = in_words(&answer);
        let link_folder = answer.as_ref().ok().and_then(|found| found.link_folder.as_ref());
        row.link_folder = link_folder.map(|folder| folder.display().to_string());
        if let (Err(NotOpened::Store(error)), Some(disk)) = (&answer, self.generation.files.roots.disk(root))
            && is_absence(error)
        {
            let (its, root, path) = (Arc::clone(self.generation), Arc::clone(root), path.to_owned());
            let look = move || absence(&its.files.roots, &root, &path, operation);
            if let Ok(absence) =
                disk.run(lane(disk), ClientKey::SERVER, self.generation.open_time, look).await
            {
                row.missing_folder = absence.folder;
                row.other_case = absence.other_case;
                row.latin_1 = absence.latin_1;
                row.nearest = absence.nearest;
                row.without_prefix = absence.prefix;
            }
        }
        self.explained.candidates.push(row);
        answer
    }

    async fn open_content(&mut self, content: &Arc<PluginContent>) -> Result<Rehearsed, Decision> {
        let opened = open_content(&self.record.request, content)?;
        // As it is sent.
        self.record.size = opened.wire_size();
        Ok(Rehearsed { resolved: Arc::clone(content.resolved()), size: opened.size(), link_folder: None })
    }

    fn empty(&mut self) -> Rehearsed {
        Rehearsed { resolved: EMPTY.into(), size: Some(0), link_folder: None }
    }

    fn resolved(rehearsed: &Rehearsed) -> Arc<str> {
        Arc::clone(&rehearsed.resolved)
    }

    fn size(rehearsed: &Rehearsed) -> Option<u64> {
        rehearsed.size
    }

    fn serve(
        &mut self,
        opened: Rehearsed,
        profile: SessionProfile,
    ) -> Result<(Bounds, SessionProfile), Decision> {
        self.record.resolved = Some(opened.resolved);
        self.record.size = self.record.size.or(opened.size);
        Ok((self.generation.negotiate(&self.record, &profile, None)?, profile))
    }

    fn note(&mut self, cursor: &CandidateCursor) {
        let candidates = cursor.candidates();
        let rest = (cursor.tried_count()..).map_while(|number| candidates.get(number));
        let rest = rest.map(|(root, path)| candidate(root, path, candidates.named_by(), "not asked"));
        self.explained.candidates.extend(rest);
    }

    async fn find_reason(&mut self, _: &CandidateCursor, _: &StoreError) -> Findings {
        let mut found = Findings::default();
        for its in &self.explained.candidates {
            let absence = Absence {
                of_root: self.generation.files.roots.is_missing(&its.root),
                folder: its.missing_folder.clone(),
                other_case: its.other_case.clone(),
                latin_1: its.latin_1.clone(),
                nearest: its.nearest.clone(),
                prefix: its.without_prefix.clone(),
            };
            found.add(&its.root.as_str().into(), absence);
        }
        found
    }
}

/// Opens the current candidate, without an effect.
async fn open(generation: &Arc<Generation>, cursor: &CandidateCursor) -> Result<Rehearsed, NotOpened> {
    let root = cursor.root();
    if let Some(supplied) = generation.files.supplied.get(root) {
        return open_supplied(generation, cursor, &supplied).await;
    }
    let Some(disk) = generation.files.roots.disk(root) else {
        return Err(StoreError::UnknownRoot(root.to_owned()).into());
    };
    let (its, all) = (cursor.clone(), Arc::clone(generation));
    let look = move || rehearse(&all.files, all.client_of(its.candidates().request()), &its);
    match disk.run(lane(disk), ClientKey::SERVER, generation.open_time, look).await {
        Ok(found) => Ok(found?),
        // As a request, which would be dropped.
        Err(why) => Err(NotOpened::Decided(undone(generation, root, why))),
    }
}

fn lane(disk: &Disk) -> Lane {
    if disk.elsewhere().is_some() { Lane::LookUp } else { Lane::Open }
}

/// As [`open`], in a root of the program. An upload has no answer before it begins.
async fn open_supplied(
    generation: &Generation,
    cursor: &CandidateCursor,
    supplied: &SuppliedRoot,
) -> Result<Rehearsed, NotOpened> {
    let Some((_, path)) = cursor.current() else { return Err(cursor.nowhere().into()) };
    let path = &*Roots::path_for_program(path)?;
    let resolved = resolved(&supplied.name, path);
    let request = cursor.candidates().request();
    if request.operation == Operation::Write {
        let limit = generation.files.roots.judge_supplied(&supplied.name)?;
        require_room(
            request,
            cursor.announced(),
            cursor.profile().bytes.map_or(limit, |most| most.min(limit)),
        )?;
        return Ok(Rehearsed { resolved, size: cursor.announced(), link_folder: None });
    }
    let source = open_root(generation, supplied, path).await?;
    Ok(Rehearsed { resolved, size: Some(source.size()), link_folder: None })
}

/// How the root answered; an error with its name in the system.
fn in_words(answer: &Result<Rehearsed, NotOpened>) -> String {
    match answer {
        Ok(_) => "good".into(),
        Err(NotOpened::Store(StoreError::NotFound)) => "no such file (ENOENT)".into(),
        Err(NotOpened::Store(StoreError::Exists)) => {
            "the file exists (EEXIST), and its root has `overwrite: false`".into()
        }
        Err(other) => other.reason(),
    }
}

fn candidate(root: &str, path: &str, by: Option<&Arc<str>>, answer: &str) -> Candidate {
    Candidate {
        root: root.into(),
        path: path.into(),
        by: by.map(ToString::to_string),
        answer: answer.into(),
        link_folder: None,
        missing_folder: None,
        other_case: None,
        latin_1: None,
        nearest: None,
        without_prefix: None,
        took_us: None,
    }
}

/// The third stage: the answer.
fn conclude(
    generation: &Generation,
    record: &DecisionRecord,
    decision: Result<(Bounds, SessionProfile), Option<Decision>>,
    circumstances: &Circumstances,
    explained: &mut Explanation,
) {
    let outcome = &mut explained.outcome;
    outcome.verdict_by = record.verdict_by.as_deref().map(str::to_owned);
    outcome.resolved = record.resolved.as_deref().map(str::to_owned);
    match decision {
        // The request would not be admitted.
        _ if circumstances.limits.iter().any(|limit| limit.reached) => {
            let reached = circumstances.limits.iter().filter(|its| its.reached).map(|its| its.limit.as_str());
            let names = reached.collect::<Vec<_>>().join(", ");
            outcome.decision = "dropped".into();
            outcome.verdict_by = None;
            outcome.detail = Some(format!("not admitted, because a limit is reached: {names}"));
        }
        Ok((bounds, profile)) => {
            let most = &bounds.limits;
            let has_rate = most.rate.is_some() || most.total_rate.is_some();
            let requested = &record.requested_options;
            let options = granted_options(record.request.operation, requested, record.size, most);
            outcome.decision = "granted".into();
            outcome.size = record.size;
            // Another protocol has none.
            if circumstances.protocol != Protocol::Tftp {
                return;
            }
            explained.options = Some(Options {
                blksize: options.block_size(),
                windowsize: options.window_size(),
                timeout: options.timeout,
                tsize: options.tsize,
                most_blksize: most.blksize,
                most_windowsize: most.windowsize,
                single_port: circumstances.single_port,
                burst: most.burst,
                rate: most.rate,
                rate_by: most.rate.map(|_| bounds.rate_by.to_string()),
                total_rate: most.total_rate.as_ref().map(|total| total.rate()),
                total_rate_of: bounds.total_rate_of.as_deref().map(str::to_owned),
                blksize_by: bounds.blksize_by.to_string(),
                windowsize_by: bounds.windowsize_by.to_string(),
                retransmit: Some(retransmission(&bounds, &options)),
                route_mtu: bounds.route.flatten(),
                no_route: bounds.route == Some(None),
                refused: refused_options(record, most),
                multicast: joins(generation, record, &options)
                    .map(|joins| joins && !profile.refused.has_multicast() && !has_rate),
                others: others(&options),
            });
        }
        Err(Some(Decision::Refuse { code, message, ending })) => {
            outcome.decision = "refused".into();
            outcome.code = Some(code as u16);
            outcome.message = Some(message);
            end(outcome, ending);
        }
        Err(Some(Decision::Drop { ending })) => {
            outcome.decision = "dropped".into();
            end(outcome, ending);
        }
        // Never: the search alone decides, and returns what it grants.
        Err(Some(Decision::Grant { .. }) | None) => {}
    }
}

fn retransmission(bounds: &Bounds, granted: &OptionSet) -> Retransmission {
    let settings::Retransmit { floor, initial, cap, give_up, lockstep_floor } = bounds.retransmit;
    let least = lockstep_floor.min(cap);
    let is_careful = !bounds.limits.bears_duplicates && granted.window_size() == 1 && !least.is_zero();
    let (floor, initial) = if is_careful { (floor.max(least), initial.max(least)) } else { (floor, initial) };
    let [floor, initial, cap, give_up, least] =
        [floor, initial, cap, give_up, least].map(|time| humantime::format_duration(time).to_string());
    let lockstep_floor = is_careful.then_some(least);
    Retransmission { floor, initial, cap, give_up, lockstep_floor, by: bounds.retransmit_by.to_string() }
}

/// The requested options that are refused.
fn refused_options(record: &DecisionRecord, most: &Limits) -> Vec<String> {
    let asked = |option: &OptionName| record.requested_options.value(*option).is_some();
    let refused = OptionName::ALL.into_iter().filter(|option| !most.acknowledged.has(*option));
    refused.filter(asked).map(|option| option.as_str().to_owned()).collect()
}

/// Whether the client would join a multicast group; `None` if it does not request one.
fn joins(generation: &Generation, record: &DecisionRecord, options: &OptionSet) -> Option<bool> {
    GroupAdmission::is_requested(&record.request).then(|| {
        let fits = record.size.is_some_and(|size| Group::fits(size, options.block_size()));
        let is_file = record.file().is_some();
        generation.files.groups.admit(&record.request) && fits && is_file
    })
}

/// The granted options that no RFC defines.
fn others(options: &OptionSet) -> Vec<(String, u64)> {
    use OptionName::{Blksize2, Msftwindow, Rollover, Utimeout};
    let value = |option: OptionName| Some((option.as_str().to_owned(), options.value(option)?));
    [Rollover, Blksize2, Utimeout, Msftwindow].into_iter().filter_map(value).collect()
}

fn end(outcome: &mut explanation::ExplainedOutcome, ending: Ending) {
    outcome.outcome = Some(ending.outcome.to_string());
    outcome.detail = ending.detail.map(Into::into);
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
