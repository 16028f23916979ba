//! The last good configuration from a URL or a bucket, on disk.
//!
//! The running server writes it as its user, and a start may read it as root. So root uses it only if the server would
//! run as the user who can write the file: the file must not give its writer another user.

use super::{FetchedText, MAX_TEXT};
use crate::privileges::account_to_become;
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use tuffet_config::{Config, Remote, digest};

/// The copy of a source's last good configuration.
#[derive(Debug)]
pub(super) struct LastGood {
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

impl LastGood {
    /// Returns the copy of the source with this URL; each source has a separate file.
    pub(super) fn of(display_url: &str, full_url: &str) -> LastGood {
        let states = std::env::var_os("STATE_DIRECTORY").filter(|folders| !folders.is_empty());
        let states = states.and_then(|folders| std::env::split_paths(&folders).next());
        let folder = states.unwrap_or_else(|| "/var/lib/tuffet".into());
        LastGood {
            source: display_url.to_owned(),
            file: folder.join(format!("configuration-{}.json", digest(full_url))),
        }
    }

    /// Returns the text, if the file is of this source.
    pub(super) fn read(&self) -> Option<FetchedText> {
        let mut text = String::new();
        // JSON escapes take up to six bytes for one.
        let most = 8 * MAX_TEXT as u64;
        File::open(&self.file).ok()?.take(most).read_to_string(&mut text).ok()?;
        let content: Content = serde_json::from_str(&text).ok()?;
        let Content { source, revision, text } = content;
        (source == self.source).then_some(FetchedText { text, revision })
    }

    /// Refuses the copy if the server would run as another user than the one who can write it.
    ///
    /// # Errors
    /// The reason and the remedy.
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
            "the source does not answer, and the last good copy in {} is not used: the user {} can write it, and this \
             server would run as the user {runs_as}; remove the file, or wait for the source",
            self.file.display(),
            about.uid()
        ))
    }
}

/// Saves the running configuration, unless it is the saved one. Blocks on the disk; logs failures.
pub fn save_last_good(remote: &Remote) {
    if remote.stale {
        return;
    }
    if let Err(error) = write(remote) {
        tracing::warn!(
            target: "tuffet::source::kept",
            file = %remote.kept.display(), %error,
            "cannot save the configuration, so the server cannot start while its source is unavailable; let this user \
             write in the folder"
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
    // Another process of this server may save it at the same time.
    let new = remote.kept.with_extension(format!("new-{}", std::process::id()));
    let written = || {
        // A leftover of a crash may belong to another user.
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
    fn a_copy_is_read_only_for_its_source() {
        let folder = tempfile::tempdir().unwrap();
        let last_good = LastGood { source: "https://hub/x".into(), file: folder.path().join("kept.json") };
        assert!(last_good.read().is_none());
        let remote = Remote {
            source: last_good.source.clone(),
            revision: Some("\"7\"".into()),
            text: "listeners: []\n".into(),
            kept: last_good.file.clone(),
            stale: false,
        };
        save_last_good(&remote);
        let found = last_good.read().unwrap();
        assert_eq!((found.revision.as_deref(), &*found.text), (Some("\"7\""), "listeners: []\n"));
        save_last_good(&Remote { stale: true, text: "old".into(), ..remote.clone() });
        assert_eq!(last_good.read().unwrap().text, "listeners: []\n");
        let other = LastGood { source: "https://hub/y".into(), file: last_good.file.clone() };
        assert!(other.read().is_none());
        assert_eq!(fs::metadata(&last_good.file).unwrap().mode() & 0o777, 0o600);
        fs::write(&last_good.file, "{\"source\": \"https://h").unwrap();
        assert!(last_good.read().is_none(), "truncated");
    }
}
