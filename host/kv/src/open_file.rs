//! The open file of keys: for this process alone, or shared with another process of the same server.
//!
//! During a restart without a gap, two processes of a server use the file for minutes. Both open it in a mode of redb that
//! serialises the transactions of several processes. Otherwise the file is locked as a whole, so that a second server
//! with the same folder fails at its start instead of mixing its keys with ours.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{RwLock, RwLockReadGuard};
use redb::{
    ConcurrencyMode, Database, DatabaseError, ReadableDatabase, TableError, TransactionError,
    WriteTransaction,
};

use super::KvOpenError;
use super::tables::{KEYS, REVISIONS};

/// Memory for pages of the file, in bytes.
const CACHE_BYTES: usize = 16 << 20;
/// How long an operation waits for another process of the server.
const PATIENCE: Duration = Duration::from_secs(5);
/// The pause between two attempts.
const PAUSE: Duration = Duration::from_millis(1);
/// How long a failed attempt to open the file counts for other operations, which would each wait as long.
const FAILURE_COUNTS: Duration = Duration::from_secs(1);

/// The file of keys, and how this process has it open.
#[derive(Debug)]
pub(super) struct KvFile {
    path: PathBuf,
    state: RwLock<State>,
    /// The number of times that this process has opened the file.
    opened: AtomicU64,
}

#[derive(Debug)]
struct State {
    /// Whether another process of the server may have the file open.
    shared: bool,
    open: Option<Open>,
    /// When it could not be opened, and why.
    failed: Option<(Instant, String)>,
}

/// The file while it is open.
#[derive(Debug)]
pub(super) struct Open {
    pub(super) database: Database,
    /// Whether another process of the server may change it.
    pub(super) shared: bool,
    /// Differs from that of any earlier opening.
    pub(super) number: u64,
}

impl KvFile {
    /// Opens or creates the file for this process alone.
    ///
    /// # Errors
    /// Another process has it open, or it cannot be read.
    pub(super) fn open(path: PathBuf) -> Result<KvFile, KvOpenError> {
        let file = KvFile::new(path, false);
        let open = file.open_as(false)?;
        file.state.write().open = Some(open);
        Ok(file)
    }

    /// Returns a file that another process of the server may use too. It is opened at the first use: until then, the
    /// other process may have it for itself.
    pub(super) fn shared(path: PathBuf) -> KvFile {
        KvFile::new(path, true)
    }

    fn new(path: PathBuf, shared: bool) -> KvFile {
        let state = State { shared, open: None, failed: None };
        KvFile { path, state: RwLock::new(state), opened: AtomicU64::new(0) }
    }

    /// Lets other processes of the server use the file. Blocks until operations of this process have ended.
    pub(super) fn share(&self) {
        let mut state = self.state.write();
        if !std::mem::replace(&mut state.shared, true) {
            // Closes it.
            state.open = None;
            // If this fails, the next operation tries again.
            let _ = self.ensure_open(&mut state);
        }
    }

    /// Takes the file for this process alone. Returns false, and continues to share it, if another process has it open.
    pub(super) fn own(&self) -> bool {
        let mut state = self.state.write();
        if !state.shared {
            return true;
        }
        // Closes it.
        state.open = None;
        state.failed = None;
        match self.open_as(false) {
            Ok(open) => {
                state.shared = false;
                state.open = Some(open);
            }
            Err(error) => {
                tracing::debug!(target: "tuffet::kv::file", %error, "the plugins' keys are still shared");
                let _ = self.ensure_open(&mut state);
            }
        }
        !state.shared
    }

    /// Runs `work` on the open file; opens it if necessary.
    ///
    /// # Errors
    /// Why it cannot be opened.
    pub(super) fn with<T>(&self, work: impl FnOnce(&Open) -> T) -> Result<T, String> {
        let state = self.state.read();
        if let Some(open) = &state.open {
            return Ok(work(open));
        }
        drop(state);
        let mut state = self.state.write();
        self.ensure_open(&mut state)?;
        let state = parking_lot::RwLockWriteGuard::downgrade(state);
        let open = RwLockReadGuard::map(state, |state| state.open.as_ref().expect("it was just opened"));
        Ok(work(&open))
    }

    /// Opens the file unless it is open; waits for a process that has it for itself.
    fn ensure_open(&self, state: &mut State) -> Result<(), String> {
        if state.open.is_some() {
            return Ok(());
        }
        if let Some((when, why)) = &state.failed
            && when.elapsed() < FAILURE_COUNTS
        {
            return Err(why.clone());
        }
        let end = Instant::now() + PATIENCE;
        let opened = loop {
            match self.open_as(state.shared) {
                Err(KvOpenError::InUse(_)) if Instant::now() < end => std::thread::sleep(PAUSE),
                opened => break opened,
            }
        };
        match opened {
            Ok(open) => {
                (state.open, state.failed) = (Some(open), None);
                Ok(())
            }
            Err(error) => {
                let why = error.to_string();
                state.failed = Some((Instant::now(), why.clone()));
                Err(why)
            }
        }
    }

    fn open_as(&self, shared: bool) -> Result<Open, KvOpenError> {
        let database = open_database(&self.path, shared)?;
        Ok(Open { database, shared, number: self.opened.fetch_add(1, Ordering::Relaxed) })
    }
}

impl Open {
    /// Begins a transaction; waits for that of another process.
    ///
    /// # Errors
    /// The disk failed, or the other process has not ended its transaction in time.
    pub(super) fn begin_write(&self) -> Result<WriteTransaction, TransactionError> {
        if !self.shared {
            return self.database.begin_write();
        }
        let end = Instant::now() + PATIENCE;
        loop {
            match self.database.try_begin_write() {
                Err(TransactionError::WouldBlock) if Instant::now() < end => std::thread::sleep(PAUSE),
                begun => return begun,
            }
        }
    }

    /// Leaves another process the time to begin a transaction: longer than it pauses between two attempts.
    pub(super) fn yield_to_others(&self) {
        if self.shared {
            std::thread::sleep(2 * PAUSE);
        }
    }
}

/// Opens or creates the database with its tables.
fn open_database(path: &Path, shared: bool) -> Result<Database, KvOpenError> {
    let damaged = |error: String| KvOpenError::Damaged { file: path.to_owned(), error };
    let mode = if shared { ConcurrencyMode::MultiWriter } else { ConcurrencyMode::ExclusiveWriter };
    let opened = Database::builder().set_cache_size(CACHE_BYTES).set_concurrency_mode(mode).create(path);
    let database = opened.map_err(|error| match error {
        DatabaseError::DatabaseAlreadyOpen | DatabaseError::LockProtocolMismatch => {
            KvOpenError::InUse(path.to_owned())
        }
        error => damaged(error.to_string()),
    })?;
    create_tables(&database).map_err(|error| damaged(error.to_string()))?;
    Ok(database)
}

/// Creates missing tables.
fn create_tables(database: &Database) -> Result<(), redb::Error> {
    let read = database.begin_read()?;
    match (read.open_table(KEYS), read.open_table(REVISIONS)) {
        (Ok(_), Ok(_)) => return Ok(()),
        (Err(TableError::TableDoesNotExist(_)), _) | (_, Err(TableError::TableDoesNotExist(_))) => {}
        (Err(error), _) | (_, Err(error)) => return Err(error.into()),
    }
    let transaction = database.begin_write()?;
    transaction.open_table(KEYS)?;
    transaction.open_table(REVISIONS)?;
    Ok(transaction.commit()?)
}
