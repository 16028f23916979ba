//! An answer of the service: JSON with known keys of the right types, each within its bounds, and none that its kind does
//! not have.

use serde::Deserialize;
use tuffet_sdk::{Candidate, Content, Denial, ErrorCode, Operation, Profile, Resolution, Selection, Verdict};

use crate::candidate::{self, UrlRoot, WrittenCandidate};
use crate::made::bytes;
use crate::shape::Shape;
use crate::words::check_line;

/// The most bytes of an error text: more are not sent.
const MAX_MESSAGE: usize = 200;
/// The most bytes of a reason for the log.
const MAX_REASON: usize = 500;

/// What the service decided about a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Answer {
    Abstain,
    /// With the profile that it gave.
    Allow(Option<Profile>),
    Deny(Denial),
    Drop(String),
    Serve(Selection),
}

/// The kinds of answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    Abstain,
    Allow,
    Deny,
    Drop,
    Serve,
    Content,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Written {
    answer: Kind,
    profile: Option<Shape>,
    message: Option<String>,
    reason: Option<String>,
    code: Option<Code>,
    candidates: Option<Vec<WrittenCandidate>>,
    else_next: Option<bool>,
    text: Option<String>,
    base64: Option<String>,
    name: Option<String>,
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

impl Answer {
    /// Reads an answer about a request of this kind. The error says what is wrong with it.
    pub fn read(body: &[u8], operation: Operation, roots: &[UrlRoot]) -> Result<Answer, String> {
        let written = Written::read(body)?;
        Ok(match written.answer {
            Kind::Abstain => Answer::Abstain,
            Kind::Allow => Answer::Allow(written.profile.map(Shape::into_profile).transpose()?),
            Kind::Deny => Answer::Deny(written.denial()),
            Kind::Drop => Answer::Drop(written.reason.unwrap_or_else(|| "as the service says".into())),
            Kind::Serve => {
                let list = written.candidates.unwrap_or_default();
                let candidates = candidate::all(list, operation, roots)?;
                let else_next = written.else_next.unwrap_or(false);
                if candidates.is_empty() && !else_next {
                    return Err(
                        "`serve` has no candidates and no `else-next`: abstain or deny instead".into()
                    );
                }
                if else_next && candidates.iter().any(|its| !matches!(its, Candidate::File(_))) {
                    return Err("`else-next` cannot follow content, which always exists".into());
                }
                let profile = written.profile.map(Shape::into_profile).transpose()?;
                Answer::Serve(Selection { candidates, else_next, profile })
            }
            Kind::Content => return Err("`content` answers the hook `render` alone".into()),
        })
    }

    /// As an answer of `authorize`.
    pub fn into_verdict(self) -> Verdict {
        match self {
            Answer::Abstain => Verdict::Abstain,
            Answer::Allow(profile) | Answer::Serve(Selection { profile, .. }) => {
                Verdict::Allow(profile.unwrap_or_default())
            }
            Answer::Deny(denial) => Verdict::Deny(denial),
            Answer::Drop(reason) => Verdict::Drop(reason),
        }
    }

    /// As an answer of `resolve`: what is allowed is looked up as if the plugin had no opinion, with its profile.
    pub fn into_resolution(self) -> Resolution {
        match self {
            Answer::Abstain | Answer::Allow(None) => Resolution::Abstain,
            Answer::Allow(profile) => {
                Resolution::Serve(Selection { candidates: Vec::new(), else_next: true, profile })
            }
            Answer::Serve(selection) => Resolution::Serve(selection),
            Answer::Deny(denial) => Resolution::Deny(denial),
            Answer::Drop(reason) => Resolution::Drop(reason),
        }
    }

    /// Bytes of content in it.
    pub fn content_size(&self) -> usize {
        let Answer::Serve(selection) = self else { return 0 };
        let size = |candidate: &Candidate| match candidate {
            Candidate::Content(content) => content.data.len(),
            Candidate::File(_) | Candidate::Rendering(_) => 0,
        };
        selection.candidates.iter().map(size).sum()
    }
}

/// Reads an answer to the hook `render`: the content, or a denial.
pub(crate) fn content(body: &[u8]) -> Result<Result<Content, Denial>, String> {
    let written = Written::read(body)?;
    match written.answer {
        Kind::Content => bytes(written.text, written.base64, written.name).map(Ok),
        Kind::Deny => Ok(Err(written.denial())),
        _ => Err("the hook `render` takes `content` or `deny`".into()),
    }
}

impl Written {
    fn read(body: &[u8]) -> Result<Written, String> {
        let written: Written = serde_json::from_slice(body)
            .map_err(|error| format!("the answer is not as documented: {error}"))?;
        written.check().map_err(|problem| format!("the answer is not as documented: {problem}"))?;
        Ok(written)
    }

    /// No key that the answer of its kind does not have, and texts of one line.
    fn check(&self) -> Result<(), String> {
        let allowed: &[&str] = match self.answer {
            Kind::Abstain => &[],
            Kind::Allow => &["profile"],
            Kind::Deny => &["message", "reason", "code"],
            Kind::Drop => &["reason"],
            Kind::Serve => &["candidates", "else-next", "profile"],
            Kind::Content => &["text", "base64", "name"],
        };
        let given = [
            ("profile", self.profile.is_some()),
            ("message", self.message.is_some()),
            ("reason", self.reason.is_some()),
            ("code", self.code.is_some()),
            ("candidates", self.candidates.is_some()),
            ("else-next", self.else_next.is_some()),
            ("text", self.text.is_some()),
            ("base64", self.base64.is_some()),
            ("name", self.name.is_some()),
        ];
        if let Some((key, _)) = given.iter().find(|(key, given)| *given && !allowed.contains(key)) {
            return Err(format!("`{key}` does not belong to this kind of answer"));
        }
        for (key, text, most) in
            [("message", &self.message, MAX_MESSAGE), ("reason", &self.reason, MAX_REASON)]
        {
            text.as_deref().map_or(Ok(()), |text| check_line(key, text, most))?;
        }
        Ok(())
    }

    fn denial(self) -> Denial {
        let code = match self.code.unwrap_or(Code::AccessViolation) {
            Code::NotDefined => ErrorCode::NotDefined,
            Code::FileNotFound => ErrorCode::FileNotFound,
            Code::AccessViolation => ErrorCode::AccessViolation,
            Code::DiskFull => ErrorCode::DiskFull,
            Code::FileExists => ErrorCode::FileExists,
            Code::OptionRefused => ErrorCode::OptionRefused,
        };
        let message = self.message.unwrap_or_else(|| "access denied".into());
        Denial::new(code, message, self.reason.unwrap_or_default())
    }
}
