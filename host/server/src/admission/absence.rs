//! Finds the reason why a file is absent: a missing folder, or a name that differs only in case.
//!
//! The result completes the log line about a missing file, but costs reading folders. So only the first refusals of a
//! surge are searched, on threads of the root and with a separate deadline: made-up names cannot occupy a disk, and a
//! hanging disk costs no client its answer.

use super::open_file::CandidateCursor;
use super::refusals::refused;
use crate::events::Surge;
use crate::explanation::{SERVED_IN_ANY_CASE, STORED_AS_LATIN_1};
use crate::generation::Generation;
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout};
use tuffet_engine::worker::Decision;
use tuffet_request::events::{Ending, Tried};
use tuffet_request::{Operation, Request, names};
use tuffet_store::{Absence, Lane, Roots, Sought, StoreError};

/// Searches per second.
const MAX_PER_SECOND: u64 = 20;

/// Searched candidates per request.
const MAX_CANDIDATES: usize = 4;

/// How long a search may delay the answer.
const TIME_LIMIT: Duration = Duration::from_millis(100);

/// Limits the rate of searches.
pub(crate) struct AbsenceSearches(Mutex<Surge>);

impl AbsenceSearches {
    pub(crate) fn new() -> AbsenceSearches {
        AbsenceSearches(Mutex::new(Surge::new(MAX_PER_SECOND, Instant::now())))
    }

    /// Whether one more refusal is searched.
    pub(super) fn take(&self) -> bool {
        self.0.lock().has_line(Instant::now())
    }
}

/// Whether the error means that a file or folder is absent.
pub(super) fn is_absence(error: &StoreError) -> bool {
    matches!(error, StoreError::NotFound | StoreError::NoFolder(_) | StoreError::Spelling)
}

/// Searches the candidates that were tried. Finds nothing if a disk takes long.
pub(super) async fn find_reason(generation: &Arc<Generation>, cursor: &CandidateCursor) -> Findings {
    timeout(TIME_LIMIT, find_all(generation, cursor)).await.ok().flatten().unwrap_or_default()
}

async fn find_all(generation: &Arc<Generation>, cursor: &CandidateCursor) -> Option<Findings> {
    let (candidates, mut found) = (cursor.candidates(), Findings::default());
    let operation = candidates.request().operation;
    let client = generation.client_of(candidates.request());
    for number in 0..cursor.tried_count().min(MAX_CANDIDATES) {
        let Some((root, path)) = candidates.get(number) else { break };
        let Some(disk) = generation.files.roots.disk(root) else { break };
        let (its, name, path) = (Arc::clone(generation), Arc::clone(root), path.to_owned());
        let search = move || absence(&its.files.roots, &name, &path, operation);
        found.add(root, disk.run(Lane::Open, client, TIME_LIMIT, search).await.ok()?);
    }
    Some(found)
}

/// Returns why a candidate is absent. Blocks on the disk.
pub(super) fn absence(roots: &Roots, root: &str, path: &str, operation: Operation) -> Absence {
    let sought = if operation == Operation::Read { Sought::File } else { Sought::FolderOf };
    roots.absence(root, path, sought)
}

/// Says that the file is there without these folders, and with which key a root serves it under this name.
pub(super) fn without_prefix(root: &str, prefix: &str, request: &Request) -> String {
    let is_of_client = request.path.strip_prefix(prefix).is_some_and(|rest| rest.starts_with('/'));
    if is_of_client && names::is_absolute(request.requested.as_bytes()) {
        format!(
            "without /{prefix} in front the file is in the root {root}: `also-at: [/{prefix}]` of that root serves it"
        )
    } else {
        format!("without {prefix}/ in front the file is in the root {root}")
    }
}

/// The results of searches.
#[derive(Default)]
pub(super) struct Findings(Vec<(Arc<str>, Absence)>);

impl Findings {
    pub(super) fn add(&mut self, root: &Arc<str>, absence: Absence) {
        self.0.push((Arc::clone(root), absence));
    }

    /// Returns the decision for an error, with what was found in its reason.
    pub(super) fn refuse(&self, error: &StoreError, request: &Request) -> Decision {
        let mut decision = refused(error);
        if let Decision::Refuse { ending: Ending { detail: Some(detail), .. }, .. } = &mut decision {
            self.explain(error, request, detail.to_mut());
        }
        decision
    }

    /// Adds the names that differ in case alone.
    pub(super) fn add_to(&self, tried: &mut Tried) {
        for (root, found) in &self.0 {
            if let Some(path) = &found.other_case {
                tried.add_other_case(root, path);
            }
        }
    }

    /// Completes the reason of a refusal.
    fn explain(&self, error: &StoreError, request: &Request, reason: &mut String) {
        // The reason of this error names the folder already.
        let folders = !matches!(error, StoreError::NoFolder(_));
        for (root, _) in self.0.iter().filter(|(_, its)| its.of_root) {
            reason.push_str(&format!("; the folder of the root {root} does not exist yet"));
        }
        let mut missing = self.0.iter().filter_map(|(root, its)| Some((root, its.folder.as_ref()?)));
        if let Some((root, folder)) = missing.next().filter(|_| folders) {
            reason.push_str(&format!("; the folder {root}:{folder} does not exist"));
        }
        let others = self.0.iter().filter_map(|(root, its)| Some((root, its.other_case.as_ref()?)));
        let others: Vec<_> = others.collect();
        if let Some((root, path)) = others.first() {
            reason.push_str(&format!(
                "; {root}:{path} differs in upper and lower case alone{SERVED_IN_ANY_CASE}"
            ));
        }
        let mut prefixed = self.0.iter().filter_map(|(root, its)| Some((root, its.prefix.as_ref()?)));
        let mut near = self.0.iter().filter_map(|(root, its)| Some((root, its.nearest.as_ref()?)));
        if let Some((root, prefix)) = prefixed.next() {
            reason.push_str(&format!("; {}", without_prefix(root, prefix, request)));
        } else if let Some((root, path)) = near.next().filter(|_| others.is_empty()) {
            reason.push_str(&format!("; did you mean {root}:{path}?"));
        }
        let stored = self.0.iter().find_map(|(root, its)| Some((root, its.latin_1.as_ref()?)));
        if let Some((root, path)) = stored {
            reason.push_str(&format!("; {root}:{path} {STORED_AS_LATIN_1}"));
        }
    }
}
