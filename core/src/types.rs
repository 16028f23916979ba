//! The protocol's vocabulary: operations, transfer modes and error codes.

use core::fmt;

/// The operation of a request (RFC 1350 section 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operation {
    /// RRQ: the client reads a file.
    Read,
    /// WRQ: the client writes a file.
    Write,
}

impl Operation {
    /// Returns the word: `read` or `write`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Operation::Read => "read",
            Operation::Write => "write",
        }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// How the bytes of a file appear on the wire (RFC 1350 section 1). `mail` is obsolete and refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Bytes as they are.
    Octet,
    /// Lines end in CR LF, a bare CR is CR NUL (RFC 764).
    Netascii,
}

impl Mode {
    /// Returns the word: `octet` or `netascii`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Mode::Octet => "octet",
            Mode::Netascii => "netascii",
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The codes of ERROR packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u16)]
pub enum ErrorCode {
    /// 0: see the message (RFC 1350).
    NotDefined = 0,
    /// 1: file not found (RFC 1350).
    FileNotFound = 1,
    /// 2: access violation (RFC 1350).
    AccessViolation = 2,
    /// 3: disk full or allocation exceeded (RFC 1350).
    DiskFull = 3,
    /// 4: illegal TFTP operation (RFC 1350).
    IllegalOperation = 4,
    /// 5: unknown transfer ID (RFC 1350).
    UnknownTransferId = 5,
    /// 6: file already exists (RFC 1350).
    FileExists = 6,
    /// 7: no such user (RFC 1350); belongs to the obsolete mail mode.
    NoSuchUser = 7,
    /// 8: terminated by option negotiation (RFC 2347).
    OptionRefused = 8,
}

impl ErrorCode {
    /// Returns the code for a number on the wire; an unknown one reads as [`ErrorCode::NotDefined`].
    pub fn from_wire(code: u16) -> Self {
        match code {
            1 => Self::FileNotFound,
            2 => Self::AccessViolation,
            3 => Self::DiskFull,
            4 => Self::IllegalOperation,
            5 => Self::UnknownTransferId,
            6 => Self::FileExists,
            7 => Self::NoSuchUser,
            8 => Self::OptionRefused,
            _ => Self::NotDefined,
        }
    }
}
