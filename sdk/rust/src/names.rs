//! The names of answers and outcomes as the WIT interface spells them, for machine-readable lines.

use crate::{Decision, MacSource, Mode, Operation, Outcome};

macro_rules! names {
    ($($type:ident { $($case:ident => $name:literal),+ $(,)? })+) => {
        $(impl $type {
            /// The name that `policy.wit` gives it.
            pub fn name(self) -> &'static str {
                match self {
                    $($type::$case => $name),+
                }
            }
        })+
    };
}

names! {
    Operation { Read => "read", Write => "write" }
    Mode { Octet => "octet", Netascii => "netascii" }
    MacSource {
        NeighbourTable => "neighbour-table",
        LeaseFile => "lease-file",
        RequestedName => "requested-name",
    }
    Decision {
        Granted => "granted",
        Refused => "refused",
        Dropped => "dropped",
        Undecided => "undecided",
    }
    Outcome {
        Served => "served",
        Stored => "stored",
        Probed => "probed",
        Aborted => "aborted",
        Denied => "denied",
        NotFound => "not-found",
        TimedOut => "timed-out",
        Failed => "failed",
    }
}
