//! Valid and invalid configurations, read from real files.

mod access;
mod errors;
mod flags;
mod good;
mod idle_keys;
mod listeners;
mod mistakes;
mod origins;
mod outputs;
mod registries;
mod schema;
mod verdicts;

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use tempfile::TempDir;

use super::*;
use crate::secret::Secret;
use crate::sinks::SinkTarget;

/// A folder with the files that the configurations here refer to.
struct Scene {
    folder: TempDir,
}

impl Scene {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for name in ["files", "incoming", "dhcp"] {
            fs::create_dir(folder.path().join(name)).expect("a folder");
        }
        fs::write(folder.path().join("policy.wasm"), "").expect("a file");
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path("tuffet.yaml");
        fs::write(&path, content).expect("a file");
        path
    }

    fn load(&self, yaml: &str) -> Result<Config, ConfigError> {
        Config::load(&self.write(yaml))
    }

    /// Returns the errors of an invalid configuration, without the path of the file.
    fn complaints(&self, yaml: impl AsRef<[u8]>) -> Vec<String> {
        complaints(Config::load(&self.write(yaml)))
    }
}

fn complaints(result: Result<Config, ConfigError>) -> Vec<String> {
    let error = result.expect_err("a bad configuration");
    let line = |problem: &Problem| match &problem.place {
        ProblemPlace::Position(_, position) => format!("{position}: {}", problem.message),
        ProblemPlace::Flag(flag) => format!("{flag}: {}", problem.message),
        ProblemPlace::File(_) => problem.message.clone(),
    };
    error.problems().iter().map(line).collect()
}

/// A minimal configuration; `rest` follows on line 3.
fn minimal(rest: &str) -> String {
    format!("listeners: [{{ address: 127.0.0.1:6969 }}]\nroots: [{{ name: boot, path: files }}]\n{rest}")
}
