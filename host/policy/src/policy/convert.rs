//! Converts between the types of the host and those of the interface, and checks the answers of plugins.

use std::sync::Arc;

use super::bindings::exports::tuffet::policy::{accept_upload, authorize, resolve};
use super::bindings::tuffet::policy::types;
use super::failure::{Cause, Failure};
use super::imports::Access;
use super::text;
use tuffet_request::{Ceilings, Denial, ErrorCode, MacSource, Mode, Operation, Request};

/// The most files in an answer.
const MAX_FILES: usize = 64;
/// The longest path in bytes (PATH_MAX of Linux).
const MAX_PATH: usize = 4096;
/// The message for a client if the plugin gives none.
const NO_MESSAGE: &str = "access denied";

/// A request in the types of the interface, converted once for a whole chain, when its first plugin is called.
pub(super) struct Inputs<'a> {
    of: &'a Request,
    request: Option<types::Request>,
    /// The MAC addresses, while they are taken out of the request.
    macs: Vec<types::Mac>,
}

impl Inputs<'_> {
    pub fn new(of: &Request) -> Inputs<'_> {
        Inputs { of, request: None, macs: Vec::new() }
    }

    /// Returns the request as a plugin with this access sees it: MAC addresses require their grant.
    pub fn by(&mut self, access: &Access) -> &types::Request {
        let request = self.request.get_or_insert_with(|| request(self.of));
        let macs = &mut request.client.macs;
        if macs.is_empty() == access.client_mac {
            std::mem::swap(macs, &mut self.macs);
        }
        request
    }
}

/// Converts the request with every MAC address.
pub(super) fn request(request: &Request) -> types::Request {
    let macs = request.macs.iter().map(|fact| types::Mac {
        address: fact.address.to_string(),
        source: match fact.source {
            MacSource::NeighbourTable => types::MacSource::NeighbourTable,
            MacSource::RequestedName => types::MacSource::RequestedName,
        },
    });
    types::Request {
        id: request.id.to_string(),
        listener: request.listener.to_string(),
        operation: match request.operation {
            Operation::Read => types::Operation::Read,
            Operation::Write => types::Operation::Write,
        },
        mode: match request.mode {
            Mode::Octet => types::Mode::Octet,
            Mode::Netascii => types::Mode::Netascii,
        },
        requested: request.requested.clone(),
        path: request.path.clone(),
        client: types::Client {
            address: request.client.ip().to_canonical().to_string(),
            port: request.client.port(),
            macs: macs.collect(),
            class: request.class.to_string(),
        },
        options: request.options.clone(),
        attributes: attributes(request).map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
    }
}

/// What a request has beside the fields of the interface; docs/plugins.md lists it.
pub(super) fn attributes(request: &Request) -> impl Iterator<Item = (&str, &str)> {
    request.raw_name.iter().map(|raw| ("raw-name", &**raw))
}

/// A verdict other than abstain.
#[derive(Debug, Clone)]
pub(super) enum Opinion {
    Allow(Ceilings),
    Deny(Denial),
    Drop,
}

/// Converts a verdict; `None` if the plugin abstains.
pub(super) fn verdict(verdict: authorize::Verdict) -> Result<Option<Opinion>, Failure> {
    Ok(Some(match verdict {
        authorize::Verdict::Abstain => return Ok(None),
        authorize::Verdict::Allow(limits) => Opinion::Allow(ceilings(&limits)?),
        authorize::Verdict::Deny(its) => Opinion::Deny(denial(&its)),
        authorize::Verdict::Drop => Opinion::Drop,
    }))
}

fn ceilings(limits: &types::Limits) -> Result<Ceilings, Failure> {
    if let Some(blksize) = limits.blksize.filter(|blksize| !(8..=65464).contains(blksize)) {
        return Err(bad(format!("it allowed a blksize of {blksize}: 8 to 65464 are possible")));
    }
    if limits.windowsize == Some(0) {
        return Err(bad("it allowed a windowsize of 0: 1 to 65535 are possible"));
    }
    Ok(Ceilings { blksize: limits.blksize, windowsize: limits.windowsize, bytes: limits.bytes })
}

/// A file in a root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The name of a configured root.
    pub root: String,
    /// A path in it.
    pub path: String,
}

/// A resolution other than abstain.
#[derive(Debug, Clone)]
pub(super) enum Found {
    Files(Vec<Target>),
    Content(Arc<[u8]>),
    Deny(Denial),
}

/// Converts a resolution; `None` if the plugin abstains.
pub(super) fn resolution(
    resolution: resolve::Resolution,
    operation: Operation,
    max_content: u64,
    roots: &[String],
) -> Result<Option<Found>, Failure> {
    Ok(Some(match resolution {
        resolve::Resolution::Abstain => return Ok(None),
        resolve::Resolution::Files(files) => Found::Files(targets(files, roots)?),
        resolve::Resolution::Content(_) if operation == Operation::Write => {
            return Err(bad("it answered a write request with content: it can name a file, deny or abstain"));
        }
        resolve::Resolution::Content(content) if content.len() as u64 > max_content => {
            let bytes = content.len();
            return Err(bad(format!(
                "its content has {bytes} bytes: {max_content} are allowed (limits.content)"
            )));
        }
        resolve::Resolution::Content(content) => Found::Content(content.into()),
        resolve::Resolution::Deny(its) => Found::Deny(denial(&its)),
    }))
}

fn targets(files: Vec<resolve::Target>, roots: &[String]) -> Result<Vec<Target>, Failure> {
    if files.is_empty() {
        return Err(bad("it answered with an empty list of files: to have no opinion is to abstain"));
    }
    if files.len() > MAX_FILES {
        return Err(bad(format!("it answered with {} files: {MAX_FILES} are allowed", files.len())));
    }
    files.into_iter().map(|file| target(file, roots)).collect()
}

fn target(file: resolve::Target, roots: &[String]) -> Result<Target, Failure> {
    if !roots.contains(&file.root) {
        let root = text::one_line(&file.root, 100);
        return Err(bad(format!(
            "it answered with a file in the root {root:?}, which is not configured, or private"
        )));
    }
    Ok(Target { root: file.root, path: plain(file.path)? })
}

fn plain(path: String) -> Result<String, Failure> {
    let good_part = |part: &str| !part.is_empty() && part != "." && part != "..";
    if path.len() > MAX_PATH || path.contains('\0') || !path.split('/').all(good_part) {
        let path = text::one_line(&path, 100);
        return Err(bad(format!(
            "it answered with the path {path:?}, which is not a plain path below a root"
        )));
    }
    Ok(path)
}

/// A decision about an upload.
#[derive(Debug, Clone)]
pub(super) enum UploadOpinion {
    Accept,
    Rename(String),
    Deny(Denial),
}

/// Converts a decision about an upload; `None` if the plugin abstains.
pub(super) fn acceptance(acceptance: accept_upload::Acceptance) -> Result<Option<UploadOpinion>, Failure> {
    Ok(Some(match acceptance {
        accept_upload::Acceptance::Abstain => return Ok(None),
        accept_upload::Acceptance::Accept => UploadOpinion::Accept,
        accept_upload::Acceptance::Rename(path) => UploadOpinion::Rename(plain(path)?),
        accept_upload::Acceptance::Deny(its) => UploadOpinion::Deny(denial(&its)),
    }))
}

fn denial(denial: &types::Denial) -> Denial {
    Denial {
        code: match denial.code {
            types::ErrorCode::NotDefined => ErrorCode::NotDefined,
            types::ErrorCode::FileNotFound => ErrorCode::FileNotFound,
            types::ErrorCode::AccessViolation => ErrorCode::AccessViolation,
            types::ErrorCode::DiskFull => ErrorCode::DiskFull,
            types::ErrorCode::FileExists => ErrorCode::FileExists,
            types::ErrorCode::OptionRefused => ErrorCode::OptionRefused,
        },
        message: text::message(&denial.message, NO_MESSAGE),
        reason: text::reason(&denial.reason),
    }
}

fn bad(detail: impl Into<String>) -> Failure {
    Failure::new(Cause::BadAnswer, detail)
}
