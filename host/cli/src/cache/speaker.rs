//! Who carries out commands about caches: the running server, or this process while there is none.

use super::{ControlArgs, Trouble, Wanted};
use std::io;
use std::path::{Path, PathBuf};
use tuffet::origins::Origins;
use tuffet_config::Config;
use tuffet_daemon::Reply;
use tuffet_daemon::privileges::become_server;

pub(super) enum Speaker {
    /// The server behind this socket.
    Server(PathBuf),
    /// This process, which has the caches to itself. The names of the roots, in their order.
    Here(Origins, Vec<String>),
}

impl Speaker {
    /// The running server; without one, this process becomes the server's user, for good, and opens the caches of the
    /// configuration file.
    ///
    /// # Errors
    /// Neither is possible.
    pub(super) fn of(args: &ControlArgs) -> Result<Speaker, Trouble> {
        let socket = args.socket();
        let failed = match &socket {
            Some(socket) => match std::os::unix::net::UnixStream::connect(socket) {
                Ok(_) => return Ok(Speaker::Server(socket.clone())),
                Err(error) => no_server(socket, &error),
            },
            None => "the server has no control socket".to_owned(),
        };
        let Some(file) = args.file() else {
            let why = format!(
                "{failed}; start it, or name the configuration with --config: then no server is needed"
            );
            return Err(Trouble::unavailable(why));
        };
        let config = Config::load(file).map_err(|error| Trouble { why: error.to_string(), code: 64 })?;
        let roots = config.origins.iter().map(|origin| origin.root.clone()).collect();
        let origins = open(&config).map_err(|why| Trouble::unavailable(format!("{failed}; {why}")))?;
        Ok(Speaker::Here(origins, roots))
    }

    pub(super) fn ask(&self, wanted: &Wanted) -> Result<Reply, Trouble> {
        match self {
            Speaker::Server(socket) => {
                tuffet_daemon::ask(socket, &format!("cache {}", serde_json::json!(wanted)))
                    .map_err(|error| Trouble::unavailable(no_server(socket, &error)))
            }
            Speaker::Here(origins, _) => Ok(tuffet_daemon::run_cache_command(origins, wanted)),
        }
    }

    /// The names of the roots that live elsewhere.
    pub(super) fn roots(&self) -> Result<Vec<String>, Trouble> {
        match self {
            Speaker::Server(socket) => match tuffet_daemon::ask(socket, "status") {
                Ok(Reply::Status(report)) => {
                    Ok(report.origins.into_iter().map(|origin| origin.root).collect())
                }
                Ok(other) => Err(super::not_understood(other)),
                Err(error) => Err(Trouble::unavailable(no_server(socket, &error))),
            },
            Speaker::Here(_, roots) => Ok(roots.clone()),
        }
    }
}

fn no_server(socket: &Path, error: &io::Error) -> String {
    format!("no server answers at {}: {error}", socket.display())
}

fn open(config: &Config) -> Result<Origins, String> {
    let origins = Origins::default();
    let next = origins.open(&config.origins).map_err(|failure| failure.to_string())?;
    // Its files are the server's.
    become_server(config).map_err(|error| error.to_string())?;
    next.start().map_err(|failure| failure.to_string())?;
    origins.take(next);
    Ok(origins)
}
