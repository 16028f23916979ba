//! The executor of cache commands: the running server, or this process if none runs.

use super::CacheRequest;
use crate::control::{CommandError, ControlArgs, Place, no_server};
use std::path::PathBuf;
use tuffet_config::Config;
use tuffet_daemon::Reply;
use tuffet_daemon::privileges::become_server;
use tuffet_server::origins::Origins;

pub(super) enum Executor {
    /// The server behind this socket.
    Server(PathBuf),
    /// This process, with exclusive access to the caches; and the names of the roots in order.
    Local(Origins, Vec<String>),
}

impl Executor {
    /// Returns the running server. Without one, this process permanently becomes the server's user, and opens the
    /// caches of the configuration file.
    ///
    /// # Errors
    /// Neither is possible.
    pub(super) fn of(args: &ControlArgs) -> Result<Executor, CommandError> {
        let (config, failed) = match args.place()? {
            Place::Server(socket) => return Ok(Executor::Server(socket)),
            Place::Here(config, failed) => (config, failed),
        };
        let roots = config.origins.iter().map(|origin| origin.root.clone()).collect();
        let origins = open(&config).map_err(|why| CommandError::unavailable(format!("{failed}; {why}")))?;
        Ok(Executor::Local(origins, roots))
    }

    pub(super) fn ask(&self, request: &CacheRequest) -> Result<Reply, CommandError> {
        match self {
            Executor::Server(socket) => {
                tuffet_daemon::send_command(socket, &format!("cache {}", serde_json::json!(request)))
                    .map_err(|error| CommandError::unavailable(no_server(socket, &error)))
            }
            Executor::Local(origins, _) => Ok(tuffet_daemon::run_cache_command(origins, request)),
        }
    }

    /// Returns the names of the roots with an origin.
    pub(super) fn roots(&self) -> Result<Vec<String>, CommandError> {
        match self {
            Executor::Server(socket) => match tuffet_daemon::send_command(socket, "status") {
                Ok(Reply::Status(report)) => {
                    Ok(report.origins.into_iter().map(|origin| origin.root).collect())
                }
                Ok(other) => Err(super::unexpected_reply(other)),
                Err(error) => Err(CommandError::unavailable(no_server(socket, &error))),
            },
            Executor::Local(_, roots) => Ok(roots.clone()),
        }
    }
}

fn open(config: &Config) -> Result<Origins, String> {
    let origins = Origins::default();
    let next = origins.open(&config.origins).map_err(|failure| failure.to_string())?;
    // The files belong to the server's user.
    become_server(config).map_err(|error| error.to_string())?;
    next.start().map_err(|failure| failure.to_string())?;
    origins.take(next);
    Ok(origins)
}
