//! The import `kv`.

use std::sync::Arc;

use super::{IN_CONFIGURE, Keys, not_granted};
use crate::kv::{KvError, MAX_KEY, MAX_VALUE};
use crate::policy::bindings::tuffet::policy::kv::{Error, Host};
use crate::policy::sandbox::Sandbox;

impl Host for Sandbox {
    async fn get(&mut self, key: String) -> Result<Option<Vec<u8>>, Error> {
        let keys = self.keys(&key)?;
        keys.store.get(&keys.namespace, key).await.map_err(explain)
    }

    async fn set(&mut self, key: String, value: Vec<u8>, ttl_seconds: Option<u32>) -> Result<(), Error> {
        let keys = self.keys(&key)?;
        if value.len() > MAX_VALUE {
            let message = format!("the value has {} bytes: {MAX_VALUE} are allowed", value.len());
            return Err(Error::Invalid(message));
        }
        keys.store.set(&keys.namespace, keys.quota, key, value, ttl_seconds).await.map_err(explain)
    }

    async fn delete(&mut self, key: String) -> Result<(), Error> {
        let keys = self.keys(&key)?;
        keys.store.delete(&keys.namespace, keys.quota, key).await.map_err(explain)
    }

    async fn increment(&mut self, key: String, by: i64, ttl_seconds: Option<u32>) -> Result<i64, Error> {
        let keys = self.keys(&key)?;
        keys.store.increment(&keys.namespace, keys.quota, key, by, ttl_seconds).await.map_err(explain)
    }
}

impl Sandbox {
    /// The plugin's keys, if it may look at this one now.
    fn keys(&mut self, key: &str) -> Result<Keys, Error> {
        if !self.taken.configured {
            return Err(Error::Denied(IN_CONFIGURE.into()));
        }
        let Some(keys) = &self.access.keys else { return Err(Error::Denied(not_granted("kv"))) };
        self.taken.operation().map_err(Error::Invalid)?;
        if key.is_empty() || key.len() > MAX_KEY {
            let message = format!("the key has {} bytes: 1 to {MAX_KEY} are allowed", key.len());
            return Err(Error::Invalid(message));
        }
        Ok(Keys { store: Arc::clone(&keys.store), namespace: Arc::clone(&keys.namespace), quota: keys.quota })
    }
}

fn explain(error: KvError) -> Error {
    match error {
        KvError::Quota => Error::Quota,
        KvError::NotACounter => Error::Invalid("the value is no counter: it has not eight bytes".into()),
        KvError::Unavailable(error) => Error::Unavailable(error),
    }
}
