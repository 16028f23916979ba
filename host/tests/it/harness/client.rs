//! The clients that the server must support: those of other projects, and its own.

use super::{Ran, run, skipped};
use std::ffi::OsString;
use std::fmt;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;
use tempfile::TempDir;

/// A TFTP client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Client {
    Curl,
    Atftp,
    /// `tftp` of tftp-hpa, which requests no options.
    TftpHpa,
    Busybox,
    /// `tuffet get` and `tuffet put`.
    Tuffet,
}

/// The options of a transfer.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    pub blksize: Option<u16>,
    pub windowsize: Option<u16>,
    /// In seconds; for tuffet the time-out of the transfer.
    pub timeout: Option<u8>,
    pub netascii: bool,
}

impl fmt::Display for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Client::Curl => "curl",
            Client::Atftp => "atftp",
            Client::TftpHpa => "tftp-hpa",
            Client::Busybox => "busybox tftp",
            Client::Tuffet => "tuffet",
        })
    }
}

impl Client {
    pub const ALL: [Client; 5] =
        [Client::Curl, Client::Atftp, Client::TftpHpa, Client::Busybox, Client::Tuffet];

    /// Iterates over the installed clients; reports the others as skipped.
    pub fn installed() -> impl Iterator<Item = Client> {
        Client::ALL.into_iter().filter(|client| client.is_installed())
    }

    /// Returns whether it is installed; reports it as skipped if not.
    pub fn is_installed(self) -> bool {
        static INSTALLED: [OnceLock<bool>; Client::ALL.len()] =
            [const { OnceLock::new() }; Client::ALL.len()];
        *INSTALLED[self as usize].get_or_init(|| self.look_for_it())
    }

    fn look_for_it(self) -> bool {
        // `tftp` is also the name of other clients, and some busyboxes have none.
        let (program, argument, says) = match self {
            Client::Tuffet => return true,
            Client::Curl => ("curl", "--version", "tftp"),
            Client::Atftp => ("atftp", "--version", "atftp"),
            Client::TftpHpa => ("tftp", "-V", "hpa"),
            Client::Busybox => ("busybox", "--list", "tftp"),
        };
        let is_it = Command::new(program).arg(argument).output().is_ok_and(|ran| {
            let said = [ran.stdout, ran.stderr].concat();
            String::from_utf8_lossy(&said).split([' ', '\n', ',', '-']).any(|word| word == says)
        });
        if !is_it {
            skipped(&format!("{self} is not installed"));
        }
        is_it
    }

    /// Returns whether it supports these options; a test must not use others.
    pub fn knows(self, options: &Options) -> bool {
        match self {
            Client::Atftp | Client::Tuffet => true,
            Client::Curl => options.windowsize.is_none() && options.timeout.is_none() && !options.netascii,
            Client::TftpHpa => {
                options.blksize.is_none() && options.windowsize.is_none() && options.timeout.is_none()
            }
            Client::Busybox => options.windowsize.is_none() && options.timeout.is_none() && !options.netascii,
        }
    }

    /// Downloads a file that must exist.
    #[track_caller]
    pub fn get(self, server: SocketAddr, name: &str, options: Options) -> Vec<u8> {
        let (ran, content) = self.try_get(server, name, options);
        assert!(ran.status.success(), "{self} {name} {options:?}: {ran:?}");
        // Some clients create no file for an empty one.
        content.unwrap_or_default()
    }

    /// Downloads a file, if the server permits it; returns the local file.
    pub fn try_get(self, server: SocketAddr, name: &str, options: Options) -> (Ran, Option<Vec<u8>>) {
        let folder = TempDir::new().unwrap();
        let local = folder.path().join("local");
        let ran = run(&mut self.command(server, name, &local, options, false));
        (ran, std::fs::read(local).ok())
    }

    /// Uploads a file that the server must accept.
    #[track_caller]
    pub fn put(self, server: SocketAddr, name: &str, content: &[u8], options: Options) {
        let ran = self.try_put(server, name, content, options);
        assert!(ran.status.success(), "{self} {name} {options:?}: {ran:?}");
    }

    /// Uploads a file, if the server permits it.
    pub fn try_put(self, server: SocketAddr, name: &str, content: &[u8], options: Options) -> Ran {
        let folder = TempDir::new().unwrap();
        let local = folder.path().join("local");
        std::fs::write(&local, content).unwrap();
        run(&mut self.command(server, name, &local, options, true))
    }

    fn command(
        self,
        server: SocketAddr,
        name: &str,
        local: &Path,
        options: Options,
        upload: bool,
    ) -> Command {
        assert!(self.knows(&options), "{self} does not know {options:?}");
        match self {
            Client::Curl => curl(server, name, local, options, upload),
            Client::Atftp => atftp(server, name, local, options, upload),
            Client::TftpHpa => tftp_hpa(server, name, local, options, upload),
            Client::Busybox => busybox(server, name, local, options, upload),
            Client::Tuffet => tuffet(server, name, local, options, upload),
        }
    }
}

fn curl(server: SocketAddr, name: &str, local: &Path, options: Options, upload: bool) -> Command {
    let mut curl = Command::new("curl");
    curl.args(["--silent", "--show-error", "--globoff", "--path-as-is"]);
    curl.arg(if upload { "--upload-file" } else { "--output" }).arg(local);
    if let Some(blksize) = options.blksize {
        curl.args(["--tftp-blksize", &blksize.to_string()]);
    }
    curl.arg(format!("tftp://{server}/{name}"));
    curl
}

fn atftp(server: SocketAddr, name: &str, local: &Path, options: Options, upload: bool) -> Command {
    let mut atftp = Command::new("atftp");
    let asked = [
        ("blksize", options.blksize.map(u32::from)),
        ("windowsize", options.windowsize.map(u32::from)),
        ("timeout", options.timeout.map(u32::from)),
    ];
    for (option, value) in asked {
        if let Some(value) = value {
            atftp.arg("--option").arg(format!("{option} {value}"));
        }
    }
    if options.windowsize.is_some() {
        atftp.args(["--option", "tsize 0"]);
    }
    if options.netascii {
        atftp.args(["--option", "mode netascii"]);
    }
    atftp.arg(if upload { "--put" } else { "--get" }).arg("--remote-file").arg(name);
    atftp.arg("--local-file").arg(local).arg(server.ip().to_string()).arg(server.port().to_string());
    atftp
}

fn tftp_hpa(server: SocketAddr, name: &str, local: &Path, options: Options, upload: bool) -> Command {
    let mut tftp = Command::new("tftp");
    tftp.arg(if server.is_ipv4() { "-4" } else { "-6" });
    tftp.args(["-m", if options.netascii { "ascii" } else { "octet" }]);
    tftp.arg(server.ip().to_string()).arg(server.port().to_string()).arg("-c");
    let (local, name) = (local.as_os_str().to_owned(), OsString::from(name));
    if upload {
        tftp.arg("put").arg(local).arg(name)
    } else {
        tftp.arg("get").arg(name).arg(local)
    };
    tftp
}

fn busybox(server: SocketAddr, name: &str, local: &Path, options: Options, upload: bool) -> Command {
    let mut busybox = Command::new("busybox");
    busybox.arg("tftp").arg(if upload { "-p" } else { "-g" });
    busybox.arg("-r").arg(name).arg("-l").arg(local);
    if let Some(blksize) = options.blksize {
        busybox.arg("-b").arg(blksize.to_string());
    }
    let host = if server.is_ipv4() { server.ip().to_string() } else { format!("[{}]", server.ip()) };
    busybox.arg(host).arg(server.port().to_string());
    busybox
}

fn tuffet(server: SocketAddr, name: &str, local: &Path, options: Options, upload: bool) -> Command {
    let mut tuffet = Command::new(env!("CARGO_BIN_EXE_tuffet"));
    let mode = if options.netascii { ";mode=netascii" } else { "" };
    let url = format!("tftp://{server}/{name}{mode}");
    if upload {
        tuffet.arg("put").arg(local).arg(url);
    } else {
        tuffet.arg("get").arg(url).arg("--output").arg(local);
    }
    // Like the other clients: options that are not given are not requested.
    tuffet.arg("--blksize").arg(options.blksize.unwrap_or(512).to_string());
    tuffet.arg("--windowsize").arg(options.windowsize.unwrap_or(1).to_string());
    if let Some(seconds) = options.timeout {
        tuffet.arg("--timeout").arg(seconds.to_string());
    }
    tuffet
}
