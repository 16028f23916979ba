//! An initrd for each machine: a common one, and an archive with files of its own behind it. README.md shows the settings.
#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod cpio;
mod settings;
mod template;
#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use tuffet_sdk::files::{self, Metadata};
use tuffet_sdk::{
    Denial, ErrorCode, Glob, LargeContent, Operation, Plugin, Problems, RenderError, RenderParts, Request,
    Resolution, Resolve, code,
};

use cpio::{ALIGNMENT, Archive};
use settings::Settings;
use template::Template;

/// The largest file that is copied into an archive, in bytes.
const MAX_COPY: u64 = 4 << 20;

/// The common initrd, what is added to it, and for whom.
#[derive(Default)]
pub struct Initrd {
    root: String,
    matches: Vec<Glob>,
    base: String,
    files: Vec<Added>,
    /// Values by MAC address.
    hosts: BTreeMap<String, BTreeMap<String, String>>,
    /// The archive that was made last, and its key.
    kept_archive: RefCell<Option<(String, Vec<u8>)>>,
}

/// A file of the archive.
struct Added {
    path: String,
    mode: u32,
    source: Source,
}

enum Source {
    Text(Template),
    /// The path of a file in the root.
    Copy(Template),
}

impl Added {
    fn template(&self) -> &Template {
        match &self.source {
            Source::Text(template) | Source::Copy(template) => template,
        }
    }
}

/// What a key says: the machine, and the versions of all files that its image is made of.
struct Image<'a> {
    mac: &'a str,
    /// Bytes of the common initrd.
    size: u64,
    /// The digest of the versions of the files to copy.
    copies: &'a str,
    /// The version of the common initrd. It comes last, because it may have spaces.
    version: &'a str,
}

impl Plugin for Initrd {
    type Settings = Settings;

    fn configure(settings: Settings) -> Result<Self, Problems> {
        settings::check(settings)
    }
}

impl Resolve for Initrd {
    fn resolve(&self, request: &Request) -> Resolution {
        let read = request.operation == Operation::Read;
        if !read || !self.matches.iter().any(|glob| glob.matches(&request.path)) {
            return Resolution::Abstain;
        }
        let mut macs = request.client.network_macs().iter().chain(request.client.claimed_macs());
        let Some(mac) = macs.find(|mac| self.hosts.contains_key(&mac.address)) else {
            return Resolution::Abstain;
        };
        match self.key(&mac.address) {
            Ok(key) => Resolution::rendered(key),
            Err(denial) => Resolution::Deny(denial),
        }
    }
}

impl RenderParts for Initrd {
    fn begin(&self, key: &str) -> Result<Option<LargeContent>, RenderError> {
        let image = self.image(key)?;
        let size = self.with_archive(key, &image, |archive| archive.len() as u64)? + image.archive_at();
        let name = Some(format!("{} for {}", self.base, image.mac)).filter(|name| name.len() <= 200);
        Ok(Some(LargeContent { name, size, ttl_seconds: None, attributes: Vec::new() }))
    }

    fn part(&self, key: &str, offset: u64, length: u32) -> Result<Vec<u8>, RenderError> {
        let image = self.image(key)?;
        let end = offset.saturating_add(length.into());
        let mut part = Vec::new();
        if offset < image.size {
            let of_base = (end.min(image.size) - offset) as u32;
            part = self.read(&self.base, image.version, offset, of_base)?;
        }
        let zeros = end.min(image.archive_at()).saturating_sub(offset.max(image.size));
        part.resize(part.len() + zeros as usize, 0);
        if end > image.archive_at() {
            let (from, to) = (offset.saturating_sub(image.archive_at()), end - image.archive_at());
            self.with_archive(key, &image, |archive| part.extend(range(archive, from, to)))?;
        }
        Ok(part)
    }
}

/// Returns the bytes from one place to another, as far as there are any.
fn range(bytes: &[u8], from: u64, to: u64) -> &[u8] {
    let within = |place: u64| usize::try_from(place).unwrap_or(usize::MAX).min(bytes.len());
    &bytes[within(from)..within(to)]
}

impl Image<'_> {
    /// Where the archive begins: behind the common initrd, at a multiple of four bytes.
    fn archive_at(&self) -> u64 {
        self.size.next_multiple_of(ALIGNMENT as u64)
    }
}

impl Initrd {
    /// All that the image of a machine depends on besides the settings.
    fn key(&self, mac: &str) -> Result<String, Denial> {
        let values = self.hosts.get(mac).cloned().unwrap_or_default();
        let mut copies = Vec::new();
        for file in &self.files {
            if let Source::Copy(path) = &file.source {
                copies.push(self.stat(&path.fill(mac, &values))?.version);
            }
        }
        let base = self.stat(&self.base)?;
        Ok(format!("{mac} {} {} {}", base.size, digest(&copies), base.version))
    }

    fn image<'a>(&self, key: &'a str) -> Result<Image<'a>, Denial> {
        let mut words = key.splitn(4, ' ');
        let mut image = || {
            let mac = words.next().filter(|mac| self.hosts.contains_key(*mac))?;
            let size = words.next()?.parse().ok()?;
            Some(Image { mac, size, copies: words.next()?, version: words.next()? })
        };
        let unknown = || failed(format!("{key:?} is no key of this plugin with these settings"));
        image().ok_or_else(unknown)
    }

    fn with_archive<T>(
        &self,
        key: &str,
        image: &Image<'_>,
        work: impl FnOnce(&[u8]) -> T,
    ) -> Result<T, Denial> {
        let mut kept = self.kept_archive.borrow_mut();
        let archive = match kept.take().filter(|(its, _)| its == key) {
            Some((_, archive)) => archive,
            None => self.archive(image)?,
        };
        let result = work(&archive);
        *kept = Some((key.to_owned(), archive));
        Ok(result)
    }

    fn archive(&self, image: &Image<'_>) -> Result<Vec<u8>, Denial> {
        let values = self.hosts.get(image.mac).cloned().unwrap_or_default();
        let mut copies = Vec::new();
        let mut archive = Archive::default();
        for file in &self.files {
            let text = file.template().fill(image.mac, &values);
            let content = match &file.source {
                Source::Copy(_) => self.copy(&text, &mut copies)?,
                Source::Text(_) => text.into_bytes(),
            };
            archive.file(&file.path, file.mode, &content);
        }
        if digest(&copies) != image.copies {
            return Err(changed("a file of the archive"));
        }
        Ok(archive.finish())
    }

    /// Reads a file to copy, and notes its version.
    fn copy(&self, path: &str, versions: &mut Vec<String>) -> Result<Vec<u8>, Denial> {
        let Metadata { size, version, .. } = self.stat(path)?;
        if size > MAX_COPY {
            return Err(failed(format!("{}:{path} has {size} bytes: {MAX_COPY} are allowed", self.root)));
        }
        let content = self.read(path, &version, 0, size as u32)?;
        versions.push(version);
        Ok(content)
    }

    fn stat(&self, path: &str) -> Result<Metadata, Denial> {
        match files::stat(&self.root, path) {
            Ok(Some(found)) => Ok(found),
            Ok(None) => Err(Denial::file_not_found(
                "a part of the image is missing",
                format!("{}:{path} is missing", self.root),
            )),
            Err(error) => Err(failed(format!("{}:{path}: {error}", self.root))),
        }
    }

    /// Reads bytes of this version of a file.
    fn read(&self, path: &str, version: &str, offset: u64, length: u32) -> Result<Vec<u8>, Denial> {
        files::read_at(&self.root, path, version, offset, length).map_err(|error| {
            let at = format!("{}:{path}", self.root);
            if error.is(code::CHANGED) {
                changed(&at)
            } else {
                failed(format!("{at} cannot be read: {error}"))
            }
        })
    }
}

/// A key has no room for the versions of many files.
fn digest(versions: &[String]) -> String {
    let mut hasher = DefaultHasher::new();
    versions.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

fn changed(what: &str) -> Denial {
    failed(format!("{what} has changed while the image was made; the next request gets the new one"))
}

fn failed(reason: String) -> Denial {
    Denial::new(ErrorCode::NotDefined, "the image cannot be made", reason)
}

tuffet_sdk::manifest! {
    name: "initrd",
    version: env!("CARGO_PKG_VERSION"),
    description: "Adds files for each machine to a common initrd",
    grants: [
        ("files", "reads the common initrd and the files to add"),
        ("client-mac", "tells machines apart"),
    ],
    reuse: true,
}
tuffet_sdk::export!(Initrd: resolve, render_parts);
