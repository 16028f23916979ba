//! The settings as written, and their check.

use std::collections::BTreeMap;

use serde::Deserialize;
use tuffet_sdk::Problems;

use crate::{Board, RaspberryPi, prefix};

/// The settings of the plugin; README.md explains each key.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
    root: String,
    #[serde(default)]
    boards: BTreeMap<String, BoardSettings>,
    default_model: Option<String>,
    #[serde(default = "common")]
    common: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct BoardSettings {
    folder: Option<String>,
    model: Option<String>,
}

fn common() -> String {
    "common".into()
}

pub(crate) fn check(settings: Settings) -> Result<RaspberryPi, Problems> {
    let mut problems = Problems::new();
    if settings.root.is_empty() {
        problems.add("/root", "write the name of the root with the boot files");
    }
    let mut folder = |pointer: String, folder: Option<&str>| {
        if let Some(folder) = folder {
            problems.check(pointer, check_folder(folder));
        }
    };
    folder("/common".into(), Some(&settings.common));
    folder("/default-model".into(), settings.default_model.as_deref());
    for (name, board) in &settings.boards {
        let at = Problems::at("/boards", name);
        folder(format!("{at}/folder"), board.folder.as_deref());
        folder(format!("{at}/model"), board.model.as_deref());
    }
    for name in settings.boards.keys().filter(|name| !prefix::is_board(name)) {
        let message = format!(
            "{name:?} is no board: write the last eight digits of its serial number in lower case, such as \
             9ffefdef, between quotes if they are all decimal, or its MAC address with hyphens"
        );
        problems.add(Problems::at("/boards", name), message);
    }
    let boards = settings.boards.into_iter();
    problems.or(RaspberryPi {
        root: settings.root,
        boards: boards
            .map(|(name, BoardSettings { folder, model })| (name, Board { folder, model }))
            .collect(),
        default_model: settings.default_model,
        common: settings.common,
    })
}

/// Reports mistyped folders early. The server itself ensures that no path leaves its root.
fn check_folder(folder: &str) -> Result<(), String> {
    if folder.split('/').any(|part| matches!(part, "" | "." | "..")) {
        return Err(format!(
            "{folder:?} is no folder below the root: write one such as pi4 or boards/kitchen"
        ));
    }
    Ok(())
}
