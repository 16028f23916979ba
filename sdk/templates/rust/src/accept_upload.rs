//! This upload is complete and on disk: may it become visible?

use tuffet_sdk::{Accept, Acceptance, Denial, Request, Upload};

use crate::Policy;

impl Accept for Policy {
    /// The current version is not replaced, and no file is empty; all else is left to others.
    fn accept_upload(&self, _: &Request, upload: &Upload) -> Acceptance {
        if upload.path == self.current {
            return deny("this version is in use");
        }
        if upload.size == 0 {
            return deny("the file is empty");
        }
        Acceptance::Abstain
    }
}

/// The first text is sent to the client, the second is for the log.
fn deny(message: &str) -> Acceptance {
    Acceptance::Deny(Denial::access_violation(message, message))
}
