//! The files of the server: roots, confined so that no name leads out of them.
//!
//! Each root is a folder opened once; the kernel resolves every later path relative to that open folder and
//! does not let it leave, whatever `..`, symbolic links or renames it meets (`openat2` with `RESOLVE_BENEATH`
//! through cap-std, and cap-std's own walk on kernels without it). Absolute links that lead into the root, and links into
//! the folders that the operator allows, are followed here, with the same confinement (`resolve`). Hard links and bind
//! mounts are the operator's decision.
//!
//! Everything here except [`OpenFile::read_now`] may block on a disk and belongs on a thread of that [`Disk`].

mod absence;
mod ahead;
mod any_case;
mod attributes;
mod cache;
mod checked;
mod checksum;
mod commit_point;
mod counting;
mod disk;
mod error;
mod facts;
#[cfg_attr(not(target_os = "linux"), path = "other/file_systems.rs")]
mod file_systems;
mod folder_file;
mod folders;
mod identity;
mod link_folders;
mod links;
mod listing;
mod lookup;
mod memory;
mod mode;
mod name_locks;
mod obstacle;
mod open_file;
mod open_folder;
mod opening;
mod origin_file;
mod path;
mod process_lock;
mod program_file;
mod reading;
mod remote;
mod remote_root;
mod replaced;
mod replaced_root;
mod resolve;
mod roots;
mod security_label;
mod spelling;
mod staging;
mod supplied;
mod sweep;
#[cfg(test)]
mod sweep_tests;
mod sync_folder;
#[cfg_attr(not(target_os = "linux"), path = "other/system.rs")]
mod system;
mod tally;
mod temporary;
#[cfg(test)]
mod tests;
mod upload;
mod upload_in_folder;
mod upload_to_origin;
mod upload_to_program;
mod uploads;
mod usage;
mod version_names;
mod versions;
mod walk;
mod write_rules;
mod writing;

pub use absence::Absence;
pub use ahead::Ahead;
pub use cache::{FileCache, Growth, MemoryBytes, SuppliedContent};
pub use checksum::Checksum;
pub use commit_point::CommitPoint;
pub use disk::{Disk, DiskState, Disks, Entered, Hung, Lane, Pool, Room, RoomBehind, Undone};
pub use error::StoreError;
pub use identity::{Change, Identity};
pub use lookup::{Sought, Stored};
pub use obstacle::{Obstacle, ObstacleCause, Right, find_obstacle, name_user, quoted};
pub use open_file::{Closing, OpenFile};
pub use program_file::ProgramFile;
pub use reading::FoundFile;
pub use remote::{Arrival, ContentId, Origin, Reach, RemoteFile, RemoteMeta, Waited};
pub use remote_root::Origins;
pub use roots::{RootError, Roots};
pub use security_label::SecurityLabel;
pub use supplied::{
    BoxFuture, Destination, OpenedSource, ReadAt, Scope, Sink, Source, SourceOpener, Supply, Version,
};
pub use sweep::Swept;
pub use temporary::unnamed_file;
pub use upload::{Sealed, Upload, UploadContent};
pub use uploads::{Uploads, Writing};
