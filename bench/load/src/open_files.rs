//! Room for a socket per transfer: RLIMIT_NOFILE.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Descriptors in addition to the sockets: standard streams, epoll.
const OTHERS: u64 = 32;

/// The limit of open files is too low.
#[derive(Debug, thiserror::Error)]
#[error(
    "{sockets} transfers at once need {needed} open files, but this process may have {limit} \
     (RLIMIT_NOFILE, and raising it was refused: {error}); raise the limit (`ulimit -n {needed}` as \
     root, or LimitNOFILE= in a unit) or lower --concurrency"
)]
pub(crate) struct TooFewFiles {
    sockets: u32,
    needed: u64,
    limit: u64,
    error: rustix::io::Errno,
}

/// Raises the limit so that `sockets` may be open at once.
pub(crate) fn allow(sockets: u32) -> Result<(), TooFewFiles> {
    let needed = u64::from(sockets) + OTHERS;
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let enough = |limit: Option<u64>| limit.is_none_or(|limit| limit >= needed);
    if enough(current) {
        return Ok(());
    }
    // Only raising the hard limit needs a privilege, and it is only raised if it is too low.
    let maximum = if enough(maximum) { maximum } else { Some(needed) };
    setrlimit(Resource::Nofile, Rlimit { current: Some(needed), maximum }).map_err(|error| {
        let limit = getrlimit(Resource::Nofile).maximum.unwrap_or(u64::MAX);
        TooFewFiles { sockets, needed, limit, error }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raises_the_soft_limit_as_far_as_it_goes_and_says_when_it_cannot() {
        let before = getrlimit(Resource::Nofile);
        allow(64).unwrap();
        assert_eq!(getrlimit(Resource::Nofile), before, "nothing to do");
        // Beyond the limit of any kernel (fs.nr_open is at most 2^31), even for root.
        let error = allow(u32::MAX).unwrap_err();
        assert!(error.to_string().contains("4294967327 open files"), "{error}");
    }
}
