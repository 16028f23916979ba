//! A configuration in a bucket of NATS JetStream.

use super::location::{Auth, Key};
use super::{FetchedText, MAX_TEXT};
use async_nats::jetstream::kv::{Entry, Operation, Store, Watch};
use futures_util::StreamExt;
use std::time::Duration;
use tokio::time::timeout;
use tuffet_net::nats::{connect, explain};

/// The time limit of a connection, and of an answer.
const NATS_TIMEOUT: Duration = Duration::from_secs(5);

/// Fetches the value of the key.
///
/// # Errors
/// The value cannot be fetched: the reason.
pub(super) async fn fetch(key: &Key, auth: &Auth) -> Result<FetchedText, String> {
    let store = open(key, auth).await?;
    let found = timeout(NATS_TIMEOUT, store.entry(key.key.as_str())).await;
    let found = found.map_err(|_| no_answer())?.map_err(|error| explain(&error))?;
    let missing =
        || format!("the bucket `{}` has no key `{}`; put the configuration there", key.bucket, key.key);
    text(found.ok_or_else(missing)?).unwrap_or_else(|| Err(missing()))
}

/// Receives the values of a key.
pub(super) struct KeyWatch(Watch);

impl KeyWatch {
    /// # Errors
    /// The key cannot be watched: the reason.
    pub(super) async fn open(key: &Key, auth: &Auth) -> Result<KeyWatch, String> {
        let store = open(key, auth).await?;
        let watching = timeout(NATS_TIMEOUT, store.watch_with_history(&key.key)).await;
        watching.map_err(|_| no_answer())?.map(KeyWatch).map_err(|error| explain(&error))
    }

    /// Returns the current value first, then each new one.
    ///
    /// # Errors
    /// The connection failed.
    pub(super) async fn next(&mut self) -> Result<FetchedText, String> {
        while let Some(change) = self.0.next().await {
            match text(change.map_err(|error| explain(&error))?) {
                Some(Ok(fetched)) => return Ok(fetched),
                Some(Err(why)) => tracing::error!(
                    target: "tuffet::source::bucket",
                    error = why, "the configuration in the bucket is invalid"
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
    let client = connect(&auth.login(key), NATS_TIMEOUT, |_| async {}).await?;
    let jetstream = async_nats::jetstream::new(client);
    let opening = timeout(NATS_TIMEOUT, jetstream.get_key_value(&key.bucket)).await;
    opening.map_err(|_| no_answer())?.map_err(|error| format!("bucket `{}`: {}", key.bucket, explain(&error)))
}

/// Returns the text of a value; `None` for a deletion.
fn text(entry: Entry) -> Option<Result<FetchedText, String>> {
    if entry.operation != Operation::Put {
        return None;
    }
    if entry.value.len() > MAX_TEXT {
        return Some(Err(format!("it has more than {MAX_TEXT} bytes; check that it is the configuration")));
    }
    let text = String::from_utf8(entry.value.to_vec()).map_err(|_| "it is not UTF-8".to_owned());
    Some(text.map(|text| FetchedText { text, revision: Some(entry.revision.to_string()) }))
}

fn no_answer() -> String {
    format!("NATS did not answer within {NATS_TIMEOUT:?}")
}
