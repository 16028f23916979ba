//! Boot files of Raspberry Pis: the folder of the board, then that of its model, then the common one.
//! README.md shows the settings and the requests of the boot loader.
#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod prefix;
mod settings;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use tuffet_sdk::{Operation, Plugin, Problems, Request, Resolution, Resolve, Target};

use settings::Settings;

/// The boards, and the folders that they share.
pub struct RaspberryPi {
    root: String,
    boards: BTreeMap<String, Board>,
    default_model: Option<String>,
    common: String,
}

struct Board {
    /// Its own folder; the prefix that it asks with, if none is given.
    folder: Option<String>,
    model: Option<String>,
}

impl Plugin for RaspberryPi {
    type Settings = Settings;

    fn configure(settings: Settings) -> Result<Self, Problems> {
        settings::check(settings)
    }
}

impl Resolve for RaspberryPi {
    fn resolve(&self, request: &Request) -> Resolution {
        if request.operation != Operation::Read {
            return Resolution::Abstain;
        }
        // The boot ROM of models before 4 asks for this file alone without a prefix.
        if request.path == "bootcode.bin" {
            return Resolution::files([self.target(&self.common, &request.path)]);
        }
        match request.path.split_once('/') {
            Some((prefix, file)) if prefix::is_board(prefix) => {
                Resolution::files(self.candidates(prefix, file))
            }
            _ => Resolution::Abstain,
        }
    }
}

impl RaspberryPi {
    /// The most specific folder comes first.
    fn candidates(&self, prefix: &str, file: &str) -> Vec<Target> {
        let board = self.boards.get(prefix);
        let own = board.and_then(|board| board.folder.as_deref()).unwrap_or(prefix);
        let model = board.and_then(|board| board.model.as_deref()).or(self.default_model.as_deref());
        let folders = [Some(own), model, Some(&self.common)].into_iter().flatten();
        folders.map(|folder| self.target(folder, file)).collect()
    }

    fn target(&self, folder: &str, file: &str) -> Target {
        Target::new(&self.root, format!("{folder}/{file}"))
    }
}

tuffet_sdk::manifest! {
    name: "raspberry-pi",
    version: env!("CARGO_PKG_VERSION"),
    description: "Boot files of Raspberry Pis by serial number, with folders for models and for all",
    reuse: true,
}
tuffet_sdk::export!(RaspberryPi: resolve);
