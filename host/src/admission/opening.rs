//! Opening what policy chose, on threads that one hung root cannot take away from the others.
//!
//! Roots are asked one after the other. While a root answers at once, the thread that decides opens the file itself:
//! handing it over would cost more than the open. As soon as an open of a root takes its time, further ones go to the
//! threads of that root and wait there, for as long as a decision may take. Then the request is dropped, so that its
//! client asks again; what the open comes to later is closed unseen.

use super::open::{Opened, Wanted, content, refused};
use super::plan::Plan;
use super::undecided::{Undecided, internal_error};
use crate::generation::Generation;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tuffet_engine::worker::Decision;
use tuffet_request::What;
use tuffet_request::events::{Ending, Outcome};
use tuffet_store::{Lane, StoreError, Undone};

/// A request whose file is being opened.
pub(super) struct Opening {
    wanted: Wanted,
    generation: Arc<Generation>,
    began: Instant,
    /// Whoever takes it decides the request: the thread that opens the file, or the one that finds it too late. Held
    /// by nothing else, so that a thread that hangs keeps neither the request nor the server.
    undecided: Arc<Mutex<Option<Undecided>>>,
    /// What the roots so far answered, none of which has the file.
    absent: Option<StoreError>,
}

impl Undecided {
    /// The second and the third stage: opens what policy chose, and posts the decision. Blocks on the disk for a
    /// moment at most while it answers; after that other threads go on with it.
    pub(super) fn open(mut self, plan: Plan) {
        let (targets, ceilings) = match plan {
            Plan::Answer(decision) => return self.conclude(decision),
            Plan::Content { bytes, ceilings } => {
                let opened = content(&self.record.request, bytes);
                let decision = self.granted(opened, &ceilings);
                return self.conclude(decision);
            }
            Plan::Open { targets, ceilings } => (targets, ceilings),
        };
        let (generation, record) = (Arc::clone(&self.generation), &self.record);
        let request = Arc::clone(&record.request);
        let wanted =
            Wanted::new(&generation.files, request, targets, record.requested_options.tsize, ceilings);
        let undecided = Arc::new(Mutex::new(Some(self)));
        let began = Instant::now();
        Opening { wanted, generation, began, undecided, absent: None }.go_on();
    }
}

impl Opening {
    /// Asks the next root, on this thread or on one of its own.
    fn go_on(mut self) {
        let Some((root, path)) = self.wanted.next() else {
            let absent = self.absent.take().unwrap_or_else(|| self.wanted.nowhere());
            return self.decide(Err(absent));
        };
        let Some(disk) = self.generation.files.roots.disk(&root).map(Arc::clone) else {
            return self.decide(Err(StoreError::UnknownRoot(root.to_string())));
        };
        let within = self.generation.open_time;
        let left = within.saturating_sub(self.began.elapsed());
        let (slot, its) = (Arc::clone(&self.undecided), Arc::clone(&root));
        let undone = Box::new(move |why| give_up(&slot, why, &its, within));
        match disk.enter(left, undone) {
            Ok(entered) => {
                let opened = catch_unwind(AssertUnwindSafe(|| self.ask(&root, &path)));
                drop(entered);
                match opened {
                    Ok(opened) => self.after(opened),
                    Err(_) => give_up(&self.undecided, Undone::Panicked, &root, within),
                }
            }
            Err(undone) => {
                let work = move || {
                    let opened = self.ask(&root, &path);
                    self.after(opened);
                };
                disk.submit(Lane::Open, left, work, undone);
            }
        }
    }

    /// Blocks on the disk.
    fn ask(&self, root: &str, path: &str) -> Result<Opened, StoreError> {
        self.wanted.open(&self.generation.files, root, path)
    }

    fn after(mut self, opened: Result<Opened, StoreError>) {
        match opened {
            Err(StoreError::NotFound) => {
                self.absent.get_or_insert(StoreError::NotFound);
                self.go_on();
            }
            Err(StoreError::Spelling) => {
                self.absent = Some(StoreError::Spelling);
                self.go_on();
            }
            decided => self.decide(decided),
        }
    }

    fn decide(self, opened: Result<Opened, StoreError>) {
        let request = self.wanted.request();
        if let Some(trail) = &request.trail {
            let noted = opened.as_ref().map(|opened| opened.resolved()).map_err(ToString::to_string);
            trail.step(self.began, What::Open(noted));
        }
        // Too late: somebody else has decided. What was opened is closed here, on a thread that may wait for it.
        let Some(mut undecided) = take(&self.undecided) else { return };
        let decision = undecided.granted(opened.map_err(|error| refused(&error)), self.wanted.ceilings());
        undecided.conclude(decision);
    }
}

/// Decides a request whose file is not open yet.
fn give_up(slot: &Mutex<Option<Undecided>>, why: Undone, root: &str, within: Duration) {
    let Some(undecided) = take(slot) else { return };
    let detail = match why {
        Undone::Panicked => return undecided.conclude(internal_error()),
        Undone::Late => {
            let within = humantime::format_duration(within);
            format!("root `{root}` did not open the file within {within} (`limits.open-time`)")
        }
        Undone::NoThread => format!("the system has no thread to open a file of root `{root}`"),
        Undone::Full => format!("too many requests wait for root `{root}`"),
    };
    undecided.conclude(Decision::Drop { ending: Ending::new(Outcome::Failed, detail) });
}

fn take(slot: &Mutex<Option<Undecided>>) -> Option<Undecided> {
    slot.lock().unwrap_or_else(PoisonError::into_inner).take()
}
