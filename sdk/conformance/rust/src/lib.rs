//! The reference guest in Rust. `sdk/conformance/README.md` says what it does.
#![forbid(unsafe_code)]

mod commands;
mod settings;

use serde_json::{Value, json};
use tuffet_sdk::{
    Accept, Acceptance, Authorize, Content, Denial, ErrorCode, Event, Happening, LargeContent, Observe,
    Plugin, Problems, RenderParts, Rendering, Request, Resolution, Resolve, Target, Upload, Verdict, sinks,
};

use commands::Commands;
pub use settings::Settings;
use settings::{Answer, Hook, Render};

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
        let configured = commands.run_all(&settings.configure, None, None);
        Ok(Reference { settings, commands, configured })
    }
}

impl Reference {
    /// The answer, and what the commands came to, as JSON.
    fn answer(&self, hook: Hook, request: &Request, upload: Option<&Upload>) -> (&Answer, String) {
        self.commands.begin();
        let Some(rule) = self.settings.rules.iter().find(|rule| rule.fits(hook, &request.path)) else {
            return (&Answer::Abstain, String::new());
        };
        let mut came_to = self.configured.clone();
        came_to.extend(self.commands.run_all(&rule.commands, Some(request), upload));
        (&rule.answer, Value::from(came_to).to_string())
    }
}

impl Authorize for Reference {
    fn authorize(&self, request: &Request) -> Verdict {
        match self.answer(Hook::Authorize, request, None) {
            (Answer::Allow(session), _) => Verdict::Allow(session.clone().into()),
            (Answer::Deny(denial), _) => Verdict::Deny(denial.into()),
            (Answer::Drop, _) => Verdict::Drop,
            (Answer::Tell, told) => Verdict::Deny(Denial::access_violation("told", told)),
            _ => Verdict::Abstain,
        }
    }
}

impl Resolve for Reference {
    fn resolve(&self, request: &Request) -> Resolution {
        match self.answer(Hook::Resolve, request, None) {
            (Answer::Files(files), _) => Resolution::Files(targets(files)),
            (Answer::FilesElseNext(files), _) => Resolution::FilesElseNext(targets(files)),
            (Answer::Content(text), _) => Resolution::Content(text.clone().into()),
            (Answer::Bytes(count), _) => {
                Resolution::Content((0..=255).cycle().take(*count).collect::<Vec<u8>>().into())
            }
            (Answer::Named { name, content }, _) => {
                Resolution::Content(Content { name: Some(name.clone()), bytes: content.clone().into() })
            }
            (Answer::Rendered(key), _) => Resolution::Rendered(key.replace("{path}", &request.path)),
            (Answer::Deny(denial), _) => Resolution::Deny(denial.into()),
            (Answer::Tell, told) => Resolution::Content(told.into()),
            _ => Resolution::Abstain,
        }
    }

    fn render(&self, key: &str) -> Result<Rendering, Denial> {
        self.commands.begin();
        let render = self.rendered(key)?;
        let told = Value::from(self.commands.run_all(&render.commands, None, None)).to_string();
        if let Some(denial) = &render.deny {
            return Err(denial.into());
        }
        let bytes = match (render.bytes, &render.content) {
            (Some(count), _) => (0..=255).cycle().take(count).collect(),
            (None, Some(text)) => text.clone().into(),
            (None, None) => told.into(),
        };
        let content = Content { name: render.name.clone(), bytes };
        Ok(Rendering { content, ttl_seconds: render.ttl_seconds })
    }
}

impl RenderParts for Reference {
    fn begin(&self, key: &str) -> Result<Option<LargeContent>, Denial> {
        self.commands.begin();
        let render = self.rendered(key)?;
        let Some(size) = render.parts else { return Ok(None) };
        self.commands.run_all(&render.commands, None, None);
        match &render.deny {
            Some(denial) => Err(denial.into()),
            None => {
                Ok(Some(LargeContent { name: render.name.clone(), size, ttl_seconds: render.ttl_seconds }))
            }
        }
    }

    fn part(&self, key: &str, offset: u64, length: u32) -> Result<Vec<u8>, Denial> {
        self.commands.begin();
        let render = self.rendered(key)?;
        self.commands.run_all(&render.each_part, None, None);
        if render.ends_at.is_some_and(|end| offset >= end) {
            return Err(Denial::new(ErrorCode::NotDefined, "it ends here", "on purpose"));
        }
        let length = render.part_bytes.unwrap_or(length as usize);
        Ok((offset..).take(length).map(|at| (at % 251) as u8).collect())
    }
}

impl Reference {
    fn rendered(&self, key: &str) -> Result<&Render, Denial> {
        let renders = &self.settings.renders;
        let render = renders.get(key).or_else(|| renders.get("*"));
        render
            .ok_or_else(|| Denial::file_not_found("no such content", format!("no rule for the key {key:?}")))
    }
}

fn targets(files: &[String]) -> Vec<Target> {
    let targets = files.iter().filter_map(|file| file.split_once(':'));
    targets.map(|(root, path)| Target::new(root, path)).collect()
}

impl Accept for Reference {
    fn accept_upload(&self, request: &Request, upload: &Upload) -> Acceptance {
        match self.answer(Hook::AcceptUpload, request, Some(upload)) {
            (Answer::Accept, _) => Acceptance::Accept,
            (Answer::Rename(path), _) => Acceptance::Rename(path.replace("{sha256}", &upload.sha256)),
            (Answer::Deny(denial), _) => Acceptance::Deny(denial.into()),
            (Answer::Tell, told) => Acceptance::Deny(Denial::access_violation("told", told)),
            _ => Acceptance::Abstain,
        }
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

fn shown(event: &Event) -> Value {
    match &event.what {
        Happening::Started(start) => json!({
            "started": start.request.id,
            "path": start.request.path,
            "resolved": start.resolved,
            "verdict-by": start.verdict_by,
            "size": start.size,
            "ms": event.unix_ms,
        }),
        Happening::Progressed(progress) => {
            json!({ "progressed": progress.id, "bytes": progress.bytes, "size": progress.size })
        }
        Happening::Finished(end) => json!({
            "finished": end.request.id,
            "path": end.request.path,
            "outcome": end.outcome.name(),
            "detail": end.detail,
            "decision": end.decision.name(),
            "resolved": end.resolved,
            "verdict-by": end.verdict_by,
            "size": end.size,
            "bytes": end.bytes,
            "blocks": end.blocks,
            "blksize": end.blksize,
            "windowsize": end.windowsize,
            "retransmissions": end.retransmissions,
            "ms": event.unix_ms,
        }),
    }
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
tuffet_sdk::export!(Reference: authorize, resolve, render_parts, accept_upload, observe);
