//! A request as written in a file or on the command line.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::bytes::Bytes;
use super::events::{self, WrittenEvent};
use super::host::WrittenHost;
use tuffet_config::{ConfigError, Document};
use tuffet_leases::Mac;
use tuffet_request::names;
use tuffet_request::{
    ClientClass, Lease, LeaseFact, MacAddress, MacFact, MacSource, Mode, Operation, Request, RequestId,
};
use tuffet_wasm::{Beyond, Given, Hook, HookInput, Uploaded};

/// A problem: a JSON pointer into the request, and a message.
pub(super) type Wrong = (String, String);

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct WrittenRequest {
    /// The name as the client sends it.
    path: String,
    #[serde(default)]
    operation: WrittenOperation,
    #[serde(default)]
    mode: WrittenMode,
    /// Address, with or without a port.
    client: Option<String>,
    listener: Option<String>,
    /// Addresses as from the neighbour table; one in the path is found there.
    #[serde(default)]
    macs: Vec<String>,
    /// The address that the request is sent to; unknown by default.
    local_address: Option<String>,
    /// The interface that it arrives on; unknown by default.
    interface: Option<String>,
    /// The VLAN of that interface.
    vlan: Option<u16>,
    /// The lease of the client's address; unknown by default.
    lease: Option<WrittenLease>,
    /// The guessed kind of client; `unknown` by default.
    class: Option<String>,
    #[serde(default)]
    options: Map<String, Value>,
    upload: Option<WrittenUpload>,
}

/// A lease, as the server reads it from a file.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
struct WrittenLease {
    mac: Option<String>,
    hostname: Option<String>,
    client_id: Option<String>,
    /// Seconds since 1970; never by default.
    expires: Option<u64>,
    vendor_class: Option<String>,
    architecture: Option<u16>,
    uuid: Option<String>,
    /// Seconds since the file was read.
    age: u64,
}

impl WrittenLease {
    fn resolve(&self) -> Result<LeaseFact, Wrong> {
        let mac = self
            .mac
            .as_deref()
            .map(|text| Mac::parse(text).map_err(|message| ("/lease/mac".to_owned(), message)));
        let lease = Lease {
            mac: mac.transpose()?,
            hostname: self.hostname.clone(),
            client_id: self.client_id.clone(),
            expires: self.expires,
            vendor_class: self.vendor_class.clone(),
            architecture: self.architecture,
            uuid: self.uuid.clone(),
        };
        Ok(LeaseFact { lease, age: Duration::from_secs(self.age) })
    }
}

/// A complete upload, for `accept-upload`.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct WrittenUpload {
    root: String,
    /// The path of the request by default.
    path: Option<String>,
    /// Its content, which determines size and digest.
    #[serde(default)]
    content: Bytes,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
enum WrittenOperation {
    #[default]
    Read,
    Write,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
enum WrittenMode {
    #[default]
    Octet,
    Netascii,
}

impl WrittenRequest {
    /// Builds the request, and the upload that completes it, as admission does.
    pub fn resolve(&self) -> Result<(Request, Option<Uploaded>), Wrong> {
        let wrong = |pointer: &str, message: String| (pointer.to_owned(), message);
        let path = names::normalise(self.path.as_bytes()).map_err(|error| {
            wrong("/path", format!("the server refuses this name: {error}; write another"))
        })?;
        let neighbours = self.macs.iter().enumerate().map(|(index, text)| match mac(text) {
            Some(address) => Ok(MacFact { address, source: MacSource::NeighbourTable }),
            None => {
                let message = format!("{text:?} is no MAC address; write one such as 02:00:5e:10:00:01");
                Err(wrong(&format!("/macs/{index}"), message))
            }
        });
        let mut macs: Vec<MacFact> = neighbours.collect::<Result<_, _>>()?;
        let lease = self.lease.as_ref().map(WrittenLease::resolve).transpose()?;
        let leased = lease.as_ref().and_then(LeaseFact::mac);
        macs.extend(leased.map(|address| MacFact { address, source: MacSource::LeaseFile }));
        let in_name = names::mac_in_name(&path);
        macs.extend(in_name.map(|address| MacFact { address, source: MacSource::RequestedName }));
        let class = self.class.as_deref().map_or(Ok(ClientClass::UNKNOWN), |name| {
            ClientClass::named(name).ok_or_else(|| {
                let message = format!("{name:?} is no class of clients; docs/logs.md lists them");
                wrong("/class", message)
            })
        })?;
        let local_address = self.local_address.as_deref().map(|text| {
            text.parse().map_err(|_| {
                let message = format!("{text:?} is no address; write one such as 192.0.2.1 or 2001:db8::1");
                wrong("/local-address", message)
            })
        });
        let local_address = local_address.transpose()?;
        let options = self.options.iter().map(|(name, value)| {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            (name.to_ascii_lowercase(), value)
        });
        let request = Request {
            id: RequestId(1),
            listener: self.listener.as_deref().unwrap_or("default").into(),
            operation: match self.operation {
                WrittenOperation::Read => Operation::Read,
                WrittenOperation::Write => Operation::Write,
            },
            mode: match self.mode {
                WrittenMode::Octet => Mode::Octet,
                WrittenMode::Netascii => Mode::Netascii,
            },
            requested: self.path.clone(),
            raw_name: None,
            prefix: None,
            stored_in: None,
            shim_folder: None,
            path,
            client: self.client.as_deref().map_or(Ok(SocketAddr::new(NOBODY, PORT)), client)?,
            local_address,
            interface: self.interface.as_deref().map(Into::into),
            vlan: self.vlan,
            lease: lease.map(Box::new),
            macs,
            class,
            options: options.collect(),
            calls: Default::default(),
            trail: None,
        };
        let upload = self.upload.as_ref().map(|upload| Uploaded {
            root: upload.root.clone(),
            path: upload.path.clone().unwrap_or_else(|| request.path.clone()),
            content: upload.content.bytes(),
        });
        Ok((request, upload))
    }
}

/// The default client (RFC 5737), and its port.
const NOBODY: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));
const PORT: u16 = 49152;

fn client(text: &str) -> Result<SocketAddr, Wrong> {
    let address = text.parse().map(|address| SocketAddr::new(address, PORT));
    let client: Result<SocketAddr, _> = address.or_else(|_| text.parse());
    client.map_err(|_| {
        let message = format!("{text:?} is no address; write one such as 192.0.2.1 or [2001:db8::1]:2000");
        ("/client".into(), message)
    })
}

fn mac(text: &str) -> Option<MacAddress> {
    let parts = text.split([':', '-']).map(|part| match part.len() {
        2 => u8::from_str_radix(part, 16).ok(),
        _ => None,
    });
    let bytes: Vec<u8> = parts.collect::<Option<_>>()?;
    bytes.try_into().ok().map(MacAddress)
}

/// Builds the input of a hook, and returns the hook if the input determines it.
///
/// # Errors
/// The input does not fit the hook, or is invalid.
pub(super) fn matter(
    hook: Option<Hook>,
    request: Option<&WrittenRequest>,
    events: Option<&[WrittenEvent]>,
) -> Result<(Option<Hook>, HookInput), Wrong> {
    let at =
        |section: &'static str| move |(pointer, message): Wrong| (format!("{section}{pointer}"), message);
    let wrong = |section: &str, message: &str| Err((section.to_owned(), message.to_owned()));
    match (request, events) {
        (Some(request), None) if hook != Some(Hook::Observe) => {
            let (request, upload) = request.resolve().map_err(at("/request"))?;
            if hook == Some(Hook::AcceptUpload) && upload.is_none() {
                let message =
                    "accept-upload is asked about an upload; add `upload: { root: NAME, content: TEXT }`";
                return wrong("/request", message);
            }
            Ok((hook, HookInput::Request(Box::new(request), upload)))
        }
        (None, Some(events)) if hook.is_none_or(|hook| hook == Hook::Observe) => {
            let events = events::resolve(events).map_err(at("/events"))?;
            Ok((Some(Hook::Observe), HookInput::Events(events)))
        }
        (Some(_), None) => {
            wrong("/request", "observe is told what happened; write `events` in place of `request`")
        }
        (None, Some(_)) => wrong("/events", "events are for observe; write `request`, or `hook: observe`"),
        _ => wrong("", "write `request`, or `events` for observe: one of the two"),
    }
}

/// The file of `--request`.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct RequestFile {
    hook: Option<Hook>,
    request: Option<WrittenRequest>,
    events: Option<Vec<WrittenEvent>>,
    #[serde(default)]
    host: WrittenHost,
}

#[derive(Debug, Args)]
pub(super) struct RequestArgs {
    /// The hook to call; optional if the plugin has only one hook that answers.
    #[arg(long, value_enum)]
    hook: Option<Hook>,
    /// A YAML file with `request` and, if needed, `hook` and `host`; or with `events` for observe.
    #[arg(long, value_name = "FILE", conflicts_with_all = FLAGS)]
    request: Option<PathBuf>,
    /// The requested name.
    #[arg(long, required_unless_present = "request")]
    path: Option<String>,
    /// The operation.
    #[arg(long, value_enum, default_value = "read")]
    operation: WrittenOperation,
    /// The transfer mode.
    #[arg(long, value_enum, default_value = "octet")]
    mode: WrittenMode,
    /// The client's address, with or without a port [default: 192.0.2.1].
    #[arg(long, value_name = "ADDR")]
    client: Option<String>,
    /// The name of the listener [default: default].
    #[arg(long, value_name = "NAME")]
    listener: Option<String>,
    /// The address that the request is sent to, for plugins that ask for it.
    #[arg(long, value_name = "IP")]
    local_address: Option<String>,
    /// The network interface that it arrives on, for plugins that ask for it.
    #[arg(long, value_name = "NAME")]
    interface: Option<String>,
    /// The VLAN of that interface, for plugins that ask for it.
    #[arg(long, value_name = "ID")]
    vlan: Option<u16>,
    /// A MAC address of the client, as if from the neighbour table. May be repeated.
    #[arg(long = "mac", value_name = "MAC")]
    macs: Vec<String>,
    /// The class of the client, such as ipxe [default: unknown].
    #[arg(long, value_name = "NAME")]
    class: Option<String>,
    /// An option of the request, such as blksize=1428. May be repeated.
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = option)]
    options: Vec<(String, String)>,
}

const FLAGS: [&str; 11] = [
    "path",
    "operation",
    "mode",
    "client",
    "listener",
    "local_address",
    "interface",
    "vlan",
    "macs",
    "class",
    "options",
];

/// The input of a call.
pub(super) struct Question {
    pub hook: Option<Hook>,
    pub matter: HookInput,
    pub given: Given,
}

/// The problems of an input.
pub(super) enum BadQuestion {
    File(ConfigError),
    Flag(String),
}

impl RequestArgs {
    /// Reads the request.
    pub fn question(&self) -> Result<Question, BadQuestion> {
        let Some(path) = &self.request else { return self.flags() };
        let file = Document::read(path, "the key `request`").map_err(BadQuestion::File)?;
        let written: RequestFile = file.parse().map_err(BadQuestion::File)?;
        let at = |section: &'static str| {
            let file = &file;
            move |(pointer, message)| {
                BadQuestion::File(file.error([(format!("{section}{pointer}"), message)]))
            }
        };
        let hook = self.hook.or(written.hook);
        let (hook, matter) =
            matter(hook, written.request.as_ref(), written.events.as_deref()).map_err(at(""))?;
        let given = written.host.given(Beyond::World).map_err(at("/host"))?;
        Ok(Question { hook, matter, given })
    }

    fn flags(&self) -> Result<Question, BadQuestion> {
        let options = self.options.iter().map(|(name, value)| (name.clone(), value.clone().into()));
        let written = WrittenRequest {
            path: self.path.clone().unwrap_or_default(),
            operation: self.operation,
            mode: self.mode,
            client: self.client.clone(),
            listener: self.listener.clone(),
            local_address: self.local_address.clone(),
            interface: self.interface.clone(),
            vlan: self.vlan,
            lease: None,
            macs: self.macs.clone(),
            class: self.class.clone(),
            options: options.collect(),
            upload: None,
        };
        let (request, upload) = written.resolve().map_err(|(pointer, message)| {
            let flag = pointer.split('/').nth(1).unwrap_or_default();
            BadQuestion::Flag(format!("--{}: {message}", if flag == "macs" { "mac" } else { flag }))
        })?;
        let matter = HookInput::Request(Box::new(request), upload);
        Ok(Question { hook: self.hook, matter, given: Given::default() })
    }
}

fn option(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=VALUE, such as blksize=1428")?;
    Ok((name.into(), value.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_what_admission_would_make_of_it() {
        let written = r#"{ "path": "\\pxelinux.cfg/01-02-00-5e-10-00-01", "client": "2001:db8::1",
            "macs": ["02-00-5E-10-00-02"], "options": { "BlkSize": 1428, "tsize": "0" } }"#;
        let written: WrittenRequest = serde_json::from_str(written).unwrap();
        let (request, upload) = written.resolve().unwrap();
        assert_eq!(request.path, "pxelinux.cfg/01-02-00-5e-10-00-01");
        assert_eq!(request.client.to_string(), "[2001:db8::1]:49152");
        let macs: Vec<String> = request.macs.iter().map(|mac| mac.address.to_string()).collect();
        assert_eq!(macs, ["02:00:5e:10:00:02", "02:00:5e:10:00:01"]);
        assert!(request.options.contains(&("blksize".into(), "1428".into())), "{:?}", request.options);
        assert!(upload.is_none());
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        for (json, pointer) in [
            (r#"{ "path": "../x" }"#, "/path"),
            (r#"{ "path": "x", "client": "nobody" }"#, "/client"),
            (r#"{ "path": "x", "class": "teapot" }"#, "/class"),
            (r#"{ "path": "x", "local-address": "here" }"#, "/local-address"),
            (r#"{ "path": "x", "macs": ["02:00:5e:10:00:01", "02:00"] }"#, "/macs/1"),
        ] {
            let written: WrittenRequest = serde_json::from_str(json).unwrap();
            assert_eq!(written.resolve().err().map(|(at, _)| at).as_deref(), Some(pointer), "{json}");
        }
    }
}
