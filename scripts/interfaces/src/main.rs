//! Lists the public interface of crates, an item a line: from rustdoc's JSON, by the crate `public-api`.
//!
//!   tuffet-interfaces FOLDER_OF_JSON FOLDER_OF_LISTS CRATE...
//!
//! An item that a crate exports from another one of Tuffet's is listed as its own, with everything below it. Left out
//! are blanket impls, auto traits, and the functions of traits in impls: each impl is one line.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use public_api::{Builder, PublicItem};
use serde_json::Value;

struct Item {
    id: u32,
    parent: Option<u32>,
    text: String,
}

/// The JSON of a crate, and what is public in it.
struct Crate {
    json: Value,
    items: Vec<Item>,
}

impl Crate {
    fn read(path: &Path) -> Result<Crate, Box<dyn Error>> {
        let failed = |error: &dyn Error| format!("{}: {error}", path.display());
        let text = fs::read_to_string(path).map_err(|error| failed(&error))?;
        let json: Value = serde_json::from_str(&text).map_err(|error| failed(&error))?;
        let api = Builder::from_rustdoc_json(path).omit_blanket_impls(true).omit_auto_trait_impls(true);
        let items = api.build().map_err(|error| failed(&error))?.into_items().map(|item: PublicItem| Item {
            id: item.id().0,
            parent: item.parent_id().map(|id| id.0),
            text: item.to_string(),
        });
        let items = items.collect();
        Ok(Crate { json, items })
    }

    fn inner(&self, id: u32, kind: &str) -> &Value {
        &self.json["index"][id.to_string()]["inner"][kind]
    }

    /// Returns whether an item says what other lines do not: no function of a trait in an impl, no head of an impl of the
    /// type itself, nothing that the compiler adds to derived traits.
    fn is_listed(&self, item: &Item) -> bool {
        let trait_of = |id: u32| self.inner(id, "impl")["trait"].as_object();
        let is_impl = self.inner(item.id, "impl").is_object();
        let is_of_trait = item.parent.is_some_and(|parent| trait_of(parent).is_some());
        !is_of_trait
            && trait_of(item.id).map_or(!is_impl, |of| of["path"].as_str() != Some("StructuralPartialEq"))
    }

    /// Returns where an item is defined, if its crate is another one.
    fn defined(&self, id: u32) -> Option<Vec<String>> {
        let target = &self.inner(id, "use")["id"];
        serde_json::from_value(self.json["paths"][target.to_string()]["path"].clone()).ok()
    }

    /// Returns all lines of an item and of what is below it, and the paths under which the item is listed.
    fn below(&self, root: u32) -> Vec<&Item> {
        let mut ids = BTreeSet::from([root]);
        loop {
            let before = ids.len();
            let found = self.items.iter().filter(|item| item.parent.is_some_and(|id| ids.contains(&id)));
            let found: Vec<u32> = found.map(|item| item.id).collect();
            ids.extend(found);
            if ids.len() == before {
                return self.items.iter().filter(|item| ids.contains(&item.id)).collect();
            }
        }
    }

    fn find(&self, path: &[String]) -> Option<u32> {
        let paths = self.json["paths"].as_object()?;
        let is_it = |entry: &Value| entry["path"].as_array().is_some_and(|its| its.iter().eq(path.iter()));
        paths.iter().find(|(_, entry)| is_it(entry)).and_then(|(id, _)| id.parse().ok())
    }
}

/// Returns the first path in a line that begins with the name of the crate: that of its item.
fn own_path<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let begin = line.find(&format!("{name}::"))?;
    let rest = &line[begin..];
    let end = rest.find(|next: char| !next.is_alphanumeric() && !"_:".contains(next)).unwrap_or(rest.len());
    Some(rest[..end].trim_end_matches(':'))
}

/// Replaces a path, and paths below it.
fn renamed(line: &str, old: &str, new: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some(at) = rest.find(old) {
        let end = at + old.len();
        let is_whole = !rest[end..].starts_with(|next: char| next.is_alphanumeric() || next == '_');
        text += &rest[..at];
        text += if is_whole { new } else { old };
        rest = &rest[end..];
    }
    text + rest
}

struct Crates {
    folder: PathBuf,
    read: BTreeMap<String, Crate>,
}

impl Crates {
    fn read(&mut self, name: &str) -> Result<(), Box<dyn Error>> {
        if !self.read.contains_key(name) {
            let known = Crate::read(&self.folder.join(format!("{name}.json")))?;
            self.read.insert(name.to_owned(), known);
        }
        Ok(())
    }

    /// Returns the lines of some items of a crate, with those of other crates in the place of their `pub use`.
    fn lines(&mut self, name: &str, root: Option<u32>) -> Result<BTreeSet<String>, Box<dyn Error>> {
        self.read(name)?;
        let known = &self.read[name];
        let items = root.map_or_else(|| known.items.iter().collect(), |id| known.below(id));
        let mut lines = BTreeSet::new();
        let mut foreign = Vec::new();
        for item in items.into_iter().filter(|item| known.is_listed(item)) {
            let defined =
                item.text.strip_prefix("pub use ").and_then(|path| Some((path, known.defined(item.id)?)));
            match defined {
                Some((path, defined)) if defined[0].starts_with("tuffet") && defined[0] != name => {
                    foreign.push((path.to_owned(), defined));
                }
                _ => drop(lines.insert(item.text.clone())),
            }
        }
        for (path, defined) in foreign {
            let home = defined[0].clone();
            self.read(&home)?;
            // Its crate hides it.
            let Some(id) = self.read[&home].find(&defined) else {
                lines.insert(format!("pub use {path}"));
                continue;
            };
            let its = self.lines(&home, Some(id))?;
            // The places where its own crate lists it.
            let listed = self.read[&home].items.iter().filter(|item| item.id == id);
            let listed: Vec<String> =
                listed.filter_map(|item| own_path(&item.text, &home)).map(str::to_owned).collect();
            if listed.is_empty() {
                return Err(format!("{path}: {} is not public", defined.join("::")).into());
            }
            for line in its {
                lines.insert(listed.iter().fold(line, |line, old| renamed(&line, old, &path)));
            }
        }
        Ok(lines)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, lists, names @ ..] = &arguments[..] else {
        return Err("usage: tuffet-interfaces FOLDER_OF_JSON FOLDER_OF_LISTS CRATE...".into());
    };
    let mut crates = Crates { folder: folder.into(), read: BTreeMap::new() };
    for name in names {
        let lines = crates.lines(&name.replace('-', "_"), None)?;
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        fs::write(Path::new(lists).join(format!("{name}.txt")), text)?;
    }
    Ok(())
}
