//! The revision of a configuration, for the status.

use tuffet_config::Config;
use tuffet_server::status::Revision;

/// Returns the revision of a configuration.
pub(super) fn revision(config: &Config) -> Revision {
    let digest = config.digest().map(str::to_owned);
    match &config.remote {
        Some(remote) => Revision {
            source: Some(remote.source.clone()),
            revision: remote.revision.clone(),
            digest,
            kept: remote.stale,
        },
        None => Revision {
            source: config.file().map(|file| file.display().to_string()),
            revision: None,
            digest,
            kept: false,
        },
    }
}
