//! Files that plugins name for requests whose own names are not safe: with a drive letter, `..` or a control character.
//!
//! Policy gets such a request, since only its rules know what the name means: `C:\boot\bcd` is `boot/bcd` on a server
//! whose map says so. What is not safe is not repaired by accident: the name of the file must be as plain as any
//! requested one, and must not be made of the [stand-in](tuffet_request::names::stand_in) for the name.
//!
//! A rule of `authorize` about names cannot match the name as sent, so it judges the name of the file: otherwise
//! `C:\secret\plan` would pass a rule about `secret/**`.

use super::refusals::allowed;
use crate::generation::Generation;
use std::sync::Arc;
use tuffet_engine::worker::Decision;
use tuffet_policy::Target;
use tuffet_request::events::DecisionRecord;
use tuffet_request::names::{UNSAFE, normalise};
use tuffet_request::{Operation, SessionProfile};

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

/// Has `authorize` judge each file as if the client had requested it by its name. Returns `profile` with all of theirs.
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
    let mut request = (*record.request).clone();
    request.unsafe_name = None;
    let mut request = Arc::new(request);
    for (number, target) in targets.iter().enumerate() {
        if targets[..number].iter().any(|before| before.path == target.path) {
            continue;
        }
        Arc::make_mut(&mut request).path.clone_from(&target.path);
        let authorization = policy.authorize(&request, policy.deadline()).await;
        record.plugin_calls += authorization.calls;
        match allowed(authorization.verdict) {
            Ok(its) => profile = profile.and(its),
            Err(decision) => {
                record.verdict_by = authorization.by;
                return Err(decision);
            }
        }
    }
    Ok(profile)
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
