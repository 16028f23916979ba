//! The small process above a server: it outlives the server, so that one can replace the other without a gap.
//!
//! It starts the server as a child, passes signals on, and ends with the server's exit code. When it is told to stop, it
//! ends as soon as the server answers no more requests; the server goes on alone until its transfers have ended.
//! So a service manager can start the next server at once. When the server asks for a restart, it starts the next one,
//! which takes over ([`super::handover`]).
//!
//! It keeps the privileges that it was started with, reads no file and no network, and takes from the server only
//! single bytes ([`super::parent`]).

use super::parent::{DRAINING, FAILED, RESTART};
use std::env;
use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream as BlockingStream;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{ExitCode, ExitStatus, Stdio, id};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::process::{Child, Command};
use tokio::signal::unix::{Signal, SignalKind, signal};

/// The flag of a server below such a process.
pub const UNDER_PARENT: &str = "--under-parent";
/// The flag of a server that replaces another one.
pub const TAKE_OVER: &str = "--take-over";

/// Starts a server with these arguments, and stays above it. `complain` writes to standard error.
///
/// # Errors
/// The process cannot be started.
pub fn supervise(arguments: Vec<OsString>, complain: fn(String)) -> io::Result<ExitCode> {
    let program = Program { path: env::current_exe()?, arguments };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let signals = Signals::catch()?;
        let serving = program.start(false)?;
        Supervisor { program, complain, signals, serving, next: None, is_stopping: false }.run().await
    })
}

/// What is started.
struct Program {
    /// Where a newer version may be by now.
    path: PathBuf,
    arguments: Vec<OsString>,
}

impl Program {
    fn start(&self, take_over: bool) -> io::Result<Server> {
        let (ours, its) = BlockingStream::pair()?;
        ours.set_nonblocking(true)?;
        let mut command = Command::new(&self.path);
        command.args(&self.arguments).arg(UNDER_PARENT).args(take_over.then_some(TAKE_OVER));
        command.stdin(Stdio::from(OwnedFd::from(its)));
        // Signals of a terminal go to this process alone, which passes them on.
        command.process_group(0);
        // They name this process, and are meant for the server.
        let own = id().to_string();
        for name in ["LISTEN_PID", "WATCHDOG_PID"] {
            if env::var(name).is_ok_and(|pid| pid == own) {
                command.env_remove(name);
            }
        }
        Ok(Server { process: command.spawn()?, link: Some(UnixStream::from_std(ours)?) })
    }
}

/// A server below this process.
struct Server {
    process: Child,
    /// `None` once the server has closed it.
    link: Option<UnixStream>,
}

enum News {
    Said(u8),
    Ended(ExitStatus),
}

impl Server {
    /// May be cancelled.
    async fn news(&mut self) -> io::Result<News> {
        loop {
            let Server { process, link } = self;
            let said = async {
                match link {
                    Some(link) => link.read_u8().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                // What it said before its end comes first.
                biased;
                said = said => match said {
                    Ok(byte) => return Ok(News::Said(byte)),
                    Err(_) => self.link = None,
                },
                ended = process.wait() => return Ok(News::Ended(ended?)),
            }
        }
    }

    fn signal(&self, number: nix::sys::signal::Signal) {
        let process = self.process.id().and_then(|id| i32::try_from(id).ok());
        if let Some(process) = process {
            // It may have ended.
            let _ = nix::sys::signal::kill(nix::unistd::Pid::from_raw(process), number);
        }
    }
}

struct Supervisor {
    program: Program,
    /// Writes to standard error.
    complain: fn(String),
    signals: Signals,
    serving: Server,
    /// The next server, until it answers requests.
    next: Option<Server>,
    is_stopping: bool,
}

impl Supervisor {
    async fn run(mut self) -> io::Result<ExitCode> {
        loop {
            tokio::select! {
                // A signal is for the server that serves by now.
                biased;
                news = self.serving.news() => match news? {
                    News::Said(RESTART) if !self.is_stopping => self.start_next().await,
                    // It goes on alone; only its exit is awaited where nothing else is left.
                    News::Said(DRAINING) if self.is_stopping => return Ok(ExitCode::SUCCESS),
                    News::Said(DRAINING) => self.replace(),
                    News::Said(_) => {}
                    News::Ended(status) => match self.next.take() {
                        Some(next) => self.serving = next,
                        None => return Ok(exit_code(status)),
                    },
                },
                news = news_of(&mut self.next) => if let News::Ended(_) = news? {
                    self.next = None;
                    self.tell_failed().await;
                },
                number = self.signals.next() => self.pass_on(number),
            }
        }
    }

    fn pass_on(&mut self, number: nix::sys::signal::Signal) {
        use nix::sys::signal::Signal as Number;
        match number {
            Number::SIGTERM | Number::SIGINT => {
                self.is_stopping = true;
                if let Some(next) = &self.next {
                    next.signal(Number::SIGTERM);
                }
                self.serving.signal(Number::SIGTERM);
            }
            // The service manager's watchdog has heard nothing from the server, which may be unable to end.
            Number::SIGABRT => {
                self.serving.signal(Number::SIGKILL);
                std::process::abort();
            }
            number => self.serving.signal(number),
        }
    }

    async fn start_next(&mut self) {
        if self.next.is_some() {
            return;
        }
        match self.program.start(true) {
            Ok(next) => self.next = Some(next),
            Err(error) => {
                (self.complain)(format!("{} cannot be started: {error}", self.program.path.display()));
                self.tell_failed().await;
            }
        }
    }

    async fn tell_failed(&mut self) {
        if let Some(link) = &mut self.serving.link {
            let _ = link.write_all(&[FAILED]).await;
        }
    }

    /// The next server answers requests. The one before ends by itself; without a next one, which somebody else has
    /// started, this process ends with it.
    fn replace(&mut self) {
        if let Some(next) = self.next.take() {
            let mut before = std::mem::replace(&mut self.serving, next);
            tokio::spawn(async move { before.process.wait().await });
        }
    }
}

async fn news_of(server: &mut Option<Server>) -> io::Result<News> {
    match server {
        Some(server) => server.news().await,
        None => std::future::pending().await,
    }
}

fn exit_code(status: ExitStatus) -> ExitCode {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    ExitCode::from(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}

/// The signals that are passed on.
struct Signals(Vec<(nix::sys::signal::Signal, Signal)>);

impl Signals {
    fn catch() -> io::Result<Signals> {
        use nix::sys::signal::Signal as Number;
        let numbers = [
            Number::SIGTERM,
            Number::SIGINT,
            Number::SIGHUP,
            Number::SIGUSR1,
            Number::SIGUSR2,
            Number::SIGABRT,
        ];
        let caught = numbers.map(|number| Ok((number, signal(SignalKind::from_raw(number as i32))?)));
        Ok(Signals(caught.into_iter().collect::<io::Result<_>>()?))
    }

    async fn next(&mut self) -> nix::sys::signal::Signal {
        let waiting = self.0.iter_mut().map(|(number, signal)| {
            Box::pin(async move {
                signal.recv().await;
                *number
            })
        });
        futures_util::future::select_all(waiting).await.0
    }
}
