//! The control socket of the server, from the client's side: the commands and the fields of replies that this tool uses.
//! It reads no others, so that the server may be of another version.

use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

/// How long a watched server may be silent; it sends a snapshot every second.
const MAX_SILENCE: Duration = Duration::from_secs(10);

/// A reply of the server.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Reply {
    /// The reload succeeded: this generation is active.
    Reloaded(u64),
    /// The reload was refused, with the reasons.
    Refused(Vec<String>),
    /// The state of the server.
    Status(Status),
    /// One of the snapshots that follow the command `watch`.
    Live(Snapshot),
    /// A reply that this tool does not know.
    #[serde(skip)]
    Unknown,
}

/// The state of the server.
#[derive(Debug, Deserialize)]
pub(super) struct Status {
    /// The active generation.
    pub generation: u64,
    /// The file of its configuration, if it has one.
    pub config: Option<PathBuf>,
    /// The id of its process.
    #[serde(default)]
    pub process: u32,
}

/// The live view of the server.
#[derive(Debug, Deserialize)]
pub(super) struct Snapshot {
    /// The start of its process, in milliseconds since 1970.
    pub started_unix_ms: u64,
    #[serde(default)]
    pub listeners: Vec<Listener>,
    /// The last ended requests, newest first.
    pub finished: Vec<Request>,
}

/// A bound listener.
#[derive(Debug, Deserialize)]
pub(super) struct Listener {
    #[serde(rename = "listener")]
    pub name: String,
    pub address: String,
}

/// An ended request.
#[derive(Debug, Deserialize)]
pub(super) struct Request {
    pub id: String,
    pub client: String,
    pub operation: String,
    pub path: String,
    pub outcome: String,
    pub detail: Option<String>,
    /// The file that it got, as `ROOT:PATH`, or `content` if a plugin generated it.
    pub resolved: Option<String>,
    #[serde(default)]
    pub plugins: Vec<PluginCall>,
}

/// A plugin call of a request.
#[derive(Debug, Deserialize)]
pub(super) struct PluginCall {
    pub plugin: String,
    pub hook: String,
    pub verdict: String,
    /// The cause of a failure.
    pub failure: Option<String>,
    pub cached: bool,
    #[serde(default)]
    pub monitored: bool,
    pub took_us: u64,
}

/// Sends a command to a server. Blocks until it replies.
///
/// # Errors
/// There is no server, or its reply is not JSON.
pub(super) fn ask(socket: &Path, command: &str) -> io::Result<Reply> {
    let mut stream = UnixStream::connect(socket)?;
    stream.write_all(format!("{command}\n").as_bytes())?;
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line)?;
    reply(&line).map_err(|_| {
        io::Error::new(io::ErrorKind::InvalidData, "the server ended, or does not know this command")
    })
}

/// Passes on the snapshots of a server, one each second, until it ends.
///
/// # Errors
/// There is no server, or it is silent for too long.
pub(super) fn watch(socket: &Path, mut see: impl FnMut(&Snapshot)) -> io::Result<()> {
    let mut stream = UnixStream::connect(socket)?;
    stream.set_read_timeout(Some(MAX_SILENCE))?;
    stream.write_all(b"watch\n")?;
    for line in BufReader::new(stream).lines() {
        if let Reply::Live(snapshot) = reply(&line?)? {
            see(&snapshot);
        }
    }
    Ok(())
}

fn reply(line: &str) -> serde_json::Result<Reply> {
    let reply: Value = serde_json::from_str(line)?;
    Ok(serde_json::from_value(reply).unwrap_or(Reply::Unknown))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_of_other_versions_are_read_as_far_as_they_are_known() {
        let status = r#"{"status":{"version":"9","generation":3,"config":"/etc/tuffet.yaml","more":[]}}"#;
        let Ok(Reply::Status(status)) = reply(status) else { panic!("a status") };
        assert_eq!((status.generation, status.process), (3, 0));
        assert_eq!(status.config.as_deref(), Some(Path::new("/etc/tuffet.yaml")));
        for unknown in [r#""busy""#, r#"{"paused":{}}"#, r#"{"unknown":"reload"}"#, r#"{"status":{}}"#] {
            assert!(matches!(reply(unknown), Ok(Reply::Unknown)), "{unknown}");
        }
        assert!(reply("").is_err());
    }
}
