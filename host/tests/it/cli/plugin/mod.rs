//! `tuffet plugin …`, with the real plugins.

mod annotate;
mod cases;
mod check;
mod inspect;
mod run;
mod settings_schema;
mod wit;

use crate::harness::{Folder, Ran, tuffet};

/// Runs `tuffet plugin` with these arguments, in a folder for the files that they name.
fn plugin(words: &[&str]) -> Ran {
    tuffet(["plugin"].iter().chain(words))
}

fn json(ran: &Ran) -> serde_json::Value {
    serde_json::from_slice(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
}

fn printed(ran: &Ran) -> String {
    String::from_utf8_lossy(&ran.stdout).into_owned()
}

/// Writes a file in a folder, and returns its full path.
fn write(folder: &Folder, name: &str, text: &str) -> String {
    folder.write(name, text.as_bytes());
    folder.path(name).display().to_string()
}
