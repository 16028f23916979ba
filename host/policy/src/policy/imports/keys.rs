//! The keys of one plugin: in the file of keys, or on the stage of a trial.

use std::sync::Arc;

use crate::kv::{KvError, KvStore, Quota};
use crate::policy::bindings::tuffet::policy::kv::Error;
use crate::policy::stage::Stage;

/// Where the keys of a plugin are.
#[derive(Debug, Clone)]
pub(in crate::policy) enum Keys {
    /// In the file, below the plugin's name.
    Stored { store: Arc<KvStore>, namespace: Arc<str>, quota: Quota },
    /// In memory, for one call.
    Staged(Arc<Stage>),
}

impl Keys {
    pub async fn get(&self, key: String) -> Result<Option<Vec<u8>>, Error> {
        match self {
            Keys::Stored { store, namespace, .. } => store.get(namespace, key).await.map_err(explain),
            Keys::Staged(stage) => stage.key("get", &key).map_err(Error::Unavailable),
        }
    }

    pub async fn set(&self, key: String, value: Vec<u8>, ttl_seconds: Option<u32>) -> Result<(), Error> {
        match self {
            Keys::Stored { store, namespace, quota } => {
                store.set(namespace, *quota, key, value, ttl_seconds).await.map_err(explain)
            }
            Keys::Staged(stage) => {
                stage.set(key, Some(value));
                Ok(())
            }
        }
    }

    pub async fn delete(&self, key: String) -> Result<(), Error> {
        match self {
            Keys::Stored { store, namespace, quota } => {
                store.delete(namespace, *quota, key).await.map_err(explain)
            }
            Keys::Staged(stage) => {
                stage.set(key, None);
                Ok(())
            }
        }
    }

    pub async fn increment(&self, key: String, by: i64, ttl_seconds: Option<u32>) -> Result<i64, Error> {
        match self {
            Keys::Stored { store, namespace, quota } => {
                store.increment(namespace, *quota, key, by, ttl_seconds).await.map_err(explain)
            }
            Keys::Staged(stage) => {
                let value = stage.key("increment", &key).map_err(Error::Unavailable)?;
                let count = match value {
                    None => 0,
                    Some(value) => {
                        value.try_into().map(i64::from_le_bytes).map_err(|_| explain(KvError::NotACounter))?
                    }
                };
                let count = count.saturating_add(by);
                stage.set(key, Some(count.to_le_bytes().to_vec()));
                Ok(count)
            }
        }
    }
}

fn explain(error: KvError) -> Error {
    match error {
        KvError::Quota => Error::Quota,
        KvError::NotACounter => Error::Invalid("the value is no counter: it has not eight bytes".into()),
        KvError::Unavailable(error) => Error::Unavailable(error),
    }
}
