//! Lists the public interface of crates, an item a line: from rustdoc's JSON, by the crate `public-api`.
//!
//!   tuffet-interfaces FOLDER_OF_JSON FOLDER_OF_LISTS CRATE...
//!
//! An item that a crate exports from another one of Tuffet's is listed as its own, with everything below it, unless that
//! crate has a list itself. Left out are blanket impls, auto traits, and the functions of traits in impls. The impls of
//! traits without parameters are one line for each type.
//!
//! A program that depends on the facade alone must be able to name each type that it gets: a line that names another crate
//! of Tuffet's is an error there, and impls for or of what it does not export are left out.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use public_api::{Builder, PublicItem};
use serde_json::Value;

/// The crate that exports what programs need of the others.
const FACADE: &str = "tuffet";

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

/// Returns what follows `impl` and its parameters.
fn after_impl(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("impl")?;
    let mut depth = 0;
    let end = rest.find(|next: char| {
        depth += i32::from(next == '<') - i32::from(next == '>');
        depth == 0 && next == ' '
    })?;
    Some(&rest[end + 1..])
}

/// Joins the impls of traits of other authors without parameters into one line for each type.
fn joined(lines: BTreeSet<String>) -> BTreeSet<String> {
    let mut traits = BTreeMap::<String, BTreeSet<String>>::new();
    let mut rest = BTreeSet::new();
    for line in lines {
        let parts = after_impl(&line).and_then(|of| of.split(" where ").next()?.split_once(" for "));
        let path = parts.map(|(path, of)| (path.trim_end_matches("<'de>"), of));
        match path.filter(|(path, _)| !path.starts_with("tuffet") && !path.contains('<')) {
            Some((path, of)) => {
                let name = path.rsplit("::").next().unwrap_or(path);
                traits.entry(of.to_owned()).or_default().insert(name.to_owned());
            }
            None => drop(rest.insert(line)),
        }
    }
    let of_types = traits
        .into_iter()
        .map(|(of, traits)| format!("impl {} for {of}", traits.into_iter().collect::<Vec<_>>().join(" + ")));
    rest.into_iter().chain(of_types).collect()
}

/// Returns the lines of the facade, without impls for or of what it does not export.
fn nameable(lines: BTreeSet<String>) -> Result<BTreeSet<String>, String> {
    let (inner, own): (BTreeSet<_>, _) = lines.into_iter().partition(|line| line.contains("tuffet_"));
    // A function that a trait of another crate provides begins with the path of that trait.
    let is_own = |line: &String| {
        !line.starts_with("impl")
            && line.find("tuffet::").unwrap_or(usize::MAX) < line.find("tuffet_").unwrap_or(usize::MAX)
    };
    let unnamed: Vec<String> = inner.into_iter().filter(is_own).collect();
    if unnamed.is_empty() {
        return Ok(own);
    }
    Err(format!("{FACADE} does not export what these lines name:\n{}", unnamed.join("\n")))
}

struct Crates {
    /// The crates with lists.
    listed: BTreeSet<String>,
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
                    if self.listed.contains(&defined[0]) {
                        lines.insert(item.text.clone());
                    }
                    foreign.push((path.to_owned(), defined));
                }
                _ => drop(lines.insert(item.text.clone())),
            }
        }
        let mut exported = BTreeSet::new();
        for (path, defined) in foreign {
            let home = defined[0].clone();
            self.read(&home)?;
            // Its crate hides it.
            let Some(id) = self.read[&home].find(&defined) else {
                lines.insert(format!("pub use {path}"));
                continue;
            };
            let has_list = self.listed.contains(&home);
            let its = if has_list { BTreeSet::new() } else { self.lines(&home, Some(id))? };
            // The places where its own crate lists it.
            let listed = self.read[&home].items.iter().filter(|item| item.id == id);
            let listed: Vec<String> =
                listed.filter_map(|item| own_path(&item.text, &home)).map(str::to_owned).collect();
            if listed.is_empty() {
                return Err(format!("{path}: {} is not public", defined.join("::")).into());
            }
            lines.extend(its);
            exported.extend(listed.into_iter().chain([defined.join("::")]).map(|old| (old, path.clone())));
        }
        // The longest path first: others may begin with a shorter one.
        let longest = |(old, _): &(String, String)| std::cmp::Reverse(old.len());
        let mut exported: Vec<_> = exported.into_iter().collect();
        exported.sort_by_key(longest);
        let rename = |line: String| exported.iter().fold(line, |line, (old, new)| renamed(&line, old, new));
        Ok(lines.into_iter().map(rename).collect())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, lists, names @ ..] = &arguments[..] else {
        return Err("usage: tuffet-interfaces FOLDER_OF_JSON FOLDER_OF_LISTS CRATE...".into());
    };
    let listed = names.iter().map(|name| name.replace('-', "_")).collect();
    let mut crates = Crates { listed, folder: folder.into(), read: BTreeMap::new() };
    for name in names {
        let mut lines = joined(crates.lines(&name.replace('-', "_"), None)?);
        if name == FACADE {
            lines = nameable(lines).unwrap_or_else(|error| {
                eprintln!("{error}");
                std::process::exit(1)
            });
        }
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        fs::write(Path::new(lists).join(format!("{name}.txt")), text)?;
    }
    Ok(())
}
