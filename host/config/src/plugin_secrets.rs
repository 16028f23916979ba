//! Secret settings of a plugin: `secrets`, beside `settings`.
//!
//! They are separate, because `settings` belong to the plugin: its texts may contain `${…}`, as scripts of iPXE do, and
//! its maps may have a key `file`. So the server replaces nothing in `settings`, and knows which values to hide.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::resolver::Resolver;
use super::secret::{Secret, SecretText};
use super::secret_forms;
use super::tree::join;

/// The secret settings of a plugin. They are never shown.
#[derive(Clone, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct PluginSecrets {
    written: BTreeMap<String, SecretText>,
    #[serde(skip)]
    resolved: Vec<ResolvedSecret>,
    /// All forms of all secrets, the longest first: one may be a part of another.
    #[serde(skip)]
    forms: Vec<String>,
}

#[derive(Clone, PartialEq)]
struct ResolvedSecret {
    /// Its key below `secrets`.
    name: String,
    /// Its position in the settings, as a JSON pointer (RFC 6901).
    pointer: String,
    secret: Secret,
}

impl fmt::Debug for PluginSecrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.resolved.iter().map(|its| &its.name)).finish()
    }
}

impl PluginSecrets {
    /// Returns whether there are no secrets.
    pub fn is_empty(&self) -> bool {
        self.written.is_empty() && self.resolved.is_empty()
    }

    /// Returns the settings with the secrets filled in, only for the plugin.
    pub fn reveal_in(&self, settings: &Value) -> Value {
        self.fill_in(settings, Secret::reveal)
    }

    /// Returns the settings with another text in the place of each secret, for messages.
    pub(super) fn mask_in(&self, settings: &Value) -> Value {
        self.fill_in(settings, |_| MARK)
    }

    fn fill_in(&self, settings: &Value, text: impl Fn(&Secret) -> &str) -> Value {
        let mut all = settings.clone();
        for ResolvedSecret { pointer, secret, .. } in &self.resolved {
            // The resolution has checked that the pointer can be set.
            let _ = put(&mut all, pointer, text(secret));
        }
        all
    }

    fn new(resolved: Vec<ResolvedSecret>) -> PluginSecrets {
        let mut forms: Vec<String> =
            resolved.iter().flat_map(|its| secret_forms::forms(its.secret.reveal())).collect();
        forms.sort_unstable_by_key(|form| Reverse(form.len()));
        PluginSecrets { written: BTreeMap::new(), resolved, forms }
    }

    /// Returns a text without these secrets, such as a message of the plugin.
    pub fn hidden_in<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut hidden = Cow::Borrowed(text);
        for form in self.forms.iter().filter(|form| text.contains(form.as_str())) {
            hidden = hidden.replace(form.as_str(), MARK).into();
        }
        hidden
    }

    /// Returns the key below `secrets` of a secret that a text contains. For texts that have an effect, such as the path
    /// of a file: nothing can stand in for a part of them. Texts that are too short to be there by mistake alone do not
    /// count.
    pub fn found_in(&self, text: &str) -> Option<&str> {
        let is_there = |its: &&ResolvedSecret| {
            let value = its.secret.reveal();
            value.len() >= MIN_FOUND && text.contains(value)
        };
        self.resolved.iter().find(is_there).map(|its| its.name.as_str())
    }

    /// Returns whether there is a secret at this pointer or below it.
    pub(super) fn are_within(&self, pointer: &str) -> bool {
        let below = |its: &str| {
            its.strip_prefix(pointer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.resolved.iter().any(|its| below(&its.pointer))
    }

    /// Returns the key below `secrets` of the setting at this pointer.
    pub fn name_of(&self, pointer: &str) -> Option<&str> {
        self.resolved.iter().find(|its| its.pointer == pointer).map(|its| its.name.as_str())
    }
}

/// What messages have in the place of a secret.
const MARK: &str = "(hidden)";
/// The shortest secret that [`PluginSecrets::found_in`] looks for, in bytes.
const MIN_FOUND: usize = 8;

/// Returns the settings with an empty text in the place of each secret, and these places: the keys below `secrets` with
/// the pointers of the settings. For checks of a file whose secrets are not read yet.
pub(super) fn with_places<'a>(
    settings: &Value,
    secrets: Option<&'a Value>,
) -> (Value, Vec<(&'a str, String)>) {
    let mut all = settings.clone();
    let names = secrets.and_then(Value::as_object).into_iter().flat_map(Map::keys);
    let places = names.map(|name| (name.as_str(), place(name)));
    let places = places.filter(|(_, place)| put(&mut all, place, "").is_ok()).collect();
    (all, places)
}

/// Returns the position in the settings that a key below `secrets` names.
fn place(name: &str) -> String {
    if name.starts_with('/') { name.to_owned() } else { join("", name) }
}

/// Sets a text at a pointer, and creates missing maps around it.
fn put(settings: &mut Value, pointer: &str, text: &str) -> Result<(), String> {
    let mut place = settings;
    for key in pointer.split('/').skip(1) {
        let key = key.replace("~1", "/").replace("~0", "~");
        if place.is_null() {
            *place = Value::Object(Map::new());
        }
        let Value::Object(map) = place else {
            return Err(format!(
                "`settings` has something else than a map around `{pointer}`; correct the path"
            ));
        };
        place = map.entry(key).or_insert(Value::Null);
    }
    if !place.is_null() {
        return Err(format!("`settings` has `{pointer}` too; remove it there"));
    }
    *place = text.into();
    Ok(())
}

impl Resolver<'_> {
    pub(crate) fn plugin_secrets(
        &mut self,
        pointer: &str,
        secrets: PluginSecrets,
        settings: &Value,
    ) -> PluginSecrets {
        let mut all = settings.clone();
        let mut resolved = Vec::new();
        for (name, written) in &secrets.written {
            let place = place(name);
            let at = join(pointer, name);
            if let Err(complaint) = put(&mut all, &place, "") {
                self.wrong_key(&at, complaint);
            } else if let Some(secret) = self.secret(&at, written, Some(&format!("`{name}`"))) {
                resolved.push(ResolvedSecret { name: name.clone(), pointer: place, secret });
            }
        }
        PluginSecrets::new(resolved)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn secrets_come_into_their_places_and_out_of_messages() {
        let of = |name: &str, pointer: &str, value: &str| ResolvedSecret {
            name: name.into(),
            pointer: pointer.into(),
            secret: Secret::new(value),
        };
        let resolved = vec![of("token", "/token", "t0ken"), of("/api/a~1b", "/api/a~1b", "s3cret")];
        let secrets = PluginSecrets::new(resolved);
        let all = secrets.reveal_in(&json!({ "url": "x", "api": { "user": "u" } }));
        let expected = json!({ "url": "x", "token": "t0ken", "api": { "user": "u", "a/b": "s3cret" } });
        assert_eq!(all, expected);
        assert_eq!(secrets.hidden_in("`t0ken` and s3cret"), "`(hidden)` and (hidden)");
        assert_eq!(secrets.name_of("/token"), Some("token"));
        assert!(matches!(secrets.hidden_in("nothing"), Cow::Borrowed("nothing")));
        assert!(!format!("{secrets:?}").contains("s3cret"));
        // One is a part of the other.
        let resolved = vec![of("a", "/a", "t0ken"), of("b", "/b", "t0ken-of-ours")];
        let secrets = PluginSecrets::new(resolved);
        assert_eq!(secrets.hidden_in("t0ken-of-ours, t0ken"), "(hidden), (hidden)");
        assert_eq!(secrets.found_in("boot/t0ken-of-ours.cfg"), Some("b"));
        assert_eq!(secrets.found_in("boot/t0ken.cfg"), None);
        for (pointer, settings) in [("/a", json!({ "a": 1 })), ("/a/b", json!({ "a": [] }))] {
            assert!(put(&mut settings.clone(), pointer, "x").is_err(), "{settings}");
        }
    }
}
