//! The configuration that packages install, which a command line may leave out by mistake.

use std::path::{Path, PathBuf};
use tuffet_config::Config;

/// Where packages install it.
const FOLDER: &str = "/etc/tuffet";

/// Returns the path of the installed configuration, if there is one: `tuffet.yaml` in `$CONFIGURATION_DIRECTORY`, which
/// systemd sets, or in /etc/tuffet.
pub fn installed() -> Option<PathBuf> {
    let folders = std::env::var("CONFIGURATION_DIRECTORY").unwrap_or_default();
    let first = folders.split(':').next().filter(|folder| !folder.is_empty());
    Some(Path::new(first.unwrap_or(FOLDER)).join("tuffet.yaml")).filter(|file| file.is_file())
}

/// Logs which configuration is read, if there is an installed one that is not.
pub(crate) fn log_unread(config: &Config) {
    let Some(installed) = installed() else { return };
    let source = match (config.file(), &config.remote) {
        (Some(file), _) if is_same(file, &installed) => return,
        (Some(file), _) => file.display().to_string(),
        (None, Some(remote)) => remote.source.clone(),
        (None, None) => "flags alone".into(),
    };
    tracing::info!(
        target: "tuffet::source",
        config = source,
        installed = %installed.display(),
        "the installed configuration is not read"
    );
}

/// Returns whether both paths lead to one file, such as one that a configuration manager links.
fn is_same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    one == other || real(one).is_some_and(|one| real(other) == Some(one))
}
