//! The last good configuration from a URL or a bucket, on disk.
//!
//! The running server writes it, as its own user, and a start may read it as root. So root uses it only for a
//! configuration that runs as the user who could write it: the file must not make that user another one.

use super::{Fetched, MAX_TEXT};
use crate::privileges::account_to_become;
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use tuffet_config::{Config, Remote, digest};

/// The file of a source.
#[derive(Debug)]
pub(super) struct Kept {
    pub(super) source: String,
    pub(super) file: PathBuf,
}

/// The content of the file.
#[derive(Debug, Serialize, Deserialize)]
struct Content {
    source: String,
    revision: Option<String>,
    text: String,
}

impl Kept {
    /// Returns the file of a source, which is `shown` in logs: each has its own.
    pub(super) fn of(shown: &str, whole: &str) -> Kept {
        let states = std::env::var_os("STATE_DIRECTORY").filter(|folders| !folders.is_empty());
        let states = states.and_then(|folders| std::env::split_paths(&folders).next());
        let folder = states.unwrap_or_else(|| "/var/lib/tuffet".into());
        Kept { source: shown.to_owned(), file: folder.join(format!("configuration-{}.json", digest(whole))) }
    }

    /// Returns the kept text, if there is one of this source.
    pub(super) fn read(&self) -> Option<Fetched> {
        let mut text = String::new();
        // JSON may take up to six times the room.
        let most = 8 * MAX_TEXT as u64;
        File::open(&self.file).ok()?.take(most).read_to_string(&mut text).ok()?;
        let content: Content = serde_json::from_str(&text).ok()?;
        let Content { source, revision, text } = content;
        (source == self.source).then_some(Fetched { text, revision })
    }

    /// Refuses the kept configuration where it would run as another user than the one who could write it.
    ///
    /// # Errors
    /// Why, and what to do.
    pub(super) fn may_be_used_for(&self, config: &Config) -> Result<(), String> {
        if !rustix::process::geteuid().is_root() {
            return Ok(());
        }
        let about = fs::symlink_metadata(&self.file).map_err(|error| error.to_string())?;
        let account = account_to_become(&config.privileges).map_err(|error| error.to_string())?;
        let runs_as = account.map_or(0, |account| account.uid.as_raw());
        let is_private = about.is_file() && about.mode() & 0o022 == 0;
        if is_private && (about.uid() == 0 || about.uid() == runs_as) {
            return Ok(());
        }
        Err(format!(
            "the source does not answer, and the kept configuration in {} is not used: the user {} can write it, and \
             this server would run as the user {runs_as}; remove the file, or wait for the source",
            self.file.display(),
            about.uid()
        ))
    }
}

/// Keeps a configuration that runs, unless it is the kept one. Blocks on the disk; a failure is logged.
pub fn keep(remote: &Remote) {
    if remote.stale {
        return;
    }
    if let Err(error) = write(remote) {
        tracing::warn!(
            target: "tuffet::source::kept",
            file = %remote.kept.display(), %error,
            "the configuration cannot be kept, so no start works while its source is away; let this user write the \
             folder"
        );
    }
}

fn write(remote: &Remote) -> io::Result<()> {
    let content = Content {
        source: remote.source.clone(),
        revision: remote.revision.clone(),
        text: remote.text.to_string(),
    };
    let folder = remote.kept.parent().unwrap_or(Path::new("."));
    let new = remote.kept.with_extension("new");
    let written = || {
        // A leftover of a crash may belong to anybody.
        let _ = fs::remove_file(&new);
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new)?;
        file.write_all(&serde_json::to_vec(&content)?)?;
        file.sync_all()?;
        fs::rename(&new, &remote.kept)?;
        File::open(folder)?.sync_all()
    };
    written().inspect_err(|_| drop(fs::remove_file(&new)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_read_again_for_its_source_alone() {
        let folder = tempfile::tempdir().unwrap();
        let kept = Kept { source: "https://hub/x".into(), file: folder.path().join("kept.json") };
        assert!(kept.read().is_none());
        let remote = Remote {
            source: kept.source.clone(),
            revision: Some("\"7\"".into()),
            text: "listeners: []\n".into(),
            kept: kept.file.clone(),
            stale: false,
        };
        keep(&remote);
        let found = kept.read().unwrap();
        assert_eq!((found.revision.as_deref(), &*found.text), (Some("\"7\""), "listeners: []\n"));
        keep(&Remote { stale: true, text: "old".into(), ..remote.clone() });
        assert_eq!(kept.read().unwrap().text, "listeners: []\n");
        let other = Kept { source: "https://hub/y".into(), file: kept.file.clone() };
        assert!(other.read().is_none());
        assert_eq!(fs::metadata(&kept.file).unwrap().mode() & 0o777, 0o600);
        fs::write(&kept.file, "{\"source\": \"https://h").unwrap();
        assert!(kept.read().is_none(), "cut off");
    }
}
