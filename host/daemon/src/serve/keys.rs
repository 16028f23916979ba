//! Commands about the keys of plugins, from the control socket or in a separate process.

use super::Reply;
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::{Deserialize, Serialize};
use std::time::SystemTime;
use tuffet_kv::{Listing, MAX_KEY, MAX_PAGE_KEYS, MAX_VALUE, Versioned};
use tuffet_server::watch::unix_ms;
use tuffet_wasm::{KeySpace, PolicyRuntime};

/// A command about the keys of a plugin.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct KeysCommand {
    /// The name of the plugin, or `shared/NAME` for keys that plugins share.
    pub plugin: String,
    /// What to do.
    pub action: KeysAction,
}

/// What to do with the keys.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KeysAction {
    /// Return some of the keys with this prefix that follow `after`, in the order of their bytes; none at the end.
    List {
        /// The prefix.
        prefix: String,
        /// The last key of the page before.
        after: Option<String>,
    },
    /// Return a key.
    Get(String),
    /// Set a key.
    Set(KeyRow),
    /// Remove a key.
    Delete(String),
    /// Remove some of the keys with this prefix, and return how many; 0 at the end.
    DeletePrefix(String),
}

/// A key and its value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyRow {
    /// The key.
    pub key: String,
    /// The value.
    #[serde(flatten)]
    pub value: KeyValue,
    /// When the key disappears, in milliseconds since 1970; `None` for never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_unix_ms: Option<u64>,
}

/// A value, in the form that shows it best; each is exact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KeyValue {
    /// A text.
    Text(String),
    /// Eight bytes that are no text: a counter, as `increment` makes it.
    Counter(i64),
    /// Other bytes.
    Base64(String),
}

impl KeyValue {
    /// Returns the form for these bytes.
    pub fn of(bytes: Vec<u8>) -> KeyValue {
        let is_shown =
            |text: &str| text.chars().all(|each| !each.is_control() || matches!(each, '\n' | '\t'));
        match String::from_utf8(bytes) {
            Ok(text) if is_shown(&text) => KeyValue::Text(text),
            other => {
                let bytes = other.map_or_else(|error| error.into_bytes(), String::into_bytes);
                match <[u8; 8]>::try_from(bytes.as_slice()) {
                    Ok(counter) => KeyValue::Counter(i64::from_le_bytes(counter)),
                    Err(_) => KeyValue::Base64(BASE64.encode(bytes)),
                }
            }
        }
    }

    /// Returns the bytes.
    ///
    /// # Errors
    /// It is not Base64.
    pub fn bytes(&self) -> Result<Vec<u8>, String> {
        match self {
            KeyValue::Text(text) => Ok(text.clone().into_bytes()),
            KeyValue::Counter(count) => Ok(count.to_le_bytes().to_vec()),
            KeyValue::Base64(text) => {
                BASE64.decode(text).map_err(|error| format!("{text:.64?} is not Base64: {error}"))
            }
        }
    }
}

/// Runs a command for the keys of the running server.
pub(super) async fn run(runtime: &PolicyRuntime, command: KeysCommand) -> Reply {
    match runtime.key_space(&command.plugin) {
        Some(space) => run_keys_command(&space, command.action).await,
        None => Reply::NoKeys(unknown_keys(&command.plugin, &runtime.key_space_names())),
    }
}

/// Returns why there are no such keys.
pub fn unknown_keys(plugin: &str, names: &[String]) -> String {
    match names {
        [] => "no plugin has the grant `kv` or `kv/NAME`, so there are no keys".to_owned(),
        names => {
            format!("`{plugin:.64}` is no plugin with the grant `kv`; those with keys: {}", names.join(", "))
        }
    }
}

/// Runs a command.
pub async fn run_keys_command(space: &KeySpace, action: KeysAction) -> Reply {
    let KeySpace { store, namespace } = space;
    let done = match action {
        KeysAction::List { prefix, after } => {
            let listing = Listing { prefix, after, limit: MAX_PAGE_KEYS };
            let rows = |found: Vec<(String, Versioned)>| found.into_iter().map(row).collect();
            store.list(namespace, listing).await.map(|found| Reply::Keys(rows(found)))
        }
        KeysAction::Get(key) => {
            let found = store.get(namespace, key.clone()).await;
            found.map(|found| Reply::Keys(found.into_iter().map(|found| row((key.clone(), found))).collect()))
        }
        KeysAction::Set(KeyRow { key, value, expires_unix_ms }) => {
            let value = match value.bytes() {
                Ok(value) => value,
                Err(why) => return Reply::NoKeys(why),
            };
            if key.len() > MAX_KEY {
                return Reply::NoKeys(format!("the key has {} bytes: {MAX_KEY} are allowed", key.len()));
            }
            if value.len() > MAX_VALUE {
                return Reply::NoKeys(format!(
                    "the value has {} bytes: {MAX_VALUE} are allowed",
                    value.len()
                ));
            }
            let left = |until: u64| until.saturating_sub(unix_ms(SystemTime::now())).div_ceil(1000);
            let ttl = expires_unix_ms.map(|until| u32::try_from(left(until)).unwrap_or(u32::MAX));
            store.set(namespace, key, value, ttl).await.map(|()| Reply::KeysChanged(1))
        }
        KeysAction::Delete(key) => match store.get(namespace, key.clone()).await {
            Ok(Some(_)) => store.delete(namespace, key).await.map(|()| Reply::KeysChanged(1)),
            absent => absent.map(|_| Reply::KeysChanged(0)),
        },
        KeysAction::DeletePrefix(prefix) => {
            store.delete_prefix(namespace, prefix).await.map(Reply::KeysChanged)
        }
    };
    done.unwrap_or_else(|error| Reply::NoKeys(error.to_string()))
}

fn row((key, found): (String, Versioned)) -> KeyRow {
    KeyRow { key, value: KeyValue::of(found.value), expires_unix_ms: found.expires_unix_ms }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_of_a_value_is_exact() {
        for (bytes, form) in [
            (&b"text\n"[..], KeyValue::Text("text\n".into())),
            (b"", KeyValue::Text(String::new())),
            (b"12345678", KeyValue::Text("12345678".into())),
            (&5_i64.to_le_bytes(), KeyValue::Counter(5)),
            (&(-1_i64).to_le_bytes(), KeyValue::Counter(-1)),
            (b"\x1b[2J", KeyValue::Base64("G1sySg==".into())),
            (b"\xff", KeyValue::Base64("/w==".into())),
        ] {
            assert_eq!(KeyValue::of(bytes.to_vec()), form);
            assert_eq!(form.bytes().as_deref(), Ok(bytes));
            let row = KeyRow { key: "k".into(), value: form, expires_unix_ms: None };
            let text = serde_json::to_string(&row).unwrap();
            assert_eq!(serde_json::from_str::<KeyRow>(&text).unwrap(), row, "{text}");
        }
        assert!(KeyValue::Base64("?".into()).bytes().is_err());
    }
}
