//! Which name policy judges where the letters of names need not agree in case (`roots[].case: insensitive`).
//!
//! A rule about `secret/**` has to hold for `SECRET/x`, too. So the stored spelling is looked up before policy is asked,
//! and policy judges that. Files are then opened by the judged spelling alone, byte by byte: a file that appears between
//! the two steps is not found, and is never served unjudged. Asking policy first, and again with the stored name, would
//! not do: rules that allow would have to list every spelling, and `resolve` would decide about a name that no file has.
//!
//! A plugin may answer with a file in another spelling. Then its stored name is looked up, too, and `authorize` judges
//! that name before it is opened: rules about names would otherwise end where a mapping begins.
//!
//! Only servers with such a root look anything up here. Disks are asked on threads of their roots, with the deadline of
//! opening, so a folder that hangs costs the requests for its root alone.

use super::candidates::{searched_roots, serves};
use super::plan::allowed;
use crate::generation::Generation;
use std::sync::Arc;
use tokio::sync::oneshot;
use tuffet_engine::worker::Decision;
use tuffet_policy::Target;
use tuffet_request::events::{DecisionRecord, Ending, Outcome};
use tuffet_request::{Operation, Request, SessionProfile};
use tuffet_store::{Lane, Reach, Sought, Stored};

/// Gives the request the path under which the first root stores it. If none does, it keeps its path.
///
/// # Errors
/// The decision, if a root does not answer.
pub(super) async fn respell_request(
    generation: &Generation,
    record: &mut DecisionRecord,
) -> Result<(), Decision> {
    let sought = sought(record.request.operation);
    for root in roots_to_search(generation, &record.request) {
        let Some(path) =
            stored_path(generation, &root, &record.request, &record.request.path, sought).await?
        else {
            continue;
        };
        if path != record.request.path {
            let request = Arc::make_mut(&mut record.request);
            request.path = path;
            request.stored_in = Some(root);
        }
        break;
    }
    Ok(())
}

/// Gives the first file that exists, of those that a plugin named, its stored path, and lets policy judge that path if
/// it has judged another one.
///
/// # Errors
/// The decision, if policy denies the file or a root does not answer.
pub(super) async fn respell_targets(
    generation: &Generation,
    record: &mut DecisionRecord,
    mut targets: Vec<Target>,
    profile: SessionProfile,
) -> Result<(Vec<Target>, SessionProfile), Decision> {
    let sought = sought(record.request.operation);
    if record.request.operation == Operation::Write {
        targets.truncate(1);
    }
    let served = generation.negotiation.roots_of(&record.request.listener);
    for target in targets.iter_mut().filter(|target| serves(served, &target.root)) {
        let Some(path) = stored_path(generation, &target.root, &record.request, &target.path, sought).await?
        else {
            continue;
        };
        if path == target.path {
            break;
        }
        target.path.clone_from(&path);
        if path == record.request.path {
            break;
        }
        let mut request = (*record.request).clone();
        request.path = path;
        let policy = &generation.policy;
        let authorization = policy.authorize(&Arc::new(request), policy.deadline()).await;
        record.plugin_calls += authorization.calls;
        let theirs = allowed(authorization.verdict);
        if theirs.is_err() {
            record.verdict_by = authorization.by;
        }
        return theirs.map(|theirs| (targets, profile.and(theirs)));
    }
    Ok((targets, profile))
}

/// Whether a root that a request may search stores the path.
///
/// # Errors
/// The decision, if a root does not answer.
pub(super) async fn exists(generation: &Generation, request: &Request, path: &str) -> Result<bool, Decision> {
    for root in roots_to_search(generation, request) {
        if stored_path(generation, &root, request, path, Sought::File).await?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

fn roots_to_search(generation: &Generation, request: &Request) -> Vec<Arc<str>> {
    searched_roots(&generation.files.roots, generation.negotiation.roots_of(&request.listener), request)
}

fn sought(operation: Operation) -> Sought {
    if operation == Operation::Read { Sought::File } else { Sought::FolderOf }
}

/// Where a root stores a path; `None` if it does not. An error is left to the step that opens the file.
async fn stored_path(
    generation: &Generation,
    root: &str,
    request: &Request,
    path: &str,
    sought: Sought,
) -> Result<Option<String>, Decision> {
    let (roots, within) = (&generation.files.roots, generation.open_time);
    let Some(disk) = roots.disk(root) else { return Ok(None) };
    // What the cache of a root knows waits for no look-up.
    for (lane, reach) in [(Lane::Open, Reach::Cache), (Lane::LookUp, Reach::Origin)] {
        let (sender, receiver) = oneshot::channel();
        let (roots, name, path) = (roots.clone(), root.to_owned(), path.to_owned());
        let work = move || {
            // The request may have been dropped.
            let _ = sender.send(roots.stored(&name, &path, sought, reach));
        };
        // The sender is dropped with the work.
        disk.submit(lane, generation.client_of(request), within, work, |_| {});
        match tokio::time::timeout(within, receiver).await {
            Ok(Ok(Ok(Some(Stored::At(path))))) => return Ok(Some(path)),
            Ok(Ok(Ok(Some(Stored::Nowhere)) | Err(_))) => return Ok(None),
            Ok(Ok(Ok(None))) => {}
            _ => break,
        }
    }
    let within = humantime::format_duration(within);
    let detail = format!("root `{root}` did not look up the name within {within} (`limits.open-time`)");
    Err(Decision::Drop { ending: Ending::new(Outcome::Failed, detail) })
}
