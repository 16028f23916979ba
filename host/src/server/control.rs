//! The control socket, through which `tuffet reload` and `tuffet status` reach the running server.
//!
//! One line in each direction: `reload`, `status`, `live` or `metrics`, and JSON; for `watch`, a line per
//! second. Only root and the server's user may connect.

use super::reload::{Reloaded, Wanted};
use crate::accept::Trouble;
use crate::privileges::Account;
use crate::socket_file::{SocketFile, bind_file};
use crate::status::{Report, Status};
use crate::telemetry::exposition;
use crate::watch::{Feed, Snapshot, Viewer, Watch};
use serde::{Deserialize, Serialize};
use std::io;
use std::os::unix::net::{UnixListener as BlockingListener, UnixStream as BlockingStream};
use std::path::Path;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::unix::OwnedWriteHalf;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

/// The longest command in bytes.
const MAX_QUESTION: u64 = 64;
/// How long a client may take to send its command.
const PATIENCE: Duration = Duration::from_secs(10);

/// The server's reply.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Reply {
    /// The reload succeeded: this generation is active.
    Reloaded(u64),
    /// The reload was refused, with the reasons.
    Refused(Vec<String>),
    /// The state of the server.
    Status(Box<Report>),
    /// The live view.
    Live(Box<Snapshot>),
    /// Metrics in the text format of Prometheus.
    Metrics(String),
    /// There are too many viewers.
    Busy,
    /// The command is unknown.
    Unknown(String),
}

/// The socket. Its file is removed on drop, unless another process created it.
pub(super) struct Control {
    listener: BlockingListener,
    _file: Option<SocketFile>,
}

impl Control {
    /// Binds it for this user, and replaces one whose server is gone.
    ///
    /// # Errors
    /// The path cannot be created or used, or another server uses it.
    pub(super) fn bind(path: &Path, account: Option<&Account>) -> io::Result<Control> {
        let (listener, file) = bind_file(path, 0o600, account)?;
        Ok(Control { listener, _file: Some(file) })
    }

    /// Uses a non-blocking socket that was bound before this process began. Its file stays.
    pub(super) fn inherit(listener: BlockingListener) -> Control {
        Control { listener, _file: None }
    }

    /// Answers commands until it is dropped.
    pub(super) async fn run(self, wanted: mpsc::Sender<Wanted>, status: Status, watch: Watch, feed: Feed) {
        let listener = self.listener.try_clone().and_then(UnixListener::from_std);
        let listener = match listener {
            Ok(listener) => listener,
            Err(error) => {
                tracing::warn!(%error, "the control socket failed");
                return;
            }
        };
        let mut trouble = Trouble::default();
        loop {
            match listener.accept().await {
                Ok((stream, _)) => {
                    let (wanted, status) = (wanted.clone(), status.clone());
                    let (watch, feed) = (watch.clone(), feed.clone());
                    tokio::spawn(async move {
                        if let Err(error) = answer(stream, &wanted, &status, &watch, &feed).await {
                            tracing::debug!(%error, "a request on the control socket failed");
                        }
                    });
                }
                Err(error) => {
                    trouble.pause("the control socket", &error).await;
                }
            }
        }
    }
}

async fn answer(
    stream: UnixStream,
    wanted: &mpsc::Sender<Wanted>,
    status: &Status,
    watch: &Watch,
    feed: &Feed,
) -> io::Result<()> {
    let asker = stream.peer_cred()?.uid();
    if asker != 0 && asker != rustix::process::geteuid().as_raw() {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    let (reader, mut writer) = stream.into_split();
    let mut question = String::new();
    timeout(PATIENCE, BufReader::new(reader.take(MAX_QUESTION)).read_line(&mut question)).await??;
    let question = question.trim();
    let reply = match question.split_once(' ').unwrap_or((question, "")) {
        ("reload", "") => match reload(wanted).await {
            Ok(generation) => Reply::Reloaded(generation),
            Err(reasons) => Reply::Refused(reasons),
        },
        ("status", "") => Reply::Status(Box::new(status.report())),
        ("metrics", "") => Reply::Metrics(exposition(watch)),
        // With the samples after a moment, for a client that has the earlier ones.
        ("live", since) => match if since.is_empty() { Ok(0) } else { since.parse() } {
            Ok(since) => Reply::Live(Box::new(watch.snapshot(since))),
            Err(_) => Reply::Unknown(question.to_owned()),
        },
        ("watch", "") => match feed.join() {
            Some(viewer) => return stream_to(writer, viewer).await,
            None => Reply::Busy,
        },
        _ => Reply::Unknown(question.to_owned()),
    };
    let mut line = serde_json::to_vec(&reply)?;
    line.push(b'\n');
    writer.write_all(&line).await
}

/// Sends snapshots until the viewer is gone or too slow.
async fn stream_to(mut writer: OwnedWriteHalf, mut viewer: Viewer) -> io::Result<()> {
    while let Some(snapshot) = viewer.next().await {
        let line = format!("{{\"live\":{snapshot}}}\n");
        timeout(PATIENCE, writer.write_all(line.as_bytes())).await??;
    }
    Ok(())
}

async fn reload(wanted: &mpsc::Sender<Wanted>) -> Reloaded {
    let stopping = || vec!["the server is stopping".to_owned()];
    let (asked, told) = oneshot::channel();
    wanted.send(Some(asked)).await.map_err(|_| stopping())?;
    told.await.unwrap_or_else(|_| Err(stopping()))
}

/// Sends a command to the running server. For the command line; blocks.
///
/// # Errors
/// There is no server, or its reply is invalid.
pub(crate) fn ask(socket: &Path, question: &str) -> io::Result<Reply> {
    use std::io::{BufRead, BufReader, Write};
    let mut stream = BlockingStream::connect(socket)?;
    stream.write_all(format!("{question}\n").as_bytes())?;
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line)?;
    serde_json::from_str(&line)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "the server ended, or does not understand"))
}
