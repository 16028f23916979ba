//! May this client do this?

use tuffet_sdk::{Authorize, Denial, Operation, Request, Verdict};

use crate::Policy;

impl Authorize for Policy {
    /// Other versions than the current one are denied; all else is left to others.
    fn authorize(&self, request: &Request) -> Verdict {
        let firmware = request.operation == Operation::Read && request.path.starts_with("firmware/");
        if !firmware || request.path == "firmware/latest.bin" || request.path == self.current {
            return Verdict::Abstain;
        }
        // The first text is sent to the client, the second is for the log.
        Verdict::Deny(Denial::access_violation("take firmware/latest.bin", "not the current version"))
    }
}
