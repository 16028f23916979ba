//! Which file or content is it?

use tuffet_sdk::{Operation, Request, Resolution, Resolve, Target};

use crate::Policy;

impl Resolve for Policy {
    /// `firmware/latest.bin` is the current version; all else is left to others.
    fn resolve(&self, request: &Request) -> Resolution {
        if request.operation != Operation::Read || request.path != "firmware/latest.bin" {
            return Resolution::Abstain;
        }
        // The first that exists is served.
        Resolution::files([Target::new(&self.root, &self.current)])
    }
}
