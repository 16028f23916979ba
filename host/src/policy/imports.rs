//! What plugins may call beside the log: each answers that it is not granted until it is.

use super::bindings::tuffet::policy::{files, kv, sinks};
use super::sandbox::Sandbox;

const NOT_GRANTED: &str = "not granted";

impl kv::Host for Sandbox {
    async fn get(&mut self, _: String) -> Result<Option<Vec<u8>>, kv::Error> {
        Err(kv::Error::Denied(NOT_GRANTED.into()))
    }

    async fn set(&mut self, _: String, _: Vec<u8>, _: Option<u32>) -> Result<(), kv::Error> {
        Err(kv::Error::Denied(NOT_GRANTED.into()))
    }

    async fn delete(&mut self, _: String) -> Result<(), kv::Error> {
        Err(kv::Error::Denied(NOT_GRANTED.into()))
    }

    async fn increment(&mut self, _: String, _: i64, _: Option<u32>) -> Result<i64, kv::Error> {
        Err(kv::Error::Denied(NOT_GRANTED.into()))
    }
}

impl files::Host for Sandbox {
    async fn stat(&mut self, _: String, _: String) -> Result<Option<files::Metadata>, files::Error> {
        Err(files::Error::Denied(NOT_GRANTED.into()))
    }

    async fn read(&mut self, _: String, _: String, _: u64) -> Result<Option<Vec<u8>>, files::Error> {
        Err(files::Error::Denied(NOT_GRANTED.into()))
    }
}

impl sinks::Host for Sandbox {
    fn emit(&mut self, _: String, _: String) -> Result<(), sinks::Error> {
        Err(sinks::Error::Denied(NOT_GRANTED.into()))
    }
}
