//! The answers of hooks: those of WebAssembly components and those of programs.

use std::sync::Arc;

use super::content::PluginContent;
use super::failure::{Cause, Failure};
use super::text::one_line;
use tuffet_request::{Denial, ErrorCode, Label, Request, SessionProfile, SessionValues};
use tuffet_store::{Destination, Source};

/// The maximum number of files in an answer.
pub const MAX_CANDIDATES: usize = 64;

/// Bytes of content that weigh as much as one decision.
const CONTENT_UNIT: u64 = 1024;

/// A verdict on a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// No opinion: the next hook decides, and after the last one the default.
    Abstain,
    /// Allowed, with this profile. The profiles of several hooks combine to the lowest ceilings.
    Allow(SessionProfile),
    /// Refused with an ERROR. No further hook is asked.
    Deny(Denial),
    /// Dropped without an answer, for this reason, so that the client asks another server. No further hook is asked.
    Drop(String),
}

impl Verdict {
    /// Allows the request as it is.
    pub fn allow() -> Verdict {
        Verdict::Allow(SessionProfile::default())
    }

    /// Denies the request with ERROR 2 (RFC 1350); `reason` is for the log alone.
    pub fn deny(reason: impl Into<String>) -> Verdict {
        Verdict::Deny(access_denied(reason.into()))
    }
}

/// Which content answers a request.
#[derive(Debug, Clone)]
pub enum Resolution {
    /// No opinion: the next hook decides, and after the last one the requested path is looked up in the roots.
    Abstain,
    /// The first of these files that exists, or what follows.
    Serve(Selection),
    /// Refused with an ERROR.
    Deny(Denial),
    /// Dropped without an answer, for this reason.
    Drop(String),
}

impl Resolution {
    /// The file at this path of a root.
    pub fn file(root: impl Into<String>, path: impl Into<String>) -> Resolution {
        Resolution::files([Target { root: root.into(), path: path.into() }])
    }

    /// The first of these files that exists; for an upload, the first. If none exists, the request is refused. At most 64.
    pub fn files(files: impl IntoIterator<Item = Target>) -> Resolution {
        Selection::of(files).into()
    }

    /// This content, for a read request.
    pub fn content(source: Source) -> Resolution {
        Selection::of([]).or_content(source).into()
    }

    /// This content; without one, ERROR 1: nothing else has the file.
    pub fn content_or_not_found(content: Option<Source>) -> Resolution {
        content.map_or_else(|| Resolution::not_found("the hook has no such file"), Resolution::content)
    }

    /// Refuses the request with ERROR 1, "file not found" (RFC 1350); `reason` is for the log alone.
    pub fn not_found(reason: impl Into<String>) -> Resolution {
        let (code, message) = (ErrorCode::FileNotFound, "file not found".into());
        Resolution::Deny(Denial { code, message, reason: reason.into() })
    }

    /// Denies the request with ERROR 2 (RFC 1350); `reason` is for the log alone.
    pub fn deny(reason: impl Into<String>) -> Resolution {
        Resolution::Deny(access_denied(reason.into()))
    }
}

impl From<Selection> for Resolution {
    fn from(selection: Selection) -> Resolution {
        Resolution::Serve(selection)
    }
}

impl From<Source> for Resolution {
    fn from(source: Source) -> Resolution {
        Resolution::content(source)
    }
}

impl From<Option<Source>> for Resolution {
    /// Without a content, it has no opinion.
    fn from(content: Option<Source>) -> Resolution {
        content.map_or(Resolution::Abstain, Resolution::content)
    }
}

/// A file in a root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The name of a root.
    pub root: String,
    /// A path in it.
    pub path: String,
}

/// Files to serve, the first that exists, and what follows if none does.
#[derive(Debug, Clone)]
pub struct Selection {
    files: Vec<Target>,
    fallback: Fallback,
    profile: Option<SessionProfile>,
}

/// What follows if none of the files of a [`Selection`] exists.
#[derive(Debug, Clone)]
pub enum Fallback {
    /// The request is refused.
    NotFound,
    /// The next hook of the chain decides.
    Next,
    /// Content of a plugin.
    Content(Arc<PluginContent>),
    /// Content of the program, opened when it is needed.
    Source(Source),
    /// Content to be rendered for this key.
    Rendering(Arc<str>),
}

impl Selection {
    /// The first of these files that exists; for an upload, the first. At most 64.
    pub fn of(files: impl IntoIterator<Item = Target>) -> Selection {
        Selection { files: files.into_iter().collect(), fallback: Fallback::NotFound, profile: None }
    }

    /// If none exists, the next hook decides.
    #[must_use]
    pub fn or_next(self) -> Selection {
        self.or(Fallback::Next)
    }

    /// If none exists, a read request gets this content.
    #[must_use]
    pub fn or_content(self, source: Source) -> Selection {
        self.or(Fallback::Source(source))
    }

    /// If none exists, this follows.
    #[doc(hidden)]
    #[must_use]
    pub fn or(self, fallback: Fallback) -> Selection {
        Selection { fallback, ..self }
    }

    /// The transfer gets this profile, combined with those of other hooks to the lowest ceilings.
    #[must_use]
    pub fn with_profile(self, profile: SessionProfile) -> Selection {
        Selection { profile: Some(profile), ..self }
    }

    /// The files, in order.
    pub fn targets(&self) -> &[Target] {
        &self.files
    }

    /// What follows if none of them exists.
    #[doc(hidden)]
    pub fn fallback(&self) -> &Fallback {
        &self.fallback
    }

    /// The profile.
    pub fn profile(&self) -> Option<&SessionProfile> {
        self.profile.as_ref()
    }

    /// Returns the files, what follows, and the profile.
    #[doc(hidden)]
    pub fn into_parts(self) -> (Vec<Target>, Fallback, Option<SessionProfile>) {
        (self.files, self.fallback, self.profile)
    }
}

/// A verdict on a complete upload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UploadVerdict {
    /// No opinion. If no hook has one, the upload becomes visible.
    Abstain,
    /// It becomes visible.
    Accept,
    /// It becomes visible under this path of its root.
    Rename(Destination),
    /// Refused with an ERROR.
    Deny(Denial),
}

fn access_denied(reason: String) -> Denial {
    Denial { code: ErrorCode::AccessViolation, message: "access denied".into(), reason }
}

/// What the chains and their guards need of an answer.
pub trait Answer: Clone + Send {
    /// The answer without an opinion.
    const ABSTAIN: Self;
    /// The answer of a failed hook whose failures deny.
    fn deny(denial: Denial) -> Self;
    /// The decision in one word, for traces.
    fn word(&self) -> &'static str;
    /// Details beside the word.
    fn detail(&self) -> String;
    /// Its weight in the decision cache, in units of one plain decision.
    fn weight(&self) -> u64 {
        1
    }
    /// Returns whether clients would notice no difference between the two. Reasons, which are for the log, do not matter.
    fn equals(&self, other: &Self) -> bool;
    /// Returns whether this answer, of one more hook of the chain, would change what the chain answered.
    fn changes(&self, chain: &Self, _request: &Request) -> bool {
        !self.equals(chain)
    }
    /// What makes it invalid.
    fn problem(&self) -> Option<String> {
        None
    }

    /// Returns the answer.
    ///
    /// # Errors
    /// It is invalid.
    fn checked(self) -> Result<Self, Failure> {
        match self.problem() {
            None => Ok(self),
            Some(problem) => Err(Failure::new(Cause::BadAnswer, problem)),
        }
    }
}

/// An answer, and the label that the hook gave the request.
#[derive(Debug, Clone)]
pub(crate) struct Labelled<A> {
    pub(crate) answer: A,
    pub(crate) label: Option<Label>,
}

impl Answer for Verdict {
    const ABSTAIN: Verdict = Verdict::Abstain;

    fn deny(denial: Denial) -> Verdict {
        Verdict::Deny(denial)
    }

    fn word(&self) -> &'static str {
        match self {
            Verdict::Abstain => "abstain",
            Verdict::Allow(_) => "allow",
            Verdict::Deny(_) => "deny",
            Verdict::Drop(_) => "drop",
        }
    }

    fn detail(&self) -> String {
        match self {
            Verdict::Abstain => String::new(),
            Verdict::Allow(profile) => profile_of(profile),
            Verdict::Deny(denial) => reason_of(denial),
            Verdict::Drop(reason) => reason.clone(),
        }
    }

    fn equals(&self, other: &Verdict) -> bool {
        match (self, other) {
            (Verdict::Abstain, Verdict::Abstain) | (Verdict::Drop(_), Verdict::Drop(_)) => true,
            (Verdict::Allow(profile), Verdict::Allow(others)) => profile == others,
            (Verdict::Deny(denial), Verdict::Deny(others)) => is_same_error(denial, others),
            _ => false,
        }
    }

    /// The profiles of several allows combine.
    fn changes(&self, chain: &Verdict, _: &Request) -> bool {
        match (self, chain) {
            (Verdict::Allow(profile), Verdict::Allow(before)) => before.and(*profile) != *before,
            _ => !self.equals(chain),
        }
    }

    fn problem(&self) -> Option<String> {
        match self {
            Verdict::Allow(profile) => problem_of(profile),
            Verdict::Abstain | Verdict::Deny(_) | Verdict::Drop(_) => None,
        }
    }
}

impl Answer for UploadVerdict {
    const ABSTAIN: UploadVerdict = UploadVerdict::Abstain;

    fn deny(denial: Denial) -> UploadVerdict {
        UploadVerdict::Deny(denial)
    }

    fn word(&self) -> &'static str {
        match self {
            UploadVerdict::Abstain => "abstain",
            UploadVerdict::Accept => "accept",
            UploadVerdict::Rename(_) => "rename",
            UploadVerdict::Deny(_) => "deny",
        }
    }

    fn detail(&self) -> String {
        match self {
            UploadVerdict::Abstain | UploadVerdict::Accept => String::new(),
            UploadVerdict::Rename(to) if to.next_free => format!("{}, or the next free name", to.path),
            UploadVerdict::Rename(to) => to.path.clone(),
            UploadVerdict::Deny(denial) => reason_of(denial),
        }
    }

    fn equals(&self, other: &UploadVerdict) -> bool {
        match (self, other) {
            (UploadVerdict::Deny(denial), UploadVerdict::Deny(others)) => is_same_error(denial, others),
            _ => self == other,
        }
    }

    /// An upload without an objection becomes visible.
    fn changes(&self, chain: &UploadVerdict, _: &Request) -> bool {
        match (self, chain) {
            (UploadVerdict::Accept, UploadVerdict::Abstain) => false,
            _ => !self.equals(chain),
        }
    }
}

impl Answer for Resolution {
    const ABSTAIN: Resolution = Resolution::Abstain;

    fn deny(denial: Denial) -> Resolution {
        Resolution::Deny(denial)
    }

    fn word(&self) -> &'static str {
        match self {
            Resolution::Abstain => "abstain",
            Resolution::Serve(Selection { files, fallback, .. }) => match fallback {
                Fallback::NotFound => "files",
                Fallback::Next => "files-else-next",
                Fallback::Content(_) | Fallback::Source(_) if files.is_empty() => "content",
                Fallback::Content(_) | Fallback::Source(_) => "files-else-content",
                Fallback::Rendering(_) if files.is_empty() => "rendered",
                Fallback::Rendering(_) => "files-else-rendered",
            },
            Resolution::Deny(_) => "deny",
            Resolution::Drop(_) => "drop",
        }
    }

    fn detail(&self) -> String {
        match self {
            Resolution::Abstain => String::new(),
            Resolution::Serve(Selection { files, fallback, profile }) => {
                let mut parts: Vec<String> =
                    files.iter().map(|file| format!("{}:{}", file.root, file.path)).collect();
                match fallback {
                    Fallback::NotFound | Fallback::Next => {}
                    Fallback::Content(content) => parts.push(content_of(content)),
                    Fallback::Source(source) => parts.push(format!("{} bytes", source.size())),
                    Fallback::Rendering(key) => parts.push(one_line(key, 200)),
                }
                let profile = profile.as_ref().map(profile_of).filter(|profile| !profile.is_empty());
                parts.extend(profile);
                parts.join(", ")
            }
            Resolution::Deny(denial) => reason_of(denial),
            Resolution::Drop(reason) => reason.clone(),
        }
    }

    fn equals(&self, other: &Resolution) -> bool {
        match (self, other) {
            (Resolution::Abstain, Resolution::Abstain) | (Resolution::Drop(_), Resolution::Drop(_)) => true,
            (Resolution::Serve(selection), Resolution::Serve(others)) => {
                selection.files == others.files
                    && selection.profile.unwrap_or_default() == others.profile.unwrap_or_default()
                    && selection.fallback.equals(&others.fallback)
            }
            (Resolution::Deny(denial), Resolution::Deny(others)) => is_same_error(denial, others),
            _ => false,
        }
    }

    /// Without an opinion of the chain, the requested path is looked up.
    fn changes(&self, chain: &Resolution, request: &Request) -> bool {
        match (self, chain) {
            (Resolution::Serve(Selection { files, profile: None, .. }), Resolution::Abstain)
                if !files.is_empty() =>
            {
                !files.iter().all(|file| *file.path == *request.path)
            }
            _ => !self.equals(chain),
        }
    }

    fn weight(&self) -> u64 {
        match self {
            Resolution::Serve(Selection { files, fallback, .. }) => {
                let content = match fallback {
                    Fallback::Content(content) => content.len() / CONTENT_UNIT,
                    Fallback::Source(source) => source.size() / CONTENT_UNIT,
                    Fallback::NotFound | Fallback::Next | Fallback::Rendering(_) => 0,
                };
                1 + (files.len() / 8) as u64 + content
            }
            Resolution::Abstain | Resolution::Deny(_) | Resolution::Drop(_) => 1,
        }
    }

    fn problem(&self) -> Option<String> {
        let Resolution::Serve(Selection { files, profile, .. }) = self else { return None };
        if files.len() > MAX_CANDIDATES {
            let number = files.len();
            return Some(format!("it answered with {number} candidates: {MAX_CANDIDATES} are allowed"));
        }
        profile.as_ref().and_then(problem_of)
    }
}

impl Fallback {
    /// Returns whether clients would notice no difference. Content that is made in parts counts by its name and size.
    fn equals(&self, other: &Fallback) -> bool {
        match (self, other) {
            (Fallback::NotFound, Fallback::NotFound) | (Fallback::Next, Fallback::Next) => true,
            (Fallback::Content(content), Fallback::Content(others)) => {
                match (content.bytes(), others.bytes()) {
                    (Some(bytes), Some(others)) => bytes == others,
                    _ => content.len() == others.len() && content.name() == others.name(),
                }
            }
            (Fallback::Source(source), Fallback::Source(others)) => source.size() == others.size(),
            (Fallback::Rendering(key), Fallback::Rendering(others)) => key == others,
            _ => false,
        }
    }
}

/// Rendered content; `None` if the hook failed, and its failures count as no opinion.
impl Answer for Option<Result<Arc<PluginContent>, Denial>> {
    const ABSTAIN: Self = None;

    fn deny(denial: Denial) -> Self {
        Some(Err(denial))
    }

    fn word(&self) -> &'static str {
        match self {
            None => "abstain",
            Some(Ok(_)) => "content",
            Some(Err(_)) => "deny",
        }
    }

    fn detail(&self) -> String {
        match self {
            None => String::new(),
            Some(Ok(content)) => content_of(content),
            Some(Err(denial)) => reason_of(denial),
        }
    }

    fn equals(&self, other: &Self) -> bool {
        match (self, other) {
            (None, None) => true,
            (Some(Ok(content)), Some(Ok(others))) => {
                Fallback::Content(Arc::clone(content)).equals(&Fallback::Content(Arc::clone(others)))
            }
            (Some(Err(denial)), Some(Err(others))) => is_same_error(denial, others),
            _ => false,
        }
    }
}

fn is_same_error(denial: &Denial, other: &Denial) -> bool {
    (denial.code, &denial.message) == (other.code, &other.message)
}

fn content_of(content: &PluginContent) -> String {
    match (content.len(), content.name()) {
        (bytes, None) => format!("{bytes} bytes"),
        (bytes, Some(name)) => format!("{bytes} bytes, {name}"),
    }
}

fn problem_of(profile: &SessionProfile) -> Option<String> {
    profile.problem().map(|problem| format!("it allowed {problem}"))
}

fn profile_of(profile: &SessionProfile) -> String {
    let each = |values: &SessionValues, word: &str| {
        values.iter().map(|(name, value)| format!("{name} {word} {value}")).collect::<Vec<_>>()
    };
    let mut parts = each(&profile.ceilings, "at most");
    parts.extend(profile.bytes.map(|bytes| format!("bytes at most {bytes}")));
    parts.extend(each(&profile.floors, "at least"));
    parts.extend(each(&profile.overrides, "overridden with"));
    parts.extend(profile.burst.map(|burst| format!("burst {burst}")));
    parts.extend(profile.rate.map(|rate| format!("rate at most {rate}")));
    parts.extend(profile.refused.names().map(|name| format!("no {name}")));
    parts.join(", ")
}

fn reason_of(denial: &Denial) -> String {
    if denial.reason.is_empty() { denial.message.clone() } else { denial.reason.clone() }
}
