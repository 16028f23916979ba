//! The section `netboot`: empty lists for GRUB.

use super::open_file::Opened;
use crate::generation::Generation;
use tuffet_request::{Operation, Request};
use tuffet_store::StoreError;

/// Returns the empty content for a missing list of GRUB, if configured.
pub(super) fn empty_list(generation: &Generation, request: &Request, error: &StoreError) -> Option<Opened> {
    let is_list = request.path.to_ascii_lowercase().ends_with(".lst");
    let missing = matches!(error, StoreError::NotFound) && request.operation == Operation::Read;
    (generation.netboot.empty_lists && is_list && missing).then(Opened::empty)
}
