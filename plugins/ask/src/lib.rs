//! An HTTP service decides: one POST asks it about a request, and its answer in JSON allows, denies, drops, or says what
//! the client gets. README.md shows the settings, the questions and the answers.
//!
//! Nothing that the service sends is believed. An answer that is late, too large or not as documented is no answer, and
//! `when-away` decides. How long answers are kept is the host's to see to: it reads the `Cache-Control` of what a call got.
#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod answer;
mod candidate;
mod last;
mod made;
mod notes;
mod question;
mod service;
mod settings;
mod shape;
#[cfg(test)]
mod tests;
mod words;

use std::cell::RefCell;
use std::time::Duration;

use tuffet_sdk::{
    Authorize, Denial, ErrorCode, Level, Plugin, Problems, Render, RenderError, Rendering, Request,
    Resolution, Resolve, Verdict, log,
};

use answer::Answer;
use candidate::UrlRoot;
use notes::{Note, Notes};
use question::Question;
use service::Service;
use settings::{Settings, WhenAway};

/// The service, and what counts without it.
pub struct Ask {
    service: Service,
    when_away: WhenAway,
    /// How long a last answer counts.
    last_for: Duration,
    /// The longest time that content is kept that the service names by a key.
    renderings: Duration,
    /// Roots whose origin is a web server that the service may name files of by URL.
    roots: Vec<UrlRoot>,
    /// What `authorize` learnt, for `resolve`.
    notes: RefCell<Notes>,
}

impl Plugin for Ask {
    type Settings = Settings;

    fn configure(settings: Settings) -> Result<Self, Problems> {
        settings::check(settings)
    }
}

impl Authorize for Ask {
    fn authorize(&self, request: &Request) -> Verdict {
        let (answer, source) = self.answer("authorize", request, self.service.time);
        if !matches!(source, Source::LimitedAnswer) {
            let is_away = matches!(source, Source::Away);
            self.notes.borrow_mut().keep(&request.id, &answer, is_away);
        }
        answer.into_verdict()
    }
}

impl Resolve for Ask {
    fn resolve(&self, request: &Request) -> Resolution {
        let note = self.notes.borrow_mut().take(&request.id);
        let answer = |within| self.answer("resolve", request, within).0;
        let answer = match note {
            Some(Note::Answer(answer)) => answer,
            Some(Note::Away) => answer(self.service.time / SECOND_TRY_DIVISOR),
            None => answer(self.service.time),
        };
        answer.into_resolution()
    }
}

impl Render for Ask {
    fn render(&self, key: &str) -> Result<Rendering, RenderError> {
        let made = self.service.post(&Question::of_key(key), self.service.time);
        let content = match made.and_then(|reply| answer::content(&reply.body)) {
            Ok(content) => content?,
            Err(reason) => {
                let reason = self.service.explain(reason);
                log(Level::Warn, &reason);
                return Err(away(reason).into());
            }
        };
        let ttl_seconds = u32::try_from(self.renderings.as_secs()).unwrap_or(u32::MAX);
        Ok(Rendering { content, ttl_seconds: Some(ttl_seconds) })
    }
}

/// A service that was away for `authorize` gets this part of the time for `resolve`, so that the limit of the chain is not
/// exceeded.
const SECOND_TRY_DIVISOR: u32 = 8;

/// Where an answer comes from. The server keeps the decision of a call that asks nobody for as long as it likes; so neither
/// what the service limits nor what counts without it may serve such a call.
enum Source {
    /// The service. The answer may serve the other hook, too.
    Service,
    /// The service, which limits how long it may be kept.
    LimitedAnswer,
    /// The service is away.
    Away,
}

impl Ask {
    /// The answer of the service, or what counts without one.
    fn answer(&self, hook: &'static str, request: &Request, within: Duration) -> (Answer, Source) {
        let read = |body: &[u8]| Answer::read(body, request.operation, &self.roots);
        let reply = self.service.post(&Question::of(hook, request), within);
        let keeps = self.when_away == WhenAway::Last;
        let reason = match reply.and_then(|reply| Ok((read(&reply.body)?, reply))) {
            Ok((answer, reply)) => {
                if keeps {
                    let serves = matches!(answer, Answer::Allow(_) | Answer::Serve(_));
                    let body = (serves && reply.may_be_stored).then_some(&*reply.body);
                    last::note(request, body, self.last_for);
                }
                return (answer, if reply.is_limited { Source::LimitedAnswer } else { Source::Service });
            }
            Err(reason) => self.service.explain(reason),
        };
        // Settings may have changed since it was kept, so it is read as a new one is.
        let last =
            keeps.then(|| last::find(request, self.last_for)).flatten().and_then(|body| read(&body).ok());
        if let Some(last) = last {
            log(Level::Warn, format!("{reason}; its last answer to this request counts"));
            return (last, Source::Away);
        }
        log(Level::Warn, &reason);
        let answer = match self.when_away {
            WhenAway::Drop | WhenAway::Last => Answer::Drop(reason),
            WhenAway::Deny => Answer::Deny(away(reason)),
            WhenAway::Abstain => Answer::Abstain,
        };
        (answer, Source::Away)
    }
}

/// The denial without an answer of the service.
fn away(reason: String) -> Denial {
    Denial::new(ErrorCode::NotDefined, "the service that decides does not answer", reason)
}

tuffet_sdk::manifest! {
    name: "ask",
    version: env!("CARGO_PKG_VERSION"),
    description: "An HTTP service decides, and says which file or content a client gets",
    grants: [("http", "asks the service of the setting `url`")],
    optional: [
        ("client-mac", "tells the service the MAC addresses of the client, and its lease"),
        ("kv", "keeps the last answers, with `when-away: last`"),
    ],
    facts: ["lease", "local-address", "interface", "vlan"],
    reuse: true,
}
tuffet_sdk::export!(Ask: authorize, resolve, render);
