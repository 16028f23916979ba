//! What the reference guest is told to do.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use tuffet_sdk::{Candidate, Content, Denial, Destination, ErrorCode, Profile, Selection, SessionValues};

/// What to do.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    #[serde(default)]
    pub(crate) rules: Vec<Rule>,
    #[serde(default)]
    pub(crate) configure: Vec<Vec<Value>>,
    pub(crate) observe: Option<String>,
    /// What it renders, by key; `*` for any other.
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
    /// The label of the request.
    pub label: Option<String>,
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
    Allow(Box<Sent>),
    Deny(Refusal),
    Drop(String),
    Serve(Box<Serve>),
    Accept,
    Rename(Rename),
    /// What the commands came to: as content, or as the reason of a denial.
    Tell,
}

impl Answer {
    pub fn word(&self) -> &'static str {
        match self {
            Answer::Abstain => "abstain",
            Answer::Allow(_) => "allow",
            Answer::Deny(_) => "deny",
            Answer::Drop(_) => "drop",
            Answer::Serve(_) => "serve",
            Answer::Accept => "accept",
            Answer::Rename(_) => "rename",
            Answer::Tell => "tell",
        }
    }

    pub fn fits(&self, hook: Hook) -> bool {
        match self {
            Answer::Abstain | Answer::Deny(_) | Answer::Tell => true,
            Answer::Allow(_) => hook == Hook::Authorize,
            Answer::Drop(_) => hook != Hook::AcceptUpload,
            Answer::Serve(_) => hook == Hook::Resolve,
            Answer::Accept | Answer::Rename(_) => hook == Hook::AcceptUpload,
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Serve {
    candidates: Vec<Served>,
    #[serde(default)]
    else_next: bool,
    profile: Option<Sent>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Served {
    /// `ROOT:PATH`.
    File(String),
    Rendering(Key),
    Made(Made),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Key {
    rendering: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Made {
    name: Option<String>,
    content: Option<String>,
    bytes: Option<usize>,
}

impl Serve {
    /// The answer for a request of this path.
    pub fn selection(&self, path: &str) -> Selection {
        Selection {
            candidates: self.candidates.iter().map(|served| served.candidate(path)).collect(),
            else_next: self.else_next,
            profile: self.profile.as_ref().map(Profile::from),
        }
    }
}

impl Served {
    fn candidate(&self, path: &str) -> Candidate {
        match self {
            Served::File(file) => {
                let (root, path) = file.split_once(':').unwrap_or((file, ""));
                Candidate::file(root, path)
            }
            Served::Rendering(Key { rendering }) => Candidate::rendering(rendering.replace("{path}", path)),
            Served::Made(Made { name, content, bytes }) => {
                let data = bytes.map_or_else(|| content.clone().unwrap_or_default().into(), counted);
                Content { name: name.clone(), data, attributes: Vec::new() }.into()
            }
        }
    }
}

/// So many bytes: 0 to 255, again and again.
pub(crate) fn counted(count: usize) -> Vec<u8> {
    (0..=255).cycle().take(count).collect()
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Rename {
    path: String,
    #[serde(default)]
    next_free: bool,
}

impl Rename {
    pub fn destination(&self, sha256: &str) -> Destination {
        Destination { path: self.path.replace("{sha256}", sha256), next_free: self.next_free }
    }
}

/// A profile.
#[derive(Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(crate) struct Sent {
    ceilings: Values,
    floors: Values,
    overrides: Values,
    max_size: Option<u64>,
    burst: Option<u16>,
    rate: Option<u64>,
    refuse_options: Vec<String>,
    attributes: BTreeMap<String, String>,
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

impl From<&Sent> for Profile {
    fn from(sent: &Sent) -> Profile {
        Profile {
            ceilings: sent.ceilings.into(),
            floors: sent.floors.into(),
            overrides: sent.overrides.into(),
            max_size: sent.max_size,
            burst: sent.burst,
            rate: sent.rate,
            refuse_options: sent.refuse_options.clone(),
            attributes: sent.attributes.clone().into_iter().collect(),
        }
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
