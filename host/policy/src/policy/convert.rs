//! Converts between the types of the host and those of the interface, and checks the answers of plugins.

use std::sync::Arc;
use std::time::Duration;

use super::attributes::{self, Facts};
use super::bindings::Version;
use super::bindings::v0_2::tuffet::policy::types;
use super::failure::{Cause, Failure};
use super::hooks::{Input, accept_upload, authorize, render_parts, resolve};
use super::parts::Announced;
use super::plugin::Plugin;
use super::renderings::{PluginContent, Rendering};
use super::text;
use tuffet_request::{
    Denial, ErrorCode, MacSource, Mode, Operation, RefusedOptions, Request, SessionProfile, SessionValues,
};

/// The most files in an answer.
const MAX_FILES: usize = 64;
/// The longest path in bytes (PATH_MAX of Linux).
const MAX_PATH: usize = 4096;
/// The longest name of content in bytes.
const MAX_CONTENT_NAME: usize = 200;
/// The longest key of a rendering in bytes.
const MAX_RENDERING_KEY: usize = 1024;
/// The message for a client if the plugin gives none.
const NO_MESSAGE: &str = "access denied";

/// A request in the types of the interface, converted for a chain when the first plugin of a version is called.
pub(super) struct Inputs<'a> {
    request: &'a Request,
    v0_1: Option<v0_1_request::Input>,
    v0_2: Option<v0_2_request::Input>,
}

impl<'a> Inputs<'a> {
    pub fn new(request: &'a Request) -> Inputs<'a> {
        Inputs { request, v0_1: None, v0_2: None }
    }

    /// Returns the request as this plugin sees it: MAC addresses require their grant.
    pub fn by(&mut self, plugin: &Plugin) -> Input<'_> {
        let (sees_macs, facts) = (plugin.access.client_mac, plugin.access.facts);
        match plugin.code.version {
            Version::V0_1 => {
                let input = self.v0_1.get_or_insert_with(|| v0_1_request::Input::of(self.request));
                Input::V0_1(input.seen(self.request, sees_macs, facts))
            }
            Version::V0_2 => {
                let input = self.v0_2.get_or_insert_with(|| v0_2_request::Input::of(self.request));
                Input::V0_2(input.seen(self.request, sees_macs, facts))
            }
        }
    }
}

/// Declares the conversion of requests for one version.
macro_rules! requests {
    ($module:ident, $version:ident) => {
        mod $module {
            use super::*;
            use crate::policy::bindings::$version::tuffet::policy::types;

            pub(super) struct Input {
                request: types::Request,
                /// The MAC addresses, while they are taken out of the request.
                macs: Vec<types::Mac>,
                /// The facts that its attributes have.
                facts: Facts,
            }

            impl Input {
                pub(super) fn of(of: &Request) -> Input {
                    Input { request: request(of), macs: Vec::new(), facts: Facts::default() }
                }

                pub(super) fn seen(
                    &mut self,
                    of: &Request,
                    with_macs: bool,
                    facts: Facts,
                ) -> &types::Request {
                    if facts != self.facts {
                        self.facts = facts;
                        self.request.attributes = attributes(of, facts);
                    }
                    let macs = &mut self.request.client.macs;
                    if macs.is_empty() == with_macs {
                        std::mem::swap(macs, &mut self.macs);
                    }
                    &self.request
                }
            }

            /// Converts the request with every MAC address.
            fn request(request: &Request) -> types::Request {
                let macs = request.macs.iter().map(|fact| types::Mac {
                    address: fact.address.to_string(),
                    source: match fact.source {
                        MacSource::NeighbourTable => types::MacSource::NeighbourTable,
                        MacSource::LeaseFile => types::MacSource::LeaseFile,
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
                    attributes: attributes(request, Facts::default()),
                }
            }
        }
    };
}
requests!(v0_1_request, v0_1);
requests!(v0_2_request, v0_2);

/// What a request has beside the fields of the interface.
fn attributes(request: &Request, facts: Facts) -> Vec<(String, String)> {
    // Without facts there is nothing to format.
    let texts = if facts == Facts::default() { Default::default() } else { attributes::Texts::of(request) };
    facts.of_request(request, &texts, |name, value| (name.to_owned(), value.to_owned()))
}

/// The lowest rate in bytes per second: half a second for the smallest block that a client can be given.
const LEAST_RATE: u64 = 1024;

/// A verdict other than abstain.
#[derive(Debug, Clone)]
pub(super) enum Opinion {
    Allow(SessionProfile),
    Deny(Denial),
    Drop,
}

/// Converts a verdict; `None` if the plugin abstains.
pub(super) fn verdict(verdict: authorize::Verdict) -> Result<Option<Opinion>, Failure> {
    Ok(Some(match verdict {
        authorize::Verdict::Abstain => return Ok(None),
        authorize::Verdict::Allow(answer) => Opinion::Allow(profile(&answer)?),
        authorize::Verdict::Deny(its) => Opinion::Deny(denial(&its)),
        authorize::Verdict::Drop => Opinion::Drop,
    }))
}

fn profile(answer: &types::Profile) -> Result<SessionProfile, Failure> {
    let types::Profile {
        blksize,
        windowsize,
        timeout,
        bytes,
        floors,
        overrides,
        burst,
        rate,
        refuse_options,
    } = answer;
    let values = |of: &types::SessionValues| SessionValues {
        blksize: of.blksize,
        windowsize: of.windowsize,
        timeout: of.timeout,
    };
    let ceilings = SessionValues { blksize: *blksize, windowsize: *windowsize, timeout: *timeout };
    let (floors, overrides) = (values(floors), values(overrides));
    for values in [&ceilings, &floors, &overrides] {
        require_possible(values)?;
    }
    for (name, floor) in floors.iter() {
        if let Some((_, ceiling)) = ceilings.iter().find(|(its, ceiling)| *its == name && *ceiling < floor) {
            return Err(bad(format!("it allowed a {name} of at least {floor} and at most {ceiling}")));
        }
    }
    if *burst == Some(0) {
        return Err(bad("it allowed a burst of 0 blocks: 1 to 65535 are possible"));
    }
    if let Some(rate) = rate.filter(|rate| *rate < LEAST_RATE) {
        return Err(bad(format!("it allowed a rate of {rate} bytes per second: {LEAST_RATE} are the least")));
    }
    let mut refused = RefusedOptions::default();
    for name in refuse_options {
        if !refused.add(name) {
            let (name, known) =
                (text::one_line(name, 40), RefusedOptions::known().collect::<Vec<_>>().join(", "));
            return Err(bad(format!("it refused the option {name:?}: there are {known}")));
        }
    }
    Ok(SessionProfile { ceilings, floors, overrides, burst: *burst, rate: *rate, bytes: *bytes, refused })
}

fn require_possible(values: &SessionValues) -> Result<(), Failure> {
    if let Some(blksize) = values.blksize.filter(|blksize| !(8..=65464).contains(blksize)) {
        return Err(bad(format!("it allowed a blksize of {blksize}: 8 to 65464 are possible")));
    }
    if values.windowsize == Some(0) {
        return Err(bad("it allowed a windowsize of 0: 1 to 65535 are possible"));
    }
    if values.timeout == Some(0) {
        return Err(bad("it allowed a timeout of 0: 1 to 255 are possible"));
    }
    Ok(())
}

/// A file in a root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The name of a configured root.
    pub root: String,
    /// A path in it.
    pub path: String,
}

/// What follows if none of the files exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Otherwise {
    NotFound,
    /// The next plugin of the chain decides.
    Next,
}

/// A resolution other than abstain.
#[derive(Debug, Clone)]
pub(super) enum Found {
    Files {
        files: Vec<Target>,
        otherwise: Otherwise,
    },
    Content(Arc<PluginContent>),
    /// The content that the plugin makes for this key.
    Rendered(Arc<str>),
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
        resolve::Resolution::Files(files) => {
            Found::Files { files: targets(files, roots)?, otherwise: Otherwise::NotFound }
        }
        resolve::Resolution::FilesElseNext(files) => {
            let otherwise = match operation {
                Operation::Read => Otherwise::Next,
                Operation::Write => Otherwise::NotFound,
            };
            Found::Files { files: targets(files, roots)?, otherwise }
        }
        resolve::Resolution::Content(_) | resolve::Resolution::Rendered(_)
            if operation == Operation::Write =>
        {
            return Err(bad("it answered a write request with content: it can name a file, deny or abstain"));
        }
        resolve::Resolution::Content(made) => Found::Content(content(made, max_content)?),
        resolve::Resolution::Rendered(key) => Found::Rendered(rendering_key(key)?),
        resolve::Resolution::Deny(its) => Found::Deny(denial(&its)),
    }))
}

/// Converts an answer of `render`.
pub(super) fn rendering(
    rendered: Result<resolve::Rendering, types::Denial>,
    max_content: u64,
) -> Result<Result<Rendering, Denial>, Failure> {
    Ok(match rendered {
        Ok(resolve::Rendering { content: made, ttl_seconds }) => Ok(Rendering {
            content: content(made, max_content)?,
            ttl: ttl_seconds.map(|seconds| Duration::from_secs(seconds.into())),
        }),
        Err(its) => Err(denial(&its)),
    })
}

/// Converts an answer of `begin`; `None` if `render` makes the content.
pub(super) fn announced(
    begun: Result<Option<render_parts::LargeContent>, types::Denial>,
    most: u64,
) -> Result<Result<Option<Announced>, Denial>, Failure> {
    let large = match begun {
        Ok(Some(large)) => large,
        Ok(None) => return Ok(Ok(None)),
        Err(its) => return Ok(Err(denial(&its))),
    };
    let render_parts::LargeContent { name, size, ttl_seconds } = large;
    if size > most {
        return Err(bad(format!("its content in parts has {size} bytes: {most} are allowed (limits.parts)")));
    }
    require_content_name(name.as_deref())?;
    Ok(Ok(Some(Announced {
        name,
        size,
        ttl: ttl_seconds.map(|seconds| Duration::from_secs(seconds.into())),
    })))
}

/// Converts an answer of `part`.
pub(super) fn part(
    part: Result<Vec<u8>, types::Denial>,
    offset: u64,
    length: u32,
) -> Result<Result<Vec<u8>, Denial>, Failure> {
    match part {
        Ok(bytes) if bytes.is_empty() || bytes.len() > length as usize => Err(bad(format!(
            "its part at byte {offset} has {} bytes: 1 to {length} were asked for",
            bytes.len()
        ))),
        Ok(bytes) => Ok(Ok(bytes)),
        Err(its) => Ok(Err(denial(&its))),
    }
}

fn content(made: resolve::Content, max_content: u64) -> Result<Arc<PluginContent>, Failure> {
    let resolve::Content { name, bytes } = made;
    if bytes.len() as u64 > max_content {
        return Err(bad(format!(
            "its content has {} bytes: {max_content} are allowed (limits.content)",
            bytes.len()
        )));
    }
    require_content_name(name.as_deref())?;
    Ok(Arc::new(PluginContent::new(name.as_deref(), bytes.into())))
}

fn require_content_name(name: Option<&str>) -> Result<(), Failure> {
    let Some(name) = name.filter(|name| !is_content_name(name)) else { return Ok(()) };
    let name = text::one_line(name, 100);
    Err(bad(format!(
        "it called its content {name:?}: a name has 1 to {MAX_CONTENT_NAME} bytes and no control characters"
    )))
}

fn is_content_name(name: &str) -> bool {
    (1..=MAX_CONTENT_NAME).contains(&name.len()) && !name.contains(char::is_control)
}

fn rendering_key(key: String) -> Result<Arc<str>, Failure> {
    if (1..=MAX_RENDERING_KEY).contains(&key.len()) {
        return Ok(key.into());
    }
    let bytes = key.len();
    Err(bad(format!("it answered with a key of {bytes} bytes: 1 to {MAX_RENDERING_KEY} are allowed")))
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
