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

use tuffet_sdk::files::{self, Metadata};
use tuffet_sdk::{
    Denial, ErrorCode, Glob, LargeContent, Operation, Plugin, Problems, RenderParts, Request, Resolution,
    Resolve,
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
    /// The common initrd as read last. A kept instance reads it once, not for each part.
    kept_base: RefCell<Option<(Version, Vec<u8>)>>,
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

/// What tells one version of a file from the next.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Version {
    bytes: u64,
    modified_unix_ms: u64,
}

/// What a key says: the machine, and the versions of all files that its image is made of.
struct Image<'a> {
    mac: &'a str,
    base: Version,
    /// Of the files to copy, in the order of the settings.
    copies: Vec<Version>,
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
        let known = request.client.macs.iter().find(|mac| self.hosts.contains_key(&mac.address));
        let Some(mac) = known else { return Resolution::Abstain };
        // All that the image depends on besides the settings.
        let mut key = mac.address.clone();
        for path in self.read_paths(&mac.address) {
            match self.version(&path) {
                Ok(version) => key += &format!(" {}.{}", version.bytes, version.modified_unix_ms),
                Err(denial) => return Resolution::Deny(denial),
            }
        }
        Resolution::Rendered(key)
    }
}

impl RenderParts for Initrd {
    fn begin(&self, key: &str) -> Result<Option<LargeContent>, Denial> {
        let image = self.image(key)?;
        let size = self.with_archive(key, &image, |archive| archive.len() as u64)? + image.archive_at();
        let name = Some(format!("{} for {}", self.base, image.mac)).filter(|name| name.len() <= 200);
        Ok(Some(LargeContent { name, size, ttl_seconds: None }))
    }

    fn part(&self, key: &str, offset: u64, length: u32) -> Result<Vec<u8>, Denial> {
        let image = self.image(key)?;
        let end = offset.saturating_add(length.into());
        let mut part = Vec::with_capacity(length as usize);
        if offset < image.base.bytes {
            self.with_base(&image, |base| part.extend(range(base, offset, end)))?;
        }
        let zeros = end.min(image.archive_at()).saturating_sub(offset.max(image.base.bytes));
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
        self.base.bytes.next_multiple_of(ALIGNMENT as u64)
    }
}

impl Initrd {
    /// Iterates over the paths of the files that the image of a machine is made of, the common initrd first.
    fn read_paths(&self, mac: &str) -> impl Iterator<Item = String> {
        let values = self.hosts.get(mac).cloned().unwrap_or_default();
        let copies = self.files.iter().filter_map(move |file| match &file.source {
            Source::Copy(path) => Some(path.fill(mac, &values)),
            Source::Text(_) => None,
        });
        std::iter::once(self.base.clone()).chain(copies)
    }

    fn image<'a>(&self, key: &'a str) -> Result<Image<'a>, Denial> {
        let version = |text: &str| {
            let (bytes, modified) = text.split_once('.')?;
            Some(Version { bytes: bytes.parse().ok()?, modified_unix_ms: modified.parse().ok()? })
        };
        let mut words = key.split(' ');
        let mac = words.next().filter(|mac| self.hosts.contains_key(*mac));
        let versions: Option<Vec<Version>> = words.map(version).collect();
        let copies = self.files.iter().filter(|file| matches!(file.source, Source::Copy(_))).count();
        match (mac, versions.as_deref()) {
            (Some(mac), Some([base, rest @ ..])) if rest.len() == copies => {
                Ok(Image { mac, base: *base, copies: rest.to_vec() })
            }
            _ => Err(failed(format!("{key:?} is no key of this plugin with these settings"))),
        }
    }

    fn with_base(&self, image: &Image<'_>, work: impl FnOnce(&[u8])) -> Result<(), Denial> {
        let mut kept = self.kept_base.borrow_mut();
        if kept.as_ref().is_none_or(|(version, _)| *version != image.base) {
            // The memory has room for one.
            *kept = None;
            *kept = Some((image.base, self.read(&self.base, image.base)?));
        }
        if let Some((_, base)) = &*kept {
            work(base);
        }
        Ok(())
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
        let mut versions = image.copies.iter();
        let mut archive = Archive::default();
        for file in &self.files {
            let text = file.template().fill(image.mac, &values);
            let content = match (&file.source, versions.as_slice()) {
                (Source::Copy(_), [version, ..]) => {
                    versions.next();
                    if version.bytes > MAX_COPY {
                        let reason = format!(
                            "{}:{text} has {} bytes: {MAX_COPY} are allowed",
                            self.root, version.bytes
                        );
                        return Err(failed(reason));
                    }
                    self.read(&text, *version)?
                }
                _ => text.into_bytes(),
            };
            archive.file(&file.path, file.mode, &content);
        }
        Ok(archive.finish())
    }

    fn version(&self, path: &str) -> Result<Version, Denial> {
        match files::stat(&self.root, path) {
            Ok(Some(Metadata { bytes, modified_unix_ms })) => Ok(Version { bytes, modified_unix_ms }),
            Ok(None) => Err(Denial::file_not_found(
                "a part of the image is missing",
                format!("{}:{path} is missing", self.root),
            )),
            Err(error) => Err(failed(format!("{}:{path}: {error}", self.root))),
        }
    }

    /// Reads this version of a file.
    fn read(&self, path: &str, version: Version) -> Result<Vec<u8>, Denial> {
        let at = || format!("{}:{path}", self.root);
        let changed = || {
            failed(format!(
                "{} has changed while the image was made; the next request gets the new one",
                at()
            ))
        };
        if self.version(path)? != version {
            return Err(changed());
        }
        let content = match files::read(&self.root, path, version.bytes) {
            Ok(content) => content.ok_or_else(changed)?,
            Err(files::Error::TooLarge(bytes)) if bytes != version.bytes => return Err(changed()),
            Err(files::Error::TooLarge(bytes)) => {
                let reason = format!(
                    "{} has {bytes} bytes: a call may read 64 MiB, and the memory has to hold them (limits.memory)",
                    at()
                );
                return Err(failed(reason));
            }
            Err(error) => return Err(failed(format!("{} cannot be read: {error}", at()))),
        };
        // It was the same before and after.
        if self.version(path)? != version { Err(changed()) } else { Ok(content) }
    }
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
