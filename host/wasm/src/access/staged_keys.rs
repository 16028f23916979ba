//! The keys of a stage, in memory and for one call.

use std::sync::Arc;

use super::calls::{Keys, Pending};
use super::error::Code;
use super::live::explain;
use crate::bindings::kv;
use crate::bindings::types::Error;
use crate::stage::{KeyName, Lifetime, Stage};
use tuffet_kv::{KvError, Listing, MAX_PAGE_KEYS};

/// The plugin's own keys, or those of a namespace that it shares.
#[derive(Debug)]
pub(crate) struct StagedKeys {
    pub stage: Arc<Stage>,
    /// `None` for its own.
    pub namespace: Option<String>,
}

impl StagedKeys {
    fn name(&self, key: String) -> KeyName {
        (self.namespace.clone(), key)
    }

    fn find(&self, call: &str, name: &KeyName) -> Result<Option<kv::Entry>, Error> {
        let found = self.stage.key(call, name).map_err(|why| Code::Unavailable.with(why))?;
        Ok(found.map(|(value, revision)| kv::Entry { value, revision }))
    }
}

impl Keys for StagedKeys {
    fn get(&self, key: String) -> Pending<'_, Result<Option<kv::Entry>, Error>> {
        Box::pin(async move { self.find("get", &self.name(key)) })
    }

    fn set(&self, key: String, value: Vec<u8>, ttl: Option<u32>) -> Pending<'_, Result<(), Error>> {
        self.stage.set(self.name(key), Some(value), Lifetime::New(ttl));
        Box::pin(async { Ok(()) })
    }

    fn delete(&self, key: String) -> Pending<'_, Result<(), Error>> {
        self.stage.set(self.name(key), None, Lifetime::New(None));
        Box::pin(async { Ok(()) })
    }

    fn increment(&self, key: String, by: i64, ttl: Option<u32>) -> Pending<'_, Result<i64, Error>> {
        Box::pin(async move {
            let name = self.name(key);
            let (count, lifetime) = match self.find("increment", &name)? {
                None => (0, Lifetime::New(ttl)),
                Some(found) => {
                    let count = found.value.try_into().map(i64::from_le_bytes);
                    (count.map_err(|_| explain(KvError::NotACounter))?, Lifetime::Kept)
                }
            };
            let count = count.saturating_add(by);
            self.stage.set(name, Some(count.to_le_bytes().to_vec()), lifetime);
            Ok(count)
        })
    }

    fn swap(
        &self,
        key: String,
        revision: Option<u64>,
        value: Vec<u8>,
        ttl: Option<u32>,
    ) -> Pending<'_, Result<Option<u64>, Error>> {
        Box::pin(async move {
            let name = self.name(key);
            self.stage.conflict(&name);
            let found = self.find("swap", &name)?;
            let succeeds = found.map(|found| found.revision) == revision;
            Ok(succeeds.then(|| self.stage.set(name, Some(value), Lifetime::New(ttl))))
        })
    }

    fn list(&self, listing: Listing) -> Pending<'_, Result<Vec<kv::Listed>, Error>> {
        let mut keys = self.stage.keys(self.namespace.as_ref());
        let is_after = |key: &String| listing.after.as_ref().is_none_or(|after| key > after);
        keys.retain(|key| key.starts_with(&listing.prefix) && is_after(key));
        keys.truncate(listing.limit);
        Box::pin(async move {
            let mut listed = Vec::with_capacity(keys.len());
            for key in keys {
                if let Some(entry) = self.find("list", &self.name(key.clone()))? {
                    listed.push(kv::Listed { key, entry });
                }
            }
            Ok(listed)
        })
    }

    fn delete_prefix(&self, prefix: String) -> Pending<'_, Result<u32, Error>> {
        let mut keys = self.stage.keys(self.namespace.as_ref());
        keys.retain(|key| key.starts_with(&prefix));
        keys.truncate(MAX_PAGE_KEYS);
        let removed = u32::try_from(keys.len()).unwrap_or(u32::MAX);
        for key in keys {
            self.stage.set(self.name(key), None, Lifetime::New(None));
        }
        Box::pin(async move { Ok(removed) })
    }
}
