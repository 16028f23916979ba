//! A temporary folder of a build, with this server's SDK if the project has none.

use std::path::{Path, PathBuf};

use super::built::BuildError;

/// A temporary folder for one build, removed on drop.
pub(super) struct Scratch {
    pub folder: PathBuf,
}

impl Scratch {
    pub fn make() -> Result<Scratch, BuildError> {
        let folder = std::env::temp_dir().join(format!("tuffet-build-{:016x}", fastrand::u64(..)));
        std::fs::create_dir(&folder).map_err(|error| {
            BuildError::Unwritten(format!("{}: {error}; set TMPDIR to a folder with room", folder.display()))
        })?;
        Ok(Scratch { folder })
    }

    /// Returns the path of a file in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Writes this server's SDK of a language into it: a folder below `sdk`.
    pub fn sdk(&self, language: &str) -> Result<PathBuf, BuildError> {
        let prefix = Path::new(language);
        for (path, text) in
            tuffet_sdk_sources::files().filter(|(path, _)| Path::new(path).starts_with(prefix))
        {
            let path = self.folder.join(path);
            let written = path.parent().map_or(Ok(()), std::fs::create_dir_all);
            written
                .and_then(|()| std::fs::write(&path, text))
                .map_err(|error| BuildError::Unwritten(format!("{}: {error}", path.display())))?;
        }
        Ok(self.folder.join(language))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sdk_is_there_without_its_sources() {
        let scratch = Scratch::make().unwrap_or_else(|_| unreachable!("there is room"));
        let files = [
            (
                "python",
                &["__main__.py", "tuffet/__init__.py", "tuffet/wit/policy.wit", "tuffet/build/command.py"][..],
            ),
            ("c", &["tuffet.h", "tuffet_test.c", "src/json.c", "bindings/plugin.h"]),
            ("js", &["package.json", "src/index.d.ts", "src/wasm/http.js", "build/main.js"]),
        ];
        for (language, files) in files {
            let sdk = scratch.sdk(language).unwrap_or_else(|_| unreachable!("there is room"));
            for file in files {
                assert!(sdk.join(file).is_file(), "{language}: {file}");
            }
        }
        let folder = scratch.folder.clone();
        drop(scratch);
        assert!(!folder.exists());
    }
}
