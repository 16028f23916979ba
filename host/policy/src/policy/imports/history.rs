//! The import `history`.

use std::net::SocketAddr;
use std::time::Instant;

use super::{IN_CONFIGURE, not_granted};
use crate::policy::bindings::v0_2::tuffet::policy::history::{Error, Host, PastRequest};
use crate::policy::bindings::v0_2::tuffet::policy::types;
use crate::policy::history;
use crate::policy::sandbox::Sandbox;
use tuffet_request::Operation;
use tuffet_request::events::Outcome;

impl Host for Sandbox {
    fn recent(&mut self) -> Result<Vec<PastRequest>, Error> {
        if !self.taken.configured {
            return Err(Error::Denied(IN_CONFIGURE.into()));
        }
        if !self.access.client_history {
            return Err(Error::Denied(not_granted("client-history")));
        }
        self.taken.operation().map_err(Error::Invalid)?;
        let Some(client) = self.log.client().and_then(|client| client.parse::<SocketAddr>().ok()) else {
            return Err(Error::Denied("this call is about no client".into()));
        };
        let now = Instant::now();
        let past = self.access.host.history(client.ip());
        Ok(past.into_iter().map(|past| to_wit(past, now)).collect())
    }
}

fn to_wit(past: history::PastRequest, now: Instant) -> PastRequest {
    let history::PastRequest { operation, path, outcome, ended } = past;
    let ago = now.saturating_duration_since(ended).as_millis();
    PastRequest {
        operation: match operation {
            Operation::Read => types::Operation::Read,
            Operation::Write => types::Operation::Write,
        },
        path: path.into(),
        outcome: match outcome {
            Outcome::Served => types::Outcome::Served,
            Outcome::Stored => types::Outcome::Stored,
            Outcome::Probed => types::Outcome::Probed,
            Outcome::Aborted => types::Outcome::Aborted,
            Outcome::Denied => types::Outcome::Denied,
            Outcome::NotFound => types::Outcome::NotFound,
            Outcome::TimedOut => types::Outcome::TimedOut,
            Outcome::Failed => types::Outcome::Failed,
        },
        ended_ms_ago: u64::try_from(ago).unwrap_or(u64::MAX),
    }
}
