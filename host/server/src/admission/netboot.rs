//! The section `netboot`: further places for shim, and empty lists for GRUB.
//!
//! A further place is another name for policy. So it is tried like a request for that name: policy judges it, and only
//! if nobody has an answer for the name that the client sent.

use super::open_file::Opened;
use super::spelling::exists;
use crate::generation::Generation;
use crate::last_folders::is_requested_by_shim;
use std::sync::Arc;
use tuffet_engine::worker::Decision;
use tuffet_request::events::DecisionRecord;
use tuffet_request::{Operation, Request};
use tuffet_store::StoreError;

/// Gives a request for which policy named nothing the path in the last folder of its client, if the file is there and
/// not under the path itself. Returns whether it did.
///
/// # Errors
/// The decision, if a root does not answer.
pub(super) async fn move_to_last_folder(
    generation: &Generation,
    record: &mut DecisionRecord,
) -> Result<bool, Decision> {
    let request = &record.request;
    let Some(folders) = generation.netboot.shim_folders.as_ref() else { return Ok(false) };
    if request.operation != Operation::Read
        || request.shim_folder.is_some()
        || !is_requested_by_shim(&request.path)
    {
        return Ok(false);
    }
    let Some(folder) = folders.of(request.client.ip()) else { return Ok(false) };
    if exists(generation, request, &request.path).await? {
        return Ok(false);
    }
    let path = format!("{folder}/{}", request.path);
    let is_there = exists(generation, request, &path).await?;
    let request = Arc::make_mut(&mut record.request);
    request.shim_folder = Some(folder);
    if is_there {
        request.path = path;
    }
    Ok(is_there)
}

/// What a request for a missing file gets instead of an ERROR, if anything.
pub(super) fn empty_list(generation: &Generation, request: &Request, error: &StoreError) -> Option<Opened> {
    let is_list = request.path.to_ascii_lowercase().ends_with(".lst");
    let missing = matches!(error, StoreError::NotFound) && request.operation == Operation::Read;
    (generation.netboot.empty_lists && is_list && missing).then(Opened::empty)
}
