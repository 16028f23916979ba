//! The sink of kind `syslog`.

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tuffet_request::units::{TimeSpan, plain};

use super::super::address::parse_address;
use super::super::resolver::Resolver;
use super::super::tree::join;
use super::http::timeout;

/// The longest path of a Unix socket in bytes (unix(7)), and of an APP-NAME (RFC 5424 section 6).
const MAX_PATH: usize = 107;
const MAX_NAME: usize = 48;

/// A syslog server that receives a message (RFC 5424) for each line. As written, its address is a text.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(
    rename_all = "kebab-case",
    deny_unknown_fields,
    bound(deserialize = "A: Deserialize<'de> + From<&'static str>")
)]
#[schemars(bound = "A: JsonSchema + Serialize + From<&'static str>")]
pub struct SyslogTarget<A = SyslogAddress> {
    /// `udp:IP:PORT`: a datagram for each message. `tcp:IP:PORT`: messages with their lengths (octet counting,
    /// RFC 6587). `unix:PATH`: datagrams to a local socket.
    #[serde(default = "local_server::<A>")]
    pub address: A,
    /// The facility of the messages.
    #[serde(default)]
    pub facility: Facility,
    /// The APP-NAME of the messages: up to 48 letters, digits and other visible ASCII characters.
    #[serde(default = "app_name")]
    pub app_name: String,
    /// The time limit for connecting and for sending.
    #[serde(default = "timeout", with = "plain")]
    #[schemars(with = "TimeSpan", extend("x-minimum" = "10ms", "x-maximum" = "5m"))]
    pub timeout: Duration,
}

/// As written.
pub(crate) type WrittenSyslog = SyslogTarget<String>;

/// The address of a syslog server, and the transport.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum SyslogAddress {
    /// Datagrams (RFC 5426).
    Udp(SocketAddr),
    /// A stream with octet counting (RFC 6587).
    Tcp(SocketAddr),
    /// Datagrams to a socket in the file system.
    Unix(PathBuf),
}

/// A facility that is not the kernel's or of a certain daemon.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Facility {
    /// 1.
    User,
    /// 3.
    #[default]
    Daemon,
    /// 10.
    Authpriv,
    /// 11.
    Ftp,
    /// 16.
    Local0,
    /// 17.
    Local1,
    /// 18.
    Local2,
    /// 19.
    Local3,
    /// 20.
    Local4,
    /// 21.
    Local5,
    /// 22.
    Local6,
    /// 23.
    Local7,
}

impl Facility {
    /// Returns its number (RFC 5424 section 6.2.1).
    pub fn number(self) -> u8 {
        match self {
            Facility::User => 1,
            Facility::Daemon => 3,
            Facility::Authpriv => 10,
            Facility::Ftp => 11,
            Facility::Local0 => 16,
            Facility::Local1 => 17,
            Facility::Local2 => 18,
            Facility::Local3 => 19,
            Facility::Local4 => 20,
            Facility::Local5 => 21,
            Facility::Local6 => 22,
            Facility::Local7 => 23,
        }
    }
}

impl Default for WrittenSyslog {
    fn default() -> Self {
        Self {
            address: local_server(),
            facility: Facility::default(),
            app_name: app_name(),
            timeout: timeout(),
        }
    }
}

impl fmt::Display for SyslogAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SyslogAddress::Udp(address) => write!(f, "udp:{address}"),
            SyslogAddress::Tcp(address) => write!(f, "tcp:{address}"),
            SyslogAddress::Unix(socket) => write!(f, "unix:{}", socket.display()),
        }
    }
}

/// Where the syslog server of this machine listens.
fn local_server<A: From<&'static str>>() -> A {
    "unix:/dev/log".into()
}

fn app_name() -> String {
    "tuffet".into()
}

impl Resolver<'_> {
    pub(crate) fn sink_syslog(&mut self, pointer: &str, syslog: &WrittenSyslog) -> Option<SyslogTarget> {
        let name = &syslog.app_name;
        if name.is_empty() || name.len() > MAX_NAME || !name.bytes().all(|byte| byte.is_ascii_graphic()) {
            let message = format!("write 1 to {MAX_NAME} visible ASCII characters without spaces");
            self.wrong(join(pointer, "app-name"), message);
        }
        match self.syslog_address(&syslog.address) {
            Ok(address) => {
                let (facility, app_name, timeout) = (syslog.facility, name.clone(), syslog.timeout);
                Some(SyslogTarget { address, facility, app_name, timeout })
            }
            Err(complaint) => {
                self.wrong(join(pointer, "address"), complaint);
                None
            }
        }
    }

    fn syslog_address(&self, text: &str) -> Result<SyslogAddress, String> {
        match text.split_once(':') {
            Some(("udp", address)) => parse_address(address).map(SyslogAddress::Udp),
            Some(("tcp", address)) => parse_address(address).map(SyslogAddress::Tcp),
            Some(("unix", "")) => Err("it has no path; write `unix:/dev/log`".into()),
            Some(("unix", path)) => {
                let path = self.absolute(path.as_ref());
                if path.as_os_str().len() > MAX_PATH {
                    return Err(format!("the path of a socket has at most {MAX_PATH} bytes"));
                }
                Ok(SyslogAddress::Unix(path))
            }
            _ => Err(format!(
                "`{text}` has no transport; write `udp:IP:PORT`, `tcp:IP:PORT` or `unix:PATH`, such as \
                 `unix:/dev/log`"
            )),
        }
    }
}
