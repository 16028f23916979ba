//! Sockets in the file system.

use std::fs;
use std::io;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;

/// Binds a socket at this path, in the place of one whose server is gone. The folders above are made.
///
/// # Errors
/// The place cannot be made or used, something else lies there, or another server has it.
pub(crate) fn bind_file(path: &Path) -> io::Result<UnixListener> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let listener = match UnixListener::bind(path) {
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
            use std::os::unix::fs::FileTypeExt;
            if !path.symlink_metadata()?.file_type().is_socket() {
                return Err(io::Error::new(error.kind(), "what lies there is no socket"));
            }
            if UnixStream::connect(path).is_ok() {
                return Err(io::Error::new(error.kind(), "another server has it"));
            }
            fs::remove_file(path)?;
            UnixListener::bind(path)?
        }
        bound => bound?,
    };
    listener.set_nonblocking(true)?;
    Ok(listener)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_dead_server_left_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run/control");
        let first = bind_file(&path).unwrap();
        assert!(bind_file(&path).unwrap_err().to_string().contains("another server has it"));
        drop(first);
        bind_file(&path).unwrap();
        let file = folder.path().join("file");
        fs::write(&file, b"precious").unwrap();
        assert!(bind_file(&file).unwrap_err().to_string().contains("is no socket"));
        assert_eq!(fs::read(&file).unwrap(), b"precious");
    }
}
