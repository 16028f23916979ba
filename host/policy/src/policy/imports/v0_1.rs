//! The imports of version 0.1.0, answered by those of the newest version.

use crate::policy::bindings::{v0_1, v0_2};
use crate::policy::sandbox::Sandbox;
use v0_1::tuffet::policy::{files, kv, log, sinks};
use v0_2::tuffet::policy as newest;

impl v0_1::tuffet::policy::types::Host for Sandbox {}

impl log::Host for Sandbox {
    fn log(&mut self, level: log::Level, message: String, fields: Vec<(String, String)>) {
        let level = match level {
            log::Level::Trace => newest::log::Level::Trace,
            log::Level::Debug => newest::log::Level::Debug,
            log::Level::Info => newest::log::Level::Info,
            log::Level::Warn => newest::log::Level::Warn,
            log::Level::Error => newest::log::Level::Error,
        };
        newest::log::Host::log(self, level, message, fields);
    }
}

impl kv::Host for Sandbox {
    async fn get(&mut self, key: String) -> Result<Option<Vec<u8>>, kv::Error> {
        newest::kv::Host::get(self, key).await.map_err(kv::Error::from)
    }

    async fn set(&mut self, key: String, value: Vec<u8>, ttl_seconds: Option<u32>) -> Result<(), kv::Error> {
        newest::kv::Host::set(self, key, value, ttl_seconds).await.map_err(kv::Error::from)
    }

    async fn delete(&mut self, key: String) -> Result<(), kv::Error> {
        newest::kv::Host::delete(self, key).await.map_err(kv::Error::from)
    }

    async fn increment(&mut self, key: String, by: i64, ttl_seconds: Option<u32>) -> Result<i64, kv::Error> {
        newest::kv::Host::increment(self, key, by, ttl_seconds).await.map_err(kv::Error::from)
    }
}

impl files::Host for Sandbox {
    async fn stat(&mut self, root: String, path: String) -> Result<Option<files::Metadata>, files::Error> {
        let found = newest::files::Host::stat(self, root, path).await.map_err(files::Error::from)?;
        Ok(found.map(|newest::files::Metadata { bytes, modified_unix_ms }| files::Metadata {
            bytes,
            modified_unix_ms,
        }))
    }

    async fn read(
        &mut self,
        root: String,
        path: String,
        limit: u64,
    ) -> Result<Option<Vec<u8>>, files::Error> {
        newest::files::Host::read(self, root, path, limit).await.map_err(files::Error::from)
    }
}

impl sinks::Host for Sandbox {
    async fn emit(&mut self, sink: String, payload: String) -> Result<(), sinks::Error> {
        newest::sinks::Host::emit(self, sink, payload).await.map_err(sinks::Error::from)
    }
}

impl From<newest::kv::Error> for kv::Error {
    fn from(error: newest::kv::Error) -> kv::Error {
        match error {
            newest::kv::Error::Denied(why) => kv::Error::Denied(why),
            newest::kv::Error::Quota => kv::Error::Quota,
            newest::kv::Error::Invalid(why) => kv::Error::Invalid(why),
            newest::kv::Error::Unavailable(why) => kv::Error::Unavailable(why),
        }
    }
}

impl From<newest::files::Error> for files::Error {
    fn from(error: newest::files::Error) -> files::Error {
        match error {
            newest::files::Error::Denied(why) => files::Error::Denied(why),
            newest::files::Error::TooLarge(bytes) => files::Error::TooLarge(bytes),
            newest::files::Error::Invalid(why) => files::Error::Invalid(why),
            newest::files::Error::Unavailable(why) => files::Error::Unavailable(why),
        }
    }
}

impl From<newest::sinks::Error> for sinks::Error {
    fn from(error: newest::sinks::Error) -> sinks::Error {
        match error {
            newest::sinks::Error::Denied(why) => sinks::Error::Denied(why),
            newest::sinks::Error::Full => sinks::Error::Full,
            newest::sinks::Error::Invalid(why) => sinks::Error::Invalid(why),
        }
    }
}
