//! Sockets in the file system.

use crate::privileges::{Account, acting_as, give_to_user, in_place_of_root};
use rustix::fs::AtFlags;
use rustix::fs::{CWD, FileType, Mode, OFlags, chmodat, fchmod, fstat, open};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, SocketAddrUnix, SocketFlags, SocketType, bind, connect, listen, socket_with,
};
use rustix::process::geteuid;
use std::fs;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

/// The most connections waiting to be accepted.
const BACKLOG: i32 = 1024;

/// The file of a bound socket; removed on drop.
#[derive(Debug)]
pub(crate) struct SocketFile {
    path: PathBuf,
    /// The user who accesses its folder while this process is root.
    account: Option<Account>,
    /// Whether it belongs to another server now.
    stays: bool,
}

/// Binds a socket at this path, and replaces one left by a dead server. Creates the folders above it.
///
/// The file has this mode from the start, and belongs to the account. No other file is touched, even if other users
/// replace the name or a folder above it meanwhile: see [`in_place_of_root`].
///
/// # Errors
/// The path cannot be created or used, another file is there, or another server uses it.
pub(crate) fn bind_file(
    path: &Path,
    mode: u32,
    account: Option<&Account>,
) -> io::Result<(UnixListener, SocketFile)> {
    let folder = path.parent().unwrap_or(path);
    let mode = Mode::from_raw_mode(mode);
    let socket = match in_place_of_root(folder, account) {
        Some(account) => acting_as(account, || bind_here(path, mode)).map_err(|error| match error.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::NotFound => io::Error::new(
                error.kind(),
                format!(
                    "{error}: users other than root may write in {0} or above it, so the user `{1}` creates the \
                     socket; `chown {1} {0}`, or let only root write there",
                    folder.display(),
                    account.name
                ),
            ),
            _ => error,
        })?,
        None => {
            fs::create_dir_all(folder)?;
            let socket = bind_here(path, mode)?;
            give_to_user(path, account)?;
            socket
        }
    };
    Ok((socket.into(), SocketFile { path: path.to_owned(), account: account.cloned(), stays: false }))
}

impl SocketFile {
    /// Returns whether the file still exists: another process may have removed its folder.
    pub(crate) fn exists(&self) -> bool {
        self.path.symlink_metadata().is_ok_and(|about| about.file_type().is_socket())
    }

    /// Takes over the file of a socket that another server has bound.
    pub(crate) fn taken_over(path: &Path, account: Option<&Account>) -> SocketFile {
        SocketFile { path: path.to_owned(), account: account.cloned(), stays: false }
    }

    /// Leaves the file to another server.
    pub(crate) fn leave(mut self) {
        self.stays = true;
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        if self.stays {
            return;
        }
        let folder = self.path.parent().unwrap_or(&self.path);
        let remove = || fs::remove_file(&self.path);
        let _ = match in_place_of_root(folder, self.account.as_ref()) {
            Some(account) => acting_as(account, remove),
            None => remove(),
        };
    }
}

fn bind_here(path: &Path, mode: Mode) -> io::Result<OwnedFd> {
    let address = SocketAddrUnix::new(path)?;
    let socket = new_socket()?;
    // The file gets the mode of the socket less the umask (unix(7)), so the mode is never too wide.
    fchmod(&socket, mode)?;
    match bind(&socket, &address) {
        Err(Errno::ADDRINUSE) => {
            make_room(path, &address)?;
            bind(&socket, &address)?;
        }
        bound => bound?,
    }
    widen(path, mode)?;
    listen(&socket, BACKLOG)?;
    Ok(socket)
}

fn new_socket() -> io::Result<OwnedFd> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    Ok(socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?)
}

/// Removes a socket left by a dead server.
fn make_room(path: &Path, address: &SocketAddrUnix) -> io::Result<()> {
    let taken = |what| Err(io::Error::new(io::ErrorKind::AddrInUse, what));
    let about = match open_as_it_is(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        opened => fstat(opened?)?,
    };
    if FileType::from_raw_mode(about.st_mode) != FileType::Socket {
        return taken("the existing file is not a socket");
    }
    match connect(new_socket()?, address) {
        // The other server has many pending connections.
        Ok(()) | Err(Errno::AGAIN) => taken("another server has it"),
        Err(Errno::CONNREFUSED) => fs::remove_file(path),
        Err(Errno::NOENT) => Ok(()),
        Err(errno) => Err(io::Error::new(
            io::Error::from(errno).kind(),
            format!("cannot find out whether a server uses the existing socket ({errno}); remove it if not"),
        )),
    }
}

/// Restores the permissions that the umask cleared.
fn widen(path: &Path, mode: Mode) -> io::Result<()> {
    let file = open_as_it_is(path)?;
    let about = fstat(&file)?;
    if FileType::from_raw_mode(about.st_mode) != FileType::Socket || about.st_uid != geteuid().as_raw() {
        return Err(io::Error::other("another file has replaced the socket"));
    }
    if Mode::from_raw_mode(about.st_mode) == mode {
        return Ok(());
    }
    // fchmod(2) fails for O_PATH descriptors before Linux 6.6. This path leads to the open file, not to a name.
    let opened = format!("/proc/self/fd/{}", file.as_fd().as_raw_fd());
    Ok(chmodat(CWD, opened, mode, AtFlags::empty())?)
}

/// Opens the name itself, even if it is a link.
fn open_as_it_is(path: &Path) -> io::Result<OwnedFd> {
    Ok(open(path, OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::thread;
    use std::time::{Duration, Instant};

    #[test]
    fn only_the_socket_of_a_dead_server_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run/control");
        let bind_file = |path: &Path| bind_file(path, 0o600, None);
        let (first, file) = bind_file(&path).unwrap();
        assert!(bind_file(&path).unwrap_err().to_string().contains("another server has it"));
        // Left by a crash.
        std::mem::forget(file);
        drop(first);
        // A process that another test is just starting has the socket until its program begins.
        let began = Instant::now();
        let (_second, file) = loop {
            match bind_file(&path) {
                Ok(bound) => break bound,
                Err(error) => assert!(began.elapsed() < Duration::from_secs(20), "{error}"),
            }
            thread::sleep(Duration::from_millis(5));
        };
        drop(file);
        assert!(!path.exists());
        let file = folder.path().join("file");
        fs::write(&file, b"precious").unwrap();
        assert!(bind_file(&file).unwrap_err().to_string().contains("is not a socket"));
        symlink(&file, &path).unwrap();
        assert!(bind_file(&path).unwrap_err().to_string().contains("is not a socket"));
        assert_eq!(fs::read(&file).unwrap(), b"precious");
    }

    #[test]
    fn the_mode_does_not_depend_on_the_umask() {
        let folder = tempfile::tempdir().unwrap();
        for mode in [0o600, 0o660, 0o666] {
            let path = folder.path().join(format!("{mode:o}"));
            let (_socket, file) = bind_file(&path, mode, None).unwrap();
            assert_eq!(fs::metadata(&file.path).unwrap().permissions().mode() & 0o777, mode);
        }
    }

    /// A link created between binding and the check does not change the permissions of its target.
    #[test]
    fn only_the_socket_gets_the_mode() {
        let folder = tempfile::tempdir().unwrap();
        let (path, victim) = (folder.path().join("socket"), folder.path().join("victim"));
        fs::write(&victim, b"precious").unwrap();
        let mode = || fs::metadata(&victim).unwrap().permissions().mode();
        let before = mode();
        symlink(&victim, &path).unwrap();
        assert!(widen(&path, Mode::from_raw_mode(0o666)).is_err());
        fs::remove_file(&path).unwrap();
        fs::hard_link(&victim, &path).unwrap();
        assert!(widen(&path, Mode::from_raw_mode(0o666)).is_err());
        assert_eq!(mode(), before);
    }
}
