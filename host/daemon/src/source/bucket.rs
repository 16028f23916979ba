//! A configuration in a bucket of NATS JetStream.

use super::place::{Auth, Key};
use super::{Fetched, MAX_TEXT};
use async_nats::jetstream::kv::{Entry, Operation, Store, Watch};
use futures_util::StreamExt;
use std::time::Duration;
use tokio::time::timeout;
use tuffet_net::nats::{connect, explain};

/// How long a connection may take, and an answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// Fetches the value of the key.
///
/// # Errors
/// Why there is none.
pub(super) async fn fetch(key: &Key, auth: &Auth) -> Result<Fetched, String> {
    let store = open(key, auth).await?;
    let found = timeout(PATIENCE, store.entry(key.key.as_str())).await;
    let found = found.map_err(|_| silence())?.map_err(|error| explain(&error))?;
    let missing =
        || format!("the bucket `{}` has no key `{}`; put the configuration there", key.bucket, key.key);
    text(found.ok_or_else(missing)?).unwrap_or_else(|| Err(missing()))
}

/// The values of a key, as they come.
pub(super) struct Following(Watch);

impl Following {
    /// # Errors
    /// Why the key cannot be followed.
    pub(super) async fn open(key: &Key, auth: &Auth) -> Result<Following, String> {
        let store = open(key, auth).await?;
        let watching = timeout(PATIENCE, store.watch_with_history(&key.key)).await;
        watching.map_err(|_| silence())?.map(Following).map_err(|error| explain(&error))
    }

    /// Returns the current value at first, and then each new one.
    ///
    /// # Errors
    /// The connection failed.
    pub(super) async fn next(&mut self) -> Result<Fetched, String> {
        while let Some(change) = self.0.next().await {
            match text(change.map_err(|error| explain(&error))?) {
                Some(Ok(fetched)) => return Ok(fetched),
                Some(Err(why)) => tracing::error!(
                    target: "tuffet::source::bucket",
                    error = why, "the configuration in the bucket is bad"
                ),
                None => tracing::warn!(
                    target: "tuffet::source::bucket",
                    "the configuration was deleted from the bucket; the running one stays in force"
                ),
            }
        }
        Err("the subscription ended".into())
    }
}

async fn open(key: &Key, auth: &Auth) -> Result<Store, String> {
    let client = connect(&auth.login(key), PATIENCE, |_| async {}).await?;
    let jetstream = async_nats::jetstream::new(client);
    let opening = timeout(PATIENCE, jetstream.get_key_value(&key.bucket)).await;
    opening.map_err(|_| silence())?.map_err(|error| format!("bucket `{}`: {}", key.bucket, explain(&error)))
}

/// The text of a value; `None` for a deletion.
fn text(entry: Entry) -> Option<Result<Fetched, String>> {
    if entry.operation != Operation::Put {
        return None;
    }
    if entry.value.len() > MAX_TEXT {
        return Some(Err(format!("it has more than {MAX_TEXT} bytes; check that it is the configuration")));
    }
    let text = String::from_utf8(entry.value.to_vec()).map_err(|_| "it is not UTF-8".to_owned());
    Some(text.map(|text| Fetched { text, revision: Some(entry.revision.to_string()) }))
}

fn silence() -> String {
    format!("NATS did not answer within {PATIENCE:?}")
}
