//! The stored spelling of a path in a root with `case: insensitive`.
//!
//! Policy must judge a file by its stored name, and only that name opens the file ([`super::spelling`]). So the stored
//! name is found before policy runs: for each part of the path, the name as spelled if it exists, otherwise the only
//! name that differs in case.

use super::open_folder::OpenFolder;
use super::roots::{Root, Roots};
use super::{Reach, Sought, StoreError, Stored, spelling};
use cap_std::fs::Dir;

impl Roots {
    /// Returns whether any root has `case: insensitive`.
    pub fn any_case(&self) -> bool {
        self.roots.iter().any(|root| root.listings.is_some())
    }

    /// Returns whether a root has `case: insensitive`.
    pub fn is_any_case(&self, root: &str) -> bool {
        self.named(root).is_ok_and(|root| root.listings.is_some())
    }

    /// Returns the stored spelling of a path. In a root with `case: sensitive`, that is the same path if it exists.
    /// `None` if only the origin could answer and `reach` excludes it. Blocks on the disk.
    ///
    /// # Errors
    /// `Ambiguous` and `TooManyNames`, and those of opening and reading folders.
    pub fn stored(
        &self,
        root: &str,
        path: &str,
        sought: Sought,
        reach: Reach,
    ) -> Result<Option<Stored>, StoreError> {
        let root = self.named(root)?;
        match &root.elsewhere {
            Some(place) => place.stored(path, sought, reach),
            None => root.stored(path, sought).map(Some),
        }
    }
}

impl Root {
    pub(super) fn stored(&self, path: &str, sought: Sought) -> Result<Stored, StoreError> {
        let top = self.folder()?;
        let Some(listings) = &self.listings else {
            let is_there = top.has(path);
            return Ok(if is_there { Stored::At(path.to_owned()) } else { Stored::Nowhere });
        };
        let mut parts = path.split('/').filter(|part| !part.is_empty() && *part != ".").peekable();
        let mut way = String::new();
        // An upload may make its file, and the missing folders on the way if the root lets it.
        let may_make = sought == Sought::FolderOf && self.rules.write.folders.is_some();
        while let Some(part) = parts.next() {
            let folder = match open(&top, &way) {
                // A file is not a folder. The upload fails, and must not begin again in another spelling of the way.
                Err(StoreError::NotFound) if may_make => {
                    push(&mut way, part);
                    parts.for_each(|part| push(&mut way, part));
                    break;
                }
                Err(StoreError::NotFound) => return Ok(Stored::Nowhere),
                other => other?,
            };
            let name = match spelling::has(&folder, part)? {
                true => Some(part.to_owned()),
                false => {
                    let listing = listings.of(&folder)?;
                    match listing.find(part).as_slice() {
                        [name] => Some((*name).to_owned()),
                        [] if listing.is_complete() => None,
                        [] => return Err(StoreError::TooManyNames(shown(&way))),
                        several => return Err(StoreError::Ambiguous(several.join("`, `"), shown(&way))),
                    }
                }
            };
            let is_new = name.is_none();
            let may_be_new = may_make || sought == Sought::FolderOf && parts.peek().is_none();
            if is_new && !may_be_new {
                return Ok(Stored::Nowhere);
            }
            push(&mut way, name.as_deref().unwrap_or(part));
            if is_new {
                parts.for_each(|part| push(&mut way, part));
                break;
            }
        }
        Ok(Stored::At(way))
    }

    /// Replaces `NotFound` by its cause in a root with `case: insensitive`: ambiguous names, or folders that cannot be
    /// searched.
    pub(super) fn absent(&self, path: &str, error: StoreError) -> StoreError {
        match error {
            StoreError::NotFound | StoreError::Spelling if self.listings.is_some() => {
                self.stored(path, Sought::File).err().unwrap_or(error)
            }
            error => error,
        }
    }

    /// Requires that an upload to this path adds no name that differs from an existing one only in case.
    ///
    /// # Errors
    /// `Spelling` if it would, and the errors of [`Roots::stored`].
    pub(super) fn require_stored(&self, path: &str) -> Result<(), StoreError> {
        if self.listings.is_none() {
            return Ok(());
        }
        match self.stored(path, Sought::FolderOf)? {
            Stored::At(stored) if stored != path => Err(StoreError::Spelling),
            _ => Ok(()),
        }
    }
}

fn push(way: &mut String, name: &str) {
    if !way.is_empty() {
        way.push('/');
    }
    way.push_str(name);
}

fn open(top: &OpenFolder, way: &str) -> Result<Dir, StoreError> {
    top.open_dir(if way.is_empty() { "." } else { way }).map(|(folder, _)| folder)
}

fn shown(way: &str) -> String {
    if way.is_empty() { "the folder of the root".into() } else { format!("`{way}`") }
}
