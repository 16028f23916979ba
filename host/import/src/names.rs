//! Finds files in a served folder whose names no client can request from Tuffet.

use crate::location::Location;
use crate::target::Target;
use std::path::{Path, PathBuf};
use tuffet_request::names::normalise;

/// The largest number of entries visited.
const MAX_ENTRIES: usize = 20_000;

/// The largest number of names in a report.
const MAX_NAMED: usize = 5;

/// Reports files that the original serves and Tuffet does not, because of their names: those that are not UTF-8, that hold
/// a backslash (unless the original takes it for a slash, too) or a control character, or that begin with a drive letter.
pub(crate) fn report_names(
    folder: &Path,
    serves_backslashes: bool,
    location: &Location,
    target: &mut Target,
) {
    let names = unserved_names(folder, serves_backslashes);
    let shown = |name: &PathBuf| format!("{:?}", name.as_os_str());
    let named: Vec<String> = names.iter().take(MAX_NAMED).map(shown).collect();
    if named.is_empty() {
        return;
    }
    let more = match names.len().saturating_sub(MAX_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let text = format!(
        "{}{more}: no client can request these names from Tuffet (they are not UTF-8, or hold a backslash, a control \
         character or a drive letter); rename the files (`convmv -f latin1 -t utf8` for the first kind), or move them away",
        named.join(", ")
    );
    target.missing(location, text);
}

/// Returns the paths below `top`, with `top`.
fn unserved_names(top: &Path, serves_backslashes: bool) -> Vec<PathBuf> {
    let mut unserved = Vec::new();
    let mut folders = vec![top.to_owned()];
    let mut entries_seen = 0;
    while let Some(folder) = folders.pop() {
        let Ok(entries) = folder.read_dir() else { continue };
        for entry in entries.flatten() {
            entries_seen += 1;
            if entries_seen > MAX_ENTRIES {
                return unserved;
            }
            let path = entry.path();
            if !is_served(path.strip_prefix(top).unwrap_or(&path), serves_backslashes) {
                // A folder stands for all that it has.
                unserved.push(path);
            } else if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(path);
            }
        }
    }
    unserved.sort();
    unserved
}

/// Whether a client can request the path, or only the original's clients cannot either.
fn is_served(path: &Path, serves_backslashes: bool) -> bool {
    let Some(text) = path.to_str() else { return false };
    if text.contains('\\') {
        return !serves_backslashes;
    }
    normalise(text.as_bytes()).as_deref() == Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;
    use std::fs;
    use std::os::unix::ffi::OsStrExt;

    #[test]
    fn names_that_no_client_can_request() {
        let around = tempfile::tempdir().unwrap();
        let top = around.path();
        fs::create_dir(top.join("sub")).unwrap();
        fs::create_dir(top.join(OsStr::from_bytes(b"f\xe4"))).unwrap();
        let names: [&[u8]; 9] = [
            b"plain",
            "g\u{e4}nse".as_bytes(),
            b"sub/g\xe4nse",
            b"sub/back\\slash",
            b"line\nfeed",
            b"C:drive",
            b"sub/C:drive",
            b"f\xe4/below",
            b"01:02:03",
        ];
        for name in names {
            fs::write(top.join(OsStr::from_bytes(name)), "").unwrap();
        }
        let found = |serves_backslashes| {
            let mut names = unserved_names(top, serves_backslashes);
            names.iter_mut().for_each(|name| *name = name.strip_prefix(top).unwrap().to_owned());
            names
        };
        let path = |name: &[u8]| PathBuf::from(OsStr::from_bytes(name));
        let without = [&b"C:drive"[..], b"f\xe4", b"line\nfeed", b"sub/g\xe4nse"];
        assert_eq!(found(false), without.map(path));
        let with = [&b"C:drive"[..], b"f\xe4", b"line\nfeed", b"sub/back\\slash", b"sub/g\xe4nse"];
        assert_eq!(found(true), with.map(path));
    }
}
