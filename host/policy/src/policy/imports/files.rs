//! The import `files`.

use std::io;
use std::thread::sleep;
use std::time::Duration;

use super::{MAX_READ, not_granted};
use crate::policy::bindings::v0_2::tuffet::policy::files::{Error, Host, Metadata};
use crate::policy::sandbox::Sandbox;
use tuffet_store::{OpenFile, StoreError};

/// The longest path in bytes (PATH_MAX of Linux).
const MAX_PATH: usize = 4096;
/// How often a changing file is read before the plugin gets an error.
const ATTEMPTS: u32 = 4;
/// The pause before the second attempt; each later one adds as much. All together take 30 ms of a call's
/// `wall` limit.
const PAUSE: Duration = Duration::from_millis(5);

impl Host for Sandbox {
    async fn stat(&mut self, root: String, path: String) -> Result<Option<Metadata>, Error> {
        self.may_read(&root, &path)?;
        let access = self.access.clone();
        self.waits.begin(format!("the file {root}:{path}"));
        let found = access.host.stat(root, path).await;
        self.waits.end();
        found
    }

    async fn read(&mut self, root: String, path: String, limit: u64) -> Result<Option<Vec<u8>>, Error> {
        self.may_read(&root, &path)?;
        // What is more than its memory would only fill the host's.
        let most = limit.min(MAX_READ.saturating_sub(self.taken.read)).min(self.memory.most());
        let access = self.access.clone();
        self.waits.begin(format!("the file {root}:{path}"));
        let content = access.host.read(root, path, most).await;
        self.waits.end();
        let content = content?;
        self.taken.read += content.as_ref().map_or(0, |content| content.len() as u64);
        Ok(content)
    }
}

impl Sandbox {
    fn may_read(&mut self, root: &str, path: &str) -> Result<(), Error> {
        if !self.access.files.iter().any(|granted| granted == root) {
            let root: String = root.chars().take(64).collect();
            return Err(Error::Denied(not_granted(format_args!("files/{root}"))));
        }
        self.taken.operation().map_err(Error::Invalid)?;
        if path.len() > MAX_PATH {
            let message = format!("the path has {} bytes: {MAX_PATH} are allowed", path.len());
            return Err(Error::Invalid(message));
        }
        Ok(())
    }
}

/// A file whole, if it has at most so many bytes. One that changes while it is read is opened and read anew.
pub(super) fn steady(
    open: impl Fn() -> Result<OpenFile, StoreError>,
    root: &str,
    path: &str,
    most: u64,
) -> Result<Option<Vec<u8>>, Error> {
    for attempt in 0..ATTEMPTS {
        // Gives the writer some time to finish.
        sleep(PAUSE * attempt);
        let file = match open() {
            Ok(file) if file.size() > most => return Err(Error::TooLarge(file.size())),
            Ok(file) => file,
            Err(error) => return absent(&error),
        };
        if let Some(content) = one_content(&file).map_err(|error| Error::Unavailable(error.to_string()))? {
            return Ok(Some(content));
        }
    }
    Err(Error::Unavailable(format!(
        "{root}:{path} changed while it was read, {ATTEMPTS} times: write it under another name and rename it"
    )))
}

/// What the file held at one moment; `None` where it changed meanwhile.
fn one_content(file: &OpenFile) -> io::Result<Option<Vec<u8>>> {
    let settled = file.is_settled();
    let Some(content) = file.read_whole()? else { return Ok(None) };
    // Within a step of the clock a write leaves no trace. But what two readings found alike was there between
    // them.
    Ok(if settled || file.read_whole()?.as_ref() == Some(&content) { Some(content) } else { None })
}

/// Whether a file is absent, or why it cannot be read.
pub(super) fn absent<T>(error: &StoreError) -> Result<Option<T>, Error> {
    match error {
        StoreError::NotFound => Ok(None),
        error if error.is_about_names() => Ok(None),
        StoreError::Denied(_)
        | StoreError::Forbidden(_)
        | StoreError::NotPublic { .. }
        | StoreError::NotRegular(_) => Err(Error::Denied(error.to_string())),
        error => Err(Error::Unavailable(error.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::fs;
    use std::path::Path;

    use tempfile::TempDir;

    use super::*;
    use tuffet_request::RootSpec;
    use tuffet_store::Roots;

    const OLD: &[u8] = b"aaaaaaaa";

    fn writes_over(path: &Path) {
        let before = fs::metadata(path).unwrap().modified().unwrap();
        fs::write(path, "bbbbbbbb").unwrap();
        // Of the same size, and at another time whatever the step of the clock.
        let file = fs::File::options().write(true).open(path).unwrap();
        file.set_modified(before + Duration::from_secs(1)).unwrap();
    }

    /// Reads a file that is changed behind each open for so many times; also how often it was opened.
    fn read(times: u32, change: fn(&Path), most: u64) -> (Result<Option<Vec<u8>>, Error>, u32) {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("f");
        fs::write(&path, OLD).unwrap();
        let spec = RootSpec { private: true, ..RootSpec::read_only("r", folder.path()) };
        let roots = Roots::open(&[spec]).unwrap();
        let opened = Cell::new(0);
        let open = || {
            let file = roots.open_read(Some("r"), "f")?;
            opened.set(opened.get() + 1);
            if opened.get() <= times {
                change(&path);
            }
            Ok(file)
        };
        (steady(open, "r", "f", most), opened.get())
    }

    fn unavailable(result: Result<Option<Vec<u8>>, Error>) -> String {
        match result {
            Err(Error::Unavailable(text)) => text,
            other => unreachable!("{other:?}"),
        }
    }

    #[test]
    fn a_file_that_changes_is_read_anew() {
        let grows = |path: &Path| fs::write(path, [&fs::read(path).unwrap()[..], b"+"].concat()).unwrap();
        let shrinks = |path: &Path| fs::write(path, "aaaa").unwrap();
        for (change, content) in
            [(writes_over as fn(&Path), &b"bbbbbbbb"[..]), (grows, b"aaaaaaaa+"), (shrinks, b"aaaa")]
        {
            let (read, opened) = read(1, change, 100);
            assert_eq!((read.unwrap().as_deref(), opened), (Some(content), 2));
        }
        assert_eq!(read(0, writes_over, 100).0.unwrap().as_deref(), Some(OLD));
    }

    #[test]
    fn one_that_changes_each_time_is_an_error() {
        for change in [writes_over as fn(&Path), |path| {
            fs::write(path, [&fs::read(path).unwrap()[..], b"+"].concat()).unwrap();
        }] {
            let (read, opened) = read(u32::MAX, change, 100);
            let text = unavailable(read);
            assert!(text.starts_with("r:f changed while it was read, 4 times: "), "{text}");
            assert_eq!(opened, ATTEMPTS);
        }
    }

    /// What is open is the whole old file.
    #[test]
    fn one_that_is_replaced_or_removed_is_whole() {
        let replaced = |path: &Path| {
            fs::write(path.with_extension("next"), "b").unwrap();
            fs::rename(path.with_extension("next"), path).unwrap();
        };
        for change in [replaced, |path: &Path| fs::remove_file(path).unwrap()] {
            let (read, opened) = read(1, change, 100);
            assert_eq!((read.unwrap().as_deref(), opened), (Some(OLD), 1));
        }
    }

    #[test]
    fn one_that_grows_beyond_the_limit_is_too_large() {
        let grows = |path: &Path| fs::write(path, [b'a'; 9]).unwrap();
        assert!(matches!(read(1, grows, 8).0, Err(Error::TooLarge(9))));
    }
}
