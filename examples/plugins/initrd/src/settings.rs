//! The settings as written, and their check.

use std::collections::BTreeMap;

use serde::Deserialize;
use tuffet_sdk::{Glob, Problems};

use crate::template::Template;
use crate::{Added, Initrd, Source};

/// The settings of the plugin; README.md explains each key.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    root: String,
    #[serde(rename = "match")]
    matches: Vec<String>,
    base: String,
    files: BTreeMap<String, FileSettings>,
    hosts: BTreeMap<String, BTreeMap<String, String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileSettings {
    text: Option<String>,
    copy: Option<String>,
    mode: Option<String>,
}

/// For each request, the plugin looks at the files to copy.
const MAX_FILES: usize = 16;

pub(crate) fn check(settings: Settings) -> Result<Initrd, Problems> {
    let Settings { root, matches: globs, base, files: written, hosts: given } = settings;
    let mut problems = Problems::new();
    if root.is_empty() {
        problems.add("/root", "write the name of the root with the common initrd");
    }
    if globs.is_empty() {
        problems.add("/match", "an empty list matches no request: write globs such as \"initrd*.img\"");
    }
    let mut matches = Vec::new();
    for (index, glob) in globs.iter().enumerate() {
        matches.extend(problems.check(format!("/match/{index}"), Glob::parse(glob)));
    }
    if written.is_empty() || written.len() > MAX_FILES {
        problems.add("/files", format!("{} files: write 1 to {MAX_FILES}", written.len()));
    }
    let mut files = Vec::new();
    for (path, file) in written {
        let at = Problems::at("/files", &path);
        match added(path, file) {
            Ok(file) => files.push(file),
            Err((key, problem)) => problems.add(at + key, problem),
        }
    }
    let mut hosts = BTreeMap::new();
    for (mac, values) in given {
        let at = Problems::at("/hosts", &mac);
        if !is_mac(&mac) {
            problems.add(&at, "write a MAC address in lower case with colons: \"02:00:5e:10:00:01\"");
        }
        for file in &files {
            for name in file.template().names() {
                if name != "mac" && !values.contains_key(name) {
                    problems.add(&at, format!("`{name}` is missing, which the file {} needs", file.path));
                }
            }
        }
        hosts.insert(mac, values);
    }
    if hosts.is_empty() {
        problems.add("/hosts", "without a host the plugin does nothing: write one, or leave the plugin out");
    }
    problems.or(Initrd { root, matches, base, files, hosts, ..Initrd::default() })
}

/// Checks a file, or returns the key of a problem and its message.
fn added(path: String, file: FileSettings) -> Result<Added, (&'static str, String)> {
    let is_good = |part: &str| !part.is_empty() && part != "." && part != ".." && !part.contains('\0');
    if !path.split('/').all(is_good) {
        return Err(("", "write a path without a leading slash and without \"..\": etc/hostname".into()));
    }
    let source = match (file.text, file.copy) {
        (Some(text), None) => Source::Text(Template::parse(&text)),
        (None, Some(path)) => Source::Copy(Template::parse(&path)),
        _ => return Err(("", "write either `text` or `copy`".into())),
    };
    let mode = match file.mode.as_deref() {
        None => 0o644,
        Some(text) => u32::from_str_radix(text, 8).ok().filter(|mode| *mode <= 0o7777).ok_or_else(|| {
            ("/mode", format!("{text:?} is no mode: write octal digits in quotes, such as \"0644\""))
        })?,
    };
    Ok(Added { path, mode, source })
}

fn is_mac(text: &str) -> bool {
    let digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    let is_octet = |octet: &str| octet.len() == 2 && octet.bytes().all(digit);
    text.split(':').count() == 6 && text.split(':').all(is_octet)
}
