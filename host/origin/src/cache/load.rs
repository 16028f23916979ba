//! Reads the index of a cache, and removes the leftovers of a crash.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::sync::Arc;

use super::entry::Entry;
use super::key::{Key, Layout, is_content_of, is_record};
use super::record::Record;

/// Reads all records with existing contents. Removes all other files in the two folders.
pub(super) fn load(layout: &Layout) -> io::Result<HashMap<Key, Arc<Entry>>> {
    let mut entries = HashMap::new();
    let mut contents: HashSet<OsString> = HashSet::new();
    for record in fs::read_dir(layout.index())? {
        let path = record?.path();
        let read = if is_record(&path) { Record::read(&path).unwrap_or(None) } else { None };
        let entry = read.and_then(|record| {
            let key = Key::of(&record.origin, &record.path);
            let named = path == layout.record(&key) && is_content_of(&key, &record.content);
            let entry = named.then(|| Entry::load(key, layout, &record)).flatten()?;
            Some((entry, record.content))
        });
        match entry {
            Some((entry, content)) => {
                contents.insert(content.into());
                entries.insert(entry.key, Arc::new(entry));
            }
            None => remove(&path)?,
        }
    }
    for content in fs::read_dir(layout.content())? {
        let content = content?;
        if !contents.contains(&content.file_name()) {
            remove(&content.path())?;
        }
    }
    Ok(entries)
}

fn remove(path: &std::path::Path) -> io::Result<()> {
    match fs::symlink_metadata(path)?.is_dir() {
        // The cache creates no subfolders, so it is not ours.
        true => Ok(()),
        false => fs::remove_file(path),
    }
}
