//! The configuration of inetd and xinetd: which clients may reach the service.

use super::optional::{files, text};
use crate::error::ImportError;
use crate::location::Location;
use crate::target::Target;
use std::path::Path;

/// Attributes of xinetd that restrict clients, addresses and times.
const ACCESS: [&str; 6] = ["only_from", "no_access", "access_times", "bind", "interface", "deny_time"];
/// Those that bound the load.
const LOAD: [&str; 4] = ["instances", "per_source", "cps", "max_load"];

pub(super) fn report(etc: &Path, target: &mut Target) -> Result<(), ImportError> {
    inetd(etc, target)?;
    let mut all = vec![etc.join("xinetd.conf")];
    all.extend(files(&etc.join("xinetd.d")));
    let mut blocks = Vec::new();
    for path in all {
        blocks.append(&mut blocks_of(&text(&path)?, &Location::file(&path)));
    }
    if !blocks.iter().any(|block| block.name == "tftp" && !block.is_disabled()) {
        return Ok(());
    }
    for block in blocks.iter().filter(|block| block.name == "defaults" || block.name == "tftp") {
        for (location, name, line) in &block.attributes {
            if ACCESS.contains(&name.as_str()) {
                let advice = "write it as a rule of the plugin builtin:acl, or as the address of a listener";
                target.missing(location, format!("xinetd restricts the service by `{line}`: {advice}"));
            } else if LOAD.contains(&name.as_str()) {
                target.differs(location, format!("xinetd bounds the service by `{line}`: see `limits`"));
            }
        }
    }
    Ok(())
}

/// An address in front of the service is where inetd listens.
fn inetd(etc: &Path, target: &mut Target) -> Result<(), ImportError> {
    let path = etc.join("inetd.conf");
    for (number, line) in (1..).zip(text(&path)?.lines()) {
        let mut words = line.split_ascii_whitespace();
        let service = words.next().unwrap_or_default();
        let is_tftp = service.ends_with(":tftp") || service.ends_with(":69");
        if is_tftp && !service.starts_with('#') && !service.starts_with("*:") {
            let text = format!("inetd listens at `{service}` alone: set the address of the listener");
            target.missing(&Location::file(&path).line(number), text);
        }
    }
    Ok(())
}

struct Block {
    name: String,
    /// Location, name and text of each attribute.
    attributes: Vec<(Location, String, String)>,
}

impl Block {
    fn is_disabled(&self) -> bool {
        let yes = |line: &str| line.split('=').nth(1).is_some_and(|value| value.trim() == "yes");
        self.attributes.iter().any(|(_, name, line)| name == "disable" && yes(line))
    }
}

fn blocks_of(text: &str, file: &Location) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        let mut words =
            line.split(|it: char| it.is_whitespace() || "+-={".contains(it)).filter(|it| !it.is_empty());
        match words.next() {
            Some("service") => {
                let name = words.next().unwrap_or_default().to_owned();
                blocks.push(Block { name, attributes: Vec::new() });
            }
            Some("defaults") => blocks.push(Block { name: "defaults".into(), attributes: Vec::new() }),
            Some(name) if !line.starts_with('#') => {
                if let Some(block) = blocks.last_mut() {
                    block.attributes.push((file.line(number), name.to_owned(), line.to_owned()));
                }
            }
            _ => {}
        }
    }
    blocks
}
