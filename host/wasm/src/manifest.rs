//! The manifest of a plugin: JSON in the custom section `tuffet:manifest`. The section is in the component, or in a
//! core module inside, where the SDKs of some languages have to put it.

use schemars::JsonSchema;
use serde::Deserialize;

use super::bindings::PROVIDED;
use super::facts::Facts;
use super::kind::check_kind;
use super::sections;
use tuffet_config::{Fact, GrantKind};
use tuffet_request::events::{Kind, Kinds};

/// The name of the section.
const SECTION: &str = "tuffet:manifest";
/// The maximum size of the section in bytes.
const MAX_BYTES: usize = 64 << 10;

/// The attributes of this version of the interface, each with the record that has it.
const ATTRIBUTES: [&str; 10] = [
    "request/raw-name",
    "request/unsafe-name",
    "request/case",
    "request/protocol",
    "request/certificate-names",
    "request/certificate-sha256",
    "summary/other-case",
    "summary/hint",
    "summary/protocol",
    "summary/certificate",
];

/// A plugin's description of itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct Manifest {
    /// Its name.
    pub name: String,
    /// Its version, in any format.
    #[serde(default)]
    pub version: String,
    /// Its purpose.
    #[serde(default)]
    pub description: String,
    /// Its licence, best as an SPDX expression.
    #[serde(default)]
    pub license: String,
    /// A page with more information.
    #[serde(default)]
    pub homepage: String,
    /// The grants that it requests.
    #[serde(default)]
    pub grants: Vec<GrantRequest>,
    /// Whether `observe` is also called without events, when a sink that was full may have room again.
    #[serde(default, rename = "empty-batches")]
    pub empty_batches: bool,
    /// Whether one instance may serve several calls, of different clients.
    #[serde(default)]
    pub reuse: bool,
    /// The kinds of events that `observe` receives; all of them if absent.
    pub events: Option<Vec<Kind>>,
    /// The optional facts of its requests.
    #[serde(default)]
    pub facts: Vec<Fact>,
    /// All facts that decisions of `authorize` and `resolve` depend on, besides settings and grants. Absent if they
    /// may depend on anything.
    #[serde(rename = "depends-on")]
    pub depends_on: Option<Vec<Fact>>,
    /// The attributes that it cannot do without, each as RECORD/NAME, such as `request/case`.
    #[serde(default)]
    pub needs: Vec<String>,
}

/// A requested grant.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct GrantRequest {
    /// The word of a [`GrantKind`].
    pub grant: String,
    /// The reason, shown to the operator.
    pub reason: String,
    /// Whether the plugin works without it.
    #[serde(default)]
    pub optional: bool,
}

impl Manifest {
    /// The keys of a manifest that this server knows.
    pub const KEYS: [&str; 12] = [
        "name",
        "version",
        "description",
        "license",
        "homepage",
        "grants",
        "empty-batches",
        "reuse",
        "events",
        "facts",
        "depends-on",
        "needs",
    ];
    /// The keys of a requested grant that this server knows.
    pub const GRANT_KEYS: [&str; 3] = ["grant", "reason", "optional"];

    /// Reads the manifest of a component; returns an empty one if it has none.
    ///
    /// # Errors
    /// The manifest is invalid, requests an unknown grant, or lacks a reason; with the remedy.
    pub(super) fn of(component: &[u8]) -> Result<Manifest, String> {
        let Some(section) = sections::find(component, SECTION)? else { return Ok(Manifest::default()) };
        if section.len() > MAX_BYTES {
            return Err(format!(
                "its section {SECTION} has {} bytes: {MAX_BYTES} are allowed",
                section.len()
            ));
        }
        let manifest: Manifest = serde_json::from_slice(section).map_err(|error| {
            format!("its section {SECTION} cannot be read: {error}; docs/plugins.md shows the form")
        })?;
        if let Some((_, problem)) = manifest.problems().into_iter().next() {
            return Err(format!("its manifest {problem}"));
        }
        Ok(manifest)
    }

    /// Returns the problems that a server refuses: JSON pointers, and messages without the subject "the manifest".
    pub fn problems(&self) -> Vec<(String, String)> {
        let mut problems = Vec::new();
        for (index, request) in self.grants.iter().enumerate() {
            if request.kind().is_none() {
                let known = GrantKind::ALL.map(GrantKind::word).join(", ");
                let message = format!(
                    "asks for the grant {:?}, which this server does not have: there are {known}",
                    request.grant
                );
                problems.push((format!("/grants/{index}/grant"), message));
            } else if request.reason.trim().is_empty() {
                let message = format!(
                    "asks for the grant `{}` without a reason: its author must add one",
                    request.grant
                );
                problems.push((format!("/grants/{index}/reason"), message));
            }
        }
        for (index, fact) in self.facts.iter().enumerate() {
            if !Facts::OPTIONAL.contains(fact) {
                let optional = Facts::OPTIONAL.map(|fact| format!("`{fact}`")).join(", ");
                let message = format!(
                    "asks for the fact `{fact}`, which every request has: leave it out; there are {optional}"
                );
                problems.push((format!("/facts/{index}"), message));
            }
        }
        let lacking =
            self.needs.iter().enumerate().filter(|(_, needed)| !ATTRIBUTES.contains(&needed.as_str()));
        problems.extend(lacking.map(|(index, needed)| {
            let (known, tuffet) = (ATTRIBUTES.join("`, `"), env!("CARGO_PKG_VERSION"));
            let message = format!(
                "needs the attribute `{needed}`, which tuffet:policy@{PROVIDED} of this server (Tuffet {tuffet}) does not \
                 have: run it on a newer server, or build it so that it does without. There are `{known}`"
            );
            (format!("/needs/{index}"), message)
        }));
        let undeclared = self.depends_on.iter().flat_map(|declared| self.facts_beyond(declared));
        problems.extend(undeclared.map(|fact| {
            let message = format!(
                "asks for the fact `{fact}`, and its depends-on does not name it: add it there, or leave it out of facts"
            );
            ("/depends-on".to_owned(), message)
        }));
        problems
    }

    /// Returns the requested facts that are not among these.
    pub(super) fn facts_beyond(&self, these: &[Fact]) -> impl Iterator<Item = Fact> {
        self.facts.iter().copied().filter(move |fact| !these.contains(fact))
    }

    /// The events that it subscribes to.
    pub(super) fn wants(&self) -> Kinds {
        self.events.as_ref().map_or(Kinds::ALL, |kinds| kinds.iter().copied().collect())
    }

    /// Returns its request for this kind of grant.
    pub(super) fn grant_request(&self, kind: GrantKind) -> Option<&GrantRequest> {
        self.grants.iter().find(|request| request.kind() == Some(kind))
    }
}

impl GrantRequest {
    fn kind(&self) -> Option<GrantKind> {
        GrantKind::ALL.into_iter().find(|kind| kind.word() == self.grant)
    }
}

/// Checks an invariant for fuzzing: a manifest is refused with a reason, or accepted completely.
pub fn check(component: &[u8]) -> Result<(), String> {
    let manifest = match Manifest::of(component) {
        Ok(manifest) => manifest,
        Err(reason) if reason.trim().is_empty() => return Err("refused without a reason".into()),
        Err(_) => return Ok(()),
    };
    let kinds: Vec<GrantKind> = manifest.grants.iter().filter_map(GrantRequest::kind).collect();
    if kinds.len() != manifest.grants.len()
        || manifest.grants.iter().any(|request| request.reason.trim().is_empty())
    {
        return Err(format!("accepted with an invalid grant request: {manifest:?}"));
    }
    if kinds.iter().any(|kind| manifest.grant_request(*kind).is_none()) {
        return Err(format!("a grant request is not found: {manifest:?}"));
    }
    manifest.wants();
    Ok(())
}

/// Builds the smallest component with this manifest.
pub fn section_with(json: &[u8]) -> Vec<u8> {
    let mut component = sections::EMPTY.to_vec();
    sections::append(&mut component, SECTION, json);
    component
}

/// Returns the component with this manifest in place of earlier ones. Those in core modules stay, because the
/// outermost counts.
///
/// # Errors
/// It is not a component, or the manifest is larger than a server accepts; with the remedy.
pub fn annotate(component: &[u8], json: &[u8]) -> Result<Vec<u8>, String> {
    check_kind(component)?;
    if json.len() > MAX_BYTES {
        return Err(format!("the manifest has {} bytes: {MAX_BYTES} are allowed; shorten it", json.len()));
    }
    sections::replace(component, SECTION, json)
}

#[cfg(test)]
mod tests {
    use super::sections::EMPTY as COMPONENT;
    use super::*;

    const MODULE: &[u8] = b"\0asm\x01\0\0\0";

    /// Appends a section in the form of docs/plugins-without-sdk.md.
    fn append(to: &[u8], id: u8, content: &[u8]) -> Vec<u8> {
        let (low, high) = ((content.len() & 0x7f) as u8 | 0x80, (content.len() >> 7) as u8);
        [to, &[id, low, high], content].concat()
    }

    fn manifest(to: &[u8], json: &str) -> Vec<u8> {
        append(to, 0, &[&[SECTION.len() as u8], SECTION.as_bytes(), json.as_bytes()].concat())
    }

    #[test]
    fn it_may_be_appended_and_then_counts_more_than_one_inside() {
        assert_eq!(Manifest::of(COMPONENT), Ok(Manifest::default()));
        let inside = manifest(MODULE, r#"{ "name": "inside" }"#);
        let component = append(COMPONENT, 1, &inside);
        assert_eq!(Manifest::of(&component).map(|manifest| manifest.name).as_deref(), Ok("inside"));
        let json = r#"{ "name": "a", "grants": [{ "grant": "kv", "reason": "counts" }], "later": 1 }"#;
        let manifest = Manifest::of(&manifest(&component, json)).unwrap_or_default();
        assert_eq!(manifest.name, "a");
        assert_eq!(manifest.grant_request(GrantKind::Kv).map(|request| request.optional), Some(false));
        assert_eq!(manifest.grant_request(GrantKind::Clock), None);
        assert_eq!(manifest.wants(), Kinds::ALL);
    }

    #[test]
    fn an_observer_names_the_events_that_it_wants() {
        let of = |json: &str| Manifest::of(&manifest(COMPONENT, json)).map(|manifest| manifest.wants());
        let finished = Kinds { finished: true, ..Kinds::default() };
        assert_eq!(of(r#"{ "name": "a", "events": ["finished"] }"#), Ok(finished));
        let two = Kinds { started: true, ..finished };
        assert_eq!(of(r#"{ "name": "a", "events": ["started", "finished"] }"#), Ok(two));
        assert_eq!(of(r#"{ "name": "a", "events": [] }"#), Ok(Kinds::default()));
        let wrong = of(r#"{ "name": "a", "events": ["ended"] }"#).err().unwrap_or_default();
        assert!(wrong.contains("`started`, `progressed`, `finished`"), "{wrong}");
    }

    #[test]
    fn problems_come_with_the_remedy() {
        for (json, said) in [
            ("", "cannot be read"),
            ("{}", "missing field `name`"),
            (
                r#"{"name":"a","grants":[{"grant":"tape","reason":"x"}]}"#,
                "there are client-history, client-mac, clock",
            ),
            (r#"{"name":"a","grants":[{"grant":"kv","reason":" "}]}"#, "without a reason"),
            (r#"{"name":"a","facts":["path"]}"#, "there are `local-address`, `interface`, `vlan`, `lease`"),
            (r#"{"name":"a","facts":["altitude"]}"#, "unknown variant `altitude`"),
            (
                r#"{"name":"a","facts":["interface"],"depends-on":["path"]}"#,
                "its depends-on does not name it",
            ),
            (
                r#"{"name":"a","needs":["request/case","profile/dscp"]}"#,
                "its manifest needs the attribute `profile/dscp`, which tuffet:policy@1.0.0 of this server (Tuffet ",
            ),
        ] {
            let refused = Manifest::of(&manifest(COMPONENT, json)).err().unwrap_or_default();
            assert!(refused.contains(said), "{json}: {refused}");
        }
        let long = format!(r#"{{"name":"{}"}}"#, "x".repeat(5000));
        assert!(Manifest::of(&manifest(COMPONENT, &long)).is_ok());
    }

    #[test]
    fn the_last_annotated_manifest_counts() {
        let inside = append(COMPONENT, 1, &manifest(MODULE, r#"{ "name": "inside" }"#));
        let other = append(&inside, 0, b"\x04more");
        let named = |component: &[u8]| Manifest::of(component).map(|manifest| manifest.name);
        let first = annotate(&other, br#"{"name":"first"}"#).unwrap();
        assert_eq!(named(&first).as_deref(), Ok("first"));
        assert!(first.starts_with(&other), "nothing else changes");
        // An older manifest may be at any position.
        let middle = append(&manifest(&inside, r#"{ "name": "old" }"#), 0, b"\x04more");
        assert_eq!(annotate(&middle, br#"{"name":"first"}"#), Ok(first));
    }

    #[test]
    fn only_components_are_annotated() {
        let long = vec![b' '; MAX_BYTES + 1];
        for (component, json, said) in [
            (MODULE, &b"{}"[..], "core WebAssembly module"),
            (b"#!/bin/sh", b"{}", "not WebAssembly"),
            (COMPONENT, &long, "shorten it"),
            (&[COMPONENT, &[0, 9, 1]].concat(), b"{}", "cut off"),
            (&[COMPONENT, &[0]].concat(), b"{}", "cut off"),
            (&[COMPONENT, &[0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]].concat(), b"{}", "cut off"),
        ] {
            let refused = annotate(component, json).err().unwrap_or_default();
            assert!(refused.contains(said), "{refused}");
        }
    }
}
