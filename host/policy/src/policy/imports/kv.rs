//! The imports `kv` and `shared-kv`: the same calls on the plugin's own namespace, and on one that it shares.

use std::sync::Arc;

use super::{IN_CONFIGURE, Keys, Pending, not_granted};
use crate::kv::{Listing, MAX_KEY, MAX_VALUE};
use crate::policy::bindings::v0_2::tuffet::policy::kv::{Entry, Error, Host};
use crate::policy::bindings::v0_2::tuffet::policy::shared_kv;
use crate::policy::sandbox::Sandbox;

/// Keys in one page of a list.
const MAX_LISTED: usize = 1000;

/// The plugin's own namespace.
const OWN: Option<&str> = None;

impl Host for Sandbox {
    async fn get(&mut self, key: String) -> Result<Option<Vec<u8>>, Error> {
        Ok(self.read_key(OWN, key).await?.map(|entry| entry.value))
    }

    async fn get_entry(&mut self, key: String) -> Result<Option<Entry>, Error> {
        self.read_key(OWN, key).await
    }

    async fn set(&mut self, key: String, value: Vec<u8>, ttl_seconds: Option<u32>) -> Result<(), Error> {
        self.set_key(OWN, key, value, ttl_seconds).await
    }

    async fn delete(&mut self, key: String) -> Result<(), Error> {
        self.delete_key(OWN, key).await
    }

    async fn increment(&mut self, key: String, by: i64, ttl_seconds: Option<u32>) -> Result<i64, Error> {
        self.count(OWN, key, by, ttl_seconds).await
    }

    async fn swap(
        &mut self,
        key: String,
        revision: Option<u64>,
        value: Vec<u8>,
        ttl_seconds: Option<u32>,
    ) -> Result<Option<u64>, Error> {
        self.swap_key(OWN, key, revision, value, ttl_seconds).await
    }

    async fn list(
        &mut self,
        prefix: String,
        after: Option<String>,
        limit: u32,
    ) -> Result<Vec<String>, Error> {
        self.list_keys(OWN, prefix, after, limit).await
    }
}

impl shared_kv::Host for Sandbox {
    async fn get(&mut self, namespace: String, key: String) -> Result<Option<Entry>, Error> {
        self.read_key(Some(&namespace), key).await
    }

    async fn set(
        &mut self,
        namespace: String,
        key: String,
        value: Vec<u8>,
        ttl_seconds: Option<u32>,
    ) -> Result<(), Error> {
        self.set_key(Some(&namespace), key, value, ttl_seconds).await
    }

    async fn delete(&mut self, namespace: String, key: String) -> Result<(), Error> {
        self.delete_key(Some(&namespace), key).await
    }

    async fn increment(
        &mut self,
        namespace: String,
        key: String,
        by: i64,
        ttl_seconds: Option<u32>,
    ) -> Result<i64, Error> {
        self.count(Some(&namespace), key, by, ttl_seconds).await
    }

    async fn swap(
        &mut self,
        namespace: String,
        key: String,
        revision: Option<u64>,
        value: Vec<u8>,
        ttl_seconds: Option<u32>,
    ) -> Result<Option<u64>, Error> {
        self.swap_key(Some(&namespace), key, revision, value, ttl_seconds).await
    }

    async fn list(
        &mut self,
        namespace: String,
        prefix: String,
        after: Option<String>,
        limit: u32,
    ) -> Result<Vec<String>, Error> {
        self.list_keys(Some(&namespace), prefix, after, limit).await
    }
}

impl Sandbox {
    async fn read_key(&mut self, of: Option<&str>, key: String) -> Result<Option<Entry>, Error> {
        let keys = self.keys_for(of, &key)?;
        self.waits_for("the keys (kv.get)", keys.get(key)).await
    }

    async fn set_key(
        &mut self,
        of: Option<&str>,
        key: String,
        value: Vec<u8>,
        ttl_seconds: Option<u32>,
    ) -> Result<(), Error> {
        let keys = self.keys_for(of, &key)?;
        check_value(&value)?;
        if self.taken.rehearses {
            return Ok(());
        }
        self.waits_for("the keys (kv.set)", keys.set(key, value, ttl_seconds)).await
    }

    async fn delete_key(&mut self, of: Option<&str>, key: String) -> Result<(), Error> {
        let keys = self.keys_for(of, &key)?;
        if self.taken.rehearses {
            return Ok(());
        }
        self.waits_for("the keys (kv.delete)", keys.delete(key)).await
    }

    async fn count(
        &mut self,
        of: Option<&str>,
        key: String,
        by: i64,
        ttl_seconds: Option<u32>,
    ) -> Result<i64, Error> {
        let keys = self.keys_for(of, &key)?;
        if self.taken.rehearses {
            // As the counter would stand after this request.
            let found = self.waits_for("the keys (kv.increment)", keys.get(key)).await?;
            let count = found.and_then(|found| found.value.try_into().ok()).map_or(0, i64::from_le_bytes);
            return Ok(count.saturating_add(by));
        }
        self.waits_for("the keys (kv.increment)", keys.increment(key, by, ttl_seconds)).await
    }

    async fn swap_key(
        &mut self,
        of: Option<&str>,
        key: String,
        revision: Option<u64>,
        value: Vec<u8>,
        ttl_seconds: Option<u32>,
    ) -> Result<Option<u64>, Error> {
        let keys = self.keys_for(of, &key)?;
        check_value(&value)?;
        if self.taken.rehearses {
            // Whether it would succeed now.
            let found = self.waits_for("the keys (kv.swap)", keys.get(key)).await?;
            let succeeds = found.map(|found| found.revision) == revision;
            return Ok(succeeds.then(|| revision.unwrap_or_default().saturating_add(1)));
        }
        self.waits_for("the keys (kv.swap)", keys.swap(key, revision, value, ttl_seconds)).await
    }

    async fn list_keys(
        &mut self,
        of: Option<&str>,
        prefix: String,
        after: Option<String>,
        limit: u32,
    ) -> Result<Vec<String>, Error> {
        let keys = self.granted_keys(of)?;
        for bound in [Some(&prefix), after.as_ref()].into_iter().flatten() {
            check_length(bound, 0)?;
        }
        let limit = usize::try_from(limit).unwrap_or(MAX_LISTED).min(MAX_LISTED);
        self.waits_for("the keys (kv.list)", keys.list(Listing { prefix, after, limit })).await
    }

    /// The keys of this namespace, if the plugin may look at this one now.
    fn keys_for(&mut self, of: Option<&str>, key: &str) -> Result<Arc<dyn Keys>, Error> {
        let keys = self.granted_keys(of)?;
        check_length(key, 1)?;
        Ok(keys)
    }

    fn granted_keys(&mut self, of: Option<&str>) -> Result<Arc<dyn Keys>, Error> {
        if !self.taken.configured {
            return Err(Error::Denied(IN_CONFIGURE.into()));
        }
        let keys = match of {
            None => self.access.keys.as_ref().ok_or_else(|| not_granted("kv")),
            Some(name) => {
                let shared = self.access.shared_keys.iter().find(|(granted, _)| granted == name);
                shared.map(|(_, keys)| keys).ok_or_else(|| {
                    let name: String = name.chars().take(64).collect();
                    not_granted(format_args!("kv/{name}"))
                })
            }
        };
        let keys = Arc::clone(keys.map_err(Error::Denied)?);
        self.taken.operation().map_err(Error::Invalid)?;
        Ok(keys)
    }

    async fn waits_for<T>(
        &mut self,
        what: &'static str,
        call: Pending<'_, Result<T, Error>>,
    ) -> Result<T, Error> {
        self.waits.begin(what);
        let done = call.await;
        self.waits.end();
        done
    }
}

fn check_length(key: &str, least: usize) -> Result<(), Error> {
    if (least..=MAX_KEY).contains(&key.len()) {
        return Ok(());
    }
    Err(Error::Invalid(format!("the key has {} bytes: {least} to {MAX_KEY} are allowed", key.len())))
}

fn check_value(value: &[u8]) -> Result<(), Error> {
    if value.len() <= MAX_VALUE {
        return Ok(());
    }
    Err(Error::Invalid(format!("the value has {} bytes: {MAX_VALUE} are allowed", value.len())))
}
