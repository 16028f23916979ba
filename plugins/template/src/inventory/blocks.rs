//! A large inventory: the plugin records the position of each device, and parses a device when a request
//! needs it.
//!
//! Parsing a hundred thousand devices takes seconds and most of the memory of a plugin; finding their
//! positions takes milliseconds. When the file has changed, only devices whose text has changed are parsed
//! again, for their names and addresses.

use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;

use super::{Device, Variables};

pub(crate) struct Blocks {
    text: String,
    pub defaults: Variables,
    known: Known,
    /// Hashes of the identifiers, and their devices; sorted.
    facts: Vec<(u64, u32)>,
}

/// The parts worth keeping when the file has changed.
#[derive(Default)]
pub(crate) struct Known {
    blocks: Vec<Block>,
    /// Hashes of the devices' identifiers, one device after the other.
    facts: Vec<u64>,
}

/// The text of one device.
struct Block {
    start: u32,
    end: u32,
    /// Hash of its text.
    hash: u64,
    /// The index of its first identifier in [`Known::facts`], and their number.
    facts: (u32, u32),
}

/// The sections of a file.
struct Sections<'a> {
    defaults: &'a str,
    /// Begin and end of each device.
    devices: Vec<(u32, u32)>,
}

#[derive(Deserialize)]
struct Defaults {
    #[serde(default)]
    defaults: Variables,
}

impl Blocks {
    /// Reads the devices of a file. Returns the text itself if it is not in block style, one device after the
    /// other and without anchors: it can then only be parsed as a whole.
    ///
    /// # Errors
    /// What is wrong with the inventory.
    pub fn parse(text: String, before: Known) -> Result<Result<Blocks, String>, String> {
        let Some(sections) = sections(&text) else { return Ok(Err(text)) };
        let defaults: Defaults = if sections.defaults.is_empty() {
            Defaults { defaults: Variables::new() }
        } else {
            serde_yaml::from_str(sections.defaults).map_err(|error| error.to_string())?
        };
        let places = sections.devices;
        let mut blocks = Blocks {
            text,
            defaults: defaults.defaults,
            known: Known::default(),
            facts: Vec::with_capacity(places.len() * 2),
        };
        blocks.know(&places, &before)?;
        drop(before);
        blocks.facts.sort_unstable();
        blocks.each_is_one()?;
        Ok(Ok(blocks))
    }

    /// The part that the next version of the file may have in common with this one.
    pub fn into_known(self) -> Known {
        self.known
    }

    /// Finds the device with this identifier: a MAC address, a name or an IP address.
    pub fn find(&self, fact: &str) -> Result<Option<(String, Device)>, String> {
        for block in self.with(hash(fact.as_bytes())) {
            let (name, device) = self.read(block)?;
            if device.facts().any(|its| its == fact) {
                return Ok(Some((name, device)));
            }
        }
        Ok(None)
    }

    /// The devices that may have the identifier with this hash.
    fn with(&self, fact: u64) -> impl Iterator<Item = u32> + '_ {
        let from = self.facts.partition_point(|(other, _)| *other < fact);
        self.facts[from..].iter().take_while(move |(other, _)| *other == fact).map(|(_, block)| *block)
    }

    fn know(&mut self, places: &[(u32, u32)], before: &Known) -> Result<(), String> {
        let old: HashMap<u64, (u32, u32)> =
            before.blocks.iter().map(|block| (block.hash, block.facts)).collect();
        self.known.blocks.reserve(places.len());
        for (number, (start, end)) in places.iter().copied().enumerate() {
            let number = number as u32;
            let hash_of_block = hash(&self.text.as_bytes()[start as usize..end as usize]);
            let first = self.known.facts.len();
            self.known.blocks.push(Block { start, end, hash: hash_of_block, facts: (0, 0) });
            match old.get(&hash_of_block) {
                Some((from, count)) => {
                    let its = *from as usize..(from + count) as usize;
                    self.known.facts.extend_from_slice(&before.facts[its]);
                }
                None => {
                    let (_, device) = self.read(number)?;
                    self.known.facts.extend(device.facts().map(|fact| hash(fact.as_bytes())));
                }
            }
            let its = &self.known.facts[first..];
            self.facts.extend(its.iter().map(|fact| (*fact, number)));
            let facts = (first as u32, its.len() as u32);
            if let Some(block) = self.known.blocks.last_mut() {
                block.facts = facts;
            }
        }
        Ok(())
    }

    /// No two devices may share a MAC address, name or IP address: the choice would be arbitrary.
    fn each_is_one(&self) -> Result<(), String> {
        for pair in self.facts.windows(2) {
            let [(one, a), (other, b)] = [pair[0], pair[1]];
            if one != other {
                continue;
            }
            let ((name, device), (other, another)) = (self.read(a)?, self.read(b)?);
            let shared = device.facts().find(|fact| another.facts().any(|its| its == *fact));
            if let Some(fact) = shared {
                return Err(format!("{fact} is {name} and {other}: only one can have it"));
            }
        }
        Ok(())
    }

    fn read(&self, block: u32) -> Result<(String, Device), String> {
        let Block { start, end, .. } = self.known.blocks[block as usize];
        let wrong = |what: String| {
            let line = 1 + self.text[..start as usize].matches('\n').count();
            format!("{what}, in the device that begins in line {line}")
        };
        let text = &self.text[start as usize..end as usize];
        let devices: BTreeMap<String, Device> =
            serde_yaml::from_str(text).map_err(|error| wrong(error.to_string()))?;
        let (name, device) = devices.into_iter().next().ok_or_else(|| wrong("no device".into()))?;
        device.check(&name)?;
        Ok((name, device))
    }
}

/// Returns `None` if the file has another layout.
fn sections(text: &str) -> Option<Sections<'_>> {
    #[derive(PartialEq)]
    enum Section {
        None,
        Defaults,
        Devices,
    }
    u32::try_from(text.len()).ok()?;
    let mut now = Section::None;
    let (mut defaults, mut seen_devices) = (None, false);
    let mut defaults_end = text.len();
    let mut starts: Vec<u32> = Vec::new();
    let mut devices_end = text.len();
    let (mut indent, mut at) = (None, 0);
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let bare = line.trim_start_matches(' ');
        let depth = line.len() - bare.len();
        let bare = bare.trim_end();
        if bare.is_empty() || bare.starts_with('#') {
            continue;
        }
        if bare.starts_with('\t') || is_linked(bare) {
            return None;
        }
        if depth == 0 {
            match now {
                Section::None if bare == "---" => continue,
                Section::None => {}
                Section::Defaults => defaults_end = start,
                Section::Devices => devices_end = start,
            }
            if bare.starts_with("defaults:") && defaults.is_none() {
                (now, defaults) = (Section::Defaults, Some(start));
            } else if !seen_devices
                && bare.strip_prefix("devices:").is_some_and(|rest| {
                    let rest = rest.trim_start();
                    rest.is_empty() || rest.starts_with('#')
                })
            {
                (now, seen_devices) = (Section::Devices, true);
            } else {
                return None;
            }
            continue;
        }
        match now {
            Section::None => return None,
            Section::Defaults => {}
            Section::Devices => {
                let least = *indent.get_or_insert(depth);
                if depth < least {
                    return None;
                }
                if depth == least {
                    if bare.starts_with(['-', '?', '{', '[', '|', '>', '}', ']']) || !bare.contains(':') {
                        return None;
                    }
                    starts.push(start as u32);
                }
            }
        }
    }
    if starts.is_empty() {
        return None;
    }
    let ends = starts.iter().skip(1).copied().chain([devices_end as u32]);
    let devices = starts.iter().copied().zip(ends).collect();
    Some(Sections { defaults: defaults.map_or("", |start| &text[start..defaults_end]), devices })
}

/// Whether a line may refer to another one: an anchor, an alias or a merge.
fn is_linked(line: &str) -> bool {
    line.contains(['&', '*', '<'])
        && [": &", ": *", "- &", "- *", "<<:"].iter().any(|link| line.contains(link))
}

/// Not collision-resistant, and need not be: an inventory belongs to its operator, and entries with equal
/// hashes are compared.
fn hash(bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut chunks = bytes.chunks_exact(8);
    let mut hash = bytes.len() as u64;
    let mut add = |word: u64| hash = (hash.rotate_left(23) ^ word).wrapping_mul(FACTOR);
    for chunk in &mut chunks {
        let mut word = [0; 8];
        word.copy_from_slice(chunk);
        add(u64::from_le_bytes(word));
    }
    let mut word = [0; 8];
    word[..chunks.remainder().len()].copy_from_slice(chunks.remainder());
    add(u64::from_le_bytes(word));
    hash ^ (hash >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
# The phones of the house
defaults:
  domain: example.org

devices:
  # downstairs
  kitchen:
    mac: 02-00-5E-10-00-01
    names: [kitchen.cfg]
    vars: { extension: \"1\" }
  hall: { address: 192.0.2.2, vars: { extension: \"2\" } }
  \"the attic\":
    address: 2001:db8::3
    vars:
      greeting: |
        hello:
          a & b
";

    fn parse(text: &str, before: Known) -> Result<Option<Blocks>, String> {
        Blocks::parse(text.into(), before).map(Result::ok)
    }

    fn blocks(text: &str) -> Blocks {
        parse(text, Known::default()).unwrap().unwrap()
    }

    fn name(blocks: &Blocks, fact: &str) -> Option<String> {
        blocks.find(fact).unwrap().map(|(name, _)| name)
    }

    #[test]
    fn each_device_is_found_by_what_it_is_known_by() {
        let blocks = blocks(TEXT);
        for (fact, expected) in [
            ("02:00:5e:10:00:01", "kitchen"),
            ("kitchen.cfg", "kitchen"),
            ("192.0.2.2", "hall"),
            ("2001:db8::3", "the attic"),
        ] {
            assert_eq!(name(&blocks, fact).as_deref(), Some(expected), "{fact}");
        }
        assert_eq!(name(&blocks, "192.0.2.1"), None);
        assert_eq!(blocks.defaults["domain"], serde_yaml::Value::from("example.org"));
        let (_, attic) = blocks.find("2001:db8::3").unwrap().unwrap();
        assert_eq!(attic.vars["greeting"], serde_yaml::Value::from("hello:\n  a & b\n"));
    }

    #[test]
    fn the_order_of_the_sections_does_not_matter() {
        let (defaults, devices) = TEXT.split_once("devices:").unwrap();
        let blocks = blocks(&format!("---\ndevices: # all\n{devices}{defaults}"));
        assert_eq!(name(&blocks, "192.0.2.2").as_deref(), Some("hall"));
        assert_eq!(blocks.defaults["domain"], serde_yaml::Value::from("example.org"));
    }

    #[test]
    fn what_is_written_otherwise_is_left_to_be_read_whole() {
        for text in [
            "devices: { hall: {} }",
            "devices: {}",
            "other: 1\ndevices:\n  hall: {}",
            "devices:\n  hall: &it { address: 192.0.2.1 }\n  attic: *it\n",
            "devices:\n  - hall\n",
            "devices:\n    hall:\n      address: 192.0.2.1\n  attic: {}\n",
            "devices:\n\thall: {}\n",
            "",
        ] {
            assert!(parse(text, Known::default()).unwrap().is_none(), "{text:?}");
        }
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let wrong = |text: &str| parse(text, Known::default()).err().unwrap();
        let error = wrong("devices:\n  hall: { address: 192.0.2.1 }\n  attic: { address: x }\n");
        assert!(error.ends_with("in the device that begins in line 3"), "{error}");
        let error = wrong("devices:\n  hall: { address: 192.0.2.1 }\n  attic: { address: 192.0.2.1 }\n");
        assert_eq!(error, "192.0.2.1 is hall and attic: only one can have it");
        let error = wrong("devices:\n  hall: { template: ../x }\n");
        assert!(error.starts_with("devices.hall.template: "), "{error}");
    }

    #[test]
    fn a_new_version_takes_over_what_has_not_changed() {
        let before = blocks(TEXT);
        let text = TEXT.replace("192.0.2.2", "192.0.2.9");
        let after = parse(&text, before.into_known()).unwrap().unwrap();
        assert_eq!(name(&after, "192.0.2.2"), None);
        assert_eq!(name(&after, "192.0.2.9").as_deref(), Some("hall"));
        assert_eq!(name(&after, "kitchen.cfg").as_deref(), Some("kitchen"));
        assert_eq!(name(&after, "2001:db8::3").as_deref(), Some("the attic"));
    }
}
