//! A server that runs on its core.

use super::audience::{Audience, Collector};
use super::decisions::Mark;
use super::{Answer, Contender, Launch, Watch, probe};
use crate::command::{Running, last_lines, tied};
use crate::install::Installed;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, UdpSocket};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use tuffet_core::{Operation, OptionSet};

/// How long a server may take until it answers: one that compiles its plugins takes its time.
const START: Duration = Duration::from_secs(90);

/// The port in a network of its own.
const ELSEWHERE: u16 = 6969;

/// How long the answer to a probe may take once it serves.
const ANSWER: Duration = Duration::from_secs(3);

/// Where a server is started, if not on loopback.
#[derive(Debug, Clone, Default)]
pub struct Where {
    /// The address that it listens on; a loopback address with a free port without one.
    pub ip: Option<IpAddr>,
    /// What it is started behind, such as `ip netns exec NAME`.
    pub behind: Vec<String>,
}

/// Stops when it is dropped.
pub struct Server {
    /// Where it listens.
    pub address: SocketAddr,
    running: Running,
    log: PathBuf,
    audience: Option<Audience>,
}

impl Server {
    /// Starts a server on these cores and waits until it answers a request for `file`.
    ///
    /// # Errors
    /// When it cannot be started or does not answer; tells what it wrote last.
    pub(crate) fn start(
        contender: &Contender,
        installed: &Installed,
        cores: &str,
        folders: (&Path, &Path),
        uploads: bool,
        file: &str,
    ) -> Result<Server, String> {
        Server::start_there(contender, installed, cores, folders, uploads, file, &Where::default())
    }

    /// As [`Server::start`], in another place than loopback.
    ///
    /// # Errors
    /// When it cannot be started or does not answer; tells what it wrote last.
    pub fn start_there(
        contender: &Contender,
        installed: &Installed,
        cores: &str,
        folders: (&Path, &Path),
        uploads: bool,
        file: &str,
        there: &Where,
    ) -> Result<Server, String> {
        let address = match there.ip {
            // Elsewhere nothing else listens.
            Some(ip) => SocketAddr::new(ip, if contender.port_69 { 69 } else { ELSEWHERE }),
            None => free_address(contender.port_69).map_err(|error| error.to_string())?,
        };
        let (root, scratch) = folders;
        let collector = contender.watched.then(Collector::start).transpose();
        let collector = collector.map_err(|error| error.to_string())?;
        let watch = match &collector {
            Some(collector) => Some(Watch {
                collector: collector.address,
                bus: collector.bus().map_err(|error| error.to_string())?,
                admin: free_tcp_address().map_err(|error| error.to_string())?,
            }),
            None => None,
        };
        let launch = Launch { address, root, uploads, scratch, watch };
        let log = scratch.join(format!("{}.log", contender.name));
        let command = pinned(&there.behind, &(contender.command)(installed, &launch)?, cores);
        let running = Running::start_logged(command, &log).map_err(|error| error.to_string())?;
        let mut server = Server { address, running, log, audience: None };
        match server.ask(Operation::Read, file, &OptionSet::default(), START)? {
            Answer::Granted(_) => {
                let audience =
                    collector.zip(watch).map(|(collector, watch)| Audience::join(collector, watch.admin));
                server.audience = audience
                    .transpose()
                    .map_err(|error| format!("the live view cannot be opened: {error}"))?;
                Ok(server)
            }
            Answer::Error(text) => Err(format!("it refuses {file}: {text}")),
        }
    }

    /// The options that it grants of those in `asked`.
    ///
    /// # Errors
    /// When it does not answer, or refuses.
    pub(crate) fn granted(
        &mut self,
        operation: Operation,
        name: &str,
        asked: &OptionSet,
    ) -> Result<OptionSet, String> {
        match self.ask(operation, name, asked, ANSWER)? {
            Answer::Granted(options) => Ok(options),
            Answer::Error(text) => Err(text),
        }
    }

    /// The process that was started; others may descend from it.
    pub fn id(&self) -> u32 {
        self.running.id()
    }

    /// Why those who watch it, if any are to, have seen nothing.
    pub(crate) fn unseen(&self) -> Option<&'static str> {
        self.audience.as_ref().and_then(Audience::unseen)
    }

    /// The end of its log by now.
    pub(crate) fn mark(&self) -> Mark {
        Mark::end_of(&self.log)
    }

    /// Whether it still runs.
    pub fn lives(&mut self) -> bool {
        self.running.ended().is_none()
    }

    /// What it wrote last, for an error.
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
    ) -> Result<Answer, String> {
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

/// The same command, on these cores, ended with this process.
fn pinned(behind: &[String], command: &Command, cores: &str) -> Command {
    let mut outer = tied("taskset");
    outer.args(["--cpu-list", cores]).args(behind).arg(command.get_program()).args(command.get_args());
    outer
}

fn free_tcp_address() -> io::Result<SocketAddr> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()
}

/// A loopback address with a port that nobody listens on.
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
