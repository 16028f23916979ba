//! Finds the name that policy judges: the stored spelling in case-insensitive roots (`roots[].case: insensitive`), and
//! the last folder of the client for files of shim (`netboot.shim-folder`).
//!
//! A rule for `secret/**` must also cover `SECRET/x`. So the stored spelling is looked up first, and policy judges it.
//! Files are then opened by exactly the judged spelling: a file that appears between the two steps is not found, and
//! never served unjudged. The other order would fail: rules that allow would have to list every spelling, and `resolve`
//! would decide about a name that no file has.
//!
//! A plugin may answer with a file in another spelling. Then its stored name is looked up, too, and `authorize` judges
//! that name before it is opened: rules about names would otherwise end where a mapping begins.
//!
//! A new file has no stored spelling yet: once it is there, every spelling finds it. So plugins learn that case does not
//! matter (`Request::any_case`), and their rules about names hold for every spelling of it.
//!
//! Only servers with such a root or key look up names here. Look-ups run on threads of the root, within `limits.open-time`, so
//! a hanging folder affects only requests for its root.

use super::candidates::{searched_roots, serves};
use super::refusals::{NotOpened, allowed, refused};
use super::root_access::open_root;
use crate::generation::Generation;
use crate::last_folders::is_requested_by_shim;
use std::sync::Arc;
use tuffet_engine::worker::Decision;
use tuffet_policy::Target;
use tuffet_request::events::{DecisionRecord, Ending, Outcome};
use tuffet_request::{Operation, Request, SessionProfile};
use tuffet_store::{Lane, Reach, Sought, StoreError, Stored};

/// Gives the request the path under which a root stores its file: in the stored spelling, and for shim in the last folder
/// of its client. Without such a file it keeps its path.
///
/// # Errors
/// The decision, if a root does not answer.
pub(super) async fn find(generation: &Generation, record: &mut DecisionRecord) -> Result<(), Decision> {
    let any_case = generation.files.roots.any_case();
    if any_case {
        respell_request(generation, record).await?;
    }
    if move_to_last_folder(generation, record).await && any_case {
        respell_request(generation, record).await?;
    }
    Ok(())
}

/// Replaces the path of the request by the stored spelling in the first root that has it, if any.
///
/// # Errors
/// The decision, if a root does not answer.
async fn respell_request(generation: &Generation, record: &mut DecisionRecord) -> Result<(), Decision> {
    let sought = sought(record.request.operation);
    // Until a root that has the name is found.
    set_any_case(generation, record);
    for root in roots_to_search(generation, &record.request) {
        let Some(path) =
            stored_path(generation, &root, &record.request, &record.request.path, sought).await?
        else {
            continue;
        };
        let request = Arc::make_mut(&mut record.request);
        request.any_case = generation.files.roots.is_any_case(&root);
        if path != request.path {
            request.path = path;
            request.stored_in = Some(root);
        }
        break;
    }
    Ok(())
}

/// Notes whether the name of a request would be found in any case, if no root has it.
pub(super) fn set_any_case(generation: &Generation, record: &mut DecisionRecord) {
    let roots = &generation.files.roots;
    let any_case = roots_to_search(generation, &record.request).iter().any(|root| roots.is_any_case(root));
    if any_case != record.request.any_case {
        Arc::make_mut(&mut record.request).any_case = any_case;
    }
}

/// Replaces the path of the first existing target by its stored spelling, and has policy judge that spelling unless it
/// has already.
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
        request.any_case = generation.files.roots.is_any_case(&target.root);
        let policy = &generation.policy;
        let authorization = policy.authorize(&Arc::new(request), policy.deadline()).await;
        record.plugin_calls += authorization.calls;
        let theirs = allowed(authorization.answer);
        if theirs.is_err() {
            record.verdict_by = authorization.by;
        }
        return theirs.map(|theirs| (targets, profile.and(theirs)));
    }
    Ok((targets, profile))
}

/// Replaces the path of a request by shim by the one in the last folder of its client, if the file exists there and not
/// under the requested path (`netboot.shim-folder`). Returns whether the path was replaced.
async fn move_to_last_folder(generation: &Generation, record: &mut DecisionRecord) -> bool {
    let request = &record.request;
    let Some(folders) = generation.netboot.shim_folders.as_ref() else { return false };
    if request.operation != Operation::Read || !is_requested_by_shim(&request.path) {
        return false;
    }
    let Some(folder) = folders.of(request.client.ip()) else { return false };
    if exists(generation, request, &request.path).await {
        return false;
    }
    let path = format!("{folder}/{}", request.path);
    let is_there = exists(generation, request, &path).await;
    let request = Arc::make_mut(&mut record.request);
    request.shim_folder = Some(folder);
    if is_there {
        request.path = path;
    }
    is_there
}

/// Whether any root of the request has the path. A root that does not answer does not: policy may not need it.
async fn exists(generation: &Generation, request: &Request, path: &str) -> bool {
    for root in roots_to_search(generation, request) {
        if let Ok(Some(_)) = stored_path(generation, &root, request, path, Sought::File).await {
            return true;
        }
    }
    false
}

fn roots_to_search(generation: &Generation, request: &Request) -> Vec<Arc<str>> {
    searched_roots(&generation.files.roots, generation.negotiation.roots_of(&request.listener), request)
}

fn sought(operation: Operation) -> Sought {
    if operation == Operation::Read { Sought::File } else { Sought::FolderOf }
}

/// Returns the stored spelling of a path; `None` if the root does not have it, or on errors: opening the file reports
/// those.
async fn stored_path(
    generation: &Generation,
    root: &str,
    request: &Request,
    path: &str,
    sought: Sought,
) -> Result<Option<String>, Decision> {
    if let Some(supplied) = generation.files.supplied.get(root) {
        // A root of the program has the names that it opens, and takes uploads under any.
        if sought == Sought::FolderOf {
            return Ok(Some(path.to_owned()));
        }
        return match open_root(generation, &supplied, path).await {
            Ok(_) => Ok(Some(path.to_owned())),
            Err(NotOpened::Decided(decision)) => Err(decision),
            Err(NotOpened::Store(error @ StoreError::Unreachable { .. })) => Err(refused(&error)),
            Err(NotOpened::Store(_) | NotOpened::GivenUp) => Ok(None),
        };
    }
    let (roots, within) = (&generation.files.roots, generation.open_time);
    let Some(disk) = roots.disk(root) else { return Ok(None) };
    // Answers from the cache do not wait for look-ups.
    for (lane, reach) in [(Lane::Open, Reach::Cache), (Lane::LookUp, Reach::Origin)] {
        let (roots, name, path) = (roots.clone(), root.to_owned(), path.to_owned());
        let work = move || roots.stored(&name, &path, sought, reach);
        match disk.run(lane, generation.client_of(request), within, work).await {
            Ok(Ok(Some(Stored::At(path)))) => return Ok(Some(path)),
            Ok(Ok(Some(Stored::Nowhere)) | Err(_)) => return Ok(None),
            Ok(Ok(None)) => {}
            Err(_) => break,
        }
    }
    let detail = format!("root `{root}` did not look up the name {}", generation.within_open_time());
    Err(Decision::Drop { ending: Ending::new(Outcome::Failed, detail) })
}
