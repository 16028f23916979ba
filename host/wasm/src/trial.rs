//! A trial: a single plugin, loaded and called as in the server, with a stage as the host.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::access::InMemory;
use super::answer_values;
use super::bindings::types::{Error, Request as Input};
use super::bindings::{accept_upload, authorize, resolve};
use super::code_cache::CodeCache;
use super::convert::{self, Inputs};
use super::engine::PolicyRuntime;
use super::hook::Hook;
use super::load::load;
use super::load_problems::missing_hook;
use super::plugin::Plugin;
use super::spec::PolicySpec;
use super::stage::{KeyName, LogLine, SinkLine, Stage};
use super::upload::UploadInput;
use tuffet_config::PluginConfig;
use tuffet_policy::{
    Answer, Batch, Cause, ChainDeadline, Deliver, Failure, Fallback, HookCall, LoadProblem, LoadProblemKind,
    PluginContent, Rendered, Rendering, Resolution, SeriesName, SeriesValue, part_length,
};
use tuffet_request::Request;
use tuffet_request::events::Event;

/// The answer of `observe`.
pub const OBSERVE_ANSWER: &str = "nothing";

/// A complete upload.
#[derive(Debug, Clone)]
pub struct TrialUpload {
    /// Its root.
    pub root: String,
    /// Its path in the root.
    pub path: String,
    /// The received content.
    pub content: Vec<u8>,
}

impl TrialUpload {
    /// Converts the upload for `accept-upload`.
    fn to_input(&self) -> UploadInput {
        let about = accept_upload::Upload {
            root: self.root.clone(),
            path: self.path.clone(),
            size: self.content.len() as u64,
            sha256: answer_values::digest(&self.content),
            attributes: Vec::new(),
        };
        UploadInput { about, content: Arc::new(InMemory(self.content.clone())) }
    }
}

/// The input of a hook.
#[derive(Debug)]
pub enum HookInput {
    /// A request, and its complete upload, which `accept-upload` needs.
    Request(Box<Request>, Option<TrialUpload>),
    /// Events, for `observe`.
    Events(Vec<Event>),
}

/// A plugin on its stage.
pub struct Trial {
    plugin: Plugin,
    stage: Arc<Stage>,
}

/// The result of a call in a trial.
#[derive(Debug, Clone)]
pub struct TrialResult {
    /// The answer, or the cause and the detail of a failure.
    pub answer: Result<Value, (&'static str, String)>,
    /// The lines that it logged.
    pub lines: Vec<LogLine>,
    /// The lines that it sent to sinks.
    pub emitted: Vec<SinkLine>,
    /// Keys that it set (`Some`) or deleted.
    pub keys: BTreeMap<KeyName, Option<Vec<u8>>>,
    /// When those of them that have a lifetime end, as the time since the beginning of 1970.
    pub ends: BTreeMap<KeyName, Duration>,
    /// Its own counters and gauges.
    pub series: Vec<(SeriesName, SeriesValue)>,
    /// Whether it has read the clock without the grant `clock`.
    pub read_clock: bool,
    /// Calls without an answer from its stage.
    pub unanswered: Vec<String>,
    /// The total time of the call.
    pub wall: Duration,
    /// Its computing time.
    pub cpu: Duration,
    /// Bytes of its memories and tables.
    pub memory: u64,
}

impl Trial {
    /// Loads the plugin as a server would. `policy` names the roots and the stage.
    ///
    /// # Errors
    /// All problems that would prevent a server from starting.
    pub async fn load(
        runtime: &PolicyRuntime,
        policy: &PolicySpec,
        plugin: &PluginConfig,
    ) -> Result<Trial, Vec<LoadProblem>> {
        runtime.with_code_cache(CodeCache::verify).await;
        let loaded = load(runtime, policy, plugin).await;
        runtime.with_code_cache(CodeCache::seal).await;
        let stage = policy.stage.clone().unwrap_or_default();
        let mut plugin = loaded?;
        plugin.roots = plugin.roots.filter(|_| !policy.roots.is_empty());
        let trial = Trial { plugin, stage };
        trial.store_given_keys().await.map_err(|error| {
            let message = format!("its given keys cannot be stored: {}", error.message);
            vec![LoadProblem {
                plugin: trial.plugin.name.to_string(),
                kind: LoadProblemKind::Failed,
                pointer: None,
                message,
            }]
        })?;
        Ok(trial)
    }

    /// Stores the given keys where keys are stored as in a server.
    async fn store_given_keys(&self) -> Result<(), Error> {
        let access = &self.plugin.access;
        for ((namespace, key), value) in self.stage.given_to_store() {
            let keys = match namespace {
                None => access.keys.as_ref(),
                Some(name) => access.shared_keys.iter().find(|(its, _)| its == name).map(|(_, keys)| keys),
            };
            match (keys, value) {
                (Some(keys), Some(value)) => keys.set(key.clone(), value.clone(), None).await?,
                (Some(keys), None) => keys.delete(key.clone()).await?,
                (None, _) => {}
            }
        }
        Ok(())
    }

    /// Returns its hooks.
    pub fn hooks(&self) -> Vec<Hook> {
        Hook::ALL.into_iter().filter(|hook| self.has(*hook)).collect()
    }

    /// Returns the warnings for the operator.
    pub fn warnings(&self) -> Vec<LoadProblem> {
        self.plugin.warnings().collect()
    }

    /// Returns whether it has read the clock while it was configured, and does not ask for the grant.
    pub fn has_read_unasked_clock(&self) -> bool {
        self.plugin.access.has_read_unasked_clock()
    }

    /// Returns the problem if the plugin lacks this hook.
    pub fn lacks(&self, hook: Hook) -> Option<LoadProblem> {
        (!self.has(hook)).then(|| missing_hook(&self.plugin, hook.word()))
    }

    fn has(&self, hook: Hook) -> bool {
        match hook {
            Hook::Authorize => self.plugin.authorize.is_some(),
            Hook::Resolve => self.plugin.resolve.is_some(),
            Hook::AcceptUpload => self.plugin.accept_upload.is_some(),
            Hook::Observe => self.plugin.observe.is_some(),
        }
    }

    /// Calls one hook.
    pub async fn ask(&self, hook: Hook, input: &HookInput) -> TrialResult {
        self.stage.begin();
        let begun;
        let answer = match (hook, input) {
            (Hook::Observe, HookInput::Events(events)) => {
                begun = Instant::now();
                self.deliver(events).await.map(|()| OBSERVE_ANSWER.into())
            }
            (_, HookInput::Request(request, upload)) => {
                // The plugin's own limits should end the call, not those of the chain.
                let deadline = ChainDeadline::of(self.plugin.limits.wall.saturating_mul(2));
                let call = HookCall::of_server().within(Some(deadline));
                let input = Inputs::of(request, &self.plugin.access, &call);
                let upload = upload.as_ref().map(TrialUpload::to_input);
                begun = Instant::now();
                self.call_hook(hook, request, &input, upload.as_ref(), &call).await
            }
            _ => {
                begun = Instant::now();
                Err(Failure::new(Cause::BadAnswer, "there is no input for this hook"))
            }
        };
        let wall = begun.elapsed();
        let record = self.stage.take();
        TrialResult {
            answer: answer.map_err(|failure| (failure.cause.as_str(), failure.detail)),
            keys: record.keys,
            ends: record.ends,
            series: self.stage.series().read(),
            lines: record.lines,
            emitted: record.emitted,
            read_clock: record.read_clock,
            unanswered: record.unanswered,
            wall,
            cpu: record.cpu,
            memory: record.memory,
        }
    }

    /// Delivers the events that the plugin subscribes to.
    async fn deliver(&self, events: &[Event]) -> Result<(), Failure> {
        let batch = Batch::of(events);
        let wanted = batch.select(|event| self.plugin.wants.include(&event.what));
        self.plugin.deliver(&wanted, &HookCall::of_server()).await
    }

    async fn call_hook(
        &self,
        hook: Hook,
        request: &Request,
        input: &Input,
        upload: Option<&UploadInput>,
        call: &HookCall,
    ) -> Result<Value, Failure> {
        match (hook, upload) {
            (Hook::Authorize, _) => {
                let authorize::LabelledVerdict { verdict, label } =
                    self.plugin.call_authorize(input, call).await?;
                let verdict = convert::verdict(verdict).and_then(Answer::checked)?;
                convert::label(label.clone(), call)?;
                Ok(answer_values::labelled(answer_values::verdict(verdict), label))
            }
            (Hook::Resolve, _) => {
                let resolve::LabelledResolution { resolution, label } =
                    self.plugin.call_resolve(input, call).await?;
                let (content, roots) = (self.plugin.limits.content, self.plugin.roots.as_deref());
                let found = convert::resolution(resolution, request.operation, content, roots)?.checked()?;
                convert::label(label.clone(), call)?;
                let rendered = match &found {
                    Resolution::Serve(selection) if let Fallback::Rendering(key) = selection.fallback() => {
                        Some(self.rendering(key, call).await?)
                    }
                    _ => None,
                };
                Ok(answer_values::labelled(answer_values::resolution(found, rendered), label))
            }
            (Hook::AcceptUpload, Some(upload)) => {
                let answer = self.plugin.call_accept_upload(input, upload, call).await;
                answer.and_then(convert::acceptance).map(answer_values::acceptance)
            }
            (Hook::AcceptUpload | Hook::Observe, _) => {
                Err(Failure::new(Cause::BadAnswer, "there is no input for this hook"))
            }
        }
    }

    /// Returns the whole content for a key.
    async fn rendering(&self, key: &str, call: &HookCall) -> Rendered {
        let plugin = &self.plugin;
        let begun = plugin.call_begin(key, call).await?;
        let announced = match convert::announced(begun, plugin.limits.parts)? {
            Ok(Some(announced)) => announced,
            Ok(None) => {
                return convert::rendering(plugin.call_render(key, call).await?, plugin.limits.content);
            }
            Err(denial) => return Ok(Err(denial)),
        };
        let mut content = Vec::new();
        while (content.len() as u64) < announced.size {
            let offset = content.len() as u64;
            let length = part_length(plugin.limits.content, announced.size - offset);
            let part = plugin.call_part(key, offset, length, &call.clone().within(None)).await?;
            match convert::part(part, offset, length)? {
                Ok(bytes) => content.extend(bytes),
                Err(denial) => return Ok(Err(denial)),
            }
        }
        let content = Arc::new(PluginContent::new(announced.name.as_deref(), content.into()));
        Ok(Ok(Rendering { content, ttl: announced.ttl }))
    }
}
