//! Answers that no good server gives.

use crate::exchange::Exchange;
use crate::packet::{ACK, DATA, OACK, options};
use std::fmt;
use std::str::FromStr;

/// A wrong answer to a client, for [`Faults::wrong`](crate::Faults::wrong).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Wrong {
    /// After the answer, a copy comes from another port, once the client has answered and so knows the right one. A client drops it and answers it with ERROR 5 (RFC 1350,
    /// section 4); the transfer goes on.
    Tid,
    /// Before the answer comes the DATA of the block before, once more, or an ACK of it; before the first one, a packet with
    /// the number before that. A client ignores it, or repeats its last ACK once; it neither stores a block twice nor, in
    /// lockstep, sends one again.
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

    /// The wrong answer in this exchange; `None` if the datagram cannot be answered in this way so that a client can tell.
    pub(crate) fn answer(self, datagram: &[u8], exchange: &Exchange) -> Option<Answer> {
        let requested = exchange.requested.as_deref();
        match (self, datagram) {
            // Before, the client would take the other port for that of its transfer: the first answer may be late.
            (Wrong::Tid, _) => exchange.has_answered.then_some(Answer::Stranger),
            (Wrong::Block, [0, opcode @ (DATA | ACK), high, low, rest @ ..]) => {
                let number = u16::from_be_bytes([*high, *low]);
                let packet = |number: u16| [&[0, *opcode], &number.to_be_bytes()[..], rest].concat();
                let before = number.wrapping_sub(1);
                match exchange.last_block(*opcode) {
                    // What it acknowledges has arrived. After a rollover to 1 there is no block 0.
                    last if *opcode == ACK => {
                        let is_rollover = number == 1 && last.is_some_and(|(last, _)| last != 0);
                        (!is_rollover).then(|| packet(before))
                    }
                    // Its own bytes: the client may lack this block, and then takes it.
                    Some((last, whole)) => (last == before).then(|| whole.to_vec()),
                    None => (number == 1).then(|| packet(before)),
                }
                .map(Answer::Before)
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
            *value = asked.saturating_mul(2).clamp(asked + 1, most).to_string();
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
        let first =
            |options: &[(&str, &str)]| Exchange { requested: Some(asked(options)), ..Exchange::default() };
        let later = Exchange { has_answered: true, ..Exchange::default() };
        assert_eq!(Wrong::Tid.answer(data, &later), Some(Answer::Stranger));
        assert_eq!(Wrong::Tid.answer(data, &Exchange::default()), None, "the first answer decides the port");
        assert_eq!(Wrong::Opcode.answer(data, &later), instead(b"\0\x09\x01\0abc"));
        assert_eq!(Wrong::Truncated.answer(data, &later), instead(b"\0\x03\x01"));
        assert_eq!(Wrong::Truncated.answer(b"\0\x06a\x001\0", &later), instead(b"\0\x06a\x001"));
        assert_eq!(Wrong::Oack.answer(data, &later), None, "only the first answer");
        assert_eq!(Wrong::Oack.answer(data, &first(&[])), instead(b"\0\x06windowsize\x004\0"));
        let larger = instead(b"\0\x06blksize\x002000\0tsize\x000\0");
        let requested = first(&[("blksize", "1000"), ("tsize", "0")]);
        assert_eq!(Wrong::OackLarger.answer(b"\0\x06tsize\x005\0", &requested), larger);
        assert_eq!(Wrong::OackLarger.answer(data, &first(&[("tsize", "0")])), None);
        let none = instead(b"\0\x06windowsize\x001\0");
        assert_eq!(Wrong::OackLarger.answer(data, &first(&[("windowsize", "0")])), none);
    }

    #[test]
    fn the_block_before_is_what_it_was() {
        let after = |last: &[u8]| Exchange { last: Some(last.to_vec()), ..Exchange::default() };
        let before = |bytes: &[u8]| Some(Answer::Before(bytes.to_vec()));
        let answer = |datagram: &[u8], exchange: &Exchange| Wrong::Block.answer(datagram, exchange);
        for exchange in [Exchange::default(), after(b"\0\x06a\x001\0")] {
            assert_eq!(answer(b"\0\x03\0\x01abc", &exchange), before(b"\0\x03\0\0abc"));
            assert_eq!(answer(b"\0\x04\0\0", &exchange), before(b"\0\x04\xff\xff"));
        }
        assert_eq!(answer(b"\0\x03\x01\0abc", &after(b"\0\x03\0\xffdef")), before(b"\0\x03\0\xffdef"));
        assert_eq!(answer(b"\0\x03\0\0abc", &after(b"\0\x03\xff\xffdef")), before(b"\0\x03\xff\xffdef"));
        for last in [&b"\0\x03\x01\0abc"[..], b"\0\x03\x01\x01abc", b"\0\x03\0\xfeabc"] {
            assert_eq!(answer(b"\0\x03\x01\0abc", &after(last)), None);
        }
        assert_eq!(answer(b"\0\x04\0\x08", &after(b"\0\x04\0\x04")), before(b"\0\x04\0\x07"));
        assert_eq!(answer(b"\0\x04\0\x01", &after(b"\0\x04\0\0")), before(b"\0\x04\0\0"));
        // A rollover to 1.
        assert_eq!(answer(b"\0\x04\0\x01", &after(b"\0\x04\xff\xff")), None);
        assert_eq!(answer(b"\0\x03\0\x01abc", &after(b"\0\x03\xff\xffdef")), None);
    }

    #[test]
    fn names_are_read() {
        for wrong in Wrong::ALL {
            assert_eq!(wrong.name().parse(), Ok(wrong));
        }
        assert_eq!("tids".parse::<Wrong>(), Err(UnknownWrong));
    }
}
