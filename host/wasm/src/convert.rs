//! Converts between the types of the host and those of the interface, and checks the answers of plugins.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::access::Access;
use super::access::MAX_PATH;
use super::bindings::contents::Content;
use super::bindings::types::{self, Request as Input};
use super::bindings::{accept_upload, authorize, render, render_parts, resolve};
use super::facts::{self, Facts};
use super::wit_events;
use tuffet_policy::{
    AnnouncedContent, Cause, Destination, Failure, Fallback, HookCall, MAX_CANDIDATES, PluginContent,
    Rendered, Rendering, Resolution, Selection, Target, UploadVerdict, Verdict, text,
};
use tuffet_request::{
    Denial, ErrorCode, Label, MacSource, Mode, Operation, RefusedOptions, Request, SessionProfile,
    SessionValues,
};

/// The maximum length of a content name, in bytes.
const MAX_CONTENT_NAME: usize = 200;
/// The maximum length of a rendering key, in bytes.
const MAX_RENDERING_KEY: usize = 1024;
/// The message for the client if the plugin gives none.
const NO_MESSAGE: &str = "access denied";

/// A request in the types of the interface, converted for a chain when the first plugin is called.
#[derive(Default)]
pub(super) struct Inputs {
    input: Option<Arc<Input>>,
    /// The optional parts that the last plugin saw.
    view: (bool, Facts),
}

impl Inputs {
    /// Returns the request as a plugin with this access sees it: MAC addresses need a grant, optional facts an entry
    /// in the manifest. The calls of a chain share it: they are about the same request.
    pub fn of(request: &Request, access: &Access, call: &HookCall) -> Arc<Input> {
        call.memo().with(|inputs: &mut Inputs| inputs.seen_with(request, access))
    }

    fn seen_with(&mut self, request: &Request, access: &Access) -> Arc<Input> {
        let view = (access.client_mac, access.facts);
        let input = self.input.get_or_insert_with(|| Arc::new(plain(request)));
        let labels = request.calls.labels();
        let is_new = |(plugin, label): &(Arc<str>, Label), seen: &types::Label| {
            **plugin != *seen.plugin || label.as_str() != seen.text
        };
        if labels.len() != input.labels.len()
            || labels.iter().zip(&input.labels).any(|(label, seen)| is_new(label, seen))
        {
            let label = |(plugin, label): &(Arc<str>, Label)| types::Label {
                plugin: plugin.to_string(),
                text: label.to_string(),
            };
            Arc::make_mut(input).labels = labels.iter().map(label).collect();
        }
        if view != self.view {
            self.view = view;
            let (sees_macs, facts) = view;
            // Formats texts only if they are needed.
            let texts =
                if facts == Facts::default() { Default::default() } else { facts::FactTexts::of(request) };
            let input = Arc::make_mut(input);
            input.client.macs = sees_macs.then(|| macs(request));
            input.client.lease = facts.lease(request, &texts).as_ref().map(lease);
            input.arrival = facts.arrival(request, &texts).as_ref().map(arrival);
        }
        Arc::clone(input)
    }
}

/// Converts what every plugin sees.
fn plain(request: &Request) -> Input {
    let raw_name = request.raw_name.iter().map(|raw| ("raw-name".to_owned(), raw.to_string()));
    let unsafe_name = request.unsafe_name.iter().map(|why| ("unsafe-name".to_owned(), why.to_string()));
    let case = request.any_case.then(|| ("case".to_owned(), "insensitive".to_owned()));
    let protocol = request.protocol.unless_tftp().map(|name| ("protocol".to_owned(), name.to_owned()));
    let certificate = request.certificate.iter().flat_map(|certificate| {
        let names = (!certificate.names.is_empty()).then(|| certificate.names.join(" "));
        let names = names.map(|names| ("certificate-names".to_owned(), names));
        names.into_iter().chain([("certificate-sha256".to_owned(), certificate.sha256.clone())])
    });
    Input {
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
            macs: None,
            lease: None,
            class: request.class.to_string(),
        },
        arrival: None,
        options: request.options.clone(),
        unix_ms: unix_ms(request.received_at),
        labels: Vec::new(),
        attributes: raw_name.chain(unsafe_name).chain(case).chain(protocol).chain(certificate).collect(),
    }
}

/// Milliseconds since 1970.
pub(super) fn unix_ms(time: SystemTime) -> u64 {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

fn macs(request: &Request) -> types::MacAddresses {
    let macs = request.macs.iter().map(|fact| {
        let mac = types::Mac { address: fact.address.to_string(), source: fact.source.as_str().to_owned() };
        (fact.source == MacSource::RequestedName, mac)
    });
    let (claimed, network): (Vec<_>, Vec<_>) = macs.partition(|(is_claimed, _)| *is_claimed);
    let without = |macs: Vec<(bool, types::Mac)>| macs.into_iter().map(|(_, mac)| mac).collect();
    types::MacAddresses { network: without(network), claimed: without(claimed) }
}

fn lease(lease: &wit_events::Lease<'_>) -> types::Lease {
    let text = |text: Option<&str>| text.map(str::to_owned);
    types::Lease {
        mac: text(lease.mac),
        client_id: text(lease.client_id),
        uuid: text(lease.uuid),
        hostname: text(lease.hostname),
        vendor_class: text(lease.vendor_class),
        architecture: lease.architecture,
        expires: lease.expires,
        age: lease.age,
    }
}

fn arrival(arrival: &wit_events::Arrival<'_>) -> types::Arrival {
    types::Arrival {
        address: arrival.address.map(str::to_owned),
        interface_name: arrival.interface_name.map(str::to_owned),
        vlan: arrival.vlan,
    }
}

/// Converts a verdict.
pub(super) fn verdict(verdict: authorize::Verdict) -> Result<Verdict, Failure> {
    Ok(match verdict {
        authorize::Verdict::Abstain => Verdict::Abstain,
        authorize::Verdict::Allow(answer) => Verdict::Allow(profile(&answer)?),
        authorize::Verdict::Deny(its) => Verdict::Deny(denial(&its)),
        authorize::Verdict::Drop(reason) => Verdict::Drop(text::reason(&reason)),
    })
}

/// Gives the request of this call the label of an answer.
pub(super) fn label(label: Option<String>, call: &HookCall) -> Result<(), Failure> {
    let Some(its) = label else { return Ok(()) };
    match its.parse() {
        Ok(label) => call.label(label),
        Err(why) => {
            return Err(bad(format!("it answered with the label {:?}: {why}", text::one_line(&its, 40))));
        }
    }
    Ok(())
}

fn profile(answer: &types::Profile) -> Result<SessionProfile, Failure> {
    let types::Profile { ceilings, floors, overrides, max_size, burst, rate, refuse_options, attributes } =
        answer;
    require_known(attributes)?;
    let values = |of: &types::SessionValues| SessionValues {
        blksize: of.blksize,
        windowsize: of.windowsize,
        timeout: of.timeout,
    };
    let (ceilings, floors, overrides) = (values(ceilings), values(floors), values(overrides));
    let mut refused = RefusedOptions::default();
    for name in refuse_options {
        if !refused.add(name) {
            let (name, known) =
                (text::one_line(name, 40), RefusedOptions::known().collect::<Vec<_>>().join(", "));
            return Err(bad(format!("it refused the option {name:?}: there are {known}")));
        }
    }
    Ok(SessionProfile { ceilings, floors, overrides, burst: *burst, rate: *rate, bytes: *max_size, refused })
}

/// Refuses attributes, so that nothing that a plugin demands is ignored. This version knows none.
fn require_known(attributes: &[(String, String)]) -> Result<(), Failure> {
    let Some((name, _)) = attributes.first() else { return Ok(()) };
    let name = text::one_line(name, 40);
    Err(bad(format!("it answered with the attribute {name:?}, which this server does not know")))
}

/// Converts a resolution. `roots`: the roots that an answer may name.
pub(super) fn resolution(
    resolution: resolve::Resolution,
    operation: Operation,
    max_content: u64,
    roots: Option<&[String]>,
) -> Result<Resolution, Failure> {
    Ok(match resolution {
        resolve::Resolution::Abstain => Resolution::Abstain,
        resolve::Resolution::Serve(selected) => selection(selected, operation, max_content, roots)?.into(),
        resolve::Resolution::Deny(its) => Resolution::Deny(denial(&its)),
        resolve::Resolution::Drop(reason) => Resolution::Drop(text::reason(&reason)),
    })
}

fn selection(
    selected: resolve::Selection,
    operation: Operation,
    max_content: u64,
    roots: Option<&[String]>,
) -> Result<Selection, Failure> {
    let resolve::Selection { candidates, else_next, profile: its } = selected;
    if candidates.is_empty() && !else_next {
        return Err(bad(
            "it answered with neither a candidate nor `else-next`: to have no opinion is to abstain, to refuse is to deny",
        ));
    }
    if candidates.len() > MAX_CANDIDATES {
        return Err(bad(format!(
            "it answered with {} candidates: {MAX_CANDIDATES} are allowed",
            candidates.len()
        )));
    }
    let profile = its.as_ref().map(profile).transpose()?;
    let (mut files, mut made) = (Vec::new(), None);
    for candidate in candidates {
        if made.is_some() {
            return Err(bad("it answered with a candidate after content, which always exists"));
        }
        match candidate {
            resolve::Candidate::File(file) => files.push(target(file, roots)?),
            resolve::Candidate::Content(its) => made = Some(Fallback::Content(content(its, max_content)?)),
            resolve::Candidate::Rendering(key) => made = Some(Fallback::Rendering(rendering_key(key)?)),
        }
    }
    let fallback = match (made, operation) {
        (Some(_), _) if else_next => {
            return Err(bad("it answered with content and `else-next`, but content always exists"));
        }
        (Some(_), Operation::Write) if files.is_empty() => {
            return Err(bad("it answered a write request with content: it can name a file, deny or abstain"));
        }
        (Some(made), Operation::Read) => made,
        (None, _) if else_next && (operation == Operation::Read || files.is_empty()) => Fallback::Next,
        _ => Fallback::NotFound,
    };
    let selection = Selection::of(files).or(fallback);
    Ok(match profile {
        Some(profile) => selection.with_profile(profile),
        None => selection,
    })
}

/// Converts an answer of `render`.
pub(super) fn rendering(rendered: render::Rendered, max_content: u64) -> Rendered {
    Ok(match rendered {
        render::Rendered::Rendering(render::Rendering { content: made, ttl_seconds }) => Ok(Rendering {
            content: content(made, max_content)?,
            ttl: ttl_seconds.map(|seconds| Duration::from_secs(seconds.into())),
        }),
        render::Rendered::Deny(its) => Err(denial(&its)),
    })
}

/// Converts an answer of `begin`; `None` if `render` makes the content.
pub(super) fn announced(
    begun: render_parts::Beginning,
    max_size: u64,
) -> Result<Result<Option<AnnouncedContent>, Denial>, Failure> {
    let large = match begun {
        render_parts::Beginning::Parts(large) => large,
        render_parts::Beginning::Whole => return Ok(Ok(None)),
        render_parts::Beginning::Deny(its) => return Ok(Err(denial(&its))),
    };
    let render_parts::LargeContent { name, size, ttl_seconds, attributes } = large;
    require_known(&attributes)?;
    if size > max_size {
        return Err(bad(format!(
            "its content in parts has {size} bytes: {max_size} are allowed (limits.parts)"
        )));
    }
    require_content_name(name.as_deref())?;
    Ok(Ok(Some(AnnouncedContent {
        name,
        size,
        ttl: ttl_seconds.map(|seconds| Duration::from_secs(seconds.into())),
    })))
}

/// Converts an answer of `part`.
pub(super) fn part(
    part: render_parts::MadePart,
    offset: u64,
    length: u32,
) -> Result<Result<Vec<u8>, Denial>, Failure> {
    match part {
        render_parts::MadePart::Bytes(bytes) if bytes.is_empty() || bytes.len() > length as usize => Err(
            bad(format!("its part at byte {offset} has {} bytes: 1 to {length} were asked for", bytes.len())),
        ),
        render_parts::MadePart::Bytes(bytes) => Ok(Ok(bytes)),
        render_parts::MadePart::Deny(its) => Ok(Err(denial(&its))),
    }
}

fn content(made: Content, max_content: u64) -> Result<Arc<PluginContent>, Failure> {
    let Content { name, data, attributes } = made;
    require_known(&attributes)?;
    if data.len() as u64 > max_content {
        return Err(bad(format!(
            "its content has {} bytes: {max_content} are allowed (limits.content)",
            data.len()
        )));
    }
    require_content_name(name.as_deref())?;
    Ok(Arc::new(PluginContent::new(name.as_deref(), data.into())))
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

fn target(file: types::Target, roots: Option<&[String]>) -> Result<Target, Failure> {
    if roots.is_some_and(|roots| !roots.contains(&file.root)) {
        let root = text::one_line(&file.root, 100);
        return Err(bad(format!(
            "it answered with a file in the root {root:?}, which is not configured, or private"
        )));
    }
    Ok(Target { root: file.root, path: plain_path(file.path)? })
}

fn plain_path(path: String) -> Result<String, Failure> {
    let good_part = |part: &str| !part.is_empty() && part != "." && part != "..";
    if path.len() > MAX_PATH || path.contains('\0') || !path.split('/').all(good_part) {
        let path = text::one_line(&path, 100);
        return Err(bad(format!(
            "it answered with the path {path:?}, which is not a plain path below a root"
        )));
    }
    Ok(path)
}

/// Converts a verdict on an upload.
pub(super) fn acceptance(acceptance: accept_upload::Acceptance) -> Result<UploadVerdict, Failure> {
    Ok(match acceptance {
        accept_upload::Acceptance::Abstain => UploadVerdict::Abstain,
        accept_upload::Acceptance::Accept => UploadVerdict::Accept,
        accept_upload::Acceptance::Rename(accept_upload::Destination { path, next_free }) => {
            UploadVerdict::Rename(Destination { path: plain_path(path)?, next_free })
        }
        accept_upload::Acceptance::Deny(its) => UploadVerdict::Deny(denial(&its)),
    })
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
