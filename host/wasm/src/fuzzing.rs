//! Invariants for any bytes as configuration or component: for the fuzz targets in `host/fuzz`, and for the tests here,
//! which check their seeds and mutations of them. Not part of the public interface.

#[cfg(test)]
mod mutate;
#[cfg(test)]
mod tests;

use std::fs;
use std::path::Path;

use tuffet_config::{Config, Position, ProblemPlace};

pub use crate::manifest::section_with as manifest_section;

/// Loads a configuration as the server does, from a file in `folder`. It may be invalid, but each problem has a
/// position within the text, and a message.
///
/// # Errors
/// The violated invariant.
pub fn config(yaml: &[u8], folder: &Path) -> Result<(), String> {
    let path = folder.join("tuffet.yaml");
    fs::write(&path, yaml).map_err(|error| format!("{} cannot be written: {error}", path.display()))?;
    let error = match Config::load(&path) {
        Ok(config) if config.settings.listeners.is_empty() || config.roots.is_empty() => {
            return Err("loaded, without a listener or without a root".into());
        }
        Ok(_) => return Ok(()),
        Err(error) => error,
    };
    if error.problems().is_empty() {
        return Err("refused without a problem".into());
    }
    for problem in error.problems() {
        if problem.message.trim().is_empty() {
            return Err(format!("a problem at {} that says nothing", problem.place));
        }
        match &problem.place {
            ProblemPlace::Position(file, position) if *file == path => {
                within(yaml, *position).map_err(|wrong| format!("{wrong}: {}", problem.message))?
            }
            ProblemPlace::File(file) if *file == path => {}
            elsewhere => return Err(format!("{elsewhere} is not in the file: {}", problem.message)),
        }
    }
    Ok(())
}

/// Reads the manifest of a component. It may be refused, with a reason; an accepted one is complete.
///
/// # Errors
/// The violated invariant.
pub fn manifest(component: &[u8]) -> Result<(), String> {
    crate::manifest::check(component)
}

/// Checks that a position is in the text, or just after its end or the end of a line.
fn within(text: &[u8], Position { line, column }: Position) -> Result<(), String> {
    let text = String::from_utf8_lossy(text);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text).replace("\r\n", "\n").replace('\r', "\n");
    let lines: Vec<&str> = text.split('\n').collect();
    if line == 0 || column == 0 || line > lines.len() {
        return Err(format!("{line}:{column} is outside of {} lines", lines.len()));
    }
    let length = lines[line - 1].chars().count();
    if column > length + 1 {
        return Err(format!("{line}:{column} is outside of a line of {length} characters"));
    }
    Ok(())
}
