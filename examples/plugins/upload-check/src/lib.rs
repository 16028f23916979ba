//! Only uploads whose digest is in a list that somebody signed become visible. README.md shows the settings.
#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod list;
mod settings;
#[cfg(test)]
mod tests;

use ed25519_dalek::VerifyingKey;
use tuffet_sdk::{Accept, Acceptance, Denial, ErrorCode, Glob, Plugin, Problems, Request, Upload};

use list::List;
use settings::Settings;

/// Where the list is, who signs it, and which uploads need it.
pub struct UploadCheck {
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
        if !self.names.iter().any(|name| name.matches(&upload.path)) {
            return Acceptance::Abstain;
        }
        let deny = |code, message: &str, reason| Acceptance::Deny(Denial::new(code, message, reason));
        match self.list.read(&self.keys) {
            Ok(entries) if entries.iter().any(|entry| entry.is(upload)) => Acceptance::Accept,
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
}

tuffet_sdk::manifest! {
    name: "upload-check",
    version: env!("CARGO_PKG_VERSION"),
    description: "Accepts uploads whose digest is in a signed list",
    grants: [("files", "reads the list and its signature")],
    reuse: true,
}
tuffet_sdk::export!(UploadCheck: accept_upload);
