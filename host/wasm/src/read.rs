//! Reads bundled components and files.

use std::borrow::Cow;
use std::fs;
use std::io::{self, Read};
use std::path::Path;

use rustix::fs::{Mode, OFlags};

use tuffet_config::ComponentSource;
use tuffet_registry::MAX_COMPONENT;

/// Reads a component that is not pulled from a registry.
pub(super) fn read(source: &ComponentSource) -> Result<Cow<'static, [u8]>, String> {
    match source {
        ComponentSource::Builtin(name) => {
            tuffet_bundled::component(name).map(Cow::Borrowed).ok_or_else(|| {
                let known = tuffet_bundled::names()
                    .map(|name| format!("builtin:{name}"))
                    .collect::<Vec<_>>()
                    .join(", ");
                format!("there is no builtin:{name}: there are {known}")
            })
        }
        ComponentSource::Path(path) => read_file(path).map(Cow::Owned),
        ComponentSource::Registry(reference) => Err(format!("{reference} has not been pulled")),
    }
}

/// Reads a component from a regular file. Other files may have no end, or block.
fn read_file(path: &Path) -> Result<Vec<u8>, String> {
    let shown = path.display();
    let unreadable = |error: io::Error| format!("cannot read {shown}: {error}");
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = rustix::fs::open(path, flags, Mode::empty()).map_err(|error| unreadable(error.into()))?;
    let file = fs::File::from(file);
    let about = file.metadata().map_err(unreadable)?;
    if !about.is_file() {
        return Err(format!("{shown} is not a file; name the file of the component"));
    }
    let mut binary = Vec::new();
    file.take(MAX_COMPONENT + 1).read_to_end(&mut binary).map_err(unreadable)?;
    if binary.len() as u64 > MAX_COMPONENT {
        return Err(format!(
            "{shown} has {} bytes, and a component has at most {MAX_COMPONENT}; check that it is one",
            about.len()
        ));
    }
    Ok(binary)
}
