//! The reference guest in Rust. `sdk/conformance/README.md` says what it does.
#![forbid(unsafe_code)]

mod commands;
mod settings;

use serde_json::{Value, json};
use tuffet_sdk::{
    Acceptance, Content, Denial, ErrorCode, Event, EventKind, Failure, LargeContent, Observe, Plugin,
    Problems, Render, RenderError, RenderParts, Rendering, Request, Resolution, Resolved, Target, TryAccept,
    TryAuthorize, TryResolve, Upload, Verdict, label, sinks,
};

use commands::{Commands, map};
pub use settings::Settings;
use settings::{Answer, Hook, counted};

/// The plugin.
pub struct Reference {
    settings: Settings,
    commands: Commands,
    configured: Vec<Value>,
}

impl Plugin for Reference {
    type Settings = Settings;

    fn configure(settings: Settings) -> Result<Self, Problems> {
        let mut problems = Problems::new();
        for (number, rule) in settings.rules.iter().enumerate() {
            if rule.path.is_empty() {
                problems.add(format!("/rules/{number}/path"), "a path is needed");
            }
            if !rule.answer.fits(rule.hook) {
                let message = format!("{} cannot answer {}", rule.hook.word(), rule.answer.word());
                problems.add(format!("/rules/{number}/answer"), message);
            }
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        let commands = Commands::default();
        let configured = match commands.run_all(&settings.configure, None, None) {
            Ok(configured) => configured,
            Err(failure) => return Err(Problems::one("/configure", failure.reason())),
        };
        Ok(Reference { settings, commands, configured })
    }
}

impl Reference {
    /// The answer, and what the commands came to, as JSON.
    fn answer(
        &self,
        hook: Hook,
        request: &Request,
        upload: Option<&Upload>,
    ) -> Result<(&Answer, String), Failure> {
        self.commands.begin();
        let Some(rule) = self.settings.rules.iter().find(|rule| rule.fits(hook, &request.path)) else {
            return Ok((&Answer::Abstain, String::new()));
        };
        let mut came_to = self.configured.clone();
        came_to.extend(self.commands.run_all(&rule.commands, Some(request), upload)?);
        if let Some(text) = &rule.label {
            label(text);
        }
        Ok((&rule.answer, Value::from(came_to).to_string()))
    }
}

impl TryAuthorize for Reference {
    fn try_authorize(&self, request: &Request) -> Result<Verdict, Failure> {
        Ok(match self.answer(Hook::Authorize, request, None)? {
            (Answer::Allow(sent), _) => Verdict::Allow((&**sent).into()),
            (Answer::Deny(denial), _) => Verdict::Deny(denial.into()),
            (Answer::Drop(reason), _) => Verdict::Drop(reason.clone()),
            (Answer::Tell, told) => Verdict::Deny(Denial::access_violation("told", told)),
            _ => Verdict::Abstain,
        })
    }
}

impl TryResolve for Reference {
    fn try_resolve(&self, request: &Request) -> Result<Resolution, Failure> {
        Ok(match self.answer(Hook::Resolve, request, None)? {
            (Answer::Serve(serve), _) => serve.selection(&request.path).into(),
            (Answer::Deny(denial), _) => Resolution::Deny(denial.into()),
            (Answer::Drop(reason), _) => Resolution::Drop(reason.clone()),
            (Answer::Tell, told) => Resolution::content(told),
            _ => Resolution::Abstain,
        })
    }
}

impl Render for Reference {
    fn render(&self, key: &str) -> Result<Rendering, RenderError> {
        self.commands.begin();
        let render = self.rendered(key)?;
        let told = Value::from(self.commands.run_all(&render.commands, None, None)?).to_string();
        if let Some(denial) = &render.deny {
            return Err(Denial::from(denial).into());
        }
        let data = match (render.bytes, &render.content) {
            (Some(count), _) => counted(count),
            (None, Some(text)) => text.clone().into(),
            (None, None) => told.into(),
        };
        let content = Content { name: render.name.clone(), data, attributes: Vec::new() };
        Ok(Rendering { content, ttl_seconds: render.ttl_seconds })
    }
}

impl RenderParts for Reference {
    fn begin(&self, key: &str) -> Result<Option<LargeContent>, RenderError> {
        self.commands.begin();
        let render = self.rendered(key)?;
        let Some(size) = render.parts else { return Ok(None) };
        self.commands.run_all(&render.commands, None, None)?;
        match &render.deny {
            Some(denial) => Err(Denial::from(denial).into()),
            None => Ok(Some(LargeContent {
                name: render.name.clone(),
                size,
                ttl_seconds: render.ttl_seconds,
                attributes: Vec::new(),
            })),
        }
    }

    fn part(&self, key: &str, offset: u64, length: u32) -> Result<Vec<u8>, RenderError> {
        self.commands.begin();
        let render = self.rendered(key)?;
        self.commands.run_all(&render.each_part, None, None)?;
        if render.ends_at.is_some_and(|end| offset >= end) {
            return Err(Denial::new(ErrorCode::NotDefined, "it ends here", "on purpose").into());
        }
        let length = render.part_bytes.unwrap_or(length as usize);
        Ok((offset..).take(length).map(|at| (at % 251) as u8).collect())
    }
}

impl Reference {
    fn rendered(&self, key: &str) -> Result<&settings::Render, Denial> {
        let renders = &self.settings.renders;
        let render = renders.get(key).or_else(|| renders.get("*"));
        render
            .ok_or_else(|| Denial::file_not_found("no such content", format!("no rule for the key {key:?}")))
    }
}

impl TryAccept for Reference {
    fn try_accept_upload(&self, request: &Request, upload: &Upload) -> Result<Acceptance, Failure> {
        Ok(match self.answer(Hook::AcceptUpload, request, Some(upload))? {
            (Answer::Accept, _) => Acceptance::Accept,
            (Answer::Rename(rename), _) => rename.destination(&upload.sha256).into(),
            (Answer::Deny(denial), _) => Acceptance::Deny(denial.into()),
            (Answer::Tell, told) => Acceptance::Deny(Denial::access_violation("told", told)),
            _ => Acceptance::Abstain,
        })
    }
}

impl Observe for Reference {
    fn observe(&self, events: &[Event]) {
        let Some(sink) = &self.settings.observe else { return };
        for event in events {
            let line = shown(event).to_string();
            assert_eq!(sinks::emit(sink, &line), Ok(()), "{line}");
        }
    }
}

/// The keys of each map in the order of the alphabet.
fn shown(event: &Event) -> Value {
    let Event { sequence, unix_ms: ms, kind } = event;
    match kind {
        EventKind::Started(start) => json!({
            "decided-by": start.decided_by,
            "ms": ms,
            "path": start.request.path,
            "resolved": start.resolved.as_ref().map(resolved),
            "sequence": sequence,
            "size": start.size,
            "started": start.request.id,
        }),
        EventKind::Progressed(progress) => json!({
            "ms": ms,
            "progressed": progress.request_id,
            "sequence": sequence,
            "size": progress.size,
            "transferred": progress.transferred,
        }),
        EventKind::Finished(end) => json!({
            "blksize": end.blksize,
            "blocks": end.blocks,
            "decided-by": end.decided.decided_by,
            "decision": end.decision,
            "detail": end.detail,
            "finished": end.decided.request.id,
            "ms": ms,
            "outcome": end.outcome,
            "path": end.decided.request.path,
            "resolved": end.decided.resolved.as_ref().map(resolved),
            "retransmissions": end.retransmissions,
            "sequence": sequence,
            "size": end.decided.size,
            "transferred": end.transferred,
            "tried": end.tried.iter().map(place).collect::<Value>(),
            "tried-by": end.tried_by,
            "windowsize": end.windowsize,
        }),
        EventKind::Other(other) => json!({
            "attributes": map(&other.attributes),
            "ms": ms,
            "other": other.kind,
            "request-id": other.request_id,
            "sequence": sequence,
        }),
    }
}

fn resolved(resolved: &Resolved) -> Value {
    match resolved {
        Resolved::File(target) => json!({ "file": place(target) }),
        Resolved::Content(name) => json!({ "content": name }),
    }
}

fn place(target: &Target) -> Value {
    json!([target.root, target.path])
}

tuffet_sdk::manifest! {
    name: "reference",
    version: env!("CARGO_PKG_VERSION"),
    description: "Does what its settings say, the same in every language, for the tests of the server",
    optional: [
        ("kv", "tries keys"),
        ("files", "tries files"),
        ("sinks", "tries sinks"),
        ("http", "tries hosts"),
        ("metrics", "tries counters"),
        ("upload", "tries to read uploads"),
        ("client-history", "tells what it was told"),
        ("client-mac", "tells the addresses that it was told"),
        ("clock", "looks at the time"),
        ("random", "looks at random numbers"),
    ],
}
tuffet_sdk::settings_schema!("../settings.schema.json");
tuffet_sdk::export!(Reference: authorize, resolve, render, render_parts, accept_upload, observe);
