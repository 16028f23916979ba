//! The control side of a simulated worker: it decides late or never, refuses, or grants content that fails.

use super::world::later;
use crate::worker::{
    Content, Decision, Mailbox, NewRequest, Sink, Stored, Ticket, ToControl, ToWorker, UploadTimes,
};
use fastrand::Rng;
use std::collections::HashMap;
use std::fs::{self, File};
use std::sync::Arc;
use tempfile::TempDir;
use tuffet_core::{Limits, Operation, Time};
use tuffet_request::RootSpec;
use tuffet_request::events::{CompactRecord, DecisionRecord, Ending, Outcome};
use tuffet_request::{ClientClass, ErrorCode, Request, RequestId};
use tuffet_store::{Roots, StoreError};

/// The answer to requests for a name, and its delay.
#[derive(Debug, Clone)]
pub(super) struct Fate {
    /// Microseconds until the decision; `None`: not before the server stops.
    pub(super) after: Option<u64>,
    pub(super) answer: Answer,
}

#[derive(Debug, Clone)]
pub(super) enum Answer {
    /// Bytes in memory.
    Bytes(Arc<[u8]>),
    /// A file on disk.
    File(Arc<[u8]>),
    /// A file that is truncated to this many bytes while it is read.
    Shrinks(Arc<[u8]>, u64),
    /// An upload of at most this many bytes.
    Upload(u64),
    /// An upload that cannot be stored.
    CannotStore,
    Refuse,
    Drop,
    /// A plugin trapped, and `on-error` denies.
    Trap,
}

/// One for all seeds of a thread.
pub(super) struct Control {
    folder: TempDir,
    roots: Roots,
    pub(super) fates: HashMap<String, Fate>,
    /// Messages to the worker, and when to post them.
    pub(super) messages: Vec<(Time, ToWorker)>,
    /// Requests that are decided only after the server has stopped.
    undecided: Vec<NewRequest>,
    pub(super) admitted: u64,
    decided: u64,
    /// The longest duration of a read or write on the disk in microseconds. If it is 0, file contents are in
    /// memory.
    pub(super) slow: u64,
    /// Whether the classes of its clients are known to bear copies.
    pub(super) bears_duplicates: bool,
    random: Rng,
}

impl Control {
    pub(super) fn new() -> Control {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let read_only = RootSpec::read_only("root", folder.path());
        let spec = RootSpec { writable: true, overwrite: true, max_upload: 1 << 30, ..read_only };
        let roots = Roots::open(&[spec]).expect("the folder is there");
        Control {
            folder,
            roots,
            fates: HashMap::new(),
            messages: Vec::new(),
            undecided: Vec::new(),
            admitted: 0,
            decided: 0,
            slow: 0,
            bears_duplicates: true,
            random: Rng::new(),
        }
    }

    /// Resets for another world.
    pub(super) fn renew(&mut self, seed: u64) {
        self.random = Rng::with_seed(seed);
        for entry in fs::read_dir(self.folder.path()).expect("the folder is there").flatten() {
            let _ = fs::remove_file(entry.path());
        }
        self.fates.clear();
        self.messages.clear();
        (self.admitted, self.decided) = (0, 0);
    }

    /// The visible content under a name.
    pub(super) fn stored(&self, name: &str) -> Option<Vec<u8>> {
        fs::read(self.folder.path().join(name)).ok()
    }

    /// The names in the folder, including temporary files.
    pub(super) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).expect("the folder is there");
        entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    }

    pub(super) fn take(&mut self, now: Time, message: ToControl) {
        match message {
            ToControl::Request(new) => {
                self.admitted += 1;
                let name = String::from_utf8_lossy(&new.name).into_owned();
                match self.fates.get(&name).and_then(|fate| fate.after) {
                    None => self.undecided.push(new),
                    Some(after) => {
                        let message = self.decide(&name, new);
                        self.messages.push((later(now, after), message));
                    }
                }
            }
            ToControl::Store { key, upload, record, .. } => {
                let fails = matches!(
                    self.fates.get(&record.expand().request.path).map(|fate| &fate.answer),
                    Some(Answer::CannotStore)
                );
                let result = if fails {
                    drop(upload);
                    Err(StoreError::NoSpace(std::io::ErrorKind::StorageFull.into()))
                } else {
                    upload.commit()
                };
                let stored = Stored { result, record: None };
                self.messages.push((later(now, 2_000), ToWorker::Stored { key, stored }));
            }
            ToControl::Disk { work, .. } => {
                let after = self.random.u64(0..=self.slow);
                self.messages.push((later(now, after), ToWorker::Disk(work.run())));
            }
            ToControl::Discard(upload) => drop(upload),
            ToControl::Close(content) => drop(content),
            ToControl::Counted { .. } => {}
            ToControl::Join(_) | ToControl::Member { .. } | ToControl::ToWorker { .. } => {
                unreachable!("no decision in these worlds names a group")
            }
        }
    }

    /// The worker has ended: requests decided now still get their outcome.
    pub(super) fn stop(&mut self, mailbox: &Mailbox) {
        for new in std::mem::take(&mut self.undecided) {
            let name = String::from_utf8_lossy(&new.name).into_owned();
            let message = self.decide(&name, new);
            self.messages.push((Time::NEVER, message));
        }
        for (_, message) in self.messages.drain(..) {
            mailbox.post(message).expect("a closed mailbox wakes no worker");
        }
    }

    fn decide(&mut self, name: &str, new: NewRequest) -> ToWorker {
        self.decided += 1;
        let answer = self.fates.get(name).map(|fate| fate.answer.clone()).unwrap_or(Answer::Refuse);
        let decision = self.decision(name, &new, answer);
        let request = Request {
            id: RequestId(self.decided),
            listener: "sim".into(),
            operation: new.operation,
            mode: new.mode,
            client: new.peer,
            class: ClientClass::guess(new.operation, name, &[]),
            ..Request::sample(name)
        };
        let record = DecisionRecord {
            requested_options: new.requested,
            decided_after: Some(new.received.elapsed()),
            size: decision.size(new.requested.tsize),
            ..DecisionRecord::new(Arc::new(request), new.received)
        };
        let ticket = Ticket { record: Arc::new(CompactRecord::from(&record)), place: new.place };
        ToWorker::Decided { key: new.key, ticket, share: new.share, decision }
    }

    fn decision(&self, name: &str, new: &NewRequest, answer: Answer) -> Decision {
        let grant = |content| Decision::Grant { content, limits: self.limits(), settings: None, group: None };
        let refuse = |code, outcome| Decision::Refuse {
            code,
            message: "refused".into(),
            ending: Ending::new(outcome, "refused"),
        };
        match (answer, new.operation) {
            (Answer::Bytes(bytes), Operation::Read) => grant(Content::Bytes(bytes.into())),
            (Answer::File(bytes), Operation::Read) => grant(self.file(name, &bytes)),
            (Answer::Shrinks(bytes, to), Operation::Read) => {
                let content = self.file(name, &bytes);
                let file = File::options().write(true).open(self.folder.path().join(name));
                file.and_then(|file| file.set_len(to)).expect("it is there");
                grant(content)
            }
            (Answer::Upload(limit), Operation::Write) => self.upload(name, limit),
            (Answer::CannotStore, Operation::Write) => self.upload(name, u64::MAX),
            (Answer::Drop, _) => Decision::Drop { ending: Ending::new(Outcome::Denied, "dropped by policy") },
            (Answer::Trap, _) => refuse(ErrorCode::NotDefined, Outcome::Failed),
            _ => refuse(ErrorCode::AccessViolation, Outcome::Denied),
        }
    }

    fn file(&self, name: &str, bytes: &[u8]) -> Content {
        fs::write(self.folder.path().join(name), bytes).expect("there is room");
        let file = self.roots.open_read(None, name).expect("it was written");
        // Nothing of a file on a slow disk is in memory.
        Content::file(Arc::new(if self.slow > 0 { file.not_in_place() } else { file }))
    }

    fn upload(&self, name: &str, limit: u64) -> Decision {
        let mut upload = self.roots.create(None, name).expect("a writable folder");
        upload.lower_limit(limit);
        let content = Content::Upload(Box::new(Sink::new(upload, false, UploadTimes::default())));
        Decision::Grant { content, limits: self.limits(), settings: None, group: None }
    }

    fn limits(&self) -> Limits {
        Limits {
            bears_duplicates: self.bears_duplicates,
            bears_repeated_oack: self.bears_duplicates,
            ..Limits::default()
        }
    }
}
