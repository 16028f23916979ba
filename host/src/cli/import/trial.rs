//! Whether the plugin that rewrites names takes the imported map: what it refuses would only show at `tuffet check`.

use super::error::ImportError;
use super::target::Target;
use tuffet_config::{Config, Overrides};
use tuffet_daemon::ServeError;

/// Lets the plugin read its map.
///
/// # Errors
/// What it refuses: no configuration does what the map asks for.
pub(super) fn remap(target: &Target) -> Result<(), ImportError> {
    let (Some(place), text) = (&target.remap.map, target.trial()) else { return Ok(()) };
    let config = Config::read(text.as_bytes(), "the imported configuration", &Overrides::default());
    match config.map_err(ServeError::from).and_then(|config| tuffet_daemon::check_plugins(&config)) {
        Ok(()) => Ok(()),
        Err(ServeError::Config(error)) => {
            let problems = error.problems().iter().map(|problem| {
                let message = &problem.message;
                message.strip_prefix("plugin `remap`: ").unwrap_or(message).to_owned()
            });
            Err(ImportError::impossible(place, problems.collect::<Vec<_>>().join("; ")))
        }
        Err(error) => Err(ImportError::invalid(place, error.to_string())),
    }
}
