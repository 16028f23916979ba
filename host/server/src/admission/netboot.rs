//! The section `netboot`: empty lists for GRUB.

use crate::generation::Generation;
use tuffet_request::{Operation, Request};
use tuffet_store::StoreError;

/// Whether a request gets empty content: it is for a missing list of GRUB, and the configuration says so.
pub(super) fn is_empty_list(generation: &Generation, request: &Request, error: &StoreError) -> bool {
    let is_list = request.path.to_ascii_lowercase().ends_with(".lst");
    let missing = matches!(error, StoreError::NotFound) && request.operation == Operation::Read;
    generation.netboot.empty_lists && is_list && missing
}
