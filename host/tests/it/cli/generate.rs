//! `tuffet generate`: that the pages and completions name what `--help` and the schema name, and that the programs
//! that read them accept them.

use crate::harness::{Ran, run, skipped, tuffet};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

fn text(ran: &Ran) -> String {
    ran.assert_good();
    String::from_utf8(ran.stdout.clone()).unwrap()
}

/// Whether a program that a test needs is there.
fn present(program: &str) -> bool {
    let there = run(Command::new("sh").args(["-c", "command -v \"$1\"", "sh", program])).status.success();
    if !there {
        skipped(&format!("`tuffet generate` read by {program}: it is not installed"));
    }
    there
}

/// Returns the subcommands and the long options that `--help` of a subcommand names.
fn named(path: &[&str]) -> (BTreeSet<String>, BTreeSet<String>) {
    let help = text(&tuffet(path.iter().copied().chain(["--help"])));
    let after = help.split_once("Commands:\n").map_or("", |(_, after)| after);
    let commands = after.lines().take_while(|line| !line.is_empty());
    let first = |line: &str| line.split_whitespace().next().unwrap_or_default().to_owned();
    // Long descriptions continue on lines that are indented further.
    let commands = commands.filter(|line| !line.starts_with("   ")).map(first).collect();
    let options = help.lines().map(str::trim_start).filter(|line| line.starts_with('-'));
    let long = |line: &str| {
        let word = line.split_whitespace().find(|word| word.starts_with("--"))?;
        // `--watch[=<TIME>]`: the value is optional.
        let word = word.split_once('[').map_or(word, |(option, _)| option);
        Some(word.trim_end_matches(['.', ',']).to_owned())
    };
    (commands, options.filter_map(long).collect())
}

/// Returns each path of subcommands, from `tuffet` itself on.
pub fn subcommands() -> Vec<Vec<String>> {
    let mut paths = vec![vec![]];
    let mut at = 0;
    while let Some(path) = paths.get(at).cloned() {
        let words: Vec<&str> = path.iter().map(String::as_str).collect();
        for command in named(&words).0.into_iter().filter(|command| command != "help") {
            paths.push([path.clone(), vec![command]].concat());
        }
        at += 1;
    }
    assert!(paths.len() > 15, "{paths:?}");
    paths
}

fn pages() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    text(&tuffet(["generate".as_ref(), "man".as_ref(), folder.path().as_os_str()]));
    folder
}

/// Returns each page's name and text.
fn read(folder: &Path) -> Vec<(String, String)> {
    let sections = fs::read_dir(folder).unwrap().map(|section| section.unwrap().path());
    let files = sections.flat_map(|section| fs::read_dir(section).unwrap());
    let page = |path: &Path| {
        (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read_to_string(path).unwrap())
    };
    files.map(|file| page(&file.unwrap().path())).collect()
}

#[test]
fn each_subcommand_has_a_page_with_its_options() {
    let folder = pages();
    let mut expected = BTreeSet::from(["tuffet.yaml.5".to_owned()]);
    for path in subcommands() {
        let name = format!(
            "{}.1",
            ["tuffet".to_owned()].into_iter().chain(path.clone()).collect::<Vec<_>>().join("-")
        );
        let page = folder.path().join("man1").join(&name);
        let page = fs::read_to_string(&page).unwrap_or_else(|error| panic!("{}: {error}", page.display()));
        let words: Vec<&str> = path.iter().map(String::as_str).collect();
        for option in named(&words).1 {
            assert!(page.contains(&option.replace('-', r"\-")), "{name} lacks {option}");
        }
        assert!(!page.contains('`'), "{name}");
        expected.insert(name);
    }
    let found: BTreeSet<_> = read(folder.path()).into_iter().map(|(name, _)| name).collect();
    assert_eq!(found, expected);
}

/// Returns the keys of an object of the schema and of everything in it.
fn keys(schema: &Value, found: &mut BTreeSet<String>) {
    for (key, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        found.insert(key.clone());
        // A secret may be written as a mapping; its own row says so.
        if property.get("format").and_then(Value::as_str) != Some("secret") {
            keys(property, found);
        }
    }
    for inner in ["items", "additionalProperties"] {
        schema.get(inner).into_iter().for_each(|inner| keys(inner, found));
    }
}

#[test]
fn the_page_of_the_configuration_has_each_key() {
    let folder = pages();
    let page = fs::read_to_string(folder.path().join("man5/tuffet.yaml.5")).unwrap();
    let mut expected = BTreeSet::new();
    keys(&serde_json::from_slice(&tuffet(["schema"]).stdout).unwrap(), &mut expected);
    assert!(expected.len() > 60, "{expected:?}");
    for key in expected {
        let entry = format!("\n.TP\n\\fB{}\\fR (", key.replace('-', r"\-"));
        assert!(page.contains(&entry), "{key} is missing");
    }
    assert!(page.contains("\\(aq") || page.contains("\n.EX\n"), "the example is missing");
    assert!(!page.contains("|--") && !page.contains("\n.TP\n\\-"), "a line of a table is left");
}

#[test]
fn the_pages_are_good_roff() {
    let folder = pages();
    for (name, _) in read(folder.path()) {
        let section = format!("man{}", name.rsplit_once('.').unwrap().1);
        let path = folder.path().join(section).join(&name);
        if present("mandoc") {
            text(&run(Command::new("mandoc").args(["-T", "lint", "-W", "error"]).arg(&path)));
        }
        if present("lexgrog") {
            let known = text(&run(Command::new("lexgrog").arg(&path)));
            assert!(known.contains(&format!("\"{} - ", &name[..name.len() - 2])), "{known}");
        }
        if present("man") {
            let mut man = Command::new("man");
            man.env("LC_ALL", "C.UTF-8").env("MANWIDTH", "80").args([
                "--warnings",
                "-E",
                "UTF-8",
                "-l",
                "-Tutf8",
            ]);
            let shown = run(man.arg(&path));
            assert_eq!(shown.stderr, "", "{name}");
            assert!(text(&shown).len() > 200, "{name}");
        }
    }
}

/// What cannot be written is an error that names the path.
#[test]
fn a_folder_that_cannot_be_made() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), "").unwrap();
    let below = folder.path().join("file/below");
    tuffet(["generate".as_ref(), "man".as_ref(), below.as_os_str()])
        .assert_fails(71, &[&format!("{}/man1/tuffet.1: Not a directory", below.display())]);
}

#[test]
fn bash_completes_what_help_names() {
    if !present("bash") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let completions = folder.path().join("completions");
    fs::write(&completions, text(&tuffet(["generate", "completions", "bash"]))).unwrap();
    let offered = |words: &[&str], begun: &str| -> BTreeSet<String> {
        let script = "source \"$1\"; shift; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1))\n\
                      _tuffet tuffet \"${COMP_WORDS[COMP_CWORD]}\" \"${COMP_WORDS[COMP_CWORD - 1]}\"\n\
                      printf '%s\\n' \"${COMPREPLY[@]}\"";
        let mut bash = Command::new("bash");
        bash.args(["--norc", "-c", script, "bash"]).arg(&completions).arg("tuffet");
        text(&run(bash.args(words).arg(begun))).lines().map(str::to_owned).collect()
    };
    for path in subcommands() {
        let words: Vec<&str> = path.iter().map(String::as_str).collect();
        let (commands, options) = named(&words);
        let wrong = |wanted: &BTreeSet<String>, got: &BTreeSet<String>| {
            wanted.difference(got).cloned().collect::<Vec<_>>()
        };
        let got = offered(&words, "--");
        assert_eq!(wrong(&options, &got), Vec::<String>::new(), "options of {words:?}: {got:?}");
        let got = offered(&words, "");
        assert_eq!(wrong(&commands, &got), Vec::<String>::new(), "subcommands of {words:?}: {got:?}");
    }
    assert_eq!(
        offered(&["serve", "--log-format"], ""),
        BTreeSet::from(["dnsmasq", "json", "text", "tftp-hpa"].map(str::to_owned))
    );
}

#[test]
fn zsh_and_fish_understand_theirs() {
    let folder = tempfile::tempdir().unwrap();
    for shell in ["zsh", "fish"] {
        if present(shell) {
            let completions = folder.path().join(shell);
            fs::write(&completions, text(&tuffet(["generate", "completions", shell]))).unwrap();
            text(&run(Command::new(shell).arg("-n").arg(&completions)));
        }
    }
    if present("fish") {
        let script = format!("source {}; complete -C 'tuffet '", folder.path().join("fish").display());
        let offered =
            text(&run(Command::new("fish").args(["--no-config", "-c", &script]).env("HOME", folder.path())));
        let offered: BTreeSet<_> =
            offered.lines().filter_map(|line| line.split_whitespace().next()).collect();
        for command in named(&[]).0 {
            assert!(offered.contains(command.as_str()), "{command} is missing in {offered:?}");
        }
    }
}
