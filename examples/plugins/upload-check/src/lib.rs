//! Uploads become visible only if they are what their names say: by their first bytes, and by a list of digests that
//! somebody signed. README.md shows the settings.
#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod format;
mod list;
mod settings;
#[cfg(test)]
mod tests;

use ed25519_dalek::VerifyingKey;
use tuffet_sdk::{Accept, Acceptance, Denial, ErrorCode, Glob, Plugin, Problems, Request, Upload};

use format::Format;
use list::List;
use settings::Settings;

/// The formats of uploads, and the uploads that must be signed.
pub struct UploadCheck {
    formats: Vec<Format>,
    signed: Option<Signed>,
}

/// Where the list is, who signs it, and which uploads need it.
struct Signed {
    names: Vec<Glob>,
    list: List,
    keys: Vec<VerifyingKey>,
}

impl Plugin for UploadCheck {
    type Settings = Settings;

    fn configure(settings: Settings) -> Result<Self, Problems> {
        settings::check(settings)
    }
}

impl Accept for UploadCheck {
    fn accept_upload(&self, _: &Request, upload: &Upload) -> Acceptance {
        self.decide(upload)
    }
}

impl UploadCheck {
    fn decide(&self, upload: &Upload) -> Acceptance {
        let concerns = |signed: &&Signed| signed.names.iter().any(|name| name.matches(&upload.path));
        let format = self.formats.iter().find(|format| format.concerns(upload));
        let signed = self.signed.as_ref().filter(concerns);
        let checks = [format.map(well_formed), signed.map(|signed| listed(signed, upload))];
        let mut denials = checks.iter().flatten().filter_map(|check| check.as_ref().err());
        match denials.next() {
            Some(denial) => Acceptance::Deny(denial.clone()),
            None if checks.iter().all(Option::is_none) => Acceptance::Abstain,
            None => Acceptance::Accept,
        }
    }
}

/// Looks at the first bytes.
fn well_formed(format: &Format) -> Result<(), Denial> {
    match format.mismatch() {
        Ok(None) => Ok(()),
        Ok(Some(found)) => Err(Denial::access_violation(
            "this file is not what its name says",
            format!("it has {} at byte {}", format::shown(&found), format.offset),
        )),
        Err(reason) => Err(Denial::new(ErrorCode::NotDefined, "uploads cannot be checked", reason)),
    }
}

/// Looks for name and digest in the list.
fn listed(signed: &Signed, upload: &Upload) -> Result<(), Denial> {
    let deny = |code, message: &str, reason| Err(Denial::new(code, message, reason));
    match signed.list.read(&signed.keys) {
        Ok(entries) if entries.iter().any(|entry| entry.is(upload)) => Ok(()),
        Ok(entries) => {
            let name = list::last_part(&upload.path);
            let reason = match entries.iter().any(|entry| entry.name() == name) {
                true => format!("the list has another digest for {name} than sha256 {}", upload.sha256),
                false => format!("the list has no {name}; its sha256 is {}", upload.sha256),
            };
            deny(ErrorCode::AccessViolation, "this file is not on the list of signed files", reason)
        }
        Err(reason) => deny(ErrorCode::NotDefined, "uploads cannot be checked", reason),
    }
}

tuffet_sdk::manifest! {
    name: "upload-check",
    version: env!("CARGO_PKG_VERSION"),
    description: "Accepts uploads whose first bytes fit their name, or whose digest is in a signed list",
    grants: [],
    optional: [
        ("files", "reads the list and its signature"),
        ("upload", "looks at the first bytes of uploads"),
    ],
    reuse: true,
}
tuffet_sdk::export!(UploadCheck: accept_upload);
