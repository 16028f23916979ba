//! The ranges of settings.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::time::Duration;
use tuffet_request::settings::{
    Capacity, Ceilings, Limits, MaxBlksize, Profile, Retransmit, ServiceSettings, Settings,
};

/// The largest number of workers.
const MAX_WORKERS: usize = 1024;

const MAX_BUSY_POLL: Duration = Duration::from_millis(1);

/// The largest number of transfers, requests or events: their tables and queues have room for all.
const MAX_COUNT: usize = 1 << 24;

/// The bounds of each time of [`Retransmit`], and of those of uploads.
const TIMES: RangeInclusive<Duration> = Duration::from_millis(1)..=Duration::from_secs(3600);

/// The least rate in bytes per second: slower transfers would end by their time-outs.
const MIN_RATE: u64 = 1024;

/// Returns the first setting that is out of its range, and the range.
pub(super) fn out_of_range(settings: &Settings) -> Option<(String, String)> {
    let Settings { workers, busy_poll, capacity, rollover, retransmit, service, .. } = settings;
    let ServiceSettings { transfer, profiles, limits, .. } = service;
    let of_all = Ceilings {
        max_blksize: Some(transfer.max_blksize),
        max_windowsize: Some(transfer.max_windowsize),
        rate: transfer.rate,
        ..Ceilings::default()
    };
    number("workers", *workers, 1..=MAX_WORKERS)
        .or_else(|| (*busy_poll > MAX_BUSY_POLL).then(|| ("busy_poll".into(), "0 to 1 ms".into())))
        .or_else(|| of_ceilings("transfer", &of_all))
        .or_else(|| number("rollover", *rollover, 0..=1))
        .or_else(|| of_times("retransmit", retransmit))
        .or_else(|| {
            let mut numbered = settings.rules().enumerate();
            numbered
                .find_map(|(n, (_, rules))| of_ceilings(&format!("listeners[{n}].ceilings"), &rules.ceilings))
        })
        .or_else(|| {
            profiles.iter().enumerate().find_map(|(n, profile)| {
                let of = format!("profiles[{n}]");
                let times = || of_times(&format!("{of}.retransmit"), profile.retransmit.as_ref()?);
                let total = || number(&format!("{of}.total_rate"), profile.total_rate?, MIN_RATE..=u64::MAX);
                let of_name = || of_name(&of, profile, profiles.get(..n)?);
                of_ceilings(&format!("{of}.ceilings"), &profile.ceilings)
                    .or_else(times)
                    .or_else(total)
                    .or_else(of_name)
            })
        })
        .or_else(|| of_capacity(capacity))
        .or_else(|| of_limits(limits))
}

fn of_capacity(capacity: &Capacity) -> Option<(String, String)> {
    let Capacity { transfers, pending, events } = *capacity;
    let counts = [("transfers", transfers), ("pending", pending), ("events", events)];
    counts.into_iter().find_map(|(name, count)| number(&format!("capacity.{name}"), count, 1..=MAX_COUNT))
}

fn of_limits(limits: &Limits) -> Option<(String, String)> {
    let one = |name: &str, value: usize| number(&format!("limits.{name}"), value, 1..=MAX_COUNT);
    let client = &limits.per_client;
    let rates =
        [("burst", limits.per_second, limits.burst), ("per_client.burst", client.per_second, client.burst)];
    let without_rate = |(_, rate, burst): &(_, Option<u32>, Option<u32>)| rate.is_none() && burst.is_some();
    one("uploads_per_name", limits.uploads_per_name as usize)
        .or_else(|| one("errors_per_second", limits.errors_per_second as usize))
        .or_else(|| one("half_open", limits.half_open?))
        .or_else(|| one("per_client.transfers", client.transfers?))
        .or_else(|| one("per_client.pending", client.pending?))
        .or_else(|| number("limits.per_client.ipv6_prefix", client.ipv6_prefix?, 1..=128))
        .or_else(|| {
            let (name, ..) = rates.into_iter().find(without_rate)?;
            Some((format!("limits.{name}"), "beside `per_second`".into()))
        })
        .or_else(|| limits.open_time.is_zero().then(|| ("limits.open_time".into(), "more than 0".into())))
        .or_else(|| {
            let times = [("write_time", limits.write_time), ("commit_time", limits.commit_time)];
            let outside = |(_, time): &(_, Option<Duration>)| time.is_some_and(|time| !TIMES.contains(&time));
            let (name, _) = times.into_iter().find(outside)?;
            Some((format!("limits.{name}"), "1 ms to 1 h".into()))
        })
}

fn of_ceilings(of: &str, ceilings: &Ceilings) -> Option<(String, String)> {
    let blksize = match ceilings.max_blksize {
        Some(MaxBlksize::Bytes(bytes)) => number(&format!("{of}.max_blksize"), bytes, 8..=65464),
        Some(MaxBlksize::Auto) | None => None,
    };
    blksize
        .or_else(|| number(&format!("{of}.max_windowsize"), ceilings.max_windowsize?, 1..=32767))
        .or_else(|| number(&format!("{of}.burst"), ceilings.burst?, 1..=u16::MAX))
        .or_else(|| number(&format!("{of}.rate"), ceilings.rate?, MIN_RATE..=u64::MAX))
}

fn of_name(of: &str, profile: &Profile, before: &[Profile]) -> Option<(String, String)> {
    let is_wrong = match &profile.name {
        None => profile.total_rate.is_some(),
        name => before.iter().any(|other| other.name == *name),
    };
    is_wrong.then(|| (format!("{of}.name"), "a name of its own".into()))
}

fn of_times(of: &str, times: &Retransmit) -> Option<(String, String)> {
    let Retransmit { floor, initial, cap, give_up, lockstep_floor } = times;
    let each = [("floor", floor), ("initial", initial), ("cap", cap), ("give_up", give_up)];
    let outside = each.into_iter().find(|(_, time)| !TIMES.contains(*time));
    if lockstep_floor > TIMES.end() {
        return Some((format!("{of}.lockstep_floor"), "0 to 1 h".into()));
    }
    outside.map(|(name, _)| (format!("{of}.{name}"), "1 ms to 1 h".into())).or_else(|| {
        let ascend = floor <= initial && initial <= cap && cap <= give_up;
        (!ascend).then(|| (of.to_owned(), "in ascending order: floor, initial, cap, give_up".into()))
    })
}

fn number<T: PartialOrd + Display>(
    name: &str,
    value: T,
    range: RangeInclusive<T>,
) -> Option<(String, String)> {
    (!range.contains(&value)).then(|| (name.to_owned(), format!("{} to {}", range.start(), range.end())))
}
