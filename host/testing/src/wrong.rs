//! Answers that no good server gives.

use crate::packet::{ACK, DATA, ERROR, OACK, READ, WRITE, options};
use std::fmt;
use std::str::FromStr;

/// A wrong answer to a client, for [`Faults::wrong`](crate::Faults::wrong).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Wrong {
    /// After the answer, a copy comes from another port. A client drops it and answers it with ERROR 5 (RFC 1350,
    /// section 4); the transfer goes on.
    Tid,
    /// Before the answer comes a DATA or ACK with the number of the block before. A client ignores it, or repeats its
    /// last ACK once; it neither stores the block twice nor sends one again.
    Block,
    /// An ERROR comes instead of the answer. The transfer is over, and has failed.
    Error,
    /// A packet with opcode 9 comes instead of the answer. A client ignores it, or ends with ERROR 4; it does not crash.
    Opcode,
    /// The answer ends within its header. As for [`Wrong::Opcode`].
    Truncated,
    /// The first answer is an OACK with an option that the client has not requested. A client refuses it with ERROR 8
    /// (RFC 2347).
    Oack,
    /// The first answer is an OACK with a larger block or window size than the client requested. A client refuses it with
    /// ERROR 8 (RFC 2348, RFC 7440). Only for requests with `blksize` or `windowsize`.
    OackLarger,
}

/// What a client gets instead of an answer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// This packet.
    Instead(Vec<u8>),
    /// This packet before the answer.
    Before(Vec<u8>),
    /// A copy from another port after the answer.
    Stranger,
}

impl Wrong {
    /// All of them.
    pub const ALL: [Wrong; 7] = [
        Wrong::Tid,
        Wrong::Block,
        Wrong::Error,
        Wrong::Opcode,
        Wrong::Truncated,
        Wrong::Oack,
        Wrong::OackLarger,
    ];

    /// The name, as [`FromStr`] reads it.
    pub fn name(self) -> &'static str {
        match self {
            Wrong::Tid => "tid",
            Wrong::Block => "block",
            Wrong::Error => "error",
            Wrong::Opcode => "opcode",
            Wrong::Truncated => "truncated",
            Wrong::Oack => "oack",
            Wrong::OackLarger => "oack-larger",
        }
    }

    /// Whether it concerns the first answer alone, and not every answer.
    pub fn is_about_options(self) -> bool {
        matches!(self, Wrong::Oack | Wrong::OackLarger)
    }

    /// The wrong answer; `None` if the datagram cannot be answered wrongly in this way. `requested`: the options of the
    /// request, if this is the first answer to it.
    pub(crate) fn answer(self, datagram: &[u8], requested: Option<&[(String, String)]>) -> Option<Answer> {
        match (self, datagram) {
            // The first answer: the client would take the other port for that of its transfer.
            (Wrong::Tid, _) => requested.is_none().then_some(Answer::Stranger),
            (Wrong::Block, [0, opcode @ (DATA | ACK), high, low, rest @ ..]) => {
                let before = u16::from_be_bytes([*high, *low]).wrapping_sub(1).to_be_bytes();
                Some(Answer::Before([&[0, *opcode], &before[..], rest].concat()))
            }
            (Wrong::Block, _) => None,
            (Wrong::Error, _) => Some(Answer::Instead(b"\0\x05\0\0a fault on purpose\0".to_vec())),
            (Wrong::Opcode, [_, _, rest @ ..]) => Some(Answer::Instead([&[0, 9], rest].concat())),
            // Without the zero after the last option, or without half of the number.
            (Wrong::Truncated, [0, OACK, ..]) => {
                Some(Answer::Instead(datagram[..datagram.len() - 1].to_vec()))
            }
            (Wrong::Truncated, [_, _, _, ..]) => Some(Answer::Instead(datagram[..3].to_vec())),
            (Wrong::Oack, [0, OACK | DATA | ACK, ..]) => {
                let requested = requested?;
                let mut granted = options(datagram);
                granted.push(unrequested(requested));
                Some(Answer::Instead(oack(&granted)))
            }
            (Wrong::OackLarger, [0, OACK | DATA | ACK, ..]) => {
                let granted = larger(requested?)?;
                Some(Answer::Instead(oack(&granted)))
            }
            _ => None,
        }
    }
}

/// The requested options with larger sizes; `None` if no size can be larger.
fn larger(requested: &[(String, String)]) -> Option<Vec<(String, String)>> {
    let mut is_larger = false;
    let mut all = requested.to_vec();
    for (name, value) in &mut all {
        let most = match name.as_str() {
            "blksize" => 65_464,
            "windowsize" => 65_535,
            _ => continue,
        };
        let Ok(asked) = value.parse::<u32>() else { continue };
        if asked < most {
            *value = (asked.saturating_mul(2)).min(most).to_string();
            is_larger = true;
        }
    }
    is_larger.then_some(all)
}

/// An option that the client has not requested.
fn unrequested(requested: &[(String, String)]) -> (String, String) {
    let is_new = |name: &&(&str, &str)| !requested.iter().any(|(its, _)| its == name.0);
    let known = [("windowsize", "4"), ("blksize", "1024"), ("timeout", "2")];
    let (name, value) = known.iter().find(is_new).unwrap_or(&("x-unrequested", "1"));
    ((*name).to_owned(), (*value).to_owned())
}

fn oack(options: &[(String, String)]) -> Vec<u8> {
    let mut packet = vec![0, OACK];
    for text in options.iter().flat_map(|(name, value)| [name, value]) {
        packet.extend_from_slice(text.as_bytes());
        packet.push(0);
    }
    packet
}

/// Whether a datagram is a request.
pub(crate) fn is_request(datagram: &[u8]) -> bool {
    matches!(datagram, [0, READ | WRITE, ..])
}

/// Whether a datagram is an ERROR.
pub(crate) fn is_error(datagram: &[u8]) -> bool {
    matches!(datagram, [0, ERROR, ..])
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Wrong {
    type Err = UnknownWrong;

    fn from_str(text: &str) -> Result<Wrong, UnknownWrong> {
        Wrong::ALL.into_iter().find(|wrong| wrong.name() == text).ok_or(UnknownWrong)
    }
}

/// The text names no wrong answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("unknown; known are {}", Wrong::ALL.map(Wrong::name).join(", "))]
pub struct UnknownWrong;

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(options: &[(&str, &str)]) -> Vec<(String, String)> {
        options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn each_answer_is_wrong_in_its_way() {
        let data: &[u8] = b"\0\x03\x01\x00abc";
        let instead = |bytes: &[u8]| Some(Answer::Instead(bytes.to_vec()));
        assert_eq!(Wrong::Tid.answer(data, None), Some(Answer::Stranger));
        assert_eq!(Wrong::Tid.answer(data, Some(&[])), None, "the first answer decides the port");
        assert_eq!(Wrong::Block.answer(data, None), Some(Answer::Before(b"\0\x03\0\xffabc".to_vec())));
        assert_eq!(Wrong::Opcode.answer(data, None), instead(b"\0\x09\x01\0abc"));
        assert_eq!(Wrong::Truncated.answer(data, None), instead(b"\0\x03\x01"));
        assert_eq!(Wrong::Truncated.answer(b"\0\x06a\x001\0", None), instead(b"\0\x06a\x001"));
        assert_eq!(Wrong::Oack.answer(data, None), None, "only the first answer");
        assert_eq!(Wrong::Oack.answer(data, Some(&[])), instead(b"\0\x06windowsize\x004\0"));
        let requested = asked(&[("blksize", "1000"), ("tsize", "0")]);
        let larger = instead(b"\0\x06blksize\x002000\0tsize\x000\0");
        assert_eq!(Wrong::OackLarger.answer(b"\0\x06tsize\x005\0", Some(&requested)), larger);
        assert_eq!(Wrong::OackLarger.answer(data, Some(&asked(&[("tsize", "0")]))), None);
    }

    #[test]
    fn names_are_read() {
        for wrong in Wrong::ALL {
            assert_eq!(wrong.name().parse(), Ok(wrong));
        }
        assert_eq!("tids".parse::<Wrong>(), Err(UnknownWrong));
    }
}
