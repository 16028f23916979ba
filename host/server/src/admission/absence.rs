//! A second look after a refusal: which folder is missing, and whether the same letters in another case are there.
//!
//! It answers the question that a log line about a missing file leaves open, and costs reading folders. So it is for
//! the first refusals of each surge alone, on threads of the root, with a deadline of its own: made-up names cost
//! nobody a disk, and a disk that hangs costs no client its answer.

use super::candidates::Candidates;
use super::file_search::{RequestSlot, refuse};
use crate::events::Surge;
use crate::generation::Generation;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::time::{Instant, sleep};
use tuffet_request::Operation;
use tuffet_request::events::Tried;
use tuffet_store::{Absence, Lane, Roots, Sought, StoreError};

/// How many refusals of a second get a second look.
const MAX_PER_SECOND: u64 = 20;

/// How many candidates of a request are looked at.
const MAX_CANDIDATES: usize = 4;

/// How long the client waits for its answer because of a look.
const TIME_LIMIT: Duration = Duration::from_millis(100);

/// Bounds how often folders are read.
pub(crate) struct AbsenceSearches(Mutex<Surge>);

impl AbsenceSearches {
    pub(crate) fn new() -> AbsenceSearches {
        AbsenceSearches(Mutex::new(Surge::new(MAX_PER_SECOND, Instant::now())))
    }

    /// Whether one more refusal gets a look.
    pub(super) fn take(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).has_line(Instant::now())
    }
}

/// Whether the error means that something is not there.
pub(super) fn is_absence(error: &StoreError) -> bool {
    matches!(error, StoreError::NotFound | StoreError::NoFolder(_) | StoreError::Spelling)
}

/// A refused request while the roots are looked at, one after the other.
pub(super) struct AbsenceSearch {
    generation: Arc<Generation>,
    slot: RequestSlot,
    candidates: Arc<Candidates>,
    /// How many of them were tried.
    tried: usize,
    /// The next one to be looked at.
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

    /// Refuses the request without findings if looking takes too long.
    pub(super) fn refuse_in_time(&self, runtime: &Handle) {
        let (slot, candidates, tried) = (Arc::clone(&self.slot), Arc::clone(&self.candidates), self.tried);
        let error = copy_of(&self.error);
        runtime.spawn(async move {
            sleep(TIME_LIMIT).await;
            refuse(&slot, &candidates, tried, &error, &Findings::default());
        });
    }

    /// Looks at the next candidate; after the last one, refuses the request.
    pub(super) fn search_next(self) {
        let most = self.tried.min(MAX_CANDIDATES);
        let next = self.candidates.get(self.next).filter(|_| self.next < most);
        let disk = next.and_then(|(root, _)| self.generation.files.roots.disk(root)).map(Arc::clone);
        let Some(disk) = disk else {
            return refuse(&self.slot, &self.candidates, self.tried, &self.error, &self.found);
        };
        let (slot, candidates, tried) = (Arc::clone(&self.slot), Arc::clone(&self.candidates), self.tried);
        // Without what the look would have found; the error itself is with the thread that looks.
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

/// Why a candidate is not there. Blocks on the disk.
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

/// What looks have found.
#[derive(Default)]
pub(super) struct Findings(Vec<(Arc<str>, Absence)>);

impl Findings {
    pub(super) fn add(&mut self, root: &Arc<str>, absence: Absence) {
        self.0.push((Arc::clone(root), absence));
    }

    /// Completes the reason of a refusal.
    pub(super) fn explain(&self, error: &StoreError, reason: &mut String, tried: Option<&mut Tried>) {
        // An upload's folder is in its reason already.
        let folders = !matches!(error, StoreError::NoFolder(_));
        let mut missing = self.0.iter().filter_map(|(root, its)| Some((root, its.folder.as_ref()?)));
        if let Some((root, folder)) = missing.next().filter(|_| folders) {
            reason.push_str(&format!("; the folder {root}:{folder} does not exist"));
        }
        let others = self.0.iter().filter_map(|(root, its)| Some((root, its.other_case.as_ref()?)));
        let others: Vec<_> = others.collect();
        if let Some((root, path)) = others.first() {
            reason.push_str(&format!("; {root}:{path} differs in upper and lower case alone"));
        }
        if let Some(tried) = tried {
            others.iter().for_each(|(root, path)| tried.add_other_case(root, path));
        }
    }
}
