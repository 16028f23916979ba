//! Finds the reason why a file is absent: a missing folder, or a name that differs only in case.
//!
//! The result completes the log line about a missing file, but costs reading folders. So only the first refusals of a
//! surge are searched, on threads of the root and with a separate deadline: made-up names cannot occupy a disk, and a
//! hanging disk costs no client its answer.

use super::candidates::Candidates;
use super::pending::RequestSlot;
use super::refusals::refused;
use crate::events::Surge;
use crate::explanation::{SERVED_IN_ANY_CASE, STORED_AS_LATIN_1};
use crate::generation::Generation;
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::time::{Instant, sleep};
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

/// Refuses a request because of an error. A plugin that only allowed it has not decided.
pub(super) fn refuse(
    slot: &RequestSlot,
    candidates: &Candidates,
    tried_count: usize,
    error: &StoreError,
    found: &Findings,
) {
    let Some(mut pending) = slot.take() else { return };
    let (decision, tried) = refusal(candidates, tried_count, error, found);
    pending.record.tried = tried.map(Arc::new);
    pending.record.verdict_by = candidates.named_by().cloned();
    pending.conclude(decision);
}

/// Returns the decision for an error, and the tried candidates.
pub(super) fn refusal(
    candidates: &Candidates,
    tried_count: usize,
    error: &StoreError,
    found: &Findings,
) -> (Decision, Option<Tried>) {
    let (mut tried, mut decision) = (candidates.tried(tried_count), refused(error));
    if let Decision::Refuse { ending: Ending { detail: Some(detail), .. }, .. } = &mut decision {
        found.explain(error, candidates.request(), detail.to_mut(), tried.as_mut());
    }
    (decision, tried)
}

/// The search for a refused request, one candidate after the other.
pub(super) struct AbsenceSearch {
    generation: Arc<Generation>,
    slot: RequestSlot,
    candidates: Arc<Candidates>,
    /// The number of tried candidates.
    tried: usize,
    /// The next candidate.
    next: usize,
    error: StoreError,
    found: Findings,
}

impl AbsenceSearch {
    pub(super) fn new(
        generation: Arc<Generation>,
        slot: RequestSlot,
        candidates: Arc<Candidates>,
        tried: usize,
        error: StoreError,
    ) -> AbsenceSearch {
        AbsenceSearch { generation, slot, candidates, tried, next: 0, error, found: Findings::default() }
    }

    /// Refuses the request without findings when the time limit passes.
    pub(super) fn refuse_in_time(&self, runtime: &Handle) {
        let (slot, candidates, tried) = (self.slot.clone(), Arc::clone(&self.candidates), self.tried);
        let error = copy_of(&self.error);
        runtime.spawn(async move {
            sleep(TIME_LIMIT).await;
            refuse(&slot, &candidates, tried, &error, &Findings::default());
        });
    }

    /// Searches the next candidate; after the last one, refuses the request.
    pub(super) fn search_next(self) {
        let most = self.tried.min(MAX_CANDIDATES);
        let next = self.candidates.get(self.next).filter(|_| self.next < most);
        let disk = next.and_then(|(root, _)| self.generation.files.roots.disk(root)).map(Arc::clone);
        let Some(disk) = disk else {
            return refuse(&self.slot, &self.candidates, self.tried, &self.error, &self.found);
        };
        let (slot, candidates, tried) = (self.slot.clone(), Arc::clone(&self.candidates), self.tried);
        // The searching thread owns the error.
        let error = copy_of(&self.error);
        let undone = move |_| refuse(&slot, &candidates, tried, &error, &Findings::default());
        let client = self.generation.client_of(self.candidates.request());
        disk.submit(Lane::Open, client, TIME_LIMIT, move || self.search(), undone);
    }

    /// Blocks on the disk.
    fn search(mut self) {
        if let Some((root, path)) = self.candidates.get(self.next) {
            let operation = self.candidates.request().operation;
            self.found.add(root, absence(&self.generation.files.roots, root, path, operation));
        }
        self.next += 1;
        self.search_next();
    }
}

/// Returns why a candidate is absent. Blocks on the disk.
pub(super) fn absence(roots: &Roots, root: &str, path: &str, operation: Operation) -> Absence {
    let sought = if operation == Operation::Read { Sought::File } else { Sought::FolderOf };
    roots.absence(root, path, sought)
}

fn copy_of(error: &StoreError) -> StoreError {
    match error {
        StoreError::NoFolder(folder) => StoreError::NoFolder(folder.clone()),
        StoreError::Spelling => StoreError::Spelling,
        _ => StoreError::NotFound,
    }
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

    /// Completes the reason of a refusal.
    pub(super) fn explain(
        &self,
        error: &StoreError,
        request: &Request,
        reason: &mut String,
        tried: Option<&mut Tried>,
    ) {
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
        if let Some(tried) = tried {
            others.iter().for_each(|(root, path)| tried.add_other_case(root, path));
        }
    }
}
