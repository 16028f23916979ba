//! Checks that the plugin `remap` accepts the imported map: a map that it refuses would only show at `tuffet check`.

use crate::error::ImportError;
use crate::target::Target;
use tuffet_config::{Config, ConfigError, Overrides};

/// Loads the plugins of a configuration, so that they check their settings. The program that imports has the runtime for
/// it.
pub type CheckPlugins<'a> = &'a dyn Fn(&Config) -> Result<(), CheckError>;

/// The reason why the plugins of a configuration cannot be loaded.
#[derive(Debug)]
pub enum CheckError {
    /// The configuration or a plugin in it is invalid.
    Refused(ConfigError),
    /// The check itself failed.
    Failed(String),
}

/// Has the plugin read its map.
///
/// # Errors
/// The plugin refuses the map: Tuffet has no equivalent.
pub(crate) fn check_remap(target: &Target, check_plugins: CheckPlugins<'_>) -> Result<(), ImportError> {
    let (Some((location, _)), text) = (&target.remap.map, target.remap_alone()) else { return Ok(()) };
    let config = Config::read(text.as_bytes(), "the imported configuration", &Overrides::default());
    match config.map_err(CheckError::Refused).and_then(|config| check_plugins(&config)) {
        Ok(()) => Ok(()),
        Err(CheckError::Refused(error)) => {
            let problems = error.problems().iter().map(|problem| {
                let message = &problem.message;
                message.strip_prefix("plugin `remap`: ").unwrap_or(message).to_owned()
            });
            Err(ImportError::impossible(location, problems.collect::<Vec<_>>().join("; ")))
        }
        Err(CheckError::Failed(message)) => Err(ImportError::invalid(location, message)),
    }
}
