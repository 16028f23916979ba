//! The control socket, through which `tuffet reload` and `tuffet status` reach the running server.
//!
//! The client sends one line (`reload`, `reload check`, `status`, `live`, `recent`, `metrics`, `cache`, `keys`, `explain`; the last three with JSON),
//! and gets one line of JSON. `watch` gets a line per second, `capture` parts of a file. Only root and the server's user
//! may connect.

use super::cache;
use super::explain::Explainer;
use super::handover::{Handover, TakeOver};
use super::keys;
use super::parent::Parent;
use super::reload::{ReloadCheck, ReloadRequest, ReloadResult};
use super::reply::Reply;
use crate::privileges::Account;
use crate::socket_file::{SocketFile, bind_file};
use std::io::{self, BufRead, BufReader as BlockingReader, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::{UnixListener as BlockingListener, UnixStream as BlockingStream};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, ReadHalf, WriteHalf};
use tokio::net::{UnixListener, UnixStream};
use tokio::runtime::Handle;
use tokio::sync::{Notify, mpsc, oneshot};
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use tuffet_observe::accept::AcceptFailures;
use tuffet_observe::feed::{Feed, Viewer};
use tuffet_observe::peer::Peer;
use tuffet_observe::stall::StallGuard;
use tuffet_observe::telemetry::exposition;
use tuffet_server::capture::{CaptureSpec, CaptureTotals, Captures, RunningCapture};
use tuffet_server::origins::Origins;
use tuffet_server::watch::{RowQuery, Watch};
use tuffet_wasm::PolicyRuntime;

/// The longest command in bytes: `keys` with the longest value, in Base64.
const MAX_COMMAND: u64 = 160 << 10;
/// How long a client may take to send its command, and how long it may read nothing of what it gets.
const CLIENT_TIMEOUT: Duration = Duration::from_secs(10);

/// Why a server cannot start the next one.
const NO_PARENT: &str = "this server runs without `--restartable`, so nothing can start the next one: start that \
                         yourself, with `tuffet serve --take-over`, or restart the service once with `--restartable`";

/// The state that commands show.
#[derive(Clone)]
pub(super) struct ControlState {
    pub(super) watch: Watch,
    pub(super) feed: Feed,
    pub(super) explainer: Explainer,
    pub(super) captures: Captures,
    pub(super) origins: Origins,
    /// It has the keys of plugins.
    pub(super) plugins: PolicyRuntime,
    pub(super) handover: Handover,
    /// The process above this one, which can start the next server.
    pub(super) parent: Option<Parent>,
}

/// The socket.
pub(super) struct Control {
    listener: BlockingListener,
    file: Option<SocketFile>,
}

impl Control {
    /// Binds it for this user, and replaces one left by a dead server.
    ///
    /// # Errors
    /// The path cannot be created or used, or another server uses it.
    pub(super) fn bind(path: &Path, account: Option<&Account>) -> io::Result<Control> {
        let (listener, file) = bind_file(path, 0o600, account)?;
        Ok(Control { listener, file: Some(file) })
    }

    /// Uses an inherited, non-blocking socket. Without `file`, the file stays.
    pub(super) fn inherit(listener: BlockingListener, file: Option<SocketFile>) -> Control {
        Control { listener, file }
    }

    /// Returns a duplicate of the socket, and its file.
    ///
    /// # Errors
    /// The process has no descriptors left.
    pub(super) fn offer(&mut self) -> io::Result<(OwnedFd, Option<SocketFile>)> {
        Ok((self.listener.as_fd().try_clone_to_owned()?, self.file.take()))
    }

    /// Answers commands until it is dropped.
    pub(super) async fn run(self, reloads: mpsc::Sender<ReloadRequest>, state: ControlState) {
        let listener = UnixListener::from_std(self.listener);
        let listener = match listener {
            Ok(listener) => listener,
            Err(error) => {
                tracing::warn!(target: "tuffet::server::control", %error, "the control socket failed");
                return;
            }
        };
        let mut failures = AcceptFailures::default();
        loop {
            match listener.accept().await {
                Ok((stream, _)) => {
                    let (reloads, state) = (reloads.clone(), state.clone());
                    tokio::spawn(async move {
                        if let Err(error) = answer(stream, &reloads, &state).await {
                            tracing::debug!(
                                target: "tuffet::server::control",
                                %error, "a request on the control socket failed"
                            );
                        }
                    });
                }
                Err(error) => {
                    failures.pause("the control socket", &error).await;
                }
            }
        }
    }
}

async fn answer(
    stream: UnixStream,
    reloads: &mpsc::Sender<ReloadRequest>,
    state: &ControlState,
) -> io::Result<()> {
    let uid = stream.peer_cred()?.uid();
    if uid != 0 && uid != rustix::process::geteuid().as_raw() {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    let (reader, mut writer) = tokio::io::split(StallGuard::new(stream, CLIENT_TIMEOUT));
    let mut command = String::new();
    let mut reader = BufReader::new(reader.take(MAX_COMMAND));
    timeout(CLIENT_TIMEOUT, reader.read_line(&mut command)).await??;
    let command = command.trim();
    let ControlState { watch, feed, explainer, captures, origins, plugins, handover, parent } = state;
    let reply = match command.split_once(' ').unwrap_or((command, "")) {
        ("reload", "") => match reload(reloads).await {
            Ok(generation) => Reply::Reloaded(generation),
            Err(reasons) => Reply::Refused(reasons),
        },
        ("reload", "check") => match check_reload(reloads).await {
            Some(check) => Reply::Checked(check),
            None => Reply::Refused(vec![STOPPING.to_owned()]),
        },
        ("status", "") => Reply::Status(Box::new(watch.report())),
        ("recent", "") => Reply::Recent(watch.recent()),
        ("metrics", "") => Reply::Metrics(exposition(watch)),
        // With the samples after `since`, for a client that has the earlier ones.
        ("live", since) => match if since.is_empty() { Ok(0) } else { since.parse() } {
            Ok(since) => Reply::Live(Box::new(watch.snapshot(since))),
            Err(_) => Reply::Unknown(command.to_owned()),
        },
        ("explain", question) => match serde_json::from_str(question) {
            Ok(question) => match explainer.explain(&question).await {
                Ok(explained) => Reply::Explained(Box::new(explained)),
                Err(why) => Reply::Unexplained(why),
            },
            Err(_) => Reply::Unknown("explain".into()),
        },
        ("capture", wanted) => match serde_json::from_str(wanted) {
            Ok(wanted) => match captures.begin(&wanted).await {
                Some(running) => {
                    let reader = reader.into_inner().into_inner();
                    return capture((reader, writer), running, &wanted).await;
                }
                None => Reply::Busy,
            },
            Err(_) => Reply::Unknown("capture".into()),
        },
        ("take-over", asked) => match serde_json::from_str(asked) {
            Ok(TakeOver { replace: false }) if !watch.is_draining() => Reply::Serving,
            Ok(TakeOver { .. }) => {
                let stream = reader.into_inner().into_inner().unsplit(writer).into_inner().into_std()?;
                let handover = handover.clone();
                let runtime = Handle::current();
                return spawn_blocking(move || handover.serve(stream, &runtime)).await?;
            }
            Err(_) => Reply::Unknown("take-over".into()),
        },
        ("restart", "") => match parent {
            Some(parent) => match parent.restart().await {
                Ok(()) => Reply::Restarted,
                Err(why) => Reply::Refused(vec![why]),
            },
            None => Reply::Refused(vec![NO_PARENT.to_owned()]),
        },
        ("cache", command) => match serde_json::from_str(command) {
            Ok(command) => cache::run(origins.clone(), command).await,
            Err(_) => Reply::Unknown("cache".into()),
        },
        ("keys", command) => match serde_json::from_str(command) {
            Ok(command) => keys::run(plugins, command).await,
            Err(_) => Reply::Unknown("keys".into()),
        },
        // With the rows that a viewer asks for.
        ("watch", query) => {
            match if query.is_empty() { Ok(RowQuery::default()) } else { serde_json::from_str(query) } {
                Ok(query) => {
                    let leave = Arc::new(Notify::new());
                    match feed.join(query, Peer::User(Some(uid)), leave.clone()) {
                        Some(viewer) => {
                            return tokio::select! {
                                sent = stream_to(writer, viewer) => sent,
                                () = leave.notified() => Ok(()),
                            };
                        }
                        None => Reply::Busy,
                    }
                }
                Err(_) => Reply::Unknown("watch".into()),
            }
        }
        _ => Reply::Unknown(command.to_owned()),
    };
    writer.write_all(&line(&reply)?).await
}

fn line(reply: &Reply) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(reply)?;
    line.push(b'\n');
    Ok(line)
}

/// The connection of a client.
type Client = StallGuard<UnixStream>;

/// Sends a line, the parts of the capture, and a line about its end.
async fn capture(
    (mut reader, mut writer): (ReadHalf<Client>, WriteHalf<Client>),
    running: RunningCapture,
    wanted: &CaptureSpec,
) -> io::Result<()> {
    tracing::info!(
        target: "tuffet::server::control",
        clients = wanted.clients.len(),
        milliseconds = wanted.milliseconds,
        "capturing datagrams for a client of the control socket"
    );
    writer.write_all(&line(&Reply::Capturing)?).await?;
    let captured = tokio::select! {
        captured = running.stream(wanted, &mut writer) => captured?,
        // The client sends nothing more; the read ends when it disconnects.
        _ = reader.read_u8() => return Ok(()),
    };
    writer.write_all(&line(&Reply::Captured(captured))?).await
}

/// Sends snapshots until the viewer is gone or too slow.
async fn stream_to(mut writer: WriteHalf<Client>, mut viewer: Viewer) -> io::Result<()> {
    while let Some(snapshot) = viewer.next().await {
        let line = format!("{{\"live\":{snapshot}}}\n");
        writer.write_all(line.as_bytes()).await?;
    }
    Ok(())
}

const STOPPING: &str = "the server is stopping";

async fn reload(reloads: &mpsc::Sender<ReloadRequest>) -> ReloadResult {
    let stopping = || vec![STOPPING.to_owned()];
    let (reply_to, reply) = oneshot::channel();
    reloads.send(ReloadRequest::Reload(Some(reply_to))).await.map_err(|_| stopping())?;
    reply.await.unwrap_or_else(|_| Err(stopping()))
}

/// Returns what a reload would do; `None` if the server is stopping.
async fn check_reload(reloads: &mpsc::Sender<ReloadRequest>) -> Option<ReloadCheck> {
    let (reply_to, reply) = oneshot::channel();
    reloads.send(ReloadRequest::Check(reply_to)).await.ok()?;
    reply.await.ok()
}

/// A capture that has begun, for the command line.
pub struct CaptureStream(BlockingReader<BlockingStream>);

impl CaptureStream {
    /// Copies the capture as it arrives; blocks until it ends.
    ///
    /// # Errors
    /// The server has gone, or the output fails.
    pub fn copy_to(mut self, output: &mut dyn Write) -> io::Result<CaptureTotals> {
        let mut length = [0; 4];
        loop {
            self.0.read_exact(&mut length)?;
            let expected = u64::from(u32::from_be_bytes(length));
            if expected == 0 {
                break;
            }
            if io::copy(&mut (&mut self.0).take(expected), output)? < expected {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            output.flush()?;
        }
        let mut line = String::new();
        self.0.read_line(&mut line)?;
        match serde_json::from_str(&line) {
            Ok(Reply::Captured(captured)) => Ok(captured),
            _ => Err(io::ErrorKind::InvalidData.into()),
        }
    }
}

/// Starts a capture in the running server, for the command line. Blocks until every worker captures.
///
/// # Errors
/// There is no server, or another capture runs.
pub fn begin_capture(socket: &Path, wanted: &CaptureSpec) -> io::Result<CaptureStream> {
    let mut stream = BlockingStream::connect(socket)?;
    stream.write_all(format!("capture {}\n", serde_json::json!(wanted)).as_bytes())?;
    let (mut reader, mut line) = (BlockingReader::new(stream), String::new());
    reader.read_line(&mut line)?;
    match serde_json::from_str(&line) {
        Ok(Reply::Capturing) => Ok(CaptureStream(reader)),
        Ok(Reply::Busy) => Err(io::Error::other("another capture runs; wait until it ends")),
        _ => Err(io::Error::other("the server has another version, without `capture`")),
    }
}

/// Sends a command to the running server, for the command line. Blocks.
///
/// # Errors
/// There is no server, or its reply is invalid.
pub fn send_command(socket: &Path, command: &str) -> io::Result<Reply> {
    let mut stream = BlockingStream::connect(socket)?;
    stream.write_all(format!("{command}\n").as_bytes())?;
    let mut line = String::new();
    BlockingReader::new(stream).read_line(&mut line)?;
    serde_json::from_str(&line).map_err(|_| {
        io::Error::new(io::ErrorKind::InvalidData, "the server ended, or does not know the command")
    })
}
