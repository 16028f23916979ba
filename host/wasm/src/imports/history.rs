//! The import `history`.

use std::net::SocketAddr;
use std::time::Instant;

use crate::access::{Code, in_configure, not_granted};
use crate::bindings::history::{Host, PastRequest};
use crate::bindings::types::{self, Error};
use crate::sandbox::Sandbox;
use tuffet_policy as policy;
use tuffet_request::Operation;

impl Host for Sandbox {
    fn recent(&mut self) -> Result<Vec<PastRequest>, Error> {
        if !self.usage.configured {
            return Err(in_configure());
        }
        if !self.access.client_history {
            return Err(not_granted("client-history"));
        }
        self.usage.operation()?;
        let Some(client) = self.log.client().and_then(|client| client.parse::<SocketAddr>().ok()) else {
            return Err(Code::WrongPhase.with("this call is about no client"));
        };
        let now = Instant::now();
        let past = self.access.host.history(client.ip());
        Ok(past.into_iter().map(|past| to_wit(past, now)).collect())
    }
}

fn to_wit(past: policy::PastRequest, now: Instant) -> PastRequest {
    let policy::PastRequest { operation, path, outcome, ended } = past;
    let ago = now.saturating_duration_since(ended).as_millis();
    PastRequest {
        operation: match operation {
            Operation::Read => types::Operation::Read,
            Operation::Write => types::Operation::Write,
        },
        path: path.into(),
        outcome: outcome.as_str().to_owned(),
        ended_ms_ago: u64::try_from(ago).unwrap_or(u64::MAX),
    }
}
