//! Replaces `bucket` in a build without NATS.

use super::Fetched;
use super::place::{Auth, Key};
use crate::features::how_to_get;

pub(super) async fn fetch(_: &Key, _: &Auth) -> Result<Fetched, String> {
    Err(left_out())
}

/// Never created.
pub(super) enum Following {}

impl Following {
    pub(super) async fn open(_: &Key, _: &Auth) -> Result<Following, String> {
        Err(left_out())
    }

    pub(super) async fn next(&mut self) -> Result<Fetched, String> {
        match *self {}
    }
}

fn left_out() -> String {
    format!("this build of tuffet leaves out NATS; {}", how_to_get("nats"))
}
