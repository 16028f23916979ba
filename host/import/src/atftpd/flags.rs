//! The flags of atftpd 0.8.

use crate::error::ImportError;
use crate::getopt::{self, Argument, Flag};
use crate::location::Word;

/// A flag that was given.
pub(super) type GivenFlag = getopt::GivenFlag<Meaning>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    Daemon,
    Port,
    BindAddress,
    User,
    Group,
    MaxThread,
    RetryTimeout,
    /// An option that is not acknowledged.
    NoOption(&'static str),
    NoMulticast,
    MulticastTtl,
    MulticastAddresses,
    MulticastPorts,
    MulticastSwitch,
    Mtftp,
    Pcre,
    NoSourcePortChecking,
    Logging,
    PidFile,
    /// Irrelevant for a server that listens by itself, or the default of Tuffet.
    Nothing,
    /// Ends without serving.
    NoServer,
}

const fn flag(
    letter: Option<char>,
    name: &'static [&'static str],
    argument: Argument,
    meaning: Meaning,
) -> Flag<Meaning> {
    Flag { letter, names: name, argument, meaning }
}

const FLAGS: &[Flag<Meaning>] = {
    use Argument::{None as Alone, Optional, Required};
    use Meaning::*;
    &[
        flag(Some('t'), &["tftpd-timeout"], Required, Nothing),
        flag(Some('r'), &["retry-timeout"], Required, RetryTimeout),
        flag(Some('m'), &["maxthread"], Required, MaxThread),
        flag(Some('v'), &["verbose"], Optional, Logging),
        flag(None, &["trace"], Alone, Logging),
        flag(None, &["no-timeout"], Alone, NoOption("timeout")),
        flag(None, &["no-tsize"], Alone, NoOption("tsize")),
        flag(None, &["no-blksize"], Alone, NoOption("blksize")),
        flag(None, &["no-windowsize"], Alone, NoOption("windowsize")),
        flag(None, &["no-multicast"], Alone, NoMulticast),
        flag(None, &["logfile"], Required, Logging),
        flag(None, &["pidfile"], Required, PidFile),
        flag(None, &["listen-local"], Alone, Nothing),
        flag(None, &["daemon"], Alone, Daemon),
        flag(None, &["no-fork"], Alone, Nothing),
        flag(None, &["prevent-sas"], Alone, Nothing),
        flag(None, &["user"], Required, User),
        flag(None, &["group"], Required, Group),
        flag(None, &["port"], Required, Port),
        flag(None, &["bind-address"], Required, BindAddress),
        flag(None, &["mcast-ttl"], Required, MulticastTtl),
        flag(None, &["mcast-addr"], Required, MulticastAddresses),
        flag(None, &["mcast-port"], Required, MulticastPorts),
        flag(None, &["mcast-switch-client"], Alone, MulticastSwitch),
        flag(None, &["pcre"], Required, Pcre),
        flag(None, &["pcre-test"], Required, NoServer),
        flag(None, &["mtftp"], Required, Mtftp),
        flag(None, &["mtftp-port"], Required, Mtftp),
        flag(None, &["no-source-port-checking"], Alone, NoSourcePortChecking),
        flag(Some('V'), &["version"], Alone, NoServer),
        flag(Some('h'), &["help"], Alone, NoServer),
    ]
};

/// A command line of atftpd.
#[derive(Debug)]
pub(super) struct Command {
    pub(super) given: Vec<GivenFlag>,
    pub(super) folder: Option<Word>,
}

impl Command {
    /// Returns the flag that counts: the last one.
    pub(super) fn last(&self, meaning: Meaning) -> Option<&GivenFlag> {
        self.given.iter().rfind(|given| given.meaning == meaning)
    }
}

pub(super) fn read(words: &[Word]) -> Result<Command, ImportError> {
    let (given, folders) = getopt::read(words, FLAGS)?;
    if let Some(it) = given.iter().find(|given| given.meaning == Meaning::NoServer) {
        return Err(ImportError::invalid(&it.location, format!("{} serves nothing", it.written)));
    }
    // atftpd ignores further operands.
    Ok(Command { given, folder: folders.into_iter().next() })
}

/// Reads a number within bounds.
pub(super) fn number(given: &GivenFlag, least: u64, most: u64) -> Result<u64, ImportError> {
    let number = given.value().parse().ok().filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| {
        ImportError::invalid(
            &given.location,
            format!("{}: expected a number from {least} to {most}", given.written),
        )
    })
}
