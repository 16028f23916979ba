//! What a plugin asks for, as its component says: the custom section `tuffet:manifest`, with JSON in it. It
//! lies in the component itself or in a module of it, where the SDK of a language could only put it there.

use serde::Deserialize;
use wasmparser::{Parser, Payload};

use crate::config::GrantKind;

/// The name of the section.
const SECTION: &str = "tuffet:manifest";
/// Its bytes.
const MAX_BYTES: usize = 64 << 10;

/// A plugin about itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub(super) struct Manifest {
    /// Its own name.
    pub name: String,
    /// Its own version.
    #[serde(default)]
    pub version: String,
    /// What it does.
    #[serde(default)]
    pub description: String,
    /// What it asks for.
    #[serde(default)]
    pub grants: Vec<Wish>,
}

/// A grant that a plugin asks for.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct Wish {
    /// A word of [`GrantKind`].
    pub grant: String,
    /// What it wants it for; the operator reads this.
    pub reason: String,
    /// Whether it can do without.
    #[serde(default)]
    pub optional: bool,
}

impl Manifest {
    /// The manifest of a component; an empty one where it has none.
    ///
    /// # Errors
    /// The manifest is none, asks for what there is not, or gives no reason; what is wrong and the remedy.
    pub fn of(component: &[u8]) -> Result<Manifest, String> {
        let Some(section) = section(component)? else { return Ok(Manifest::default()) };
        if section.len() > MAX_BYTES {
            return Err(format!(
                "its section {SECTION} has {} bytes: {MAX_BYTES} are allowed",
                section.len()
            ));
        }
        let manifest: Manifest = serde_json::from_slice(section).map_err(|error| {
            format!("its section {SECTION} cannot be read: {error}; docs/plugins.md shows the form")
        })?;
        for wish in &manifest.grants {
            if wish.kind().is_none() {
                let known = GrantKind::ALL.map(GrantKind::word).join(", ");
                return Err(format!(
                    "its manifest asks for the grant {:?}, which this server does not have: there are {known}",
                    wish.grant
                ));
            }
            if wish.reason.trim().is_empty() {
                return Err(format!(
                    "its manifest asks for the grant `{}` without a reason: its author must add one",
                    wish.grant
                ));
            }
        }
        Ok(manifest)
    }

    /// What it says of a kind of grant.
    pub fn wish(&self, kind: GrantKind) -> Option<&Wish> {
        self.grants.iter().find(|wish| wish.kind() == Some(kind))
    }
}

impl Wish {
    fn kind(&self) -> Option<GrantKind> {
        GrantKind::ALL.into_iter().find(|kind| kind.word() == self.grant)
    }
}

/// The first section of that name, from outside to inside as far as the bytes go in this order.
fn section(component: &[u8]) -> Result<Option<&[u8]>, String> {
    for payload in Parser::new(0).parse_all(component) {
        match payload {
            Ok(Payload::CustomSection(section)) if section.name() == SECTION => {
                return Ok(Some(section.data()));
            }
            Ok(_) => {}
            Err(error) => return Err(format!("it cannot be read: {error}")),
        }
    }
    Ok(None)
}
