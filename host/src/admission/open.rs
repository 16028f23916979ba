//! The disk's part of a decision: opens the file of a transfer. Blocks.

use super::plan::{Plan, denied};
use super::undecided::Undecided;
use crate::generation::{Files, Generation};
use std::sync::Arc;
use std::time::Instant;
use tuffet_core::Limits;
use tuffet_core::netascii::Encoder;
use tuffet_engine::worker::{Content, Decision, NetasciiFile, Sink, outcome_of_store_error};
use tuffet_policy::Target;
use tuffet_request::What;
use tuffet_request::events::{Ending, Outcome};
use tuffet_request::{Ceilings, ClientClass, Denial, ErrorCode, Mode, Operation, Request};
use tuffet_store::{OpenFile, Roots, StoreError};

impl Undecided {
    pub(super) fn carry_out(&mut self, plan: Plan) -> Decision {
        let Undecided { generation, record, .. } = self;
        let request = &*record.request;
        let (opened, ceilings) = match plan {
            Plan::Answer(decision) => return decision,
            Plan::Content { bytes, ceilings } => (content(request, bytes), ceilings),
            Plan::Open { targets, ceilings } => {
                let announced = record.requested_options.tsize;
                let opened = generation.files.open_noted(request, &targets, announced, ceilings.bytes);
                (opened.map_err(|error| refused(&error)), ceilings)
            }
        };
        match opened.and_then(|opened| within(opened, &ceilings)) {
            Ok(Opened { content, resolved }) => {
                let limits = generation.lowered(&ceilings, request.class);
                record.resolved = Some(resolved);
                Decision::Grant { content, limits }
            }
            Err(decision) => decision,
        }
    }
}

impl Generation {
    fn lowered(&self, ceilings: &Ceilings, class: ClientClass) -> Limits {
        Limits {
            blksize: ceilings.blksize.map_or(self.limits.blksize, |most| most.min(self.limits.blksize)),
            windowsize: ceilings
                .windowsize
                .map_or(self.limits.windowsize, |most| most.min(self.limits.windowsize))
                .min(class.most_window()),
            burst: self.limits.burst,
        }
    }
}

struct Opened {
    content: Content,
    /// For the log: `ROOT:PATH`, or `content`.
    resolved: Arc<str>,
}

impl Files {
    /// As [`Files::open`], noted for the trace of the request.
    fn open_noted(
        &self,
        request: &Request,
        targets: &[Target],
        announced: Option<u64>,
        most: Option<u64>,
    ) -> Result<Opened, StoreError> {
        let Some(trail) = &request.trail else { return self.open(request, targets, announced, most) };
        let began = Instant::now();
        let opened = self.open(request, targets, announced, most);
        let noted = opened.as_ref().map(|opened| Arc::clone(&opened.resolved)).map_err(ToString::to_string);
        trail.step(began, What::Open(noted));
        opened
    }

    /// Opens a file; without targets, the path is looked up in the roots. Blocks on the disk.
    fn open(
        &self,
        request: &Request,
        targets: &[Target],
        announced: Option<u64>,
        most: Option<u64>,
    ) -> Result<Opened, StoreError> {
        match request.operation {
            Operation::Read => self.open_read(request, targets),
            Operation::Write => self.open_write(request, targets, announced, most),
        }
    }

    fn open_read(&self, request: &Request, targets: &[Target]) -> Result<Opened, StoreError> {
        let file = match targets {
            [] => self.roots.open_read(None, &request.path)?,
            targets => first_existing(&self.roots, targets)?,
        };
        let resolved = format!("{}:{}", file.root(), file.path()).into();
        let file = Arc::new(file);
        let content = match request.mode {
            Mode::Octet => match self.cache.content(&file).map_err(StoreError::Io)? {
                Some(bytes) => Content::Bytes(bytes),
                None => Content::File(file, false),
            },
            Mode::Netascii => Content::Netascii(Box::new(NetasciiFile::new(file).map_err(StoreError::Io)?)),
        };
        Ok(Opened { content, resolved })
    }

    fn open_write(
        &self,
        request: &Request,
        targets: &[Target],
        announced: Option<u64>,
        most: Option<u64>,
    ) -> Result<Opened, StoreError> {
        let (root, path) = match targets {
            [] => (self.roots.of_uploads()?, &request.path),
            [target, ..] => (&*target.root, &target.path),
        };
        let writing = self.uploads.begin(root, path).map_err(|running| StoreError::Busy { running })?;
        let mut upload = self.roots.create(Some(root), path)?;
        upload.count(writing);
        if let Some(most) = most {
            upload.lower_limit(most);
        }
        // Netascii grows on the wire, so what is announced may still fit.
        if request.mode == Mode::Octet && announced.is_some_and(|bytes| bytes > upload.limit()) {
            return Err(StoreError::TooLarge { limit: upload.limit() });
        }
        let resolved = format!("{}:{}", upload.root(), upload.path()).into();
        let sink = Sink::new(upload, request.mode == Mode::Netascii);
        Ok(Opened { content: Content::Upload(Box::new(sink)), resolved })
    }
}

fn first_existing(roots: &Roots, targets: &[Target]) -> Result<OpenFile, StoreError> {
    let mut absent = StoreError::NotFound;
    for target in targets {
        match roots.open_read(Some(&target.root), &target.path) {
            Err(StoreError::NotFound) => {}
            Err(StoreError::Spelling) => absent = StoreError::Spelling,
            opened => return opened,
        }
    }
    Err(absent)
}

/// Content that a plugin made.
fn content(request: &Request, bytes: Arc<[u8]>) -> Result<Opened, Decision> {
    if request.operation == Operation::Write {
        return Err(Decision::Refuse {
            code: ErrorCode::NotDefined,
            message: "policy failure".into(),
            ending: Ending::new(Outcome::Failed, "a plugin answered a write request with content"),
        });
    }
    let bytes = match request.mode {
        Mode::Octet => bytes,
        Mode::Netascii => {
            let mut wire = vec![0; bytes.len() + Encoder::growth(&bytes) as usize];
            Encoder::default().encode(&bytes, &mut wire);
            wire.into()
        }
    };
    Ok(Opened { content: Content::Bytes(bytes), resolved: "content".into() })
}

/// Policy's ceiling on the bytes of a file that is read.
fn within(opened: Opened, ceilings: &Ceilings) -> Result<Opened, Decision> {
    match (opened.content.size(), ceilings.bytes) {
        (Some(size), Some(most)) if size > most => Err(denied(Denial {
            code: ErrorCode::AccessViolation,
            message: "the file is larger than policy allows".into(),
            reason: format!("the file has {size} bytes and policy allows {most}"),
        })),
        _ => Ok(opened),
    }
}

/// What can be opened in a moment is not refused but left without an answer, so that the client asks again.
fn refused(error: &StoreError) -> Decision {
    if let StoreError::Exhausted(_) = error {
        return Decision::Drop { ending: Ending::new(outcome_of_store_error(error), error.to_string()) };
    }
    let Denial { code, message, reason } = error.denial();
    Decision::Refuse { code, message, ending: Ending::new(outcome_of_store_error(error), reason) }
}
