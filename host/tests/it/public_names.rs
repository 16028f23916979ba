//! The names that operators and their tools depend on: targets of log lines, metrics, keys of the configuration,
//! subcommands and exit codes, as `public_names.txt` records them.
//!
//! `TUFFET_BLESS=1` renews the record; each change of it is a change for operators. That the documents that this test
//! reads agree with the server is tested elsewhere: `telemetry::prometheus`, `cli::check`, `cli::generate`.

use crate::cli::generate::subcommands;
use crate::telemetry::prometheus::listed;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The folder of the server's crates.
fn host() -> &'static Path {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR"));
    crates.ancestors().find(|folder| folder.ends_with("host")).unwrap()
}

fn page(name: &str) -> String {
    fs::read_to_string(host().join("../docs").join(name)).unwrap()
}

/// Returns the targets that sources below a folder name.
fn targets(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let name = entry.file_name().unwrap().to_string_lossy().into_owned();
        if name.contains("tests") || name == "target" || name == "fuzz" {
            continue;
        }
        if entry.is_dir() {
            targets(&entry, found);
        } else if name.ends_with(".rs") {
            let text = fs::read_to_string(&entry).unwrap();
            let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            let begun = code.split("\"tuffet::").skip(1).filter_map(|rest| rest.split_once('"'));
            found.extend(begun.map(|(target, _)| format!("tuffet::{target}")));
        }
    }
}

/// Returns the keys of the configuration, each with the heading of its table.
fn keys() -> BTreeSet<String> {
    let book = page("configuration.md");
    let mut section = String::new();
    let mut found = BTreeSet::new();
    for line in book.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            section = heading.replace('`', "");
        } else if let Some(key) = line.strip_prefix("| `").and_then(|row| row.split('`').next()) {
            found.insert(format!("{section}: {key}"));
        }
    }
    found
}

/// Returns the exit codes that a page lists.
fn exit_codes(name: &str) -> BTreeSet<String> {
    let page = page(name);
    let table = page.split("\n## Exit codes\n").nth(1).unwrap();
    let table = table.split("\n## ").next().unwrap();
    let codes = table.lines().filter_map(|line| line.strip_prefix("| ")?.split(" |").next());
    codes.filter(|code| code.parse::<u8>().is_ok()).map(|code| format!("{name}: {code}")).collect()
}

fn names() -> String {
    let mut of_lines = BTreeSet::new();
    targets(host(), &mut of_lines);
    let commands = subcommands().into_iter().map(|path| ["tuffet".to_owned(), path.join(" ")].join(" "));
    let lists = [
        ("targets", of_lines),
        ("metrics", listed()),
        ("keys", keys()),
        ("subcommands", commands.map(|command| command.trim_end().to_owned()).collect()),
        ("exit codes", ["deploy.md", "client.md"].into_iter().flat_map(exit_codes).collect()),
    ];
    let mut text = String::new();
    for (title, list) in lists {
        assert!(list.len() > 10, "{title}: {list:?}");
        text += &format!("# {title}\n{}\n", list.into_iter().collect::<Vec<_>>().join("\n"));
    }
    text
}

#[test]
fn are_as_recorded() {
    let record = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/it/public_names.txt");
    let names = names();
    if std::env::var_os("TUFFET_BLESS").is_some() {
        fs::write(&record, &names).unwrap();
    }
    let recorded = fs::read_to_string(&record).unwrap();
    let (new, old): (BTreeSet<&str>, BTreeSet<&str>) = (names.lines().collect(), recorded.lines().collect());
    let added: Vec<_> = new.difference(&old).collect();
    let gone: Vec<_> = old.difference(&new).collect();
    assert!(added.is_empty() && gone.is_empty(), "new: {added:?}; gone: {gone:?}");
}
