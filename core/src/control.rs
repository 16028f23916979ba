//! The packets that carry no file data.

use crate::options::OptionSet;
use crate::packet::{write_ack, write_error, write_oack};
use crate::text::Writer;
use crate::types::ErrorCode;
use std::borrow::Cow;

/// ACK, OACK or ERROR.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Control {
    /// All blocks up to this number (on the wire) have arrived.
    Ack(u16),
    /// The options granted.
    Oack(OptionSet),
    /// The transfer ends with this error.
    Error(ErrorCode, Cow<'static, str>),
}

impl Control {
    /// Writes the packet into `buffer` and returns its length in bytes;
    /// [`MAX_CONTROL`](crate::MAX_CONTROL) bytes are always enough. `None` if `buffer` is too short.
    pub fn encode(&self, buffer: &mut [u8]) -> Option<usize> {
        let mut writer = Writer::new(buffer);
        match self {
            Control::Ack(block) => write_ack(&mut writer, *block),
            Control::Oack(oack) => write_oack(&mut writer, oack),
            Control::Error(code, text) => write_error(&mut writer, *code, text),
        }
        writer.finish()
    }
}
