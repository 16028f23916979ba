//! What the errors of the host say: words for a log line, or for the reason of a denial.
//!
//! The generator writes `Display` as `Debug`; `scripts/sdk-bindings.sh` takes that out.

use crate::{files, history, kv, metrics, sinks, upload};
use std::fmt::{Display, Formatter, Result};

impl Display for kv::Error {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Denied(why) | Self::Invalid(why) | Self::Unavailable(why) => f.write_str(why),
            Self::Quota => f.write_str("the plugin has as many keys or bytes as its quota allows"),
        }
    }
}

impl Display for files::Error {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Denied(why) | Self::Invalid(why) | Self::Unavailable(why) => f.write_str(why),
            Self::TooLarge(bytes) => write!(f, "it has {bytes} bytes, more than may be read"),
        }
    }
}

impl Display for sinks::Error {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Denied(why) | Self::Invalid(why) => f.write_str(why),
            Self::Full => f.write_str("the queue of the sink is full"),
        }
    }
}

impl Display for metrics::Error {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Denied(why) | Self::Invalid(why) => f.write_str(why),
            Self::Full => f.write_str("the plugin has as many series as it may have"),
        }
    }
}

impl Display for upload::Error {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Denied(why) | Self::Invalid(why) | Self::Unavailable(why) => f.write_str(why),
        }
    }
}

impl Display for history::Error {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Denied(why) | Self::Invalid(why) => f.write_str(why),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_words() {
        let unavailable = kv::Error::Unavailable("the disk failed".into());
        assert_eq!(unavailable.to_string(), "the disk failed");
        assert_eq!(sinks::Error::Full.to_string(), "the queue of the sink is full");
        assert_eq!(files::Error::TooLarge(9).to_string(), "it has 9 bytes, more than may be read");
    }
}
