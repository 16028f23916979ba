//! A running server on its cores.

use super::log::LogPosition;
use super::watchers::{Collector, Watchers};
use super::{Contender, Launch, ProbeAnswer, WatchAddresses, probe};
use crate::command::{RunningProgram, last_lines, tied};
use crate::install::Installed;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, UdpSocket};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use tuffet_core::{Operation, OptionSet};

/// The time limit for the start, which may include compiling plugins.
const START: Duration = Duration::from_secs(90);

/// The port in a separate network namespace.
const ELSEWHERE: u16 = 6969;

/// The time limit for the answer to a probe after the start.
const ANSWER: Duration = Duration::from_secs(3);

/// The network of a server; loopback by default.
#[derive(Debug, Clone, Default)]
pub struct Placement {
    /// The listening address; `None` for loopback with a free port.
    pub ip: Option<IpAddr>,
    /// A command prefix, such as `ip netns exec NAME`.
    pub behind: Vec<String>,
}

/// A running server; dropping it stops it.
pub struct Server {
    /// Where it listens.
    pub address: SocketAddr,
    running: RunningProgram,
    log: PathBuf,
    watchers: Option<Watchers>,
}

impl Server {
    /// Starts a server on these cores, and waits until it answers a request for `file`.
    ///
    /// # Errors
    /// It cannot be started or does not answer; with the end of its log.
    pub(crate) fn start(
        contender: &Contender,
        installed: &Installed,
        cores: &str,
        folders: (&Path, &Path),
        uploads: bool,
        file: &str,
    ) -> Result<Server, String> {
        Server::start_in(contender, installed, cores, folders, uploads, file, &Placement::default())
    }

    /// As [`Server::start`], with another placement than loopback.
    ///
    /// # Errors
    /// It cannot be started or does not answer; with the end of its log.
    pub fn start_in(
        contender: &Contender,
        installed: &Installed,
        cores: &str,
        folders: (&Path, &Path),
        uploads: bool,
        file: &str,
        placement: &Placement,
    ) -> Result<Server, String> {
        let ways = contender.watched;
        let collector = (!ways.is_empty()).then(Collector::start).transpose();
        let collector = collector.map_err(|error| error.to_string())?;
        // After the collector, which must not get the same port.
        let address = match placement.ip {
            // Nothing else listens in that network.
            Some(ip) => SocketAddr::new(ip, if contender.port_69 { 69 } else { ELSEWHERE }),
            None => free_address(contender.port_69).map_err(|error| error.to_string())?,
        };
        let (root, scratch) = folders;
        let watch = match &collector {
            Some(collector) => Some(WatchAddresses {
                ways,
                collector: collector.address,
                bus: collector.bus().map_err(|error| error.to_string())?,
                admin: free_tcp_address().map_err(|error| error.to_string())?,
            }),
            None => None,
        };
        let launch = Launch { address, root, uploads, scratch, watch };
        let log = scratch.join(format!("{}.log", contender.name));
        let command = pinned(&placement.behind, &(contender.command)(installed, &launch)?, cores);
        let running = RunningProgram::start_logged(command, &log).map_err(|error| error.to_string())?;
        let mut server = Server { address, running, log, watchers: None };
        match server.ask(Operation::Read, file, &OptionSet::default(), START)? {
            ProbeAnswer::Granted(_) => {
                let watchers =
                    collector.zip(watch).map(|(collector, watch)| Watchers::join(collector, watch));
                server.watchers = watchers
                    .transpose()
                    .map_err(|error| format!("the live view cannot be opened: {error}"))?;
                Ok(server)
            }
            ProbeAnswer::Error(text) => Err(format!("it refuses {file}: {text}")),
        }
    }

    /// Returns the granted ones of the options in `asked`.
    ///
    /// # Errors It does not answer, or refuses the request.
    pub(crate) fn granted(
        &mut self,
        operation: Operation,
        name: &str,
        asked: &OptionSet,
    ) -> Result<OptionSet, String> {
        match self.ask(operation, name, asked, ANSWER)? {
            ProbeAnswer::Granted(options) => Ok(options),
            ProbeAnswer::Error(text) => Err(text),
        }
    }

    /// The ID of the started process, which may have descendants.
    pub fn id(&self) -> u32 {
        self.running.id()
    }

    /// The reason if its watchers have seen nothing.
    pub(crate) fn unseen(&self) -> Option<&'static str> {
        self.watchers.as_ref().and_then(Watchers::unseen)
    }

    /// The present end of its log.
    pub(crate) fn log_position(&self) -> LogPosition {
        LogPosition::end_of(&self.log)
    }

    /// Whether it still runs.
    pub fn lives(&mut self) -> bool {
        self.running.ended().is_none()
    }

    /// Its state and the last lines of its log, for an error.
    pub fn last_words(&mut self) -> String {
        let text = std::fs::read(&self.log).unwrap_or_default();
        let words = last_lines(&String::from_utf8_lossy(&text));
        let state =
            self.running.ended().map_or("it runs".to_owned(), |status| format!("it ended with {status}"));
        if words.is_empty() { state } else { format!("{state}: {words}") }
    }

    fn ask(
        &mut self,
        operation: Operation,
        name: &str,
        asked: &OptionSet,
        limit: Duration,
    ) -> Result<ProbeAnswer, String> {
        let running = &mut self.running;
        let alive = || match running.ended() {
            Some(status) => Err(io::Error::other(format!("it ended with {status}"))),
            None => Ok(()),
        };
        match probe(self.address, operation, name, asked, limit, alive) {
            Ok(Some(answer)) => Ok(answer),
            Ok(None) => {
                let waited = humantime::format_duration(limit);
                let words = self.last_words();
                Err(format!("no answer on {} within {waited}; {words}", self.address))
            }
            Err(error) => Err(format!("{error}; {}", self.last_words())),
        }
    }
}

/// Wraps a command to run on these cores and to end with this process.
fn pinned(behind: &[String], command: &Command, cores: &str) -> Command {
    let mut outer = tied("taskset");
    outer.args(["--cpu-list", cores]).args(behind).arg(command.get_program()).args(command.get_args());
    outer
}

fn free_tcp_address() -> io::Result<SocketAddr> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()
}

/// Returns a loopback address with a free port.
fn free_address(port_69: bool) -> io::Result<SocketAddr> {
    if !port_69 {
        return UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr();
    }
    let mut last = io::Error::other("no loopback address was tried");
    for host in 1..=20 {
        let address = SocketAddr::new(IpAddr::V4(Ipv4Addr::new(127, 69, 0, host)), 69);
        match UdpSocket::bind(address) {
            Ok(_) => return Ok(address),
            Err(error) => last = error,
        }
    }
    Err(io::Error::new(last.kind(), format!("it listens on port 69 alone, which cannot be had: {last}")))
}
