//! A request as written in a file or given on the command line.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::{Duration, SystemTime};

use clap::ValueEnum;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::bytes::Bytes;
use super::host::{InputProblem, parse_time};
use tuffet_leases::Mac;
use tuffet_request::names::{self, RequestedName};
use tuffet_request::{
    Call, Calls, ClientClass, Lease, LeaseFact, MacAddress, MacFact, MacSource, Mode, Operation, Protocol,
    Request, RequestId,
};
use tuffet_wasm::TrialUpload;

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct WrittenRequest {
    /// The name as the client sends it.
    pub(super) path: Bytes,
    #[serde(default)]
    pub(super) operation: WrittenOperation,
    #[serde(default)]
    pub(super) mode: WrittenMode,
    #[serde(default)]
    pub(super) protocol: WrittenProtocol,
    /// Address, with or without a port.
    pub(super) client: Option<String>,
    pub(super) listener: Option<String>,
    /// Addresses as from the neighbour table; one in the path is found there.
    #[serde(default)]
    pub(super) macs: Vec<String>,
    /// The address that the request is sent to; unknown by default.
    pub(super) local_address: Option<String>,
    /// The interface that it arrives on; unknown by default.
    pub(super) interface: Option<String>,
    /// The VLAN of that interface.
    pub(super) vlan: Option<u16>,
    /// The lease of the client's address; unknown by default.
    pub(super) lease: Option<WrittenLease>,
    /// The guessed kind of client; `unknown` by default.
    pub(super) class: Option<String>,
    /// Whether its root has `case: insensitive`.
    #[serde(default)]
    pub(super) any_case: bool,
    #[serde(default)]
    pub(super) options: Map<String, Value>,
    /// When it arrives; at the time of the case by default.
    pub(super) at: Option<String>,
    /// The labels that plugins have attached, by the name of the plugin.
    #[serde(default)]
    pub(super) labels: BTreeMap<String, String>,
    pub(super) upload: Option<WrittenUpload>,
}

/// A lease, as the server reads it from a file.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(super) struct WrittenLease {
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
    fn resolve(&self) -> Result<LeaseFact, InputProblem> {
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
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct WrittenUpload {
    root: String,
    /// The path of the request by default.
    path: Option<String>,
    /// Its content, which determines size and digest.
    #[serde(default)]
    content: Bytes,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, ValueEnum, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum WrittenOperation {
    #[default]
    Read,
    Write,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, ValueEnum, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum WrittenMode {
    #[default]
    Octet,
    Netascii,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, ValueEnum, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum WrittenProtocol {
    #[default]
    Tftp,
    Http,
}

impl WrittenRequest {
    /// Builds the request as admission does, and its upload. `now`: when it arrives unless it says so itself.
    pub fn resolve(&self, now: Duration) -> Result<(Request, Option<TrialUpload>), InputProblem> {
        let wrong = |pointer: &str, message: String| (pointer.to_owned(), message);
        let RequestedName { requested, raw_name, path, unsafe_name } =
            RequestedName::read(&self.path.bytes(), false);
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
            name.parse().map_err(|_| {
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
        let at = self.at.as_deref().map_or(Ok(now), parse_time);
        let at = at.map_err(|message| wrong("/at", message))?;
        let calls = Calls::default();
        for (plugin, text) in &self.labels {
            let label = text
                .parse()
                .map_err(|why| wrong(&format!("/labels/{plugin}"), format!("{text:?}: {why}")))?;
            calls.note(Call::labelling(plugin, label));
        }
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
            protocol: match self.protocol {
                WrittenProtocol::Tftp => Protocol::Tftp,
                WrittenProtocol::Http => Protocol::Http,
            },
            requested,
            raw_name,
            unsafe_name,
            prefix: None,
            stored_in: None,
            any_case: self.any_case,
            shim_folder: None,
            path,
            client: self.client.as_deref().map_or(Ok(SocketAddr::new(CLIENT, PORT)), client)?,
            local_address,
            interface: self.interface.as_deref().map(Into::into),
            vlan: self.vlan,
            lease: lease.map(Box::new),
            macs,
            certificate: None,
            class,
            options: options.collect(),
            received_at: SystemTime::UNIX_EPOCH + at,
            calls,
            trail: None,
        };
        let upload = self.upload.as_ref().map(|upload| TrialUpload {
            root: upload.root.clone(),
            path: upload.path.clone().unwrap_or_else(|| request.path.clone()),
            content: upload.content.bytes(),
        });
        Ok((request, upload))
    }
}

/// The default client (RFC 5737), and its port.
const CLIENT: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));
const PORT: u16 = 49152;

fn client(text: &str) -> Result<SocketAddr, InputProblem> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_what_admission_would_make_of_it() {
        let written = r#"{ "path": "\\pxelinux.cfg/01-02-00-5e-10-00-01", "client": "2001:db8::1",
            "macs": ["02-00-5E-10-00-02"], "options": { "BlkSize": 1428, "tsize": "0" } }"#;
        let written: WrittenRequest = serde_json::from_str(written).unwrap();
        let (request, upload) = written.resolve(Duration::ZERO).unwrap();
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
            (r#"{ "path": "x", "client": "nobody" }"#, "/client"),
            (r#"{ "path": "x", "class": "teapot" }"#, "/class"),
            (r#"{ "path": "x", "local-address": "here" }"#, "/local-address"),
            (r#"{ "path": "x", "macs": ["02:00:5e:10:00:01", "02:00"] }"#, "/macs/1"),
        ] {
            let written: WrittenRequest = serde_json::from_str(json).unwrap();
            assert_eq!(
                written.resolve(Duration::ZERO).err().map(|(at, _)| at).as_deref(),
                Some(pointer),
                "{json}"
            );
        }
    }
}
