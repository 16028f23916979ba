//! The import `kv`.

use std::sync::Arc;

use crate::access::{Code, Keys, Pending, in_configure, not_granted};
use crate::bindings::kv::{Entry, Host, Listed};
use crate::bindings::types::Error;
use crate::sandbox::Sandbox;
use tuffet_kv::{Listing, MAX_KEY, MAX_PAGE_KEYS, MAX_VALUE};

impl Host for Sandbox {
    async fn get(&mut self, namespace: Option<String>, key: String) -> Result<Option<Entry>, Error> {
        let keys = self.keys_for(namespace, &key)?;
        self.wait_for("the keys (kv.get)", keys.get(key)).await
    }

    async fn set(
        &mut self,
        namespace: Option<String>,
        key: String,
        value: Vec<u8>,
        ttl_seconds: Option<u32>,
    ) -> Result<(), Error> {
        let keys = self.keys_for(namespace, &key)?;
        self.check_value(&value)?;
        if self.usage.rehearses {
            return Ok(());
        }
        self.wait_for("the keys (kv.set)", keys.set(key, value, ttl_seconds)).await
    }

    async fn delete(&mut self, namespace: Option<String>, key: String) -> Result<(), Error> {
        let keys = self.keys_for(namespace, &key)?;
        if self.usage.rehearses {
            return Ok(());
        }
        self.wait_for("the keys (kv.delete)", keys.delete(key)).await
    }

    async fn increment(
        &mut self,
        namespace: Option<String>,
        key: String,
        by: i64,
        ttl_seconds: Option<u32>,
    ) -> Result<i64, Error> {
        let keys = self.keys_for(namespace, &key)?;
        if self.usage.rehearses {
            // The counter as it would be after this request.
            let found = self.wait_for("the keys (kv.increment)", keys.get(key)).await?;
            let count = found.and_then(|found| found.value.try_into().ok()).map_or(0, i64::from_le_bytes);
            return Ok(count.saturating_add(by));
        }
        self.wait_for("the keys (kv.increment)", keys.increment(key, by, ttl_seconds)).await
    }

    async fn swap(
        &mut self,
        namespace: Option<String>,
        key: String,
        revision: Option<u64>,
        value: Vec<u8>,
        ttl_seconds: Option<u32>,
    ) -> Result<Option<u64>, Error> {
        let keys = self.keys_for(namespace, &key)?;
        self.check_value(&value)?;
        if self.usage.rehearses {
            // Whether it would succeed now.
            let found = self.wait_for("the keys (kv.swap)", keys.get(key)).await?;
            let succeeds = found.map(|found| found.revision) == revision;
            return Ok(succeeds.then(|| revision.unwrap_or_default().saturating_add(1)));
        }
        self.wait_for("the keys (kv.swap)", keys.swap(key, revision, value, ttl_seconds)).await
    }

    async fn list(
        &mut self,
        namespace: Option<String>,
        prefix: String,
        after: Option<String>,
        limit: u32,
    ) -> Result<Vec<Listed>, Error> {
        let keys = self.granted_keys(namespace)?;
        for bound in [Some(&prefix), after.as_ref()].into_iter().flatten() {
            check_length(bound, 0)?;
        }
        let limit = usize::try_from(limit).unwrap_or(MAX_PAGE_KEYS).min(MAX_PAGE_KEYS);
        self.wait_for("the keys (kv.list)", keys.list(Listing { prefix, after, limit })).await
    }

    async fn delete_prefix(&mut self, namespace: Option<String>, prefix: String) -> Result<u32, Error> {
        let keys = self.granted_keys(namespace)?;
        check_length(&prefix, 0)?;
        if self.usage.rehearses {
            // A loop until nothing is left ends.
            return Ok(0);
        }
        self.wait_for("the keys (kv.delete-prefix)", keys.delete_prefix(prefix)).await
    }
}

impl Sandbox {
    /// Returns the keys of this namespace, if the plugin may use this key now.
    fn keys_for(&mut self, namespace: Option<String>, key: &str) -> Result<Arc<dyn Keys>, Error> {
        let keys = self.granted_keys(namespace)?;
        check_length(key, 1)?;
        self.refuse_secrets("key", key)?;
        Ok(keys)
    }

    fn check_value(&self, value: &[u8]) -> Result<(), Error> {
        if value.len() > MAX_VALUE {
            let message = format!("the value has {} bytes: {MAX_VALUE} are allowed", value.len());
            return Err(Code::BadArgument.with(message));
        }
        if self.access.secrets.is_empty() {
            return Ok(());
        }
        self.refuse_secrets("value", &String::from_utf8_lossy(value))
    }

    /// Keys lie on a disk or in a bucket, where others than the plugin read them.
    fn refuse_secrets(&self, what: &str, text: &str) -> Result<(), Error> {
        let Some(secret) = self.access.secrets.found_in(text) else { return Ok(()) };
        Err(Code::BadArgument.with(format!("the {what} contains the secret `{secret}`: it is not stored")))
    }

    fn granted_keys(&mut self, namespace: Option<String>) -> Result<Arc<dyn Keys>, Error> {
        if !self.usage.configured {
            return Err(in_configure());
        }
        let keys = match namespace {
            None => self.access.keys.as_ref().ok_or_else(|| not_granted("kv")),
            Some(name) => {
                let shared = self.access.shared_keys.iter().find(|(granted, _)| *granted == name);
                shared.map(|(_, keys)| keys).ok_or_else(|| {
                    let name: String = name.chars().take(64).collect();
                    not_granted(format_args!("kv/{name}"))
                })
            }
        };
        let keys = Arc::clone(keys?);
        self.usage.operation()?;
        Ok(keys)
    }

    async fn wait_for<T>(
        &mut self,
        what: &'static str,
        call: Pending<'_, Result<T, Error>>,
    ) -> Result<T, Error> {
        self.host_call.begin(what);
        let done = call.await;
        self.host_call.end();
        done
    }
}

fn check_length(key: &str, min: usize) -> Result<(), Error> {
    if (min..=MAX_KEY).contains(&key.len()) {
        return Ok(());
    }
    Err(Code::BadArgument.with(format!("the key has {} bytes: {min} to {MAX_KEY} are allowed", key.len())))
}
