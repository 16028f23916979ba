//! The section `netboot`: the last folder for files of shim, and empty lists for GRUB.
//!
//! To policy, the path in the last folder is another name. So it is tried like a request for that name, judged by
//! policy, and only if the requested name has no answer.

use super::open_file::Opened;
use super::spelling::exists;
use crate::generation::Generation;
use crate::last_folders::is_requested_by_shim;
use std::sync::Arc;
use tuffet_engine::worker::Decision;
use tuffet_request::events::DecisionRecord;
use tuffet_request::{Operation, Request};
use tuffet_store::StoreError;

/// Replaces the path of the request by the one in the last folder of its client, if the file exists there and not under
/// the requested path. For requests for which policy named no file. Returns whether the path was replaced.
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

/// Returns the empty content for a missing list of GRUB, if configured.
pub(super) fn empty_list(generation: &Generation, request: &Request, error: &StoreError) -> Option<Opened> {
    let is_list = request.path.to_ascii_lowercase().ends_with(".lst");
    let missing = matches!(error, StoreError::NotFound) && request.operation == Operation::Read;
    (generation.netboot.empty_lists && is_list && missing).then(Opened::empty)
}
