//! How long writing and storing an upload may take.

use std::time::Duration;
use tuffet_request::settings::{SettingNames, Settings, TimeLimit};

/// How long storing an upload in a folder or an origin may take by default. A slow disk may need minutes to sync what the
/// system has taken from the clients; ending that sooner would make no upload durable.
const COMMIT_TIME: Duration = Duration::from_secs(600);

/// The time limits of uploads, for requests that begin now.
#[derive(Debug, Clone, Copy, Default)]
pub struct UploadTimes {
    write: Option<Duration>,
    commit: Option<Duration>,
    names: SettingNames,
}

impl UploadTimes {
    /// Those of a server.
    pub fn of(settings: &Settings) -> UploadTimes {
        let (limits, names) = (&settings.service.limits, settings.names);
        UploadTimes { write: limits.write_time, commit: limits.commit_time, names }
    }

    /// The limit of a write for a client that may be silent for `give_up`.
    pub fn write(&self, give_up: Duration) -> TimeLimit {
        self.limit(self.write, "limits.write-time", give_up)
    }

    /// The limit of storing; `supplied`: by a sink of the program, which is aborted then.
    pub fn commit(&self, supplied: bool, give_up: Duration) -> TimeLimit {
        let limit = self.commit.or((!supplied).then_some(COMMIT_TIME));
        self.limit(limit, "limits.commit-time", give_up)
    }

    fn limit(&self, limit: Option<Duration>, key: &'static str, give_up: Duration) -> TimeLimit {
        match limit {
            Some(within) => TimeLimit { within, setting: self.names.of(key) },
            None => TimeLimit { within: give_up, setting: self.names.of("transfer.retransmit.give-up") },
        }
    }
}
