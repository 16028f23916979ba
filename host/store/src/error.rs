//! File errors. Each has two sides: a code and a short message for the client, which reveal nothing about the
//! server, and a reason for the log, which names the cause.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::io::Errno;
use rustix::process::getegid;
use thiserror::Error;

use tuffet_request::settings::SettingName;
use tuffet_request::{Denial, ErrorCode};

use super::obstacle::{Obstacle, Right, find_obstacle, user_name};

/// The reason why a file cannot be opened, written or made visible. The display text is for the log.
#[derive(Debug, Error)]
pub enum StoreError {
    /// No such file, or no such folder on the way to it.
    #[error("no such file")]
    NotFound,
    /// The folder of an upload does not exist, and uploads may not make it.
    #[error("no such folder: `{0}`; uploads create no folders, so create it (`mkdir`) or correct the path")]
    NoFolder(String),
    /// The path of an upload has too many folders to make one of them.
    #[error("a folder of the path is missing, and the path has more than {limit} folders (`folders.depth`)")]
    TooDeep {
        /// The limit.
        limit: u32,
    },
    /// The name is not for uploads, because its root keeps earlier versions.
    #[error("{0}; its root keeps earlier versions (`versions`)")]
    VersionName(&'static str),
    /// The folder of staged uploads cannot be used.
    #[error(
        "an upload that is written in place waits in {} until it is complete, and that folder cannot be used: {error}; \
         let this user write there, or name another folder for it", folder.display()
    )]
    Unstaged {
        /// The folder.
        folder: PathBuf,
        /// The system error.
        error: io::Error,
    },
    /// This process may not keep the file that the upload would replace.
    #[error(
        "the file is there, and cannot be kept as an earlier version: {0}; let this user read it (`chmod`, `chown`), or \
         let its root keep none (`versions`)"
    )]
    VersionNotKept(io::Error),
    /// A quota of the root is exhausted.
    #[error(
        "the quota of {} is exhausted: {limit} {} are allowed (`{key}`), {stored} are stored, and {running} belong to \
         running uploads; remove files, or raise it",
        limited(root, folder.as_deref()), unit(key)
    )]
    Quota {
        /// The name of the root.
        root: String,
        /// The folder at its top that the quota is for, empty for the files beside these folders; `None`: the root.
        folder: Option<String>,
        /// The key of the quota.
        key: &'static str,
        /// What may be there: bytes, files or folders.
        limit: u64,
        /// What is there.
        stored: u64,
        /// What running uploads have written.
        running: u64,
    },
    /// The contents of the root have not been counted yet.
    #[error("what its root contains is being counted for its quota")]
    Uncounted,
    /// The file system stores the name with another spelling, or would (`spelling.rs`).
    #[error(
        "the file system spells the name of this file, or of a folder on the way to it, differently; rules apply to \
         the requested name, so only the stored spelling (`ls`) is served and written"
    )]
    Spelling,
    /// Several names differ from a part of the path only in case: the names, and their folder.
    #[error(
        "`{0}` in {1} differ in upper and lower case alone, and none is spelled as the client asks; rename all but one"
    )]
    Ambiguous(String, String),
    /// This folder has too many names for a search regardless of case.
    #[error(
        "{0} has too many names to search them regardless of case; split it, or let clients spell names as stored"
    )]
    TooManyNames(String),
    /// The path is not permitted, or leads out of its root.
    #[error("refused: {0}")]
    Denied(&'static str),
    /// A symbolic link leads out of its root, and not into a folder that the root allows.
    #[error(
        "the link `{link}` leads out of its root, to {target}; to serve what is there, allow links into \
         {folder} (`links` of the root)"
    )]
    LeadsOut {
        /// Its path in the root.
        link: String,
        /// Where it leads.
        target: String,
        /// The folder to allow.
        folder: String,
    },
    /// A symbolic link leads into a folder that the root allows, and that is not open.
    #[error(
        "the link `{link}` leads into {folder}, one of the `links` of its root, which cannot be opened: {why}"
    )]
    LinkFolder {
        /// Its path in the root.
        link: String,
        /// The folder.
        folder: String,
        /// The failure.
        why: String,
    },
    /// The operating system denies access to this process. The operator can change the permissions.
    #[error("the operating system forbids it{}", forbidden(error, obstacle.as_deref()))]
    Forbidden {
        /// The system error.
        error: io::Error,
        /// The part of the path that refuses it, if that was looked for and found.
        obstacle: Option<Box<Obstacle>>,
    },
    /// This process may not write the file that the upload would replace.
    #[error(
        "the file is there, and this user may not write it: {0}; let it (`chmod`, `chown`, `setfacl`) if uploads are \
             to replace that file"
    )]
    Protected(io::Error),
    /// The path is taken and the root does not overwrite.
    #[error("the file exists and its root has `overwrite: false`")]
    Exists,
    /// The permissions for others exclude reading or writing the file, and its root has `world-readable: true`.
    #[error(
        "others may not {access} the file (its mode is {mode:04o}), and its root has `world-readable: true`; allow it \
         (`chmod o+{letter}`), or remove the rule", letter = &access[..1]
    )]
    NotPublic {
        /// `read` or `write`.
        access: &'static str,
        /// The permissions of the file.
        mode: u32,
    },
    /// Uploads may not create files in this root.
    #[error(
        "the file does not exist, and its root has `create: false`; create it (`touch`), or remove the rule"
    )]
    NotCreated,
    /// The root takes no uploads, or no root does.
    #[error("no writable root: its root has `writable: false`")]
    ReadOnly,
    /// The disk or a quota is full, or the file exceeds a limit of the file system or `RLIMIT_FSIZE`.
    #[error("no space: {0}")]
    NoSpace(io::Error),
    /// The process has no descriptors or memory left. The client should retry, because the shortage may be brief.
    #[error(
        "the server has no room for it: {0}; raise the limit of open files (`LimitNOFILE=`, `ulimit -n`), or \
             allow fewer transfers at once"
    )]
    Exhausted(io::Error),
    /// The folder of the root has not answered since the server tried to open it.
    #[error("the folder of its root has not answered since it was to be opened")]
    Unopened,
    /// The origin denies access. The operator can change the credentials.
    #[error("the origin {origin} refuses it: {why}; check `origin.credentials` and what they may do there")]
    RefusedByOrigin {
        /// The URL of the origin, without secrets.
        origin: Arc<str>,
        /// Its answer.
        why: String,
    },
    /// The origin, or the root of the program, does not answer, or fails, and the cache has no version to serve instead.
    #[error("{} cannot be reached: {why}", reached(origin))]
    Unreachable {
        /// The URL of the origin, without secrets, or the name of the root.
        origin: Arc<str>,
        /// The failure.
        why: String,
    },
    /// A folder, FIFO, device or socket.
    #[error("not a regular file but {0}")]
    NotRegular(&'static str),
    /// The upload exceeds its limit.
    #[error("the upload passes its limit of {limit} bytes")]
    TooLarge {
        /// The limit, in bytes.
        limit: u64,
    },
    /// The limit of concurrent uploads to this name is reached, or the client has its share of it.
    #[error("{}", busy(*.running, *.own, *.setting))]
    Busy {
        /// Their number.
        running: u32,
        /// The number of the client's, if others still have room.
        own: Option<u32>,
        /// The limit.
        setting: SettingName,
    },
    /// Policy refused the upload.
    #[error("{}", .0.reason)]
    Refused(Denial),
    /// Policy did not decide about the complete upload, for this reason.
    #[error("{0}")]
    Unjudged(String),
    /// The root did not read, write or store in time: its name, and the limit.
    #[error("{0}")]
    Unresponsive(String),
    /// Policy named a root that does not exist.
    #[error("there is no root named `{0}`; correct what names it")]
    UnknownRoot(String),
    /// Any other system error.
    #[error("the system failed: {0}")]
    Io(io::Error),
}

/// Who may not do it, where on the path that is, and what to do.
fn forbidden(error: &io::Error, obstacle: Option<&Obstacle>) -> String {
    match obstacle {
        Some(obstacle) => {
            let user = user_name();
            let remedy = obstacle.remedy(&user, getegid().as_raw());
            format!(" to the user {user}: {error}: {obstacle}; {remedy}")
        }
        None => format!(": {error}; check owner and mode of the file and its folders"),
    }
}

/// An origin by its URL, a root by its name, which has no colon.
fn reached(origin: &str) -> String {
    if origin.contains(':') { format!("the origin {origin}") } else { format!("root `{origin}`") }
}

/// What is taken of the limit of uploads to a name.
fn busy(running: u32, own: Option<u32>, setting: SettingName) -> String {
    match own {
        None => {
            format!("{running} uploads to this name are running, as many as {setting} allows")
        }
        Some(own) => {
            format!("{own} uploads of this client to this name are running, its share of {setting}")
        }
    }
}

/// What a quota limits.
fn limited(root: &str, folder: Option<&str>) -> String {
    match folder {
        None => format!("root `{root}`"),
        Some("") => format!("the files beside the folders in root `{root}`"),
        Some(folder) => format!("folder `{folder}` in root `{root}`"),
    }
}

/// What a quota counts.
fn unit(key: &str) -> &str {
    match key.rsplit('.').next() {
        Some("bytes") => "bytes",
        Some("files") => "files",
        _ => "folders",
    }
}

impl StoreError {
    /// The server shut down before the upload became visible.
    pub const STOPPED: StoreError = StoreError::Denied("the server is shutting down");

    /// The text of the ERROR packet if a root does not answer.
    pub const SILENT: &str = "the server's storage does not answer";

    /// Returns the code of the ERROR packet.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::NotFound
            | Self::NoFolder(_)
            | Self::Spelling
            | Self::Ambiguous(..)
            | Self::TooManyNames(_)
            | Self::LinkFolder { .. }
            | Self::NotCreated => ErrorCode::FileNotFound,
            Self::Denied(_)
            | Self::LeadsOut { .. }
            | Self::Forbidden { .. }
            | Self::RefusedByOrigin { .. }
            | Self::Protected(_)
            | Self::NotPublic { .. }
            | Self::ReadOnly
            | Self::TooDeep { .. }
            | Self::VersionName(_)
            | Self::VersionNotKept(_)
            | Self::NotRegular(_) => ErrorCode::AccessViolation,
            Self::Exists => ErrorCode::FileExists,
            Self::NoSpace(_) | Self::TooLarge { .. } | Self::Quota { .. } => ErrorCode::DiskFull,
            Self::Refused(denial) => denial.code,
            Self::UnknownRoot(_)
            | Self::Exhausted(_)
            | Self::Unopened
            | Self::Uncounted
            | Self::Unreachable { .. }
            | Self::Unstaged { .. }
            | Self::Unjudged(_)
            | Self::Unresponsive(_)
            | Self::Io(_)
            | Self::Busy { .. } => ErrorCode::NotDefined,
        }
    }

    /// Returns the text of the ERROR packet.
    pub fn message(&self) -> &str {
        match self {
            Self::NotFound
            | Self::Spelling
            | Self::Ambiguous(..)
            | Self::TooManyNames(_)
            | Self::LinkFolder { .. }
            | Self::NotCreated => "file not found",
            Self::NoFolder(_) => "folder not found",
            Self::Denied(_)
            | Self::LeadsOut { .. }
            | Self::Forbidden { .. }
            | Self::RefusedByOrigin { .. }
            | Self::Protected(_)
            | Self::VersionNotKept(_)
            | Self::NotPublic { .. } => "access denied",
            Self::TooDeep { .. } => "the path has too many folders",
            Self::VersionName(why) => why,
            // The words of RFC 1350, appendix I.
            Self::Quota { .. } => "disk full or allocation exceeded",
            Self::Exists => "file exists",
            Self::ReadOnly => "uploads are not allowed",
            Self::NoSpace(_) => "no space left",
            Self::NotRegular(_) => "not a regular file",
            Self::TooLarge { .. } => "file too large",
            Self::Refused(denial) => &denial.message,
            Self::Unjudged(_) => "policy failure",
            Self::Unresponsive(_) => Self::SILENT,
            Self::Exhausted(_)
            | Self::Unopened
            | Self::Uncounted
            | Self::Busy { .. }
            | Self::Unreachable { .. } => "the server is too busy; try again later",
            Self::UnknownRoot(_) | Self::Unstaged { .. } | Self::Io(_) => "server error",
        }
    }

    /// Returns whether the file may exist under another spelling, or in another root.
    pub fn is_about_names(&self) -> bool {
        matches!(self, Self::Spelling | Self::Ambiguous(..) | Self::TooManyNames(_))
    }

    /// Returns the code, the message and the reason.
    pub fn denial(&self) -> Denial {
        Denial { code: self.code(), message: self.message().to_owned(), reason: self.to_string() }
    }

    /// Adds to an error of permissions the part of the path that refuses one of these rights to this process. Blocks on
    /// the disk.
    pub(super) fn with_obstacle(self, path: &Path, rights: &[Right]) -> Self {
        match self {
            Self::Forbidden { error, obstacle: None } => {
                Self::Forbidden { error, obstacle: find_obstacle(path, rights).map(Box::new) }
            }
            other => other,
        }
    }

    /// Converts an error of resolving a path or opening its last part.
    pub(super) fn from_open(error: io::Error) -> Self {
        // cap-std reports an escape without a system error number.
        if error.raw_os_error().is_none() && error.kind() == io::ErrorKind::PermissionDenied {
            return Self::Denied("the path leads out of its root");
        }
        match Errno::from_io_error(&error) {
            Some(Errno::NOENT | Errno::NOTDIR) => Self::NotFound,
            Some(Errno::LOOP) => Self::Denied("too many symbolic links"),
            Some(Errno::NAMETOOLONG) => Self::Denied("the name is too long for the file system"),
            Some(Errno::ISDIR) => Self::NotRegular("a folder"),
            // open(2): the error for a socket, or a device without a driver.
            Some(Errno::NXIO | Errno::NODEV) => Self::NotRegular("a socket or device"),
            _ => Self::from_io(error),
        }
    }

    /// Converts an error of an operation on an open file.
    pub(super) fn from_io(error: io::Error) -> Self {
        match Errno::from_io_error(&error) {
            Some(Errno::ACCESS | Errno::PERM | Errno::ROFS) => Self::Forbidden { error, obstacle: None },
            Some(Errno::NOSPC | Errno::DQUOT | Errno::FBIG) => Self::NoSpace(error),
            Some(Errno::MFILE | Errno::NFILE | Errno::NOMEM) => Self::Exhausted(error),
            _ => Self::Io(error),
        }
    }
}

impl StoreError {
    /// Converts an error of a root, reader or sink of the program, which need not come from the system.
    pub fn of_program(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::NotFound,
            io::ErrorKind::AlreadyExists => Self::Exists,
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                Self::Forbidden { error, obstacle: None }
            }
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
                Self::NoSpace(error)
            }
            _ => Self::from_io(error),
        }
    }
}

impl From<Errno> for StoreError {
    fn from(errno: Errno) -> Self {
        Self::from_io(errno.into())
    }
}
