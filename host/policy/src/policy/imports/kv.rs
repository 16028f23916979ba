//! The import `kv`.

use std::sync::Arc;

use super::{IN_CONFIGURE, Keys, not_granted};
use crate::kv::{MAX_KEY, MAX_VALUE};
use crate::policy::bindings::v0_2::tuffet::policy::kv::{Error, Host};
use crate::policy::sandbox::Sandbox;

impl Host for Sandbox {
    async fn get(&mut self, key: String) -> Result<Option<Vec<u8>>, Error> {
        let keys = self.keys(&key)?;
        self.waits.begin("the keys (kv.get)");
        let done = keys.get(key).await;
        self.waits.end();
        done
    }

    async fn set(&mut self, key: String, value: Vec<u8>, ttl_seconds: Option<u32>) -> Result<(), Error> {
        let keys = self.keys(&key)?;
        if value.len() > MAX_VALUE {
            let message = format!("the value has {} bytes: {MAX_VALUE} are allowed", value.len());
            return Err(Error::Invalid(message));
        }
        if self.taken.rehearses {
            return Ok(());
        }
        self.waits.begin("the keys (kv.set)");
        let done = keys.set(key, value, ttl_seconds).await;
        self.waits.end();
        done
    }

    async fn delete(&mut self, key: String) -> Result<(), Error> {
        let keys = self.keys(&key)?;
        if self.taken.rehearses {
            return Ok(());
        }
        self.waits.begin("the keys (kv.delete)");
        let done = keys.delete(key).await;
        self.waits.end();
        done
    }

    async fn increment(&mut self, key: String, by: i64, ttl_seconds: Option<u32>) -> Result<i64, Error> {
        let keys = self.keys(&key)?;
        if self.taken.rehearses {
            // As the counter would stand after this request.
            let value = keys.get(key).await?;
            let count = value.and_then(|value| value.try_into().ok()).map_or(0, i64::from_le_bytes);
            return Ok(count.saturating_add(by));
        }
        self.waits.begin("the keys (kv.increment)");
        let done = keys.increment(key, by, ttl_seconds).await;
        self.waits.end();
        done
    }
}

impl Sandbox {
    /// The plugin's keys, if it may look at this one now.
    fn keys(&mut self, key: &str) -> Result<Arc<dyn Keys>, Error> {
        if !self.taken.configured {
            return Err(Error::Denied(IN_CONFIGURE.into()));
        }
        let Some(keys) = &self.access.keys else { return Err(Error::Denied(not_granted("kv"))) };
        self.taken.operation().map_err(Error::Invalid)?;
        if key.is_empty() || key.len() > MAX_KEY {
            let message = format!("the key has {} bytes: 1 to {MAX_KEY} are allowed", key.len());
            return Err(Error::Invalid(message));
        }
        Ok(keys.clone())
    }
}
