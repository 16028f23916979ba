//! From the types of version 0.1.0 to those of the newest one.

use crate::policy::bindings::{v0_1, v0_2};
use v0_1::exports::tuffet::policy as old;
use v0_1::tuffet::policy::types;
use v0_2::exports::tuffet::policy as new;
use v0_2::tuffet::policy::types as new_types;

impl From<old::lifecycle::Problem> for new::lifecycle::Problem {
    fn from(old::lifecycle::Problem { pointer, message }: old::lifecycle::Problem) -> Self {
        new::lifecycle::Problem { pointer, message }
    }
}

impl From<old::authorize::Verdict> for new::authorize::Verdict {
    fn from(verdict: old::authorize::Verdict) -> Self {
        match verdict {
            old::authorize::Verdict::Abstain => Self::Abstain,
            old::authorize::Verdict::Allow(limits) => Self::Allow(limits.into()),
            old::authorize::Verdict::Deny(denial) => Self::Deny(denial.into()),
            old::authorize::Verdict::Drop => Self::Drop,
        }
    }
}

impl From<types::Limits> for new_types::Profile {
    fn from(types::Limits { blksize, windowsize, bytes }: types::Limits) -> Self {
        const NONE: new_types::SessionValues =
            new_types::SessionValues { blksize: None, windowsize: None, timeout: None };
        new_types::Profile {
            blksize,
            windowsize,
            timeout: None,
            bytes,
            floors: NONE,
            overrides: NONE,
            burst: None,
            rate: None,
            refuse_options: Vec::new(),
        }
    }
}

impl From<types::Denial> for new_types::Denial {
    fn from(types::Denial { code, message, reason }: types::Denial) -> Self {
        let code = match code {
            types::ErrorCode::NotDefined => new_types::ErrorCode::NotDefined,
            types::ErrorCode::FileNotFound => new_types::ErrorCode::FileNotFound,
            types::ErrorCode::AccessViolation => new_types::ErrorCode::AccessViolation,
            types::ErrorCode::DiskFull => new_types::ErrorCode::DiskFull,
            types::ErrorCode::FileExists => new_types::ErrorCode::FileExists,
            types::ErrorCode::OptionRefused => new_types::ErrorCode::OptionRefused,
        };
        new_types::Denial { code, message, reason }
    }
}

impl From<old::resolve::Resolution> for new::resolve::Resolution {
    fn from(resolution: old::resolve::Resolution) -> Self {
        match resolution {
            old::resolve::Resolution::Abstain => Self::Abstain,
            old::resolve::Resolution::Files(files) => {
                let target = |old::resolve::Target { root, path }| new::resolve::Target { root, path };
                Self::Files(files.into_iter().map(target).collect())
            }
            old::resolve::Resolution::Content(bytes) => {
                Self::Content(new::resolve::Content { name: None, bytes })
            }
            old::resolve::Resolution::Deny(denial) => Self::Deny(denial.into()),
        }
    }
}

impl From<new::accept_upload::Upload> for old::accept_upload::Upload {
    fn from(upload: new::accept_upload::Upload) -> Self {
        let new::accept_upload::Upload { root, path, bytes, sha256 } = upload;
        old::accept_upload::Upload { root, path, bytes, sha256 }
    }
}

impl From<old::accept_upload::Acceptance> for new::accept_upload::Acceptance {
    fn from(acceptance: old::accept_upload::Acceptance) -> Self {
        match acceptance {
            old::accept_upload::Acceptance::Abstain => Self::Abstain,
            old::accept_upload::Acceptance::Accept => Self::Accept,
            old::accept_upload::Acceptance::Rename(path) => Self::Rename(path),
            old::accept_upload::Acceptance::Deny(denial) => Self::Deny(denial.into()),
        }
    }
}
