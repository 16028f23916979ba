//! The admin listener: its address and its token.

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;

use sha2::{Digest, Sha256};

/// The fewest characters of a token: a shorter one could be guessed.
pub(super) const SHORTEST: usize = 16;

/// The prefix of a socket in the file system.
pub(super) const UNIX: &str = "unix:";

/// The address of the admin listener.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AdminAddress {
    /// A TCP port; port 0 is any free one.
    Tcp(SocketAddr),
    /// A socket in the file system, for the server's user and its group.
    Unix(PathBuf),
}

impl fmt::Display for AdminAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AdminAddress::Tcp(address) => address.fmt(f),
            AdminAddress::Unix(path) => write!(f, "{UNIX}{}", path.display()),
        }
    }
}

/// A token that is never shown. Only its digest is kept.
#[derive(Clone, PartialEq, Eq)]
pub struct AdminToken([u8; 32]);

impl AdminToken {
    /// Creates a token from its text.
    pub fn new(text: &str) -> AdminToken {
        AdminToken(Sha256::digest(text).into())
    }

    /// Returns whether `given` is this token. The time does not depend on the content: whole digests are
    /// compared.
    pub fn is(&self, given: &str) -> bool {
        let given: [u8; 32] = Sha256::digest(given).into();
        self.0.iter().zip(given).fold(0, |differs, (own, given)| differs | (own ^ given)) == 0
    }
}

impl fmt::Debug for AdminToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(hidden)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_known_and_not_shown() {
        let token = AdminToken::new("correct horse battery");
        assert!(token.is("correct horse battery"));
        for wrong in ["", "correct horse batter", "correct horse battery ", "Correct horse battery"] {
            assert!(!token.is(wrong), "{wrong}");
        }
        assert_eq!(format!("{token:?}"), "(hidden)");
    }
}
