//! What the reference guest is told to do.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use tuffet_sdk::{Denial, ErrorCode, Profile, SessionValues};

/// What to do.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    #[serde(default)]
    pub(crate) rules: Vec<Rule>,
    #[serde(default)]
    pub(crate) configure: Vec<Vec<Value>>,
    pub(crate) observe: Option<String>,
    /// What it renders, by key; `*` for any other. From version 0.2.0 on.
    #[serde(default)]
    pub(crate) renders: BTreeMap<String, Render>,
}

/// What is rendered for a key.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Render {
    #[serde(default, rename = "do")]
    pub commands: Vec<Vec<Value>>,
    pub name: Option<String>,
    /// The content; without it, what the commands came to.
    pub content: Option<String>,
    /// So many bytes instead.
    pub bytes: Option<usize>,
    /// So many bytes in parts, instead of all that.
    pub parts: Option<u64>,
    /// The longest part; as long as it is asked for otherwise.
    pub part_bytes: Option<usize>,
    /// What each part runs first.
    #[serde(default)]
    pub each_part: Vec<Vec<Value>>,
    /// The part that begins here or behind it is refused.
    pub ends_at: Option<u64>,
    pub ttl_seconds: Option<u32>,
    pub deny: Option<Refusal>,
}

/// What to do when it is asked about a path; the first that fits counts.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rule {
    pub hook: Hook,
    /// A path, or what paths begin with and `*`.
    pub path: String,
    #[serde(default, rename = "do")]
    pub commands: Vec<Vec<Value>>,
    pub answer: Answer,
}

impl Rule {
    pub fn fits(&self, hook: Hook, path: &str) -> bool {
        hook == self.hook
            && match self.path.strip_suffix('*') {
                Some(prefix) => path.starts_with(prefix),
                None => path == self.path,
            }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Hook {
    Authorize,
    Resolve,
    AcceptUpload,
}

impl Hook {
    pub fn word(self) -> &'static str {
        match self {
            Hook::Authorize => "authorize",
            Hook::Resolve => "resolve",
            Hook::AcceptUpload => "accept-upload",
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Answer {
    Abstain,
    Allow(Session),
    Deny(Refusal),
    Drop,
    Files(Vec<String>),
    /// From version 0.2.0 on.
    FilesElseNext(Vec<String>),
    Content(String),
    /// So many bytes of content: 0 to 255, again and again.
    Bytes(usize),
    Accept,
    Rename(String),
    /// From version 0.2.0 on: content with a name.
    Named {
        name: String,
        content: String,
    },
    /// From version 0.2.0 on: a key; `renders` has the content for it.
    Rendered(String),
    /// What the commands came to: as content, or as the reason of a denial.
    Tell,
}

impl Answer {
    pub fn word(&self) -> &'static str {
        match self {
            Answer::Abstain => "abstain",
            Answer::Allow(_) => "allow",
            Answer::Deny(_) => "deny",
            Answer::Drop => "drop",
            Answer::Files(_) => "files",
            Answer::FilesElseNext(_) => "files-else-next",
            Answer::Content(_) => "content",
            Answer::Bytes(_) => "bytes",
            Answer::Accept => "accept",
            Answer::Rename(_) => "rename",
            Answer::Named { .. } => "named",
            Answer::Rendered(_) => "rendered",
            Answer::Tell => "tell",
        }
    }

    pub fn fits(&self, hook: Hook) -> bool {
        match self {
            Answer::Abstain | Answer::Deny(_) | Answer::Tell => true,
            Answer::Allow(_) | Answer::Drop => hook == Hook::Authorize,
            Answer::Files(_)
            | Answer::FilesElseNext(_)
            | Answer::Content(_)
            | Answer::Bytes(_)
            | Answer::Named { .. }
            | Answer::Rendered(_) => hook == Hook::Resolve,
            Answer::Accept | Answer::Rename(_) => hook == Hook::AcceptUpload,
        }
    }
}

/// What an allow says about the session. Guests of version 0.1.0 know `blksize`, `windowsize` and `bytes`.
#[derive(Clone, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(crate) struct Session {
    blksize: Option<u16>,
    windowsize: Option<u16>,
    timeout: Option<u8>,
    bytes: Option<u64>,
    floors: Values,
    overrides: Values,
    burst: Option<u16>,
    rate: Option<u64>,
    refuse_options: Vec<String>,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Values {
    blksize: Option<u16>,
    windowsize: Option<u16>,
    timeout: Option<u8>,
}

impl From<Values> for SessionValues {
    fn from(Values { blksize, windowsize, timeout }: Values) -> SessionValues {
        SessionValues { blksize, windowsize, timeout }
    }
}

impl From<Session> for Profile {
    fn from(session: Session) -> Profile {
        let Session { blksize, windowsize, timeout, bytes, floors, overrides, burst, rate, refuse_options } =
            session;
        let (floors, overrides) = (floors.into(), overrides.into());
        Profile { blksize, windowsize, timeout, bytes, floors, overrides, burst, rate, refuse_options }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Refusal {
    code: Code,
    message: String,
    reason: String,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Code {
    NotDefined,
    FileNotFound,
    AccessViolation,
    DiskFull,
    FileExists,
    OptionRefused,
}

impl From<&Refusal> for Denial {
    fn from(refusal: &Refusal) -> Denial {
        let code = match refusal.code {
            Code::NotDefined => ErrorCode::NotDefined,
            Code::FileNotFound => ErrorCode::FileNotFound,
            Code::AccessViolation => ErrorCode::AccessViolation,
            Code::DiskFull => ErrorCode::DiskFull,
            Code::FileExists => ErrorCode::FileExists,
            Code::OptionRefused => ErrorCode::OptionRefused,
        };
        Denial { code, message: refusal.message.clone(), reason: refusal.reason.clone() }
    }
}
