//! Files that plugins of `resolve` name, judged before they are opened.
//!
//! A rule of `authorize` about names would end where a mapping begins: with a rule that turns names into lower case,
//! `SECRET/plan` would pass a rule about `secret/**`. So what judges paths judges the name of the file, too.
//!
//! A request whose own name is not safe (a drive letter, `..`, a control character) comes here as well, since only the
//! rules of a site know what it means: `C:\boot\bcd` is `boot/bcd` on a server whose map says so. What is not safe is not
//! repaired by accident: the name of the file must be as plain as any requested one, and must not be made of the
//! [stand-in](tuffet_request::names::stand_in) for the name. The whole chain judges it, for none of its plugins has seen a
//! name that it could judge.

use super::candidates::searched_roots;
use super::refusals::allowed;
use crate::generation::Generation;
use tuffet_engine::worker::Decision;
use tuffet_policy::Target;
use tuffet_request::events::DecisionRecord;
use tuffet_request::names::{UNSAFE, normalise};
use tuffet_request::{Operation, Request, SessionProfile};

/// Keeps the files whose names are safe. For an upload, only the first counts.
pub(super) fn keep_safe(targets: &mut Vec<Target>, operation: Operation) {
    if operation == Operation::Write {
        targets.truncate(1);
    }
    targets.retain(|target| is_safe(&target.path));
}

fn is_safe(path: &str) -> bool {
    !path.contains(UNSAFE) && normalise(path.as_bytes()).as_deref() == Ok(path)
}

/// Has `authorize` judge each file as if the client had requested it by its name: the plugins that judge paths, and for a
/// name that is not safe all. Returns `profile` with all of theirs.
///
/// # Errors
/// The decision, if one of the files is denied: which of them exists is not known yet.
pub(super) async fn judge(
    generation: &Generation,
    record: &mut DecisionRecord,
    targets: &[Target],
    profile: SessionProfile,
) -> Result<SessionProfile, Decision> {
    let policy = &generation.policy;
    let mut profile = profile;
    let is_unsafe = record.request.unsafe_name.is_some();
    // A write request has one target.
    let most = if record.request.operation == Operation::Write { 1 } else { targets.len() };
    for (number, target) in targets.iter().take(most).enumerate() {
        let any_case = generation.files.roots.is_any_case(&target.root);
        let is_own = !is_unsafe && target.path == record.request.path && any_case <= record.request.any_case;
        let covers = |before: &Target| {
            before.path == target.path && any_case <= generation.files.roots.is_any_case(&before.root)
        };
        let is_judged = is_own || targets[..number].iter().any(covers);
        if is_judged {
            continue;
        }
        let path = target.path.clone();
        let request = Request { unsafe_name: None, path, any_case, ..(*record.request).clone() };
        let deadline = policy.deadline();
        let authorization = match is_unsafe {
            true => policy.authorize(&request, deadline).await,
            false => policy.judge_file(&request, deadline).await,
        };
        record.plugin_calls += authorization.calls;
        match allowed(authorization.answer) {
            Ok(its) => profile = profile.and(its),
            Err(decision) => {
                record.verdict_by = authorization.by;
                return Err(decision);
            }
        }
        if let Some(path) = generation.files.roots.file_of_version(&target.root, &target.path) {
            let file = Request { path: path.to_owned(), ..request };
            profile = judge_as(generation, record, &file, profile).await?;
        }
    }
    Ok(profile)
}

/// Has `authorize` judge the file that a requested file is an earlier version of: a rule for `*.key` covers
/// `server.key.~1~`, which has what that file had.
///
/// # Errors
/// The decision, if that file is denied.
pub(super) async fn judge_file_of_version(
    generation: &Generation,
    record: &mut DecisionRecord,
    profile: SessionProfile,
) -> Result<SessionProfile, Decision> {
    let request = &*record.request;
    // Clients write no versions.
    if request.operation == Operation::Write || !request.path.ends_with('~') {
        return Ok(profile);
    }
    let (roots, served) = (&generation.files.roots, generation.negotiation.roots_of(&request.listener));
    let searched = searched_roots(roots, served, request);
    let Some(path) = searched.iter().find_map(|root| roots.file_of_version(root, &request.path)) else {
        return Ok(profile);
    };
    let file = Request { path: path.to_owned(), ..request.clone() };
    judge_as(generation, record, &file, profile).await
}

async fn judge_as(
    generation: &Generation,
    record: &mut DecisionRecord,
    file: &Request,
    profile: SessionProfile,
) -> Result<SessionProfile, Decision> {
    let policy = &generation.policy;
    let authorization = policy.authorize(file, policy.deadline()).await;
    record.plugin_calls += authorization.calls;
    match allowed(authorization.answer) {
        Ok(its) => Ok(profile.and(its)),
        Err(decision) => {
            record.verdict_by = authorization.by;
            Err(decision)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_names_are_kept() {
        let kept = |paths: &[&str], operation| {
            let target = |path: &&str| Target { root: "boot".into(), path: (*path).into() };
            let mut targets: Vec<Target> = paths.iter().map(target).collect();
            keep_safe(&mut targets, operation);
            targets.into_iter().map(|target| target.path).collect::<Vec<_>>()
        };
        let paths = [
            "C:/boot/bcd",
            "a/../b",
            "../b",
            "/a",
            "a//b",
            "./a",
            "a\\b",
            "a\nb",
            "a\0",
            "",
            "\u{fffd}/boot/bcd",
            "machines/\u{fffd}",
            "boot/bcd",
            "g\u{e4}nse",
        ];
        assert_eq!(kept(&paths, Operation::Read), ["boot/bcd", "g\u{e4}nse"]);
        assert_eq!(kept(&["boot/bcd", "b"], Operation::Write), ["boot/bcd"]);
        assert_eq!(kept(&["../b", "b"], Operation::Write), [""; 0]);
    }
}
